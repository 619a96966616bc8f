//! The part that a file plays in its repository, by conventions that many repositories share. No
//! rule names a repository.

use foveate_model::{Language, RepoPath, Role};

use crate::language;

/// The role of a file; `generated` is what its content says of itself.
pub(crate) fn of(path: &RepoPath, language: Language, generated: bool) -> Role {
    let file = File::new(path, language);
    if generated || file.is_generated() {
        Role::Generated
    } else if file.is_in_documentation() {
        match file.name_is_configuration() {
            true => Role::Configuration,
            false => Role::Documentation,
        }
    } else if file.is_test() {
        Role::Test
    } else if file.is_in_examples() || file.is_prose() {
        Role::Documentation
    } else if file.is_configuration() {
        Role::Configuration
    } else if file.is_data() {
        Role::Data
    } else {
        Role::Source
    }
}

struct File<'p> {
    path: &'p RepoPath,
    language: Language,
    name: String,
    stem: String,
    directories: Vec<String>,
}

impl<'p> File<'p> {
    fn new(path: &'p RepoPath, language: Language) -> Self {
        let directories = path.directory().split('/').filter(|d| !d.is_empty());
        Self {
            path,
            language,
            name: path.file_name().to_ascii_lowercase(),
            stem: path.stem().to_ascii_lowercase(),
            directories: directories.map(str::to_ascii_lowercase).collect(),
        }
    }

    fn has_directory(&self, names: &[&str]) -> bool {
        self.directories.iter().any(|d| names.contains(&d.as_str()))
    }

    /// Copied from elsewhere, or written by a program.
    fn is_generated(&self) -> bool {
        const PLACES: [&str; 18] = [
            "node_modules",
            "bower_components",
            "vendor",
            "vendors",
            "vendored",
            "_vendor",
            "_vendored_packages",
            "third_party",
            "third-party",
            "thirdparty",
            "3rdparty",
            "extern",
            "externals",
            "_externals",
            "site-packages",
            "dist",
            "__generated__",
            "generated",
        ];
        let name = self.name.as_str();
        self.has_directory(&PLACES)
            || language::is_lock_file(self.path.file_name())
            || name.contains(".min.")
            || name.ends_with(".map")
            || name.ends_with("_pb2.py")
            || name.ends_with("_pb2.pyi")
            || name.ends_with("_pb2_grpc.py")
            || name.ends_with(".pb.go")
            || name.ends_with(".bundle.js")
            || name.contains(".generated.")
            || name == "versioneer.py"
            || is_released_library(&self.stem, self.language)
    }

    /// In a tree of documentation: prose, its configuration and its code samples.
    fn is_in_documentation(&self) -> bool {
        const TREES: [&str; 5] = ["docs", "doc", "documentation", "docs_src", "docs-src"];
        // Deeper down only prose counts: `src/docs/` may well be a feature.
        let mut above = self.directories.iter().map(String::as_str);
        let top = match above.next() {
            Some("src" | "lib" | "app") | None => false,
            Some(first) => {
                TREES.contains(&first) || above.next().is_some_and(|d| TREES.contains(&d))
            }
        };
        let is_prose = !self.language.is_code() && !matches!(self.language, Language::Json);
        top || (is_prose && self.has_directory(&TREES))
    }

    /// In a directory of examples near the root. Their tests are found before.
    fn is_in_examples(&self) -> bool {
        const TREES: [&str; 14] = [
            "examples",
            "example",
            "samples",
            "sample",
            "demo",
            "demos",
            "tutorials",
            "tutorial",
            "galleries",
            "gallery",
            "cookbook",
            "playground",
            "playgrounds",
            "quickstart",
        ];
        let top = self
            .directories
            .first()
            .is_some_and(|d| TREES.contains(&d.as_str()));
        let second = self
            .directories
            .get(1)
            .is_some_and(|d| d == "examples" || d == "galleries");
        top || second || self.stem.ends_with(".stories")
    }

