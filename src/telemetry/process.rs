//! Figures and limits of this process. What is read from `/proc` is absent elsewhere than on Linux.

use std::fs;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tikv_jemalloc_ctl::{epoch, stats};

/// What the system says of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessFigures {
    /// Resident memory in bytes.
    pub resident_bytes: Option<u64>,
    /// Virtual memory in bytes.
    pub virtual_bytes: Option<u64>,
    /// CPU time in user and kernel mode, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Start, in seconds since 1970.
    pub start_seconds: Option<f64>,
    /// Open files.
    pub open_files: Option<u64>,
    /// The most files that may be open.
    pub max_files: Option<u64>,
    /// Threads.
    pub threads: Option<u64>,
}

/// The kernel counts CPU time in hundredths of a second for every program, whatever its own tick.
const TICKS_PER_SECOND: f64 = 100.0;

/// The figures now.
pub fn figures() -> ProcessFigures {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = |name: &str| Some(field(&status, name)? * 1024);
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is the program's name in parentheses, which may hold spaces.
    let stat: Vec<f64> = stat
        .rsplit_once(')')
        .map_or("", |(_, rest)| rest)
        .split_ascii_whitespace()
        .map(|f| f.parse().unwrap_or(0.0))
        .collect();
    // Counted from the third field of proc(5): utime is 14, stime 15, starttime 22.
    let ticks = |position: usize| stat.get(position - 3).map(|t| t / TICKS_PER_SECOND);
    ProcessFigures {
        resident_bytes: kilobytes("VmRSS:"),
        virtual_bytes: kilobytes("VmSize:"),
        cpu_seconds: ticks(14).zip(ticks(15)).map(|(user, system)| user + system),
        start_seconds: ticks(22).zip(boot_seconds()).map(|(up, boot)| boot + up),
        open_files: fs::read_dir("/proc/self/fd").ok().map(|d| d.count() as u64),
        max_files: limit_of_files(),
        threads: field(&status, "Threads:"),
    }
}

/// Files that this process may open.
pub fn max_open_files() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    })
}

/// Lets this process open as many files as its user may.
pub fn raise_open_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    // What may not be raised stays.
    let _ = setrlimit(Resource::Nofile, raised);
}

/// Bytes of memory that this machine has, or this container where it may use less. `None` where the
/// system does not say.
pub fn memory_limit() -> Option<usize> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let machine = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let limits = [
        field(&machine, "MemTotal:").map(|kilobytes| kilobytes * 1024),
        // Control groups of version 2 and 1; without a limit they say `max` or a huge number.
        number("/sys/fs/cgroup/memory.max"),
        number("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    ];
    let least = limits.into_iter().flatten().min()?;
    usize::try_from(least).ok()
}

/// Bytes of memory that this process holds, resident or swapped out, without what its allocator has free
/// and gives back by and by. `None` where the system does not say.
pub fn memory_held() -> Option<usize> {
    Some(pages()?.saturating_sub(free_bytes().unwrap_or(0)))
}

/// Whether [`memory_held`] is more than `bytes`. The allocator, whose figures cost most, is only asked
/// where the system counts more.
pub fn holds_more_than(bytes: usize) -> Option<bool> {
    let pages = pages()?;
    Some(pages > bytes && pages.saturating_sub(free_bytes().unwrap_or(0)) > bytes)
}

/// Bytes that are resident or swapped out.
fn pages() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = field(&status, "VmRSS:")? + field(&status, "VmSwap:").unwrap_or(0);
    usize::try_from(kilobytes * 1024).ok()
}

/// Bytes that the allocator has of the system and nobody of it.
fn free_bytes() -> Option<usize> {
    // Its figures are those of when they were last asked to be.
    epoch::advance().ok()?;
    let in_use = stats::active::read().ok()? + stats::metadata::read().ok()?;
    Some(stats::resident::read().ok()?.saturating_sub(in_use))
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

fn boot_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    field(&stat, "btime").map(|seconds| seconds as f64)
}

fn limit_of_files() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    field(&limits, "Max open files")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_there_and_sane() {
        let figures = figures();
        assert!(figures.resident_bytes.is_some_and(|b| b > 1 << 20));
        assert!(figures.virtual_bytes > figures.resident_bytes);
        assert!(figures.cpu_seconds.is_some_and(|s| s < 3600.0));
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map(|d| d.as_secs_f64()).unwrap_or_default();
        let age = figures.start_seconds.map(|start| now - start);
        assert!(
            age.is_some_and(|age| (-2.0..3600.0).contains(&age)),
            "{age:?}"
        );
        assert!(figures.open_files.is_some_and(|n| n > 2));
        assert!(figures.max_files > figures.open_files);
        assert!(figures.threads.is_some_and(|n| n > 0));
        let held = memory_held().unwrap_or(0) as u64;
        let resident = super::figures().resident_bytes.unwrap_or(0);
        assert!(held > 1 << 20 && held < 2 * resident, "{held} {resident}");
        assert_eq!(holds_more_than(1 << 20), Some(true));
        assert_eq!(holds_more_than(1 << 50), Some(false));
        assert!(memory_limit().is_some_and(|bytes| bytes > 1 << 20));
    }
}
