//! Measures how reliable predicted probabilities are: compares them with the outcomes.

use serde::{Deserialize, Serialize};

/// A predicted probability, and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// 0 to 1.
    pub probability: f64,
    /// Whether the prediction came true.
    pub right: bool,
}

/// Number of bins of equal width.
pub const BINS: usize = 10;

/// The predictions of one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Number of predictions.
    pub count: usize,
    /// Their mean probability.
    pub predicted: f64,
    /// The share of them that came true.
    pub right: f64,
}

/// Predictions, grouped by probability into [`BINS`] bins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reliability {
    /// The bins, the lowest probabilities first.
    pub bins: [Bin; BINS],
}

impl Reliability {
    /// Groups predictions into bins.
    pub fn of(predictions: impl Iterator<Item = Prediction>) -> Self {
        let mut bins = [Bin::default(); BINS];
        for Prediction { probability, right } in predictions {
            let at = (probability * BINS as f64) as usize;
            let bin = &mut bins[at.min(BINS - 1)];
            bin.count += 1;
            bin.predicted += probability;
            bin.right += f64::from(right);
        }
        for bin in &mut bins {
            let count = bin.count.max(1) as f64;
            bin.predicted /= count;
            bin.right /= count;
        }
        Self { bins }
    }

    /// Returns the number of predictions.
    pub fn count(&self) -> usize {
        self.bins.iter().map(|bin| bin.count).sum()
    }

    /// Computes the expected calibration error: the mean over all predictions of the distance between the share of
    /// their bin that came true and its mean probability (Naeini, Cooper and Hauskrecht: "Obtaining Well
    /// Calibrated Probabilities Using Bayesian Binning", 2015).
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
    fn error_is_mean_distance_of_share_from_prediction() {
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
        // Half of the predictions are 0.5 too confident.
        let sure = Reliability::of(predictions(0.9, 2, 5).chain(predictions(0.4, 2, 5)));
        assert!((sure.error() - 0.25).abs() < 1e-9, "{sure:?}");
        assert_eq!(Reliability::of(std::iter::empty()).error(), 0.0);
    }
}
