//! Resolves the titles of failed tests to the blocks that define the tests: `it('collects', …)` within
//! `describe('scope', …)`; and their names to functions of tests, or else to files.

use foldhash::HashMap;
use foveate_index::{DefId, FileId, Files, Snapshot};
use foveate_model::Role;

use super::frames::ends_with_path;
use super::{EvidenceSource, Resolver};
use crate::text::{FailedTest, QueryText, TestNaming};

/// Maximum bytes of the name of a block: parsers cut longer titles.
const MAX_TITLE: usize = 120;

impl Resolver<'_> {
    /// Resolves the failed tests. Without a stack trace, a test is the only place of the failure that is known.
    pub(super) fn failed_tests(&mut self, text: &QueryText) {
        let strength = match text.frames.is_empty() {
            true => self.config.strength.last_frame,
            false => self.config.strength.frame,
        };
        let snapshot = self.snapshot;
        let mut programs = None;
        for test in self.in_time(&text.failed_tests) {
            let found = meant_by(snapshot, test);
            if let Some(name) = name_of_program(test)
                && found.is_empty()
            {
                let programs = programs.get_or_insert_with(|| test_files(&snapshot.files));
                let files = programs.get(name).map_or(&[][..], Vec::as_slice);
                self.add_files_sharing(files, EvidenceSource::Traceback, strength);
            }
            let label = test.titles.join(test.separator);
            let added = self.added(&label, EvidenceSource::Traceback, strength, &found);
            let mut files: Vec<_> = added.iter().map(|id| id.file).collect();
            files.dedup();
            self.add_files_sharing(&files, EvidenceSource::Traceback, strength);
        }
    }
}

/// Returns the name of a test that may be a program: a test of CTest is one, mostly built from one file.
fn name_of_program(test: &FailedTest) -> Option<&str> {
    match (&*test.titles, test.naming, &*test.path) {
        ([name], TestNaming::Names, "") => Some(name),
        _ => None,
    }
}

/// Returns the test files by their names without endings.
fn test_files(files: &Files) -> HashMap<&str, Vec<FileId>> {
    let mut found: HashMap<&str, Vec<FileId>> = HashMap::default();
    for id in files.ids() {
        let file = files.file(id);
        if file.role == Role::Test {
            found.entry(file.path.stem()).or_default().push(id);
        }
    }
    found
}

/// Returns the definitions that a test may be: by its own title or name, or else the innermost group that is found, since
/// the titles of tests with parameters are built when they run.
fn meant_by(snapshot: &Snapshot, test: &FailedTest) -> Vec<DefId> {
    let ends = (1..=test.titles.len()).rev();
    let mut found = ends.map(|end| {
        let titles = test.titles.get(..end).unwrap_or_default();
        match test.naming {
            TestNaming::Titles => titled(snapshot, titles, test),
            TestNaming::Names => named(snapshot, titles, test),
        }
    });
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns the blocks with the last of some titles; those in its group and in the file of the test if there are any. A
/// title may contain the separator, so that it looks like several.
fn titled(snapshot: &Snapshot, titles: &[String], test: &FailedTest) -> Vec<DefId> {
    let Snapshot { files, symbols, .. } = snapshot;
    for start in (0..titles.len()).rev() {
        let (groups, own) = titles.split_at(start);
        let title = own.join(test.separator);
        let title = title
            .get(..title.floor_char_boundary(MAX_TITLE))
            .unwrap_or("");
        let blocks = symbols.named(title).iter().copied();
        let is_test = |id: &DefId| files.definition(*id).modifiers.is_block;
        let mut blocks: Vec<DefId> = blocks.filter(is_test).collect();
        if blocks.is_empty() {
            continue;
        }
        let is_in_file =
            |id: &DefId| !test.path.is_empty() && ends_with_path(files.path(id.file), &test.path);
        let is_in_group = |id: &DefId| {
            let parent = files.parent(*id).map(|parent| files.definition(parent));
            parent.is_some_and(|parent| groups.last().is_some_and(|group| *group == *parent.name))
        };
        narrow(&mut blocks, is_in_file);
        narrow(&mut blocks, is_in_group);
        return blocks;
    }
    Vec::new()
}

/// Returns the functions of tests with the last of some names, in the class, module or file of the name before it. A test
/// that is in another class, as an inherited one is, must be the only one with its name, unless the path of its file is
/// known. Where the last name is not that of the test itself, classes count, too.
fn named(snapshot: &Snapshot, names: &[String], test: &FailedTest) -> Vec<DefId> {
    let Snapshot { files, symbols, .. } = snapshot;
    let Some((name, groups)) = names.split_last() else {
        return Vec::new();
    };
    let is_own = names.len() == test.titles.len();
    let is_test = |id: &DefId| {
        let definition = files.definition(*id);
        let is_runnable = definition.kind.is_function() || definition.modifiers.is_block;
        let is_there = match test.path.as_str() {
            "" => files.role_of(*id) == Role::Test,
            path => ends_with_path(files.path(id.file), path),
        };
        is_there && (is_runnable || !is_own && definition.kind.is_class())
    };
    let mut found: Vec<DefId> = symbols.named(name).to_vec();
    found.retain(is_test);
    let Some((group, around)) = groups.split_last() else {
        return found;
    };
    let is_in_group = |id: &DefId| {
        let mut owners = files.definition(*id).qualified_name.rsplit('.').skip(1);
        let path = &files.file(id.file).path;
        match owners.next() {
            Some(owner) => owner == group.as_str(),
            // A module is a file or a directory.
            None => {
                path.stem() == group.as_str()
                    || path.directory().rsplit('/').next() == Some(group.as_str())
            }
        }
    };
    if test.path.is_empty() && found.len() > 1 && !found.iter().any(is_in_group) {
        return Vec::new();
    }
    narrow(&mut found, is_in_group);
    narrow(&mut found, |id| {
        let path = &files.file(id.file).path;
        let mut modules = around.iter().map(String::as_str);
        modules.any(|name| path.stem() == name || path.segments().any(|part| part == name))
    });
    found
}

/// Keeps the definitions that meet a condition, if any does.
fn narrow(found: &mut Vec<DefId>, condition: impl Fn(&DefId) -> bool) {
    if found.iter().any(&condition) {
        found.retain(&condition);
    }
}
