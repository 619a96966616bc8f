//! Registers Java.

pub(super) mod modules;
mod traces;
pub(super) mod walker;

use foveate_model::resolution::{ForeignProperties, LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line, dotted_import};
use crate::hunks::heads::{HunkHeads, Pattern};
use crate::languages::typed_heads;
use crate::origin::form::OriginForm;
use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) static JAVA: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["java"]),
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            generated_names: &[
                "r.java", "buildconfig.java", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd",
            ],
            generated_endings: &["grpc.java", "outerclass.java"],
            generated_directories: &["generated-sources", "generated-src", "gen-java", "src-gen"],
            // Sources are recognised by the rule for source sets; these are what else tests read.
            test_directories: &[
                "test-resources", "testresources", "functionaltest", "integrationtest",
                "androidtest", "commontest", "jvmtest",
            ],
            configuration_names: &[
                "pom.xml", "build.gradle", "settings.gradle", "gradle.properties", "build.xml",
                "androidmanifest.xml", "web.xml", "persistence.xml", "applicationcontext.xml",
            ],
            well_known: include_str!("java/well_known.txt"),
            ..Ecosystem::NONE
        },
        is_test: |file| {
            let mut endings = ["Test", "Tests", "TestCase"].iter();
            let is_named = endings.any(|ending| file.path.stem().ends_with(ending));
            is_named && !is_in_shipped_sources(file)
                || is_integration_test(file)
                || is_in_test_sources(file)
        },
        is_test_package: is_shipped,
        is_domain_package: is_shipped,
        is_test_support: |file| is_shipped(file, file.directories.len()),
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["java"],
        lines: &[
            Line::starting("public "),
            Line::starting("private "),
            Line::starting("protected "),
            Line::when("package ", |line| line.ends_with(';')),
            Line::when("import ", |line| {
                line.ends_with(';') && !line.contains(['\'', '"', '{', '*'])
            }),
            Line::starting("@Override"),
            Line::starting("System.out."),
        ],
        pasted: &["public class ", "private "],
        imports: Some(Imports {
            brackets: |line| line.starts_with("import ").then_some(&['(', '{']),
            names: dotted_import,
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        runtime: |path| {
            let packages = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];
            let is_own = packages.iter().any(|package| path.starts_with(package));
            (is_own && path.ends_with(".java")).then_some(path)
        },
        runtime_packages: &["java.", "javax.", "jdk.", "sun.", "com.sun."],
        package_roots: &[
            "android", "androidx", "com", "de", "dev", "edu", "fr", "gov", "io", "jakarta", "jp",
            "me", "net", "org", "ru", "scala", "uk",
        ],
        // A file is in the directory of its package; without a directory the path may be incomplete.
        is_complete: |path| path.ends_with(".java") && !path.starts_with('/') && path.contains('/'),
        ..OriginForm::NONE
    },
    hunks: Some(heads("java", &["java"])),
    ..LanguageSpec::new(Language::of(&RULES))
};

pub(super) static RULES: LanguageRules = LanguageRules {
    family: "jvm",
    modules: Some(&modules::MODULES),
    lookup: LookupRules {
        star_imports_are_transitive: false,
        imports_reach_members: true,
        paths_may_be_qualified: true,
        unbound_types_are_external: true,
        case_labels_name_constants: true,
        class_bodies_are_scopes: true,
        members_are_bare: true,
        receivers: &[("this", Receiver::Instance), ("super", Receiver::Super)],
        super_name: Some("super"),
        globals: GLOBALS,
        builtin_members: BUILTIN_MEMBERS,
        element_getters: ELEMENT_GETTERS,
        element_views: ELEMENT_VIEWS,
        // Every enum has it.
        constructors: &["valueOf"],
        foreign_properties: ForeignProperties::Called,
        ..LookupRules::DEFAULT
    },
    tests: TestConventions {
        package_stems: &[],
        file_endings: &[],
        file_beginnings: &[],
        file_class_endings: &["TestCase", "Tests", "Test", "ITCase", "IT", "Spec"],
        general_stems: &["Test", "Tests", "AllTests", "package-info", "module-info"],
        directories: &[
            "test", "tests", "androidTest", "commonTest", "jvmTest", "integrationTest",
            "testFixtures", "functionalTest",
        ],
        source_directories: &[
            "src", "lib", "main", "java", "kotlin", "commonMain", "jvmMain", "com", "org",
        ],
        function_beginnings: &["test"],
        function_decorators: &[
            "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property",
            "Theory", "Benchmark", "org.junit.Test", "org.junit.jupiter.api.Test",
            "org.testng.annotations.Test", "kotlin.test.Test",
        ],
        class_beginnings: &["Test"],
        class_endings: &["TestCase", "Tests", "Test", "ITCase", "IT", "Spec"],
    },
    ..LanguageRules::new("java", 6)
};

