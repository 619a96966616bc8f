//! Loads settings from built-in defaults, a file, the environment and arguments, in increasing priority, and checks
//! them once at the start ([`check`]). It must open no file but the given one and those of [`secret`]s. Start at
//! [`Config::load`].

#![allow(missing_docs, reason = "config/default.toml documents each setting")]

mod check;
mod effective;
mod explain;
mod feedback;
mod forge;
pub mod secret;
mod setting_source;
pub mod spelling;
mod telemetry;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use figment::Figment;
use figment::providers::{Env, Format, Serialized};
use figment::value::UncasedStr;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use effective::Setting;
pub use feedback::FeedbackConfig;
pub use forge::{Association, ForgeConfig, GitHubConfig, HostConfig};
pub use secret::DatabaseUrl;
use setting_source::SettingSources;
pub use telemetry::{OtlpConfig, TelemetryConfig};

/// The built-in settings file: every key with its default and a comment on its meaning.
pub const DEFAULTS: &str = include_str!("../config/default.toml");

/// Prefix of the environment variables that are settings.
pub const ENVIRONMENT: &str = "FOVEATE__";
/// The same with one underscore too few.
const NEAR_ENVIRONMENT: &str = "FOVEATE_";

/// The whole configuration. `config/default.toml` documents the meaning and unit of each key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub server: ServerConfig,
    pub access: AccessConfig,
    pub storage: StorageConfig,
    pub log: LogConfig,
    pub telemetry: TelemetryConfig,
    pub repos: ReposConfig,
    pub git: GitConfig,
    pub forge: ForgeConfig,
    pub feedback: FeedbackConfig,
    pub index: IndexConfig,
    pub answer: AnswerConfig,
    pub history: HistoryConfig,
    pub watch: WatchConfig,
    pub ranking: RankingFileConfig,
}

/// The `[server]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    #[serde(deserialize_with = "explain::address")]
    pub listen: SocketAddr,
    pub allow_hosts: Vec<String>,
    pub body_limit_bytes: usize,
    pub request_timeout_ms: u64,
    pub head_timeout_ms: u64,
    pub max_connections: usize,
    pub shutdown_grace_ms: u64,
    pub allow_origins: Vec<String>,
    pub tls: TlsConfig,
}

/// The `[server.tls]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    pub cert: PathBuf,
    pub key: PathBuf,
}

/// The `[access]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessConfig {
    pub allow_anonymous: bool,
    pub token_file: PathBuf,
    pub health: ProbeAccess,
    pub metrics: ProbeAccess,
    pub rate_per_second: u32,
    pub rate_burst: u32,
    pub max_in_flight: usize,
}

/// Clients that may use a route without a token where tokens are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbeAccess {
    /// All clients.
    Open,
    /// Clients on this machine.
    Loopback,
    /// No clients.
    Token,
}

/// The `[storage]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageConfig {
    pub data_dir: PathBuf,
    pub database_url: DatabaseUrl,
    pub write_after_ms: u64,
}

/// The `[log]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    pub filter: String,
    pub format: LogFormat,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

/// The `[repos]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReposConfig {
    pub allow_paths: Vec<PathBuf>,
}

/// The `[git]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitConfig {
    pub schemes: Vec<String>,
    pub timeout_seconds: u64,
    pub read_timeout_seconds: u64,
    pub memory_bytes: u64,
    pub max_bytes: u64,
    pub stall_seconds: u64,
    pub poll_seconds: u64,
    pub retry_seconds: u64,
    pub transfers: usize,
    pub follow_redirects: bool,
    pub private_hosts: Vec<String>,
    pub tokens: BTreeMap<String, String>,
    pub token_files: BTreeMap<String, PathBuf>,
}

/// The `[index]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexConfig {
    pub threads: usize,
    pub runs: usize,
    pub max_file_bytes: u64,
    pub max_files: usize,
    pub max_bytes: u64,
    pub max_parse_steps: u64,
    pub parse_timeout_ms: u64,
    pub max_depth: u32,
    pub parse_workers: bool,
    pub blob_cache_bytes: usize,
    pub memory_bytes: usize,
}

/// The `[answer]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerConfig {
    pub concurrency: usize,
    pub queue: usize,
    pub deadline_ms: u64,
    pub build_deadline_ms: u64,
    pub revisions: usize,
    pub max_query_bytes: usize,
}

