//! Names what files are for, more finely than their roles.

crate::named_enum! {
    /// The kind of a file. A question about the release job means a workflow, not any file of settings.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum FileKind {
        /// Code that is shipped.
        Source = "source",
        /// Jobs of continuous integration.
        Workflow = "workflow",
        /// Settings of a forge and its bots: issue templates, dependency updates, coverage reports.
        Forge = "forge",
        /// Name, version and dependencies of a package.
        Manifest = "manifest",
        /// Settings of linters, formatters, type checkers, editors and git.
        Tool = "tool",
        /// What is built and how, and containers.
        Build = "build",
        /// Settings of test runners.
        TestRunner = "test_runner",
        /// The first page of a repository or package.
        Readme = "readme",
        /// Texts for contributors: how to take part, who decides, licences.
        Community = "community",
        /// Notes on releases.
        Changelog = "changelog",
        /// Any other documentation.
        Page = "page",
        /// Any other settings.
        Setting = "setting",
    }
}

impl FileKind {
    /// Whether people read it rather than programs.
    pub fn is_documentation(self) -> bool {
        matches!(
            self,
            Self::Readme | Self::Community | Self::Changelog | Self::Page
        )
    }
}

/// What a file is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Purpose {
    /// Its kind; `None` for tests, data and generated files.
    pub kind: Option<FileKind>,
    /// Words by which people refer to what the file decides, separated by blanks: `coverage` for `codecov.yml`. A well-known
    /// file has one entry for itself and one for each of its sections that configures a well-known tool, others have none.
    pub words: Vec<&'static str>,
}
