//! Asks git for the sizes and the contents of objects, many of them through one process.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use foveate_model::ObjectId;
use tokio_util::sync::CancellationToken;

use crate::ingest::git::{GitError, GitRepo, command, process};

/// Returns the sizes of objects; `None` for those that the repository lacks.
pub(super) fn sizes(
    repo: &GitRepo,
    ids: &[ObjectId],
    stop: &CancellationToken,
) -> Result<Vec<Option<u64>>, GitError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    run(repo, "--batch-check=%(objectsize)", ids, stop, |stdout| {
        let size = |_| {
            let mut line = String::new();
            match stdout.read_line(&mut line)? {
                0 => Err(GitError::UnexpectedOutput("cat-file")),
                _ => Ok(line.trim_end().parse().ok()),
            }
        };
        ids.iter().map(size).collect()
    })
}

/// Asks one git process about objects in the given order, and reads its output with `read`.
pub(super) fn run<T>(
    repo: &GitRepo,
    mode: &str,
    ids: &[ObjectId],
    stop: &CancellationToken,
    read: impl FnOnce(&mut BufReader<ChildStdout>) -> Result<T, GitError>,
) -> Result<T, GitError> {
    let mut command = repo.command()?;
    command.args(["cat-file", mode, "--buffer"]);
    command.stdin(Stdio::piped());
    let ended = process::run(
        &mut command,
        &repo.reading(stop),
        |stdin| feed(stdin, ids),
        |stdout| read(&mut BufReader::with_capacity(1 << 16, stdout)),
        process::drain,
    )?;
    // Feeding also fails when reading stopped early: the reader's own error takes precedence.
    let fed = ended.fed.map_err(GitError::Io);
    let result = ended.output.and_then(|read| fed.map(|()| read));
    if result.is_err() && ended.status.code().is_some_and(|code| code != 0) {
        return Err(command::failure(&command, &ended.errors));
    }
    result
}

fn feed(stdin: ChildStdin, ids: &[ObjectId]) -> std::io::Result<()> {
    let mut stdin = BufWriter::new(stdin);
    for id in ids {
        writeln!(stdin, "{id}")?;
    }
    stdin.flush()
}

/// Reads the next blob of the batch; returns `None` if the repository lacks it.
pub(super) fn read_blob(stdout: &mut BufReader<ChildStdout>) -> Result<Option<Vec<u8>>, GitError> {
    const UNEXPECTED: GitError = GitError::UnexpectedOutput("cat-file");
    let mut header = String::new();
    if stdout.read_line(&mut header)? == 0 {
        return Err(UNEXPECTED);
    }
    let mut fields = header.split_ascii_whitespace().skip(1);
    let size: usize = match (fields.next(), fields.next()) {
        (Some("blob"), Some(size)) => size.parse().map_err(|_| UNEXPECTED)?,
        (Some("missing"), _) => return Ok(None),
        _ => return Err(UNEXPECTED),
    };
    let mut bytes = vec![0; size + 1];
    stdout.read_exact(&mut bytes)?;
    bytes.pop();
    Ok(Some(bytes))
}
