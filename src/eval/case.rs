//! Reads cases from files (one JSON object a line), and finds their repositories.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use foveate_model::Lines;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One question with a known answer.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Case {
    /// Unique over all files of a run.
    pub id: String,
    /// Name of the file of cases, without its extension; groups the report.
    #[serde(skip)]
    pub set: String,
    /// `owner/name` of the repository.
    pub repo: String,
    /// The commit to index. An answer may use only this commit and its ancestors.
    pub commit: String,
    /// The main language of the repository, or empty if it is unknown; groups the report.
    #[serde(default)]
    pub language: String,
    /// The text of the question.
    pub query: String,
    /// The source of the text (`issue`, `commit`, …); groups the report.
    #[serde(default = "issue")]
    pub query_kind: String,
    /// Paths of the files that had to be changed.
    pub gold_files: Vec<String>,
    /// The functions that had to be changed, if the change touched existing ones.
    #[serde(default)]
    pub gold_functions: Vec<GoldFunction>,
    /// The files that the change cannot do without; all of `gold_files` where absent.
    #[serde(default)]
    pub critical_files: Vec<String>,
    /// Wire name of the right intent, if known.
    #[serde(default)]
    pub intent: Option<String>,
    /// The stretches that the change edited, if known.
    #[serde(default)]
    pub edits: Vec<Edit>,
}

/// A stretch of lines that a change edited.
#[derive(Clone, Debug, Deserialize)]
pub struct Edit {
    /// Path of its file.
    pub file: String,
    /// First line, 1-based. For a pure insertion, the line before it.
    pub start: u32,
    /// Last line, inclusive. For a pure insertion, the line after it.
    pub end: u32,
    /// The kind of code that encloses it.
    pub inside: EnclosingKind,
}

impl Edit {
    /// Its lines.
    pub fn lines(&self) -> Lines {
        Lines::new(self.start, self.end)
    }
}

/// The kind of code that encloses an edited stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum EnclosingKind {
    Function,
    Class,
    Import,
    Module,
    Other,
}

/// The edited stretches of a case, as a line of a file of edits.
#[derive(Debug, Deserialize)]
struct EditsOfCase {
    id: String,
    edits: Vec<Edit>,
}

fn issue() -> String {
    "issue".to_owned()
}

/// A function that had to be changed.
#[derive(Clone, Debug, Deserialize)]
pub struct GoldFunction {
    /// Path of its file.
    pub file: String,
    /// Qualified name.
    pub name: String,
    /// First line, 1-based, decorators included.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
}

impl GoldFunction {
    /// Its lines.
    pub fn lines(&self) -> Lines {
        Lines::new(self.start, self.end)
    }
}

/// Reads all files of cases, in order. Empty lines are skipped.
///
/// # Errors
/// When a file cannot be read, a line is no case, or an id appears twice.
pub fn read_cases(paths: &[PathBuf]) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for path in paths {
        let text = read(path)?;
        let set = path.file_stem().unwrap_or_default().to_string_lossy();
        for (number, line) in lines(&text) {
            let mut case: Case = parse(path, number, line)?;
            // A later comparison would mix up two cases with one id.
            if !seen.insert(case.id.clone()) {
                bail!(
                    "case {:?} appears twice; give every case its own id",
                    case.id
                );
            }
            case.set = set.clone().into_owned();
            cases.push(case);
        }
    }
    Ok(cases)
}

/// Adds edited stretches to the cases from a file of edits, by case id, one JSON object a line. Empty lines are skipped.
///
/// # Errors
/// When the file cannot be read, or a line cannot be parsed.
pub fn add_edits(cases: &mut [Case], path: &Path) -> anyhow::Result<()> {
    let mut by_id = HashMap::new();
    for (number, line) in lines(&read(path)?) {
        let of_case: EditsOfCase = parse(path, number, line)?;
        by_id.insert(of_case.id, of_case.edits);
    }
    for case in cases {
        case.edits
            .extend(by_id.remove(&case.id).unwrap_or_default());
    }
    Ok(())
}

/// Returns the lines of a file that are not empty, with their numbers from 0.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Parses a line of a file, given its number from 0.
fn parse<T: DeserializeOwned>(path: &Path, number: usize, line: &str) -> anyhow::Result<T> {
    serde_json::from_str(line).map_err(|error| {
        // The parser counts lines from the one that it was given.
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default();
        let place = format!("{}:{}", path.display(), number + 1);
        anyhow!("{place}: {reason}; docs/EVALUATION.md describes the lines of this file")
    })
}

