//! The keys that are in force, and finding the one of a token.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Grant;
use super::token::TokenHash;

/// A key that is in force until it expires.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub hash: TokenHash,
    /// Seconds since 1970 from which it is not in force; `None`: never.
    pub expires: Option<i64>,
    pub grant: Grant,
}

/// All keys at one time.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub all: Vec<Key>,
    /// Whether there ever was one: from then on no request is answered without a token, also where all
    /// were revoked or have expired.
    pub is_used: bool,
}

impl Keys {
    /// The grant of a token. All keys are compared whichever it is, each in constant time: how long it
    /// takes depends on their number alone.
    pub fn grant(&self, token: &str) -> Option<Grant> {
        let hash = TokenHash::of(token);
        let mut found = None;
        for key in &self.all {
            if key.hash.equals(&hash) {
                found = Some(key);
            }
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_secs().cast_signed());
        let key = found.filter(|key| key.expires.is_none_or(|expires| now < expires))?;
        Some(key.grant.clone())
    }

    /// The key with this hash.
    pub fn with_hash(&self, hash: &TokenHash) -> Option<&Key> {
        self.all.iter().find(|key| key.hash.equals(hash))
    }
}

/// The text cannot name a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key's name has 1 to 64 letters, digits, `.`, `_` and `-`")]
pub struct NameError;

/// Checks the name of a key, which is shown in logs.
///
/// # Errors
/// See [`NameError`].
pub fn check_name(name: &str) -> Result<(), NameError> {
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    if (1..=64).contains(&name.len()) && name.bytes().all(is_allowed) {
        Ok(())
    } else {
        Err(NameError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Repositories, Scope};

    #[test]
    fn a_token_finds_its_key_until_that_expires() {
        let key = |token: &str, expires| Key {
            hash: TokenHash::of(token),
            expires,
            grant: Grant::new(token, Scope::Read, Repositories::All),
        };
        let keys = Keys {
            all: vec![key("a", None), key("b", Some(i64::MAX)), key("c", Some(1))],
            is_used: true,
        };
        let who = |token: &str| keys.grant(token).map(|grant| grant.who().to_owned());
        assert_eq!(who("a").as_deref(), Some("a"));
        assert_eq!(who("b").as_deref(), Some("b"));
        assert_eq!(who("c"), None, "it has expired");
        assert_eq!(who(""), None);
    }

    #[test]
    fn names_are_words_of_a_log_line() {
        for good in ["ci", "bot-1", "a.b_c"] {
            assert_eq!(check_name(good), Ok(()));
        }
        for bad in ["", "a b", "ä", "a\n", "a/b", &"x".repeat(65)] {
            assert_eq!(check_name(bad), Err(NameError), "{bad}");
        }
    }
}
