//! Computes the impacts of one term on the documents of a segment, independent of the rest of the
//! query: BM25F's weighted and normalized term frequencies. Those of chunks are saturated; those of files are
//! not yet, because commit messages add to them. They are computed from the posting lists on first use and
//! cached: terms repeat from query to query, and reading eight fields costs ten times as much as adding up
//! their impacts.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::fields::{FIELDS, Field, Lengths};
use super::weights::LexicalWeights;

/// A term in a chunk, normalized and saturated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkImpact {
    /// The document's number in its segment.
    pub document: u32,
    /// Its contribution to the score, before inverse document frequency and the query's weight.
    pub score: f32,
}

/// A term in a file, not saturated: commit messages may add to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileImpact {
    /// The file's position in its segment.
    pub file: u32,
    /// Weighted frequency in all fields.
    pub all: f32,
    /// Weighted frequency in the names of definitions.
    pub names: f32,
}

/// The impacts of one term in a segment, in document order.
#[derive(Debug, Default, PartialEq)]
pub struct Impacts {
    /// The chunks that contain it.
    pub chunks: Vec<ChunkImpact>,
    /// The files that contain it.
    pub files: Vec<FileImpact>,
}

impl Impacts {
    /// Whether the segment does not contain the term.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.files.is_empty()
    }

    /// Returns the heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(self.chunks.as_slice()) + size_of_val(self.files.as_slice())
    }
}

/// One term in one field of one document.
#[derive(Clone, Copy, Debug)]
pub struct Posting {
    /// The document's number in its segment.
    pub document: u32,
    /// The field's number.
    pub field: usize,
    /// Number of occurrences.
    pub frequency: u32,
    /// Number of terms in that field of the document.
    pub length: u32,
}

/// The inputs of impacts apart from the segment.
#[derive(Debug)]
pub struct Scoring {
    /// The weights that it was created for.
    pub weights: LexicalWeights,
    /// Hash of all values that impacts depend on. It changes only when the repository has changed much, since average
    /// lengths are rounded.
    pub id: u64,
    file_norms: [Norm; FIELDS],
    chunk_norms: [Norm; FIELDS],
}

impl Scoring {
    /// Creates the scoring of a snapshot; `totals` are the numbers of terms per field in all of `files` files
    /// and `chunks` chunks.
    ///
    /// Average lengths are rounded to steps of a fifth, so that a small change of the repository does not
    /// change any impact.
    pub fn new(
        weights: LexicalWeights,
        totals: &[u64; FIELDS],
        files: usize,
        chunks: usize,
    ) -> Self {
        let mut hasher = DefaultHasher::new();
        for bm25 in [&weights.file, &weights.chunk] {
            bm25.k1.to_bits().hash(&mut hasher);
            bm25.weights.map(f32::to_bits).hash(&mut hasher);
            bm25.b.map(f32::to_bits).hash(&mut hasher);
        }
        let mut norms = |b: f32, total: u64, documents: usize| {
            let average = rounded(total as f32 / documents.max(1) as f32);
            average.to_bits().hash(&mut hasher);
            Norm { b, average }
        };
        let file_norms = std::array::from_fn(|f| norms(weights.file.b[f], totals[f], files));
        let chunk_norms = std::array::from_fn(|f| norms(weights.chunk.b[f], totals[f], chunks));
        Self {
            weights,
            id: hasher.finish(),
            file_norms,
            chunk_norms,
        }
    }

    /// Computes impacts from postings, which must be in document order, and in field order within a document.
    /// `file_of` returns the file of a document and whether it is a chunk; `lengths` are the field lengths of
    /// the files.
    pub fn impacts(
        &self,
        postings: &[Posting],
        file_of: impl Fn(u32) -> (u32, bool),
        lengths: &[Lengths],
    ) -> Impacts {
        let mut impacts = Impacts::default();
        let mut run = FileRun::new(u32::MAX);
        for of_document in postings.chunk_by(|a, b| a.document == b.document) {
            let document = of_document[0].document;
            let (file, is_chunk) = file_of(document);
            if file != run.file {
                self.end_file(&run, lengths, &mut impacts);
                run = FileRun::new(file);
            }
            let mut sum = 0.0;
            for posting in of_document {
                run.frequencies[posting.field] += posting.frequency;
                let tf = self.weights.chunk.weights[posting.field] * posting.frequency as f32;
                sum += tf * self.chunk_norms[posting.field].of(posting.length as f32);
            }
            if is_chunk && sum > 0.0 {
                impacts.chunks.push(ChunkImpact {
                    document,
                    score: saturated(sum, self.weights.chunk.k1),
                });
            }
        }
        self.end_file(&run, lengths, &mut impacts);
        // They are cached, possibly as long as the segment, so spare capacity is freed.
        impacts.chunks.shrink_to_fit();
        impacts.files.shrink_to_fit();
        impacts
    }

