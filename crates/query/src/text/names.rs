//! Finds words that name code: scans dotted chains of identifiers, and decides which are meant as names.

use std::ops::Range;

use foveate_index::tokens::is_unspaced;

/// A chain of identifiers in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The chain joined by dots, whatever the separator in the text (`A::b`, `A#b`, `A\B`, `(*A).b`, `A<T>::b`).
    pub text: String,
    /// The `?`, `!` or `=` that follows directly, which may belong to the last identifier.
    pub mark: Option<char>,
    /// Whether an opening parenthesis follows.
    pub called: bool,
    /// Whether quotes directly surround it.
    pub quoted: bool,
    /// Where it stands in the text, in bytes, with its mark and its type arguments.
    pub range: Range<usize>,
}

impl Name {
    /// Returns the name without the parts that mean nothing: see [`trim`].
    pub(super) fn trimmed(&self) -> &str {
        trim(&self.text)
    }

    /// Whether the name looks like an identifier, or is called: `CamelCase`, `snake_case`, `a.b`, `name()`.
    pub(super) fn is_identifier_like(&self) -> bool {
        is_name_like(self.trimmed(), self.called)
    }

    /// Whether the name, in a code block, may be defined in the repository: it is called, capitalised or identifier-like,
    /// and neither a keyword nor built in.
    pub(super) fn is_code_name(&self) -> bool {
        let name = bare(self.trimmed());
        if is_keyword(name) || BUILT_IN.contains(&name) {
            return false;
        }
        let is_capitalised = name.starts_with(char::is_uppercase)
            && name.chars().count() >= 3
            && name.chars().any(char::is_lowercase);
        is_capitalised || is_name_like(name, self.called)
    }

    /// Whether the name is the whole of a piece of code, apart from arguments of a call or a value.
    pub(super) fn is_whole(&self, code: &str) -> bool {
        let before = code.get(..self.range.start).unwrap_or("");
        let after = code.get(self.range.end..).unwrap_or("");
        let is_variable = self.text.starts_with('$') && before.is_empty();
        let head = after.split(['(', '=', '[', '>', ' ']).next().unwrap_or("");
        let written = code.trim_end();
        !is_variable
            && before.chars().all(|c| "@$.<&*~\\".contains(c))
            && head.chars().all(|c| ":,;".contains(c))
            && (!written.contains(' ') || written.contains(['(', '=']))
    }
}

/// Maximum bytes of type arguments within a chain.
const MAX_TYPE_ARGUMENTS: usize = 80;

/// Returns the chains of identifiers in a text, in order.
pub(super) fn scan(text: &str) -> Vec<Name> {
    let mut names = Vec::new();
    scan_into(text, 0, &mut names);
    names
}

/// Scans a text that stands at a position of the whole text.
fn scan_into(text: &str, position: usize, names: &mut Vec<Name>) {
    let mut at = 0;
    let mut before = ' ';
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or("");
        if first.is_ascii_digit() {
            // A number with its letters and dots: `3.8`, `0x1f`, `2nd`.
            at += rest
                .find(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_'))
                .unwrap_or(rest.len());
            before = '0';
        } else if starts_name(first) || before != 'a' && dereferenced(rest).is_some() {
            let chain = chain(rest);
            let after = rest.get(chain.end..).unwrap_or("");
            let mark = mark(after);
            let end = chain.end + mark.map_or(0, char::len_utf8);
            let after_mark = rest.get(end..).unwrap_or("");
            let quoted = matches!(before, '\'' | '"' | '`' | '‘' | '“')
                && after_mark.starts_with(['\'', '"', '`', '’', '”']);
            let called = is_called(after) || mark == Some('?') && is_called(after_mark);
            names.push(Name {
                text: chain.text,
                mark,
                called,
                quoted,
                range: position + at..position + at + end,
            });
            for inner in chain.type_arguments {
                let start = at + inner.start;
                let inner = rest.get(inner).unwrap_or("");
                scan_into(inner, position + start, names);
            }
            at += chain.end;
            before = 'a';
        } else {
            before = first;
            at += first.len_utf8();
        }
    }
}

/// Whether a text begins with the arguments of a call. `value(s)` is a plural, not a call.
fn is_called(text: &str) -> bool {
    text.starts_with('(') && !text.starts_with("(s)") && !text.starts_with("(es)")
}

