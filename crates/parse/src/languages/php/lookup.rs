//! Defines the name lookup rules and test naming conventions of PHP.

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};

pub(super) const LOOKUP: LookupRules = LookupRules {
    modules_have_submodules: true,
    paths_may_be_qualified: true,
    receivers: &[
        ("$this", Receiver::Instance),
        ("self", Receiver::Class),
        ("static", Receiver::Class),
        ("parent", Receiver::Super),
    ],
    super_name: Some("parent"),
    self_types: &["self", "static", "$this"],
    globals: GLOBALS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
};

/// The most used functions of the language itself, sorted.
const GLOBALS: &[&str] = &[
    "array_column", "array_diff", "array_fill", "array_filter", "array_flip", "array_key_exists",
    "array_key_first", "array_keys", "array_map", "array_merge", "array_pop", "array_push",
    "array_reduce", "array_reverse", "array_search", "array_shift", "array_slice", "array_splice",
    "array_sum", "array_unique", "array_unshift", "array_values", "array_walk", "basename",
    "call_user_func", "call_user_func_array", "class_exists", "compact", "count", "current",
    "date", "define", "defined", "dirname", "explode", "file_exists", "file_get_contents",
    "file_put_contents", "function_exists", "get_class", "gettype", "implode", "in_array",
    "is_array", "is_bool", "is_callable", "is_dir", "is_file", "is_int", "is_null", "is_numeric",
    "is_object", "is_string", "json_decode", "json_encode", "key", "ltrim", "max", "md5",
    "method_exists", "microtime", "min", "preg_match", "preg_match_all", "preg_quote",
    "preg_replace", "preg_replace_callback", "preg_split", "printf", "range", "realpath", "reset",
    "rtrim", "sort", "sprintf", "str_contains", "str_pad", "str_repeat", "str_replace",
    "str_starts_with", "strcmp", "strlen", "strpos", "strrpos", "strtolower", "strtoupper",
    "substr", "substr_count", "time", "trigger_error", "trim", "ucfirst", "unlink", "usort",
    "var_dump", "var_export", "version_compare",
];

/// Methods of the language's own classes and of test cases, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "__construct", "__toString", "add", "assertCount", "assertEmpty", "assertEquals",
    "assertFalse", "assertInstanceOf", "assertNotNull", "assertNull", "assertSame", "assertTrue",
    "class", "close", "count", "createMock", "current", "errorInfo", "execute", "expectException",
    "expectExceptionMessage", "fetch", "fetchAll", "format", "getArrayCopy", "getCode", "getFile",
    "getIterator", "getLine", "getMessage", "getMock", "getName", "getPrevious", "getTimestamp",
    "getTrace", "getTraceAsString", "isset", "jsonSerialize", "key", "method", "modify", "next",
    "offsetExists", "offsetGet", "offsetSet", "offsetUnset", "prepare", "query", "rewind", "valid",
    "willReturn",
];

pub(super) const TESTS: TestConventions = TestConventions {
    package_stems: &[],
    file_endings: &["_test", ".test"],
    file_beginnings: &["test-"],
    file_class_endings: &["TestCase", "Tests", "Test", "Cest", "Spec"],
    general_stems: &["TestCase", "bootstrap", "Pest"],
    directories: &["tests", "test", "Tests", "spec"],
    source_directories: &["src", "lib", "app"],
    function_beginnings: &["test"],
    function_decorators: &[
        "Test",
        "\\PHPUnit\\Framework\\Attributes\\Test",
        "PHPUnit\\Framework\\Attributes\\Test",
        "test",
        "it",
        "describe",
    ],
    class_beginnings: &["Test"],
    class_endings: &["TestCase", "Tests", "Test", "Cest", "Spec"],
};
