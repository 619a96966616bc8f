//! Reads text that a CI job wrote, as tools and shells encode it: UTF-8, UTF-16 with a byte order mark (Windows
//! PowerShell), or compressed with gzip. Binary data is refused. Start at [`open`].

use std::io::{self, BufRead, BufReader, Cursor, Read};

use encoding_rs::Encoding;
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;

/// Bytes at the start that are searched for a NUL byte, as many as git searches.
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

/// Opens a text as UTF-8 without a byte order mark. It may have invalid bytes.
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
    if Encoding::for_bom(head).is_none() {
        refuse_binary(head)?;
    }
    // Without the mark of UTF-16, the bytes pass unchanged.
    let utf8 = DecodeReaderBytesBuilder::new()
        .utf8_passthru(true)
        .strip_bom(true)
        .build(reader);
    Ok(Box::new(BufReader::new(utf8)))
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
            let is_read = |bytes: &[u8]| read(bytes).is_ok_and(|read| read == text);
            assert!(is_read(text.as_bytes()));
            assert!(is_read(format!("\u{feff}{text}").as_bytes()));
            assert!(is_read(&utf16(&text, u16::to_le_bytes)));
            assert!(is_read(&utf16(&text, u16::to_be_bytes)));
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(text.as_bytes()).unwrap();
            let packed = packed.finish().unwrap();
            assert!(is_read(&packed));
            assert!(read(&packed[..40]).is_err());
        }
        assert_eq!(read(b""), Ok(String::new()));
        assert_eq!(read(b"\xff\xfea\0\x3d\xd8b"), Ok("a\u{fffd}".to_owned()));
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
