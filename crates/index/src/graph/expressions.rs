//! What can be told from a stretch of text without a syntax tree: the class that an annotation
//! names, the call that an initial value is, the receiver before a method's name. Each function
//! gives up where the text is not plain; a guess that follows from one is never `certain`.

/// Longest text that is looked at, in bytes.
const MAX_BYTES: usize = 400;

/// Longest list of parameters that is looked at, in bytes.
const MAX_PARAMETERS: usize = 8 * 1024;

/// Whether a byte can stand in a name. Every byte of a character beyond ASCII can.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The name at the start of a text; may be empty.
pub(super) fn leading_name(text: &str) -> &str {
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

/// The dotted name at the start of a text; may be empty.
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

/// Cuts a text to what is looked at, at a character's border.
pub(super) fn clip(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

/// A class that an annotation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Annotation<'a> {
    /// The dotted name.
    pub(super) path: &'a str,
    /// Whether the class itself is meant (`type[X]`, `typeof X`) and not one of its objects.
    pub(super) of_class: bool,
}

/// Reads `X`, `"X"`, `Optional[X]`, `X | None`, `Promise<X>`, `type[X]` and the like.
pub(super) fn annotation(text: &str) -> Option<Annotation<'_>> {
    let mut rest = clip(text);
    let mut of_class = false;
    // Each round takes one wrapper off.
    for _ in 0..8 {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '"', '\'', '(', '|', '&', ':', '?']);
        let path = leading_path(rest);
        if path.is_empty() {
            return None;
        }
        let after = rest.get(path.len()..)?.trim_start_matches(' ');
        let last = path.rsplit('.').next().unwrap_or(path);
        let opens = after.starts_with(['[', '<']);
        match last {
            "None" | "null" | "undefined" if after.starts_with('|') => rest = after,
            "readonly" | "unique" => rest = after,
            "typeof" => {
                of_class = true;
                rest = after;
            }
            "Type" | "type" if opens => {
                of_class = true;
                rest = after.get(1..)?;
            }
            "Optional" | "Annotated" | "ClassVar" | "Final" | "Awaitable" | "Promise"
            | "PromiseLike" | "Readonly" | "Partial" | "Required" | "NotRequired" | "InitVar"
            | "NonNullable" | "Coroutine" | "Union"
                if opens =>
            {
                rest = after.get(1..)?;
            }
            _ => return Some(Annotation { path, of_class }),
        }
    }
    None
}

/// The annotation of a parameter in the text between a function's parentheses. `Some(None)` for a
/// parameter without one.
pub(super) fn parameter<'a>(parameters: &'a str, name: &str) -> Option<Option<Annotation<'a>>> {
    let mut end = parameters.len().min(MAX_PARAMETERS);
    while !parameters.is_char_boundary(end) {
        end -= 1;
    }
    let parameters = parameters.get(..end).unwrap_or("");
    if !parameters.contains(name) {
        return None;
    }
    let mut depth = 0_i32;
    let mut start = 0;
    for (at, byte) in parameters.bytes().chain([b',']).enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 || at == parameters.len() => {
                let one = parameters.get(start..at).unwrap_or("");
                start = at + 1;
                if let Some(rest) = after_parameter_name(one, name) {
                    let colon = rest.trim_start().trim_start_matches('?');
                    return Some(colon.strip_prefix(':').and_then(annotation));
                }
                // Destructured parameters bind their names too.
                if one.trim_start().starts_with(['{', '[']) && has_word(one, name) {
                    return Some(None);
                }
            }
            _ => {}
        }
    }
    None
}

/// What follows the name in one parameter, modifiers and decorators before it skipped.
fn after_parameter_name<'a>(parameter: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = parameter.trim_start();
    for _ in 0..8 {
        rest = rest.trim_start_matches(['*', '.', ' ', '\n', '\r', '\t']);
        if rest.starts_with('@') {
            // `@inject(Token) name`: on past the decorator's arguments.
            let path = leading_path(rest.get(1..)?);
            rest = rest.get(1 + path.len()..)?;
            if rest.starts_with('(') {
                rest = rest.get(closing(rest)? + 1..)?;
            }
            continue;
        }
        let word = leading_name(rest);
        if word == name {
            return rest.get(word.len()..);
        }
        if !matches!(
            word,
            "public" | "private" | "protected" | "readonly" | "override"
        ) {
            return None;
        }
        rest = rest.get(word.len()..)?;
    }
    None
}

/// Position of the parenthesis that closes the one at the start of a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, byte) in text.bytes().enumerate().take(MAX_BYTES) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
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

/// Whether a name stands in a text as a whole word.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let bytes = text.as_bytes();
        let before = at == 0 || !is_name_byte(bytes[at - 1]);
        let after = bytes.get(at + name.len()).is_none_or(|b| !is_name_byte(*b));
        before && after
    })
}

/// Whether a name is followed by a call's parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    Yes,
    No,
}

/// An expression that is a dotted name or a call of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expression<'a> {
    /// The dotted name.
    pub(super) path: &'a str,
    /// Whether it is called (or constructed by `new`).
    pub(super) called: bool,
}

