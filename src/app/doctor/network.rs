//! Checks other machines: those of registered repositories and of forges, concurrently and with time limits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use foveate_model::escape::escape;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

use crate::app::settings::ingest_settings;
use crate::cli::doctor::{DoctorArgs, Finding};
use crate::config::Config;
use crate::forge::client::{CallError, root_cause};
use crate::forge::host::Scope;
use crate::forge::{self, Host, Tokens};
use crate::ingest::catalog::connectivity;
use crate::ingest::git::connection::Connection;
use crate::ingest::git::remote;
use crate::store::RepositoryRow;
use crate::telemetry::spans::spawn_blocking;

/// Remote repositories that are checked concurrently, and in all.
const CONCURRENCY: usize = 16;
const MAX_CHECKED: usize = 200;
/// Maximum number of machines whose clocks are read.
const MAX_CLOCKS: usize = 4;

/// A machine's name, and how far its clock is off this machine's.
type Clock = (String, Duration);

/// Checks all of them. Returns the findings, and the machines' clocks.
pub(super) async fn examine(
    args: &DoctorArgs,
    config: &Config,
    rows: &[RepositoryRow],
) -> (Vec<Finding>, Vec<Clock>) {
    let time_limit = args.time_limit();
    let hosts: Arc<[Host]> = match forge::hosts(&config.forge) {
        Ok(hosts) => hosts.into(),
        Err(error) => {
            let advice =
                "install the CA certificates (package ca-certificates), or set SSL_CERT_FILE";
            let finding = Finding::failure("network", root_cause(&error), advice);
            return (vec![finding], Vec::new());
        }
    };
    let mut findings = Vec::new();
    let (remotes, refused) = remotes(config, rows, &hosts, time_limit);
    findings.extend(refused);
    let registering =
        (hosts.iter()).filter(|host| is_used(host) && !config.forge.register_owners.is_empty());
    findings.extend(registering.filter_map(|host| scheme(host, &config.git.schemes)));
    let pages = pages(&hosts, &remotes);
    let forges = async {
        let mut findings = Vec::new();
        for host in hosts.iter().filter(|host| is_used(host)) {
            findings.extend(forge(host, time_limit).await);
        }
        findings
    };
    let (asked, forges, clocks) =
        tokio::join!(ask(remotes, time_limit), forges, clocks(pages, time_limit));
    findings.extend(asked);
    findings.extend(forges);
    (findings, clocks)
}

/// Returns the connections to the registered remote repositories, and findings about those that cannot have one.
fn remotes(
    config: &Config,
    rows: &[RepositoryRow],
    hosts: &Arc<[Host]>,
    time_limit: Duration,
) -> (Vec<(String, Connection)>, Vec<Finding>) {
    let mut settings = ingest_settings(config, config.storage.data_dir.clone());
    let connection = &mut settings.connection;
    connection.timeout = time_limit;
    connection.stall = connection.stall.min(time_limit);
    let tokens = Tokens::new(Arc::clone(hosts), Handle::current());
    connection.token_source = Some(Arc::new(tokens));
    let (mut remotes, mut refused) = (Vec::new(), Vec::new());
    for row in rows {
        match connectivity::connection(row, &settings) {
            Ok(Some(connection)) => remotes.push((row.name.clone(), connection)),
            Ok(None) => {}
            Err(error) => refused.push(Finding::failure(
                "remote",
                format!("{}: {error}", row.name),
                format!(
                    "change the setting, or `foveate repo rm {}`",
                    escape(&row.name)
                ),
            )),
        }
    }
    if remotes.len() > MAX_CHECKED {
        refused.push(Finding::ok(
            "remote",
            format!(
                "only {MAX_CHECKED} of {} remote repositories are checked",
                remotes.len()
            ),
        ));
        remotes.truncate(MAX_CHECKED);
    }
    (remotes, refused)
}

/// Checks all remote repositories, some at a time.
async fn ask(remotes: Vec<(String, Connection)>, time_limit: Duration) -> Vec<Finding> {
    let count = remotes.len();
    let permits = Arc::new(Semaphore::new(CONCURRENCY));
    let mut tasks = JoinSet::new();
    for (name, connection) in remotes {
        let permits = Arc::clone(&permits);
        tasks.spawn(async move {
            let _permit = permits.acquire().await;
            let asked = spawn_blocking(move || remote::ask(&connection));
            // Name resolution has its own timeout, which the connection's does not cover.
            let asked = timeout(2 * time_limit, asked).await;
            let reason = match asked {
                Ok(Ok(Ok(()))) => return None,
                Ok(Ok(Err(error))) => error.to_string(),
                _ => format!("no answer within {} s", time_limit.as_secs()),
            };
            Some((name, reason))
        });
    }
    // Sorted by name, so that the output does not depend on the order of the answers.
    let failed: BTreeMap<_, _> = tasks.join_all().await.into_iter().flatten().collect();
    let mut findings = Vec::new();
    let reached = count - failed.len();
    if reached > 0 {
        findings.push(Finding::ok(
            "remote",
            format!("{reached} remote repositories can be fetched"),
        ));
    }
    findings.extend(failed.into_iter().map(|(name, reason)| {
        let advice = "check the address, the network and proxy, and the credentials (git.tokens, forge tokens, ssh keys of the server's user)";
        Finding::failure("remote", format!("{name}: {reason}"), advice)
    }));
    findings
}

