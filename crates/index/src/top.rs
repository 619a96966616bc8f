//! The highest of many values.

/// Values compared at once: most of them are none of the highest.
const BLOCK: usize = 16;

/// The positions of the highest positive values with these, in no order; of equal values the first.
pub fn highest(values: &[f32], most: usize) -> Vec<(u32, f32)> {
    let most = most.min(values.len());
    let mut kept = Vec::with_capacity(2 * most + BLOCK);
    // What is not above the least of the best so far is none of them: equal ones that come later lose.
    let mut least = 0.0;
    for (block, start) in values.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
        let is_any = block
            .iter()
            .fold(false, |any, value| any | (*value > least));
        if !is_any {
            continue;
        }
        let above = (start..).zip(block.iter().copied());
        kept.extend(above.filter(|(_, value)| *value > least));
        if kept.len() >= 2 * most {
            least = keep(&mut kept, most);
        }
    }
    keep(&mut kept, most);
    kept
}

/// Keeps the highest, in no order; gives the last of them.
fn keep(values: &mut Vec<(u32, f32)>, most: usize) -> f32 {
    let last = most.saturating_sub(1);
    let mut least = 0.0;
    if last < values.len() {
        least = values.select_nth_unstable_by(last, best_first).1.1;
    }
    values.truncate(most);
    least
}

/// The higher value first, of equal ones the lower position.
pub fn best_first(a: &(u32, f32), b: &(u32, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_highest_are_those_of_all_in_order(
            values in proptest::collection::vec((-2..6i8).prop_map(f32::from), 0..200),
            most in prop_oneof![0..20usize, Just(usize::MAX)],
        ) {
            let mut all: Vec<(u32, f32)> = (0..).zip(values.iter().copied()).collect();
            all.retain(|(_, value)| *value > 0.0);
            all.sort_by(best_first);
            all.truncate(most);
            let mut found = highest(&values, most);
            found.sort_by(best_first);
            prop_assert_eq!(found, all);
        }
    }
}
