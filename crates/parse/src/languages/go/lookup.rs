//! States how Go looks names up, and how its tests are named.

use foveate_model::resolution::{LookupRules, TestConventions};

pub(super) const LOOKUP: LookupRules = LookupRules {
    star_imports_are_transitive: false,
    globals: GLOBALS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
};

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

pub(super) const TESTS: TestConventions = TestConventions {
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
};
