//! Registers PHP.

mod lookup;
mod modules;
mod traces;
mod walker;

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
    lookup: lookup::LOOKUP,
    tests: lookup::TESTS,
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

#[cfg(test)]
mod tests {
    use super::PHP;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_recognized() {
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
