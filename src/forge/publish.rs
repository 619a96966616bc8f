//! Writes the comment of a thread: the one that is there is changed, so that a thread has one at most,
//! however often a task is done.

use serde_json::Value;

use super::client::CallError;
use super::comment::MARKER;
use super::dialect::ThreadId;
use super::host::{Host, Scope};
use super::task::Done;

/// Pages of comments that are looked through; a comment beyond them is not found.
const MAX_PAGES: usize = 100;

/// Writes `text` as the comment of a thread.
///
/// # Errors
/// See [`CallError`].
pub async fn publish(
    host: &Host,
    scope: Scope<'_>,
    thread: &ThreadId,
    text: &str,
) -> Result<Done, CallError> {
    let account = host.account(scope).await?;
    let mut page: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let (comments, next) = host.comments(scope, thread, page.as_deref()).await?;
        if let Some((id, body)) = comments.iter().find_map(|c| ours(host, account, c)) {
            if body == text {
                return Ok(Done::Unchanged);
            }
            host.write_comment(scope, thread, Some(id), text).await?;
            return Ok(Done::Written);
        }
        page = next;
        if page.is_none() {
            break;
        }
    }
    host.write_comment(scope, thread, None, text).await?;
    Ok(Done::Written)
}

/// Number and text of a comment that is ours: others may have copied the marker.
fn ours<'a>(host: &Host, account: &str, comment: &'a Value) -> Option<(u64, &'a str)> {
    let author = &comment[host.dialect.author_field()][host.dialect.login_field()];
    let body = comment["body"].as_str()?;
    if author.as_str() != Some(account) || !body.starts_with(MARKER) {
        return None;
    }
    Some((comment["id"].as_u64()?, body))
}
