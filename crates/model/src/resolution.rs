//! Defines the language rules that the graph needs to resolve names: the module system, name lookup, and test
//! naming. It is data, and functions over the files of a revision; the graph selects them by the language of
//! the file that contains a name.

use std::any::Any;
use std::fmt::Debug;

use crate::{Definition, ImportKind, RepoPath, SourceFile};

/// Position of a file in its snapshot, in path order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// The files of one revision, in path order.
pub trait FileTree: Sync {
    /// Returns all files.
    fn files(&self) -> &[SourceFile];

    /// Returns the file at a path.
    fn find(&self, path: &str) -> Option<FileId>;
}

impl dyn FileTree + '_ {
    /// Returns all file ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files().len() as u32).map(FileId)
    }

    /// Returns a file of this tree.
    ///
    /// # Panics
    /// If the id comes from another tree.
    #[allow(clippy::indexing_slicing)]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files()[id.0 as usize]
    }

    /// Returns the path of a file.
    pub fn path(&self, id: FileId) -> &str {
        self.file(id).path.as_str()
    }

    /// Returns the text of a file; empty if it was skipped.
    pub fn text(&self, id: FileId) -> &str {
        let content = self.file(id).content.as_ref();
        content.map_or("", |content| &content.text)
    }
}

/// The module system of a family of languages: maps import statements to files.
#[derive(Debug)]
pub struct ModuleSystem {
    /// Builds a resolver from the files of a revision (paths, manifests, declared packages).
    pub resolver: fn(&dyn FileTree) -> Box<dyn ModuleResolver>,
    /// The last part of the name under which the file at a path is imported. `None` if imports do not go by
    /// such names: then the target of any import may change when files are added or removed.
    pub module_name: fn(&RepoPath) -> Option<&str>,
    /// The last part of the name in an import statement, comparable with `module_name`.
    pub imported_name: fn(&str) -> Option<&str>,
    /// Whether adding or removing a file at this path renames other modules.
    pub is_package: fn(&RepoPath) -> bool,
    /// Whether a file's content can change where modules are: manifests, compiler settings, and sources that name their
    /// own module.
    pub is_settings: fn(&RepoPath) -> bool,
    /// Whether every source declares its module, wherever it lies: then a source that is added or removed moves only
    /// modules whose names contain one that it declares.
    pub sources_declare_modules: bool,
}

impl ModuleSystem {
    /// Creates a module system whose imports go by no names of files, and that has no settings.
    pub const fn new(resolver: fn(&dyn FileTree) -> Box<dyn ModuleResolver>) -> Self {
        Self {
            resolver,
            module_name: |_| None,
            imported_name: |_| None,
            is_package: |_| false,
            is_settings: |_| false,
            sources_declare_modules: false,
        }
    }
}

/// Resolves imports among the files of one revision. Every call gets the files again.
pub trait ModuleResolver: Any + Debug + Send + Sync {
    /// Returns the file of a module, as written in an import statement of `importer`. `None` if it lies
    /// outside the repository.
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        kind: ImportKind,
    ) -> Option<FileId>;

    /// Returns the file of an absolute name; of several, the nearest to the importer.
    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId>;

    /// Returns the file of the module `name` inside of `module`, as written in `importer`. `module` itself
    /// may have no file.
    fn submodule(
        &self,
        _files: &dyn FileTree,
        _importer: FileId,
        _module: &str,
        _name: &str,
    ) -> Option<FileId> {
        None
    }

    /// Returns the file of the module `name` inside a package, given the package's own file.
    fn child(&self, _files: &dyn FileTree, _package: FileId, _name: &str) -> Option<FileId> {
        None
    }

    /// Returns the file whose top-level functions another language of the family calls as static methods of a class with
    /// this name in a package. `None` if there is no such class.
    fn class_of_functions(
        &self,
        _files: &dyn FileTree,
        _importer: FileId,
        _package: &str,
        _name: &str,
    ) -> Option<FileId> {
        None
    }

    /// Returns the number of the package that a file is part of: files of one package see each other's
    /// top-level names without an import, and an import of the package may resolve to any of its files.
    /// `None` if the file is a module of its own.
    fn package_of(&self, _file: FileId) -> Option<u32> {
        None
    }

    /// Returns the number of the project that a file belongs to: star imports that one of its files passes on hold in
    /// all of them. `None` if the file is in no project.
    fn project_of(&self, _file: FileId) -> Option<u32> {
        None
    }

    /// Returns the files of the modules that the settings of a project import into all its files.
    fn imports_of_project(&self, _project: u32) -> &[FileId] {
        &[]
    }

    /// Returns the directory of the package of this name; empty at the root.
    fn package_directory(&self, _name: &str) -> Option<&str> {
        None
    }

    /// Returns the directory of the package whose name or directory ends with this segment.
    fn package_like(&self, _segment: &str) -> Option<&str> {
        None
    }

    /// Returns the directory of the package that a directory belongs to.
    fn package_around<'a>(&self, _directory: &'a str) -> Option<&'a str> {
        None
    }

    /// Whether `other` finds the same modules in the same files. A resolver that may say so holds all that it
    /// reads from the contents of settings.
    fn is_same(&self, _other: &dyn ModuleResolver) -> bool {
        false
    }
}

