//! Tells the person who started `foveate serve` where it listens and how far indexing has come, and prints a command to
//! paste.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use foveate_model::escape::escape;
use tokio_util::sync::CancellationToken;

use crate::access::Grant;
use crate::cli::progress::Display;
use crate::engine::{Engine, Repository, State};

/// Prints on standard output the `url` of the service, each repository that was registered at the start once it has its
/// first index or failed, and then how to ask. Ends early when `stop` is cancelled.
pub async fn announce(
    url: String,
    needs_token: bool,
    engine: Arc<Engine>,
    watched: Vec<Arc<Repository>>,
    stop: CancellationToken,
) {
    print_line(&format!(
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
        print_line(&result(repository));
    }
    let token = if needs_token {
        " -H \"authorization: Bearer $FOVEATE_TOKEN\""
    } else {
        ""
    };
    let asked = watched.first().or(repositories.first());
    match asked {
        Some(repository) => print_line(&format!(
            "ask:  curl -s {url}/context{token} -H 'content-type: application/json' -H 'accept: text/markdown' -d '{{\"repo\": \"{}\", \"query\": \"where is the command line parsed?\"}}'",
            repository.name
        )),
        None => print_line(&format!(
            "add:  curl -s {url}/repos{token} -H 'content-type: application/json' -d '{{\"name\": \"my-repo\", \"source\": {{\"path\": \"/path/to/my-repo\"}}}}'"
        )),
    }
}

/// Waits for the first index, with a bar on a terminal, else a line every few seconds.
async fn first_index(repository: &Repository) {
    let mut changes = repository.changes();
    let name = &repository.name;
    let mut display = Display::new(name.as_str());
    while repository.status().state == State::Indexing {
        if let Some(line) = display.show(repository.progress.read()) {
            print_line(&format!("{name}: {line}"));
        }
        // Redraws at a change or after the timeout. The sender lives as long as the repository.
        let _ = tokio::time::timeout(Duration::from_millis(100), changes.changed()).await;
    }
    display.finish();
}

fn result(repository: &Repository) -> String {
    let name = &repository.name;
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

/// Prints one line. It is escaped, because error texts may hold anything.
fn print_line(line: &str) {
    // A closed standard output must not end the server.
    let _ = writeln!(std::io::stdout(), "{}", escape(line));
}
