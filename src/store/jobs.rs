//! Stores the queue of jobs and the accepted webhook deliveries. A finished job is deleted. A worker takes a job for a
//! limited time, the *lease*, and extends the lease while it works: only one of several servers does a job, and the
//! jobs of a server that died become available again. An attempt is counted when it begins, so that a job that crashes
//! the process is given up eventually, too. Every operation fails when the database does.

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, FromRow, Row as _};

use super::{Store, StoreError};

/// Number of newest deliveries remembered.
const MAX_DELIVERIES: i64 = 20_000;
/// Number of dead jobs (given up) kept for the operator.
const MAX_DEAD: i64 = 1_000;

/// Serializes the taking of jobs between servers, until the end of the transaction. No other lock of this program may
/// have this number.
const LOCK_TAKING: &str = "select 1 from (select pg_advisory_xact_lock(20041)) as locked";

/// The statement that takes a job, without its end, which differs by database.
macro_rules! take {
    () => {
        "update jobs set attempts = attempts + 1, taken = taken + 1, leased_until = $2
         where id = (
             select id from jobs as job
             where state = 'pending' and due_at <= $1
                 and (leased_until is null or leased_until <= $1)
                 and not exists (
                     select 1 from jobs as other
                     where other.thread = job.thread and other.id <> job.id and other.leased_until > $1)
             order by due_at, id limit 1"
    };
}

/// A job to queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJobRow {
    /// The subject; there is at most one job for each.
    pub subject: String,
    /// The thread; jobs of one thread are never done at the same time.
    pub thread: String,
    /// The task, as JSON.
    pub task: String,
}

/// A job. Times are in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// Its number.
    pub id: i64,
    /// The subject; there is at most one job for each.
    pub subject: String,
    /// The thread; jobs of one thread are never done at the same time.
    pub thread: String,
    /// The task, as JSON.
    pub task: String,
    /// Whether it was given up.
    pub is_dead: bool,
    /// Number of attempts begun, without those that were returned undone.
    pub attempts: u32,
    /// Counts how often newer work for the same subject replaced it.
    pub revision: i64,
    /// Counts how often it was taken; only the last taker may change it.
    pub taken: i64,
    /// End of its lease.
    pub leased_until: Option<i64>,
    /// When it was queued.
    pub created_at: i64,
    /// Earliest time of the next attempt.
    pub due_at: i64,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// Numbers of jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Jobs still to be done.
    pub pending: u64,
    /// Jobs that were given up.
    pub dead: u64,
}

/// The outcome of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It was accepted.
    Accepted,
    /// It was accepted before.
    Repeated,
    /// It was rejected: there are too many jobs.
    Full,
}

impl FromRow<'_, AnyRow> for JobRow {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            subject: row.try_get("subject")?,
            thread: row.try_get("thread")?,
            task: row.try_get("task")?,
            is_dead: row.try_get::<&str, _>("state")? == "dead",
            attempts: u32::try_from(row.try_get::<i64, _>("attempts")?).unwrap_or(u32::MAX),
            revision: row.try_get("revision")?,
            taken: row.try_get("taken")?,
            leased_until: row.try_get("leased_until")?,
            created_at: row.try_get("created_at")?,
            due_at: row.try_get("due_at")?,
            error: row.try_get("error")?,
        })
    }
}

impl Store {
    /// Accepts a delivery, which counts as repeated if any of its `digests` is known, and queues its job: both or
    /// neither.
    pub async fn deliver(
        &self,
        digests: &[String],
        job: Option<&NewJobRow>,
        now: i64,
        max_jobs: u32,
    ) -> Result<DeliveryOutcome, StoreError> {
        self.run("deliver", async |pool| {
            let mut transaction = pool.begin().await?;
            if is_repeated(&mut transaction, digests).await? {
                return Ok(DeliveryOutcome::Repeated);
            }
            if let Some(job) = job
                && !queue(&mut transaction, job, now, max_jobs).await?
            {
                return Ok(DeliveryOutcome::Full);
            }
            transaction.commit().await?;
            Ok(DeliveryOutcome::Accepted)
        })
        .await
    }

