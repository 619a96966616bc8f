//! Checks the machine: programs, limits, memory, time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use indicatif::HumanBytes;

use crate::cli::doctor::Finding;
use crate::config::Config;
use crate::disk::LockHolder;
use crate::engine::Parsers;
use crate::ingest::tree::{WorkingTree, network_file_system};
use crate::store::{RepositoryKind, RepositoryRow};
use crate::telemetry::process;
use crate::telemetry::spans::spawn_blocking;

/// The oldest git that can read which functions past commits changed.
const MIN_GIT: (u32, u32) = (2, 41);
/// Open files of the program itself, and of one repository: its packs, its watcher, pipes of git.
const OWN_FILES: usize = 128;
const FILES_PER_REPOSITORY: usize = 16;
/// Watched directories inside `.git`, per working tree.
const GIT_DIRECTORIES: usize = 4;
/// Time limit for counting the directories of one tree.
const COUNT_TIMEOUT: Duration = Duration::from_secs(20);
/// Bytes that the program uses before it has any index.
const MIN_MEMORY: u64 = 256 << 20;
/// Clock offsets that are reported: forge apps sign in with timestamps, and certificates have validity periods.
const OFFSET_WARNING: Duration = Duration::from_secs(30);
const OFFSET_FAILURE: Duration = Duration::from_secs(300);
/// Plausible times: the seconds from 1970 to 2026 and to 2100.
const PLAUSIBLE_SECONDS: std::ops::Range<u64> = 1_767_225_600..4_102_444_800;

/// Checks the git in the search path.
pub(super) fn git() -> Option<Finding> {
    let advice = "install git 2.41 or newer, and add its directory to PATH";
    let output = Command::new("git").arg("--version").output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        return Some(Finding::failure("git", "git cannot be run", advice));
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text.trim();
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok());
    let version = numbers.next().zip(numbers.next());
    Some(match version {
        Some(version) if version >= MIN_GIT => Finding::ok("git", text),
        Some(_) => Finding::warning(
            "git",
            format!("{text} is too old to read which functions past commits changed"),
            advice,
        ),
        None => Finding::warning("git", format!("cannot find a version in {text:?}"), advice),
    })
}

/// Checks whether files can be parsed in separate processes.
pub(super) fn parsing(parsers: &Parsers) -> Finding {
    let check = "parsing";
    match parsers.check_worker() {
        None => Finding::warning(
            check,
            "files are parsed in the server process: a file made to crash a parser ends the server",
            "set index.parse_workers, or register only repositories whose authors you trust",
        ),
        Some(Ok(())) => Finding::ok(check, "files are parsed in separate processes"),
        Some(Err(error)) => Finding::warning(
            check,
            format!(
                "cannot start a parser process ({error}): files are parsed in the server process"
            ),
            "allow this user to start processes and to limit them (ulimit -v, TasksMax, seccomp)",
        ),
    }
}

/// Checks the clock, given the names of other machines and how far their clocks are off this one.
pub(super) fn clock(now: SystemTime, others: &[(String, Duration)]) -> Finding {
    let advice = "set the clock, and synchronise it with NTP (timedatectl set-ntp true)";
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH);
    let seconds = seconds.map_or(0, |since| since.as_secs());
    let shown = httpdate::fmt_http_date(now);
    if !PLAUSIBLE_SECONDS.contains(&seconds) {
        return Finding::failure("clock", format!("implausible time: {shown}"), advice);
    }
    // Compare with the nearest one: some of the others may be wrong themselves.
    let Some((name, apart)) = others.iter().min_by_key(|(_, apart)| apart) else {
        return Finding::ok(
            "clock",
            format!(
                "{shown}; not compared with another machine: none was asked, or none told its time"
            ),
        );
    };
    let found = format!("{shown}, {} s off the clock of {name}", apart.as_secs());
    match *apart {
        apart if apart > OFFSET_FAILURE => Finding::failure("clock", found, advice),
        apart if apart > OFFSET_WARNING => Finding::warning("clock", found, advice),
        _ => Finding::ok("clock", found),
    }
}

