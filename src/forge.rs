//! Answers on code hosts (forges) such as GitHub: verifies and parses their webhooks and turns them into
//! jobs, which write comments with the code that an issue or pull request is about. Each forge is one folder
//! with what differs from the others ([`dialect`]). Nothing from an issue is logged or repeated in a comment.
//!
//! The path of an event: [`webhook`] accepts a delivery, [`decide`] decides what to do, the database queues a
//! job, [`worker`] runs it, [`answer`] asks the engine, [`comment`] renders the answer, [`publish`] posts it;
//! [`merge_comparison`] compares merged changes with earlier answers. Start at [`Forges`].

pub mod answer;
pub mod client;
pub mod closing_keywords;
pub mod comment;
pub mod decide;
pub mod dialect;
pub mod event;
pub mod gitea;
pub mod github;
pub mod gitlab;
pub mod host;
mod merge_comparison;
mod publish;
mod rate_limit;
pub mod task;
mod tokens;
pub mod webhook;
mod worker;

use std::sync::Arc;

use tokio::sync::Notify;

use crate::access::Grant;
use crate::config::ForgeConfig;
pub use crate::config::secret;
use crate::engine::{CloneAddress, Engine, Repository, Source};
use crate::feedback::Feedback;
use crate::ingest::Catalog;
use crate::store::{JobCounts, Store, StoreError};
pub use host::{Host, hosts};
pub use tokens::Tokens;
pub use webhook::{Outcome, WebhookError};

/// The configured forges and the parts of the program that they use.
#[derive(Debug)]
pub struct Forges {
    hosts: Arc<[Host]>,
    settings: ForgeSettings,
    engine: Arc<Engine>,
    catalog: Arc<Catalog>,
    feedback: Arc<Feedback>,
    store: Store,
    /// Wakes the worker when there are new jobs.
    wake: Notify,
}

/// Settings and limits of the jobs.
#[derive(Clone, Debug)]
pub struct ForgeSettings {
    /// The `[forge]` table.
    pub config: ForgeConfig,
    /// Longest question, in bytes.
    pub max_query_bytes: usize,
}

impl Forges {
    /// Creates the forges `hosts`, which answer from `engine`.
    pub fn new(
        hosts: Arc<[Host]>,
        settings: ForgeSettings,
        engine: Arc<Engine>,
        catalog: Arc<Catalog>,
        feedback: Arc<Feedback>,
        store: Store,
    ) -> Self {
        Self {
            hosts,
            settings,
            engine,
            catalog,
            feedback,
            store,
            wake: Notify::new(),
        }
    }

    /// Counts the jobs.
    pub async fn jobs(&self) -> Result<JobCounts, StoreError> {
        self.store.count_jobs().await
    }

    /// Longest body of a webhook, in bytes.
    pub fn body_limit(&self) -> usize {
        self.settings.config.body_limit_bytes
    }

    /// Whether the last database query succeeded.
    pub fn has_database(&self) -> bool {
        self.store.is_up()
    }

    fn host(&self, name: &str) -> Option<&Host> {
        self.hosts.iter().find(|host| host.dialect.name() == name)
    }

    /// Returns the repository that is cloned from a project of a forge. Of several, it prefers the one with
    /// the name of the project, else the first by name.
    fn repository(&self, host: &Host, project: &str) -> Option<Arc<Repository>> {
        let all = self.engine.repositories(&Grant::unrestricted());
        let is_of = |repository: &&Arc<Repository>| match &repository.source {
            Source::Git { location, .. } => is_clone_url_of(location, &host.url, project),
            Source::WorkingTree { .. } => false,
        };
        let found: Vec<&Arc<Repository>> = all.iter().filter(is_of).collect();
        let namesake = found.iter().find(|found| found.name.as_str() == project);
        namesake.or(found.first()).map(|found| Arc::clone(found))
    }
}

/// Whether the git URL `location` points to `project` on the forge at `url`, over any scheme.
fn is_clone_url_of(location: &str, url: &str, project: &str) -> bool {
    let (Ok(address), Ok(forge)) = (CloneAddress::parse(location), CloneAddress::parse(url)) else {
        return false;
    };
    let found = address.project_on(&forge);
    found.is_some_and(|found| found.eq_ignore_ascii_case(project))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repository_belongs_to_the_forge_it_is_cloned_from() {
        let github = "https://github.com";
        for location in [
            "https://github.com/corner/shop.git",
            "https://github.com/Corner/shop",
            "https://GitHub.com:443/corner/shop/",
            "ssh://git@github.com:22/corner/shop.git",
            "ssh://git@GitHub.com/corner/shop",
            "git@github.com:corner/shop.git",
            "git@GitHub.com:corner/shop.git",
        ] {
            assert!(
                is_clone_url_of(location, github, "corner/shop"),
                "{location}"
            );
        }
        for location in [
            "https://github.com.evil.example/corner/shop",
            "https://gitlab.com/corner/shop",
            "https://github.com:8443/corner/shop",
            "https://github.com/corner/shop2",
            "https://github.com/x/corner/shop",
            "git@gitlab.com:corner/shop",
            "/srv/corner/shop.git",
        ] {
            assert!(
                !is_clone_url_of(location, github, "corner/shop"),
                "{location}"
            );
        }
        let below = "http://127.0.0.1:3000/git";
        assert!(is_clone_url_of(
            "http://127.0.0.1:3000/git/a/b.git",
            below,
            "a/b"
        ));
        assert!(!is_clone_url_of(
            "http://127.0.0.1:3000/gitlab/a",
            below,
            "lab/a"
        ));
        assert!(!is_clone_url_of(
            "http://127.0.0.1:3001/git/a/b.git",
            below,
            "a/b"
        ));
        assert!(!is_clone_url_of(
            "http://127.0.0.1:3000/a/b.git",
            below,
            "a/b"
        ));
    }
}