    /// Forgets a delivery, so that it may be sent again.
    pub async fn forget_delivery(&self, digests: &[String]) -> Result<(), StoreError> {
        self.run("forget_delivery", async |pool| {
            let mut transaction = pool.begin().await?;
            for digest in digests {
                sqlx::query("delete from deliveries where digest = $1")
                    .bind(digest)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await?;
            Ok(())
        })
        .await
    }

    /// Takes the job that is longest overdue, with a lease until `until`, and counts the attempt. Skips a job while
    /// another job of its thread is leased. `None` where no job is due.
    pub async fn take_job(&self, now: i64, until: i64) -> Result<Option<JobRow>, StoreError> {
        self.run("take_job", async |pool| {
            let mut transaction = pool.begin().await?;
            let statement = if self.is_shared() {
                // Without the lock, two servers could take two jobs of one thread, as neither sees the other's lease.
                sqlx::query(LOCK_TAKING).execute(&mut *transaction).await?;
                concat!(take!(), " for update of job skip locked) returning *")
            } else {
                concat!(take!(), ") returning *")
            };
            let taken = sqlx::query_as(statement).bind(now).bind(until);
            let taken = taken.fetch_all(&mut *transaction).await?.pop();
            transaction.commit().await?;
            Ok(taken)
        })
        .await
    }

    /// Extends the lease of a job. Returns false where somebody else took it meanwhile.
    pub async fn extend_lease(&self, job: &JobRow, until: i64) -> Result<bool, StoreError> {
        let statement =
            sqlx::query("update jobs set leased_until = $1 where id = $2 and taken = $3")
                .bind(until)
                .bind(job.id)
                .bind(job.taken);
        Ok(self.execute("extend_lease", statement).await? == 1)
    }

    /// Returns a job undone to the queue and does not count the attempt.
    pub async fn return_job(&self, job: &JobRow) -> Result<(), StoreError> {
        let statement = sqlx::query(
            "update jobs set leased_until = null, attempts =
                 case when revision = $3 and attempts > 0 then attempts - 1 else attempts end
             where id = $1 and taken = $2",
        )
        .bind(job.id)
        .bind(job.taken)
        .bind(job.revision);
        self.execute("return_job", statement).await.map(drop)
    }

    /// Ends the leases of a process that died. Only for SQLite, where no other server can hold a lease. A job of more
    /// than one attempt waits `delay` milliseconds for each attempt after the first, so that other jobs get their turn.
    pub async fn end_stale_leases(&self, now: i64, delay: i64) -> Result<(), StoreError> {
        if self.is_shared() {
            return Ok(());
        }
        let statement = sqlx::query(
            "update jobs set leased_until = null,
                 due_at = case when attempts > 1 then $1 + $2 * (attempts - 1) else due_at end
             where leased_until is not null",
        )
        .bind(now)
        .bind(delay);
        self.execute("end_stale_leases", statement).await.map(drop)
    }

    /// Deletes a finished job; one that newer work replaced meanwhile becomes available instead.
    pub async fn finish_job(&self, job: &JobRow) -> Result<(), StoreError> {
        self.run("finish_job", async |pool| {
            let removed = sqlx::query("delete from jobs where id = $1 and revision = $2")
                .bind(job.id)
                .bind(job.revision)
                .execute(&pool)
                .await?;
            if removed.rows_affected() == 0 {
                release(&pool, job).await?;
            }
            Ok(())
        })
        .await
    }

    /// Stores the state of a job after a failed attempt, unless newer work replaced it meanwhile, or somebody else took
    /// it. Deletes the oldest dead jobs above `MAX_DEAD`.
    pub async fn postpone_job(&self, job: &JobRow) -> Result<(), StoreError> {
        let state = if job.is_dead { "dead" } else { "pending" };
        self.run("postpone_job", async |pool| {
            let written = sqlx::query(
                "update jobs set state = $1, attempts = $2, due_at = $3, error = $4, leased_until = null
                 where id = $5 and revision = $6 and taken = $7",
            )
            .bind(state)
            .bind(i64::from(job.attempts))
            .bind(job.due_at)
            .bind(job.error.as_deref())
            .bind(job.id)
            .bind(job.revision)
            .bind(job.taken)
            .execute(&pool)
            .await?;
            if written.rows_affected() == 0 {
                return release(&pool, job).await;
            }
            sqlx::query(
                "delete from jobs where state = 'dead' and id not in
                 (select id from jobs where state = 'dead' order by due_at desc, id desc limit $1)",
            )
            .bind(MAX_DEAD)
            .execute(&pool)
            .await?;
            Ok(())
        })
        .await
    }

    /// Returns all jobs, oldest first.
    pub async fn jobs(&self) -> Result<Vec<JobRow>, StoreError> {
        let rows = sqlx::query_as("select * from jobs order by id");
        self.rows("jobs", rows).await
    }

    /// Queues dead jobs again: the one with this number, or all. Returns how many.
    pub async fn retry_jobs(&self, id: Option<i64>, now: i64) -> Result<u64, StoreError> {
        let statement = sqlx::query(
            "update jobs set state = 'pending', attempts = 0, created_at = $1, due_at = $1
             where state = 'dead' and ($2 is null or id = $2)",
        )
        .bind(now)
        .bind(id);
        self.execute("retry_jobs", statement).await
    }

    /// Counts the jobs.
    pub async fn count_jobs(&self) -> Result<JobCounts, StoreError> {
        let rows = sqlx::query_as("select state, count(*) from jobs group by state");
        let rows: Vec<(String, i64)> = self.rows("count_jobs", rows).await?;
        let count = |state: &str| {
            let row = rows.iter().find(|(name, _)| name == state);
            row.map_or(0, |(_, count)| count.unsigned_abs())
        };
        Ok(JobCounts {
            pending: count("pending"),
            dead: count("dead"),
        })
    }
}

/// Whether one of the digests is known; remembers all of them if none is.
async fn is_repeated(
    connection: &mut AnyConnection,
    digests: &[String],
) -> Result<bool, StoreError> {
    for digest in digests {
        let result = sqlx::query(
            "insert into deliveries (digest) values ($1) on conflict (digest) do nothing",
        )
        .bind(digest)
        .execute(&mut *connection)
        .await?;
        if result.rows_affected() == 0 {
            return Ok(true);
        }
    }
    // Counted, because numbers have gaps: on PostgreSQL, repeated deliveries use them up, too.
    sqlx::query(
        "delete from deliveries where number <=
         (select number from deliveries order by number desc limit 1 offset $1)",
    )
    .bind(MAX_DELIVERIES)
    .execute(connection)
    .await?;
    Ok(false)
}

/// Ends the lease of a job that newer work replaced.
async fn release(pool: &AnyPool, job: &JobRow) -> Result<(), StoreError> {
    sqlx::query("update jobs set leased_until = null where id = $1 and taken = $2")
        .bind(job.id)
        .bind(job.taken)
        .execute(pool)
        .await?;
    Ok(())
}

/// Queues a job, replacing an earlier one with the same subject. Returns whether there was room.
async fn queue(
    connection: &mut AnyConnection,
    job: &NewJobRow,
    now: i64,
    max_jobs: u32,
) -> Result<bool, StoreError> {
    let result = sqlx::query(
        "insert into jobs (subject, task, thread, state, created_at, due_at)
         select $1, $2, $5, 'pending', $3, $3
         where exists (select 1 from jobs where subject = $1)
            or (select count(*) from jobs where state = 'pending') < $4
         on conflict (subject) do update set task = excluded.task, thread = excluded.thread,
             state = 'pending', attempts = 0, revision = jobs.revision + 1,
             created_at = excluded.created_at, due_at = excluded.due_at, error = null",
    )
    .bind(&job.subject)
    .bind(&job.task)
    .bind(now)
    .bind(i64::from(max_jobs))
    .bind(&job.thread)
    .execute(connection)
    .await?;
    Ok(result.rows_affected() == 1)
}

#[cfg(test)]
mod tests {
    use super::super::testing::locations;
    use super::*;

