//! Turns facts into an immutable snapshot of one revision: the file and definition tables, the symbol table,
//! the lexical index and the graph. It never parses, and never changes what it has published. Start at
//! [`Snapshot`].

mod change;
pub mod citations;
pub mod files;
pub mod graph;
mod id;
pub mod lexical;
pub mod messages;
mod sharded_map;
pub mod snapshot;
pub mod stored;
pub mod symbols;
pub mod tokens;
pub mod top_k;

pub use files::{ChunkId, DefId, FileId, Files};
pub use graph::{Confidence, Graph};
pub use messages::Messages;
pub use snapshot::{Revision, Snapshot, StoredIndex};
pub use symbols::Symbols;
