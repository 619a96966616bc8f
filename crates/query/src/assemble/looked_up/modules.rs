//! Finds the files that a short question looks up instead of definitions: those whose importers, tests or dependencies it asks
//! for.

use foveate_index::{DefId, FileId, Files, Snapshot};
use foveate_model::Role;

use super::{LookedUp, MAX_PARTS, has_none, no_test_of};
use crate::assemble::{foreign_names, named_directory};
use crate::intent::LookUp;
use crate::resolve::{EvidenceSource, Resolution};

/// Maximum definitions of a directory that a question is about. They are not listed.
const MAX_PARTS_OF_DIRECTORY: usize = 4_096;
/// Maximum files that are looked up by their names.
const MAX_MODULES: usize = 4;

impl LookedUp {
    /// Finds the files that a question for uses names, or those of the directory that it names, if others import them; or
    /// the imports of a module outside the repository.
    pub(super) fn of_modules(snapshot: &Snapshot, resolution: &Resolution, query: &str) -> Self {
        let directory = named_directory::sources(&snapshot.files, query);
        let named = named_files(resolution).filter(|_| resolution.has_only_names);
        let is_imported = |file: &FileId| !snapshot.graph.importers(*file).is_empty();
        let modules: Vec<FileId> = match directory.is_empty() {
            true => named.filter(is_imported).take(MAX_MODULES).collect(),
            false => directory.into_iter().filter(is_imported).collect(),
        };
        let foreign = match modules.is_empty() {
            true => foreign_names::imports(snapshot, query),
            false => None,
        };
        Self {
            asks: Some(LookUp::Uses),
            modules,
            foreign,
            ..Self::default()
        }
    }

    /// Finds the files whose tests a question asks for. Their code is not shown: the tests are the answer.
    pub(super) fn of_tested_modules(snapshot: &Snapshot, resolution: &Resolution) -> Self {
        let files = &snapshot.files;
        let parts = definitions_of_files(files, resolution);
        let modules: Vec<FileId> = named_files(resolution).take(MAX_MODULES).collect();
        if has_none(snapshot, LookUp::Tests, &[], &parts) {
            let paths = modules.iter().map(|file| files.path(*file));
            return Self {
                not_found: (!parts.is_empty()).then(|| no_test_of(paths)),
                ..Self::default()
            };
        }
        Self {
            asks: Some(LookUp::Tests),
            modules,
            parts,
            ..Self::default()
        }
    }

    /// Finds the files whose dependencies a question asks for, or those of the `directory` that it names. Their code is not
    /// shown: it is what the reader has.
    pub(super) fn of_dependent_modules(
        snapshot: &Snapshot,
        resolution: &Resolution,
        directory: Vec<FileId>,
    ) -> Self {
        let files = &snapshot.files;
        let (modules, parts) = match directory.is_empty() {
            true => (
                named_files(resolution).take(MAX_MODULES).collect(),
                definitions_of_files(files, resolution),
            ),
            false => {
                let parts = directory
                    .iter()
                    .flat_map(|file| files.definitions_of(*file));
                let parts = parts.take(MAX_PARTS_OF_DIRECTORY).collect();
                (directory, parts)
            }
        };
        Self {
            asks: Some(LookUp::Dependencies),
            modules,
            parts,
            ..Self::default()
        }
    }
}

/// Returns the files that the query names.
fn named_files(resolution: &Resolution) -> impl Iterator<Item = FileId> {
    let files = resolution.files.iter();
    let named = files
        .filter(|evidence| matches!(evidence.from, EvidenceSource::Path | EvidenceSource::Module));
    named.map(|evidence| evidence.file)
}

/// Returns the definitions outside tests of the files that the query names.
fn definitions_of_files(files: &Files, resolution: &Resolution) -> Vec<DefId> {
    let all = named_files(resolution).flat_map(|file| files.definitions_of(file));
    let tested = all.filter(|id| files.role_of(*id) != Role::Test);
    tested.take(MAX_PARTS).collect()
}
