//! Caches the snapshots of a few revisions of one repository besides the current one, and evicts the least
//! recently used. Builds are single-flight: concurrent requests for a revision wait for one build.

use std::sync::Arc;

use foveate_index::Snapshot;
use parking_lot::Mutex;
use tokio::sync::watch;

type Outcome = Option<Result<Arc<Snapshot>, RevisionError>>;
/// A commit, and the outcome of its build.
type RevisionSlot = (String, watch::Receiver<Outcome>);

/// Why a revision or diff is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum RevisionError {
    #[error("no commit, branch or tag {0:?} in the repository")]
    UnknownRef(String),
    /// A shallow clone lacks the commit, or the name is wrong.
    #[error(
        "no commit, branch or tag {0:?} in the repository, a shallow clone, which lacks old commits: \
         `git fetch --unshallow` in it fetches them"
    )]
    LacksCommits(String),
    /// The text cannot be a ref.
    #[error("{0}")]
    MalformedRef(String),
    #[error("the repository is a directory without git, so it has no revisions")]
    NoRevisions,
    /// A part of the repository lies outside the paths that may be read.
    #[error("{0}")]
    NotAllowed(String),
    /// Git took longer than it may.
    #[error("{0}")]
    TooLong(String),
    /// Its commit is not fetched now, but may be later.
    #[error("{0}")]
    Unavailable(String),
    /// It exceeds the limits of what is indexed.
    #[error("{0}")]
    TooLarge(String),
    #[error("the local clone of the repository is damaged and is cloned again")]
    Damaged,
    /// Reading or indexing it failed.
    #[error("{0}")]
    Failed(String),
    #[error("the server is stopping, or the repository was removed")]
    RepositoryClosed,
}

/// The warm revisions of one repository, by commit.
#[derive(Debug)]
pub struct Revisions {
    capacity: usize,
    /// Most recently used last.
    slots: Mutex<Vec<RevisionSlot>>,
}

/// What the caller of [`Revisions::join`] has to do for a revision.
#[derive(Debug)]
pub enum BuildSlot {
    /// Nothing: it is warm.
    Ready(Arc<Snapshot>),
    /// Wait for the build of another caller.
    Pending(PendingRevision),
    /// Build it.
    Build(BuildHandle),
}

/// A revision that another caller builds.
#[derive(Debug)]
pub struct PendingRevision(watch::Receiver<Outcome>);

/// The obligation to build a revision. Dropping it unfulfilled fails the waiting callers.
#[derive(Debug)]
pub struct BuildHandle(watch::Sender<Outcome>);

impl Revisions {
    /// Creates a cache for `capacity` revisions, at least one.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            slots: Mutex::default(),
        }
    }

    /// Returns the snapshot of a commit, if it is warm.
    pub fn get(&self, commit: &str) -> Option<Arc<Snapshot>> {
        let mut slots = self.slots.lock();
        let receiver = touch(&mut slots, commit)?;
        let outcome = receiver.borrow();
        outcome.as_ref()?.as_ref().ok().cloned()
    }

    /// Returns the snapshot of a commit, or joins its build, or starts one.
    pub fn join(&self, commit: &str) -> BuildSlot {
        let mut slots = self.slots.lock();
        if let Some(receiver) = touch(&mut slots, commit) {
            let state = receiver.borrow().clone();
            match state {
                Some(Ok(snapshot)) => return BuildSlot::Ready(snapshot),
                None if receiver.has_changed().is_ok() => {
                    return BuildSlot::Pending(PendingRevision(receiver.clone()));
                }
                // The build failed or was abandoned: this caller tries again.
                _ => drop(slots.pop()),
            }
        }
        let (sender, receiver) = watch::channel(None);
        slots.push((commit.to_owned(), receiver));
        let surplus = slots.len().saturating_sub(self.capacity);
        // Builds in progress are not evicted: others wait for them, or will request them.
        let leaving: Vec<_> = slots.extract_if(.., is_built).take(surplus).collect();
        // Freeing an index takes milliseconds: unlock first, for other requests.
        drop(slots);
        drop(leaving);
        BuildSlot::Build(BuildHandle(sender))
    }

    /// Evicts all revisions whose builds have ended.
    pub fn evict_built(&self) {
        let mut slots = self.slots.lock();
        let leaving: Vec<_> = slots.extract_if(.., is_built).collect();
        drop(slots);
        drop(leaving);
    }

    /// Returns the warm snapshots.
    pub fn warm(&self) -> Vec<Arc<Snapshot>> {
        let slots = self.slots.lock();
        let outcomes = slots.iter().map(|(_, receiver)| receiver.borrow());
        outcomes
            .filter_map(|outcome| outcome.as_ref()?.as_ref().ok().cloned())
            .collect()
    }

    /// Number of revisions that are warm or being built.
    pub fn count(&self) -> usize {
        self.slots.lock().len()
    }
}

