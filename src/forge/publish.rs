//! Publishes the comment of a thread: an existing one is updated, so that a thread has at most one, however
//! often a task runs.

use serde_json::Value;

use super::client::CallError;
use super::comment::MARKER;
use super::dialect::ThreadId;
use super::host::{Host, Scope};
use super::task::TaskOutcome;

/// Maximum pages of comments that are searched. If there are more, no comment is written, as one may exist on a
/// later page.
const MAX_PAGES: usize = 100;

/// A comment with the marker, which others may have copied.
struct Marked<'a> {
    id: u64,
    author: &'a str,
    body: &'a str,
}

/// The thread's comment by this program.
struct Own {
    id: u64,
    body: String,
}

/// Creates or updates the comment of a thread.
pub async fn publish(
    host: &Host,
    scope: Scope<'_>,
    thread: &ThreadId,
    text: &str,
) -> Result<TaskOutcome, CallError> {
    let own = find_own(host, scope, thread).await?;
    if own.as_ref().is_some_and(|own| own.body == text) {
        return Ok(TaskOutcome::Unchanged);
    }
    let id = own.map(|own| own.id);
    let written = host.write_comment(scope, thread, id, text).await;
    if id.is_none() && matches!(written, Err(CallError::Failed(_))) {
        // The forge may still be writing it. The next attempt looks for it, and so does a newer job for this
        // thread, which starts as soon as this attempt ends.
        tokio::time::sleep(host.timeout).await;
    }
    written.map(|()| TaskOutcome::Written)
}

/// Finds this program's comment: one with the marker, written by the account of the token. The account is
/// requested only if there is a comment with the marker.
async fn find_own(
    host: &Host,
    scope: Scope<'_>,
    thread: &ThreadId,
) -> Result<Option<Own>, CallError> {
    let mut account: Option<String> = None;
    let mut page: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let (comments, next) = host.comments(scope, thread, page.as_deref()).await?;
        for Marked { id, author, body } in comments.iter().filter_map(|c| marked(host, c)) {
            let account = match &mut account {
                Some(account) => account,
                None => account.insert(host.account(scope).await?),
            };
            if author == account {
                let body = body.to_owned();
                return Ok(Some(Own { id, body }));
            }
        }
        page = next;
        if page.is_none() {
            return Ok(None);
        }
    }
    Err(CallError::Failed(format!(
        "the thread has more than {MAX_PAGES} pages of comments"
    )))
}

/// Returns a comment if it begins with the marker.
fn marked<'a>(host: &Host, comment: &'a Value) -> Option<Marked<'a>> {
    let author = &comment[host.dialect.author_field()][host.dialect.login_field()];
    let body = comment["body"].as_str()?;
    if !body.starts_with(MARKER) {
        return None;
    }
    Some(Marked {
        id: comment["id"].as_u64()?,
        author: author.as_str()?,
        body,
    })
}
