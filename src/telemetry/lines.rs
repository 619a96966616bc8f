//! Log lines that are safe to show: field values come from repositories and from clients, and a file
//! name may hold what a terminal obeys or a line end that would begin a line of its own.

use std::fmt::{Debug, Write as _};
use std::io;

use foveate_model::escape::{self, Escaping};
use tracing::field::Field;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

/// The fields of a text line, `message name=value …`, their values escaped.
pub fn escaped_fields() -> impl for<'w> FormatFields<'w> + Send + Sync + 'static {
    let write = |writer: &mut Writer<'_>, field: &Field, value: &dyn Debug| {
        match field.name() {
            "message" => {}
            // Where libraries' events come from: their level and time are told already.
            name if name.starts_with("log.") => return Ok(()),
            name => write!(writer, "{name}=")?,
        }
        write!(Escaping(writer), "{value:?}")
    };
    debug_fn(write).delimited(" ")
}

/// Writes whole JSON lines to `W` with their unsafe characters as JSON escapes; what the lines say
/// stays the same.
#[derive(Debug)]
pub struct JsonLines<W>(pub W);

impl<W: io::Write> io::Write for JsonLines<W> {
    /// `bytes` are one whole line, as the formatter of events gives it.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(bytes);
        self.0.write_all(escape::json(&line).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use serde_json::Value;

    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::registry;

    use super::*;

    const HOSTILE: &str = "a\n2026-01-01 INFO fake\u{1b}[2J\u{9b}1m\u{202e}\u{2028}.py";

    #[derive(Clone, Default)]
    pub struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Kept {
        pub fn text(&self) -> String {
            String::from_utf8(self.0.lock().clone()).unwrap()
        }
    }

    fn log_all() {
        let span = tracing::info_span!("reading", root = HOSTILE);
        let _inside = span.enter();
        tracing::warn!(
            file = %HOSTILE,
            error = HOSTILE,
            list = ?[HOSTILE],
            log.target = "library",
            "damaged: {HOSTILE}"
        );
    }

    #[test]
    fn text_lines_hold_no_unsafe_character() {
        let kept = Kept::default();
        let writer = kept.clone();
        let subscriber = registry().with(super::super::text_lines(move || writer.clone(), false));
        tracing::subscriber::with_default(subscriber, log_all);
        let text = kept.text();
        let line = text.strip_suffix('\n').unwrap();
        assert!(!escape::has_unsafe(line), "{line:?}");
        assert!(line.contains(" damaged: a\\n2026"), "{line}");
        assert!(
            line.contains(" file=a\\n2026-01-01 INFO fake\\u{1b}[2J\\u{9b}1m\\u{202e}\\u{2028}.py")
        );
        assert!(
            line.contains(" error=") && line.contains("reading{root="),
            "{line}"
        );
        assert!(!line.contains("log."), "{line}");
    }

    #[test]
    fn json_lines_say_the_same_without_unsafe_characters() {
        let kept = Kept::default();
        let writer = kept.clone();
        let subscriber = registry().with(super::super::json_lines(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, log_all);
        let text = kept.text();
        let line = text.strip_suffix('\n').unwrap();
        assert!(!escape::has_unsafe(line), "{line:?}");
        let read: Value = serde_json::from_str(line).unwrap();
        assert_eq!(read["file"], HOSTILE);
        assert_eq!(read["error"], HOSTILE);
    }
}
