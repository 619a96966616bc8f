//! Tests what `foveate context` reports if git, the repository or its files cannot be read.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::app::{SHOP, commit, git, tree};

/// Asks a question about the shop, with this `PATH`.
fn ask(root: &Path, path: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    command.arg("context").arg(root).arg("`total_price`");
    command.args(arguments).env("PATH", path);
    command.env("FOVEATE_NO_CACHE", "1").output().unwrap()
}

pub fn search_path() -> String {
    std::env::var("PATH").unwrap()
}

/// Asks a question whose answer must contain the file; returns standard error.
#[track_caller]
fn stderr_of(root: &Path, path: &str) -> String {
    let output = ask(root, path, &[]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("shop/price.py"));
    told
}

/// Creates a directory with a program `git` that records each call in the returned file and runs `script`.
pub fn replaced_git(script: &str) -> (TempDir, PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let (program, calls) = (keep.path().join("git"), keep.path().join("calls"));
    let script = format!("#!/bin/sh\necho call >> {}\n{script}\n", calls.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    (keep, calls)
}

#[test]
fn unusable_git_is_reported_and_files_still_answer() {
    let (_keep, root) = tree(SHOP);
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    // Nothing is missing in a directory without a repository.
    assert_eq!(stderr_of(&root, &search_path()), "");
    assert_eq!(stderr_of(&root, empty), "");

    commit(&root, "open the shop");
    assert_eq!(stderr_of(&root, &search_path()), "");
    let missing = stderr_of(&root, empty);
    assert!(missing.contains("history_unavailable: git cannot be used"));
    assert!(missing.contains("install git 2.41"), "{missing}");
    assert_eq!(missing.lines().count(), 1, "{missing}");

    let words = "fatal: detected dubious ownership in repository at '/shop'";
    let (keep, calls) = replaced_git(&format!("echo \"{words}\" >&2; exit 128"));
    let refused = stderr_of(&root, keep.path().to_str().unwrap());
    assert!(refused.contains("detected dubious ownership"), "{refused}");
    assert!(refused.contains("git 2.41 or newer"), "{refused}");
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "call\n");

    let config = root.join(".git/config");
    let config_before = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, "[core").unwrap();
    let broken = stderr_of(&root, &search_path());
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
    let broken = stderr_of(&root, &search_path());
    assert!(broken.contains("not a git repository"), "{broken}");
    // A directory inside of a bare repository is not reported.
    let refs = root.join(".git/refs/heads");
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(refs.join("a.py"), "def total_price(): pass\n").unwrap();
    let output = ask(&refs, &search_path(), &[]);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn hanging_git_is_waited_for_once() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let (keep, calls) = replaced_git("exec /bin/sleep 1000");
    let told = stderr_of(&root, keep.path().to_str().unwrap());
    assert!(told.contains("git did not answer within 10 s"), "{told}");
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "call\n");

    // Also if git hangs later, while it reads the repository.
    let path = search_path();
    let (keep, calls) = replaced_git(&format!(
        "PATH='{path}'; case \"$*\" in *--absolute-git-dir*) exec git \"$@\";; esac; exec sleep 1000"
    ));
    let told = stderr_of(&root, keep.path().to_str().unwrap());
    assert!(told.contains("history_unavailable"), "{told}");
    // The calls for the files and for the history, which both ask for the commit, run at the same time.
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "call\n".repeat(3));
}

