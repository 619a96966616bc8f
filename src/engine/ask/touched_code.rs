//! Finds the source files and functions of the base revision that a diff touches.

use foveate_index::{FileId, Snapshot};
use foveate_model::{Definition, Lines, Role};
use foveate_query::Deadline;

use super::{AskError, requested, revision};
use crate::access::Grant;
use crate::access::audit::Action;
use crate::engine::{Diff, DiffEnds, Engine, OldLines, RevisionRequest};

/// Maximum replaced stretches per file, and maximum insertions, that are matched with functions.
const MAX_HUNKS: usize = 500;

/// The source files and functions that a diff touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedCode {
    /// The full id of the commit where the head left the base.
    pub base: String,
    /// Paths of the touched source files in `base`; no tests and no documentation.
    pub files: Vec<String>,
    /// The touched functions in them; of nested ones the innermost.
    pub functions: Vec<TouchedFunction>,
}

/// A function that a change touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedFunction {
    /// Path of its file.
    pub path: String,
    /// Its qualified name.
    pub name: String,
    /// Its lines before the change.
    pub lines: Lines,
}

impl Engine {
    /// Returns the source files and functions, as of the commit where the head left the base, that the head changed.
    pub async fn touched_code(
        &self,
        grant: &Grant,
        repo: &str,
        ends: DiffEnds,
    ) -> Result<TouchedCode, AskError> {
        self.with_repository(grant, Action::LookUp, repo, async move |repository| {
            let (current, until) = self.loaded(&repository).await?;
            let request = |reply| RevisionRequest::Diff { ends, reply };
            let diff: Diff = requested(grant, &repository, until, request).await?;
            let snapshot = revision(grant, &repository, &current, diff.merge_base, until).await?;
            let work = move |snapshot: &Snapshot, _: &Deadline| touched(snapshot, &diff.before);
            self.work_on(grant, &snapshot, work).await
        })
        .await
    }
}

/// Returns the source files and functions of the snapshot that overlap the changed lines.
fn touched(snapshot: &Snapshot, before: &[OldLines]) -> TouchedCode {
    let mut changed = TouchedCode {
        base: snapshot.revision.commit.clone(),
        ..TouchedCode::default()
    };
    for file in before {
        let Some(id) = snapshot.files.find(file.path.as_str()) else {
            continue;
        };
        if snapshot.files.file(id).role != Role::Source {
            continue;
        }
        changed.files.push(file.path.as_str().to_owned());
        let functions = functions(snapshot, id);
        let touched = functions.iter().filter(|f| is_touched(f, &functions, file));
        changed.functions.extend(touched.map(|f| TouchedFunction {
            path: file.path.as_str().to_owned(),
            name: f.qualified_name.to_string(),
            lines: f.lines,
        }));
    }
    changed
}

fn functions(snapshot: &Snapshot, file: FileId) -> Vec<&Definition> {
    let definitions = snapshot.files.definitions_of(file);
    let definitions = definitions.map(|id| snapshot.files.definition(id));
    definitions.filter(|d| d.kind.is_function()).collect()
}

/// Whether a changed stretch overlaps a function and does not lie entirely in a function nested in it.
fn is_touched(function: &Definition, all: &[&Definition], file: &OldLines) -> bool {
    let replaced = file.lines.iter().take(MAX_HUNKS).filter_map(|lines| {
        let start = lines.start.max(function.lines.start);
        let end = lines.end.min(function.lines.end);
        (start <= end).then_some((start, end))
    });
    // An insertion is in a function if the lines on both sides of it are.
    let inserted = file.insertions.iter().take(MAX_HUNKS);
    let inserted = inserted.map(|after| (*after, after.saturating_add(1)));
    let mut parts = replaced.chain(inserted);
    let holds = |lines: Lines, (start, end)| lines.start <= start && end <= lines.end;
    parts.any(|part| {
        let is_inner = |other: &&&Definition| {
            let is_smaller = other.lines != function.lines;
            is_smaller && holds(function.lines, (other.lines.start, other.lines.end))
        };
        let mut inner = all.iter().filter(is_inner);
        holds(function.lines, part) && !inner.any(|other| holds(other.lines, part))
    })
}
