//! Tests of the history, on small repositories made by git.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{OnceLock, Weak};

use parking_lot::Mutex;
use tempfile::TempDir;

use super::commit_metadata::{is_bot, is_informative, parse};
use super::*;
use crate::disk::{ContentStore, Entry, Key, MaxWaste, Pack};

struct Fixture {
    _keep: TempDir,
    root: PathBuf,
}

impl Fixture {
    fn new() -> Self {
        Self::with_ids("sha1")
    }

    fn with_ids(format: &str) -> Self {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&root).unwrap();
        let fixture = Self { _keep: keep, root };
        let format = format!("--object-format={format}");
        fixture.git(&["init", "-q", "-b", "main", &format]);
        fixture
    }

    fn git(&self, arguments: &[&str]) -> String {
        git_at(&self.root, arguments)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn load(&self, commit: &str, records: &CommitRecordCache) -> CommitHistory {
        load_at(&self.root, commit, records)
    }

    /// Returns the history of a commit as text, read without cached records.
    fn seen(&self, commit: &str) -> Vec<String> {
        shown(&self.load(commit, &CommitRecordCache::in_memory()))
    }
}

fn git_at(root: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .arg("-C")
        .arg(root)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn load_at(root: &Path, commit: &str, records: &CommitRecordCache) -> CommitHistory {
    load_step(root, commit, records, HistoryStep::Functions)
}

fn load_step(
    root: &Path,
    commit: &str,
    records: &CommitRecordCache,
    step: HistoryStep,
) -> CommitHistory {
    load_within(root, commit, records, (&HistoryLimits::default(), step))
}

fn load_within(
    root: &Path,
    commit: &str,
    records: &CommitRecordCache,
    (limits, step): (&HistoryLimits, HistoryStep),
) -> CommitHistory {
    let repo = GitRepo::open(root, &Arc::default()).unwrap();
    let stop = CancellationToken::new();
    repo.history(commit, limits, records, step, &stop).unwrap()
}

/// Formats commits as `subject: path(function …) …`, newest first.
fn shown(past: &CommitHistory) -> Vec<String> {
    let commits = past.history.commits.iter();
    commits
        .map(|commit| {
            let subject = commit.message.lines().next().unwrap_or_default();
            let touched = commit.touched.iter().map(|touched| {
                let functions: Vec<&str> = touched.functions.iter().map(|name| &**name).collect();
                format!(" {}({})", touched.path.as_str(), functions.join(" "))
            });
            format!("{subject}:{}", touched.collect::<String>())
        })
        .collect()
}

const CART: &str = "class Cart:\n    def add(self):\n        return 1\n\n    def total(self):\n        price = 1\n        return price\n";

#[test]
fn past_changes_are_listed_under_current_paths() {
    let f = Fixture::new();
    f.write("shop/cart.py", CART);
    f.commit("open");
    f.write("shop/cart.py", CART.replace("price = 1", "price = 2"));
    f.commit("fix total");
    f.git(&["mv", "shop/cart.py", "shop/basket.py"]);
    f.commit("rename once");
    f.git(&["mv", "shop/basket.py", "basket.py"]);
    f.write("basket.py", CART.replace("return 1", "return 3"));
    f.write("shop/cart.py", "def other():\n    pass\n");
    f.write("notes.md", "# Notes\n");
    let head = f.commit("rename twice");
    assert_eq!(
        f.seen(&head),
        [
            "rename twice: basket.py(add total) notes.md() shop/cart.py(other)",
            "rename once: basket.py()",
            "fix total: basket.py(total)",
            "open: basket.py(Cart add total)",
        ]
    );
}

/// The toy language is defined only in its own folder, like every language.
#[test]
fn functions_are_found_in_every_language() {
    let f = Fixture::new();
    let text =
        "class Cart\n  fun add(item: Item)\n    let price = 1\n    price.log()\n  end\nend\n";
    f.write("cart.toy", text);
    f.commit("open");
    f.write("cart.toy", text.replace("price.log", "price.print"));
    let commit = f.commit("say it");
    assert_eq!(
        f.seen(&commit),
        ["say it: cart.toy(add)", "open: cart.toy(Cart add)"]
    );
}

#[test]
fn plain_merges_are_omitted_and_odd_commits_kept() {
    let f = Fixture::new();
    f.write("a.py", "def a():\n    return 1\n");
    f.commit("first");
    f.git(&["checkout", "-q", "-b", "side"]);
    f.write("side.py", "def side():\n    return 1\n");
    f.commit("side");
    f.git(&["checkout", "-q", "main"]);
    f.write("a.py", "def a():\n    return 2\n");
    f.commit("second");
    f.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    f.git(&["revert", "--no-edit", "HEAD~1"]);
    f.commit("empty");
    for n in 0..201 {
        f.write(&format!("many/{n}.py"), format!("x = {n}\n"));
    }
    f.commit("import");
    f.git(&["mv", "many", "more"]);
    f.commit("move all");
    f.write("more/7.py", "x = 8\n");
    f.write("bad.txt", b"\xff");
    f.git(&["add", "-A"]);
    std::fs::write(f.root.join(".git/message"), b"caf\xe9\n").unwrap();
    f.git(&["commit", "-q", "-F", ".git/message"]);
    f.git(&[
        "-c", "user.name=dependabot[bot]", "commit", "-q", "--allow-empty", "-m", "bump",
    ]);
    let past = f.load("HEAD", &CommitRecordCache::in_memory());
    let mut seen = shown(&past);
    seen[6..].sort();
    assert_eq!(
        seen,
        [
            "bump:", "café: bad.txt() more/7.py()", "move all:", "import:", "empty:",
            "Revert \"second\": a.py(a)",
        ]
        .into_iter()
        .chain(["first: a.py(a)", "second: a.py(a)", "side: side.py(side)"])
        .collect::<Vec<_>>()
    );
    let commits = &past.history.commits;
    assert!(commits[0].is_bot && !commits[1].is_bot);
}

#[test]
fn informative_merge_is_kept_beside_its_commits() {
    let f = Fixture::new();
    f.write("a.py", "def a():\n    return 1\n");
    f.commit("first");
    f.git(&["checkout", "-q", "-b", "side"]);
    f.write("b.py", "def b():\n    return 1\n");
    f.commit("wip");
    f.write("c.py", "def c():\n    return 1\n");
    f.commit("typo");
    f.git(&["checkout", "-q", "main"]);
    f.write("a.py", "def a():\n    return 2\n");
    f.commit("second");
    let message = "Merge pull request #12 from ada/side\n\nClose the shop at night";
    f.git(&["merge", "-q", "--no-ff", "-m", message, "side"]);
    let mut seen = f.seen("HEAD");
    assert!(seen[0].starts_with("Merge pull request #12"), "{}", seen[0]);
    assert!(seen[0].ends_with(": b.py(b) c.py(c)"), "{}", seen[0]);
    seen[1..].sort();
    assert_eq!(
        seen[1..],
        [
            "first: a.py(a)", "second: a.py(a)", "typo: c.py(c)", "wip: b.py(b)"
        ]
    );
}

#[test]
fn merge_message_is_informative_only_with_own_text() {
    for idle in [
        "Merge branch 'a' into b",
        "merge",
        "Merge a\n\nConflicts:\n\ta.py",
        "Merged\n\n# x",
    ] {
        assert!(!is_informative(idle), "{idle}");
    }
    assert!(is_informative(
        "Merge pull request #1 from a/b\n\nFix the shop"
    ));
    assert!(is_informative("Fix the shop (#1)"));
}

#[test]
fn history_of_sha256_repository_is_read() {
    let f = Fixture::with_ids("sha256");
    f.write("a.py", CART);
    f.commit("one");
    let path = f.root.with_file_name("history.pack");
    for _ in 0..2 {
        let past = f.load("HEAD", &stored_at(&path));
        assert_eq!(shown(&past), ["one: a.py(Cart add total)"]);
    }
}

#[test]
fn renames_of_large_commits_are_followed() {
    let f = Fixture::new();
    for n in 0..201 {
        f.write(&format!("many/{n}.py"), format!("x = {n}\n"));
    }
    f.commit("import");
    f.write("many/7.py", "x = 7\ny = 7\n");
    f.commit("change");
    f.git(&["mv", "many", "more"]);
    f.commit("move");
    assert_eq!(f.seen("HEAD")[1], "change: more/7.py()");
}

#[test]
fn only_ancestors_are_included_whatever_is_cached() {
    let f = Fixture::new();
    f.write("a.py", CART);
    f.commit("before");
    let asked = f.commit("asked");
    let alone = f.seen(&asked);
    f.git(&["checkout", "-q", "-b", "side"]);
    f.git(&["mv", "a.py", "side.py"]);
    f.commit("fix on a branch");
    f.git(&["checkout", "-q", "main"]);
    f.git(&["mv", "a.py", "b.py"]);
    f.write("b.py", CART.replace("return 1", "return 2"));
    f.commit("fix after");
    f.git(&["merge", "-q", "-s", "ours", "-m", "merge", "side"]);
    f.commit("later");
    let records = CommitRecordCache::in_memory();
    let later = shown(&f.load("HEAD", &records));
    assert!(later.iter().any(|line| line.starts_with("fix on a branch")));
    assert!(later.iter().any(|line| line.starts_with("before: b.py")));
    let read = records.read_count();
    assert_eq!(shown(&f.load(&asked, &records)), alone);
    assert_eq!(alone, ["asked:", "before: a.py(Cart add total)"]);
    assert_eq!(records.read_count(), read, "everything was read before");
}

#[test]
fn functions_beyond_limit_are_omitted_even_if_cached() {
    let f = Fixture::new();
    f.write("a.py", CART);
    let old = f.commit("old");
    f.write("a.py", CART.replace("return 1", "return 2"));
    let new = f.commit("new");
    let limits = HistoryLimits {
        function_commits: 1,
        ..HistoryLimits::default()
    };
    let records = CommitRecordCache::in_memory();
    let seen = |commit: &str| {
        let past = load_within(&f.root, commit, &records, (&limits, HistoryStep::Functions));
        shown(&past)
    };
    assert_eq!(seen(&new), ["new: a.py(add)", "old: a.py()"]);
    assert_eq!(seen(&old), ["old: a.py(Cart add total)"]);
    assert_eq!(seen(&new), ["new: a.py(add)", "old: a.py()"]);
}

#[test]
fn commits_at_shallow_edge_have_no_files() {
    let f = Fixture::new();
    f.write("a.py", CART);
    f.commit("one");
    f.write("b.py", "def b():\n    pass\n");
    f.commit("two");
    f.write("a.py", CART.replace("return 1", "return 2"));
    f.commit("three");
    let url = format!("file://{}", f.root.display());
    let clone = f.root.with_file_name("clone");
    let clone = clone.to_str().unwrap();
    f.git(&["clone", "-q", "--depth", "2", &url, clone]);
    let (clone, records) = (Path::new(clone), CommitRecordCache::in_memory());
    let seen = || shown(&load_at(clone, "HEAD", &records));
    assert_eq!(seen(), ["three: a.py(add)", "two:"]);
    git_at(clone, &["fetch", "-q", "--unshallow"]);
    assert_eq!(seen()[1], "two: b.py(b)", "known as soon as it can be");
}

#[test]
fn records_in_use_are_not_evicted() {
    let id = |n: usize| ObjectId::from_hex(&format!("{n:040x}")).unwrap();
    let commits = |range: Range<usize>| range.map(id).collect::<Vec<_>>();
    let add = |records: &CommitRecordCache, commits: &[ObjectId]| {
        let missing = records.without_touched_files(commits);
        records.add_touched_files(
            missing
                .into_iter()
                .map(|id| (id, TouchedFiles::default()))
                .collect(),
        );
    };
    let records = CommitRecordCache::in_memory();
    let old = commits(0..4000);
    let reading = records.begin(0, old.len());
    add(&records, &old);
    drop(reading);
    // Another revision of the repository uses the same records; three others begin and end meanwhile.
    let reading = records.begin(0, old.len());
    assert!(records.without_touched_files(&old).is_empty());
    for n in 1..4 {
        let _other = records.begin(0, old.len());
        add(&records, &commits(4000 * n..4000 * (n + 1)));
    }
    assert!(records.find(&old).iter().all(Option::is_some));
    drop(reading);
    // Nothing uses them any more, so they are evicted.
    for n in 4..7 {
        let _other = records.begin(0, old.len());
        add(&records, &commits(4000 * n..4000 * (n + 1)));
    }
    assert!(records.find(&old).iter().all(Option::is_none));
}

fn stored_at(path: &Path) -> CommitRecordCache {
    CommitRecordCache::stored(Some(Arc::new(Pack::open(path.to_owned(), 1))))
}

#[test]
fn stored_records_survive_restart_and_damage() {
    let f = Fixture::new();
    f.write("a.py", CART);
    f.commit("one");
    f.write("a.py", CART.replace("return 1", "return 2"));
    f.commit("two");
    let path = f.root.with_file_name("history.pack");
    let fresh = || stored_at(&path);
    let records = fresh();
    let first = shown(&f.load("HEAD", &records));
    assert_eq!(records.read_count(), 4, "files and functions of each");

    let records = fresh();
    assert_eq!(shown(&f.load("HEAD", &records)), first);
    assert_eq!(records.read_count(), 0, "all of it was kept");
    f.write("b.py", "def b():\n    pass\n");
    f.commit("three");
    f.load("HEAD", &records);
    assert_eq!(records.read_count(), 2, "the new one alone");

    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&path, bytes).unwrap();
    let records = fresh();
    assert_eq!(shown(&f.load("HEAD", &records))[1..], first);
    let again = records.read_count();
    assert!((1..=6).contains(&again), "what was damaged alone: {again}");
    let records = fresh();
    f.load("HEAD", &records);
    assert_eq!(records.read_count(), 0, "the damage is repaired");
}