/// Whether a resolver is equal to another one, which may be of another language.
pub fn is_equal<R: ModuleResolver + PartialEq>(resolver: &R, other: &dyn ModuleResolver) -> bool {
    let other: &dyn Any = other;
    other.downcast_ref() == Some(resolver)
}

/// Rules for looking up names.
#[derive(Clone, Copy, Debug)]
pub struct LookupRules {
    /// Which names of a file are visible to other files.
    pub exports: Exports,
    /// Whether a star import binds the imported names in the importing file. Otherwise only star exports pass
    /// names on.
    pub star_imports_bind: bool,
    /// Whether importing `a.b` binds `a`, so that `a.b` in the code is a module path.
    pub imports_bind_paths: bool,
    /// Whether submodules are members of their module, by their names.
    pub modules_have_submodules: bool,
    /// Whether a name bound to a module may also mean the module's default export.
    pub modules_have_defaults: bool,
    /// Returns the name by which code usually imports a nameless default export, from the path of its file. `None` if
    /// the path tells none.
    pub default_export_name: fn(&RepoPath) -> Option<String>,
    /// Whether a star import also takes names that the imported module itself gets by star imports.
    pub star_imports_are_transitive: bool,
    /// Whether an import may take a member of a type: `import static a.B.c`, `use a::Enum::Variant`.
    pub imports_reach_members: bool,
    /// Whether the leading names of a path may be namespaces or packages that nothing in the file binds: the
    /// end of the path is then compared with the ends of qualified names.
    pub paths_may_be_qualified: bool,
    /// Whether a path such as `http::Method`, whose first name is in lower case and not bound, leads to another package.
    pub unbound_paths_are_foreign: bool,
    /// Whether a capitalised name that nothing in the repository binds is a type from elsewhere, whose members no
    /// definition of the repository is. Type parameters of one letter do not count.
    pub unbound_types_are_external: bool,
    /// Whether a bare label after `case` may be a constant of the type of what is switched on, which nothing binds.
    pub case_labels_name_constants: bool,
    /// Whether code names the package of a library at each use: `http.Get(…)`, `json::parse(…)`.
    pub uses_name_their_package: bool,
    /// Whether names defined in a class body can be used unqualified in that body (never in its methods).
    pub class_bodies_are_scopes: bool,
    /// Whether a method can use members of its enclosing classes unqualified, inherited ones included.
    pub members_are_bare: bool,
    /// Whether the name of a method alone calls it.
    pub names_call: bool,
    /// Whether macros can be called in all files of their package without an import.
    pub macros_need_no_import: bool,
    /// Whether a function can be the constructor of objects with members of their own, which bare names in the
    /// function do not mean.
    pub functions_construct: bool,
    /// Names that a method has for its object or class, such as `self`.
    pub receivers: &'static [(&'static str, Receiver)],
    /// The name by which a method accesses members of its base classes, as a name or a call.
    pub super_name: Option<&'static str>,
    /// Type names that mean the enclosing class.
    pub self_types: &'static [&'static str],
    /// Functions whose results tests get by naming a parameter like them.
    pub fixtures: Fixtures,
    /// Names that are bound without an import and never belong to a repository, sorted.
    pub globals: &'static [&'static str],
    /// Members of the language's built-in objects, sorted: a use of one is no evidence for a repository's
    /// definition of the same name.
    pub builtin_members: &'static [&'static str],
    /// Methods of collections that return an element, sorted: `get`, `next`.
    pub element_getters: &'static [&'static str],
    /// Methods of collections that return others with the same elements, sorted: `values`, `iterator`.
    pub element_views: &'static [&'static str],
    /// Whether the facts do not tell where code takes an element of a collection, as the type of a list counts as that of
    /// its elements. A member that collections lack is then one of an element.
    pub elements_are_implicit: bool,
    /// Whether a type that another one defines, as in `type Names []Name`, has methods of its own. The type of a list counts
    /// as that of its elements in such a language.
    pub named_types_have_methods: bool,
    /// Members of a class that return an object of it, even if the class gets them from elsewhere: from the
    /// language, or generated by an attribute.
    pub constructors: &'static [&'static str],
    /// Whether a file can call an extension, which a type does not contain, like a member of the type.
    pub has_extensions: bool,
    /// How it accesses properties that other languages of its family define.
    pub foreign_properties: ForeignProperties,
    /// Reads the head of a method behind its name, where a type implements an interface by having its methods; `None`
    /// where it names the interface.
    pub implicit_interfaces: Option<ReadHead>,
    /// Interfaces of its standard library, where types do not name the interfaces that they implement.
    pub library_interfaces: &'static [LibraryInterface],
}

