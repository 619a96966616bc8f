//! Decides what a file is for by its name and directory. No rule names a repository; the names of a language's
//! manifests and tools are in its [`Ecosystem`].

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use foveate_model::{FileKind, RepoPath, Role};

use crate::languages;
use crate::role::conventions::Ecosystem;

/// Names of files of any ecosystem, in lower case; `*` at one end stands for anything.
const COMMON: &[(FileKind, &[&str])] = &[
    (
        FileKind::Workflow,
        &[
            ".travis.yml", "appveyor.yml", ".appveyor.yml", ".gitlab-ci.yml", ".cirrus.yml",
            "circle.yml", "jenkinsfile", "azure-pipelines*", "bitbucket-pipelines.yml",
            ".drone.yml", ".woodpecker.yml",
        ],
    ),
    (
        FileKind::Forge,
        &[
            "dependabot.y*", "renovate*", ".renovaterc*", ".mergify*", "codecov.y*", ".codecov.y*",
            ".coveralls.yml", "codeowners", "pull_request_template*", "issue_template*",
        ],
    ),
    (
        FileKind::Tool,
        &[
            ".editorconfig", ".gitignore", ".gitattributes", ".git-blame-ignore-revs", ".hgignore",
            ".mailmap", ".pre-commit*", ".codespell*", ".cspell*", "cspell*", ".typos*", "typos*",
            "_typos*", ".markdownlint*", ".yamllint*",
        ],
    ),
    (
        FileKind::Build,
        &[
            "makefile*", "gnumakefile", "justfile", "build.bazel", "workspace", "workspace.bazel",
            "dockerfile*", "docker-compose*", "compose.y*", ".dockerignore", "devfile*",
            "devcontainer*", "snapcraft*", "vagrantfile", "procfile", "*.mk", "*.bzl",
        ],
    ),
    (FileKind::Readme, &["readme*"]),
    (
        FileKind::Community,
        &[
            "contributing*", "code_of_conduct*", "code-of-conduct*", "security*", "maintainers*",
            "authors*", "contributors*", "hacking*", "development*", "developing*", "agents.md",
            "claude.md", "license*", "licence*", "copying*", "governance*", "support*", "backers*",
            "sponsors*", "thanks*",
        ],
    ),
    (
        FileKind::Changelog,
        &[
            "change*", "history*", "news*", "release*", "whatsnew*", "whats_new*", "upgrading*",
        ],
    ),
];

/// Directories of notes on releases.
const CHANGELOGS: [&str; 8] = [
    "changelog", "changelogs", "newsfragments", ".changeset", "news", "releases", "release_notes",
    "release-notes",
];

/// Directories of workflows at the root.
const WORKFLOWS: [&str; 3] = [".github/workflows", ".github/actions", ".circleci"];

type Names = Vec<(FileKind, &'static str)>;

/// The names of all ecosystems, by their first byte; those that begin with anything are at byte `*`.
static NAMES: LazyLock<[Names; 128]> = LazyLock::new(|| {
    let of_language = |ecosystem: &Ecosystem| {
        [
            (FileKind::Manifest, ecosystem.manifests),
            (FileKind::Tool, ecosystem.tools),
            (FileKind::TestRunner, ecosystem.test_runners),
            (FileKind::Build, ecosystem.builds),
        ]
    };
    let languages = languages::all().flat_map(|spec| of_language(&spec.roles.ecosystem));
    let mut by_first: [Names; 128] = std::array::from_fn(|_| Vec::new());
    for (kind, names) in COMMON.iter().copied().chain(languages) {
        for name in names {
            let first = name.bytes().next().map_or(0, usize::from);
            by_first[first % 128].push((kind, *name));
        }
    }
    by_first
});

/// Returns what a file of a role is for; nothing for tests, data and generated files.
pub(crate) fn of(path: &RepoPath, role: Role) -> Option<FileKind> {
    let (directory, name) = (path.directory(), path.file_name());
    if WORKFLOWS.iter().any(|top| is_below(directory, top)) {
        return Some(FileKind::Workflow);
    }
    // Texts for contributors may be kept there, too.
    let is_of_forge = |name: &str| directory != ".github" || !name.ends_with(".md");
    if is_below(directory, ".github") && is_of_forge(name) {
        return Some(FileKind::Forge);
    }
    match role {
        Role::Test | Role::Generated | Role::Data => None,
        Role::Source => Some(by_name(name, false).unwrap_or(FileKind::Source)),
        Role::Configuration if directory.ends_with("requirements") => Some(FileKind::Manifest),
        Role::Configuration => Some(by_name(name, false).unwrap_or(FileKind::Setting)),
        Role::Documentation => {
            let mut directories = directory.split('/');
            if directories.any(|directory| CHANGELOGS.contains(&directory)) {
                return Some(FileKind::Changelog);
            }
            Some(by_name(name, true).unwrap_or(FileKind::Page))
        }
    }
}

fn is_below(directory: &str, top: &str) -> bool {
    let rest = directory.strip_prefix(top);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn by_name(name: &str, is_documentation: bool) -> Option<FileKind> {
    let first = name.bytes().next()?.to_ascii_lowercase();
    let same_start = NAMES.get(usize::from(first))?;
    let mut known = same_start.iter().chain(&NAMES[usize::from(b'*')]);
    let found = known
        .find(|(kind, known)| kind.is_documentation() == is_documentation && matches(name, known));
    found.map(|(kind, _)| *kind)
}

/// Whether a name matches a known one.
fn matches(name: &str, known: &str) -> bool {
    let starts = |start: &str| {
        let of_name = name.get(..start.len());
        of_name.is_some_and(|of_name| of_name.eq_ignore_ascii_case(start))
    };
    let ends = |end: &str| {
        let at = name.len().checked_sub(end.len());
        let of_name = at.and_then(|at| name.get(at..));
        of_name.is_some_and(|of_name| of_name.eq_ignore_ascii_case(end))
    };
    match (known.strip_prefix('*'), known.strip_suffix('*')) {
        (Some(end), _) => ends(end),
        (None, Some(start)) => starts(start),
        (None, None) => name.eq_ignore_ascii_case(known),
    }
}
