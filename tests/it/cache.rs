//! Tests the cache of `foveate context`: later runs give the same answer without reading cached data again, after
//! any change, with concurrent runs, and after a killed run.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::app::{SHOP, TIMEOUT, commit, git, tree};

const QUERY: &str = "`total_price` of a Cart.checkout is wrong since the first gift";

/// A repository, and a cache directory for runs of `foveate context` on it.
struct Runs {
    cache: TempDir,
    _keep: TempDir,
    root: PathBuf,
}

impl Runs {
    /// Creates the shop with two commits, and an empty cache.
    fn new() -> Self {
        let (keep, root) = tree(SHOP);
        commit(&root, "Open the shop");
        write(&root, "shop/gift.py", "def wrap(item):\n    return item\n");
        commit(&root, "The first gift, total_price is not asked");
        let cache = tempfile::tempdir().unwrap();
        Self {
            cache,
            _keep: keep,
            root,
        }
    }

    fn command(&self, directory: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
        command
            .args(["context", directory.to_str().unwrap(), QUERY])
            .args(more)
            .env_remove("FOVEATE_NO_CACHE")
            .env_remove("FOVEATE_CACHE_MAX_BYTES")
            .env("FOVEATE_CACHE_DIR", self.cache.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs `foveate context` on a directory; returns the answer without timings, and standard error.
    fn answer_for(&self, directory: &Path, more: &[&str]) -> (Value, String) {
        parse_output(
            &self
                .command(directory, &[&["--json"], more].concat())
                .output()
                .unwrap(),
        )
    }

    fn answer(&self, more: &[&str]) -> (Value, String) {
        self.answer_for(&self.root, more)
    }

    /// Runs twice, and asserts that both runs print the same as one with `--no-cache`. Returns that answer.
    fn assert_equals_uncached(&self, more: &[&str], what: &str) -> Value {
        let wanted = self.answer(&[&["--no-cache"], more].concat());
        for round in ["first", "second"] {
            assert_eq!(self.answer(more), wanted, "{round} run: {what}");
        }
        wanted.0
    }

    /// The files of all cache entries.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache.path()).unwrap();
        let entries = entries.map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.is_dir()).flat_map(|entry| {
            let files = fs::read_dir(entry).unwrap();
            files.map(|file| file.unwrap().path())
        });
        files.collect()
    }

    fn cache_command(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_foveate"))
            .arg("cache")
            .args(arguments)
            .env("FOVEATE_CACHE_DIR", self.cache.path())
            .output()
            .unwrap()
    }

    fn listed(&self) -> Vec<String> {
        let output = self.cache_command(&["list", "--json"]);
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        let repositories = list["repositories"].as_array().unwrap().iter();
        repositories
            .map(|entry| {
                assert!(entry["bytes"].as_u64() > Some(0) && entry["last_used"].as_u64() > Some(0));
                entry["repository"].as_str().unwrap().to_owned()
            })
            .collect()
    }
}

fn parse_output(output: &Output) -> (Value, String) {
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer
        .as_object_mut()
        .unwrap()
        .remove("timings_ms")
        .unwrap();
    (answer, stderr)
}

fn write(root: &Path, path: &str, text: &str) {
    fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
    fs::write(root.join(path), text).unwrap();
}

/// Creates a program `git` that runs `script` and then the real git. Returns the `PATH` that leads to it.
fn path_with_git_wrapper(script: &str) -> (TempDir, String) {
    let path = std::env::var("PATH").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("git");
    let text = format!("#!/bin/sh\n{script}\nPATH='{path}' exec git \"$@\"\n");
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{path}", directory.path().display());
    (directory, path)
}

#[test]
fn second_run_reads_neither_log_nor_files_from_git() {
    let runs = Runs::new();
    let bare_keep = tempfile::tempdir().unwrap();
    let bare = bare_keep.path().join("shop.git");
    git(
        &runs.root,
        &["clone", "-q", "--bare", ".", bare.to_str().unwrap()],
    );
    let calls = runs.cache.path().join("calls");
    let (_git, path) = path_with_git_wrapper(&format!("echo \" $* \" >> '{}'", calls.display()));
    for (directory, more) in [
        (&runs.root, &[][..]),
        (&runs.root, &["--ref", "HEAD~1"]),
        (&bare, &["--ref", "main"]),
    ] {
        let calls_of = |more: &[&str]| {
            let _ = fs::remove_file(&calls);
            let mut command = runs.command(directory, &[&["--json"], more].concat());
            let said = parse_output(&command.env("PATH", &path).output().unwrap());
            (said, fs::read_to_string(&calls).unwrap())
        };
        let (wanted, _) = calls_of(&[&["--no-cache"], more].concat());
        let (first, asked) = calls_of(more);
        assert!(asked.contains(" log "), "{asked}");
        let (second, asked) = calls_of(more);
        assert!(
            !asked.contains(" log ") && !asked.contains(" cat-file "),
            "{asked}"
        );
        assert!(!asked.contains(" ls-tree -r -z --name-only"), "{asked}");
        assert_eq!((&first, &second), (&wanted, &wanted), "{more:?}");
        // The output without `--json` is the same, too.
        let shown = |more: &[&str]| {
            let output = runs.command(directory, more).output().unwrap();
            (output.stdout, output.stderr)
        };
        assert_eq!(shown(more), shown(&[&["--no-cache"], more].concat()));
    }
}