/// Whether a file is an integration test: `CartIT.java`
pub(in crate::languages) fn is_integration_test(file: &File<'_>) -> bool {
    let before = file.path.stem().strip_suffix("IT");
    before.is_some_and(|name| name.ends_with(|c: char| c.is_lowercase()))
}

/// Whether a file is in a source set for tests: `src/commonTest/kotlin/…`, `src/androidTest/java/…`,
/// `src/testFixtures/java/…`
pub(in crate::languages) fn is_in_test_sources(file: &File<'_>) -> bool {
    let mut pairs = file.directories.windows(2);
    pairs.any(|pair| match pair {
        [above, set] if above == "src" => {
            set.ends_with("test") || matches!(set.as_str(), "testfixtures" | "it" | "jmh")
        }
        _ => false,
    })
}

/// Whether a file is in a source set that is not for tests: `src/main/java/…`, `src/commonMain/kotlin/…`. A class there
/// may well be called `ConnectionSpec` or `LoadTest`.
pub(in crate::languages) fn is_in_shipped_sources(file: &File<'_>) -> bool {
    let mut above = file.directories.windows(3);
    let is_source_set = above.any(|above| match above {
        [src, _, language] => {
            src == "src" && matches!(language.as_str(), "java" | "kotlin" | "scala" | "groovy")
        }
        _ => false,
    });
    is_source_set && !is_in_test_sources(file)
}

/// Whether the directories before a position belong to shipped sources. A package `test` in them, `org.acme.test` in
/// `src/main/java/org/acme/test/…`, is one with which other projects write their tests.
pub(in crate::languages) fn is_shipped(file: &File<'_>, end: usize) -> bool {
    let above = file.directories.get(..end).unwrap_or_default();
    let mut pairs = above.windows(2);
    pairs.any(|pair| matches!(pair, [src, set] if src == "src" && set.ends_with("main")))
}

/// Types of `java.lang` whose names repositories do not reuse, sorted.
#[rustfmt::skip]
const GLOBALS: &[&str] = &[
    "ArithmeticException", "ArrayIndexOutOfBoundsException", "AssertionError", "AutoCloseable",
    "Boolean", "Byte", "CharSequence", "Character", "Class", "ClassCastException", "ClassLoader",
    "ClassNotFoundException", "Cloneable", "Comparable", "Deprecated", "Double", "Exception",
    "Float", "FunctionalInterface", "IllegalArgumentException", "IllegalStateException",
    "IndexOutOfBoundsException", "Integer", "InterruptedException", "Iterable", "Long", "Math",
    "NullPointerException", "Number", "NumberFormatException", "Object", "Override", "Runnable",
    "RuntimeException", "SafeVarargs", "Short", "StackTraceElement", "String", "StringBuffer",
    "StringBuilder", "SuppressWarnings", "System", "Thread", "ThreadLocal", "Throwable",
    "UnsupportedOperationException", "Void",
];

