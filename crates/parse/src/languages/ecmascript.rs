//! Registers JavaScript with JSX, TypeScript and TSX, which share a module system and a walker.

mod code;
pub(super) mod components;
mod default_names;
mod hunks;
mod modules;
mod origin;
mod packages;
mod probe;
mod traces;
mod tsconfig;
mod values;
mod walker;

use foveate_model::resolution::{Exports, LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules, RepoPath};

use super::builtins::{BUILTIN_MEMBERS, GLOBALS};
use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Line};
use crate::role::conventions::{
    Ecosystem, File, Roles, is_released_library, is_script_configuration,
};
use crate::traces::form::TraceForm;

pub(super) static JAVASCRIPT: LanguageSpec = LanguageSpec {
    names: Names {
        files: &["Jakefile"],
        programs: &["node", "nodejs", "bun"],
        lock_files: &[
            "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb",
            "bun.lock", "deno.lock",
        ],
        ..Names::extensions(&["js", "jsx", "mjs", "cjs", "es6"])
    },
    parser: Some(|_, text, _, limits| walker::facts(JAVASCRIPT.language, text, limits)),
    values: Some(values::VALUES),
    roles: Roles {
        ecosystem: ECOSYSTEM,
        is_copy: is_released_library,
        ..ROLES
    },
    code: CodeForm {
        fences: &["js", "javascript", "node", "jsx", "mjs", "cjs"],
        lines: &[
            Line::starting("const "),
            Line::starting("let "),
            Line::starting("var "),
            Line::starting("function "),
            Line::starting("export "),
            Line::starting("import {"),
        ],
        pasted: &["const ", "let ", "var "],
        imports: Some(code::IMPORTS),
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["js", "mjs", "cjs", "jsx"],
        ..traces::TRACES
    },
    origins: origin::ORIGINS,
    hunks: Some(hunks::HUNKS),
    ..LanguageSpec::new(Language::of(&JAVASCRIPT_RULES))
};

pub(super) static TYPESCRIPT: LanguageSpec = LanguageSpec {
    names: Names {
        programs: &["deno", "ts-node", "tsx"],
        ..Names::extensions(&["ts", "mts", "cts"])
    },
    // Translations of Qt have the same extension.
    by_content: |text| {
        let is_xml = text.starts_with("<?xml") || text.starts_with("<!DOCTYPE TS>");
        is_xml.then_some(Language::TEXT)
    },
    parser: Some(|_, text, _, limits| walker::facts(TYPESCRIPT.language, text, limits)),
    values: Some(values::VALUES),
    roles: ROLES,
    code: CodeForm {
        fences: &["ts", "typescript"],
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["ts"],
        ..TraceForm::NONE
    },
    ..LanguageSpec::new(Language::of(&TYPESCRIPT_RULES))
};

pub(super) static TSX: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["tsx"]),
    parser: Some(|_, text, _, limits| walker::facts(TSX.language, text, limits)),
    values: Some(values::VALUES),
    roles: Roles {
        is_configuration: |_| false,
        ..ROLES
    },
    code: CodeForm {
        fences: &["tsx"],
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["tsx"],
        ..TraceForm::NONE
    },
    ..LanguageSpec::new(Language::of(&TSX_RULES))
};

static JAVASCRIPT_RULES: LanguageRules = rules("javascript", 1, default_names::of_script);
static TYPESCRIPT_RULES: LanguageRules = rules("typescript", 2, default_names::of_script);
static TSX_RULES: LanguageRules = rules("tsx", 3, default_names::of_script);

const fn rules(
    name: &'static str,
    code: u8,
    default_export_name: fn(&RepoPath) -> Option<String>,
) -> LanguageRules {
    LanguageRules {
        family: "ecmascript",
        modules: Some(&modules::MODULES),
        lookup: LookupRules {
            exports: Exports::Declared,
            star_imports_bind: false,
            // `const Client = require('./client')` binds the module and refers to its default export.
            modules_have_defaults: true,
            default_export_name,
            functions_construct: true,
            receivers: &[("this", Receiver::Instance), ("super", Receiver::Super)],
            super_name: Some("super"),
            self_types: &["this", "Self"],
            globals: GLOBALS,
            builtin_members: BUILTIN_MEMBERS,
            element_getters: ELEMENT_GETTERS,
            element_views: ELEMENT_VIEWS,
            ..LookupRules::DEFAULT
        },
        // Test files are those that jest, vitest and mocha find.
        tests: TestConventions {
            package_stems: &["index"],
            // Tests are blocks, for which the walker notes the function that adds them.
            function_decorators: walker::TEST_BLOCKS,
            ..TestConventions::COMMON
        },
        ..LanguageRules::new(name, code)
    }
}

/// Methods of arrays and maps that return an element or a value, sorted.
const ELEMENT_GETTERS: &[&str] = &["at", "find", "findLast", "get", "pop", "shift"];

/// Methods of them that return collections of the same elements, sorted. Those of `entries()` are pairs with an element.
const ELEMENT_VIEWS: &[&str] = &[
    "concat", "entries", "filter", "reverse", "slice", "sort", "splice", "toReversed", "toSorted",
    "toSpliced", "values",
];

const ECOSYSTEM: Ecosystem = Ecosystem {
    generated_endings: &[".bundle.js"],
    generated_directories: &["node_modules", "bower_components", "__generated__"],
    test_directories: &[
        "__tests__", "__test__", "__mocks__", "__fixtures__", "__testfixtures__", "__snapshots__",
        "e2e", "cypress",
    ],
    configuration_names: &[
        "jakefile", "package.json", "lerna.json", "bower.json", "gulpfile.js", "gruntfile.js",
        "karma.conf.js", "deno.json", "turbo.json", "nx.json", "angular.json",
    ],
    example_endings: &[".stories"],
    well_known: include_str!("ecmascript/well_known.txt"),
    ..Ecosystem::NONE
};

const ROLES: Roles = Roles {
    is_test,
    is_configuration: is_script_configuration,
    ..Roles::NONE
};

/// Whether a file is a test: `a.test.ts`, `a.spec.js`, `a-test.js` and the like.
fn is_test(file: &File<'_>) -> bool {
    const MARKS: [&str; 9] = [
        ".test", ".tests", ".spec", ".specs", ".cy", ".e2e", ".test-d", "-test", "_test",
    ];
    let stem = file.stem.as_str();
    MARKS
        .iter()
        .any(|mark| stem.ends_with(mark) || stem.contains(&format!("{mark}.")))
        || stem.ends_with("-spec")
        || matches!(stem, "jest.setup" | "setuptests")
}

#[cfg(test)]
mod tests {
    use super::{ELEMENT_GETTERS, ELEMENT_VIEWS};

    #[test]
    fn names_are_sorted() {
        assert!(ELEMENT_GETTERS.is_sorted() && ELEMENT_VIEWS.is_sorted());
    }
}
