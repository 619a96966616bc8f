//! How far probabilities may be trusted: what was predicted beside what came true.

use serde::{Deserialize, Serialize};

/// A probability, and whether what it was given to is right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// 0 to 1.
    pub probability: f64,
    /// Whether it came true.
    pub right: bool,
}

/// How many bins there are, of equal width.
pub const BINS: usize = 10;

/// The predictions of one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// How many.
    pub count: usize,
    /// Their mean probability.
    pub predicted: f64,
    /// The share of them that is right.
    pub right: f64,
}

/// Predictions in [`BINS`] bins by their probability.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reliability {
    /// The least likely first.
    pub bins: [Bin; BINS],
}

impl Reliability {
    /// Of some predictions.
    pub fn of(predictions: impl Iterator<Item = Prediction>) -> Self {
        let mut bins = [Bin::default(); BINS];
        for Prediction { probability, right } in predictions {
            let at = (probability * BINS as f64) as usize;
            let bin = &mut bins[at.min(BINS - 1)];
            bin.count += 1;
            bin.predicted += probability;
            bin.right += f64::from(u8::from(right));
        }
        for bin in &mut bins {
            let count = bin.count.max(1) as f64;
            bin.predicted /= count;
            bin.right /= count;
        }
        Self { bins }
    }

    /// How many predictions there are.
    pub fn count(&self) -> usize {
        self.bins.iter().map(|bin| bin.count).sum()
    }

    /// Expected calibration error: the mean over all predictions of how far the shares of their bins
    /// are from what was predicted (Naeini, Cooper and Hauskrecht: "Obtaining Well Calibrated
    /// Probabilities Using Bayesian Binning", 2015).
    pub fn error(&self) -> f64 {
        let apart = |bin: &Bin| bin.count as f64 * (bin.predicted - bin.right).abs();
        let sum: f64 = self.bins.iter().map(apart).sum();
        sum / self.count().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_mean_distance_from_what_was_predicted() {
        let predictions = |probability, right: usize, all: usize| {
            (0..all).map(move |at| Prediction {
                probability,
                right: at < right,
            })
        };
        let exact = Reliability::of(predictions(0.25, 5, 20).chain(predictions(1.0, 4, 4)));
        assert_eq!((exact.count(), exact.error()), (24, 0.0));
        assert_eq!(exact.bins[2].count, 20);
        assert_eq!(exact.bins[9].right, 1.0);
        // A half of the predictions is 0.5 too sure.
        let sure = Reliability::of(predictions(0.9, 2, 5).chain(predictions(0.4, 2, 5)));
        assert!((sure.error() - 0.25).abs() < 1e-9, "{sure:?}");
        assert_eq!(Reliability::of(std::iter::empty()).error(), 0.0);
    }
}
