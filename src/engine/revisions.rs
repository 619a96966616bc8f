//! Warm revisions of one repository beside the current one: a few, the least recently used goes
//! first. A revision that many ask for at once is built once.

use std::collections::VecDeque;
use std::sync::Arc;

use foveate_index::Snapshot;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::RevisionError;

type Outcome = Option<Result<Arc<Snapshot>, RevisionError>>;

/// The revisions of one repository, by commit.
#[derive(Debug)]
pub struct Revisions {
    capacity: usize,
    /// Most recently used last.
    slots: Mutex<VecDeque<(String, watch::Receiver<Outcome>)>>,
}

/// What to do for a revision.
#[derive(Debug)]
pub enum Flight {
    /// It is warm.
    Ready(Arc<Snapshot>),
    /// Someone builds it: wait.
    Waiting(Waiting),
    /// Build it.
    Build(Lease),
}

/// A revision that someone else builds.
#[derive(Debug)]
pub struct Waiting(watch::Receiver<Outcome>);

/// The duty to build a revision. Dropped unfulfilled, it tells those who wait that it failed.
#[derive(Debug)]
pub struct Lease(watch::Sender<Outcome>);

impl Revisions {
    /// Room for `capacity` revisions, at least one.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            slots: Mutex::default(),
        }
    }

    /// The snapshot of a commit, if it is warm.
    pub fn get(&self, commit: &str) -> Option<Arc<Snapshot>> {
        let mut slots = self.slots.lock();
        let receiver = touch(&mut slots, commit)?;
        let outcome = receiver.borrow();
        outcome.as_ref()?.as_ref().ok().cloned()
    }

    /// The snapshot of a commit, or who builds it.
    pub fn join(&self, commit: &str) -> Flight {
        let mut slots = self.slots.lock();
        if let Some(receiver) = touch(&mut slots, commit) {
            let state = receiver.borrow().clone();
            match state {
                Some(Ok(snapshot)) => return Flight::Ready(snapshot),
                None if receiver.has_changed().is_ok() => {
                    return Flight::Waiting(Waiting(receiver.clone()));
                }
                // It failed or was given up: the next one tries again.
                _ => drop(slots.pop_back()),
            }
        }
        let (sender, receiver) = watch::channel(None);
        slots.push_back((commit.to_owned(), receiver));
        let mut surplus = slots.len().saturating_sub(self.capacity);
        let mut leaving = Vec::new();
        // What is being built stays: others wait for it, or will ask for it.
        slots.retain(|(_, receiver)| {
            let is_built = receiver.borrow().is_some() || receiver.has_changed().is_err();
            let leaves = surplus > 0 && is_built;
            surplus -= usize::from(leaves);
            if leaves {
                leaving.push(receiver.clone());
            }
            !leaves
        });
        // To free an index takes milliseconds, in which others may ask for theirs.
        drop(slots);
        drop(leaving);
        Flight::Build(Lease(sender))
    }

    /// The snapshots that are warm.
    pub fn warm(&self) -> Vec<Arc<Snapshot>> {
        let slots = self.slots.lock();
        let outcomes = slots.iter().map(|(_, receiver)| receiver.borrow());
        outcomes
            .filter_map(|outcome| outcome.as_ref()?.as_ref().ok().cloned())
            .collect()
    }

    /// How many are warm or being built.
    pub fn len(&self) -> usize {
        self.slots.lock().len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Moves a commit to the most recently used place.
fn touch<'a>(
    slots: &'a mut VecDeque<(String, watch::Receiver<Outcome>)>,
    commit: &str,
) -> Option<&'a watch::Receiver<Outcome>> {
    let position = slots.iter().position(|(known, _)| known == commit)?;
    let slot = slots.remove(position)?;
    slots.push_back(slot);
    slots.back().map(|(_, receiver)| receiver)
}

impl Lease {
    /// Hands the snapshot to those who wait and to those who come later. May be called again with
    /// a better one of the same commit.
    pub fn fulfil(&self, snapshot: Arc<Snapshot>) {
        self.0.send_replace(Some(Ok(snapshot)));
    }

    /// Tells those who wait that it cannot be had.
    pub fn fail(self, error: RevisionError) {
        self.0.send_replace(Some(Err(error)));
    }

    /// Waits until [`Self::is_forgotten`].
    pub async fn forgotten(&self) {
        self.0.closed().await;
    }

    /// Whether the revision was pushed out by others and nobody waits for it.
    pub fn is_forgotten(&self) -> bool {
        self.0.is_closed()
    }
}

impl Waiting {
    /// The outcome of the build.
    ///
    /// # Errors
    /// When it failed.
    pub async fn outcome(mut self) -> Result<Arc<Snapshot>, RevisionError> {
        match self.0.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Err(RevisionError::Gone)),
            Err(_) => Err(RevisionError::Failed(
                "building the index was given up".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use foveate_index::Revision;

    use super::*;

    fn snapshot(commit: &str) -> Arc<Snapshot> {
        let revision = Revision {
            commit: commit.to_owned(),
            dirty: false,
        };
        Arc::new(Snapshot::build(revision, 1, Vec::new(), None, None).expect("an empty index"))
    }

    fn build(flight: Flight) -> Lease {
        match flight {
            Flight::Build(lease) => lease,
            other => panic!("expected a lease, got {other:?}"),
        }
    }

    #[tokio::test]
    async fn many_ask_and_one_builds() {
        let revisions = Revisions::new(2);
        let lease = build(revisions.join("a"));
        let Flight::Waiting(waiting) = revisions.join("a") else {
            panic!("the second must wait");
        };
        lease.fulfil(snapshot("a"));
        assert!(waiting.outcome().await.is_ok());
        assert!(matches!(revisions.join("a"), Flight::Ready(_)));
        assert!(revisions.get("a").is_some());
    }

    #[tokio::test]
    async fn a_failed_build_is_told_and_tried_again() {
        let revisions = Revisions::new(2);
        let first = build(revisions.join("a"));
        let Flight::Waiting(waiting) = revisions.join("a") else {
            panic!("the second must wait");
        };
        drop(first);
        assert!(waiting.outcome().await.is_err());
        build(revisions.join("a")).fail(RevisionError::NoRevisions);
        assert!(revisions.get("a").is_none());
        build(revisions.join("a"));
    }

    #[test]
    fn the_least_recently_used_goes() {
        let revisions = Revisions::new(2);
        let a = build(revisions.join("a"));
        a.fulfil(snapshot("a"));
        build(revisions.join("b")).fulfil(snapshot("b"));
        assert!(revisions.get("a").is_some());
        build(revisions.join("c")).fulfil(snapshot("c"));
        assert!(revisions.get("b").is_none());
        assert!(revisions.get("a").is_some());
        assert!(!a.is_forgotten());
    }

    #[test]
    fn what_is_being_built_stays_until_it_is_built_or_given_up() {
        let revisions = Revisions::new(1);
        let a = build(revisions.join("a"));
        let b = build(revisions.join("b"));
        assert!(matches!(revisions.join("a"), Flight::Waiting(_)));
        a.fulfil(snapshot("a"));
        assert!(matches!(revisions.join("a"), Flight::Ready(_)));
        drop(b);
        build(revisions.join("c")).fulfil(snapshot("c"));
        assert_eq!(revisions.len(), 1);
    }
}
