//! Posting lists as scoring reads them: the fields of one document side by side, with their lengths.
//! They are decoded from tantivy when a term is first asked for and kept: terms repeat from query to
//! query, and decoding eight fields costs several times what scoring them costs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;

use super::fields::FIELDS;

/// One term in one field of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The document's number in its segment.
    pub document: u32,
    /// Terms in that field of the document, at most 65,535.
    pub length: u16,
    /// The field in the upper three bits, the frequency in the others.
    packed: u16,
}

const FREQUENCY_BITS: u32 = 13;
const MOST_FREQUENT: u32 = (1 << FREQUENCY_BITS) - 1;
const _: () = assert!(FIELDS <= 1 << (u16::BITS - FREQUENCY_BITS));

impl Posting {
    /// A frequency above 8,191 counts as 8,191: BM25 is saturated long before.
    pub fn new(document: u32, field: usize, frequency: u32, length: u32) -> Self {
        let packed = (field as u32) << FREQUENCY_BITS | frequency.min(MOST_FREQUENT);
        Self {
            document,
            length: length.min(u32::from(u16::MAX)) as u16,
            packed: packed as u16,
        }
    }

    /// The number of the field.
    pub fn field(self) -> usize {
        usize::from(self.packed >> FREQUENCY_BITS)
    }

    /// How often the term stands in the field.
    pub fn frequency(self) -> u32 {
        u32::from(self.packed) & MOST_FREQUENT
    }
}

/// The decoded lists of a segment by term. Only terms that the segment has are kept, so that it
/// never holds more than the segment's own postings at eight bytes each.
#[derive(Debug, Default)]
pub struct Decoded {
    lists: DashMap<Box<str>, Arc<[Posting]>, foldhash::fast::RandomState>,
    bytes: AtomicUsize,
}

impl Decoded {
    /// The list of `term`, by document and field; `decode` makes it the first time.
    pub fn get<E>(
        &self,
        term: &str,
        decode: impl FnOnce() -> Result<Vec<Posting>, E>,
    ) -> Result<Option<Arc<[Posting]>>, E> {
        if let Some(list) = self.lists.get(term) {
            return Ok(Some(list.clone()));
        }
        let mut list = decode()?;
        if list.is_empty() {
            return Ok(None);
        }
        // Fields come one after another, each in document order; the sort keeps the field order.
        list.sort_by_key(|posting| posting.document);
        let list: Arc<[Posting]> = list.into();
        if self.lists.insert(term.into(), list.clone()).is_none() {
            let bytes = size_of_val(&*list) + term.len() + 64;
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(Some(list))
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_read_back() {
        let posting = Posting::new(7, FIELDS - 1, 9_000, 70_000);
        assert_eq!(posting.field(), FIELDS - 1);
        assert_eq!(posting.frequency(), 8_191);
        assert_eq!(posting.length, u16::MAX);
        let posting = Posting::new(7, 0, 3, 12);
        assert_eq!(
            (posting.field(), posting.frequency(), posting.length),
            (0, 3, 12)
        );
    }

    #[test]
    fn a_list_is_decoded_once_and_unknown_terms_are_not_kept() {
        let decoded = Decoded::default();
        let list = || Ok::<_, ()>(vec![Posting::new(2, 0, 1, 1), Posting::new(1, 1, 1, 1)]);
        let first = decoded.get("connect", list).unwrap().unwrap();
        assert_eq!(first[0].document, 1);
        let again = decoded.get("connect", || Err(())).unwrap().unwrap();
        assert_eq!(first, again);
        let bytes = decoded.heap_bytes();
        assert!(bytes > 0);
        assert!(
            decoded
                .get("no", || Ok::<_, ()>(Vec::new()))
                .unwrap()
                .is_none()
        );
        assert_eq!(decoded.heap_bytes(), bytes);
    }
}
