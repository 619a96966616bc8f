//! Creates, checks and hashes API tokens. A token is `fov_`, 64 hexadecimal digits of 32 random bytes, and as a
//! checksum the first 8 hexadecimal digits of the SHA-256 of everything before. The checksum lets scanners for leaked
//! secrets recognize tokens, and detects mistyped ones. The SHA-256 of the whole token is stored: it cannot be
//! reversed, and 256 random bits cannot be guessed. A slow hash is meant for passwords that people choose; here it
//! would only slow down each request.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::config::secret::Secret;

/// Prefix of every token of this program.
const PREFIX: &str = "fov_";
const SECRET_BYTES: usize = 32;
/// Hexadecimal digits of the checksum.
const CHECKSUM: usize = 8;

/// The system provides no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("cannot get random bytes from the system: {0}")]
pub struct TokenError(getrandom::Error);

/// Creates a random token.
///
/// # Errors
/// When the system provides no random bytes.
pub fn random_token() -> Result<Secret, TokenError> {
    let mut secret = [0; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(TokenError)?;
    let text = format!("{PREFIX}{}", hex::encode(secret));
    let checksum = checksum(&text);
    Ok(Secret::new(text + &checksum))
}

/// Checks the length and checksum of a text that begins like a token of this program. Other texts pass: tokens of a
/// token file may be any secret.
///
/// # Errors
/// When the length or the checksum is wrong.
pub fn check_spelling(text: &str) -> Result<(), &'static str> {
    let is_whole = || {
        let (rest, sum) = text.split_at_checked(text.len().saturating_sub(CHECKSUM))?;
        let length = PREFIX.len() + 2 * SECRET_BYTES;
        (rest.len() == length && sum == checksum(rest)).then_some(())
    };
    if text.starts_with(PREFIX) && is_whole().is_none() {
        return Err("the token is cut off or mistyped: its checksum is wrong");
    }
    Ok(())
}

fn checksum(text: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(text).into();
    hex::encode(&digest[..CHECKSUM / 2])
}

/// The stored hash of a token.
#[derive(Clone, Copy, Debug)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The hash of a token.
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// Restores a stored hash; `None` where the bytes are not one.
    pub fn stored(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.try_into().ok()?))
    }

    /// The 32 bytes to store.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether both are equal, compared in constant time.
    pub fn equals(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_tokens_differ_and_have_the_token_format() {
        let (a, b) = (random_token().unwrap(), random_token().unwrap());
        assert_ne!(a.reveal(), b.reveal());
        let rest = a.reveal().strip_prefix("fov_").expect("the prefix");
        assert_eq!(rest.len(), 72);
        assert!(rest.bytes().all(|b| b.is_ascii_hexdigit()));
        assert_eq!(check_spelling(a.reveal()), Ok(()));
        assert!(!format!("{a:?}").contains(&rest[..8]));
    }

    #[test]
    fn mistyped_token_is_detected() {
        let token = random_token().unwrap();
        let token = token.reveal();
        let other = if token.ends_with('0') { "1" } else { "0" };
        for bad in [
            &token[..token.len() - 1],
            &format!("{token}0"),
            &format!("{}{other}", &token[..token.len() - 1]),
            "fov_",
            "fov_ä",
        ] {
            assert!(check_spelling(bad).is_err(), "{bad}");
        }
        assert_eq!(check_spelling("a secret of another kind"), Ok(()));
    }

    #[test]
    fn hash_covers_whole_token_and_round_trips() {
        let hash = TokenHash::of("fov_a");
        assert!(hash.equals(&TokenHash::of("fov_a")));
        assert!(!hash.equals(&TokenHash::of("fov_b")));
        let stored = TokenHash::stored(hash.bytes()).expect("32 bytes");
        assert!(stored.equals(&hash));
        assert!(TokenHash::stored(b"short").is_none());
    }
}