#[test]
fn changes_are_detected_despite_the_cache() {
    let runs = Runs::new();
    let root = &runs.root;
    runs.assert_equals_uncached(&[], "nothing changed");
    type Change<'a> = (&'a str, &'a dyn Fn(&Path));
    let changes: [Change<'_>; 8] = [
        ("an edit", &|root| {
            write(
                root,
                "shop/price.py",
                "def total_price(items, gift=None):\n    return 7\n",
            );
        }),
        ("a new file", &|root| {
            write(root, "shop/tax.py", "from shop.price import total_price\n");
        }),
        ("a file of the same size at the same time", &|root| {
            let path = root.join("shop/tax.py");
            let written = path.metadata().unwrap().modified().unwrap();
            write(root, "shop/tax.py", "from shop.price import total_prize\n");
            let file = fs::File::options().append(true).open(path).unwrap();
            file.set_modified(written).unwrap();
        }),
        ("a file that is gone", &|root| {
            fs::remove_file(root.join("shop/gift.py")).unwrap()
        }),
        ("a commit", &|root| {
            drop(commit(root, "Taxes on total_price"))
        }),
        ("a branch", &|root| {
            git(root, &["checkout", "-q", "-b", "side", "HEAD~1"]);
            write(root, "shop/side.py", "def total_price():\n    pass\n");
            commit(root, "A side total_price");
        }),
        ("the branch from before", &|root| {
            drop(git(root, &["checkout", "-q", "main"]))
        }),
        ("a branch that was moved", &|root| {
            drop(git(root, &["reset", "-q", "--hard", "side"]))
        }),
    ];
    for (what, change) in changes {
        change(root);
        let before = runs.assert_equals_uncached(&["--ref", "HEAD~1"], what);
        let now = runs.assert_equals_uncached(&[], what);
        assert_ne!(before["commit"], Value::Null);
        assert_ne!(before["commit"], now["commit"]);
    }
    assert_eq!(runs.listed(), [root.to_str().unwrap()]);
}

