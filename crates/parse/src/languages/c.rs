//! Registers C and C++, which share headers, debuggers and conventions.

mod headers;
mod masks;
mod modules;
mod traces;
mod walker;

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::hunks::heads::{HunkHeads, Pattern, is_word};
use crate::languages::typed_heads::{self, CONTROL};
use crate::origin::form::{OriginForm, below};
use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) static C: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["c", "h"]),
    by_content: |text| headers::is_cpp(text).then_some(Language::of(&CPP_RULES)),
    parser: Some(|language, text, _, limits| walker::facts(&walker::C, language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            generated_names: &["aclocal.m4", "ltmain.sh", "config.guess", "config.sub"],
            generated_endings: &[
                ".pb.cc", ".pb.h", ".pb-c.c", ".pb-c.h", ".tab.c", ".tab.h", ".tab.cc", ".tab.cpp",
                ".yy.c", ".yy.cc", "_generated.h", "_amalgamated.h", "_amalgamated.c",
                "_amalgamated.hpp", "_amalgamated.cpp",
            ],
            // Directories with all headers of a library in one file.
            generated_directories: &[
                "single_include", "single-include", "single_header", "single-header",
                "singleheader", "amalgamation", "amalgamated", "_deps",
            ],
            test_directories: &["unittests", "unittest"],
            configuration_names: &[
                "cmakelists.txt", "meson.build", "meson_options.txt", "configure.ac",
                "makefile.am", "conanfile.txt", "conanfile.py", "vcpkg.json", "module.bazel",
            ],
            configuration_endings: &[".vcxproj", ".vcxproj.filters"],
            well_known: include_str!("c/well_known.txt"),
            ..Ecosystem::NONE
        },
        is_copy,
        is_test,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["c", "h"],
        lines: &[
            Line::starting("#include "),
            Line::starting("#define "),
            Line::starting("#ifdef "),
            Line::starting("int main("),
            Line::starting("typedef struct "),
        ],
        pasted: &["#include", "#define "],
        imports: Some(Imports {
            brackets: |line| included(line).map(|_| [].as_slice()),
            names: |statement| Some(vec![included(statement)?.to_owned()]),
        }),
        ..CodeForm::NONE
    },
    traces: traces::C,
    origins: OriginForm {
        runtime,
        runtime_types: STANDARD_TYPES,
        is_copied: is_code,
        ..OriginForm::NONE
    },
    hunks: Some(heads(&["c", "h"])),
    ..LanguageSpec::new(Language::of(&C_RULES))
};

pub(super) static CPP: LanguageSpec = LanguageSpec {
    names: Names::extensions(&[
        "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "cu", "cuh", "cppm", "ixx", "inl", "ipp",
        "tcc", "tpp", "txx",
    ]),
    parser: Some(|language, text, _, limits| walker::facts(&walker::CPP, language, text, limits)),
    roles: Roles {
        is_copy,
        is_test,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["cpp", "c++", "cc", "cxx", "hpp", "h++"],
        lines: &[
            Line::starting("using namespace "),
            Line::starting("template <"),
            Line::starting("template<"),
            Line::starting("std::"),
            Line::starting("constexpr "),
            // Headers of the C++ standard library have no extension.
            Line::when("#include <", |line| {
                line.ends_with('>') && !line.ends_with(".h>")
            }),
        ],
        pasted: &["template <", "template<"],
        ..CodeForm::NONE
    },
    traces: traces::CPP,
    origins: OriginForm {
        runtime_packages: &["std."],
        is_copied: |path| {
            let endings = [".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"];
            endings.iter().any(|ending| path.ends_with(ending))
        },
        ..OriginForm::NONE
    },
    hunks: Some(heads(CPP_EXTENSIONS)),
    ..LanguageSpec::new(Language::of(&CPP_RULES))
};

/// Types of the standard libraries of C and POSIX.
const STANDARD_TYPES: &[&str] = &[
    "char16_t", "char32_t", "char8_t", "clock_t", "int16_t", "int32_t", "int64_t", "int8_t",
    "intmax_t", "intptr_t", "max_align_t", "mode_t", "nullptr_t", "off_t", "pid_t", "ptrdiff_t",
    "size_t", "socklen_t", "ssize_t", "time_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t",
    "uintmax_t", "uintptr_t", "wchar_t", "wint_t",
];

