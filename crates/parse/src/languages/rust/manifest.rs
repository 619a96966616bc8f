//! Reads names from a `Cargo.toml`: that of the package, the library's file, and dependencies that are
//! used under other names. It reads lines, without a TOML parser: manifests are written plainly.

/// Names read from a manifest.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// The name of the library, or of the package.
    pub(super) name: Option<String>,
    /// The file of the library.
    pub(super) library: Option<String>,
    /// Names of crates in the sources, with the names of their packages.
    pub(super) renamed: Vec<(Box<str>, Box<str>)>,
}

pub(super) fn manifest(text: &str) -> Manifest {
    let mut found = Manifest::default();
    let mut library_name = None;
    let mut section = "";
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix('[') {
            section = rest
                .trim_start_matches('[')
                .split(']')
                .next()
                .unwrap_or("")
                .trim();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        match (section, key) {
            ("package" | "project", "name") => found.name = quoted(value),
            ("lib", "name") => library_name = quoted(value),
            ("lib", "path") => found.library = quoted(value),
            (section, key) if section.ends_with("dependencies") => {
                let mut parts = value.trim_matches(['{', '}', ' ']).split(',');
                let package = parts.find_map(|part| {
                    let (key, value) = part.split_once('=')?;
                    (key.trim() == "package").then(|| quoted(value.trim()))?
                });
                found
                    .renamed
                    .extend(package.map(|package| crate_names(key, &package)));
            }
            (section, "package") => {
                // `[dependencies.a]`
                let name = section.split_once("dependencies.").map(|(_, name)| name);
                let package = quoted(value);
                found
                    .renamed
                    .extend(name.zip(package).map(|(n, p)| crate_names(n, &p)));
            }
            _ => {}
        }
    }
    found.name = library_name.or(found.name);
    found
}

fn crate_names(used: &str, package: &str) -> (Box<str>, Box<str>) {
    let name = |written: &str| written.trim_matches('"').replace('-', "_").into();
    (name(used), name(package))
}

/// Returns the text of the quoted string that a value begins with.
fn quoted(value: &str) -> Option<String> {
    let mark = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let text = value.get(1..)?.split(mark).next()?;
    Some(text.to_owned())
}
