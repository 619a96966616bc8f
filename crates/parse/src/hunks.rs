//! Which lines begin a function or a class, and its name: patterns for git, which writes the last
//! such line above a change into the change's head, and the same by hand for changed lines. A line
//! is all that is looked at, so this errs on odd layouts; no source is parsed here.

pub(crate) mod heads;

use std::fmt::Write as _;

pub use self::heads::HunkHeads;
use self::heads::Pattern;
use crate::languages;

/// The attributes file that gives each extension its pattern.
pub fn attributes() -> String {
    let mut text = String::new();
    for heads in all() {
        let (Pattern::Git(name) | Pattern::Own(name, _)) = heads.pattern;
        for extension in heads.extensions {
            // Writing to a string never fails.
            let _ = writeln!(text, "*.{extension} diff={name}");
        }
    }
    text
}

/// The settings, `key=value`, that tell git the patterns.
pub fn settings() -> Vec<String> {
    let mut settings: Vec<String> = all()
        .filter_map(|heads| match heads.pattern {
            Pattern::Own(name, pattern) => Some(format!("diff.{name}.xfuncname={pattern}")),
            Pattern::Git(_) => None,
        })
        .collect();
    settings.sort_unstable();
    settings.dedup();
    settings
}

/// Extensions of the files whose functions are read.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    all().flat_map(|heads| heads.extensions).copied()
}

/// How definitions begin in the file at a path; `None` for one whose functions are not read.
pub fn of_path(path: &str) -> Option<&'static HunkHeads> {
    let (_, extension) = path.rsplit_once('.')?;
    all().find(|heads| heads.extensions.contains(&extension))
}

fn all() -> impl Iterator<Item = &'static HunkHeads> {
    languages::all().filter_map(|spec| spec.hunks.as_ref())
}