/// A store whose writes fail while `is_full`.
#[derive(Debug)]
struct FullStore {
    pack: Pack,
    is_full: AtomicBool,
}

impl FullStore {
    fn check(&self) -> io::Result<()> {
        match self.is_full.load(Ordering::Relaxed) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }
}

impl ContentStore for FullStore {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.pack.get(key)
    }

    fn contains(&self, key: &[u8]) -> bool {
        self.pack.contains(key)
    }

    fn keys(&self) -> Vec<Key> {
        self.pack.keys()
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn put_all(&self, entries: &mut dyn Iterator<Item = Entry>) -> io::Result<()> {
        self.check()?;
        self.pack.put_all(entries)
    }

    fn retain(&self, max_waste: MaxWaste, is_wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<u64> {
        self.check()?;
        self.pack.retain(max_waste, is_wanted)
    }
}

#[test]
fn records_that_a_full_disk_refused_are_stored_later() {
    let f = Fixture::new();
    f.write("a.py", CART);
    f.commit("one");
    let path = f.root.with_file_name("history.pack");
    let store = Arc::new(FullStore {
        pack: Pack::open(path.clone(), 1),
        is_full: AtomicBool::new(true),
    });
    let records = CommitRecordCache::stored(Some(store.clone()));
    f.load("HEAD", &records);
    store.is_full.store(false, Ordering::Relaxed);
    f.write("b.py", CART);
    f.commit("two");
    let first = shown(&f.load("HEAD", &records));
    drop((records, store));

    let records = stored_at(&path);
    assert_eq!(shown(&f.load("HEAD", &records)), first);
    assert_eq!(records.read_count(), 0, "both commits are stored");
}

/// A store that notes the progress of its records at every write.
#[derive(Debug)]
struct ProgressStore {
    pack: Pack,
    records: OnceLock<Weak<CommitRecordCache>>,
    seen: Mutex<Vec<(usize, usize)>>,
}

impl ContentStore for ProgressStore {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.pack.get(key)
    }

    fn contains(&self, key: &[u8]) -> bool {
        self.pack.contains(key)
    }

    fn keys(&self) -> Vec<Key> {
        self.pack.keys()
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn put_all(&self, entries: &mut dyn Iterator<Item = Entry>) -> io::Result<()> {
        let records = self.records.get().and_then(Weak::upgrade).unwrap();
        self.seen.lock().push(records.progress());
        self.pack.put_all(entries)
    }

    fn retain(&self, max_waste: MaxWaste, is_wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<u64> {
        self.pack.retain(max_waste, is_wanted)
    }
}

#[test]
fn progress_counts_functions_before_their_batch_is_recorded() {
    let f = Fixture::new();
    for n in 0..3 {
        f.write("a.py", CART.replace("return 1", &format!("return {n}")));
        f.commit("change");
    }
    let store = Arc::new(ProgressStore {
        pack: Pack::open(f.root.with_file_name("history.pack"), 1),
        records: OnceLock::new(),
        seen: Mutex::default(),
    });
    let records = Arc::new(CommitRecordCache::stored(Some(store.clone())));
    store.records.set(Arc::downgrade(&records)).unwrap();
    f.load("HEAD", &records);
    // The functions of the last commit are complete only when git has ended.
    let functions = store.seen.lock().last().copied();
    assert_eq!(functions, Some((3 + 2, 6)));
    assert_eq!(records.progress(), (6, 6));
}

#[test]
fn missing_blob_leaves_files_without_functions() {
    let f = Fixture::new();
    f.write("a.py", CART);
    f.commit("one");
    let blob = f.git(&["rev-parse", "HEAD:a.py"]);
    f.write("a.py", CART.replace("return 1", "return 2"));
    f.commit("two");
    f.write("b.py", "def b():\n    return 1\n");
    f.commit("three");
    f.write("b.py", "def b():\n    return 2\n");
    f.commit("four");
    let object = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
    std::fs::remove_file(f.root.join(object)).unwrap();
    let records = CommitRecordCache::in_memory();
    let past = f.load("HEAD", &records);
    let expected = [
        "four: b.py(b)", "three: b.py(b)", "two: a.py()", "one: a.py()",
    ];
    assert_eq!(shown(&past), expected);
    assert_eq!(past.functions, TouchedFunctions::Read, "but for a few");
    assert!(!records.may_warn(), "it was said");
}

#[test]
fn partial_clone_has_files_without_functions() {
    let f = Fixture::new();
    for n in 0..40 {
        f.write("a.py", format!("def a():\n    return {n}\n"));
        f.commit(&format!("change {n}"));
    }
    f.git(&["mv", "a.py", "b.py"]);
    f.write("b.py", "def a():\n    return 'b'\n");
    f.commit("rename");
    f.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", f.root.display());
    let clone = f.root.with_file_name("clone");
    let clone = clone.to_str().unwrap();
    f.git(&["clone", "-q", "--bare", "--filter=blob:none", &url, clone]);
    let records = CommitRecordCache::in_memory();
    let past = load_at(Path::new(clone), "HEAD", &records);
    assert_eq!(past.functions, TouchedFunctions::Unreadable);
    let seen = shown(&past);
    assert_eq!(seen.len(), 41);
    assert_eq!(seen[1], "change 39: a.py()");
    assert!(!records.may_warn(), "it was said");
}

#[test]
fn many_functions_are_read_after_files() {
    let f = Fixture::new();
    f.write("a.py", "def a():\n    return 0\n");
    f.commit("first");
    let mut stream = String::new();
    for n in 1..=MAX_EARLY_FUNCTIONS {
        let text = format!("def a():\n    return {n}\n");
        stream += &format!(
            "commit refs/heads/main\ncommitter A <a@b.c> {} +0000\ndata 1\nx\n{}M 100644 inline a.py\ndata {}\n{text}\n",
            1_700_000_000 + n,
            if n == 1 {
                "from refs/heads/main^0\n"
            } else {
                ""
            },
            text.len(),
        );
    }
    let path = f.root.join(".git/stream");
    std::fs::write(&path, stream).unwrap();
    let import = Command::new("git")
        .arg("-C")
        .arg(&f.root)
        .args(["fast-import", "--quiet"])
        .stdin(std::fs::File::open(path).unwrap())
        .status();
    assert!(import.unwrap().success());
    let records = CommitRecordCache::in_memory();
    let past = load_step(&f.root, "main", &records, HistoryStep::Files);
    assert_eq!(past.functions, TouchedFunctions::Reading);
    assert_eq!(shown(&past)[0], "x: a.py()");
    let past = load_step(&f.root, "main", &records, HistoryStep::Functions);
    assert_eq!(past.functions, TouchedFunctions::Read);
    assert_eq!(shown(&past)[0], "x: a.py(a)");
    assert_eq!(records.read_count(), 2 * (MAX_EARLY_FUNCTIONS + 1));
}

#[test]
fn history_is_limited_to_opened_directory() {
    let f = Fixture::new();
    f.write("shop/cart.py", CART);
    f.write("other.py", "x = 1\n");
    f.commit("both");
    f.write("other.py", "x = 2\n");
    f.commit("other");
    let repo = GitRepo::discover(&f.root.join("shop"), &Arc::default())
        .unwrap()
        .unwrap();
    let (limits, stop) = (HistoryLimits::default(), CancellationToken::new());
    let records = CommitRecordCache::in_memory();
    let past = repo.history("HEAD", &limits, &records, HistoryStep::Functions, &stop);
    assert_eq!(shown(&past.unwrap()), ["both: cart.py(Cart add total)"]);
}

#[test]
fn repository_settings_neither_run_programs_nor_change_history() {
    let f = Fixture::new();
    f.write("a.py", CART);
    f.write(
        ".gitattributes",
        "*.py diff=evil filter=evil -text binary\n",
    );
    f.commit("one");
    f.write("a.py", CART.replace("return 1", "return 2"));
    f.commit("two");
    let before = f.seen("HEAD");
    let mark = f.root.with_file_name("executed");
    let program = format!("touch {}", mark.display());
    std::fs::write(f.root.join(".git/info/attributes"), "*.py diff=evil\n").unwrap();
    for (key, value) in [
        ("diff.evil.command", program.as_str()),
        ("diff.evil.textconv", &program),
        ("filter.evil.smudge", &program),
        ("filter.evil.clean", &program),
        ("diff.external", &program),
        ("diff.renames", "false"),
        ("diff.noprefix", "true"),
        ("diff.context", "9"),
        ("color.ui", "always"),
        ("log.showRoot", "false"),
        ("log.follow", "true"),
        ("core.attributesFile", "/dev/null"),
    ] {
        f.git(&["config", key, value]);
    }
    let after = f.seen("HEAD");
    assert!(!mark.exists());
    assert_eq!(before[0], "two: a.py(add)");
    assert_eq!(
        after[1], before[1],
        "only patterns of the owner's own file may differ"
    );
}

#[test]
fn reading_history_ends_on_stop_and_timeout() {
    let f = Fixture::new();
    f.commit("one");
    let repo = GitRepo::open(&f.root, &Arc::default()).unwrap();
    let stop = CancellationToken::new();
    stop.cancel();
    let run = |limits: HistoryLimits, stop: &CancellationToken| {
        let records = CommitRecordCache::in_memory();
        repo.history("HEAD", &limits, &records, HistoryStep::Functions, stop)
    };
    let stopped = run(HistoryLimits::default(), &stop);
    assert!(matches!(stopped, Err(GitError::Cancelled(_))));
    let limits = HistoryLimits {
        timeout: Duration::ZERO,
        ..HistoryLimits::default()
    };
    let late = run(limits, &CancellationToken::new());
    assert!(matches!(late, Err(GitError::Timeout { .. })));
}

#[test]
fn message_of_invalid_utf8_is_decoded_and_truncated() {
    let commit = &b"\nA\xff\na@b.c\ncaf\xe9 noir\n"[..];
    let piece = [&b"\n"[..], &[b'1'; 40], commit].concat();
    let first = parse(&piece, 5).unwrap();
    assert_eq!(first.message, "caf");
    let whole = parse(&piece, 99).unwrap();
    assert_eq!(whole.message, "caf\u{fffd} noir");
}

#[test]
fn bots_are_recognized_by_name() {
    for (name, email) in [
        ("renovate[bot]", "x@y.z"),
        ("x", "49699333+dependabot[bot]@users.noreply.github.com"),
        ("x", "bot@pyup.io"),
        ("pyup-bot", "a@b.c"),
        ("pre-commit-ci", "a@b.c"),
    ] {
        assert!(is_bot(name, email), "{name} {email}");
    }
    assert!(!is_bot("Ada Abbot", "abbot@example.org"));
}
