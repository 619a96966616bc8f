//! Defines what the holder of an API token may see and do. A repository outside a grant must look to its holder exactly
//! like one that does not exist: code that finds repositories by name must ask [`Grant::sees`].

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::rate_limit::{InFlight, RateLimited, Share, ShareLimits};

foveate_model::named_enum! {
    /// The operations allowed on the repositories of a grant. Each scope includes those before it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Scope {
        /// Questions and lookups.
        Read = "read",
        /// Also registering, synchronizing and removing repositories.
        Admin = "admin",
    }
}

/// The repositories that a grant sees, whether registered or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repositories {
    /// All repositories.
    All,
    /// The repositories with these names.
    Named(BTreeSet<String>),
}

/// The name of a key, and what its holder may see and do. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Grant(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    who: String,
    scope: Scope,
    repositories: Repositories,
    share: Arc<Share>,
}

/// A grant does not allow an operation. The messages name nothing that the holder did not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum AccessDenied {
    #[error("this token has the scope `read`; this operation needs a token with `--scope admin`")]
    Scope,
    #[error("this token may only register repositories under the names that it was created for")]
    Name,
}

impl Grant {
    /// Creates a grant for the key name `who`, without limits of rate and of requests in flight.
    pub fn new(who: &str, scope: Scope, repositories: Repositories) -> Self {
        let share = Arc::new(Share::new(ShareLimits::default()));
        Self::of_key(who, scope, repositories, share)
    }

    /// Creates the grant of the key called `who`.
    pub(super) fn of_key(
        who: &str,
        scope: Scope,
        repositories: Repositories,
        share: Arc<Share>,
    ) -> Self {
        Self(Arc::new(Inner {
            who: who.to_owned(),
            scope,
            repositories,
            share,
        }))
    }

    /// Creates a grant for everything, for the process itself and its command line.
    pub fn unrestricted() -> Self {
        Self::new("local", Scope::Admin, Repositories::All)
    }

    /// Creates a grant for everything, for all clients of a server without keys.
    pub(super) fn anonymous() -> Self {
        Self::new("anonymous", Scope::Admin, Repositories::All)
    }

    /// The name of the key.
    pub fn who(&self) -> &str {
        &self.0.who
    }

    /// Counts a request against the key's share, until the result is dropped.
    pub fn enter(&self) -> Result<InFlight, RateLimited> {
        self.0.share.enter()
    }

    pub(super) fn share(&self) -> Arc<Share> {
        Arc::clone(&self.0.share)
    }

    /// Creates a grant to read the state of the whole service, for probes that need no token.
    pub fn probe() -> Self {
        Self::new("probe", Scope::Read, Repositories::All)
    }

    /// Whether the holder may see a repository of this name.
    pub fn sees(&self, name: &str) -> bool {
        match &self.0.repositories {
            Repositories::All => true,
            Repositories::Named(names) => names.contains(name),
        }
    }

    /// Checks that the grant has `scope`. Call it before any lookup, so that the outcome depends on the grant alone.
    pub fn require(&self, scope: Scope) -> Result<(), AccessDenied> {
        match self.0.scope >= scope {
            true => Ok(()),
            false => Err(AccessDenied::Scope),
        }
    }

    /// Checks that the holder may register a repository under this name.
    pub fn require_registering(&self, name: &str) -> Result<(), AccessDenied> {
        self.require(Scope::Admin)?;
        match self.sees(name) {
            true => Ok(()),
            false => Err(AccessDenied::Name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(scope: Scope) -> Grant {
        let names = BTreeSet::from(["a".to_owned()]);
        Grant::new("k", scope, Repositories::Named(names))
    }

    #[test]
    fn grant_is_limited_to_its_scope_and_names() {
        let (read, admin) = (grant(Scope::Read), grant(Scope::Admin));
        assert!(read.sees("a") && !read.sees("b") && !read.sees("A"));
        assert_eq!(read.require(Scope::Read), Ok(()));
        assert_eq!(read.require(Scope::Admin), Err(AccessDenied::Scope));
        assert_eq!(read.require_registering("a"), Err(AccessDenied::Scope));
        assert_eq!(admin.require_registering("a"), Ok(()));
        assert_eq!(admin.require_registering("b"), Err(AccessDenied::Name));
        assert_eq!(Grant::unrestricted().require_registering("b"), Ok(()));
    }

    #[test]
    fn scope_names_round_trip() {
        for scope in Scope::ALL {
            assert_eq!(Scope::named(scope.name()), Some(scope));
            let json = serde_json::to_value(scope).expect("a name");
            assert_eq!(json, scope.name());
        }
        assert_eq!(Scope::named("write"), None);
    }
}
