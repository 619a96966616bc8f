//! Finds the sections of CMake files: functions and macros, conditional blocks, and commands, each with its
//! first argument.

use super::section::SectionKind;
use super::tree::{Marks, cut, is_comment, numbered};
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["#"];
const MAX_NAME: usize = 60;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut marks = Marks::new(lines, COMMENTS);
    let mut open_brackets = 0_usize;
    let mut level = 0;
    // A function is one section, whatever it contains.
    let mut in_function = false;
    for (line, text) in numbered(lines) {
        let text = text.trim();
        if text.is_empty() || is_comment(text, COMMENTS) {
            continue;
        }
        let begins = open_brackets == 0;
        open_brackets += count(text, '(');
        open_brackets = open_brackets.saturating_sub(count(text, ')'));
        let Some((command, argument)) = text.split_once('(').filter(|_| begins) else {
            continue;
        };
        let command = command.trim();
        let word = command.to_ascii_lowercase();
        if in_function {
            in_function = !matches!(&*word, "endfunction" | "endmacro");
            continue;
        }
        if word.starts_with("end") {
            level = u32::saturating_sub(level, 1);
            continue;
        }
        let argument = argument.split([' ', ')']).next().unwrap_or("");
        match &*word {
            "function" | "macro" => {
                marks.push(line, level, cut(argument, MAX_NAME), SectionKind::Function);
                in_function = true;
            }
            "if" | "foreach" | "while" => {
                marks.push(line, level, cut(text, MAX_NAME), SectionKind::Block);
                level += 1;
            }
            "elseif" | "else" => {}
            _ => {
                let name = match argument.is_empty() {
                    true => command.to_owned(),
                    false => format!("{command} {}", cut(argument, MAX_NAME)),
                };
                marks.push(line, level, name, SectionKind::Instruction);
            }
        }
    }
    marks
}

/// Counts a bracket in a line, outside of strings and comments.
fn count(line: &str, bracket: char) -> usize {
    let mut in_text = false;
    let code = line.chars().take_while(|c| {
        in_text ^= *c == '"';
        in_text || *c != '#'
    });
    let mut in_text = false;
    code.filter(|c| {
        in_text ^= *c == '"';
        !in_text && *c == bracket
    })
    .count()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use foveate_model::Language;

    #[test]
    fn functions_blocks_and_commands_are_sections() {
        let text = "cmake_minimum_required(VERSION 3.8)\n\n# Joins paths.\nfunction(join result)\n  set(p \"a (b\")\n  foreach(x ${ARGN})\n    set(p ${p}/${x})\n  endforeach()\nendfunction()\n\nif (NOT DEFINED A) # (x\n  set(A\n    OFF)\nelse ()\n  set(A ON)\nendif ()\n\nadd_library(fmt\n  a.cc\n  b.cc)\n";
        check(
            Language::TEXT,
            "support/CMakeLists.txt",
            text,
            &[
                "1-2 text ",
                "3-10 function join",
                "11-11 block if (NOT DEFINED A) # (x",
                "12-14   instruction if (NOT DEFINED A) # (x > set A",
                "15-17   instruction if (NOT DEFINED A) # (x > set A",
                "18-20 instruction add_library fmt",
            ],
        );
    }
}