/// Returns the mark at the start of a text if it may belong to the name before it, as in `valid?(x)`, `save!`
/// and `A#size=`: neither in `a?.b` and `a != b`, nor in `name?: string`.
fn mark(after: &str) -> Option<char> {
    let mark = after
        .chars()
        .next()
        .filter(|c| matches!(c, '?' | '!' | '='))?;
    let then = after.chars().nth(1);
    let ends = then.is_none_or(|c| c.is_whitespace() || "()[]{},;`'\"’”".contains(c));
    ends.then_some(mark)
}

/// A chain of identifiers at the start of a text.
struct Chain {
    text: String,
    /// Its end in bytes.
    end: usize,
    type_arguments: Vec<Range<usize>>,
}

fn chain(text: &str) -> Chain {
    let mut chain = Chain {
        text: String::new(),
        end: 0,
        type_arguments: Vec::new(),
    };
    loop {
        let rest = text.get(chain.end..).unwrap_or("");
        if let Some(name) = dereferenced(rest) {
            chain.text.push_str(name);
            chain.end += name.len() + "(*)".len();
        } else {
            let is_destructor = rest.starts_with('~');
            let name_start = usize::from(is_destructor);
            let name = identifier(rest.get(name_start..).unwrap_or(""));
            if is_destructor {
                chain.text.push('~');
            }
            push_identifier(&mut chain.text, name);
            chain.end += name_start + name.len();
            let operator = operator(name, text.get(chain.end..).unwrap_or(""));
            chain.text.push_str(operator);
            chain.end += operator.len();
        }
        let rest = text.get(chain.end..).unwrap_or("");
        let arguments = type_arguments(rest).unwrap_or(0..0);
        let rest = rest.get(arguments.end..).unwrap_or("");
        let separator = separator(rest, &chain.text);
        if !arguments.is_empty() && (separator.is_some() || is_called(rest)) {
            let start = chain.end;
            chain
                .type_arguments
                .push(start + arguments.start..start + arguments.end);
            chain.end += arguments.end;
        }
        let Some(separator) = separator else {
            return chain;
        };
        chain.text.push('.');
        chain.end += separator.len();
    }
}

/// Returns the identifier at the start of a text.
fn identifier(text: &str) -> &str {
    // Chinese, Japanese and Korean text adjoins a name without spaces.
    let unspaced = text.starts_with(is_unspaced);
    let end = text
        .find(|c: char| !continues_name(c) || is_unspaced(c) != unspaced)
        .unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// Adds an identifier to a chain. `Outer$Inner` is how the JVM writes `Outer.Inner`, and `Outer$1` is a class
/// without a name in it.
fn push_identifier(chain: &mut String, name: &str) {
    let mut parts = name.split('$');
    let outer = parts.next().unwrap_or("");
    let is_nested = outer.starts_with(char::is_uppercase)
        && parts.clone().all(|part| {
            part.starts_with(char::is_uppercase)
                || !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
        });
    if !is_nested {
        chain.push_str(name);
        return;
    }
    chain.push_str(outer);
    for part in parts.filter(|part| part.starts_with(char::is_uppercase)) {
        chain.push('.');
        chain.push_str(part);
    }
}

/// Returns the separator of two names of a chain at the start of a text.
fn separator(text: &str, chain: &str) -> Option<&'static str> {
    // A static method in JavaScript has no such part.
    if let Some(rest) = text.strip_prefix(".prototype.") {
        return rest.starts_with(starts_name).then_some(".prototype.");
    }
    let last = chain.rsplit('.').next().unwrap_or(chain);
    let is_class = last.starts_with(char::is_uppercase);
    let is_destructor = |rest: &str| {
        rest.strip_prefix('~')
            .is_some_and(|name| identifier(name) == last)
    };
    // Strings of JSON and PHP double the backslash.
    let separators = [".", "::", "->", "#", ".#", "?.", "\\", "\\\\"];
    let fits = |separator: &&str| {
        text.strip_prefix(*separator)
            .is_some_and(|rest| match *separator {
                "#" => is_class && rest.starts_with(starts_name),
                // Before a small letter it is an escape, or a part of a path.
                "\\" | "\\\\" => is_class && rest.starts_with(char::is_uppercase),
                "." => rest.starts_with(starts_name) || dereferenced(rest).is_some(),
                "::" => rest.starts_with(starts_name) || is_destructor(rest),
                _ => rest.starts_with(starts_name),
            })
    };
    separators.into_iter().find(fits)
}

