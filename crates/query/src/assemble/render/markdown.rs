//! Renders Markdown: a heading per file, a heading and a fenced block per entry. Text from the repository is
//! always in code spans or fences. Sections after the first are collapsed.

use foveate_model::escape::escape;
use foveate_parse::code;

use crate::assemble::entry::{Entry, Scope, SectionKind, Shape};
use crate::assemble::pack::Fidelity;
use crate::permalink::Permalinks;

pub(super) fn section(section: SectionKind, is_first: bool) -> (String, String) {
    let title = section.title();
    if is_first {
        (format!("## {title}\n\n"), String::new())
    } else {
        (
            format!("<details><summary>{title}</summary>\n\n"),
            "</details>\n\n".to_owned(),
        )
    }
}

pub(super) fn file(path: &str, links: Option<&Permalinks>) -> String {
    let name = inline(&escape(path));
    match links {
        Some(links) => format!("### [{name}]({})\n\n", links.file(path)),
        None => format!("### {name}\n\n"),
    }
}

pub(super) fn scope(scope: &Scope) -> String {
    format!("In {} ({}):\n\n", inline(&scope.text), scope.line)
}

pub(super) fn entry(entry: &Entry, links: Option<&Permalinks>) -> String {
    let range = entry.line_range();
    let mut place = match links {
        Some(links) => format!("[{range}]({})", links.lines(&entry.path, entry.lines)),
        None => range,
    };
    let mut head = String::new();
    if !entry.name.is_empty() {
        head.push_str(&inline(&escape(&entry.name)));
        head.push(' ');
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
    if entry.folded {
        notes.push("folded".to_owned());
    }
    for (name, value) in &entry.facts {
        notes.push(format!("{name} {}", inline(&escape(value))));
    }
    if !notes.is_empty() {
        place.push_str(&format!(" ({})", notes.join(", ")));
    }
    match entry.shape {
        Shape::Line => format!("- {head}{place}: {}\n", inline(&entry.body)),
        Shape::Block => {
            let fence = "`".repeat(longest_backtick_run(&entry.body).max(2) + 1);
            let language = code::fence(entry.language);
            format!(
                "#### {head}{place}\n{fence}{language}\n{}\n{fence}\n\n",
                entry.body
            )
        }
    }
}

/// Returns a text as inline code of Markdown: between runs of backticks longer than any inside, with tabs and
/// line ends as spaces. The text must be an escaped name or cleaned code.
pub fn inline(text: &str) -> String {
    let text = text.replace(['\t', '\n'], " ");
    let mark = "`".repeat(longest_backtick_run(&text) + 1);
    let touches = text.starts_with('`') || text.ends_with('`') || text.is_empty();
    let gap = if touches { " " } else { "" };
    format!("{mark}{gap}{text}{gap}{mark}")
}

fn longest_backtick_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
