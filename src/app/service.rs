//! Starts, runs and stops the service; the program and the tests use it alike.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use foveate_query::RankingConfig;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::settings;
use crate::access::{AccessSettings, Authenticator, ShareLimits};
use crate::cli::{self, UsageError};
use crate::config::Config;
use crate::disk::{DataDir, DataDirError};
use crate::engine::{Engine, StoreLocation};
use crate::feedback::Feedback;
use crate::forge::{self, Forges, Tokens};
use crate::http::connections::{self, ConnectionLimits, ServeContext};
use crate::http::hosts::Hosts;
use crate::http::router::{RequestPolicy, router};
use crate::http::tls::Tls;
use crate::http::{HttpState, operations};
use crate::ingest::{Catalog, INDEX, IngestSettings};
use crate::mcp::{self, McpService};
use crate::store::{DatabaseLocation, Store};
use crate::telemetry;
use crate::telemetry::otlp::MetricsSender;
use crate::telemetry::spans::spawn_blocking;

/// Interval at which recorded histogram values are folded into their buckets, scraped or not.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Time limit for sending the last metrics.
const LAST_METRICS_TIMEOUT: Duration = Duration::from_secs(3);

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
        let tls = tls(&config, &stop)?;
        let data_dir = open_data_dir(&config).await?;
        let store = open_store(&config, &data_dir).await?;
        tokio::spawn(store.clone().follow(stop.clone()));
        let authenticator = authenticator(&config, store.clone()).await?;
        tokio::spawn(Arc::clone(&authenticator).follow(stop.clone()));
        let engine = engine(&config, &data_dir, ranking)?;
        let hosts = hosts(&config).await?;
        let ingest = ingest_settings(&config, &data_dir, Arc::clone(&hosts));
        let catalog = Catalog::new(Arc::clone(&engine), store.clone(), ingest, stop.clone());
        let catalog = Arc::new(catalog);
        let feedback = Feedback::new(config.feedback, Arc::clone(&engine), store.clone());
        let feedback = Arc::new(feedback);
        let forges = Forges::new(
            hosts,
            settings::forge_settings(&config),
            Arc::clone(&engine),
            Arc::clone(&catalog),
            Arc::clone(&feedback),
            store,
        );
        start_indexing(&catalog, watched).await?;
        // The first token count takes a tenth of a second to load a dictionary: do it outside of a request.
        spawn_blocking(foveate_query::warm);
        let mcp = mcp_route(&config, Arc::clone(&engine), Arc::clone(&feedback));
        let state = HttpState {
            engine: Arc::clone(&engine),
            catalog: Arc::clone(&catalog),
            forges: Arc::new(forges),
            feedback,
            limits: settings::http_limits(&config),
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
            connections: settings::connection_limits(&config),
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
        let state = self.state.clone();
        let metrics = self.metrics.map(Arc::new);
        // In tasks of their own: neither delays accepting connections, nor ends the server if it panics.
        let mut loops = JoinSet::new();
        loops.spawn(keep_up(self.recorder));
        if let Some(sender) = &metrics {
            loops.spawn(send_metrics(Arc::clone(sender), state.clone()));
        }
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
        let _ = worker.await;
        drop(loops);
        if let Some(sender) = &metrics
            && let Some(figures) = operations::all_metrics(state).await
        {
            let _ = tokio::time::timeout(LAST_METRICS_TIMEOUT, sender.send(&figures)).await;
        }
        // There are no more answers: the writer stores the remaining ones and ends.
        written.cancel();
        let _ = writer.await;
        self.catalog.close().await;
    }
}

/// Reads the server's certificate, and again when its files change; `None` if it serves plain HTTP.
fn tls(config: &Config, stop: &CancellationToken) -> Result<Option<Arc<Tls>>, UsageError> {
    let tls = settings::tls_files(config).map(Tls::new).transpose();
    let tls = tls.map_err(UsageError)?.map(Arc::new);
    if let Some(tls) = &tls {
        tokio::spawn(Arc::clone(tls).follow(stop.clone()));
    }
    Ok(tls)
}

