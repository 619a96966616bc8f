//! Finds uses of removed functions, types, constants, attributes and variables by their names. What a name meant is not
//! known, so the form of a name decides which of its uses count: many local variables share the name of an attribute, hardly
//! any that of a constant.

use foldhash::HashSet;
use foveate_index::lexical::Field;
use foveate_index::tokens::terms;
use foveate_index::{ChunkId, FileId};
use foveate_model::{Content, Import, Reference};
use foveate_parse::hunks::is_constant;
use foveate_parse::may_be_parsed;

use super::{RemovedUse, segments};
use crate::assemble::plan::Plan;
use crate::assemble::verb::Verb;
use crate::deadline::Stage;

/// Shortest name that is looked up, in bytes.
const MIN_NAME: usize = 3;
/// Maximum chunks with a name; a more common one has other meanings.
const MAX_CHUNKS: usize = 50;
/// Maximum occurrences of a constant in one chunk that are examined.
const MAX_OCCURRENCES: usize = 20;

/// A removed name that nothing defines any more.
#[derive(Clone, Copy, Debug)]
struct RemovedName<'n> {
    name: &'n str,
    kind: NameKind,
}

/// What a removed name was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    /// A function or a type.
    Definition,
    /// A constant, by the form of its name.
    Constant,
    /// Another variable outside functions, or an attribute.
    Variable,
}

/// Returns the references and imports of names that are no longer defined.
pub(super) fn uses(plan: &Plan<'_>) -> Vec<RemovedUse> {
    let removed = &plan.request.removed;
    let definitions = removed.names.iter().map(|name| RemovedName {
        name: name.as_str(),
        kind: NameKind::Definition,
    });
    let variables = removed.variables.iter().map(|name| RemovedName {
        name: name.as_str(),
        kind: match is_constant(name) {
            true => NameKind::Constant,
            false => NameKind::Variable,
        },
    });
    let changed = plan.resolution.changed.iter().map(|(file, _)| *file);
    let changed: HashSet<FileId> = changed.collect();
    let mut found = Vec::new();
    for removed in definitions.chain(variables) {
        if removed.name.len() < MIN_NAME || !plan.snapshot.symbols.named(removed.name).is_empty() {
            continue;
        }
        if !plan.deadline.allows(Stage::Links) {
            break;
        }
        // The search for the words of the query reports an index that cannot be read.
        let chunks = (plan.snapshot.lexical)
            .chunks_with(&terms(removed.name), Field::Code, MAX_CHUNKS)
            .unwrap_or_default();
        found.extend(uses_in(plan, &changed, removed, &chunks));
    }
    found
}

/// Returns the uses of a name in the files of some chunks; none if one of them gives the name a value in a way that the
/// index does not record.
fn uses_in(
    plan: &Plan<'_>,
    changed: &HashSet<FileId>,
    removed: RemovedName<'_>,
    chunks: &[ChunkId],
) -> Vec<RemovedUse> {
    let files = &plan.snapshot.files;
    let mut found = Vec::new();
    for of_file in chunks.chunk_by(|a, b| files.chunk_file(*a) == files.chunk_file(*b)) {
        let file = of_file.first().map(|chunk| files.chunk_file(*chunk));
        let Some((file, content)) = file.and_then(|file| Some((file, files.content(file)?))) else {
            continue;
        };
        let user = User {
            plan,
            file,
            content,
            is_changed: changed.contains(&file),
        };
        match user.uses(removed, of_file) {
            Some(uses) => found.extend(uses),
            None => return Vec::new(),
        }
    }
    found
}

/// A file that may use removed names.
struct User<'p, 'a> {
    plan: &'p Plan<'a>,
    file: FileId,
    content: &'p Content,
    /// Whether the caller changed it.
    is_changed: bool,
}

impl User<'_, '_> {
    /// Returns the uses of a name, which is in the code of `chunks`; none if the file takes the name from a library. `None`
    /// if the file gives the name a value.
    fn uses(&self, removed: RemovedName<'_>, chunks: &[ChunkId]) -> Option<Vec<RemovedUse>> {
        let RemovedName { name, kind } = removed;
        let imports: Vec<(&Import, Option<FileId>)> = self.imports_of(name).collect();
        let is_foreign = |(import, module): &(&Import, Option<FileId>)| {
            module.is_none() && is_of_library(self.plan, import)
        };
        if imports.iter().any(is_foreign) {
            return Some(Vec::new());
        }
        let is_known = self.is_changed || !imports.is_empty();
        let references = self.content.facts.references.iter().filter(|of| {
            of.name.of(&self.content.text) == name && self.means(of, removed, is_known)
        });
        let imports = imports.iter().map(|(import, _)| {
            let (at, line) = (import.span.start, import.line);
            self.use_at(Verb::Imports, at, line, name)
        });
        let references = references.map(|of| self.use_at(Verb::Uses, of.name.start, of.line, name));
        let mut found: Vec<RemovedUse> = imports.chain(references).collect();
        if kind == NameKind::Constant && (is_known || is_particular(name)) {
            for chunk in chunks {
                let bare = self.bare_uses(*chunk, name)?;
                let uses = bare.into_iter();
                found.extend(uses.map(|(at, line)| self.use_at(Verb::Uses, at, line, name)));
            }
        }
        Some(found)
    }

