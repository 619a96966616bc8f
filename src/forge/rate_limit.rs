//! Tracks rate limits: after one, no request is sent for the time that the forge asks for; if it gives none,
//! for a minute, doubled with each further rate limit. Each token has its own limit.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use serde_json::Value;

use super::dialect::header;

/// Pause after a rate limit without a given time: the least that GitHub asks for.
const MIN_PAUSE: Duration = Duration::from_secs(60);
/// Longest pause, whatever the forge asks for.
const MAX_PAUSE: Duration = Duration::from_secs(2 * 3600);

/// How long the forge asks to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For this time.
    For(Duration),
    /// The forge gives no time.
    Unspecified,
}

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Instant,
    length: Duration,
}

/// The pauses, by the token that they apply to.
#[derive(Debug, Default)]
pub struct Pauses(Mutex<HashMap<String, Pause>>);

impl Pauses {
    /// Returns the remaining time of a pause.
    pub fn left(&self, token_id: &str, now: Instant) -> Option<Duration> {
        let until = self.0.lock().get(token_id)?.until;
        (until > now).then(|| until - now)
    }

    /// Begins a pause and returns its length. If the forge gives no time and another pause ended recently,
    /// the new one is twice as long.
    pub fn begin(&self, token_id: &str, wait: Wait, now: Instant) -> Duration {
        let mut pauses = self.0.lock();
        // A pause is remembered after its end for as long as it lasted.
        pauses.retain(|_, pause| now < pause.until + pause.length);
        let length = match (wait, pauses.get(token_id)) {
            (Wait::For(length), _) => length.clamp(Duration::from_secs(1), MAX_PAUSE),
            (Wait::Unspecified, None) => MIN_PAUSE,
            // Responses to requests that were sent at the same time count as one rate limit.
            (Wait::Unspecified, Some(pause)) if pause.until > now => pause.length.max(MIN_PAUSE),
            (Wait::Unspecified, Some(pause)) => (pause.length * 2).clamp(MIN_PAUSE, MAX_PAUSE),
        };
        let until = now + length;
        pauses.insert(token_id.to_owned(), Pause { until, length });
        length
    }
}

/// Returns how long to wait if a response is a rate limit: `Retry-After`, an exhausted limit, or, for
/// GitHub's secondary limits, the message alone.
pub fn rate_limit_wait(status: StatusCode, headers: &HeaderMap, body: &Value) -> Option<Wait> {
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
    let is_exhausted = |name| number(name) == Some(0);
    if is_exhausted("x-ratelimit-remaining") || is_exhausted("ratelimit-remaining") {
        let reset = number("x-ratelimit-reset").or(number("ratelimit-reset"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_secs());
        return Some(reset.map_or(Wait::Unspecified, |reset| {
            seconds(reset.saturating_sub(now))
        }));
    }
    let is_rate_limit =
        status == StatusCode::TOO_MANY_REQUESTS || (is_limit && is_limit_message(body));
    is_rate_limit.then_some(Wait::Unspecified)
}

/// Whether the message reports a rate limit: "You have exceeded a secondary rate limit", or, from earlier
/// servers, "You have triggered an abuse detection mechanism".
fn is_limit_message(body: &Value) -> bool {
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
    fn pause_lasts_as_long_as_the_forge_asks() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let soon = (now.as_secs() + 600).to_string();
        let used_up = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", &*soon),
        ];
        for (status, pairs, min, max) in [
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
            let wait = rate_limit_wait(status, &headers(pairs), &Value::Null).unwrap();
            let after = Pauses::default().begin("token", wait, Instant::now());
            assert!(
                (min..=max).contains(&after.as_secs()),
                "{status} {pairs:?}: {after:?}"
            );
        }
        for (status, pairs) in [(403, &[][..]), (500, &used_up), (503, &[]), (200, &used_up)] {
            let status = StatusCode::from_u16(status).unwrap();
            let wait = rate_limit_wait(status, &headers(pairs), &Value::Null);
            assert_eq!(wait, None, "{status}");
        }
    }

    #[test]
    fn secondary_limit_is_recognized_by_its_message() {
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
            let wait = rate_limit_wait(code, &HeaderMap::new(), &json!({"message": message}));
            assert_eq!(
                wait,
                is_limit.then_some(Wait::Unspecified),
                "{status} {message}"
            );
        }
    }

    #[test]
    fn pauses_double_while_rate_limits_continue() {
        let pauses = Pauses::default();
        let mut now = Instant::now();
        for seconds in [60, 120, 240, 480, 960, 1920, 3840, 7200, 7200] {
            let length = pauses.begin("token", Wait::Unspecified, now);
            assert_eq!(length.as_secs(), seconds);
            assert_eq!(pauses.left("token", now), Some(length));
            assert_eq!(pauses.left("other", now), None);
            // A request that was already being sent gets the same pause.
            assert_eq!(pauses.begin("token", Wait::Unspecified, now), length);
            now += length;
            assert_eq!(pauses.left("token", now), None);
            now += Duration::from_secs(2);
        }
        now += MAX_PAUSE;
        assert_eq!(pauses.begin("token", Wait::Unspecified, now), MIN_PAUSE);
    }
}
