//! What the graph must know of a language to resolve names: its module system, how names are looked
//! up, and how tests are called. It is data, and functions over the files of a revision; the graph
//! asks for it by the language of the file that a name stands in.

use std::fmt::Debug;

use crate::{Definition, ImportKind, RepoPath, SourceFile};

/// Position of a file in its snapshot, in path order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// The files of one revision, in path order.
pub trait FileTree: Sync {
    /// All files.
    fn files(&self) -> &[SourceFile];

    /// The file at a path.
    fn find(&self, path: &str) -> Option<FileId>;
}

impl dyn FileTree + '_ {
    /// All ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files().len() as u32).map(FileId)
    }

    /// A file of this tree.
    ///
    /// # Panics
    /// For an id of another tree.
    #[allow(clippy::indexing_slicing)]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files()[id.0 as usize]
    }

    /// The path of a file.
    pub fn path(&self, id: FileId) -> &str {
        self.file(id).path.as_str()
    }

    /// The text of a file; empty where it was skipped.
    pub fn text(&self, id: FileId) -> &str {
        let content = self.file(id).content.as_ref();
        content.map_or("", |content| &content.text)
    }
}

/// The module system of a family of languages: where the names in import statements lead.
#[derive(Debug)]
pub struct ModuleSystem {
    /// Reads what tells where modules are from the files of a revision.
    pub resolver: fn(&dyn FileTree) -> Box<dyn ModuleResolver>,
    /// The last part of the name under which the file at a path is imported. `None` where imports do
    /// not go by such names: then any of them may lead elsewhere once files come or go.
    pub module_name: fn(&RepoPath) -> Option<&str>,
    /// The last part of the name in an import statement, in the same sense.
    pub imported_name: fn(&str) -> Option<&str>,
    /// Whether other modules get other names when a file at this path comes or goes.
    pub is_package: fn(&RepoPath) -> bool,
    /// Whether what a file says may move modules: manifests and settings of compilers.
    pub is_settings: fn(&RepoPath) -> bool,
}

/// Resolves imports among the files of one revision, which every call is handed again.
pub trait ModuleResolver: Debug + Send + Sync {
    /// The file that a module, as written in an import statement of `importer`, stands for. `None`
    /// where it lies outside the repository.
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        kind: ImportKind,
    ) -> Option<FileId>;

    /// The file of an absolute name; of several the nearest to the importer.
    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId>;

    /// The file of the module `name` inside what `module`, as written in `importer`, stands for. It
    /// may have no file of its own.
    fn submodule(
        &self,
        _files: &dyn FileTree,
        _importer: FileId,
        _module: &str,
        _name: &str,
    ) -> Option<FileId> {
        None
    }

    /// The file of the module `name` inside a package, by the package's own file.
    fn child(&self, _files: &dyn FileTree, _package: FileId, _name: &str) -> Option<FileId> {
        None
    }

    /// The package that a file is part of, as a number: files of one package see each other's top-level
    /// names without an import, and an import of the package may lead to any of its files. `None`
    /// where a file is a module of its own.
    fn package_of(&self, _file: FileId) -> Option<u32> {
        None
    }

    /// The directory of the package of this name; empty at the root.
    fn package_directory(&self, _name: &str) -> Option<&str> {
        None
    }

    /// The directory of the package whose name or directory ends with this segment.
    fn package_like(&self, _segment: &str) -> Option<&str> {
        None
    }

    /// The directory of the package that a directory belongs to.
    fn package_around<'a>(&self, _directory: &'a str) -> Option<&'a str> {
        None
    }

    /// Estimated heap size in bytes.
    fn heap_bytes(&self) -> usize;
}

/// How names are looked up.
#[derive(Clone, Copy, Debug)]
pub struct LookupRules {
    /// Which names of a file others see.
    pub exports: Exports,
    /// Whether a star import binds the names that it takes in the importing file. Otherwise only
    /// star exports hand names on.
    pub star_imports_bind: bool,
    /// Whether importing `a.b` binds `a` and makes `a.b` a path of modules.
    pub imports_bind_paths: bool,
    /// Whether the modules inside a module are members of it, by their names.
    pub modules_have_submodules: bool,
    /// Whether a name that stands for a module may mean the module's default export.
    pub modules_have_defaults: bool,
    /// Whether star imports of what is imported by a star import count, too.
    pub star_imports_are_transitive: bool,
    /// Whether an import may take a member of a type: `import static a.B.c`, `use a::Enum::Variant`.
    pub imports_reach_members: bool,
    /// Whether names before the last one of a path may be namespaces or packages that nothing in the
    /// file binds: the end of the path is then compared with the ends of qualified names.
    pub paths_may_be_qualified: bool,
    /// Whether the names of a class body are bare names in that body (never in its methods).
    pub class_bodies_are_scopes: bool,
    /// Whether the members of the classes around a method, inherited ones too, are bare names in it.
    pub members_are_bare: bool,
    /// Names of the object or class around, inside a method.
    pub receivers: &'static [(&'static str, Receiver)],
    /// The name by which a method asks for what its base classes define, as a name or a call.
    pub super_name: Option<&'static str>,
    /// Names of types that stand for the class around.
    pub self_types: &'static [&'static str],
    /// Names that are bound without an import and are nothing of a repository, sorted.
    pub globals: &'static [&'static str],
    /// Members that the language's own objects have, sorted: a use of one says nothing about a
    /// repository's definition of the same name.
    pub builtin_members: &'static [&'static str],
}

