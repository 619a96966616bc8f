//! Collects the star imports that hold in all files of a project: C#'s `global using`, in one of its files or in its
//! settings.

use std::sync::Arc;

use foldhash::HashMap;
use foveate_model::ImportKind;

use super::{FileScope, takes_all};
use crate::files::{FileId, Files};
use crate::graph::modules::{Modules, Project};

/// Maximum number of modules that one project imports into all its files.
const MAX_MODULES: usize = 256;

/// The modules that projects import into all their files, in the order of the files with the imports; those of settings
/// come first.
#[derive(Debug, Default)]
pub(super) struct ProjectImports(HashMap<Project, Vec<FileId>>);

impl ProjectImports {
    pub(super) fn new(files: &Files, modules: &Modules, scopes: &[Arc<FileScope>]) -> Self {
        let mut found: HashMap<Project, Vec<FileId>> = HashMap::default();
        for (file, scope) in files.ids().zip(scopes) {
            let project = modules.project_of(files, file);
            let Some((project, content)) = project.zip(files.content(file)) else {
                continue;
            };
            let of_settings = || modules.imports_of_project(project).to_vec();
            let known = found.entry(project).or_insert_with(of_settings);
            let imports = content.facts.imports.iter().zip(&scope.modules);
            for (import, module) in imports {
                let is_for_all = import.kind == ImportKind::ReExport && takes_all(import);
                if let Some(module) = module.filter(|_| is_for_all)
                    && known.len() < MAX_MODULES
                    && !known.contains(&module)
                {
                    known.push(module);
                }
            }
        }
        Self(found)
    }

    /// Returns the modules that the project of a file imports; `None` if the file is in no project.
    pub(super) fn of(&self, files: &Files, modules: &Modules, file: FileId) -> Option<&[FileId]> {
        let imports = self.0.get(&modules.project_of(files, file)?)?;
        Some(imports)
    }
}
