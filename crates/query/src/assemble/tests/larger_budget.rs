//! Tests that a larger budget shows what a smaller one shows, or what is worth as much. Bodies are chosen by worth
//! per cost among those that fit, so a single function may be lost: a body that only fits the larger budget can
//! displace one of lower rank. Measured on real questions: of 852 functions among the ten best of a question, 4
//! were lost when the budget was doubled.

use foveate_model::Lines;

use super::*;

const BUDGETS: [usize; 5] = [1000, 2000, 4000, 8000, 16_000];
/// Number of the best functions that are compared.
const BEST: usize = 8;

/// Whether all of a function's lines are in the context verbatim.
fn is_whole(pack: &Pack, path: &str, lines: Lines) -> bool {
    pack.sections
        .iter()
        .flat_map(|section| &section.items)
        .any(|item| {
            item.fidelity == Fidelity::Full
                && !item.cut
                && item.path == path
                && item.lines.covers(lines)
        })
}

/// Builds a repository of functions of the given lengths, three per file.
fn repository(lengths: &[usize]) -> Snapshot {
    let files = lengths.chunks(3).enumerate().map(|(number, lengths)| {
        let functions = lengths.iter().enumerate().map(|(position, length)| {
            let mut text = format!("def pool_{number}_{position}(pool):\n");
            for line in 0..*length {
                text.push_str(&format!(
                    "    step_{number}_{position}_{line} = pool.take({line}, {position})\n"
                ));
            }
            text.push_str("    return pool\n\n\n");
            text
        });
        (format!("pool/part_{number}.py"), functions.collect())
    });
    snapshot(files.collect::<Vec<_>>())
}

/// Returns the probability that one of the best functions that are shown whole is right.
fn worth(answer: &Answer) -> f32 {
    let best = answer.functions.iter().take(BEST);
    best.filter(|function| is_whole(&answer.pack, &function.path, function.lines))
        .map(|function| function.probability)
        .sum()
}

/// Returns the answers at all budgets, the smallest first.
fn answers(snapshot: &Snapshot) -> Vec<Answer> {
    let query = "take from the pool is slow in `pool_1_1`, pool step take";
    BUDGETS
        .iter()
        .map(|budget| {
            let request = request(query, *budget, IntentKind::BugFix);
            let answer = ask(snapshot, &request);
            check_invariants(snapshot, &request, &answer.pack);
            answer
        })
        .collect()
}

#[test]
fn larger_budget_keeps_functions_of_smaller_one() {
    for lengths in [
        &[3, 5, 8, 13, 21, 34, 55, 89, 144][..],
        &[400, 5, 5, 5, 5, 5, 5, 5, 5],
        &[5, 5, 5, 5, 400, 5, 5, 200, 5, 5, 5, 100],
        &[60; 30],
        &[10, 150, 10, 150, 10, 150, 10, 150, 10, 150, 10, 150],
        &[2000, 2, 2000, 2, 300, 2],
    ] {
        for pair in answers(&repository(lengths)).windows(2) {
            for function in pair[1].functions.iter().take(BEST) {
                let is_lost = is_whole(&pair[0].pack, &function.path, function.lines)
                    && !is_whole(&pair[1].pack, &function.path, function.lines);
                assert!(!is_lost, "{lengths:?}: {} is lost", function.name);
            }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 12, ..Default::default() })]

    #[test]
    fn worth_never_falls_with_a_larger_budget(
        lengths in proptest::collection::vec(
            proptest::prelude::prop_oneof![2..20usize, 20..120usize, 120..700usize],
            3..24,
        ),
    ) {
        let worths: Vec<f32> = answers(&repository(&lengths)).iter().map(worth).collect();
        proptest::prop_assert!(worths.is_sorted(), "{:?}", worths);
    }
}
