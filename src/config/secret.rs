//! Reads secrets from the places that settings name, each time they are needed, so that they can be changed while the
//! program runs. Secrets must never be shown.

use std::env::VarError;
use std::fmt;
use std::fs::File;
use std::io::Read as _;

use serde::Deserialize;

/// Maximum length of a secret, in bytes; the rest is cut off.
const MAX_SECRET_BYTES: u64 = 1 << 16;

/// The text of a secret, hidden by `Debug`.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps the text of a secret.
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

/// A secret cannot be read. The message names its place and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read a secret from {place}: {reason}")]
pub struct SecretError {
    place: String,
    reason: String,
}

/// The source of a secret: `env:NAME` or `file:/path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretSource(String);

impl SecretSource {
    /// Returns the source that a setting names; `None` where the setting is empty.
    pub fn new(setting: &str) -> Option<Self> {
        (!setting.is_empty()).then(|| Self(setting.to_owned()))
    }

    /// Reads the secret, without white space around it. Blocks for the time of reading a small file.
    ///
    /// # Errors
    /// When it cannot be read or is empty.
    pub fn read(&self) -> Result<Secret, SecretError> {
        let found = match self.0.split_once(':') {
            Some(("env", name)) => read_variable(name),
            Some(("file", path)) => read_file(path).map_err(|error| error.to_string()),
            _ => Err("a place is written env:NAME or file:/path".to_owned()),
        };
        let secret = found.and_then(|text| match text.trim() {
            "" => Err("it is empty".to_owned()),
            text => Ok(Secret::new(text)),
        });
        secret.map_err(|reason| SecretError {
            place: self.0.clone(),
            reason,
        })
    }
}

/// The message of the standard library would show a value that is not UTF-8.
fn read_variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| match error {
        VarError::NotPresent => "the variable is not set".to_owned(),
        VarError::NotUnicode(_) => "the variable is not UTF-8".to_owned(),
    })
}

fn read_file(path: &str) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(MAX_SECRET_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}

/// A PostgreSQL URL, or `env:NAME` / `file:/path` to read it from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(Secret);

impl DatabaseUrl {
    /// Wraps the setting: the URL itself, or `env:NAME` or `file:/path`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Secret::new(text))
    }

    /// Whether no URL is set.
    pub fn is_empty(&self) -> bool {
        self.0.reveal().is_empty()
    }

    /// Returns the URL, and reads it from its place if needed. Blocks for the time of reading a small file.
    ///
    /// # Errors
    /// When it cannot be read from its place.
    pub fn read(&self) -> Result<Secret, SecretError> {
        let text = self.0.reveal();
        match text.starts_with("env:") || text.starts_with("file:") {
            true => SecretSource(text.to_owned()).read(),
            false => Ok(self.0.clone()),
        }
    }

    /// Checks that it is a PostgreSQL URL, a place, or empty.
    pub(super) fn check(&self) -> Result<(), String> {
        let text = self.0.reveal();
        let starts = |scheme: &str| text.len() > scheme.len() && text.starts_with(scheme);
        let known = ["postgres://", "postgresql://", "env:", "file:"];
        if self.is_empty() || known.into_iter().any(starts) {
            return Ok(());
        }
        Err(
            "storage.database_url must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, or the place of such a URL \
             (env:NAME or file:/path), or empty for SQLite in storage.data_dir"
                .to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_url_is_read_from_its_place_and_hidden() {
        let url = "postgres://me:s3cret@db/app";
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{url}\n")).unwrap();
        for setting in [url.to_owned(), format!("file:{}", file.path().display())] {
            let setting = DatabaseUrl::new(setting);
            assert_eq!(setting.check(), Ok(()));
            assert_eq!(setting.read().unwrap().reveal(), url);
            assert_eq!(format!("{setting:?}"), "DatabaseUrl(Secret(..))");
        }
        assert!(DatabaseUrl::new("env:FOVEATE_NO_SUCH").read().is_err());
        assert!(DatabaseUrl::default().is_empty());
    }

    #[test]
    fn secret_is_read_from_its_place_and_hidden() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "s3cret\n").unwrap();
        let place = SecretSource::new(&format!("file:{}", file.path().display())).unwrap();
        let secret = place.read().unwrap();
        assert_eq!(secret.reveal(), "s3cret");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        std::fs::write(file.path(), "other").unwrap();
        assert_eq!(place.read().unwrap().reveal(), "other");
        std::fs::write(file.path(), " \n").unwrap();
        let error = place.read().unwrap_err().to_string();
        assert!(error.ends_with(": it is empty"), "{error}");
        for (missing, reason) in [
            ("file:/no/such/file", "No such file"),
            ("env:FOVEATE_NO_SUCH_VARIABLE", "the variable is not set"),
            ("x", "a place is written env:NAME or file:/path"),
        ] {
            let error = SecretSource::new(missing).unwrap().read().unwrap_err();
            let told = format!("cannot read a secret from {missing}: {reason}");
            assert!(error.to_string().starts_with(&told), "{error}");
        }
        assert_eq!(SecretSource::new(""), None);
    }
}
