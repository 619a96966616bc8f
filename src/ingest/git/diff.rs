//! Finds the lines that a commit changed since it left another one, from the patch of `diff-tree` ([`patch`]).

mod patch;
mod paths;

use tokio_util::sync::CancellationToken;

use super::history::empty_tree;
use super::process::{self, RunLimits};
use super::{GitError, GitRepo, command, stream};
use crate::engine::Diff;
use patch::PatchReader;

/// Maximum bytes that are read, counted after lines are truncated.
const MAX_BYTES: usize = 64 << 20;
/// Maximum bytes of deleted files that are read. The names that then lack cost only uses of removed code.
const MAX_DELETED_BYTES: usize = 8 << 20;
/// Length at which a line is truncated, in bytes: the longest path still fits, even with every byte escaped.
const MAX_LINE: usize = 4 * 4096 + 16;
/// Leaves deleted files out: they are not in the tree of the head.
const NOT_DELETED: &str = "--diff-filter=d";
/// Leaves all other files out.
const DELETED: &str = "--diff-filter=D";
/// Options that override the settings of the repository.
const OPTIONS: [&str; 15] = [
    "-r", "-p", "-U0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic",
    "--src-prefix=a/", "--dst-prefix=b/",
    // Above the limit, only renames without a change are found.
    "-M", "-l400", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all",
    "--submodule=short",
];

impl GitRepo {
    /// Returns the changes of the commit `head` since it left the commit `base`, both given by full id.
    ///
    /// # Errors
    /// When git fails, takes too long, or the work is asked to stop.
    pub fn diff(&self, base: &str, head: &str, stop: &CancellationToken) -> Result<Diff, GitError> {
        let run_limits = self.read_limits.lookup_limits(stop);
        let merge_base = merge_base(self, base, head, &run_limits)?;
        let ends = [merge_base.as_str(), head];
        let mut reader = PatchReader::default();
        let is_complete = self.read_patch(ends, (NOT_DELETED, MAX_BYTES), &mut reader, stop)?;
        reader.diff.left_out.is_cut = !is_complete;
        self.read_patch(ends, (DELETED, MAX_DELETED_BYTES), &mut reader, stop)?;
        Ok(Diff {
            head: head.to_owned(),
            merge_base,
            ..reader.diff
        })
    }

    /// Reads the differences between two commits, of the files that `filter` selects, up to a number of bytes. Returns
    /// whether these were all.
    fn read_patch(
        &self,
        [base, head]: [&str; 2],
        (filter, max_bytes): (&str, usize),
        reader: &mut PatchReader,
        stop: &CancellationToken,
    ) -> Result<bool, GitError> {
        let enough = stop.child_token();
        let run_limits = self.read_limits.lookup_limits(&enough);
        let mut command = self.command()?;
        command
            .args(["-c", command::LARGE_FILES, "diff-tree"])
            .args(OPTIONS)
            .arg(filter);
        // Ignores `.gitattributes` files, which could hide the changes of a file.
        command.env("GIT_ATTR_SOURCE", empty_tree(head.len()));
        command.arg(self.relative_option());
        command.args(["--end-of-options", base, head, "--"]);
        command.args(self.pathspec());
        let mut bytes = 0;
        let mut take = |line: &[u8]| {
            bytes += line.len();
            if bytes > max_bytes {
                enough.cancel();
            } else {
                reader.take(line);
            }
        };
        let ran = stream::pieces(&mut command, b"", (b'\n', MAX_LINE), &run_limits, &mut take);
        reader.close_hunk();
        let is_complete = bytes <= max_bytes;
        match ran {
            Err(GitError::Cancelled(_)) if !is_complete && !stop.is_cancelled() => {}
            Err(GitError::Failed { stderr, .. }) if stderr.contains("promisor remote") => {
                return Err(GitError::Partial);
            }
            ran => ran?,
        }
        Ok(is_complete)
    }
}

/// Returns the commit where `head` left `base`; `base` itself if the two have no common ancestor.
fn merge_base(
    repo: &GitRepo,
    base: &str,
    head: &str,
    run_limits: &RunLimits<'_>,
) -> Result<String, GitError> {
    let mut command = repo.command()?;
    command.args(["merge-base", "--end-of-options", base, head]);
    let output = process::output(&mut command, run_limits)?;
    if output.status.code() == Some(1) && output.stdout.is_empty() {
        return match repo.is_shallow() {
            // The common ancestor may be among the commits that the clone lacks.
            true => Err(GitError::Shallow {
                base: base.to_owned(),
                head: head.to_owned(),
            }),
            false => Ok(base.to_owned()),
        };
    }
    if !output.status.success() {
        return Err(command::failure(&command, &output.stderr));
    }
    let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(id)
}