    fn is_prose(&self) -> bool {
        const NOTES: [&str; 22] = [
            "readme",
            "changelog",
            "changes",
            "history",
            "news",
            "license",
            "licence",
            "copying",
            "notice",
            "authors",
            "contributors",
            "contributing",
            "install",
            "security",
            "todo",
            "maintainers",
            "code_of_conduct",
            "credits",
            "thanks",
            "release",
            "releases",
            "upgrading",
        ];
        let is_markup = matches!(
            self.language,
            Language::Markdown | Language::ReStructuredText
        );
        let first = self.stem.split(['.', '-']).next().unwrap_or("");
        let is_note = !self.language.is_code() && NOTES.contains(&first);
        let is_fragment = self.has_directory(&[
            "changelogs",
            "changelog",
            "newsfragments",
            ".changeset",
            "news",
        ]);
        is_markup
            || (is_note && self.language == Language::Text)
            || (is_fragment && !self.language.is_code())
    }

    fn is_test(&self) -> bool {
        if self.has_test_name() {
            return true;
        }
        const TREES: [&str; 18] = [
            "tests",
            "__tests__",
            "__test__",
            "__mocks__",
            "__fixtures__",
            "__snapshots__",
            "e2e",
            "cypress",
            "testdata",
            "test-data",
            "test_data",
            "test-fixtures",
            "test_fixtures",
            "testfixtures",
            "benchmarks",
            "asv_bench",
            "asv_benchmarks",
            "benches",
        ];
        if self.has_directory(&TREES) {
            return !self.is_shipped_test_support();
        }
        self.directories
            .iter()
            .any(|d| d.ends_with("-tests") || d.ends_with("_tests"))
            || self.is_in_test_directory()
            || self
                .directories
                .first()
                .is_some_and(|d| matches!(d.as_str(), "testing" | "spec" | "specs"))
            || (self.has_directory(&["fixtures", "spec", "specs"]) && self.is_data_like())
    }

