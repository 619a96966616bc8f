//! Finds the code that callers name as `path:name`, as answers name it.

use foveate_index::{DefId, FileId, Files};

use super::dotted;

/// Returns the ways to read a text as the path of a file, a colon, and something in that file. Paths may contain colons,
/// too, so that there may be several; the longest path comes last.
pub(crate) fn splits<'a>(
    files: &'a Files,
    text: &'a str,
) -> impl Iterator<Item = (FileId, &'a str)> {
    text.match_indices(':').filter_map(move |(at, _)| {
        let file = files.find(text.get(..at)?)?;
        Some((file, text.get(at + 1..)?))
    })
}

/// Splits `path:name` into the file and the name; `None` if there is no such file. The names of tests have two colons
/// (`test_cart.py::test_total`), and a path may begin with `./`.
pub(crate) fn split<'a>(files: &'a Files, text: &'a str) -> Option<(FileId, &'a str)> {
    let (file, name) = splits(files, text.trim_start_matches("./")).last()?;
    let name = name.trim_start_matches(':');
    (!name.is_empty()).then_some((file, name))
}

/// Returns the definitions of a file with this qualified name, or else those whose qualified name ends with it.
pub(crate) fn definitions(files: &Files, file: FileId, name: &str) -> Vec<DefId> {
    let name_of = |id: &DefId| &*files.definition(*id).qualified_name;
    let exact = files.definitions_of(file).filter(|id| name_of(id) == name);
    let exact: Vec<DefId> = exact.collect();
    if !exact.is_empty() {
        return exact;
    }
    let name = dotted(name);
    let ending = |name: &str| -> Vec<DefId> {
        let ends = |id: &DefId| {
            let before = name_of(id).strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        files.definitions_of(file).filter(ends).collect()
    };
    let found = ending(&name);
    match name.strip_prefix('#').filter(|_| found.is_empty()) {
        Some(bare) => ending(bare),
        None => found,
    }
}
