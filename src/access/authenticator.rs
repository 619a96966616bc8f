//! Turns tokens into grants. Keys come from the database, which `foveate key` changes while a server runs, and from a
//! token file. The database notifies of changes, and the file is polled every [`POLL_INTERVAL`], so that a new or
//! revoked key takes effect within a second.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::key::{Key, Keys};
use super::rate_limit::{Share, ShareLimits};
use super::token::TokenHash;
use super::token_file::{self, StaticKey};
use super::{Grant, Repositories, Scope};
use crate::disk::FileStamp;
use crate::store::{KeyRow, Store, StoreError};
use crate::telemetry::spans::spawn_blocking;

/// Time between two polls of the file, and the pause after keys could not be read.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The source of keys, and their limits.
#[derive(Clone, Debug)]
pub struct AccessSettings {
    /// Whether requests without a token are answered as long as there never was a key.
    pub anonymous: bool,
    /// Path of the token file.
    pub token_file: Option<PathBuf>,
    /// Limits of each key.
    pub limits: ShareLimits,
}

/// Why keys cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum AccessError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("access.token_file: {}: {reason}", .path.display())]
    TokenFile { path: PathBuf, reason: String },
}

/// Why a request has no grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum Unauthenticated {
    #[error("this server answers only requests with a token")]
    Missing,
    #[error("this token is unknown, revoked or expired")]
    Invalid,
}

/// Holds the keys in force and authenticates tokens.
#[derive(Debug)]
pub struct Authenticator {
    store: Store,
    settings: AccessSettings,
    keys: ArcSwap<Keys>,
    anonymous: Grant,
    file: Mutex<FileState>,
}

/// The token file as it was last read.
#[derive(Debug, Default)]
struct FileState {
    stamp: Option<FileStamp>,
    keys: Vec<StaticKey>,
}

impl Authenticator {
    /// Reads the keys.
    pub async fn new(store: Store, settings: AccessSettings) -> Result<Self, AccessError> {
        let file = match settings.token_file.clone() {
            None => FileState::default(),
            // Blocks, at the start, for the time of reading a small file.
            Some(path) => {
                read_file(&path).map_err(|reason| AccessError::TokenFile { path, reason })?
            }
        };
        let this = Self {
            store,
            settings,
            keys: ArcSwap::default(),
            anonymous: Grant::anonymous(),
            file: Mutex::new(file),
        };
        this.load().await?;
        Ok(this)
    }

    /// Whether there is or ever was a key, or a token file is configured, so that every request needs a token.
    pub fn needs_token(&self) -> bool {
        self.keys.load().needs_token
    }

    /// Returns the grant of a request with this token.
    pub fn grant(&self, token: Option<&str>) -> Result<Grant, Unauthenticated> {
        let keys = self.keys.load();
        if !keys.needs_token && self.settings.anonymous {
            return Ok(self.anonymous.clone());
        }
        let token = token.ok_or(Unauthenticated::Missing)?;
        keys.grant(token).ok_or(Unauthenticated::Invalid)
    }

    /// Reloads keys when they change, until `stop` is cancelled. Where they cannot be read, the keys read last stay in
    /// force.
    pub async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let mut changes = self.store.subscribe();
        // Version of the keys in the database that were read last.
        let mut read: Option<u64> = None;
        let mut has_failed = false;
        loop {
            let next = async {
                tokio::select! {
                    _ = changes.changed() => {}
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                }
            };
            if stop.run_until_cancelled(next).await.is_none() {
                return;
            }
            let version = changes.borrow_and_update().keys;
            match self.check(read != Some(version)).await {
                Ok(()) => {
                    has_failed = false;
                    read = Some(version);
                }
                Err(error) => {
                    read = None;
                    if !std::mem::replace(&mut has_failed, true) {
                        tracing::error!(%error, "cannot read the keys: those read before stay in force");
                    }
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
            }
        }
    }

