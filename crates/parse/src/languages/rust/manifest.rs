//! Reads names from a `Cargo.toml`: that of the package, the library's file, and dependencies that are
//! used under other names. It reads lines, without a TOML parser: manifests are written plainly.

/// The name of a crate in the sources, and that of its package.
pub(super) type Renamed = (Box<str>, Box<str>);

/// Names read from a manifest.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// The name of the library, or of the package.
    pub(super) name: Option<String>,
    /// The file of the library.
    pub(super) library: Option<String>,
    pub(super) renamed: Vec<Renamed>,
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
            (section, key) => match dependency(section, key) {
                Some((name, "")) => {
                    for part in value.trim_matches(['{', '}', ' ']).split(',') {
                        if let Some((key, value)) = part.split_once('=') {
                            found.add(name, key.trim(), value.trim());
                        }
                    }
                }
                Some((name, key)) => found.add(name, key, value),
                None => {}
            },
        }
    }
    found.name = library_name.or(found.name);
    found
}

/// Returns the name of the dependency that a line is about, and which key of it the line sets; no key for all of
/// them: `a = {…}` and `a.package = …` in `[dependencies]`, and the lines in `[dependencies.a]`.
fn dependency<'a>(section: &'a str, key: &'a str) -> Option<(&'a str, &'a str)> {
    if section.ends_with("dependencies") {
        return Some(key.split_once('.').unwrap_or((key, "")));
    }
    let (_, name) = section.split_once("dependencies.")?;
    Some((name, key))
}

impl Manifest {
    /// Adds what a key says of a dependency.
    fn add(&mut self, name: &str, key: &str, value: &str) {
        if let ("package", Some(package)) = (key, quoted(value)) {
            self.renamed.push((crate_name(name), crate_name(&package)));
        }
    }
}

fn crate_name(written: &str) -> Box<str> {
    written.trim_matches('"').replace('-', "_").into()
}

/// Returns the text of the quoted string that a value begins with.
fn quoted(value: &str) -> Option<String> {
    let mark = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let text = value.get(1..)?.split(mark).next()?;
    Some(text.to_owned())
}
