//! Finds words that name code: scans dotted chains of identifiers, and decides which are meant as names.

use foveate_index::tokens::is_unspaced;

/// A chain of identifiers in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The chain joined by dots, whatever the separator in the text (`A::b`, `A#b`).
    pub text: String,
    /// Whether an opening parenthesis follows.
    pub called: bool,
    /// Whether quotes directly surround it.
    pub quoted: bool,
}

/// Returns the chains of identifiers in a text, in order.
pub(super) fn scan(text: &str) -> Vec<Name> {
    let mut names = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() {
            // A number with its letters and dots: `3.8`, `0x1f`, `2nd`.
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_'))
                .unwrap_or(rest.len());
            before = '0';
            rest = rest.get(end..).unwrap_or("");
        } else if starts_name(first) {
            let (name, end) = chain(rest);
            rest = rest.get(end..).unwrap_or("");
            let quoted = matches!(before, '\'' | '"' | '`' | '‘' | '“')
                && rest.starts_with(['\'', '"', '`', '’', '”']);
            // `value(s)` is a plural, not a call.
            let called =
                rest.starts_with('(') && !rest.starts_with("(s)") && !rest.starts_with("(es)");
            names.push(Name {
                text: name,
                called,
                quoted,
            });
            before = 'a';
        } else {
            before = first;
            rest = rest.get(first.len_utf8()..).unwrap_or("");
        }
    }
    names
}

