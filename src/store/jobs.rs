//! The queue of jobs and the deliveries that were taken. A job leaves the table when it is done. Whoever does
//! one has taken it for a limited time, the *lease*, and takes it longer while it is being done: of several
//! servers one does it, and what a server that died was doing comes free. An attempt is counted when it
//! begins, so that a job that ends the process is given up one day, too.

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, FromRow, Row as _};

use super::{Store, StoreError};

/// Deliveries that are remembered.
const MAX_DELIVERIES: i64 = 20_000;
/// Jobs that were given up and are kept for the operator.
const MAX_DEAD: i64 = 1_000;

/// Lets one server after the other take a job, until the end of its transaction. The number is that of no
/// other lock of this program.
const LOCK_TAKING: &str = "select 1 from (select pg_advisory_xact_lock(20041)) as locked";

/// How a job is taken, but for its end.
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
    /// What it is about. There is one job for each.
    pub subject: String,
    /// What jobs have in common that must not be done at the same time.
    pub thread: String,
    /// What is to be done, as JSON.
    pub task: String,
}

/// A job. Times are in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// Its number.
    pub id: i64,
    /// The thread that it is about.
    pub subject: String,
    /// What jobs have in common that must not be done at the same time.
    pub thread: String,
    /// What is to be done, as JSON.
    pub task: String,
    /// Whether it was given up.
    pub is_dead: bool,
    /// Attempts that began; those that could not be made do not count.
    pub attempts: u32,
    /// Counts what took its place.
    pub revision: i64,
    /// Counts how often it was taken.
    pub taken: i64,
    /// Until when it is taken.
    pub leased_until: Option<i64>,
    /// When it was queued.
    pub created_at: i64,
    /// When it is done next.
    pub due_at: i64,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// How many jobs there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Those to be done.
    pub pending: u64,
    /// Those that were given up.
    pub dead: u64,
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// It was taken.
    Taken,
    /// It was taken before.
    Repeated,
    /// There are too many jobs; it was not taken.
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
    /// Takes a delivery, known by any of `digests`, and queues its job: both or neither.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn deliver(
        &self,
        digests: &[String],
        job: Option<&NewJobRow>,
        now: i64,
        max_jobs: u32,
    ) -> Result<Delivered, StoreError> {
        self.run("deliver", async |pool| {
            let mut transaction = pool.begin().await?;
            if is_repeated(&mut transaction, digests).await? {
                return Ok(Delivered::Repeated);
            }
            if let Some(job) = job
                && !queue(&mut transaction, job, now, max_jobs).await?
            {
                return Ok(Delivered::Full);
            }
            transaction.commit().await?;
            Ok(Delivered::Taken)
        })
        .await
    }

    /// Takes the job that is longest overdue until `until`, and counts the attempt. `None` where none is
    /// due whose thread nobody is busy with.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn take_job(&self, now: i64, until: i64) -> Result<Option<JobRow>, StoreError> {
        self.run("take", async |pool| {
            let mut transaction = pool.begin().await?;
            let statement = if self.is_shared() {
                // Two servers would else take two jobs of one thread at once: neither sees the other's lease.
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

    /// Takes a job for longer that was taken. Returns whether nobody else took it meanwhile.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn hold_job(&self, job: &JobRow, until: i64) -> Result<bool, StoreError> {
        self.run("hold", async |pool| {
            let held =
                sqlx::query("update jobs set leased_until = $1 where id = $2 and taken = $3")
                    .bind(until)
                    .bind(job.id)
                    .bind(job.taken)
                    .execute(&pool)
                    .await?;
            Ok(held.rows_affected() == 1)
        })
        .await
    }

    /// Gives a job back that was not done, as if it had not been taken.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn give_back_job(&self, job: &JobRow) -> Result<(), StoreError> {
        self.run("give_back", async |pool| {
            sqlx::query(
                "update jobs set leased_until = null,
                     attempts = case when revision = $3 and attempts > 0 then attempts - 1 else attempts end
                 where id = $1 and taken = $2",
            )
            .bind(job.id)
            .bind(job.taken)
            .bind(job.revision)
            .execute(&pool)
            .await?;
            Ok(())
        })
        .await
    }

    /// Frees the jobs that a process was doing that died, where no other can be doing them. What was cut off
    /// more than once waits for `delay` milliseconds for each time, so that the program gets to do something
    /// else.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn free_jobs(&self, now: i64, delay: i64) -> Result<(), StoreError> {
        if self.is_shared() {
            return Ok(());
        }
        self.run("free", async |pool| {
            sqlx::query(
                "update jobs set leased_until = null,
                     due_at = case when attempts > 1 then $1 + $2 * (attempts - 1) else due_at end
                 where leased_until is not null",
            )
            .bind(now)
            .bind(delay)
            .execute(&pool)
            .await?;
            Ok(())
        })
        .await
    }

    /// Removes a job that is done, unless newer work took its place meanwhile.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn finish_job(&self, job: &JobRow) -> Result<(), StoreError> {
        self.run("finish", async |pool| {
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

    /// Writes what became of a job that is not done, unless newer work took its place meanwhile, or somebody
    /// else took it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn postpone_job(&self, job: &JobRow) -> Result<(), StoreError> {
        let state = if job.is_dead { "dead" } else { "pending" };
        self.run("postpone", async |pool| {
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

    /// All jobs, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn jobs(&self) -> Result<Vec<JobRow>, StoreError> {
        self.run("jobs", async |pool| {
            let rows = sqlx::query_as("select * from jobs order by id");
            Ok(rows.fetch_all(&pool).await?)
        })
        .await
    }

    /// Has jobs that were given up done again: the one with this number, or all. Returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn retry_jobs(&self, id: Option<i64>, now: i64) -> Result<u64, StoreError> {
        self.run("retry", async |pool| {
            let result = sqlx::query(
                "update jobs set state = 'pending', attempts = 0, created_at = $1, due_at = $1
                 where state = 'dead' and ($2 is null or id = $2)",
            )
            .bind(now)
            .bind(id)
            .execute(&pool)
            .await?;
            Ok(result.rows_affected())
        })
        .await
    }

    /// How many jobs there are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_jobs(&self) -> Result<JobCounts, StoreError> {
        let rows: Vec<(String, i64)> = self
            .run("count_jobs", async |pool| {
                let rows = sqlx::query_as("select state, count(*) from jobs group by state");
                Ok(rows.fetch_all(&pool).await?)
            })
            .await?;
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

/// Whether one of the digests is known; remembers them otherwise.
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
    sqlx::query("delete from deliveries where number <= (select max(number) from deliveries) - $1")
        .bind(MAX_DELIVERIES)
        .execute(connection)
        .await?;
    Ok(false)
}

/// Frees a job that was taken and that newer work took the place of.
async fn release(pool: &AnyPool, job: &JobRow) -> Result<(), StoreError> {
    sqlx::query("update jobs set leased_until = null where id = $1 and taken = $2")
        .bind(job.id)
        .bind(job.taken)
        .execute(pool)
        .await?;
    Ok(())
}

/// Queues a job in the place of an earlier one for the same thread. Returns whether there was room.
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
    use super::super::testing::places;
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

    /// Takes the next job at `now`, for a minute.
    async fn take(store: &Store, now: i64) -> Result<Option<JobRow>, StoreError> {
        store.take_job(now, now + 60_000).await
    }

    #[tokio::test]
    async fn deliveries_are_taken_once_and_jobs_outlive_the_process() -> Result<(), StoreError> {
        let (_directory, places) = places().await;
        for place in places {
            let store = Store::open_at(place.clone()).await?;
            let a = job("a", "1");
            let taken = store.deliver(&digests(&["x", "y"]), Some(&a), 5, 2).await?;
            assert_eq!(taken, Delivered::Taken);
            for again in [["x", "z"], ["z", "y"]] {
                let repeated = store.deliver(&digests(&again), Some(&a), 5, 2).await?;
                assert_eq!(repeated, Delivered::Repeated, "{again:?}");
            }
            // Nothing of a repeated delivery was remembered.
            let b = job("b", "2");
            let taken = store.deliver(&digests(&["z"]), Some(&b), 6, 2).await?;
            assert_eq!(taken, Delivered::Taken);
            let c = job("c", "3");
            let full = store.deliver(&digests(&["w"]), Some(&c), 7, 2).await?;
            assert_eq!(full, Delivered::Full);
            // There is room for newer work in the place of earlier, and what was not taken may come again.
            let newer = job("a", "4");
            let taken = store.deliver(&digests(&["w"]), Some(&newer), 8, 2).await?;
            assert_eq!(taken, Delivered::Taken);
            store.close().await;

            let store = Store::open_at(place).await?;
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
    async fn what_is_written_after_a_transaction_was_aborted_is_kept() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(directory.path()).await?;
        store.deliver(&digests(&["x"]), None, 1, 9).await?;
        // SQLite ends the transaction by itself, as it does where the disk is full.
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
            assert_eq!(repeated, Delivered::Repeated);
            let small = job(&format!("small {n}"), "1");
            store.deliver(&[n.to_string()], Some(&small), 4, 9).await?;
        }
        // Not closed: a process that is killed does not come to that.
        let other = Store::open(directory.path()).await?;
        assert_eq!(other.count_jobs().await?.pending, 8);
        Ok(())
    }

    #[tokio::test]
    async fn newer_work_is_not_lost_with_the_end_of_earlier() -> Result<(), StoreError> {
        let (_directory, places) = places().await;
        for place in places {
            let store = Store::open_at(place).await?;
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
    async fn what_was_given_up_is_kept_and_can_be_tried_again() -> Result<(), StoreError> {
        let (_directory, places) = places().await;
        for place in places {
            let store = Store::open_at(place).await?;
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
    async fn a_lease_ends_and_whoever_lost_it_writes_nothing() -> Result<(), StoreError> {
        let (_directory, places) = places().await;
        for place in places {
            let store = Store::open_at(place).await?;
            store.deliver(&[], Some(&job("a", "1")), 0, 9).await?;
            let first = take(&store, 0).await?.expect("a job");
            assert!(store.hold_job(&first, 90_000).await?);
            assert_eq!(take(&store, 60_001).await?, None, "it is held longer");
            let mut second = take(&store, 90_000).await?.expect("it came free");
            assert_eq!((second.id, second.attempts), (first.id, 2));
            assert!(!store.hold_job(&first, 200_000).await?, "it is another's");
            store.give_back_job(&first).await?;
            let mut late = first;
            late.is_dead = true;
            store.postpone_job(&late).await?;
            assert_eq!(take(&store, 90_000).await?, None, "it is being done");
            assert!(!store.jobs().await?[0].is_dead);

            store.give_back_job(&second).await?;
            second = take(&store, 90_000).await?.expect("it was given back");
            assert_eq!(second.attempts, 2, "it was not tried");
            store.finish_job(&second).await?;
            assert!(store.jobs().await?.is_empty());
        }
        Ok(())
    }

    #[tokio::test]
    async fn many_take_each_job_once_and_one_of_each_thread() -> Result<(), StoreError> {
        let (_directory, places) = places().await;
        for place in places {
            let mut servers = Vec::new();
            for _ in 0..3 {
                servers.push(Store::open_at(place.clone()).await?);
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
            assert_eq!((all.len(), distinct.len()), (20, 20), "{place:?}");
        }
        Ok(())
    }
}
