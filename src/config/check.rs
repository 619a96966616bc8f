//! Checks the settings: numbers, names and addresses. Errors name the key and what its value must be.

use std::net::Ipv6Addr;
use std::path::PathBuf;

use tracing_subscriber::EnvFilter;
use url::Url;

use super::{Config, ConfigError, GitConfig, LogConfig, ServerConfig};

/// Numbers of which something is kept or done at a time.
const COUNTS: [&str; 6] = [
    "server.max_connections", "access.max_in_flight", "git.transfers", "index.runs",
    "history.runs", "feedback.queue",
];
/// Maximum of [`COUNTS`], far above any use.
const MAX_COUNT: u64 = 1_000_000;
/// Numbers of threads and of tasks that each start some.
const THREADS: [&str; 3] = ["answer.concurrency", "index.threads", "forge.workers"];
/// Maximum of [`THREADS`]: a process with far more of them does not start in sensible time.
const MAX_THREADS: u64 = 1024;
/// Maximum of numbers of seconds, 136 years: a time much longer cannot be added to that of the clock.
const MAX_SECONDS: u64 = u32::MAX as u64;

impl Config {
    /// Checks the settings, and completes the paths in them.
    pub(super) fn check(mut self) -> Result<Self, ConfigError> {
        for (key, number, min) in self.bounded_numbers() {
            let bound = if number < min {
                format!("at least {min}")
            } else if number > MAX_COUNT && COUNTS.contains(&key) {
                format!("at most {MAX_COUNT}")
            } else if number > MAX_THREADS && THREADS.contains(&key) {
                format!("at most {MAX_THREADS}")
            } else if number > MAX_SECONDS && key.ends_with("_seconds") {
                format!("at most {MAX_SECONDS}")
            } else {
                continue;
            };
            return Err(ConfigError::new(format!(
                "{key} must be {bound}, not {number}"
            )));
        }
        self.log.check().map_err(ConfigError::new)?;
        self.server.check().map_err(ConfigError::new)?;
        self.git.check().map_err(ConfigError::new)?;
        self.forge.check().map_err(ConfigError::new)?;
        self.telemetry.check().map_err(ConfigError::new)?;
        let url = self.storage.database_url.check();
        url.map_err(ConfigError::new)?;
        if self.storage.data_dir.as_os_str().is_empty() {
            self.storage.data_dir = default_data_dir()?;
        }
        for path in &mut self.repos.allow_paths {
            *path = std::fs::canonicalize(&path).map_err(|error| {
                ConfigError::new(format!("repos.allow_paths: {}: {error}", path.display()))
            })?;
        }
        Ok(self)
    }

    /// Returns the numbers that have a bound: key, number, lower bound. [`COUNTS`], [`THREADS`] and numbers of seconds
    /// have upper ones.
    fn bounded_numbers(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let (server, git, index, answer) = (&self.server, &self.git, &self.index, &self.answer);
        let (history, watch) = (&self.history, &self.watch);
        let (forge, feedback) = (&self.forge, &self.feedback);
        [
            (
                "server.body_limit_bytes", server.body_limit_bytes as u64, 1024,
            ),
            ("server.request_timeout_ms", server.request_timeout_ms, 1),
            ("server.head_timeout_ms", server.head_timeout_ms, 1),
            ("server.max_connections", server.max_connections as u64, 0),
            ("access.max_in_flight", self.access.max_in_flight as u64, 0),
            ("git.timeout_seconds", git.timeout_seconds, 1),
            ("git.read_timeout_seconds", git.read_timeout_seconds, 1),
            ("git.stall_seconds", git.stall_seconds, 1),
            ("git.poll_seconds", git.poll_seconds, 0),
            ("git.retry_seconds", git.retry_seconds, 1),
            ("git.transfers", git.transfers as u64, 1),
            ("index.runs", index.runs as u64, 1),
            ("index.threads", index.threads as u64, 0),
            ("index.max_file_bytes", index.max_file_bytes, 1024),
            ("index.max_parse_steps", index.max_parse_steps, 1),
            ("index.parse_timeout_ms", index.parse_timeout_ms, 1),
            ("index.max_depth", u64::from(index.max_depth), 16),
            ("answer.deadline_ms", answer.deadline_ms, 1),
            ("answer.build_deadline_ms", answer.build_deadline_ms, 1),
            ("answer.concurrency", answer.concurrency as u64, 0),
            ("answer.revisions", answer.revisions as u64, 1),
            ("answer.max_query_bytes", answer.max_query_bytes as u64, 1),
            ("history.timeout_seconds", history.timeout_seconds, 1),
            ("history.runs", history.runs as u64, 1),
            ("watch.poll_seconds", watch.poll_seconds, 1),
            ("watch.audit_seconds", watch.audit_seconds, 0),
            ("watch.max_delay_ms", watch.max_delay_ms, watch.debounce_ms),
            ("forge.budget_tokens", forge.budget_tokens as u64, 200),
            ("forge.max_jobs", forge.max_jobs.into(), 1),
            ("forge.workers", forge.workers.into(), 1),
            ("forge.retry_seconds", forge.retry_seconds, 1),
            ("forge.max_attempts", forge.max_attempts.into(), 1),
            ("forge.timeout_seconds", forge.timeout_seconds, 1),
            (
                "forge.body_limit_bytes", forge.body_limit_bytes as u64, 1024,
            ),
            ("feedback.retention_days", feedback.retention_days.into(), 1),
            ("feedback.max_answers", feedback.max_answers.into(), 1),
            ("feedback.queue", feedback.queue as u64, 1),
        ]
        .into_iter()
    }
}

