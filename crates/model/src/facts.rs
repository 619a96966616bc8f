//! Defines the facts that parsing one file yields. Names are owned strings where they are compared across
//! files, and spans into the file's text where there are hundreds of thousands of them.

use crate::values::Link;
use crate::{Language, Lines, Span, Values};

/// Index of a definition in [`FileFacts::definitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// Everything that is derived from one file's bytes, independent of its path and of other files.
#[derive(Clone, Debug)]
pub struct FileFacts {
    /// The language that it was parsed as.
    pub language: Language,
    /// Number of lines; a last line without a newline counts.
    pub line_count: u32,
    /// Definitions in order of their start; an enclosing definition precedes those inside it.
    pub definitions: Vec<Definition>,
    /// References in order of their start.
    pub references: Vec<Reference>,
    /// Imports and re-exports in order.
    pub imports: Vec<Import>,
    /// Exported names of its definitions and imports, beyond those with `is_exported` (ES `export {
    /// a as b }`, `export default a`, `module.exports = …`; Python `__all__`).
    pub exports: Vec<Export>,
    /// Texts of raised errors and log calls.
    pub messages: Vec<Message>,
    /// A partition of the file's lines, in order.
    pub chunks: Vec<Chunk>,
    /// Comments, strings and documentation, sorted and disjoint; every other byte is code.
    pub regions: Vec<Region>,
    /// Types and values of its names, as far as the file states them.
    pub values: Values,
    /// The package or namespace that the file declares for its top level, its parts joined by `.`; empty if
    /// it declares none.
    pub package: Box<str>,
    /// Whether a header in its first lines marks it as generated.
    pub generated: bool,
    /// Problems during parsing. The facts are those found before each problem.
    pub issues: Vec<ParseIssue>,
}

impl FileFacts {
    /// Returns the facts of a file of which nothing is known but its language.
    pub fn empty(language: Language) -> Self {
        Self {
            language,
            line_count: 0,
            definitions: Vec::new(),
            references: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            messages: Vec::new(),
            chunks: Vec::new(),
            regions: Vec::new(),
            values: Values::default(),
            package: Box::default(),
            generated: false,
            issues: Vec::new(),
        }
    }

    /// Returns the definition with this id, if the id belongs to this file.
    pub fn definition(&self, id: LocalId) -> Option<&Definition> {
        self.definitions.get(id.0 as usize)
    }

    /// Returns the position of the reference whose name is at a span.
    pub fn reference_at(&self, name: Span) -> Option<u32> {
        let at = self
            .references
            .partition_point(|reference| reference.name < name);
        let is_there = self.references.get(at)?.name == name;
        u32::try_from(at).ok().filter(|_| is_there)
    }

    /// Returns the names and calls before the name of a reference at a span, and the kind of the reference; `None` if
    /// nothing but names precedes it.
    pub fn chain_before(&self, name: Span) -> Option<(ReferenceKind, &[Link])> {
        let at = self.reference_at(name)?;
        let reference = self.references.get(at as usize)?;
        let links = self.values.receivers_of(at)?;
        reference.opaque_receiver.then_some((reference.kind, links))
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        let names: usize = self
            .definitions
            .iter()
            .map(|d| {
                d.name.len()
                    + d.qualified_name.len()
                    + d.doc.len()
                    + d.bases
                        .iter()
                        .chain(&d.decorators)
                        .map(|s| s.len() + 16)
                        .sum::<usize>()
            })
            .sum();
        let imports: usize = self
            .imports
            .iter()
            .map(|i| {
                i.module.len()
                    + i.names
                        .iter()
                        .map(|n| n.name.len() + n.local.len() + 32)
                        .sum::<usize>()
            })
            .sum();
        names
            + imports
            + size_of_val(self.definitions.as_slice())
            + size_of_val(self.references.as_slice())
            + size_of_val(self.imports.as_slice())
            + size_of_val(self.exports.as_slice())
            + size_of_val(self.messages.as_slice())
            + size_of_val(self.chunks.as_slice())
            + size_of_val(self.regions.as_slice())
            + self.values.heap_bytes()
    }
}

crate::named_enum! {
    /// The kind of a definition.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[allow(missing_docs)]
    pub enum DefinitionKind {
        Function = "function",
        Method = "method",
        Class = "class",
        Interface = "interface",
        TypeAlias = "type_alias",
        Enum = "enum",
        EnumMember = "enum_member",
        Module = "module",
        Constant = "constant",
        Variable = "variable",
        Field = "field",
    }
}

