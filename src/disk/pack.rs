//! Implements [`ContentStore`] as one append-only file. It begins with a header (magic, version, checksum). Blocks
//! follow, each written at once: a header, a table of its entries (key, length, checksum), and their compressed values.
//! Opening reads only headers and tables. A truncated block ends the file and is cut off by the next write; an entry
//! with a damaged value counts as absent. The first write replaces a file of another version. Numbers are
//! little-endian.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use super::content_store::{ContentStore, Entry, Key, MaxWaste};
use super::{checksum, compressed, count_damage, decompressed, sync_directory};

/// Extension of a file that is being written.
pub(super) const UNFINISHED: &str = "unfinished";
const MAGIC: &[u8; 16] = b"foveate pack 1\n\0";
const HEAD: usize = MAGIC.len() + 16;
const BLOCK: &[u8; 8] = b"\nblock 1";
/// Magic, bytes of the table, bytes of the entries, checksum of the table and of these numbers.
const BLOCK_HEAD: usize = BLOCK.len() + 24;
/// A block is written once its values have so many bytes.
const BLOCK_BYTES: usize = 4 << 20;

/// A store in one file.
#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    version: u64,
    is_writable: bool,
    index: RwLock<PackIndex>,
    /// Held while the file is written.
    writing: Mutex<()>,
}

/// The positions of the values of a file.
#[derive(Debug, Default)]
struct PackIndex {
    /// The file, where there is one of this version.
    file: Option<Arc<File>>,
    /// End of the last complete block.
    end: u64,
    slots: HashMap<Key, Slot>,
}

/// Position and checksum of a value.
#[derive(Clone, Copy, Debug)]
struct Slot {
    offset: u64,
    length: u32,
    sum: u64,
}

impl Pack {
    /// Opens the file at `path`, which need not exist. `version` stands for everything that the values depend on apart
    /// from their keys.
    pub fn open(path: PathBuf, version: u64) -> Self {
        Self::open_with(path, version, true)
    }

    /// Opens the file read-only, also while another process is writing it.
    pub fn open_read_only(path: PathBuf, version: u64) -> Self {
        Self::open_with(path, version, false)
    }

    fn open_with(path: PathBuf, version: u64, is_writable: bool) -> Self {
        let index = File::open(&path)
            .ok()
            .and_then(|file| PackIndex::read(file, version, is_writable.then_some(&*path)));
        Self {
            path,
            version,
            is_writable,
            index: RwLock::new(index.unwrap_or_default()),
            writing: Mutex::default(),
        }
    }

    /// Returns the version of the file at `path`; `None` where there is no pack.
    pub fn version_at(path: &Path) -> Option<u64> {
        let mut start = [0; HEAD];
        File::open(path).ok()?.read_exact_at(&mut start, 0).ok()?;
        let version = u64::from_le_bytes(start[16..24].try_into().ok()?);
        (start == head(version)).then_some(version)
    }

    fn write(&self, block: Block) -> io::Result<()> {
        if block.table.is_empty() {
            return Ok(());
        }
        let index = self.index.read();
        let (has_file, end) = (index.file.is_some(), index.end);
        drop(index);
        let mut out = match OpenOptions::new().write(true).open(&self.path) {
            Ok(file) if has_file => file,
            Err(error) if has_file && error.kind() != io::ErrorKind::NotFound => return Err(error),
            // It is of another version, or was removed meanwhile.
            _ => return self.replace([block].into_iter()),
        };
        // Cuts off a block that was not finished the last time.
        out.set_len(end)?;
        out.seek(SeekFrom::Start(end))?;
        let written = block.write(&mut out).and_then(|()| out.sync_data());
        if let Err(error) = written {
            let _ = out.set_len(end);
            return Err(error);
        }
        self.index.write().add(block, end);
        Ok(())
    }

