//! Resolves Rust paths: crates by their manifests, modules by the files below the root of a crate.

mod roots;
#[cfg(test)]
mod tests;

use foldhash::{HashMap, HashSet};
use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem, is_equal};
use foveate_model::{FileId, Import, ImportKind};

use super::manifest::{Manifest, Renamed, manifest};
use crate::paths::{ancestors, join, parent, shared_segments};

pub(super) static MODULES: ModuleSystem = ModuleSystem {
    is_settings: |path| path.file_name() == "Cargo.toml",
    ..ModuleSystem::new(|files| Box::new(Crates::new(files)))
};

/// Maximum number of names of a path that are followed.
const MAX_NAMES: usize = 32;
/// Maximum number of imports of modules that are followed one after the other.
const MAX_REEXPORTS: u32 = 4;

/// Maximum number of imports of a file that are searched for a name.
const MAX_IMPORTS: usize = 4_096;

/// Maximum number of imports under one name that are followed: one for each platform, say.
const MAX_IMPORTS_OF_NAME: usize = 8;

/// The imported names that were followed while one path is resolved.
type Tried = HashSet<(FileId, Box<str>)>;

/// The crates of a repository.
#[derive(Debug, PartialEq)]
struct Crates {
    /// The one with the longest directory first.
    packages: Vec<Package>,
    /// Positions in `packages`.
    by_directory: HashMap<Box<str>, u32>,
    /// Positions in `packages` by the names of their libraries.
    libraries: HashMap<Box<str>, Vec<u32>>,
    /// Roots of libraries that are not called `lib.rs`.
    other_roots: HashSet<FileId>,
}

/// One package, which has a manifest.
#[derive(Debug, PartialEq)]
struct Package {
    directory: Box<str>,
    /// The root of its library.
    library: Option<FileId>,
    /// The name by which its own binaries and tests import the library.
    name: Box<str>,
    /// Dependencies under another name: the name in the sources and that of the package.
    renamed: Vec<Renamed>,
}

impl Crates {
    fn new(files: &dyn FileTree) -> Self {
        let mut packages = Vec::new();
        for id in files.ids() {
            let file = files.file(id);
            if file.path.file_name() != "Cargo.toml" {
                continue;
            }
            let directory = file.path.directory();
            let Manifest {
                name,
                library,
                renamed,
            } = manifest(files.text(id));
            let Some(name) = name else {
                continue;
            };
            let roots = [library.as_deref(), Some("src/lib.rs"), Some("lib.rs")];
            let mut roots = roots.into_iter().flatten();
            packages.push(Package {
                library: roots.find_map(|root| files.find(&join(directory, root)?)),
                directory: directory.into(),
                name: name.replace('-', "_").into(),
                renamed,
            });
        }
        packages.sort_by_key(|package: &Package| std::cmp::Reverse(package.directory.len()));
        let mut by_directory = HashMap::default();
        let mut libraries: HashMap<Box<str>, Vec<u32>> = HashMap::default();
        for (at, package) in (0u32..).zip(&packages) {
            by_directory.insert(package.directory.clone(), at);
            if package.library.is_some() {
                libraries.entry(package.name.clone()).or_default().push(at);
            }
        }
        let roots = packages.iter().filter_map(|package| package.library);
        let other = roots.filter(|root| files.file(*root).path.file_name() != "lib.rs");
        Self {
            other_roots: other.collect(),
            packages,
            by_directory,
            libraries,
        }
    }

    /// Returns the innermost package around a file.
    fn package_of_path(&self, path: &str) -> Option<&Package> {
        let at = ancestors(parent(path)).find_map(|directory| self.by_directory.get(directory))?;
        self.packages.get(*at as usize)
    }

    /// Returns the library of a name, as a file sees it: that of its own package, a renamed dependency,
    /// or the nearest of the repository.
    fn library(&self, files: &dyn FileTree, importer: FileId, name: &str) -> Option<FileId> {
        let path = files.path(importer);
        let own = self.package_of_path(path);
        let renamed = own.and_then(|own| own.renamed.iter().find(|(known, _)| **known == *name));
        let name = renamed.map_or(name, |(_, name)| name);
        if let Some(own) = own.filter(|own| *own.name == *name && own.library.is_some()) {
            return own.library;
        }
        let nearest = self.libraries.get(name)?.iter().max_by_key(|at| {
            let package = self.packages.get(**at as usize);
            package.map_or(0, |package| shared_segments(path, &package.directory))
        })?;
        self.packages.get(*nearest as usize)?.library
    }