    fn use_at(&self, verb: Verb, at: u32, line: u32, name: &str) -> RemovedUse {
        RemovedUse {
            file: self.file,
            at,
            line,
            verb,
            removed: name.to_owned(),
        }
    }

    /// Returns the imports of a name, each with the file that its module resolves to.
    fn imports_of(&self, name: &str) -> impl Iterator<Item = (&Import, Option<FileId>)> {
        self.imports().filter(move |(import, _)| {
            let mut names = import.names.iter();
            names.any(|of| *of.name == *name || *of.local == *name)
        })
    }

    fn imports(&self) -> impl Iterator<Item = (&Import, Option<FileId>)> {
        let modules = self.plan.snapshot.graph.import_modules(self.file);
        let imports = self.content.facts.imports.iter();
        imports.zip(modules.iter().copied())
    }

    /// Whether a reference by the name of something removed means it. `is_known` says that the file imports the name, or
    /// that it was changed, so that the name may have been its own.
    fn means(&self, of: &Reference, removed: RemovedName<'_>, is_known: bool) -> bool {
        let is_plain = of.path == of.name && !of.opaque_receiver;
        match removed.kind {
            NameKind::Definition => is_plain || is_particular(removed.name),
            NameKind::Constant => is_plain && is_known || is_particular(removed.name),
            NameKind::Variable if is_plain => is_known,
            NameKind::Variable => !of.opaque_receiver && self.has_receiver(of),
        }
    }

    /// Whether the receiver of a reference is a module or type of the repository that the file imports; in a changed file
    /// also one of its own types, or the object that a method belongs to.
    fn has_receiver(&self, of: &Reference) -> bool {
        let path = of.path.of(&self.content.text);
        let begins_with = |receiver: &str| {
            let rest = path.strip_prefix(receiver);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        let language = self.plan.snapshot.files.file(self.file).language;
        let mut receivers = language.rules().lookup.receivers.iter();
        let mut definitions = self.content.facts.definitions.iter();
        let is_own = self.is_changed
            && (receivers.any(|(name, _)| begins_with(name))
                || definitions.any(|of| of.kind.is_container() && begins_with(&of.name)));
        is_own
            || self.imports().any(|(import, module)| {
                module.is_some() && import.names.iter().any(|of| begins_with(&of.local))
            })
    }

    /// Returns the places in the code of a chunk, each with its line, where a constant stands alone: a bare name is only
    /// recorded as a reference where the file binds it. `None` if the code gives it a value.
    fn bare_uses(&self, chunk: ChunkId, name: &str) -> Option<Vec<(u32, u32)>> {
        let files = &self.plan.snapshot.files;
        let language = files.file(self.file).language;
        let is_parsed =
            may_be_parsed(Some(language)) && files.unindexed_reason(self.file).is_empty();
        if !is_parsed {
            return Some(Vec::new());
        }
        let chunk = files.chunk(chunk);
        let text = chunk.span.of(&self.content.text);
        let mut found = Vec::new();
        for (start, _) in text.match_indices(name).take(MAX_OCCURRENCES) {
            let (before, rest) = text.split_at(start);
            let after = rest.get(name.len()..).unwrap_or_default();
            let at = chunk.span.start + start as u32;
            if before.ends_with(is_part) || after.starts_with(is_part) || self.is_no_code(at) {
                continue;
            }
            let after = after.trim_start();
            let value = after.strip_prefix('=');
            let is_assigned = value.is_some_and(|value| !value.starts_with(['=', '>']));
            if is_assigned || before.trim_end().ends_with("#define") {
                return None;
            }
            // The member of something else, or the key of a table.
            if before.ends_with('.') || after.starts_with(':') && !after.starts_with("::") {
                continue;
            }
            let line = chunk.lines.start + before.matches('\n').count() as u32;
            found.push((at, line));
        }
        Some(found)
    }

    /// Whether a position is in a comment, a string or an import.
    fn is_no_code(&self, at: u32) -> bool {
        let facts = &self.content.facts;
        let next = facts
            .regions
            .partition_point(|region| region.span.end <= at);
        let region = facts.regions.get(next);
        let mut imports = facts.imports.iter().map(|import| import.span);
        region.is_some_and(|region| region.span.start <= at)
            || imports.any(|span| span.start <= at && at < span.end)
    }
}

/// Whether a character may be part of a name.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Whether an import, whose module is not found, is one of a library: it names no removed file.
fn is_of_library(plan: &Plan<'_>, import: &Import) -> bool {
    let (_, last) = segments(&import.module);
    let mut removed = plan.request.removed.paths.iter();
    !import.module.starts_with('.') && !removed.any(|path| path.stem() == last)
}

/// Whether a name is so particular that its use on an unknown receiver means it, too. Many types have an `add`.
fn is_particular(name: &str) -> bool {
    const LONG: usize = 8;
    name.len() >= LONG
        || name.trim_matches('_').contains('_')
        || name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase)
}
