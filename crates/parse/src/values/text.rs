//! Reads types, values, parameters and receivers in a stretch of text. Each function returns nothing if the
//! text is not simple. Spans are positions in the whole text.

use foveate_model::Span;
use foveate_model::values::{Link, TypeForm, TypeName, Value};

use super::ValueForm;

/// Longest text that is examined, in bytes.
const MAX_BYTES: usize = 400;
/// Longest list of parameters that is examined, in bytes.
const MAX_PARAMETERS: usize = 8 * 1024;
/// Maximum number of wrappers that are removed from a type, words before a parameter's name, or links of a
/// chain.
const MAX_STEPS: usize = 8;

/// Types of collections that are written with the type of their elements, sorted.
const COLLECTIONS: &[&str] = &[
    "AbstractSet", "Array", "AsyncGenerator", "AsyncIterable", "AsyncIterableIterator",
    "AsyncIterator", "Collection", "Deque", "FrozenSet", "Generator", "Iterable",
    "IterableIterator", "Iterator", "List", "MutableSequence", "MutableSet", "ReadonlyArray",
    "ReadonlySet", "Sequence", "Set", "deque", "frozenset", "list", "set",
];

/// Types of maps that are written with the types of their keys and values, sorted. The values are their elements.
const MAPS: &[&str] = &[
    "DefaultDict", "Dict", "Map", "Mapping", "MutableMapping", "OrderedDict", "ReadonlyMap",
    "Record", "WeakMap", "defaultdict", "dict",
];

pub(super) fn span_of(text: &str, part: &str) -> Span {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    Span::new(start, start + part.len())
}

/// Whether a byte can be part of a name. Every byte of a non-ASCII character can.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Returns the name at the start of a text; may be empty.
pub(crate) fn leading_name(text: &str) -> &str {
    let end = text
        .bytes()
        .position(|byte| !is_name_byte(byte))
        .unwrap_or(text.len());
    let name = text.get(..end).unwrap_or("");
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        ""
    } else {
        name
    }
}

/// Returns the name at the end of a text; may be empty.
pub(super) fn trailing_name(text: &str) -> &str {
    let before = text.bytes().rposition(|byte| !is_name_byte(byte));
    text.get(before.map_or(0, |at| at + 1)..).unwrap_or("")
}

/// Returns the dotted name at the start of a text; may be empty.
fn leading_path(text: &str) -> &str {
    let mut end = leading_name(text).len();
    while end > 0 && text.as_bytes().get(end) == Some(&b'.') {
        let name = leading_name(text.get(end + 1..).unwrap_or(""));
        if name.is_empty() {
            break;
        }
        end += 1 + name.len();
    }
    text.get(..end).unwrap_or("")
}

/// Cuts a text to the length that is examined, at a character boundary.
pub(crate) fn clip(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_BYTES))
        .unwrap_or("")
}

/// Returns the type that an annotation names, in any language. Reads `X`, `"X"`, `Optional[X]`, `X | None`,
/// `Promise<X>`, `type[X]`, `list[X]`, `X[]`, `Map<K, X>` and the like.
pub(super) fn annotation(text: &str, written: &str) -> Option<TypeName> {
    let mut rest = clip(written);
    let mut form = TypeForm::Instance;
    // The map that was removed. Of one with other values than objects of a class, only the map is known.
    let mut map = None;
    // Each round removes one wrapper.
    for _ in 0..MAX_STEPS {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '"', '\'', '(', '|', '&', ':', '?']);
        let path = leading_path(rest);
        if path.is_empty() {
            return map;
        }
        let after = rest.get(path.len()..)?.trim_start_matches(' ');
        let last = path.rsplit('.').next().unwrap_or(path);
        if after.starts_with(['[', '<'])
            && form == TypeForm::Instance
            && MAPS.binary_search(&last).is_ok()
            && let Some(values) = second_argument(after)
        {
            map = Some(TypeName {
                path: span_of(text, path),
                form,
            });
            form = TypeForm::Elements;
            rest = values;
            continue;
        }
        if let Some(inner) = without_wrapper(last, after, form) {
            (form, rest) = inner;
            continue;
        }
        if after.starts_with("[]") {
            if form != TypeForm::Instance || after.starts_with("[][]") {
                return map;
            }
            form = TypeForm::Elements;
        }
        return Some(TypeName {
            path: span_of(text, path),
            form,
        });
    }
    map
}

