//! What a file is written in, and what part it plays in its repository.

/// The language of a file. Languages without a parser are indexed as plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Language {
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Rust,
    Java,
    Kotlin,
    Scala,
    Swift,
    Ruby,
    Php,
    C,
    Cpp,
    CSharp,
    Shell,
    Sql,
    Html,
    Css,
    Markdown,
    ReStructuredText,
    Json,
    Yaml,
    Toml,
    Text,
}

impl Language {
    /// The stable lower-case name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Tsx => "tsx",
            Self::Go => "go",
            Self::Rust => "rust",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::Scala => "scala",
            Self::Swift => "swift",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::CSharp => "csharp",
            Self::Shell => "shell",
            Self::Sql => "sql",
            Self::Html => "html",
            Self::Css => "css",
            Self::Markdown => "markdown",
            Self::ReStructuredText => "restructuredtext",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
            Self::Text => "text",
        }
    }

    /// Whether programs are written in it, as opposed to prose, markup and settings.
    pub fn is_code(self) -> bool {
        !matches!(
            self,
            Self::Markdown
                | Self::ReStructuredText
                | Self::Json
                | Self::Yaml
                | Self::Toml
                | Self::Text
        )
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
