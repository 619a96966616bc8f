//! What a file is written in, and what part it plays in its repository.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::resolution::{LookupRules, ModuleSystem, TestConventions};

/// A language: a handle to what the rest of the program must know of it. Which languages there are,
/// and everything else that is known of them, is for the parser's table to say.
#[derive(Clone, Copy)]
pub struct Language(&'static LanguageRules);

/// What is known of a language beyond its files' facts. It is plain data, written in the language's
/// folder and read by whoever holds a [`Language`].
#[derive(Debug)]
pub struct LanguageRules {
    /// The stable lower-case name used on the wire.
    pub name: &'static str,
    /// The number that stands for it in stored data. It is unique and never given to another.
    pub code: u8,
    /// What is written in it.
    pub kind: LanguageKind,
    /// Languages of one family share a module system and see each other's names. By default a
    /// language is a family of its own.
    pub family: &'static str,
    /// The module system of its family. Without one names are resolved inside a file only.
    pub modules: Option<&'static ModuleSystem>,
    /// How names are looked up.
    pub lookup: LookupRules,
    /// How its tests are called.
    pub tests: TestConventions,
}

/// What is written in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguageKind {
    /// Programs, and what runs or is shown beside them: markup, styles, queries.
    Code,
    /// Text for people.
    Prose,
    /// Keys and values.
    Settings,
}

/// Text in no language that is known.
static TEXT: LanguageRules = LanguageRules {
    kind: LanguageKind::Prose,
    ..LanguageRules::new("text", 24)
};

impl LanguageRules {
    /// Code in a language of its own family.
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
}

impl Language {
    /// Text in no language that is known. It is indexed like every file without a parser.
    pub const TEXT: Self = Self(&TEXT);

    /// The language with these rules.
    pub const fn of(rules: &'static LanguageRules) -> Self {
        Self(rules)
    }

    /// The stable lower-case name used on the wire.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What is known of it.
    pub fn rules(self) -> &'static LanguageRules {
        self.0
    }

    /// Whether programs are written in it, as opposed to prose and settings.
    pub fn is_code(self) -> bool {
        self.0.kind == LanguageKind::Code
    }

    /// The family that it belongs to: names of one are never taken for names of another.
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

impl PartialOrd for Language {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Language {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.code.cmp(&other.0.code)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The part that a file plays in its repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Code that is shipped.
    Source,
    /// Tests, their fixtures and their support code.
    Test,
    /// Prose for people, and examples in documentation directories.
    Documentation,
    /// Settings of builds, tools and deployments.
    Configuration,
    /// Written by a program or copied from elsewhere: lock files, bundles, vendored libraries.
    Generated,
    /// Input of programs: translations, tables, recorded responses.
    Data,
}

impl Role {
    /// The stable lower-case name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Test => "test",
            Self::Documentation => "documentation",
            Self::Configuration => "configuration",
            Self::Generated => "generated",
            Self::Data => "data",
        }
    }
}