/// Whether the settings use a forge.
fn is_used(host: &Host) -> bool {
    host.has_token() || host.webhook_secret.is_some()
}

/// Checks whether repositories of a forge may be cloned, if webhooks register them.
fn scheme(host: &Host, schemes: &[String]) -> Option<Finding> {
    let (scheme, _) = host.url.split_once("://")?;
    if schemes.iter().any(|allowed| allowed == scheme) {
        return None;
    }
    let name = host.dialect.name();
    let found = format!(
        "{name}: webhooks cannot register repositories of {}",
        host.url
    );
    let advice =
        format!("add {scheme:?} to git.schemes, or use another scheme in forge.{name}.url");
    Some(Finding::failure("forge", found, advice))
}

/// Checks whether the secrets of the forges can be read. Contacts no other machine.
pub(super) fn secrets(config: &Config) -> Vec<Finding> {
    // `examine` reports why there are no hosts.
    let hosts = forge::hosts(&config.forge).unwrap_or_default();
    let unreadable = |host: &Host| {
        let name = host.dialect.name();
        let secrets = host.unreadable_secrets().into_iter();
        let findings = secrets.map(|(setting, error)| {
            let advice = format!("put the secret there, or change forge.{name}.{setting}");
            Finding::failure("forge", format!("{name}: {error}"), advice)
        });
        findings.collect::<Vec<_>>()
    };
    hosts.iter().flat_map(unreadable).collect()
}

/// Checks whether a forge's API accepts the token. [`secrets`] reports one that cannot be read.
async fn forge(host: &Host, time_limit: Duration) -> Option<Finding> {
    let name = host.dialect.name();
    if !host.has_token() {
        let found = format!(
            "{name}: there is no token: webhooks are accepted, but no comments are written"
        );
        let advice = format!("set forge.{name}.token to have comments written");
        return Some(Finding::warning("forge", found, advice));
    }
    host.check_token().ok()?;
    let scope = Scope {
        project: "",
        installation: None,
    };
    let advice = format!("check the address and the token or key in forge.{name}, and the network");
    Some(match timeout(time_limit, host.account(scope)).await {
        Ok(Ok(account)) => Finding::ok(
            "forge",
            format!("{name}: {} accepts the token of {account}", host.url),
        ),
        // Some tokens have no permission to ask for their account.
        Ok(Err(CallError::Refused(reason) | CallError::Later { reason, .. })) => {
            Finding::warning("forge", format!("{name}: {reason}"), advice)
        }
        Ok(Err(CallError::Failed(reason))) => {
            Finding::failure("forge", format!("{name}: {reason}"), advice)
        }
        Err(_) => {
            let found = format!(
                "{name}: no answer from {} within {} s",
                host.url,
                time_limit.as_secs()
            );
            Finding::failure("forge", found, advice)
        }
    })
}

/// Returns the addresses of some of the machines that are checked anyway, to read their clocks.
fn pages(hosts: &[Host], remotes: &[(String, Connection)]) -> Vec<Url> {
    let forges = hosts
        .iter()
        .filter(|host| is_used(host))
        .map(|host| &*host.url);
    let remotes = remotes.iter().map(|(_, connection)| connection.address());
    let mut pages: Vec<Url> = forges
        .chain(remotes)
        .filter_map(|address| Url::parse(address).ok()?.join("/").ok())
        .filter(|url| matches!(url.scheme(), "https" | "http"))
        .collect();
    pages.sort();
    pages.dedup();
    pages.truncate(MAX_CLOCKS);
    pages
}

/// Reads the clocks of machines from the `Date` header of their answers.
async fn clocks(pages: Vec<Url>, time_limit: Duration) -> Vec<Clock> {
    let client = reqwest::Client::builder()
        .timeout(time_limit)
        .redirect(reqwest::redirect::Policy::none())
        .build();
    let Ok(client) = client else {
        return Vec::new();
    };
    let mut tasks = JoinSet::new();
    for page in pages {
        let request = client.head(page.clone());
        tasks.spawn(async move {
            let answer = request.send().await.ok()?;
            let date = answer.headers().get("date")?.to_str().ok()?;
            let name = page.host_str()?.to_owned();
            let date = httpdate::parse_http_date(date).ok()?;
            // Compared now: other checks may take long.
            let apart = SystemTime::now().duration_since(date);
            Some((name, apart.unwrap_or_else(|error| error.duration())))
        });
    }
    let clocks = tasks.join_all().await.into_iter().flatten();
    let mut clocks: Vec<Clock> = clocks.collect();
    clocks.sort();
    clocks
}
