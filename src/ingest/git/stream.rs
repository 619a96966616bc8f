//! Runs git and reads its output piece by piece, so that memory stays bounded for any repository. Git is
//! ended when the time is over or the work is asked to stop.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};

use super::process::{self, RunLimits};
use super::{GitError, command};

/// Size of the read buffer.
const BUFFER_BYTES: usize = 1 << 18;

/// Runs git with `input`, and passes its output to `take` in pieces that are terminated by `end`, each
/// truncated after `max_bytes`.
///
/// # Errors
/// When git fails or has to be ended. The pieces passed until then are valid, except for the last one.
pub fn pieces(
    command: &mut Command,
    input: &[u8],
    (end, max_bytes): (u8, usize),
    run_limits: &RunLimits<'_>,
    take: &mut dyn FnMut(&[u8]),
) -> Result<(), GitError> {
    command.stdin(Stdio::piped());
    let ended = process::run(
        command,
        run_limits,
        // If git exits before it has read all of it, its exit status shows that.
        |mut stdin| stdin.write_all(input),
        |stdout| {
            let mut reader = BufReader::with_capacity(BUFFER_BYTES, stdout);
            split(&mut reader, end, max_bytes, take)
        },
        process::drain,
    )?;
    ended.output?;
    match ended.status.success() {
        true => Ok(()),
        false => Err(command::failure(command, &ended.errors)),
    }
}

fn split(
    reader: &mut impl BufRead,
    end: u8,
    max_bytes: usize,
    take: &mut dyn FnMut(&[u8]),
) -> std::io::Result<()> {
    let mut piece = Vec::with_capacity(max_bytes);
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let found = buffer.iter().position(|byte| *byte == end);
        let part = &buffer[..found.unwrap_or(buffer.len())];
        let room = max_bytes - piece.len();
        piece.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(found.is_some());
        reader.consume(used);
        if found.is_some() {
            take(&piece);
            piece.clear();
        }
    }
    if !piece.is_empty() {
        take(&piece);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pieces_are_truncated() {
        let text = b"short\nmuch too long\n\nlast";
        let mut seen = Vec::new();
        let mut reader = BufReader::with_capacity(3, &text[..]);
        split(&mut reader, b'\n', 6, &mut |piece| {
            seen.push(String::from_utf8_lossy(piece).into_owned());
        })
        .unwrap();
        assert_eq!(seen, ["short", "much t", "", "last"]);
    }
}
