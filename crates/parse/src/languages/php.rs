//! Registers PHP.

mod modules;
mod traces;
mod walker;

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::languages::keyword_heads;
use crate::origin::form::{Origin, OriginForm, PackageHome, PackageManager, below, installed};
use crate::role::conventions::{Ecosystem, Roles, is_test_class};

pub(super) static PHP: LanguageSpec = LanguageSpec {
    names: Names {
        programs: &["php"],
        lock_files: &["composer.lock"],
        ..Names::extensions(&["php", "phtml"])
    },
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            generated_names: &["_ide_helper.php", "_ide_helper_models.php"],
            generated_directories: &["gpbmetadata"],
            configuration_names: &[
                "composer.json", "phpunit.xml", "phpunit.xml.dist", "phpstan.neon",
                "phpstan.neon.dist", "phpcs.xml", "psalm.xml", "rector.php", "ecs.php",
            ],
            well_known: include_str!("php/well_known.txt"),
            ..Ecosystem::NONE
        },
        is_test: is_test_class,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["php"],
        lines: &[
            Line::starting("<?php"),
            Line::when("use ", |line| line.ends_with(';') && line.contains('\\')),
            Line::when("namespace ", |line| {
                line.ends_with(';') && line.contains('\\')
            }),
            Line::when("$", |line| {
                let marks = ["->", "::", " = new "];
                line.ends_with(';') && marks.iter().any(|mark| line.contains(mark))
            }),
            Line::when("public function ", |line| line.contains('(')),
        ],
        pasted: &["<?php", "public function "],
        imports: Some(Imports {
            brackets: |line| use_list(line).map(|_| ['{'].as_slice()),
            names: |statement| Some(imported(use_list(statement)?)),
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        manager: Some(&COMPOSER),
        package,
        ..OriginForm::NONE
    },
    hunks: Some(keyword_heads::heads(&["php"])),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: LookupRules {
        modules_have_submodules: true,
        paths_may_be_qualified: true,
        unbound_types_are_external: true,
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
    },
    tests: TestConventions {
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
    },
    ..LanguageRules::new("php", 11)
};

/// Returns the list in a `use` statement: `A\B`, `A\{B, C as D}`.
fn use_list(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("use ")?.trim();
    let kinds = ["function ", "const "];
    let rest = kinds
        .iter()
        .find_map(|kind| rest.strip_prefix(kind))
        .unwrap_or(rest);
    let is_name = |c: char| c.is_alphanumeric() || "_\\{}, ;".contains(c);
    (rest.contains('\\') && rest.chars().all(is_name)).then_some(rest.trim_start_matches('\\'))
}

fn imported(list: &str) -> Vec<String> {
    let (above, list) = match list.split_once('{') {
        Some((above, list)) => (above, list.trim_end_matches(['}', ' '])),
        None => ("", list),
    };
    let names = list
        .split(',')
        .map(|item| item.split(" as ").next().unwrap_or(item).trim());
    names
        .filter(|name| !name.is_empty())
        .map(|name| format!("{above}{}", name.trim_start_matches('\\')))
        .collect()
}

static COMPOSER: PackageManager = PackageManager {
    name: "composer",
    home: PackageHome::Manifest {
        file: "composer.json",
        key: "\"name\"",
    },
    is_built: false,
};

fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "vendor").filter(|_| path.ends_with(".php"))?;
    let (end, _) = rest.match_indices('/').nth(1)?;
    Some((rest, installed(&COMPOSER, rest, end)?))
}

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

#[cfg(test)]
mod tests {
    use super::PHP;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_read() {
        check(
            PHP.hunks.unwrap(),
            &[
                ("    public function sum(int $a): int", Some("sum")),
                ("    public static function make()", Some("make")),
                ("    abstract protected function size(): int;", Some("size")),
                ("    #[Pure] public function sum()", Some("sum")),
                ("    public function &items()", Some("items")),
                ("function sum_all(array $items): int {", Some("sum_all")),
                ("final readonly class Cart extends Base", Some("Cart")),
                ("enum Suit: string", Some("Suit")),
                ("trait HasItems {", Some("HasItems")),
                ("interface Item extends Named", Some("Item")),
                (
                    "    final public function __construct(",
                    Some("__construct"),
                ),
                ("        return function ($a) {", None),
                ("        $sum = function ($a) {", None),
                ("    function ($a) {", None),
            ],
        );
    }
}
