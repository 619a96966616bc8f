//! Adds the imports between the best files.

use foveate_index::FileId;
use foveate_model::{Lines, Span};

use super::link::{self, Link};
use crate::assemble::entry::{Entry, Layout, SectionKind};
use crate::assemble::packed::{EntryKind, ShownPart};
use crate::assemble::plan::{BudgetScope, Plan};
use crate::excerpt::prefix;

/// Returns the imports between the best files: direct ones, or through one other file.
pub(super) fn imports(plan: &Plan<'_>) -> Vec<Link> {
    let files = &plan.snapshot.files;
    let graph = &plan.snapshot.graph;
    let best: Vec<FileId> = plan
        .ranked
        .files
        .iter()
        .map(|file| file.id)
        .filter(|file| files.content(*file).is_some())
        .take(plan.limits.max_import_files)
        .collect();
    let mut found: Vec<(usize, usize, Link)> = Vec::new();
    for (i, from) in best.iter().enumerate() {
        for (j, to) in best.iter().enumerate() {
            if i == j {
                continue;
            }
            if let Some((statement, line)) = statement(plan, *from, *to) {
                found.push((
                    1,
                    i + j,
                    Link::Import {
                        chain: vec![*from, *to],
                        statement,
                        line,
                    },
                ));
                continue;
            }
            // Longer chains only from the best file: the others are many and say little.
            let through = if i == 0 { graph.imports(*from) } else { &[] };
            let middle = through.iter().find(|middle| {
                !best.contains(middle) && graph.imports(**middle).binary_search(to).is_ok()
            });
            if let Some(middle) = middle
                && let Some((statement, line)) = statement(plan, *from, *middle)
            {
                found.push((
                    2,
                    i + j,
                    Link::Import {
                        chain: vec![*from, *middle, *to],
                        statement,
                        line,
                    },
                ));
            }
        }
    }
    // Stable: pairs of equal rank stay in the order of the files.
    found.sort_by_key(|(length, rank, _)| (*length, *rank));
    found.into_iter().map(|(_, _, link)| link).collect()
}

/// Returns the span and line of the first statement of a file that imports another one.
fn statement(plan: &Plan<'_>, from: FileId, to: FileId) -> Option<(Span, u32)> {
    let modules = plan.snapshot.graph.import_modules(from);
    let position = modules.iter().position(|module| *module == Some(to))?;
    let import = plan
        .snapshot
        .files
        .content(from)?
        .facts
        .imports
        .get(position)?;
    Some((import.span, import.line))
}

pub(super) fn add_import(
    plan: &mut Plan<'_>,
    chain: &[FileId],
    statement: Span,
    line: u32,
    position: usize,
    pass: BudgetScope,
) -> Result<(), usize> {
    let files = &plan.snapshot.files;
    let Some((from, to)) = chain.split_first() else {
        return Ok(());
    };
    let text = statement.of(files.text(*from));
    let paths: Vec<&str> = to.iter().map(|file| files.path(*file)).collect();
    let last = line + prefix(text, 4000).trim_end().matches('\n').count() as u32;
    let lines = Lines::new(line, last);
    if plan.packed.shows_any(*from, lines) {
        return Ok(());
    }
    let (body, cut) = link::line(text);
    let entry = Entry {
        layout: Layout::Line,
        cut,
        reason: format!("imports {}", paths.join(" -> ")),
        facts: vec![("imports", paths.join(" -> "))],
        body,
        ..Entry::new(files, *from, SectionKind::Imports, lines)
    };
    let shows = ShownPart::lines(*from, lines);
    plan.try_add(entry, shows, (EntryKind::Link, position), pass)
}
