//! Tests `--version`, completions in real shells, manual pages, and `foveate config`.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn foveate(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveate"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FOVEATE")) {
        command.env_remove(name);
    }
    command.args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_owned()).unwrap()
}

/// Whether a program is installed. Otherwise prints that its part of the test is skipped.
fn is_installed(program: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if found.is_err() {
        eprintln!("skipped: there is no {program}");
    }
    found.is_ok()
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{program}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

#[test]
fn version_is_short_or_names_build_and_formats() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        text(&foveate(&["-V"]).stdout),
        format!("foveate {version}\n")
    );
    let long = text(&foveate(&["--version"]).stdout);
    assert!(long.starts_with(&format!("foveate {version}\n")), "{long}");
    let line = |name: &str| {
        let line = long.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name} in {long}")).trim()
    };
    // The profile of tests.
    assert!(line("build:").starts_with("dev, "), "{long}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if root.join(".git").exists() {
        let head = run("git", &["-C", root.to_str().unwrap(), "rev-parse", "HEAD"]);
        assert_eq!(line("commit:"), head.trim());
    }
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap();
    for grammar in line("grammars:").split(", ") {
        let (name, version) = grammar.split_once(' ').unwrap();
        let package = format!("name = \"tree-sitter-{name}\"\nversion = \"{version}\"");
        assert!(lock.contains(&package), "{grammar}");
        // Pinned, so that every build of this version has the grammar that the program names.
        let pinned = format!("tree-sitter-{name} = \"={version}\"");
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        assert!(manifest.contains(&pinned), "{pinned}");
    }
    assert!(line("grammars:").split(", ").count() >= 12, "{long}");
    for format in ["database ", "facts ", "lexical ", "references ", "commits "] {
        assert!(line("formats:").contains(format), "{long}");
    }
}

#[test]
fn shells_complete_commands_and_options() {
    let keep = tempfile::tempdir().unwrap();
    let script = |shell: &str| {
        let output = foveate(&["completions", shell]);
        assert!(output.status.success());
        let path = keep.path().join(format!("_foveate.{shell}"));
        std::fs::write(&path, output.stdout).unwrap();
        path.to_str().unwrap().to_owned()
    };
    if is_installed("bash") {
        let complete = "source \"$1\"; COMP_WORDS=(foveate doc); COMP_CWORD=1; _foveate foveate doc foveate; \
                        echo \"${COMPREPLY[@]}\"; COMP_WORDS=(foveate doctor --off); COMP_CWORD=2; \
                        _foveate foveate --off doctor; echo \"${COMPREPLY[@]}\"; \
                        COMP_WORDS=(foveate context --format ''); COMP_CWORD=3; \
                        _foveate foveate '' --format; echo \"${COMPREPLY[@]}\"; \
                        COMP_WORDS=(foveate h); COMP_CWORD=1; _foveate foveate h foveate; \
                        echo \"${COMPREPLY[@]}\"";
        let completed = run("bash", &["--norc", "-c", complete, "bash", &script("bash")]);
        // `health` is for containers.
        assert_eq!(completed, "doctor\n--offline\nxml markdown json\nhelp\n");
    }
    if is_installed("fish") {
        let complete = format!(
            "source {}; complete -C 'foveate doc'; complete -C 'foveate doctor --off'; complete -C 'foveate key create --scope '",
            script("fish")
        );
        let completed = run("fish", &["--no-config", "-c", &complete]);
        let words: Vec<&str> = completed
            .lines()
            .filter_map(|line| line.split('\t').next())
            .collect();
        assert_eq!(words, ["doctor", "--offline", "admin", "read"]);
    }
    if is_installed("zsh") {
        run("zsh", &["-f", "-n", &script("zsh")]);
        let defined = format!(
            "autoload -U compinit; compinit -D; source {}; echo ${{_comps[foveate]}}",
            script("zsh")
        );
        assert_eq!(run("zsh", &["-f", "-c", &defined]), "_foveate\n");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let keep = tempfile::tempdir().unwrap();
    let directory = keep.path().join("man1");
    let output = foveate(&["man", directory.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = |name: &str| {
        directory
            .join(format!("{name}.1"))
            .to_str()
            .unwrap()
            .to_owned()
    };
    for name in [
        "foveate", "foveate-serve", "foveate-context", "foveate-key-create", "foveate-doctor",
    ] {
        assert!(Path::new(&page(name)).exists(), "{name}");
    }
    assert!(!Path::new(&page("foveate-health")).exists(), "it is hidden");
    if is_installed("man") {
        let shown = run("man", &["-P", "cat", "-l", &page("foveate-doctor")]);
        assert!(
            shown.contains("--offline") && shown.contains("Contact no other machine"),
            "{shown}"
        );
    }
    if is_installed("mandoc") {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            run(
                "mandoc",
                &["-T", "lint", "-W", "error", path.to_str().unwrap()],
            );
        }
    }
}

#[test]
fn mistakes_in_variables_are_told_beside_those_of_the_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "[index]\nruns = -1\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_foveate"))
        .args(["config", "check", "--config"])
        .arg(file.path())
        .env("FOVEATE__ANSWER__CONCURRENCY", "many")
        .env("FOVEATE__SERVER__LISTN", "127.0.0.1:1")
        .env("FOVEATE__SEVER__LISTEN", "127.0.0.1:1")
        .env("FOVEATE_LOG__FORMAT", "json")
        .output()
        .unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    for key in [
        "answer.concurrency", "server.listn", "sever", "index.runs", "FOVEATE_LOG__FORMAT",
    ] {
        assert_eq!(told.matches(&format!("error: {key} ")).count(), 1, "{told}");
    }
    assert_eq!(told.lines().count(), 5, "{told}");
}

