//! Tests which files of a working tree are indexed, and which never are.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveate::engine::{BlobCache, Progress};
use foveate::ingest::tree::WorkingTree;
use foveate::ingest::watch::ChangeSet;
use foveate_parse::Limits;
use serde_json::Value;

use crate::app::{SHOP, TestApp, commit, git, tree};

/// The sorted files of a tree: path, blob and whether it is indexed.
fn state(tree: &WorkingTree) -> Vec<(String, String, bool)> {
    let mut state: Vec<_> = tree
        .files()
        .into_iter()
        .map(|f| (f.path.to_string(), f.blob.to_string(), f.content.is_some()))
        .collect();
    state.sort();
    state
}

/// A deterministic pseudorandom generator, so that failures can be reproduced.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % n
    }

    fn path(&mut self) -> String {
        let names = ["a", "b", "c.py", "d.py"];
        let depth = 1 + self.below(3);
        let parts: Vec<&str> = (0..depth).map(|_| names[self.below(names.len())]).collect();
        parts.join("/")
    }
}

/// Makes one random edit; returns the paths that file events would name.
fn edit(root: &Path, random: &mut Random) -> Vec<PathBuf> {
    let path = root.join(random.path());
    match random.below(6) {
        0 | 1 => {
            let _ = fs::create_dir_all(path.parent().unwrap());
            let _ = fs::write(&path, format!("x = {}\n", random.below(5)));
            // Directories in between may be new, too.
            return path
                .ancestors()
                .take_while(|a| *a != root)
                .map(Path::to_owned)
                .collect();
        }
        2 => {
            let _ = fs::remove_file(&path);
        }
        3 => {
            let _ = fs::remove_dir_all(&path);
        }
        4 => {
            let to = root.join(random.path());
            let _ = fs::rename(&path, &to);
            return vec![path, to];
        }
        _ => {
            let _ = symlink("elsewhere", &path);
        }
    }
    vec![path]
}

#[test]
fn incremental_updates_equal_a_fresh_scan() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        let blobs = BlobCache::new(Limits::default(), 0);
        let progress = Progress::default();
        let mut followed = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
        followed.rescan(&blobs, &progress, None).unwrap();
        for step in 0..25 {
            let mut changed = ChangeSet::default();
            for _ in 0..=random.below(3) {
                changed.paths.extend(edit(&root, &mut random));
            }
            let before = state(&followed);
            let differs = followed.apply(&changed, &blobs, &progress, None).unwrap();
            let mut fresh = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
            fresh.rescan(&blobs, &progress, None).unwrap();
            assert_eq!(state(&followed), state(&fresh), "seed {seed}, step {step}");
            assert_eq!(differs, before != state(&fresh), "seed {seed}, step {step}");
        }
    }
}

#[test]
fn tracked_files_are_indexed_despite_gitignore() {
    let (_keep, root) = tree(
        "//- .gitignore\nbin/*\nout/\n//- a.py\n//- bin/tool.py\n//- bin/scratch.py\n//- out/deep/made.py\n//- out/junk.py\n",
    );
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-f", "bin/tool.py", "out/deep/made.py"]);
    commit(&root, "first");
    let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
    let new = || WorkingTree::new(root.clone(), Vec::new(), Arc::default());
    let mut followed = new();
    followed.rescan(&blobs, &progress, None).unwrap();
    let mut check = |changed: &[&str], ignored: &[&str]| {
        let paths = changed.iter().map(|path| root.join(path)).collect();
        let changed = ChangeSet {
            paths,
            ..ChangeSet::default()
        };
        followed.apply(&changed, &blobs, &progress, None).unwrap();
        let mut fresh = new();
        fresh.rescan(&blobs, &progress, None).unwrap();
        assert_eq!(state(&followed), state(&fresh));
        let there = state(&fresh).into_iter().map(|(path, ..)| path);
        let there: Vec<_> = there.filter(|path| path.contains('/')).collect();
        assert_eq!(there, ignored);
    };
    check(&[], &["bin/tool.py", "out/deep/made.py"]);
    fs::write(root.join("bin/tool.py"), "x = 1\n").unwrap();
    fs::write(root.join("bin/other.py"), "x = 1\n").unwrap();
    check(
        &["bin/tool.py", "bin/other.py"],
        &["bin/tool.py", "out/deep/made.py"],
    );
    git(&root, &["add", "-f", "bin/scratch.py", "out/junk.py"]);
    git(&root, &["rm", "-q", "--cached", "-f", "bin/tool.py"]);
    commit(&root, "second");
    check(&[], &["bin/scratch.py", "out/deep/made.py", "out/junk.py"]);
    fs::remove_file(root.join("bin/scratch.py")).unwrap();
    check(&["bin/scratch.py"], &["out/deep/made.py", "out/junk.py"]);

    // `.foveateignore` excludes tracked files, too; links and nested repositories are not entered.
    let listed = |ignored: &[&str]| {
        let mut fresh = new();
        fresh.rescan(&blobs, &progress, None).unwrap();
        let there = state(&fresh).into_iter().map(|(path, ..)| path);
        let there: Vec<_> = there
            .filter(|path| path.contains("py") && path.contains('/'))
            .collect();
        assert_eq!(there, ignored);
    };
    fs::write(root.join(".foveateignore"), "out/*\n!out/junk.py\n").unwrap();
    listed(&["out/junk.py"]);
    fs::remove_file(root.join(".foveateignore")).unwrap();
    git(&root.join("out/deep"), &["init", "-q"]);
    listed(&["out/junk.py"]);
    fs::rename(root.join("out"), root.join("bin/out")).unwrap();
    symlink("bin/out", root.join("out")).unwrap();
    listed(&[]);
}