/// Returns the chain at the start of a text, and its end in bytes.
fn chain(text: &str) -> (String, usize) {
    let mut name = String::new();
    let mut end = 0;
    loop {
        let rest = text.get(end..).unwrap_or("");
        // Chinese, Japanese and Korean text adjoins a name without spaces.
        let unspaced = rest.starts_with(is_unspaced);
        let part = rest
            .find(|c: char| !continues_name(c) || is_unspaced(c) != unspaced)
            .unwrap_or(rest.len());
        name.push_str(rest.get(..part).unwrap_or(""));
        end += part;
        let rest = text.get(end..).unwrap_or("");
        let camel = name.starts_with(char::is_uppercase);
        let joint = [".", "::", "->", "#", "?."]
            .iter()
            .find(|joint| {
                rest.strip_prefix(**joint)
                    .is_some_and(|r| r.starts_with(starts_name))
            })
            .filter(|joint| **joint != "#" || camel);
        let Some(joint) = joint else {
            return (name, end);
        };
        name.push('.');
        end += joint.len();
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Removes parts without meaning: `self.`, `this.`, `$`, underscores used for emphasis.
pub(super) fn trim(name: &str) -> &str {
    let mut name = name.trim_start_matches('$');
    for receiver in ["self.", "cls.", "this.", "super."] {
        name = name.strip_prefix(receiver).unwrap_or(name);
    }
    let emphasis =
        name.len() > 2 && name.starts_with('_') && name.ends_with('_') && !name.starts_with("__");
    if emphasis {
        name.trim_matches('_')
    } else {
        name
    }
}

/// Whether a word of prose looks like an identifier: `CamelCase`, `snake_case`, `a.b`, `name()`.
pub(super) fn is_identifier_like(name: &str, called: bool) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    if last.chars().count() < 2 || name.len() > 200 {
        return false;
    }
    if name.contains('.') {
        const HOSTS: &[&str] = &[
            "com", "org", "net", "io", "dev", "app", "ai", "co", "html", "htm", "edu", "gov",
        ];
        const SHORT: &[&str] = &["e.g", "i.e", "a.k.a", "etc"];
        let short = SHORT.iter().any(|s| name.eq_ignore_ascii_case(s));
        let product = PRODUCTS.contains(&name.to_ascii_lowercase().as_str());
        return called
            || (!HOSTS.contains(&last) && !short && !product && !is_sentence_joint(name));
    }
    if called {
        return !is_keyword(name);
    }
    let inner = name.trim_matches('_');
    if inner.contains('_') {
        return !PRODUCTS.contains(&inner);
    }
    if name.starts_with("__") && name.ends_with("__") && inner.len() > 1 {
        return true;
    }
    is_camel(inner) && !PRODUCTS.contains(&inner.to_ascii_lowercase().as_str())
}

/// Whether a name such as `done.Then` is two sentences without a space between them, rather than a module and
/// its class. It counts as two sentences only if the second word is very common.
fn is_sentence_joint(name: &str) -> bool {
    const STARTS: &[&str] = &[
        "The", "This", "It", "If", "In", "But", "And", "So", "When", "We", "Then", "For", "Is",
        "As", "However", "Also", "To", "There", "Please", "Thanks",
    ];
    name.rsplit_once('.')
        .is_some_and(|(_, last)| STARTS.contains(&last))
}

/// Whether a name has two humps (`ModelForm`, `getItem`), or an acronym and a word (`JSONField`, not `URLs`).
fn is_camel(name: &str) -> bool {
    let mut humps = false;
    let mut uppers = 0;
    let mut lowers = 0;
    let mut acronym = false;
    let mut previous_lower = false;
    for c in name.chars() {
        if c.is_uppercase() {
            humps |= previous_lower;
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
    (humps || acronym) && !plural && name.chars().count() >= 4
}

/// Whether a name in a code block may be defined in the repository: it is called, capitalised or
/// identifier-like, and neither a keyword nor built in.
pub(super) fn is_code_name(name: &str, called: bool) -> bool {
    if is_keyword(name) || BUILT_IN.contains(&name) {
        return false;
    }
    let capital = name.starts_with(char::is_uppercase)
        && name.chars().count() >= 3
        && name.chars().any(char::is_lowercase);
    capital || is_identifier_like(name, called)
}

/// Whether a name is a keyword or literal of a language that issues quote.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok()
}

/// Products and formats that are spelled like identifiers.
const PRODUCTS: &[&str] = &[
    "angular.js",
    "devtools",
    "ebpf",
    "express.js",
    "facebook",
    "freebsd",
    "github",
    "gitlab",
    "google.com",
    "graphql",
    "ios",
    "ipad",
    "iphone",
    "ipython",
    "javascript",
    "jquery",
    "linkedin",
    "macbook",
    "macos",
    "mongodb",
    "mysql",
    "next.js",
    "node.js",
    "nodejs",
    "nuxt.js",
    "numpy",
    "openapi",
    "openbsd",
    "openssl",
    "oauth",
    "postgresql",
    "pycharm",
    "pypi",
    "pypy",
    "pytorch",
    "react.js",
    "scikit",
    "scipy",
    "stackblitz",
    "stackoverflow",
    "tensorflow",
    "three.js",
    "typescript",
    "vscode",
    "vue.js",
    "webassembly",
    "webpack",
    "wikipedia",
    "wordpress",
    "sqlite",
    "x86_64",
    "mariadb",
    "dynamodb",
    "youtube",
    "intellij",
    "codesandbox",
    "javadoc",
];

const BUILT_IN: &[&str] = &[
    "Array",
    "Boolean",
    "Date",
    "Error",
    "Exception",
    "JSON.parse",
    "JSON.stringify",
    "Map",
    "Math.floor",
    "Number",
    "Object",
    "Object.keys",
    "Optional",
    "Out",
    "In",
    "Promise",
    "Set",
    "String",
    "System.out.println",
    "Traceback",
    "bool",
    "bytes",
    "console.error",
    "console.log",
    "console.warn",
    "dict",
    "dir",
    "enumerate",
    "expect",
    "fmt.Printf",
    "fmt.Println",
    "float",
    "getattr",
    "hasattr",
    "help",
    "input",
    "int",
    "isinstance",
    "len",
    "list",
    "map",
    "max",
    "min",
    "module.exports",
    "object",
    "open",
    "pprint",
    "print",
    "printf",
    "println",
    "process.exit",
    "range",
    "repr",
    "require",
    "set",
    "setattr",
    "sorted",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "typeof",
    "vars",
    "zip",
    "List",
    "Dict",
    "Any",
    "Union",
    "sys.exit",
    "sys.argv",
    "The",
    "This",
    "True",
    "False",
];

const KEYWORDS: &[&str] = &[
    "False",
    "None",
    "True",
    "abstract",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constructor",
    "continue",
    "def",
    "default",
    "del",
    "delete",
    "do",
    "elif",
    "else",
    "end",
    "enum",
    "except",
    "export",
    "extends",
    "false",
    "final",
    "finally",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "global",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "is",
    "lambda",
    "let",
    "match",
    "mut",
    "new",
    "nil",
    "nonlocal",
    "not",
    "null",
    "or",
    "package",
    "pass",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "switch",
    "then",
    "this",
    "throw",
    "throws",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "use",
    "var",
    "void",
    "while",
    "with",
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
    fn identifier_like_words_are_recognised() {
        for yes in [
            "ModelForm",
            "getItem",
            "JSONField",
            "max_length",
            "__init__",
            "db.models",
            "iPhoneModel",
        ] {
            assert!(is_identifier_like(yes, false), "{yes}");
        }
        for no in [
            "model",
            "URLs",
            "GitHub",
            "HTTP",
            "e.g",
            "example.com",
            "_",
            "x",
            "_x",
            "Node.js",
            "works.But",
        ] {
            assert!(!is_identifier_like(no, false), "{no}");
        }
        assert!(is_identifier_like("connect", true));
    }
}
