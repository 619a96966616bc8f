//! Renders answers as text for a model: one item per line, its location first. The JSON in the same result
//! has what the text omits.

use std::fmt::{self, Write as _};

use foveate_model::escape::escape;
use serde::Serialize;

use crate::wire::answer::{ContextAnswer, IssueAnswer};
use crate::wire::lookup::{
    DefinitionAnswer, DefinitionsAnswer, OutlineAnswer, ReferencesAnswer, SearchAnswer,
};

/// An answer that can be rendered as text.
pub(super) trait Readable {
    /// Writes the text; every line ends with a newline.
    fn write(&self, out: &mut String) -> fmt::Result;

    /// Returns the cursor of the next page, and notes for the reader.
    fn end(&self) -> (Option<&str>, &[IssueAnswer]);
}

/// Renders an answer with its cursor and notes.
pub(super) fn readable(answer: &impl Readable) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = answer.write(&mut out);
    let (cursor, issues) = answer.end();
    let cursor = cursor.map(|cursor| format!("more: cursor {cursor}\n"));
    let notes = issues.iter();
    let notes = notes.map(|issue| format!("note: {}: {}\n", issue.code, issue.detail));
    out.extend(cursor.into_iter().chain(notes));
    out.trim_end().to_owned()
}

/// Result of the tool `context`.
#[derive(Debug, Serialize)]
pub struct ContextToolAnswer {
    repo: String,
    commit: String,
    /// Whether a working tree was searched that differs from the commit.
    dirty: bool,
    context: String,
    /// Probability that a right place is shown whole, 0 to 1.
    confidence: f32,
    tokens: usize,
    /// What `context` shows whole, to be sent back as `seen`. Each entry has a digest, so that it counts only
    /// while the code is unchanged.
    pub(super) shown: Vec<String>,
    /// The most likely files, best first.
    files: Vec<LikelyFile>,
    issues: Vec<IssueAnswer>,
}

/// A file that the change is likely to touch.
#[derive(Debug, Serialize)]
struct LikelyFile {
    path: String,
    probability: f32,
}

/// Maximum number of files that are listed.
const MAX_FILES: usize = 10;

impl ContextToolAnswer {
    pub(super) fn new(answer: ContextAnswer) -> Self {
        let items = answer.sections.iter().flat_map(|section| &section.items);
        let shown = items.filter_map(|item| item.seen_as.clone()).collect();
        let files = answer.files.into_iter().take(MAX_FILES);
        let files = files.map(|file| LikelyFile {
            path: file.path,
            probability: file.probability,
        });
        Self {
            repo: answer.repo,
            commit: answer.commit,
            dirty: answer.tree.dirty,
            confidence: answer.confidence,
            tokens: answer.tokens.used,
            shown,
            files: files.collect(),
            issues: answer.issues,
            context: answer.context,
        }
    }
}

impl Readable for ContextToolAnswer {
    fn write(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "{}", self.context)
    }

    fn end(&self) -> (Option<&str>, &[IssueAnswer]) {
        (None, &self.issues)
    }
}

/// Writes definitions, after how their name was found, unless it was found as given.
fn definitions(out: &mut String, found: &str, definitions: &[DefinitionAnswer]) -> fmt::Result {
    out.push_str(match found {
        "exact" | "module" | "suffix" => "",
        "none" => "no definition has this name; `search` finds parts of names, and text\n",
        "last_name" => "no exact match; definitions with the same last part of the name:\n",
        "ignoring_case" => "no exact match; the same name in other upper and lower case:\n",
        _ => "no exact match; similar names:\n",
    });
    for item in definitions {
        let (path, name) = (escape(&item.path), escape(&item.name));
        let (start, end, kind) = (item.start_line, item.end_line, &item.kind);
        writeln!(
            out,
            "{path}:{start}-{end} {kind} {name}: {}",
            item.signature
        )?;
    }
    Ok(())
}

impl Readable for DefinitionsAnswer {
    fn write(&self, out: &mut String) -> fmt::Result {
        definitions(out, &self.found, &self.definitions)
    }

    fn end(&self) -> (Option<&str>, &[IssueAnswer]) {
        (self.next_cursor.as_deref(), &self.issues)
    }
}

impl Readable for ReferencesAnswer {
    fn write(&self, out: &mut String) -> fmt::Result {
        definitions(out, &self.found, &self.definitions)?;
        if self.references.is_empty() {
            writeln!(out, "no references")?;
        }
        for item in &self.references {
            let (path, caller, text) =
                (escape(&item.path), escape(&item.caller), escape(&item.text));
            let (at, kind, confidence) = (item.line, &item.kind, &item.confidence);
            let within = if caller.is_empty() { "" } else { " in " };
            writeln!(
                out,
                "{path}:{at} {confidence} {kind}{within}{caller}: {text}"
            )?;
        }
        Ok(())
    }

    fn end(&self) -> (Option<&str>, &[IssueAnswer]) {
        (self.next_cursor.as_deref(), &self.issues)
    }
}

impl Readable for OutlineAnswer {
    fn write(&self, out: &mut String) -> fmt::Result {
        let (path, lines) = (escape(&self.path), self.line_count);
        writeln!(out, "{path} ({}, {lines} lines)", self.language)?;
        for entry in &self.entries {
            let indent = "  ".repeat(entry.depth.min(16) as usize);
            let (start, end, kind) = (entry.start_line, entry.end_line, &entry.kind);
            let shown = match &*entry.signature {
                "" => escape(&entry.name),
                signature => escape(signature),
            };
            writeln!(out, "{indent}{start}-{end} {kind} {shown}")?;
        }
        Ok(())
    }

    fn end(&self) -> (Option<&str>, &[IssueAnswer]) {
        (self.next_cursor.as_deref(), &self.issues)
    }
}

impl Readable for SearchAnswer {
    fn write(&self, out: &mut String) -> fmt::Result {
        if self.matches.is_empty() && self.next_cursor.is_none() {
            writeln!(out, "nothing was found")?;
        }
        for item in &self.matches {
            let (path, text) = (escape(&item.path), escape(&item.text));
            let within = match &*item.name {
                "" => String::new(),
                name => format!(" ({} {})", item.kind, escape(name)),
            };
            match item.line {
                None => writeln!(out, "{path}")?,
                Some(number) => writeln!(out, "{path}:{number}{within}: {text}")?,
            }
        }
        Ok(())
    }

    fn end(&self) -> (Option<&str>, &[IssueAnswer]) {
        (self.next_cursor.as_deref(), &self.issues)
    }
}
