//! Reads the figures and limits of this process. Those from `/proc` are available only on Linux.

use std::fs;
use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tikv_jemalloc_ctl::{epoch, stats};

use super::cgroup;

/// Returns the current figures of this process by their conventional names. Empty on systems other than Linux: on
/// macOS, the library that reads them needs clang for its build.
#[cfg(target_os = "linux")]
pub fn figures() -> Vec<(&'static str, f64)> {
    let read = metrics_process::collector::collect();
    let number = |number: Option<u64>| number.map(|number| number as f64);
    let figures = [
        ("process_cpu_seconds_total", read.cpu_seconds_total),
        (
            "process_resident_memory_bytes",
            number(read.resident_memory_bytes),
        ),
        (
            "process_virtual_memory_bytes",
            number(read.virtual_memory_bytes),
        ),
        (
            "process_start_time_seconds",
            number(read.start_time_seconds),
        ),
        ("process_open_fds", number(read.open_fds)),
        ("process_max_fds", number(read.max_fds)),
        ("process_threads", number(read.threads)),
    ];
    let known = |(name, value): (_, Option<f64>)| Some((name, value?));
    figures.into_iter().filter_map(known).collect()
}

/// Returns no figures: see the Linux version.
#[cfg(not(target_os = "linux"))]
pub fn figures() -> Vec<(&'static str, f64)> {
    Vec::new()
}

/// Returns the number of files that this process may open.
pub fn max_open_files() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    })
}

/// Raises the limit of open files to the hard limit.
pub fn raise_open_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    // If that is refused, the limit stays.
    let _ = setrlimit(Resource::Nofile, raised);
}

/// Returns the bytes of memory of this machine, or the limit of this process's control group (a container, a systemd
/// unit) if that is lower. `None` if the system does not report them.
pub fn memory_limit() -> Option<usize> {
    let limits = [
        machine_memory(),
        cgroup::memory_limit(Path::new("/"), "self"),
    ];
    let lowest = limits.into_iter().flatten().min()?;
    usize::try_from(lowest).ok()
}

/// Returns the bytes of memory of the machine.
pub fn machine_memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok()?;
    Some(field(&machine, "MemTotal:")? * 1024)
}

/// Returns the memory limit of another process's control groups in bytes; `None` if there is none, or no such process.
pub fn memory_limit_of(process: u32) -> Option<u64> {
    cgroup::memory_limit(Path::new("/"), &process.to_string())
}

/// Returns the bytes of memory that this process holds, resident or swapped out, without pages of files and without
/// the free memory that its allocator returns gradually. `None` if the system does not report them.
pub fn memory_held() -> Option<usize> {
    Some(pages()?.saturating_sub(free_bytes().unwrap_or(0)))
}

/// Whether [`memory_held`] is more than `bytes`. The allocator's figures are expensive, so they are only read if the
/// system counts more.
pub fn holds_more_than(bytes: usize) -> Option<bool> {
    let pages = pages()?;
    Some(pages > bytes && pages.saturating_sub(free_bytes().unwrap_or(0)) > bytes)
}

/// Returns the bytes that are resident or swapped out. Pages of files, such as the program's own code, do not count:
/// the system takes them back whenever it needs memory, and how many there are depends on its cache.
fn pages() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let resident =
        field(&status, "VmRSS:")?.saturating_sub(field(&status, "RssFile:").unwrap_or(0));
    let kilobytes = resident + field(&status, "VmSwap:").unwrap_or(0);
    usize::try_from(kilobytes * 1024).ok()
}

/// Returns the bytes that the allocator holds and nobody uses.
fn free_bytes() -> Option<usize> {
    // The figures are a snapshot, which this call refreshes.
    epoch::advance().ok()?;
    let in_use = stats::active::read().ok()? + stats::metadata::read().ok()?;
    Some(stats::resident::read().ok()?.saturating_sub(in_use))
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn all_figures_are_present_and_plausible() {
        let figures = figures();
        let value = |name: &str| {
            let figure = figures.iter().find(|(of, _)| *of == name);
            figure.expect(name).1
        };
        let resident = value("process_resident_memory_bytes");
        assert!(resident > 1e6 && value("process_virtual_memory_bytes") > resident);
        assert!((0.0..3600.0).contains(&value("process_cpu_seconds_total")));
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map(|d| d.as_secs_f64()).unwrap_or_default();
        let age = now - value("process_start_time_seconds");
        assert!((-2.0..3600.0).contains(&age), "{age:?}");
        assert!(value("process_open_fds") > 2.0);
        assert!(value("process_max_fds") > value("process_open_fds"));
        assert!(value("process_threads") > 0.0);
        let held = memory_held().unwrap_or(0) as f64;
        assert!(held > 1e6 && held < 2.0 * resident, "{held} {resident}");
        assert_eq!(holds_more_than(1 << 20), Some(true));
        assert_eq!(holds_more_than(1 << 50), Some(false));
        assert!(memory_limit().is_some_and(|bytes| bytes > 1 << 20));
    }
}
