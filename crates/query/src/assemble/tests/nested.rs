//! A larger budget shows what a smaller one shows, or what is worth as much. What is chosen is the
//! best by worth per cost that fits, so single functions have no right to stay: a body that fits the
//! larger budget alone may take the place of one behind it. Of 852 of the ten best functions of real
//! questions, 4 were lost from a budget to its double.

use foveate_model::Lines;

use super::*;

const BUDGETS: [usize; 5] = [1000, 2000, 4000, 8000, 16_000];
/// Of so many of the best functions.
const BEST: usize = 8;

/// Whether all of a function's lines are in the context as they are.
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

/// A repository of functions of such lengths, in files of three.
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

/// The chance that one of the best functions that are shown whole is right.
fn worth(answer: &Answer) -> f32 {
    let best = answer.functions.iter().take(BEST);
    best.filter(|function| is_whole(&answer.pack, &function.path, function.lines))
        .map(|function| function.probability)
        .sum()
}

/// The answers at all budgets, the smallest first.
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
fn a_larger_budget_shows_what_a_smaller_one_shows() {
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
    fn a_larger_budget_is_worth_as_much_for_any_lengths(
        lengths in proptest::collection::vec(
            proptest::prelude::prop_oneof![2..20usize, 20..120usize, 120..700usize],
            3..24,
        ),
    ) {
        let worths: Vec<f32> = answers(&repository(&lengths)).iter().map(worth).collect();
        proptest::prop_assert!(worths.is_sorted(), "{:?}", worths);
    }
}
