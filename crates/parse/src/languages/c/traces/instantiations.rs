//! Reads the lines by which compilers of C++ tell where the template of a message is instantiated: gcc prints them above
//! the message, clang and Microsoft's compiler below it. Start at [`read`].

use super::EXTENSIONS;
use super::names::written;
use crate::traces::form::Mark;
use crate::traces::messages::build_place;
use crate::traces::places::{frame, has_extension, leading_place};

/// Reads such a line.
pub(super) fn read(text: &str) -> Option<Mark> {
    above(text).or_else(|| below(text))
}

/// Reads gcc's `a.cc:4:5:   required from 'void shop::run(T) [with T = int]'`, which names the function around the
/// place, and `a.cc:4:5:   required from here`, which is in no template.
fn above(text: &str) -> Option<Mark> {
    let (place, rest) = leading_place(text)?;
    let rest = rest.strip_prefix(':')?.trim();
    if !has_extension(place.0, EXTENSIONS) {
        return None;
    }
    if rest.starts_with("[ skipping ") {
        return Some(Mark::Filler);
    }
    let rest = rest.strip_prefix("recursively ").unwrap_or(rest);
    let rest = rest.strip_prefix("required ")?;
    let around = rest.strip_prefix("from ").and_then(quoted);
    let is_place = rest.starts_with("from ") || rest.starts_with("by ");
    is_place.then(|| {
        let mut found = frame(place, "");
        found.function = around.map_or_else(String::new, written);
        Mark::InstantiatedAt(found)
    })
}

/// Reads `a.cc:4:5: note: in instantiation of function template specialization 'shop::show<int>' requested here` and
/// `a.cc(4): note: see reference to function template instantiation 'void shop::show<int>(T)' being compiled`: the
/// function is the one around the place above.
fn below(text: &str) -> Option<Mark> {
    const STARTS: [&str; 4] = [
        "in instantiation of ",
        "see reference to function template instantiation ",
        "see reference to class template instantiation ",
        "while compiling class template member function ",
    ];
    let of_compiler = leading_place(text)
        .and_then(|(place, rest)| Some((place, rest.strip_prefix(':')?)))
        .filter(|(place, _)| has_extension(place.0, EXTENSIONS));
    let (place, rest) = of_compiler.or_else(|| build_place(text, EXTENSIONS))?;
    let note = rest.trim_start().strip_prefix("note:")?.trim_start();
    let is_instantiation = STARTS.iter().any(|start| note.starts_with(start));
    let template = written(quoted(note).filter(|_| is_instantiation)?);
    Some(Mark::Instantiates {
        template,
        at: frame(place, ""),
    })
}

/// Returns the text between the first quotation mark and the last one.
fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(['\'', '‘', '`'])?;
    let (name, _) = rest.rsplit_once(['\'', '’'])?;
    Some(name)
}
