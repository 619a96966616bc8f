//! Provides git with the tokens of the forges, so that repositories are fetched as the app's installation.

use std::sync::Arc;

use tokio::runtime::Handle;

use super::client::CallError;
use super::host::{Host, Scope};
use crate::engine::CloneAddress;
use crate::ingest::git::connection::TokenSource;

/// The tokens of the configured forges.
#[derive(Debug)]
pub struct Tokens {
    hosts: Arc<[Host]>,
    runtime: Handle,
}

impl Tokens {
    /// Creates the source of the tokens of `hosts`; requests run on `runtime`.
    pub fn new(hosts: Arc<[Host]>, runtime: Handle) -> Self {
        Self { hosts, runtime }
    }
}

impl TokenSource for Tokens {
    fn token(&self, address: &CloneAddress) -> Option<Result<String, String>> {
        let (host, project) = self.hosts.iter().find_map(|host| {
            let project = host.project(address)?;
            host.has_token().then_some((host, project))
        })?;
        let scope = Scope {
            project,
            installation: None,
        };
        // Git is started on threads that may block.
        let token = self.runtime.block_on(host.token(scope));
        match token {
            Ok(token) => Some(Ok(token.reveal().to_owned())),
            // The app is not installed there, so git tries without a token.
            Err(CallError::Refused(_)) => None,
            Err(error) => Some(Err(error.to_string())),
        }
    }
}
