//! Scores to probabilities. The weights are those of a softmax over a query's candidates, so that
//! the softmax of the scores says how likely each is the one to be changed; a line through its
//! log-odds corrects what is left (Platt: "Probabilistic Outputs for Support Vector Machines", 1999).

use serde::Deserialize;

/// The line that turns the log-odds of the softmax into those of the chance to be changed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// 1 where the softmax is as sure as it should be, less where it is too sure.
    pub slope: f32,
    /// Above 0 where several candidates are right at a time.
    pub intercept: f32,
}

impl Calibration {
    /// A probability, calibrated.
    pub fn apply(self, probability: f32) -> f32 {
        self.of_log(probability.max(f32::MIN_POSITIVE).ln())
    }

    /// The same, of the logarithm of a probability: that of an unlikely candidate is exact there.
    fn of_log(self, log: f32) -> f32 {
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
    /// Those of the best candidates, given with their scores: the others together weigh nothing.
    pub(super) fn new(best: &[(u32, f32)], calibration: Calibration) -> Self {
        let scores = || best.iter().map(|(_, score)| *score);
        let most = scores().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = scores().map(|score| (score - most).exp()).sum();
        Self {
            log_sum: most + sum.ln(),
            calibration,
        }
    }

    /// Of a candidate with this score, 0 to 1.
    pub(super) fn of(&self, score: f32) -> f32 {
        self.calibration.of_log(score - self.log_sum)
    }

    /// The softmax of a candidate with this score, 0 to 1, as it is.
    pub(super) fn share(&self, score: f32) -> f32 {
        (score - self.log_sum).exp().min(1.0)
    }

    /// The score that has this probability: the inverse of [`Self::of`].
    pub(super) fn score_of(&self, probability: f32) -> f32 {
        let Calibration { slope, intercept } = self.calibration;
        let calibrated = log_odds(probability.max(f32::MIN_POSITIVE).ln());
        let odds = (calibrated - intercept) / slope;
        self.log_sum - (-odds).exp().ln_1p()
    }
}

/// Most that the logarithm of the odds is, either way: nothing is certain.
const SUREST: f32 = 8.0;

/// The log-odds of a probability that is given as its logarithm.
fn log_odds(log: f32) -> f32 {
    let rest = (-log.min(0.0).exp_m1()).max(f32::MIN_POSITIVE);
    (log - rest.ln()).clamp(-2.0 * SUREST, SUREST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AS_IT_IS: Calibration = Calibration {
        slope: 1.0,
        intercept: 0.0,
    };

    fn of(scores: &[f32], calibration: Calibration) -> Vec<f32> {
        let best: Vec<(u32, f32)> = (0..).zip(scores.iter().copied()).collect();
        let all = Probabilities::new(&best, calibration);
        scores.iter().map(|score| all.of(*score)).collect()
    }

    #[test]
    fn without_a_correction_they_are_the_softmax() {
        let found = of(&[2.0, 1.0, 1.0], AS_IT_IS);
        let (e, sum) = (1.0f32.exp(), 1.0f32.exp() + 2.0);
        assert!((found[0] - e / sum).abs() < 1e-5, "{found:?}");
        assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_order_stays_and_nothing_is_certain() {
        let timid = Calibration {
            slope: 0.8,
            intercept: 0.3,
        };
        for scores in [&[90.0, 2.0, -90.0][..], &[0.0], &[5.0, 4.9, 4.8, -1.0]] {
            for calibration in [AS_IT_IS, timid] {
                let found = of(scores, calibration);
                assert!(found.iter().all(|p| (0.0..1.0).contains(p)), "{found:?}");
                assert!(found.is_sorted_by(|a, b| a >= b), "{found:?}");
            }
        }
    }

    #[test]
    fn a_probability_leads_back_to_its_score() {
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
    fn no_candidates_give_no_panic() {
        assert!(of(&[], AS_IT_IS).is_empty());
    }
}
