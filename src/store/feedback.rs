//! Reads and writes the tables of answers and of feedback on them. Times are in milliseconds since 1970. The answers
//! of a repository can be deleted together with it. Every operation fails when the database does.

use sqlx::any::AnyRow;
use sqlx::{FromRow, Row as _};

use super::{Store, StoreError};

/// An answer to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAnswerRow {
    /// The id of the request; clients may choose it, so that it need not be unique.
    pub request_id: String,
    /// The repository's name.
    pub repo: String,
    /// The thread of a forge that it was written for.
    pub thread: Option<String>,
    /// The commit that was searched; may be empty.
    pub commit: String,
    /// Time of the answer.
    pub created_at: i64,
    /// The name of the intent.
    pub intent: String,
    /// Confidence of the answer, 0 to 1.
    pub confidence: f64,
    /// Tokens of the context.
    pub used_tokens: i64,
    /// The ranking, as JSON.
    pub ranking: String,
    /// The text of the question, where queries are recorded.
    pub query: Option<String>,
}

/// A stored answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRow {
    /// Its number.
    pub id: i64,
    /// Its other columns.
    pub answer: NewAnswerRow,
}

foveate_model::named_enum! {
    /// The source of feedback.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FeedbackSource {
        /// A client.
        Caller = "caller",
        /// A pull request that was merged.
        Merge = "merge",
    }
}

/// Counts of changed files and functions, and how many of them the context showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// Changed files.
    pub files: i64,
    /// Changed files that the context showed at least in part.
    pub files_in_context: i64,
    /// Changed functions.
    pub functions: i64,
    /// Changed functions that the context showed whole.
    pub functions_in_context: i64,
}

/// Feedback on an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackRow {
    /// The number of the answer.
    pub answer: i64,
    /// The source of the feedback.
    pub source: FeedbackSource,
    /// The name of the client's key, or the thread of the pull request.
    pub origin: String,
    /// Time of the feedback.
    pub created_at: i64,
    /// Useful files and functions, as JSON.
    pub useful: String,
    /// Changed files and functions, as JSON.
    pub changed: String,
    /// The client's comment, as free text.
    pub comment: Option<String>,
    /// The commit that the change was made to.
    pub base_commit: Option<String>,
    /// Counts of the changes.
    pub counts: ChangeCounts,
}

/// Answers or feedback of one repository and day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackDayRow {
    /// The repository's name.
    pub repo: String,
    /// Days since 1970, in UTC.
    pub day: i64,
    /// The source of the counted feedback; `None`: answers are counted.
    pub source: Option<FeedbackSource>,
    /// Number of answers or feedback rows.
    pub number: i64,
    /// Sums of the counts of changes.
    pub counts: ChangeCounts,
}

/// Which answers to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFilter<'a> {
    /// Answers from a repository, by its name.
    OfRepository(&'a str),
    /// Answers to a request, by its id.
    WithRequestId(&'a str),
    /// Answers from before a time, in milliseconds since 1970.
    Before(i64),
    /// All answers.
    All,
}

impl FromRow<'_, AnyRow> for AnswerRow {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            answer: NewAnswerRow {
                request_id: row.try_get("request_id")?,
                repo: row.try_get("repo")?,
                thread: row.try_get("thread")?,
                commit: row.try_get("commit_id")?,
                created_at: row.try_get("created_at")?,
                intent: row.try_get("intent")?,
                confidence: row.try_get("confidence")?,
                used_tokens: row.try_get("used_tokens")?,
                ranking: row.try_get("ranking")?,
                query: row.try_get("query")?,
            },
        })
    }
}