    /// Reads the wanted entries of the file as new blocks.
    fn wanted_blocks(&self, file: &File, wanted: Vec<(Key, Slot)>) -> impl Iterator<Item = Block> {
        let mut wanted = wanted.into_iter().peekable();
        std::iter::from_fn(move || {
            wanted.peek()?;
            let mut block = Block::default();
            while block.bytes.len() < BLOCK_BYTES
                && let Some((key, slot)) = wanted.next()
            {
                match slot.read(file) {
                    Some(packed) => block.add(key, &packed),
                    None => count_damage("entry", &self.path),
                }
            }
            Some(block)
        })
    }

    /// Atomically replaces the file by one of these blocks.
    fn replace(&self, blocks: impl Iterator<Item = Block>) -> io::Result<()> {
        let unfinished = self.path.with_extension(UNFINISHED);
        let replaced = self.write_new(&unfinished, blocks).and_then(|index| {
            std::fs::rename(&unfinished, &self.path)?;
            sync_directory(&self.path)?;
            Ok(index)
        });
        match replaced {
            Ok(index) => {
                *self.index.write() = index;
                Ok(())
            }
            Err(error) => {
                let _ = std::fs::remove_file(&unfinished);
                Err(error)
            }
        }
    }

    fn write_new(&self, path: &Path, blocks: impl Iterator<Item = Block>) -> io::Result<PackIndex> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(true);
        let file = Arc::new(options.open(path)?);
        let mut out = BufWriter::new(&*file);
        out.write_all(&head(self.version))?;
        let mut index = PackIndex {
            file: Some(Arc::clone(&file)),
            end: HEAD as u64,
            ..PackIndex::default()
        };
        for block in blocks {
            block.write(&mut out)?;
            let end = index.end;
            index.add(block, end);
        }
        out.flush()?;
        drop(out);
        file.sync_all()?;
        Ok(index)
    }
}

impl ContentStore for Pack {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        let index = self.index.read();
        let (file, slot) = (index.file.clone()?, *index.slots.get(key)?);
        drop(index);
        let value = slot.read(&file).and_then(|packed| decompressed(&packed));
        if value.is_none() {
            count_damage("entry", &self.path);
            self.index.write().slots.remove(key);
        }
        value
    }

    fn contains(&self, key: &[u8]) -> bool {
        self.index.read().slots.contains_key(key)
    }

    fn keys(&self) -> Vec<Key> {
        let slots = self.index.read().in_order(&|_| true);
        slots.into_iter().map(|(key, _)| key).collect()
    }

    fn is_writable(&self) -> bool {
        self.is_writable
    }

    fn put_all(&self, entries: &mut dyn Iterator<Item = Entry>) -> io::Result<()> {
        if !self.is_writable {
            return Ok(());
        }
        let _writing = self.writing.lock();
        let mut block = Block::default();
        for (key, value) in entries {
            block.add(key, &compressed(&value)?);
            if block.bytes.len() >= BLOCK_BYTES {
                self.write(std::mem::take(&mut block))?;
            }
        }
        self.write(block)
    }

    fn retain(&self, max_waste: MaxWaste, is_wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<u64> {
        if !self.is_writable {
            return Ok(0);
        }
        let _writing = self.writing.lock();
        let index = self.index.read();
        let (wanted, before, file) = (index.in_order(is_wanted), index.end, index.file.clone());
        drop(index);
        let bytes = |(key, slot): &(Key, Slot)| key.len() as u64 + 14 + u64::from(slot.length);
        let after = wanted.iter().map(bytes).sum::<u64>() + (HEAD + BLOCK_HEAD) as u64;
        let Some(file) = file.filter(|_| max_waste.is_exceeded(before, after)) else {
            return Ok(0);
        };
        self.replace(self.wanted_blocks(&file, wanted))?;
        Ok(before.saturating_sub(self.index.read().end))
    }
}

