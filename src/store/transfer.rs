//! Copies all rows from one database to another, and copies SQLite files.

use std::path::Path;

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Any, AnyConnection, AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _};

use super::{Store, StoreError};

/// Number of rows read and written by one statement.
const BATCH: usize = 100;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Real,
    Text,
    Bytes,
}

/// A table. The first column is its key, by which rows are ordered.
struct Table {
    name: &'static str,
    columns: &'static [(&'static str, Kind)],
}

use Kind::{Bytes, Integer, Real, Text};

/// Every table of the schema, each after the tables that it refers to.
#[rustfmt::skip]
const TABLES: &[Table] = &[
    Table {
        name: "repositories",
        columns: &[
            ("name", Text), ("kind", Text), ("location", Text), ("reference", Text), ("watch", Integer),
            ("created_at", Text), ("poll_seconds", Integer),
        ],
    },
    Table {
        name: "keys",
        columns: &[
            ("id", Integer), ("name", Text), ("hash", Bytes), ("scope", Text), ("repositories", Text),
            ("created_at", Text), ("expires_at", Text), ("revoked_at", Text),
        ],
    },
    Table {
        name: "jobs",
        columns: &[
            ("id", Integer), ("subject", Text), ("task", Text), ("state", Text), ("attempts", Integer),
            ("revision", Integer), ("created_at", Integer), ("due_at", Integer), ("error", Text),
            ("leased_until", Integer), ("taken", Integer), ("thread", Text),
        ],
    },
    Table {
        name: "deliveries",
        columns: &[("number", Integer), ("digest", Text)],
    },
    Table {
        name: "answers",
        columns: &[
            ("id", Integer), ("request_id", Text), ("repo", Text), ("thread", Text), ("commit_id", Text),
            ("created_at", Integer), ("intent", Text), ("confidence", Real), ("used_tokens", Integer),
            ("ranking", Text), ("query", Text),
        ],
    },
    Table {
        name: "feedback",
        columns: &[
            ("id", Integer), ("answer", Integer), ("source", Text), ("origin", Text), ("created_at", Integer),
            ("useful", Text), ("changed", Text), ("comment", Text), ("base_commit", Text), ("files", Integer),
            ("files_in_context", Integer), ("functions", Integer), ("functions_in_context", Integer),
        ],
    },
];

impl Store {
    /// Copies every row to an empty database, in one transaction. Returns the number of rows of each table.
    ///
    /// # Errors
    /// When the target has rows, or a database fails; the target is unchanged then.
    pub async fn copy_to(&self, target: &Self) -> Result<Vec<(&'static str, u64)>, StoreError> {
        let snapshot = match self.is_shared() {
            true => "begin transaction isolation level repeatable read read only",
            false => "begin",
        };
        let mut from = self.pool().begin_with(snapshot).await?;
        let mut to = target.pool().begin().await?;
        if target.is_shared() {
            for table in TABLES {
                let lock = format!("lock table {} in exclusive mode", table.name);
                sqlx::query(AssertSqlSafe(lock)).execute(&mut *to).await?;
            }
        }
        for table in TABLES {
            if table.count(&mut to).await? > 0 {
                return Err(StoreError::NotEmpty {
                    location: target.inner.location.to_string(),
                    table: table.name,
                });
            }
        }
        let mut copied = Vec::new();
        for table in TABLES {
            copied.push((table.name, table.copy(&mut from, &mut to).await?));
            if let Some(next) = table.next_number()
                && target.is_shared()
            {
                sqlx::query(AssertSqlSafe(next)).execute(&mut *to).await?;
            }
        }
        to.commit().await?;
        Ok(copied)
    }

    /// Returns the number of rows of each table.
    pub async fn count_rows(&self) -> Result<Vec<(&'static str, u64)>, StoreError> {
        let mut connection = self.pool().acquire().await?;
        let mut counted = Vec::new();
        for table in TABLES {
            counted.push((table.name, table.count(&mut connection).await?));
        }
        Ok(counted)
    }
}

