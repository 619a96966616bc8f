//! Renders Markdown: a heading per file, a heading and a fenced block per entry. Text from the repository is
//! always in code spans or fences. Sections after the first are collapsed.

use foveate_model::escape::escape;
use foveate_parse::code;

use crate::assemble::entry::{Entry, Layout, Scope, SectionKind};
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
    let range = entry.lines.to_string();
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
    entry.for_each_property(|name, value| match name {
        // The heading has them.
        "name" | "lines" => {}
        "kind" | "fidelity" => notes.push(value.to_owned()),
        "cut" | "folded" => notes.push(name.to_owned()),
        _ => notes.push(format!("{name} {}", inline(value))),
    });
    if !notes.is_empty() {
        place.push_str(&format!(" ({})", notes.join(", ")));
    }
    match entry.layout {
        Layout::Line => format!("- {head}{place}: {}\n", inline(&entry.body)),
        Layout::Block => {
            let fence = fence(&entry.body);
            let language = code::fence(entry.language, &entry.path);
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

/// Returns a fence that no line of `text` closes.
pub(crate) fn fence(text: &str) -> String {
    "`".repeat(longest_backtick_run(text).max(2) + 1)
}

fn longest_backtick_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or_default()
}
