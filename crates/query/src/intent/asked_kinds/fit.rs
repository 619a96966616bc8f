//! Fits the weights of the model to the histories of repositories, by logistic regression with AdaGrad:
//!
//! ```sh
//! FOVEATE_HISTORIES=histories.txt FOVEATE_ISSUES=python.jsonl:multilang.jsonl \
//!   cargo test --release -p foveate-query --lib fit_asked_kinds -- --ignored
//! ```
//!
//! Each line of `histories.txt` has the path of a repository and the newest commit that is read. The issues are cases of
//! `foveate eval`; only their texts are read, for the probabilities of a usual issue.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::Command;

use foveate_model::{RepoPath, Role};

use super::super::linear::UNIT;
use super::*;

// Set by judgement; other values were not tried.
const EPOCHS: usize = 8;
const RATE: f32 = 0.3;
const DECAY: f32 = 0.0005;
/// Minimum repositories and commits of a feature; rarer features do not generalise.
const MIN_REPOSITORIES: usize = 8;
const MIN_COMMITS: usize = 20;
/// A feature is dropped if all its weights are smaller, in hundredths.
const MIN_WEIGHT: i32 = 40;
/// Maximum commits of a repository that are read, and that change source or other kinds.
const MAX_COMMITS: usize = 12_000;
const MAX_SOURCE: usize = 3_000;
const MAX_OTHER: usize = 500;
/// How many commits an issue counts for.
const ISSUE_WEIGHT: usize = 4;
/// A commit of more files says little about any of them.
const MAX_FILES: usize = 20;

#[derive(Clone)]
struct Commit {
    features: Vec<String>,
    kinds: BTreeSet<FileKind>,
}

#[test]
#[ignore = "writes the file of weights"]
fn fit_asked_kinds() {
    let list = std::env::var("FOVEATE_HISTORIES").expect("a file of repositories and commits");
    let list = std::fs::read_to_string(list).unwrap();
    let issues = issues();
    let mut histories: Vec<Vec<Commit>> = list.lines().map(history).collect();
    histories.push(issues.iter().flat_map(examples_of_issue).collect());
    let names = frequent(&histories);
    let mut examples: Vec<(Vec<usize>, [f32; KINDS])> = Vec::new();
    for commit in histories.iter().flatten() {
        let ids = commit
            .features
            .iter()
            .filter_map(|feature| names.get(feature.as_str()));
        let share = 1.0 / commit.kinds.len() as f32;
        let wanted = std::array::from_fn(|at| match commit.kinds.contains(&FileKind::ALL[at]) {
            true => share,
            false => 0.0,
        });
        examples.push((ids.copied().collect(), wanted));
    }
    let rows = learn(&examples, names.len());
    let usual = usual(&issues, &names, &rows);
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/intent/asked_kinds/weights.txt"
    );
    std::fs::write(path, write(&names, &rows, usual)).unwrap();
}

/// Reads the cases: their texts, and the files that their fixes change.
fn issues() -> Vec<(String, Vec<String>)> {
    let files = std::env::var("FOVEATE_ISSUES").expect("files of cases");
    let texts = files
        .split(':')
        .map(|file| std::fs::read_to_string(file).unwrap());
    let text: String = texts.collect();
    let cases = text.lines().map(|line| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let files = case["gold_files"].as_array().unwrap().iter();
        let files = files.map(|file| file.as_str().unwrap().to_owned());
        (case["query"].as_str().unwrap().to_owned(), files.collect())
    });
    cases.collect()
}

/// Returns examples of an issue, and of its title alone: people report what goes wrong in other words than those of a
/// commit.
fn examples_of_issue((text, files): &(String, Vec<String>)) -> Vec<Commit> {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let text = QueryText::parse(text);
    let title = QueryText::parse(text.title());
    let kinds = changed(&files);
    let of = |text: &QueryText| Commit {
        features: features(text, |_| false),
        kinds: kinds.clone(),
    };
    let examples = [of(&text), of(&title)]
        .into_iter()
        .filter(|_| !kinds.is_empty());
    let examples: Vec<Commit> = examples.collect();
    std::iter::repeat_n(examples, ISSUE_WEIGHT)
        .flatten()
        .collect()
}

/// Reads the commits of a repository, each message once.
fn history(line: &str) -> Vec<Commit> {
    let (path, commit) = line.split_once(' ').unwrap_or((line, "HEAD"));
    let mut git = Command::new("git");
    git.args([
        "-C", path, "log", "--no-merges", "--name-only", "--format=%x01%B%x02", "-n",
    ]);
    let output = git
        .args([&MAX_COMMITS.to_string(), commit])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    let (mut seen, mut numbers) = (
        BTreeSet::new(),
        BTreeMap::<BTreeSet<FileKind>, usize>::new(),
    );
    let mut commits = Vec::new();
    for entry in output.split('\u{1}').skip(1) {
        let Some((message, files)) = entry.split_once('\u{2}') else {
            continue;
        };
        let files: Vec<&str> = files.lines().filter(|file| !file.is_empty()).collect();
        let kinds = changed(&files);
        if files.len() > MAX_FILES || kinds.is_empty() {
            continue;
        }
        let is_trailer = |line: &&str| line.contains("-by: ") || line.contains("git-svn-id");
        let message: Vec<&str> = message.lines().filter(|line| !is_trailer(line)).collect();
        let features = features(&QueryText::parse(&message.join("\n")), |_| false);
        let is_new = seen.insert((features.clone(), kinds.clone()));
        let number = numbers.entry(kinds.clone()).or_default();
        let limit = if kinds.contains(&FileKind::Source) {
            MAX_SOURCE
        } else {
            MAX_OTHER
        };
        if is_new && *number < limit {
            *number += 1;
            commits.push(Commit { features, kinds });
        }
    }
    commits
}

