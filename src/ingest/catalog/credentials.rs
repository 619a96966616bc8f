//! Stores the credentials that a repository's URL held at registration: one file per repository in the
//! data directory, readable only by its owner. They never reach the database or the log.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use parking_lot::Mutex;
use tempfile::NamedTempFile;

use crate::engine::{Login, RepoName};
use crate::ingest::data_layout::login_file;

/// Credentials of the registered repositories.
#[derive(Debug)]
pub(super) struct Credentials {
    directory: PathBuf,
    /// Credentials that were read or set, also those that are not written to disk.
    known: Mutex<HashMap<RepoName, Option<Login>>>,
}

impl Credentials {
    /// Credentials stored in `directory`, which need not exist.
    pub fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            known: Mutex::default(),
        }
    }

    /// Returns the login for the repository `name`, if its URL held one.
    pub fn of(&self, name: &RepoName) -> Option<Login> {
        let mut known = self.known.lock();
        let read = || {
            self.read(name).unwrap_or_else(|error| {
                tracing::warn!(
                    repo = %name,
                    %error,
                    "cannot read the stored credentials of the repository: it is contacted without them until it is \
                     registered again, or they can be read at the next start"
                );
                None
            })
        };
        known.entry(name.clone()).or_insert_with(read).clone()
    }

    /// Reads the stored login, if there is one.
    fn read(&self, name: &RepoName) -> io::Result<Option<Login>> {
        let bytes = match fs::read(self.file(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        // The message of the parser may quote a secret.
        let login = serde_json::from_slice(&bytes);
        login.map_err(|_| io::Error::other("the file is damaged"))
    }

    /// Sets the login for the repository `name`, and writes it to disk if `is_persistent`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set(
        &self,
        name: &RepoName,
        login: Option<Login>,
        is_persistent: bool,
    ) -> io::Result<()> {
        match &login {
            Some(login) if is_persistent => self.write(name, login)?,
            Some(_) => {}
            None => self.remove(name)?,
        }
        self.known.lock().insert(name.clone(), login);
        Ok(())
    }

    /// Removes the login for the repository `name`.
    ///
    /// # Errors
    /// When the file exists and cannot be removed.
    pub fn remove(&self, name: &RepoName) -> io::Result<()> {
        self.known.lock().remove(name);
        match fs::remove_file(self.file(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn write(&self, name: &RepoName, login: &Login) -> io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        // A temporary file is readable only by its owner from its creation on.
        let mut file = NamedTempFile::new_in(&self.directory)?;
        file.write_all(&serde_json::to_vec(login)?)?;
        file.as_file().sync_all()?;
        file.persist(self.file(name))?;
        Ok(())
    }

    fn file(&self, name: &RepoName) -> PathBuf {
        self.directory.join(login_file(name))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn damaged_credentials_are_told_from_absent_ones() {
        let keep = tempfile::tempdir().unwrap();
        let name = RepoName::new("shop").unwrap();
        let credentials = Credentials::new(keep.path().to_owned());
        assert_eq!(credentials.read(&name).unwrap(), None);
        fs::write(credentials.file(&name), "\"s3cret\"").unwrap();
        let error = credentials.read(&name).unwrap_err().to_string();
        assert!(!error.contains("s3cret"), "{error}");
        assert_eq!(credentials.of(&name), None);
    }

    #[test]
    fn credentials_are_readable_only_by_owner() {
        let keep = tempfile::tempdir().unwrap();
        let directory = keep.path().join("credentials");
        let login = Login {
            user: "me".to_owned(),
            password: Some("s3\ncret".to_owned()),
        };
        let [a, b] = ["o/a", "b"].map(|name| RepoName::new(name).unwrap());
        let first = Credentials::new(directory.clone());
        first.set(&a, Some(login.clone()), true).unwrap();
        first.set(&b, Some(login.clone()), false).unwrap();
        assert_eq!(first.of(&b), Some(login.clone()));
        let mode = fs::metadata(first.file(&a)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);

        let second = Credentials::new(directory.clone());
        assert_eq!((second.of(&a), second.of(&b)), (Some(login), None));
        second.remove(&a).unwrap();
        assert_eq!(second.of(&a), None);
        assert_eq!(Credentials::new(directory).of(&a), None);
    }
}
