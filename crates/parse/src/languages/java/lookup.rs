//! States how Java looks names up, and how JVM tests are named.

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};

pub(super) const LOOKUP: LookupRules = LookupRules {
    star_imports_are_transitive: false,
    imports_reach_members: true,
    paths_may_be_qualified: true,
    class_bodies_are_scopes: true,
    members_are_bare: true,
    receivers: &[("this", Receiver::Instance), ("super", Receiver::Super)],
    super_name: Some("super"),
    globals: GLOBALS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
};

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

pub(in crate::languages) const TESTS: TestConventions = TestConventions {
    package_stems: &[],
    file_endings: &[],
    file_beginnings: &[],
    file_class_endings: &["TestCase", "Tests", "Test", "ITCase", "IT", "Spec"],
    general_stems: &["Test", "Tests", "AllTests", "package-info", "module-info"],
    directories: &[
        "test", "tests", "androidTest", "commonTest", "jvmTest", "integrationTest", "testFixtures",
        "functionalTest",
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
};

#[cfg(test)]
mod tests {
    use super::{BUILTIN_MEMBERS, GLOBALS};

    #[test]
    fn names_are_sorted() {
        assert!(GLOBALS.is_sorted() && BUILTIN_MEMBERS.is_sorted());
    }
}