/// An interface of a language's standard library.
#[derive(Clone, Copy, Debug)]
pub struct LibraryInterface {
    /// Its name behind that of its package: `io.Reader`.
    pub name: &'static str,
    /// The names of its methods, each with the head behind it, which [`ReadHead`] reads.
    pub methods: &'static [(&'static str, &'static str)],
}

/// Returns the types of the parameters and results in the head of a method, written alike in all packages. An empty one
/// stands for any type. `None` if the text is no such head.
pub type ReadHead = fn(&str) -> Option<Vec<String>>;

/// How a language accesses a property, such as `name`, of another language of its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignProperties {
    /// By its name alone.
    Unknown,
    /// By calling accessors, which the other language does not write: `getName()`, `setName(…)`.
    Called,
    /// By the name of the property, where the other language has accessors.
    Read,
}

/// Which names of a file are visible to other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exports {
    /// All names bound at its top level.
    TopLevel,
    /// Only names that it declares as exported.
    Declared,
}

/// The meaning of a name such as `self` inside a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// The object that the method is called on.
    Instance,
    /// Its class.
    Class,
    /// The members of its base classes.
    Super,
}

/// How functions are marked whose results tests, and others of these functions, get by naming a parameter like
/// them.
#[derive(Clone, Copy, Debug)]
pub struct Fixtures {
    /// Their decorators, as written without their arguments, or the last segments of these.
    pub decorators: &'static [&'static str],
    /// Stems of files whose fixtures serve all files in their directory and below it.
    pub shared_stems: &'static [&'static str],
}

impl Fixtures {
    /// No function is a fixture.
    pub const NONE: Self = Self {
        decorators: &[],
        shared_stems: &[],
    };

    /// Whether a function is a fixture.
    pub fn includes(&self, function: &Definition) -> bool {
        function.kind.is_function() && has_decorator(function, self.decorators)
    }
}

impl LookupRules {
    /// Resolves by scopes alone.
    pub const DEFAULT: Self = Self {
        exports: Exports::TopLevel,
        star_imports_bind: true,
        imports_bind_paths: false,
        modules_have_submodules: false,
        modules_have_defaults: false,
        default_export_name: |_| None,
        star_imports_are_transitive: true,
        imports_reach_members: false,
        uses_name_their_package: false,
        paths_may_be_qualified: false,
        unbound_paths_are_foreign: false,
        unbound_types_are_external: false,
        case_labels_name_constants: false,
        class_bodies_are_scopes: false,
        members_are_bare: false,
        names_call: false,
        macros_need_no_import: false,
        functions_construct: false,
        receivers: &[],
        super_name: None,
        self_types: &[],
        fixtures: Fixtures::NONE,
        globals: &[],
        builtin_members: &[],
        element_getters: &[],
        element_views: &[],
        elements_are_implicit: false,
        named_types_have_methods: false,
        constructors: &[],
        has_extensions: false,
        foreign_properties: ForeignProperties::Unknown,
        implicit_interfaces: None,
        library_interfaces: &[],
    };
}

/// Naming conventions of tests, their files and their subjects.
#[derive(Clone, Copy, Debug)]
pub struct TestConventions {
    /// Stems of files that represent their directory.
    pub package_stems: &'static [&'static str],
    /// Endings of a test file's stem, in the order in which they are removed.
    pub file_endings: &'static [&'static str],
    /// Beginnings of a test file's stem.
    pub file_beginnings: &'static [&'static str],
    /// Endings of the stem of a test file that is named after the class in it.
    pub file_class_endings: &'static [&'static str],
    /// Stems of test files that do not name what is tested.
    pub general_stems: &'static [&'static str],
    /// Directories of tests.
    pub directories: &'static [&'static str],
    /// Further directories whose names are ignored when a test's path is compared with the path of the tested
    /// code.
    pub source_directories: &'static [&'static str],
    /// Beginnings of test functions, before `_`, a capital or the end.
    pub function_beginnings: &'static [&'static str],
    /// Decorators, attributes and annotations that mark a function as a test, as written without their
    /// arguments.
    pub function_decorators: &'static [&'static str],
    /// Beginnings of test classes.
    pub class_beginnings: &'static [&'static str],
    /// Endings of test classes, the longer of two before the shorter.
    pub class_endings: &'static [&'static str],
}

impl TestConventions {
    /// Conventions that many ecosystems share.
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

    /// Whether a function is a test, by its name or by its decorators.
    pub fn is_test(&self, function: &Definition) -> bool {
        self.is_test_name(&function.name) || self.is_decorated(function)
    }

    /// Whether a decorator marks a function as a test. Its whole name or its last segment is compared, as in
    /// `tokio::test`.
    pub fn is_decorated(&self, function: &Definition) -> bool {
        has_decorator(function, self.function_decorators)
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

/// Whether one of a function's decorators is listed, by its whole name or its last segment.
fn has_decorator(function: &Definition, listed: &[&str]) -> bool {
    let mut decorators = function.decorators.iter();
    decorators.any(|name| {
        let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
        listed.contains(&&**name) || listed.contains(&last)
    })
}
