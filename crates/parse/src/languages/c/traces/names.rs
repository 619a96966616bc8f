//! Converts C++ function names as debuggers print them to the names in sources.

use crate::traces::places::{last_two, without_brackets};

/// Converts `void ns::Pool<int>::get<char>(int, std::vector<int>) const` to `Pool.get`.
pub(super) fn written(name: &str) -> String {
    let name = name.replace("(anonymous namespace)::", "");
    // A lambda belongs to the function around it.
    let lambdas = [
        "::{lambda", "::$_", "::'lambda", "::operator()(", "::<lambda",
    ];
    let cut = lambdas.iter().filter_map(|mark| name.find(mark)).min();
    let name = name.get(..cut.unwrap_or(name.len())).unwrap_or(&name);
    if let Some((owner, symbol)) = name.split_once("operator")
        && !symbol.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    {
        let symbol = symbol.trim_start_matches("()");
        let symbol = symbol.split('(').next().unwrap_or("").trim();
        let symbol = if symbol.is_empty() { "()" } else { symbol };
        let owner = plain(owner);
        let owner = owner.rsplit("::").find(|part| !part.is_empty());
        return last_two([owner.unwrap_or(""), &format!("operator{symbol}")]);
    }
    let name = plain(name);
    last_two(name.split("::"))
}

/// Strips arguments, type arguments, and a type before the name.
fn plain(name: &str) -> String {
    let name = without_brackets(name, '<', '>');
    let head = name.split('(').next().unwrap_or(&name).trim_end();
    let head = head.split(" [").next().unwrap_or(head);
    let name = head.rsplit([' ', '*', '&']).next().unwrap_or(head);
    name.to_owned()
}
