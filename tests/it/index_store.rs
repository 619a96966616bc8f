//! Tests the stored index: a restart parses only changed files; damage, other versions and an unwritable directory
//! cost time but never an answer.

use std::fs;
use std::path::{Path, PathBuf};

use foveate::config::Config;
use foveate_fixture::snapshot::of_text;
use foveate_index::graph::stored as references;
use foveate_index::lexical::CommitIndex;
use foveate_index::stored::facts;
use foveate_model::{Commit, History, Language, ObjectId, RepoPath, Touched};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, tree, until};
use crate::index_report::{Service as _, equals_fresh_build, fresh_build_report, reports_become};
use crate::process::Process;

fn language(name: &str) -> Language {
    foveate_parse::languages::by_name(name).unwrap()
}

/// The numbers of blobs parsed and blobs restored from disk.
fn parsed_and_restored(app: &TestApp) -> (u64, u64) {
    let stats = app.engine.blobs.stats();
    (stats.parsed, stats.restored)
}

/// Removes from an answer the fields that differ between servers.
fn without_volatile_fields(mut answer: Value) -> Value {
    // The head of a context names the repository.
    let head = format!("repo: {}, ", answer["repo"].as_str().unwrap());
    let context = answer["context"].as_str().unwrap().replacen(&head, "", 1);
    answer["context"] = context.into();
    for field in ["request_id", "repo", "timings_ms", "generation"] {
        answer.as_object_mut().unwrap().remove(field);
    }
    answer
}

const QUERIES: [&str; 3] = [
    "`Cart.checkout` gives a wrong total",
    "where are prices summed up?",
    "test_checkout fails in tests/test_cart.py",
];

async fn answers(app: &TestApp, repo: &str) -> Vec<Value> {
    app.repo_until(repo, |repo| repo["history"] == true).await;
    let mut answers = Vec::new();
    for query in QUERIES {
        answers.push(without_volatile_fields(app.ask(repo, query).await));
    }
    answers
}

/// Sets the modification time of files to an hour ago, because a stat that is too recent is never trusted.
fn backdate(root: &Path) {
    files_outside_git(root).for_each(|path| {
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(long_ago).unwrap();
    });
}

fn files_outside_git(root: &Path) -> impl Iterator<Item = PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with(".git") {
                directories.push(path);
            } else if path.is_file() {
                found.push(path);
            }
        }
    }
    found.into_iter()
}

