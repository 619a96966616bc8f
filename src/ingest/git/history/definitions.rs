//! Which lines begin a function or a class, and its name: patterns for git, which writes the last
//! such line above a change into the change's head, and the same by hand for changed lines. A line
//! is all that is looked at, so this errs on odd layouts; no source is parsed here.

use std::fmt::Write as _;

/// Languages whose definitions begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `def`, `class`.
    Python,
    /// JavaScript and TypeScript.
    EcmaScript,
    /// `fn`, `impl` and types.
    Rust,
    /// `func`, `type`.
    Go,
    /// A keyword and a name: Ruby, PHP, Kotlin, Swift, Scala.
    Keyword,
    /// C and C++: a type, a name and parentheses, at the start of a line.
    C,
    /// Java and C#: as C, within classes.
    Java,
}

/// A family, the name of its pattern for git, and the extensions of its files.
type Row = (Family, &'static str, &'static [&'static str]);

/// Names without a dash are git's own patterns.
const ROWS: [Row; 8] = [
    (Family::Python, "foveate-python", &["py", "pyi", "pyx"]),
    (
        Family::EcmaScript,
        "foveate-ecmascript",
        &[
            "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte",
        ],
    ),
    (Family::Rust, "foveate-rust", &["rs"]),
    (Family::Go, "golang", &["go"]),
    (
        Family::Keyword,
        "foveate-keyword",
        &["rb", "php", "kt", "kts", "swift", "scala"],
    ),
    (
        Family::C,
        "cpp",
        &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"],
    ),
    (Family::Java, "java", &["java"]),
    (Family::Java, "csharp", &["cs"]),
];

/// Patterns for git, one a line; `!` refuses. What a pattern encloses is what git shows: with the
/// indentation, which tells whether a change is within the definition or behind it.
const PATTERNS: [(&str, &str); 4] = [
    (
        "foveate-python",
        r"^([[:space:]]*(class|(async[[:space:]]+)?def)[[:space:]].*)$",
    ),
    (
        "foveate-rust",
        r#"^([[:space:]]*((pub(\([^)]+\))?|default|async|const|unsafe|extern|"[^"]*")[[:space:]]+)*(struct|enum|union|mod|trait|fn|impl|macro_rules!)[<[:space:]]+[^;]*)$"#,
    ),
    (
        "foveate-keyword",
        r"^([[:space:]]*((abstract|actual|annotation|async|case|companion|convenience|data|dynamic|enum|expect|external|fileprivate|final|implicit|indirect|infix|inline|inner|internal|lazy|mutating|open|operator|override|partial|private|protected|public|readonly|required|sealed|static|suspend|tailrec|value)[[:space:]]+)*(class|def|enum|extension|fun|func|function|interface|module|object|protocol|struct|trait)[[:space:]]+[^[:space:]].*)$",
    ),
    (
        "foveate-ecmascript",
        r"!^[[:space:]]*(if|for|while|switch|catch|return|else|do|throw|await|new|with|case|typeof|yield|super)[^A-Za-z0-9_$]
^([[:space:]]*((export|default|declare|abstract|async)[[:space:]]+)*(function|class|interface|enum|namespace)[^A-Za-z0-9_$].*)$
^([[:space:]]*((export|declare)[[:space:]]+)*type[[:space:]]+[A-Za-z_$][A-Za-z0-9_$]*.*=.*)$
^([[:space:]]*((export|const|let|var|public|private|protected|static|readonly|override)[[:space:]]+)*[A-Za-z_$#][A-Za-z0-9_$.]*[?]?[[:space:]]*(:[^=]*)?=[[:space:]]*(async[[:space:]]*)?(function[^A-Za-z0-9_$].*|[(<].*=>.*|[A-Za-z_$][A-Za-z0-9_$]*[[:space:]]*=>.*|\(|[A-Za-z_$][A-Za-z0-9_$.]*(<[^>]*>)?\((async[[:space:]]*)?(\(.*=>[[:space:]]*[{]|function.*[{])))$
^([[:space:]]+[A-Za-z_$#][A-Za-z0-9_$]*[[:space:]]*:[[:space:]]*(async[[:space:]]*)?(function[^A-Za-z0-9_$].*|(\([^()]*\)|[A-Za-z_$][A-Za-z0-9_$]*)[[:space:]]*=>.*))$
^([[:space:]]+((public|private|protected|static|async|override|readonly|abstract|get|set)[[:space:]]+|[*][[:space:]]*)*[A-Za-z_$#][A-Za-z0-9_$]*[?]?[[:space:]]*(<[^>]*>)?\([^()]*(\([^()]*\)[^()]*)*\)[[:space:]]*(:[^=]*)?[{][[:space:]]*)$
^([[:space:]]+((public|private|protected|static|async|override|abstract)[[:space:]]+)+[A-Za-z_$#][A-Za-z0-9_$]*[[:space:]]*(<[^>]*>)?\(.*)$",
    ),
];

/// Longest name that is kept, in bytes.
const LONGEST_NAME: usize = 100;

/// The attributes file that gives each extension its pattern.
pub fn attributes() -> String {
    let mut text = String::new();
    for (_, pattern, extensions) in ROWS {
        for extension in extensions {
            // Writing to a string never fails.
            let _ = writeln!(text, "*.{extension} diff={pattern}");
        }
    }
    text
}

/// The settings, `key=value`, that tell git the patterns.
pub fn settings() -> impl Iterator<Item = String> {
    PATTERNS
        .iter()
        .map(|(name, pattern)| format!("diff.{name}.xfuncname={pattern}"))
}

/// Extensions of the files whose functions are read.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    ROWS.iter()
        .flat_map(|(_, _, extensions)| extensions.iter().copied())
}

/// The family of a file; `None` for one whose functions are not read.
pub fn family(path: &str) -> Option<Family> {
    let (_, extension) = path.rsplit_once('.')?;
    ROWS.iter()
        .find(|(_, _, extensions)| extensions.contains(&extension))
        .map(|(family, _, _)| *family)
}

impl Family {
    /// Whether the indentation of a line in a change's head is that of the line in the file.
    pub fn shows_indentation(self) -> bool {
        self != Self::Java
    }

    /// The name in a line that git took for a definition. It may be cut.
    pub fn named(self, line: &str) -> Option<&str> {
        let line = line.trim();
        let name = match self {
            Self::Python => after_keyword(line, &["async"], &["def", "class"]),
            Self::Rust => rust(line),
            Self::Go => go(line),
            Self::Keyword => keyword(line),
            Self::EcmaScript => ecmascript::named(line),
            Self::C | Self::Java => c_like(line),
        };
        name.filter(|name| (1..=LONGEST_NAME).contains(&name.len()))
    }

    /// The name that a changed line defines.
    pub fn defines(self, line: &str) -> Option<&str> {
        let text = line.trim();
        let is_definition = match self {
            Self::EcmaScript => ecmascript::is_definition(line),
            Self::C => is_c_like(text) && !line.starts_with([' ', '\t']),
            Self::Java => is_c_like(text),
            Self::Rust => !text.ends_with(';'),
            Self::Python | Self::Go | Self::Keyword => true,
        };
        if is_definition {
            self.named(line)
        } else {
            None
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The words of a text, and for each what follows it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| !is_word(c));
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some((word, after))
    })
}

fn first_word(text: &str) -> Option<&str> {
    words(text).next().map(|(word, _)| word)
}

fn last_word(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(|c| !is_word(c));
    let start = text.rfind(|c| !is_word(c)).map_or(0, |at| {
        at + text[at..].chars().next().map_or(1, char::len_utf8)
    });
    Some(&text[start..]).filter(|word| !word.is_empty())
}

/// The keyword that a line begins with, behind modifiers, and what follows it.
fn split_keyword<'a>(
    line: &'a str,
    modifiers: &[&str],
    keywords: &[&str],
) -> Option<(&'a str, &'a str)> {
    if !line.starts_with(is_word) {
        return None;
    }
    words(line)
        .find(|(word, _)| !modifiers.contains(word))
        .filter(|(word, rest)| keywords.contains(word) && !rest.starts_with(['=', '.', ':', ',']))
}

fn after_keyword<'a>(line: &'a str, modifiers: &[&str], keywords: &[&str]) -> Option<&'a str> {
    let (_, rest) = split_keyword(line, modifiers, keywords)?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    first_word(rest).filter(|word| rest.starts_with(word))
}

/// What stands before the parentheses of parameters, without type parameters.
fn before_parameters(text: &str) -> &str {
    let head = text.split('(').next().unwrap_or(text).trim_end();
    match (head.ends_with('>'), head.find('<')) {
        (true, Some(at)) => &head[..at],
        _ => head,
    }
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

fn go(line: &str) -> Option<&str> {
    let (keyword, rest) = split_keyword(line, &[], &["func", "type"])?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = match (keyword, rest.strip_prefix('(')) {
        ("func", Some(receiver)) => receiver.split_once(')')?.1.trim_start(),
        _ => rest,
    };
    first_word(rest).filter(|name| rest.starts_with(name))
}

fn keyword(line: &str) -> Option<&str> {
    const MODIFIERS: [&str; 36] = [
        "abstract",
        "actual",
        "annotation",
        "async",
        "case",
        "companion",
        "convenience",
        "data",
        "dynamic",
        "expect",
        "external",
        "fileprivate",
        "final",
        "implicit",
        "indirect",
        "infix",
        "inline",
        "inner",
        "internal",
        "lazy",
        "mutating",
        "open",
        "operator",
        "override",
        "partial",
        "private",
        "protected",
        "public",
        "readonly",
        "required",
        "sealed",
        "static",
        "suspend",
        "tailrec",
        "value",
        "self",
    ];
    const FUNCTIONS: [&str; 4] = ["def", "fun", "func", "function"];
    const TYPES: [&str; 9] = [
        "class",
        "enum",
        "extension",
        "interface",
        "module",
        "object",
        "protocol",
        "struct",
        "trait",
    ];
    if let Some((_, rest)) = split_keyword(line, &MODIFIERS, &FUNCTIONS) {
        let head = before_parameters(rest.strip_prefix([' ', '\t'])?);
        // A function without parameters may have its body or its type on the same line.
        let head = head.split([';', '=', ':']).next()?;
        return last_word(head);
    }
    let name = after_keyword(line, &MODIFIERS, &TYPES)?;
    // `enum class Name`
    if TYPES.contains(&name) {
        let (_, rest) = words(line).find(|(word, _)| *word == name)?;
        return first_word(rest);
    }
    Some(name)
}

const CONTROL: [&str; 24] = [
    "if",
    "for",
    "foreach",
    "while",
    "switch",
    "catch",
    "return",
    "else",
    "do",
    "throw",
    "await",
    "new",
    "with",
    "case",
    "typeof",
    "yield",
    "super",
    "lock",
    "using",
    "sizeof",
    "synchronized",
    "function",
    "try",
    "fixed",
];

fn c_like(line: &str) -> Option<&str> {
    const TYPES: [&str; 8] = [
        "class",
        "interface",
        "enum",
        "record",
        "struct",
        "namespace",
        "union",
        "@interface",
    ];
    let head = before_parameters(line);
    let of_type = words(head).find(|(word, _)| TYPES.contains(word));
    match of_type {
        // `struct a *f(` is a function.
        Some((_, rest)) if head.len() == line.len() || !rest.contains(['*', ' ']) => {}
        Some((_, rest)) if line.contains('{') && !line.contains('(') => {
            return first_word(rest);
        }
        _ => {
            return last_word(head).filter(|name| line.contains('(') && !CONTROL.contains(name));
        }
    }
    let (_, rest) = of_type?;
    let name = first_word(rest)?;
    if TYPES.contains(&name) {
        return words(rest).nth(1).map(|(word, _)| word);
    }
    Some(name)
}

/// Whether a line begins a type, or a function with its type before its name.
fn is_c_like(line: &str) -> bool {
    if line.ends_with(';') || line.starts_with(['#', '/', '*', '@', '}', '"']) {
        return false;
    }
    let Some((head, _)) = line.split_once('(') else {
        let modifiers = [
            "public",
            "private",
            "protected",
            "internal",
            "static",
            "final",
            "abstract",
            "sealed",
            "partial",
            "typedef",
            "template",
        ];
        let types = [
            "class",
            "interface",
            "enum",
            "record",
            "struct",
            "namespace",
            "union",
        ];
        return after_keyword(line, &modifiers, &types).is_some();
    };
    let mut before = words(head);
    let first = before.next().map_or("", |(word, _)| word);
    let has_type = before.next().is_some();
    has_type
        && !CONTROL.contains(&first)
        && !head.contains(['=', '.', '"', '+', '?', '{'])
        && line.ends_with(['{', ')', ',', '('])
}

/// JavaScript and TypeScript, where a function may stand in a variable.
mod ecmascript {
    use super::{CONTROL, first_word, is_word, last_word, split_keyword, words};

    const MODIFIERS: [&str; 20] = [
        "export",
        "default",
        "declare",
        "abstract",
        "async",
        "public",
        "private",
        "protected",
        "static",
        "readonly",
        "override",
        "get",
        "set",
        "const",
        "let",
        "var",
        "accessor",
        "async",
        "function",
        "new",
    ];
    const TYPES: [&str; 5] = ["class", "interface", "enum", "namespace", "type"];

    pub fn named(line: &str) -> Option<&str> {
        if let Some((_, rest)) = split_keyword(line, &MODIFIERS, &TYPES)
            && rest.starts_with([' ', '\t'])
        {
            return first_word(rest).filter(|name| *name != "extends");
        }
        let head = line.split(['(', '=', ':', '<', '{']).next()?;
        last_word(head).filter(|name| !CONTROL.contains(name) && *name != "default")
    }

    pub fn is_definition(line: &str) -> bool {
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

    /// A variable or property whose value is a function.
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
            // The type of a variable stands before its value.
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

    /// `name(…) {`: the parentheses are closed before the body begins, unlike those of a call.
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
            // Over several lines only a modifier tells it from a call.
            None => {
                let modifiers = &MODIFIERS[3..11];
                words(head).count() > 1
                    && first_word(head).is_some_and(|word| modifiers.contains(&word))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, cases: &[(&str, Option<&str>)]) {
        for (line, name) in cases {
            assert_eq!(family.defines(line), *name, "{line}");
        }
    }

    #[test]
    fn python() {
        check(
            Family::Python,
            &[
                ("    async def get_queryset(self):", Some("get_queryset")),
                ("class Meta(Base):", Some("Meta")),
                ("defer = 1", None),
                ("    return def_", None),
                ("class_ = 3", None),
            ],
        );
    }

    #[test]
    fn rust() {
        check(
            Family::Rust,
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

    #[test]
    fn go() {
        check(
            Family::Go,
            &[
                ("func (e *Engine) ServeHTTP(w, r) {", Some("ServeHTTP")),
                ("func New() *Engine {", Some("New")),
                ("type Params []Param", Some("Params")),
                ("\tfunc() {", None),
            ],
        );
    }

    #[test]
    fn languages_with_keywords() {
        check(
            Family::Keyword,
            &[
                ("  def self.find(id)", Some("find")),
                ("class Cart < Base", Some("Cart")),
                ("    public static function make($x)", Some("make")),
                ("enum class Color(val rgb: Int) {", Some("Color")),
                ("suspend fun <T> Flow<T>.collect(x: Int) {", Some("collect")),
                ("  override func viewDidLoad() {", Some("viewDidLoad")),
                ("# the class of", None),
            ],
        );
    }

    #[test]
    fn c_and_java() {
        check(
            Family::C,
            &[
                ("static int read_all(struct buf *b)", Some("read_all")),
                ("struct node *next(struct list *l) {", Some("next")),
                ("struct node {", Some("node")),
                ("void Cart::add(int n) {", Some("add")),
                ("int open(const char *path);", None),
                ("    call(a, b)", None),
                ("#define F(x) (", None),
            ],
        );
        check(
            Family::Java,
            &[
                ("    public List<String> names(int n) {", Some("names")),
                ("public final class Cart extends Base {", Some("Cart")),
                ("        return make(a) {", None),
                ("        } else if (x) {", None),
                ("        foo(bar);", None),
            ],
        );
    }

    #[test]
    fn ecmascript() {
        check(
            Family::EcmaScript,
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
