//! The fields that lookups share, validated.

use foveate_model::{Lines, RepoPath};

use super::InvalidLookup;
use crate::engine::LookupPlace;
use crate::ingest::git::reference;
use crate::wire::whole::Whole;

/// Characters of a name.
pub(super) const MAX_NAME_CHARS: usize = 500;
/// Characters of a text or regular expression.
pub(super) const MAX_QUERY_CHARS: usize = 1000;
/// Characters of a path.
const MAX_PATH_CHARS: usize = 1024;

/// How many items a page has where nothing is said, and at most.
#[derive(Clone, Copy, Debug)]
pub struct LimitRange {
    /// Where nothing is said.
    pub default: usize,
    /// At most.
    pub max: usize,
}

/// Definitions and references on a page.
pub(super) const DEFINITION_LIMIT: LimitRange = LimitRange {
    default: 20,
    max: 100,
};
/// Things found on a page.
pub(super) const SEARCH_LIMIT: LimitRange = LimitRange {
    default: 20,
    max: 100,
};
/// Definitions of a file on a page.
pub(super) const OUTLINE_LIMIT: LimitRange = LimitRange {
    default: 200,
    max: 1000,
};
/// Lines of a file on a page.
pub const FILE_LIMIT: LimitRange = LimitRange {
    default: 1000,
    max: 5000,
};

impl LimitRange {
    pub(super) fn check(self, limit: Option<Whole>) -> Result<usize, InvalidLookup> {
        let Some(Whole(limit)) = limit else {
            return Ok(self.default);
        };
        match usize::try_from(limit) {
            Ok(limit) if (1..=self.max).contains(&limit) => Ok(limit),
            _ => Err(InvalidLookup::new(
                "limit",
                format!("must be 1 to {}, not {limit}", self.max),
            )),
        }
    }
}

pub(super) fn place(repo: String, reference: Option<String>) -> Result<LookupPlace, InvalidLookup> {
    if let Some(reference) = &reference {
        reference::check(reference)
            .map_err(|error| InvalidLookup::new("ref", format!("cannot be used: {error}")))?;
    }
    Ok(LookupPlace { repo, reference })
}

/// A text that is there, is not blank and is not too long.
pub(super) fn text(
    field: &'static str,
    value: Option<String>,
    max_chars: usize,
) -> Result<String, InvalidLookup> {
    let value = value.ok_or_else(|| InvalidLookup::new(field, "is missing"))?;
    if value.trim().is_empty() {
        return Err(InvalidLookup::new(field, "is empty"));
    }
    if value.chars().count() > max_chars {
        let reason = format!("has more than {max_chars} characters");
        return Err(InvalidLookup::new(field, reason));
    }
    Ok(value)
}

pub(super) fn path(value: Option<String>) -> Result<RepoPath, InvalidLookup> {
    let value = text("path", value, MAX_PATH_CHARS)?;
    RepoPath::from_typed(&value)
        .map_err(|error| InvalidLookup::new("path", format!("cannot be used: {error}")))
}

/// What paths begin with: a directory or any other prefix; empty for all.
pub(super) fn below(value: Option<String>) -> Result<String, InvalidLookup> {
    let value = value.unwrap_or_default();
    if value.chars().count() > MAX_PATH_CHARS {
        let reason = format!("has more than {MAX_PATH_CHARS} characters");
        return Err(InvalidLookup::new("path", reason));
    }
    let below = value.trim_start_matches("./");
    if below.starts_with('/') {
        let reason = "is absolute: give it relative to the repository's root";
        return Err(InvalidLookup::new("path", reason));
    }
    Ok(if below == "." { "" } else { below }.to_owned())
}

/// `12` or `12-40`.
pub(super) fn lines(value: Option<String>) -> Result<Option<Lines>, InvalidLookup> {
    let Some(value) = value else {
        return Ok(None);
    };
    let (start, end) = value.split_once('-').unwrap_or((&value, &value));
    let number = |text: &str| {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| is_plain)
    };
    match (number(start), number(end)) {
        (Some(start), Some(end)) if 1 <= start && start <= end => Ok(Some(Lines::new(start, end))),
        _ => Err(InvalidLookup::new(
            "lines",
            "must be a line such as 12 or lines such as 12-40, the first of which is 1",
        )),
    }
}

/// A 1-based line.
pub(super) fn line(Whole(value): Whole) -> Result<u32, InvalidLookup> {
    match u32::try_from(value) {
        Ok(line) if line > 0 => Ok(line),
        _ => Err(InvalidLookup::new("line", "must be 1 or more")),
    }
}