    /// `test_x.py`, `x_test.go`, `x.spec.tsx`, `XTest.java` and the like.
    fn has_test_name(&self) -> bool {
        let stem = self.stem.as_str();
        match self.language {
            Language::Python => {
                // Test support that is shipped may be named `test_…` too, but nothing tells it.
                stem.starts_with("test_")
                    || stem.ends_with("_test")
                    || stem.starts_with("unittest_")
                    || matches!(stem, "conftest" | "tests")
            }
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                let marks = [
                    ".test", ".tests", ".spec", ".specs", ".cy", ".e2e", ".test-d", "-test",
                    "_test",
                ];
                marks
                    .iter()
                    .any(|mark| stem.ends_with(mark) || stem.contains(&format!("{mark}.")))
                    || stem.ends_with("-spec")
                    || matches!(stem, "jest.setup" | "setuptests")
            }
            Language::Go => stem.ends_with("_test"),
            Language::Ruby => stem.ends_with("_spec") || stem.ends_with("_test"),
            Language::Rust => stem == "tests",
            Language::Java
            | Language::Kotlin
            | Language::Scala
            | Language::CSharp
            | Language::Php
            | Language::Swift => {
                let stem = self.path.stem();
                stem.ends_with("Test")
                    || stem.ends_with("Tests")
                    || stem.ends_with("Spec")
                    || stem.ends_with("TestCase")
            }
            _ => false,
        }
    }

    /// A directory `test` holds tests, except where it is a Python package directly inside another
    /// one (`pkg/test/client.py` is imported by users of `pkg`) or one package of many in a
    /// workspace (`packages/test/`).
    fn is_in_test_directory(&self) -> bool {
        let Some(at) = self.directories.iter().position(|d| d == "test") else {
            return false;
        };
        let above = at
            .checked_sub(1)
            .and_then(|above| self.directories.get(above));
        let is_workspace_member = above.is_some_and(|d| {
            matches!(
                d.as_str(),
                "packages" | "crates" | "apps" | "modules" | "plugins"
            )
        });
        let is_inner_package = self.language == Language::Python
            && above.is_some_and(|d| d != "src" && d != "lib")
            && at + 1 == self.directories.len();
        !is_workspace_member && !is_inner_package
    }

    /// `pkg/tests/helper.py` directly below the top package: what users of the package import to
    /// write their own tests.
    fn is_shipped_test_support(&self) -> bool {
        let mut directories = self.directories.as_slice();
        if let [first, rest @ ..] = directories
            && (first == "src" || first == "lib")
        {
            directories = rest;
        }
        self.language == Language::Python
            && matches!(directories, [package, tests] if package != "tests" && tests == "tests")
            && matches!(
                self.stem.as_str(),
                "helper" | "runner" | "command" | "plugin"
            )
    }

    fn is_configuration(&self) -> bool {
        if self.name_is_configuration() {
            return true;
        }
        let in_dot_directory = self
            .directories
            .iter()
            .any(|d| d.starts_with('.') && d.len() > 1);
        let is_dot_file = self.name.starts_with('.');
        let is_settings = match self.language {
            Language::Yaml | Language::Toml => true,
            Language::Json => self.directories.is_empty(),
            Language::Text => matches!(
                self.path.extension(),
                "cfg"
                    | "ini"
                    | "conf"
                    | "properties"
                    | "in"
                    | "cmake"
                    | "mk"
                    | "gradle"
                    | "nix"
                    | "tf"
            ),
            _ => false,
        };
        in_dot_directory || is_dot_file || is_settings
    }

    fn name_is_configuration(&self) -> bool {
        let name = self.name.as_str();
        let stem = self.stem.as_str();
        let by_name = matches!(
            name,
            "setup.py"
                | "setup.cfg"
                | "pyproject.toml"
                | "noxfile.py"
                | "manage.py"
                | "makefile"
                | "gnumakefile"
                | "dockerfile"
                | "procfile"
                | "justfile"
                | "vagrantfile"
                | "gemfile"
                | "rakefile"
                | "jakefile"
                | "package.json"
                | "lerna.json"
                | "composer.json"
                | "bower.json"
                | "manifest.in"
                | "tox.ini"
                | "pipfile"
                | "codeowners"
                | "go.mod"
                | "cmakelists.txt"
                | "pom.xml"
                | "build.gradle"
                | "gulpfile.js"
                | "gruntfile.js"
                | "karma.conf.js"
                | "conf.py"
                | "build.rs"
                | "cargo.toml"
                | "deno.json"
                | "meson.build"
                | "turbo.json"
                | "nx.json"
                | "angular.json"
        );
        let is_script = matches!(
            self.language,
            Language::JavaScript | Language::TypeScript | Language::Json
        );
        let is_tool_config = is_script
            && (stem.ends_with(".config")
                || stem.ends_with(".conf")
                || stem.starts_with("tsconfig")
                || stem.starts_with("jsconfig")
                || stem.starts_with("babel.")
                || stem.starts_with("webpack."));
        let is_requirements = self.language == Language::Text
            && (stem.starts_with("requirements")
                || stem.starts_with("constraints")
                || self.has_directory(&["requirements"]));
        let is_docker = name.starts_with("dockerfile") || name.starts_with("docker-compose");
        by_name || is_tool_config || is_requirements || is_docker
    }

    fn is_data(&self) -> bool {
        // Templates and grammars are written by hand and shipped.
        let is_written = matches!(
            self.path.extension(),
            "py-tpl" | "tpl" | "tmpl" | "proto" | "graphql" | "gql" | "lark" | "g4"
        );
        self.is_data_like()
            && !is_written
            && !self.has_directory(&["templates", "template", "bin", "scripts"])
    }

    /// What programs read rather than people.
    fn is_data_like(&self) -> bool {
        matches!(self.language, Language::Json | Language::Text)
            || language::skip_by_name(self.path).is_some()
            || self.name.ends_with(".xml")
    }
}

