//! Checks the parts of the service that read untrusted data, or data of operators: events of forges, names of commits,
//! settings. As in `engine.rs`, each function accepts any bytes.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use foveate::config::{Config, Overrides};
use foveate::forge::dialect::Dialect;
use foveate::forge::event::Event;
use foveate::forge::gitea::Gitea;
use foveate::forge::github::{GitHub, event};
use foveate::forge::gitlab::GitLab;
use foveate::forge::secret::Secret;
use foveate::ingest::git::reference;

/// Checks the payload of an event; the first byte selects its name.
pub fn event(data: &[u8]) {
    const NAMES: [&str; 5] = ["push", "issues", "issue_comment", "pull_request", "ping"];
    let Some((name, payload)) = data.split_first() else {
        return;
    };
    let _ = event::parse(NAMES[usize::from(*name) % NAMES.len()], payload);
    if let Ok(Event::Thread(event)) = event::parse_unnamed(payload) {
        assert!(event.thread.title.len() <= foveate::forge::event::MAX_TITLE_BYTES);
        assert!(event.thread.body.len() <= foveate::forge::event::MAX_BODY_BYTES);
    }
}

/// Checks a webhook: the first byte selects the forge, the first line is the signature, the second one the event.
/// Without the secret, no signature is accepted.
pub fn webhook(data: &[u8]) {
    let Some((forge, rest)) = data.split_first() else {
        return;
    };
    let (dialect, signature, event): (&dyn Dialect, _, _) = match forge % 3 {
        0 => (&GitHub, "x-hub-signature-256", "x-github-event"),
        1 => (&GitLab, "x-gitlab-token", "x-gitlab-event"),
        _ => (&Gitea, "x-gitea-signature", "x-gitea-event"),
    };
    let mut parts = rest.splitn(3, |byte| *byte == b'\n');
    let mut headers = HeaderMap::new();
    for name in [signature, event] {
        if let Ok(value) = HeaderValue::from_bytes(parts.next().unwrap_or_default()) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    let body = parts.next().unwrap_or_default();
    let secret = Secret::new("a secret that nobody guesses: 7c4f9b");
    let proof = dialect.proof(&headers);
    assert!(!proof.is_some_and(|proof| proof.is_valid(&secret, body)));
    let _ = dialect.event(&headers, body);
}

/// Checks the name of a commit: git cannot read an accepted one as an option or a range.
pub fn reference(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if reference::check(&text).is_ok() {
        assert!(
            !text.starts_with('-')
                && !text.contains("..")
                && !text.contains(['\n', '\0', ' ', ':'])
        );
    }
}

/// Checks a file with settings.
pub fn settings(data: &[u8]) {
    let path = std::env::temp_dir().join(format!("foveate-settings-{}.toml", std::process::id()));
    if std::fs::write(&path, data).is_ok() {
        let _ = Config::load(Some(&path), &Overrides::default());
        let _ = std::fs::remove_file(&path);
    }
}
