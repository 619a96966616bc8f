//! Reads backtraces of Ruby and the output of its test frameworks.

use crate::traces::form::{Mark, Message, Order, TraceForm};
use crate::traces::messages::{message, text as message_text};
use crate::traces::places::{
    Frame, frame, has_extension, last_two, leading_number, leading_place, location,
};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["rb"],
    read: |text| {
        backtrace(text)
            .or_else(|| expectation(text))
            .or_else(|| case(text))
            .or_else(|| diagnostic(text))
    },
    is_header: is_list,
    is_other_stack: is_list,
    is_error: |text| text.starts_with("Minitest::") && text.contains(": "),
    ..TraceForm::NONE
};

const EXTENSIONS: &[&str] = &["rb", "rake", "erb", "gemspec", "ru", "haml", "slim"];

/// Reads `a/b.rb:12:in 'name'`, with `from ` in front if it called the frame before it, and with a
/// number where the outermost frame comes first: `2: from a/b.rb:12:in …`.
fn backtrace(text: &str) -> Option<Mark> {
    let (number, rest) = text.split_once(": from ").unwrap_or(("", text));
    let is_numbered = leading_number(number) > 0 && number.bytes().all(|b| b.is_ascii_digit());
    let text = if is_numbered { rest } else { text };
    let text = text.strip_prefix("from ").unwrap_or(text);
    let text = text.strip_prefix("# ").unwrap_or(text);
    if text.starts_with("<internal:") && text.contains(":in ") {
        return Some(Mark::Filler);
    }
    let in_gem = path_in_gem(text);
    let (place, rest) = leading_source(in_gem.as_deref().unwrap_or(text))?;
    let rest = rest.strip_prefix(":in ")?;
    let quoted = rest.strip_prefix(['`', '\'', '"'])?;
    let (name, rest) = quoted.split_once(['\'', '"']).unwrap_or((quoted, ""));
    let found = frame_of(place, name);
    if let Some(text) = rest.strip_prefix(": ") {
        return Some(Mark::Message(Message {
            place: Some(found),
            text: text.trim().to_owned(),
        }));
    }
    let order = match is_numbered {
        true => Order::OutermostFirst,
        false => Order::InnermostFirst,
    };
    Some(Mark::Frame(found, order))
}

