//! Secrets of forges: read from where a setting says they are, each time they are needed, so that they can
//! be changed while the program runs. They are shown nowhere.

use std::fmt;
use std::fs::File;
use std::io::Read as _;

/// Longest secret that is read, in bytes.
const MAX_SECRET_BYTES: u64 = 1 << 16;

/// A secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The secret that is this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A secret that cannot be read. The text says where it was looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no secret can be read from {0}")]
pub struct SecretError(String);

/// Where a secret is: `env:NAME` or `file:/path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretPlace(String);

impl SecretPlace {
    /// The place that a setting names; `None` where it names none.
    pub fn new(setting: &str) -> Option<Self> {
        (!setting.is_empty()).then(|| Self(setting.to_owned()))
    }

    /// Reads it, without white space around it. Blocks for the time of reading a small file.
    ///
    /// # Errors
    /// When there is none.
    pub fn read(&self) -> Result<Secret, SecretError> {
        let found = match self.0.split_once(':') {
            Some(("env", name)) => std::env::var(name).ok(),
            Some(("file", path)) => read_file(path).ok(),
            _ => None,
        };
        match found.as_deref().map(str::trim) {
            Some(text) if !text.is_empty() => Ok(Secret::new(text)),
            _ => Err(SecretError(self.0.clone())),
        }
    }
}

fn read_file(path: &str) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(MAX_SECRET_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_where_it_is_and_not_shown() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "s3cret\n").unwrap();
        let place = SecretPlace::new(&format!("file:{}", file.path().display())).unwrap();
        let secret = place.read().unwrap();
        assert_eq!(secret.reveal(), "s3cret");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        std::fs::write(file.path(), "other").unwrap();
        assert_eq!(place.read().unwrap().reveal(), "other");
        std::fs::write(file.path(), " \n").unwrap();
        assert!(place.read().is_err());
        for missing in ["file:/no/such/file", "env:FOVEATE_NO_SUCH_VARIABLE", "x"] {
            let error = SecretPlace::new(missing).unwrap().read().unwrap_err();
            assert!(error.to_string().ends_with(missing));
        }
        assert_eq!(SecretPlace::new(""), None);
    }
}