impl DefinitionKind {
    /// Whether it is a function or a method.
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Whether it holds members: a class, interface, enum or namespace.
    pub fn is_container(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Interface | Self::Enum | Self::Module
        )
    }

    /// Whether it is a type with members: a container, but no namespace.
    pub fn is_class(self) -> bool {
        self.is_container() && self != Self::Module
    }
}

/// The declared visibility of a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Visibility {
    #[default]
    Public,
    Protected,
    Private,
}

/// Boolean properties of a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// `async`.
    pub is_async: bool,
    /// `static`, `@staticmethod`, `@classmethod`.
    pub is_static: bool,
    /// `abstract`, `@abstractmethod`.
    pub is_abstract: bool,
    /// A signature without a body beside an implementation (`@overload`, TypeScript overloads).
    pub is_overload: bool,
    /// A constructor: `__init__`, `__new__`, `constructor`.
    pub is_constructor: bool,
    /// A getter or setter, read like a field (`@property`, `get x()`).
    pub is_property: bool,
    /// Exported by its module under its own name (ES `export`).
    pub is_exported: bool,
    /// The module's default export.
    pub is_default_export: bool,
    /// A member that is defined outside the body of its type; its qualified name names the type: a Go method,
    /// a function of a Rust `impl`, `void A::f() {}` in C++.
    pub is_out_of_line: bool,
    /// A macro, which can be called in other files without an import: `macro_rules!`.
    pub is_macro: bool,
    /// A block that is named by a text, a subject or the arguments of a macro, such as a test: code cannot refer
    /// to it by this name.
    pub is_block: bool,
    /// A static method that is called like a member of the type of its first parameter: an extension method.
    pub is_extension: bool,
}

/// A named thing that a file defines.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its own name, such as `connect`; a nameless default export is called `default`.
    pub name: Box<str>,
    /// Names of the enclosing definitions and its own, joined by `.`: `Client.connect`.
    pub qualified_name: Box<str>,
    /// Its kind.
    pub kind: DefinitionKind,
    /// The definition that encloses it.
    pub parent: Option<LocalId>,
    /// From its first decorator (or `export`) to its end.
    pub span: Span,
    /// The lines under `span`.
    pub lines: Lines,
    /// Number of `lines` above its own first line: attributes, decorators and `template <…>`, where the
    /// grammar has them beside the definition and not inside it.
    pub lines_above: u32,
    /// The position of its name; empty for a nameless default export.
    pub name_span: Span,
    /// The complete head: decorators, all lines of the parameters, return type; no body.
    pub signature: Span,
    /// The parameter list without its parentheses, for functions and methods.
    pub parameters: Option<Span>,
    /// The body, if it has one: function block, class block, initial value.
    pub body: Option<Span>,
    /// Its documentation (docstring, JSDoc) without quotes and comment marks; may be empty.
    pub doc: Box<str>,
    /// Base classes and implemented interfaces as written, without type arguments.
    pub bases: Vec<Box<str>>,
    /// Names of its decorators as written, without arguments (`app.route`).
    pub decorators: Vec<Box<str>>,
    /// Its declared visibility.
    pub visibility: Visibility,
    /// Boolean properties.
    pub modifiers: Modifiers,
}

impl Definition {
    /// Returns `lines` without the first `lines_above`.
    pub fn own_lines(&self) -> Lines {
        let start = self.lines.start.saturating_add(self.lines_above);
        Lines::new(start.min(self.lines.end), self.lines.end)
    }
}

crate::named_enum! {
    /// How a name is used.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ReferenceKind {
        /// `f()`, `new C()`, JSX `<C />`.
        Call = "call",
        /// `a.b` that is not called.
        Attribute = "attribute",
        /// In an annotation or a type position.
        Type = "type",
        /// As a base class or implemented interface.
        Base = "base",
        /// As a decorator.
        Decorator = "decorator",
        /// In `raise` or `throw`.
        Raise = "raise",
        /// In `except` (or `instanceof` inside a `catch`).
        Catch = "catch",
        /// A bare name read as a value that the file imports or defines at its top level or in an enclosing
        /// function, or a parameter that takes the result of a fixture.
        Name = "name",
    }
}

