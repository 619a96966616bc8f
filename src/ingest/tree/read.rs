//! Reads one file of a working tree: its bytes, their git object id, and the facts that the blob cache
//! has or parses. A file that cannot be read is listed as skipped, with the reason.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path};

use foveate_model::{ObjectId, RepoPath, SkipReason, SourceFile};
use sha1::digest::Output;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::stat::{Stat, Stats};
use super::walk::WalkedFile;
use crate::engine::{BlobCache, skipped_file, source_file};
use crate::ingest::max_size::skip_unread;

/// Returns the id of files that were not read: git's null id.
pub fn unread() -> ObjectId {
    ObjectId::from_sha1([0; 20])
}

/// Reads a found file, unless `stats` give the blob that an earlier process read and the file has not changed since.
/// `before` is the file as it was last read. Returns its stat at the time of reading; `None` if it is gone by now.
pub fn file(
    root: &Path,
    found: WalkedFile,
    blobs: &BlobCache,
    ids: IdKind,
    before: Option<&SourceFile>,
    stats: Option<&Stats>,
) -> Option<(Stat, SourceFile)> {
    let WalkedFile {
        path,
        stat,
        skipped,
    } = found;
    if let Some(reason) = skipped.or_else(|| skip_unread(&path, stat.size, blobs.limits())) {
        return Some((stat, skipped_file(path, unread(), stat.size, reason)));
    }
    let named = foveate_parse::language_by_name(&path);
    let limit = blobs.limits().max_bytes_of(named);
    if let Some(stats) = stats
        && let Some((stat, blob)) = stats.blob(&path, &stat)
        && ids == IdKind::of(&blob.to_string())
        && let Some(reading) = blobs.get(blob, named)
    {
        return Some((stat, source_file(path, blob, stat.size, reading)));
    }
    match bytes(root, &path, &stat, limit) {
        Ok((stat, bytes)) => {
            let blob = ids.blob(&bytes);
            let earlier = before.and_then(|file| file.content.as_deref());
            let reading = blobs
                .get(blob, named)
                .unwrap_or_else(|| blobs.read(blob, named, &bytes, earlier));
            Some((stat, source_file(path, blob, stat.size, reading)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            // Permissions are part of a file's stat. After another error, the next scan reads the file again.
            let stat = match error.kind() {
                io::ErrorKind::PermissionDenied => stat,
                _ => stat.distrusted(),
            };
            let reason = SkipReason::Unreadable(error.to_string());
            Some((stat, skipped_file(path, unread(), stat.size, reason)))
        }
    }
}

/// Returns the bytes of a file, at most one more than `limit`, if it is still the file that was found: a
/// link that replaced it, or a directory above it, must not lead out of the tree.
fn bytes(root: &Path, path: &RepoPath, found: &Stat, limit: u64) -> io::Result<(Stat, Vec<u8>)> {
    let file = open_below(root, path)?;
    let metadata = file.metadata()?;
    let mut stat = Stat::new(&metadata);
    let direct = root.join(path.as_str()).symlink_metadata()?;
    if !direct.is_file() || !stat.is_same_file(&Stat::new(&direct)) {
        return Err(io::Error::other("it was replaced while it was read"));
    }
    let expected = usize::try_from(found.size.min(limit)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    let size = bytes.len() as u64;
    stat.size = size;
    Ok((stat, bytes))
}

/// Opens a file, one directory after the other, without following links, also on the way to `root`, and without waiting
/// for the other end of a pipe.
fn open_below(root: &Path, path: &RepoPath) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};

    let directory = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // A directory above the tree may be searched but not read.
    #[cfg(target_os = "linux")]
    let directory = directory | OFlags::PATH;
    let (directories, name) = path
        .as_str()
        .rsplit_once('/')
        .unwrap_or(("", path.as_str()));
    let below = Path::new(directories).components();
    let mut above = openat(CWD, "/", directory, Mode::empty())?;
    for part in root.components().chain(below) {
        if let Component::Normal(part) = part {
            above = openat(&above, part, directory, Mode::empty())?;
        }
    }
    let reading = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(&above, name, reading, Mode::empty())?.into())
}

/// Hash function of a repository's object ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdKind {
    #[default]
    Sha1,
    Sha256,
}

impl IdKind {
    /// Returns the hash function of a commit's id.
    pub fn of(commit: &str) -> Self {
        if commit.len() == 64 {
            Self::Sha256
        } else {
            Self::Sha1
        }
    }

