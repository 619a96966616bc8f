//! Defines the record of one commit's changes, its files and the functions in them, and encodes and decodes batches of
//! records.

use foveate_index::stored::bytes::{Decoder, Encoder};
use foveate_model::{ObjectId, RepoPath};

/// The files that a commit touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedFiles {
    /// Files under the paths that the commit gave them; empty if there are too many.
    pub files: Vec<RepoPath>,
    /// Old and new paths of renamed files, even if there are too many files.
    pub renames: Vec<(RepoPath, RepoPath)>,
}

/// The changes of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitRecord {
    /// The files that it touched.
    pub touched: TouchedFiles,
    /// The changed functions of each file; `None` until they are read.
    pub functions: Option<Functions>,
}

/// Names of the functions that a commit changed, for each of its files in the same order.
pub type Functions = Vec<Vec<Box<str>>>;

/// Format version; also changes when the rules for recognizing definitions change.
pub const VERSION: u64 = 2;

/// Encodes the files of commits.
pub fn encode_touched_files(commits: &[(ObjectId, &TouchedFiles)]) -> Vec<u8> {
    let mut out = Encoder::default();
    let path = |out: &mut Encoder, path: &RepoPath| out.text(path.as_str());
    out.list(commits, |out, (id, touched)| {
        out.bytes(id.as_bytes());
        out.list(&touched.files, path);
        out.list(&touched.renames, |out, (old, new)| {
            path(out, old);
            path(out, new);
        });
    });
    out.into_bytes()
}

/// Decodes the output of [`encode_touched_files`], with paths from `intern`; returns `None` for other bytes.
pub fn decode_touched_files(
    bytes: &[u8],
    intern: &mut dyn FnMut(&str) -> Option<RepoPath>,
) -> Option<Vec<(ObjectId, TouchedFiles)>> {
    let mut path = |rest: &mut Decoder<'_>| intern(rest.text()?);
    decode(bytes, |rest| {
        let id = ObjectId::from_bytes(rest.bytes()?)?;
        let files = rest.list(&mut path)?;
        let renames = rest.list(|rest| Some((path(rest)?, path(rest)?)))?;
        Some((id, TouchedFiles { files, renames }))
    })
}

pub fn encode_functions(commits: &[(ObjectId, &Functions)]) -> Vec<u8> {
    let mut out = Encoder::default();
    out.list(commits, |out, (id, files)| {
        out.bytes(id.as_bytes());
        out.list(files, |out, functions| {
            out.list(functions, |out, name| out.text(name));
        });
    });
    out.into_bytes()
}

/// Decodes the output of [`encode_functions`]; returns `None` for other bytes.
pub fn decode_functions(bytes: &[u8]) -> Option<Vec<(ObjectId, Functions)>> {
    let name = |rest: &mut Decoder<'_>| rest.text().map(Box::from);
    decode(bytes, |rest| {
        let id = ObjectId::from_bytes(rest.bytes()?)?;
        Some((id, rest.list(|rest| rest.list(name))?))
    })
}

fn decode<'a, T>(
    bytes: &'a [u8],
    item: impl FnMut(&mut Decoder<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut rest = Decoder::new(bytes);
    let items = rest.list(item)?;
    rest.is_empty().then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_records_round_trip_and_truncated_ones_fail() {
        let path = |text: &str| RepoPath::new(text).unwrap();
        let ids = ["1", "2"].map(|digit| ObjectId::from_hex(&digit.repeat(40)).unwrap());
        let touched = TouchedFiles {
            files: vec![path("a.py"), path("x/y.py")],
            renames: vec![(path("b.py"), path("a.py"))],
        };
        let empty = TouchedFiles::default();
        let bytes = encode_touched_files(&[(ids[0], &touched), (ids[1], &empty)]);
        let read = decode_touched_files(&bytes, &mut |text| RepoPath::new(text).ok());
        assert_eq!(read, Some(vec![(ids[0], touched), (ids[1], empty)]));

        let functions: Functions = vec![vec!["f".into(), "größe".into()], vec![]];
        let bytes = encode_functions(&[(ids[0], &functions)]);
        assert_eq!(decode_functions(&bytes), Some(vec![(ids[0], functions)]));
        for length in 0..bytes.len() {
            assert_eq!(decode_functions(&bytes[..length]), None, "cut at {length}");
        }
    }
}
