//! Encodes and decodes the index of past commits, because building it splits every message into terms again.
//! Derived data (functions by path, lengths of paths) is not written.

use foldhash::{HashMap, HashMapExt as _};
use foveate_model::{ObjectId, RepoPath};

use super::{CommitIndex, FunctionId, Functions, PastCommit, PathId};
use crate::stored::bytes::{Decoder, Encoder};

impl CommitIndex {
    /// Format version of the stored index. Other formats cannot be read.
    pub const FORMAT: u16 = 1;

    /// Version of how commits are indexed: terms, citations, the choice of commits, and the lines by which
    /// touched functions are found.
    pub const VERSION: u16 = 4;

    /// Encodes the index; equal indexes give equal bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        out.list(&self.paths, |out, path| out.text(path.as_str()));
        let mut ids = vec![None; self.commits.len()];
        for (id, commit) in &self.ids {
            ids[*commit as usize] = Some(id);
        }
        out.number(self.commits.len() as u64);
        for (commit, id) in self.commits.iter().zip(ids) {
            out.bytes(id.map_or(&[], ObjectId::as_bytes));
            out.number(commit.length);
            out.number(commit.share.to_bits());
            out.list(&commit.paths, |out, path| out.number(path.0));
            out.list(&commit.functions, |out, function| {
                out.number(self.path_of(*function).0);
                out.number(self.functions.name(*function));
            });
        }
        let mut terms: Vec<_> = self.postings.iter().collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        out.list(&terms, |out, (term, postings)| {
            out.text(term);
            let mut at = 0;
            out.list(postings, |out, (commit, count)| {
                out.difference(at, *commit);
                out.number(*count);
                at = *commit;
            });
        });
        let mut numbers: Vec<_> = self.numbers.iter().collect();
        numbers.sort_unstable_by_key(|(number, _)| *number);
        out.list(&numbers, |out, (number, commits)| {
            out.number(**number);
            out.list(commits, |out, commit| out.number(*commit));
        });
        out.into_bytes()
    }

    /// Decodes the output of [`Self::encode`]; `None` for other bytes.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = Decoder::new(bytes);
        let paths = rest.list(|rest| RepoPath::new(rest.text()?).ok())?;
        let mut index = Self {
            path_lengths: vec![0.0; paths.len()],
            paths,
            ..Self::default()
        };
        let mut touched = Vec::new();
        rest.list(|rest| {
            touched.push(index.decode_commit(rest)?);
            Some(())
        })?;
        index.ids.sort_unstable();
        let (commits, mut postings) = (index.commits.len(), HashMap::new());
        rest.list(|rest| {
            postings.insert(rest.text()?.into(), decode_postings(rest, commits)?);
            Some(())
        })?;
        index.postings = postings;
        rest.list(|rest| {
            let number = rest.number32()?;
            let citing = rest.list(|rest| rest.number32().filter(|c| (*c as usize) < commits))?;
            index.numbers.insert(number, citing);
            Some(())
        })?;
        index.set_functions(&touched);
        rest.is_empty().then_some(index)
    }

    /// Reads the next commit and returns the paths and names of the functions that it touched.
    fn decode_commit(&mut self, rest: &mut Decoder<'_>) -> Option<Vec<(PathId, u64)>> {
        let id = ObjectId::from_bytes(rest.bytes()?)?;
        let length = rest.number32()?;
        let share = f32::from_bits(rest.number32()?);
        let known = self.paths.len();
        let path = |rest: &mut Decoder<'_>| {
            let path = rest.number32().filter(|path| (*path as usize) < known);
            path.map(PathId)
        };
        let paths = rest.list(path)?;
        let touched = rest.list(|rest| Some((path(rest)?, rest.number()?)))?;
        self.ids.push((id, self.commits.len() as u32));
        self.add_lengths(&paths, share, length);
        self.commits.push(PastCommit {
            paths: paths.into(),
            functions: Box::default(),
            length,
            share,
        });
        Some(touched)
    }
}

impl Functions {
    /// Returns the [hash](crate::tokens::hash) of a function's name.
    fn name(&self, function: FunctionId) -> u64 {
        self.names.values()[function.position()]
    }
}

fn decode_postings(rest: &mut Decoder<'_>, commits: usize) -> Option<Box<[(u32, u16)]>> {
    let mut at = 0;
    let postings = rest.list(|rest| {
        at = rest.difference(at)?;
        let count = u16::try_from(rest.number()?).ok()?;
        ((at as usize) < commits).then_some((at, count))
    })?;
    Some(postings.into())
}

#[cfg(test)]
mod tests {
    use foveate_model::{Commit, History, Touched};

    use super::*;

    fn history() -> History {
        let touched = |path: &str, functions: &[&str]| Touched {
            path: RepoPath::new(path).unwrap(),
            functions: functions.iter().map(|name| Box::from(*name)).collect(),
        };
        let commit = |number: u8, message: &str, touched| Commit {
            id: ObjectId::from_sha1([number; 20]),
            message: message.to_owned(),
            is_bot: false,
            touched,
        };
        History {
            commits: vec![
                commit(
                    9,
                    "Größe des pools, #12 and #13",
                    vec![touched("b.py", &["connect", "send"])],
                ),
                commit(
                    3,
                    "Let the pool connect",
                    vec![touched("b.py", &["connect"]), touched("a.py", &[])],
                ),
                commit(5, "Fixes #12: pool", vec![touched("a.py", &["ask"])]),
            ],
        }
    }

    #[test]
    fn commit_index_round_trips() {
        let built = CommitIndex::new(&history());
        let bytes = built.encode();
        let back = CommitIndex::decode(&bytes).unwrap();
        assert_eq!(back.encode(), bytes);
        for term in ["pool", "connect", "größe", "none"] {
            assert_eq!(back.postings(term), built.postings(term), "{term}");
        }
        assert_eq!(back.path_lengths, built.path_lengths);
        assert_eq!(back.citing(12), built.citing(12));
        assert_eq!(back.with_digits("0303").collect::<Vec<_>>(), [1]);
        for function in built.function_ids() {
            assert_eq!(back.touching(function), built.touching(function));
            assert_eq!(back.path_of(function), built.path_of(function));
        }
        let none = CommitIndex::default();
        assert_eq!(
            CommitIndex::decode(&none.encode()).unwrap().encode(),
            none.encode()
        );
    }

    #[test]
    fn damaged_commit_index_is_rejected_or_consistent() {
        let bytes = CommitIndex::new(&history()).encode();
        for end in 0..bytes.len() {
            assert!(CommitIndex::decode(&bytes[..end]).is_none(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x55;
            // A decoded index must not hold positions out of range.
            if let Some(index) = CommitIndex::decode(&other) {
                let (commits, paths) = (index.commits.len(), index.paths.len());
                let mut functions = index.function_ids();
                assert!(functions.all(|function| (index.path_of(function).0 as usize) < paths));
                let mut postings = index.postings("pool").iter();
                assert!(postings.all(|(commit, _)| (*commit as usize) < commits));
            }
        }
    }
}
