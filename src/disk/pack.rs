//! A file of entries that only grows. It begins with a head (magic, shape, checksum); then come
//! blocks, each written at once: a head, a table of its entries (key, length, checksum), and their
//! bytes, compressed. Opening reads heads and tables only. A block that was cut off ends the file and
//! is cut away by the next write; an entry whose bytes are damaged is absent. A file of another shape
//! is replaced by the first write. Numbers are little-endian.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use super::{checksum, compressed, count_damage, expanded, sync_directory};

const MAGIC: &[u8; 16] = b"foveate pack 1\n\0";
const HEAD: usize = MAGIC.len() + 16;
const BLOCK: &[u8; 8] = b"\nblock 1";
/// Magic, bytes of the table, bytes of the entries, checksum of the table and of these numbers.
const BLOCK_HEAD: usize = BLOCK.len() + 24;
/// A block is written when it has so many bytes.
const BLOCK_BYTES: usize = 4 << 20;

/// A file of entries by key.
#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    shape: u64,
    known: RwLock<Known>,
    /// Held while the file is written.
    writing: Mutex<()>,
}

/// How much of a file may be entries that nobody wants any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slack {
    /// So little that nothing is gained by writing it anew.
    None,
    /// A third.
    Third,
    /// Three quarters: what was wanted before may be wanted again.
    ThreeQuarters,
}

impl Slack {
    fn is_exceeded(self, before: u64, after: u64) -> bool {
        let most = match self {
            Self::None => before / 50,
            Self::Third => before / 3,
            Self::ThreeQuarters => before / 4 * 3,
        };
        after < before.saturating_sub(most)
    }
}

#[derive(Debug, Default)]
struct Known {
    /// The file, where there is one of this shape.
    file: Option<Arc<File>>,
    /// The bytes of the file that are whole blocks.
    end: u64,
    places: HashMap<Box<[u8]>, Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    at: u64,
    length: u32,
    sum: u64,
}

impl Pack {
    /// Opens the file at `path`, which need not be there. `shape` says what the entries depend on
    /// beside their keys.
    pub fn open(path: PathBuf, shape: u64) -> Self {
        let known = File::open(&path)
            .ok()
            .and_then(|file| Known::read(file, shape, &path))
            .unwrap_or_default();
        Self {
            path,
            shape,
            known: RwLock::new(known),
            writing: Mutex::default(),
        }
    }

    /// The shape of the file at `path`, where there is one.
    pub fn shape_at(path: &Path) -> Option<u64> {
        let mut start = [0; HEAD];
        File::open(path).ok()?.read_exact_at(&mut start, 0).ok()?;
        let shape = u64::from_le_bytes(start[16..24].try_into().ok()?);
        (start == head(shape)).then_some(shape)
    }

