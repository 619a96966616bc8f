//! Tests files that break a parser: only the process that parses them is ended.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use foveate::engine::Parsers;
use foveate_model::{Content, Language, ParseIssue, SkipReason};
use foveate_parse::{Limits, languages};

type Read = (Language, Result<Content, SkipReason>);

fn workers() -> Parsers {
    Parsers::in_workers(Limits::default(), env!("CARGO_BIN_EXE_foveate").into())
}

fn python() -> Option<Language> {
    languages::by_name("python")
}

/// A few kilobytes of Python for which tree-sitter uses gigabytes and a quarter of a minute.
fn parser_bomb() -> String {
    format!("{}\n", "/*".repeat(40)).repeat(200)
}

fn module(name: &str) -> String {
    let function =
        format!("def {name}(order):\n    \"\"\"Gives it back.\"\"\"\n    return order\n\n\n");
    function.clone() + &function.replace(name, "other").repeat(20)
}

fn debug_text((language, content): &Read) -> String {
    format!("{language:?} {content:?}")
}

#[test]
fn worker_parses_like_the_parser_in_process() {
    let (apart, here) = (workers(), Parsers::from(Limits::default()));
    let texts = [
        (python(), module("cancel").into_bytes()),
        (
            None,
            format!("#!/usr/bin/env python3\n{}", module("cancel")).into_bytes(),
        ),
        (None, b"words of prose\n".repeat(100)),
        (
            python(),
            [b"x = 1\n".repeat(300).as_slice(), b"\0"].concat(),
        ),
        (python(), b"x = '\xff'\n".repeat(300)),
        (
            languages::by_name("cpp"),
            b"class Cart : public Base { int total() const; };\n".repeat(60),
        ),
        (
            languages::by_name("typescript"),
            b"export const total = (a: Item) => a.price\n".repeat(60),
        ),
        (
            languages::by_name("markdown"),
            b"# Title\n\nText.\n\n".repeat(90),
        ),
        (python(), vec![b'\n'; (1 << 20) + 1]),
    ];
    for (named, bytes) in &texts {
        let found = apart.read(*named, bytes, None);
        assert_eq!(
            debug_text(&found),
            debug_text(&here.read(*named, bytes, None))
        );
    }
    let before = apart.read(python(), module("cancel").as_bytes(), None);
    let after = module("close");
    let found = apart.read(python(), after.as_bytes(), before.1.ok().as_ref());
    assert_eq!(
        debug_text(&found),
        debug_text(&here.read(python(), after.as_bytes(), None))
    );
}

#[test]
fn file_that_kills_its_worker_is_kept_as_text() {
    let parsers = workers();
    let text = parser_bomb();
    let (language, content) = parsers.read(python(), text.as_bytes(), None);
    let content = content.unwrap();
    assert_eq!(Some(language), python());
    assert_eq!(content.facts.issues, [ParseIssue::Timeout]);
    assert_eq!(&*content.text, text);
    let (_, next) = parsers.read(python(), module("cancel").as_bytes(), None);
    assert_eq!(next.unwrap().facts.definitions.len(), 21);
}

#[test]
fn dead_worker_is_replaced() {
    let parsers = workers();
    let parse = || {
        let (_, content) = parsers.read(python(), module("cancel").as_bytes(), None);
        content.unwrap().facts.definitions.len()
    };
    assert_eq!(parse(), 21);
    let pids = children();
    assert_eq!(pids.len(), 1, "{pids:?}");
    let killed = Command::new("kill").arg("-KILL").args(&pids).status();
    assert!(killed.unwrap().success());
    assert_eq!(parse(), 21);
    assert_ne!(children(), pids);
}

/// Creates a program whose first processes, one for each of the `deaths`, end by a signal; later ones are the real
/// program.
fn dying_program(directory: &Path, signal: &str, deaths: &str) -> PathBuf {
    let (real, here) = (env!("CARGO_BIN_EXE_foveate"), directory.display());
    let script = format!(
        "#!/bin/sh\nulimit -c 0\nfor n in {deaths}; do\n\
         if [ ! -e {here}/$n ]; then : > {here}/$n; kill -{signal} $$; fi\n\
         done\nexec {real} \"$@\"\n"
    );
    let (draft, program) = (directory.join("draft"), directory.join("program"));
    fs::write(&draft, script).unwrap();
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o755)).unwrap();
    // A file that this process has written could not be executed while another test starts a process.
    let copied = Command::new("cp").args([&draft, &program]).status();
    assert!(copied.unwrap().success());
    program
}

#[test]
fn file_is_parsed_again_if_the_system_kills_its_worker_once() {
    for (signal, deaths, definitions) in [("KILL", "1", 21), ("KILL", "1 2", 0), ("SEGV", "1", 0)] {
        let directory = tempfile::tempdir().unwrap();
        let program = dying_program(directory.path(), signal, deaths);
        let parsers = Parsers::in_workers(Limits::default(), program);
        let (_, content) = parsers.read(python(), module("cancel").as_bytes(), None);
        let facts = content.unwrap().facts;
        assert_eq!(facts.definitions.len(), definitions, "{signal} {deaths}");
    }
}

/// A repository may have thousands of files that each use up what their worker gets.
#[test]
fn worker_gets_memory_and_time_in_proportion_to_its_files() {
    let parsers = workers();
    let limits = |functions: &str| {
        let (_, content) = parsers.read(python(), functions.as_bytes(), None);
        assert!(content.unwrap().facts.issues.is_empty());
        let pids = children();
        assert_eq!(pids.len(), 1, "{pids:?}");
        let limits = fs::read_to_string(format!("/proc/{}/limits", pids[0])).unwrap();
        ["Max address space", "Max cpu time"].map(|named| {
            let line = limits.lines().find_map(|line| line.strip_prefix(named));
            let soft = line.and_then(|line| line.split_whitespace().next());
            soft.unwrap().parse::<u64>().unwrap()
        })
    };
    let [memory, seconds] = limits(&module("cancel"));
    assert!(memory < 300 << 20, "{memory}");
    assert!(seconds <= 2, "{seconds}");
    let [memory, seconds] = limits(&module("cancel").repeat(600));
    assert!(memory > 500 << 20, "{memory}");
    assert!(seconds >= 8, "{seconds}");
    // A small file does not get less memory than the worker keeps from a large one.
    assert_eq!(limits(&module("close"))[0], memory);
}

/// The ids of the processes that this thread has started.
fn children() -> Vec<String> {
    let pids = fs::read_to_string("/proc/thread-self/children").unwrap();
    pids.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn files_are_parsed_in_process_without_workers() {
    for program in ["/no/such/program", "/bin/false"] {
        let parsers = Parsers::in_workers(Limits::default(), program.into());
        let (_, content) = parsers.read(python(), module("cancel").as_bytes(), None);
        assert_eq!(content.unwrap().facts.definitions.len(), 21);
        assert!(parsers.check_worker().is_some_and(|tried| tried.is_err()));
    }
    assert!(workers().check_worker().is_some_and(|tried| tried.is_ok()));
}

#[test]
fn command_line_survives_a_file_that_breaks_the_parser() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("killer.py"), parser_bomb()).unwrap();
    fs::write(directory.path().join("orders.py"), module("cancel_order")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_foveate"))
        .args(["context", "--no-cache"])
        .arg(directory.path())
        .arg("cancel_order gives the wrong order, see killer.py")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let context = String::from_utf8(output.stdout).unwrap();
    assert!(context.contains("def cancel_order(order)"), "{context}");
    let issues = String::from_utf8(output.stderr).unwrap();
    assert!(issues.contains("1 timeout): killer.py"), "{issues}");
}