/// Which names of a file others see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exports {
    /// All that its top level binds.
    TopLevel,
    /// What it says that it exports.
    Declared,
}

/// What a name for the surroundings of a method stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// The object.
    Instance,
    /// Its class.
    Class,
    /// What the base classes of its class define.
    Super,
}

impl LookupRules {
    /// Scopes alone.
    pub const DEFAULT: Self = Self {
        exports: Exports::TopLevel,
        star_imports_bind: true,
        imports_bind_paths: false,
        modules_have_submodules: false,
        modules_have_defaults: false,
        star_imports_are_transitive: true,
        imports_reach_members: false,
        paths_may_be_qualified: false,
        class_bodies_are_scopes: false,
        members_are_bare: false,
        receivers: &[],
        super_name: None,
        self_types: &[],
        globals: &[],
        builtin_members: &[],
    };
}

/// How tests, their files and what they test are called.
#[derive(Clone, Copy, Debug)]
pub struct TestConventions {
    /// Stems of files that stand for their directory.
    pub package_stems: &'static [&'static str],
    /// Endings of the stem of a test file, in the order in which they are taken off.
    pub file_endings: &'static [&'static str],
    /// Beginnings of the stem of a test file.
    pub file_beginnings: &'static [&'static str],
    /// Endings of a test file that is called like the class in it.
    pub file_class_endings: &'static [&'static str],
    /// Stems of test files that say nothing of what is tested.
    pub general_stems: &'static [&'static str],
    /// Directories of tests.
    pub directories: &'static [&'static str],
    /// Directories that say nothing of what lies below them, besides.
    pub source_directories: &'static [&'static str],
    /// Beginnings of test functions, before `_`, a capital or the end.
    pub function_beginnings: &'static [&'static str],
    /// Decorators, attributes and annotations that make a function a test, as written without their
    /// arguments.
    pub function_decorators: &'static [&'static str],
    /// Beginnings of test classes.
    pub class_beginnings: &'static [&'static str],
    /// Endings of test classes, the longer of two before the shorter.
    pub class_endings: &'static [&'static str],
}

impl TestConventions {
    /// What many ecosystems share.
    pub const COMMON: Self = Self {
        package_stems: &["index", "__init__"],
        file_endings: &[
            ".test", ".spec", "_test", "_spec", "-test", "-spec", "_tests", ".tests",
        ],
        file_beginnings: &["test_", "test-"],
        file_class_endings: &["Test", "Tests"],
        general_stems: &["test", "tests", "spec", "conftest"],
        directories: &["__tests__", "tests", "test", "spec"],
        source_directories: &["src", "lib"],
        function_beginnings: &["test"],
        function_decorators: &[],
        class_beginnings: &["Test"],
        class_endings: &["TestCase", "Tests", "Test", "Spec"],
    };

    /// Whether a function is a test, by its name or by what stands before it.
    pub fn is_test(&self, function: &Definition) -> bool {
        self.is_test_name(&function.name) || self.is_decorated(function)
    }

    /// Whether a decorator makes a function a test: by its whole name, or by the end of it, as that of
    /// `tokio::test`.
    pub fn is_decorated(&self, function: &Definition) -> bool {
        let listed = self.function_decorators;
        let mut decorators = function.decorators.iter();
        decorators.any(|name| {
            let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
            listed.contains(&&**name) || listed.contains(&last)
        })
    }

    /// Whether functions of this name are tests.
    pub fn is_test_name(&self, name: &str) -> bool {
        let ends_word = |rest: &str| {
            rest.is_empty() || rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase())
        };
        let mut beginnings = self.function_beginnings.iter();
        beginnings.any(|beginning| name.strip_prefix(beginning).is_some_and(ends_word))
    }
}