/// Whether the build of a revision has ended, with a snapshot, with an error, or by being abandoned.
fn is_built((_, receiver): &mut RevisionSlot) -> bool {
    receiver.borrow().is_some() || receiver.has_changed().is_err()
}

/// Marks a commit as most recently used and returns its slot.
fn touch<'a>(
    slots: &'a mut Vec<RevisionSlot>,
    commit: &str,
) -> Option<&'a watch::Receiver<Outcome>> {
    let position = slots.iter().position(|(known, _)| known == commit)?;
    let slot = slots.remove(position);
    slots.push(slot);
    slots.last().map(|(_, receiver)| receiver)
}

impl BuildHandle {
    /// Hands the snapshot to waiting and later callers. May be called again with a more complete snapshot of the
    /// same commit.
    pub fn fulfil(&self, snapshot: Arc<Snapshot>) {
        self.0.send_replace(Some(Ok(snapshot)));
    }

    /// Fails the waiting callers with `error`.
    pub fn fail(self, error: RevisionError) {
        self.0.send_replace(Some(Err(error)));
    }

    /// Waits until [`Self::is_abandoned`].
    pub async fn abandoned(&self) {
        self.0.closed().await;
    }

    /// Whether the revision was evicted and nobody waits for it.
    pub fn is_abandoned(&self) -> bool {
        self.0.is_closed()
    }
}

impl PendingRevision {
    /// Waits for the outcome of the build.
    ///
    /// # Errors
    /// When it failed.
    pub async fn outcome(mut self) -> Result<Arc<Snapshot>, RevisionError> {
        match self.0.wait_for(Option::is_some).await {
            Ok(outcome) => outcome
                .clone()
                .unwrap_or(Err(RevisionError::RepositoryClosed)),
            Err(_) => Err(RevisionError::Failed(
                "building the index was abandoned".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use foveate_index::Revision;

    use super::*;

    fn snapshot(commit: &str) -> Arc<Snapshot> {
        let revision = Revision::of_commit(commit.to_owned());
        Arc::new(Snapshot::build(revision, 1, Vec::new(), None, None).expect("an empty index"))
    }

    fn build(slot: BuildSlot) -> BuildHandle {
        match slot {
            BuildSlot::Build(handle) => handle,
            other => panic!("expected a handle, got {other:?}"),
        }
    }

    #[tokio::test]
    async fn concurrent_requests_share_one_build() {
        let revisions = Revisions::new(2);
        let handle = build(revisions.join("a"));
        let BuildSlot::Pending(waiting) = revisions.join("a") else {
            panic!("the second must wait");
        };
        handle.fulfil(snapshot("a"));
        assert!(waiting.outcome().await.is_ok());
        assert!(matches!(revisions.join("a"), BuildSlot::Ready(_)));
        assert!(revisions.get("a").is_some());
    }

    #[tokio::test]
    async fn failed_build_is_reported_and_retried() {
        let revisions = Revisions::new(2);
        let first = build(revisions.join("a"));
        let BuildSlot::Pending(waiting) = revisions.join("a") else {
            panic!("the second must wait");
        };
        drop(first);
        assert!(waiting.outcome().await.is_err());
        build(revisions.join("a")).fail(RevisionError::NoRevisions);
        assert!(revisions.get("a").is_none());
        build(revisions.join("a"));
    }

    #[test]
    fn least_recently_used_revision_is_evicted() {
        let revisions = Revisions::new(2);
        let a = build(revisions.join("a"));
        a.fulfil(snapshot("a"));
        build(revisions.join("b")).fulfil(snapshot("b"));
        assert!(revisions.get("a").is_some());
        build(revisions.join("c")).fulfil(snapshot("c"));
        assert!(revisions.get("b").is_none());
        assert!(revisions.get("a").is_some());
        assert!(!a.is_abandoned());
    }

    #[test]
    fn build_in_progress_is_not_evicted() {
        let revisions = Revisions::new(1);
        let a = build(revisions.join("a"));
        let b = build(revisions.join("b"));
        assert!(matches!(revisions.join("a"), BuildSlot::Pending(_)));
        a.fulfil(snapshot("a"));
        assert!(matches!(revisions.join("a"), BuildSlot::Ready(_)));
        drop(b);
        build(revisions.join("c")).fulfil(snapshot("c"));
        assert_eq!(revisions.count(), 1);
    }

    #[test]
    fn all_built_revisions_are_evicted_at_once() {
        let revisions = Revisions::new(3);
        let (a, _b) = (build(revisions.join("a")), build(revisions.join("b")));
        a.fulfil(snapshot("a"));
        revisions.evict_built();
        assert!(a.is_abandoned());
        assert!(matches!(revisions.join("a"), BuildSlot::Build(_)));
        assert!(matches!(revisions.join("b"), BuildSlot::Pending(_)));
    }
}
