//! Tests that what git says about the differences of two commits gives the files of one from those of the other.

use std::path::Path;
use std::sync::Arc;

use foveate::engine::{BlobCache, Progress};
use foveate::ingest::git::GitRepo;
use foveate_model::{Content, SourceFile};
use tokio_util::sync::CancellationToken;

use crate::app::{commit, git, tree};

/// Creates consecutive commits that add, remove, move and retype files. Returns their ids.
fn make_odd_commits(root: &Path) -> Vec<String> {
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let gone = |path: &str| std::fs::remove_file(root.join(path)).unwrap();
    let link = |to: &str, path: &str| std::os::unix::fs::symlink(to, root.join(path)).unwrap();
    write("lost.py", "def lost():\n    pass\n");
    write("a/kept.py", "def kept():\n    pass\n");
    write("a/same.py", "def kept():\n    pass\n");
    write("b", "text\n");
    link("a/kept.py", "link.py");
    let mut commits = vec![commit(root, "first")];
    write("a/kept.py", "def kept():\n    return 1\n");
    write("größe.py", "def größe():\n    pass\n");
    write("large.py", &"x = 1\n".repeat(400_000));
    commits.push(commit(root, "an edit and new files"));
    gone("b");
    write("b/now_a_directory.py", "def inside():\n    pass\n");
    gone("link.py");
    write("link.py", "def no_link():\n    pass\n");
    gone("a/same.py");
    link("kept.py", "a/same.py");
    commits.push(commit(root, "other kinds"));
    git(root, &["mv", "a/kept.py", "a/moved.py"]);
    git(root, &["update-index", "--chmod=+x", "lost.py"]);
    let gitlink = format!("160000,{},module", "1".repeat(40));
    git(root, &["update-index", "--add", "--cacheinfo", &gitlink]);
    git(
        root,
        &["commit", "-q", "-m", "a move, a mode and a submodule"],
    );
    commits.push(git(root, &["rev-parse", "HEAD"]));
    git(root, &["rm", "-q", "--cached", "module"]);
    gone("large.py");
    commits.push(commit(root, "less again"));
    commits
}

#[test]
fn differences_applied_to_one_commit_give_another() {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    let commits = make_odd_commits(&root);
    // Settings of the repository must not hide differences.
    for setting in [
        "diff.ignoreSubmodules=all", "diff.renames=copies", "diff.relative=true",
    ] {
        let (name, value) = setting.split_once('=').unwrap();
        git(&root, &["config", name, value]);
    }
    let blobs = BlobCache::new(foveate_parse::Limits::default(), 1 << 20);
    let progress = Progress::default();
    let repo = GitRepo::open(&root, &Arc::default()).unwrap();
    let below = GitRepo::discover(&root.join("a"), &Arc::default())
        .unwrap()
        .unwrap();
    let all = |repo: &GitRepo, commit: &str| {
        let mut files = repo.files(commit, &[], &blobs, &progress).unwrap();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    };
    for repo in [&repo, &below] {
        for before in &commits {
            for after in &commits {
                let differences = repo
                    .differences(before, after, &CancellationToken::new())
                    .unwrap();
                assert!(before != after || differences.is_empty());
                let files = all(repo, before);
                let files = repo
                    .files_with(&files, differences, &blobs, &progress)
                    .unwrap();
                let expected = all(repo, after);
                assert_eq!(
                    format!("{files:?}"),
                    format!("{expected:?}"),
                    "{before} {after}"
                );
            }
        }
    }
    assert!(
        repo.differences(&"f".repeat(40), &commits[0], &CancellationToken::new())
            .is_err()
    );

    // A file whose object was missing is read once the object exists.
    let blob = git(&root, &["rev-parse", "HEAD:lost.py"]);
    let object = root.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    let bytes = std::fs::read(&object).unwrap();
    std::fs::remove_file(&object).unwrap();
    let is_lost = |files: &[SourceFile]| {
        files
            .iter()
            .any(|f| f.skipped.as_ref().is_some_and(|s| s.code() == "unreadable"))
    };
    let fresh = BlobCache::new(foveate_parse::Limits::default(), 1 << 20);
    let before = repo.files(&commits[0], &[], &fresh, &progress).unwrap();
    assert!(is_lost(&before));
    std::fs::write(&object, bytes).unwrap();
    let differences = repo
        .differences(&commits[0], &commits[1], &CancellationToken::new())
        .unwrap();
    let after = repo
        .files_with(&before, differences, &fresh, &progress)
        .unwrap();
    assert!(!is_lost(&after));
}

#[test]
fn changed_file_is_parsed_only_where_it_differs() {
    let (_keep, root) = tree("");
    let same = "def send(pool, item):\n    \"\"\"Sends it.\"\"\"\n    return pool.client(item).connect(timeout=3)\n";
    let commits = ["first", "second"].map(|name| {
        let text = format!("{same}\n\ndef {name}():\n    return send\n");
        std::fs::write(root.join("shop.py"), text).unwrap();
        commit(&root, name)
    });
    let repo = GitRepo::open(&root, &Arc::default()).unwrap();
    let progress = Progress::default();
    let fresh = || BlobCache::new(foveate_parse::Limits::default(), 1 << 20);
    let mut before = repo.files(&commits[0], &[], &fresh(), &progress).unwrap();
    let Content { text, facts } = &**before[0].content.as_ref().unwrap();
    let (text, mut facts) = (text.clone(), facts.clone());
    // The changed documentation marks definitions that are taken over instead of parsed again.
    facts.definitions[0].doc = "taken over".into();
    before[0].content = Some(Arc::new(Content { text, facts }));
    let differences = repo
        .differences(&commits[0], &commits[1], &CancellationToken::new())
        .unwrap();
    let few = repo.files_with(&before, differences, &fresh(), &progress);
    let all = repo.files(&commits[1], &before, &fresh(), &progress);
    for files in [few.unwrap(), all.unwrap()] {
        let definitions = &files[0].content.as_ref().unwrap().facts.definitions;
        let names_and_docs: Vec<(&str, &str)> =
            definitions.iter().map(|d| (&*d.name, &*d.doc)).collect();
        assert_eq!(names_and_docs, [("send", "taken over"), ("second", "")]);
    }
}