    /// Returns the library of a name as no file sees it: of several, the nearest to the repository's root.
    fn outermost_library(&self, name: &str) -> Option<FileId> {
        let named = self.libraries.get(name)?.iter();
        let packages = named.filter_map(|at| self.packages.get(*at as usize));
        let depth = |package: &&Package| ancestors(&package.directory).count();
        packages.min_by_key(depth)?.library
    }

    /// Returns the root of the crate that a file is part of: by the layout of its package, otherwise in
    /// the nearest directory upwards that has one.
    fn root(&self, files: &dyn FileTree, file: FileId) -> Option<FileId> {
        let path = files.path(file);
        let package = self.package_of_path(path);
        if let Some(root) = package.and_then(|package| roots::own_root(files, package, path)) {
            return Some(root);
        }
        let mut directory = files.file(file).path.directory();
        loop {
            for name in ["lib.rs", "main.rs", "src/lib.rs", "src/main.rs"] {
                if let Some(root) = files.find(&join(directory, name)?) {
                    return Some(root);
                }
            }
            if directory.is_empty() {
                return None;
            }
            directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    /// Returns the file of the first name of a path.
    fn first_file(&self, files: &dyn FileTree, importer: FileId, name: &str) -> Option<FileId> {
        match name {
            "crate" | "$crate" => self.root(files, importer),
            "self" => Some(importer),
            "super" => self.parent_module(files, importer),
            _ => self
                .child(files, importer, name)
                .or_else(|| self.library(files, importer, name)),
        }
    }

    /// Returns the file of the parent of a file's module.
    fn parent_module(&self, files: &dyn FileTree, file: FileId) -> Option<FileId> {
        let path = &files.file(file).path;
        let directory = path.directory();
        let stem = path.stem();
        let (directory, name) = match stem {
            "mod" => directory.rsplit_once('/').unwrap_or(("", directory)),
            _ => (directory, stem),
        };
        let roots = ["mod.rs", "lib.rs", "main.rs"];
        let in_directory = roots
            .iter()
            .filter(|root| root.trim_end_matches(".rs") != name);
        let mut found = in_directory.filter_map(|root| files.find(&join(directory, root)?));
        if let Some(found) = found.find(|found| *found != file) {
            return Some(found);
        }
        if !directory.is_empty()
            && let Some(found) = files.find(&format!("{directory}.rs"))
        {
            return Some(found);
        }
        self.root(files, file).filter(|root| *root != file)
    }

    /// Follows a path as long as its names are modules. Returns the file of the last one and the names
    /// that remain.
    fn follow<'a>(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        names: &'a [&'a str],
        steps: u32,
        tried: &mut Tried,
    ) -> Option<(FileId, &'a [&'a str])> {
        let (first, rest) = names.split_first()?;
        Some(match self.first_file(files, importer, first) {
            Some(file) => self.descend(files, file, rest, steps, tried),
            // The first name is defined in the file: `use Color::Red`.
            None => self.descend(files, importer, names, steps, tried),
        })
    }

    /// Follows a path inside the module of a file, like [`Self::follow`].
    fn descend<'a>(
        &self,
        files: &dyn FileTree,
        mut file: FileId,
        mut rest: &'a [&'a str],
        steps: u32,
        tried: &mut Tried,
    ) -> (FileId, &'a [&'a str]) {
        while let Some((name, below)) = rest.split_first() {
            let found = match *name {
                "super" => self.parent_module(files, file),
                "self" => Some(file),
                name => self.child(files, file, name),
            };
            let found = found.map(|found| (found, below)).or_else(|| {
                let (next, below) = below.split_first()?;
                Some((self.inside_inline(files, file, name, next)?, below))
            });
            let found = found.or_else(|| {
                let steps = steps.checked_sub(1)?;
                Some((self.imported(files, file, name, steps, tried)?, below))
            });
            match found {
                Some(next) => (file, rest) = next,
                None => break,
            }
        }
        (file, rest)
    }

    /// Returns the module that a file imports under a name; `None` if that was tried before.
    fn imported(
        &self,
        files: &dyn FileTree,
        file: FileId,
        name: &str,
        steps: u32,
        tried: &mut Tried,
    ) -> Option<FileId> {
        if !tried.insert((file, name.into())) {
            return None;
        }
        let imports = imports(files, file).filter(|import| import.enclosing.is_none());
        let of_name = imports.filter_map(|import| {
            let imported = import.names.iter().find(|known| *known.local == *name)?;
            Some((import, imported))
        });
        of_name
            .take(MAX_IMPORTS_OF_NAME)
            .find_map(|(import, imported)| {
                let mut names: Vec<&str> = import.module.split("::").take(MAX_NAMES).collect();
                if &*imported.name != "*" {
                    names.push(&imported.name);
                } else if names == ["self", name] {
                    return None;
                }
                let (found, rest) = self.follow(files, file, &names, steps, tried)?;
                (rest.is_empty() && found != file).then_some(found)
            })
    }

    /// Returns the file of a module inside an inline module.
    fn inside_inline(
        &self,
        files: &dyn FileTree,
        file: FileId,
        inline: &str,
        name: &str,
    ) -> Option<FileId> {
        let directory = join(&self.directory_of(files, file), inline)?;
        files_of_module(files, &directory, name).next()
    }

    /// Returns the directory of the modules inside a file's module.
    fn directory_of(&self, files: &dyn FileTree, file: FileId) -> String {
        let path = &files.file(file).path;
        let (directory, stem) = (path.directory(), path.stem());
        let groups = ["src/bin", "tests", "examples", "benches"];
        let is_root = matches!(stem, "mod" | "lib" | "main")
            || self.other_roots.contains(&file)
            || groups.iter().any(|group| {
                let above = directory.strip_suffix(group);
                above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
            });
        match (is_root, directory) {
            (true, directory) => directory.to_owned(),
            (false, "") => stem.to_owned(),
            (false, directory) => format!("{directory}/{stem}"),
        }
    }
}