/// Checks the number of files that the process may open, after raising it to the hard limit as a server does.
pub(super) fn open_files(config: &Config, repositories: usize) -> Finding {
    process::raise_open_files();
    let needed = OWN_FILES + repositories * FILES_PER_REPOSITORY + config.server.max_connections;
    judge_open_files(process::max_open_files(), needed)
}

fn judge_open_files(allowed: usize, needed: usize) -> Finding {
    let advice = "raise the hard limit: LimitNOFILE= of a systemd unit, `ulimits` of a container, or `ulimit -Hn`";
    let found = format!("the limit is {allowed}, about {needed} are needed");
    match allowed {
        allowed if allowed < 256 => Finding::failure("open files", found, advice),
        allowed if allowed < needed.max(1024) => Finding::warning("open files", found, advice),
        _ => Finding::ok("open files", found),
    }
}

/// Checks the number of inotify watches that the registered working trees need.
pub(super) async fn watches(
    config: &Config,
    rows: &[RepositoryRow],
    holder: LockHolder,
) -> Vec<Finding> {
    if !cfg!(target_os = "linux") || !config.watch.events {
        return Vec::new();
    }
    let is_watched = |row: &&RepositoryRow| row.kind == RepositoryKind::Path && row.watch;
    let mut findings = Vec::new();
    let (mut directories, mut trees) = (0, 0);
    for row in rows.iter().filter(is_watched) {
        let (root, own) = (
            PathBuf::from(&row.location),
            config.storage.data_dir.clone(),
        );
        if let Some(system) = network_file_system(&root) {
            findings.push(Finding::warning(
                "watches",
                format!("{}: {} is on {system}, which does not report changes by other machines", row.name, row.location),
                format!("it is polled every {} s (watch.poll_seconds); a local disk is watched without delay", config.watch.poll_seconds),
            ));
            continue;
        }
        let count = spawn_blocking(move || WorkingTree::count_directories(&root, vec![own]));
        match tokio::time::timeout(COUNT_TIMEOUT, count).await {
            Ok(Ok(count)) => {
                directories += count + GIT_DIRECTORIES;
                trees += 1;
            }
            _ => findings.push(Finding::warning(
                "watches",
                format!(
                    "{}: counting its directories took longer than {} s",
                    row.name,
                    COUNT_TIMEOUT.as_secs()
                ),
                "check the disk or network that it is on",
            )),
        }
    }
    let (watches, instances) = held_by_others(holder);
    for (name, needed, held) in [
        ("max_user_watches", directories, watches),
        ("max_user_instances", trees, instances),
    ] {
        let text = fs::read_to_string(Path::new("/proc/sys/fs/inotify").join(name));
        let allowed = text.ok().and_then(|text| text.trim().parse().ok());
        findings.extend(allowed.map(|allowed| judge_watches(name, allowed, needed, held)));
    }
    findings
}

fn judge_watches(name: &str, allowed: usize, needed: usize, held: usize) -> Finding {
    let found =
        format!("fs.inotify.{name} is {allowed}; {needed} are needed, other programs hold {held}");
    if needed + held <= allowed {
        return Finding::ok("watches", found);
    }
    let wanted = (2 * (needed + held)).next_power_of_two();
    Finding::warning(
        "watches",
        format!("{found}: some working trees are polled every few seconds instead"),
        format!("run `sysctl -w fs.inotify.{name}={wanted}`, and set the same in /etc/sysctl.d"),
    )
}

/// Counts the inotify watches and instances of other programs of this user, without the server of the data directory.
fn held_by_others(holder: LockHolder) -> (usize, usize) {
    let (mut watches, mut instances) = (0, 0);
    let me = rustix::process::geteuid().as_raw();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        use std::os::unix::fs::MetadataExt as _;
        let name = process.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let is_mine = process
            .metadata()
            .is_ok_and(|metadata| metadata.uid() == me);
        if !is_mine || holder == LockHolder::Process(Some(number)) {
            continue;
        }
        for file in fs::read_dir(process.path().join("fdinfo"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let link = process.path().join("fd").join(file.file_name());
            if fs::read_link(link).is_ok_and(|to| to == Path::new("anon_inode:inotify")) {
                instances += 1;
                let text = fs::read_to_string(file.path()).unwrap_or_default();
                watches += text
                    .lines()
                    .filter(|line| line.starts_with("inotify "))
                    .count();
            }
        }
    }
    (watches, instances)
}

