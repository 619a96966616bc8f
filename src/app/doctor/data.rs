//! Checks what is on disk: the data directory, its database, and the repositories on this machine.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use foveate_model::escape::escape;
use indicatif::HumanBytes;
use rustix::fs::{Access, AtFlags, CWD, accessat, statvfs};
use rustix::process::geteuid;

use crate::app::settings::ingest_settings;
use crate::cli;
use crate::cli::doctor::Finding;
use crate::config::{Config, StorageConfig};
use crate::disk::LockHolder;
use crate::ingest::catalog::connectivity;
use crate::ingest::tree::network_file_system;
use crate::store::{self, DatabaseLocation, DatabaseReport, RepositoryRow, Store};

/// Free bytes below which writing soon fails, and below which a large repository may not fit.
const MIN_SPACE: u64 = 100 << 20;
const LOW_SPACE: u64 = 1 << 30;
/// Free inodes below which the installation soon cannot create files.
const LOW_FILES: u64 = 10_000;

/// Checks whether this user, and nobody else, can use the data directory.
pub(super) fn directory(path: &Path) -> Vec<Finding> {
    let shown = path.display();
    let Ok(metadata) = path.metadata() else {
        return vec![parent(path)];
    };
    let choose = "choose another directory with --data-dir or storage.data_dir";
    if !metadata.is_dir() {
        let found = format!("{shown} is not a directory");
        return vec![Finding::failure("data directory", found, choose)];
    }
    let mut findings = Vec::new();
    let me = geteuid().as_raw();
    if let Err(error) = may(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        let found = format!(
            "user {me} cannot read and write {shown}, which is owned by user {}: {error}",
            metadata.uid()
        );
        let advice =
            format!("run this as the server's user, `chown -R {me} {shown}`, or mount it writable");
        findings.push(Finding::failure("data directory", found, advice));
    } else if metadata.uid() != me {
        let found = format!(
            "{shown} is owned by user {}, but this is user {me}",
            metadata.uid()
        );
        let advice = "run this and every other foveate command on it as the server's user, so that all files keep one owner";
        findings.push(Finding::warning("data directory", found, advice));
    }
    if metadata.mode() & 0o077 != 0 {
        let found = format!(
            "other users can access {shown} (mode {:o})",
            metadata.mode() & 0o777
        );
        let advice = format!("run `chmod 700 {shown}`: it holds source code, and perhaps secrets");
        findings.push(Finding::warning("data directory", found, advice));
    }
    if let Some(system) = network_file_system(path) {
        let found = format!("{shown} is on {system}");
        let advice =
            "use a local disk: locks and the database are not safe on network file systems";
        findings.push(Finding::warning("data directory", found, advice));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(
            "data directory",
            format!("{shown}, accessible only to this user"),
        ));
    }
    findings
}

/// Checks whether a data directory that does not exist can be created.
fn parent(path: &Path) -> Finding {
    let above = path.ancestors().skip(1).find(|above| above.exists());
    let above = above.unwrap_or(Path::new("/"));
    let shown = path.display();
    match may(above, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) if above.is_dir() => Finding::ok(
            "data directory",
            format!("{shown} is created at the first start"),
        ),
        _ => Finding::failure(
            "data directory",
            format!("{shown} cannot be created in {}", above.display()),
            "create it for the server's user, or choose another one with --data-dir or storage.data_dir",
        ),
    }
}

fn may(path: &Path, access: Access) -> rustix::io::Result<()> {
    accessat(CWD, path, access, AtFlags::EACCESS)
}

/// Checks the free space on the disk of the data directory.
pub(super) fn space(path: &Path) -> Option<Finding> {
    let there = path.ancestors().find(|above| above.exists())?;
    let disk = statvfs(there).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    // Some file systems do not count files.
    let files = (disk.f_files > 0).then_some(disk.f_favail);
    Some(judge_space(free, files))
}

fn judge_space(free: u64, files: Option<u64>) -> Finding {
    let advice =
        "free some space, move storage.data_dir, or delete unused data with `foveate repo gc`";
    let counted = files.map_or_else(String::new, |files| format!(" and {files} inodes"));
    let found = format!(
        "{}{counted} are free on the disk of the data directory",
        HumanBytes(free)
    );
    if free < MIN_SPACE || files == Some(0) {
        Finding::failure("disk", found, advice)
    } else if free < LOW_SPACE || files.is_some_and(|files| files < LOW_FILES) {
        Finding::warning("disk", found, advice)
    } else {
        Finding::ok("disk", found)
    }
}

