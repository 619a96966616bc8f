//! States how C and C++ look names up, and how their tests are named.

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};

pub(super) const C: LookupRules = LookupRules {
    star_imports_are_transitive: true,
    globals: GLOBALS,
    builtin_members: &[],
    ..LookupRules::DEFAULT
};

pub(super) const CPP: LookupRules = LookupRules {
    paths_may_be_qualified: true,
    members_are_bare: true,
    receivers: &[("this", Receiver::Instance)],
    builtin_members: BUILTIN_MEMBERS,
    ..C
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

pub(super) const TESTS: TestConventions = TestConventions {
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

#[cfg(test)]
mod tests {
    use foveate_model::Language;

    use super::{BUILTIN_MEMBERS, C, GLOBALS, TESTS};
    use crate::testing::{c, cpp, facts};

    #[test]
    fn names_are_sorted() {
        assert!(GLOBALS.is_sorted() && BUILTIN_MEMBERS.is_sorted());
        assert!(C.builtin_members.is_empty());
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
}
