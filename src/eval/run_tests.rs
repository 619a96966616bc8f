//! Whole runs over the committed cases in `tests/eval`, on a repository that is written from the `fast-import` stream
//! beside them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use parking_lot::Mutex;

use super::*;
use crate::eval::case::{Repositories, read_cases};
use crate::eval::metric::Metric;
use crate::ingest::git::HistoryLimits;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval")
}

fn write_repository(at: &Path) -> Outcome {
    let git = |args: &[&str], input: Stdio| -> Outcome {
        let mut command = Command::new("git");
        let status = command.args(args).stdin(input).status()?;
        assert!(status.success(), "git {args:?}");
        Ok(())
    };
    let at = at.to_string_lossy();
    let stream = std::fs::File::open(fixtures().join("repository.fast-import"))?;
    git(&["init", "--quiet", "--bare", &at], Stdio::null())?;
    let import = ["-C", &at, "fast-import", "--quiet", "--done"];
    git(&import, stream.into())
}

fn options(root: &Path) -> Options {
    let template = root.join("{owner}+{name}").to_string_lossy().into_owned();
    Options {
        walk: Walk {
            repositories: Repositories::new(template),
            jobs: 2,
            history: HistoryLimits::default(),
        },
        ranking: RankingConfig::default(),
        breadth: Breadth::Balanced,
        curve: false,
    }
}

#[test]
fn committed_cases_are_found_and_shown() -> Outcome {
    let root = tempfile::tempdir()?;
    write_repository(&root.path().join("example+shop"))?;
    let cases = read_cases(&[fixtures().join("cases.jsonl")])?;
    let seen = Mutex::new(0);
    let evaluation = run(&cases, &options(root.path()), &|_, _| *seen.lock() += 1);
    assert_eq!(*seen.lock(), cases.len());
    for (case, result) in cases.iter().zip(&evaluation.cases) {
        assert_eq!(case.id, result.id, "results come in the order of the cases");
        assert_eq!(result.failure, None, "{}", case.id);
        assert!(result.answer_ms.is_some_and(|ms| ms > 0.0), "{result:?}");
        let within = |metric| result.scores.get(metric);
        assert_eq!(within(Metric::FileAcc(3)), Some(1.0), "{result:?}");
        assert_eq!(within(Metric::FunctionAcc(5)), Some(1.0), "{result:?}");
        assert_eq!(within(Metric::Shown(2000)), Some(1.0), "{result:?}");
        assert!(
            result
                .used_tokens
                .iter()
                .zip(BUDGETS)
                .all(|(used, budget)| *used <= budget)
        );
    }
    Ok(())
}

#[test]
fn unreadable_case_is_a_miss_and_others_continue() -> Outcome {
    let root = tempfile::tempdir()?;
    write_repository(&root.path().join("example+shop"))?;
    let mut cases = read_cases(&[fixtures().join("cases.jsonl")])?;
    cases.truncate(3);
    cases[0].commit = "0123456789012345678901234567890123456789".to_owned();
    cases[1].repo = "example/none".to_owned();
    let evaluation = run(&cases, &options(root.path()), &|_, _| {});
    let failures: Vec<Option<&str>> = evaluation
        .cases
        .iter()
        .map(|case| case.failure.as_deref())
        .collect();
    assert!(
        failures[0].is_some_and(|f| f.contains("0123456789")),
        "{failures:?}"
    );
    assert!(
        failures[1].is_some_and(|f| f.contains("example+none")),
        "{failures:?}"
    );
    assert_eq!(failures[2], None);
    let all = evaluation
        .groups
        .iter()
        .find(|g| g.kind == aggregate::ALL_KINDS);
    assert!(all.is_some_and(|g| g.failed == 2 && g.cases == 3));
    assert_eq!(evaluation.cases[0].scores.get(Metric::Mrr), Some(0.0));
    let timed = evaluation.cases.iter().map(|case| case.answer_ms.is_some());
    assert_eq!(timed.collect::<Vec<bool>>(), [false, false, true]);
    Ok(())
}
