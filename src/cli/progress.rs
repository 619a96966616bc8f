//! Shows the progress of work on standard error: a bar on a terminal, a spinner while the total is unknown, and
//! without a terminal a line every few seconds.

use std::io::Write as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::engine::Phase;

const BAR: &str = "{prefix}{msg:9} {wide_bar} {pos}/{len}";
const SPINNER: &str = "{prefix}{msg:9} {spinner}";
/// Time between two updates of a terminal.
const TICK: Duration = Duration::from_millis(50);
/// Time between two lines where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(3);

/// A phase of the work, the number of its steps that are done, and their total; 0 where a number is unknown.
pub type ProgressStep = (Phase, usize, usize);

/// A display of one piece of work.
#[derive(Debug)]
pub struct Display {
    /// It is hidden where standard error is no terminal.
    bar: ProgressBar,
    next_line: Instant,
}

impl Display {
    /// Creates a display that starts with `prefix`.
    pub fn new(prefix: &str) -> Self {
        let gap = if prefix.is_empty() { "" } else { " " };
        Self {
            bar: ProgressBar::new(0).with_prefix(format!("{prefix}{gap}")),
            next_line: Instant::now() + LINE_INTERVAL,
        }
    }

    /// Shows a step. Without a terminal, returns a line to print once every [`LINE_INTERVAL`].
    pub fn show(&mut self, step: ProgressStep) -> Option<String> {
        if !self.bar.is_hidden() {
            draw(&self.bar, step);
            return None;
        }
        if Instant::now() < self.next_line {
            return None;
        }
        self.next_line = Instant::now() + LINE_INTERVAL;
        Some(line(step))
    }

    /// Clears the bar from the terminal.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn draw(bar: &ProgressBar, (phase, done, total): ProgressStep) {
    // indicatif draws a bar of length 0 as full.
    let template = if total > 0 { BAR } else { SPINNER };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(phase.name());
    bar.set_length(total as u64);
    bar.set_position(done as u64);
    bar.tick();
}

fn line((phase, done, total): ProgressStep) -> String {
    match (phase.name(), done, total) {
        (phase, 0, 0) => phase.to_owned(),
        (phase, done, 0) => format!("{phase} {done}"),
        (phase, done, total) => format!("{phase} {done}/{total}"),
    }
}

/// A thread that shows the progress of another thread's work on standard error.
#[derive(Debug)]
pub struct ProgressThread {
    done: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl ProgressThread {
    /// Polls `step` and shows it until [`Self::stop`].
    pub fn start(step: impl Fn() -> ProgressStep + Send + 'static) -> Self {
        let (done, is_done) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut display = Display::new("");
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if let Some(line) = display.show(step()) {
                    // A closed standard error must not end the work.
                    let _ = writeln!(std::io::stderr(), "{line}");
                }
            }
            display.finish();
        });
        Self { done, thread }
    }

    /// Ends the thread and clears the bar from the terminal.
    pub fn stop(self) {
        drop(self.done);
        let _ = self.thread.join();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use indicatif::{ProgressDrawTarget, TermLike};

    use super::*;

    /// A terminal that records its output.
    #[derive(Clone, Debug, Default)]
    struct Terminal(Arc<Mutex<String>>);

    impl Terminal {
        fn take_output(&self) -> String {
            std::mem::take(&mut self.0.lock())
        }
    }

    impl TermLike for Terminal {
        fn width(&self) -> u16 {
            60
        }
        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> std::io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> std::io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn unknown_total_shows_no_full_bar() {
        let terminal = Terminal::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 255);
        let bar = ProgressBar::with_draw_target(Some(0), target).with_prefix("shop ");
        let shown = |step| {
            // Updates that follow each other faster than the refresh rate are not drawn.
            std::thread::sleep(Duration::from_millis(20));
            draw(&bar, step);
            terminal.take_output()
        };
        let listing = shown((Phase::Listing, 0, 0));
        assert!(listing.contains("shop listing"), "{listing:?}");
        assert!(
            !listing.contains('█') && !listing.contains("0/0"),
            "{listing:?}"
        );
        let reading = shown((Phase::Reading, 1, 2));
        assert!(
            reading.contains('█') && reading.contains("1/2"),
            "{reading:?}"
        );
        let building = shown((Phase::Building, 0, 0));
        assert!(!building.contains('█'), "{building:?}");
    }

    #[test]
    fn lines_are_printed_at_intervals() {
        let lines = [
            (Phase::Listing, 0, 0),
            (Phase::History, 2000, 0),
            (Phase::Reading, 3, 70),
        ];
        assert_eq!(lines.map(line), ["listing", "history 2000", "reading 3/70"]);
        let mut display = Display {
            bar: ProgressBar::hidden(),
            next_line: Instant::now() + LINE_INTERVAL,
        };
        assert_eq!(display.show(lines[0]), None, "not at once");
        display.next_line = Instant::now();
        assert_eq!(display.show(lines[0]).as_deref(), Some("listing"));
        assert_eq!(display.show(lines[0]), None, "not twice");
    }
}
