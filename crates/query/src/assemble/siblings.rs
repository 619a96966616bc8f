//! Lists the files in the directory that the query names, or else the other files in that of the best file, one line each.
//! Readers who explore or add something need to know where things are.

use foveate_index::{DefId, FileId, Files};
use foveate_model::escape::escape;
use foveate_model::{DefinitionKind, Language, Lines};

use super::directory::{files_in, siblings};
use super::entry::{Entry, SectionKind};
use super::named_directory;
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
/// Minimum files to list.
const MIN_FILES: usize = 2;
/// Minimum budget in tokens: the part of a smaller one would hold a few names of files.
const MIN_BUDGET: usize = 1000;

/// Whether the list comes before the last bodies, which would leave no room for it.
pub(super) fn come_first(plan: &Plan<'_>) -> bool {
    plan.budget() >= plan.config.cards.min_directory_budget
}

/// Adds the list if the intent asks for it and there is room.
pub(super) fn add(plan: &mut Plan<'_>) {
    if plan.budget() < MIN_BUDGET {
        return;
    }
    let files = &plan.snapshot.files;
    let Some(directory) = Directory::wanted(plan) else {
        return;
    };
    let max_bytes = plan.budget() / BUDGET_DIVISOR * BYTES_PER_TOKEN;
    let Some(body) = list(files, &directory.listed, max_bytes) else {
        return;
    };
    let section = SectionKind::Definitions;
    let path = directory.path;
    let name = (!path.is_empty()).then(|| ("directory", path.to_owned()));
    let entry = Entry {
        kind: "directory",
        reason: directory.reason.to_owned(),
        facts: name.into_iter().collect(),
        language: Language::TEXT,
        body,
        ..Entry::new(files, directory.file, section, Lines::new(1, 1))
    };
    let shows = ShownPart::card(directory.file, None);
    // It is optional: without room for it, it is left out.
    let _ = plan.try_add(entry, shows, (EntryKind::Outline, 0), BudgetScope::Rest);
}

/// The directory whose files are listed.
struct Directory<'a> {
    /// Empty for the root.
    path: &'a str,
    listed: Vec<FileId>,
    /// The file of the entry.
    file: FileId,
    reason: &'static str,
}

impl<'a> Directory<'a> {
    /// Returns the directory that the query names, or else that of the best file; `None` if the intent asks for neither.
    fn wanted(plan: &Plan<'a>) -> Option<Self> {
        match plan.intent {
            IntentKind::Explanation | IntentKind::Implementation => {
                Self::named(plan).or_else(|| Self::of_best_file(plan))
            }
            // "What is in src/shop?" looks up the directory.
            IntentKind::DefinitionLookup => Self::named(plan),
            _ => None,
        }
    }

    fn named(plan: &Plan<'a>) -> Option<Self> {
        let files = &plan.snapshot.files;
        let path = named_directory::path(files, &plan.request.query)?;
        let listed: Vec<FileId> = files_in(files, path).collect();
        Some(Self {
            path,
            file: *listed.first()?,
            listed,
            reason: "files of the directory that the query names",
        })
    }

    fn of_best_file(plan: &Plan<'a>) -> Option<Self> {
        let files = &plan.snapshot.files;
        let mut ranked = plan.ranked.files.iter().map(|file| file.id);
        let best = ranked.find(|file| plan.packed.has_file(*file))?;
        Some(Self {
            path: files.file(best).path.directory(),
            file: best,
            listed: siblings(files, best).collect(),
            reason: "other files of its directory",
        })
    }
}

/// Returns a line for each file, and one that counts those beyond `max_bytes`; `None` if there are too few files.
fn list(files: &Files, listed: &[FileId], max_bytes: usize) -> Option<String> {
    let mut body = String::new();
    let mut rest = 0usize;
    for file in listed {
        let line = line(files, *file);
        if body.len() + line.len() > max_bytes {
            rest += 1;
            continue;
        }
        body.push_str(&line);
        body.push('\n');
    }
    if listed.len() < MIN_FILES || body.is_empty() {
        return None;
    }
    if rest > 0 {
        body.push_str(&format!("… {rest} more\n"));
    }
    body.pop();
    Some(body)
}

/// Returns the name of a file and of its first definitions, those of its namespaces included and inline tests left out.
fn line(files: &Files, file: FileId) -> String {
    let path = files.path(file);
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_namespace = |id: DefId| files.definition(id).kind == DefinitionKind::Module;
    let is_outer = |id: &DefId| {
        let is_inner = files.parent(*id).is_some_and(|parent| {
            !is_namespace(parent) || files.parent(parent).is_some_and(|id| !is_namespace(id))
        });
        let is_code = files.role_of(*id) == files.file(file).role;
        let is_overload = files.definition(*id).modifiers.is_overload;
        !is_inner && !is_namespace(*id) && is_code && !is_overload
    };
    let mut names: Vec<&str> = Vec::new();
    for id in files.definitions_of(file).filter(is_outer) {
        let name = &*files.definition(id).name;
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == MAX_NAMES {
            break;
        }
    }
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
    fn first_definitions_of_a_file_are_named_once() {
        let snapshot = of_text(
            "
            //- src/cart.hpp
            namespace shop {
            namespace parts {
            class Cart {
              void close();
            };
            void open(int size) {}
            void open(long size) {}
            }
            }
            //- src/lib.rs
            pub struct Shelf;

            #[cfg(test)]
            mod tests {
                #[test]
                fn opens() {}
            }
            //- src/notes.txt
            Nothing
            ",
        );
        let files = &snapshot.files;
        let lines = files.as_slice().iter().map(|file| {
            let id = files.find(file.path.as_str()).expect("a file");
            line(files, id)
        });
        let lines: Vec<String> = lines.collect();
        assert_eq!(
            lines,
            ["cart.hpp: Cart, open", "lib.rs: Shelf", "notes.txt"]
        );
    }
}