impl LogConfig {
    fn check(&self) -> Result<(), String> {
        const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];
        if let Err(error) = EnvFilter::try_new(&self.filter) {
            return Err(format!("log.filter: {error}"));
        }
        // A single word is read as the name of a module, of which alone something would be logged.
        let is_level = |word: &str| {
            let is_named = LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
            is_named || word.parse::<u8>().is_ok_and(|number| number <= 5)
        };
        let is_bare = |part: &&str| !part.is_empty() && !part.contains(['=', '[']);
        let mut parts = self.filter.split(',').map(str::trim).filter(is_bare);
        match parts.find(|part| !is_level(part)) {
            None => Ok(()),
            Some(part) => Err(format!(
                "log.filter: {part:?} is not a level ({}); the level of a module is written {part}=debug",
                LEVELS.join(", ")
            )),
        }
    }
}

impl ServerConfig {
    fn check(&self) -> Result<(), String> {
        if self.tls.cert.as_os_str().is_empty() != self.tls.key.as_os_str().is_empty() {
            return Err("server.tls needs both `cert` and `key`, or neither of them".to_owned());
        }
        if let Some(host) = self.allow_hosts.iter().find(|host| !is_host(host)) {
            return Err(format!(
                "server.allow_hosts: {host:?} is not a host such as app.example.org, without scheme and port"
            ));
        }
        match self.allow_origins.iter().find(|o| !is_origin(o)) {
            None => Ok(()),
            Some(origin) => Err(format!(
                "server.allow_origins: {origin:?} is not an origin such as https://app.example.org"
            )),
        }
    }
}

impl GitConfig {
    fn check(&self) -> Result<(), String> {
        const KNOWN: [&str; 5] = ["https", "http", "ssh", "git", "file"];
        let unknown = |scheme: &&String| !KNOWN.contains(&scheme.as_str());
        if let Some(scheme) = self.schemes.iter().find(unknown) {
            return Err(format!(
                "git.schemes: {scheme:?} is not one of {}",
                KNOWN.join(", ")
            ));
        }
        let is_no_host = |host: &&String| !is_host(host) && host.parse::<Ipv6Addr>().is_err();
        match self.private_hosts.iter().find(is_no_host) {
            None => Ok(()),
            Some(host) => Err(format!(
                "git.private_hosts: {host:?} is not the name or address of one host"
            )),
        }
    }
}

/// Whether a URL is one of http or https with a host, without login and query.
pub(super) fn is_plain(url: &Url) -> bool {
    matches!(url.scheme(), "https" | "http")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
}

/// Whether a text is the name or the address of a host as in a URL, with an address of IPv6 in brackets.
fn is_host(text: &str) -> bool {
    url::Host::parse(text).is_ok()
}

/// Whether a text is a web origin as browsers send it: scheme, host and optional port.
fn is_origin(text: &str) -> bool {
    let host = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let is_allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-:[]".contains(&b);
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(is_allowed))
}

fn default_data_dir() -> Result<PathBuf, ConfigError> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(data) = variable("XDG_DATA_HOME") {
        return Ok(PathBuf::from(data).join("foveate"));
    }
    variable("HOME")
        .map(|home| PathBuf::from(home).join(".local/share/foveate"))
        .ok_or_else(|| {
            ConfigError::new("storage.data_dir is empty and HOME is not set: give --data-dir")
        })
}
