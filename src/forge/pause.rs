//! How long a forge that was asked too often is left alone: for as long as it says; where it does not say, for a
//! minute, and twice as long each time it complains again. Each token has limits of its own.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use serde_json::Value;

use super::dialect::header;

/// Time to leave a forge alone that does not say for how long: the least that GitHub asks for.
const PAUSE: Duration = Duration::from_secs(60);
/// Longest time to leave a forge alone, whatever it says.
const MAX_PAUSE: Duration = Duration::from_secs(2 * 3600);

/// For how long a forge wants to be left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For this time.
    For(Duration),
    /// It does not say.
    Unsaid,
}

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Instant,
    length: Duration,
}

/// The pauses, by whose token the forge was asked with.
#[derive(Debug, Default)]
pub struct Pauses(Mutex<HashMap<String, Pause>>);

impl Pauses {
    /// The time that is left of a pause.
    pub fn left(&self, whose: &str, now: Instant) -> Option<Duration> {
        let until = self.0.lock().get(whose)?.until;
        (until > now).then(|| until - now)
    }

    /// Begins a pause, and returns its length. One that begins soon after another, of which the forge did not say
    /// for how long, is twice as long.
    pub fn begin(&self, whose: &str, wait: Wait, now: Instant) -> Duration {
        let mut pauses = self.0.lock();
        // A pause is remembered for its length after its end.
        pauses.retain(|_, pause| now < pause.until + pause.length);
        let length = match (wait, pauses.get(whose)) {
            (Wait::For(length), _) => length.clamp(Duration::from_secs(1), MAX_PAUSE),
            (Wait::Unsaid, None) => PAUSE,
            // Requests that were sent at the same time are one complaint.
            (Wait::Unsaid, Some(pause)) if pause.until > now => pause.length.max(PAUSE),
            (Wait::Unsaid, Some(pause)) => (pause.length * 2).clamp(PAUSE, MAX_PAUSE),
        };
        let until = now + length;
        pauses.insert(whose.to_owned(), Pause { until, length });
        length
    }
}

/// Whether an answer says that the forge is asked too often: `Retry-After`, a limit that is used up, or, of GitHub's
/// secondary limits, the message alone.
pub fn asked_to_wait(status: StatusCode, headers: &HeaderMap, body: &Value) -> Option<Wait> {
    let is_limit = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::FORBIDDEN
    );
    if !is_limit && status != StatusCode::SERVICE_UNAVAILABLE {
        return None;
    }
    let number = |name: &str| header(headers, name).parse::<u64>().ok();
    let seconds = |seconds: u64| Wait::For(Duration::from_secs(seconds));
    if let Some(after) = number("retry-after") {
        return Some(seconds(after));
    }
    let is_used_up = |name| number(name) == Some(0);
    if is_used_up("x-ratelimit-remaining") || is_used_up("ratelimit-remaining") {
        let reset = number("x-ratelimit-reset").or(number("ratelimit-reset"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_secs());
        return Some(reset.map_or(Wait::Unsaid, |reset| seconds(reset.saturating_sub(now))));
    }
    let is_said = status == StatusCode::TOO_MANY_REQUESTS || (is_limit && speaks_of_a_limit(body));
    is_said.then_some(Wait::Unsaid)
}

/// Whether the message is that of a limit: "You have exceeded a secondary rate limit", or, of earlier servers, "You
/// have triggered an abuse detection mechanism".
fn speaks_of_a_limit(body: &Value) -> bool {
    let message = body["message"].as_str().unwrap_or_default();
    let message = message.to_ascii_lowercase();
    ["rate limit", "abuse detection"]
        .iter()
        .any(|words| message.contains(words))
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in crate::forge) fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair =
            |(name, value): &(&'static str, &str)| (name.parse().unwrap(), value.parse().unwrap());
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn a_forge_is_left_alone_for_as_long_as_it_wants() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let soon = (now.as_secs() + 600).to_string();
        let used_up = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", &*soon),
        ];
        for (status, pairs, least, most) in [
            (403, &[("retry-after", "7")][..], 7, 7),
            (429, &[("retry-after", "7")], 7, 7),
            (503, &[("retry-after", "0")], 1, 1),
            (429, &[], 60, 60),
            (403, &used_up, 500, 600),
            (429, &used_up, 500, 600),
            (403, &used_up[..1], 60, 60),
            (429, &[("retry-after", "99999999")], 7200, 7200),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let wait = asked_to_wait(status, &headers(pairs), &Value::Null).unwrap();
            let after = Pauses::default().begin("token", wait, Instant::now());
            assert!(
                (least..=most).contains(&after.as_secs()),
                "{status} {pairs:?}: {after:?}"
            );
        }
        for (status, pairs) in [(403, &[][..]), (500, &used_up), (503, &[]), (200, &used_up)] {
            let status = StatusCode::from_u16(status).unwrap();
            let wait = asked_to_wait(status, &headers(pairs), &Value::Null);
            assert_eq!(wait, None, "{status}");
        }
    }

    #[test]
    fn a_secondary_limit_is_known_by_its_message() {
        for (status, message, is_limit) in [
            (
                403,
                "You have exceeded a secondary rate limit. Please wait a few minutes.",
                true,
            ),
            (
                403,
                "You have triggered an abuse detection mechanism.",
                true,
            ),
            (403, "API rate limit exceeded for installation ID 7.", true),
            (403, "Resource not accessible by integration", false),
            (422, "You have exceeded a secondary rate limit.", false),
            (503, "rate limit", false),
        ] {
            let code = StatusCode::from_u16(status).unwrap();
            let wait = asked_to_wait(code, &HeaderMap::new(), &json!({"message": message}));
            assert_eq!(wait, is_limit.then_some(Wait::Unsaid), "{status} {message}");
        }
    }

    #[test]
    fn pauses_get_longer_while_the_forge_complains() {
        let pauses = Pauses::default();
        let mut now = Instant::now();
        for seconds in [60, 120, 240, 480, 960, 1920, 3840, 7200, 7200] {
            let length = pauses.begin("token", Wait::Unsaid, now);
            assert_eq!(length.as_secs(), seconds);
            assert_eq!(pauses.left("token", now), Some(length));
            assert_eq!(pauses.left("other", now), None);
            // A request that was under way meanwhile is told the same.
            assert_eq!(pauses.begin("token", Wait::Unsaid, now), length);
            now += length;
            assert_eq!(pauses.left("token", now), None);
            now += Duration::from_secs(2);
        }
        now += MAX_PAUSE;
        assert_eq!(pauses.begin("token", Wait::Unsaid, now), PAUSE);
    }
}
