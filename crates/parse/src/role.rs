//! Decides on the role of a file in its repository, by conventions that many repositories share. No rule
//! names a repository; each language has its own [`conventions::Roles`].

pub(crate) mod conventions;

use foveate_model::{Language, LanguageKind, RepoPath, Role};

use self::conventions::{Documentation, Ecosystem, File};
use crate::{file_names, languages};

/// Returns the role of a file; `generated` is whether its content says that it is generated.
pub(crate) fn of(path: &RepoPath, language: Language, generated: bool) -> Role {
    let file = File::new(path, language, &languages::spec(language).roles);
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
    } else if file.is_translation() || file.is_past_migration() {
        Role::Data
    } else if (file.roles.is_infrastructure)(&file) {
        Role::Source
    } else if file.is_configuration() {
        Role::Configuration
    } else if file.is_data() {
        Role::Data
    } else {
        Role::Source
    }
}

/// Whether a file is where texts of the user interface are, by its path.
pub(crate) fn is_among_translations(path: &RepoPath) -> bool {
    File::new(path, Language::TEXT, &languages::spec(Language::TEXT).roles).is_among_translations()
}

impl File<'_> {
    /// Whether the file is copied from elsewhere, or written by a program.
    fn is_generated(&self) -> bool {
        let name = self.name.as_str();
        self.is_in_generated_directory()
            || file_names::is_lock_file(self.path.file_name())
            || name.contains(".min.")
            || name.contains(".generated.")
            || name.ends_with(".map")
            || names(|e| e.generated_names).any(|known| known == name)
            || names(|e| e.generated_endings).any(|ending| name.ends_with(ending))
            || (self.roles.is_copy)(self)
    }

    /// Whether the file is in a directory of copies or of what programs wrote.
    fn is_in_generated_directory(&self) -> bool {
        const WORDS: [&str; 6] = [
            "vendor", "vendors", "bundled", "dist", "extern", "externals",
        ];
        let mut numbered = (0..).zip(self.directories.iter().map(String::as_str));
        numbered.any(|(at, directory)| {
            let mut own = names(|e| e.generated_directories);
            (GENERATED_DIRECTORIES.contains(&directory) || own.any(|known| known == directory))
                && !(WORDS.contains(&directory) && (self.roles.is_domain_package)(self, at))
        })
    }

    /// Whether the file is in a tree of documentation: prose, its configuration and its code samples.
    fn is_in_documentation(&self) -> bool {
        const TREES: [&str; 5] = ["docs", "doc", "documentation", "docs_src", "docs-src"];
        // At deeper levels only prose counts: `src/docs/` may well be a feature.
        let mut above = self.directories.iter().map(String::as_str);
        let top = match above.next() {
            Some("src" | "lib" | "app") | None => false,
            Some(first) => {
                TREES.contains(&first) || above.next().is_some_and(|d| TREES.contains(&d))
            }
        };
        let is_for_people =
            self.language.rules().kind == LanguageKind::Prose || !self.roles.is_data;
        let is_prose = !self.language.is_code() && is_for_people;
        // A package may be called `doc`; samples of code are in directories below.
        let is_package = self.roles.every_directory_is_package
            && self.language.is_code()
            && self.directories.len() == 1;
        (top && !is_package) || (is_prose && self.has_directory(&TREES))
    }

    /// Whether the file is in a directory of examples near the root. Tests of examples are recognised
    /// before.
    fn is_in_examples(&self) -> bool {
        const TREES: [&str; 14] = [
            "examples", "example", "samples", "sample", "demo", "demos", "tutorials", "tutorial",
            "galleries", "gallery", "cookbook", "playground", "playgrounds", "quickstart",
        ];
        let top = self
            .directories
            .first()
            .is_some_and(|d| TREES.contains(&d.as_str()));
        let second = self
            .directories
            .get(1)
            .is_some_and(|d| d == "examples" || d == "galleries");
        top || second
            || names(|e| e.example_endings).any(|ending| self.stem.ends_with(ending))
            || (self.roles.is_example)(self)
    }

    fn is_prose(&self) -> bool {
        const NOTES: [&str; 24] = [
            "readme", "changelog", "changes", "history", "news", "license", "licence", "copying",
            "notice", "authors", "contributors", "contributing", "install", "security", "todo",
            "maintainers", "code_of_conduct", "credits", "thanks", "release", "releases",
            "upgrading", "manual", "faq",
        ];
        let first = self.stem.split(['.', '-']).next().unwrap_or("");
        // The tool that collects the fragments of a changelog may have its settings beside them.
        let is_fragment = self.stem != "config"
            && self.has_directory(&[
                "changelogs", "changelog", "newsfragments", ".changeset", "news",
            ]);
        let is_documentation = match self.roles.documentation {
            Documentation::All => true,
            Documentation::Notes => NOTES.contains(&first),
            Documentation::None => false,
        };
        is_documentation || self.is_marked_up() || (is_fragment && !self.language.is_code())
    }

    /// Whether the file is prose in a markup language that has no row, prose with code in between (a notebook), or a page
    /// of a manual (`shop.1`).
    fn is_marked_up(&self) -> bool {
        const MARKUP: [&str; 17] = [
            "adoc", "asciidoc", "creole", "ipynb", "mediawiki", "org", "pod", "qmd", "rdoc", "rmd",
            "scd", "tex", "texi", "texinfo", "textile", "typ", "wiki",
        ];
        let extension = self.path.extension();
        let is_page = matches!(extension.as_bytes(), [b'1'..=b'8']) && !self.stem.contains('.');
        is_page || MARKUP.iter().any(|e| e.eq_ignore_ascii_case(extension))
    }

    fn is_test(&self) -> bool {
        if (self.roles.is_test)(self) {
            return true;
        }
        let mut own = names(|e| e.test_directories);
        if self.has_directory(&TEST_DIRECTORIES) || own.any(|name| self.has_directory(&[name])) {
            return !(self.roles.is_test_support)(self);
        }
        let is_of_tests = |directory: &String| {
            ["-tests", "_tests", ".tests"]
                .iter()
                .any(|ending| directory.ends_with(ending))
                || directory.starts_with("tests-")
                || directory.starts_with("tests_")
        };
        self.directories.iter().any(is_of_tests)
            || self.is_in_test_directory()
            || self
                .directories
                .first()
                .is_some_and(|d| matches!(d.as_str(), "testing" | "spec" | "specs"))
            || (self.has_directory(&["fixtures", "spec", "specs"]) && self.is_data_like())
    }

    /// Whether the file is in a directory `test` that contains tests. It does not if it is one package of
    /// many in a workspace (`packages/test/`), or if the language says that it is shipped.
    fn is_in_test_directory(&self) -> bool {
        let Some(at) = self.directories.iter().position(|d| d == "test") else {
            return false;
        };
        let is_workspace_member = self.above(at).is_some_and(|directory| {
            matches!(
                directory,
                "packages" | "crates" | "apps" | "modules" | "plugins"
            )
        });
        !is_workspace_member && !(self.roles.is_test_package)(self, at)
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
        in_dot_directory || is_dot_file || self.is_in_settings() || (self.roles.is_settings)(self)
    }

    /// Whether the file is read by programs, in a directory of settings at the root: `config/checkstyle/checkstyle.xml`.
    fn is_in_settings(&self) -> bool {
        let top = self.directories.first().map(String::as_str);
        let is_read = self.roles.is_data || self.name.ends_with(".xml");
        is_read && matches!(top, Some("ci" | "config"))
    }

    fn name_is_configuration(&self) -> bool {
        let name = self.name.as_str();
        let is_docker = name.starts_with("dockerfile") || name.starts_with("docker-compose");
        is_docker
            || names(|e| e.configuration_names).any(|known| known == name)
            || names(|e| e.configuration_endings).any(|ending| name.ends_with(ending))
            || (self.roles.is_configuration)(self)
    }

    /// Whether the file holds texts of the user interface, each under a key. Translations in code are source.
    fn is_translation(&self) -> bool {
        let is_table = self.language.rules().kind == LanguageKind::Settings || self.is_data_like();
        is_table && self.is_among_translations()
    }

    /// Whether the file is where texts of the user interface are.
    fn is_among_translations(&self) -> bool {
        const DIRECTORIES: [&str; 8] = [
            "i18n", "l10n", "lang", "langs", "locale", "locales", "_locales", "translations",
        ];
        let is_bundle = || self.name.starts_with("messages") && self.name.ends_with(".properties");
        let is_resource = || {
            let mut directories = self.directories.iter();
            self.name == "strings.xml" && directories.any(|d| d.starts_with("values"))
        };
        self.has_directory(&DIRECTORIES) || is_bundle() || is_resource()
    }

    /// Whether the file changes a database from one version to the next, which its name numbers: `0002_cart.py`,
    /// `20240131_add_cart.rb`, `V2__cart.sql`. Once released, it stays as it is.
    fn is_past_migration(&self) -> bool {
        const DIRECTORIES: [&str; 4] = ["doctrinemigrations", "migrate", "migration", "migrations"];
        let stem = self.stem.as_str();
        let number = ["version", "v"]
            .iter()
            .find_map(|prefix| stem.strip_prefix(prefix));
        let is_numbered = || {
            number
                .unwrap_or(stem)
                .starts_with(|c: char| c.is_ascii_digit())
        };
        // Alembic names them by hashes.
        let is_version = || {
            self.directories
                .last()
                .is_some_and(|last| last == "versions")
                && self.has_directory(&["alembic", "migrations"])
        };
        (self.has_directory(&DIRECTORIES) && is_numbered()) || is_version()
    }

    fn is_data(&self) -> bool {
        // Templates, grammars, schemas and parts of sources are written by hand and shipped.
        const WRITTEN: [&str; 29] = [
            "py-tpl", "tpl", "tmpl", "tt", "stub", "proto", "thrift", "capnp", "fbs", "smithy",
            "prisma", "graphql", "graphqls", "gql", "lark", "g4", "y", "yy", "mly", "l", "ll",
            "mll", "rl", "peg", "inc", "def", "dtd", "wsdl", "xsd",
        ];
        let extension = self.path.extension();
        let is_written = WRITTEN.iter().any(|e| e.eq_ignore_ascii_case(extension));
        self.is_data_like()
            && !is_written
            && !self.has_directory(&["templates", "template", "bin", "script", "scripts"])
    }

    /// Whether the file is read by programs rather than people.
    fn is_data_like(&self) -> bool {
        self.roles.is_data
            || file_names::skip_by_name(self.path).is_some()
            || (self.name.ends_with(".xml") && !self.is_screen())
    }

    /// Whether an XML file describes a screen of an Android app, or what it consists of: `res/layout-land/main.xml`.
    fn is_screen(&self) -> bool {
        const KINDS: [&str; 4] = ["layout", "menu", "navigation", "xml"];
        let mut inside = self.directories.iter().skip_while(|d| *d != "res").skip(1);
        let kind = inside
            .next()
            .and_then(|directory| directory.split('-').next());
        kind.is_some_and(|kind| KINDS.contains(&kind))
    }
}

/// Returns the names in a list of all ecosystems.
fn names(of: fn(&Ecosystem) -> &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    let lists = languages::all().map(move |spec| of(&spec.roles.ecosystem));
    lists.flatten().copied()
}

/// Directories of copies and of what programs wrote. Docusaurus keeps a copy of the documentation for each release in
/// `versioned_docs`.
const GENERATED_DIRECTORIES: [&str; 16] = [
    "bundled", "vendor", "vendors", "vendored", "_vendor", "_vendored_packages", "third_party",
    "third-party", "thirdparty", "3rdparty", "extern", "externals", "_externals", "dist",
    "generated", "versioned_docs",
];

const TEST_DIRECTORIES: [&str; 9] = [
    "tests", "tst", "testdata", "test-data", "test_data", "test-fixtures", "test_fixtures",
    "testfixtures", "benchmarks",
];

#[cfg(test)]
mod tests;
