//! Tells the fixed wording of the error messages of language runtimes from their variable parts: of
//! `Cannot read properties of undefined (reading 'length')`, only `length` can name code. Must not change what is
//! searched: the wording is still text of the query.

use std::ops::Range;

use foldhash::HashSet;

use super::names;
use super::{QueryText, SegmentKind};

/// Stands for a variable part in a template.
const PLACEHOLDER: &str = "{}";
/// Maximum bytes of a variable part.
const MAX_PLACEHOLDER: usize = 120;
/// Maximum places where the start of a template is tried. Keeps the time linear.
const MAX_STARTS: usize = 8;
/// Bytes of a message that are examined: a title may be a whole document without line breaks.
const MAX_BYTES: usize = 2_000;
/// Maximum messages of a query that are examined; a text with more is a log.
const MAX_MESSAGES: usize = 50;

/// The messages in lower case. Quotes are part of a template whose words are common elsewhere.
const TEMPLATES: &[&str] = &[
    // JavaScript: V8, SpiderMonkey, JavaScriptCore.
    "uncaught (in promise)",
    "uncaught error",
    "uncaught rangeerror",
    "uncaught referenceerror",
    "uncaught syntaxerror",
    "uncaught typeerror",
    "cannot read properties of undefined (reading {})",
    "cannot read properties of null (reading {})",
    "cannot read properties of undefined",
    "cannot read properties of null",
    "cannot read property {} of undefined",
    "cannot read property {} of null",
    "cannot set properties of undefined (setting {})",
    "cannot set properties of null (setting {})",
    "cannot set properties of undefined",
    "cannot set properties of null",
    "cannot set property {} of undefined",
    "cannot set property {} of null",
    "cannot destructure property {} as it is undefined",
    "cannot destructure property {} as it is null",
    "cannot access '{}' before initialization",
    "cannot convert undefined or null to object",
    "can't access property {} is undefined",
    "can't access property {} is null",
    "can't access lexical declaration {} before initialization",
    "undefined is not an object (evaluating {})",
    "null is not an object (evaluating {})",
    "undefined is not an object",
    "null is not an object",
    "undefined is not a function",
    "{} is not a function",
    "{} is not a constructor",
    "{} is not iterable",
    "{} is not defined",
    "assignment to constant variable",
    "maximum call stack size exceeded",
    // Python.
    "'nonetype' object",
    "nonetype object",
    "object has no attribute",
    "' has no attribute '",
    "object is not subscriptable",
    "object is not callable",
    "object is not iterable",
    "object does not support item assignment",
    "object of type '{}' has no len()",
    "name '{}' is not defined",
    "local variable '{}' referenced before assignment",
    "cannot access local variable '{}' where it is not associated with a value",
    "got an unexpected keyword argument",
    "got multiple values for argument",
    "missing {} required positional argument",
    "missing {} required positional arguments",
    "missing {} required keyword-only argument",
    "missing {} required keyword-only arguments",
    "takes {} positional argument but {} were given",
    "takes {} positional arguments but {} were given",
    "takes {} positional arguments but {} was given",
    "cannot import name '{}' from",
    "no module named",
    "unsupported operand type(s) for",
    "unhashable type:",
    "list index out of range",
    "string index out of range",
    "maximum recursion depth exceeded",
    "not enough values to unpack",
    "too many values to unpack",
    // Java.
    "cannot invoke \"{}\" because \"{}\" is null",
    "cannot read field \"{}\" because \"{}\" is null",
    "cannot assign field \"{}\" because \"{}\" is null",
    "cannot be cast to class",
    "out of bounds for length",
    // Ruby.
    "undefined method `{}'",
    "undefined method '{}'",
    "undefined local variable or method",
    "for nil:nilclass",
    "uninitialized constant",
    "wrong number of arguments (given {}, expected {})",
    // Go.
    "runtime error: invalid memory address or nil pointer dereference",
    "invalid memory address or nil pointer dereference",
    "runtime error: index out of range",
    "assignment to entry in nil map",
    "all goroutines are asleep - deadlock",
    // Rust. Titles lose their backticks.
    "called `option::unwrap()` on a `none` value",
    "called option::unwrap() on a none value",
    "called `result::unwrap()` on an `err` value",
    "called result::unwrap() on an err value",
    "index out of bounds: the len is {} but the index is",
    // C#.
    "object reference not set to an instance of an object",
    "value cannot be null. (parameter '{}')",
    "sequence contains no elements",
    "index was outside the bounds of the array",
    // PHP.
    "call to a member function {} on null",
    "call to undefined method",
    "call to undefined function",
    "attempt to read property \"{}\" on null",
    "undefined array key",
];

/// Replaces the fixed wording of error messages by commas: the variable parts before and after it form no name together.
pub(crate) fn without_fixed_wording(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for fixed in fixed_wording(text) {
        // Templates may overlap.
        if fixed.start >= end {
            kept.push_str(text.get(end..fixed.start).unwrap_or(""));
            kept.push(',');
        }
        end = end.max(fixed.end);
    }
    kept.push_str(text.get(end..).unwrap_or(""));
    kept
}

