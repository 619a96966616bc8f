//! Starts, runs and stops the service; the program and the tests use it alike.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use foveate_parse::Limits;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::access::{AccessSettings, Authenticator, ShareLimits};
use crate::cli::{self, UsageError};
use crate::config::{Config, TlsConfig};
use crate::disk::{DataDir, DataDirError};
use crate::engine::{Engine, EngineSettings, Parsers, StoreLocation, host_name, this_program};
use crate::feedback::Feedback;
use crate::forge::{self, ForgeSettings, Forges, Tokens};
use crate::http::connections::{self, ConnectionLimits, ServeContext};
use crate::http::hosts::Hosts;
use crate::http::router::{RequestPolicy, router};
use crate::http::tls::Tls;
use crate::http::{HttpLimits, HttpState, operations};
use crate::ingest::git::address::PrivateHosts;
use crate::ingest::git::connection::ConnectionSettings;
use crate::ingest::git::{HistoryLimits, LocalPaths, ReadLimits};
use crate::ingest::max_size::MaxSize;
use crate::ingest::{Catalog, INDEX, IngestSettings, PollSettings};
use crate::mcp::{self, McpLimits, McpService};
use crate::store::{DatabaseLocation, Store};
use crate::telemetry::otlp::MetricsSender;
use crate::telemetry::spans::spawn_blocking;
use crate::telemetry::{self, process};

/// Limit of connections if the configuration sets none and enough files may be open.
const MAX_CONNECTIONS: usize = 4096;
/// Interval at which recorded histogram values are folded into their buckets, scraped or not.
const UPKEEP: Duration = Duration::from_secs(5);

/// A listening service.
pub struct Service {
    listener: TcpListener,
    recorder: PrometheusHandle,
    address: SocketAddr,
    /// The engine.
    pub engine: Arc<Engine>,
    /// The catalog of repositories.
    pub catalog: Arc<Catalog>,
    state: HttpState,
    /// The route of the Model Context Protocol.
    mcp: Router<HttpState>,
    policy: RequestPolicy,
    tls: Option<Arc<Tls>>,
    connections: ConnectionLimits,
    grace: Duration,
    /// Sends metrics, in addition to serving them.
    metrics: Option<MetricsSender>,
    stop: CancellationToken,
    /// Holds the lock of the data directory as long as anything may be written.
    _data_dir: DataDir,
}

impl Service {
    /// Opens everything, starts indexing the repositories that were registered before, and listens. Of those, the
    /// directories in `watched` are followed whatever their registration says. Ends when `stop` is cancelled.
    ///
    /// # Errors
    /// When a setting cannot be used, the port is taken, or the data directory cannot be opened.
    pub async fn start(
        config: Config,
        watched: &[PathBuf],
        stop: CancellationToken,
    ) -> anyhow::Result<Self> {
        telemetry::install_tls();
        let recorder = telemetry::metrics::recorder().map_err(anyhow::Error::msg)?;
        let ranking = cli::ranking(Some(&config.ranking.file))?;
        // Bind the address first: a second server must not touch the data of the first.
        let listener = listen(config.server.listen).await?;
        let address = listener.local_addr()?;
        let tls = tls_files(&config).map(Tls::new).transpose();
        let tls = tls.map_err(UsageError)?.map(Arc::new);
        if let Some(tls) = &tls {
            tokio::spawn(Arc::clone(tls).follow(stop.clone()));
        }
        let data_dir = config.storage.data_dir.clone();
        let data_dir = spawn_blocking(move || DataDir::open(&data_dir))
            .await?
            .map_err(unusable)?;
        let store = open_store(&config, &data_dir).await?;
        tokio::spawn(store.clone().follow(stop.clone()));
        let authenticator = authenticator(&config, store.clone()).await?;
        tokio::spawn(Arc::clone(&authenticator).follow(stop.clone()));
        let engine = Arc::new(
            Engine::new(engine_settings(&config, location(&data_dir)), ranking)
                .context("cannot start the threads for indexing")?,
        );
        let hosts: Arc<[forge::Host]> = forge::hosts(&config.forge)
            .context("cannot create the HTTP client for forges")?
            .into();
        let catalog = catalog(&config, &data_dir, &engine, &store, &hosts, &stop);
        let feedback = Feedback::new(config.feedback, Arc::clone(&engine), store.clone());
        let feedback = Arc::new(feedback);
        let forges = Forges::new(
            hosts,
            ForgeSettings {
                config: config.forge.clone(),
                max_query_bytes: config.answer.max_query_bytes,
            },
            Arc::clone(&engine),
            Arc::clone(&catalog),
            Arc::clone(&feedback),
            store,
        );
        catalog.restore(watched).await?;
        tokio::spawn(Arc::clone(&catalog).keep_within_memory());
        tokio::spawn(Arc::clone(&catalog).follow_list());
        // The first token count takes a tenth of a second to load a dictionary: do it outside of a request.
        spawn_blocking(foveate_query::warm);
        let mcp = mcp_route(&config, &engine, &feedback);
        let state = HttpState {
            engine: Arc::clone(&engine),
            catalog: Arc::clone(&catalog),
            forges: Arc::new(forges),
            feedback,
            limits: http_limits(&config),
        };
        Ok(Self {
            listener,
            recorder,
            address,
            engine,
            catalog,
            state,
            mcp,
            policy: policy(&config, authenticator),
            tls,
            connections: connection_limits(&config),
            grace: Duration::from_millis(config.server.shutdown_grace_ms),
            metrics: None,
            stop,
            _data_dir: data_dir,
        })
    }

