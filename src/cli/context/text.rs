//! Reads text that a CI job wrote, as tools and shells encode it: UTF-8, UTF-16 with a byte order mark (Windows
//! PowerShell), or compressed with gzip. Binary data is refused. Start at [`open`].

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;

/// Bytes at the start that are searched for a NUL byte, as many as git searches; also the unit of decoding.
const HEAD_BYTES: u64 = 8_000;
const GZIP: &[u8] = b"\x1f\x8b";
/// The first bytes of archives and compressed files that are not supported, and what to do with them.
const COMPRESSED: [(&[u8], &str); 4] = [
    (
        b"PK\x03\x04",
        "a zip archive: unpack it, and pass the text in it",
    ),
    (b"\xfd7zXZ\0", "compressed with xz: decompress it first"),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed with zstd: decompress it first",
    ),
    (b"BZh", "compressed with bzip2: decompress it first"),
];

/// Opens a text as UTF-8, which may have a byte order mark and invalid bytes.
///
/// # Errors
/// When it cannot be read, or is not text.
pub(super) fn open<'r>(reader: impl Read + 'r) -> io::Result<Box<dyn BufRead + 'r>> {
    let (head, reader) = with_head(reader)?;
    if head.starts_with(GZIP) {
        let (head, reader) = with_head(MultiGzDecoder::new(reader))?;
        return decoded(&head, reader);
    }
    decoded(&head, reader)
}

/// Reads the first bytes. Returns them, and a reader of the whole data.
fn with_head<'r>(mut reader: impl Read + 'r) -> io::Result<(Vec<u8>, impl Read + 'r)> {
    let mut head = Vec::new();
    reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok((head.clone(), Cursor::new(head).chain(reader)))
}

fn decoded<'r>(head: &[u8], reader: impl Read + 'r) -> io::Result<Box<dyn BufRead + 'r>> {
    let unit: fn([u8; 2]) -> u16 = match head {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            refuse_binary(head)?;
            return Ok(Box::new(BufReader::new(reader)));
        }
    };
    let utf16 = Utf16 {
        reader,
        unit,
        unread: Vec::new(),
        ready: Cursor::default(),
    };
    Ok(Box::new(BufReader::new(utf16)))
}

fn refuse_binary(head: &[u8]) -> io::Result<()> {
    let compressed = COMPRESSED.iter().find(|(start, _)| head.starts_with(start));
    let reason = match compressed {
        Some((_, reason)) => format!("it is {reason}"),
        None if head.contains(&0) => "it is binary (it contains NUL bytes): pass a text".to_owned(),
        None => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, reason))
}

/// Converts UTF-16 to UTF-8.
struct Utf16<R> {
    reader: R,
    unit: fn([u8; 2]) -> u16,
    /// The bytes of an incomplete character at the end of the last read.
    unread: Vec<u8>,
    ready: Cursor<Vec<u8>>,
}

impl<R: Read> Utf16<R> {
    /// Decodes the next bytes. Returns false at the end.
    fn decode_more(&mut self) -> io::Result<bool> {
        let mut bytes = std::mem::take(&mut self.unread);
        let read = self
            .reader
            .by_ref()
            .take(HEAD_BYTES)
            .read_to_end(&mut bytes)?;
        let (pairs, rest) = bytes.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(|pair| (self.unit)(*pair)).collect();
        let mut kept = rest.len();
        let is_high_surrogate = |unit: &u16| (0xd800..0xdc00).contains(unit);
        if read > 0 && units.last().is_some_and(is_high_surrogate) {
            units.pop();
            kept += 2;
        }
        self.unread = bytes.split_off(bytes.len() - kept);
        self.ready = Cursor::new(String::from_utf16_lossy(&units).into_bytes());
        Ok(read > 0 || !self.ready.get_ref().is_empty())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.ready.read(out)?;
            if read > 0 || out.is_empty() || !self.decode_more()? {
                return Ok(read);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        let mut text = String::new();
        let mut reader = open(bytes).map_err(|error| error.to_string())?;
        let read = reader.read_to_string(&mut text);
        read.map(|_| text).map_err(|error| error.to_string())
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(bytes).collect()
    }

    #[test]
    fn text_is_read_in_all_supported_encodings() {
        // Surrogate pairs are split by the ends of reads.
        for text in ["error: \u{1f980} é\n".repeat(3_000), "🦀".repeat(9_000)] {
            let marked = format!("\u{feff}{text}");
            assert_eq!(read(text.as_bytes()).as_ref(), Ok(&text));
            assert_eq!(read(&utf16(&text, u16::to_le_bytes)).as_ref(), Ok(&marked));
            assert_eq!(read(&utf16(&text, u16::to_be_bytes)).as_ref(), Ok(&marked));
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(text.as_bytes()).unwrap();
            let packed = packed.finish().unwrap();
            assert_eq!(read(&packed).as_ref(), Ok(&text));
            assert!(read(&packed[..40]).is_err());
        }
        assert_eq!(read(b""), Ok(String::new()));
        assert_eq!(
            read(b"\xff\xfea\0\x3d\xd8b"),
            Ok("\u{feff}a\u{fffd}".to_owned())
        );
    }

    #[test]
    fn binary_input_is_refused_with_advice() {
        for (bytes, reason) in [
            (&b"PK\x03\x04\x14\0"[..], "zip archive: unpack it"),
            (b"\x28\xb5\x2f\xfd\0", "zstd: decompress"),
            (b"\xfd7zXZ\0\0", "xz: decompress"),
            (b"BZh91AY", "bzip2: decompress"),
            (b"\x7fELF\x02\0", "NUL bytes"),
        ] {
            let error = read(bytes).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
