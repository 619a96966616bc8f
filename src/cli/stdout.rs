//! Standard output of commands. A reader that closes it early, such as `head`, has seen enough: this is no failure. Its
//! error has a type of its own, since other pipes break, too, such as the connection to a database. Errors of standard
//! error are ignored: they cannot be reported, and must not end the work.

use std::io::{self, StdoutLock, Write};

/// The reader of standard output closed it.
#[derive(Debug, thiserror::Error)]
#[error("standard output was closed")]
struct Closed;

/// Standard output.
#[derive(Debug)]
pub struct Stdout<W = StdoutLock<'static>>(W);

/// Returns standard output, locked.
pub fn stdout() -> Stdout {
    Stdout(io::stdout().lock())
}

impl<W: Write> Write for Stdout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(mark_closed)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(mark_closed)
    }
}

fn mark_closed(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => io::Error::new(io::ErrorKind::BrokenPipe, Closed),
        _ => error,
    }
}

/// Whether a command failed because the reader of standard output closed it.
pub fn is_closed(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let error = cause.downcast_ref::<io::Error>();
        let inner = error.and_then(io::Error::get_ref);
        inner.is_some_and(|inner| inner.is::<Closed>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_pipe_is_no_failure_on_standard_output_alone() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut closed = Stdout(writer);
        let error = writeln!(closed, "text").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert!(is_closed(&anyhow::Error::new(error).context("a report")));
        let elsewhere = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(!is_closed(&elsewhere.into()));
    }
}
