//! Converts scores to probabilities. The weights are fitted as a softmax over a query's candidates, so the softmax
//! of the scores estimates the probability that a candidate is the one to change. A linear function of its
//! log-odds corrects the remaining error (Platt: "Probabilistic Outputs for Support Vector Machines", 1999).

use serde::Deserialize;

/// A linear function from the log-odds of the softmax to those of the probability to be changed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// 1 if the softmax is well calibrated, less if it is overconfident.
    pub slope: f32,
    /// Above 0 if several candidates are right at a time.
    pub intercept: f32,
}

impl Calibration {
    /// Calibrates a probability.
    pub fn apply(self, probability: f32) -> f32 {
        self.apply_to_log(probability.max(f32::MIN_POSITIVE).ln())
    }

    /// Calibrates a probability given as its logarithm, which is exact for unlikely candidates.
    fn apply_to_log(self, log: f32) -> f32 {
        let odds = self.slope * log_odds(log) + self.intercept;
        1.0 / (1.0 + (-odds).exp())
    }
}

/// The probabilities of one list of candidates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probabilities {
    /// Logarithm of the sum of the exponentials of all scores.
    log_sum: f32,
    calibration: Calibration,
}

impl Probabilities {
    /// Computes the probabilities of the best candidates from their scores. The other candidates are ignored:
    /// together they weigh almost nothing.
    pub(super) fn new(best: &[(u32, f32)], calibration: Calibration) -> Self {
        let scores = || best.iter().map(|(_, score)| *score);
        let max = scores().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = scores().map(|score| (score - max).exp()).sum();
        Self {
            log_sum: max + sum.ln(),
            calibration,
        }
    }

    /// Returns the calibrated probability of a candidate with this score, 0 to 1.
    pub(super) fn of(&self, score: f32) -> f32 {
        self.calibration.apply_to_log(score - self.log_sum)
    }

    /// Returns the softmax of a candidate with this score, 0 to 1, uncalibrated.
    pub(super) fn share(&self, score: f32) -> f32 {
        (score - self.log_sum).exp().min(1.0)
    }

    /// Returns the score that has this probability: the inverse of [`Self::of`].
    pub(super) fn score_of(&self, probability: f32) -> f32 {
        let Calibration { slope, intercept } = self.calibration;
        let calibrated = log_odds(probability.max(f32::MIN_POSITIVE).ln());
        let odds = (calibrated - intercept) / slope;
        self.log_sum - (-odds).exp().ln_1p()
    }
}

/// Upper limit of the log-odds, so that nothing is certain. The lower limit is twice its negative.
const MAX_LOG_ODDS: f32 = 8.0;

/// Returns the log-odds of a probability given as its logarithm.
fn log_odds(log: f32) -> f32 {
    let rest = (-log.min(0.0).exp_m1()).max(f32::MIN_POSITIVE);
    (log - rest.ln()).clamp(-2.0 * MAX_LOG_ODDS, MAX_LOG_ODDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Calibration = Calibration {
        slope: 1.0,
        intercept: 0.0,
    };

    fn of(scores: &[f32], calibration: Calibration) -> Vec<f32> {
        let best: Vec<(u32, f32)> = (0..).zip(scores.iter().copied()).collect();
        let all = Probabilities::new(&best, calibration);
        scores.iter().map(|score| all.of(*score)).collect()
    }

    #[test]
    fn identity_calibration_gives_the_softmax() {
        let found = of(&[2.0, 1.0, 1.0], IDENTITY);
        let (e, sum) = (1.0f32.exp(), 1.0f32.exp() + 2.0);
        assert!((found[0] - e / sum).abs() < 1e-5, "{found:?}");
        assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn calibration_keeps_order_and_stays_below_one() {
        let damped = Calibration {
            slope: 0.8,
            intercept: 0.3,
        };
        for scores in [&[90.0, 2.0, -90.0][..], &[0.0], &[5.0, 4.9, 4.8, -1.0]] {
            for calibration in [IDENTITY, damped] {
                let found = of(scores, calibration);
                assert!(found.iter().all(|p| (0.0..1.0).contains(p)), "{found:?}");
                assert!(found.is_sorted_by(|a, b| a >= b), "{found:?}");
            }
        }
    }

    #[test]
    fn score_of_inverts_probability() {
        let best: Vec<(u32, f32)> = vec![(0, 3.0), (1, 2.0), (2, -1.0)];
        let calibration = Calibration {
            slope: 0.8,
            intercept: 0.3,
        };
        let all = Probabilities::new(&best, calibration);
        for (_, score) in &best {
            let back = all.score_of(all.of(*score));
            assert!((back - score).abs() < 1e-3, "{back} {score}");
        }
    }

    #[test]
    fn empty_candidates_do_not_panic() {
        assert!(of(&[], IDENTITY).is_empty());
    }
}
