//! Stack traces of all languages that run on Java's machine.

use crate::traces::{Frame, Mark, Order, TraceForm, location};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["java"],
    read: at,
    is_error: |text| text.starts_with("Caused by: ") || text.starts_with("Exception in thread "),
    error_prefixes: &["Caused by: "],
    ..TraceForm::NONE
};

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
