//! Encodes the position of a page as an opaque text that clients send back. It identifies a position in a
//! list and the lookup that produced the list; it grants no access.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use foveate_query::lookup::{Position, Window};
use xxhash_rust::xxh3::xxh3_64;

use super::InvalidLookup;
use super::fields::LimitRange;
use crate::wire::whole_number::WholeNumber;

/// Longest cursor, in bytes.
const MAX_CURSOR: usize = 6000;
/// First byte of cursors of this format.
const VERSION: u8 = 1;

/// Makes the cursors of the list that a lookup describes.
pub(super) struct Cursors(String);

impl Cursors {
    /// Returns the cursor of the page that begins after a position.
    pub(super) fn encode(&self, next: Option<&Position>) -> Option<String> {
        next.map(|position| encode(&self.0, position))
    }
}

/// Validates which page of the list that `lookup` describes is asked for.
pub(super) fn page(
    lookup: String,
    limit: Option<WholeNumber>,
    cursor: Option<String>,
    range: LimitRange,
) -> Result<(Window, Cursors), InvalidLookup> {
    let limit = range.check(limit)?;
    let after = cursor.map(|cursor| decode(&lookup, &cursor)).transpose()?;
    Ok((Window { limit, after }, Cursors(lookup)))
}

/// Encodes a position in the list that `lookup` describes.
fn encode(lookup: &str, position: &Position) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(xxh3_64(lookup.as_bytes()).to_le_bytes());
    for number in [position.tier, position.line, position.ordinal] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(position.path.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes the position of a cursor.
fn decode(lookup: &str, cursor: &str) -> Result<Position, InvalidLookup> {
    let refuse = |reason: &str| InvalidLookup::new("cursor", reason);
    let malformed = || refuse("is not valid: leave it out to start from the beginning");
    if cursor.len() > MAX_CURSOR {
        return Err(malformed());
    }
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| malformed())?;
    let (head, rest) = bytes.split_first_chunk::<21>().ok_or_else(malformed)?;
    let path = std::str::from_utf8(rest).map_err(|_| malformed())?;
    let (version, numbers) = head.split_at(1);
    if version != [VERSION] {
        return Err(malformed());
    }
    let (fingerprint, numbers) = numbers.split_at(8);
    if fingerprint != xxh3_64(lookup.as_bytes()).to_le_bytes() {
        return Err(refuse(
            "belongs to another lookup: send it with the same parameters, or leave it out",
        ));
    }
    let mut numbers = numbers.as_chunks::<4>().0.iter();
    let mut number = || numbers.next().map(|bytes| u32::from_le_bytes(*bytes));
    let mut number = || number().ok_or_else(malformed);
    Ok(Position {
        tier: number()?,
        line: number()?,
        ordinal: number()?,
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_is_accepted_for_its_own_lookup_only() {
        let position = Position {
            tier: 3,
            path: "src/größe.py".to_owned(),
            line: 7,
            ordinal: 9,
        };
        let cursor = encode("name a", &position);
        assert_eq!(decode("name a", &cursor), Ok(position));
        let other = decode("name b", &cursor).expect_err("another lookup");
        assert!(other.reason.contains("another lookup"), "{other}");
        let long = "A".repeat(MAX_CURSOR + 1);
        for bad in ["", "x", "AAAA", "ä", &cursor[..20], &cursor[1..], &long] {
            let refused = decode("name a", bad).expect_err(bad);
            assert_eq!(refused.field, "cursor", "{bad}");
        }
    }
}