/// Reports these changed paths.
fn changed<const N: usize>(root: &Path, paths: [&str; N]) -> ChangeSet {
    ChangeSet {
        paths: paths.map(|path| root.join(path)).into(),
        ..ChangeSet::default()
    }
}

#[test]
fn committed_files_outside_the_tree_are_looked_for_only_when_they_may_be_missing() {
    let (_keep, root) =
        tree("//- .foveateignore\nout/\nnote.md\n//- a.py\n//- note.md\n//- out/made.py\nx = 1\n");
    commit(&root, "first");
    let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
    let mut followed = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
    followed.rescan(&blobs, &progress, None).unwrap();
    assert!(!followed.revision().dirty);
    let is_dirty = |followed: &mut WorkingTree, changed: &ChangeSet| {
        followed.apply(changed, &blobs, &progress, None).unwrap();
        followed.revision().dirty
    };
    let (note, made) = (root.join("note.md"), root.join("out/made.py"));
    let git_wrote = ChangeSet {
        head: true,
        ..ChangeSet::default()
    };
    fs::remove_file(&made).unwrap();
    assert!(!is_dirty(&mut followed, &changed(&root, ["a.py"])));
    assert!(is_dirty(&mut followed, &git_wrote));
    fs::write(&made, "x = 1\n").unwrap();
    assert!(!is_dirty(&mut followed, &git_wrote));
    fs::remove_file(&made).unwrap();
    followed.rescan(&blobs, &progress, None).unwrap();
    assert!(followed.revision().dirty);
    fs::write(&made, "x = 1\n").unwrap();
    assert!(!is_dirty(&mut followed, &changed(&root, ["out"])));

    fs::remove_file(&note).unwrap();
    assert!(is_dirty(&mut followed, &changed(&root, ["note.md"])));
    fs::write(&note, "").unwrap();
    assert!(!is_dirty(&mut followed, &changed(&root, ["note.md"])));
    fs::remove_dir_all(root.join("out")).unwrap();
    assert!(is_dirty(&mut followed, &changed(&root, ["out"])));
    commit(&root, "second");
    assert!(!is_dirty(&mut followed, &git_wrote));
}

#[test]
fn deleted_files_of_a_directory_that_is_not_utf8_leave_the_list() {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    let odd = root.join(OsStr::from_bytes(b"caf\xe9"));
    let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
    let make = |directory: &Path, names: &[&str]| {
        fs::create_dir_all(directory).unwrap();
        names
            .iter()
            .for_each(|name| fs::write(directory.join(name), "x = 1\n").unwrap());
    };
    make(&odd, &["a.py", "b.py"]);
    let mut followed = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
    followed.rescan(&blobs, &progress, None).unwrap();
    let mut apply = |paths: &[&Path]| {
        let changed = ChangeSet {
            paths: paths.iter().map(|path| path.to_path_buf()).collect(),
            ..ChangeSet::default()
        };
        followed.apply(&changed, &blobs, &progress, None).unwrap();
        let listed = state(&followed).into_iter().map(|(path, ..)| path);
        listed.collect::<Vec<_>>()
    };
    assert_eq!(apply(&[]), [r"caf\xe9/a.py", r"caf\xe9/b.py"]);
    fs::remove_file(odd.join("a.py")).unwrap();
    assert_eq!(apply(&[&odd.join("a.py")]), [r"caf\xe9/b.py"]);
    fs::remove_dir_all(&odd).unwrap();
    assert!(apply(&[&odd]).is_empty());

    // Another directory really has the name by which the files of the first are listed: it keeps its own.
    let other = root.join(r"caf\xe9");
    make(&odd, &["b.py"]);
    make(&other, &["c.py"]);
    let both = [r"caf\xe9/b.py", r"caf\xe9/c.py"];
    assert_eq!(apply(&[&odd, &other]), both);
    fs::remove_dir_all(&odd).unwrap();
    assert!(apply(&[&odd]).contains(&both[1].to_owned()));
}

