//! Go, without a parser: its names, traces and heads of definitions.

use foveate_model::{Language, LanguageRules};

use super::{LanguageSpec, Names};
use crate::code::{CodeForm, Line};
use crate::hunks::{HunkHeads, Pattern, first_word, split_keyword};
use crate::origin::{Origin, OriginForm, PackageHome, PackageManager, below, installed};
use crate::role::{Ecosystem, Roles};
use crate::traces::{Mark, TraceForm, frame, location};

pub(super) static GO: LanguageSpec = LanguageSpec {
    names: Names {
        lock_files: &["go.sum"],
        ..Names::extensions(&["go"])
    },
    roles: Roles {
        ecosystem: Ecosystem {
            generated_endings: &[".pb.go"],
            configuration_names: &["go.mod"],
            ..Ecosystem::NONE
        },
        is_test: |file| file.stem.ends_with("_test"),
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["go", "golang"],
        lines: &[
            Line::starting("func "),
            Line {
                start: "package ",
                fits: |line| !line.ends_with(';'),
            },
        ],
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["go"],
        read: frame_location,
        is_header: |text| text.starts_with("goroutine ") && text.contains('['),
        is_error: |text| text.starts_with("panic: "),
        ..TraceForm::NONE
    },
    hunks: Some(HunkHeads {
        pattern: Pattern::Git("golang"),
        extensions: &["go"],
        shows_indentation: true,
        named: go,
        is_definition: |_| true,
    }),
    origins: OriginForm {
        manager: Some(&MODULES),
        package,
        runtime,
        ..OriginForm::NONE
    },
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("go", 4);

static MODULES: PackageManager = PackageManager {
    name: "go",
    home: PackageHome::Manifest {
        file: "go.mod",
        key: "module ",
    },
    is_built: false,
};

/// `/root/go/pkg/mod/github.com/a/b@v1.2.3/c.go`, `vendor/github.com/a/b/c.go`
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    if let Some(rest) = below(path, "pkg/mod") {
        return Some((rest, installed(&MODULES, rest, rest.find('@')?)?));
    }
    let rest = below(path, "vendor").filter(|_| path.ends_with(".go"))?;
    let (end, _) = rest.match_indices('/').nth(2)?;
    Some((rest, installed(&MODULES, rest, end)?))
}

fn runtime(path: &str) -> Option<&str> {
    [
        "/usr/local/go/src/",
        "/usr/lib/go/src/",
        "/usr/lib/golang/src/",
    ]
    .iter()
    .find_map(|root| path.strip_prefix(root))
}

/// `/a/b.go:12 +0x1d`, below the name of the function.
fn frame_location(text: &str) -> Option<Mark> {
    let (place, offset) = text.split_once(" +0x").unwrap_or((text, ""));
    let place = location(place)?;
    let path = place.0;
    let go = path.ends_with(".go") && path.contains('/') && !path.contains(' ');
    (go && (!offset.is_empty() || path.starts_with('/'))).then(|| Mark::Location(frame(place, "")))
}

fn go(line: &str) -> Option<&str> {
    let (keyword, rest) = split_keyword(line, &[], &["func", "type"])?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = match (keyword, rest.strip_prefix('(')) {
        ("func", Some(receiver)) => receiver.split_once(')')?.1.trim_start(),
        _ => rest,
    };
    first_word(rest).filter(|name| rest.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::GO;
    use crate::hunks::check;

    #[test]
    fn heads() {
        check(
            GO.hunks.unwrap(),
            &[
                ("func (e *Engine) ServeHTTP(w, r) {", Some("ServeHTTP")),
                ("func New() *Engine {", Some("New")),
                ("type Params []Param", Some("Params")),
                ("\tfunc() {", None),
            ],
        );
    }
}