/// The criteria that select cases.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only cases of repositories whose `owner/name` contains this.
    pub only: Option<String>,
    /// Only these kinds of query; all where empty.
    pub kinds: Vec<String>,
    /// At most this many, spread evenly over the cases that the other criteria select.
    pub limit: Option<usize>,
}

impl Selection {
    /// Returns the selected cases, in their order.
    pub fn apply(&self, cases: Vec<Case>) -> Vec<Case> {
        let kept: Vec<Case> = cases
            .into_iter()
            .filter(|case| {
                self.only.as_ref().is_none_or(|o| case.repo.contains(o))
                    && (self.kinds.is_empty() || self.kinds.contains(&case.query_kind))
            })
            .collect();
        let total = kept.len();
        let limit = self.limit.unwrap_or(total).min(total);
        // The share of the limit that is used up to a case grows by one at each selected case.
        let is_kept = |at: usize| at * limit / total != (at + 1) * limit / total;
        let kept = kept.into_iter().enumerate();
        kept.filter(|(at, _)| is_kept(*at))
            .map(|(_, case)| case)
            .collect()
    }
}

/// The locations of the cases' repositories: a path template, and aliases or paths for some of them.
#[derive(Clone, Debug)]
pub struct Repositories {
    template: String,
    aliases: HashMap<String, String>,
    paths: HashMap<String, PathBuf>,
}

impl Repositories {
    /// Locates repositories by `template`, a path with the placeholders `{owner}` and `{name}`.
    pub fn new(template: String) -> Self {
        Self {
            template,
            aliases: HashMap::new(),
            paths: HashMap::new(),
        }
    }

    /// Locates each repository at its own path, by name.
    pub fn at(paths: HashMap<String, PathBuf>) -> Self {
        Self {
            paths,
            ..Self::new(String::new())
        }
    }