    /// Whether there is an entry; its bytes are not looked at.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.read_known(|known| known.places.contains_key(key))
    }

    /// All keys, in no particular order.
    pub fn keys(&self) -> Vec<Box<[u8]>> {
        self.read_known(|known| known.places.keys().cloned().collect())
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.read_known(|known| known.end)
    }

    /// The bytes of an entry; `None` where there is none or it is damaged.
    pub fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        let (file, place) = self.read_known(|known| {
            let place = *known.places.get(key)?;
            Some((known.file.clone()?, place))
        })?;
        let mut packed = vec![0; place.length as usize];
        let is_read = file.read_exact_at(&mut packed, place.at).is_ok();
        if is_read
            && checksum(&packed) == place.sum
            && let Some(bytes) = expanded(&packed)
        {
            return Some(bytes);
        }
        count_damage("entry", &self.path);
        let mut known = self.known.write();
        known.places.remove(key);
        None
    }

    /// Writes entries, in blocks; those of a key that is there already take its place. They are on
    /// the disk when this returns.
    ///
    /// # Errors
    /// When the system says no. Whole blocks written before stay.
    pub fn append(&self, entries: impl Iterator<Item = (Box<[u8]>, Vec<u8>)>) -> io::Result<()> {
        let _writing = self.writing.lock();
        let mut block = Block::default();
        for (key, bytes) in entries {
            block.add(key, &compressed(&bytes)?);
            if block.bytes.len() >= BLOCK_BYTES {
                self.write(std::mem::take(&mut block))?;
            }
        }
        self.write(block)
    }

    fn write(&self, block: Block) -> io::Result<()> {
        if block.table.is_empty() {
            return Ok(());
        }
        let (file, end) = self.read_known(|known| (known.file.clone(), known.end));
        let Some(file) = file else {
            return self.replace([block].into_iter());
        };
        let mut out = match OpenOptions::new().write(true).open(&self.path) {
            // Someone removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.replace([block].into_iter());
            }
            opened => opened?,
        };
        // Cuts away what was not finished the last time.
        out.set_len(end)?;
        out.seek(SeekFrom::Start(end))?;
        let written = block.write(&mut out).and_then(|()| out.sync_data());
        if let Err(error) = written {
            let _ = out.set_len(end);
            return Err(error);
        }
        let mut known = self.known.write();
        known.file = Some(file);
        known.take(block, end);
        Ok(())
    }

    /// Writes the file anew with the entries that `keep` wants, if more than `slack` of it are others.
    /// Returns the bytes freed.
    ///
    /// # Errors
    /// When the system says no; the old file then stays.
    pub fn shrink(&self, slack: Slack, keep: impl Fn(&[u8]) -> bool) -> io::Result<u64> {
        let _writing = self.writing.lock();
        let (kept, wanted, before) = self.read_known(|known| {
            let places = known.places.iter().filter(|(key, _)| keep(key));
            let mut kept: Vec<(Box<[u8]>, Place)> =
                places.map(|(key, place)| (key.clone(), *place)).collect();
            kept.sort_by_key(|(_, place)| place.at);
            let wanted: u64 = kept.iter().map(|(_, place)| u64::from(place.length)).sum();
            (kept, wanted, known.end)
        });
        let overhead: u64 = kept.iter().map(|(key, _)| key.len() as u64 + 14).sum();
        let after = wanted + overhead + (HEAD + BLOCK_HEAD) as u64;
        if !slack.is_exceeded(before, after) {
            return Ok(0);
        }
        let Some(file) = self.read_known(|known| known.file.clone()) else {
            return Ok(0);
        };
        let mut kept = kept.into_iter().peekable();
        let blocks = std::iter::from_fn(|| {
            kept.peek()?;
            let mut block = Block::default();
            while block.bytes.len() < BLOCK_BYTES
                && let Some((key, place)) = kept.next()
            {
                let mut packed = vec![0; place.length as usize];
                let is_read = file.read_exact_at(&mut packed, place.at).is_ok();
                if is_read && checksum(&packed) == place.sum {
                    block.add(key, &packed);
                } else {
                    count_damage("entry", &self.path);
                }
            }
            Some(block)
        });
        self.replace(blocks)?;
        Ok(before.saturating_sub(self.bytes()))
    }

    /// Puts a file of these blocks in the place of the old one.
    fn replace(&self, blocks: impl Iterator<Item = Block>) -> io::Result<()> {
        let unfinished = self.path.with_extension("unfinished");
        let replaced = self.write_new(&unfinished, blocks).and_then(|known| {
            std::fs::rename(&unfinished, &self.path)?;
            sync_directory(&self.path)?;
            Ok(known)
        });
        match replaced {
            Ok(known) => {
                *self.known.write() = known;
                Ok(())
            }
            Err(error) => {
                let _ = std::fs::remove_file(&unfinished);
                Err(error)
            }
        }
    }

    fn write_new(&self, path: &Path, blocks: impl Iterator<Item = Block>) -> io::Result<Known> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(true);
        let file = Arc::new(options.open(path)?);
        let mut out = BufWriter::new(&*file);
        out.write_all(&head(self.shape))?;
        let mut known = Known {
            file: Some(Arc::clone(&file)),
            end: HEAD as u64,
            ..Known::default()
        };
        for block in blocks {
            block.write(&mut out)?;
            let end = known.end;
            known.take(block, end);
        }
        out.flush()?;
        drop(out);
        file.sync_all()?;
        Ok(known)
    }

    fn read_known<T>(&self, read: impl FnOnce(&Known) -> T) -> T {
        read(&self.known.read())
    }
}

impl Known {
    /// What a file holds; `None` for one of another shape.
    fn read(file: File, shape: u64, path: &Path) -> Option<Self> {
        let length = file.metadata().ok()?.len();
        let mut start = [0; HEAD];
        file.read_exact_at(&mut start, 0).ok()?;
        if start != head(shape) {
            return None;
        }
        let mut known = Self {
            file: Some(Arc::new(file)),
            end: HEAD as u64,
            ..Self::default()
        };
        while known.end < length {
            let Some(block) = known.next_block(length) else {
                count_damage("block", path);
                break;
            };
            let end = known.end;
            known.take(block, end);
        }
        Some(known)
    }

