//! The posting lists of a segment while it is made: in which documents a term stands, field by field,
//! and how often. Terms are numbers until the end, so that a text's identifiers are hashed once and its
//! terms not at all; tantivy's writer of documents, which is given each term as a text, takes half as
//! long again. What comes out is tantivy's format, written by its serializer.

use tantivy::columnar::ColumnarWriter;
use tantivy::directory::{RamDirectory, TerminatingWrite as _};
use tantivy::fieldnorm::FieldNormsSerializer;
use tantivy::index::SegmentComponent;
use tantivy::postings::{FieldSerializer, InvertedIndexSerializer};
use tantivy::schema::{
    Field as TantivyField, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Directory as _, Index, IndexMeta, IndexSettings, Segment};

use super::fields::{DocumentTerms, FIELDS, Field};
use crate::stored::bytes::{Decoder, Encoder};

/// The file of tantivy's that names the others.
pub const META: &str = "meta.json";

/// Posting lists being written.
#[derive(Debug, Default)]
pub struct Postings {
    fields: [FieldPostings; FIELDS],
    documents: u32,
    /// How often each term stands in the field at hand; all are zero between two fields.
    frequencies: Vec<u32>,
    /// The terms of the field at hand.
    seen: Vec<u32>,
}

#[derive(Debug, Default)]
struct FieldPostings {
    /// By term its place in `lists`, and one more; 0 for one that the field does not have.
    places: Vec<u32>,
    lists: Vec<List>,
    /// How many terms all documents have.
    terms: u64,
}

/// Where one term stands in one field.
#[derive(Debug, Default)]
struct List {
    /// Per document the difference to the one before, and how often where that is not once.
    bytes: Encoder,
    documents: u32,
    last: u32,
}

impl Postings {
    /// Adds the next document.
    pub fn add(&mut self, terms: &DocumentTerms<'_>) {
        for (field, terms) in self.fields.iter_mut().zip(terms.numbers()) {
            for term in terms {
                let at = *term as usize;
                if at >= self.frequencies.len() {
                    self.frequencies.resize(at + 1, 0);
                }
                if self.frequencies[at] == 0 {
                    self.seen.push(*term);
                }
                self.frequencies[at] += 1;
            }
            field.terms += terms.len() as u64;
            for term in self.seen.drain(..) {
                let frequency = std::mem::take(&mut self.frequencies[term as usize]);
                field.list(term).push(self.documents, frequency);
            }
        }
        self.documents += 1;
    }

    /// Writes the lists to `directory`, which is empty, as an index of one segment. `terms` are
    /// those of the numbers, sorted.
    ///
    /// # Errors
    /// When tantivy cannot write them.
    pub fn write(&self, terms: &[(&str, u32)], directory: &RamDirectory) -> tantivy::Result<()> {
        let (schema, fields) = schema();
        let index = Index::create(directory.clone(), schema, IndexSettings::default())?;
        let segment = index.new_segment().with_max_doc(self.documents);
        let mut serializer = InvertedIndexSerializer::open(&segment)?;
        for (number, field) in fields.into_iter().zip(&self.fields) {
            if !field.lists.is_empty() {
                field.write(serializer.new_field(number, field.terms, None)?, terms)?;
            }
        }
        serializer.close()?;
        write_rest(&segment)?;
        let meta = IndexMeta {
            segments: vec![segment.meta().clone()],
            ..index.load_metas()?
        };
        let meta = serde_json::to_vec(&meta).map_err(std::io::Error::from)?;
        directory.atomic_write(META.as_ref(), &meta)?;
        Ok(())
    }
}

/// The parts that a reader wants to find and that nothing here is in: stored documents, field norms
/// and columns.
fn write_rest(segment: &Segment) -> tantivy::Result<()> {
    segment.open_write(SegmentComponent::Store)?.terminate()?;
    FieldNormsSerializer::from_write(segment.open_write(SegmentComponent::FieldNorms)?)?.close()?;
    let mut columns = segment.open_write(SegmentComponent::FastFields)?;
    ColumnarWriter::default().serialize(segment.meta().max_doc(), None, &mut columns)?;
    columns.terminate()?;
    Ok(())
}

/// How tantivy is told about the fields, and what it calls them.
fn schema() -> (Schema, [TantivyField; FIELDS]) {
    let mut schema = Schema::builder();
    let options = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(false),
    );
    let fields = Field::ALL.map(|field| schema.add_text_field(field.name(), options.clone()));
    (schema.build(), fields)
}