/// The `[history]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryConfig {
    pub commits: usize,
    pub message_bytes: usize,
    pub paths_per_commit: usize,
    pub timeout_seconds: u64,
    pub runs: usize,
}

/// The `[watch]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatchConfig {
    pub debounce_ms: u64,
    pub max_delay_ms: u64,
    pub poll_seconds: u64,
    pub audit_seconds: u64,
    pub events: bool,
}

/// The `[ranking]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankingFileConfig {
    pub file: PathBuf,
}

/// Settings given as arguments of the command line.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `server.listen`.
    pub listen: Option<String>,
    /// `storage.data_dir`.
    pub data_dir: Option<PathBuf>,
}

/// A configuration that cannot be used; the text names the key and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ConfigError {
    text: String,
    /// The invalid key; empty where the error is not about one.
    key: String,
    /// The line of the file that has the invalid value; `None` for values from elsewhere.
    line: Option<usize>,
}

impl ConfigError {
    fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            key: String::new(),
            line: None,
        }
    }
}

impl Config {
    /// Loads the configuration of this process.
    ///
    /// # Errors
    /// When the file cannot be read, a key is unknown or has the wrong type, or a value is invalid.
    pub fn load(file: Option<&Path>, overrides: &Overrides) -> Result<Self, ConfigError> {
        match near_settings(variable_names()).next() {
            Some(error) => Err(error),
            None => Self::merge(file, variables_without(&[]), overrides),
        }
    }

    /// Loads the built-in defaults.
    ///
    /// # Errors
    /// Never in a build whose tests pass.
    pub fn defaults() -> Result<Self, ConfigError> {
        Self::merge(None, Figment::new(), &Overrides::default())
    }

    fn merge(
        file: Option<&Path>,
        environment: Figment,
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let text = file.map(read).transpose()?;
        let sources = SettingSources::new(file.zip(text.as_deref()))?;
        Self::of(&layers(text.as_deref(), environment, overrides), &sources)
    }

    fn of(figment: &Figment, sources: &SettingSources<'_>) -> Result<Self, ConfigError> {
        let config: Self = figment
            .extract()
            .map_err(|error| explain::explain(error, sources))?;
        config
            .check()
            .map_err(|error| explain::placed(error, figment, sources))
    }

    /// Whether only this machine can connect.
    pub fn is_local(&self) -> bool {
        self.server.listen.ip().is_loopback()
    }
}

fn read(file: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(file)
        .map_err(|error| ConfigError::new(format!("cannot read {}: {error}", file.display())))
}

/// TOML for figment. Figment's own provider is not used: it parses with an older version of the TOML crate than the
/// rest of the program.
enum Toml {}

impl Format for Toml {
    type Error = toml::de::Error;

    // [`SettingSources::of`] recognizes it.
    const NAME: &'static str = "TOML";

    fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Self::Error> {
        toml::from_str(text)
    }
}

/// Merges all sources; later ones override earlier ones. `text` is that of the file.
fn layers(text: Option<&str>, environment: Figment, overrides: &Overrides) -> Figment {
    let mut figment = Figment::from(Toml::string(DEFAULTS));
    if let Some(text) = text {
        figment = figment.merge(Toml::string(text));
    }
    figment = figment.merge(environment);
    if let Some(listen) = &overrides.listen {
        figment = figment.merge(Serialized::default("server.listen", listen));
    }
    if let Some(data_dir) = &overrides.data_dir {
        figment = figment.merge(Serialized::default("storage.data_dir", data_dir));
    }
    figment
}

fn variable_names() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name)
}

/// Returns a mistake for each variable such as `FOVEATE_SERVER__LISTEN`, which lacks an underscore and would have no
/// effect. No variable of the command line has two underscores in a row.
fn near_settings(names: impl Iterator<Item = OsString>) -> impl Iterator<Item = ConfigError> {
    names.filter_map(|name| {
        let name = name.to_str()?;
        let setting = name.strip_prefix(NEAR_ENVIRONMENT)?;
        let is_near = !setting.starts_with('_') && setting.contains("__");
        is_near.then(|| {
            let meant = format!("{ENVIRONMENT}{setting}");
            ConfigError::new(format!("{name} is not a setting: did you mean {meant}?"))
        })
    })
}

