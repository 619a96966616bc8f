//! Implements an immutable tantivy index of some files: one document per file (its path) and one per chunk.
//! Segments are shared between the snapshots of a repository; each snapshot decides which of a segment's
//! files are part of it.

use std::sync::{Arc, Weak};

use foveate_model::{Content, RepoPath};
use tantivy::directory::RamDirectory;
use tantivy::error::DataCorruption;
use tantivy::schema::{Field as TantivyField, IndexRecordOption};
use tantivy::{Directory as _, Index, InvertedIndexReader, SegmentReader, Term};

use super::LexicalError;
use super::fields::{DocumentTerms, FIELDS, Field, Lengths};
use super::impacts::{Impacts, Posting, Scoring};
use super::postings::{META, Postings, TERMS, document_and_field, slot};
use super::term_cache::TermCache;

/// Maximum size of the cached impacts in bytes per document.
const CACHE_BYTES_PER_DOCUMENT: usize = 800;

/// A file of a segment.
#[derive(Clone, Debug)]
pub struct SegmentFile {
    /// Its path; the path's terms are part of the index.
    pub path: RepoPath,
    /// Its content, as long as a snapshot holds it. A segment lives on as long as half of its files do, and
    /// must not keep the content of the others alive.
    pub content: Weak<Content>,
}

/// The file and chunk of a document.
#[derive(Clone, Copy, Debug)]
pub struct Document {
    /// Position in [`Segment::files`].
    pub file: u32,
    /// Position of the chunk in its file, or [`Document::OF_FILE`].
    pub chunk: u32,
}

impl Document {
    /// Value of `chunk` in the document of the file itself.
    pub const OF_FILE: u32 = u32::MAX;
}

/// One immutable index over some files.
pub struct Segment {
    /// Unique id.
    pub id: String,
    /// The files, in path order.
    pub files: Vec<SegmentFile>,
    /// The documents, in file and chunk order.
    pub documents: Vec<Document>,
    /// Number of terms per field and document.
    pub lengths: [Vec<u32>; FIELDS],
    /// Number of terms per field, by file.
    pub file_lengths: Vec<Lengths>,
    field: TantivyField,
    reader: Arc<InvertedIndexReader>,
    impacts: TermCache<Impacts>,
    /// Tantivy's own files.
    directory: RamDirectory,
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

impl Segment {
    /// Indexes `files`, which must be in path order.
    ///
    /// # Errors
    /// If tantivy cannot write the segment.
    pub fn build(files: &[(RepoPath, Arc<Content>)]) -> Result<Self, LexicalError> {
        let mut documents = Vec::new();
        let mut lengths: [Vec<u32>; FIELDS] = Default::default();
        let mut terms = DocumentTerms::default();
        let mut postings = Postings::default();
        for (position, (path, content)) in files.iter().enumerate() {
            terms.clear();
            terms.add(Field::Path, path.as_str());
            let mut add = |terms: &DocumentTerms<'_>, chunk| {
                postings.add(terms);
                documents.push(Document {
                    file: position as u32,
                    chunk,
                });
                for (all, own) in lengths.iter_mut().zip(terms.lengths()) {
                    all.push(own);
                }
            };
            add(&terms, Document::OF_FILE);
            for (number, chunk) in content.facts.chunks.iter().enumerate() {
                terms.clear();
                terms.add_chunk(content, chunk);
                add(&terms, number as u32);
            }
        }
        let directory = RamDirectory::create();
        postings.write(&terms.vocabulary.sorted(), &directory)?;
        let held = files.iter().map(|(path, content)| SegmentFile {
            path: path.clone(),
            content: Arc::downgrade(content),
        });
        Self::open(held.collect(), documents, lengths, directory)
    }

