//! The documents keep up with the tree: ARCHITECTURE.md names every crate and top module, and no
//! link between documents leads nowhere.

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(directory: &str) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(root().join(directory))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    entries
}

#[test]
fn the_architecture_names_every_crate_and_top_module() {
    let text = read("ARCHITECTURE.md");
    let crates = entries("crates").into_iter().filter(|path| path.is_dir());
    let modules = entries("src").into_iter().filter(|path| path.is_file());
    for path in crates.chain(modules) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if name != "src/lib.rs" {
            assert!(text.contains(&format!("`{name}`")), "ARCHITECTURE.md lacks `{name}`");
        }
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = read(document);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let file = target.split('#').next().unwrap_or(target);
            assert!(root().join(file).exists(), "{document} links to {target}");
        }
    }
}
