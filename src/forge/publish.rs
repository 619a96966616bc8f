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

/// Creates or updates the comment of a thread.
pub async fn publish(
    host: &Host,
    scope: Scope<'_>,
    thread: &ThreadId,
    text: &str,
) -> Result<TaskOutcome, CallError> {
    let own = find_own(host, scope, thread).await?;
    if own.as_ref().is_some_and(|(_, body)| body == text) {
        return Ok(TaskOutcome::Unchanged);
    }
    let id = own.map(|(id, _)| id);
    let written = host.write_comment(scope, thread, id, text).await;
    if id.is_none() && matches!(written, Err(CallError::Failed(_))) {
        // The forge may still be writing it. The next attempt looks for it, and so does a newer job for this
        // thread, which starts as soon as this attempt ends.
        tokio::time::sleep(host.timeout).await;
    }
    written.map(|()| TaskOutcome::Written)
}

/// Finds the id and text of this program's comment: one with the marker, written by the account of the token. The
/// account is requested only if there is a comment with the marker, which others may have copied.
async fn find_own(
    host: &Host,
    scope: Scope<'_>,
    thread: &ThreadId,
) -> Result<Option<(u64, String)>, CallError> {
    let mut account: Option<String> = None;
    let mut page: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let (comments, next) = host.comments(scope, thread, page.as_deref()).await?;
        for (id, author, body) in comments.iter().filter_map(|c| marked(host, c)) {
            let account = match &mut account {
                Some(account) => account,
                None => account.insert(host.account(scope).await?),
            };
            if author == account {
                return Ok(Some((id, body.to_owned())));
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

/// Returns id, author and text of a comment if it begins with the marker.
fn marked<'a>(host: &Host, comment: &'a Value) -> Option<(u64, &'a str, &'a str)> {
    let author = &comment[host.dialect.author_field()][host.dialect.login_field()];
    let body = comment["body"].as_str()?;
    if !body.starts_with(MARKER) {
        return None;
    }
    Some((comment["id"].as_u64()?, author.as_str()?, body))
}
