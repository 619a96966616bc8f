//! Markdown: a heading and a fenced block per entry; everything that is not ours stands in code.

use foveate_model::Language;
use foveate_model::escape::escape;

use super::{Entry, Fidelity, Shape};

pub(super) fn entry(entry: &Entry) -> String {
    let place = inline(&format!("{}:{}", escape(&entry.path), entry.line_range()));
    let mut head = String::new();
    if !entry.name.is_empty() {
        head.push(' ');
        head.push_str(&inline(&escape(&entry.name)));
    }
    let mut notes: Vec<String> = Vec::new();
    if !entry.kind.is_empty() {
        notes.push(entry.kind.to_owned());
    }
    if entry.fidelity != Fidelity::Full && entry.shape == Shape::Block {
        notes.push(entry.fidelity.name().to_owned());
    }
    if entry.cut {
        notes.push("cut".to_owned());
    }
    for (name, value) in &entry.facts {
        notes.push(format!("{name} {}", inline(&escape(value))));
    }
    if !notes.is_empty() {
        head.push_str(&format!(" ({})", notes.join(", ")));
    }
    match entry.shape {
        Shape::Line => format!("- {place}{head}: {}\n", inline(&entry.body)),
        Shape::Block => {
            let fence = "`".repeat(longest_run(&entry.body).max(2) + 1);
            let language = info(entry.language);
            format!(
                "### {place}{head}\n{fence}{language}\n{}\n{fence}\n\n",
                entry.body
            )
        }
    }
}

/// A text as inline code: a longer run of backticks than any inside, tabs and line ends as spaces.
/// It is an escaped name or [clean](super::super::source::clean) code.
fn inline(text: &str) -> String {
    let text = text.replace(['\t', '\n'], " ");
    let mark = "`".repeat(longest_run(&text) + 1);
    let touches = text.starts_with('`') || text.ends_with('`') || text.is_empty();
    let gap = if touches { " " } else { "" };
    format!("{mark}{gap}{text}{gap}{mark}")
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn info(language: Language) -> &'static str {
    match language {
        Language::Text | Language::ReStructuredText => "",
        language => language.name(),
    }
}