/// Returns the form and the text of the type in a wrapper, such as `Optional[X]`, of which `name` is the last name, and
/// `after` the text after it. `None` if it is no wrapper.
fn without_wrapper<'t>(name: &str, after: &'t str, form: TypeForm) -> Option<(TypeForm, &'t str)> {
    match name {
        "None" | "null" | "undefined" if after.starts_with('|') => return Some((form, after)),
        "readonly" | "unique" => return Some((form, after)),
        "typeof" => return Some((TypeForm::Class, after)),
        _ => {}
    }
    let argument = after.strip_prefix(['[', '<'])?;
    match name {
        "Type" | "type" => Some((TypeForm::Class, argument)),
        // Of a collection of collections, only the collection is known.
        _ if form == TypeForm::Instance && COLLECTIONS.binary_search(&name).is_ok() => {
            Some((TypeForm::Elements, argument))
        }
        "Optional" | "Annotated" | "ClassVar" | "Final" | "Awaitable" | "Promise"
        | "PromiseLike" | "Readonly" | "Partial" | "Required" | "NotRequired" | "InitVar"
        | "NonNullable" | "Coroutine" | "Union" => Some((form, argument)),
        _ => None,
    }
}

/// Returns the text that begins with the second of the arguments of a type, given that from their bracket on.
fn second_argument(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b'>' if is_arrow(text, at) => {}
            b')' | b']' | b'}' | b'>' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => return text.get(at + 1..),
            _ => {}
        }
    }
    None
}

/// Returns the parameters in the text between a function's parentheses: names, and types where they are
/// declared.
pub(super) fn parameters_in(
    text: &str,
    written: &str,
    form: &ValueForm,
) -> Vec<(Span, Option<TypeName>)> {
    let end = written.floor_char_boundary(MAX_PARAMETERS);
    let written = written.get(..end).unwrap_or("");
    let mut found = Vec::new();
    let (mut depth, mut angles) = (0_i32, 0_u32);
    let mut start = 0;
    for (at, byte) in written.bytes().chain([b',']).enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'<' if opens_types(written, at) => {
                depth += 1;
                angles += 1;
            }
            b'>' if angles > 0 && !is_arrow(written, at) => {
                depth -= 1;
                angles -= 1;
            }
            b',' if depth == 0 || at == written.len() => {
                let one = written.get(start..at).unwrap_or("");
                start = at + 1;
                parameter(text, one, form, &mut found);
            }
            _ => {}
        }
    }
    found
}

/// Whether the `<` at a position opens type arguments, as in `a: Map<string, Foo>`, or the type parameters of a
/// function, as in `a: <T, U>(x: T) => U`.
fn opens_types(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("");
    let after = text.get(at + 1..).unwrap_or("");
    let follows_name = before.bytes().next_back().is_some_and(is_name_byte);
    (follows_name || before.trim_end().ends_with(':')) && !after.starts_with(['<', '=', ' '])
}

/// Whether the `>` at a position ends a `=>`.
fn is_arrow(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.ends_with('='))
}

/// Adds the names that one parameter binds. A modifier may be a parameter's name, so it is added too,
/// before the name.
fn parameter(text: &str, one: &str, form: &ValueForm, found: &mut Vec<(Span, Option<TypeName>)>) {
    let mut rest = one.trim_start();
    for _ in 0..MAX_STEPS {
        rest = rest.trim_start_matches(['*', '.', ' ', '\n', '\r', '\t']);
        if rest.starts_with('@') {
            let Some(after) = after_decorator(rest) else {
                break;
            };
            rest = after;
            continue;
        }
        let word = leading_name(rest);
        rest = rest.get(word.len()..).unwrap_or("");
        if !word.is_empty() {
            let colon = rest.trim_start().trim_start_matches('?').strip_prefix(':');
            let type_name = colon.and_then(|written| annotation(text, written));
            found.push((span_of(text, word), type_name));
        }
        if !form.parameter_modifiers.contains(&word) {
            break;
        }
    }
    // Patterns bind their names too; a type or a default value behind the brackets does not.
    let pattern = one.trim_start();
    if pattern.starts_with(form.patterns) {
        let names = names_in_pattern(pattern).into_iter();
        found.extend(names.map(|name| (span_of(text, name), None)));
    }
}

