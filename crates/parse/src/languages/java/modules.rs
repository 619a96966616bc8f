//! Resolves imports of the JVM languages: to packages, whose files declare the package that they belong to,
//! in any directory, build module and language; and to the types in these files.

#[cfg(test)]
mod tests;

use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem, is_equal};
use foveate_model::{FileFacts, FileId, ImportKind, SourceFile};

use crate::languages::files_by_name::FilesByName;
use crate::languages::package_numbers::PackageNumbers;
use crate::paths::shared_segments;

pub(in crate::languages) static MODULES: ModuleSystem = ModuleSystem {
    // A Kotlin file may put its functions into a class of another name, which no other fact tells.
    is_settings: |path| path.extension() == "kt",
    sources_declare_modules: true,
    ..ModuleSystem::new(|files| Box::new(Packages::new(files)))
};

/// Maximum number of types inside types at the end of a path.
const MAX_NESTED: usize = 4;

/// The packages of a repository.
#[derive(Debug, Default, PartialEq)]
struct Packages {
    /// By full package name: one file of each directory that has files of the package.
    packages: FilesByName,
    /// By full name of a top-level type: its files.
    types: FilesByName,
    /// By full name of the class that holds the functions of a Kotlin file: its files.
    classes_of_functions: FilesByName,
    /// By file: the number of its package.
    of_file: PackageNumbers,
}

impl Packages {
    fn new(files: &dyn FileTree) -> Self {
        let package_of = |file| {
            // Files without a package see those in the same directory.
            Some(match &*source(file)?.package {
                "" => ("", file.path.directory()),
                package => (package, ""),
            })
        };
        let mut found = Self {
            of_file: PackageNumbers::new(files, package_of),
            ..Self::default()
        };
        for id in files.ids() {
            let file = files.file(id);
            let Some(facts) = source(file) else {
                continue;
            };
            let package = &*facts.package;
            if !package.is_empty() {
                found.packages.add_directory(files, package, id);
            }
            for definition in &facts.definitions {
                if definition.parent.is_none() && definition.kind.is_class() {
                    found.types.add(&full_name(package, &definition.name), id);
                }
            }
            if file.path.extension() == "kt" {
                let class = match jvm_name(files.text(id)) {
                    Some(name) => full_name(package, name),
                    None => full_name(package, &format!("{}Kt", capitalised(file.path.stem()))),
                };
                found.classes_of_functions.add(&class, id);
            }
        }
        found
    }

    /// Returns the files of a top-level type, or of a class of functions, by its full name.
    fn files_of_type(&self, name: &str, importer: Option<FileId>) -> Option<&[FileId]> {
        let types = self.types.near(name, importer);
        types.or_else(|| self.classes_of_functions.near(name, importer))
    }
}

fn full_name(package: &str, name: &str) -> String {
    match package {
        "" => name.to_owned(),
        _ => format!("{package}.{name}"),
    }
}

fn source(file: &SourceFile) -> Option<&FileFacts> {
    let is_source = matches!(file.path.extension(), "java" | "kt");
    let content = file.content.as_ref().filter(|_| is_source);
    content.map(|content| &content.facts)
}

/// Returns, of several files that match, the one that shares most directories with the importer.
fn nearest(files: &dyn FileTree, importer: Option<FileId>, found: &[FileId]) -> Option<FileId> {
    let Some(importer) = importer else {
        return found.first().copied();
    };
    let own = files.file(importer).path.directory();
    let shared = |id: &FileId| shared_segments(own, files.file(*id).path.directory());
    // Of equal ones, the first counts.
    found.iter().copied().rev().max_by_key(shared)
}

impl ModuleResolver for Packages {
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        _kind: ImportKind,
    ) -> Option<FileId> {
        self.absolute(files, Some(importer), module).or_else(|| {
            let package = &source(files.file(importer))?.package;
            self.class_of_functions(files, importer, package, module)
        })
    }

    /// Resolves a package, a type, or a type inside types.
    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        let mut outer = name;
        for _ in 0..=MAX_NESTED {
            if let Some(found) = self.files_of_type(outer, importer) {
                return nearest(files, importer, found);
            }
            if outer == name
                && let Some(found) = self.packages.near(name, importer)
            {
                return nearest(files, importer, found);
            }
            outer = outer.rsplit_once('.')?.0;
        }
        None
    }

    /// Returns the Kotlin file whose functions Java calls by this class.
    fn class_of_functions(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        package: &str,
        name: &str,
    ) -> Option<FileId> {
        let class = full_name(package, name);
        let found = self.classes_of_functions.near(&class, Some(importer))?;
        nearest(files, Some(importer), found)
    }

    fn package_of(&self, file: FileId) -> Option<u32> {
        self.of_file.of(file)
    }

    fn is_same(&self, other: &dyn ModuleResolver) -> bool {
        is_equal(self, other)
    }
}

/// Returns the class name that a Kotlin file sets for its functions: `@file:JvmName("Name")`.
fn jvm_name(text: &str) -> Option<&str> {
    // The annotation comes before the package.
    let head = text.split("package ").next()?;
    let (_, after) = head.split_once("@file:JvmName(")?;
    let name = after.split(')').next()?.trim();
    Some(name.trim_matches('"')).filter(|name| !name.is_empty())
}

fn capitalised(stem: &str) -> String {
    let mut rest = stem.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}
