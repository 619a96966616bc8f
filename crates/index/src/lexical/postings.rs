//! Builds the posting lists of a segment: documents, fields and frequencies of each term. Terms are numbers
//! until the end, so that a text's identifiers are hashed once and its terms not at all; tantivy's own
//! document writer, which is given each term as a text, takes half as long again. The result is in tantivy's
//! format, written by its serializer.

use tantivy::columnar::ColumnarWriter;
use tantivy::directory::{RamDirectory, TerminatingWrite as _};
use tantivy::fieldnorm::FieldNormsSerializer;
use tantivy::index::SegmentComponent;
use tantivy::postings::{FieldSerializer, InvertedIndexSerializer};
use tantivy::schema::{
    Field as TantivyField, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Directory as _, Index, IndexMeta, IndexSettings, Segment};

use super::fields::{DocumentTerms, FIELDS};
use crate::stored::bytes::{Decoder, Encoder};

/// Name of tantivy's file that lists its other files.
pub const META: &str = "meta.json";

/// Name of tantivy's only field.
pub const TERMS: &str = "terms";

/// Posting lists being written. Tantivy has only one field, and a tantivy document is one field of one
/// document here, so that each term is in one dictionary and its list is in reading order.
#[derive(Debug, Default)]
pub struct Postings {
    /// Posting list of each term, by number.
    lists: Vec<List>,
    documents: u32,
    /// Number of terms in all documents.
    terms: u64,
    /// By term, its frequency in the current field; all are zero between two fields.
    frequencies: Vec<u32>,
    /// The distinct terms of the current field.
    field_terms: Vec<u32>,
}

/// The slots and frequencies of one term.
#[derive(Debug, Default)]
struct List {
    /// By slot, the difference from the previous slot, and the frequency if it is not 1.
    bytes: Encoder,
    slots: u32,
    last: u32,
}

/// Returns tantivy's document number for a field of a document.
pub fn slot(document: u32, field: usize) -> u32 {
    document * FIELDS as u32 + field as u32
}

/// Returns the document and the field of a number that [`slot`] returned.
pub fn document_and_field(slot: u32) -> (u32, usize) {
    (slot / FIELDS as u32, slot as usize % FIELDS)
}

impl Postings {
    /// Adds the next document.
    pub fn add(&mut self, terms: &DocumentTerms<'_>) {
        for (field, terms) in terms.numbers.iter().enumerate() {
            self.terms += terms.len() as u64;
            for term in terms {
                self.count(*term);
            }
            for term in self.field_terms.drain(..) {
                let frequency = std::mem::take(&mut self.frequencies[term as usize]);
                self.lists[term as usize].push(slot(self.documents, field), frequency);
            }
        }
        self.documents += 1;
    }

    fn count(&mut self, term: u32) {
        let at = term as usize;
        if at >= self.lists.len() {
            self.lists.resize_with(at + 1, List::default);
            self.frequencies.resize(at + 1, 0);
        }
        if self.frequencies[at] == 0 {
            self.field_terms.push(term);
        }
        self.frequencies[at] += 1;
    }

    /// Writes the lists to `directory`, which is empty, as an index of one segment. `terms` are all terms
    /// with their numbers, sorted.
    ///
    /// # Errors
    /// If tantivy cannot write them.
    pub fn write(&self, terms: &[(&str, u32)], directory: &RamDirectory) -> tantivy::Result<()> {
        let (schema, field) = schema();
        let index = Index::create(directory.clone(), schema, IndexSettings::default())?;
        let slots = slot(self.documents, 0);
        let segment = index.new_segment().with_max_doc(slots);
        let mut serializer = InvertedIndexSerializer::open(&segment)?;
        self.write_lists(serializer.new_field(field, self.terms, None)?, terms)?;
        serializer.close()?;
        write_empty_components(&segment)?;
        let meta = IndexMeta {
            segments: vec![segment.meta().clone()],
            ..index.load_metas()?
        };
        let meta = serde_json::to_vec(&meta).map_err(std::io::Error::from)?;
        directory.atomic_write(META.as_ref(), &meta)?;
        Ok(())
    }

    fn write_lists(
        &self,
        mut serializer: FieldSerializer<'_>,
        terms: &[(&str, u32)],
    ) -> std::io::Result<()> {
        for (term, number) in terms {
            // A numbered term may occur in none of the added documents.
            let list = self.lists.get(*number as usize);
            if let Some(list) = list.filter(|list| list.slots > 0) {
                serializer.new_term(term.as_bytes(), list.slots, true)?;
                list.for_each(|slot, frequency| serializer.write_doc(slot, frequency, &[]));
                serializer.close_term()?;
            }
        }
        serializer.close()
    }
}