    fn job(subject: &str, task: &str) -> NewJobRow {
        NewJobRow {
            subject: subject.to_owned(),
            thread: subject.to_owned(),
            task: task.to_owned(),
        }
    }

    fn digests(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// Takes the next job at `now`, with a lease of a minute.
    async fn take(store: &Store, now: i64) -> Result<Option<JobRow>, StoreError> {
        store.take_job(now, now + 60_000).await
    }

    #[tokio::test]
    async fn deliveries_are_accepted_once_and_jobs_survive_restart() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location.clone()).await?;
            let a = job("a", "1");
            let taken = store.deliver(&digests(&["x", "y"]), Some(&a), 5, 2).await?;
            assert_eq!(taken, DeliveryOutcome::Accepted);
            for again in [["x", "z"], ["z", "y"]] {
                let repeated = store.deliver(&digests(&again), Some(&a), 5, 2).await?;
                assert_eq!(repeated, DeliveryOutcome::Repeated, "{again:?}");
            }
            // No digest of a repeated delivery was remembered.
            let b = job("b", "2");
            let taken = store.deliver(&digests(&["z"]), Some(&b), 6, 2).await?;
            assert_eq!(taken, DeliveryOutcome::Accepted);
            let c = job("c", "3");
            let full = store.deliver(&digests(&["w"]), Some(&c), 7, 2).await?;
            assert_eq!(full, DeliveryOutcome::Full);
            // Newer work may replace earlier work of a full queue, and a rejected delivery may be sent again.
            let newer = job("a", "4");
            let taken = store.deliver(&digests(&["w"]), Some(&newer), 8, 2).await?;
            assert_eq!(taken, DeliveryOutcome::Accepted);
            store.close().await;