/// Returns the variables except those that set these keys or keys below them.
fn variables_without(keys: &[String]) -> Figment {
    let keys = keys.to_owned();
    let is_left = move |name: &UncasedStr| {
        let name = name.as_str().to_ascii_lowercase();
        let is_below = |key: &String| {
            let rest = name.strip_prefix(&**key);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        !keys.iter().any(is_below)
    };
    Figment::from(Env::prefixed(ENVIRONMENT).split("__").filter(is_left))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file(text: &str) -> Result<Config, ConfigError> {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), text).expect("it can be written");
        Config::merge(Some(file.path()), Figment::new(), &Overrides::default())
    }

    #[test]
    fn settings_that_can_have_no_effect_are_refused() {
        for (text, named) in [
            ("[log]\nfilter = 'foveate=lout'", "log.filter"),
            ("[log]\nfilter = 'warning'", "log.filter"),
            (
                "[answer]\nconcurrency = 99999999",
                "answer.concurrency must be at most",
            ),
            (
                "[index]\nthreads = 1000000",
                "index.threads must be at most",
            ),
            (
                "[server]\nallow_hosts = ['https://x.example.org']",
                "server.allow_hosts",
            ),
            (
                "[server]\nallow_hosts = ['x.example.org:80']",
                "server.allow_hosts",
            ),
            (
                "[server]\nallow_hosts = ['2001:db8::1']",
                "server.allow_hosts",
            ),
            (
                "[forge]\ncommand_associations = ['owner']",
                "forge.command_associations",
            ),
            (
                "[server]\nmax_connections = 9223372036854775807",
                "server.max_connections must be at most",
            ),
            ("[forge]\nworkers = 0", "forge.workers must be at least 1"),
            (
                "[git]\ntimeout_seconds = 9223372036854775807",
                "git.timeout_seconds must be at most 4294967295",
            ),
            (
                "[git]\npoll_seconds = 9223372036854775807",
                "git.poll_seconds must be at most",
            ),
            (
                "[watch]\naudit_seconds = 4294967296",
                "watch.audit_seconds must be at most",
            ),
        ] {
            let error = with_file(text).expect_err(text).to_string();
            assert!(error.contains(named), "{error}");
        }
        let hosts = "[server]\nallow_hosts = ['x.example.org', '192.0.2.1', '[2001:db8::1]']";
        with_file(hosts).expect("hosts");
        let hosts = "[git]\nprivate_hosts = ['git.corp', '10.0.0.1', 'fd00::1', '[fd00::1]']";
        with_file(hosts).expect("hosts");
        for filter in ["WARN", "info,hyper=off", "foveate[request]=debug", ""] {
            with_file(&format!("[log]\nfilter = '{filter}'")).expect(filter);
        }
    }

    #[test]
    fn variables_with_an_underscore_too_few_are_found() {
        let names = [
            "FOVEATE_SERVER__LISTEN", "FOVEATE__SERVER__LISTEN", "FOVEATE_TOKEN",
            "FOVEATE_CACHE_DIR", "FOVEATE__LOG_FILTER", "SERVER__LISTEN",
        ];
        let told: Vec<String> = near_settings(names.into_iter().map(OsString::from))
            .map(|error| error.to_string())
            .collect();
        assert_eq!(
            told,
            ["FOVEATE_SERVER__LISTEN is not a setting: did you mean FOVEATE__SERVER__LISTEN?"]
        );
    }

    fn with_variables(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let mut figment = Figment::new();
        for (key, value) in variables {
            let value: figment::value::Value = value.parse().expect("figment reads any text");
            figment = figment.merge(Serialized::default(key, value));
        }
        Config::merge(None, figment, &Overrides::default())
    }

    #[test]
    fn defaults_are_complete() {
        let config = Config::defaults().expect("the committed defaults");
        assert_eq!(config.server.listen.to_string(), "127.0.0.1:7878");
        assert!(config.is_local());
        assert!(config.storage.data_dir.ends_with("foveate"));
    }

    #[test]
    fn later_sources_override_earlier() {
        let config = with_file("[server]\nlisten = \"0.0.0.0:1\"\n").expect("valid");
        assert!(!config.is_local());
        assert_eq!(config.server.body_limit_bytes, 1_048_576);
        let config = with_variables(&[("answer.queue", "7"), ("git.schemes", "[https]")]);
        let config = config.expect("valid");
        assert_eq!(config.answer.queue, 7);
        assert_eq!(config.git.schemes, ["https"]);
    }

    #[test]
    fn invalid_settings_are_named_in_errors() {
        for (text, named) in [
            ("[server]\nlisten_on = \"x\"\n", "listen_on"),
            ("[sever]\nlisten = \"127.0.0.1:1\"\n", "sever"),
            ("[server]\nlisten = \"here\"\n", "server.listen"),
            ("[answer]\nqueue = \"many\"\n", "answer.queue"),
            ("[answer]\nrevisions = 0\n", "answer.revisions"),
            ("[git]\nschemes = [\"ext\"]\n", "ext"),
            (
                "[git]\nprivate_hosts = ['git.corp', '10.0.0.0/8']",
                "\"10.0.0.0/8\" is not the name",
            ),
            (
                "[repos]\nallow_paths = [\"/no/such/place\"]\n",
                "/no/such/place",
            ),
            ("[watch]\nmax_delay_ms = 1\n", "watch.max_delay_ms"),
            ("[server.tls]\ncert = \"a.pem\"\n", "server.tls"),
            (
                "[server]\nallow_origins = [\"*\"]\n",
                "\"*\" is not an origin",
            ),
            (
                "[server]\nallow_origins = [\"https://a.b/\"]\n",
                "server.allow_origins",
            ),
            ("[access]\nhealth = \"closed\"\n", "access.health"),
            ("[feedback]\nqueue = 0\n", "feedback.queue"),
            (
                "[feedback]\nretention_days = 0\n",
                "feedback.retention_days",
            ),
        ] {
            let error = with_file(text).expect_err(text).to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
    }

    #[test]
    fn errors_describe_values_without_type_names() {
        for (text, expected) in [
            (
                "[server]\nlisten = \"nonsense\"\n",
                "server.listen must be an IP address and a port, such as 127.0.0.1:7878 or \
                 [::1]:7878, not \"nonsense\"",
            ),
            ("[server]\nlisten = 7878\n", "or [::1]:7878, not 7878"),
            (
                "[answer]\nqueue = \"many\"\n",
                "answer.queue must be a whole number of 0 or more, not \"many\"",
            ),
            ("[answer]\nqueue = -1\n", "of 0 or more, not -1"),
            ("[answer]\nqueue = 1.5\n", "of 0 or more, not 1.5"),
            (
                "[index]\nmax_depth = 5000000000\n",
                "from 0 to 4294967295, not 5000000000",
            ),
            (
                "[watch]\nevents = \"yes\"\n",
                "watch.events must be true or false, not \"yes\"",
            ),
            ("[git]\nschemes = \"https\"\n", "a list such as [a, b], not"),
            ("[repos]\nallow_paths = [1]\n", "must be a path, not 1"),
            ("server = 1\n", "server must be a table of settings, not 1"),
            (
                "[log]\nformat = \"xml\"\n",
                "log.format must be `text` or `json`, not `xml`",
            ),
            (
                "[log]\ncolour = true\n",
                "log.colour is not a setting; expected one of filter, format",
            ),
            (
                "[log]\nfromat = \"json\"\n",
                "log.fromat is not a setting; did you mean format? expected one of filter, format",
            ),
        ] {
            let error = with_file(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
            assert!(error.ends_with(')'), "it says where: {error}");
        }
        for secret in [
            "database_url = \"mysql://me:ghp_secret@db/app\"",
            "database_url = [\"postgres://me:ghp_secret@db/app\"]",
            "database_url = \"file:\"",
        ] {
            let error = with_file(&format!("[storage]\n{secret}\n")).expect_err(secret);
            let error = error.to_string();
            assert!(
                error.starts_with("storage.database_url") && !error.contains("ghp_"),
                "{error}"
            );
        }
        let secret = "[git.tokens]\n\"github.com\" = [\"ghp_secret\"]\n";
        let error = with_file(secret).expect_err(secret).to_string();
        assert!(
            error.starts_with("git.tokens") && !error.contains("ghp_"),
            "{error}"
        );
    }

    #[test]
    fn every_default_has_a_comment() {
        let mut explained = true;
        for line in DEFAULTS.lines().skip_while(|line| !line.starts_with('[')) {
            assert!(
                !line.contains(" = ") || line.starts_with('#') || explained,
                "{line} has no comment"
            );
            explained = line.starts_with('#');
        }
    }
}