    /// Reads aliases from a tab-separated table whose first line names the columns: `repo` is the name in the
    /// cases, `full_history_at` the name on disk.
    ///
    /// # Errors
    /// When the file cannot be read or lacks one of the columns.
    pub fn with_aliases(mut self, path: &Path) -> anyhow::Result<Self> {
        let text = read(path)?;
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
        let column = |name: &str| {
            let column = header.iter().position(|c| *c == name);
            column.with_context(|| {
                format!("{}: no column {name:?} in the first line", path.display())
            })
        };
        let (from, to) = (column("repo")?, column("full_history_at")?);
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            if let (Some(from), Some(to)) = (cells.get(from), cells.get(to)) {
                self.aliases.insert((*from).to_owned(), (*to).to_owned());
            }
        }
        Ok(self)
    }

    /// Returns the directory of a repository given as `owner/name`.
    pub fn path(&self, repo: &str) -> PathBuf {
        if let Some(path) = self.paths.get(repo) {
            return path.clone();
        }
        let repo = self.aliases.get(repo).map_or(repo, String::as_str);
        let (owner, name) = repo.split_once('/').unwrap_or(("", repo));
        let path = self
            .template
            .replace("{owner}", owner)
            .replace("{name}", name);
        PathBuf::from(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, repo: &str, kind: &str) -> Case {
        Case {
            id: id.to_owned(),
            set: String::new(),
            repo: repo.to_owned(),
            commit: "c".to_owned(),
            language: String::new(),
            query: "q".to_owned(),
            query_kind: kind.to_owned(),
            gold_files: vec!["a.py".to_owned()],
            gold_functions: Vec::new(),
            critical_files: Vec::new(),
            intent: None,
            edits: Vec::new(),
        }
    }

    #[test]
    fn empty_lines_of_edits_are_skipped() {
        let keep = tempfile::tempdir().unwrap();
        let file = keep.path().join("edits.jsonl");
        let line = r#"{"id": "a", "edits": [{"file": "a.py", "start": 1, "end": 2, "inside": "function"}]}"#;
        std::fs::write(&file, format!("{line}\n\n")).unwrap();
        let mut cases = vec![case("a", "o/n", "issue")];
        add_edits(&mut cases, &file).unwrap();
        assert_eq!(cases[0].edits.len(), 1);
    }

    #[test]
    fn unusable_line_is_named_by_its_number_in_the_file() {
        let keep = tempfile::tempdir().unwrap();
        let file = keep.path().join("edits.jsonl");
        std::fs::write(&file, "\n{}\n").unwrap();
        let error = add_edits(&mut [], &file).unwrap_err().to_string();
        assert!(
            error.contains("edits.jsonl:2: missing field `id`; docs"),
            "{error}"
        );
    }

    #[test]
    fn limit_spreads_selection_evenly() {
        let cases: Vec<Case> = (0..10)
            .map(|n| case(&n.to_string(), "o/n", "issue"))
            .collect();
        let selection = Selection {
            limit: Some(3),
            ..Selection::default()
        };
        let ids: Vec<String> = selection.apply(cases).into_iter().map(|c| c.id).collect();
        assert_eq!(ids, ["3", "6", "9"]);
    }

    #[test]
    fn selects_by_repository_and_kind() {
        let cases = vec![
            case("a", "django/django", "issue"),
            case("b", "django/django", "commit"),
            case("c", "pallets/flask", "issue"),
        ];
        let selection = Selection {
            only: Some("django".to_owned()),
            kinds: vec!["issue".to_owned()],
            limit: None,
        };
        let kept = selection.apply(cases);
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].id, "a");
    }

    #[test]
    fn names_the_file_and_line_of_a_bad_case() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("cases.jsonl");
        std::fs::write(
            &path,
            "\n{\"id\":\"a\",\"repo\":\"o/n\",\"commit\":\"c\",\"query\":\"q\",\"gold_files\":[]}\n{}\n",
        )?;
        let error = read_cases(std::slice::from_ref(&path)).unwrap_err();
        assert!(error.to_string().contains("cases.jsonl:3"), "{error}");
        let error = read_cases(&[directory.path().join("none")]).unwrap_err();
        assert!(error.to_string().contains("cannot read"), "{error}");
        Ok(())
    }

    #[test]
    fn questions_each_have_a_known_answer() -> Result<(), Box<dyn std::error::Error>> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval");
        let mut cases = read_cases(&[directory.join("questions.jsonl")])?;
        add_edits(&mut cases, &directory.join("questions.edits.jsonl"))?;
        assert!(cases.len() >= 60);
        for case in &cases {
            let functions = case.gold_functions.iter();
            let edits = case.edits.iter();
            let answers: Vec<(&String, u32, u32)> = functions
                .map(|gold| (&gold.file, gold.start, gold.end))
                .chain(edits.map(|edit| (&edit.file, edit.start, edit.end)))
                .collect();
            assert!(!answers.is_empty(), "{}", case.id);
            for (file, start, end) in answers {
                assert!(case.gold_files.contains(file), "{}: {file}", case.id);
                assert!(1 <= start && start <= end, "{}: {file}", case.id);
            }
            let intent = case.intent.as_deref().unwrap_or_default();
            let kind = foveate_query::IntentKind::named(intent);
            assert!(kind.is_some(), "{}", case.id);
        }
        Ok(())
    }

    #[test]
    fn how_to_questions_each_have_a_gold_file() -> Result<(), Box<dyn std::error::Error>> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval");
        let cases = read_cases(&[directory.join("how_to.jsonl")])?;
        assert!(cases.len() >= 20);
        for case in &cases {
            assert!(!case.gold_files.is_empty(), "{}", case.id);
            assert_eq!(case.query_kind, "how_to", "{}", case.id);
        }
        Ok(())
    }

    #[test]
    fn questions_about_other_files_each_have_a_passage() -> Result<(), Box<dyn std::error::Error>> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval");
        let mut cases = read_cases(&[directory.join("other_files.jsonl")])?;
        assert!(cases.len() >= 80);
        add_edits(&mut cases, &directory.join("other_files.edits.jsonl"))?;
        for case in &cases {
            assert!(!case.edits.is_empty(), "{}", case.id);
        }
        Ok(())
    }

    #[test]
    fn finds_repositories_under_other_names() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("repos.tsv");
        std::fs::write(
            &path,
            "repo\tcases\tfull_history_at\ndjango/django\t3\tfork/Django\n",
        )?;
        let repositories =
            Repositories::new("/r/{owner}+{name}/repo".to_owned()).with_aliases(&path)?;
        assert_eq!(
            repositories.path("django/django"),
            PathBuf::from("/r/fork+Django/repo")
        );
        assert_eq!(repositories.path("a/b"), PathBuf::from("/r/a+b/repo"));
        std::fs::write(&path, "repo\tcases\n")?;
        let error = Repositories::new(String::new()).with_aliases(&path);
        assert!(error.is_err_and(|e| e.to_string().contains("full_history_at")));
        Ok(())
    }
}