/// Returns `A` of `(*A).b`: Go names methods of pointers like this.
fn dereferenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("(*")?;
    let name = identifier(inside);
    let after = inside.get(name.len()..)?.strip_prefix(").")?;
    (name.starts_with(starts_name) && after.starts_with(starts_name)).then_some(name)
}

/// Returns the range of type arguments at the start of a text: `<T>`, `::<T>`.
fn type_arguments(text: &str) -> Option<Range<usize>> {
    let inside = text.strip_prefix("::").unwrap_or(text).strip_prefix('<')?;
    let start = text.len() - inside.len();
    let mut depth = 1;
    for (at, c) in inside.char_indices().take(MAX_TYPE_ARGUMENTS) {
        match c {
            '<' => depth += 1,
            '>' if inside.get(..at).is_some_and(|before| before.ends_with('-')) => {}
            '>' => depth -= 1,
            _ if continues_name(c) || " ,.:&*'?[]()-".contains(c) => {}
            _ => return None,
        }
        if depth == 0 {
            return Some(start..start + at + 1);
        }
    }
    None
}

/// Returns the symbol of `operator==` in the text after `operator`; empty if there is none.
fn operator(name: &str, text: &str) -> &'static str {
    const SYMBOLS: &[&str] = &[
        "<<=", ">>=", "<=>", "->*", "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&",
        "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%",
        "^", "&", "|", "~", "!", "=", "<", ">",
    ];
    if name != "operator" {
        return "";
    }
    let symbol = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol));
    let symbol = symbol.copied().unwrap_or("");
    let after = text.get(symbol.len()..).unwrap_or("");
    // `operator/operand` is prose.
    match after.starts_with(|c: char| c.is_alphanumeric() || c == '>') {
        true => "",
        false => symbol,
    }
}

/// Whether a name is that of an operator of C++: `operator==`, `A.operator()`.
fn is_operator(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.strip_prefix("operator")
        .is_some_and(|symbol| !symbol.is_empty() && !symbol.contains(continues_name))
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Removes parts without meaning: `self.`, `this.`, underscores used for emphasis. A `$` before a name stays: only the
/// repository tells whether it is a part of the name, as in JavaScript, or marks a variable, as in PHP.
fn trim(name: &str) -> &str {
    let mut name = name;
    for receiver in ["self.", "cls.", "this.", "super."] {
        let inner = bare(name).strip_prefix(receiver);
        name = inner.unwrap_or(name);
    }
    let emphasis =
        name.len() > 2 && name.starts_with('_') && name.ends_with('_') && !name.starts_with("__");
    if emphasis {
        name.trim_matches('_')
    } else {
        name
    }
}

/// Returns a name without the `$` before it.
fn bare(name: &str) -> &str {
    name.trim_start_matches('$')
}

/// Whether a word begins with a sigil, which few definitions have in their names: `$patch`, `_load`, or ends with an
/// underscore, as names do that would be keywords, and fields in C++: `class_`, `Namespace_`. Variables of the environment
/// are in capitals.
pub(super) fn has_sigil(name: &str) -> bool {
    let word = name.trim_start_matches(['$', '_']);
    let begins_with_sigil = word.len() < name.len() && word.starts_with(char::is_lowercase);
    let ends_with_underscore = word.len() == name.len()
        && word.ends_with('_')
        && word.starts_with(char::is_alphabetic)
        && word.contains(char::is_lowercase);
    (begins_with_sigil || ends_with_underscore)
        && word.chars().count() >= 3
        && word.chars().all(continues_name)
}

/// Whether a word looks like an identifier: `CamelCase`, `snake_case`, `a.b`.
pub(super) fn is_identifier_like(word: &str) -> bool {
    is_name_like(word, false)
}

/// Whether a word looks like an identifier, or is called and no keyword.
fn is_name_like(name: &str, called: bool) -> bool {
    let name = bare(name);
    let last = name.rsplit('.').next().unwrap_or(name);
    if last.chars().count() < 2 || name.len() > 200 {
        return false;
    }
    if is_operator(last) {
        return true;
    }
    if name.contains('.') {
        const HOSTS: &[&str] = &[
            "com", "org", "net", "io", "dev", "app", "ai", "co", "html", "htm", "edu", "gov",
        ];
        const SHORT: &[&str] = &["e.g", "i.e", "a.k.a", "etc"];
        let short = SHORT.iter().any(|s| name.eq_ignore_ascii_case(s));
        return called
            || (!HOSTS.contains(&last) && !short && !is_product(name) && !is_two_sentences(name));
    }
    if called {
        return !is_keyword(name);
    }
    let inner = name.trim_matches('_');
    if inner.contains('_') {
        return !is_product(inner);
    }
    if name.starts_with("__") && name.ends_with("__") && inner.len() > 1 {
        return true;
    }
    is_camel(inner) && !is_product(inner)
}

/// Whether a name such as `done.Then` is two sentences without a space between them, rather than a module and
/// its class. It counts as two sentences only if the second word is very common.
fn is_two_sentences(name: &str) -> bool {
    const STARTS: &[&str] = &[
        "The", "This", "It", "If", "In", "But", "And", "So", "When", "We", "Then", "For", "Is",
        "As", "However", "Also", "To", "There", "Please", "Thanks",
    ];
    name.rsplit_once('.')
        .is_some_and(|(_, last)| STARTS.contains(&last))
}

/// Whether a name has two words (`ModelForm`, `getItem`), or an acronym and a word (`JSONField`, not `URLs`).
fn is_camel(name: &str) -> bool {
    let mut has_two_words = false;
    let mut uppers = 0;
    let mut lowers = 0;
    let mut acronym = false;
    let mut previous_lower = false;
    for c in name.chars() {
        if c.is_uppercase() {
            has_two_words |= previous_lower;
            uppers = if lowers > 0 { 1 } else { uppers + 1 };
            lowers = 0;
            previous_lower = false;
        } else if c.is_lowercase() {
            lowers += 1;
            acronym |= uppers >= 2 && lowers >= 3;
            previous_lower = true;
        } else {
            previous_lower = c.is_ascii_digit() && previous_lower;
        }
    }
    let plural = name.ends_with('s') && name.trim_end_matches('s').chars().all(char::is_uppercase);
    (has_two_words || acronym) && !plural && name.chars().count() >= 4
}

/// Whether a name is a keyword or literal of a language that issues quote.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&bare(name)).is_ok()
}