/// Checks the available memory against what the settings let the server and its git processes use.
pub(super) fn memory(config: &Config, holder: LockHolder) -> Finding {
    // A running server may be in another control group than this process.
    let of_server = match holder {
        LockHolder::Process(Some(number)) => process::memory_limit_of(number),
        _ => None,
    };
    let machine = process::machine_memory().unwrap_or(u64::MAX);
    let of_server = of_server.map(|limit| limit.min(machine));
    let limit = of_server.or_else(|| process::memory_limit().map(|bytes| bytes as u64));
    match limit {
        Some(limit) => judge_memory(
            limit,
            config.index.memory_bytes as u64,
            config.git.memory_bytes,
        ),
        None => Finding::ok("memory", "the system does not report how much there is"),
    }
}

fn judge_memory(limit: u64, index: u64, git: u64) -> Finding {
    let bound = if index == 0 { limit / 2 } else { index };
    let shown = format!(
        "{} are available; the server is limited to {} (index.memory_bytes), each git process to {} (git.memory_bytes)",
        HumanBytes(limit),
        HumanBytes(bound),
        if git == 0 {
            "any amount".to_owned()
        } else {
            HumanBytes(git).to_string()
        },
    );
    if bound > limit {
        let advice = "lower index.memory_bytes to half of the limit, or provide more memory: otherwise the system kills the server";
        Finding::failure("memory", shown, advice)
    } else if limit < MIN_MEMORY {
        let min = HumanBytes(MIN_MEMORY);
        Finding::warning(
            "memory",
            shown,
            format!("provide at least {min}, and more for large repositories"),
        )
    } else if bound.saturating_add(git) > limit {
        let advice = "lower git.memory_bytes or index.memory_bytes, or provide more memory: together they may exceed the limit during a clone";
        Finding::warning("memory", shown, advice)
    } else {
        Finding::ok("memory", shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::Health::{Failure, Ok as Well, Warning};

    #[test]
    fn limits_are_compared_with_needs() {
        for (allowed, needed, wanted) in [
            (255, 10, Failure),
            (1000, 10, Warning),
            (2000, 3000, Warning),
            (2000, 1999, Well),
        ] {
            assert_eq!(
                judge_open_files(allowed, needed).status,
                wanted,
                "{allowed} {needed}"
            );
        }
        assert_eq!(judge_watches("max_user_watches", 100, 90, 10).status, Well);
        let short = judge_watches("max_user_watches", 100, 90, 11);
        assert_eq!(short.status, Warning);
        assert!(
            short
                .advice
                .is_some_and(|advice| advice.contains("fs.inotify.max_user_watches=256"))
        );
    }

    #[test]
    fn memory_is_compared_with_settings() {
        let mb = |n: u64| n << 20;
        for (limit, index, git, wanted) in [
            (mb(8192), 0, mb(2048), Well),
            (mb(2048), 0, mb(2048), Warning),
            (mb(2048), mb(3000), mb(100), Failure),
            (mb(200), 0, mb(50), Warning),
            (mb(2048), mb(1024), mb(1024), Well),
            (mb(8192), mb(1024), u64::MAX, Warning),
        ] {
            assert_eq!(
                judge_memory(limit, index, git).status,
                wanted,
                "{limit} {index} {git}"
            );
        }
    }

    #[test]
    fn clock_is_checked_by_year_and_other_clocks() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let other = |seconds| vec![("other".to_owned(), Duration::from_secs(seconds))];
        let now = 1_795_000_000;
        for (time, others, wanted) in [
            (0, vec![], Failure),
            (5_000_000_000, vec![], Failure),
            (now, vec![], Well),
            (now, other(29), Well),
            (now, other(31), Warning),
            (now, other(301), Failure),
            (now, [other(301), other(0)].concat(), Well),
        ] {
            assert_eq!(clock(at(time), &others).status, wanted, "{time} {others:?}");
        }
    }
}
