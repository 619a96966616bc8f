//! Recognises C and C++ in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line};

pub(super) const C: CodeForm = CodeForm {
    fences: &["c", "h"],
    lines: &[
        Line::starting("#include "),
        Line::starting("#define "),
        Line::starting("#ifdef "),
        Line::starting("int main("),
        Line::starting("typedef struct "),
    ],
    pasted: &["#include", "#define "],
    imports: Some(Imports {
        brackets: |line| included(line).map(|_| [].as_slice()),
        names: |statement| Some(vec![included(statement)?.to_owned()]),
    }),
    ..CodeForm::NONE
};

pub(super) const CPP: CodeForm = CodeForm {
    fences: &["cpp", "c++", "cc", "cxx", "hpp", "h++"],
    lines: &[
        Line::starting("using namespace "),
        Line::starting("template <"),
        Line::starting("template<"),
        Line::starting("std::"),
        Line::starting("constexpr "),
        // Headers of the C++ standard library have no extension.
        Line::when("#include <", |line| {
            line.ends_with('>') && !line.ends_with(".h>")
        }),
    ],
    pasted: &["template <", "template<"],
    ..CodeForm::NONE
};

/// Returns the path of `#include "a/b.h"` and `#include <a/b.h>`.
fn included(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("include")?.trim_start();
    let close = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    let (path, _) = rest.get(1..)?.split_once(close)?;
    Some(path.trim_start_matches("./").trim_start_matches("../"))
}
