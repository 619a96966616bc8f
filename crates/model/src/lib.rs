//! Defines the vocabulary that every other crate shares: ids, paths, spans, languages, roles and the facts
//! that parsing one file yields. It holds plain data with small accessors, and the [escaping](escape) of
//! text for people, and depends on the standard library alone. Start at [`facts`].

pub mod escape;
pub mod facts;
pub mod history;
pub mod id;
pub mod language;
mod named_enum;
pub mod path;
pub mod purpose;
pub mod resolution;
pub mod source;
pub mod span;
pub mod values;

pub use facts::{
    Chunk, ChunkKind, Definition, DefinitionKind, Export, FileFacts, Import, ImportKind,
    ImportedName, LocalId, Message, MessageKind, Modifiers, ParseIssue, Reference, ReferenceKind,
    Region, RegionKind, Visibility,
};
pub use history::{Commit, History, Touched, TouchedFunctions};
pub use id::ObjectId;
pub use language::{Language, LanguageKind, LanguageRules, Role};
pub use path::{PathError, RepoPath};
pub use purpose::{FileKind, Purpose};
pub use resolution::FileId;
pub use source::{Content, SkipReason, SourceFile};
pub use span::{Lines, Span};
pub use values::Values;
