//! What `foveate context` says where git, the repository or its files cannot be read.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::app::{SHOP, commit, tree};

/// A question about the shop, with a search path that leads to these programs alone.
fn ask(root: &Path, path: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.arg("context").arg(root).arg("`total_price`");
    command.args(arguments).env("PATH", path);
    command.env("FOVEATE_NO_CACHE", "1").output().unwrap()
}

fn search_path() -> String {
    std::env::var("PATH").unwrap()
}

/// What is told on standard error beside an answer that has the file.
#[track_caller]
fn told(root: &Path, path: &str) -> String {
    let output = ask(root, path, &[]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("shop/price.py"));
    told
}

/// A directory with a program called git that runs a script after it has counted the call.
fn replaced_git(script: &str) -> (TempDir, PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let (program, calls) = (keep.path().join("git"), keep.path().join("calls"));
    let script = format!("#!/bin/sh\necho call >> {}\n{script}\n", calls.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    (keep, calls)
}

#[test]
fn a_git_that_cannot_be_used_is_told_of_and_the_files_answer() {
    let (_keep, root) = tree(SHOP);
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    // A directory without a repository lacks nothing.
    assert_eq!(told(&root, &search_path()), "");
    assert_eq!(told(&root, empty), "");

    commit(&root, "open the shop");
    assert_eq!(told(&root, &search_path()), "");
    let missing = told(&root, empty);
    assert!(missing.contains("history_unavailable: git cannot be used"));
    assert!(missing.contains("install git 2.41"), "{missing}");
    assert_eq!(missing.lines().count(), 1, "{missing}");

    let words = "fatal: detected dubious ownership in repository at '/shop'";
    let (keep, calls) = replaced_git(&format!("echo \"{words}\" >&2; exit 128"));
    let refused = told(&root, keep.path().to_str().unwrap());
    assert!(refused.contains("detected dubious ownership"), "{refused}");
    assert!(refused.contains("git 2.41 or newer"), "{refused}");
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "call\n");

    let config = root.join(".git/config");
    let config_before = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, "[core").unwrap();
    let broken = told(&root, &search_path());
    assert!(broken.contains("bad config line"), "{broken}");
    assert!(broken.contains("`git status`"), "{broken}");
    let output = ask(&root, &search_path(), &["--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["issues"][0]["code"], "history_unavailable");
    let output = ask(&root, &search_path(), &["--ref", "HEAD"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("bad config line"), "{error}");
    std::fs::write(&config, config_before).unwrap();

    std::fs::remove_file(root.join(".git/HEAD")).unwrap();
    let broken = told(&root, &search_path());
    assert!(broken.contains("not a git repository"), "{broken}");
    // What a directory in a bare repository is, is no defect.
    let refs = root.join(".git/refs/heads");
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(refs.join("a.py"), "def total_price(): pass\n").unwrap();
    let output = ask(&refs, &search_path(), &[]);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_git_that_hangs_is_waited_for_once() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let (keep, calls) = replaced_git("exec /bin/sleep 1000");
    let told = told(&root, keep.path().to_str().unwrap());
    assert!(told.contains("git did not answer within 10 s"), "{told}");
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "call\n");

    // Nor where it hangs later, on what the repository holds.
    let path = search_path();
    let (keep, calls) = replaced_git(&format!(
        "PATH='{path}'; case \"$*\" in *--absolute-git-dir*) exec git \"$@\";; esac; exec sleep 1000"
    ));
    let told = self::told(&root, keep.path().to_str().unwrap());
    assert!(told.contains("history_unavailable"), "{told}");
    // Files and history ask for the commit at the same time.
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "call\n".repeat(3));
}
