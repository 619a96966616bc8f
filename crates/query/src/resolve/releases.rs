//! Resolves the releases that a question is about to the sections of documents that they head. Version numbers are no words
//! of the index.

use std::cmp::Reverse;

use foveate_index::{ChunkId, FileId, Files};
use foveate_model::{FileKind, RegionKind, Role};

use super::{EvidenceSource, Resolver};
use crate::deadline::Stage;
use crate::text::{QueryText, Version, asked_releases};

/// Maximum sections: packages of one repository may have releases of one number.
const MAX_SECTIONS: usize = 4;

/// A section that the query names by its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedSection {
    /// The file.
    pub file: FileId,
    /// The stretch that has the heading.
    pub chunk: ChunkId,
    /// The line of the heading, 1-based.
    pub line: u32,
}

impl Resolver<'_> {
    /// Resolves the releases that a question is about: to sections of changelogs, or else of other documents, those nearest
    /// to the root first.
    pub(super) fn releases(&mut self, text: &QueryText) {
        let releases = asked_releases(text);
        if releases.is_empty() || !self.deadline.allows(Stage::Names) {
            return;
        }
        let files = &self.snapshot.files;
        let documents = files.ids();
        let documents = documents.filter(|file| files.file(*file).role == Role::Documentation);
        let mut found: Vec<NamedSection> = documents
            .flat_map(|file| {
                releases
                    .iter()
                    .filter_map(move |of| section(files, file, of))
            })
            .collect();
        let is_changelog =
            |of: &NamedSection| files.file(of.file).purpose.kind == Some(FileKind::Changelog);
        let depth = |of: &NamedSection| files.file(of.file).path.segments().count();
        found.sort_by_key(|of| (Reverse(is_changelog(of)), depth(of), of.file, of.line));
        if found.first().is_some_and(is_changelog) {
            found.retain(is_changelog);
        }
        found.truncate(MAX_SECTIONS);
        let strength = self.config.strength.path;
        for section in &found {
            self.add_file(section.file, EvidenceSource::Heading, strength);
        }
        self.found.sections = found;
    }
}

/// Returns the first section of a file that a release heads. The notes of a release may be a file of their own, named like it.
fn section(files: &Files, file: FileId, release: &Version) -> Option<NamedSection> {
    let content = files.content(file)?;
    let headings = content.facts.regions.iter();
    let mut headings = headings.filter(|region| region.kind == RegionKind::Heading);
    let heading = headings.find(|region| release.heads(region.span.of(&content.text)));
    let at = match heading {
        Some(heading) => heading.span.start,
        None => {
            let source = files.file(file);
            let is_changelog = source.purpose.kind == Some(FileKind::Changelog);
            let is_named = Version::parse(source.path.stem()).as_ref() == Some(release);
            (is_changelog && is_named).then_some(0)?
        }
    };
    let mut chunks = files.chunks_of(file);
    let chunk = chunks.find(|chunk| at < files.chunk(*chunk).span.end)?;
    let first = files.chunk(chunk);
    let before = content.text.get(first.span.start as usize..at as usize)?;
    Some(NamedSection {
        file,
        chunk,
        line: first.lines.start + before.matches('\n').count() as u32,
    })
}
