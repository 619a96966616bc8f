//! Holds the walk's context: what surrounds the current node. The default is the top level of a file.

use foveate_model::{DefinitionKind, LocalId, MessageKind, ReferenceKind, Span, Visibility};

/// The surroundings of a node in the tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// The innermost function, method or class; references here belong to it.
    pub(crate) enclosing: Option<LocalId>,
    /// The innermost definition of any kind; it is the parent of definitions here.
    pub(crate) parent: Option<LocalId>,
    /// The type whose members are defined here, outside of its own body.
    pub(crate) receiver: Option<Span>,
    /// The scope that statements here belong to.
    pub(crate) scope: Scope,
    /// The role of names in expressions here.
    pub(crate) position: Position,
    /// The kind of message that string literals here are.
    pub(crate) message: Option<MessageKind>,
    /// The class whose constructor or method this is; assignments to members of its object define its fields.
    pub(crate) constructs: Option<LocalId>,
    /// In the body of a function without a name, whose results are not those of the enclosing definition.
    pub(crate) is_nameless: bool,
    /// Inside the arguments of a call in a function.
    pub(crate) in_local_call: bool,
    /// Inside a `catch` block.
    pub(crate) in_catch: bool,
    /// Visibility that a marker above states for all members after it.
    pub(crate) access: Option<Visibility>,
    /// Declarations here describe something that is defined elsewhere.
    pub(crate) is_foreign: bool,
    /// Signatures here are members of a named type.
    pub(crate) has_members: bool,
    /// Depth of the members of the enclosing class body.
    pub(crate) members_at: u32,
    /// Directly in the object assigned to `module.exports`.
    pub(crate) is_exports: bool,
    /// The declaration that encloses the variables here.
    pub(crate) declared: DeclarationProperties,
    /// Properties of members here that state none themselves.
    pub(crate) section: Section,
}

/// Properties that members get from their position: after a bare `private`, or inside `class << self`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) visibility: Visibility,
    pub(crate) is_static: bool,
}

/// Properties that one declaration gives all its variables.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeclarationProperties {
    /// The whole statement.
    pub(crate) span: Span,
    /// Whether it declares one variable, which then owns the whole statement.
    pub(crate) is_single: bool,
    pub(crate) is_constant: bool,
    pub(crate) is_exported: bool,
}

impl DeclarationProperties {
    /// Returns the kind of a variable that is no function or class.
    pub(crate) fn kind(self) -> DefinitionKind {
        match self.is_constant {
            true => DefinitionKind::Constant,
            false => DefinitionKind::Variable,
        }
    }
}

/// The scope that statements belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The module or a namespace.
    #[default]
    Module,
    /// A class or interface body.
    Class,
    /// An enum body, or that of a Python class derived from an enum.
    Enum,
    /// A function body: its variables are no definitions.
    Function,
}

/// The role of a name in an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Position {
    /// A value is read.
    #[default]
    Value,
    /// An annotation or type.
    Type,
    /// A base class or implemented interface.
    Base,
}

impl Position {
    /// Returns the kind of a reference here, given its kind where a value is read.
    pub(crate) fn reference(self, value: ReferenceKind) -> ReferenceKind {
        match self {
            Self::Value => value,
            Self::Type => ReferenceKind::Type,
            Self::Base => ReferenceKind::Base,
        }
    }
}