#[test]
fn server_tells_all_mistakes_in_the_order_of_their_lines() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let settings =
        "[answer]\nrevisions = 0\nqueue = \"x\"\n[sever]\na = 1\n[server]\nlisten = 7878\n";
    std::fs::write(&file, settings).unwrap();
    let checked = foveate(&["config", "check", "--config", path]);
    let served = foveate(&["serve", "--config", path]);
    assert_eq!(served.status.code(), Some(2));
    let told = text(&served.stderr);
    assert_eq!(told, text(&checked.stderr));
    let keys = ["answer.revisions", "answer.queue", "sever", "server.listen"];
    assert_eq!(told.lines().count(), keys.len(), "{told}");
    for ((key, line), told) in keys.iter().zip([2, 3, 4, 7]).zip(told.lines()) {
        assert!(told.starts_with(&format!("error: {key} ")), "{told}");
        assert!(told.ends_with(&format!("({path}:{line})")), "{told}");
    }
}

#[test]
fn settings_are_checked_and_shown_without_secrets() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    std::fs::write(
        &file,
        "[answer]\nqueue = 7\n\n[git]\ntokens = {\"a.example\" = \"ghp_s3cret\"}\n",
    )
    .unwrap();
    let output = foveate(&["config", "check", "--config", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = foveate(&["config", "show", "--json", "--config", path]);
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let settings = shown["settings"].as_array().unwrap();
    let queue = settings
        .iter()
        .find(|setting| setting["key"] == "answer.queue")
        .unwrap();
    assert_eq!(
        (&queue["value"], &queue["source"]),
        (&7.into(), &format!("{path}:2").into())
    );
    let deadline = settings
        .iter()
        .find(|setting| setting["key"] == "answer.deadline_ms")
        .unwrap();
    // The file has the table, but not the setting.
    assert_eq!(deadline["source"], "default");
    let shown = text(&foveate(&["config", "show", "--config", path]).stdout);
    assert!(
        shown.contains("***") && !shown.contains("s3cret"),
        "{shown}"
    );
    // The output of `config show` is a valid settings file.
    std::fs::write(&file, &shown).unwrap();
    let output = foveate(&["config", "check", "--config", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));

    std::fs::write(&file, "[answer]\nqueue = \"x\"\nrevisions = 0\n").unwrap();
    let output = foveate(&["config", "check", "--config", path]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains(&format!("({path}:2)")) && told.contains(&format!("({path}:3)")),
        "{told}"
    );
    let output = foveate(&["config", "show", "--config", path]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), told, "all errors, as by check");

    // A URL that the server would refuse; its password is not repeated.
    let url = "postgres://me:s3cret@db/app?sslmode=perhaps";
    std::fs::write(&file, format!("[storage]\ndatabase_url = \"{url}\"\n")).unwrap();
    let output = foveate(&["config", "check", "--config", path]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains("storage.database_url: ") && told.contains("sslmode"),
        "{told}"
    );
    assert!(!told.contains("s3cret"), "{told}");
}
