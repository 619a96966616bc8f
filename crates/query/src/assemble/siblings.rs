//! Lists the other files in the directory of the best file, one line each. Readers who explore or add something
//! need to know where things are.

use foveate_index::{FileId, Files};
use foveate_model::escape::escape;
use foveate_model::{Language, Lines, SourceFile};

use super::entry::{Entry, SectionKind};
use super::packed::{EntryKind, ShownPart};
use super::plan::{BudgetScope, Plan};
use crate::excerpt::one_line;
use crate::intent::IntentKind;
use crate::tokenizer::BYTES_PER_TOKEN;

/// Divisor of the budget: the list may take one token in this many.
const BUDGET_DIVISOR: usize = 20;
/// Maximum bytes of a line.
const MAX_LINE: usize = 80;
/// Maximum definition names per file.
const MAX_NAMES: usize = 4;
/// Maximum files and directories of a directory that are looked at.
const MAX_ENTRIES: usize = 5000;
/// Minimum other files in a directory for it to be listed.
const MIN_SIBLINGS: usize = 2;

/// Adds the list if the intent asks for it and there is room.
pub(super) fn add(plan: &mut Plan<'_>) {
    if !matches!(
        plan.intent,
        IntentKind::Explanation | IntentKind::Implementation
    ) {
        return;
    }
    let files = &plan.snapshot.files;
    let mut ranked = plan.ranked.files.iter().map(|file| file.id);
    let Some(best) = ranked.find(|file| plan.packed.has_file(*file)) else {
        return;
    };
    let mut body = String::new();
    let mut rest = 0usize;
    let siblings: Vec<FileId> = siblings(files, best).collect();
    for sibling in &siblings {
        let line = line(files, *sibling);
        if body.len() + line.len() > plan.budget() / BUDGET_DIVISOR * BYTES_PER_TOKEN {
            rest += 1;
            continue;
        }
        body.push_str(&line);
        body.push('\n');
    }
    if siblings.len() < MIN_SIBLINGS || body.is_empty() {
        return;
    }
    if rest > 0 {
        body.push_str(&format!("… {rest} more\n"));
    }
    body.pop();
    let section = SectionKind::Definitions;
    let entry = Entry {
        kind: "directory",
        reason: "other files of its directory".to_owned(),
        language: Language::TEXT,
        body,
        ..Entry::new(files, best, section, Lines::new(1, 1))
    };
    let shows = ShownPart::card(best, None);
    // It is optional: without room for it, it is left out.
    let _ = plan.try_add(entry, shows, (EntryKind::Outline, 0), BudgetScope::Rest);
}

/// Returns the other files of a file's directory, in path order.
pub(super) fn siblings(files: &Files, file: FileId) -> impl Iterator<Item = FileId> {
    let all = files.as_slice();
    let path = files.path(file);
    let directory = path.rfind('/').map_or("", |at| &path[..=at]);
    // Files are in path order, so that those of a directory and below it are contiguous.
    let mut next = all.partition_point(|other| other.path.as_str() < directory);
    let entries = std::iter::from_fn(move || {
        let at = next;
        let rest = all.get(at..)?;
        let path = rest.first()?.path.as_str();
        let name = path.strip_prefix(directory)?;
        let (entry, count) = match name.find('/') {
            None => (Some(FileId(at as u32)), 1),
            // Below the root are all files, so that those of a directory in it are skipped at once.
            Some(end) => {
                let inner = &path[..=directory.len() + end];
                let is_inside = |other: &SourceFile| other.path.as_str().starts_with(inner);
                (None, rest.partition_point(is_inside))
            }
        };
        next += count;
        Some(entry)
    });
    let siblings = entries.take(MAX_ENTRIES).flatten();
    siblings.filter(move |other| *other != file)
}

/// Returns the name of a file and of its first definitions.
fn line(files: &Files, file: FileId) -> String {
    let path = files.path(file);
    let name = path.rsplit('/').next().unwrap_or(path);
    let outer = files.definitions_of(file).filter_map(|id| {
        let definition = files.definition(id);
        let is_outermost = definition.parent.is_none() && !definition.modifiers.is_overload;
        is_outermost.then(|| definition.name.to_string())
    });
    let names: Vec<String> = outer.take(MAX_NAMES).collect();
    let text = if names.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {}", names.join(", "))
    };
    one_line(&escape(&text), MAX_LINE)
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;

    use super::*;

    #[test]
    fn siblings_are_the_files_of_the_same_directory() {
        let snapshot = of_text(
            "
            //- a.py
            //- shop-b/c.py
            //- shop.py
            //- shop/a/b/c.py
            //- shop/a/d.py
            //- shop/b.py
            //- shop/c.py
            //- shop/c/a.py
            //- shop/d.py
            //- z/a.py
            ",
        );
        let files = &snapshot.files;
        let of = |path: &str| {
            let file = files.find(path).expect("a file");
            let found = siblings(files, file).map(|id| files.path(id));
            found.collect::<Vec<_>>()
        };
        assert_eq!(of("a.py"), ["shop.py"]);
        assert_eq!(of("shop/c.py"), ["shop/b.py", "shop/d.py"]);
        assert_eq!(of("shop/a/b/c.py"), [""; 0]);
    }
}
