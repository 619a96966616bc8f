//! What git says while it copies: how far it has come, and what it complains of.

use std::io::{BufReader, Read};

use crate::engine::{Phase, Progress};

/// More of what git complains of is not kept.
const COMPLAINT_BYTES: usize = 4096;
/// Longest line that is looked at, in bytes.
const LINE_BYTES: usize = 1024;

/// Beginnings of lines that are neither.
const NEWS: [&str; 9] = [
    "Cloning into",
    "From ",
    " ",
    "hint:",
    "warning: redirecting",
    "remote: Enumerating objects",
    "remote: Counting objects",
    "remote: Compressing objects",
    "remote: Total ",
];

/// Reads what git says.
#[derive(Debug)]
pub struct Transfer<'a> {
    progress: &'a Progress,
    complaints: String,
}

impl<'a> Transfer<'a> {
    /// Nothing was said yet.
    pub fn new(progress: &'a Progress) -> Self {
        Self {
            progress,
            complaints: String::new(),
        }
    }

    /// Reads to the end. A line that is to be written over ends with a carriage return.
    pub fn read(&mut self, stderr: impl Read) {
        let mut line = Vec::with_capacity(LINE_BYTES);
        for byte in BufReader::new(stderr).bytes() {
            // What cannot be read is not said; how git ended tells the rest.
            let Ok(byte) = byte else { break };
            if matches!(byte, b'\r' | b'\n') {
                self.take(&String::from_utf8_lossy(&line));
                line.clear();
            } else if line.len() < LINE_BYTES {
                line.push(byte);
            }
        }
        self.take(&String::from_utf8_lossy(&line));
    }

    /// What git complained of.
    pub fn complaints(&self) -> &str {
        &self.complaints
    }

    fn take(&mut self, line: &str) {
        if let Some((phase, done, total)) = position(line) {
            self.progress.at(phase, done, total);
            return;
        }
        let is_news = NEWS.iter().any(|news| line.starts_with(news));
        let is_complaint = !line.trim().is_empty() && !is_news;
        if is_complaint && self.complaints.len() + line.len() < COMPLAINT_BYTES {
            self.complaints.push_str(line);
            self.complaints.push('\n');
        }
    }
}

/// The phase and the numbers in `Receiving objects:  42% (123/293), 1.2 MiB | 3 MiB/s`.
fn position(line: &str) -> Option<(Phase, usize, usize)> {
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
    fn progress_and_complaints_are_told_apart() {
        let progress = Progress::default();
        let mut transfer = Transfer::new(&progress);
        let said = "Cloning into bare repository '/x'...\nremote: Counting objects: 5, done.\n\
                    Receiving objects:  41% (5/12)\rReceiving objects:  50% (6/12), 1.00 MiB\r";
        transfer.read(said.as_bytes());
        assert_eq!(progress.read(), (Phase::Fetching, 6, 12));
        assert_eq!(transfer.complaints(), "");
        transfer.read(&b"Resolving deltas: 100% (3/3), done.\nfatal: early EOF\nfatal: no"[..]);
        assert_eq!(progress.read(), (Phase::Unpacking, 3, 3));
        assert_eq!(transfer.complaints(), "fatal: early EOF\nfatal: no\n");
    }
}
