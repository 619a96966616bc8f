//! Records of commits as a file that only grows: a head, then frames, each with its length and a
//! checksum. What follows a damaged frame is cut off and will be read from git again; a file of
//! another format or other settings is begun anew. Format: see [`RecordsFile::open`].

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use foveate_model::{ObjectId, RepoPath};
use sha1::{Digest, Sha1};

use super::records::Names;

/// The number changes with the format, and with what is taken for a definition.
pub const MAGIC: &[u8; 24] = b"foveate commit records 1";
const HEAD_BYTES: usize = MAGIC.len() + 8;
/// No frame is longer; a longer one is damage.
const LONGEST_FRAME: usize = 64 << 20;

const NAMES: u8 = 1;
const FUNCTIONS: u8 = 2;

/// What is written of one commit.
#[derive(Debug)]
pub enum Frame<'a> {
    /// Its files.
    Names(&'a Names),
    /// For each of its files the functions that were changed.
    Functions(&'a [Vec<Box<str>>]),
}

/// What was written of one commit.
#[derive(Debug)]
pub enum Read<'a> {
    /// Its files.
    Names {
        id: ObjectId,
        files: Vec<&'a str>,
        renames: Vec<(&'a str, &'a str)>,
    },
    /// For each of its files the functions that were changed.
    Functions {
        id: ObjectId,
        functions: Vec<Vec<Box<str>>>,
    },
}

/// The file, open for writing at its end.
#[derive(Debug)]
pub struct RecordsFile {
    file: File,
    frames: usize,
}

impl RecordsFile {
    /// Opens a file and hands over what it holds. It begins with a magic line and the shape (8
    /// bytes); each frame is the length of its content (4 bytes), the first 8 bytes of the
    /// content's SHA-1, and the content: a kind, the commit's id, and lists of texts, all numbers
    /// little-endian. A frame that `take` refuses is damaged.
    pub fn open(
        path: &Path,
        shape: u64,
        take: impl FnMut(Read<'_>) -> Option<()>,
    ) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        let Some((good, frames)) = whole_frames(&file, shape, take) else {
            file.set_len(0)?;
            file.write_all(&head_of(shape))?;
            return Ok(Self { file, frames: 0 });
        };
        if file.metadata()?.len() > good {
            tracing::warn!("records of past commits were damaged: they are read again");
            file.set_len(good)?;
        }
        Ok(Self { file, frames })
    }

    /// As [`Self::open`], of a file that another process may be writing: nothing is changed, and what is
    /// not whole yet is left out.
    pub fn read(path: &Path, shape: u64, take: impl FnMut(Read<'_>) -> Option<()>) {
        if let Ok(file) = File::open(path) {
            whole_frames(&file, shape, take);
        }
    }

    /// Writes a file anew.
    pub fn replace<'a>(
        path: &Path,
        shape: u64,
        frames: impl Iterator<Item = (&'a ObjectId, Frame<'a>)>,
    ) -> io::Result<Self> {
        let unfinished = path.with_extension("unfinished");
        let _ = std::fs::remove_file(&unfinished);
        let mut fresh = Self::open(&unfinished, shape, |_| None)?;
        fresh.append(frames)?;
        std::fs::rename(&unfinished, path)?;
        Ok(fresh)
    }

    /// Frames in the file.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Writes frames at the end. They survive the process, not always the machine's power.
    pub fn append<'a>(
        &mut self,
        frames: impl Iterator<Item = (&'a ObjectId, Frame<'a>)>,
    ) -> io::Result<()> {
        let mut writer = BufWriter::with_capacity(1 << 16, &self.file);
        for (id, frame) in frames {
            let content = content(id, &frame);
            writer.write_all(&(content.len() as u32).to_le_bytes())?;
            writer.write_all(&checksum(&content))?;
            writer.write_all(&content)?;
            self.frames += 1;
        }
        writer.flush()
    }
}

fn head_of(shape: u64) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..MAGIC.len()].copy_from_slice(MAGIC);
    head[MAGIC.len()..].copy_from_slice(&shape.to_le_bytes());
    head
}

fn checksum(content: &[u8]) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&Sha1::digest(content)[..8]);
    first
}

