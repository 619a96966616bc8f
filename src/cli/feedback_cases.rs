//! Makes cases from the answers that a server recorded: the question, and the places that were changed in the
//! end, according to a merged pull request or a client. There are none unless the server recorded questions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write as _;
use std::path::PathBuf;

use foveate_model::escape::escape;

use super::NothingToAsk;
use super::cases::WalkArgs;
use super::database::DatabaseArgs;
use super::feedback::for_each;
use crate::config::Config;
use crate::engine::RepoName;
use crate::eval::case::{Case, GoldFunction, Repositories};
use crate::eval::visit::Walk;
use crate::feedback::NamedPlace;
use crate::ingest::clone_path;
use crate::ingest::git::Location;
use crate::store::{AnswerRow, FeedbackRow, FeedbackSource, RepositoryKind, RepositoryRow, Store};

/// The cases, and counts of the answers that they were made from.
#[derive(Debug, Default)]
struct RecordedCases {
    cases: Vec<Case>,
    answers: usize,
    with_changes: usize,
    with_question: usize,
    /// Number of answers left out per repository that is not registered.
    unregistered: BTreeMap<String, usize>,
}

/// Loads the cases of a data directory, oldest first, and the walk over them.
///
/// # Errors
/// When there is no database, or no recorded answer makes a case.
pub fn load(database: &DatabaseArgs, walk: &WalkArgs) -> anyhow::Result<(Vec<Case>, Walk)> {
    let config = database.settings()?;
    let (found, repositories) = database.with_store(async |store| {
        let paths = paths(store, &config).await?;
        let mut found = RecordedCases::default();
        for_each(store, None, |answer, feedback| {
            found.add(answer, &feedback, &paths);
            Ok(())
        })
        .await?;
        Ok((found, Repositories::at(paths)))
    })?;
    let unregistered = found.unregistered_note();
    if found.cases.is_empty() {
        let RecordedCases {
            answers,
            with_changes,
            with_question,
            ..
        } = found;
        let reason = unregistered.unwrap_or_else(|| {
            format!(
                "of {answers} recorded answers, {with_changes} have changed places and {with_question} have \
                 their question; a case needs both, and questions are recorded only while \
                 feedback.queries is true"
            )
        });
        return Err(NothingToAsk(reason).into());
    }
    if let Some(note) = unregistered {
        let _ = writeln!(std::io::stderr(), "{note}");
    }
    Ok((found.cases, walk.over(repositories)))
}

impl RecordedCases {
    fn add(
        &mut self,
        AnswerRow { id, answer }: AnswerRow,
        feedback: &[FeedbackRow],
        paths: &HashMap<String, PathBuf>,
    ) {
        let changed = changed(feedback);
        self.answers += 1;
        self.with_changes += usize::from(changed.is_some());
        self.with_question += usize::from(answer.query.is_some());
        let (Some((base, changed)), Some(query)) = (changed, answer.query) else {
            return;
        };
        if !paths.contains_key(&answer.repo) {
            *self.unregistered.entry(answer.repo).or_default() += 1;
            return;
        }
        let files: BTreeSet<&str> = changed.iter().map(|place| &*place.path).collect();
        self.cases.push(Case {
            // Clients choose the request ids; the row's number makes the case id unique.
            id: format!("{} {}", answer.request_id, id),
            set: "feedback".to_owned(),
            commit: base,
            query,
            query_kind: match answer.thread {
                Some(_) => "thread".to_owned(),
                None => "request".to_owned(),
            },
            gold_files: files.into_iter().map(str::to_owned).collect(),
            gold_functions: changed.into_iter().filter_map(gold).collect(),
            repo: answer.repo,
            ..Case::default()
        });
    }

    /// Returns a note about the answers that are left out because their repository is not registered.
    fn unregistered_note(&self) -> Option<String> {
        if self.unregistered.is_empty() {
            return None;
        }
        let each = self.unregistered.iter();
        let each: Vec<String> = each
            .map(|(repo, count)| format!("{} ({count})", escape(repo)))
            .collect();
        Some(format!(
            "answers about repositories that are not registered are left out: {}; those of --watch are not \
             registered: add them under these names with `foveate repo add`",
            each.join(", ")
        ))
    }
}

/// Returns the base commit of the change and the changed places: those of the last merged pull request, or else those
/// that a client reported last.
fn changed(feedback: &[FeedbackRow]) -> Option<(String, Vec<NamedPlace>)> {
    let read = |row: &FeedbackRow| {
        let places: Vec<NamedPlace> = serde_json::from_str(&row.changed).ok()?;
        Some((row.base_commit.clone()?, places)).filter(|(_, places)| !places.is_empty())
    };
    let of = |source| {
        feedback
            .iter()
            .rev()
            .filter(move |row| row.source == source)
    };
    let mut best = of(FeedbackSource::Merge).chain(of(FeedbackSource::Caller));
    best.find_map(read)
}

/// Converts a place to a gold function; `None` where its name or lines are unknown.
fn gold(place: NamedPlace) -> Option<GoldFunction> {
    let (start, end) = place.lines?;
    Some(GoldFunction {
        file: place.path,
        name: place.name?,
        start,
        end,
    })
}

/// Returns the paths of the registered repositories by name.
async fn paths(store: &Store, config: &Config) -> anyhow::Result<HashMap<String, PathBuf>> {
    let mut paths = HashMap::new();
    for row in store.repositories().await? {
        if let Some(path) = path_of(&row, config) {
            paths.insert(row.name, path);
        }
    }
    Ok(paths)
}

fn path_of(row: &RepositoryRow, config: &Config) -> Option<PathBuf> {
    let location = PathBuf::from(&row.location);
    if row.kind == RepositoryKind::Path {
        return Some(location);
    }
    match Location::parse(&row.location, &config.git.schemes) {
        Ok(Location::Local(path)) => Some(path),
        // A remote repository: its clone is in the data directory.
        _ => Some(clone_path(
            &config.storage.data_dir,
            &RepoName::new(&row.name).ok()?,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ChangeCounts;

    fn row(source: FeedbackSource, base: Option<&str>, changed: &str) -> FeedbackRow {
        FeedbackRow {
            answer: 1,
            source,
            origin: String::new(),
            created_at: 0,
            useful: "[]".to_owned(),
            changed: changed.to_owned(),
            comment: None,
            base_commit: base.map(str::to_owned),
            counts: ChangeCounts::default(),
        }
    }

    #[test]
    fn merged_changes_outrank_client_reports() {
        let place =
            |path: &str| format!("[{{\"path\":\"{path}\",\"name\":\"f\",\"lines\":[1,2]}}]");
        let reported = row(FeedbackSource::Caller, Some("a"), &place("said.py"));
        let merged = row(FeedbackSource::Merge, Some("b"), &place("merged.py"));
        let nothing = row(FeedbackSource::Merge, Some("c"), "[]");
        let nowhere = row(FeedbackSource::Merge, None, &place("nowhere.py"));
        let all = [merged, nothing, nowhere, reported.clone()];
        let (base, places) = changed(&all).unwrap();
        assert_eq!((&*base, &*places[0].path), ("b", "merged.py"));
        let (base, places) = changed(&[reported]).unwrap();
        assert_eq!((&*base, &*places[0].path), ("a", "said.py"));
        let function = gold(places[0].clone()).unwrap();
        assert_eq!((&*function.name, function.start, function.end), ("f", 1, 2));
        assert!(changed(&[]).is_none());
    }
}
