//! Defines git object ids, which key everything derived from a file's bytes.

use std::fmt;

/// A git object id: 20 bytes (SHA-1 repositories) or 32 bytes (SHA-256 repositories).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    bytes: [u8; 32],
    len: u8,
}

impl ObjectId {
    /// Creates an id from the 20 bytes of a SHA-1 digest.
    pub fn from_sha1(digest: [u8; 20]) -> Self {
        let mut bytes = [0; 32];
        bytes[..20].copy_from_slice(&digest);
        Self { bytes, len: 20 }
    }

    /// Creates an id from the 32 bytes of a SHA-256 digest.
    pub fn from_sha256(bytes: [u8; 32]) -> Self {
        Self { bytes, len: 32 }
    }

    /// Creates an id from the 20 or 32 bytes of a digest; `None` for any other number of bytes.
    pub fn from_bytes(digest: &[u8]) -> Option<Self> {
        if digest.len() != 20 && digest.len() != 32 {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..digest.len()].copy_from_slice(digest);
        Some(Self {
            bytes,
            len: digest.len() as u8,
        })
    }

    /// Reads 40 or 64 hexadecimal digits; `None` for any other text.
    pub fn from_hex(hex: &str) -> Option<Self> {
        let digits = hex.as_bytes();
        if digits.len() != 40 && digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = (pair[0] as char).to_digit(16)?;
            let low = (pair[1] as char).to_digit(16)?;
            *byte = (high * 16 + low) as u8;
        }
        Some(Self {
            bytes,
            len: (digits.len() / 2) as u8,
        })
    }

    /// Returns the raw digest.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes()
            .iter()
            .try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips() {
        for text in ["0123456789abcdef0123456789abcdef01234567", &"ab".repeat(32)] {
            let id = ObjectId::from_hex(text).map(|id| id.to_string());
            assert_eq!(id.as_deref(), Some(text));
        }
        assert!(ObjectId::from_hex("main").is_none());
        assert!(ObjectId::from_hex(&"zz".repeat(20)).is_none());
    }
}
