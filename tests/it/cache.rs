//! What `foveate context` keeps between runs: the next run answers the same without reading what it knows,
//! whatever changed, whoever else runs, and however a run ended.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::app::{PATIENCE, SHOP, commit, git, tree};

const QUERY: &str = "`total_price` of a Cart.checkout is wrong since the first gift";

/// A repository and a cache.
struct Runs {
    cache: TempDir,
    _keep: TempDir,
    root: PathBuf,
}

impl Runs {
    /// Of a shop with some past.
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

    /// What a run says, of a directory, without its timings.
    fn said_of(&self, directory: &Path, more: &[&str]) -> (Value, String) {
        said(
            &self
                .command(directory, &[&["--json"], more].concat())
                .output()
                .unwrap(),
        )
    }

    fn said(&self, more: &[&str]) -> (Value, String) {
        self.said_of(&self.root, more)
    }

    /// Runs twice, and asserts that both say what a run without a cache does. Gives that.
    fn are_as_without(&self, more: &[&str], what: &str) -> Value {
        let wanted = self.said(&[&["--no-cache"], more].concat());
        for round in ["first", "second"] {
            assert_eq!(self.said(more), wanted, "{round} run: {what}");
        }
        wanted.0
    }

    /// The files of all entries.
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

fn said(output: &Output) -> (Value, String) {
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

/// A git in front of git that runs `script` first, for the `PATH`.
fn git_with(script: &str) -> (TempDir, String) {
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
fn the_second_run_asks_git_for_no_log_and_no_file() {
    let runs = Runs::new();
    let bare_keep = tempfile::tempdir().unwrap();
    let bare = bare_keep.path().join("shop.git");
    git(
        &runs.root,
        &["clone", "-q", "--bare", ".", bare.to_str().unwrap()],
    );
    let calls = runs.cache.path().join("calls");
    let (_git, path) = git_with(&format!("echo \" $* \" >> '{}'", calls.display()));
    for (directory, more) in [
        (&runs.root, &[][..]),
        (&runs.root, &["--ref", "HEAD~1"]),
        (&bare, &["--ref", "main"]),
    ] {
        let calls_of = |more: &[&str]| {
            let _ = fs::remove_file(&calls);
            let mut command = runs.command(directory, &[&["--json"], more].concat());
            let said = said(&command.env("PATH", &path).output().unwrap());
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
        // What is printed without --json, too.
        let shown = |more: &[&str]| {
            let output = runs.command(directory, more).output().unwrap();
            (output.stdout, output.stderr)
        };
        assert_eq!(shown(more), shown(&[&["--no-cache"], more].concat()));
    }
}

#[test]
fn changes_are_found() {
    let runs = Runs::new();
    let root = &runs.root;
    runs.are_as_without(&[], "nothing changed");
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
        let before = runs.are_as_without(&["--ref", "HEAD~1"], what);
        let now = runs.are_as_without(&[], what);
        assert_ne!(before["commit"], Value::Null);
        assert_ne!(before["commit"], now["commit"]);
    }
    assert_eq!(runs.listed(), [root.to_str().unwrap()]);
}

#[test]
fn runs_beside_each_other_say_the_same() {
    let (runs, other) = (Runs::new(), Runs::new());
    let wanted = [&runs, &other].map(|runs| runs.said(&["--no-cache"]));
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
            let said = said(&child.wait_with_output().unwrap());
            assert_eq!(said, wanted[of], "round {round}");
        }
        write(
            &runs.root,
            "shop/price.py",
            &format!("def total_price():\n    return {round}\n"),
        );
        let changed = runs.said(&["--no-cache"]);
        assert_eq!(runs.said(&[]), changed);
        git(&runs.root, &["checkout", "-q", "--", "."]);
    }
}

#[test]
fn killed_at_any_moment_and_damaged_anywhere_it_stays_usable() {
    let runs = Runs::new();
    let wanted = runs.said(&["--no-cache"]);
    let start = Instant::now();
    runs.said(&[]);
    let whole = start.elapsed();
    for part in 0..8 {
        // From nothing, so that there is much to write.
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
        assert_eq!(runs.said(&[]), wanted, "killed after {part} sevenths");
        assert_eq!(runs.said(&[]), wanted);
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
        // Cut, spoiled, of another version.
        for bytes in [good[..half].to_vec(), damaged(last), damaged(17.min(last))] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(runs.said(&[]), wanted, "{}", path.display());
        }
    }
    assert_eq!(runs.said(&[]), wanted);
}