/// Extensions that say C++ in diffs and traces.
const CPP_EXTENSIONS: &[&str] = &[
    "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cu", "cuh", "cppm", "ixx", "inl", "ipp", "tcc", "tpp",
    "txx",
];

static C_RULES: LanguageRules = LanguageRules {
    family: FAMILY,
    modules: Some(&modules::MODULES),
    lookup: C_LOOKUP,
    tests: TESTS,
    ..LanguageRules::new("c", 12)
};

static CPP_RULES: LanguageRules = LanguageRules {
    family: FAMILY,
    modules: Some(&modules::MODULES),
    lookup: LookupRules {
        paths_may_be_qualified: true,
        members_are_bare: true,
        receivers: &[("this", Receiver::Instance)],
        builtin_members: BUILTIN_MEMBERS,
        ..C_LOOKUP
    },
    tests: TESTS,
    ..LanguageRules::new("cpp", 13)
};

const FAMILY: &str = "c";

/// Whether a file is third-party source that is built along, or output of an interface generator.
fn is_copy(file: &File<'_>) -> bool {
    let is_pod = file.path.directory().split('/').any(|d| d == "Pods");
    let starts = ["moc_", "qrc_", "ui_"];
    is_pod
        || file.has_directory(&["external", "deps", "submodules"])
        || starts.iter().any(|start| file.stem.starts_with(start))
}

/// Whether a file is a test: `test.c`, `cart_test.cc`, `cart-test.cc`, `test_cart.c`, `cart_unittest.cc`,
/// `CartTest.cpp`
fn is_test(file: &File<'_>) -> bool {
    if file.has_directory(&["include"]) {
        return false;
    }
    let stem = file.stem.as_str();
    let endings = [
        "_test", "-test", "_tests", "-tests", "_unittest", "_unittests", ".test",
    ];
    matches!(stem, "test" | "tests")
        || endings.iter().any(|ending| stem.ends_with(ending))
        || stem.starts_with("test_")
        || stem.starts_with("test-")
        || ["Test", "Tests"]
            .iter()
            .any(|ending| file.path.stem().ends_with(ending))
}

/// Returns the path of `#include "a/b.h"` and `#include <a/b.h>`.
fn included(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("include")?.trim_start();
    let close = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    let (path, _) = rest.get(1..)?.split_once(close)?;
    Some(path.trim_start_matches("./").trim_start_matches("../"))
}

fn is_code(path: &str) -> bool {
    path.ends_with(".c") || path.ends_with(".h")
}

/// Returns the path within a system's headers or the C library: `/usr/include/c++/13/bits/stl_vector.h`,
/// `./sysdeps/x86/start.c`, `/build/glibc-2.31/malloc/malloc.c`, the headers of Microsoft's compiler.
fn runtime(path: &str) -> Option<&str> {
    let installed = path.strip_prefix("/usr/include/");
    let installed = installed.or_else(|| path.strip_prefix("/usr/local/include/"));
    let compiler = || below(path, "include/c++").and_then(|rest| Some(rest.split_once('/')?.1));
    let library = || {
        let (_, rest) = path.split_once("/glibc")?;
        Some(rest.split_once('/')?.1)
    };
    let system = ["sysdeps/", "../sysdeps/", "../csu/", "../nptl/"];
    let relative = || {
        system
            .iter()
            .any(|root| path.starts_with(root))
            .then_some(path)
    };
    compiler()
        .or(installed)
        .or_else(|| below(path, "compiler-rt/lib"))
        .or_else(library)
        .or_else(relative)
        .or_else(|| {
            let (_, rest) = path.split_once("/VC/Tools/MSVC/")?;
            Some(rest.split_once("/include/")?.1)
        })
}

const C_LOOKUP: LookupRules = LookupRules {
    star_imports_are_transitive: true,
    globals: GLOBALS,
    builtin_members: &[],
    ..LookupRules::DEFAULT
};

