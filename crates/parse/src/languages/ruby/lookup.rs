//! Defines the name lookup rules and test naming conventions of Ruby.

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};

pub(super) const LOOKUP: LookupRules = LookupRules {
    paths_may_be_qualified: true,
    members_are_bare: true,
    names_call: true,
    class_bodies_are_scopes: true,
    receivers: &[("self", Receiver::Instance)],
    super_name: Some("super"),
    globals: CORE_METHODS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
};

/// Classes and modules of the language itself, sorted.
pub(super) const CORE_CLASSES: &[&str] = &[
    "ARGV", "ArgumentError", "Array", "BasicObject", "Class", "Comparable", "DATA", "Data", "Date",
    "DateTime", "Dir", "ENV", "Encoding", "Enumerable", "Enumerator", "Errno", "Exception",
    "FalseClass", "Fiber", "File", "FileUtils", "Float", "GC", "Hash", "IO", "IOError",
    "IndexError", "Integer", "Kernel", "KeyError", "LoadError", "Logger", "Marshal", "MatchData",
    "Math", "Method", "Module", "Monitor", "Mutex", "NameError", "NilClass", "NoMethodError",
    "NotImplementedError", "Numeric", "Object", "ObjectSpace", "Open3", "OpenStruct", "Pathname",
    "Proc", "Process", "Queue", "RUBY_PLATFORM", "RUBY_VERSION", "Random", "Range", "RangeError",
    "Rational", "Regexp", "RuntimeError", "STDERR", "STDIN", "STDOUT", "ScriptError",
    "SecureRandom", "Set", "Signal", "SimpleDelegator", "Singleton", "StandardError",
    "StopIteration", "String", "StringIO", "Struct", "Symbol", "SyntaxError", "SystemExit",
    "Tempfile", "Thread", "Time", "TrueClass", "TypeError", "URI", "UnboundMethod",
    "ZeroDivisionError",
];

/// Methods of every object, and keywords that look like methods, sorted.
pub(super) const CORE_METHODS: &[&str] = &[
    "Array", "Float", "Integer", "Rational", "String", "__FILE__", "__LINE__", "__dir__",
    "__method__", "abort", "alias_method", "allow", "at_exit", "attr", "attr_accessor",
    "attr_reader", "attr_writer", "autoload", "binding", "block_given?", "callcc", "caller",
    "catch", "class", "class_eval", "clone", "const_get", "const_set", "define_method", "display",
    "dup", "enum_for", "eq", "equal?", "eval", "exit", "exit!", "expect", "extend", "fail", "fork",
    "format", "freeze", "frozen?", "gets", "global_variables", "hash", "include", "inspect",
    "instance_eval", "instance_exec", "instance_of?", "instance_variable_get",
    "instance_variable_set", "instance_variables", "is_a?", "is_expected", "itself", "kind_of?",
    "lambda", "load", "local_variables", "loop", "method", "method_missing", "module_function",
    "nil?", "object_id", "open", "p", "pp", "prepend", "print", "printf", "private",
    "private_class_method", "private_constant", "proc", "protected", "public", "public_send",
    "putc", "puts", "raise", "rand", "receive", "refine", "remove_method", "require",
    "require_relative", "respond_to?", "select", "send", "singleton_class", "sleep", "spawn",
    "sprintf", "srand", "system", "tap", "test", "then", "throw", "to_enum", "to_s", "trap",
    "undef_method", "using", "warn", "yield_self",
];

/// Methods of the language's own objects, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "alias_method", "and_return", "any?", "append", "basename", "between?", "bytesize", "camelize",
    "capitalize", "chars", "children", "class_eval", "clear", "close", "collect", "compact",
    "concat", "count", "create", "default", "define_method", "delete", "delete_if", "detect",
    "dirname", "downcase", "each", "each_key", "each_pair", "each_slice", "each_value",
    "each_with_index", "each_with_object", "empty?", "encode", "encoding", "end_with?", "eql?",
    "equal?", "exist?", "expand_path", "fetch", "filter", "filter_map", "find", "find_index",
    "first", "flat_map", "flatten", "force_encoding", "freeze", "group_by", "gsub", "gsub!",
    "has_key?", "include?", "index", "initialize", "inject", "insert", "inspect", "instance_eval",
    "instance_variable_get", "instance_variable_set", "is_a?", "join", "key?", "keys", "kind_of?",
    "last", "length", "lines", "map", "match", "match?", "max", "max_by", "member?", "merge",
    "merge!", "method_missing", "min", "min_by", "name", "none?", "nonzero?", "not_to",
    "partition", "positive?", "public_send", "reduce", "reject", "replace", "respond_to?",
    "respond_to_missing?", "reverse", "reverse_each", "round", "select", "shift", "size", "slice",
    "sort", "sort_by", "split", "squeeze", "start_with?", "strip", "sub", "sum", "symbolize_keys",
    "synchronize", "take_while", "to", "to_not", "tr", "transform_keys", "transform_values",
    "uniq", "unshift", "upcase", "update", "value", "values", "values_at", "write", "zero?", "zip",
];

pub(super) const TESTS: TestConventions = TestConventions {
    package_stems: &[],
    file_endings: &["_spec", "_test"],
    file_beginnings: &["test_"],
    file_class_endings: &[],
    general_stems: &["spec_helper", "test_helper", "rails_helper", "helper"],
    directories: &["spec", "test", "tests"],
    source_directories: &["lib", "app"],
    function_beginnings: &["test"],
    function_decorators: &[
        "it", "specify", "example", "scenario", "test", "should", "its", "describe", "context",
        "feature", "sub_test_case",
    ],
    class_beginnings: &["Test"],
    class_endings: &["TestCase", "Tests", "Test", "Spec"],
};
