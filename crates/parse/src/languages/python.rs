//! Registers Python.

mod code;
mod documentation;
mod lookup;
mod modules;
mod origin;
mod standard_library;
mod traces;
mod values;
mod walker;

use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::hunks::heads::{HunkHeads, Pattern, after_keyword};
use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) static PYTHON: LanguageSpec = LanguageSpec {
    names: Names {
        files: &[
            "SConstruct", "SConscript", "wscript", "BUILD", "WORKSPACE", "Tiltfile",
        ],
        programs: &["python", "pypy"],
        lock_files: &["poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock"],
        // Cython is similar enough to Python for its definitions to be found.
        ..Names::extensions(&["py", "pyi", "pyw", "pyx", "pxd", "pxi", "bzl"])
    },
    parser: Some(|_, text, earlier, limits| walker::facts(text, earlier, limits)),
    values: Some(values::VALUES),
    roles: ROLES,
    code: code::CODE,
    traces: traces::TRACES,
    origins: origin::ORIGINS,
    hunks: Some(HunkHeads {
        pattern: Pattern::Own(
            "foveate-python",
            r"^([[:space:]]*(class|(async[[:space:]]+)?def)[[:space:]].*)$",
        ),
        extensions: &["py", "pyi", "pyx"],
        shows_indentation: true,
        named: |line| after_keyword(line, &["async"], &["def", "class"]),
        is_definition: |_| true,
    }),
    ..LanguageSpec::new(LANGUAGE)
};

const LANGUAGE: Language = Language::of(&RULES);

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: lookup::LOOKUP,
    tests: lookup::TESTS,
    ..LanguageRules::new("python", 0)
};

const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        generated_names: &["versioneer.py"],
        generated_endings: &["_pb2.py", "_pb2.pyi", "_pb2_grpc.py"],
        generated_directories: &["site-packages"],
        test_directories: &["asv_bench", "asv_benchmarks"],
        configuration_names: &[
            "setup.py", "setup.cfg", "pyproject.toml", "noxfile.py", "manage.py", "manifest.in",
            "tox.ini", "pipfile", "conf.py",
        ],
        ..Ecosystem::NONE
    },
    is_test: |file| {
        // Shipped test support may be named `test_…` too, but nothing distinguishes it.
        let stem = file.stem.as_str();
        stem.starts_with("test_")
            || stem.ends_with("_test")
            || stem.starts_with("unittest_")
            || matches!(stem, "conftest" | "tests")
    },
    is_test_support,
    is_test_package,
    ..Roles::NONE
};

/// Whether a file is test support of a package: `pkg/tests/helper.py` directly below the top package, which
/// users of the package import to write their own tests.
fn is_test_support(file: &File<'_>) -> bool {
    let mut directories = file.directories.as_slice();
    if let [first, rest @ ..] = directories
        && (first == "src" || first == "lib")
    {
        directories = rest;
    }
    matches!(directories, [package, tests] if package != "tests" && tests == "tests")
        && matches!(
            file.stem.as_str(),
            "helper" | "runner" | "command" | "plugin"
        )
}

/// Whether a test directory is a package that users of `pkg` import: `pkg/test/client.py`, directly inside
/// another package.
fn is_test_package(file: &File<'_>, at: usize) -> bool {
    let is_inside = file.above(at).is_some_and(|d| d != "src" && d != "lib");
    is_inside && at + 1 == file.directories.len()
}

#[cfg(test)]
mod tests {
    use super::PYTHON;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_read() {
        check(
            PYTHON.hunks.unwrap(),
            &[
                ("    async def get_queryset(self):", Some("get_queryset")),
                ("class Meta(Base):", Some("Meta")),
                ("defer = 1", None),
                ("    return def_", None),
                ("class_ = 3", None),
            ],
        );
    }
}