    /// Returns the URL that it listens on.
    pub fn url(&self) -> String {
        local_url(self.address, self.tls.is_some())
    }

    /// Whether requests need a token.
    pub fn needs_token(&self) -> bool {
        self.policy.authenticator.needs_token()
    }

    /// Sets the sender that exports metrics while the service runs.
    pub fn send_metrics(&mut self, metrics: Option<MetricsSender>) {
        self.metrics = metrics;
    }

    /// Serves until the stop signal. Then no request is accepted, those in flight finish, the tasks end and the store
    /// is closed.
    pub async fn run(self) {
        let upkeep = tokio::spawn(upkeep(self.recorder, self.stop.clone()));
        let metrics = self.metrics.map(|sender| {
            let (state, stop) = (self.state.clone(), self.stop.clone());
            tokio::spawn(send_metrics(sender, state, stop))
        });
        let state = self.state.clone();
        let forges = Arc::clone(&self.state.forges);
        let worker = tokio::spawn(forges.work(self.stop.clone(), self.grace));
        let written = CancellationToken::new();
        let feedback = Arc::clone(&self.state.feedback);
        let writer = tokio::spawn(feedback.work(written.clone()));
        let in_flight = Arc::new(Semaphore::new(self.connections.max));
        let router = router(self.state, self.mcp, &self.policy, Arc::clone(&in_flight));
        let (limits, stopped) = (self.connections, self.stop.clone());
        let served = ServeContext {
            router,
            in_flight,
            tls: self.tls,
        };
        let server = connections::serve(self.listener, served, limits, stopped);
        let late = async {
            self.stop.cancelled().await;
            tokio::time::sleep(self.grace).await;
        };
        tokio::select! {
            () = server => {}
            () = late => tracing::warn!("aborted requests in flight: they took longer than server.shutdown_grace_ms"),
        }
        let _ = upkeep.await;
        let _ = worker.await;
        if let Some(metrics) = metrics
            && let Ok(sender) = metrics.await
            && let Some(figures) = operations::all_metrics(state).await
        {
            sender.send_last(&figures).await;
        }
        // There are no more answers: the writer stores the remaining ones and ends.
        written.cancel();
        let _ = writer.await;
        self.catalog.close().await;
    }
}

/// # Errors
/// When the address is taken or not one of this machine.
async fn listen(address: SocketAddr) -> Result<TcpListener, UsageError> {
    TcpListener::bind(address).await.map_err(|error| {
        UsageError(match error.kind() {
            std::io::ErrorKind::AddrInUse => format!(
                "{address} is in use, perhaps by another `foveate serve`: choose another address with --listen"
            ),
            _ => format!("cannot listen on {address}: {error}"),
        })
    })
}

/// Creates the catalog, which registers repositories and keeps them up to date.
fn catalog(
    config: &Config,
    data_dir: &DataDir,
    engine: &Arc<Engine>,
    store: &Store,
    hosts: &Arc<[forge::Host]>,
    stop: &CancellationToken,
) -> Arc<Catalog> {
    let mut settings = ingest_settings(config, data_dir.path().to_owned());
    let tokens = Tokens::new(Arc::clone(hosts), tokio::runtime::Handle::current());
    settings.connection.token_source = Some(Arc::new(tokens));
    let catalog = Catalog::new(Arc::clone(engine), store.clone(), settings, stop.clone());
    Arc::new(catalog)
}

/// Runs the recorder's upkeep until the service stops, so that its buffers stay small.
async fn upkeep(recorder: PrometheusHandle, stop: CancellationToken) {
    while stop
        .run_until_cancelled(tokio::time::sleep(UPKEEP))
        .await
        .is_some()
    {
        recorder.run_upkeep();
    }
}

/// Sends metrics periodically until the service stops; returns the sender.
async fn send_metrics(
    sender: MetricsSender,
    state: HttpState,
    stop: CancellationToken,
) -> MetricsSender {
    let sending = async {
        loop {
            tokio::time::sleep(sender.interval()).await;
            if let Some(figures) = operations::all_metrics(state.clone()).await {
                sender.send(&figures).await;
            }
        }
    };
    stop.run_until_cancelled(sending).await;
    sender
}

