//! Registers Ruby.

mod modules;
mod traces;
mod walker;

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::hunks::heads::{HunkHeads, Pattern, is_word, split_keyword};
use crate::origin::form::{
    Origin, OriginForm, PackageHome, PackageManager, before_version, below, installed,
};
use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) static RUBY: LanguageSpec = LanguageSpec {
    names: Names {
        files: &[
            "Rakefile", "Gemfile", "Podfile", "Vagrantfile", "Fastfile", "Brewfile",
        ],
        programs: &["ruby"],
        lock_files: &["Gemfile.lock"],
        ..Names::extensions(&[
            "rb", "rake", "gemspec", "jbuilder", "rabl", "builder", "podspec", "thor",
        ])
    },
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            configuration_names: &[
                "vagrantfile", "gemfile", "rakefile", "gems.rb", "guardfile", "capfile",
                "appraisals", "steepfile", "config.ru",
            ],
            configuration_endings: &[".gemspec"],
            well_known: include_str!("ruby/well_known.txt"),
            ..Ecosystem::NONE
        },
        is_copy: |file| {
            is_schema(file) || file.stem.ends_with("_pb") || file.stem.ends_with("_pb2")
        },
        is_test,
        ..Roles::NONE
    },
    code: CodeForm {
        line_comment: "#",
        fences: &["rb", "ruby", "irb"],
        lines: &[
            Line::when("require ", |line| line.ends_with(['\'', '"'])),
            Line::when("require_relative ", |line| line.ends_with(['\'', '"'])),
            Line::when("def ", |line| {
                line.ends_with(')') || !line.contains(['(', ':', '{', '='])
            }),
            Line::when("module ", |line| {
                line.bytes().filter(|b| *b == b' ').count() == 1 && !line.ends_with(';')
            }),
            Line::starting("puts "),
            Line::starting("irb("),
            Line::starting("attr_accessor :"),
        ],
        pasted: &["irb(", "require '"],
        after_prompt,
        imports: Some(Imports {
            brackets: |line| required_path(line).map(|_| [].as_slice()),
            names: |statement| Some(vec![required_path(statement)?.to_owned()]),
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        manager: Some(&GEM),
        package,
        runtime: |path| Some(below(path, "lib/ruby")?.split_once('/')?.1),
        ..OriginForm::NONE
    },
    hunks: Some(HunkHeads {
        pattern: Pattern::Own("foveate-ruby", PATTERN),
        extensions: &["rb", "rake"],
        shows_indentation: true,
        named: head_name,
        is_definition: |_| true,
    }),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: LookupRules {
        paths_may_be_qualified: true,
        unbound_types_are_external: true,
        members_are_bare: true,
        names_call: true,
        class_bodies_are_scopes: true,
        receivers: &[("self", Receiver::Instance)],
        super_name: Some("super"),
        globals: CORE_METHODS,
        builtin_members: BUILTIN_MEMBERS,
        element_getters: ELEMENT_GETTERS,
        element_views: ELEMENT_VIEWS,
        ..LookupRules::DEFAULT
    },
    tests: TestConventions {
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
    },
    ..LanguageRules::new("ruby", 10)
};

fn is_test(file: &File<'_>) -> bool {
    let named = ["_spec", "_test", "_steps"];
    let is_in = |name: &str| {
        let at = file.directories.iter().position(|d| d == name);
        // `lib/acme/spec/…` is shipped code.
        at.is_some_and(|at| !file.directories.iter().take(at).any(|d| d == "lib"))
    };
    named.iter().any(|ending| file.stem.ends_with(ending))
        || is_in("spec")
        || is_in("step_definitions")
}

/// Whether a file is the database schema that is generated from migrations: `db/schema.rb`.
fn is_schema(file: &File<'_>) -> bool {
    file.stem == "schema" && file.directories.last().is_some_and(|d| d == "db")
}

/// Returns the code after a prompt: `irb(main):001:0> code`.
fn after_prompt(line: &str) -> Option<&str> {
    let (_, code) = line.strip_prefix("irb(")?.split_once("> ")?;
    Some(code)
}

/// Returns the path in `require 'a/b'` and `autoload :B, 'a/b'`. `require_relative` is left out: its
/// path is relative to the reporter's own file.
fn required_path(statement: &str) -> Option<&str> {
    let rest = statement
        .strip_prefix("require ")
        .or_else(|| Some(statement.strip_prefix("autoload :")?.split_once(", ")?.1))?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (path, after) = rest.get(1..)?.split_once(quote)?;
    let ends = after.trim().is_empty() || after.trim_start().starts_with('#');
    (ends && !path.starts_with('.')).then_some(path)
}

static GEM: PackageManager = PackageManager {
    name: "gem",
    home: PackageHome::Named { ending: ".gemspec" },
    is_built: false,
};

/// Recognises a file of a gem: `/usr/lib/ruby/gems/2.7.0/gems/rake-13.0.1/lib/rake.rb`.
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "gems")?;
    if path.contains("/bundler/gems/") {
        // A git checkout: `cart-0a1b2c3d4e5f/lib/cart.rb`.
        let (directory, _) = rest.split_once('/')?;
        return Some((rest, installed(&GEM, rest, directory.rfind('-')?)?));
    }
    Some((rest, installed(&GEM, rest, before_version(rest)?)?))
}