/// `jquery-3.6.0.js`: a library with its version is a copy.
fn is_released_library(stem: &str, language: Language) -> bool {
    if !matches!(language, Language::JavaScript | Language::Css) {
        return false;
    }
    let Some((name, version)) = stem.rsplit_once('-') else {
        return matches!(stem, "jquery" | "underscore" | "bootstrap");
    };
    !name.is_empty()
        && version.contains('.')
        && version.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(role: Role, paths: &[&str]) {
        for path in paths {
            let path = RepoPath::new(path).unwrap();
            let language = language::by_name(&path).unwrap_or(Language::Text);
            assert_eq!(of(&path, language, false), role, "{path}");
        }
    }

    #[test]
    fn shipped_code_is_source() {
        check(
            Role::Source,
            &[
                "django/db/models/query.py",
                "django/test/client.py",
                "django/test/__init__.py",
                "django/core/management/commands/test.py",
                "src/_pytest/python.py",
                "src/_pytest/pytester.py",
                "astropy/tests/helper.py",
                "astropy/tests/runner.py",
                "sklearn/utils/testing.py",
                "numpy/testing/_private/utils.py",
                "scrapy/utils/test.py",
                "sympy/testing/runtests.py",
                "src/flask/testing.py",
                "packages/core/src/browser/shell.tsx",
                "packages/test/src/browser/view.ts",
                "packages/core/testing/src/fixture.ts",
                "lib/axios.js",
                "scripts/build.js",
                "django/contrib/auth/templates/registration/password_reset_email.txt",
                "django/contrib/admin/static/admin/js/actions.js",
                "django/contrib/admin/templates/admin/base.html",
                "src/docs/panel.tsx",
                "src/spec/parser.ts",
                "src/main.rs",
            ],
        );
    }

    #[test]
    fn tests_and_their_support_are_tests() {
        check(
            Role::Test,
            &[
                "tests/foo/tests.py",
                "tests/conftest.py",
                "tests/templates/a.html",
                "tests/fixtures/data.json",
                "sympy/core/tests/test_x.py",
                "sympy/core/tests/__init__.py",
                "astropy/tests/tests/test_imports.py",
                "astropy/io/fits/tests/helper.py",
                "testing/test_x.py",
                "testing/conftest.py",
                "test/units/a.py",
                "test/support/util.js",
                "Lib/test/test_os.py",
                "src/test/java/com/x/A.java",
                "src/app/model.test.ts",
                "src/app/model.spec.tsx",
                "src/__tests__/a.js",
                "packages/core/src/node/test/mock.ts",
                "examples/api-tests/src/a.js",
                "examples/tutorial/tests/test_auth.py",
                "pkg/server/handler_test.go",
                "spec/models/user_spec.rb",
                "benchmarks/run.py",
                "tests/README.md",
            ],
        );
    }

    #[test]
    fn prose_and_examples_are_documentation() {
        check(
            Role::Documentation,
            &[
                "README.md",
                "README",
                "CHANGES.rst",
                "LICENSE",
                "docs/ref/models.txt",
                "docs/conf/sample.py",
                "doc/en/example/test_fixture.py",
                "examples/flask_app/app.py",
                "galleries/plot.py",
                "packages/core/README.md",
                "changelogs/fragments/123.yml",
                "src/pkg/docs/intro.txt",
            ],
        );
    }

    #[test]
    fn settings_are_configuration() {
        check(
            Role::Configuration,
            &[
                "pyproject.toml",
                "setup.py",
                "setup.cfg",
                "package.json",
                "packages/a/package.json",
                "tsconfig.base.json",
                "Dockerfile",
                "docker/Dockerfile.dev",
                ".github/workflows/ci.yml",
                ".eslintrc.js",
                "vite.config.ts",
                "requirements/dev.txt",
                "docs/conf.py",
                "Makefile",
                "CMakeLists.txt",
            ],
        );
    }

    #[test]
    fn copies_and_output_of_programs_are_generated() {
        check(
            Role::Generated,
            &[
                "node_modules/a/index.js",
                "vendor/lib/a.py",
                "astropy/extern/six.py",
                "sklearn/externals/joblib.py",
                "static/app.min.js",
                "package-lock.json",
                "proto/a_pb2.py",
                "dist/index.js",
                "static/jquery-3.6.0.js",
            ],
        );
        let path = RepoPath::new("src/parser.py").unwrap();
        assert_eq!(of(&path, Language::Python, true), Role::Generated);
    }

    #[test]
    fn input_of_programs_is_data() {
        check(
            Role::Data,
            &[
                "django/conf/locale/de/LC_MESSAGES/django.po",
                "src/words.json",
                "src/words.txt",
                "src/logo.svg",
                "data/countries.csv",
            ],
        );
    }
}
