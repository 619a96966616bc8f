//! Renders answers as text for a model: one item per line, its location first. The JSON in the same result
//! has what the text omits.

use std::fmt::Write as _;

use foveate_model::escape::escape;
use serde::Serialize;

use crate::wire::answer::{ContextAnswer, IssueAnswer};
use crate::wire::lookup::{
    DefinitionAnswer, DefinitionsAnswer, OutlineAnswer, ReferencesAnswer, SearchAnswer,
};

/// An answer that can be rendered as text.
pub(super) trait Readable {
    /// Appends the text; every line ends with a newline.
    fn write(&self, out: &mut String);

    /// Notes for the reader.
    fn issues(&self) -> &[IssueAnswer];

    /// Cursor of the next page.
    fn next_cursor(&self) -> Option<&str> {
        None
    }
}

/// Implements the notes and the cursor of an answer that is a page.
macro_rules! page_notes {
    () => {
        fn issues(&self) -> &[IssueAnswer] {
            &self.issues
        }

        fn next_cursor(&self) -> Option<&str> {
            self.next_cursor.as_deref()
        }
    };
}

/// Renders an answer with its cursor and notes.
pub(super) fn readable(answer: &impl Readable) -> String {
    let mut out = String::new();
    answer.write(&mut out);
    if let Some(cursor) = answer.next_cursor() {
        line(&mut out, format_args!("more: cursor {cursor}"));
    }
    for issue in answer.issues() {
        line(
            &mut out,
            format_args!("note: {}: {}", issue.code, issue.detail),
        );
    }
    out.trim_end().to_owned()
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{text}");
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
    fn write(&self, out: &mut String) {
        out.push_str(&self.context);
        out.push('\n');
    }

    fn issues(&self) -> &[IssueAnswer] {
        &self.issues
    }
}

fn definition(out: &mut String, definition: &DefinitionAnswer) {
    let DefinitionAnswer {
        path,
        name,
        kind,
        start_line,
        end_line,
        signature,
        ..
    } = definition;
    let (path, name) = (escape(path), escape(name));
    line(
        out,
        format_args!("{path}:{start_line}-{end_line} {kind} {name}: {signature}"),
    );
}

/// Writes how a name was found, unless it was found as given.
fn found(out: &mut String, found: &str) {
    let note = match found {
        "exact" | "module" | "suffix" => return,
        "none" => "no definition has this name; `search` finds parts of names, and text",
        "last_name" => "no exact match; definitions with the same last part of the name:",
        "ignoring_case" => "no exact match; the same name in other upper and lower case:",
        _ => "no exact match; similar names:",
    };
    line(out, format_args!("{note}"));
}

impl Readable for DefinitionsAnswer {
    fn write(&self, out: &mut String) {
        found(out, &self.found);
        for item in &self.definitions {
            definition(out, item);
        }
    }

    page_notes!();
}

impl Readable for ReferencesAnswer {
    fn write(&self, out: &mut String) {
        found(out, &self.found);
        for item in &self.definitions {
            definition(out, item);
        }
        if self.references.is_empty() {
            line(out, format_args!("no references"));
        }
        for item in &self.references {
            let (path, caller, text) =
                (escape(&item.path), escape(&item.caller), escape(&item.text));
            let (at, kind, confidence) = (item.line, &item.kind, &item.confidence);
            let within = if caller.is_empty() { "" } else { " in " };
            line(
                out,
                format_args!("{path}:{at} {confidence} {kind}{within}{caller}: {text}"),
            );
        }
    }

    page_notes!();
}

impl Readable for OutlineAnswer {
    fn write(&self, out: &mut String) {
        let (path, lines) = (escape(&self.path), self.line_count);
        line(
            out,
            format_args!("{path} ({}, {lines} lines)", self.language),
        );
        for entry in &self.entries {
            let indent = "  ".repeat(entry.depth.min(16) as usize);
            let (start, end, kind) = (entry.start_line, entry.end_line, &entry.kind);
            let shown = match &*entry.signature {
                "" => escape(&entry.name),
                signature => escape(signature),
            };
            line(out, format_args!("{indent}{start}-{end} {kind} {shown}"));
        }
    }

    page_notes!();
}

impl Readable for SearchAnswer {
    fn write(&self, out: &mut String) {
        if self.matches.is_empty() && self.next_cursor.is_none() {
            line(out, format_args!("nothing was found"));
        }
        for item in &self.matches {
            let (path, text) = (escape(&item.path), escape(&item.text));
            match item.line {
                None => line(out, format_args!("{path}")),
                Some(number) => {
                    let within = match &*item.name {
                        "" => String::new(),
                        name => format!(" ({} {})", item.kind, escape(name)),
                    };
                    line(out, format_args!("{path}:{number}{within}: {text}"));
                }
            }
        }
    }

    page_notes!();
}
