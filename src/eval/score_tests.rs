//! Tests every score against values computed by hand.

use super::*;

fn gold(file: &str, name: &str, start: u32, end: u32) -> GoldFunction {
    GoldFunction {
        file: file.to_owned(),
        name: name.to_owned(),
        start,
        end,
    }
}

fn place(path: &str, name: &str, start: u32, end: u32) -> Location {
    Location {
        path: path.to_owned(),
        name: name.to_owned(),
        lines: Lines::new(start, end),
    }
}

fn case(gold_files: &[&str], gold_functions: Vec<GoldFunction>) -> Case {
    Case {
        id: "case".to_owned(),
        set: "set".to_owned(),
        repo: "owner/name".to_owned(),
        commit: "commit".to_owned(),
        language: "Python".to_owned(),
        query: "query".to_owned(),
        query_kind: "issue".to_owned(),
        gold_files: gold_files.iter().map(|f| (*f).to_owned()).collect(),
        gold_functions,
        critical_files: Vec::new(),
        intent: None,
        edits: Vec::new(),
    }
}

fn files(paths: &[&str]) -> DeliveredAnswer {
    DeliveredAnswer {
        files: paths.iter().map(|p| (*p).to_owned()).collect(),
        ..DeliveredAnswer::default()
    }
}

fn context(used: usize, files: &[&str], full: &[(&str, u32, u32)]) -> Context {
    Context {
        used,
        files: files.iter().map(|f| (*f).to_owned()).collect(),
        lines: full
            .iter()
            .map(|(path, start, end)| ((*path).to_owned(), Lines::new(*start, *end)))
            .collect(),
        folded: Vec::new(),
    }
}

#[track_caller]
fn check(scores: &Scores, wanted: &[(Metric, f64)]) {
    for (metric, value) in wanted {
        let got = scores.get(*metric);
        assert!(
            got.is_some_and(|got| (got - value).abs() < 1e-9),
            "{}: {got:?}, wanted {value}",
            metric.name()
        );
    }
}

#[test]
fn one_gold_file_at_rank_two() {
    let (ranks, scores) = score(&case(&["b"], vec![]), &files(&["a", "b", "c", "d"]));
    assert_eq!(ranks.files, [Some(2)]);
    check(
        &scores,
        &[
            (Metric::FileAcc(1), 0.0),
            (Metric::FileAcc(3), 1.0),
            (Metric::FileAcc(10), 1.0),
            (Metric::FileAny(1), 0.0),
            (Metric::FileAny(3), 1.0),
            (Metric::Mrr, 0.5),
            (Metric::Precision(3), 1.0 / 3.0),
            (Metric::Precision(10), 0.1),
            (Metric::Recall(10), 1.0),
            // 1 / log2(3), the best order gives 1.
            (Metric::Ndcg(10), 0.630_929_753_571_457_4),
            (Metric::Critical(3), 1.0),
        ],
    );
}

#[test]
fn all_gold_files_must_be_within_k() {
    let ranking = files(&["a", "x", "b", "y", "z", "c"]);
    let (ranks, scores) = score(&case(&["a", "b", "missing"], vec![]), &ranking);
    assert_eq!(ranks.files, [Some(1), Some(3), None]);
    check(
        &scores,
        &[
            // With more than one gold file, one hit suffices at k = 1.
            (Metric::FileAcc(1), 1.0),
            (Metric::FileAcc(3), 0.0),
            (Metric::FileAcc(5), 0.0),
            (Metric::FileAny(1), 1.0),
            (Metric::Mrr, 1.0),
            (Metric::Precision(3), 2.0 / 3.0),
            (Metric::Recall(10), 2.0 / 3.0),
            // (1 + 1/2) / (1 + 1/log2(3) + 1/2)
            (Metric::Ndcg(10), 1.5 / 2.130_929_753_571_457_4),
        ],
    );
    let (_, scores) = score(&case(&["a", "b", "c"], vec![]), &ranking);
    check(
        &scores,
        &[(Metric::FileAcc(5), 0.0), (Metric::FileAcc(10), 1.0)],
    );
}

