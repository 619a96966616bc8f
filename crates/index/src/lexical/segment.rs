//! An immutable tantivy index of some files: one document per file (its path) and one per chunk.
//! Segments are shared between the snapshots of a repository; which of their files are part of a
//! snapshot is the snapshot's affair.

use std::sync::Arc;

use foveate_model::{Content, RepoPath};
use tantivy::directory::RamDirectory;
use tantivy::schema::{
    Field as TantivyField, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager, WhitespaceTokenizer};
use tantivy::{InvertedIndexReader, SegmentReader, TantivyDocument, Term};

use super::LexicalError;
use super::fields::{DocumentTerms, FIELDS, Field, Lengths};
use super::postings::{Decoded, Posting};

/// A file as a segment knows it.
#[derive(Clone, Debug)]
pub struct SegmentFile {
    /// Where it is: its terms are part of the index.
    pub path: RepoPath,
    /// What it holds.
    pub content: Arc<Content>,
}

/// Where a document of a segment belongs.
#[derive(Clone, Copy, Debug)]
pub struct Document {
    /// Position in [`Segment::files`].
    pub file: u32,
    /// Position of the chunk in its file, or [`Document::OF_FILE`].
    pub chunk: u32,
}

impl Document {
    /// Stands for a chunk in the document of the file itself.
    pub const OF_FILE: u32 = u32::MAX;
}

/// One immutable index over some files.
pub struct Segment {
    /// The files, in path order.
    pub files: Vec<SegmentFile>,
    /// The documents, in file and chunk order.
    pub documents: Vec<Document>,
    /// Terms per field and document.
    lengths: [Vec<u32>; FIELDS],
    readers: [(TantivyField, Arc<InvertedIndexReader>); FIELDS],
    decoded: Decoded,
    bytes: usize,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("files", &self.files.len())
            .field("documents", &self.documents.len())
            .finish_non_exhaustive()
    }
}

/// Terms come to tantivy separated by spaces: they were split and stemmed before.
const SPLIT_ALREADY: &str = "split_already";

/// Arena of one segment writer. Tantivy flushes nothing from a single-segment writer, so this is
/// only a first size.
const WRITER_BYTES: usize = 32 << 20;

impl Segment {
    /// Indexes `files`, which must be in path order.
    ///
    /// # Errors
    /// When tantivy cannot write the segment.
    pub fn build(files: Vec<SegmentFile>) -> Result<Self, LexicalError> {
        let mut schema = Schema::builder();
        let options = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(SPLIT_ALREADY)
                .set_index_option(IndexRecordOption::WithFreqs)
                .set_fieldnorms(false),
        );
        let fields = Field::ALL.map(|field| schema.add_text_field(field.name(), options.clone()));
        let tokenizers = TokenizerManager::new();
        tokenizers.register(
            SPLIT_ALREADY,
            TextAnalyzer::from(WhitespaceTokenizer::default()),
        );
        let directory = RamDirectory::create();
        let mut writer = tantivy::Index::builder()
            .schema(schema.build())
            .tokenizers(tokenizers)
            .single_segment_index_writer::<TantivyDocument>(directory.clone(), WRITER_BYTES)?;
        let mut documents = Vec::new();
        let mut lengths: [Vec<u32>; FIELDS] = Default::default();
        let mut terms = DocumentTerms::default();
        for (position, file) in files.iter().enumerate() {
            terms.clear();
            terms.add(Field::Path, file.path.as_str());
            let chunks = &file.content.facts.chunks;
            let mut add = |terms: &DocumentTerms, chunk| {
                documents.push(Document {
                    file: position as u32,
                    chunk,
                });
                for (all, own) in lengths.iter_mut().zip(terms.lengths) {
                    all.push(own);
                }
                writer.add_document(document(&fields, terms))
            };
            add(&terms, Document::OF_FILE)?;
            for (number, chunk) in chunks.iter().enumerate() {
                terms.clear();
                terms.chunk(&file.content, chunk);
                add(&terms, number as u32)?;
            }
        }
        let index = writer.finalize()?;
        let mut readers = Vec::with_capacity(FIELDS);
        let segments = index.searchable_segments()?;
        let reader = match segments.first() {
            Some(segment) => Some(SegmentReader::open(segment)?),
            None => None,
        };
        for field in fields {
            let inverted = match &reader {
                Some(reader) => reader.inverted_index(field)?,
                None => Arc::new(InvertedIndexReader::empty(IndexRecordOption::WithFreqs)),
            };
            readers.push((field, inverted));
        }
        let readers = match readers.try_into() {
            Ok(readers) => readers,
            Err(_) => unreachable!("one reader is made per field"),
        };
        Ok(Self {
            files,
            bytes: directory.total_mem_usage()
                + documents.len() * (size_of::<Document>() + size_of::<Lengths>()),
            documents,
            lengths,
            readers,
            decoded: Decoded::default(),
        })
    }

    /// Terms in a field, by document.
    pub fn lengths(&self, field: Field) -> &[u32] {
        &self.lengths[field as usize]
    }

    /// Where `term` stands, by document and field; nothing where the segment does not have it.
    ///
    /// # Errors
    /// When the postings cannot be read.
    pub fn postings(&self, term: &str) -> Result<Option<Arc<[Posting]>>, LexicalError> {
        self.decoded.get(term, || self.decode(term))
    }

    /// Field by field, each in document order.
    fn decode(&self, term: &str) -> Result<Vec<Posting>, LexicalError> {
        let mut out = Vec::new();
        for (field, (number, reader)) in self.readers.iter().enumerate() {
            let lengths = &self.lengths[field];
            let postings = reader
                .read_block_postings(
                    &Term::from_field_text(*number, term),
                    IndexRecordOption::WithFreqs,
                )
                .map_err(tantivy::TantivyError::from)?;
            let Some(mut block) = postings else { continue };
            // Block by block: a cursor over single documents costs half as much again.
            while !block.docs().is_empty() {
                let found = block.docs().iter().zip(block.freqs());
                out.extend(found.map(|(document, frequency)| {
                    Posting::new(*document, field, *frequency, lengths[*document as usize])
                }));
                block.advance();
            }
        }
        Ok(out)
    }

    /// Heap size in bytes, the shared contents left out.
    pub fn heap_bytes(&self) -> usize {
        self.bytes + self.decoded.heap_bytes()
    }
}

fn document(fields: &[TantivyField; FIELDS], terms: &DocumentTerms) -> TantivyDocument {
    let mut document = TantivyDocument::new();
    for (field, text) in fields.iter().zip(&terms.terms) {
        if !text.is_empty() {
            document.add_text(*field, text);
        }
    }
    document
}
