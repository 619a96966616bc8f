//! Finds the references to a definition, with the certainty of each.

use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId, Snapshot};
use foveate_model::{RepoPath, Role};

use super::definitions::{DefinitionItem, Match, item, resolve, role_tier};
use super::page::{Key, Page, Window, page};
use super::{LookupError, find_content};
use crate::deadline::Deadline;
use crate::excerpt::{around, one_line};
use crate::issue::Issue;

/// The definitions whose references are looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A name, as [`super::definitions()`] takes it.
    Name(String),
    /// The innermost definition of any kind that contains a line; of several that begin there, the outermost.
    Line(RepoPath, u32),
    /// The definitions of a name in one file.
    NameIn(String, RepoPath),
}

/// One reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceItem {
    /// The file that it is in.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based character of the line.
    pub column: u32,
    /// The line, cut if it is long.
    pub text: String,
    /// How the name is used: `call`, `type`, ….
    pub kind: &'static str,
    /// How certain the reference is.
    pub confidence: Confidence,
    /// Qualified name of the enclosing function or class; empty at the top level.
    pub caller: String,
    /// Qualified name of the referenced definition.
    pub definition: String,
    /// The role of its file.
    pub role: Role,
}

/// The references to the definitions of a [`Target`].
#[derive(Clone, Debug)]
pub struct FoundReferences {
    /// How the definitions were found; `None` if there are none.
    pub matched: Option<Match>,
    /// The first definitions of the target: source code first, then other files, then tests. If their names only resemble
    /// the given one, references to them are not listed.
    pub definitions: Vec<DefinitionItem>,
    /// References: the most certain first, then other code before tests, then by path and line.
    pub page: Page<ReferenceItem>,
}

/// Maximum definitions that are listed.
const MAX_DEFINITIONS: usize = 10;
/// Maximum bytes of a line that are shown.
const MAX_LINE: usize = 200;

/// Finds the references to the definitions of `target`.
///
/// # Errors
/// When the file of the target is unknown or not indexed, or its line does not exist or is in no definition.
pub fn references(
    snapshot: &Snapshot,
    target: &Target,
    window: &Window,
    deadline: &Deadline,
) -> Result<FoundReferences, LookupError> {
    let ResolvedTarget {
        matched,
        definitions: mut meant,
        issue,
    } = resolve_target(snapshot, target, deadline)?;
    let are_meant = matched.is_some_and(Match::is_meant);
    let listed = meant.iter().take(MAX_DEFINITIONS);
    let definitions = listed.map(|id| item(snapshot, *id)).collect();
    if !are_meant {
        meant.clear();
    }
    let mut sites: Vec<(CallSite, DefId)> = Vec::new();
    for id in meant {
        let uses = snapshot.graph.uses_of(id).iter().copied();
        let own = snapshot.graph.recursions_of(&snapshot.files, id);
        sites.extend(uses.chain(own).map(|site| (site, id)));
    }
    // A reference to several definitions is listed once, with the most certain one.
    sites.sort_by_key(|(site, id)| {
        (
            site.file,
            site.reference,
            std::cmp::Reverse(site.confidence),
            *id,
        )
    });
    sites.dedup_by_key(|(site, _)| (site.file, site.reference));
    let keyed = sites.into_iter();
    let keyed = keyed.map(|(site, id)| (key(snapshot, &site), (site, id)));
    let page = page(&snapshot.files, keyed.collect(), window);
    let mut page = page.map(|(site, id)| reference(snapshot, &site, id));
    page.issues.extend(issue);
    Ok(FoundReferences {
        matched,
        definitions,
        page,
    })
}

/// The definitions that a target means.
struct ResolvedTarget {
    matched: Option<Match>,
    /// The most similar names first; then source code, other files, tests.
    definitions: Vec<DefId>,
    issue: Option<Issue>,
}

fn resolve_target(
    snapshot: &Snapshot,
    target: &Target,
    deadline: &Deadline,
) -> Result<ResolvedTarget, LookupError> {
    let (name, path) = match target {
        Target::Line(path, line) => {
            let (file, content) = find_content(snapshot, path)?;
            let line_count = content.facts.line_count;
            if *line == 0 || *line > line_count {
                return Err(LookupError::NoSuchLine {
                    path: path.to_string(),
                    line: *line,
                    line_count,
                });
            }
            let found = snapshot.files.any_definition_at(file, *line);
            let found = found.ok_or_else(|| LookupError::NoDefinitionAt {
                path: path.to_string(),
                line: *line,
            })?;
            return Ok(ResolvedTarget {
                matched: Some(Match::Exact),
                definitions: vec![found],
                issue: None,
            });
        }
        Target::Name(name) => (name, None),
        Target::NameIn(name, path) => (name, Some(find_content(snapshot, path)?.0)),
    };
    let mut resolved = resolve(snapshot, name, path, deadline);
    // Only the first ones are listed: tests, examples and built files must not come before the code.
    let role = |id: DefId| role_tier(snapshot.files.role_of(id));
    (resolved.definitions).sort_by_key(|(rank, id)| (*rank, role(*id), *id));
    let definitions: Vec<DefId> = resolved.definitions.iter().map(|(_, id)| *id).collect();
    Ok(ResolvedTarget {
        matched: resolved.matched.filter(|_| !definitions.is_empty()),
        definitions,
        issue: resolved.issue,
    })
}

fn key(snapshot: &Snapshot, site: &CallSite) -> Key {
    let certainty = match site.confidence {
        Confidence::Certain => 0,
        Confidence::Likely => 1,
        Confidence::NameOnly => 2,
    };
    let is_test = site.role(&snapshot.files) == Role::Test;
    Key {
        tier: certainty * 2 + u32::from(is_test),
        file: site.file,
        line: site.line,
        ordinal: site.reference,
    }
}

fn reference(snapshot: &Snapshot, site: &CallSite, id: DefId) -> ReferenceItem {
    let files = &snapshot.files;
    let text = files.text(site.file);
    let references = files.content(site.file).map(|c| &c.facts.references);
    let reference = references.and_then(|all| all.get(site.reference as usize));
    let at = reference.map_or(0, |reference| reference.name.start as usize);
    let (_, line) = around(text, at, site.line, 0);
    let before = text.get(..at).unwrap_or_default();
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count();
    let enclosing = site.enclosing.map(|id| files.definition(id));
    ReferenceItem {
        path: files.path(site.file).to_owned(),
        line: site.line,
        column: column as u32 + 1,
        text: one_line(line, MAX_LINE),
        kind: reference.map_or("name", |reference| reference.kind.name()),
        confidence: site.confidence,
        caller: enclosing.map_or_else(String::new, |d| d.qualified_name.to_string()),
        definition: files.definition(id).qualified_name.to_string(),
        role: site.role(files),
    }
}
