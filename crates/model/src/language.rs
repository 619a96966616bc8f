//! Defines the language of a file and its role in the repository.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::Definition;
use crate::resolution::{LookupRules, ModuleSystem, TestConventions};

/// A language: a handle to its [`LanguageRules`]. The parser's table defines which languages exist and
/// everything else about them.
#[derive(Clone, Copy)]
pub struct Language(&'static LanguageRules);

/// Properties of a language beyond the facts of its files. It is plain data, written in the language's folder
/// and read by whoever holds a [`Language`].
#[derive(Debug)]
pub struct LanguageRules {
    /// Stable lower-case name, used on the wire and in stored tables.
    pub name: &'static str,
    /// Its number in stored data. It is unique and never reused for another language.
    pub code: u8,
    /// The kind of content written in it.
    pub kind: LanguageKind,
    /// Languages of one family share a module system and see each other's names. By default a language forms
    /// its own family.
    pub family: &'static str,
    /// The module system of its family. Without one, names are resolved only within a file.
    pub modules: Option<&'static ModuleSystem>,
    /// Rules for looking up names.
    pub lookup: LookupRules,
    /// Naming conventions of its tests.
    pub tests: TestConventions,
}

/// The kind of content written in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguageKind {
    /// Programs, and the markup, styles and queries that belong to them.
    Code,
    /// Text for people.
    Prose,
    /// Keys and values.
    Settings,
}

/// Text in an unknown language.
static TEXT: LanguageRules = LanguageRules {
    kind: LanguageKind::Prose,
    ..LanguageRules::new("text", 24)
};

impl LanguageRules {
    /// Creates rules for a programming language that forms its own family, with defaults for everything else.
    pub const fn new(name: &'static str, code: u8) -> Self {
        Self {
            name,
            code,
            kind: LanguageKind::Code,
            family: name,
            modules: None,
            lookup: LookupRules::DEFAULT,
            tests: TestConventions::COMMON,
        }
    }

    /// Whether a function gets the results of fixtures by naming its parameters like them: tests do, and fixtures
    /// themselves.
    pub fn takes_fixtures(&self, function: &Definition) -> bool {
        let fixtures = &self.lookup.fixtures;
        !fixtures.decorators.is_empty()
            && (self.tests.is_test(function) || fixtures.includes(function))
    }
}

impl Language {
    /// Text in an unknown language. It is indexed like every file without a parser.
    pub const TEXT: Self = Self(&TEXT);

    /// Returns the language with these rules.
    pub const fn of(rules: &'static LanguageRules) -> Self {
        Self(rules)
    }

    /// Returns the stable lower-case name used on the wire.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns its rules.
    pub fn rules(self) -> &'static LanguageRules {
        self.0
    }

    /// Whether it is a programming language, as opposed to prose and settings.
    pub fn is_code(self) -> bool {
        self.0.kind == LanguageKind::Code
    }

    /// Returns the family that it belongs to: names of one family never resolve to names of another.
    pub fn family(self) -> &'static str {
        self.0.family
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.0.code == other.0.code
    }
}

impl Eq for Language {}

impl Hash for Language {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.code.hash(state);
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

crate::named_enum! {
    /// The role of a file in its repository.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Role {
        /// Code that is shipped.
        Source = "source",
        /// Tests, their fixtures and their support code.
        Test = "test",
        /// Prose for people, and examples in documentation directories.
        Documentation = "documentation",
        /// Settings of builds, tools and deployments.
        Configuration = "configuration",
        /// Generated, or copied from elsewhere: lock files, bundles, vendored libraries.
        Generated = "generated",
        /// Input of programs: translations, tables, recorded responses, past migrations of a database.
        Data = "data",
    }
}
