//! A service in a process of its own whose system gives it little: few watches, no permission, no
//! room, no time to read its events. What it answers in the end is what an index answers that was
//! built from nothing.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Child, Command};

use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::app::{SHOP, commit, places, tree, until};
use crate::process::{Process, confined};
use crate::rebuilt::is_as_built_from_nothing;

fn unreadable(repo: &Value) -> Vec<&str> {
    let skipped = repo["skipped_files"].as_array().unwrap();
    let listed = skipped.iter().filter(|f| f["reason"] == "unreadable");
    listed.map(|f| f["path"].as_str().unwrap()).collect()
}

/// Whether a user of this machine may set limits of its own.
fn can_limit() -> bool {
    let tried = Command::new("unshare").args(["-Ur", "true"]).status();
    tried.is_ok_and(|status| status.success())
}

/// Gives the process enough of what it had too little of.
fn raise(limit: &str, process: u32) {
    let script = format!("echo 1000 > /proc/sys/user/{limit}");
    let raised = Command::new("nsenter")
        .args(["-U", "--preserve-credentials", "-t", &process.to_string()])
        .args(["sh", "-c", &script])
        .status();
    assert!(raised.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn too_few_watches_are_told_and_every_file_is_looked_at_instead() {
    if !can_limit() {
        eprintln!("not tested: limits cannot be set here");
        return;
    }
    for (limit, number, reason) in [
        ("max_inotify_watches", 1, "fs.inotify.max_user_watches"),
        ("max_inotify_instances", 0, "fs.inotify.max_user_instances"),
    ] {
        let script = format!("echo {number} > /proc/sys/user/{limit}; exec \"$@\"");
        let audits = "FOVEATE__WATCH__AUDIT_SECONDS=1";
        let before = ["unshare", "-Ur", "sh", "-c", &script, "sh", "env", audits];
        let server = Process::start(&before, None);
        let (_keep, root) = tree(SHOP);
        let repo = server.add(&root).await;
        assert_eq!(repo["watch"]["mode"], "polling", "{repo}");
        assert!(
            repo["watch"]["reason"].as_str().unwrap().contains(reason),
            "{repo}"
        );
        let late = root.join("tests/late.py");
        fs::write(late, "def comes_late():\n    pass\n").unwrap();
        server.places_become("comes_late", &["tests/late.py"]).await;
        let is_noted = async || {
            let answer = server.ask("comes_late").await;
            answer["issues"].to_string().contains("\"polling\"")
        };
        assert!(is_noted().await);
        is_as_built_from_nothing(&server, "shop", &root).await;

        // As soon as there is enough, an audit takes it.
        raise(limit, server.id());
        let repo = server
            .repo_until("events", |repo| repo["watch"]["mode"] == "events")
            .await;
        // The root, two directories of it.
        assert_eq!(repo["watch"]["directories"], 3);
        assert!(!is_noted().await);
        let later = root.join("tests/later.py");
        fs::write(later, "def comes_later():\n    pass\n").unwrap();
        server
            .places_become("comes_later", &["tests/later.py"])
            .await;
        is_as_built_from_nothing(&server, "shop", &root).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_are_lost_lead_to_a_look_at_everything() {
    let server = Process::start(&["env"], None);
    let (_keep, root) = tree(SHOP);
    server.add(&root).await;
    server.signal(Signal::STOP);
    // Each file is several events, more in all than the system keeps for who does not read.
    for n in 0..12_000 {
        fs::write(root.join(format!("shop/n{}.txt", n % 6000)), "x\n").unwrap();
    }
    let last = root.join("tests/last.py");
    fs::write(last, "def the_last_one():\n    pass\n").unwrap();
    server.signal(Signal::CONT);
    server
        .places_become("the_last_one", &["tests/last.py"])
        .await;
    let repo = server
        .repo_until("all of them", |repo| repo["watch"]["pending_files"] == 0)
        .await;
    assert_eq!(repo["files"], 6005);
    assert_eq!(repo["watch"]["mode"], "events");
    is_as_built_from_nothing(&server, "shop", &root).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_read_for_a_while_comes_back() {
    let user = confined();
    let server = Process::start(&["env"], user);
    let (keep, root) = tree(SHOP);
    let may = |path: &str, mode: u32| {
        let path = root.join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for path in ["", "shop", "tests", "shop/price.py", "shop/cart.py"] {
        may(path, if path.ends_with(".py") { 0o666 } else { 0o777 });
    }
    fs::set_permissions(keep.path(), fs::Permissions::from_mode(0o777)).unwrap();
    may("tests", 0o000);
    let repo = server.add(&root).await;
    // A directory that may not be read does not take the events of all others away.
    assert_eq!(repo["watch"]["mode"], "events", "{repo}");
    assert_eq!(unreadable(&repo), ["tests"]);
    assert_eq!(repo["files"], 4);
    server.is_as_another(user, &root).await;
    may("tests", 0o777);
    server
        .places_become("test_checkout", &["tests/test_cart.py"])
        .await;

    may("shop/price.py", 0o000);
    let repo = server
        .repo_until("unreadable", |repo| repo["skipped"]["unreadable"] == 1)
        .await;
    assert_eq!(unreadable(&repo), ["shop/price.py"]);
    server.places_become("total_price", &[]).await;
    may("shop/price.py", 0o666);
    server
        .places_become("total_price", &["shop/price.py"])
        .await;

    may("shop", 0o000);
    server.places_become("total_price", &[]).await;
    // A change beside it says nothing of it.
    fs::write(root.join("beside.py"), "def beside():\n    pass\n").unwrap();
    server.places_become("beside", &["beside.py"]).await;
    let repo = server.repo_until("any", |_| true).await;
    assert_eq!(unreadable(&repo), ["shop"]);
    server.is_as_another(user, &root).await;
    may("shop", 0o777);
    server
        .places_become("total_price", &["shop/price.py"])
        .await;
    // And it is watched again.
    fs::write(root.join("shop/new.py"), "def brand_new():\n    pass\n").unwrap();
    server.places_become("brand_new", &["shop/new.py"]).await;

    may("", 0o000);
    server
        .repo_until("failed", |repo| repo["state"] == "failed")
        .await;
    let answer = server.ask("total_price").await;
    assert_eq!(places(&answer, "total_price"), ["shop/price.py"]);
    assert!(
        answer["issues"].to_string().contains("degraded"),
        "{answer}"
    );
    may("", 0o777);
    server
        .repo_until("ready", |repo| repo["state"] == "ready")
        .await;
    let repo = server.repo_until("all", |repo| repo["files"] == 6).await;
    assert!(unreadable(&repo).is_empty());
    is_as_built_from_nothing(&server, "shop", &root).await;
}

/// A directory as another machine's file system shows it.
struct Far(Child);

impl Far {
    /// `None` where there is no program for it, or nothing may be mounted.
    fn of(directory: &Path, at: &Path) -> Option<Self> {
        let device = || at.metadata().unwrap().dev();
        let outside = device();
        let mut command = Command::new("bindfs");
        let mut process = command.arg("-f").args([directory, at]).spawn().ok()?;
        while device() == outside {
            if process.try_wait().unwrap().is_some() {
                return None;
            }
            std::thread::yield_now();
        }
        Some(Self(process))
    }

    fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(self.0.id().cast_signed()).unwrap();
        kill_process(process, signal).unwrap();
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        self.signal(Signal::CONT);
        // It takes the mount with it.
        self.signal(Signal::TERM);
        let _ = self.0.wait();
    }
}

/// Waits until the server waits for a file.
async fn hangs(server: &Process) {
    let tasks = Path::new("/proc")
        .join(server.id().to_string())
        .join("task");
    until("a thread that hangs", async || {
        let mut tasks = fs::read_dir(&tasks).unwrap().flatten();
        let waits = |task: fs::DirEntry| {
            let channel = fs::read_to_string(task.path().join("wchan")).unwrap_or_default();
            channel.contains("fuse") || channel.contains("request_wait")
        };
        tasks.any(waits).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_machine_changes_is_found_by_looking() {
    let (_keep, root) = tree(SHOP);
    let here = tempfile::tempdir().unwrap();
    let Some(far) = Far::of(&root, here.path()) else {
        eprintln!("not tested: there is no bindfs, or it may not mount");
        return;
    };
    let one = ["FOVEATE__INDEX__THREADS=1", "FOVEATE__INDEX__RUNS=1"];
    let server = Process::start(&["env", one[0], one[1]], None);
    let repo = server.add(here.path()).await;
    assert_eq!(repo["watch"]["mode"], "polling", "{repo}");
    assert!(repo["watch"]["reason"].as_str().unwrap().contains("fuse"));
    fs::write(root.join("far.py"), "def from_afar():\n    pass\n").unwrap();
    fs::remove_file(root.join("README.md")).unwrap();
    server.places_become("from_afar", &["far.py"]).await;
    is_as_built_from_nothing(&server, "shop", &root).await;

    // The other machine hangs: what is known is answered, and said to be uncertain. Nobody else
    // waits for it.
    far.signal(Signal::STOP);
    hangs(&server).await;
    let (_near, beside) = tree(SHOP);
    let body = json!({"name": "near", "source": {"path": beside}});
    server.call(Method::POST, "/repos", body).await;
    until("another repository", async || {
        let repo = server.call(Method::GET, "/repos/near", Value::Null).await;
        (repo["state"] == "ready").then_some(())
    })
    .await;
    fs::write(root.join("far.py"), "def from_afar_again():\n    pass\n").unwrap();
    let answer = server.ask("from_afar").await;
    assert_eq!(places(&answer, "from_afar"), ["far.py"]);
    assert!(answer["issues"].to_string().contains("\"polling\""));
    far.signal(Signal::CONT);
    server.places_become("from_afar_again", &["far.py"]).await;
    is_as_built_from_nothing(&server, "shop", &root).await;
}

/// As many bytes that no one can pack.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_stops_a_fetch_and_no_answer() {
    if !can_limit() {
        eprintln!("not tested: nothing can be mounted here");
        return;
    }
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    let data = tempfile::tempdir().unwrap();
    let copies = data.path().join("git");
    fs::create_dir(&copies).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=6m none {0}; head -c 4m /dev/zero > {0}/filler; exec \"$@\"",
        copies.display()
    );
    let before = ["unshare", "-Urm", "sh", "-c", &script, "sh"];
    let server = Process::start_on(data, &before, None);
    let body = json!({"name": "shop", "source": {"git": format!("file://{}", root.display())}});
    server.call(Method::POST, "/repos", body).await;
    server
        .repo_until("ready", |repo| repo["state"] == "ready")
        .await;

    fs::write(root.join("noise"), noise(3 << 20)).unwrap();
    let second = commit(&root, "second");
    server
        .call(Method::POST, "/repos/shop/sync", Value::Null)
        .await;
    let repo = server
        .repo_until("failed", |repo| repo["state"] == "failed")
        .await;
    assert!(
        repo["error"].as_str().unwrap().contains("No space left"),
        "{repo}"
    );
    let answer = server.ask("total_price").await;
    assert_eq!(places(&answer, "total_price"), ["shop/price.py"]);
    assert!(
        answer["issues"].to_string().contains("degraded"),
        "{answer}"
    );

    // The place as the server sees it.
    let inside = Path::new("/proc")
        .join(server.id().to_string())
        .join("root");
    let inside = inside.join(copies.strip_prefix("/").unwrap());
    // It tries again and again, and each time removes what was not received whole.
    until("what was not received is removed", async || {
        let packs = fs::read_dir(inside.join("shop.git/objects/pack")).unwrap();
        let bytes = packs.filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()));
        (bytes.sum::<u64>() < 1 << 20).then_some(())
    })
    .await;
    fs::remove_file(inside.join("filler")).unwrap();
    server
        .repo_until("the second commit", |repo| {
            repo["commit"] == second.as_str() && repo["state"] == "ready"
        })
        .await;
    is_as_built_from_nothing(&server, "shop", &root).await;
}