/// Opens the data directory and takes its lock.
async fn open_data_dir(config: &Config) -> anyhow::Result<DataDir> {
    let path = config.storage.data_dir.clone();
    let opened = spawn_blocking(move || DataDir::open(&path)).await?;
    opened.map_err(|error| match error {
        DataDirError::InUse { .. } => UsageError(error.to_string()).into(),
        DataDirError::Unusable { .. } => error.into(),
    })
}

/// Creates the clients of the forges, and warns of their secrets that cannot be read.
async fn hosts(config: &Config) -> anyhow::Result<Arc<[forge::Host]>> {
    let hosts: Arc<[forge::Host]> = forge::hosts(&config.forge)
        .context("cannot create the HTTP client for forges")?
        .into();
    let read = Arc::clone(&hosts);
    spawn_blocking(move || warn_of_unreadable_secrets(&read)).await?;
    Ok(hosts)
}

fn engine(
    config: &Config,
    data_dir: &DataDir,
    ranking: RankingConfig,
) -> anyhow::Result<Arc<Engine>> {
    let settings = settings::engine_settings(config, location(data_dir));
    let engine = Engine::new(settings, ranking);
    let engine = engine.context("cannot start the threads for indexing")?;
    Ok(Arc::new(engine))
}

/// Returns the settings of the catalog, with the tokens that the forges give for their repositories.
fn ingest_settings(
    config: &Config,
    data_dir: &DataDir,
    hosts: Arc<[forge::Host]>,
) -> IngestSettings {
    let mut ingest = settings::ingest_settings(config, data_dir.path().to_owned());
    let tokens = Tokens::new(hosts, Handle::current());
    ingest.connection.token_source = Some(Arc::new(tokens));
    ingest
}

/// Starts indexing the registered repositories, and the tasks that follow them.
async fn start_indexing(catalog: &Arc<Catalog>, watched: &[PathBuf]) -> anyhow::Result<()> {
    catalog.start_registered(watched).await?;
    tokio::spawn(Arc::clone(catalog).keep_within_memory());
    tokio::spawn(Arc::clone(catalog).follow_list());
    Ok(())
}

/// Returns the route of the Model Context Protocol.
fn mcp_route(config: &Config, engine: Arc<Engine>, feedback: Arc<Feedback>) -> Router<HttpState> {
    let limits = settings::mcp_limits(config);
    let service = McpService::over_http(engine, limits, feedback);
    mcp::http::route(service, config.server.body_limit_bytes)
}

/// Logs the secrets of forges that cannot be read. The server starts all the same: they may be put in place later.
fn warn_of_unreadable_secrets(hosts: &[forge::Host]) {
    for host in hosts {
        let name = host.dialect.name();
        for (setting, error) in host.unreadable_secrets() {
            tracing::warn!(
                "forge.{name}.{setting}: {error}; webhooks or comments of {name} fail until it is there"
            );
        }
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

/// Runs the recorder's upkeep at intervals, for ever, so that its buffers stay small.
async fn keep_up(recorder: PrometheusHandle) {
    loop {
        tokio::time::sleep(UPKEEP_INTERVAL).await;
        recorder.run_upkeep();
    }
}

/// Sends metrics at intervals, for ever.
async fn send_metrics(sender: Arc<MetricsSender>, state: HttpState) {
    loop {
        tokio::time::sleep(sender.interval()).await;
        if let Some(figures) = operations::all_metrics(state.clone()).await {
            sender.send(&figures).await;
        }
    }
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

fn location(data_dir: &DataDir) -> StoreLocation {
    let stored = data_dir.path().join(INDEX);
    match data_dir.read_only() {
        None => StoreLocation::Directory(stored),
        Some(reason) => StoreLocation::ReadOnly(stored, reason.to_owned()),
    }
}
