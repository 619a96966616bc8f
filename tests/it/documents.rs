//! Tests that the documents match the tree: ARCHITECTURE.md names every crate and top module, docs/security.md
//! names existing tests, and links between documents have a target, with their anchors.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(directory: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut entries = std::fs::read_dir(root().join(directory))?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<Vec<_>, _>>()?;
    entries.sort();
    Ok(entries)
}

#[test]
fn architecture_names_every_crate_and_top_module() -> std::io::Result<()> {
    let text = read("ARCHITECTURE.md");
    let crates = entries("crates")?.into_iter().filter(|path| path.is_dir());
    let modules = entries("src")?.into_iter().filter(|path| path.is_file());
    for path in crates.chain(modules) {
        let name = path.strip_prefix(root()).unwrap_or(&path).display();
        let name = format!("`{name}`");
        assert!(
            name == "`src/lib.rs`" || text.contains(&name),
            "ARCHITECTURE.md lacks {name}"
        );
    }
    Ok(())
}

#[test]
fn every_defence_names_existing_tests() {
    let text = read("docs/security.md");
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split('|').nth(3));
    let named: BTreeSet<&str> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(named.len() > 60, "{named:?}");
    let mut files: Vec<PathBuf> = ["src", "crates", "tests"].map(|d| root().join(d)).into();
    let mut functions = BTreeSet::new();
    while let Some(path) = files.pop() {
        if path.ends_with("node_modules") {
            continue;
        }
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            files.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path
            .extension()
            .is_some_and(|e| e == "rs" || e == "py" || e == "mjs")
        {
            let text = read(path);
            let words = text.split_whitespace();
            let names = words.clone().zip(words.skip(1));
            let names = names.filter(|(word, _)| ["fn", "def", "function"].contains(word));
            let name = |name: &str| name.split('(').next().unwrap_or_default().to_owned();
            functions.extend(names.map(|(_, text)| name(text)));
        }
    }
    for test in named {
        assert!(
            functions.contains(test),
            "docs/security.md names {test}, which is nowhere"
        );
    }
}

/// Returns the anchors that forges make of a document's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        title.chars().filter(is_kept).collect()
    };
    headings
        .map(|heading| anchor(heading).replace(' ', "-"))
        .collect()
}

#[test]
fn document_links_have_targets() -> std::io::Result<()> {
    let mut documents = Vec::new();
    for directory in ["", "docs", "docs/log"] {
        documents.extend(entries(directory)?);
    }
    documents.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    assert!(documents.len() > 20, "{documents:?}");
    for document in documents {
        let text = std::fs::read_to_string(&document)?;
        let links = text.split("](").skip(1);
        let targets = links.filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => document.clone(),
                _ => document.with_file_name("").join(file),
            };
            let link = format!("{} links to {target}", document.display());
            assert!(path.exists(), "{link}");
            if !anchor.is_empty() {
                let anchors = anchors(&std::fs::read_to_string(&path)?);
                assert!(anchors.contains(anchor), "{link}");
            }
        }
    }
    Ok(())
}