/// Whether a name is a product such as `Node.js` rather than code or a file.
pub(super) fn is_product(name: &str) -> bool {
    PRODUCTS.contains(&name.to_ascii_lowercase().as_str())
}

/// Products and formats that are spelled like identifiers or files.
const PRODUCTS: &[&str] = &[
    "angular.js", "appveyor", "backbone.js", "circleci", "clickhouse", "cmake", "codesandbox",
    "d3.js", "day.js", "devtools", "duckdb", "dynamodb", "ebpf", "ember.js", "express.js",
    "facebook", "freebsd", "github", "gitlab", "google.com", "graphql", "intellij", "ios", "ipad",
    "ipados", "iphone", "ipython", "javadoc", "javascript", "jquery", "linkedin", "macbook",
    "macos", "mariadb", "moment.js", "mongodb", "mysql", "netbsd", "next.js", "node.js", "nodejs",
    "nuget", "numpy", "nuxt.js", "oauth", "openapi", "openbsd", "openssl", "opensuse", "p5.js",
    "postgresql", "powershell", "pycharm", "pypi", "pypy", "pytorch", "react.js", "rubygems",
    "scikit", "scipy", "socket.io", "sqlite", "stackblitz", "stackoverflow", "tensorflow",
    "three.js", "tvos", "typescript", "vscode", "vue.js", "watchos", "webassembly", "webpack",
    "wikipedia", "wordpress", "x86_64", "youtube",
];

