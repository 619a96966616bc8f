//! Recognises the heads of functions and classes in JavaScript and TypeScript, where a function may be the
//! value of a variable.

use super::super::typed_heads::CONTROL;
use crate::hunks::heads::{
    HunkHeads, Pattern, first_word, is_word, last_word, split_keyword, words,
};

pub(super) const HUNKS: HunkHeads = HunkHeads {
    pattern: Pattern::Own("foveate-ecmascript", PATTERN),
    extensions: &[
        "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte",
    ],
    shows_indentation: true,
    named,
    is_definition,
};

const PATTERN: &str = r"!^[[:space:]]*(if|for|while|switch|catch|return|else|do|throw|await|new|with|case|typeof|yield|super)[^A-Za-z0-9_$]
^([[:space:]]*((export|default|declare|abstract|async)[[:space:]]+)*(function|class|interface|enum|namespace)[^A-Za-z0-9_$].*)$
^([[:space:]]*((export|declare)[[:space:]]+)*type[[:space:]]+[A-Za-z_$][A-Za-z0-9_$]*.*=.*)$
^([[:space:]]*((export|const|let|var|public|private|protected|static|readonly|override)[[:space:]]+)*[A-Za-z_$#][A-Za-z0-9_$.]*[?]?[[:space:]]*(:[^=]*)?=[[:space:]]*(async[[:space:]]*)?(function[^A-Za-z0-9_$].*|[(<].*=>.*|[A-Za-z_$][A-Za-z0-9_$]*[[:space:]]*=>.*|\(|[A-Za-z_$][A-Za-z0-9_$.]*(<[^>]*>)?\((async[[:space:]]*)?(\(.*=>[[:space:]]*[{]|function.*[{])))$
^([[:space:]]+[A-Za-z_$#][A-Za-z0-9_$]*[[:space:]]*:[[:space:]]*(async[[:space:]]*)?(function[^A-Za-z0-9_$].*|(\([^()]*\)|[A-Za-z_$][A-Za-z0-9_$]*)[[:space:]]*=>.*))$
^([[:space:]]+((public|private|protected|static|async|override|readonly|abstract|get|set)[[:space:]]+|[*][[:space:]]*)*[A-Za-z_$#][A-Za-z0-9_$]*[?]?[[:space:]]*(<[^>]*>)?\([^()]*(\([^()]*\)[^()]*)*\)[[:space:]]*(:[^=]*)?[{][[:space:]]*)$
^([[:space:]]+((public|private|protected|static|async|override|abstract)[[:space:]]+)+[A-Za-z_$#][A-Za-z0-9_$]*[[:space:]]*(<[^>]*>)?\(.*)$";

const MODIFIERS: [&str; 20] = [
    "export", "default", "declare", "abstract", "async", "public", "private", "protected",
    "static", "readonly", "override", "get", "set", "const", "let", "var", "accessor", "async",
    "function", "new",
];
const TYPES: [&str; 5] = ["class", "interface", "enum", "namespace", "type"];

fn named(line: &str) -> Option<&str> {
    if let Some((_, rest)) = split_keyword(line, &MODIFIERS, &TYPES)
        && rest.starts_with([' ', '\t'])
    {
        return first_word(rest).filter(|name| *name != "extends");
    }
    let head = line.split(['(', '=', ':', '<', '{']).next()?;
    last_word(head).filter(|name| !CONTROL.contains(name) && *name != "default")
}

fn is_definition(line: &str) -> bool {
    let text = line.trim();
    let begin = text.trim_start_matches(['*', '#', ' ']);
    if !begin.starts_with(is_word) || text.starts_with("* ") {
        return false;
    }
    let Some(first) = first_word(begin) else {
        return false;
    };
    if CONTROL.contains(&first) && first != "function" {
        return false;
    }
    let is_indented = line.starts_with([' ', '\t']);
    begins_type(text)
        || begins_function(text)
        || holds_function(text)
        || (is_indented && is_method(text))
}

fn begins_type(text: &str) -> bool {
    split_keyword(text, &MODIFIERS[..4], &TYPES).is_some_and(|(keyword, rest)| {
        rest.starts_with([' ', '\t'])
            && first_word(rest).is_some()
            && (keyword != "type" || rest.contains('='))
    })
}

fn begins_function(text: &str) -> bool {
    split_keyword(text, &MODIFIERS[..5], &["function"])
        .is_some_and(|(_, rest)| rest.starts_with([' ', '*', '(']))
}

/// Whether a line is a variable or property whose value is a function.
fn holds_function(text: &str) -> bool {
    let Some(at) = text.find(['=', ':', '(']) else {
        return false;
    };
    let (left, right) = text.split_at(at);
    let is_name = |c: char| is_word(c) || ".#? \t".contains(c);
    if !left.chars().all(is_name) {
        return false;
    }
    let value = match right.strip_prefix(':') {
        // The type of a variable precedes its value.
        Some(typed)
            if words(text)
                .next()
                .is_some_and(|(w, _)| MODIFIERS.contains(&w)) =>
        {
            typed.split_once(" = ").map_or("", |(_, value)| value)
        }
        Some(value) => value,
        None => right.strip_prefix('=').unwrap_or(""),
    };
    is_function(value.trim_start())
}

fn is_function(value: &str) -> bool {
    let value = value.strip_prefix("async").unwrap_or(value).trim_start();
    if let Some(rest) = value.strip_prefix("function") {
        return !rest.starts_with(is_word);
    }
    if value == "(" {
        return true;
    }
    let Some((parameters, _)) = value.split_once("=>") else {
        return false;
    };
    value.starts_with(['(', '<']) || parameters.trim_end().chars().all(is_word)
}

/// Whether a line is `name(…) {`: unlike in a call, the parentheses close before the body begins.
fn is_method(text: &str) -> bool {
    let Some((head, rest)) = text.split_once('(') else {
        return false;
    };
    let is_name = |c: char| is_word(c) || "#*?<>, \t".contains(c);
    if !head.chars().all(is_name) {
        return false;
    }
    let mut depth = 1;
    let end = rest.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    match end {
        Some(end) => {
            let after = rest[end + 1..].trim();
            after == "{" || (after.starts_with(':') && after.ends_with('{'))
        }
        // If the parentheses span several lines, only a modifier distinguishes it from a call.
        None => {
            let modifiers = &MODIFIERS[3..11];
            words(head).count() > 1
                && first_word(head).is_some_and(|word| modifiers.contains(&word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HUNKS;
    use crate::hunks::heads::check;

    #[test]
    fn functions_in_variables_are_recognised() {
        check(
            HUNKS,
            &[
                ("export default async function load(url) {", Some("load")),
                (
                    "export abstract class Widget<T> extends B {",
                    Some("Widget"),
                ),
                ("const total = (items) => {", Some("total")),
                ("export const f: Handler<X> = async (", Some("f")),
                ("  handle = (e: Event): void => {", Some("handle")),
                ("Foo.prototype.bar = function () {", Some("bar")),
                (
                    "    protected async onStart(app: App): Promise<void> {",
                    Some("onStart"),
                ),
                ("    get size() {", Some("size")),
                ("    constructor(", None),
                ("    private readonly open(", Some("open")),
                ("    render() {", Some("render")),
                ("  click: () => go(),", Some("click")),
                ("    if (x) {", None),
                ("    foo(() => {", None),
                ("    it('works', function () {", None),
                ("const x = (a + b) * 2;", None),
                ("    return (a) => {", None),
                (" * a class that", None),
                ("    type: 'x',", None),
                ("type Props = {", Some("Props")),
                ("    x => x + 1,", None),
            ],
        );
    }
}