/// Indexes the shop as a working tree and as a git repository, and stops. Returns the answers.
async fn store_index(data: &Path, root: &Path) -> Vec<Value> {
    let app = TestApp::start_on(data).await;
    app.add_tree("shop", root, true).await;
    app.add_git("bare", root, None).await;
    let answers = answers(&app, "shop").await;
    app.end().await;
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn restart_parses_only_changed_files() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    fs::write(root.join("legacy.py"), b"# caf\xe9\x01\n").unwrap();
    commit(&root, "first");
    backdate(&root);
    let before = store_index(data.path(), &root).await;

    let app = TestApp::start_on(data.path()).await;
    // The first question is answered before the repository is ready.
    app.ask("shop", QUERIES[0]).await;
    assert_eq!(answers(&app, "shop").await, before);
    assert_eq!(answers(&app, "bare").await, before);
    let (parsed_again, restored) = parsed_and_restored(&app);
    assert_eq!(parsed_again, 0, "nothing changed");
    assert!(restored >= 5, "{restored}");
    let repo = app.get("/repos/shop").await.json();
    assert!(repo["disk"]["bytes"].as_u64() > Some(1000), "{repo}");
    assert_eq!(repo["disk"]["error"], Value::Null);
    let stored = app.metric("foveate_repository_disk_bytes", "repo=\"shop\"");
    assert!(stored.await > 1000.0);
    app.end().await;

    // While the server is down, one file changes, one is removed, one is added.
    let price = fs::read_to_string(root.join("shop/price.py")).unwrap();
    fs::write(
        root.join("shop/price.py"),
        price + "\n\ndef discount():\n    pass\n",
    )
    .unwrap();
    fs::remove_file(root.join("tests/test_cart.py")).unwrap();
    fs::write(root.join("shop/new.py"), "def brand_new():\n    pass\n").unwrap();
    let app = TestApp::start_on(data.path()).await;
    app.ready("shop").await;
    app.ready("bare").await;
    assert_eq!(app.places_of("shop", "discount").await, ["shop/price.py"]);
    assert_eq!(app.places_of("shop", "brand_new").await, ["shop/new.py"]);
    assert!(app.places_of("shop", "test_checkout").await.is_empty());
    assert_eq!(
        parsed_and_restored(&app).0,
        2,
        "the one that changed and the one that came"
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_limits_cause_full_parsing() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    store_index(data.path(), &root).await;
    let app = TestApp::start_in(data.path(), None, |config| config.index.max_depth = 500).await;
    app.ready("shop").await;
    assert_eq!(
        parsed_and_restored(&app).1,
        0,
        "another limit may give other facts"
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_files_are_detected_and_rebuilt() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    backdate(&root);
    let good = tempfile::tempdir().unwrap();
    // Only one repository: another with the same blobs would hide the damage.
    let app = TestApp::start_on(good.path()).await;
    app.add_tree("shop", &root, true).await;
    let before = answers(&app, "shop").await;
    app.end().await;
    let names = ["facts.pack", "lexical.pack", "references.pack", "tree.pack"];
    for (number, name) in names.iter().cycle().take(16).enumerate() {
        let path = good.path().join("index/shop").join(name);
        let mut bytes = fs::read(&path).unwrap();
        let length = bytes.len();
        match number / names.len() {
            0 => bytes.truncate(length / 2),
            1 => bytes[length / 2] ^= 4,
            2 => bytes[20] ^= 4,
            _ => bytes = b"something else altogether".to_vec(),
        }
        fs::write(&path, &bytes).unwrap();
        let app = TestApp::start_on(good.path()).await;
        assert_eq!(answers(&app, "shop").await, before, "{name}, {number}");
        // Only the damaged stage is rebuilt.
        let is_parsed_again = parsed_and_restored(&app).0 > 0;
        assert_eq!(is_parsed_again, *name == "facts.pack", "{name}, {number}");
        app.end().await;
        // The damaged file was written again.
        let app = TestApp::start_on(good.path()).await;
        assert_eq!(answers(&app, "shop").await, before, "{name}, {number}");
        assert_eq!(parsed_and_restored(&app).0, 0, "{name}, {number}");
        app.end().await;
    }
    let app = TestApp::start().await;
    assert!(app.metric("foveate_disk_damaged_total", "").await > 0.0);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_formats_are_rebuilt_and_unfinished_files_deleted() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    backdate(&root);
    let before = store_index(data.path(), &root).await;
    let stored = data.path().join("index/shop");
    let unknown = "foveate pack 0\n\0 and more than a head of it";
    fs::write(stored.join("facts.pack"), unknown).unwrap();
    let unfinished = stored.join("lexical.unfinished");
    fs::write(&unfinished, "foveate pack 1\n").unwrap();

    let app = TestApp::start_on(data.path()).await;
    assert_eq!(answers(&app, "shop").await, before);
    app.end().await;
    assert!(!unfinished.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn write_failure_is_reported_and_answers_continue() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    // A file is in the place of the index directory.
    fs::write(data.path().join("index"), "in the way").unwrap();
    let app = TestApp::start_in(data.path(), None, |config| {
        config.storage.write_after_ms = 1
    })
    .await;
    app.add_tree("shop", &root, true).await;
    let told = |repo: &Value| !repo["disk"]["error"].is_null();
    app.repo_until("shop", told).await;
    assert_eq!(
        app.places_of("shop", "total_price").await,
        ["shop/price.py"]
    );
    // It is stored as soon as that is possible.
    fs::remove_file(data.path().join("index")).unwrap();
    let repo = app.repo_until("shop", |repo| !told(repo)).await;
    assert!(repo["disk"]["bytes"].as_u64() > Some(0), "{repo}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removing_a_repository_deletes_its_stored_index() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    store_index(data.path(), &root).await;
    assert!(data.path().join("index/shop/facts.pack").exists());
    let app = TestApp::start_on(data.path()).await;
    app.ready("shop").await;
    let gone = app.delete("/repos/shop").await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    assert!(!data.path().join("index/shop").exists());
    assert!(data.path().join("index/bare").exists());
    app.end().await;
}

fn run_mount(arguments: &[&str]) -> bool {
    let status = std::process::Command::new("mount").args(arguments).output();
    status.is_ok_and(|output| output.status.success())
}

/// Makes a directory read-only by a mount; `None` if this process may not mount.
fn read_only(directory: &Path) -> Option<Mount> {
    let path = directory.to_str()?;
    if !run_mount(&["--bind", path, path]) {
        return None;
    }
    let mount = Mount(directory.to_owned());
    run_mount(&["-o", "remount,bind,ro", path]).then_some(mount)
}

struct Mount(PathBuf);

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_data_directory_still_answers() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    backdate(&root);
    let before = store_index(data.path(), &root).await;
    let Some(_mount) = read_only(data.path()) else {
        eprintln!("SKIPPED: this process may not mount, so no directory can be made read-only");
        return;
    };
    let app = TestApp::start_on(data.path()).await;
    assert_eq!(answers(&app, "shop").await, before);
    assert_eq!(parsed_and_restored(&app).0, 0, "what is stored can be read");
    let repo = app.get("/repos/shop").await.json();
    let error = repo["disk"]["error"].as_str().unwrap();
    assert!(error.to_lowercase().contains("read-only"), "{error}");
    // A new repository can be added, and lives as long as the server.
    app.add_tree("new", &root, false).await;
    assert_eq!(app.get("/readyz").await.status, StatusCode::OK);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_is_reported_and_recovered_from() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().to_str().unwrap();
    if !run_mount(&["-t", "tmpfs", "-o", "size=640k", "tmpfs", path]) {
        eprintln!("SKIPPED: this process may not mount, so no file system can be filled");
        return;
    }
    let _mount = Mount(data.path().to_owned());
    let (_keep, root) = tree(SHOP);
    // Text that does not compress.
    let mut state = 1_u64;
    let mut words = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        format!("{:016x}\n", state ^ (state >> 29))
    });
    for number in 0..4 {
        let text: String = words.by_ref().take(15_000).collect();
        fs::write(root.join(format!("words{number}.txt")), text).unwrap();
    }
    let wanted = fresh_build_report(&root).await;
    let quick = |config: &mut Config| config.storage.write_after_ms = 1;
    let app = TestApp::start_on_with(data.path(), quick).await;
    app.add_tree("shop", &root, true).await;
    let told = |repo: &Value| !repo["disk"]["error"].is_null();
    let repo = app.repo_until("shop", told).await;
    let error = repo["disk"]["error"].as_str().unwrap();
    assert!(error.contains("No space left"), "{error}");
    assert!(app.metric("foveate_disk_failed_writes_total", "").await > 0.0);
    reports_become(&app, "shop", &wanted, "the same on a full disk").await;
    app.end().await;

    let app = TestApp::start_on_with(data.path(), quick).await;
    app.repo_until("shop", told).await;
    reports_become(&app, "shop", &wanted, "the same after a restart").await;
    // No file changes any more: the write is retried after a while.
    assert!(run_mount(&["-o", "remount,size=64m", path]));
    app.repo_until("shop", |repo| !told(repo)).await;
    app.end().await;
    let app = TestApp::start_on(data.path()).await;
    reports_become(&app, "shop", &wanted, "the same from the disk").await;
    assert_eq!(parsed_and_restored(&app).0, 0, "now everything is there");
    app.end().await;
}

/// A checksum of the facts of fixed texts. If this fails and the change of the facts was not intended, it is a bug.
/// If it was intended, raise `foveate_parse::VERSION` (or the format's) and update the sum, so that stored facts
/// of the earlier version are not used.
#[test]
fn facts_change_only_with_their_version() {
    let texts = [
        (language("python"), SHOP),
        (
            language("tsx"),
            "export const A = ({ b }) => <C d={b.e()} />;\nimport f from './g';\n",
        ),
        (
            language("typescript"),
            "class A<T> extends B { m(a?: T): void { throw new E('x'); } }\n",
        ),
        (
            language("javascript"),
            "const a = require('b');\nmodule.exports = { c() { a.d(); } };\n",
        ),
        (
            language("svelte"),
            "<script>\nimport A from './A.svelte';\n</script>\n<A/>\n",
        ),
        (
            language("go"),
            "package a\nfunc (e *E) Run(x int) error { return e.b.Do(x) }\n",
        ),
        (
            language("rust"),
            "use a::b;\nimpl E { fn run(&self) -> B { b::do_it(self.x) } }\n",
        ),
        (
            language("java"),
            "package a;\nimport b.C;\nclass E extends C { void run(C c) { c.go(); } }\n",
        ),
        (
            language("kotlin"),
            "package a\nimport b.C\nfun E.run(c: C) = c.go()\n",
        ),
        (
            language("c"),
            "#include \"b.h\"\nstatic int run(struct b *c) { return go(c->x); }\n",
        ),
        (
            language("cpp"),
            "namespace a { void E::run(C c) { c.go(); } }\n",
        ),
        (
            language("csharp"),
            "using B;\nnamespace A { class E : C { void Run(C c) { c.Go(); } } }\n",
        ),
        (
            language("ruby"),
            "require 'b'\nmodule A\n  class E < C\n    def run(c) = c.go\n  end\nend\n",
        ),
        (
            language("php"),
            "<?php\nnamespace A;\nuse B\\C;\nclass E extends C { function run(C $c) { $c->go(); } }\n",
        ),
        (language("markdown"), "# Title\n\nWords.\n"),
    ];
    let texts = texts.map(|(language, text)| (language, text.as_bytes()));
    let western = (language("c"), &b"// Andr\xe9\nint a;\n"[..]);
    let mut all = Vec::new();
    for (language, text) in texts.into_iter().chain([western]) {
        let limits = foveate_parse::Limits::default();
        let (language, content) = foveate_parse::read(Some(language), text, &limits);
        all.extend(facts::encode(language, content.as_ref()).unwrap());
    }
    let sum = xxhash_rust::xxh3::xxh3_64(&all);
    let known = (foveate_parse::VERSION, facts::FORMAT, format!("{sum:016x}"));
    assert_eq!(known, (25, 7, "2bff4870efbeeee7".to_owned()));
}

/// The same for the terms of a segment of the lexical index.
#[test]
fn segments_change_only_with_their_version() {
    let mut terms = Vec::new();
    let text = "getHTTPResponse max_length connections ARE Größe x2 don't 0x1F foo.bar-baz \
                修复parse normalise_colour";
    foveate_index::tokens::for_each_term(text, |term| terms.push(term.to_owned()));
    let known = (foveate_index::lexical::VERSION, terms.join(" "));
    let expected = "gethttpresponse get http respons max_length max length connect are größe x2 don \
                    0x1f foo bar baz 修复 pars normalise_colour normal color";
    assert_eq!(known, (3, expected.to_owned()));
}

const WEB: &str = "
//- web/base.ts
export default class Base { open(): Base { return this; } }
export const make = () => new Base();
//- web/pool.ts
import Base, { make as build } from './base';
export * from './base';
export class Pool extends Base {
  private own = build();
  open() { super.open(); return this.own.open(); }
}
//- web/pool.test.js
const { Pool } = require('./pool');
test('opens', () => { new Pool().open(); frobnicate_all(); });
//- app/models.py
from __future__ import annotations
from . import helpers as h
class Model(h.Mixin):
    def save_changes(self): return self.validate() or h.clean(self)
    def validate(self): return super().validate()
//- app/helpers.py
class Mixin:
    def validate(self): pass
def clean(model: Mixin): return model.validate()
//- app/__init__.py
from .models import Model
//- app/test_models.py
import app
def test_save_changes():
    model = app.Model()
    model.save_changes()
    with app.Model() as other: other.validate()
";

/// The same for resolved references and their stored form.
#[test]
fn references_change_only_with_their_version() {
    let snapshot = of_text(&format!("{SHOP}{WEB}"));
    let parts = snapshot.graph.stored_references().concat();
    let sum = xxhash_rust::xxh3::xxh3_64(&parts);
    let known = (
        references::VERSION,
        references::FORMAT,
        format!("{sum:016x}"),
    );
    assert_eq!(known, (15, 1, "ffe76dfee9a0e801".to_owned()));
}

/// The same for the index of past commits, which includes hashes of function names.
#[test]
fn commit_index_changes_only_with_its_version() {
    let touched = |path: &str, function: &str| Touched {
        path: RepoPath::new(path).unwrap(),
        functions: vec![function.into()],
    };
    let commit = |number: u8, message: &str, touched| Commit {
        id: ObjectId::from_sha1([number; 20]),
        message: message.to_owned(),
        is_bot: number == 3,
        touched,
    };
    let many = (0..41).map(|n| touched(&format!("{n}.py"), "f"));
    let commits = vec![
        commit(1, "Fixes #7: getHTTPResponse", vec![touched("a.py", "get")]),
        commit(
            2,
            "Größe",
            vec![touched("a.py", "get"), touched("b.py", "max")],
        ),
        commit(3, "Bump", vec![touched("a.py", "get")]),
        commit(4, "Move everything", many.collect()),
    ];
    let bytes = CommitIndex::new(&History { commits }).encode();
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes);
    let (version, format) = (CommitIndex::VERSION, CommitIndex::FORMAT);
    let known = (version, format, format!("{sum:016x}"));
    assert_eq!(known, (4, 1, "5ed059f858543070".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_or_damage_cause_resolving_references_again() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let restored = async |service: &Process| {
        service
            .repo_until("ready", |repo| repo["state"] == "ready")
            .await;
        equals_fresh_build(service, "shop", &root).await;
        service.metric("foveate_references_restored_total").await
    };
    let service = Process::start(&["env"], None);
    service.add(&root).await;
    let files = service.metric("foveate_repository_files").await;
    assert_eq!(restored(&service).await, 0.0, "nothing is stored yet");
    let service = Process::start_on(service.stop(), &["env"], None);
    assert_eq!(restored(&service).await, files);

    let data = service.stop();
    fs::write(
        root.join("shop/price.py"),
        "def total_price(items):\n    pass\n",
    )
    .unwrap();
    let service = Process::start_on(data, &["env"], None);
    assert_eq!(restored(&service).await, 0.0, "a file changed");
    let data = service.stop();
    let service = Process::start_on(data, &["env"], None);
    assert_eq!(restored(&service).await, files);

    let data = service.stop();
    let stored = data.path().join("index/shop/references.pack");
    let mut bytes = fs::read(&stored).unwrap();
    *bytes.last_mut().unwrap() ^= 4;
    fs::write(&stored, bytes).unwrap();
    let service = Process::start_on(data, &["env"], None);
    assert_eq!(restored(&service).await, 0.0, "one is damaged");
    let service = Process::start_on(service.stop(), &["env"], None);
    assert_eq!(restored(&service).await, files, "it is written again");
}

#[tokio::test(flavor = "multi_thread")]
async fn warm_revisions_stay_stored_until_collected() {
    let data = tempfile::tempdir().unwrap();
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "first");
    fs::write(
        root.join("shop/price.py"),
        "def total_price(items):\n    return 0\n",
    )
    .unwrap();
    commit(&root, "second");
    let app = TestApp::start_in(data.path(), None, |config| {
        config.storage.write_after_ms = 1
    })
    .await;
    app.add_git("shop", &root, None).await;
    let old = json!({"repo": "shop", "ref": first, "query": "`total_price`"});
    assert_eq!(
        app.post("/context", old.clone()).await.status,
        StatusCode::OK
    );
    app.end().await;

    let app = TestApp::start_on(data.path()).await;
    app.ready("shop").await;
    assert_eq!(
        app.post("/context", old.clone()).await.status,
        StatusCode::OK
    );
    assert_eq!(
        parsed_and_restored(&app).0,
        0,
        "neither revision is parsed again"
    );
    app.end().await;

    let app = TestApp::start_on(data.path()).await;
    app.repo_until("shop", |repo| repo["history"] == true).await;
    let before = app.get("/repos/shop").await.json()["disk"]["bytes"].as_u64();
    // The directory of a repository that is no longer registered.
    fs::create_dir(data.path().join("index/orphan")).unwrap();
    fs::write(data.path().join("index/orphan/facts.pack"), "1234").unwrap();
    let collected = app.post("/gc", json!({})).await;
    assert_eq!(collected.status, StatusCode::OK, "{}", collected.text);
    let freed = collected.json()["repos"].clone();
    assert!(freed["shop"].as_u64() > Some(0), "{}", collected.text);
    assert_eq!(freed["orphan"], 4);
    assert!(!data.path().join("index/orphan").exists());
    let after = app.get("/repos/shop").await.json()["disk"]["bytes"].as_u64();
    assert!(after < before);
    until("the old revision is read again", async || {
        let answer = app.post("/context", old.clone()).await;
        (answer.status == StatusCode::OK).then_some(())
    })
    .await;
    assert_eq!(
        parsed_and_restored(&app).0,
        1,
        "what only the old revision held was dropped"
    );
    app.end().await;
}
