//! Small files that are written whole: beside the old one, then put in its place, so that there is
//! always the one or the other. A head holds a shape, which says what the content depends on, and a
//! checksum.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use super::{checksum, compressed, count_damage, expanded, sync_directory};

const MAGIC: &[u8; 16] = b"foveate whole 1\n";
const HEAD: usize = MAGIC.len() + 16;

/// Writes a file.
///
/// # Errors
/// When the system says no; the old file is then still there.
pub fn write(path: &Path, shape: u64, content: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    let written = write_new(&unfinished, shape, content)
        .and_then(|()| std::fs::rename(&unfinished, path))
        .and_then(|()| sync_directory(path));
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

fn write_new(path: &Path, shape: u64, content: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    let packed = compressed(content)?;
    let mut file = File::create(path)?;
    file.write_all(MAGIC)?;
    file.write_all(&shape.to_le_bytes())?;
    file.write_all(&checksum(&packed).to_le_bytes())?;
    file.write_all(&packed)?;
    file.sync_all()
}

/// What was written with the same shape; `None` where there is no such file.
pub fn read(path: &Path, shape: u64) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path).ok()?;
    let content = checked(&bytes, shape);
    if content.is_none() && bytes.get(..24) == Some(&head(shape)) {
        count_damage("whole", path);
    }
    content
}

fn head(shape: u64) -> [u8; 24] {
    let mut head = [0; 24];
    head[..16].copy_from_slice(MAGIC);
    head[16..].copy_from_slice(&shape.to_le_bytes());
    head
}

fn checked(bytes: &[u8], shape: u64) -> Option<Vec<u8>> {
    let (start, packed) = bytes.split_at_checked(HEAD)?;
    let is_whole = start[..24] == head(shape) && start[24..] == checksum(packed).to_le_bytes();
    is_whole.then(|| expanded(packed))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_read() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("new/tree.state");
        assert_eq!(read(&path, 1), None);
        write(&path, 1, b"one")?;
        write(&path, 1, b"two")?;
        assert_eq!(read(&path, 1).as_deref(), Some(&b"two"[..]));
        assert_eq!(read(&path, 2), None, "another shape");
        let good = std::fs::read(&path)?;
        for position in 0..good.len() {
            let mut bad = good.clone();
            bad[position] ^= 0x10;
            std::fs::write(&path, &bad)?;
            assert_eq!(read(&path, 1), None, "byte {position}");
            std::fs::write(&path, &good[..position])?;
            assert_eq!(read(&path, 1), None, "cut at {position}");
        }
        Ok(())
    }
}
