//! Provides the server's TLS: certificate and key from two PEM files, reloaded when they change.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::config::TlsConfig;
use crate::disk::{FileStamp, is_readable_by_others};
use crate::telemetry::spans::spawn_blocking;

/// Interval at which the files are polled.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Metric that counts reloads of the certificate.
const READS: &str = "foveate_certificate_reads_total";

/// The TLS of a server.
#[derive(Debug)]
pub struct Tls {
    files: TlsConfig,
    /// For new connections.
    current: ArcSwap<ServerConfig>,
}

type Stamps = [Option<FileStamp>; 2];

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// When a file cannot be read, or the key does not match the certificate; the text names the file.
    pub fn new(files: TlsConfig) -> Result<Self, String> {
        let current = ArcSwap::from(read(&files)?);
        Ok(Self { files, current })
    }

    /// Performs the handshake with a client.
    ///
    /// # Errors
    /// When the handshake fails.
    pub async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
    ) -> io::Result<TlsStream<S>> {
        TlsAcceptor::from(self.current.load_full())
            .accept(stream)
            .await
    }

    /// Reloads the files when they change, until `stop` is cancelled. While they are unusable, or do not
    /// match each other yet, the previous ones stay in use.
    pub async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let mut stamps = self.stamps();
        while stop
            .run_until_cancelled(tokio::time::sleep(CHECK_INTERVAL))
            .await
            .is_some()
        {
            let this = Arc::clone(&self);
            let checked = spawn_blocking(move || this.check(stamps));
            stamps = checked.await.unwrap_or(stamps);
        }
    }

    fn stamps(&self) -> Stamps {
        [&self.files.cert, &self.files.key].map(|file| FileStamp::of(file))
    }

    fn check(&self, before: Stamps) -> Stamps {
        let stamps = self.stamps();
        if stamps == before {
            return before;
        }
        match read(&self.files) {
            Ok(config) => {
                self.current.store(config);
                metrics::counter!(READS, "outcome" => "done").increment(1);
                tracing::info!("the certificate was reloaded");
            }
            Err(reason) => {
                metrics::counter!(READS, "outcome" => "failed").increment(1);
                tracing::error!(
                    reason,
                    "cannot reload the certificate: the previous one stays in use"
                );
            }
        }
        stamps
    }
}

fn read(files: &TlsConfig) -> Result<Arc<ServerConfig>, String> {
    let refuse = |setting: &str, file: &Path, reason: &dyn std::fmt::Display| {
        format!("{setting}: {}: {reason}", file.display())
    };
    let of_cert = |reason: &dyn std::fmt::Display| refuse("server.tls.cert", &files.cert, reason);
    let of_key = |reason: &dyn std::fmt::Display| refuse("server.tls.key", &files.key, reason);
    let chain = CertificateDer::pem_file_iter(&files.cert).map_err(|error| of_cert(&error))?;
    let chain: Result<Vec<_>, _> = chain.collect();
    let chain = chain.map_err(|error| of_cert(&error))?;
    if chain.is_empty() {
        return Err(of_cert(&"it contains no PEM certificate"));
    }
    if (files.key.metadata()).is_ok_and(|file| is_readable_by_others(&file)) {
        let file = files.key.display();
        tracing::warn!(%file, "other users may read the private key: run `chmod 600` on the file");
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| match error {
        PemError::NoItemsFound => of_key(&"it contains no PEM private key"),
        error => of_key(&error),
    })?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, key);
    let mut config = config.map_err(|error| of_key(&error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