/// Returns the files that a module in a directory may have.
fn files_of_module(
    files: &dyn FileTree,
    directory: &str,
    name: &str,
) -> impl Iterator<Item = FileId> {
    let by_name = [format!("{name}.rs"), format!("{name}/mod.rs")];
    let paths = by_name.into_iter();
    paths.filter_map(move |path| files.find(&join(directory, &path)?))
}

fn imports(files: &dyn FileTree, file: FileId) -> impl Iterator<Item = &Import> {
    let content = files.file(file).content.as_ref();
    let imports = content.map_or(&[][..], |content| &content.facts.imports);
    imports.iter().take(MAX_IMPORTS)
}

/// Whether a file may define or import a name that is not a module with a file.
fn declares(files: &dyn FileTree, file: FileId, name: &str) -> bool {
    let Some(content) = files.file(file).content.as_ref() else {
        return false;
    };
    let facts = &content.facts;
    let mut definitions = facts.definitions.iter();
    let mut imports = imports(files, file).filter(|import| import.enclosing.is_none());
    definitions.any(|known| known.parent.is_none() && *known.name == *name)
        || imports.any(|import| {
            import.names.iter().any(|known| match &*known.name {
                "*" => known.local.is_empty(),
                _ => *known.local == *name,
            })
        })
}

impl ModuleResolver for Crates {
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        _kind: ImportKind,
    ) -> Option<FileId> {
        // `#[path = "…"] mod a;`
        if module.ends_with(".rs") {
            let directory = files.file(importer).path.directory();
            return files.find(&join(directory, module)?);
        }
        let names = module.split("::").map(str::trim);
        let names: Vec<&str> = names
            .filter(|name| !name.is_empty())
            .take(MAX_NAMES)
            .collect();
        let (found, rest) = self.follow(
            files,
            importer,
            &names,
            MAX_REEXPORTS,
            &mut Tried::default(),
        )?;
        // The names that remain are a type and a variant, or an inline module.
        match rest {
            [] => Some(found),
            [first, ..] => (rest.len() <= 2 && declares(files, found, first)).then_some(found),
        }
    }

    /// Resolves the path of a module that begins with the name of its library: `tokio.sync.oneshot`.
    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        let names = name.split(['.', ':']).filter(|name| !name.is_empty());
        let names: Vec<&str> = names.take(MAX_NAMES).collect();
        let (first, inner) = names.split_first()?;
        let library = match importer {
            Some(importer) => self.library(files, importer, first)?,
            None => self.outermost_library(first)?,
        };
        let tried = &mut Tried::default();
        let (found, rest) = self.descend(files, library, inner, MAX_REEXPORTS, tried);
        rest.is_empty().then_some(found)
    }

    fn child(&self, files: &dyn FileTree, package: FileId, name: &str) -> Option<FileId> {
        if name == "super" {
            return self.parent_module(files, package);
        }
        let directory = self.directory_of(files, package);
        let mut found = files_of_module(files, &directory, name);
        if let Some(found) = found.find(|found| *found != package) {
            return Some(found);
        }
        // A module whose file is given by an attribute.
        let import = imports(files, package).find(|import| {
            import.module.ends_with(".rs") && import.names.iter().any(|known| *known.local == *name)
        })?;
        let directory = files.file(package).path.directory();
        files.find(&join(directory, &import.module)?)
    }

    fn is_same(&self, other: &dyn ModuleResolver) -> bool {
        is_equal(self, other)
    }
}