#[test]
fn concurrent_runs_give_the_same_answer() {
    let (runs, other) = (Runs::new(), Runs::new());
    let wanted = [&runs, &other].map(|runs| runs.answer(&["--no-cache"]));
    for round in 0..3 {
        let mut children = Vec::new();
        for number in 0..8 {
            let of = number % 2;
            let root = [&runs, &other][of].root.as_path();
            let mut command = runs.command(root, &["--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            children.push((of, command.spawn().unwrap()));
        }
        for (of, child) in children {
            let said = parse_output(&child.wait_with_output().unwrap());
            assert_eq!(said, wanted[of], "round {round}");
        }
        write(
            &runs.root,
            "shop/price.py",
            &format!("def total_price():\n    return {round}\n"),
        );
        let changed = runs.answer(&["--no-cache"]);
        assert_eq!(runs.answer(&[]), changed);
        git(&runs.root, &["checkout", "-q", "--", "."]);
    }
}

#[test]
fn cache_survives_kills_and_damage() {
    let runs = Runs::new();
    let wanted = runs.answer(&["--no-cache"]);
    let start = Instant::now();
    runs.answer(&[]);
    let whole = start.elapsed();
    for part in 0..8 {
        // Start with an empty cache, so that there is much to write.
        assert!(runs.cache_command(&["clear"]).status.success());
        let mut child = runs
            .command(&runs.root, &[])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + whole * part / 7;
        while Instant::now() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(runs.answer(&[]), wanted, "killed after {part} sevenths");
        assert_eq!(runs.answer(&[]), wanted);
    }
    let files = runs.files();
    assert!(files.len() >= 6, "{files:?}");
    for path in files {
        let good = fs::read(&path).unwrap();
        let damaged = |at: usize| {
            let mut bytes = good.clone();
            bytes[at] ^= 0x20;
            bytes
        };
        let (half, last) = (good.len() / 2, good.len() - 1);
        // Truncated, corrupted, of another format version.
        for bytes in [good[..half].to_vec(), damaged(last), damaged(17.min(last))] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(runs.answer(&[]), wanted, "{}", path.display());
        }
    }
    assert_eq!(runs.answer(&[]), wanted);
}

#[test]
fn unwritable_cache_gives_an_answer_and_one_note() {
    let runs = Runs::new();
    let wanted = runs.answer(&["--no-cache"]).0;
    let file = runs.cache.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("cache");
    for _ in 0..2 {
        let (answer, notes) = runs.answer(&["--cache-dir", below.to_str().unwrap()]);
        assert_eq!(answer, wanted);
        assert_eq!(notes.matches("cache: cannot").count(), 1, "{notes}");
        assert!(
            notes.contains("--cache-dir") && notes.lines().count() == 1,
            "{notes}"
        );
    }
    let nowhere = runs
        .command(&runs.root, &["--json"])
        .env_remove("FOVEATE_CACHE_DIR")
        .env_remove("XDG_CACHE_HOME")
        .env_remove("HOME")
        .output()
        .unwrap();
    let (answer, notes) = parse_output(&nowhere);
    assert_eq!(answer, wanted);
    assert!(notes.contains("HOME"), "{notes}");
    assert_eq!(runs.files(), Vec::<PathBuf>::new());

    // A directory is in the place of a cache file.
    runs.answer(&[]);
    let pack = runs
        .files()
        .into_iter()
        .find(|path| path.ends_with("facts.pack"))
        .unwrap();
    fs::remove_file(&pack).unwrap();
    fs::create_dir(&pack).unwrap();
    let (answer, notes) = runs.answer(&[]);
    assert_eq!(answer, wanted);
    assert_eq!(notes.matches("cache: cannot").count(), 1, "{notes}");
}

#[test]
fn cache_directory_follows_settings_and_is_private() {
    let runs = Runs::new();
    let run = |variables: &[(&str, &Path)], more: &[&str]| {
        let mut command = runs.command(&runs.root, more);
        for name in ["FOVEATE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        assert_eq!(command.output().unwrap().status.code(), Some(0));
    };
    let at = |name: &str| runs.cache.path().join(name);
    let (home, xdg, own) = (at("home"), at("xdg"), at("own"));
    fs::create_dir(&home).unwrap();
    let relative = Path::new("relative");
    run(&[("HOME", &home), ("XDG_CACHE_HOME", relative)], &[]);
    run(&[("HOME", &home), ("XDG_CACHE_HOME", &xdg)], &[]);
    run(
        &[("XDG_CACHE_HOME", &xdg), ("FOVEATE_CACHE_DIR", &own)],
        &["--cache-dir", at("named").to_str().unwrap()],
    );
    run(
        &[
            ("FOVEATE_CACHE_DIR", &own),
            ("FOVEATE_NO_CACHE", Path::new("1")),
        ],
        &[],
    );
    assert!(!own.exists(), "--cache-dir and no cache at all come first");
    run(
        &[("XDG_CACHE_HOME", &xdg), ("FOVEATE_CACHE_DIR", &own)],
        &[],
    );
    for cache in [
        home.join(".cache/foveate"),
        xdg.join("foveate"),
        at("named"),
        own,
    ] {
        let mut seen = 0;
        let mut directories = vec![cache];
        while let Some(directory) = directories.pop() {
            assert_eq!(mode(&directory), 0o700, "{}", directory.display());
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                seen += 1;
                if path.is_dir() {
                    directories.push(path);
                } else {
                    assert_eq!(mode(&path), 0o600, "{}", path.display());
                }
            }
        }
        assert!(seen > 5);
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn cache_inside_the_repository_is_not_indexed() {
    let runs = Runs::new();
    let wanted = runs.answer(&["--no-cache"]).0;
    let inside = runs.root.join("kept");
    for more in [&[][..], &[], &["--no-cache"]] {
        let more = [&["--cache-dir", inside.to_str().unwrap()], more].concat();
        assert_eq!(runs.answer(&more).0, wanted);
    }
    assert!(inside.exists());
}

#[test]
fn cache_is_bounded_listed_and_cleared() {
    let (runs, other) = (Runs::new(), Runs::new());
    let (root, others) = (runs.root.to_str().unwrap(), other.root.to_str().unwrap());
    runs.answer(&[]);
    runs.answer_for(&other.root, &[]);
    assert_eq!(runs.listed(), [others, root], "the last one first");
    let list = runs.cache_command(&["list"]);
    let list = String::from_utf8(list.stdout).unwrap();
    assert!(
        list.contains(root) && list.contains("ago") && list.contains("KiB"),
        "{list}"
    );

    let size: u64 = runs
        .files()
        .iter()
        .map(|path| path.metadata().unwrap().len())
        .sum();
    let room_for_one = (size * 3 / 4).to_string();
    runs.answer(&["--cache-max-bytes", &room_for_one]);
    assert_eq!(runs.listed(), [root]);
    runs.answer(&["--cache-max-bytes", "0"]);
    assert_eq!(runs.listed(), Vec::<String>::new());

    runs.answer(&[]);
    runs.answer_for(&other.root, &[]);
    let lock = runs
        .files()
        .into_iter()
        .find(|path| fs::read(path).unwrap() == root.as_bytes());
    let lock = fs::File::options().write(true).open(lock.unwrap()).unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(31 * 86_400);
    lock.set_modified(long_ago).unwrap();
    runs.answer_for(&other.root, &[]);
    assert_eq!(runs.listed(), [others], "nobody asked for a month");

    runs.answer(&[]);
    let output = runs.cache_command(&["clear", "/no/such/shop"]);
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.starts_with("/no/such/shop is not in the cache"),
        "{told}"
    );
    assert_eq!(runs.listed(), [root, others]);
    let output = runs.cache_command(&["clear", others]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("removed 1 repository"));
    assert_eq!(runs.listed(), [root]);
    fs::write(runs.cache.path().join("note.txt"), "mine").unwrap();
    // The second time there is nothing left to remove.
    for _ in 0..2 {
        assert!(runs.cache_command(&["clear"]).status.success());
        assert_eq!(runs.listed(), Vec::<String>::new());
    }
    assert!(runs.cache.path().join("note.txt").exists());
}

/// Adds `count` commits, each of which changes one function.
fn add_commits(root: &Path, count: usize) {
    let mut stream = String::new();
    for n in 1..=count {
        let text = format!("def parcel():\n    return {n}\n");
        let from = if n == 1 {
            "from refs/heads/main^0\n"
        } else {
            ""
        };
        stream += &format!(
            "commit refs/heads/main\ncommitter A <a@b.c> {} +0000\ndata 6\nparcel\n{from}M 100644 inline shop/parcel.py\ndata {}\n{text}\n",
            1_700_000_000 + n,
            text.len(),
        );
    }
    let path = root.join(".git/stream");
    fs::write(&path, stream).unwrap();
    let mut import = Command::new("git");
    import.arg("-C").arg(root).args(["fast-import", "--quiet"]);
    assert!(
        import
            .stdin(fs::File::open(path).unwrap())
            .status()
            .unwrap()
            .success()
    );
    git(root, &["reset", "-q", "--hard"]);
}

#[test]
fn touched_functions_load_on_request_and_stay_cached() {
    let runs = Runs::new();
    add_commits(&runs.root, 301);
    let is_loading = |answer: &Value| {
        let issues = answer["issues"].to_string();
        issues.contains("history_loading") && issues.contains("run once with `--wait-history`")
    };
    let files_alone = runs.assert_equals_uncached(&[], "files alone");
    assert!(is_loading(&files_alone));
    let whole = runs.answer(&["--no-cache", "--wait-history"]).0;
    assert!(!is_loading(&whole));
    assert_eq!(runs.answer(&["--wait-history"]).0, whole);
    assert_eq!(runs.answer(&[]).0, whole, "they are there now");
    // The functions of new commits are read at once if the commits are few.
    add_commits(&runs.root, 20);
    let more = runs.answer(&["--no-cache", "--wait-history"]).0;
    assert_eq!(runs.answer(&[]).0, more);
    assert_eq!(
        runs.answer(&["--ref", "HEAD~20"]).0["issues"],
        whole["issues"]
    );
    // Functions of commits count for all commits or for none: with this many new commits for none, cache or not.
    add_commits(&runs.root, 301);
    runs.assert_equals_uncached(&[], "files alone, once more");
}

#[test]
fn long_first_run_reports_progress() {
    let runs = Runs::new();
    let go_on = runs.cache.path().join("go on");
    let wait = format!(
        "case \" $* \" in *' log '*) n=0; while [ ! -e '{}' ] && [ $n -lt 2000 ]; do n=$((n+1)); sleep 0.05; done;; esac",
        go_on.display()
    );
    let (_git, path) = path_with_git_wrapper(&wait);
    let mut child = runs
        .command(&runs.root, &[])
        .env("PATH", path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = notes.next().unwrap().unwrap();
    assert_eq!(line, "history");
    assert!(start.elapsed() < TIMEOUT);
    fs::write(go_on, "").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(notes.count(), 0);
}