/// Clones a repository into the directory beside it, with these options.
fn clone(root: &Path, name: &str, options: &[&str]) -> PathBuf {
    git(root, &["config", "uploadpack.allowFilter", "true"]);
    git(root, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", root.display());
    let arguments = [&["clone", "-q"], options, &[&url, name]].concat();
    let above = root.parent().unwrap();
    git(above, &arguments);
    above.join(name)
}

/// Creates the shop in a directory of its own, so that clones can be put beside it.
fn shop() -> (TempDir, PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap().join("shop");
    std::fs::create_dir(&root).unwrap();
    foveate_fixture::write(&root, SHOP).unwrap();
    commit(&root, "open the shop");
    (keep, root)
}

#[test]
fn partial_clone_says_how_to_fetch_missing_files() {
    let (_keep, root) = shop();
    let partial = clone(&root, "partial", &["--filter=blob:none", "--no-checkout"]);
    let output = ask(&partial, &search_path(), &["--ref", "HEAD"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("missing_files: "), "{told}");
    assert!(told.contains("git fetch --refetch --no-filter"), "{told}");
    assert!(told.contains("error: no file can be read"), "{told}");
    assert!(!told.contains("budget_too_small"), "{told}");
    git(&partial, &["fetch", "-q", "--refetch", "--no-filter"]);
    let output = ask(&partial, &search_path(), &["--ref", "HEAD"]);
    assert_eq!(output.status.code(), Some(0));

    // In a partial clone with a checkout, the files of past commits are missing.
    std::fs::write(root.join("shop/price.py"), "def total_price(): pass\n").unwrap();
    commit(&root, "forget the items");
    let past = clone(&root, "past", &["--filter=blob:none"]);
    let output = ask(&past, &search_path(), &["--wait-history"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("files of past commits were not fetched"),
        "{told}"
    );
    let bare = clone(&root, "bare", &["--filter=blob:none", "--bare"]);
    let output = ask(&bare, &search_path(), &["--diff", "HEAD~1..HEAD"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("lacks the contents of changed files"),
        "{told}"
    );

    let treeless = clone(&root, "treeless", &["--filter=tree:0", "--bare"]);
    let output = ask(&treeless, &search_path(), &[]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("lacks directories of it; `git fetch"),
        "{told}"
    );

    let sparse = clone(&root, "sparse", &["--sparse"]);
    std::fs::write(sparse.join("total_price.md"), "`total_price`\n").unwrap();
    let output = ask(&sparse, &search_path(), &[]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("files of the commit are not checked out"),
        "{told}"
    );
    git(&sparse, &["sparse-checkout", "disable"]);
    std::fs::remove_file(sparse.join("shop/cart.py")).unwrap();
    assert_eq!(stderr_of(&sparse, &search_path()), "");
}

#[test]
fn missing_submodules_are_reported() {
    let (keep, root) = shop();
    let library = keep.path().join("library");
    std::fs::create_dir(&library).unwrap();
    std::fs::write(library.join("tax.py"), "def tax(): pass\n").unwrap();
    commit(&library, "taxes");
    let add = [
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
    ];
    let library = library.to_str().unwrap();
    git(&root, &[&add[..], &[library, "lib/tax"]].concat());
    commit(&root, "use taxes");
    assert_eq!(stderr_of(&root, &search_path()), "");
    let cloned = clone(&root, "cloned", &[]);
    let told = stderr_of(&cloned, &search_path());
    assert!(
        told.contains("missing_files: submodules are not checked out (lib/tax)"),
        "{told}"
    );
    assert!(told.contains("git submodule update --init"), "{told}");
    // Submodule paths that lead outside are ignored.
    std::fs::create_dir(keep.path().join("empty")).unwrap();
    std::os::unix::fs::symlink(keep.path().join("empty"), cloned.join("link")).unwrap();
    let absolute = keep.path().join("empty");
    let paths = format!(
        "path = ../empty\npath = link\npath = {}\n",
        absolute.display()
    );
    std::fs::write(cloned.join(".gitmodules"), paths).unwrap();
    assert_eq!(stderr_of(&cloned, &search_path()), "");
}

#[test]
fn sources_in_other_encodings_are_read_and_non_utf8_names_listed() {
    use std::os::unix::ffi::OsStrExt as _;
    let (_keep, root) = shop();
    let text = "\u{feff}def grüße():\r\n    return 1\r\n";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(root.join("shop/greet.py"), bytes).unwrap();
    let western = b"# Andr\xe9\ndef adieu():\n    return 1\n";
    std::fs::write(root.join("shop/adieu.py"), western).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.py");
    std::fs::write(root.join("shop").join(name), "def cafe(): pass\n").unwrap();
    commit(&root, "greet");
    for arguments in [
        &["--json", "`grüße` fails, `adieu` does not"][..],
        &["--json", "--ref", "HEAD", "`grüße` fails, `adieu` does not"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
        command.arg("context").arg(&root).args(arguments);
        let output = command.env("FOVEATE_NO_CACHE", "1").output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let context = answer["context"].as_str().unwrap();
        assert!(context.contains("def grüße"), "{context}");
        assert!(context.contains("# André\ndef adieu"), "{context}");
        let issues = answer["issues"].as_array().unwrap();
        let skipped = issues.iter().find(|issue| issue["code"] == "skipped_files");
        let detail = skipped.unwrap()["detail"].as_str().unwrap();
        assert!(
            detail.contains(r"(1 not_utf8): shop/caf\xe9.py"),
            "{detail}"
        );
        assert_ne!(answer["tree"]["dirty"], true, "{answer}");
    }
}

#[test]
fn repository_without_text_is_told_from_one_without_matches() {
    let keep = tempfile::tempdir().unwrap();
    std::fs::write(keep.path().join("logo.png"), b"\x89PNG\r\n\0\0").unwrap();
    let output = ask(keep.path(), &search_path(), &[]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("no_match: no file of the repository has text"),
        "{told}"
    );
}

#[test]
fn text_with_a_hyphen_is_accepted_unknown_options_fail() {
    let (_keep, root) = tree(SHOP);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
        command.arg("context").arg(&root).args(arguments);
        let output = command.env("FOVEATE_NO_CACHE", "1").output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), told)
    };
    for text in [
        "--- a/shop/price.py\n+++ b/shop/price.py\n@@ -1 +1 @@\n-x\n+y",
        "- `total_price` is wrong",
        "-x breaks `total_price`",
    ] {
        assert_eq!(run(&[text]), (0, String::new()), "{text}");
        assert_eq!(run(&["--budget", "900", text, "--json"]).0, 0, "{text}");
    }
    assert_eq!(run(&["--", "-total_price"]).0, 0);
    for mistake in [
        &["--buget", "5"][..],
        &["--buget=5"],
        &["--buget", "5", "`total_price`"],
        &["`total_price`", "--buget", "5"],
        &["-x"],
        &["- `total_price` is wrong", "--buget", "5"],
    ] {
        let (code, told) = run(mistake);
        assert_eq!(code, 2, "{mistake:?}: {told}");
        assert!(told.contains("--buget") || mistake == ["-x"], "{told}");
    }
}