/// Hands over the frames of a file until one is damaged. Gives the bytes up to there and how many they
/// are; `None` for a file of another shape.
fn whole_frames(
    file: &File,
    shape: u64,
    mut take: impl FnMut(Read<'_>) -> Option<()>,
) -> Option<(u64, usize)> {
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut head = [0; HEAD_BYTES];
    if reader.read_exact(&mut head).is_err() || head != head_of(shape) {
        return None;
    }
    let (mut good, mut frames) = (HEAD_BYTES as u64, 0);
    while let Some(content) = next(&mut reader) {
        if parse(&content).and_then(&mut take).is_none() {
            break;
        }
        good += content.len() as u64 + 12;
        frames += 1;
    }
    Some((good, frames))
}

/// The content of the next frame; `None` at the end and where it is damaged.
fn next(reader: &mut impl io::Read) -> Option<Vec<u8>> {
    let (mut length, mut sum) = ([0; 4], [0; 8]);
    reader.read_exact(&mut length).ok()?;
    reader.read_exact(&mut sum).ok()?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST_FRAME {
        return None;
    }
    let mut content = Vec::new();
    reader.take(length as u64).read_to_end(&mut content).ok()?;
    (content.len() == length && checksum(&content) == sum).then_some(content)
}

fn content(id: &ObjectId, frame: &Frame<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    out.push(match frame {
        Frame::Names(_) => NAMES,
        Frame::Functions(_) => FUNCTIONS,
    });
    put_text(&mut out, id.as_bytes());
    match frame {
        Frame::Names(names) => {
            let path = |out: &mut Vec<u8>, path: &RepoPath| put_text(out, path.as_str().as_bytes());
            put_number(&mut out, names.files.len());
            names.files.iter().for_each(|file| path(&mut out, file));
            put_number(&mut out, names.renames.len());
            for (old, new) in &names.renames {
                path(&mut out, old);
                path(&mut out, new);
            }
        }
        Frame::Functions(files) => {
            put_number(&mut out, files.len());
            for functions in *files {
                put_number(&mut out, functions.len());
                for name in functions {
                    put_text(&mut out, name.as_bytes());
                }
            }
        }
    }
    out
}

/// Seven bits a byte, the lowest first; all but the last have the highest bit.
fn put_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_number(out, text.len());
    out.extend_from_slice(text);
}

fn parse(content: &[u8]) -> Option<Read<'_>> {
    let (kind, rest) = content.split_first()?;
    let mut rest = rest;
    let id = hex_id(take_text(&mut rest)?)?;
    let frame = match *kind {
        NAMES => Read::Names {
            id,
            files: take_list(&mut rest, take_str)?,
            renames: take_list(&mut rest, |rest| Some((take_str(rest)?, take_str(rest)?)))?,
        },
        FUNCTIONS => Read::Functions {
            id,
            functions: take_list(&mut rest, |rest| {
                take_list(rest, |rest| take_str(rest).map(Box::from))
            })?,
        },
        _ => return None,
    };
    rest.is_empty().then_some(frame)
}

fn hex_id(bytes: &[u8]) -> Option<ObjectId> {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    ObjectId::from_hex(&hex).ok()
}

fn take_number(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_number(rest)?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(text)
}

fn take_str<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(take_text(rest)?).ok()
}

fn take_list<'a, T>(
    rest: &mut &'a [u8],
    mut item: impl FnMut(&mut &'a [u8]) -> Option<T>,
) -> Option<Vec<T>> {
    let count = take_number(rest)?;
    // Each item has a byte at least, so a wrong count ends soon.
    (0..count).map(|_| item(rest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn names() -> Names {
        Names {
            files: vec![path("a.py"), path("x/".repeat(100).trim_end_matches('/'))],
            renames: vec![(path("b.py"), path("a.py"))],
        }
    }

    fn seen(path: &Path, shape: u64) -> Vec<String> {
        let mut seen = Vec::new();
        RecordsFile::open(path, shape, |frame| {
            seen.push(format!("{frame:?}"));
            Some(())
        })
        .unwrap();
        seen
    }

    #[test]
    fn frames_come_back_until_one_is_damaged() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("new/shop.records");
        let ids = ["1", "2"].map(|digit| ObjectId::from_hex(&digit.repeat(40)).unwrap());
        let functions = vec![vec!["f".into(), "größe".into()], vec![]];
        let mut records = RecordsFile::open(&file, 7, |_| None).unwrap();
        let frames = [
            (&ids[0], Frame::Names(&names())),
            (&ids[1], Frame::Names(&Names::default())),
            (&ids[0], Frame::Functions(&functions)),
        ];
        records.append(frames.into_iter()).unwrap();
        let whole = seen(&file, 7);
        assert_eq!(whole.len(), 3);
        assert!(whole[0].contains("a.py") && whole[0].contains("b.py"));
        assert!(whole[2].contains(r#"[["f", "größe"], []]"#), "{}", whole[2]);

        // A write that was cut off.
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() - 3]).unwrap();
        assert_eq!(seen(&file, 7), whole[..2]);
        let cut = std::fs::metadata(&file).unwrap().len();
        assert!(cut < bytes.len() as u64 - 3, "what is damaged is gone");

        // A byte that changed in the first frame.
        let mut damaged = bytes;
        damaged[HEAD_BYTES + 20] ^= 1;
        std::fs::write(&file, &damaged).unwrap();
        assert!(seen(&file, 7).is_empty());

        assert!(seen(&file, 8).is_empty());
        std::fs::write(&file, "no records at all").unwrap();
        assert!(seen(&file, 8).is_empty());
        assert_eq!(std::fs::metadata(&file).unwrap().len(), HEAD_BYTES as u64);
    }
}