/// Functions and objects of the standard libraries, sorted.
const GLOBALS: &[&str] = &[
    "abort", "abs", "atoi", "calloc", "errno", "exit", "fclose", "fopen", "fprintf", "fputc",
    "fputs", "fread", "free", "fwrite", "isalpha", "isdigit", "isspace", "malloc", "memchr",
    "memcmp", "memcpy", "memmove", "memset", "perror", "printf", "putchar", "puts", "qsort",
    "realloc", "snprintf", "sprintf", "sscanf", "std", "stderr", "stdin", "stdout", "strcat",
    "strchr", "strcmp", "strcpy", "strdup", "strerror", "strlen", "strncmp", "strncpy", "strrchr",
    "strstr", "strtol", "strtoul", "tolower", "toupper", "va_arg", "va_end", "va_start",
    "vsnprintf",
];

/// Members of standard library types, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "append", "assign", "at", "back", "begin", "c_str", "capacity", "cbegin", "cend", "clear",
    "count", "data", "emplace", "emplace_back", "empty", "end", "erase", "find", "first", "front",
    "get", "insert", "length", "load", "lock", "pop", "pop_back", "push", "push_back", "rbegin",
    "release", "rend", "reserve", "reset", "resize", "second", "size", "store", "str", "substr",
    "swap", "top", "unlock", "what",
];

const TESTS: TestConventions = TestConventions {
    file_endings: &[
        "_unittest", "_unittests", "-test", "_test", "-tests", "_tests", ".test", "Test", "Tests",
    ],
    file_beginnings: &["test_", "test-", "unittest_", "test"],
    file_class_endings: &["Test", "Tests"],
    general_stems: &["main", "test", "tests", "test_main"],
    directories: &["test", "tests", "unittest", "unittests", "testing"],
    source_directories: &["src", "lib", "include", "source"],
    function_beginnings: &["test", "Test"],
    function_decorators: &[
        "BENCHMARK", "BENCHMARK_F", "BOOST_AUTO_TEST_CASE", "BOOST_FIXTURE_TEST_CASE", "SCENARIO",
        "TEST", "TEST_CASE", "TEST_CASE_METHOD", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P",
    ],
    class_beginnings: &["Test"],
    class_endings: &["TestCase", "Tests", "Test", "Fixture"],
    ..TestConventions::COMMON
};

const fn heads(extensions: &'static [&'static str]) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git("cpp"),
        extensions,
        shows_indentation: true,
        named: typed_heads::named,
        is_definition: begins_definition,
    }
}

/// Whether a line begins a definition. Definitions begin at the start of a line; a function's type may be
/// on the line before.
fn begins_definition(line: &str) -> bool {
    if line.starts_with([' ', '\t']) {
        return false;
    }
    let line = line.trim();
    let name = line.split('(').next().unwrap_or(line).trim_end();
    let is_name = !name.is_empty() && name.chars().all(is_word);
    // A name without lower-case letters is a macro.
    let has_own_line = is_name
        && name.contains(char::is_lowercase)
        && !CONTROL.contains(&name)
        && line.contains('(')
        && line.ends_with([')', ',', '{']);
    has_own_line || typed_heads::is_definition(line)
}

#[cfg(test)]
mod tests {
    use foveate_model::{Language, RepoPath};

    use super::{BUILTIN_MEMBERS, C_LOOKUP, CPP_EXTENSIONS, GLOBALS, TESTS, heads};
    use crate::hunks::heads::check;
    use crate::languages::by_path;
    use crate::testing::{c, cpp, facts};

    #[test]
    fn names_are_sorted() {
        assert!(GLOBALS.is_sorted() && BUILTIN_MEMBERS.is_sorted());
        assert!(C_LOOKUP.builtin_members.is_empty());
    }

    #[test]
    fn every_extension_of_diffs_and_traces_is_cpp() {
        for extension in CPP_EXTENSIONS {
            let path = RepoPath::new(format!("pool.{extension}").as_str()).unwrap();
            assert_eq!(by_path(&path), Some(cpp()), "{extension}");
        }
    }

