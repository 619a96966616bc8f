//! Reads stack traces of JavaScript engines and of Vue, and messages of the TypeScript compiler.

mod node;

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::messages::{of_build, of_compiler};
use crate::traces::places::{Frame, frame, has_extension, is_path, location};

/// Prefix of Vue's warnings.
const VUE_WARNING: &str = "[Vue warn]: ";

/// Prefix of an error that Node prints inside the one that it caused.
const CAUSE: &str = "[cause]: ";

/// Extensions of scripts, and of files that are compiled to scripts.
const EXTENSIONS: &[&str] = &[
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte",
];

/// Trace form shared by all languages of the family; each has extensions of its own.
pub(super) const TRACES: TraceForm = TraceForm {
    read: |text| {
        component(text)
            .or_else(|| console(text))
            .or_else(|| vitest(text))
            .or_else(|| of_compiler(text, EXTENSIONS))
            .or_else(|| of_build(text, EXTENSIONS))
    },
    read_general: at,
    read_group: node::group,
    is_header: node::is_emission,
    is_other_stack: node::is_emission,
    is_error: |text| text.starts_with("Uncaught ") || text.starts_with(VUE_WARNING),
    marked: |text| text.strip_prefix(CAUSE),
    error_prefixes: &["Uncaught (in promise) ", "Uncaught ", VUE_WARNING, CAUSE],
    ..TraceForm::NONE
};

fn innermost_first(frame: Frame) -> Mark {
    Mark::Frame(frame, Order::InnermostFirst)
}

/// Reads Vue's `at <TodoList items=3 >`, innermost first, and `---> <TodoList> at src/TodoList.vue` of
/// older versions.
fn component(text: &str) -> Option<Mark> {
    let (rest, has_place) = match text.strip_prefix("at <") {
        Some(rest) => (rest, false),
        None => (
            text.trim_start_matches(['-', '>', ' ']).strip_prefix('<')?,
            true,
        ),
    };
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
    let (name, after) = rest.split_at(end);
    if !name.starts_with(char::is_uppercase) {
        return None;
    }
    if has_place {
        let path = after.strip_prefix("> at ")?.trim_end();
        let is_file = is_path(path) && !path.contains(' ');
        return is_file.then(|| innermost_first(frame((path, 0, 0), "")));
    }
    let ends = after.starts_with([' ', '/', '>']) && after.trim_end().ends_with('>');
    // Vue's own names for components without a name.
    let is_named = !matches!(name, "Anonymous" | "Root");
    ends.then(|| match is_named {
        true => innermost_first(frame(("", 0, 0), name)),
        false => Mark::Filler,
    })
}

/// Reads `at name (path:1:2)`, `at async name (path:1:2)`, `at path:1:2`.
fn at(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at ")?.trim_start();
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    // Text after the place, such as `{` of a printed object, is ignored.
    let rest = rest.trim_end_matches([' ', '{', ',']);
    if let Some((name, place)) = rest.strip_suffix(')').and_then(|r| r.rsplit_once('(')) {
        let name = name.trim_end();
        if let Some(place) = location(in_source(place)).filter(|(path, ..)| is_path(path)) {
            return Some(innermost_first(frame(place, script_name(name))));
        }
        let known = place.starts_with("<anonymous")
            || place == "native"
            || place == "Native Method"
            || place.starts_with("Unknown Source");
        let named = !name.is_empty() && name.split(' ').count() <= 4;
        return (known && named).then_some(Mark::Filler);
    }
    let place = location(in_source(rest))?;
    if place.0.contains(' ') || !is_path(place.0) {
        return None;
    }
    Some(innermost_first(frame(place, "")))
}

/// Strips the place in the bundle, which Karma prints after the one in the source: `a.js:1:2 <- bundle.js:3:4`.
fn in_source(place: &str) -> &str {
    place.split(" <- ").next().unwrap_or(place)
}

/// Reads Vitest's `❯ name src/a.ts:1:2` and `❯ src/a.ts:1:2`.
fn vitest(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix('❯')?.trim();
    let (name, place) = rest.rsplit_once(' ').unwrap_or(("", rest));
    let place = location(place).filter(|(path, ..)| is_script(path))?;
    let is_name = name.split(' ').count() <= 2;
    is_name.then(|| innermost_first(frame(place, script_name(name))))
}

/// Reads Firefox's and Safari's `f@http://h/a.js:1:2`, a console's `f @ a.js:12`, and `a.js:1:2 at f`.
fn console(text: &str) -> Option<Mark> {
    if let Some((place, function)) = text.split_once(" at ") {
        let place = location(place).filter(|(path, ..)| is_script(path))?;
        let is_name = !function.is_empty() && !function.contains(' ') && place.2 > 0;
        return is_name.then(|| innermost_first(frame(place, script_name(function))));
    }
    let (function, place) = text.split_once('@')?;
    let function = function.trim_end();
    let place = place.trim_start();
    if place == "[native code]" {
        return (!function.contains(' ')).then_some(Mark::Filler);
    }
    // `promise callback*f`, `setTimeout handler*f`: the asynchronous caller.
    let function = function.rsplit('*').next().unwrap_or(function);
    let has_scheme = ["http", "file:", "webpack"]
        .iter()
        .any(|s| place.starts_with(s));
    let place = location(in_source(place)).filter(|(path, ..)| has_scheme || is_script(path))?;
    let is_name = !function.contains(' ') && (has_scheme || !function.is_empty());
    is_name.then(|| innermost_first(frame(place, &nested_name(function))))
}

/// Returns the function of a Firefox frame: `outer/inner`, and `outer/inner/<` for the unnamed function in
/// it, are both `inner`.
fn nested_name(function: &str) -> String {
    let names = function.rsplit('/').map(|name| name.trim_end_matches('<'));
    let name = names.into_iter().find(|name| !name.is_empty());
    name.unwrap_or_default().replace(".prototype.", ".")
}

/// Whether a path may be that of a script or of a file that is compiled to one.
fn is_script(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or(path);
    is_path(path) && !path.contains(' ') && has_extension(path, EXTENSIONS)
}

/// Returns the function of a V8 frame: `new A`, `A.b [as c]`.
fn script_name(name: &str) -> &str {
    let name = name.strip_prefix("new ").unwrap_or(name);
    name.split(" [as ").next().unwrap_or(name)
}

#[cfg(test)]
mod tests;