#[test]
fn where_nothing_can_be_kept_it_answers_and_says_so_once() {
    let runs = Runs::new();
    let wanted = runs.said(&["--no-cache"]).0;
    let file = runs.cache.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("cache");
    for _ in 0..2 {
        let (answer, notes) = runs.said(&["--cache-dir", below.to_str().unwrap()]);
        assert_eq!(answer, wanted);
        assert_eq!(notes.matches("cache: ").count(), 1, "{notes}");
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
    let (answer, notes) = said(&nowhere);
    assert_eq!(answer, wanted);
    assert!(notes.contains("HOME"), "{notes}");
    assert_eq!(runs.files(), Vec::<PathBuf>::new());

    // The file that is to be written is a directory.
    runs.said(&[]);
    let pack = runs
        .files()
        .into_iter()
        .find(|path| path.ends_with("facts.pack"))
        .unwrap();
    fs::remove_file(&pack).unwrap();
    fs::create_dir(&pack).unwrap();
    let (answer, notes) = runs.said(&[]);
    assert_eq!(answer, wanted);
    assert_eq!(notes.matches("cache: ").count(), 1, "{notes}");
}

#[test]
fn it_lies_where_it_is_expected_and_nobody_else_reads_it() {
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
fn a_cache_in_the_directory_that_is_asked_about_is_no_part_of_it() {
    let runs = Runs::new();
    let wanted = runs.said(&["--no-cache"]).0;
    let inside = runs.root.join("kept");
    for more in [&[][..], &[], &["--no-cache"]] {
        let more = [&["--cache-dir", inside.to_str().unwrap()], more].concat();
        assert_eq!(runs.said(&more).0, wanted);
    }
    assert!(inside.exists());
}

#[test]
fn it_is_bounded_listed_and_cleared() {
    let (runs, other) = (Runs::new(), Runs::new());
    let (root, others) = (runs.root.to_str().unwrap(), other.root.to_str().unwrap());
    runs.said(&[]);
    runs.said_of(&other.root, &[]);
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
    runs.said(&["--cache-max-bytes", &room_for_one]);
    assert_eq!(runs.listed(), [root]);
    runs.said(&["--cache-max-bytes", "0"]);
    assert_eq!(runs.listed(), Vec::<String>::new());

    runs.said(&[]);
    runs.said_of(&other.root, &[]);
    let lock = runs
        .files()
        .into_iter()
        .find(|path| fs::read(path).unwrap() == root.as_bytes());
    let lock = fs::File::options().write(true).open(lock.unwrap()).unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(31 * 86_400);
    lock.set_modified(long_ago).unwrap();
    runs.said_of(&other.root, &[]);
    assert_eq!(runs.listed(), [others], "nobody asked for a month");

    runs.said(&[]);
    let output = runs.cache_command(&["clear", others]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("removed 1 repository"));
    assert_eq!(runs.listed(), [root]);
    fs::write(runs.cache.path().join("note.txt"), "mine").unwrap();
    assert!(runs.cache_command(&["clear"]).status.success());
    assert_eq!(runs.listed(), Vec::<String>::new());
    assert!(runs.cache.path().join("note.txt").exists());
}

/// Adds so many commits that each change one function.
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
fn functions_of_the_past_come_when_they_are_waited_for_and_stay() {
    let runs = Runs::new();
    add_commits(&runs.root, 301);
    let is_loading = |answer: &Value| {
        let issues = answer["issues"].to_string();
        issues.contains("history_loading") && issues.contains("--wait-history")
    };
    let files_alone = runs.are_as_without(&[], "files alone");
    assert!(is_loading(&files_alone));
    let whole = runs.said(&["--no-cache", "--wait-history"]).0;
    assert!(!is_loading(&whole));
    assert_eq!(runs.said(&["--wait-history"]).0, whole);
    assert_eq!(runs.said(&[]).0, whole, "they are there now");
    // Those of new commits are read along, as long as they are few.
    add_commits(&runs.root, 20);
    let more = runs.said(&["--no-cache", "--wait-history"]).0;
    assert_eq!(runs.said(&[]).0, more);
    assert_eq!(
        runs.said(&["--ref", "HEAD~20"]).0["issues"],
        whole["issues"]
    );
    // What depends on the cache is whether they count, and not which of them.
    add_commits(&runs.root, 301);
    runs.are_as_without(&[], "files alone, once more");
}

#[test]
fn a_long_first_run_says_how_far_it_is() {
    let runs = Runs::new();
    let go_on = runs.cache.path().join("go on");
    let wait = format!(
        "case \" $* \" in *' log '*) n=0; while [ ! -e '{}' ] && [ $n -lt 2000 ]; do n=$((n+1)); sleep 0.05; done;; esac",
        go_on.display()
    );
    let (_git, path) = git_with(&wait);
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
    assert!(start.elapsed() < PATIENCE);
    fs::write(go_on, "").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(notes.count(), 0);
}
