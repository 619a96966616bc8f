//! Validates the parameters that several lookups share.

use foveate_model::{Lines, RepoPath};

use super::InvalidLookup;
use crate::wire::whole_number::WholeNumber;

/// Longest name, in characters.
pub(super) const MAX_NAME_CHARS: usize = 500;
/// Longest text or regular expression, in characters.
pub(super) const MAX_QUERY_CHARS: usize = 1000;
/// Longest path, in characters.
const MAX_PATH_CHARS: usize = 1024;

/// Default and maximum of a page's number of items.
#[derive(Clone, Copy, Debug)]
pub struct LimitRange {
    /// Default.
    pub default: usize,
    /// Maximum.
    pub max: usize,
}

/// Definitions, references and search matches per page.
pub(super) const ITEM_LIMIT: LimitRange = LimitRange::new(20, 100);
/// Definitions of a file per page.
pub(super) const OUTLINE_LIMIT: LimitRange = LimitRange::new(200, 1000);
/// Lines of a file per page.
pub const FILE_LIMIT: LimitRange = LimitRange::new(1000, 5000);

impl LimitRange {
    const fn new(default: usize, max: usize) -> Self {
        Self { default, max }
    }

    pub(super) fn check(self, limit: Option<WholeNumber>) -> Result<usize, InvalidLookup> {
        let Some(WholeNumber(limit)) = limit else {
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

/// Validates a required text: present, not blank and not too long.
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

/// Validates the prefix that paths must begin with: a directory or any other prefix; empty for all paths.
pub(super) fn path_prefix(value: Option<String>) -> Result<String, InvalidLookup> {
    let value = value.unwrap_or_default();
    if value.chars().count() > MAX_PATH_CHARS {
        let reason = format!("has more than {MAX_PATH_CHARS} characters");
        return Err(InvalidLookup::new("path", reason));
    }
    let path_prefix = value.trim_start_matches("./");
    if path_prefix.starts_with('/') {
        let reason = "is absolute: give it relative to the repository's root";
        return Err(InvalidLookup::new("path", reason));
    }
    Ok(if path_prefix == "." { "" } else { path_prefix }.to_owned())
}

/// Parses `12` or `12-40`.
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
        (Some(start), Some(end)) if 1 <= end && end < start => {
            let reason = format!("cannot be used: {start} is after {end}");
            Err(InvalidLookup::new("lines", reason))
        }
        _ => Err(InvalidLookup::new(
            "lines",
            "must be a line such as 12 or lines such as 12-40, counted from 1",
        )),
    }
}

/// Validates a 1-based line.
pub(super) fn line(WholeNumber(value): WholeNumber) -> Result<u32, InvalidLookup> {
    match u32::try_from(value) {
        Ok(line) if line > 0 => Ok(line),
        _ => Err(InvalidLookup::new("line", "must be 1 to 4294967295")),
    }
}
