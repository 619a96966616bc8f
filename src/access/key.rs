//! Holds the API keys that are in force, and finds the key of a token.

use super::Grant;
use super::token::TokenHash;
use crate::store::now_millis;

/// A key that is in force until it expires.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub hash: TokenHash,
    /// Seconds since 1970 from which it is not in force; `None`: never.
    pub expires: Option<i64>,
    pub grant: Grant,
}

/// The keys in force, as of one load.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub all: Vec<Key>,
    /// Whether there ever was a key, or a token file is configured: then every request needs a token, even if all keys
    /// are revoked or expired.
    pub needs_token: bool,
}

impl Keys {
    /// Returns the grant of a token. All keys are compared, each in constant time, so that the time depends only on the
    /// number of keys.
    pub fn grant(&self, token: &str) -> Option<Grant> {
        let hash = TokenHash::of(token);
        let mut found = None;
        for key in &self.all {
            if key.hash.equals(&hash) {
                found = Some(key);
            }
        }
        let now = now_millis() / 1000;
        let key = found.filter(|key| key.expires.is_none_or(|expires| now < expires))?;
        Some(key.grant.clone())
    }

    pub fn with_hash(&self, hash: &TokenHash) -> Option<&Key> {
        self.all.iter().find(|key| key.hash.equals(hash))
    }
}

/// A text is not a valid name of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum NameError {
    #[error("a key's name has 1 to 64 letters, digits, `.`, `_` and `-`")]
    Characters,
    #[error("a key must not be named {}: the server itself acts under these names", RESERVED.join(", "))]
    Reserved,
}

/// Names of grants that need no key: those of [`Grant`], and of the forges whose jobs ask questions.
const RESERVED: [&str; 6] = ["anonymous", "gitea", "github", "gitlab", "local", "probe"];

/// Checks the name of a key, which must be one word because logs show it.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    if !(1..=64).contains(&name.len()) || !name.bytes().all(is_allowed) {
        return Err(NameError::Characters);
    }
    match RESERVED.contains(&name) {
        true => Err(NameError::Reserved),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Repositories, Scope};

    #[test]
    fn token_finds_its_key_until_expiry() {
        let key = |token: &str, expires| Key {
            hash: TokenHash::of(token),
            expires,
            grant: Grant::new(token, Scope::Read, Repositories::All),
        };
        let keys = Keys {
            all: vec![key("a", None), key("b", Some(i64::MAX)), key("c", Some(1))],
            needs_token: true,
        };
        let who = |token: &str| keys.grant(token).map(|grant| grant.who().to_owned());
        assert_eq!(who("a").as_deref(), Some("a"));
        assert_eq!(who("b").as_deref(), Some("b"));
        assert_eq!(who("c"), None, "it has expired");
        assert_eq!(who(""), None);
    }

    #[test]
    fn key_name_must_be_one_word() {
        for good in ["ci", "bot-1", "a.b_c"] {
            assert_eq!(check_name(good), Ok(()));
        }
        for bad in ["", "a b", "ä", "a\n", "a/b", &"x".repeat(65)] {
            assert_eq!(check_name(bad), Err(NameError::Characters), "{bad}");
        }
        for reserved in ["local", "anonymous", "github"] {
            assert_eq!(check_name(reserved), Err(NameError::Reserved));
        }
    }
}