/// One use of a name.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// How it is used.
    pub kind: ReferenceKind,
    /// The last name of the expression: `connect` in `self.client.connect()`.
    pub name: Span,
    /// The whole dotted expression if it consists of names alone (`self.client.connect`), otherwise the same
    /// as `name` (`make().connect()`). It is source text: blanks, `?.` and `!.` may occur between the names,
    /// and Python's `super().m` counts as names alone.
    pub path: Span,
    /// 1-based line of the name.
    pub line: u32,
    /// The innermost function, method or class that contains it.
    pub enclosing: Option<LocalId>,
    /// Whether the receiver is not a plain dotted name (`make().connect`), so that scopes and imports cannot
    /// resolve it.
    pub opaque_receiver: bool,
}

/// The form of an import statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportKind {
    /// Python `import a.b [as c]`.
    Module,
    /// Python `from a import b`; ES `import {b} from`, default, namespace, side effect.
    From,
    /// ES `export … from './x'`; C# `global using`.
    ReExport,
    /// `import('./x')`, `importlib.import_module("x")`.
    Dynamic,
    /// CommonJS `require('./x')`.
    Require,
}

/// One import statement.
#[derive(Clone, Debug)]
pub struct Import {
    /// Its form.
    pub kind: ImportKind,
    /// The module as written, leading dots included: `..db.client`, `./db`, `react`.
    pub module: Box<str>,
    /// The names that it binds. Empty for a side-effect import.
    pub names: Vec<ImportedName>,
    /// The statement.
    pub span: Span,
    /// 1-based line of the statement's start.
    pub line: u32,
    /// The function that contains it; `None` at the top level.
    pub enclosing: Option<LocalId>,
    /// `import type`, or under `if TYPE_CHECKING`.
    pub type_only: bool,
}

/// One name that an import binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedName {
    /// The name in the imported module; `default` for a default import; `*` for a star import, a
    /// namespace import or the module itself (`import a.b as c`, `const m = require('m')`).
    pub name: Box<str>,
    /// The name that it has in this file. Empty for `from a import *` and `export * from`. For
    /// Python `import a.b` it is `a.b`, as used in the file.
    pub local: Box<str>,
}

impl ImportedName {
    /// Creates a name from its form in the imported module and its form in this file.
    pub fn new(name: &str, local: &str) -> Self {
        Self {
            name: name.into(),
            local: local.into(),
        }
    }
}

/// One exported name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The name that other files see; `default` for the default export.
    pub exported: Box<str>,
    /// The name in this file.
    pub local: Box<str>,
}

/// The kind of call that a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// An argument of a raised or thrown error.
    Error,
    /// An argument of a log or warning call.
    Log,
}

/// A string literal that a user may see and paste into an issue.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Error or log.
    pub kind: MessageKind,
    /// The literal without its quotes.
    pub span: Span,
    /// 1-based line of its start.
    pub line: u32,
    /// The function that contains it.
    pub enclosing: Option<LocalId>,
}

/// The kind of content of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkKind {
    /// A function or method, whole or one part of a long one.
    Function,
    /// A class's head, documentation and fields up to its first method, or the stretch of fields
    /// between its methods.
    Class,
    /// Module-level statements between definitions.
    Module,
    /// A stretch of prose, settings, or code without a parser.
    Text,
}

/// The unit of lexical search: whole lines, each line of the file in exactly one chunk.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// The kind of its content.
    pub kind: ChunkKind,
    /// Bytes of its lines, the last newline included.
    pub span: Span,
    /// Its lines.
    pub lines: Lines,
    /// The function or class that it belongs to. A nested function lies in the chunk of the outer one, unless
    /// the outer one is a scope that consists mostly of functions (script modules).
    pub definition: Option<LocalId>,
}

/// The kind of content of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// A comment.
    Comment,
    /// A string literal, quotes included.
    Text,
    /// A docstring or a documentation comment.
    Documentation,
    /// A heading of a document, or the line that names a table of a settings file.
    Heading,
}

/// A stretch of a file that is not code.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The kind of its content.
    pub kind: RegionKind,
    /// Its bytes.
    pub span: Span,
}

/// A problem that made the facts incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseIssue {
    /// The syntax tree has errors; `line` is the first one's.
    Syntax {
        /// 1-based line of the first error.
        line: u32,
    },
    /// Parsing was aborted at a limit of steps, time or memory. The file is indexed as text.
    Timeout,
    /// The tree is deeper than the limit; deeper nodes were left out.
    Depth,
}

impl ParseIssue {
    /// Returns the stable code used in metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "syntax",
            Self::Timeout => "timeout",
            Self::Depth => "depth",
        }
    }
}
