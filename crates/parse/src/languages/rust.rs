//! Rust, without a parser: its names, traces and heads of definitions.

use foveate_model::{Language, LanguageRules};

use super::{LanguageSpec, Names};
use crate::code::{CodeForm, Line};
use crate::hunks::{HunkHeads, Pattern, first_word, is_word, last_word, words};
use crate::origin::{
    Origin, OriginForm, PackageHome, PackageManager, before_version, below, installed,
};
use crate::role::{Ecosystem, Roles};
use crate::traces::{Mark, TraceForm, frame, is_path, location};

pub(super) static RUST: LanguageSpec = LanguageSpec {
    names: Names {
        lock_files: &["Cargo.lock"],
        ..Names::extensions(&["rs"])
    },
    roles: Roles {
        ecosystem: Ecosystem {
            test_directories: &["benches"],
            configuration_names: &["build.rs", "cargo.toml"],
            ..Ecosystem::NONE
        },
        is_test: |file| file.stem == "tests",
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["rs", "rust"],
        lines: &[
            Line::starting("let mut "),
            Line::starting("fn "),
            Line::starting("pub fn "),
            Line {
                start: "use ",
                fits: |line| line.ends_with(';'),
            },
            Line::starting("impl "),
        ],
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["rs"],
        read: frame_location,
        is_header: |text| text.contains("stack backtrace:"),
        is_error: |text| text.starts_with("thread '") && text.contains("panicked at"),
        ..TraceForm::NONE
    },
    hunks: Some(HunkHeads {
        pattern: Pattern::Own("foveate-rust", PATTERN),
        extensions: &["rs"],
        shows_indentation: true,
        named: rust,
        is_definition: |line| !line.trim().ends_with(';'),
    }),
    origins: OriginForm {
        manager: Some(&CARGO),
        package,
        runtime: |path| Some(below(path, "rustc")?.split_once('/')?.1),
        is_copied: |path| path.ends_with(".rs"),
        ..OriginForm::NONE
    },
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("rust", 5);

static CARGO: PackageManager = PackageManager {
    name: "cargo",
    home: PackageHome::Manifest {
        file: "Cargo.toml",
        key: "name",
    },
    is_built: false,
};

/// `~/.cargo/registry/src/index.crates.io-0a1b/tokio-1.2.0/src/lib.rs`
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let (_, rest) = below(path, "registry/src")?.split_once('/')?;
    Some((rest, installed(&CARGO, rest, before_version(rest)?)?))
}

const PATTERN: &str = r#"^([[:space:]]*((pub(\([^)]+\))?|default|async|const|unsafe|extern|"[^"]*")[[:space:]]+)*(struct|enum|union|mod|trait|fn|impl|macro_rules!)[<[:space:]]+[^;]*)$"#;

/// `at ./src/a.rs:1:2`, below the name of the function.
fn frame_location(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at ")?.trim_start();
    let place = location(rest.trim_end_matches([' ', '{', ',']))?;
    let is_meant = place.0.ends_with(".rs") && !place.0.contains(' ') && is_path(place.0);
    is_meant.then(|| Mark::Location(frame(place, "")))
}

fn rust(line: &str) -> Option<&str> {
    const MODIFIERS: [&str; 10] = [
        "pub", "crate", "super", "in", "async", "const", "unsafe", "extern", "default", "C",
    ];
    const KEYWORDS: [&str; 8] = [
        "fn",
        "struct",
        "enum",
        "union",
        "trait",
        "mod",
        "macro_rules",
        "impl",
    ];
    let (keyword, rest) = words(line)
        .find(|(word, _)| !MODIFIERS.contains(word))
        .filter(|(word, _)| KEYWORDS.contains(word) && line.starts_with(is_word))?;
    if keyword != "impl" {
        let rest = rest.strip_prefix(['!', ' ', '\t'])?.trim_start();
        return first_word(rest).filter(|name| rest.starts_with(name));
    }
    let rest = without_parameters(rest);
    let rest = rest.split(['{', ';']).next()?;
    let rest = rest.split(" where ").next()?;
    let implemented = rest.rsplit_once(" for ").map_or(rest, |(_, last)| last);
    last_word(implemented.split('<').next()?)
}

/// What follows the type parameters that a text begins with.
fn without_parameters(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|c| {
        depth += match c {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        depth == 0
    });
    end.map_or("", |end| text[end..].trim_start_matches('>'))
}

#[cfg(test)]
mod tests {
    use super::RUST;
    use crate::hunks::check;

    #[test]
    fn heads() {
        check(
            RUST.hunks.unwrap(),
            &[
                ("    pub(crate) async unsafe fn poll<'a>(", Some("poll")),
                ("impl<T: Debug> fmt::Display for Slot<T> {", Some("Slot")),
                ("impl Registration {", Some("Registration")),
                ("impl<'a, T> Iterator<'a, T> {", Some("Iterator")),
                ("pub struct Handle;", None),
                ("macro_rules! cfg_io {", Some("cfg_io")),
                ("let fn_ = 1", None),
                ("extern \"C\" fn main() {", Some("main")),
                ("// the fn of", None),
            ],
        );
    }
}
