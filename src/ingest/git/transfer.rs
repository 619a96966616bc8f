//! Parses git's output during a clone or fetch into progress and errors.

use std::io::{BufReader, Read};

use super::command::MAX_ERROR_BYTES;
use crate::engine::{Phase, Progress};

/// Length at which a line is truncated, in bytes.
const LINE_BYTES: usize = 1024;

/// Prefixes of lines that are neither progress nor errors.
const IGNORED: [&str; 9] = [
    "Cloning into", "From ", " ", "hint:", "warning: redirecting", "remote: Enumerating objects",
    "remote: Counting objects", "remote: Compressing objects", "remote: Total ",
];

/// Reads git's standard error to its end, sets `progress`, and returns the error lines. Progress lines, which overwrite
/// each other, end with a carriage return.
pub fn errors(stderr: impl Read, progress: &Progress) -> String {
    let (mut line, mut errors) = (Vec::with_capacity(LINE_BYTES), String::new());
    for byte in BufReader::new(stderr).bytes() {
        // A read error is ignored: git's exit status shows whether it failed.
        let Ok(byte) = byte else { break };
        if matches!(byte, b'\r' | b'\n') {
            take(&String::from_utf8_lossy(&line), progress, &mut errors);
            line.clear();
        } else if line.len() < LINE_BYTES {
            line.push(byte);
        }
    }
    take(&String::from_utf8_lossy(&line), progress, &mut errors);
    errors
}

fn take(line: &str, progress: &Progress, errors: &mut String) {
    if let Some((phase, done, total)) = parse_progress(line) {
        progress.set(phase, done, total);
        return;
    }
    let is_ignored = IGNORED.iter().any(|ignored| line.starts_with(ignored));
    let is_error = !line.trim().is_empty() && !is_ignored;
    if is_error && errors.len() + line.len() < MAX_ERROR_BYTES {
        errors.push_str(line);
        errors.push('\n');
    }
}

/// Parses the phase and the numbers in `Receiving objects:  42% (123/293), 1.2 MiB | 3 MiB/s`.
fn parse_progress(line: &str) -> Option<(Phase, usize, usize)> {
    let (title, rest) = line.split_once(':')?;
    let phase = match title {
        "Receiving objects" => Phase::Fetching,
        "Resolving deltas" => Phase::Unpacking,
        _ => return None,
    };
    let (numbers, _) = rest.split_once("% (")?.1.split_once(')')?;
    let (done, total) = numbers.split_once('/')?;
    Some((phase, done.parse().ok()?, total.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_and_errors_are_separated() {
        let progress = Progress::default();
        let text = "Cloning into bare repository '/x'...\nremote: Counting objects: 5, done.\n\
                    Receiving objects:  41% (5/12)\rReceiving objects:  50% (6/12), 1.00 MiB\r";
        assert_eq!(errors(text.as_bytes(), &progress), "");
        assert_eq!(progress.read(), (Phase::Fetching, 6, 12));
        let text = "Resolving deltas: 100% (3/3), done.\nfatal: early EOF\nfatal: no";
        let errors = errors(text.as_bytes(), &progress);
        assert_eq!(progress.read(), (Phase::Unpacking, 3, 3));
        assert_eq!(errors, "fatal: early EOF\nfatal: no\n");
    }
}
