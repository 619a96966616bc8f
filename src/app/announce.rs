//! What `foveate serve` tells the person who started it: where it listens, how far indexing has
//! come, and a line to paste.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use foveate_model::escape::escape;
use tokio_util::sync::CancellationToken;

use crate::access::Grant;
use crate::cli::progress::Display;
use crate::engine::{Engine, Repository, State};

/// Where the service listens, and what it asks for there.
pub struct Address {
    /// Its URL.
    pub url: String,
    /// Whether requests need a token.
    pub needs_token: bool,
}

/// Tells on standard output, until everything that was registered at the start has its first index
/// or failed, or `stop` is cancelled.
pub async fn announce(
    Address { url, needs_token }: Address,
    engine: Arc<Engine>,
    watched: Vec<Arc<Repository>>,
    stop: CancellationToken,
) {
    say(&format!(
        "foveate {} listens on {url}",
        env!("CARGO_PKG_VERSION")
    ));
    let repositories = engine.repositories(&Grant::unrestricted());
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
    let token = if needs_token {
        " -H \"authorization: Bearer $FOVEATE_TOKEN\""
    } else {
        ""
    };
    let asked = watched.first().or(repositories.first());
    match asked {
        Some(repository) => say(&format!(
            "ask:  curl -s {url}/context{token} -H 'content-type: application/json' -H 'accept: text/markdown' -d '{{\"repo\": \"{}\", \"query\": \"where is the command line parsed?\"}}'",
            repository.name()
        )),
        None => say(&format!(
            "add:  curl -s {url}/repos{token} -H 'content-type: application/json' -d '{{\"name\": \"my-repo\", \"source\": {{\"path\": \"/path/to/my-repo\"}}}}'"
        )),
    }
}

/// Waits for the first index, with a bar on a terminal and a line now and then otherwise.
async fn first_index(repository: &Repository) {
    let mut changes = repository.changes();
    let name = repository.name();
    let mut display = Display::new(name.as_str());
    while repository.status().state == State::Indexing {
        if let Some(line) = display.show(repository.progress().read()) {
            say(&format!("{name}: {line}"));
        }
        // Whichever comes first; the sender lives as long as the repository.
        let _ = tokio::time::timeout(Duration::from_millis(100), changes.changed()).await;
    }
    display.finish();
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
