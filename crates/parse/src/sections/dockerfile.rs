//! Finds the sections of Dockerfiles: build stages, and instructions that span several lines.

use super::section::SectionKind;
use super::shell::{here_document, is_here_end};
use super::tree::{Marks, cut, is_comment, numbered};
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["#"];
const MAX_NAME: usize = 60;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut marks = Marks::new(lines, COMMENTS);
    let mut continues = false;
    let mut here: Option<&str> = None;
    for (line, text) in numbered(lines) {
        if let Some(word) = here {
            here = (!is_here_end(text, word)).then_some(word);
            continue;
        }
        // A comment between two lines of an instruction does not end it.
        if text.trim().is_empty() || is_comment(text, COMMENTS) {
            continue;
        }
        if !continues {
            let text = text.trim();
            let word = text.split_whitespace().next().unwrap_or("");
            if word.eq_ignore_ascii_case("from") {
                marks.push(line, 0, cut(text, MAX_NAME), SectionKind::Stage);
            } else {
                marks.push(line, 1, word, SectionKind::Instruction);
            }
        }
        here = here_document(text);
        continues = here.is_none() && text.trim_end().ends_with('\\');
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, shown};
    use foveate_model::Language;

    const FILE: &str = "# syntax=docker/dockerfile:1\nARG V=1\n\n# Compiles.\nFROM rust:1 AS build\nWORKDIR /src\nRUN apt-get update \\\n    # needed\n    && apt-get install x\nCOPY . .\nRUN <<EOF\nFROM nothing\nEOF\n\nFROM debian\nCMD [\"x\"]\n";

    #[test]
    fn stages_and_long_instructions_are_sections() {
        check(
            Language::TEXT,
            "docker/Dockerfile.dev",
            FILE,
            &[
                "1-3 text ",
                "4-6 stage FROM rust:1 AS build",
                "7-9   instruction FROM rust:1 AS build > RUN",
                "10-10   text FROM rust:1 AS build",
                "11-14   instruction FROM rust:1 AS build > RUN",
                "15-16 stage FROM debian",
            ],
        );
        assert_eq!(
            shown(Language::TEXT, "Dockerfile", FILE, 9, 40),
            "4-13 FROM rust:1 AS build"
        );
    }
}