/// Writes a consistent copy of a SQLite database to a new file, also while other processes use it. The schema is not
/// migrated.
///
/// # Errors
/// When the database cannot be read or the file cannot be written.
pub async fn copy_file(database: &Path, to: &Path) -> Result<(), StoreError> {
    let options = SqliteConnectOptions::new().filename(database);
    let mut connection = options.connect().await?;
    sqlx::query("vacuum into $1")
        .bind(to.display().to_string())
        .execute(&mut connection)
        .await?;
    connection.close().await?;
    Ok(())
}

impl Table {
    async fn count(&self, connection: &mut AnyConnection) -> Result<u64, StoreError> {
        let statement = format!("select count(*) from {}", self.name);
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(statement))
            .fetch_one(connection)
            .await?;
        Ok(count.unsigned_abs())
    }

    async fn copy(
        &self,
        from: &mut AnyConnection,
        to: &mut AnyConnection,
    ) -> Result<u64, StoreError> {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let (names, key) = (names.join(", "), self.columns[0].0);
        let select = format!(
            "select {names} from {} order by {key} limit {BATCH} offset $1",
            self.name
        );
        let mut copied = 0;
        loop {
            let rows = sqlx::query(AssertSqlSafe(select.clone()))
                .bind(i64::try_from(copied).unwrap_or(i64::MAX))
                .fetch_all(&mut *from)
                .await?;
            if rows.is_empty() {
                return Ok(copied);
            }
            let insert = self.insert(&names, rows.len());
            let mut insert = sqlx::query(AssertSqlSafe(insert));
            for row in &rows {
                insert = self.bind(insert, row)?;
            }
            insert.execute(&mut *to).await?;
            copied += rows.len() as u64;
        }
    }

    fn insert(&self, names: &str, rows: usize) -> String {
        let width = self.columns.len();
        let row = |row: usize| {
            let places: Vec<String> = (1..=width)
                .map(|place| format!("${}", row * width + place))
                .collect();
            format!("({})", places.join(", "))
        };
        let rows: Vec<String> = (0..rows).map(row).collect();
        format!(
            "insert into {} ({names}) values {}",
            self.name,
            rows.join(", ")
        )
    }

    fn bind<'q>(
        &self,
        mut query: Query<'q, Any, AnyArguments>,
        row: &AnyRow,
    ) -> Result<Query<'q, Any, AnyArguments>, StoreError> {
        for (name, kind) in self.columns {
            query = match kind {
                Integer => query.bind(row.try_get::<Option<i64>, _>(name)?),
                Real => query.bind(row.try_get::<Option<f64>, _>(name)?),
                Text => query.bind(row.try_get::<Option<String>, _>(name)?),
                Bytes => query.bind(row.try_get::<Option<Vec<u8>>, _>(name)?),
            };
        }
        Ok(query)
    }

    /// Returns the statement that has PostgreSQL number new rows after the copied ones; `None` for a key that is not a
    /// number.
    fn next_number(&self) -> Option<String> {
        let &(key, kind) = self.columns.first()?;
        let table = self.name;
        (kind == Integer).then(|| {
            format!(
                "select setval(pg_get_serial_sequence('{table}', '{key}'),
                     coalesce(max({key}), 1), max({key}) is not null) from {table}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::locations;
    use super::*;

    #[tokio::test]
    async fn every_table_and_column_is_copied() -> Result<(), StoreError> {
        let (_directory, locations) = locations().await;
        for location in locations {
            let store = Store::open_at(location).await?;
            let columns = match store.is_shared() {
                true => {
                    "select table_name || '.' || column_name from information_schema.columns
                     where table_schema = current_schema()"
                }
                false => {
                    "select t.name || '.' || c.name from sqlite_schema t, pragma_table_info(t.name) c
                     where t.type = 'table'"
                }
            };
            let found: Vec<(String,)> = sqlx::query_as(columns).fetch_all(&store.pool()).await?;
            let is_own = |name: &String| !name.starts_with("_sqlx") && !name.starts_with("sqlite_");
            let mut found: Vec<String> = found.into_iter().map(|row| row.0).collect();
            found.retain(is_own);
            found.sort();
            let columns = |table: &Table| {
                let name = table.name;
                let columns = table.columns.iter();
                columns.map(move |(column, _)| format!("{name}.{column}"))
            };
            let mut copied: Vec<String> = TABLES.iter().flat_map(columns).collect();
            copied.sort();
            assert_eq!(found, copied);
        }
        Ok(())
    }
}