    /// The table of the block at the end of what is known.
    fn next_block(&self, length: u64) -> Option<Block> {
        let file = self.file.as_ref()?;
        let mut head = [0; BLOCK_HEAD];
        file.read_exact_at(&mut head, self.end).ok()?;
        let number = |at: usize| Some(u64::from_le_bytes(head.get(at..at + 8)?.try_into().ok()?));
        let (table, bytes, sum) = (number(8)?, number(16)?, number(24)?);
        let start = self.end + BLOCK_HEAD as u64;
        let end = start.checked_add(table)?.checked_add(bytes)?;
        if head[..8] != *BLOCK || end > length {
            return None;
        }
        let mut raw = vec![0; usize::try_from(table).ok()?];
        file.read_exact_at(&mut raw, start).ok()?;
        let block = Block::of_table(&raw, usize::try_from(bytes).ok()?)?;
        (block.sum(&raw) == sum).then_some(block)
    }

    fn take(&mut self, block: Block, at: u64) {
        let table: usize = block.table.iter().map(|row| row.key.len() + 14).sum();
        let mut at = at + (BLOCK_HEAD + table) as u64;
        for Row { key, length, sum } in block.table {
            let place = Place { at, length, sum };
            at += u64::from(length);
            self.places.insert(key, place);
        }
        self.end = at;
    }
}

/// A block, or its table where it was read.
#[derive(Debug, Default)]
struct Block {
    table: Vec<Row>,
    bytes: Vec<u8>,
    length: usize,
}

#[derive(Debug)]
struct Row {
    key: Box<[u8]>,
    length: u32,
    sum: u64,
}

impl Block {
    fn add(&mut self, key: Box<[u8]>, packed: &[u8]) {
        // An entry of 4 GiB is none; keys are ids.
        let (Ok(length), true) = (u32::try_from(packed.len()), key.len() < 1 << 16) else {
            return;
        };
        self.table.push(Row {
            key,
            length,
            sum: checksum(packed),
        });
        self.bytes.extend_from_slice(packed);
        self.length = self.bytes.len();
    }

    fn of_table(mut raw: &[u8], length: usize) -> Option<Self> {
        let mut table = Vec::new();
        let mut take = |count: usize| {
            let (taken, rest) = raw.split_at_checked(count)?;
            raw = rest;
            Some(taken)
        };
        while let Some(key_length) = take(2) {
            let key_length = u16::from_le_bytes(key_length.try_into().ok()?);
            table.push(Row {
                key: take(usize::from(key_length))?.into(),
                length: u32::from_le_bytes(take(4)?.try_into().ok()?),
                sum: u64::from_le_bytes(take(8)?.try_into().ok()?),
            });
        }
        let sum: u64 = table.iter().map(|row| u64::from(row.length)).sum();
        (sum == length as u64).then_some(Self {
            table,
            bytes: Vec::new(),
            length,
        })
    }

    fn raw_table(&self) -> Vec<u8> {
        let mut raw = Vec::new();
        for row in &self.table {
            raw.extend_from_slice(&(row.key.len() as u16).to_le_bytes());
            raw.extend_from_slice(&row.key);
            raw.extend_from_slice(&row.length.to_le_bytes());
            raw.extend_from_slice(&row.sum.to_le_bytes());
        }
        raw
    }

    /// The checksum of the head's numbers and the table.
    fn sum(&self, raw_table: &[u8]) -> u64 {
        checksum(raw_table) ^ (self.length as u64).rotate_left(32) ^ raw_table.len() as u64
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let table = self.raw_table();
        out.write_all(BLOCK)?;
        out.write_all(&(table.len() as u64).to_le_bytes())?;
        out.write_all(&(self.length as u64).to_le_bytes())?;
        out.write_all(&self.sum(&table).to_le_bytes())?;
        out.write_all(&table)?;
        out.write_all(&self.bytes)
    }
}

fn head(shape: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..16].copy_from_slice(MAGIC);
    head[16..24].copy_from_slice(&shape.to_le_bytes());
    let sum = checksum(&head[..24]);
    head[24..].copy_from_slice(&sum.to_le_bytes());
    head
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