const BUILT_IN: &[&str] = &[
    "Array", "Boolean", "Date", "Error", "Exception", "JSON.parse", "JSON.stringify", "Map",
    "Math.floor", "Number", "Object", "Object.keys", "Optional", "Out", "In", "Promise", "Set",
    "String", "System.out.println", "Traceback", "bool", "bytes", "console.error", "console.log",
    "console.warn", "dict", "dir", "enumerate", "expect", "fmt.Printf", "fmt.Println", "float",
    "getattr", "hasattr", "help", "input", "int", "isinstance", "len", "list", "map", "max", "min",
    "module.exports", "object", "open", "pprint", "print", "printf", "println", "process.exit",
    "range", "repr", "require", "set", "setattr", "sorted", "str", "sum", "tuple", "vars", "zip",
    "List", "Dict", "Any", "Union", "sys.exit", "sys.argv", "The", "This",
];

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "abstract", "and", "as", "assert", "async", "await", "break", "case",
    "catch", "class", "const", "constructor", "continue", "def", "default", "del", "delete", "do",
    "elif", "else", "end", "enum", "except", "export", "extends", "false", "final", "finally",
    "fn", "for", "from", "func", "function", "global", "if", "impl", "implements", "import", "in",
    "instanceof", "interface", "is", "lambda", "let", "match", "mut", "new", "nil", "nonlocal",
    "not", "null", "or", "package", "pass", "private", "protected", "pub", "public", "raise",
    "return", "self", "static", "struct", "super", "switch", "then", "this", "throw", "throws",
    "trait", "true", "try", "type", "typeof", "undefined", "use", "var", "void", "while", "with",
    "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn identifier_chains_are_scanned() {
        let names = |text| scan(text).into_iter().map(|n| n.text).collect::<Vec<_>>();
        assert_eq!(
            names("a.b_c(d) 3.8x E::f G#h x"),
            ["a.b_c", "d", "E.f", "G.h", "x"]
        );
        assert_eq!(names("Größe.añadir…"), ["Größe.añadir"]);
        assert_eq!(names(""), Vec::<String>::new());
    }

    #[test]
    fn names_are_scanned_as_languages_spell_them() {
        let names = |text| scan(text).into_iter().map(|n| n.text).collect::<Vec<_>>();
        for (text, wanted) in [
            ("Pool<T>::get(x)", &["Pool.get", "T", "x"][..]),
            ("Pool::<Item>::get", &["Pool.get", "Item"]),
            ("Map<K, V>.get", &["Map.get", "K", "V"]),
            ("a < b > (c)", &["a", "b", "c"]),
            ("(*Server).Serve", &["Server.Serve"]),
            ("grpc.(*Server).Serve(l)", &["grpc.Server.Serve", "l"]),
            ("f(*args).g", &["f", "args", "g"]),
            ("A::operator==(b)", &["A.operator==", "b"]),
            ("operator<<", &["operator<<"]),
            ("operator()", &["operator()"]),
            (
                "operator/operand operator.",
                &["operator", "operand", "operator"],
            ),
            ("A::~A()", &["A.~A"]),
            ("A::~B", &["A", "B"]),
            ("A.prototype.run", &["A.run"]),
            ("Outer$Inner.run", &["Outer.Inner.run"]),
            ("Outer$1.run", &["Outer.run"]),
            ("$scope.a$b", &["$scope.a$b"]),
            ("com.acme.Reader#peek", &["com.acme.Reader.peek"]),
            ("com.acme#peek", &["com.acme", "peek"]),
            ("\\Acme\\Run\\Task::fix()", &["Acme.Run.Task.fix"]),
            ("src\\Acme\\run", &["src", "Acme", "run"]),
            ("Acme\\\\Run\\\\Task", &["Acme.Run.Task"]),
        ] {
            assert_eq!(names(text), wanted, "{text}");
        }
        let whole = |code: &str| scan(code).first().is_some_and(|name| name.is_whole(code));
        for code in [
            "valid?", "save!(a)", "(*A).b", "A<T>::b(c)", "&a", "a: ", "x = 1", "\\A\\B",
        ] {
            assert!(whole(code), "{code}");
        }
        for code in ["a b", "a + b", "$a", "(a)"] {
            assert!(!whole(code), "{code}");
        }
        let marks = |text| scan(text).into_iter().map(|n| n.mark).collect::<Vec<_>>();
        assert_eq!(
            marks("a? b!() c?.d e?:f g h= i=1"),
            [
                Some('?'),
                Some('!'),
                None,
                None,
                None,
                None,
                Some('='),
                None
            ]
        );
    }

    #[test]
    fn identifier_like_words_are_recognised() {
        for yes in [
            "ModelForm", "getItem", "JSONField", "max_length", "__init__", "db.models",
            "iPhoneModel",
        ] {
            assert!(is_identifier_like(yes), "{yes}");
        }
        for no in [
            "model", "URLs", "GitHub", "HTTP", "e.g", "example.com", "_", "x", "_x", "Node.js",
            "d3.js", "works.But", "CMake", "NuGet",
        ] {
            assert!(!is_identifier_like(no), "{no}");
        }
        assert!(scan("connect()")[0].is_identifier_like());
    }

    #[test]
    fn words_with_a_sigil_are_told_from_amounts_and_variables() {
        for yes in ["$patch", "_load", "__enum", "$$restore", "patch_", "Class_"] {
            assert!(has_sigil(yes), "{yes}");
        }
        for no in [
            "patch", "$5", "$HOME", "_x", "$", "$a.patch", "a.patch_", "x_", "HOME_",
        ] {
            assert!(!has_sigil(no), "{no}");
        }
    }
}
