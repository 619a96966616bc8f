//! Formats facts for the tests of this crate, as one short line each.

use std::sync::Arc;

use foveate_model::resolution::{FileTree, ModuleSystem};
use foveate_model::{
    Content, Definition, FileFacts, FileId, ImportKind, Language, Modifiers, ObjectId, Purpose,
    RepoPath, Role, SourceFile, Visibility,
};

use crate::{Limits, parse};

/// Defines a function for each language, with its name.
macro_rules! languages {
    ($($name:ident)*) => {
        $(pub(crate) fn $name() -> Language {
            crate::languages::by_name(stringify!($name)).unwrap()
        })*
    };
}

languages!(c cpp csharp css go html java javascript json kotlin markdown php python restructuredtext ruby rust shell sql svelte toml tsx typescript vue yaml);

/// Parses a source and asserts that it has no issues.
pub(crate) fn facts(language: Language, text: &str) -> FileFacts {
    let facts = parse(language, text, &Limits::default());
    assert_eq!(facts.issues, [], "{text}");
    facts
}

/// Asserts that two lists of lines are equal, ignoring blank lines and indentation.
#[track_caller]
pub(crate) fn same(found: &[String], expected: &str, source: &str) {
    let found: Vec<&str> = found.iter().map(|line| line.trim()).collect();
    let expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    assert_eq!(
        found,
        expected,
        "\nin:\n{source}\nfound:\n{}\n",
        found.join("\n")
    );
}

/// Checks the cases of a text and returns their number. Each case is a source, a line `---`, and the
/// expected lines; a line `===` separates cases.
#[track_caller]
pub(crate) fn check_cases(cases: &str, facts: impl Fn(&str) -> Vec<String>) -> usize {
    let cases = cases.split("\n===\n");
    let mut count = 0;
    for case in cases {
        let (source, expected) = case.split_once("\n---\n").unwrap_or((case, ""));
        let source = source.strip_suffix("\n---").unwrap_or(source);
        // Some grammars require a line end.
        let source = format!("{source}\n");
        same(&facts(&source), expected, &source);
        count += 1;
    }
    count
}

/// Returns lines of the form `kind qualified_name flags: signature`.
pub(crate) fn definitions(language: Language, text: &str) -> Vec<String> {
    facts(language, text)
        .definitions
        .iter()
        .map(|definition| {
            let flags = flags(definition);
            let signature = one_line(definition.signature.of(text));
            format!(
                "{} {}{flags}: {signature}",
                definition.kind.name(),
                definition.qualified_name
            )
        })
        .collect()
}

/// Returns the names of the functions that are tests.
pub(crate) fn tests(language: Language, text: &str) -> Vec<String> {
    let conventions = &language.rules().tests;
    facts(language, text)
        .definitions
        .iter()
        .filter(|definition| definition.kind.is_function() && conventions.is_test(definition))
        .map(|definition| definition.qualified_name.to_string())
        .collect()
}

/// Returns lines of the form `kind path [in enclosing]`, with `?` before an opaque receiver.
pub(crate) fn references(language: Language, text: &str) -> Vec<String> {
    let facts = facts(language, text);
    let name = |id| {
        facts
            .definition(id)
            .map_or("", |d: &Definition| &d.qualified_name)
    };
    facts
        .references
        .iter()
        .map(|reference| {
            let opaque = if reference.opaque_receiver { "?" } else { "" };
            let place = reference
                .enclosing
                .map_or(String::new(), |id| format!(" in {}", name(id)));
            format!(
                "{:?} {opaque}{}{place}",
                reference.kind,
                one_line(reference.path.of(text))
            )
            .to_lowercase()
        })
        .collect()
}

/// Returns lines of the form `Kind module: name as local, …`.
pub(crate) fn imports(language: Language, text: &str) -> Vec<String> {
    let facts = facts(language, text);
    facts
        .imports
        .iter()
        .map(|import| {
            let names: Vec<String> = import
                .names
                .iter()
                .map(|n| {
                    if n.name == n.local {
                        n.name.to_string()
                    } else {
                        format!("{} as {}", n.name, n.local)
                    }
                })
                .collect();
            let place = import.enclosing.and_then(|id| facts.definition(id));
            let place = place.map_or(String::new(), |d| format!(" in {}", d.qualified_name));
            let type_only = if import.type_only { " (type)" } else { "" };
            format!(
                "{:?} {}: {}{place}{type_only}",
                import.kind,
                import.module,
                names.join(", ")
            )
        })
        .collect()
}

/// Returns lines of the form `local as exported`.
pub(crate) fn exports(language: Language, text: &str) -> Vec<String> {
    facts(language, text)
        .exports
        .iter()
        .map(|export| format!("{} as {}", export.local, export.exported))
        .collect()
}

/// Returns lines of the form `Kind: text`.
pub(crate) fn messages(language: Language, text: &str) -> Vec<String> {
    facts(language, text)
        .messages
        .iter()
        .map(|message| format!("{:?}: {}", message.kind, message.span.of(text)))
        .collect()
}