impl FromRow<'_, AnyRow> for FeedbackRow {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        let source: &str = row.try_get("source")?;
        let unknown =
            || sqlx::Error::Decode(format!("unknown source of feedback {source:?}").into());
        Ok(Self {
            answer: row.try_get("answer")?,
            source: FeedbackSource::named(source).ok_or_else(unknown)?,
            origin: row.try_get("origin")?,
            created_at: row.try_get("created_at")?,
            useful: row.try_get("useful")?,
            changed: row.try_get("changed")?,
            comment: row.try_get("comment")?,
            base_commit: row.try_get("base_commit")?,
            counts: counts(row)?,
        })
    }
}

impl FromRow<'_, AnyRow> for FeedbackDayRow {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            repo: row.try_get("repo")?,
            day: row.try_get("day")?,
            source: FeedbackSource::named(row.try_get("kind")?),
            number: row.try_get("number")?,
            counts: counts(row)?,
        })
    }
}

fn counts(row: &AnyRow) -> Result<ChangeCounts, sqlx::Error> {
    Ok(ChangeCounts {
        files: row.try_get("files")?,
        files_in_context: row.try_get("files_in_context")?,
        functions: row.try_get("functions")?,
        functions_in_context: row.try_get("functions_in_context")?,
    })
}

impl Store {
    /// Inserts answers: all or none.
    pub async fn insert_answers(&self, answers: &[NewAnswerRow]) -> Result<(), StoreError> {
        self.run("insert_answers", async |pool| {
            let mut transaction = pool.begin().await?;
            for answer in answers {
                sqlx::query(
                    "insert into answers (request_id, repo, thread, commit_id, created_at, intent,
                         confidence, used_tokens, ranking, query)
                     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                )
                .bind(&answer.request_id)
                .bind(&answer.repo)
                .bind(answer.thread.as_deref())
                .bind(&answer.commit)
                .bind(answer.created_at)
                .bind(&answer.intent)
                .bind(answer.confidence)
                .bind(answer.used_tokens)
                .bind(&answer.ranking)
                .bind(answer.query.as_deref())
                .execute(&mut *transaction)
                .await?;
            }
            transaction.commit().await?;
            Ok(())
        })
        .await
    }

    /// Returns the numbers and repositories of the answers to a request, newest first.
    pub async fn answers_with_request_id(
        &self,
        request_id: &str,
    ) -> Result<Vec<(i64, String)>, StoreError> {
        let rows =
            sqlx::query_as("select id, repo from answers where request_id = $1 order by id desc");
        self.rows("answers_with_request_id", rows.bind(request_id))
            .await
    }

    /// Returns the answer with this number.
    pub async fn answer(&self, id: i64) -> Result<Option<AnswerRow>, StoreError> {
        let row = sqlx::query_as("select * from answers where id = $1").bind(id);
        self.run("answer", async |pool| Ok(row.fetch_optional(&pool).await?))
            .await
    }

    /// Returns the last answer written for a thread of a forge.
    pub async fn answer_of_thread(
        &self,
        repo: &str,
        thread: &str,
    ) -> Result<Option<AnswerRow>, StoreError> {
        let row = sqlx::query_as(
            "select * from answers where repo = $1 and thread = $2 order by id desc limit 1",
        );
        let row = row.bind(repo).bind(thread);
        self.run("answer_of_thread", async |pool| {
            Ok(row.fetch_optional(&pool).await?)
        })
        .await
    }

    /// Inserts feedback, or replaces earlier feedback of the same source and origin on the same answer. Returns whether
    /// the answer still exists.
    pub async fn put_feedback(&self, row: &FeedbackRow) -> Result<bool, StoreError> {
        let query = sqlx::query(
            "insert into feedback (answer, source, origin, created_at, useful, changed, comment,
                 base_commit, files, files_in_context, functions, functions_in_context)
             select id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 from answers where id = $1
             on conflict (answer, source, origin) do update set created_at = excluded.created_at,
                 useful = excluded.useful, changed = excluded.changed, comment = excluded.comment,
                 base_commit = excluded.base_commit, files = excluded.files,
                 files_in_context = excluded.files_in_context, functions = excluded.functions,
                 functions_in_context = excluded.functions_in_context",
        )
        .bind(row.answer)
        .bind(row.source.name())
        .bind(&row.origin)
        .bind(row.created_at)
        .bind(&row.useful)
        .bind(&row.changed)
        .bind(row.comment.as_deref())
        .bind(row.base_commit.as_deref())
        .bind(row.counts.files)
        .bind(row.counts.files_in_context)
        .bind(row.counts.functions)
        .bind(row.counts.functions_in_context);
        Ok(self.execute("put_feedback", query).await? == 1)
    }

    /// Returns at most `limit` answers with numbers above `after`, oldest first; of one repository, or of all.
    pub async fn answers(
        &self,
        after: i64,
        repo: Option<&str>,
        limit: u32,
    ) -> Result<Vec<AnswerRow>, StoreError> {
        let rows = sqlx::query_as(
            "select * from answers where id > $1 and ($2 is null or repo = $2) order by id limit $3",
        );
        let rows = rows.bind(after).bind(repo).bind(i64::from(limit));
        self.rows("answers", rows).await
    }

    /// Returns the feedback on the answers with numbers from `first` to `last`, oldest first.
    pub async fn feedback(&self, first: i64, last: i64) -> Result<Vec<FeedbackRow>, StoreError> {
        let rows = sqlx::query_as(
            "select * from feedback where answer between $1 and $2 order by answer, id",
        );
        self.rows("feedback", rows.bind(first).bind(last)).await
    }

    /// Counts answers and feedback by repository and day.
    pub async fn feedback_days(&self) -> Result<Vec<FeedbackDayRow>, StoreError> {
        let rows = sqlx::query_as(
            "select repo, created_at / 86400000 as day, 'answer' as kind, count(*) as number,
                 0 as files, 0 as files_in_context, 0 as functions, 0 as functions_in_context
             from answers group by 1, 2
             union all
             select answers.repo, feedback.created_at / 86400000, feedback.source, count(*),
                 cast(sum(files) as bigint), cast(sum(files_in_context) as bigint),
                 cast(sum(functions) as bigint), cast(sum(functions_in_context) as bigint)
             from feedback join answers on answers.id = feedback.answer group by 1, 2, 3
             order by 1, 2, 3",
        );
        self.rows("feedback_days", rows).await
    }

    /// Deletes answers with their feedback. Returns how many.
    pub async fn delete_answers(&self, which: AnswerFilter<'_>) -> Result<u64, StoreError> {
        let query = match which {
            AnswerFilter::OfRepository(repo) => {
                sqlx::query("delete from answers where repo = $1").bind(repo)
            }
            AnswerFilter::WithRequestId(id) => {
                sqlx::query("delete from answers where request_id = $1").bind(id)
            }
            AnswerFilter::Before(time) => {
                sqlx::query("delete from answers where created_at < $1").bind(time)
            }
            AnswerFilter::All => sqlx::query("delete from answers"),
        };
        self.execute("delete_answers", query).await
    }

    /// Deletes all but the newest `max` answers. Returns how many.
    pub async fn limit_answers(&self, max: u32) -> Result<u64, StoreError> {
        let query = sqlx::query(
            "delete from answers where id <=
             (select id from answers order by id desc limit 1 offset $1)",
        );
        let query = query.bind(i64::from(max));
        self.execute("limit_answers", query).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::locations;
    use super::*;

    fn answer(request_id: &str, repo: &str, created_at: i64) -> NewAnswerRow {
        NewAnswerRow {
            request_id: request_id.to_owned(),
            repo: repo.to_owned(),
            thread: Some("github a/b issue 1".to_owned()),
            commit: "c".to_owned(),
            created_at,
            intent: "BUG_FIX".to_owned(),
            confidence: 0.5,
            used_tokens: 100,
            ranking: "{}".to_owned(),
            query: None,
        }
    }

    fn feedback(answer: i64, origin: &str, functions_in_context: i64) -> FeedbackRow {
        FeedbackRow {
            answer,
            source: FeedbackSource::Merge,
            origin: origin.to_owned(),
            created_at: 86_400_000 * 3,
            useful: "[]".to_owned(),
            changed: "[]".to_owned(),
            comment: None,
            base_commit: Some("b".to_owned()),
            counts: ChangeCounts {
                files: 2,
                files_in_context: 1,
                functions: 3,
                functions_in_context,
            },
        }
    }

    #[tokio::test]
    async fn later_feedback_of_same_origin_replaces_earlier() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location).await?;
            let rows = [answer("r", "a", 5), answer("r", "b", 86_400_001)];
            store.insert_answers(&rows).await?;
            let called = store.answers_with_request_id("r").await?;
            assert_eq!(called, [(2, "b".to_owned()), (1, "a".to_owned())]);
            assert!(store.put_feedback(&feedback(1, "x", 0)).await?);
            assert!(store.put_feedback(&feedback(1, "x", 2)).await?);
            assert!(store.put_feedback(&feedback(1, "y", 3)).await?);
            assert!(
                !store.put_feedback(&feedback(9, "x", 0)).await?,
                "no answer"
            );
            let kept = store.feedback(1, 2).await?;
            assert_eq!(kept, [feedback(1, "x", 2), feedback(1, "y", 3)]);
            let days = store.feedback_days().await?;
            let shown: Vec<_> = days
                .iter()
                .map(|d| {
                    (
                        &*d.repo,
                        d.day,
                        d.source.map(FeedbackSource::name),
                        d.number,
                    )
                })
                .collect();
            let merge = Some("merge");
            assert_eq!(
                shown,
                [("a", 0, None, 1), ("a", 3, merge, 2), ("b", 1, None, 1)]
            );
            let sum = days[1].counts;
            assert_eq!((sum.files, sum.functions_in_context), (4, 5));
            let last = store.answer_of_thread("a", "github a/b issue 1").await?;
            assert_eq!(last.expect("an answer").id, 1);
        }
        Ok(())
    }

    #[tokio::test]
    async fn deleting_answers_deletes_their_feedback() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location).await?;
            let rows: Vec<_> = (0..9)
                .map(|n| answer(&n.to_string(), if n < 5 { "a" } else { "b" }, n))
                .collect();
            store.insert_answers(&rows).await?;
            for id in 1..=9 {
                store.put_feedback(&feedback(id, "x", 1)).await?;
            }
            let left = async || -> Result<Vec<i64>, StoreError> {
                let answers = store.answers(0, None, 99).await?;
                let answers: Vec<i64> = answers.iter().map(|row| row.id).collect();
                let feedback = store.feedback(0, 99).await?;
                let with_feedback: Vec<i64> = feedback.iter().map(|row| row.answer).collect();
                assert_eq!(answers, with_feedback);
                Ok(answers)
            };
            assert_eq!(store.limit_answers(9).await?, 0);
            assert_eq!(store.limit_answers(7).await?, 2);
            assert_eq!(left().await?, [3, 4, 5, 6, 7, 8, 9]);
            assert_eq!(store.delete_answers(AnswerFilter::Before(3)).await?, 1);
            assert_eq!(
                store
                    .delete_answers(AnswerFilter::WithRequestId("8"))
                    .await?,
                1
            );
            assert_eq!(left().await?, [4, 5, 6, 7, 8]);
            assert!(
                !store.delete_with_answers("a").await?,
                "it was not in the list"
            );
            assert_eq!(left().await?, [6, 7, 8]);
            assert_eq!(store.answers(6, Some("b"), 1).await?.len(), 1);
            assert_eq!(store.answers(0, Some("a"), 9).await?.len(), 0);
            assert_eq!(
                store
                    .delete_answers(AnswerFilter::OfRepository("b"))
                    .await?,
                3
            );
            assert_eq!(store.delete_answers(AnswerFilter::All).await?, 0);
        }
        Ok(())
    }
}