/// Writes the empty parts that tantivy's reader requires: stored documents, field norms and columns.
fn write_empty_components(segment: &Segment) -> tantivy::Result<()> {
    segment.open_write(SegmentComponent::Store)?.terminate()?;
    FieldNormsSerializer::from_write(segment.open_write(SegmentComponent::FieldNorms)?)?.close()?;
    let mut columns = segment.open_write(SegmentComponent::FastFields)?;
    ColumnarWriter::default().serialize(segment.meta().max_doc(), None, &mut columns)?;
    columns.terminate()?;
    Ok(())
}

/// Returns tantivy's schema and its field.
fn schema() -> (Schema, TantivyField) {
    let mut schema = Schema::builder();
    let options = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(false),
    );
    let field = schema.add_text_field(TERMS, options);
    (schema.build(), field)
}

impl List {
    fn push(&mut self, slot: u32, frequency: u32) {
        let difference = u64::from(slot - self.last);
        self.bytes
            .number(difference << 1 | u64::from(frequency > 1));
        if frequency > 1 {
            self.bytes.number(frequency);
        }
        self.last = slot;
        self.slots += 1;
    }

    fn for_each(&self, mut visit: impl FnMut(u32, u32)) {
        let mut rest = Decoder::new(self.bytes.as_bytes());
        let mut slot = 0;
        while let Some(head) = rest.number() {
            slot += (head >> 1) as u32;
            let frequency = if head & 1 == 1 { rest.number32() } else { None };
            visit(slot, frequency.unwrap_or(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use tantivy::{SegmentReader, Term};

    use super::super::fields::Field;
    use super::*;

    /// Returns the documents, fields and frequencies of a term.
    fn read(reader: &SegmentReader, term: &str) -> Vec<(u32, Field, u32)> {
        let number = reader.schema().get_field(TERMS).unwrap();
        let inverted = reader.inverted_index(number).unwrap();
        let term = Term::from_field_text(number, term);
        let block = inverted.read_block_postings(&term, IndexRecordOption::WithFreqs);
        let mut found = Vec::new();
        if let Some(mut block) = block.unwrap() {
            while !block.docs().is_empty() {
                for (slot, frequency) in block.docs().iter().zip(block.freqs()) {
                    let (document, field) = document_and_field(*slot);
                    found.push((document, Field::ALL[field], *frequency));
                }
                block.advance();
            }
        }
        found
    }

    #[test]
    fn tantivy_reads_added_postings() {
        const DOCUMENTS: u32 = 1_000;
        let often = "pool ".repeat(300);
        let mut terms = DocumentTerms::default();
        let mut postings = Postings::default();
        for document in 0..DOCUMENTS {
            terms.clear();
            match document {
                0 => terms.add(Field::Name, "pool"),
                998 => terms.add(Field::Code, "größe rare"),
                999 => {
                    terms.add(Field::Code, &often);
                    terms.add(Field::Path, "pool");
                }
                even if even % 2 == 0 => terms.add(Field::Code, "even pool even"),
                _ => {}
            }
            postings.add(&terms);
        }
        let directory = RamDirectory::create();
        let sorted = terms.vocabulary.sorted();
        postings.write(&sorted, &directory).unwrap();
        let index = Index::open(directory).unwrap();
        let segments = index.searchable_segments().unwrap();
        let [segment] = segments.as_slice() else {
            panic!("{} segments", segments.len());
        };
        let reader = SegmentReader::open(segment).unwrap();
        assert_eq!(read(&reader, "größe"), [(998, Field::Code, 1)]);
        assert!(read(&reader, "absent").is_empty());
        let evens = || (2..998).step_by(2);
        let even = evens().map(|document| (document, Field::Code, 2));
        assert_eq!(read(&reader, "even"), even.collect::<Vec<_>>());
        let last = [(999, Field::Path, 1), (999, Field::Code, 300)];
        let pool = evens().map(|document| (document, Field::Code, 1));
        let pool = [(0, Field::Name, 1)].into_iter().chain(pool).chain(last);
        assert_eq!(read(&reader, "pool"), pool.collect::<Vec<_>>());
    }
}