/// Returns lines of the form `first-last kind definition`.
pub(crate) fn chunks(language: Language, text: &str) -> Vec<String> {
    let facts = facts(language, text);
    facts
        .chunks
        .iter()
        .map(|chunk| {
            let owner = chunk.definition.and_then(|id| facts.definition(id));
            let owner = owner.map_or(String::new(), |d| format!(" {}", d.qualified_name));
            format!(
                "{}-{} {:?}{owner}",
                chunk.lines.start, chunk.lines.end, chunk.kind
            )
        })
        .collect()
}

/// Returns lines of the form `Kind: text`.
pub(crate) fn regions(language: Language, text: &str) -> Vec<String> {
    facts(language, text)
        .regions
        .iter()
        .map(|region| format!("{:?}: {}", region.kind, one_line(region.span.of(text))))
        .collect()
}

fn flags(definition: &Definition) -> String {
    let Modifiers {
        is_async,
        is_static,
        is_abstract,
        is_overload,
        is_constructor,
        is_property,
        is_exported,
        is_default_export,
        is_out_of_line,
        is_macro,
        is_block,
        is_extension,
    } = definition.modifiers;
    [
        (is_async, "async"),
        (is_static, "static"),
        (is_abstract, "abstract"),
        (is_overload, "overload"),
        (is_constructor, "constructor"),
        (is_property, "property"),
        (is_exported, "exported"),
        (is_default_export, "default"),
        (is_out_of_line, "out-of-line"),
        (is_macro, "macro"),
        (is_block, "block"),
        (is_extension, "extension"),
        (definition.visibility == Visibility::Private, "private"),
        (definition.visibility == Visibility::Protected, "protected"),
    ]
    .into_iter()
    .filter(|(set, _)| *set)
    .map(|(_, flag)| format!(" {flag}"))
    .collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text with its facts.
pub(crate) fn content(language: Language, text: &str) -> Content {
    Content {
        text: text.into(),
        facts: facts(language, text),
    }
}

/// A tree of files in memory.
pub(crate) struct Tree {
    files: Vec<SourceFile>,
}

impl Tree {
    /// Creates files from paths and texts, in any order.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let mut files: Vec<SourceFile> = files
            .iter()
            .map(|(path, text)| {
                let path = RepoPath::new(path).unwrap();
                let language = crate::language_by_name(&path).unwrap_or(Language::TEXT);
                let facts = parse(language, text, &Limits::default());
                SourceFile {
                    path,
                    blob: ObjectId::from_sha1([0; 20]),
                    size: text.len() as u64,
                    language,
                    role: Role::Source,
                    purpose: Purpose::default(),
                    content: Some(Arc::new(Content {
                        text: (*text).into(),
                        facts,
                    })),
                    skipped: None,
                }
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }

    /// Creates the files of a text, each of which begins with a line `//- path`.
    pub(crate) fn of(text: &str) -> Self {
        let files = text.split("//- ").skip(1);
        let files: Vec<(&str, &str)> = files
            .map(|file| file.split_once('\n').unwrap_or((file, "")))
            .collect();
        Self::new(&files)
    }

    /// Checks lines of the form `importer module -> path`, without a path for a module that is not found.
    /// Returns their number.
    #[track_caller]
    pub(crate) fn check(&self, system: &ModuleSystem, table: &str) -> usize {
        let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        for line in lines {
            let (question, _) = line.split_once(" ->").unwrap();
            let (importer, module) = question.split_once(' ').unwrap();
            expected.push(line.to_owned());
            let path = self.resolve(system, importer, module);
            found.push(format!("{question} -> {path}").trim_end().to_owned());
        }
        assert_eq!(found, expected, "\n{}\n", found.join("\n"));
        found.len()
    }

    /// Returns the path of the file that a module, as written in a file, resolves to; empty for none.
    pub(crate) fn resolve(&self, system: &ModuleSystem, importer: &str, module: &str) -> &str {
        let importer = self.find(importer).unwrap();
        let resolver = (system.resolver)(self);
        let found = resolver.resolve(self, importer, module, ImportKind::From);
        found.map_or("", |id| (self as &dyn FileTree).path(id))
    }

    /// Returns the packages of all files, each as the paths of its files.
    pub(crate) fn packages(&self, system: &ModuleSystem) -> Vec<String> {
        let resolver = (system.resolver)(self);
        let mut packages = std::collections::BTreeMap::<u32, Vec<&str>>::new();
        let tree = self as &dyn FileTree;
        for id in tree.ids() {
            if let Some(package) = resolver.package_of(id) {
                packages.entry(package).or_default().push(tree.path(id));
            }
        }
        packages.values().map(|paths| paths.join(" ")).collect()
    }
}

impl FileTree for Tree {
    fn files(&self) -> &[SourceFile] {
        &self.files
    }

    fn find(&self, path: &str) -> Option<FileId> {
        let mut files = self.files.iter();
        let at = files.position(|file| file.path.as_str() == path)?;
        Some(FileId(u32::try_from(at).unwrap()))
    }
}
