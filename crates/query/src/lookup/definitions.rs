//! Finds the definitions of a name.

use foveate_index::symbols::fold;
use foveate_index::{DefId, FileId, Snapshot};
use foveate_model::{DefinitionKind, Lines, Role};

use super::page::{Key, Page, Window, page};
use crate::deadline::{self, Deadline};
use crate::declaration;
use crate::excerpt::{one_line, prefix};
use crate::issue::Issue;
use crate::resolve::similar::nearest;
use crate::resolve::{dotted, places};

foveate_model::named_enum! {
    /// How a name was found.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Match {
        /// As written, including the enclosing names that were given.
        Exact = "exact",
        /// As a path through modules, following re-exports.
        Module = "module",
        /// By a dotted suffix of the name.
        Suffix = "suffix",
        /// By its last part alone; the enclosing names differ.
        LastName = "last_name",
        /// By its last part with another case or other underscores.
        IgnoringCase = "ignoring_case",
        /// By a similar spelling.
        Similar = "similar",
    }
}

impl Match {
    /// Whether the definitions have this very name, and do not merely resemble it.
    pub fn is_meant(self) -> bool {
        matches!(self, Self::Exact | Self::Module | Self::Suffix)
    }
}

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionItem {
    /// The path of its file.
    pub path: String,
    /// Its qualified name.
    pub name: String,
    /// The kind of the definition.
    pub kind: DefinitionKind,
    /// Its lines, from its first decorator to its end.
    pub lines: Lines,
    /// Its signature on one line without comments; attributes are left out, and it is cut, if it is long.
    pub signature: String,
    /// The first sentence of its documentation, cut if it is long; may be empty.
    pub documentation: String,
    /// The role of its file.
    pub role: Role,
}

/// The definitions of a name.
#[derive(Clone, Debug)]
pub struct FoundDefinitions {
    /// How they were found; `None` if nothing has this or a similar name.
    pub matched: Option<Match>,
    /// The most similar names first; then source code, other files, tests; then by path and line.
    pub page: Page<DefinitionItem>,
}

/// Minimum similarity (0 to 1) of a name that is offered in place of another.
const MIN_SIMILARITY: f64 = 0.75;
/// Minimum bytes of a name for which similar ones are offered.
const MIN_NAME: usize = 4;
/// Maximum names that are offered in place of another.
const MAX_SIMILAR: usize = 8;
/// Maximum bytes of a signature, and of a sentence of documentation.
const MAX_SIGNATURE: usize = 300;
/// Maximum bytes of a name that is looked up; the rest is cut.
const MAX_NAME: usize = 512;

/// Finds the definitions of a name: `connect`, `Client.connect`, `Client::connect`, `package.module.Client`,
/// `src/client.py:Client.connect`.
pub fn definitions(
    snapshot: &Snapshot,
    name: &str,
    window: &Window,
    deadline: &Deadline,
) -> FoundDefinitions {
    let found = resolve(snapshot, name, None, deadline);
    let files = &snapshot.files;
    let keyed = found.definitions.into_iter().map(|(rank, id)| {
        let tier = rank * 3 + role_tier(files.role_of(id));
        (Key::of_definition(files, id, tier), id)
    });
    let mut page = page(files, keyed.collect(), window).map(|id| item(snapshot, id));
    page.issues.extend(found.issue);
    FoundDefinitions {
        matched: found.matched,
        page,
    }
}

/// The definitions that a name may mean.
pub(super) struct MatchingDefinitions {
    pub matched: Option<Match>,
    /// Definitions, each with the number of names that are more similar.
    pub definitions: Vec<(u32, DefId)>,
    pub issue: Option<Issue>,
}

/// Resolves a name, in `file` alone if there is one. In `path:name` the name is resolved in the file at that path.
pub(super) fn resolve(
    snapshot: &Snapshot,
    name: &str,
    file: Option<FileId>,
    deadline: &Deadline,
) -> MatchingDefinitions {
    let name = prefix(name.trim(), MAX_NAME);
    let place = places::split(&snapshot.files, name)
        .filter(|(inside, _)| file.is_none_or(|file| file == *inside));
    let (file, name) = match place {
        Some((inside, name)) => (Some(inside), name),
        None => (file, name),
    };
    let mut name = dotted(name);
    // In texts about Ruby, `#total` is the method `total`.
    if name.starts_with('#') && snapshot.symbols.named(&name).is_empty() {
        name = name.trim_start_matches('#').to_owned();
    }
    let is_inside = |id: &DefId| file.is_none_or(|file| id.file == file);
    // The title of a test is often the name of the code that it tests. Whoever names the file may mean the test.
    let is_code = |id: &DefId| is_inside(id) && !snapshot.files.definition(*id).modifiers.is_block;
    let code = match file.is_none() && is_code_name(&name) {
        true => exactly(snapshot, &name, is_code),
        false => None,
    };
    // Another case is another name.
    let code = code.filter(|(matched, _)| *matched != Match::IgnoringCase);
    if let Some((matched, definitions)) = code.or_else(|| exactly(snapshot, &name, is_inside)) {
        let mut definitions: Vec<DefId> = definitions;
        definitions.sort_unstable();
        definitions.dedup();
        return MatchingDefinitions {
            matched: Some(matched),
            definitions: definitions.into_iter().map(|id| (0, id)).collect(),
            issue: None,
        };
    }
    let mut found = similar(snapshot, last_name(&name), deadline);
    found.definitions.retain(|(_, id)| is_inside(id));
    found.matched = found.matched.filter(|_| !found.definitions.is_empty());
    found
}