/// Checks whether the database can be read, and by which versions of the program. Returns its content, too.
pub(super) async fn database(
    storage: &StorageConfig,
    holder: LockHolder,
) -> (Finding, Option<DatabaseReport>) {
    let failure = |found: String, advice: &str| (Finding::failure("database", found, advice), None);
    let location = match cli::database::location(storage) {
        Ok(location) => location,
        Err(error) => return failure(error.to_string(), "correct storage.database_url"),
    };
    let restore =
        "restore the database from a backup, or move it away and register the repositories again";
    let unreadable = match location {
        DatabaseLocation::Postgres(_) => {
            "check that the database server is up and accepts this machine and user"
        }
        DatabaseLocation::Sqlite(_) => restore,
    };
    match Store::inspect(location).await {
        Ok(None) if holder != LockHolder::Nobody => failure(
            "its file is missing, although a server runs".to_owned(),
            "put the file back, or restart the server, which then starts with none",
        ),
        Ok(None) => (
            Finding::ok("database", "it is created at the first start"),
            Some(DatabaseReport::default()),
        ),
        Ok(Some(inspection)) => {
            let repositories = inspection.repositories.len();
            let finding = match &inspection.damage {
                Some(damage) => {
                    Finding::failure("database", format!("it is damaged: {damage}"), restore)
                }
                None => judge_schema(inspection.schema, store::schema(), repositories),
            };
            (finding, Some(inspection))
        }
        Err(error) => failure(format!("it cannot be read: {error}"), unreadable),
    }
}

fn judge_schema(found: i64, known: i64, repositories: usize) -> Finding {
    if found > known {
        let text =
            format!("its schema version is {found}, but this program supports at most {known}");
        return Finding::failure(
            "database",
            text,
            "use the foveate version that wrote it, or a newer one",
        );
    }
    if found < known {
        let text = format!("its schema version is {found}");
        return Finding::warning(
            "database",
            text,
            format!("the next start migrates it to version {known}: back it up first"),
        );
    }
    Finding::ok(
        "database",
        format!("schema version {found}; registered repositories: {repositories}"),
    )
}

/// Checks whether the repositories on this machine can be read.
pub(super) fn sources(config: &Config, rows: &[RepositoryRow]) -> Vec<Finding> {
    let settings = ingest_settings(config, config.storage.data_dir.clone());
    let mut findings = Vec::new();
    let mut readable = 0;
    for row in rows {
        // Remote repositories are checked in `network`.
        if !matches!(connectivity::connection(row, &settings), Ok(None)) {
            continue;
        }
        let path = Path::new(&row.location);
        let named = format!("{}: {}", row.name, row.location);
        let found = match fs::read_dir(path).and_then(|_| path.canonicalize()) {
            Ok(real) if settings.read_limits.local_paths.admits(&real) => {
                readable += 1;
                continue;
            }
            Ok(_) => Finding::failure(
                "repository",
                format!("{named} is outside repos.allow_paths"),
                "add the directory to repos.allow_paths, or remove the repository",
            ),
            Err(error) => Finding::failure(
                "repository",
                format!("{named} cannot be read: {error}"),
                format!(
                    "give the server's user the right to read it, or `foveate repo rm {}`",
                    escape(&row.name)
                ),
            ),
        };
        findings.push(found);
    }
    if readable > 0 {
        findings.push(Finding::ok(
            "repository",
            format!("repositories on this machine that can be read: {readable}"),
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::Health::{Failure, Ok as Well, Warning};

    #[test]
    fn space_is_judged_in_bytes_and_files() {
        for (free, files, wanted) in [
            (10 << 30, Some(1 << 20), Well),
            (10 << 30, None, Well),
            (10 << 30, Some(5000), Warning),
            (10 << 30, Some(0), Failure),
            (500 << 20, None, Warning),
            (50 << 20, Some(1 << 20), Failure),
        ] {
            assert_eq!(judge_space(free, files).status, wanted, "{free} {files:?}");
        }
    }

    #[test]
    fn schema_versions_are_judged() {
        assert_eq!(judge_schema(4, 4, 1).status, Well);
        assert_eq!(judge_schema(3, 4, 1).status, Warning);
        assert_eq!(judge_schema(5, 4, 1).status, Failure);
    }
}
