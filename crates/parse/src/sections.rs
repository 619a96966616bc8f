//! Finds the structure of files without a grammar: headings, key paths, jobs, statements, targets.
//!
//! It shows a reader the part of a documentation page or a settings file that belongs together, with the
//! path that leads to it. It is not a parser: broken files give sections as well, and unrecognised text
//! becomes paragraphs. It passes over the text once, without backtracking.
//!
//! Start at [`sections`]; each format is one module that emits marks (a section begins here, on this
//! level), and [`tree`] makes sections of them. [`passage()`] picks what to show for a hit.

use foveate_model::{Language, Lines, Region, RegionKind};

use crate::languages;
use crate::lines::{LineIndex, TextLines};

mod blocks;
mod cmake;
mod dockerfile;
pub(crate) mod format;
mod html;
mod ini;
mod json;
mod makefile;
mod markdown;
mod passage;
mod prose;
mod restructured_text;
mod section;
mod shell;
mod sql;
mod tables;
#[cfg(test)]
mod tests;
mod tree;
mod yaml;

pub use passage::passage;
pub use section::{Section, SectionKind};

use format::Format;
use tree::Marks;

/// Returns the sections of a text in preorder: a section precedes those inside it.
///
/// Their own lines tile the text from line 1 to the last; an empty text has none. `path` identifies formats
/// that are not languages, such as build files and `.ini` files. There are at most 4,096 sections and 64
/// levels: deeper or further sections become part of the section before them.
pub fn sections(language: Language, path: &str, text: &str) -> Vec<Section> {
    let index = LineIndex::new(text);
    let lines = TextLines {
        text,
        index: &index,
    };
    let format = (languages::spec(language).sections)(path).unwrap_or(Format::Prose);
    let mut marks = match format {
        Format::Markdown => markdown::marks(lines),
        Format::ReStructuredText => restructured_text::marks(lines),
        Format::Yaml => yaml::marks(lines),
        Format::Toml => tables::marks(lines),
        Format::Ini => ini::marks(lines),
        Format::Json => json::marks(lines),
        Format::Dockerfile => dockerfile::marks(lines),
        Format::Makefile => makefile::marks(lines),
        Format::Cmake => cmake::marks(lines),
        Format::Shell => shell::marks(lines),
        Format::Sql => sql::marks(lines),
        Format::Html => html::marks(lines),
        Format::Xml => html::element_marks(lines),
        Format::Css => blocks::marks(lines, SectionKind::Rule),
        Format::Blocks => blocks::marks(lines, SectionKind::Block),
        Format::Prose => Marks::new(lines, &[]),
    };
    // Blank lines mean nothing in JSON: paragraphs would cut at random places.
    if marks.is_empty() && format != Format::Json {
        marks = prose::marks(lines);
    }
    marks.into_sections()
}

/// Returns the lines of a text that name its sections and tables, in order. The path is not known here, so formats
/// that only a path identifies have none.
pub(crate) fn headings(language: Language, text: &str) -> Vec<Region> {
    let index = LineIndex::new(text);
    let is_named = |kind| {
        use SectionKind::{Entry, Job, Section, Table, Target};
        matches!(kind, Section | Entry | Table | Job | Target)
    };
    let named = sections(language, "", text)
        .into_iter()
        .filter(|section| is_named(section.kind));
    // A heading may have a line of signs above it.
    let heading = |section: Section| {
        let first = section.lines.start..=section.lines.end.min(section.lines.start + 1);
        let mut spans = first.map(|line| index.span_of(Lines::new(line, line)));
        spans.find(|span| span.of(text).contains(char::is_alphanumeric))
    };
    let kind = RegionKind::Heading;
    named
        .filter_map(heading)
        .map(|span| Region { kind, span })
        .collect()
}
