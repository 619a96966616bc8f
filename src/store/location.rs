//! Parses and shows the location of a database: a SQLite file, or a database of a PostgreSQL server. The shown text
//! never holds a password.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::{fmt, fs};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use sqlx::any::AnyConnectOptions;
use sqlx::postgres::PgConnectOptions;
use url::Url;

use super::{FILE, FileId};

/// Characters of a path that must be escaped in a URL.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'_')
    .remove(b'-');
/// Parameters allowed after the `?` of a URL. Others are refused, since the driver logs them with their values.
const PARAMETERS: [&str; 13] = [
    "application_name", "dbname", "host", "hostaddr", "options", "password", "port", "sslcert",
    "sslkey", "sslmode", "sslrootcert", "statement-cache-capacity", "user",
];

/// The location of a database.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseLocation {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A database of a PostgreSQL server.
    Postgres(PostgresUrl),
}

/// The URL of a PostgreSQL database. It may hold a password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(Url);

/// Why a text is not the location of a database. Does not repeat the text, which may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DatabaseLocationError(String);

impl DatabaseLocation {
    /// Returns the database of a data directory.
    pub fn in_directory(data_dir: &Path) -> Self {
        Self::Sqlite(data_dir.join(FILE))
    }

    /// Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…` or `sqlite:FILE`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(text: &str) -> Result<Self, DatabaseLocationError> {
        let refuse = |text: &str| Err(DatabaseLocationError(text.to_owned()));
        if let Some(file) = text.strip_prefix("sqlite:") {
            let file = file.strip_prefix("//").unwrap_or(file);
            return match file {
                "" => refuse("`sqlite:` must be followed by the path of a file"),
                file => Ok(Self::Sqlite(PathBuf::from(file))),
            };
        }
        let Ok(url) = Url::parse(text) else {
            return refuse(INVALID);
        };
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return refuse(INVALID);
        }
        for (name, _) in url.query_pairs() {
            if !PARAMETERS.contains(&&*name) && !name.starts_with("options[") {
                let known = PARAMETERS.join(", ");
                let name: String = name.chars().take(40).collect();
                return Err(DatabaseLocationError(format!(
                    "unknown parameter {name:?} in the database URL; expected one of {known}"
                )));
            }
        }
        // The driver's error would repeat the value.
        if PgConnectOptions::from_str(url.as_str()).is_err() {
            return refuse(
                "a parameter in the database URL, such as sslmode, has an invalid value",
            );
        }
        Ok(Self::Postgres(PostgresUrl(url)))
    }

    /// Returns the options to connect; a missing SQLite file is created.
    pub(super) fn options(&self) -> Result<AnyConnectOptions, sqlx::Error> {
        match self {
            Self::Sqlite(file) => sqlite_options(file, "mode=rwc"),
            Self::Postgres(url) => AnyConnectOptions::from_str(url.named().as_str()),
        }
    }

    pub(super) fn read_only_options(&self) -> Result<AnyConnectOptions, sqlx::Error> {
        let Self::Sqlite(file) = self else {
            return self.options();
        };
        let mut log = file.clone().into_os_string();
        log.push("-wal");
        // Without a write-ahead log nobody writes to the file. `immutable` then keeps SQLite from creating one.
        let is_idle = !Path::new(&log).exists();
        sqlite_options(file, &format!("mode=ro&immutable={is_idle}"))
    }

    /// Returns the identity of the SQLite file; `None` of a server, or where the file does not exist.
    pub(super) fn file_id(&self) -> Option<FileId> {
        let Self::Sqlite(file) = self else {
            return None;
        };
        let metadata = fs::metadata(file).ok()?;
        Some((metadata.dev(), metadata.ino()))
    }
}

fn sqlite_options(file: &Path, parameters: &str) -> Result<AnyConnectOptions, sqlx::Error> {
    let path = percent_encode(file.as_os_str().as_bytes(), PATH);
    AnyConnectOptions::from_str(&format!("sqlite://{path}?{parameters}"))
}

const INVALID: &str = "expected postgres://USER@HOST/DATABASE or sqlite:FILE";

impl PostgresUrl {
    /// Returns the options for the PostgreSQL driver itself, without `Any`.
    pub(super) fn options(&self) -> Result<PgConnectOptions, sqlx::Error> {
        PgConnectOptions::from_str(self.named().as_str())
    }

    /// Returns the URL with an application name, by which the server lists the connection.
    fn named(&self) -> Url {
        let mut url = self.0.clone();
        if !url
            .query_pairs()
            .any(|(name, _)| name == "application_name")
        {
            url.query_pairs_mut()
                .append_pair("application_name", "foveate");
        }
        url
    }
}

impl fmt::Display for DatabaseLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "sqlite:{}", file.display()),
            Self::Postgres(PostgresUrl(url)) => {
                let parameter = |wanted: &str| {
                    let mut pairs = url.query_pairs();
                    let found = pairs.find(|(name, _)| name == wanted);
                    found.map(|(_, value)| value.into_owned())
                };
                let host = parameter("host").or_else(|| url.host_str().map(str::to_owned));
                let database = parameter("dbname").unwrap_or_else(|| url.path().to_owned());
                write!(f, "postgres://{}", host.unwrap_or_default())?;
                if let Some(port) = url.port() {
                    write!(f, ":{port}")?;
                }
                write!(f, "/{}", database.trim_start_matches('/'))
            }
        }
    }
}

impl fmt::Debug for DatabaseLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseLocation({self})")
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresUrl(..)")
    }
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::SqliteConnectOptions;

    use super::*;

    #[test]
    fn place_is_parsed_and_shown_without_password() {
        for (text, shown) in [
            ("sqlite:/srv/foveate.db", "sqlite:/srv/foveate.db"),
            ("sqlite:///srv/foveate.db", "sqlite:/srv/foveate.db"),
            ("sqlite:foveate.db", "sqlite:foveate.db"),
            ("postgres://me:s3cret@db:5433/app", "postgres://db:5433/app"),
            (
                "postgresql://db/app?sslmode=verify-full",
                "postgres://db/app",
            ),
            (
                "postgres:///app?host=/run/postgresql&user=me&password=s3cret",
                "postgres:///run/postgresql/app",
            ),
        ] {
            let location = DatabaseLocation::parse(text).expect(text);
            assert_eq!(location.to_string(), shown);
            assert!(!format!("{location:?}").contains("s3cret"));
        }
    }

    #[test]
    fn invalid_place_is_refused_without_repeating_it() {
        for text in [
            "",
            "sqlite:",
            "s3cret",
            "mysql://me:s3cret@db/app",
            "postgres://me:s3cret@db:port/app",
            "postgres://me@db/app?pasword=s3cret",
            "postgres://me:s3cret@db/app?sslmode=perhaps",
        ] {
            let error = DatabaseLocation::parse(text).expect_err(text).to_string();
            assert!(!error.contains("s3cret") && !error.is_empty(), "{error}");
        }
    }

    #[test]
    fn special_characters_in_sqlite_path_are_escaped() {
        let file = Path::new("/tmp/a b?c#d%20e/foveate.db");
        let options = DatabaseLocation::Sqlite(file.to_owned())
            .options()
            .expect("a URL");
        let options = SqliteConnectOptions::from_str(options.database_url.as_str());
        assert_eq!(options.expect("a URL").get_filename(), file);
    }
}
