//! Registers Python.

mod documentation;
mod modules;
mod standard_library;
mod traces;
mod values;
mod walker;

use foveate_model::resolution::{Fixtures, LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::builtins::{BUILTIN_MEMBERS, GLOBALS};
use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line, dotted_import};
use crate::hunks::heads::{HunkHeads, Pattern, after_keyword};
use crate::origin::form::{
    InstalledFile, Origin, OriginForm, PackageHome, PackageManager, below, below_pair, installed,
};
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
    roles: Roles {
        ecosystem: Ecosystem {
            generated_names: &["versioneer.py"],
            generated_endings: &["_pb2.py", "_pb2.pyi", "_pb2_grpc.py"],
            generated_directories: &["site-packages"],
            test_directories: &["asv_bench", "asv_benchmarks"],
            configuration_names: &[
                "setup.py", "setup.cfg", "pyproject.toml", "noxfile.py", "manage.py",
                "manifest.in", "tox.ini", "pipfile", "conf.py",
            ],
            well_known: include_str!("python/well_known.txt"),
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
    },
    code: CodeForm {
        line_comment: "#",
        fences: &[
            "py", "python", "python2", "python3", "pycon", "ipython", "ipython3", "doctest",
            "pytb", "py3tb",
        ],
        lines: &[
            Line::starting(">>> "),
            Line::starting("In ["),
            block("def "),
            block("async def "),
            block("elif "),
            Line::when("from ", |line| line.contains(" import ")),
        ],
        pasted: &[">>>", "In [", "Out[", "def ", "async def ", "@pytest."],
        block_words: &[
            "class ", "if ", "for ", "while ", "with ", "try", "else", "elif ", "except", "finally",
        ],
        after_prompt,
        imports: Some(Imports {
            brackets: |line| {
                let is_import = line.starts_with("from ") || line.starts_with("import ");
                is_import.then_some(&['(', '{'])
            },
            names: imported,
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        manager: Some(&PIP),
        package,
        runtime: |path| match path.starts_with("frozen ") {
            true => Some(path),
            false => library(path),
        },
        ..OriginForm::NONE
    },
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
    lookup: LookupRules {
        imports_bind_paths: true,
        modules_have_submodules: true,
        class_bodies_are_scopes: true,
        receivers: &[("self", Receiver::Instance), ("cls", Receiver::Class)],
        super_name: Some("super"),
        self_types: &["Self", "this"],
        fixtures: Fixtures {
            decorators: &["fixture"],
            shared_stems: &["conftest"],
        },
        globals: GLOBALS,
        builtin_members: BUILTIN_MEMBERS,
        element_getters: ELEMENT_GETTERS,
        element_views: ELEMENT_VIEWS,
        ..LookupRules::DEFAULT
    },
    // Test files are those that pytest and unittest find.
    tests: TestConventions {
        package_stems: &["__init__", "index"],
        ..TestConventions::COMMON
    },
    ..LanguageRules::new("python", 0)
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

const fn block(start: &'static str) -> Line {
    Line::when(start, |line| line.ends_with(':'))
}

/// Strips the prompts of Python, IPython and doctests.
fn after_prompt(line: &str) -> Option<&str> {
    for prompt in [">>>", "..."] {
        if let Some(rest) = line.strip_prefix(prompt) {
            return Some(rest.strip_prefix(' ').unwrap_or(rest));
        }
    }
    let (_, code) = line.strip_prefix("In [")?.split_once("]: ")?;
    Some(code)
}

fn imported(statement: &str) -> Option<Vec<String>> {
    let Some(rest) = statement.strip_prefix("from ") else {
        // A quoted specifier belongs to a script.
        return dotted_import(statement).filter(|_| !statement.contains(['\'', '"', '`']));
    };
    let (module, list) = rest.split_once(" import ").unwrap_or_default();
    let module = module.trim();
    if module.starts_with('.') || !is_dotted(module) {
        return Some(Vec::new());
    }
    let list = list.split('#').next().unwrap_or(list);
    let names = list.split([',', '(', ')']).filter_map(|item| {
        let name = item.split(" as ").next().unwrap_or("").trim();
        match name {
            "" => None,
            "*" => Some(module.to_owned()),
            name => Some(format!("{module}.{name}")),
        }
    });
    Some(names.collect())
}

fn is_dotted(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

static PIP: PackageManager = PackageManager {
    name: "pip",
    home: PackageHome::Module {
        ending: ".py",
        package_stem: "__init__",
    },
    is_built: false,
};

fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "site-packages").or_else(|| below(path, "dist-packages"))?;
    let rest = match rest.split_once('/') {
        Some((egg, rest)) if egg.ends_with(".egg") => rest,
        _ => rest,
    };
    let origin = match rest.find('/') {
        Some(end) => installed(&PIP, rest, end)?,
        None => Origin::Package(InstalledFile {
            manager: &PIP,
            name: rest.split('.').next().unwrap_or(rest),
            inner: "",
            path: rest,
        }),
    };
    Some((rest, origin))
}

/// Returns the path below `lib/python3.8/`, `Python38/Lib/` or `lib-python/3/`.
fn library(path: &str) -> Option<&str> {
    let has_version = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    let is_unix = |above: &str, directory: &str| {
        let is_python = directory.starts_with("python") && directory.contains('.');
        matches!(above, "lib" | "lib64") && is_python && has_version(directory)
    };
    let is_other = |above: &str, directory: &str| {
        let named = above.to_ascii_lowercase();
        let is_python = named.contains("python") || named.contains("conda");
        let is_lib = directory.eq_ignore_ascii_case("lib");
        above == "lib-python" || (is_lib && is_python && has_version(above))
    };
    below_pair(path, is_unix).or_else(|| below_pair(path, is_other))
}

/// Methods of lists and dictionaries that return an element or a value, sorted.
const ELEMENT_GETTERS: &[&str] = &["get", "pop", "popleft", "setdefault"];

/// Methods of them that return collections of the same elements, sorted. The values of a loop over `items()` are pairs with
/// an element.
const ELEMENT_VIEWS: &[&str] = &["copy", "items", "values"];

#[cfg(test)]
mod tests {
    use super::{ELEMENT_GETTERS, ELEMENT_VIEWS, PYTHON};
    use crate::hunks::heads::check;

    #[test]
    fn names_are_sorted() {
        assert!(ELEMENT_GETTERS.is_sorted() && ELEMENT_VIEWS.is_sorted());
    }

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