/// Returns the kinds of the changed files. A note on the release accompanies any change.
fn changed(files: &[&str]) -> BTreeSet<FileKind> {
    let kinds = files.iter().filter_map(|file| {
        let path = RepoPath::new(file).ok()?;
        let language = foveate_parse::language_by_name(&path);
        let role = language.map_or(Role::Source, |language| {
            foveate_parse::role(&path, language, false)
        });
        foveate_parse::purpose(&path, role, "").kind
    });
    let mut kinds: BTreeSet<FileKind> = kinds.collect();
    if kinds.len() > 1 {
        kinds.remove(&FileKind::Changelog);
    }
    kinds
}

/// Assigns ids to the features that enough repositories have; `bias` is the first.
fn frequent(histories: &[Vec<Commit>]) -> BTreeMap<&str, usize> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for history in histories {
        let mut of_repository = BTreeMap::<&str, usize>::new();
        for feature in history.iter().flat_map(|commit| &commit.features) {
            *of_repository.entry(feature).or_default() += 1;
        }
        for (feature, count) in of_repository {
            let (repositories, commits) = counts.entry(feature).or_default();
            *repositories += 1;
            *commits += count;
        }
    }
    counts.retain(|_, (repositories, commits)| {
        *repositories >= MIN_REPOSITORIES && *commits >= MIN_COMMITS
    });
    let names = counts.into_keys().enumerate();
    names.map(|(id, name)| (name, id + 1)).collect()
}

fn learn(examples: &[(Vec<usize>, [f32; KINDS])], features: usize) -> Vec<[f32; KINDS]> {
    let mut weights = vec![[0.0; KINDS]; features + 1];
    // Sums of squared gradients, which shrink the steps (AdaGrad).
    let mut squares = vec![[1.0f32; KINDS]; features + 1];
    // A prime stride visits all examples and mixes the repositories.
    const STRIDE: usize = 1_000_003;
    for step in 0..EPOCHS * examples.len() {
        let (ids, wanted) = &examples[step * STRIDE % examples.len()];
        let scale = scale(ids.len());
        let mut scores = weights[0];
        for id in ids {
            for (score, weight) in scores.iter_mut().zip(weights[*id]) {
                *score += weight * scale;
            }
        }
        let found = linear::softmax(scores);
        for (id, scale) in ids.iter().map(|id| (*id, scale)).chain([(0, 1.0)]) {
            for at in 0..KINDS {
                let decay = if id == 0 {
                    0.0
                } else {
                    DECAY * weights[id][at]
                };
                let gradient = (found[at] - wanted[at]) * scale + decay;
                squares[id][at] += gradient * gradient;
                weights[id][at] -= RATE * gradient / squares[id][at].sqrt();
            }
        }
    }
    weights
}

fn write(names: &BTreeMap<&str, usize>, rows: &[[f32; KINDS]], usual: [f32; KINDS]) -> String {
    let mut file = String::new();
    let rounded = |row: [f32; KINDS]| row.map(|weight| (weight / UNIT).round() as i32);
    let mut line = |name: &str, row: [i32; KINDS]| {
        let numbers = row.map(|weight| weight.to_string()).join(" ");
        writeln!(file, "{name}\t{numbers}").unwrap();
    };
    line("usual", rounded(usual.map(f32::ln)));
    line("bias", rounded(rows[0]));
    for (name, id) in names {
        let weights = rounded(rows[*id]);
        if weights.iter().any(|weight| weight.abs() >= MIN_WEIGHT) {
            line(name, weights);
        }
    }
    file
}

/// Returns the mean probabilities over issues.
fn usual(
    issues: &[(String, Vec<String>)],
    names: &BTreeMap<&str, usize>,
    rows: &[[f32; KINDS]],
) -> [f32; KINDS] {
    let row = |feature: &str| match feature {
        "bias" => rows.first().copied(),
        feature => names.get(feature).map(|id| rows[*id]),
    };
    let mut sums = [0.0; KINDS];
    for (text, _) in issues {
        let found = probabilities(&features(&QueryText::parse(text), |_| false), row);
        for (sum, probability) in sums.iter_mut().zip(found) {
            *sum += probability;
        }
    }
    sums.map(|sum| sum / issues.len() as f32)
}