#[test]
fn repositories_below_a_part_of_a_repository_are_not_entered() {
    let (_keep, root) = tree("//- part/a.py\n");
    commit(&root, "outer");
    let part = root.join("part");
    let inner = part.join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("b.py"), "x = 1\n").unwrap();
    commit(&inner, "inner");
    let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
    let mut followed = WorkingTree::new(part.clone(), Vec::new(), Arc::default());
    followed.rescan(&blobs, &progress, None).unwrap();
    let paths = |tree: &WorkingTree| {
        let files = state(tree).into_iter().map(|(path, ..)| path);
        files.collect::<Vec<_>>()
    };
    assert_eq!(paths(&followed), ["a.py", "inner"]);
    // In a plain directory it is a clone like others.
    fs::remove_dir_all(root.join(".git")).unwrap();
    let nothing = ChangeSet::default();
    followed.apply(&nothing, &blobs, &progress, None).unwrap();
    assert_eq!(paths(&followed), ["a.py", "inner/b.py"]);
    assert_eq!(followed.revision().commit, "");
}

#[test]
fn nearest_complete_repository_is_used() {
    let (_keep, root) = tree("//- part/a.py\n");
    let outer = commit(&root, "outer");
    let part = root.join("part");
    let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
    let mut followed = WorkingTree::new(part.clone(), Vec::new(), Arc::default());
    let mut commit_of_tree = || {
        let git_wrote = ChangeSet {
            head: true,
            ..ChangeSet::default()
        };
        followed.apply(&git_wrote, &blobs, &progress, None).unwrap();
        followed.revision().commit
    };
    assert_eq!(commit_of_tree(), outer);
    // `git init` begins with an empty directory.
    fs::create_dir(part.join(".git")).unwrap();
    assert_eq!(commit_of_tree(), outer);
    git(&part, &["init", "-q"]);
    let inner = commit(&part, "inner");
    assert_eq!(commit_of_tree(), inner);
    fs::remove_dir_all(part.join(".git")).unwrap();
    assert_eq!(commit_of_tree(), outer);
}

#[test]
fn special_or_large_ignore_files_are_not_read() {
    let (_keep, root) = tree(
        "//- a.py\n//- zero/b.py\n//- pipe/c.py\n//- large/d.py\n//- linked/e.py\n//- long/f.py\n//- long/er/g.py\n",
    );
    symlink("/dev/zero", root.join("zero/.gitignore")).unwrap();
    let fifo = root.join("pipe/.foveateignore");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR).unwrap();
    fs::write(root.join("large/.gitignore"), "x\n".repeat(65 << 10)).unwrap();
    for directory in ["long", "long/er"] {
        fs::write(
            root.join(directory).join(".gitignore"),
            "x\n".repeat(33 << 10),
        )
        .unwrap();
    }
    fs::write(root.join("ignored"), "e.py\n").unwrap();
    symlink("../ignored", root.join("linked/.gitignore")).unwrap();
    let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
    let new = || WorkingTree::new(root.clone(), Vec::new(), Arc::default());
    let mut scanned = new();
    scanned.rescan(&blobs, &progress, None).unwrap();
    let there = state(&scanned);
    let indexed = there.iter().filter(|(.., is_indexed)| *is_indexed);
    let indexed: Vec<_> = indexed.map(|(path, ..)| path.as_str()).collect();
    assert_eq!(indexed, ["a.py", "ignored", "long/.gitignore", "long/f.py"]);
    for barred in ["large", "long/er", "pipe", "zero"] {
        assert!(there.iter().any(|(path, ..)| path == barred), "{barred}");
    }
    let changed = ChangeSet {
        paths: ["zero/b.py", "pipe/c.py"]
            .map(|path| root.join(path))
            .into(),
        ..ChangeSet::default()
    };
    assert!(!scanned.apply(&changed, &blobs, &progress, None).unwrap());
    symlink("/dev/zero", root.join(".gitignore")).unwrap();
    let refused = new()
        .rescan(&blobs, &progress, None)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("ignore file"), "{refused}");
}

