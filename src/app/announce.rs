//! What `foveate serve` tells the person who started it: where it listens, how far indexing has
//! come, and a line to paste.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use foveate_model::escape::escape;
use indicatif::{ProgressBar, ProgressStyle};
use tokio_util::sync::CancellationToken;

use crate::engine::{Engine, Repository, State};

/// Tells on standard output, until everything that was registered at the start has its first index
/// or failed, or `stop` is cancelled.
pub async fn announce(
    url: String,
    engine: Arc<Engine>,
    watched: Vec<Arc<Repository>>,
    stop: CancellationToken,
) {
    say(&format!(
        "foveate {} listens on {url}",
        env!("CARGO_PKG_VERSION")
    ));
    let repositories = engine.repositories();
    for repository in &repositories {
        if stop
            .run_until_cancelled(first_index(repository))
            .await
            .is_none()
        {
            return;
        }
        say(&result(repository));
    }
    let asked = watched.first().or(repositories.first());
    match asked {
        Some(repository) => say(&format!(
            "ask:  curl -s {url}/context -H 'content-type: application/json' -d '{{\"repo\": \"{}\", \"query\": \"where is the command line parsed?\"}}'",
            repository.name()
        )),
        None => say(&format!(
            "add:  curl -s {url}/repos -H 'content-type: application/json' -d '{{\"name\": \"my-repo\", \"source\": {{\"path\": \"/path/to/my-repo\"}}}}'"
        )),
    }
}

/// Waits for the first index, with a bar on a terminal and a line now and then otherwise.
async fn first_index(repository: &Repository) {
    let mut changes = repository.changes();
    let bar = bar(repository);
    let mut ticks = 0_u32;
    while repository.status().state == State::Indexing {
        let (phase, done, total) = repository.progress().read();
        match &bar {
            Some(bar) => {
                bar.set_message(phase.name());
                bar.set_length(total as u64);
                bar.set_position(done as u64);
            }
            // Every two seconds.
            None if ticks % 20 == 19 => say(&format!(
                "{}: {} {done}/{total}",
                repository.name(),
                phase.name()
            )),
            None => {}
        }
        ticks += 1;
        // Whichever comes first; the sender lives as long as the repository.
        let _ = tokio::time::timeout(Duration::from_millis(100), changes.changed()).await;
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn bar(repository: &Repository) -> Option<ProgressBar> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::new(0).with_prefix(repository.name().to_string());
    let style = ProgressStyle::with_template("{prefix} {msg:9} {wide_bar} {pos}/{len}").ok()?;
    Some(bar.with_style(style))
}

fn result(repository: &Repository) -> String {
    let name = repository.name();
    match (repository.current(), &repository.status().error) {
        (Some(current), _) => format!(
            "{name}: {} files, {} definitions",
            current.snapshot.files.len(),
            current.snapshot.files.definition_count()
        ),
        (None, Some(error)) => format!("{name}: {error}"),
        (None, None) => format!("{name}: removed"),
    }
}

/// Prints one line, whatever the failure that it tells of says.
fn say(line: &str) {
    // Nobody may be reading any more.
    let _ = writeln!(std::io::stdout(), "{}", escape(line));
}
