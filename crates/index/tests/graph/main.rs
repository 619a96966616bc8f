//! Tests the graph on whole small repositories written as text: one `check` function per kind of query.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod chains;
mod collections;
mod ecmascript;
mod hostile;
mod interfaces;
mod kotlin;
mod macros;
mod members;
mod own_names;
mod packages;
mod php;
mod python;
mod qualified;
mod receivers;
mod references;
mod rust;
mod test_links;

use std::sync::Arc;

use foveate_fixture::languages;
use foveate_index::graph::CallSite;
use foveate_index::{DefId, Files, Graph, Symbols};
use foveate_model::{ObjectId, Purpose, SourceFile};
use foveate_parse::Limits;

struct World {
    files: Files,
    symbols: Symbols,
    graph: Graph,
}

fn sources(text: &str) -> Vec<SourceFile> {
    foveate_fixture::repository(text)
        .into_iter()
        .map(|file| {
            let (path, text) = (&file.path, file.text.as_bytes());
            let (language, content) = match languages::read(path, &file.text) {
                Some(content) => (content.facts.language, Ok(content)),
                None => {
                    let by_name = foveate_parse::language_by_name(path);
                    foveate_parse::read(by_name, text, &Limits::default())
                }
            };
            let (content, skipped) = match content {
                Ok(content) => (Some(Arc::new(content)), None),
                Err(reason) => (None, Some(reason)),
            };
            let toy_role = languages::role(path);
            SourceFile {
                purpose: Purpose::default(),
                role: toy_role.unwrap_or_else(|| foveate_parse::role(path, language, false)),
                blob: ObjectId::from_sha1([0; 20]),
                size: file.text.len() as u64,
                path: file.path,
                language,
                content,
                skipped,
            }
        })
        .collect()
}

fn world(text: &str) -> World {
    of_sources(sources(text))
}

fn of_sources(sources: Vec<SourceFile>) -> World {
    let files = Files::new(sources);
    let symbols = Symbols::new(&files);
    let graph = Graph::new(&files, &symbols);
    World {
        files,
        symbols,
        graph,
    }
}

impl World {
    fn describe(&self, id: DefId) -> String {
        let path = self.files.path(id.file);
        format!("{path}:{}", self.files.definition(id).qualified_name)
    }

    fn describe_all(&self, ids: impl IntoIterator<Item = DefId>) -> String {
        let all: Vec<String> = ids.into_iter().map(|id| self.describe(id)).collect();
        all.join(" ")
    }

    /// Returns the definition whose `describe` text this is.
    fn named(&self, description: &str) -> DefId {
        let (_, name) = description.split_once(':').unwrap();
        let candidates = self.symbols.qualified(name);
        *candidates
            .iter()
            .rev()
            .find(|id| self.describe(**id) == description)
            .unwrap_or_else(|| panic!("{description} is not defined"))
    }

    /// Returns each site as `path:line confidence`.
    fn sites(&self, sites: &[CallSite]) -> Vec<String> {
        let described = sites.iter().map(|site| {
            let path = self.files.path(site.file);
            format!("{path}:{} {}", site.line, site.confidence.name())
        });
        described.collect()
    }

    fn dump(&self) -> String {
        let mut dump = String::new();
        for id in self.files.definition_ids() {
            let graph = &self.graph;
            dump += &format!(
                "{} {:?} {:?} {:?} {:?} {:?}\n",
                self.describe(id),
                graph.uses_of(id),
                graph.recursions_of(&self.files, id),
                graph.used_by(id),
                graph.bases(id),
                graph.tests_of(id),
            );
        }
        for id in self.files.ids() {
            dump += &format!(
                "{:?} {:?} {:?}\n",
                self.graph.imports(id),
                self.graph.importers(id),
                self.graph.test_files_of(id)
            );
        }
        dump
    }
}

/// Checks names at the top level of files: each line of `expected` is `path name -> definitions`.
fn check_names(repository: &str, expected: &str) {
    let world = world(repository);
    for line in expected.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (question, answer) = line.split_once(" -> ").unwrap();
        let (path, name) = question.split_once(' ').unwrap();
        let file = world.files.find(path).unwrap();
        let (found, module) = world
            .graph
            .resolve_name(&world.files, &world.symbols, file, name);
        let mut found = world.describe_all(found);
        if let Some(module) = module {
            found = format!("module {}", world.files.path(module));
        }
        if found.is_empty() {
            found = String::from("nothing");
        }
        assert_eq!(found, answer, "{question}");
    }
}

/// Checks dotted paths: each line is `dotted.path -> definitions`.
fn check_dotted(repository: &str, expected: &str) {
    let world = world(repository);
    for line in expected.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (path, answer) = line.split_once(" -> ").unwrap();
        let mut found = world.describe_all(
            world
                .graph
                .resolve_dotted(&world.files, &world.symbols, path),
        );
        if found.is_empty() {
            found = String::from("nothing");
        }
        assert_eq!(found, answer, "{path}");
    }
}

/// Checks imports: each line is `path: files that it imports`.
fn check_imports(repository: &str, expected: &str) {
    let world = world(repository);
    for line in expected.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (path, answer) = line.split_once(':').unwrap();
        let file = world.files.find(path).unwrap();
        let imports = world.graph.imports(file);
        for imported in imports {
            assert!(world.graph.importers(*imported).contains(&file));
        }
        let found: Vec<&str> = imports.iter().map(|id| world.files.path(*id)).collect();
        assert_eq!(found.join(" "), answer.trim(), "{path}");
    }
}

/// Checks the uses of a definition, each as `path:line confidence`.
#[track_caller]
fn check_uses(repository: &str, definition: &str, expected: &[&str]) {
    let world = world(repository);
    let found = world.sites(world.graph.uses_of(world.named(definition)));
    assert_eq!(found, expected, "{definition}");
}

/// Checks the uses of a definition inside itself, each as `path:line confidence`.
#[track_caller]
fn check_recursions(repository: &str, definition: &str, expected: &[&str]) {
    let world = world(repository);
    let found = world
        .graph
        .recursions_of(&world.files, world.named(definition));
    assert_eq!(world.sites(&found), expected, "{definition}");
}

/// Checks the references of a definition's body, each as `path:name confidence`.
#[track_caller]
fn check_used(repository: &str, definition: &str, expected: &[&str]) {
    let world = world(repository);
    let used = world.graph.used_by(world.named(definition)).iter();
    let found: Vec<String> = used
        .map(|(id, confidence)| format!("{} {}", world.describe(*id), confidence.name()))
        .collect();
    assert_eq!(found, expected, "{definition}");
}

/// Checks the tests of a definition, each as `path:name Link`.
#[track_caller]
fn check_tests(repository: &str, definition: &str, expected: &[&str]) {
    let world = world(repository);
    let found: Vec<String> = world
        .graph
        .tests_of(world.named(definition))
        .iter()
        .map(|(id, link)| format!("{} {link:?}", world.describe(*id)))
        .collect();
    assert_eq!(found, expected, "{definition}");
}

/// Checks the test files of a file, each as `path Link`.
#[track_caller]
fn check_test_files(repository: &str, path: &str, expected: &[&str]) {
    let world = world(repository);
    let found: Vec<String> = world
        .graph
        .test_files_of(world.files.find(path).unwrap())
        .iter()
        .map(|(id, link)| format!("{} {link:?}", world.files.path(*id)))
        .collect();
    assert_eq!(found, expected, "{path}");
}