/// Reads `Foo(…)`, `new Foo(…)`, `await a.b(…)`, `a.b`; `None` for anything else, such as
/// `Foo().bar()` or `a + b`.
pub(super) fn expression(text: &str) -> Option<Expression<'_>> {
    let mut rest = clip(text).trim_start();
    let mut called = false;
    loop {
        let word = leading_name(rest);
        let after = rest.get(word.len()..)?;
        match word {
            "await" if after.starts_with(' ') => rest = after.trim_start(),
            "new" if after.starts_with(' ') => {
                called = true;
                rest = after.trim_start();
            }
            _ => break,
        }
    }
    let path = leading_path(rest);
    if path.is_empty() {
        return None;
    }
    let mut after = rest.get(path.len()..)?;
    if called && after.starts_with('<') {
        // `new Map<K, V>()`.
        after = after.get(after.find('>')? + 1..)?;
    }
    if after.starts_with('(') {
        called = true;
        // A call that goes on beyond what is looked at is taken for the whole expression.
        after = match closing(after) {
            Some(end) => after.get(end + 1..)?,
            None => "",
        };
    }
    let after = after.trim_start_matches([' ', '\t', '!']);
    let ends = after.is_empty()
        || after.starts_with(['\n', '\r', ';', ',', ')', '}', ':', '#'])
        || after.starts_with("as ")
        || after.starts_with("//");
    ends.then_some(Expression { path, called })
}

/// One link of a receiver: `self`, `client`, `connect()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link<'a> {
    pub(super) name: &'a str,
    pub(super) called: Called,
}

/// The links before the name that starts at `end`, first to last: of `self.make().connect` those
/// are `self` and `make()`. Empty where the receiver is not a plain chain of names and calls.
pub(super) fn receiver(text: &str, end: usize) -> Vec<Link<'_>> {
    let bytes = text.as_bytes();
    let floor = end.saturating_sub(MAX_BYTES);
    let mut links = Vec::new();
    let mut at = skip_back(bytes, end, floor);
    while at > floor && bytes.get(at - 1) == Some(&b'.') {
        at = skip_back(bytes, at - 1, floor);
        let mut called = Called::No;
        if at > floor && bytes.get(at - 1) == Some(&b')') {
            let Some(open) = opening(bytes, at - 1, floor) else {
                return Vec::new();
            };
            called = Called::Yes;
            at = open;
        }
        let name_end = at;
        while at > floor && is_name_byte(bytes[at - 1]) {
            at -= 1;
        }
        let name = text.get(at..name_end).unwrap_or("");
        if name.is_empty() || links.len() >= 8 {
            return Vec::new();
        }
        links.push(Link { name, called });
        at = skip_back(bytes, at, floor);
    }
    links.reverse();
    links
}

/// Back over blanks and the marks of optional chaining.
fn skip_back(bytes: &[u8], mut at: usize, floor: usize) -> usize {
    while at > floor && matches!(bytes[at - 1], b' ' | b'\n' | b'\t' | b'\r' | b'?' | b'!') {
        at -= 1;
    }
    at
}

/// Position of the parenthesis that the one at `close` closes.
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

    #[test]
    fn annotations_lose_their_wrappers() {
        let path = |text| annotation(text).map(|a| a.path);
        assert_eq!(path(" Client = None"), Some("Client"));
        assert_eq!(path("'db.Client'"), Some("db.Client"));
        assert_eq!(path("Optional[Client]"), Some("Client"));
        assert_eq!(path("None | Client"), Some("Client"));
        assert_eq!(path("Promise<Client>"), Some("Client"));
        assert_eq!(path("list[Client]"), Some("list"));
        assert_eq!(path("{ a: number }"), None);
        assert!(annotation("type[Client]").is_some_and(|a| a.of_class));
    }

    #[test]
    fn parameters_are_found_by_name() {
        let annotated = |text, name| parameter(text, name).map(|a| a.map(|a| a.path));
        assert_eq!(
            annotated("self, c: Client = None, *args", "c"),
            Some(Some("Client"))
        );
        assert_eq!(annotated("self, *args", "args"), Some(None));
        assert_eq!(annotated("self, carg", "c"), None);
        assert_eq!(
            annotated("@inject(Foo) protected readonly foo: Foo, x?: Bar", "foo"),
            Some(Some("Foo"))
        );
        assert_eq!(annotated("a, x?: Bar", "x"), Some(Some("Bar")));
        assert_eq!(annotated("{ a, b }: Props", "b"), Some(None));
    }

    #[test]
    fn expressions_are_names_or_calls() {
        let call = |path| Some(Expression { path, called: true });
        assert_eq!(expression("Foo(1, (2))\n"), call("Foo"));
        assert_eq!(expression("await db.open()"), call("db.open"));
        assert_eq!(expression("new Map<string, X>();"), call("Map"));
        assert_eq!(expression("Foo().bar()"), None);
        assert_eq!(expression("a + b"), None);
        assert_eq!(
            expression("a.b;"),
            Some(Expression {
                path: "a.b",
                called: false
            })
        );
    }

    #[test]
    fn receivers_are_read_backwards() {
        let text = "x = self.make(1, f(2)).connect()";
        let end = text.find("connect").unwrap_or(0);
        let links = receiver(text, end);
        assert_eq!(
            links,
            [
                Link {
                    name: "self",
                    called: Called::No
                },
                Link {
                    name: "make",
                    called: Called::Yes
                }
            ]
        );
        assert!(receiver("[1].connect", 4).is_empty());
    }
}
