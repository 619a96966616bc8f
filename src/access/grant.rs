//! What the holder of an API token may see and do. What a grant does not see is unknown to its holder,
//! exactly like a name that nothing has: the rooms that find repositories by name ask [`Grant::sees`].

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::share::{InFlight, Limited, Share, ShareLimits};

/// What may be done with the repositories that a grant sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Asking and looking.
    Read,
    /// Registering, synchronizing and removing, too.
    Admin,
}

impl Scope {
    /// All of them, each including those before it.
    pub const ALL: [Self; 2] = [Self::Read, Self::Admin];

    /// As it is written everywhere.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    /// The scope that is written so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// The repositories that a grant sees, registered or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repositories {
    /// Every one.
    All,
    /// Those with these names.
    Named(BTreeSet<String>),
}

/// Who asks, and what they may see and do. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Grant(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    who: String,
    scope: Scope,
    repositories: Repositories,
    share: Arc<Share>,
}

/// A grant does not reach so far. The texts name nothing that its holder did not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// It may not change anything.
    #[error("this token has the scope `read`; this needs one with `--scope admin`")]
    Scope,
    /// It may not register a repository under this name.
    #[error("this token may only register repositories under the names that it was created for")]
    Name,
}

impl Grant {
    /// What somebody called `who` may, without bounds of number and rate.
    pub fn new(who: &str, scope: Scope, repositories: Repositories) -> Self {
        let share = Arc::new(Share::new(ShareLimits::default()));
        Self::of_key(who, scope, repositories, share)
    }

    /// What the key called `who` may.
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

    /// Everything: for the process itself and its command line.
    pub fn unrestricted() -> Self {
        Self::new("local", Scope::Admin, Repositories::All)
    }

    /// Everything, for whoever asks where no keys are used.
    pub(super) fn anonymous() -> Self {
        Self::new("anonymous", Scope::Admin, Repositories::All)
    }

    /// The name of the key.
    pub fn who(&self) -> &str {
        &self.0.who
    }

    /// Takes the place of one request in the key's share.
    ///
    /// # Errors
    /// See [`Limited`].
    pub fn enter(&self) -> Result<InFlight, Limited> {
        self.0.share.enter()
    }

    pub(super) fn share(&self) -> Arc<Share> {
        Arc::clone(&self.0.share)
    }

    /// Looking at how the whole service does, for whoever asks a probe that needs no token.
    pub fn probe() -> Self {
        Self::new("probe", Scope::Read, Repositories::All)
    }

    /// What may be done.
    pub fn scope(&self) -> Scope {
        self.0.scope
    }

    /// Whether repositories of this name exist for the holder.
    pub fn sees(&self, name: &str) -> bool {
        match &self.0.repositories {
            Repositories::All => true,
            Repositories::Named(names) => names.contains(name),
        }
    }

    /// Whether the holder may do what needs `scope`. To be asked before anything is looked up, so that
    /// the answer depends on the grant alone.
    ///
    /// # Errors
    /// See [`Denied::Scope`].
    pub fn require(&self, scope: Scope) -> Result<(), Denied> {
        if self.0.scope >= scope {
            Ok(())
        } else {
            Err(Denied::Scope)
        }
    }

    /// Whether the holder may register a repository under this name.
    ///
    /// # Errors
    /// See [`Denied`].
    pub fn require_registering(&self, name: &str) -> Result<(), Denied> {
        self.require(Scope::Admin)?;
        if self.sees(name) {
            Ok(())
        } else {
            Err(Denied::Name)
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
    fn a_grant_reaches_as_far_as_its_scope_and_its_names() {
        let (read, admin) = (grant(Scope::Read), grant(Scope::Admin));
        assert!(read.sees("a") && !read.sees("b") && !read.sees("A"));
        assert_eq!(read.require(Scope::Read), Ok(()));
        assert_eq!(read.require(Scope::Admin), Err(Denied::Scope));
        assert_eq!(read.require_registering("a"), Err(Denied::Scope));
        assert_eq!(admin.require_registering("a"), Ok(()));
        assert_eq!(admin.require_registering("b"), Err(Denied::Name));
        assert_eq!(Grant::unrestricted().require_registering("b"), Ok(()));
    }

    #[test]
    fn scopes_have_one_name() {
        for scope in Scope::ALL {
            assert_eq!(Scope::named(scope.name()), Some(scope));
            let json = serde_json::to_value(scope).expect("a name");
            assert_eq!(json, scope.name());
        }
        assert_eq!(Scope::named("write"), None);
    }
}
