//! Tests a service under system limits: too few watches, missing permissions, a full disk, lost events. Its final
//! answers equal those of an index built from nothing.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Child, Command};

use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::app::{SHOP, commit, places, tree, until};
use crate::index_report::equals_fresh_build;
use crate::process::{Process, unprivileged_user};

fn unreadable(repo: &Value) -> Vec<&str> {
    let skipped = repo["skipped_files"].as_array().unwrap();
    let listed = skipped.iter().filter(|f| f["reason"] == "unreadable");
    listed.map(|f| f["path"].as_str().unwrap()).collect()
}

/// Whether this process may create a user namespace, in which limits can be set.
fn can_limit() -> bool {
    let tried = Command::new("unshare").args(["-Ur", "true"]).status();
    tried.is_ok_and(|status| status.success())
}

/// Raises a limit of the user namespace of a process.
fn raise_limit(limit: &str, process: u32) {
    let script = format!("echo 1000 > /proc/sys/user/{limit}");
    let raised = Command::new("nsenter")
        .args(["-U", "--preserve-credentials", "-t", &process.to_string()])
        .args(["sh", "-c", &script])
        .status();
    assert!(raised.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn too_few_watches_are_reported_and_files_polled() {
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
        equals_fresh_build(&server, "shop", &root).await;

        // The next audit uses the raised limit.
        raise_limit(limit, server.id());
        let repo = server
            .repo_until("events", |repo| repo["watch"]["mode"] == "events")
            .await;
        // The root and its two directories.
        assert_eq!(repo["watch"]["directories"], 3);
        assert!(!is_noted().await);
        let later = root.join("tests/later.py");
        fs::write(later, "def comes_later():\n    pass\n").unwrap();
        server
            .places_become("comes_later", &["tests/later.py"])
            .await;
        equals_fresh_build(&server, "shop", &root).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_events_cause_a_full_scan() {
    let server = Process::start(&["env"], None);
    let (_keep, root) = tree(SHOP);
    server.add(&root).await;
    server.signal(Signal::STOP);
    // Each write causes several events: more than the kernel queues for a process that does not read.
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
    equals_fresh_build(&server, "shop", &root).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_files_return_with_their_permissions() {
    let user = unprivileged_user();
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
    // An unreadable directory does not end the events of all others.
    assert_eq!(repo["watch"]["mode"], "events", "{repo}");
    assert_eq!(unreadable(&repo), ["tests"]);
    assert_eq!(repo["files"], 4);
    server.equals_fresh_service(user, &root).await;
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
    // A change beside the unreadable directory does not make it readable.
    fs::write(root.join("beside.py"), "def beside():\n    pass\n").unwrap();
    server.places_become("beside", &["beside.py"]).await;
    let repo = server.repo_until("any", |_| true).await;
    assert_eq!(unreadable(&repo), ["shop"]);
    let issues = server.ask("beside").await["issues"].to_string();
    assert!(issues.contains("(1 unreadable): shop"), "{issues}");
    server.equals_fresh_service(user, &root).await;
    may("shop", 0o777);
    server
        .places_become("total_price", &["shop/price.py"])
        .await;
    // The directory is watched again.
    fs::write(root.join("shop/new.py"), "def brand_new():\n    pass\n").unwrap();
    server.places_become("brand_new", &["shop/new.py"]).await;

    // Of a directory that may be listed but not searched, only the names are known.
    may("shop", 0o444);
    let repo = server
        .repo_until("names", |repo| repo["skipped"]["unreadable"] == 3)
        .await;
    let names = ["shop/cart.py", "shop/new.py", "shop/price.py"];
    assert_eq!(unreadable(&repo), names);
    server.equals_fresh_service(user, &root).await;
    may("shop", 0o777);
    server
        .places_become("total_price", &["shop/price.py"])
        .await;

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
    equals_fresh_build(&server, "shop", &root).await;
}

/// A FUSE mount of a directory: like a network file system, it sends no events for changes made elsewhere.
struct FuseMount(Child);

impl FuseMount {
    /// Mounts `directory` at `at`; `None` if bindfs is missing or may not mount.
    fn new(directory: &Path, at: &Path) -> Option<Self> {
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

impl Drop for FuseMount {
    fn drop(&mut self) {
        self.signal(Signal::CONT);
        // Ending bindfs removes the mount.
        self.signal(Signal::TERM);
        let _ = self.0.wait();
    }
}

/// Waits until a thread of the server is blocked in the FUSE mount.
async fn wait_until_blocked(server: &Process) {
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
async fn network_file_system_changes_are_found_by_polling() {
    let (_keep, root) = tree(SHOP);
    let here = tempfile::tempdir().unwrap();
    let Some(far) = FuseMount::new(&root, here.path()) else {
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
    equals_fresh_build(&server, "shop", &root).await;

    // The file system hangs: answers come from the last index and say so, and other repositories do not
    // wait.
    far.signal(Signal::STOP);
    wait_until_blocked(&server).await;
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
    equals_fresh_build(&server, "shop", &root).await;
}

/// Returns `bytes` bytes that do not compress.
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
async fn full_disk_fails_the_fetch_but_not_answers() {
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

    // The directory as the server sees it, in its mount namespace.
    let inside = Path::new("/proc")
        .join(server.id().to_string())
        .join("root");
    let inside = inside.join(copies.strip_prefix("/").unwrap());
    // The server retries, and after each failure removes the incomplete pack.
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
    equals_fresh_build(&server, "shop", &root).await;
}