#[test]
fn k_hits_suffice_for_more_than_k_gold() {
    let gold = ["a", "b", "c", "d", "e"];
    let (_, scores) = score(&case(&gold, vec![]), &files(&["b", "d", "a", "x", "y"]));
    check(
        &scores,
        &[
            (Metric::FileAcc(1), 1.0),
            (Metric::FileAcc(3), 1.0),
            (Metric::FileAcc(5), 0.0),
        ],
    );
}

#[test]
fn gold_file_beyond_rank_ten_counts_only_for_mrr() {
    let names: Vec<String> = (1..=20).map(|n| format!("f{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (_, scores) = score(&case(&["f20"], vec![]), &files(&names));
    check(
        &scores,
        &[
            (Metric::Mrr, 0.05),
            (Metric::FileAcc(10), 0.0),
            (Metric::Ndcg(10), 0.0),
            (Metric::Recall(10), 0.0),
        ],
    );
}

#[test]
fn an_empty_answer_is_a_miss_everywhere() {
    let case = case(&["a"], vec![gold("a", "f", 1, 2)]);
    let (_, scores) = score(&case, &DeliveredAnswer::default());
    let scores = serde_json::to_value(&scores).unwrap();
    let scores = scores.as_object().unwrap();
    // Sixteen figures of rankings, six of each context: nothing is known about edits and the intent.
    assert_eq!(scores.len(), 16 + 6 * BUDGETS.len());
    for (name, value) in scores {
        let wanted = f64::from(name.starts_with("wrong_files@"));
        assert_eq!(*value, wanted, "{name}");
    }
}

#[test]
fn edit_counts_only_if_all_lines_are_shown() {
    let edit = |start, end, inside| Edit {
        file: "a".to_owned(),
        start,
        end,
        inside,
    };
    let case = Case {
        edits: vec![
            edit(1, 1, EnclosingKind::Import),
            edit(4, 5, EnclosingKind::Function),
            edit(8, 9, EnclosingKind::Module),
            edit(20, 20, EnclosingKind::Class),
        ],
        ..case(&["a"], vec![gold("a", "f", 3, 6)])
    };
    let context = context(500, &["a"], &[("a", 3, 8), ("a", 9, 10), ("b", 20, 21)]);
    let contexts = [
        context,
        Context::default(),
        Context::default(),
        Context::default(),
    ];
    let delivered = DeliveredAnswer {
        contexts,
        ..DeliveredAnswer::default()
    };
    let (_, scores) = score(&case, &delivered);
    let at = 1000;
    check(
        &scores,
        &[
            (Metric::Edits(at), 2.0 / 3.0),
            (Metric::EditsInside(at), 1.0),
            (Metric::EditsOutside(at), 0.5),
            // Right: lines 3 to 6, 8 and 9 of the ten that are shown. Of the gold lines, 1 and 20 are missing.
            (Metric::LinePrecision(at), 0.6),
            (Metric::LineRecall(at), 0.75),
            (Metric::Used(at), 500.0),
            (Metric::Shown(at), 1.0),
        ],
    );
}

#[test]
fn definition_hits_by_lines_or_name_within_gold() {
    let method = gold("a.py", "C.run", 10, 19);
    assert!(hits(&place("a.py", "C.run", 10, 19), &method));
    // Half of the lines, another name: a nested function that is most of the outer one.
    assert!(hits(&place("a.py", "C.run.inner", 12, 16), &method));
    assert!(!hits(&place("a.py", "C.run.inner", 12, 15), &method));
    // Less than half, but the same name: an overload or a part of it.
    assert!(hits(&place("a.py", "C.run", 10, 11), &method));
    assert!(hits(&place("a.py", "C::run", 10, 11), &method));
    // A class does not count for its method, nor a neighbour, nor another file.
    assert!(!hits(&place("a.py", "C", 1, 40), &method));
    assert!(!hits(&place("a.py", "C.run", 9, 19), &method));
    assert!(!hits(&place("a.py", "C.run", 20, 25), &method));
    assert!(!hits(&place("b.py", "C.run", 10, 19), &method));
}

#[test]
fn gold_function_takes_rank_of_first_hit() {
    let case = case(&["a"], vec![gold("a", "f", 1, 10), gold("a", "g", 20, 29)]);
    let delivered = DeliveredAnswer {
        functions: vec![
            place("a", "g.inner", 20, 26),
            place("a", "g", 20, 29),
            place("a", "x", 40, 41),
            place("a", "y", 42, 43),
            place("a", "z", 44, 45),
            place("a", "f", 1, 10),
        ],
        ..DeliveredAnswer::default()
    };
    let (ranks, scores) = score(&case, &delivered);
    assert_eq!(ranks.functions, [Some(6), Some(1)]);
    check(
        &scores,
        &[
            (Metric::FunctionAcc(5), 0.0),
            (Metric::FunctionAcc(10), 1.0),
        ],
    );
}

#[test]
fn shown_needs_all_lines_and_joins_stretches() {
    let case = case(
        &["a", "b"],
        vec![
            gold("a", "joined", 10, 20),
            gold("a", "gap", 30, 40),
            gold("b", "signature only", 1, 5),
            gold("b", "inside", 50, 52),
        ],
    );
    let shown = context(
        4000,
        &["a", "b", "c", "d"],
        &[
            ("a", 16, 22),
            ("a", 8, 15),
            ("a", 30, 34),
            ("a", 36, 40),
            ("b", 45, 60),
        ],
    );
    let delivered = DeliveredAnswer {
        contexts: [
            Context::default(),
            Context::default(),
            shown,
            Context::default(),
        ],
        ..DeliveredAnswer::default()
    };
    let (_, scores) = score(&case, &delivered);
    check(
        &scores,
        &[
            (Metric::Shown(2000), 0.0),
            (Metric::Shown(4000), 0.5),
            (Metric::WrongFiles(4000), 0.5),
            (Metric::WrongFiles(8000), 1.0),
            // Half of the functions in 4,000 tokens.
            (Metric::Efficiency(4000), 0.125),
        ],
    );
}

#[test]
fn intent_and_critical_files_are_scored_if_known() {
    let mut case = case(&["a", "b"], vec![]);
    case.critical_files = vec!["b".to_owned()];
    case.intent = Some("REFACTOR".to_owned());
    let mut delivered = files(&["a", "x", "y", "b"]);
    delivered.intent = "REFACTOR".to_owned();
    let (_, scores) = score(&case, &delivered);
    check(
        &scores,
        &[(Metric::Critical(3), 0.0), (Metric::Intent, 1.0)],
    );
    delivered.intent = "BUG_FIX".to_owned();
    delivered.files.swap(2, 3);
    let (_, scores) = score(&case, &delivered);
    check(
        &scores,
        &[(Metric::Critical(3), 1.0), (Metric::Intent, 0.0)],
    );
    assert_eq!(scores.get(Metric::FunctionAcc(5)), None);
    assert_eq!(scores.get(Metric::Shown(8000)), None);
}

#[test]
fn folded_body_counts_if_edited_lines_are_shown() {
    let mut case = case(&["a"], vec![gold("a", "f", 10, 60)]);
    case.edits = vec![Edit {
        file: "a".to_owned(),
        start: 50,
        end: 51,
        inside: EnclosingKind::Function,
    }];
    let shown = |lines: &[(u32, u32)], folded: bool| {
        let lines = lines
            .iter()
            .map(|(a, b)| ("a".to_owned(), Lines::new(*a, *b)));
        let folded = folded.then(|| ("a".to_owned(), Lines::new(10, 60)));
        let context = Context {
            lines: lines.collect(),
            folded: folded.into_iter().collect(),
            ..Context::default()
        };
        shown_share(&case, &context)
    };
    assert_eq!(shown(&[(10, 14), (30, 60)], true), 1.0);
    assert_eq!(shown(&[(10, 14), (30, 60)], false), 0.0);
    assert_eq!(shown(&[(10, 50)], true), 0.0);
}
