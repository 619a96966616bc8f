//! Registers Go.

mod heads;
mod library;
mod modules;
mod traces;
mod walker;

use foveate_model::resolution::{LookupRules, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::hunks::heads::{HunkHeads, Pattern, first_word, split_keyword};
use crate::origin::form::{Origin, OriginForm, PackageHome, PackageManager, below, installed};
use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) static GO: LanguageSpec = LanguageSpec {
    names: Names {
        lock_files: &["go.sum"],
        ..Names::extensions(&["go"])
    },
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            generated_endings: &[
                ".pb.go", ".pb.gw.go", ".pb.validate.go", ".twirp.go", "_easyjson.go",
                "_ffjson.go", "wire_gen.go",
            ],
            generated_directories: &["godeps"],
            configuration_names: &["go.mod", "go.work"],
            well_known: include_str!("go/well_known.txt"),
            ..Ecosystem::NONE
        },
        is_copy,
        // Elsewhere, packages that help tests are part of what a module offers.
        is_test: |file| {
            file.stem.ends_with("_test")
                || file.has_directory(&["testutil", "testutils"])
                    && file.has_directory(&["internal"])
        },
        every_directory_is_package: true,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["go", "golang"],
        lines: &[
            Line::starting("func "),
            Line::when("package ", |line| !line.ends_with(';')),
            Line::when("import \"", |line| line.ends_with('"')),
            Line::when("if err ", |line| line.ends_with('{')),
            Line::when("type ", |line| {
                line.ends_with(" struct {") || line.ends_with(" interface {")
            }),
        ],
        pasted: &["func (", "if err != nil"],
        imports: Some(Imports {
            brackets: |line| line.starts_with("import ").then_some(&['(']),
            names: imported,
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        manager: Some(&MODULES),
        package,
        runtime,
        ..OriginForm::NONE
    },
    hunks: Some(HunkHeads {
        pattern: Pattern::Git("golang"),
        extensions: &["go"],
        shows_indentation: true,
        named: head_name,
        is_definition: |_| true,
    }),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: LookupRules {
        uses_name_their_package: true,
        star_imports_are_transitive: false,
        globals: GLOBALS,
        builtin_members: BUILTIN_MEMBERS,
        named_types_have_methods: true,
        implicit_interfaces: Some(heads::types),
        library_interfaces: library::INTERFACES,
        ..LookupRules::DEFAULT
    },
    tests: TestConventions {
        package_stems: &["doc"],
        file_endings: &["_test"],
        file_beginnings: &[],
        file_class_endings: &[],
        general_stems: &["main"],
        directories: &["test", "tests"],
        source_directories: &["pkg", "internal", "cmd"],
        function_beginnings: &["Test", "Benchmark", "Example", "Fuzz"],
        class_beginnings: &[],
        class_endings: &["Suite"],
        function_decorators: &[],
    },
    ..LanguageRules::new("go", 4)
};

/// Whether a generator writes the file. The output of `stringer` and the like is recognised by its first
/// line; a name such as `to_string.go` is no evidence. Tests are written by hand: `mock_test.go` tests `mock.go`.
fn is_copy(file: &File<'_>) -> bool {
    let starts = ["zz_generated", "mock_", "bindata"];
    let is_written_by_tool = starts.iter().any(|start| file.stem.starts_with(start))
        || file.stem.starts_with("zz_") && file.stem.contains("generated")
        || file.has_directory(&["mocks"]);
    is_written_by_tool && !file.stem.ends_with("_test")
}

/// Collects the paths of `import "a.com/b"`, `import b "a.com/b"`, `import ( "fmt" "a.com/b" )`.
fn imported(statement: &str) -> Option<Vec<String>> {
    let rest = statement.strip_prefix("import ")?.trim_start_matches('(');
    let mut parts = rest.split('"');
    let alias = parts.next().unwrap_or_default().trim();
    // Every second part is between quotes.
    (!alias.contains(' ')).then(|| parts.step_by(2).map(str::to_owned).collect())
}

static MODULES: PackageManager = PackageManager {
    name: "go",
    home: PackageHome::Manifest {
        file: "go.mod",
        key: "module ",
    },
    is_built: false,
};

/// Returns the path within the module directory, and the package:
/// `/root/go/pkg/mod/github.com/a/b@v1.2.3/c.go`, `vendor/github.com/a/b/c.go`
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    if path.contains("/golang.org/toolchain@") {
        return None;
    }
    if let Some(rest) = below(path, "pkg/mod") {
        return Some((rest, installed(&MODULES, rest, rest.find('@')?)?));
    }
    if is_import_path(path)
        && let Some(end) = path.find("@v")
    {
        return Some((path, installed(&MODULES, path, end)?));
    }
    let rest = below(path, "vendor").filter(|_| path.ends_with(".go"))?;
    let (end, _) = rest.match_indices('/').nth(2)?;
    Some((rest, installed(&MODULES, rest, end)?))
}

