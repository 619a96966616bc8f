//! Selects the k highest of many values.

/// Values compared at once; most blocks hold none of the highest.
const BLOCK: usize = 16;

/// Returns the `limit` highest positive values with their positions, in unspecified order. Of equal values
/// the earlier position wins.
pub fn top_k(values: &[f32], limit: usize) -> Vec<(u32, f32)> {
    let limit = limit.min(values.len());
    let mut kept = Vec::with_capacity(2 * limit + BLOCK);
    // Values that are not above the lowest of the best so far are skipped: equal values that come later lose.
    let mut threshold = 0.0;
    for (block, start) in values.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
        let is_any = block
            .iter()
            .fold(false, |any, value| any | (*value > threshold));
        if !is_any {
            continue;
        }
        let above = (start..).zip(block.iter().copied());
        kept.extend(above.filter(|(_, value)| *value > threshold));
        if kept.len() >= 2 * limit {
            threshold = keep_highest(&mut kept, limit);
        }
    }
    keep_highest(&mut kept, limit);
    kept
}

/// Keeps the `limit` highest values, in unspecified order, and returns the lowest of them.
fn keep_highest(values: &mut Vec<(u32, f32)>, limit: usize) -> f32 {
    let last = limit.saturating_sub(1);
    let mut threshold = 0.0;
    if last < values.len() {
        threshold = values.select_nth_unstable_by(last, best_first).1.1;
    }
    values.truncate(limit);
    threshold
}

/// Orders by value, highest first, then by position.
pub fn best_first(a: &(u32, f32), b: &(u32, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn top_k_equals_sorted_prefix(
            values in proptest::collection::vec((-2..6i8).prop_map(f32::from), 0..200),
            limit in prop_oneof![0..20usize, Just(usize::MAX)],
        ) {
            let mut all: Vec<(u32, f32)> = (0..).zip(values.iter().copied()).collect();
            all.retain(|(_, value)| *value > 0.0);
            all.sort_by(best_first);
            all.truncate(limit);
            let mut found = top_k(&values, limit);
            found.sort_by(best_first);
            prop_assert_eq!(found, all);
        }
    }
}
