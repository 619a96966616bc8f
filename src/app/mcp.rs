//! `foveate mcp`: runs an engine with one repository and no listener, for the client that started it. It uses the
//! cache of the command line instead of a data directory.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;

use super::settings::{engine_settings, ingest_settings, mcp_limits};
use crate::access::Grant;
use crate::cli::ranking;
use crate::cli::{McpArgs, RunCache, UsageError};
use crate::config::{Config, Overrides};
use crate::engine::{Engine, EngineSettings, RepoName, Source};
use crate::ingest::{Catalog, Registration, git, one_shot};
use crate::mcp::{McpService, stdio};
use crate::store::Store;
use crate::telemetry;
use crate::telemetry::spans::spawn_blocking;

/// Serves one session on standard input and output.
///
/// # Errors
/// When the directory or a setting cannot be used, or the client does not speak the protocol.
pub fn run(args: McpArgs) -> anyhow::Result<ExitCode> {
    let root =
        one_shot::canonical(&args.directory).map_err(|error| UsageError(error.to_string()))?;
    let config = Config::load(None, &Overrides::default());
    let config = config.map_err(|error| UsageError(error.to_string()))?;
    telemetry::init_logging(&args.log_filter, false, None)
        .map_err(|error| UsageError(format!("--log-filter: {error}")))?;
    telemetry::spans::log_panics();
    telemetry::process::raise_open_files();
    let cache = args.cache(&root);
    let runtime =
        tokio::runtime::Runtime::new().context("cannot start the asynchronous runtime")?;
    let served = runtime.block_on(serve(&config, &root, &cache));
    // A pending read of standard input is abandoned.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    cache.close(Ok(()));
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(config: &Config, root: &Path, cache: &RunCache) -> anyhow::Result<()> {
    telemetry::install_tls();
    let stop = CancellationToken::new();
    let signal = tokio::spawn(super::wait_for_signal(stop.clone()));
    // The database and other uncached state live in a temporary directory.
    let scratch = tempfile::tempdir().context("cannot create a temporary directory")?;
    let data = cache.path().unwrap_or_else(|| scratch.path().to_owned());
    let store = Store::open_copy(scratch.path()).await?;
    let (location, name) = cache.location();
    let settings = EngineSettings {
        stored_as: Some(name),
        ..engine_settings(config, location)
    };
    let engine = Engine::new(settings, ranking(Some(&config.ranking.file))?)
        .context("cannot start the threads for indexing")?;
    let engine = Arc::new(engine);
    let ingest = ingest_settings(config, data);
    let catalog = Arc::new(Catalog::new(
        Arc::clone(&engine),
        store,
        ingest,
        stop.clone(),
    ));
    follow(&catalog, root.to_owned()).await?;
    spawn_blocking(foveate_query::warm);
    let service = McpService::of_process(engine, mcp_limits(config));
    let served = stdio::serve(service, stop.clone()).await;
    stop.cancel();
    catalog.close().await;
    signal.abort();
    Ok(served?)
}

/// Starts indexing the directory, and watches it unless it is a bare repository.
async fn follow(catalog: &Arc<Catalog>, root: PathBuf) -> anyhow::Result<()> {
    if !git::is_bare(&root) {
        catalog.watch(&root).await?;
        return Ok(());
    }
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let registration = Registration {
        name: RepoName::from_directory(&name).to_string(),
        source: Source::Git {
            location: root.to_string_lossy().into_owned(),
            reference: None,
            poll: None,
        },
    };
    catalog
        .register(&Grant::unrestricted(), registration)
        .await?;
    Ok(())
}
