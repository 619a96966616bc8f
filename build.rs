//! Passes the origin of the build to the program: the commit, the profile, the target and the versions of the grammars.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    for (name, value) in [
        ("COMMIT", commit(&root)),
        ("PROFILE", profile(Path::new(&variable("OUT_DIR")))),
        ("TARGET", variable("TARGET")),
        ("GRAMMARS", grammars(&root)),
    ] {
        println!("cargo::rustc-env=FOVEATE_BUILD_{name}={value}");
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// Returns the commit: from the environment if the build has no repository (an image), else from git, else from the
/// file that Cargo writes into a packaged crate.
fn commit(root: &Path) -> String {
    println!("cargo::rerun-if-env-changed=FOVEATE_COMMIT");
    let named = variable("FOVEATE_COMMIT");
    let found = [
        Some(named),
        commit_of_repository(root),
        commit_of_package(root),
    ];
    let is_id = |text: &String| text.len() >= 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let found = found.into_iter().flatten().find(is_id);
    found.unwrap_or_else(|| "unknown".to_owned())
}

/// Ignores an enclosing repository, such as one that contains this source as a part.
fn commit_of_repository(root: &Path) -> Option<String> {
    if !root.join(".git").exists() {
        return None;
    }
    // Both change with each commit and each checkout, also in a linked working tree.
    for file in ["HEAD", "logs/HEAD"] {
        let path = root.join(git(root, &["rev-parse", "--git-path", file])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(root, &["rev-parse", "HEAD"])
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(root)
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn commit_of_package(root: &Path) -> Option<String> {
    let text = std::fs::read_to_string(root.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// Returns the profile's own name, which only the output directory has: Cargo passes `debug` or `release`.
fn profile(out: &Path) -> String {
    let mut names = out.iter().rev().map(|part| part.to_string_lossy());
    let _ = names.find(|name| name == "build");
    match names.next().as_deref() {
        Some("debug") => "dev".to_owned(),
        Some(name) => name.to_owned(),
        None => variable("PROFILE"),
    }
}

/// Returns the grammars with their versions, which Cargo.toml pins.
fn grammars(root: &Path) -> String {
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let lock = std::fs::read_to_string(lock).unwrap_or_default();
    let value = |package: &str, key: &str| {
        let rest = package.lines().find_map(|line| line.strip_prefix(key))?;
        Some(rest.trim_matches([' ', '=', '"']).to_owned())
    };
    let grammars = lock.split("[[package]]").filter_map(|package| {
        let name = value(package, "name")?;
        let grammar = name.strip_prefix("tree-sitter-")?;
        let version = value(package, "version")?;
        (grammar != "language").then(|| format!("{grammar} {version}"))
    });
    grammars.collect::<Vec<_>>().join(", ")
}
