//! Converts the configuration into the settings of each part of the program. It starts nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use foveate_parse::Limits;

use crate::config::{Config, TlsConfig};
use crate::engine::{EngineSettings, Parsers, StoreLocation, host_name, this_program};
use crate::forge::ForgeSettings;
use crate::http::HttpLimits;
use crate::http::connections::ConnectionLimits;
use crate::ingest::git::address::PrivateHosts;
use crate::ingest::git::connection::ConnectionSettings;
use crate::ingest::git::{HistoryLimits, LocalPaths, ReadLimits};
use crate::ingest::max_size::MaxSize;
use crate::ingest::{IngestSettings, PollSettings};
use crate::mcp::McpLimits;
use crate::telemetry::process;

/// Limit of connections if the configuration sets none and enough files may be open.
const MAX_CONNECTIONS: usize = 4096;

/// Returns the files of the server's certificate; `None` if it serves plain HTTP.
pub(super) fn tls_files(config: &Config) -> Option<TlsConfig> {
    let tls = &config.server.tls;
    (!tls.cert.as_os_str().is_empty()).then(|| tls.clone())
}

pub(super) fn http_limits(config: &Config) -> HttpLimits {
    HttpLimits {
        max_body_bytes: config.server.body_limit_bytes,
        max_query_bytes: config.answer.max_query_bytes,
        request_timeout: Duration::from_millis(config.server.request_timeout_ms),
    }
}

pub(super) fn mcp_limits(config: &Config) -> McpLimits {
    McpLimits {
        max_query_bytes: config.answer.max_query_bytes,
        wait: Duration::from_millis(config.answer.build_deadline_ms),
    }
}

pub(super) fn forge_settings(config: &Config) -> ForgeSettings {
    ForgeSettings {
        config: config.forge.clone(),
        max_query_bytes: config.answer.max_query_bytes,
    }
}

pub(super) fn connection_limits(config: &Config) -> ConnectionLimits {
    let server = &config.server;
    ConnectionLimits {
        max: match server.max_connections {
            0 => (process::max_open_files() / 2).clamp(16, MAX_CONNECTIONS),
            max => max,
        },
        head_timeout: Duration::from_millis(server.head_timeout_ms),
        write_timeout: Duration::from_millis(server.request_timeout_ms),
    }
}

pub(super) fn parsers(config: &Config) -> Parsers {
    let limits = Limits {
        max_bytes: config.index.max_file_bytes,
        max_steps: config.index.max_parse_steps,
        timeout: Duration::from_millis(config.index.parse_timeout_ms),
        max_depth: config.index.max_depth,
    };
    match config.index.parse_workers {
        true => Parsers::in_workers(limits, this_program()),
        false => limits.into(),
    }
}

pub(super) fn engine_settings(config: &Config, location: StoreLocation) -> EngineSettings {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let or_cores = |n: usize| if n == 0 { cores } else { n };
    EngineSettings {
        index_threads: or_cores(config.index.threads),
        index_runs: config.index.runs,
        history_runs: config.history.runs,
        parsers: parsers(config),
        blob_cache_bytes: config.index.blob_cache_bytes,
        concurrency: or_cores(config.answer.concurrency),
        queue: config.answer.queue,
        deadline: Duration::from_millis(config.answer.deadline_ms),
        build_deadline: Duration::from_millis(config.answer.build_deadline_ms),
        revisions: config.answer.revisions,
        location,
        stored_as: None,
    }
}

pub(super) fn ingest_settings(config: &Config, data_dir: PathBuf) -> IngestSettings {
    let read_limits = Arc::new(read_limits(config));
    IngestSettings {
        data_dir,
        connection: connection_settings(config, Arc::clone(&read_limits)),
        read_limits,
        poll: PollSettings {
            interval: Duration::from_secs(config.git.poll_seconds),
            retry: Duration::from_secs(config.git.retry_seconds),
            transfers: config.git.transfers,
        },
        history: HistoryLimits {
            commits: config.history.commits,
            function_commits: config.history.commits,
            message_bytes: config.history.message_bytes,
            paths_per_commit: config.history.paths_per_commit,
            timeout: Duration::from_secs(config.history.timeout_seconds),
        },
        debounce: Duration::from_millis(config.watch.debounce_ms),
        max_delay: Duration::from_millis(config.watch.max_delay_ms),
        events: config.watch.events,
        audit: Duration::from_secs(config.watch.audit_seconds),
        poll_interval: Duration::from_secs(config.watch.poll_seconds),
        write_after: Duration::from_millis(config.storage.write_after_ms),
        memory_bytes: match config.index.memory_bytes {
            0 => process::memory_limit().map_or(usize::MAX, |bytes| bytes / 2),
            bytes => bytes,
        },
    }
}

fn read_limits(config: &Config) -> ReadLimits {
    let allowed = &config.repos.allow_paths;
    ReadLimits {
        local_paths: if allowed.is_empty() && config.is_local() {
            LocalPaths::Anywhere
        } else {
            LocalPaths::Below(allowed.as_slice().into())
        },
        memory_bytes: config.git.memory_bytes,
        lookup: Duration::from_millis(config.answer.deadline_ms),
        read: Duration::from_secs(config.git.read_timeout_seconds),
        max_size: MaxSize {
            files: config.index.max_files,
            bytes: match config.index.max_bytes {
                0 => MaxSize::default().bytes,
                bytes => bytes,
            },
        },
    }
}

fn by_host_name<T: Clone>(settings: &BTreeMap<String, T>) -> BTreeMap<String, T> {
    let named = |(host, value): (&String, &T)| (host_name(host), value.clone());
    settings.iter().map(named).collect()
}

fn connection_settings(config: &Config, read_limits: Arc<ReadLimits>) -> ConnectionSettings {
    let git = &config.git;
    ConnectionSettings {
        read_limits,
        schemes: git.schemes.clone(),
        timeout: Duration::from_secs(git.timeout_seconds),
        max_bytes: git.max_bytes,
        stall: Duration::from_secs(git.stall_seconds),
        follow_redirects: git.follow_redirects,
        private_hosts: if git.private_hosts.is_empty() && config.is_local() {
            PrivateHosts::All
        } else {
            PrivateHosts::Named(
                git.private_hosts
                    .iter()
                    .map(|host| host_name(host))
                    .collect(),
            )
        },
        tokens: by_host_name(&git.tokens),
        token_files: by_host_name(&git.token_files),
        token_source: None,
    }
}