    /// Whether the first definition of a text is a test.
    fn is_test(language: Language, text: &str) -> bool {
        let facts = facts(language, text);
        let Some(function) = facts.definitions.first().filter(|d| d.kind.is_function()) else {
            return false;
        };
        let marks = TESTS.function_decorators;
        let is_marked = function
            .decorators
            .iter()
            .any(|mark| marks.contains(&&**mark));
        let beginning = TESTS
            .function_beginnings
            .iter()
            .find_map(|b| function.name.strip_prefix(b));
        let is_word = |rest: &str| {
            rest.is_empty() || rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase())
        };
        is_marked || beginning.is_some_and(is_word)
    }

    #[test]
    fn test_functions_are_recognised() {
        for (text, expected) in [
            ("TEST(Cart, Adds) { f(); }\n", true),
            ("TEST_F(Cart, Adds) {\n}\n", true),
            ("TEST_P(Cart, Adds) { }\n", true),
            ("TYPED_TEST(Cart, Adds) { }\n", true),
            ("TEST_CASE(\"carts add\") { }\n", true),
            ("TEST_CASE(\"carts add\", \"[cart]\") { }\n", true),
            ("SCENARIO(\"a cart\", \"[cart]\") { }\n", true),
            ("BOOST_AUTO_TEST_CASE(adds) { }\n", true),
            ("BOOST_FIXTURE_TEST_CASE(adds, Cart) { }\n", true),
            ("BENCHMARK(adds) { }\n", true),
            ("TEST_IMPL(adds) { }\n", true),
            ("START_TEST(adds) { }\n", true),
            ("ZTEST(cart, adds) { }\n", true),
            ("TEST_HELPER(adds) { }\n", false),
            ("LATEST(adds) { }\n", false),
            ("static int test_adds(void) { return 0; }\n", true),
            ("void testAdds(void) { }\n", true),
            ("int test(void) { return 0; }\n", true),
            ("void TestAdds(void) { }\n", true),
            ("int testing(void) { return 0; }\n", false),
            ("int latest(void) { return 0; }\n", false),
            ("int run_test(void) { return 0; }\n", false),
            ("void setUp(void) { }\n", false),
            ("DEFINE_COMMAND(get) { }\n", false),
            ("SYSCALL_DEFINE1(open, path) { }\n", false),
            ("int main(void) { return 0; }\n", false),
            ("struct test_case { int a; };\n", false),
            ("int test_count;\n", false),
            ("#define TEST 1\n", false),
            ("enum test { A };\n", false),
        ] {
            assert_eq!(is_test(c(), text), expected, "{text}");
            assert_eq!(is_test(cpp(), text), expected, "{text}");
        }
        assert!(is_test(
            cpp(),
            "template <class T> void test_all(T t) { }\n"
        ));
        assert!(!is_test(cpp(), "class TestCart { void f(); };\n"));
    }

    #[test]
    fn definition_heads_are_read_at_line_start() {
        check(
            heads(&[]),
            &[
                ("static int read_all(struct buf *b)", Some("read_all")),
                ("struct node *next(struct list *l) {", Some("next")),
                ("struct node {", Some("node")),
                ("void Cart::add(int n) {", Some("add")),
                ("read_all (struct buf *b, int n)", Some("read_all")),
                (
                    "extern \"C\" int shop_open(const char *path) {",
                    Some("shop_open"),
                ),
                ("SHOP_API int shop_open(", Some("shop_open")),
                (
                    "template <typename T> T sum(const std::vector<T>& all) {",
                    Some("sum"),
                ),
                ("Cart::Cart(int n) : size(n) {", Some("Cart")),
                ("auto Cart::sum() const -> int {", Some("sum")),
                ("class SHOP_API Cart : public Base {", Some("Cart")),
                ("enum class Color : int {", Some("Color")),
                ("inline namespace v1 {", Some("v1")),
                ("union item {", Some("item")),
                ("EXPORT_SYMBOL(shop_open)", None),
                ("  return sum(a)", None),
                ("int open(const char *path);", None),
                ("    call(a, b)", None),
                ("#define F(x) (", None),
            ],
        );
    }
}
