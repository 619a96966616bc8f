//! Encodes and decodes the resolved references of a graph, by far its most expensive part. They are valid for
//! one list of files only ([`table`]); the rest of the graph is computed again.

use std::sync::Arc;

use foveate_model::{LocalId, SourceFile};
use rayon::prelude::*;

use crate::files::{DefId, FileId, Files};
use crate::graph::Graph;
use crate::graph::dependencies::WithDependencies;
use crate::graph::references::{Edge, Edges};
use crate::graph::relations::Confidence;
use crate::stored::bytes::{Decoder, Encoder};
use crate::stored::item::{Coded, codes};

/// Format version of stored references. Other formats cannot be read.
pub const FORMAT: u16 = 1;

/// Version of the resolution of references: the results for given facts.
pub const VERSION: u16 = 15;

/// Number of files per part. After an edit only its part is written again.
const FILES_PER_PART: usize = 64;

/// Returns everything that resolved references depend on besides [`VERSION`], as bytes to be hashed: the list
/// of files and the identity of their contents. Nothing should be stored if one of them may be parsed
/// differently the next time. The order of the files does not matter.
pub fn table(files: &[SourceFile]) -> Vec<u8> {
    let mut files: Vec<&SourceFile> = files.iter().collect();
    files.sort_by_key(|file| &file.path);
    let mut out = Encoder::default();
    out.list(&files, |out, file| {
        out.text(file.path.as_str());
        out.bytes(file.blob.as_bytes());
        out.text(file.language.name());
        out.text(file.role.name());
        out.byte(u8::from(file.content.is_some()));
    });
    out.into_bytes()
}

impl Graph {
    /// Returns the resolved references, to be stored, in parts of `FILES_PER_PART` files each, in order.
    pub fn stored_references(&self) -> Vec<Vec<u8>> {
        let parts = self.edges.par_chunks(FILES_PER_PART);
        parts.map(encode).collect()
    }
}

fn encode(part: &[Arc<WithDependencies<Edges>>]) -> Vec<u8> {
    let mut out = Encoder::default();
    out.list(part, |out, resolved| {
        let mut at = 0;
        out.list(&resolved.value.edges, |out, edge| {
            out.difference(at, edge.reference);
            at = edge.reference;
            out.number(edge.target.file.0);
            out.number(edge.target.local.0);
            out.byte(edge.confidence.code());
        });
        encode_ascending(out, resolved.files.iter().map(|file| file.0));
        encode_ascending(out, resolved.lookups.iter().copied());
    });
    out.into_bytes()
}

/// The resolved references of all files, by file.
pub(crate) struct References(pub(super) Vec<Arc<WithDependencies<Edges>>>);

impl References {
    /// Decodes the output of [`Graph::stored_references`] for the same files; `None` for other bytes.
    pub(crate) fn decode(parts: &[Vec<u8>], files: &Files) -> Option<Self> {
        if parts.len() != files.len().div_ceil(FILES_PER_PART) {
            return None;
        }
        let parts = parts.par_iter().enumerate();
        let parts: Option<Vec<_>> = parts
            .map(|(at, bytes)| {
                let first = at * FILES_PER_PART;
                let part = decode_part(bytes, files, first as u32)?;
                (part.len() == FILES_PER_PART.min(files.len() - first)).then_some(part)
            })
            .collect();
        Some(Self(parts?.into_iter().flatten().collect()))
    }
}

fn decode_part(
    bytes: &[u8],
    files: &Files,
    first: u32,
) -> Option<Vec<Arc<WithDependencies<Edges>>>> {
    let nothing: Arc<WithDependencies<Edges>> = Arc::default();
    let mut rest = Decoder::new(bytes);
    let mut ids = (first..).map(FileId);
    let part = rest.list(|rest| {
        let file = ids.next()?;
        let mut at = 0;
        let edges = rest.list(|rest| {
            at = rest.difference(at)?;
            decode_edge(rest, files, at)
        })?;
        let dependencies = decode_ascending(rest)?;
        if dependencies
            .last()
            .is_some_and(|last| *last as usize >= files.len())
        {
            return None;
        }
        let resolved = WithDependencies {
            value: Edges::from_stored(files, file, edges)?,
            files: dependencies.into_iter().map(FileId).collect(),
            lookups: decode_ascending(rest)?.into(),
        };
        Some(if resolved.is_empty() {
            Arc::clone(&nothing)
        } else {
            Arc::new(resolved)
        })
    })?;
    rest.is_empty().then_some(part)
}

fn decode_edge(rest: &mut Decoder<'_>, files: &Files, reference: u32) -> Option<Edge> {
    let target = DefId {
        file: FileId(rest.number32()?),
        local: LocalId(rest.number32()?),
    };
    let confidence = Confidence::of(rest.byte()?)?;
    files.has(target).then_some(Edge {
        reference,
        target,
        confidence,
    })
}

codes!(Confidence {
    NameOnly = 0,
    Likely = 1,
    Certain = 2,
});

/// Writes strictly ascending numbers.
fn encode_ascending(out: &mut Encoder, numbers: impl ExactSizeIterator<Item = u32>) {
    out.number(numbers.len() as u64);
    let mut next = 0;
    for number in numbers {
        out.number(number - next);
        next = number.saturating_add(1);
    }
}

fn decode_ascending(rest: &mut Decoder<'_>) -> Option<Vec<u32>> {
    let mut next = 0_u32;
    rest.list(|rest| {
        let number = next.checked_add(rest.number32()?)?;
        next = number.saturating_add(1);
        Some(number)
    })
}
