//! Formats log lines that are safe to show. Field values come from repositories and clients: a file name may hold
//! control characters, or a line break that would start a forged line.

use std::fmt::{Debug, Write as _};
use std::io;

use foveate_model::escape::{self, Escaping};
use tracing::field::Field;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

/// Formats the fields of a text line, `message name=value …`, with escaped values.
pub fn escaped_fields() -> impl for<'w> FormatFields<'w> + Send + Sync + 'static {
    let write = |writer: &mut Writer<'_>, field: &Field, value: &dyn Debug| {
        match field.name() {
            "message" => {}
            // The origin of events that libraries log; their level and time are in the line already.
            name if name.starts_with("log.") => return Ok(()),
            name => write!(writer, "{name}=")?,
        }
        write!(Escaping(writer), "{value:?}")
    };
    debug_fn(write).delimited(" ")
}

/// Writes whole JSON lines to `W`, with unsafe characters as JSON escapes; the value of a line does not change.
#[derive(Debug)]
pub struct JsonLines<W>(pub W);

impl<W: io::Write> io::Write for JsonLines<W> {
    /// `bytes` is one whole line, because the event formatter writes each line in one call.
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
    pub struct CapturedLog(Arc<Mutex<Vec<u8>>>);

    impl io::Write for CapturedLog {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl CapturedLog {
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
        let captured = CapturedLog::default();
        let writer = captured.clone();
        let subscriber = registry().with(super::super::text_lines(move || writer.clone(), false));
        tracing::subscriber::with_default(subscriber, log_all);
        let text = captured.text();
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
    fn json_lines_keep_values_without_unsafe_characters() {
        let captured = CapturedLog::default();
        let writer = captured.clone();
        let subscriber = registry().with(super::super::json_lines(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, log_all);
        let text = captured.text();
        let line = text.strip_suffix('\n').unwrap();
        assert!(!escape::has_unsafe(line), "{line:?}");
        let read: Value = serde_json::from_str(line).unwrap();
        assert_eq!(read["file"], HOSTILE);
        assert_eq!(read["error"], HOSTILE);
    }
}