            let store = Store::open_at(location).await?;
            assert_eq!(take(&store, 5).await?, None, "none is due");
            let mut seen = Vec::new();
            while let Some(job) = take(&store, 8).await? {
                assert_eq!((job.attempts, job.leased_until), (1, Some(60_008)));
                seen.push((job.subject, job.task));
            }
            let wanted = [("b", "2"), ("a", "4")].map(|(a, b)| (a.to_owned(), b.to_owned()));
            assert_eq!(seen, wanted);
        }
        Ok(())
    }

    #[tokio::test]
    async fn newest_deliveries_are_remembered_whatever_their_numbers() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location).await?;
            let deliver = async |name: &str| store.deliver(&digests(&[name]), None, 0, 9).await;
            for name in ["old", "forgotten"] {
                assert_eq!(deliver(name).await?, DeliveryOutcome::Accepted);
            }
            store.forget_delivery(&digests(&["forgotten"])).await?;
            // As if many numbers had been used up since.
            let gap = "update deliveries set number = -100000 where digest = 'old'";
            sqlx::query(gap).execute(&store.pool()).await?;
            assert_eq!(deliver("forgotten").await?, DeliveryOutcome::Accepted);
            assert_eq!(deliver("old").await?, DeliveryOutcome::Repeated);
            let others = "insert into deliveries (digest)
                          with recursive counter (n) as
                              (select 1 union all select n + 1 from counter where n < 20000)
                          select 'other ' || cast(n as text) from counter";
            sqlx::query(others).execute(&store.pool()).await?;
            assert_eq!(deliver("new").await?, DeliveryOutcome::Accepted);
            assert_eq!(deliver("new").await?, DeliveryOutcome::Repeated);
            assert_eq!(deliver("old").await?, DeliveryOutcome::Accepted);
            let count: (i64,) = sqlx::query_as("select count(*) from deliveries")
                .fetch_one(&store.pool())
                .await?;
            assert_eq!(count.0, MAX_DELIVERIES);
        }
        Ok(())
    }

    #[tokio::test]
    async fn writes_after_an_aborted_transaction_are_committed() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(directory.path()).await?;
        store.deliver(&digests(&["x"]), None, 1, 9).await?;
        // SQLite aborts the transaction by itself, as it does on a full disk.
        let trigger = "create trigger full before insert on jobs when new.subject = 'large'
                       begin select raise(rollback, 'full'); end";
        sqlx::query(trigger).execute(&store.pool()).await?;
        let large = job("large", "1");
        // On each of the connections, which take turns.
        for _ in 0..8 {
            let full = store.deliver(&digests(&["y"]), Some(&large), 2, 9).await;
            full.expect_err("it is aborted");
        }
        for n in 0..8 {
            let repeated = store.deliver(&digests(&["x"]), None, 3, 9).await?;
            assert_eq!(repeated, DeliveryOutcome::Repeated);
            let small = job(&format!("small {n}"), "1");
            store.deliver(&[n.to_string()], Some(&small), 4, 9).await?;
        }
        // The store is not closed first, like that of a killed process.
        let other = Store::open(directory.path()).await?;
        assert_eq!(other.count_jobs().await?.pending, 8);
        Ok(())
    }

    #[tokio::test]
    async fn finishing_a_job_keeps_newer_work() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location).await?;
            store.deliver(&[], Some(&job("a", "1")), 0, 9).await?;
            let running = take(&store, 0).await?.expect("a job");
            store.deliver(&[], Some(&job("a", "2")), 1, 9).await?;
            assert_eq!(take(&store, 1).await?, None, "the thread is busy");
            store.finish_job(&running).await?;
            let mut dead = running;
            dead.is_dead = true;
            store.postpone_job(&dead).await?;
            let newer = take(&store, 1).await?.expect("the newer work");
            assert_eq!(
                (&*newer.task, newer.is_dead, newer.attempts),
                ("2", false, 1)
            );
            store.finish_job(&newer).await?;
            assert_eq!(store.count_jobs().await?, JobCounts::default());
        }
        Ok(())
    }

    #[tokio::test]
    async fn dead_jobs_are_kept_and_can_be_retried() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location).await?;
            for number in 0..MAX_DEAD + 2 {
                let name = format!("{number}");
                store
                    .deliver(&[], Some(&job(&name, "1")), number, 9)
                    .await?;
                let mut running = take(&store, number).await?.expect("a job");
                running.is_dead = true;
                running.attempts = 3;
                running.error = Some("no".to_owned());
                store.postpone_job(&running).await?;
            }
            let counts = store.count_jobs().await?;
            assert_eq!((counts.pending, counts.dead), (0, MAX_DEAD.unsigned_abs()));
            let first = store.jobs().await?.remove(0);
            assert_eq!((&*first.subject, first.error.as_deref()), ("2", Some("no")));
            assert_eq!(store.retry_jobs(Some(first.id), 7).await?, 1);
            assert_eq!(store.retry_jobs(Some(first.id), 7).await?, 0);
            let again = take(&store, 7).await?.expect("it is tried again");
            assert_eq!((again.id, again.attempts), (first.id, 1));
            assert_eq!(take(&store, 7).await?, None);
            let others = MAX_DEAD.unsigned_abs() - 1;
            assert_eq!(store.retry_jobs(None, 7).await?, others);
        }
        Ok(())
    }

    #[tokio::test]
    async fn expired_lease_allows_no_writes() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location).await?;
            store.deliver(&[], Some(&job("a", "1")), 0, 9).await?;
            let first = take(&store, 0).await?.expect("a job");
            assert!(store.extend_lease(&first, 90_000).await?);
            assert_eq!(take(&store, 60_001).await?, None, "it is held longer");
            let mut second = take(&store, 90_000).await?.expect("it came free");
            assert_eq!((second.id, second.attempts), (first.id, 2));
            assert!(
                !store.extend_lease(&first, 200_000).await?,
                "it is another's"
            );
            store.return_job(&first).await?;
            let mut late = first;
            late.is_dead = true;
            store.postpone_job(&late).await?;
            assert_eq!(take(&store, 90_000).await?, None, "it is being done");
            assert!(!store.jobs().await?[0].is_dead);

            store.return_job(&second).await?;
            second = take(&store, 90_000).await?.expect("it was given back");
            assert_eq!(second.attempts, 2, "it was not tried");
            store.finish_job(&second).await?;
            assert!(store.jobs().await?.is_empty());
        }
        Ok(())
    }

    #[tokio::test]
    async fn concurrent_takers_get_one_job_per_thread() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let mut servers = Vec::new();
            for _ in 0..3 {
                servers.push(Store::open_at(location.clone()).await?);
            }
            for number in 0..60 {
                let thread = format!("thread {}", number % 20);
                let new = NewJobRow {
                    subject: format!("{thread} asked by {number}"),
                    thread,
                    task: "1".to_owned(),
                };
                servers[0].deliver(&[], Some(&new), 0, 99).await?;
            }
            let mut takers = tokio::task::JoinSet::new();
            for server in servers {
                takers.spawn(async move {
                    let mut taken = Vec::new();
                    while let Some(job) = take(&server, 0).await? {
                        taken.push(job.thread);
                    }
                    Ok::<_, StoreError>(taken)
                });
            }
            let mut all = Vec::new();
            while let Some(taken) = takers.join_next().await {
                all.extend(taken.expect("it ends")?);
            }
            let distinct: std::collections::BTreeSet<_> = all.iter().collect();
            assert_eq!((all.len(), distinct.len()), (20, 20), "{location:?}");
        }
        Ok(())
    }
}