impl FieldPostings {
    fn list(&mut self, term: u32) -> &mut List {
        let at = term as usize;
        if at >= self.places.len() {
            self.places.resize(at + 1, 0);
        }
        if self.places[at] == 0 {
            self.lists.push(List::default());
            self.places[at] = self.lists.len() as u32;
        }
        &mut self.lists[self.places[at] as usize - 1]
    }

    fn write(
        &self,
        mut serializer: FieldSerializer<'_>,
        terms: &[(&str, u32)],
    ) -> std::io::Result<()> {
        for (term, number) in terms {
            let place = self.places.get(*number as usize).copied().unwrap_or(0);
            if let Some(list) = self.lists.get((place as usize).wrapping_sub(1)) {
                serializer.new_term(term.as_bytes(), list.documents, true)?;
                list.for_each(|document, frequency| {
                    serializer.write_doc(document, frequency, &[]);
                });
                serializer.close_term()?;
            }
        }
        serializer.close()
    }
}

impl List {
    fn push(&mut self, document: u32, frequency: u32) {
        let difference = u64::from(document - self.last);
        self.bytes
            .number(difference << 1 | u64::from(frequency > 1));
        if frequency > 1 {
            self.bytes.number(frequency);
        }
        self.last = document;
        self.documents += 1;
    }

    fn for_each(&self, mut visit: impl FnMut(u32, u32)) {
        let mut rest = Decoder::new(self.bytes.as_bytes());
        let mut document = 0;
        while let Some(head) = rest.number() {
            document += (head >> 1) as u32;
            let frequency = if head & 1 == 1 { rest.number32() } else { None };
            visit(document, frequency.unwrap_or(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use tantivy::{SegmentReader, Term};

    use super::*;

    /// Where a term stands in a field: documents and how often.
    fn read(reader: &SegmentReader, field: Field, term: &str) -> Vec<(u32, u32)> {
        let number = reader.schema().get_field(field.name()).unwrap();
        let inverted = reader.inverted_index(number).unwrap();
        let term = Term::from_field_text(number, term);
        let with_frequencies = IndexRecordOption::WithFreqs;
        let block = inverted.read_block_postings(&term, with_frequencies);
        let mut found = Vec::new();
        if let Some(mut block) = block.unwrap() {
            while !block.docs().is_empty() {
                let pairs = block.docs().iter().zip(block.freqs());
                found.extend(pairs.map(|(document, frequency)| (*document, *frequency)));
                block.advance();
            }
        }
        found
    }

    #[test]
    fn tantivy_reads_what_was_added() {
        const DOCUMENTS: u32 = 1_000;
        let often = "pool ".repeat(300);
        let mut terms = DocumentTerms::default();
        let mut postings = Postings::default();
        for document in 0..DOCUMENTS {
            terms.clear();
            match document {
                0 => terms.add(Field::Name, "pool"),
                998 => terms.add(Field::Code, "größe rare"),
                999 => terms.add(Field::Code, &often),
                even if even % 2 == 0 => terms.add(Field::Code, "even pool even"),
                _ => {}
            }
            postings.add(&terms);
        }
        let directory = RamDirectory::create();
        let sorted = terms.vocabulary().sorted();
        postings.write(&sorted, &directory).unwrap();
        let index = Index::open(directory).unwrap();
        let segments = index.searchable_segments().unwrap();
        let [segment] = segments.as_slice() else {
            panic!("{} segments", segments.len());
        };
        let reader = SegmentReader::open(segment).unwrap();
        assert_eq!(reader.max_doc(), DOCUMENTS);
        let even = || (2..998).step_by(2);
        let read = |field, term| read(&reader, field, term);
        assert_eq!(read(Field::Name, "pool"), [(0, 1)]);
        assert_eq!(read(Field::Code, "größe"), [(998, 1)]);
        assert_eq!(
            read(Field::Code, "even"),
            even().map(|d| (d, 2)).collect::<Vec<_>>()
        );
        let pool = even().map(|d| (d, 1)).chain([(999, 300)]);
        assert_eq!(read(Field::Code, "pool"), pool.collect::<Vec<_>>());
        assert!(read(Field::Name, "even").is_empty() && read(Field::Path, "pool").is_empty());
    }
}
