//! Validates which page of a list a lookup asks for.

use foveate_query::lookup::{Position, Window};

use super::fields::LimitRange;
use super::{InvalidLookup, cursor};
use crate::wire::whole_number::WholeNumber;

/// A validated page of the list that `lookup` describes.
#[derive(Clone, Debug)]
pub struct PageOf {
    lookup: String,
    pub(super) window: Window,
}

impl PageOf {
    /// Validates the raw limit and cursor.
    pub(super) fn new(
        lookup: String,
        limit: Option<WholeNumber>,
        cursor: Option<&str>,
        range: LimitRange,
    ) -> Result<Self, InvalidLookup> {
        let limit = range.check(limit)?;
        let after = cursor.map(|cursor| cursor::decode(&lookup, cursor));
        let window = Window {
            limit,
            after: after.transpose()?,
        };
        Ok(Self { lookup, window })
    }

    /// Returns the cursor of the next page.
    pub(super) fn cursor(&self, next: Option<&Position>) -> Option<String> {
        next.map(|position| cursor::encode(&self.lookup, position))
    }
}