/// Returns a frame as it is without Rails, which shortens the paths of gems: `gems/rack-3.1.8/lib/a.rb:3:in 'b'` of
/// `rack (3.1.8) lib/a.rb:3:in 'b'`.
fn path_in_gem(text: &str) -> Option<String> {
    let (gem, rest) = text.split_once(" (")?;
    let (version, place) = rest.split_once(") ")?;
    let is_name = |name: &str| {
        let mut chars = name.chars();
        !name.is_empty() && chars.all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    let is_version = version.starts_with(|c: char| c.is_ascii_digit()) && is_name(version);
    (is_name(gem) && is_version).then(|| format!("gems/{gem}-{version}/{place}"))
}

/// Returns the place that a text begins with: in a Ruby source, or in a program without an extension.
fn leading_source(text: &str) -> Option<((&str, u32, u32), &str)> {
    if let Some((place, rest)) = leading_place(text) {
        let is_known = has_extension(place.0, EXTENSIONS) || rest.starts_with(":in ");
        return is_known.then_some((place, rest));
    }
    let at = text.find(":in ")?;
    let (path, line) = text.get(..at)?.rsplit_once(':')?;
    let line = leading_number(line);
    let is_program = path.contains('/') || path.ends_with("file");
    let is_match = line > 0 && is_program && !path.contains(' ');
    is_match.then(|| ((path, line, 0), text.get(at..).unwrap_or("")))
}

/// Returns a frame whose function is named as in sources: `block in Shop::Cart#sum` is in `Cart.sum`.
fn frame_of(place: (&str, u32, u32), name: &str) -> Frame {
    let mut found = frame(place, "");
    let name = name.rsplit(" in ").next().unwrap_or(name);
    // Code outside functions and compiled templates have no function name.
    if !name.starts_with('<') && !name.starts_with("_app_") {
        let separated = name.replace("::", ".");
        let (owner, method) = match separated.split_once('#') {
            Some((owner, method)) => (owner, method),
            None => separated
                .rsplit_once('.')
                .filter(|(_, method)| !method.is_empty())
                .unwrap_or(("", &separated)),
        };
        let owner = owner.rsplit('.').next().unwrap_or(owner);
        found.function = last_two([owner, method]);
    }
    found
}

/// Whether a line heads RSpec's list of the examples that failed. It repeats failures that were printed with their
/// frames, so it leads no closer to the cause.
fn is_list(text: &str) -> bool {
    text == "Failed examples:"
}

/// Reads RSpec's `# ./spec/a_spec.rb:3`, `rspec ./spec/a_spec.rb:3 # Cart sums`, and
/// `Failure/Error: code`, which has the text on the next line.
fn expectation(text: &str) -> Option<Mark> {
    if text.starts_with("Failure/Error:") {
        return Some(message_text(""));
    }
    let is_listed = text.starts_with("rspec ./");
    let rest = text
        .strip_prefix("# ")
        .or_else(|| text.strip_prefix("rspec "))?;
    let (place, rest) = leading_place(rest)?;
    let ends = rest.is_empty() || (is_listed && rest.starts_with(" # "));
    let is_match = ends && has_extension(place.0, EXTENSIONS);
    is_match.then(|| Mark::Place(frame(place, "")))
}

/// Reads Minitest's `CartTest#test_sum [test/cart_test.rb:12]:`, which has the text on the next line,
/// and `CartTest#test_sum:` above an error.
fn case(text: &str) -> Option<Mark> {
    let (class, rest) = text.split_once('#')?;
    let is_class = |name: &str| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, ':' | '_');
        name.starts_with(char::is_uppercase) && name.chars().all(is_part)
    };
    let outermost = class.split("::").next().unwrap_or(class);
    if let Some(found) = example(rest).filter(|_| is_class(outermost)) {
        return Some(found);
    }
    let method: &str = rest.split([' ', ':']).next()?;
    if !is_class(class) || !method.starts_with("test_") {
        return None;
    }
    let class = class.rsplit("::").next().unwrap_or(class);
    let name = format!("{class}.{method}");
    let after = rest.get(method.len()..)?.trim_end_matches(':').trim();
    let place = after.strip_prefix('[').and_then(|p| p.strip_suffix(']'));
    match place.and_then(location) {
        Some(place) => Some(message(place, &name, "")),
        None => after.is_empty().then_some(Mark::Function(name)),
    }
}

/// Reads what `CartTest::sum#test_0003_adds all prices [test/cart_test.rb:12]:` has after the class: a numbered title,
/// as Minitest names the examples of specs. Sources have the title alone.
fn example(rest: &str) -> Option<Mark> {
    let (number, titled) = rest.strip_prefix("test_")?.split_once('_')?;
    let is_number = number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit());
    let titled = titled.trim_end_matches(':').strip_suffix(']')?;
    let (title, place) = titled.rsplit_once(" [").filter(|_| is_number)?;
    let mut found = frame(location(place)?, "");
    found.function = title.to_owned();
    Some(Mark::Message(Message {
        place: Some(found),
        text: String::new(),
    }))
}

/// Reads `a.rb:3: warning: text` and `a.rb:3: syntax error, unexpected end`.
fn diagnostic(text: &str) -> Option<Mark> {
    let (place, rest) = leading_place(text)?;
    let rest = rest.strip_prefix(": ")?;
    let is_diagnostic = [
        "warning: ", "syntax error", "SyntaxError", "undefined ", "error: ",
    ]
    .iter()
    .any(|start| rest.starts_with(start));
    let is_match = is_diagnostic && has_extension(place.0, EXTENSIONS);
    is_match.then(|| message(place, "", rest.trim_start_matches("warning: ")))
}

#[cfg(test)]
mod tests;
