//! Lists the other files in the directory of the best file, one line each. Readers who explore or add something
//! need to know where things are.

use foveate_index::{FileId, Files};
use foveate_model::escape::escape;
use foveate_model::{Language, Lines};

use super::directory::siblings;
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