/// Methods of standard library classes, sorted.
pub(in crate::languages) const BUILTIN_MEMBERS: &[&str] = &[
    "accept", "add", "addAll", "append", "apply", "charAt", "clear", "clone", "close", "collect",
    "compareTo", "contains", "containsKey", "containsValue", "entrySet", "equals", "filter",
    "flush", "forEach", "format", "get", "getClass", "getKey", "getMessage", "getOrDefault",
    "getValue", "hasNext", "hashCode", "indexOf", "isEmpty", "isPresent", "iterator", "join",
    "keySet", "length", "map", "name", "next", "notify", "notifyAll", "orElse", "ordinal", "peek",
    "poll", "pop", "print", "println", "push", "put", "putAll", "read", "remove", "removeAll",
    "replace", "run", "set", "size", "sort", "split", "startsWith", "stream", "substring",
    "toArray", "toList", "toLowerCase", "toString", "toUpperCase", "trim", "valueOf", "values",
    "wait", "write",
];

/// Methods of collections, maps, iterators and streams that return an element, sorted. Those of optional elements count:
/// `findFirst().orElseThrow()` has that element, too.
const ELEMENT_GETTERS: &[&str] = &[
    "ceiling", "computeIfAbsent", "element", "elementAt", "findAny", "findFirst", "first",
    "firstElement", "floor", "get", "getFirst", "getLast", "getOrDefault", "higher", "last",
    "lastElement", "lower", "next", "peek", "peekFirst", "peekLast", "poll", "pollFirst",
    "pollLast", "pop", "previous", "put", "putIfAbsent", "remove", "removeFirst", "removeLast",
    "replace", "take",
];

/// Methods of them that return others with the same elements, sorted.
const ELEMENT_VIEWS: &[&str] = &[
    "descendingIterator", "descendingMap", "descendingSet", "distinct", "dropWhile", "filter",
    "headMap", "headSet", "iterator", "limit", "listIterator", "parallelStream", "reversed",
    "skip", "sorted", "stream", "subList", "subMap", "subSet", "tailMap", "tailSet", "takeWhile",
    "toList", "values",
];

/// Rules for heads as in Java, with a built-in pattern of git. Git strips their indentation.
pub(in crate::languages) const fn heads(
    pattern: &'static str,
    extensions: &'static [&'static str],
) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git(pattern),
        extensions,
        shows_indentation: false,
        named: typed_heads::named,
        is_definition: |line| typed_heads::is_definition(line.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILTIN_MEMBERS, ELEMENT_GETTERS, ELEMENT_VIEWS, GLOBALS, heads};
    use crate::hunks::heads::check;

    #[test]
    fn names_are_sorted() {
        assert!(GLOBALS.is_sorted() && BUILTIN_MEMBERS.is_sorted());
        assert!(ELEMENT_GETTERS.is_sorted() && ELEMENT_VIEWS.is_sorted());
    }

    #[test]
    fn definition_heads_in_classes_are_read() {
        check(
            heads("java", &[]),
            &[
                ("    public List<String> names(int n) {", Some("names")),
                ("public final class Cart extends Base {", Some("Cart")),
                ("    @Override public String toString() {", Some("toString")),
                (
                    "    public <T extends Comparable<T>> List<T> of(T first) {",
                    Some("of"),
                ),
                ("    List<? extends Item> items(int n) {", Some("items")),
                ("    java.util.List<String> names() {", Some("names")),
                ("    default void close() {", Some("close")),
                ("public record Cart(int size) {", Some("Cart")),
                ("public @interface Named {", Some("Named")),
                (
                    "    private static final class Line implements Item {",
                    Some("Line"),
                ),
                ("public sealed interface Item permits Line {", Some("Item")),
                ("    public Cart(int size) {", Some("Cart")),
                ("    void sum(int a,", Some("sum")),
                ("    @Test(timeout = 3) public void sums() {", Some("sums")),
                ("    int size = count(a) {", None),
                ("        cart.sum(a) {", None),
                ("        return make(a) {", None),
                ("        } else if (x) {", None),
                ("        foo(bar);", None),
            ],
        );
    }
}