#[test]
fn ignore_files_of_nested_repositories_and_behind_git_files_are_checked() {
    let (_keep, root) = tree("//- a.py\n//- nested/b.py\n//- nested/.git/HEAD\n");
    let git_file = root.join(".git");
    let scan = || {
        let (blobs, progress) = (BlobCache::new(Limits::default(), 0), Progress::default());
        let mut scanned = WorkingTree::new(root.clone(), Vec::new(), Arc::default());
        scanned.rescan(&blobs, &progress, None).unwrap();
        state(&scanned)
            .into_iter()
            .map(|(path, ..)| path)
            .collect::<Vec<_>>()
    };
    // A nested repository is listed, and none of its files is opened.
    symlink("/dev/zero", root.join("nested/.gitignore")).unwrap();
    fs::create_dir(&git_file).unwrap();
    assert_eq!(scan(), ["a.py", "nested"]);
    fs::remove_dir(&git_file).unwrap();
    fs::remove_file(root.join("nested/.gitignore")).unwrap();

    // In a plain directory, a repository whose `.git` is a file leads to the `info/exclude` of the common directory.
    fs::remove_dir_all(root.join("nested/.git")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let common = outside.path();
    fs::create_dir(common.join("info")).unwrap();
    let link = root.join("nested/.git");
    let exclude = common.join("info/exclude");
    let commondir = common.join("commondir");
    fs::write(&link, format!("gitdir: {}\n", common.display())).unwrap();
    fs::write(&commondir, format!("{}\n", common.display())).unwrap();
    fs::write(&exclude, "b.py\n").unwrap();
    assert_eq!(scan(), ["a.py"], "the patterns apply");
    fs::remove_file(&exclude).unwrap();
    symlink("/dev/zero", &exclude).unwrap();
    assert_eq!(scan(), ["a.py", "nested"]);
    fs::remove_file(&exclude).unwrap();
    assert_eq!(scan(), ["a.py", "nested/b.py"], "nothing to read");
    fs::write(&link, format!("gitdir: {}\n", commondir.display())).unwrap();
    assert_eq!(scan(), ["a.py", "nested/b.py"], "no directory");
    fs::write(&link, format!("gitdir: {}\n", common.display())).unwrap();
    fs::remove_file(&commondir).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &commondir, rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(scan(), ["a.py", "nested"]);
    fs::File::create(&link).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(scan(), ["a.py", "nested"]);
}

fn skipped(repo: &Value) -> Vec<(String, String)> {
    let files = repo["skipped_files"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    files
        .iter()
        .map(|f| (text(&f["path"]), text(&f["reason"])))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn symlinks_are_listed_and_never_followed() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let (_other, outside) = tree("//- secret.py\ndef top_secret():\n    pass\n");
    symlink(outside.join("secret.py"), root.join("file_link.py")).unwrap();
    symlink(&outside, root.join("directory_link")).unwrap();
    symlink("..", root.join("shop/loop")).unwrap();
    symlink("missing", root.join("dangling.py")).unwrap();
    app.add_tree("shop", &root, true).await;
    assert!(app.places_of("shop", "top_secret").await.is_empty());
    let repo = app.get("/repos/shop?skipped=true").await.json();
    let links = ["dangling.py", "directory_link", "file_link.py", "shop/loop"];
    let expected: Vec<_> = links.map(|l| (l.to_owned(), "symlink".to_owned())).into();
    assert_eq!(skipped(&repo), expected);

    // A watched directory is replaced by a link.
    fs::rename(root.join("shop"), root.join("real")).unwrap();
    symlink(&outside, root.join("shop")).unwrap();
    app.places_become("shop", "total_price", &["real/price.py"])
        .await;
    fs::write(outside.join("more.py"), "def more_secrets():\n    pass\n").unwrap();
    fs::write(root.join("mark.py"), "def mark():\n    pass\n").unwrap();
    app.places_become("shop", "mark", &["mark.py"]).await;
    for name in ["top_secret", "more_secrets"] {
        assert!(app.places_of("shop", name).await.is_empty(), "{name}");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unindexable_files_are_listed_with_the_reason() {
    let app = TestApp::start_with(|config| config.index.max_file_bytes = 4096).await;
    let (_keep, root) = tree(SHOP);
    fs::write(root.join("binary.py"), b"x = 1\n\0\0").unwrap();
    fs::write(root.join("legacy.py"), b"# caf\xe9\x01\n").unwrap();
    fs::write(root.join("large.py"), "x = 1\n".repeat(1000)).unwrap();
    fs::write(root.join("picture.png"), "not really").unwrap();
    fs::write(root.join("empty.py"), "").unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(root.join("pipe.py"))
        .status();
    assert!(pipe.unwrap().success());
    app.add_tree("shop", &root, false).await;
    let repo = app.get("/repos/shop?skipped=true").await.json();
    let reasons: Vec<(String, String)> = skipped(&repo);
    let reasons: Vec<(&str, &str)> = reasons.iter().map(|(p, r)| (&**p, &**r)).collect();
    assert_eq!(
        reasons,
        [
            ("binary.py", "binary"),
            ("large.py", "too_large"),
            ("legacy.py", "not_utf8"),
            ("picture.png", "binary"),
            ("pipe.py", "unreadable"),
        ]
    );
    assert_eq!(repo["files"], 10);
    assert_eq!(
        app.places_of("shop", "total_price").await,
        ["shop/price.py"]
    );
    let plain = app.get("/repos/shop").await.json();
    assert!(plain.get("skipped_files").is_none());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_files_are_indexed_except_dot_git() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let hook = ".github/scripts/release.py";
    fs::create_dir_all(root.join(".github/scripts")).unwrap();
    fs::write(root.join(hook), "def release_it():\n    pass\n").unwrap();
    commit(&root, "first");
    fs::write(root.join(".git/hidden.py"), "def inside_git():\n    pass\n").unwrap();
    app.add_tree("shop", &root, false).await;
    assert_eq!(app.places_of("shop", "release_it").await, [hook]);
    assert!(app.places_of("shop", "inside_git").await.is_empty());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nested_repository_is_not_indexed() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let inner = root.join("vendor/inner");
    foveate_fixture::write(&inner, "//- inner.py\ndef inner_function():\n    pass\n").unwrap();
    commit(&inner, "inner");
    app.add_tree("shop", &root, true).await;
    let repo = app.get("/repos/shop?skipped=true").await.json();
    assert_eq!(
        skipped(&repo),
        [("vendor/inner".to_owned(), "submodule".to_owned())]
    );
    fs::write(inner.join("inner.py"), "def inner_changed():\n    pass\n").unwrap();
    fs::write(root.join("mark.py"), "def mark():\n    pass\n").unwrap();
    app.places_become("shop", "mark", &["mark.py"]).await;
    assert!(app.places_of("shop", "inner_changed").await.is_empty());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subdirectory_has_the_revisions_of_its_repository() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    fs::write(root.join("shop/new.py"), "def brand_new():\n    pass\n").unwrap();
    fs::write(root.join("outside.py"), "def outside_part():\n    pass\n").unwrap();
    let second = commit(&root, "second");
    app.add_tree("part", &root.join("shop"), true).await;
    let repo = app.get("/repos/part").await.json();
    assert_eq!(
        (&repo["commit"], &repo["dirty"]),
        (&second.as_str().into(), &false.into())
    );
    assert_eq!(app.places_of("part", "brand_new").await, ["new.py"]);
    let body =
        serde_json::json!({"repo": "part", "ref": first, "query": "`total_price` `brand_new`"});
    let answer = app.post("/context", body).await.json();
    assert_eq!(answer["commit"], first.as_str());
    assert_eq!(crate::app::places(&answer, "total_price"), ["price.py"]);
    assert!(crate::app::places(&answer, "brand_new").is_empty());
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn linked_worktree_follows_its_own_head() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    let keep = tempfile::tempdir().unwrap();
    let linked = keep.path().canonicalize().unwrap().join("linked");
    git(
        &root,
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "side",
            linked.to_str().unwrap(),
        ],
    );
    app.add_tree("linked", &linked, true).await;
    assert_eq!(
        app.get("/repos/linked").await.json()["commit"],
        first.as_str()
    );
    fs::write(linked.join("side.py"), "def on_the_side():\n    pass\n").unwrap();
    git(&linked, &["add", "-A"]);
    git(&linked, &["commit", "-q", "-m", "side"]);
    let side = git(&linked, &["rev-parse", "HEAD"]);
    app.repo_until("linked", |repo| {
        repo["commit"] == side.as_str() && repo["dirty"] == false
    })
    .await;
    assert_eq!(app.places_of("linked", "on_the_side").await, ["side.py"]);
    app.end().await;
}
