//! Recognises lines that begin a function or class, and their names. Git gets patterns, with which it
//! writes the last such line above a change into the hunk header; changed lines are matched by hand. Only
//! single lines are examined and no source is parsed, so odd layouts are misread. [`variables`] recognises constants and
//! variables.

pub(crate) mod heads;
mod variables;

use std::fmt::Write as _;

pub use self::heads::HunkHeads;
use self::heads::Pattern;
pub use self::variables::{begins_class, indentation, is_constant, variable};
use crate::languages;

/// Returns the attributes file that assigns each extension its pattern.
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

/// Returns the settings, `key=value`, that define the patterns for git.
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

/// Returns the extensions of the files whose functions are recognised.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    all().flat_map(|heads| heads.extensions).copied()
}

/// Returns the rules for the file at a path; `None` if its functions are not recognised.
pub fn of_path(path: &str) -> Option<&'static HunkHeads> {
    let (_, extension) = path.rsplit_once('.')?;
    all().find(|heads| heads.extensions.contains(&extension))
}

fn all() -> impl Iterator<Item = &'static HunkHeads> {
    languages::all().filter_map(|spec| spec.hunks.as_ref())
}