/// Returns the names in the destructuring pattern at the start of a text, without those in its default values.
fn names_in_pattern(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    // Depth at which the current default value begins.
    let mut default: Option<usize> = None;
    for (at, byte) in text.bytes().enumerate() {
        if is_name_byte(byte) {
            continue;
        }
        let word = text.get(start..at).unwrap_or("");
        start = at + 1;
        if !word.is_empty() && default.is_none() {
            found.push(word);
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                default = default.filter(|begun| depth >= *begun);
            }
            b'=' => default = default.or(Some(depth)),
            b',' => default = default.filter(|begun| depth > *begun),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// Returns the text after `@inject(Token)`.
fn after_decorator(text: &str) -> Option<&str> {
    let path = leading_path(text.get(1..)?);
    let rest = text.get(1 + path.len()..)?;
    match rest.starts_with('(') {
        true => rest.get(closing(rest)? + 1..),
        false => Some(rest),
    }
}

/// Returns the position of the bracket that closes the one at the start of a text: of `<`, or else of any other.
fn closing(text: &str) -> Option<usize> {
    let (open, close) = match text.starts_with('<') {
        true => ("<", ">"),
        false => ("([{", ")]}"),
    };
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().take(MAX_BYTES) {
        if open.as_bytes().contains(&byte) {
            depth += 1;
        } else if close.as_bytes().contains(&byte) && !(byte == b'>' && is_arrow(text, at)) {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Returns the value of an element of an expression that is a dotted name or a call of one.
pub(super) fn element(text: &str, written: &str) -> Option<Value> {
    match expression(text, written)? {
        Value::Name(path) => Some(Value::Element(path)),
        Value::Call(path) => Some(Value::CallElement(path)),
        _ => None,
    }
}

/// Returns the member of a value that is a dotted name or a call of one.
pub(super) fn member(of: Value, name: Span) -> Option<Value> {
    match of {
        Value::Name(of) => Some(Value::Member { of, name }),
        Value::Call(of) => Some(Value::MemberOfCall { of, name }),
        _ => None,
    }
}

/// Returns the value of an expression that is a dotted name, a call of one, or an element of these. Reads `Foo(…)`,
/// `new Foo(…)`, `await a.b(…)`, `a.b`, `a.b[0]`, `new Map<K, Foo>()`, and `a or Foo(…)` as the call; `None` for anything
/// else, such as `Foo().bar()` or `a + b`.
pub(super) fn expression(text: &str, written: &str) -> Option<Value> {
    let (rest, is_new) = without_keywords(clip(written).trim_start());
    let mut called = is_new;
    let path = leading_path(rest);
    if path.is_empty() {
        return None;
    }
    let mut after = rest.get(path.len()..)?;
    let mut made = None;
    if is_new && after.starts_with('<') {
        // `new Map<K, V>()`.
        made = annotation(text, rest).filter(|made| made.form == TypeForm::Elements);
        after = after.get(closing(after)? + 1..)?;
    }
    if after.starts_with('(') {
        called = true;
        // A call that is longer than the examined text counts as the whole expression.
        after = match closing(after) {
            Some(end) => after.get(end + 1..)?,
            None => "",
        };
    }
    let mut is_element = false;
    if after.starts_with('[')
        && let Some(end) = closing(after)
    {
        is_element = true;
        after = after.get(end + 1..)?;
    }
    let after = after.trim_start_matches([' ', '\t', '!']);
    // A default says more than the name that it stands in for.
    let mut operators = ["or ", "|| ", "?? "].into_iter();
    if let Some(default) = operators.find_map(|operator| after.strip_prefix(operator)) {
        return match expression(text, default) {
            Some(call @ (Value::Call(_) | Value::Type(_))) => Some(call),
            _ => None,
        };
    }
    let ends = after.is_empty()
        || after.starts_with(['\n', '\r', ';', ',', ')', ']', '}', ':', '#'])
        || after.starts_with("as ")
        || after.starts_with("//");
    let path = span_of(text, path);
    ends.then_some(match (called, is_element) {
        (false, false) => Value::Name(path),
        (false, true) => Value::Element(path),
        (true, false) => made.map_or(Value::Call(path), Value::Type),
        (true, true) => Value::CallElement(path),
    })
}

/// Removes `await` and `new` from the start of an expression. Also returns whether `new` was among them.
fn without_keywords(written: &str) -> (&str, bool) {
    let (mut rest, mut is_new) = (written, false);
    loop {
        let word = leading_name(rest);
        let after = rest.get(word.len()..).unwrap_or("");
        if !matches!(word, "await" | "new") || !after.starts_with(' ') {
            return (rest, is_new);
        }
        is_new |= word == "new";
        rest = after.trim_start();
    }
}

/// Returns the links before the name that starts at `end`, first to last: `self` and `make()` for
/// `self.make().connect`. Empty if the receiver is not a plain chain of names and calls.
pub(super) fn receiver(text: &str, end: usize) -> Vec<Link> {
    let bytes = text.as_bytes();
    let floor = end.saturating_sub(MAX_BYTES);
    let mut links = Vec::new();
    let mut at = skip_back(bytes, end, floor);
    while at > floor && bytes.get(at - 1) == Some(&b'.') {
        at = skip_back(bytes, at - 1, floor);
        let is_indexed = at > floor && bytes.get(at - 1) == Some(&b']');
        if is_indexed {
            let Some(open) = opening(bytes, at - 1, floor) else {
                return Vec::new();
            };
            at = skip_back(bytes, open, floor);
        }
        let is_called = at > floor && bytes.get(at - 1) == Some(&b')');
        if is_called {
            let close = at - 1;
            let Some(open) = opening(bytes, close, floor) else {
                return Vec::new();
            };
            at = open;
            let is_grouped = at == floor || !is_name_byte(bytes[at - 1]);
            if is_grouped && let Some(inner) = text.get(open + 1..close) {
                links.reverse();
                return grouped(text, inner, is_indexed, links);
            }
        }
        let name_end = at;
        while at > floor && is_name_byte(bytes[at - 1]) {
            at -= 1;
        }
        let name = text.get(at..name_end).unwrap_or("");
        if name.is_empty() || links.len() >= MAX_STEPS {
            return Vec::new();
        }
        links.push(Link {
            name: Span::new(at, name_end),
            is_called,
            is_indexed,
        });
        at = skip_back(bytes, at, floor);
    }
    links.reverse();
    links
}

/// Returns the links of a receiver that begins with an expression in parentheses, `(x as Foo)` or `(await f())`,
/// and goes on with `rest`.
fn grouped(text: &str, inner: &str, is_indexed: bool, rest: Vec<Link>) -> Vec<Link> {
    let inner = inner.trim();
    let link = match inner.rsplit_once(" as ") {
        // An instance of the type, as if it were constructed.
        Some((_, written)) => annotation(text, written)
            .filter(|of| of.form == TypeForm::Instance)
            .map(|of| (of.path, true)),
        None => match expression(text, inner) {
            Some(Value::Call(path)) if inner.ends_with(')') => Some((path, true)),
            Some(Value::Name(path)) => Some((path, false)),
            _ => None,
        },
    };
    // A path of several names would need a link for each.
    let link = link.filter(|(path, _)| !path.of(text).contains('.'));
    let Some((name, is_called)) = link else {
        return Vec::new();
    };
    let first = Link {
        name,
        is_called,
        is_indexed,
    };
    [first].into_iter().chain(rest).collect()
}

/// Skips blanks and the marks of optional chaining, backwards.
fn skip_back(bytes: &[u8], mut at: usize, floor: usize) -> usize {
    while at > floor && matches!(bytes[at - 1], b' ' | b'\n' | b'\t' | b'\r' | b'?' | b'!') {
        at -= 1;
    }
    at
}

/// Returns the position of the parenthesis that the one at `close` closes.
fn opening(bytes: &[u8], close: usize, floor: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for at in (floor..=close).rev() {
        match bytes[at] {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: ValueForm = ValueForm {
        bindings: |_, _| {},
        has_nameless_scopes: false,
        return_mark: ":",
        parameter_modifiers: &["protected", "readonly"],
        has_documented_types: false,
        patterns: &['{', '['],
    };

    #[test]
    fn names_are_sorted() {
        assert!(COLLECTIONS.is_sorted() && MAPS.is_sorted());
    }

    #[test]
    fn wrappers_are_stripped_from_annotations() {
        let path = |text: &str| {
            let found = annotation(text, text);
            found.map_or(String::new(), |found| found.path.of(text).to_owned())
        };
        assert_eq!(path(" Client = None"), "Client");
        assert_eq!(path("'db.Client'"), "db.Client");
        assert_eq!(path("Optional[Client]"), "Client");
        assert_eq!(path("None | Client"), "Client");
        assert_eq!(path("Promise<Client>"), "Client");
        assert_eq!(path("dict[str, int | Client]"), "int");
        assert_eq!(path("Map<string, Client[]>"), "Map");
        assert_eq!(path("Map<string, () => void>"), "Map");
        assert_eq!(path("{ a: number }"), "");
        assert!(
            annotation("type[Client]", "type[Client]").is_some_and(|a| a.form == TypeForm::Class)
        );
    }

    #[test]
    fn annotation_of_a_collection_names_its_elements() {
        let elements = |text: &str| {
            let found = annotation(text, text)?;
            (found.form == TypeForm::Elements).then(|| found.path.of(text).to_owned())
        };
        for written in [
            "list[Client]",
            "Optional[typing.List['Client']]",
            "Client[] | null",
            "readonly Client[]",
            "Promise<Array<Client>>",
            "dict[str, Client]",
            "Optional[typing.Dict[tuple[str, int], 'Client']]",
            "ReadonlyMap<(a: A<B>) => C, Client>",
        ] {
            assert_eq!(elements(written).as_deref(), Some("Client"), "{written}");
        }
        assert_eq!(elements("list[set[Client]]").as_deref(), Some("set"));
        for written in ["Client", "list", "Client[][]", "type[Client]"] {
            assert_eq!(elements(written), None, "{written}");
        }
    }

    #[test]
    fn parameters_have_names_and_types() {
        let found = |text: &str| {
            let found = parameters_in(text, text, &FORM).into_iter();
            let shown = found.map(|(name, type_name)| {
                let type_name = type_name.map_or("", |t| t.path.of(text));
                format!("{}:{type_name}", name.of(text))
            });
            shown.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            found("self, c: Client = None, *args"),
            "self: c:Client args:"
        );
        assert_eq!(
            found("@inject(Foo) protected readonly foo: Foo, x?: Bar"),
            "protected: readonly: foo:Foo x:Bar"
        );
        assert_eq!(found("{ a, b }: Props"), "a: b:");
        assert_eq!(
            found("a: Map<string, Foo>, b: Bar<Foo, Map<K, V>>, c = 1 < 2, d"),
            "a:Foo b:Bar c: d:"
        );
        assert_eq!(
            found("a: <T, U>(x: T) => U, b: Bag<(x: T) => U>, c: C"),
            "a: b:Bag c:C"
        );
        assert_eq!(
            found("{ a = Foo, b: { c = f(Bar, 1) }, ...d }: Props = {}, [e = Foo]"),
            "a: b: c: d: e:"
        );
    }

    #[test]
    fn expressions_are_names_or_calls() {
        let found = |text: &str| match expression(text, text) {
            Some(Value::Name(path)) => path.of(text).to_owned(),
            Some(Value::Call(path)) => format!("{}()", path.of(text)),
            Some(Value::Element(path)) => format!("{}[]", path.of(text)),
            Some(Value::CallElement(path)) => format!("{}()[]", path.of(text)),
            Some(Value::Type(made)) => format!("{:?} {}", made.form, made.path.of(text)),
            _ => String::new(),
        };
        assert_eq!(found("Foo(1, (2))\n"), "Foo()");
        assert_eq!(found("await db.open()"), "db.open()");
        assert_eq!(found("new Map<string, X>();"), "Elements X");
        assert_eq!(found("new Map<string, Set<X>>();"), "Elements Set");
        assert_eq!(found("new Pool<Map<A, B>>();"), "Pool()");
        assert_eq!(found("a.b[c(0)];"), "a.b[]");
        assert_eq!(found("a.b()[0]\n"), "a.b()[]");
        assert_eq!(found("a[0].b;"), "");
        assert_eq!(found("Foo().bar()"), "");
        assert_eq!(found("a + b"), "");
        assert_eq!(found("a.b;"), "a.b");
        assert_eq!(found("a or Foo()\n"), "Foo()");
        assert_eq!(found("a ?? new Foo();"), "Foo()");
        assert_eq!(found("a or b\n"), "");
    }

    #[test]
    fn receivers_are_read_backwards() {
        let links = |text: &str| {
            let links = receiver(text, text.find("connect").unwrap_or(0));
            let shown = links.iter().map(|link| {
                let called = if link.is_called { "()" } else { "" };
                let indexed = if link.is_indexed { "[]" } else { "" };
                format!("{}{called}{indexed}", link.name.of(text))
            });
            shown.collect::<Vec<_>>().join(".")
        };
        assert_eq!(links("x = self.make(1, f(2)).connect()"), "self.make()");
        assert_eq!(links("a.b[0]!.connect()"), "a.b[]");
        assert_eq!(links("a()[f(0)].connect()"), "a()[]");
        assert_eq!(links("(x as Pool).connect()"), "Pool()");
        assert_eq!(links("(await open(1)).pool.connect()"), "open().pool");
        assert_eq!(links("(a + b).connect()"), "");
        assert_eq!(links("[a, b].connect()"), "");
        assert!(receiver("[1].connect", 4).is_empty());
    }
}
