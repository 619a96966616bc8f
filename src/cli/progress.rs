//! Shows a person how far work has come: a bar on a terminal, or a spinner where nobody knows how much
//! there is, and a line now and then where standard error is no terminal.

use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::engine::Phase;

const BAR: &str = "{prefix}{msg:9} {wide_bar} {pos}/{len}";
const SPINNER: &str = "{prefix}{msg:9} {spinner}";
/// How often a terminal is written to.
const TICK: Duration = Duration::from_millis(50);
/// Time between two lines.
const LINES: Duration = Duration::from_secs(3);

/// A phase of the work, and how many of its steps are done, of how many; 0 where that is not known.
pub type Step = (Phase, usize, usize);

/// A display of one piece of work.
#[derive(Debug)]
pub struct Display {
    /// On a terminal.
    bar: Option<ProgressBar>,
    next_line: Instant,
}

impl Display {
    /// A display that begins with `prefix`.
    pub fn new(prefix: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let prefix = match prefix {
                "" => String::new(),
                prefix => format!("{prefix} "),
            };
            ProgressBar::new(0).with_prefix(prefix)
        });
        Self {
            bar,
            next_line: Instant::now() + LINES,
        }
    }

    /// Shows where the work is. Where there is no terminal it gives, now and then, a line to be printed.
    pub fn show(&mut self, step: Step) -> Option<String> {
        if let Some(bar) = &self.bar {
            draw(bar, step);
            return None;
        }
        if Instant::now() < self.next_line {
            return None;
        }
        self.next_line = Instant::now() + LINES;
        Some(line(step))
    }

    /// Leaves nothing on the terminal.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn draw(bar: &ProgressBar, (phase, done, total): Step) {
    // A bar of no steps would be a full one.
    let template = if total > 0 { BAR } else { SPINNER };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(phase.name());
    bar.set_length(total as u64);
    bar.set_position(done as u64);
    bar.tick();
}

fn line((phase, done, total): Step) -> String {
    match (phase.name(), done, total) {
        (phase, 0, 0) => phase.to_owned(),
        (phase, done, 0) => format!("{phase} {done}"),
        (phase, done, total) => format!("{phase} {done}/{total}"),
    }
}

/// Shows, from a thread of its own, how far the work of another one has come, on standard error.
#[derive(Debug)]
pub struct Watching {
    done: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Watching {
    /// Shows what `step` tells until [`Self::stop`].
    pub fn start(step: impl Fn() -> Step + Send + 'static) -> Self {
        let (done, is_done) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut display = Display::new("");
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if let Some(line) = display.show(step()) {
                    // Nobody may be reading any more.
                    let _ = writeln!(std::io::stderr(), "{line}");
                }
            }
            display.finish();
        });
        Self { done, thread }
    }

    /// Leaves nothing on the terminal.
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

    /// A terminal that remembers what was written to it.
    #[derive(Clone, Debug, Default)]
    struct Terminal(Arc<Mutex<String>>);

    impl Terminal {
        fn taken(&self) -> String {
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
    fn what_has_no_known_end_is_no_full_bar() {
        let terminal = Terminal::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 255);
        let bar = ProgressBar::with_draw_target(Some(0), target).with_prefix("shop ");
        let shown = |step| {
            // It draws so often and no more.
            std::thread::sleep(Duration::from_millis(20));
            draw(&bar, step);
            terminal.taken()
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
    fn a_line_says_what_is_known() {
        let lines = [
            (Phase::Listing, 0, 0),
            (Phase::History, 2000, 0),
            (Phase::Reading, 3, 70),
        ];
        assert_eq!(lines.map(line), ["listing", "history 2000", "reading 3/70"]);
        let mut display = Display {
            bar: None,
            next_line: Instant::now() + LINES,
        };
        assert_eq!(display.show(lines[0]), None, "not at once");
        display.next_line = Instant::now();
        assert_eq!(display.show(lines[0]).as_deref(), Some("listing"));
        assert_eq!(display.show(lines[0]), None, "not twice");
    }
}