const PATTERN: &str = r"^([[:space:]]*((private|protected|public|private_class_method|module_function|memoize)[[:space:]]+)*(class|module|def)[[:space:]]+[^[:space:]<].*)$";

fn head_name(line: &str) -> Option<&str> {
    const MODIFIERS: [&str; 6] = [
        "private", "protected", "public", "private_class_method", "module_function", "memoize",
    ];
    let (keyword, rest) = split_keyword(line, &MODIFIERS, &["def", "class", "module"])?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let name = rest.split(['(', ' ', ';', '\t']).next()?;
    if keyword != "def" {
        let name = name.rsplit("::").next()?;
        return Some(name).filter(|name| name.starts_with(char::is_uppercase));
    }
    let name = match name.split_once('.') {
        Some((owner, name)) if owner.chars().all(|c| is_word(c) || c == ':') => name,
        _ => name,
    };
    Some(name).filter(|name| !name.is_empty())
}

/// Classes and modules of the language itself, sorted.
const CORE_CLASSES: &[&str] = &[
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
const CORE_METHODS: &[&str] = &[
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

/// Methods of collections that return an element, sorted.
const ELEMENT_GETTERS: &[&str] = &[
    "at", "delete_at", "detect", "fetch", "find", "first", "last", "max_by", "min_by", "pop",
    "sample", "shift",
];

/// Methods of collections that return others with the same elements, sorted.
const ELEMENT_VIEWS: &[&str] = &[
    "compact", "drop", "drop_while", "each", "filter", "lazy", "reject", "reverse", "rotate",
    "select", "shuffle", "sort", "sort_by", "take", "take_while", "to_a", "uniq",
];

#[cfg(test)]
mod tests {
    use super::{ELEMENT_GETTERS, ELEMENT_VIEWS, RUBY};
    use crate::hunks::heads::check;

    #[test]
    fn names_are_sorted() {
        assert!(ELEMENT_GETTERS.is_sorted() && ELEMENT_VIEWS.is_sorted());
    }

    #[test]
    fn definition_heads_are_read() {
        check(
            RUBY.hunks.unwrap(),
            &[
                ("  def sum(items)", Some("sum")),
                ("  def self.create(id)", Some("create")),
                ("  def Cart.create id", Some("create")),
                ("  def empty?", Some("empty?")),
                ("  def size=(size)", Some("size=")),
                ("  def ==(other)", Some("==")),
                ("  def [](at)", Some("[]")),
                ("  def sum = 3", Some("sum")),
                ("  private def sum", Some("sum")),
                ("  private_class_method def self.make", Some("make")),
                ("class Shop::Cart < Base", Some("Cart")),
                ("module Shop", Some("Shop")),
                ("  class << self", None),
                ("  define_sum :a", None),
                ("# the class of", None),
            ],
        );
    }
}
