//! The queue of jobs and the deliveries that were taken. A job leaves the table when it is done.

use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row as _, SqliteConnection};

use super::{Store, StoreError};

/// Deliveries that are remembered.
const MAX_DELIVERIES: i64 = 20_000;
/// Jobs that were given up and are kept for the operator.
const MAX_DEAD: i64 = 1_000;

/// A job to queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJobRow {
    /// The thread that it is about. There is one job for each.
    pub subject: String,
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
    /// What is to be done, as JSON.
    pub task: String,
    /// Whether it was given up.
    pub is_dead: bool,
    /// Attempts that failed.
    pub attempts: u32,
    /// Counts what took its place.
    pub revision: i64,
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

impl FromRow<'_, SqliteRow> for JobRow {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            subject: row.try_get("subject")?,
            task: row.try_get("task")?,
            is_dead: row.try_get::<&str, _>("state")? == "dead",
            attempts: row.try_get("attempts")?,
            revision: row.try_get("revision")?,
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
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "deliver")
    )]
    pub async fn deliver(
        &self,
        digests: &[String],
        job: Option<&NewJobRow>,
        now: i64,
        max_jobs: u32,
    ) -> Result<Delivered, StoreError> {
        let mut transaction = self.pool.begin().await?;
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
    }

    /// The jobs that are due, the longest overdue first.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(name = "store", level = "debug", skip_all, fields(operation = "due"))]
    pub async fn due_jobs(&self, now: i64, limit: u32) -> Result<Vec<JobRow>, StoreError> {
        let rows = sqlx::query_as(
            "select * from jobs where state = 'pending' and due_at <= $1
             order by due_at, id limit $2",
        )
        .bind(now)
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows)
    }

    /// Removes a job that is done, unless newer work took its place meanwhile.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "finish")
    )]
    pub async fn finish_job(&self, job: &JobRow) -> Result<(), StoreError> {
        sqlx::query("delete from jobs where id = $1 and revision = $2")
            .bind(job.id)
            .bind(job.revision)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Writes what became of a job that is not done, unless newer work took its place meanwhile.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "postpone")
    )]
    pub async fn postpone_job(&self, job: &JobRow) -> Result<(), StoreError> {
        let state = if job.is_dead { "dead" } else { "pending" };
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "update jobs set state = $1, attempts = $2, due_at = $3, error = $4
             where id = $5 and revision = $6",
        )
        .bind(state)
        .bind(job.attempts)
        .bind(job.due_at)
        .bind(&job.error)
        .bind(job.id)
        .bind(job.revision)
        .execute(&mut *transaction)
        .await?;
        sqlx::query(
            "delete from jobs where state = 'dead' and id not in
             (select id from jobs where state = 'dead' order by due_at desc, id desc limit $1)",
        )
        .bind(MAX_DEAD)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// All jobs, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(name = "store", level = "debug", skip_all, fields(operation = "jobs"))]
    pub async fn jobs(&self) -> Result<Vec<JobRow>, StoreError> {
        let rows = sqlx::query_as("select * from jobs order by id");
        Ok(rows.fetch_all(&self.pool).await?)
    }

    /// Has jobs that were given up done again: the one with this number, or all. Returns how many.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(name = "store", level = "debug", skip_all, fields(operation = "retry"))]
    pub async fn retry_jobs(&self, id: Option<i64>, now: i64) -> Result<u64, StoreError> {
        let result = sqlx::query(
            "update jobs set state = 'pending', attempts = 0, created_at = $1, due_at = $1
             where state = 'dead' and ($2 is null or id = $2)",
        )
        .bind(now)
        .bind(id)
        .execute(&self.pool)
        .await?;
        Ok(result.rows_affected())
    }

    /// How many jobs there are.
    ///
    /// # Errors
    /// When the database fails.
    #[tracing::instrument(
        name = "store",
        level = "debug",
        skip_all,
        fields(operation = "count_jobs")
    )]
    pub async fn count_jobs(&self) -> Result<JobCounts, StoreError> {
        let rows: Vec<(String, i64)> =
            sqlx::query_as("select state, count(*) from jobs group by state")
                .fetch_all(&self.pool)
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
    connection: &mut SqliteConnection,
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

/// Queues a job in the place of an earlier one for the same thread. Returns whether there was room.
async fn queue(
    connection: &mut SqliteConnection,
    job: &NewJobRow,
    now: i64,
    max_jobs: u32,
) -> Result<bool, StoreError> {
    let result = sqlx::query(
        "insert into jobs (subject, task, state, created_at, due_at)
         select $1, $2, 'pending', $3, $3
         where exists (select 1 from jobs where subject = $1)
            or (select count(*) from jobs where state = 'pending') < $4
         on conflict (subject) do update set task = excluded.task, state = 'pending', attempts = 0,
             revision = revision + 1, created_at = excluded.created_at, due_at = excluded.due_at,
             error = null",
    )
    .bind(&job.subject)
    .bind(&job.task)
    .bind(now)
    .bind(max_jobs)
    .execute(connection)
    .await?;
    Ok(result.rows_affected() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(subject: &str, task: &str) -> NewJobRow {
        NewJobRow {
            subject: subject.to_owned(),
            task: task.to_owned(),
        }
    }

    fn digests(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[tokio::test]
    async fn deliveries_are_taken_once_and_jobs_outlive_the_process() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(directory.path()).await?;
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

        let store = Store::open(directory.path()).await?;
        let due = store.due_jobs(8, 10).await?;
        let seen: Vec<_> = due.iter().map(|j| (&*j.subject, &*j.task)).collect();
        assert_eq!(seen, [("b", "2"), ("a", "4")]);
        assert_eq!(store.due_jobs(6, 10).await?.len(), 1);
        Ok(())
    }

    #[tokio::test]
    async fn newer_work_is_not_lost_with_the_end_of_earlier() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(directory.path()).await?;
        store.deliver(&[], Some(&job("a", "1")), 0, 9).await?;
        let running = store.due_jobs(0, 1).await?.remove(0);
        store.deliver(&[], Some(&job("a", "2")), 1, 9).await?;
        store.finish_job(&running).await?;
        let mut dead = running;
        dead.is_dead = true;
        store.postpone_job(&dead).await?;
        let left = store.jobs().await?;
        assert_eq!(
            (left.len(), &*left[0].task, left[0].is_dead),
            (1, "2", false)
        );
        store.finish_job(&left[0]).await?;
        assert_eq!(store.count_jobs().await?, JobCounts::default());
        Ok(())
    }

    #[tokio::test]
    async fn what_was_given_up_is_kept_and_can_be_tried_again() -> Result<(), StoreError> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(directory.path()).await?;
        for number in 0..MAX_DEAD + 2 {
            let name = format!("{number}");
            store
                .deliver(&[], Some(&job(&name, "1")), number, 9)
                .await?;
            let mut running = store.due_jobs(i64::MAX, 1).await?.remove(0);
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
        let due = store.due_jobs(7, 10).await?;
        assert_eq!((due.len(), due[0].attempts), (1, 0));
        assert_eq!(
            store.retry_jobs(None, 7).await?,
            MAX_DEAD.unsigned_abs() - 1
        );
        Ok(())
    }
}
