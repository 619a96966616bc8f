//! Lists the contents of a file: its definitions, or the sections of prose and settings.

use foveate_index::{DefId, FileId, Snapshot};
use foveate_model::{Lines, RepoPath};
use foveate_parse::sections;

use super::definitions::signature;
use super::page::{Key, Page, Window, page};
use super::{LookupError, find_content};

/// One definition or section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineItem {
    /// The unqualified name of a definition, or the title of a section.
    pub name: String,
    /// `function`, `class`, …, `section`, `key`, ….
    pub kind: &'static str,
    /// Its lines, including enclosed items.
    pub lines: Lines,
    /// How many items enclose it.
    pub depth: u32,
    /// The signature of a definition on one line; empty for a section.
    pub signature: String,
}

/// The outline of a file.
#[derive(Clone, Debug)]
pub struct FoundOutline {
    /// The language of the file.
    pub language: &'static str,
    /// How many lines the file has.
    pub line_count: u32,
    /// Items in the order of the file; enclosing items come before enclosed ones.
    pub page: Page<OutlineItem>,
}

/// Returns the outline of the file at a path.
///
/// # Errors
/// When the file is unknown or not indexed.
pub fn outline(
    snapshot: &Snapshot,
    path: &RepoPath,
    window: &Window,
) -> Result<FoundOutline, LookupError> {
    let (file, content) = find_content(snapshot, path)?;
    let page = if content.facts.definitions.is_empty() {
        page(&snapshot.files, sections_of(snapshot, file), window)
    } else {
        let files = &snapshot.files;
        let ids = files.definitions_of(file);
        let keyed = ids.map(|id| (Key::of_definition(files, id, 0), id));
        page(files, keyed.collect(), window).map(|id| definition(snapshot, id))
    };
    Ok(FoundOutline {
        language: snapshot.files.file(file).language.name(),
        line_count: content.facts.line_count,
        page,
    })
}

fn definition(snapshot: &Snapshot, id: DefId) -> OutlineItem {
    let files = &snapshot.files;
    let definition = files.definition(id);
    let outer = std::iter::successors(files.parent(id), |id| files.parent(*id));
    OutlineItem {
        name: definition.name.to_string(),
        kind: definition.kind.name(),
        lines: definition.own_lines(),
        depth: outer.count() as u32,
        signature: signature(snapshot, id),
    }
}

fn sections_of(snapshot: &Snapshot, file: FileId) -> Vec<(Key, OutlineItem)> {
    let source = snapshot.files.file(file);
    let text = snapshot.files.text(file);
    let all = sections::sections(source.language, source.path.as_str(), text);
    let titled = (0..)
        .zip(all)
        .filter(|(_, section)| !section.title.is_empty());
    let keyed = titled.map(|(ordinal, section)| {
        let key = Key {
            tier: 0,
            file,
            line: section.lines.start,
            ordinal,
        };
        let item = OutlineItem {
            name: section.title,
            kind: section.kind.name(),
            lines: Lines::new(section.lines.start, section.subtree_end),
            depth: section.depth,
            signature: String::new(),
        };
        (key, item)
    });
    keyed.collect()
}