impl Slot {
    /// Reads the compressed value; `None` where it is damaged.
    fn read(self, file: &File) -> Option<Vec<u8>> {
        let mut packed = vec![0; self.length as usize];
        file.read_exact_at(&mut packed, self.offset).ok()?;
        (checksum(&packed) == self.sum).then_some(packed)
    }
}

impl PackIndex {
    /// Reads the index of a file; `None` for a file of another version. `path` is for reporting damage; it is `None`
    /// where another process may be writing the file, so that an incomplete last block is no damage.
    fn read(file: File, version: u64, path: Option<&Path>) -> Option<Self> {
        let length = file.metadata().ok()?.len();
        let mut start = [0; HEAD];
        file.read_exact_at(&mut start, 0).ok()?;
        if start != head(version) {
            return None;
        }
        let mut index = Self {
            file: Some(Arc::new(file)),
            end: HEAD as u64,
            ..Self::default()
        };
        while index.end < length {
            let Some(block) = index.next_block(length) else {
                if let Some(path) = path {
                    count_damage("block", path);
                }
                break;
            };
            let end = index.end;
            index.add(block, end);
        }
        Some(index)
    }

    /// Reads the table of the next block; `None` where the block is incomplete or damaged.
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
        let block = Block::of_table(&raw)?;
        (block.length() == bytes && block.sum(&raw) == sum).then_some(block)
    }

    /// Adds the entries of a block that begins at `start`.
    fn add(&mut self, block: Block, start: u64) {
        let table: usize = block.table.iter().map(|row| row.key.len() + 14).sum();
        let mut offset = start + (BLOCK_HEAD + table) as u64;
        for Row { key, length, sum } in block.table {
            let slot = Slot {
                offset,
                length,
                sum,
            };
            offset += u64::from(length);
            self.slots.insert(key, slot);
        }
        self.end = offset;
    }

    /// Returns the wanted entries, in the order of the file.
    fn in_order(&self, is_wanted: &dyn Fn(&[u8]) -> bool) -> Vec<(Key, Slot)> {
        let slots = self.slots.iter().filter(|(key, _)| is_wanted(key));
        let mut slots: Vec<_> = slots.map(|(key, slot)| (key.clone(), *slot)).collect();
        slots.sort_by_key(|(_, slot)| slot.offset);
        slots
    }
}

/// A block. One that was read has its table only, without `bytes`.
#[derive(Debug, Default)]
struct Block {
    table: Vec<Row>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct Row {
    key: Key,
    length: u32,
    sum: u64,
}

impl Block {
    fn add(&mut self, key: Key, packed: &[u8]) {
        // Values of 4 GiB or more are not stored; keys are short ids.
        let (Ok(length), true) = (u32::try_from(packed.len()), key.len() < 1 << 16) else {
            return;
        };
        self.table.push(Row {
            key,
            length,
            sum: checksum(packed),
        });
        self.bytes.extend_from_slice(packed);
    }

    fn of_table(mut raw: &[u8]) -> Option<Self> {
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
        Some(Self {
            table,
            bytes: Vec::new(),
        })
    }

    /// Bytes of the values.
    fn length(&self) -> u64 {
        self.table.iter().map(|row| u64::from(row.length)).sum()
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

    /// Returns the checksum of the header's numbers and the table.
    fn sum(&self, raw_table: &[u8]) -> u64 {
        checksum(raw_table) ^ self.length().rotate_left(32) ^ raw_table.len() as u64
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let table = self.raw_table();
        out.write_all(BLOCK)?;
        out.write_all(&(table.len() as u64).to_le_bytes())?;
        out.write_all(&self.length().to_le_bytes())?;
        out.write_all(&self.sum(&table).to_le_bytes())?;
        out.write_all(&table)?;
        out.write_all(&self.bytes)
    }
}

fn head(version: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..16].copy_from_slice(MAGIC);
    head[16..24].copy_from_slice(&version.to_le_bytes());
    let sum = checksum(&head[..24]);
    head[24..].copy_from_slice(&sum.to_le_bytes());
    head
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
