//! The immutable index of one revision.

use std::sync::Arc;

use foveate_model::{History, SourceFile};

use crate::files::Files;
use crate::graph::Graph;
use crate::lexical::Lexical;
use crate::messages::Messages;
use crate::symbols::Symbols;

/// Which state of a repository a snapshot describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The commit: of the working tree's `HEAD`, or the one asked for. Empty where there is none.
    pub commit: String,
    /// Whether it is a working tree whose files may differ from `commit`.
    pub dirty: bool,
}

/// The index of one revision. It never changes once built.
#[derive(Debug)]
pub struct Snapshot {
    /// What it describes.
    pub revision: Revision,
    /// Counts the snapshots published for a repository.
    pub generation: u64,
    /// Files, definitions and chunks.
    pub files: Files,
    /// Definitions by name.
    pub symbols: Symbols,
    /// Postings over chunks and files.
    pub lexical: Lexical,
    /// Texts of raised errors and log calls.
    pub messages: Messages,
    /// Imports, references, inheritance and tests.
    pub graph: Graph,
    /// Past commits, where they were loaded.
    pub history: Option<Arc<History>>,
}

/// Estimated heap bytes per structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Source text.
    pub text: usize,
    /// Parsed facts.
    pub facts: usize,
    /// The symbol table.
    pub symbols: usize,
    /// The lexical index.
    pub lexical: usize,
    /// The messages.
    pub messages: usize,
    /// The graph.
    pub graph: usize,
}

impl Snapshot {
    /// Indexes `files`. Where `previous` is given, what it holds for unchanged files is used
    /// again; the result is the same as without it.
    ///
    /// # Errors
    /// When the lexical index cannot be written (out of memory).
    pub fn build(
        revision: Revision,
        generation: u64,
        files: Vec<SourceFile>,
        history: Option<Arc<History>>,
        previous: Option<&Snapshot>,
    ) -> Result<Self, crate::lexical::LexicalError> {
        let files = Files::new(files);
        let (lexical, (symbols, messages, graph)) = rayon::join(
            || Lexical::build(&files, history.as_deref(), previous.map(|p| &p.lexical)),
            || {
                let symbols = Symbols::new(&files);
                let messages = Messages::new(&files);
                let graph = Graph::new(&files, &symbols);
                (symbols, messages, graph)
            },
        );
        Ok(Self {
            revision,
            generation,
            lexical: lexical?,
            files,
            symbols,
            messages,
            graph,
            history,
        })
    }

    /// Estimated heap bytes per structure.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory {
            symbols: self.symbols.heap_bytes(),
            lexical: self.lexical.heap_bytes(),
            messages: self.messages.heap_bytes(),
            graph: self.graph.heap_bytes(),
            ..Memory::default()
        };
        for file in self.files.as_slice() {
            if let Some(content) = &file.content {
                memory.text += content.text.len();
                memory.facts += content.facts.heap_bytes();
            }
        }
        memory
    }
}
