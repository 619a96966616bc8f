//! Runs git and reads its output piece by piece, so that memory stays bounded for any repository. Git is
//! ended when the time is over or the work is asked to stop.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStderr, Command, Stdio};

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
    run_limits.check()?;
    let _timed = process::timed(run_limits);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process::start(command, run_limits)?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (read, errors) = process::watched(&mut child, run_limits, |threads| {
        let errors = threads.spawn(move || stderr.map(drain).unwrap_or_default());
        if let Some(mut stdin) = stdin {
            // Git reads all input before it writes. If it exits early, its exit status shows that.
            let _ = stdin.write_all(input);
        }
        let read = stdout.map_or(Ok(()), |stdout| {
            let mut reader = BufReader::with_capacity(BUFFER_BYTES, stdout);
            split(&mut reader, end, max_bytes, take)
        });
        (read, errors.join().unwrap_or_default())
    });
    if read.is_err() {
        process::end(&mut child);
    }
    let status = child.wait()?;
    if status.success() {
        return Ok(read?);
    }
    run_limits.check()?;
    read?;
    process::refuse_killed(command, status)?;
    Err(command::failure(command, &errors))
}

/// Reads all of git's error output, so that git never blocks on it, and returns the beginning.
pub(super) fn drain(stderr: ChildStderr) -> Vec<u8> {
    let mut reader = BufReader::new(stderr);
    let mut kept = Vec::new();
    let kept_bytes = command::MAX_ERROR_BYTES as u64;
    let _ = reader.by_ref().take(kept_bytes).read_to_end(&mut kept);
    let _ = std::io::copy(&mut reader, &mut std::io::sink());
    kept
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