    /// Reads the keys again if those of the database are stale or the file has changed.
    async fn check(self: &Arc<Self>, is_stale: bool) -> Result<(), AccessError> {
        let is_file_changed = match self.settings.token_file.clone() {
            None => false,
            Some(path) => {
                let this = Arc::clone(self);
                let read = spawn_blocking(move || this.check_file(&path));
                read.await.unwrap_or(false)
            }
        };
        if is_stale || is_file_changed {
            self.load().await?;
        }
        Ok(())
    }

    /// Reads the file again if it changed. Returns whether its keys were replaced. A missing file counts as empty; one
    /// that cannot be used leaves the earlier tokens in force.
    fn check_file(&self, path: &std::path::Path) -> bool {
        let stamp = FileStamp::of(path);
        if self.file.lock().stamp == stamp {
            return false;
        }
        let shown = path.display();
        let read = match stamp {
            None => {
                tracing::warn!(file = %shown, "the token file is missing: its tokens are not accepted");
                Ok(FileState::default())
            }
            Some(_) => read_file(path),
        };
        match read {
            Ok(read) => {
                tracing::info!(file = %shown, keys = read.keys.len(), "tokens read");
                *self.file.lock() = read;
                true
            }
            Err(reason) => {
                tracing::error!(
                    file = %shown,
                    reason,
                    "cannot read the token file: the tokens read before stay in force"
                );
                self.file.lock().stamp = stamp;
                false
            }
        }
    }

    /// Reads the keys of the database and puts them in force, together with those read from the file.
    async fn load(&self) -> Result<(), AccessError> {
        let rows = self.store.keys().await?;
        let before = self.keys.load_full();
        let needs_token = !rows.is_empty() || self.settings.token_file.is_some();
        let mut all: Vec<Key> = Vec::new();
        for row in rows {
            all.extend(self.key_of_row(row, &before));
        }
        for key in &self.file.lock().keys {
            // Shares, feedback and audit lines go by the name.
            if all.iter().any(|known| known.grant.who() == key.name) {
                tracing::error!(
                    key = key.name,
                    "ignored a key of the token file: a key of the database has its name"
                );
                continue;
            }
            let (scope, repositories) = (key.scope, key.repositories.clone());
            all.push(self.key(&key.name, key.hash, (scope, repositories), None, &before));
        }
        self.keys.store(Arc::new(Keys { all, needs_token }));
        Ok(())
    }

    fn key_of_row(&self, row: KeyRow, before: &Keys) -> Option<Key> {
        if row.revoked_at.is_some() {
            return None;
        }
        let (hash, scope) = (TokenHash::stored(&row.hash), Scope::named(&row.scope));
        let Some((hash, scope)) = hash.zip(scope) else {
            tracing::error!(
                key = row.name,
                "ignored a key that a later version of this program created"
            );
            return None;
        };
        let repositories = row.repositories.map_or(Repositories::All, |names| {
            Repositories::Named(names.into_iter().collect())
        });
        let expires = row.expires_at.map(|(_, seconds)| seconds);
        Some(self.key(&row.name, hash, (scope, repositories), expires, before))
    }

    /// Makes a key, which keeps the share that it had before the reload.
    fn key(
        &self,
        name: &str,
        hash: TokenHash,
        (scope, repositories): (Scope, Repositories),
        expires: Option<i64>,
        before: &Keys,
    ) -> Key {
        let share = match before.with_hash(&hash) {
            Some(known) => known.grant.share(),
            None => Arc::new(Share::new(self.settings.limits)),
        };
        Key {
            hash,
            expires,
            grant: Grant::of_key(name, scope, repositories, share),
        }
    }
}

fn read_file(path: &std::path::Path) -> Result<FileState, String> {
    // The stamp is taken before reading: a write meanwhile is noticed at the next poll.
    let stamp = FileStamp::of(path);
    let keys = token_file::read(path)?;
    Ok(FileState { stamp, keys })
}