    /// Returns the id that git gives to a blob of these bytes.
    fn blob(self, bytes: &[u8]) -> ObjectId {
        let head = format!("blob {}\0", bytes.len());
        match self {
            Self::Sha1 => ObjectId::from_sha1(digest::<Sha1>(&head, bytes).into()),
            Self::Sha256 => ObjectId::from_sha256(digest::<Sha256>(&head, bytes).into()),
        }
    }
}

fn digest<D: Digest>(head: &str, bytes: &[u8]) -> Output<D> {
    let mut hash = D::new();
    hash.update(head);
    hash.update(bytes);
    hash.finalize()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use foveate_model::Content;
    use foveate_parse::Limits;

    use super::super::WorkingTree;
    use super::*;
    use crate::engine::Progress;

    #[test]
    fn unchanged_parts_of_changed_file_are_not_reparsed() {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        let same = "def send(pool, item):\n    'Sends it.'\n    return pool.client(item).connect(timeout=3)\n";
        let save = |text: &str| std::fs::write(root.join("shop.py"), text).unwrap();
        let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
        let mut tree = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
        save(same);
        tree.rescan(&blobs, &progress, None).unwrap();
        let file = &mut tree.entries.values_mut().next().unwrap().file;
        let Content { text, facts } = &**file.content.as_ref().unwrap();
        let (text, mut facts) = (text.clone(), facts.clone());
        // The changed documentation marks facts that are reused.
        facts.definitions[0].doc = "taken over".into();
        file.content = Some(Arc::new(Content { text, facts }));
        save(&format!("{same}\n\ndef ask():\n    return send\n"));
        tree.rescan(&blobs, &progress, None).unwrap();
        let files = tree.files();
        let definitions = &files[0].content.as_ref().unwrap().facts.definitions;
        let found: Vec<(&str, &str)> = definitions.iter().map(|d| (&*d.name, &*d.doc)).collect();
        assert_eq!(found, [("send", "taken over"), ("ask", "")]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn late_link_or_pipe_is_not_read() {
        let keep = tempfile::tempdir().unwrap();
        let at = |path: &str| keep.path().join(path);
        for directory in ["tree/src", "out"] {
            std::fs::create_dir_all(at(directory)).unwrap();
            std::fs::write(at(directory).join("a.py"), directory).unwrap();
        }
        let path = RepoPath::new("src/a.py").unwrap();
        let stat = Stat::of(&at("tree/src/a.py")).unwrap();
        let read = || bytes(&at("tree"), &path, &stat, 100).map(|(_, bytes)| bytes);
        assert_eq!(read().unwrap(), b"tree/src");
        std::fs::rename(at("tree"), at("moved")).unwrap();
        std::os::unix::fs::symlink(at("moved"), at("tree")).unwrap();
        assert!(read().is_err(), "the root became a link");
        std::fs::remove_file(at("tree")).unwrap();
        std::fs::rename(at("moved"), at("tree")).unwrap();
        std::fs::rename(at("tree/src"), at("tree/old")).unwrap();
        std::os::unix::fs::symlink(at("out"), at("tree/src")).unwrap();
        assert!(read().is_err(), "a directory became a link");
        std::fs::remove_file(at("tree/src")).unwrap();
        std::fs::create_dir(at("tree/src")).unwrap();
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, at("tree/src/a.py"), mode).unwrap();
        assert!(
            read().is_err(),
            "a file became a pipe that nobody writes to"
        );
    }

    #[test]
    fn file_is_read_again_after_an_error() {
        let keep = tempfile::tempdir().unwrap();
        std::fs::create_dir(keep.path().join("a.py")).unwrap();
        let stat = Stat::of(&keep.path().join("a.py")).unwrap().as_old();
        // A directory in the place of a file that was found cannot be read.
        let found = WalkedFile {
            path: RepoPath::new("a.py").unwrap(),
            stat,
            skipped: None,
        };
        let blobs = BlobCache::new(Limits::default(), 0);
        let read = file(keep.path(), found, &blobs, IdKind::Sha1, None, None);
        let (after, file) = read.unwrap();
        assert!(matches!(file.skipped, Some(SkipReason::Unreadable(_))));
        assert!(stat.is_unchanged(&stat) && !after.is_unchanged(&stat));
    }

    #[test]
    fn blob_ids_match_git() {
        // `git hash-object --stdin` of nothing and of "hello\n".
        for (kind, bytes, id) in [
            (
                IdKind::Sha1,
                &b""[..],
                "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
            ),
            (
                IdKind::Sha1,
                b"hello\n",
                "ce013625030ba8dba906f756967f9e9ca394464a",
            ),
            (
                IdKind::Sha256,
                b"",
                "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
            ),
        ] {
            assert_eq!(kind.blob(bytes).to_string(), id);
        }
    }
}