/// Returns the names that are in the title and the error messages of a query only as a part of their fixed wording:
/// `NoneType` of `'NoneType' object has no attribute 'x'`.
pub(crate) fn fixed_names(text: &QueryText) -> HashSet<String> {
    let (mut fixed, mut varying) = (HashSet::default(), HashSet::default());
    let errors = text.of_kind(SegmentKind::ErrorMessage);
    let messages = text.of_kind(SegmentKind::Title).chain(errors);
    for message in messages.take(MAX_MESSAGES) {
        let ranges = fixed_wording(message);
        if ranges.is_empty() {
            continue;
        }
        for name in names::scan(message) {
            let holds = |range: &Range<usize>| {
                range.start <= name.range.start && name.range.end <= range.end
            };
            let list = match ranges.iter().any(holds) {
                true => &mut fixed,
                false => &mut varying,
            };
            list.insert(name.trimmed().to_owned());
        }
    }
    fixed.retain(|name| !varying.contains(name));
    fixed
}

/// Returns where the fixed wording of messages is in a text, in bytes, sorted; ranges may overlap.
fn fixed_wording(text: &str) -> Vec<Range<usize>> {
    // Keeps the positions of bytes.
    let start = text.get(..text.floor_char_boundary(MAX_BYTES));
    let lower = start.unwrap_or("").to_ascii_lowercase();
    let found = TEMPLATES
        .iter()
        .filter_map(|template| find(&lower, template));
    let mut ranges: Vec<Range<usize>> = found.flatten().collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges
}

/// Returns the ranges of the fixed parts of a template at the first place that it fits.
fn find(text: &str, template: &str) -> Option<Vec<Range<usize>>> {
    let parts: Vec<&str> = template
        .split(PLACEHOLDER)
        .filter(|part| !part.is_empty())
        .collect();
    let (first, rest) = parts.split_first()?;
    let starts = text.match_indices(first).take(MAX_STARTS);
    let mut fits = starts.filter_map(|(at, _)| fit(text, at..at + first.len(), rest));
    fits.next()
}

/// Returns the ranges of all parts of a template, if the first one is at a place and the others follow.
fn fit(text: &str, first: Range<usize>, rest: &[&str]) -> Option<Vec<Range<usize>>> {
    let mut end = first.end;
    let mut ranges = vec![first];
    for part in rest {
        let limit = text.floor_char_boundary(end + MAX_PLACEHOLDER + part.len());
        let at = end + text.get(end..limit)?.find(part)?;
        end = at + part.len();
        ranges.push(at..end);
    }
    let is_whole = |range: &Range<usize>| is_whole_words(text, range);
    ranges.iter().all(is_whole).then_some(ranges)
}

/// Whether a range neither begins nor ends within a word.
fn is_whole_words(text: &str, range: &Range<usize>) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let (before, after) = (text.get(..range.start), text.get(range.end..));
    let inside = text.get(range.clone()).unwrap_or("");
    let cuts_start =
        inside.starts_with(is_letter) && before.is_some_and(|before| before.ends_with(is_letter));
    let cuts_end =
        inside.ends_with(is_letter) && after.is_some_and(|after| after.starts_with(is_letter));
    !cuts_start && !cuts_end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_varies_in_messages_is_kept() {
        let words = |text: &str| {
            let left = without_fixed_wording(text);
            let words = left.split(|c: char| !c.is_alphanumeric() && c != '_');
            let words = words.filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        };
        for (message, wanted) in [
            (
                "Uncaught TypeError: Cannot read properties of undefined (reading 'length')",
                "length",
            ),
            ("field.commit is not a function", "field commit"),
            ("undefined is not an object (evaluating 'a.b')", "a b"),
            ("'NoneType' object has no attribute 'unlock'", "unlock"),
            ("NameError: name 'shelf' is not defined", "NameError shelf"),
            ("open() got an unexpected keyword argument 'x'", "open x"),
            ("missing 1 required positional argument: 'door'", "1 door"),
            (
                "Cannot invoke \"a.b()\" because \"door\" is null",
                "a b door",
            ),
            ("undefined method `open' for nil:NilClass", "open"),
            (
                "panic: runtime error: invalid memory address or nil pointer dereference",
                "panic",
            ),
            ("called `Option::unwrap()` on a `None` value in x", "in x"),
            ("Object reference not set to an instance of an object", ""),
            ("Call to a member function open() on null", "open"),
            (
                "properties of undefined doors are read",
                "properties of undefined doors are read",
            ),
            (
                "reopen is not a functional thing",
                "reopen is not a functional thing",
            ),
        ] {
            assert_eq!(words(message), wanted, "{message}");
        }
    }

    #[test]
    fn names_of_the_fixed_wording_are_told_from_others() {
        let names = |query: &str| {
            let mut names: Vec<String> =
                fixed_names(&QueryText::parse(query)).into_iter().collect();
            names.sort();
            names
        };
        let error = "AttributeError: 'NoneType' object has no attribute 'unlock'";
        let fixed = names(error);
        assert!(fixed.contains(&"NoneType".to_owned()), "{fixed:?}");
        assert!(!fixed.contains(&"unlock".to_owned()), "{fixed:?}");
        assert!(
            names(&format!("NoneType is lost: {error}"))
                .iter()
                .all(|name| name != "NoneType")
        );
        assert_eq!(names("A title about a NoneType"), Vec::<String>::new());
    }
}
