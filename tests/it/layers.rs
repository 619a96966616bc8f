//! Tests the layers of ARCHITECTURE.md: between crates and inside `src/`, no component names a component of a higher
//! layer or another one of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Components of `src/`, lowest layer first. Components of one layer must not use each other.
const LAYERS: [&[&str]; 8] = [
    &["config", "telemetry", "store", "disk"],
    &["access"],
    &["engine"],
    &["ingest"],
    &["wire", "eval", "feedback"],
    &["forge"],
    &["http", "cli", "mcp"],
    &["app"],
];

/// The workspace crates that each engine crate may use.
const CRATES: [(&str, &[&str]); 5] = [
    ("foveate-model", &[]),
    ("foveate-parse", &["foveate-model"]),
    ("foveate-index", &["foveate-model"]),
    (
        "foveate-query",
        &["foveate-model", "foveate-parse", "foveate-index"],
    ),
    (
        "foveate-fixture",
        &["foveate-model", "foveate-parse", "foveate-index"],
    ),
];
const OUTSIDE_WORLD: [&str; 14] = [
    "tokio", "axum", "hyper", "reqwest", "sqlx", "rusqlite", "notify", "tower", "tower-http",
    "figment", "clap", "metrics", "tracing-subscriber", "utoipa",
];

fn layer(component: &str) -> Option<usize> {
    LAYERS
        .iter()
        .position(|components| components.contains(&component))
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn components_use_only_lower_layers() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut components = BTreeSet::new();
    let mut edges: BTreeMap<(String, String), String> = BTreeMap::new();
    for path in sources(&src) {
        let below = path.strip_prefix(&src).unwrap();
        let first = below.iter().next().unwrap().to_str().unwrap();
        let component = first.trim_end_matches(".rs").to_owned();
        if ["lib", "main"].contains(&component.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // Comments count, too: naming a component in a comment is a dependency.
        for rest in text.split("crate::").skip(1) {
            let named: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            assert!(
                !rest.starts_with('{'),
                "{}: `crate::{{…}}` hides what is imported; name one component a line",
                below.display()
            );
            if named != component && layer(&named).is_some() {
                let file = below.display().to_string();
                edges.entry((component.clone(), named)).or_insert(file);
            }
        }
        components.insert(component);
    }
    for component in &components {
        assert!(
            layer(component).is_some(),
            "{component} is in no layer: add it to LAYERS"
        );
    }
    for ((from, to), file) in &edges {
        assert!(
            layer(to) < layer(from),
            "{file}: `{from}` must not know `{to}`"
        );
    }
    let known = |from: &str, to: &str| edges.contains_key(&(from.to_owned(), to.to_owned()));
    assert!(
        known("http", "engine") && known("ingest", "engine"),
        "the test sees edges"
    );
}

#[test]
fn engine_crates_use_only_allowed_dependencies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata", "--format-version", "1", "--no-deps", "--offline",
        ])
        .current_dir(root)
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let members: BTreeSet<&str> = packages
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    for (name, allowed) in CRATES {
        let package = packages.iter().find(|p| p["name"] == name).unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            if dependency["kind"] == "dev" {
                continue;
            }
            assert!(!OUTSIDE_WORLD.contains(&used), "{name} must not use {used}");
            assert!(
                !members.contains(used) || allowed.contains(&used),
                "{name} must not use {used}"
            );
        }
    }
    let known: BTreeSet<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    for member in members {
        assert!(
            member == "foveate" || known.contains(member),
            "{member} is in no layer"
        );
    }
}