/// Whether a program that was built with `-trimpath` prints such a path for a module: `github.com/a/b@v1.2.3/c.go`. Its
/// first directory is a host.
fn is_import_path(path: &str) -> bool {
    let host = path.split_once('/').map_or("", |(host, _)| host);
    path.ends_with(".go") && !host.starts_with('.') && host.contains('.')
}

/// Whether a program that was built with `-trimpath` prints such a path for the standard library: `net/http/server.go`.
/// A repository's own file is still found by a path that ends in the whole of it.
fn is_standard(path: &str) -> bool {
    let directory = path.split_once('/').map_or("", |(directory, _)| directory);
    path.ends_with(".go") && STANDARD_LIBRARY.binary_search(&directory).is_ok()
}

fn runtime(path: &str) -> Option<&str> {
    let roots = [
        "/usr/local/go/src/", "/usr/lib/go/src/", "/usr/lib/golang/src/", "C:/Go/src/",
        "C:/Program Files/Go/src/",
    ];
    let installed = roots.iter().find_map(|root| path.strip_prefix(root));
    // `/opt/hostedtoolcache/go/1.22.0/x64/src/`, `/usr/local/Cellar/go/1.22.0/libexec/src/`,
    // `/usr/lib/go-1.22/src/`, `…/golang.org/toolchain@v0.0.1-go1.22.0.linux-amd64/src/`
    let installed = installed.or_else(|| {
        let marks = ["/go/1.", "/go-1.", "/golang.org/toolchain@", "/sdk/go1."];
        let (_, rest) = marks.iter().find_map(|mark| path.split_once(mark))?;
        let (above, rest) = rest.split_once("/src/")?;
        (above.split('/').count() <= 2).then_some(rest)
    });
    installed.or_else(|| is_standard(path).then_some(path))
}

fn head_name(line: &str) -> Option<&str> {
    let (keyword, rest) = split_keyword(line, &[], &["func", "type"])?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = match (keyword, rest.strip_prefix('(')) {
        ("func", Some(receiver)) => receiver.split_once(')')?.1.trim_start(),
        _ => rest,
    };
    first_word(rest).filter(|name| rest.starts_with(name))
}

/// First directories of the packages of the standard library, sorted.
const STANDARD_LIBRARY: &[&str] = &[
    "archive", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto",
    "database", "debug", "embed", "encoding", "errors", "expvar", "fmt", "go", "hash", "html",
    "image", "io", "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect",
    "regexp", "runtime", "slices", "sort", "strconv", "strings", "sync", "syscall", "testing",
    "text", "time", "unicode", "unique", "unsafe", "weak",
];

/// Predeclared functions and values, sorted.
const GLOBALS: &[&str] = &[
    "append", "cap", "clear", "close", "complex", "copy", "delete", "false", "imag", "iota", "len",
    "make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover", "true",
];

/// Methods of standard library types, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "Add", "Bytes", "Close", "Done", "Err", "Error", "Errorf", "Fatal", "Fatalf", "Format", "Get",
    "Len", "Less", "Lock", "Next", "Printf", "Println", "RLock", "RUnlock", "Read", "Reset", "Run",
    "Scan", "Seek", "Set", "Sprintf", "String", "Swap", "Unlock", "Unwrap", "Value", "Wait",
    "Write", "WriteString",
];

#[cfg(test)]
mod tests {
    use super::GO;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_read() {
        check(
            GO.hunks.unwrap(),
            &[
                ("func (e *Engine) ServeHTTP(w, r) {", Some("ServeHTTP")),
                ("func New() *Engine {", Some("New")),
                ("type Params []Param", Some("Params")),
                (
                    "func (c *Cart[T]) Sum(items ...T) (int, error) {",
                    Some("Sum"),
                ),
                ("func (Cart) Size() int {", Some("Size")),
                ("func Map[T, U any](in []T, f func(T) U) []U {", Some("Map")),
                ("type Cart[T any] struct {", Some("Cart")),
                ("type Item interface {", Some("Item")),
                ("type Sum func(a int) int", Some("Sum")),
                ("func init() {", Some("init")),
                ("type (", None),
                ("var f = func() {", None),
                ("\tfunc() {", None),
            ],
        );
    }
}