    /// Opens the segment whose tantivy files are in `directory`.
    ///
    /// # Errors
    /// If tantivy cannot read them.
    pub fn open(
        files: Vec<SegmentFile>,
        documents: Vec<Document>,
        lengths: [Vec<u32>; FIELDS],
        directory: RamDirectory,
    ) -> Result<Self, LexicalError> {
        let index = Index::open(directory.clone())?;
        let segment = index.searchable_segments()?.pop();
        let slots = slot(documents.len() as u32, 0);
        let segment = segment.filter(|segment| segment.meta().max_doc() == slots);
        let segment = segment.ok_or_else(|| {
            let problem = "no segment with these documents";
            tantivy::TantivyError::DataCorruption(DataCorruption::comment_only(problem))
        })?;
        let field = index.schema().get_field(TERMS)?;
        let reader = SegmentReader::open(&segment)?.inverted_index(field)?;
        let mut file_lengths: Vec<Lengths> = vec![[0; FIELDS]; files.len()];
        for (field, lengths) in lengths.iter().enumerate() {
            for (document, own) in documents.iter().zip(lengths) {
                let length = &mut file_lengths[document.file as usize][field];
                *length = length.saturating_add(*own);
            }
        }
        Ok(Self {
            id: segment.id().uuid_string(),
            files,
            bytes: directory.total_mem_usage()
                + documents.len() * (size_of::<Document>() + size_of::<Lengths>())
                + file_lengths.len() * size_of::<Lengths>(),
            impacts: TermCache::new(documents.len() * CACHE_BYTES_PER_DOCUMENT),
            documents,
            lengths,
            file_lengths,
            field,
            reader,
            directory,
        })
    }

    /// Returns tantivy's own files, by name.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn disk_files(&self) -> Result<Vec<(String, Vec<u8>)>, LexicalError> {
        let index = Index::open(self.directory.clone())?;
        let mut names: Vec<_> = index
            .load_metas()?
            .list_segment_files()
            .into_iter()
            .collect();
        names.push(META.into());
        names.sort();
        let mut files = Vec::with_capacity(names.len());
        for name in names {
            // Not every kind of file exists.
            if let Ok(file) = self.directory.open_read(&name) {
                let bytes = file.read_bytes().map_err(tantivy::TantivyError::from)?;
                files.push((name.display().to_string(), bytes.as_slice().to_vec()));
            }
        }
        Ok(files)
    }

    /// Returns the impacts of `term` on the segment's documents; `None` if the segment does not contain it.
    ///
    /// # Errors
    /// If the postings cannot be read.
    pub fn impacts(
        &self,
        term: &str,
        scoring: &Scoring,
    ) -> Result<Option<Arc<Impacts>>, LexicalError> {
        self.impacts.get(scoring.id, term, || {
            let postings = self.postings(term)?;
            let file_of = |number: u32| {
                let document = self.documents[number as usize];
                (document.file, document.chunk != Document::OF_FILE)
            };
            let impacts = scoring.impacts(&postings, file_of, &self.file_lengths);
            let bytes = impacts.heap_bytes() + size_of::<Impacts>();
            Ok((!impacts.is_empty()).then(|| (Arc::new(impacts), bytes)))
        })
    }

    /// Returns the postings of `term`, by document and field.
    fn postings(&self, term: &str) -> Result<Vec<Posting>, LexicalError> {
        let mut out = Vec::new();
        self.read(term, |document, field, frequency| {
            out.push(Posting {
                document,
                field,
                frequency,
                length: self.lengths[field][document as usize],
            });
        })?;
        Ok(out)
    }

    /// Calls `visit` with every document and field that contain `term`, in order, and its frequency there.
    ///
    /// # Errors
    /// If the postings cannot be read.
    pub fn read(
        &self,
        term: &str,
        mut visit: impl FnMut(u32, usize, u32),
    ) -> Result<(), LexicalError> {
        let term = Term::from_field_text(self.field, term);
        let postings = self
            .reader
            .read_block_postings(&term, IndexRecordOption::WithFreqs)
            .map_err(tantivy::TantivyError::from)?;
        if let Some(mut block) = postings {
            // Whole blocks are read: a cursor over single documents costs half as much again.
            while !block.docs().is_empty() {
                for (slot, frequency) in block.docs().iter().zip(block.freqs()) {
                    let (document, field) = document_and_field(*slot);
                    visit(document, field, *frequency);
                }
                block.advance();
            }
        }
        Ok(())
    }

    /// Returns the heap size in bytes, without the shared contents and [`Self::cache_bytes`].
    pub fn heap_bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the heap size in bytes of the cached impacts.
    pub fn cache_bytes(&self) -> usize {
        self.impacts.heap_bytes()
    }
}
