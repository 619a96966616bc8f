//! Registers C#.

mod hunks;
mod lookup;
mod modules;
mod traces;
mod walker;

use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::origin::form::OriginForm;
use crate::role::conventions::{Ecosystem, File, Roles, is_test_class};

pub(super) static CSHARP: LanguageSpec = LanguageSpec {
    names: Names {
        lock_files: &["packages.lock.json"],
        ..Names::extensions(&["cs"])
    },
    parser: Some(|language, text, _, limits| {
        let shown = walker::mask_directives(text);
        walker::WALKER.facts_of(language, text, shown.as_bytes(), limits)
    }),
    roles: Roles {
        ecosystem: Ecosystem {
            generated_endings: &[".g.cs", ".g.i.cs", ".designer.cs", ".feature.cs"],
            configuration_names: &[
                "nuget.config", "global.json", "packages.config", "app.config", "web.config",
            ],
            configuration_endings: &[
                ".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".props", ".targets", ".nuspec",
                ".ruleset",
            ],
            ..Ecosystem::NONE
        },
        is_test: |file| is_test_class(file) || is_in_test_project(file),
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["cs", "csharp", "c#", "razor"],
        lines: &[
            Line::when("using ", |line| {
                using_name(line.trim_end_matches(';')).is_some() && line.ends_with(';')
            }),
            Line::when("namespace ", |line| {
                !line.contains(['\\', ':']) && !line.ends_with('{')
            }),
            Line::starting("public async Task"),
            Line::starting("internal class "),
            Line::starting("public sealed class "),
            Line::starting("public partial class "),
            Line::starting("var builder = WebApplication"),
        ],
        pasted: &["public async Task"],
        imports: Some(Imports {
            brackets: |line| using_name(line.trim_end_matches(';')).map(|_| [].as_slice()),
            names: |statement| Some(vec![using_name(statement)?.to_owned()]),
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        // Frames without debug symbols have a path made of their namespace and class.
        runtime: |path| {
            let is_own = path.starts_with("System/") && path.ends_with(".cs");
            is_own.then_some(path)
        },
        runtime_packages: &["System."],
        ..OriginForm::NONE
    },
    hunks: Some(hunks::HUNKS),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: lookup::LOOKUP,
    tests: lookup::TESTS,
    ..LanguageRules::new("csharp", 14)
};

/// Whether a directory is named like a test project: `Shop.Tests/`, `Shop.UnitTests/`, `ShopTests/`.
fn is_in_test_project(file: &File<'_>) -> bool {
    let mut directories = file.path.directory().split('/');
    directories.any(|directory| {
        let endings = ["Tests", ".Test", "UnitTest", "IntegrationTest", ".Specs"];
        endings.iter().any(|ending| directory.ends_with(ending))
    })
}

/// Returns the name in `using A.B`, `using static A.B.C`, `using D = A.B.C` and `global using A.B`. A
/// `using` block and a `using` variable, which is disposed at the end of its block, begin with the same
/// word and give `None`.
fn using_name(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("global ").unwrap_or(statement);
    let rest = rest.strip_prefix("using ")?;
    let rest = rest.strip_prefix("static ").unwrap_or(rest);
    let name = rest.split_once(" = ").map_or(rest, |(_, name)| name).trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    (name.starts_with(char::is_uppercase) && name.chars().all(is_name)).then_some(name)
}
