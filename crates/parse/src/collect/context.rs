//! What the walk knows of where it stands. The default is the top level of a file.

use foveate_model::{LocalId, MessageKind, Span, Visibility};

/// What a place in the tree knows about what surrounds it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// The innermost function, method or class: what references stand in.
    pub(crate) enclosing: Option<LocalId>,
    /// The innermost definition of any kind: what definitions stand in.
    pub(crate) parent: Option<LocalId>,
    /// The type whose members stand here, outside of its own body.
    pub(crate) receiver: Option<Span>,
    /// What statements here belong to.
    pub(crate) place: Place,
    /// What expressions here mean.
    pub(crate) position: Position,
    /// Whose text the string literals here are.
    pub(crate) message: Option<MessageKind>,
    /// The class whose constructor this is, and hence whose fields are assigned here.
    pub(crate) constructs: Option<LocalId>,
    /// Inside the arguments of a call that itself stands in a function.
    pub(crate) in_local_call: bool,
    /// Inside a `catch` block.
    pub(crate) in_catch: bool,
    /// Who may use what is defined here, where a mark above says it for all that follows.
    pub(crate) access: Option<Visibility>,
    /// Declarations here are of what stands elsewhere.
    pub(crate) is_foreign: bool,
    /// Signatures here are members of a named type.
    pub(crate) has_members: bool,
    /// Depth of the members of the class body around.
    pub(crate) members_at: u32,
    /// Directly in the object assigned to `module.exports`.
    pub(crate) is_exports: bool,
    /// The declaration around the variables here.
    pub(crate) declared: Declared,
    /// What members here are that do not say it themselves.
    pub(crate) section: Section,
}

/// What members are by where they stand: after `private` alone, or inside `class << self`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) visibility: Visibility,
    pub(crate) is_static: bool,
}

/// What one declaration says about all its variables.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Declared {
    /// The whole statement.
    pub(crate) span: Span,
    /// Whether it declares one variable, which then owns the whole statement.
    pub(crate) is_single: bool,
    pub(crate) is_constant: bool,
    pub(crate) is_exported: bool,
}

/// What statements belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
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

/// What a name in an expression means.
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
