//! Defines the name lookup rules and test naming conventions of Rust.

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};

pub(super) const LOOKUP: LookupRules = LookupRules {
    modules_have_submodules: true,
    imports_reach_members: true,
    paths_may_be_qualified: true,
    macros_need_no_import: true,
    receivers: &[("self", Receiver::Instance), ("Self", Receiver::Class)],
    self_types: &["Self"],
    globals: GLOBALS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
};

/// Names of the prelude and macros of the standard library, sorted.
const GLOBALS: &[&str] = &[
    "AsMut", "AsRef", "Box", "Clone", "Copy", "Debug", "Default", "DoubleEndedIterator", "Drop",
    "Eq", "Err", "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From", "FromIterator",
    "Hash", "Into", "IntoIterator", "Iterator", "None", "Ok", "Option", "Ord", "PartialEq",
    "PartialOrd", "Result", "Send", "Sized", "Some", "String", "Sync", "ToOwned", "ToString",
    "TryFrom", "TryInto", "Unpin", "Vec", "assert", "assert_eq", "assert_ne", "cfg", "column",
    "compile_error", "concat", "dbg", "debug_assert", "debug_assert_eq", "debug_assert_ne", "drop",
    "env", "eprint", "eprintln", "file", "format", "format_args", "include", "include_bytes",
    "include_str", "line", "macro_rules", "matches", "module_path", "option_env", "panic", "print",
    "println", "stringify", "thread_local", "todo", "unimplemented", "unreachable", "vec", "write",
    "writeln",
];

/// Methods of types of the standard library, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "abs", "all", "and_then", "any", "append", "as_bytes", "as_mut", "as_path", "as_ptr", "as_ref",
    "as_slice", "as_str", "borrow", "borrow_mut", "bytes", "chain", "chars", "clear", "clone",
    "cloned", "cmp", "collect", "contains", "contains_key", "copied", "count", "dedup", "default",
    "deref", "deref_mut", "display", "drain", "drop", "ends_with", "entry", "enumerate", "eq",
    "err", "expect", "extend", "filter", "filter_map", "find", "find_map", "first", "flat_map",
    "flatten", "fmt", "fold", "for_each", "from", "from_str", "get", "get_mut",
    "get_or_insert_with", "hash", "insert", "into", "into_inner", "into_iter", "is_empty",
    "is_err", "is_none", "is_ok", "is_some", "iter", "iter_mut", "join", "keys", "last", "len",
    "lines", "lock", "map", "map_err", "map_or", "map_or_else", "max", "min", "next", "nth", "ok",
    "ok_or", "ok_or_else", "or_else", "parse", "partial_cmp", "peek", "peekable", "pop",
    "position", "push", "push_str", "read", "read_to_end", "read_to_string", "remove", "repeat",
    "replace", "resize", "retain", "rev", "reverse", "skip", "sort", "sort_by", "sort_by_key",
    "split", "split_at", "splitn", "starts_with", "step_by", "store", "sum", "swap", "take",
    "take_while", "to_lowercase", "to_owned", "to_path_buf", "to_string", "to_uppercase", "to_vec",
    "trim", "truncate", "try_from", "try_into", "unwrap", "unwrap_err", "unwrap_or",
    "unwrap_or_default", "unwrap_or_else", "values", "with_capacity", "write", "write_all",
    "write_str", "zip",
];

pub(super) const TESTS: TestConventions = TestConventions {
    package_stems: &["mod", "lib", "main"],
    file_endings: &["_test", "_tests"],
    file_beginnings: &["test_", "tests_"],
    file_class_endings: &[],
    general_stems: &["test", "tests", "main", "mod"],
    directories: &["tests", "test", "benches"],
    source_directories: &["src", "crates"],
    function_beginnings: &[],
    function_decorators: &[
        "test", "tokio::test", "async_std::test", "compio::test", "futures_test::test",
        "gpui::test", "monoio::test", "smol_potat::test", "actix_rt::test", "actix_web::test",
        "rstest", "test_case", "case", "bench", "quickcheck", "wasm_bindgen_test", "traced_test",
        "sqlx::test", "googletest::test", "test_log::test", "should_panic", "test_matrix",
        "parameterized", "proptest", "async_test", "maybe_tokio_test",
    ],
    class_beginnings: &[],
    class_endings: &[],
};
