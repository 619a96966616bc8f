//! Linear models over named features, whose weights are built into the program.

use fst::Map;

/// Unit of the weights.
pub(super) const UNIT: f32 = 0.01;
/// Bytes of a stored weight.
const BYTES: usize = size_of::<i16>();

/// A model with one score per class.
pub(super) struct LinearModel<const CLASSES: usize> {
    /// The row number of each feature.
    rows: Map<&'static [u8]>,
    weights: &'static [u8],
}

impl<const CLASSES: usize> LinearModel<CLASSES> {
    /// Reads tables that `build.rs` wrote.
    pub(super) fn new(rows: &'static [u8], weights: &'static [u8]) -> Self {
        match Map::new(rows) {
            Ok(rows) => Self { rows, weights },
            Err(error) => unreachable!("the features that were built in: {error}"),
        }
    }

    /// Returns the weights of a feature.
    pub(super) fn row(&self, feature: &str) -> Option<[f32; CLASSES]> {
        let row = usize::try_from(self.rows.get(feature)?).ok()?;
        let (weights, _) = self.weights.as_chunks::<BYTES>();
        let row = weights.get(row * CLASSES..)?.first_chunk::<CLASSES>()?;
        Some(row.map(|weight| f32::from(i16::from_le_bytes(weight)) * UNIT))
    }
}

/// Turns scores into probabilities.
pub(super) fn softmax<const CLASSES: usize>(scores: [f32; CLASSES]) -> [f32; CLASSES] {
    let max_score = scores.iter().copied().fold(f32::MIN, f32::max);
    let odds = scores.map(|score| (score - max_score).exp());
    let sum: f32 = odds.iter().sum();
    odds.map(|odd| odd / sum)
}