async fn open_store(config: &Config, data_dir: &DataDir) -> anyhow::Result<Store> {
    let location = cli::database::location(&config.storage)?;
    if let Some(reason) = data_dir.read_only() {
        tracing::warn!(
            reason,
            "the data directory is not writable: new indexes and other changes are lost when the server stops"
        );
    }
    Ok(match (location, data_dir.read_only()) {
        (DatabaseLocation::Sqlite(_), None) => Store::open(data_dir.path()).await?,
        (DatabaseLocation::Sqlite(_), Some(_)) => Store::open_copy(data_dir.path()).await?,
        (location @ DatabaseLocation::Postgres(_), _) => {
            tracing::info!(place = %location, "opening the database");
            Store::open_at(location).await?
        }
    })
}

/// Returns the URL at which this machine reaches a server that listens on `address`.
pub(super) fn local_url(mut address: SocketAddr, has_tls: bool) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    let scheme = if has_tls { "https" } else { "http" };
    format!("{scheme}://{address}")
}

/// Returns the files of the server's certificate; `None` if it serves plain HTTP.
pub(super) fn tls_files(config: &Config) -> Option<TlsConfig> {
    let tls = &config.server.tls;
    (!tls.cert.as_os_str().is_empty()).then(|| tls.clone())
}

/// Loads the keys. Refuses to serve everybody unless the settings allow it.
async fn authenticator(config: &Config, store: Store) -> anyhow::Result<Arc<Authenticator>> {
    let (access, listen) = (&config.access, config.server.listen);
    let token_file = &access.token_file;
    let settings = AccessSettings {
        anonymous: config.is_local() || access.allow_anonymous,
        token_file: (!token_file.as_os_str().is_empty()).then(|| token_file.clone()),
        limits: ShareLimits {
            per_second: access.rate_per_second,
            burst: access.rate_burst,
            in_flight: access.max_in_flight,
        },
    };
    let is_open = settings.anonymous;
    let authenticator = Authenticator::new(store, settings).await;
    let authenticator = authenticator.map_err(|error| UsageError(error.to_string()))?;
    if !authenticator.needs_token() && !config.is_local() {
        if !is_open {
            let data_dir = config.storage.data_dir.display();
            return Err(UsageError(format!(
                "{listen} can be reached from other machines, but there is no key: create one with \
                 `foveate key create --scope admin --data-dir {data_dir}`, set access.token_file to a \
                 file of tokens, or allow everybody with access.allow_anonymous = true"
            ))
            .into());
        }
        tracing::warn!(%listen, "there is no key: everyone who can reach this address has full access");
    }
    Ok(Arc::new(authenticator))
}

/// Creates the checks that requests pass before they are handled.
fn policy(config: &Config, authenticator: Arc<Authenticator>) -> RequestPolicy {
    let named = config.server.allow_hosts.clone().into();
    let hosts = if config.is_local() {
        Hosts::Local(named)
    } else {
        Hosts::Network(named)
    };
    RequestPolicy {
        hosts,
        origins: config.server.allow_origins.clone(),
        authenticator,
        health: config.access.health,
        metrics: config.access.metrics,
    }
}

/// Creates the route of the Model Context Protocol.
fn mcp_route(config: &Config, engine: &Arc<Engine>, feedback: &Arc<Feedback>) -> Router<HttpState> {
    let limits = McpLimits {
        max_query_bytes: config.answer.max_query_bytes,
        wait: config.answer.build_deadline(),
    };
    let service = McpService::over_http(Arc::clone(engine), limits, Arc::clone(feedback));
    mcp::http::route(service, config.server.body_limit_bytes)
}

fn http_limits(config: &Config) -> HttpLimits {
    HttpLimits {
        body_bytes: config.server.body_limit_bytes,
        max_query_bytes: config.answer.max_query_bytes,
        request_timeout: Duration::from_millis(config.server.request_timeout_ms),
    }
}

fn connection_limits(config: &Config) -> ConnectionLimits {
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

fn unusable(error: DataDirError) -> anyhow::Error {
    match error {
        DataDirError::InUse { .. } => UsageError(error.to_string()).into(),
        DataDirError::Unusable { .. } => error.into(),
    }
}

fn location(data_dir: &DataDir) -> StoreLocation {
    let stored = data_dir.path().join(INDEX);
    match data_dir.read_only() {
        None => StoreLocation::Directory(stored),
        Some(reason) => StoreLocation::ReadOnly(stored, reason.to_owned()),
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
        deadline: config.answer.deadline(),
        build_deadline: config.answer.build_deadline(),
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
        places: if allowed.is_empty() && config.is_local() {
            LocalPaths::Anywhere
        } else {
            LocalPaths::Below(allowed.as_slice().into())
        },
        memory_bytes: config.git.memory_bytes,
        lookup: config.answer.deadline(),
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
