//! Checks who can reach the server: its address, its keys, its certificate.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::access::check_token_file;
use crate::app::service::local_url;
use crate::app::settings::tls_files;
use crate::cli::doctor::Finding;
use crate::config::Config;
use crate::disk::{LockHolder, is_readable_by_others};
use crate::forge::client::root_cause;
use crate::http::tls::Tls;
use crate::store::{DatabaseReport, KeyRow, now_millis};

/// Time limit for a server on this machine to answer. It waits up to 5 s for its database.
const TIME_LIMIT: Duration = Duration::from_secs(8);

/// Checks whether the address is free or, if a server runs, whether it answers there.
pub(super) async fn listener(config: &Config, holder: LockHolder) -> Finding {
    let listen = config.server.listen;
    let LockHolder::Process(process) = holder else {
        return free(listen);
    };
    let process = process.map_or_else(|| "a server".to_owned(), |n| format!("process {n}"));
    let url = local_url(listen, tls_files(config).is_some()) + "/readyz";
    match probe(&url).await {
        Ok(status) => Finding::ok(
            "server",
            format!("{process} runs and answers at {url}: {status}"),
        ),
        Err(reason) => Finding::warning(
            "server",
            format!("{process} uses the data directory, but nothing answers at {url}: {reason}"),
            "if it listens elsewhere, name that address with --listen; otherwise check its log",
        ),
    }
}

fn free(listen: SocketAddr) -> Finding {
    match TcpListener::bind(listen) {
        Ok(_) => Finding::ok(
            "server",
            format!("no server runs on this data directory; {listen} is free"),
        ),
        Err(error) => Finding::failure(
            "server",
            format!(
                "no server runs on this data directory, but it could not listen on {listen}: {error}"
            ),
            "choose another address (server.listen), or stop the program that listens there",
        ),
    }
}

/// Requests a URL of a server on this machine. Returns the status and its meaning.
async fn probe(url: &str) -> Result<String, String> {
    let client = reqwest::Client::builder()
        .timeout(TIME_LIMIT)
        .no_proxy()
        // The certificate does not cover the loopback address. No token is sent, so nothing can be stolen.
        .tls_danger_accept_invalid_certs(true)
        .build();
    let client = client.map_err(|error| error.to_string())?;
    let answer = client.get(url).send().await;
    let answer = answer.map_err(|error| root_cause(&error))?;
    Ok(match answer.status().as_u16() {
        200 => "ready".to_owned(),
        401 | 403 => "up; details need a token".to_owned(),
        503 => {
            let details: Value = answer.json().await.unwrap_or_default();
            match details["store"] == false {
                true => "its database does not answer".to_owned(),
                false => "not every repository is ready".to_owned(),
            }
        }
        other => format!("status {other}"),
    })
}

/// Checks who may ask: keys of the database, if it can be read, a file of tokens, or everybody.
pub(super) fn keys(config: &Config, inspection: Option<&DatabaseReport>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let file = &config.access.token_file;
    let has_file = !file.as_os_str().is_empty();
    let rows = inspection.map_or(&[][..], |inspection| &inspection.keys);
    let now = now_millis() / 1000;
    let is_valid = |key: &&KeyRow| {
        let expires = key.expires_at.as_ref();
        key.revoked_at.is_none() && expires.is_none_or(|(_, expires)| *expires > now)
    };
    let mut valid = rows.iter().filter(is_valid).count();
    if has_file {
        match check_token_file(file) {
            Ok(tokens) => {
                valid += tokens;
                findings.extend(exposed("access", "access.token_file", file));
            }
            Err(error) => {
                let found = format!("access.token_file {}: {error}", file.display());
                findings.push(Finding::failure("access", found, "correct the file"));
            }
        }
    }
    let needs_token = has_file || !rows.is_empty();
    if !needs_token && inspection.is_none() {
        return findings;
    }
    let listen = config.server.listen;
    let create = "create a key with `foveate key create --scope admin`, or set access.token_file";
    findings.push(if valid > 0 {
        Finding::ok(
            "access",
            format!("requests need a token; valid ones: {valid}"),
        )
    } else if needs_token {
        let found = "requests need a token, and there is no valid one";
        Finding::warning("access", found, create)
    } else if config.is_local() {
        Finding::ok(
            "access",
            "there is no key: every user of this machine has full access",
        )
    } else if config.access.allow_anonymous {
        let found = format!("there is no key: everyone who can reach {listen} has full access");
        Finding::warning("access", found, create)
    } else {
        let found = format!(
            "there is no key, and other machines can reach {listen}: the server refuses to start"
        );
        Finding::failure("access", found, create)
    });
    findings
}

/// Checks the certificate of the server itself.
pub(super) fn tls(config: &Config) -> Option<Finding> {
    let cert = config.server.tls.cert.display();
    Some(match Tls::new(tls_files(config)?) {
        Ok(_) => {
            exposed("certificate", "server.tls.key", &config.server.tls.key).unwrap_or_else(|| {
                Finding::ok("certificate", format!("{cert} and its key can be used"))
            })
        }
        Err(error) => Finding::failure(
            "certificate",
            error,
            "set server.tls.cert and server.tls.key to matching PEM files that the server's user can read",
        ),
    })
}

/// Returns the finding that other users may read a file with a secret, if they may.
fn exposed(check: &'static str, setting: &str, file: &Path) -> Option<Finding> {
    let metadata = file.metadata();
    metadata
        .is_ok_and(|metadata| is_readable_by_others(&metadata))
        .then(|| {
            let found = format!("{setting} {}: other users may read it", file.display());
            Finding::warning(check, found, "run `chmod 600` on it")
        })
}