    fn end_file(&self, run: &FileRun, lengths: &[Lengths], impacts: &mut Impacts) {
        let Some(lengths) = lengths.get(run.file as usize) else {
            return;
        };
        let weighted = |field: usize| {
            let tf = self.weights.file.weights[field] * run.frequencies[field] as f32;
            tf * self.file_norms[field].of(lengths[field] as f32)
        };
        let all: f32 = (0..FIELDS).map(weighted).sum();
        if all > 0.0 {
            impacts.files.push(FileImpact {
                file: run.file,
                all,
                names: weighted(Field::Name as usize),
            });
        }
    }
}

/// The sums over the consecutive postings of one file.
struct FileRun {
    /// Position of the file in the segment.
    file: u32,
    frequencies: [u32; FIELDS],
}

impl FileRun {
    fn new(file: u32) -> Self {
        Self {
            file,
            frequencies: [0; FIELDS],
        }
    }
}

/// Applies the saturation of BM25: `tf · (k1 + 1) / (k1 + tf)`.
pub fn saturated(tf: f32, k1: f32) -> f32 {
    tf * (k1 + 1.0) / (k1 + tf)
}

/// Rounds to the nearest power of the fourth root of 2.
fn rounded(average: f32) -> f32 {
    if average > 0.0 {
        ((average.log2() * 4.0).round() / 4.0).exp2()
    } else {
        0.0
    }
}

/// The length norm of a field.
#[derive(Clone, Copy, Debug)]
pub struct Norm {
    /// Strength of the normalization, 0 to 1.
    pub b: f32,
    /// The mean length.
    pub average: f32,
}

impl Norm {
    /// Returns `1 / (1 - b + b · length / average)`.
    pub fn of(self, length: f32) -> f32 {
        if self.average <= 0.0 {
            1.0
        } else {
            1.0 / (1.0 - self.b + self.b * length / self.average)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::weights::Bm25;
    use super::*;

    fn scoring(total: u64) -> Scoring {
        let bm25 = || Bm25 {
            k1: 1.2,
            weights: [1.0; FIELDS],
            b: [0.5; FIELDS],
        };
        let weights = LexicalWeights {
            file: bm25(),
            chunk: bm25(),
            history: 0.0,
            history_b: 0.0,
            commit_k1: 1.0,
            commit_b: 0.0,
            nearest_commits: 1,
        };
        Scoring::new(weights, &[total; FIELDS], 10, 10)
    }

    #[test]
    fn fields_and_chunks_add_up() {
        let posting = |document, field, frequency| Posting {
            document,
            field,
            frequency,
            length: 10,
        };
        // Document 0 is file 0 itself, 1 and 2 are its chunks; every length is the average.
        let postings = [
            posting(0, 0, 1),
            posting(1, 1, 2),
            posting(1, 7, 1),
            posting(2, 7, 4),
        ];
        let impacts = scoring(100).impacts(&postings, |d| (0, d > 0), &[[10; FIELDS]]);
        let near = |a: f32, b: f32| (a - b).abs() < 0.05 * b;
        assert_eq!(impacts.chunks.len(), 2);
        assert!(
            near(impacts.chunks[0].score, saturated(3.0, 1.2)),
            "{impacts:?}"
        );
        assert!(
            near(impacts.chunks[1].score, saturated(4.0, 1.2)),
            "{impacts:?}"
        );
        assert_eq!(impacts.files.len(), 1);
        assert!(near(impacts.files[0].all, 8.0) && near(impacts.files[0].names, 2.0));
    }

    #[test]
    fn small_change_of_the_averages_keeps_the_scoring() {
        assert_eq!(scoring(100).id, scoring(101).id);
        assert_ne!(scoring(100).id, scoring(200).id);
    }
}
