//! C and C++, without a parser: their names, the frames of debuggers, and heads of definitions.

use foveate_model::{Language, LanguageRules};

use super::c_heads;
use super::{LanguageSpec, Names};
use crate::code::CodeForm;
use crate::hunks::{HunkHeads, Pattern};
use crate::role::{Ecosystem, Roles};
use crate::traces::{Mark, Order, TraceForm, frame, is_path, leading_number, location};

pub(super) static C: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["c", "h"]),
    roles: Roles {
        ecosystem: Ecosystem {
            configuration_names: &["cmakelists.txt", "meson.build"],
            ..Ecosystem::NONE
        },
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["c", "h"],
        pasted: &["#include"],
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["c"],
        read: debugger,
        ..TraceForm::NONE
    },
    hunks: Some(heads(&["c", "h"])),
    ..LanguageSpec::new(Language::of(&C_RULES))
};

pub(super) static CPP: LanguageSpec = LanguageSpec {
    names: Names::extensions(&[
        "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "ipp", "cu", "cuh",
    ]),
    code: CodeForm {
        fences: &["cpp", "c++", "cc", "hpp"],
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["cc", "cpp"],
        ..TraceForm::NONE
    },
    hunks: Some(heads(&["cc", "cpp", "cxx", "hh", "hpp", "hxx"])),
    ..LanguageSpec::new(Language::of(&CPP_RULES))
};

static C_RULES: LanguageRules = LanguageRules::new("c", 12);
static CPP_RULES: LanguageRules = LanguageRules::new("cpp", 13);

const fn heads(extensions: &'static [&'static str]) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git("cpp"),
        extensions,
        shows_indentation: true,
        named: c_heads::named,
        is_definition: |line| c_heads::is_definition(line.trim()) && !line.starts_with([' ', '\t']),
    }
}

/// gdb's `#1  0x… in f (…) at a.c:12`.
fn debugger(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix('#')?;
    if leading_number(rest) == 0 && !rest.starts_with('0') {
        return None;
    }
    let rest = rest
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let (head, place) = rest.rsplit_once(" at ")?;
    let place = location(place).filter(|(path, ..)| is_path(path))?;
    let head = head.split_once(" in ").map_or(head, |(_, name)| name);
    Some(Mark::Frame(frame(place, head), Order::InnermostFirst))
}

#[cfg(test)]
mod tests {
    use super::heads;
    use crate::hunks::check;

    #[test]
    fn heads_at_the_start_of_a_line() {
        check(
            heads(&[]),
            &[
                ("static int read_all(struct buf *b)", Some("read_all")),
                ("struct node *next(struct list *l) {", Some("next")),
                ("struct node {", Some("node")),
                ("void Cart::add(int n) {", Some("add")),
                ("int open(const char *path);", None),
                ("    call(a, b)", None),
                ("#define F(x) (", None),
            ],
        );
    }
}
