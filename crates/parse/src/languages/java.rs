//! Java, without a parser: its names, the traces of all languages that run on its machine, and heads
//! of definitions.

use foveate_model::{Language, LanguageRules};

use super::c_heads;
use super::{LanguageSpec, Names};
use crate::code::dotted_import;
use crate::code::{CodeForm, Imports, Line};
use crate::hunks::{HunkHeads, Pattern};
use crate::origin::OriginForm;
use crate::role::conventions::is_test_class;
use crate::role::{Ecosystem, Roles};
use crate::traces::{Frame, Mark, Order, TraceForm, location};

pub(super) static JAVA: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["java"]),
    roles: Roles {
        ecosystem: Ecosystem {
            configuration_names: &["pom.xml", "build.gradle"],
            ..Ecosystem::NONE
        },
        is_test: is_test_class,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["java"],
        lines: &[Line::starting("public "), Line::starting("private ")],
        pasted: &["public class ", "private "],
        imports: Some(Imports {
            brackets: |line| line.starts_with("import ").then_some(&['(', '{']),
            names: dotted_import,
        }),
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["java"],
        read: at,
        is_error: |text| {
            text.starts_with("Caused by: ") || text.starts_with("Exception in thread ")
        },
        error_prefixes: &["Caused by: "],
        ..TraceForm::NONE
    },
    hunks: Some(heads("java", &["java"])),
    origins: OriginForm {
        runtime: |path| {
            let packages = ["java/", "javax/", "jdk/", "sun/"];
            let is_own = packages.iter().any(|package| path.starts_with(package));
            (is_own && path.ends_with(".java")).then_some(path)
        },
        ..OriginForm::NONE
    },
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("java", 6);

/// Heads as in Java, by a pattern of git's own. It shows them without their indentation.
pub(super) const fn heads(pattern: &'static str, extensions: &'static [&'static str]) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git(pattern),
        extensions,
        shows_indentation: false,
        named: c_heads::named,
        is_definition: |line| c_heads::is_definition(line.trim()),
    }
}

/// `at a.b.C.name(C.java:1)`.
fn at(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at ")?.trim_start();
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let rest = rest.trim_end_matches([' ', '{', ',']);
    let (name, place) = rest.strip_suffix(')')?.rsplit_once('(')?;
    let name = name.trim_end();
    let is_method = !name.contains(' ') && name.contains('.');
    (is_method && is_source(place)).then(|| Mark::Frame(frame(name, place), Order::InnermostFirst))
}

/// `C.java:12`, `C.kt:12`, `C.scala:12`.
fn is_source(place: &str) -> bool {
    let (file, ..) = location(place).unwrap_or((place, 0, 0));
    [".java", ".kt", ".scala", ".groovy"]
        .iter()
        .any(|e| file.ends_with(e))
        && !file.contains('/')
}

/// `a.b.C$D.name` in `C.java:12`: `a/b/C.java`, 12, `D.name`.
fn frame(name: &str, place: &str) -> Frame {
    let (file, line, column) = location(place).unwrap_or((place, 0, 0));
    // `java.base/java.lang.Integer.parseInt`
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    let package: Vec<&str> = name
        .split('.')
        .take_while(|part| part.starts_with(char::is_lowercase))
        .collect();
    let inner: Vec<&str> = name.split('.').skip(package.len()).collect();
    let inner = inner.join(".").replace('$', ".");
    let mut path = package.join("/");
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(file);
    // Of `C.D.name` the last two: the method and the class that defines it.
    let parts: Vec<&str> = inner.split('.').filter(|p| !p.is_empty()).collect();
    let function = parts
        .get(parts.len().saturating_sub(2)..)
        .unwrap_or_default()
        .join(".");
    Frame {
        path,
        line,
        column,
        function,
    }
}

#[cfg(test)]
mod tests {
    use super::heads;
    use crate::hunks::check;

    #[test]
    fn heads_in_classes() {
        check(
            heads("java", &[]),
            &[
                ("    public List<String> names(int n) {", Some("names")),
                ("public final class Cart extends Base {", Some("Cart")),
                ("        return make(a) {", None),
                ("        } else if (x) {", None),
                ("        foo(bar);", None),
            ],
        );
    }
}
