//! Secrets: read from where a setting says they are, each time they are needed, so that they can be changed
//! while the program runs. They are shown nowhere.

use std::fmt;
use std::fs::File;
use std::io::Read as _;

use serde::Deserialize;

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

/// The URL of a database server, or where the URL is. It is shown nowhere: it may hold a password.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(..)")
    }
}

impl DatabaseUrl {
    /// The URL itself, or `env:NAME` or `file:/path`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The URL; read from where it is. Blocks for the time of reading a small file.
    ///
    /// # Errors
    /// When there is none there.
    pub fn read(&self) -> Result<Secret, SecretError> {
        match self.place() {
            Some(place) => place.read(),
            None => Ok(Secret::new(&*self.0)),
        }
    }

    fn place(&self) -> Option<SecretPlace> {
        let is_place = self.0.starts_with("env:") || self.0.starts_with("file:");
        is_place.then(|| SecretPlace(self.0.clone()))
    }

    /// Says what is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        let starts = |scheme: &str| self.0.len() > scheme.len() && self.0.starts_with(scheme);
        let known = ["postgres://", "postgresql://", "env:", "file:"];
        if self.is_empty() || known.into_iter().any(starts) {
            return Ok(());
        }
        Err(
            "storage.database_url must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, or say where that is, \
             as env:NAME or file:/path; empty: SQLite in storage.data_dir"
                .to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_a_database_is_read_where_it_is_and_not_shown() {
        let url = "postgres://me:s3cret@db/app";
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{url}\n")).unwrap();
        for setting in [url.to_owned(), format!("file:{}", file.path().display())] {
            let setting = DatabaseUrl::new(setting);
            assert_eq!(setting.check(), Ok(()));
            assert_eq!(setting.read().unwrap().reveal(), url);
            assert_eq!(format!("{setting:?}"), "DatabaseUrl(..)");
        }
        assert!(DatabaseUrl::new("env:FOVEATE_NO_SUCH").read().is_err());
        assert!(DatabaseUrl::default().is_empty());
    }

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
