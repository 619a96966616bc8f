//! Encodes and decodes segments. A decoded segment describes those files of a snapshot whose path and content
//! are the same as when it was written; its other files are dead.

use std::sync::Arc;

use foveate_model::{Content, ObjectId, RepoPath};
use tantivy::Directory as _;
use tantivy::directory::RamDirectory;

use super::fields::FIELDS;
use super::postings::META;
use super::segment::{Document, Segment, SegmentFile};
use super::{Lexical, LexicalError, LiveSegment};
use crate::files::{FileId, Files};
use crate::stored::bytes::{Decoder, Encoder};

/// Format version of stored segments: their fields and tantivy's own format. Other formats cannot be read.
pub const FORMAT: u16 = 2;

/// Version of the indexing of facts: which terms are indexed, and in which fields.
pub const VERSION: u16 = 3;

/// A segment of a snapshot, to be stored.
#[derive(Debug)]
pub struct StoredSegment<'a> {
    part: &'a LiveSegment,
    files: &'a Files,
}

impl<'a> StoredSegment<'a> {
    /// Returns the segment's unique id.
    pub fn id(&self) -> &'a str {
        &self.part.segment.id
    }

    /// Encodes the segment. `is_stored` returns whether the content of a file is stored unchanged, so that it
    /// will be the same when the segment is read again.
    ///
    /// # Errors
    /// If tantivy's own files cannot be read.
    pub fn encode(&self, is_stored: impl Fn(FileId) -> bool) -> Result<Vec<u8>, LexicalError> {
        let segment = &self.part.segment;
        let mut out = Encoder::default();
        let mut documents = segment.documents.iter().peekable();
        out.number(segment.files.len() as u64);
        for (position, (file, id)) in segment.files.iter().zip(&self.part.files).enumerate() {
            out.text(file.path.as_str());
            let live = id.filter(|id| is_stored(*id));
            out.bytes(live.map_or(&[], |id| self.files.file(id).blob.as_bytes()));
            let mut count = 0_u64;
            while documents
                .next_if(|document| document.file as usize == position)
                .is_some()
            {
                count += 1;
            }
            out.number(count);
        }
        for lengths in &segment.lengths {
            out.list(lengths, |out, length| out.number(*length));
        }
        out.list(&segment.disk_files()?, |out, (name, bytes)| {
            out.text(name);
            out.bytes(bytes);
        });
        Ok(out.into_bytes())
    }
}

impl Lexical {
    /// Returns the segments that hold files of the snapshot.
    pub(crate) fn stored_segments<'a>(
        &'a self,
        files: &'a Files,
    ) -> impl Iterator<Item = StoredSegment<'a>> {
        let held = self.parts.iter().filter(|part| part.live() > 0);
        held.map(move |part| StoredSegment { part, files })
    }
}

/// Decodes the output of [`StoredSegment::encode`] and attaches the contents of `files`. `None` for other
/// bytes, and if none of its files exists any more.
pub fn decode(bytes: &[u8], files: &Files) -> Option<Segment> {
    let mut rest = Decoder::new(bytes);
    let mut documents = Vec::new();
    let mut held = 0_u32;
    let mut is_any_held = false;
    let segment_files = rest.list(|rest| {
        let path = RepoPath::new(rest.text()?).ok()?;
        let blob = rest.bytes()?;
        // Each document has at least one byte for the length of each field.
        let count = rest.number32()?;
        if documents.len() + count as usize > bytes.len() {
            return None;
        }
        let file = files.find(path.as_str()).map(|id| files.file(id));
        let file = file.filter(|file| ObjectId::from_bytes(blob) == Some(file.blob));
        let content = file.and_then(|file| file.content.as_ref());
        let documents_of = |content: &Arc<Content>| content.facts.chunks.len() + 1;
        if content.is_some_and(|content| documents_of(content) != count as usize) {
            return None;
        }
        // The document of the file itself, then those of its chunks.
        for position in 0..count {
            documents.push(Document {
                file: held,
                chunk: position.checked_sub(1).unwrap_or(Document::OF_FILE),
            });
        }
        held += 1;
        is_any_held |= content.is_some();
        Some(SegmentFile {
            path,
            content: content.map(Arc::downgrade).unwrap_or_default(),
        })
    })?;
    if !is_any_held {
        return None;
    }
    let mut lengths: [Vec<u32>; FIELDS] = Default::default();
    for of_field in &mut lengths {
        *of_field = rest.list(Decoder::number32)?;
        if of_field.len() != documents.len() {
            return None;
        }
    }
    let directory = RamDirectory::create();
    rest.list(|rest| {
        let name = rest.text()?;
        directory
            .atomic_write(name.as_ref(), rest.bytes()?)
            .is_ok()
            .then_some(())
    })?;
    if !rest.is_empty() || !directory.exists(META.as_ref()).ok()? {
        return None;
    }
    Segment::open(segment_files, documents, lengths, directory).ok()
}