/// Whether a name can be one of code, and not only the title of a test.
fn is_code_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '.');
    name.chars().all(is_part)
}

fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the definitions of the strictest match that has any for which `is_inside` holds.
fn exactly(
    snapshot: &Snapshot,
    name: &str,
    is_inside: impl Fn(&DefId) -> bool,
) -> Option<(Match, Vec<DefId>)> {
    let Snapshot { symbols, files, .. } = snapshot;
    let graph = &snapshot.graph;
    let some = |matched: Match, found: &[DefId]| {
        let found: Vec<DefId> = found.iter().copied().filter(|id| is_inside(id)).collect();
        (!found.is_empty()).then_some((matched, found))
    };
    let mut exact = symbols.qualified(name).to_vec();
    exact.extend(symbols.also_named(name));
    if let Some(found) = some(Match::Exact, &exact) {
        return Some(found);
    }
    if let Some(found) = some(Match::Exact, &graph.reexported(files, symbols, name)) {
        return Some(found);
    }
    if name.contains('.') {
        let through_modules = graph.resolve_dotted(files, symbols, name);
        if let Some(found) = some(Match::Module, &through_modules) {
            return Some(found);
        }
    }
    if let Some(found) = some(Match::Exact, &symbols.ending(files, name)) {
        return Some(found);
    }
    let suffixes = std::iter::successors(Some(name), |name| Some(name.split_once('.')?.1));
    for suffix in suffixes.skip(1).filter(|suffix| suffix.contains('.')) {
        if let Some(found) = some(Match::Suffix, &symbols.ending(files, suffix)) {
            return Some(found);
        }
    }
    let last = last_name(name);
    some(Match::LastName, symbols.named(last))
        .or_else(|| some(Match::IgnoringCase, symbols.folded(&fold(last))))
}

fn similar(snapshot: &Snapshot, name: &str, deadline: &Deadline) -> MatchingDefinitions {
    let mut found = MatchingDefinitions {
        matched: None,
        definitions: Vec::new(),
        issue: None,
    };
    let folded = fold(name);
    if folded.len() < MIN_NAME {
        return found;
    }
    if deadline.has_passed() {
        found.issue = Some(deadline::passed("similar names were not searched"));
        return found;
    }
    let names = nearest(&snapshot.symbols, &folded, MIN_SIMILARITY, MAX_SIMILAR);
    for (position, name) in (0..).zip(names) {
        let definitions = snapshot.symbols.folded(name.name).iter();
        let definitions = definitions.map(|id| (position, *id));
        found.definitions.extend(definitions);
    }
    found.matched = (!found.definitions.is_empty()).then_some(Match::Similar);
    found
}

/// Returns the sort order of a role: source code first, tests last.
pub(super) fn role_tier(role: Role) -> u32 {
    match role {
        Role::Source => 0,
        Role::Test => 2,
        Role::Documentation | Role::Configuration | Role::Generated | Role::Data => 1,
    }
}

pub(super) fn item(snapshot: &Snapshot, id: DefId) -> DefinitionItem {
    let files = &snapshot.files;
    let (file, definition) = (files.file(id.file), files.definition(id));
    DefinitionItem {
        path: file.path.to_string(),
        name: definition.qualified_name.to_string(),
        kind: definition.kind,
        lines: definition.own_lines(),
        signature: signature(snapshot, id),
        documentation: documentation(&definition.doc),
        role: files.role_of(id),
    }
}

/// Returns the signature of a definition on one line, as it is written but for comments and long attributes. A card of a
/// context leaves out the `:` or `{` at its end, and adds the value of a constant.
pub(super) fn signature(snapshot: &Snapshot, id: DefId) -> String {
    let span = snapshot.files.definition(id).signature;
    declaration::head(span.of(snapshot.files.text(id.file)), MAX_SIGNATURE)
}

/// Returns the first sentence of a documentation, or its first paragraph if that has no end of a sentence.
fn documentation(doc: &str) -> String {
    let lines = doc.trim_start().lines().map(str::trim);
    let mut paragraph = String::new();
    for line in lines {
        let is_next = paragraph.is_empty() || !starts_new_part(line);
        if !is_next || paragraph.len() > MAX_SIGNATURE {
            break;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
    }
    let end = sentence_end(&paragraph);
    one_line(paragraph.get(..end).unwrap_or(&paragraph), MAX_SIGNATURE)
}

/// Whether a line of a documentation does not continue the paragraph before it: an empty one, a tag, a list item, a
/// heading's underline.
fn starts_new_part(line: &str) -> bool {
    const STARTS: [&str; 12] = [
        "@", "\\", ":", "- ", "* ", "+ ", "#", "```", ">>>", "<", "---", "===",
    ];
    // `Args:`, `Returns:`
    let is_heading = line.ends_with(':') && !line.contains(' ');
    line.is_empty() || is_heading || STARTS.iter().any(|start| line.starts_with(start))
}

/// Returns where the first sentence of a text ends: after a mark that is followed by a blank, but not by a small letter,
/// as after "e.g.".
fn sentence_end(text: &str) -> usize {
    let ends = text.match_indices(['.', '!', '?']);
    let mut ends = ends.map(|(at, mark)| at + mark.len());
    let is_end = |end: &usize| {
        let after = text.get(*end..).unwrap_or_default();
        let next = after.trim_start().chars().next();
        after.starts_with(char::is_whitespace) && next.is_none_or(|c| !c.is_lowercase())
    };
    ends.find(is_end).unwrap_or(text.len())
}
