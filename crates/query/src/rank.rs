//! Orders files, functions and places: many weak signals, one explained sum, weights from
//! `config/ranking.toml`. [`evidence`] gathers what is known about the query; files come first
//! ([`files`]), then functions, which know their file's place ([`functions`]), and with them the
//! stretches of code and text between functions ([`stretches`]). [`probability`] says what a score
//! is worth.

mod evidence;
mod examine;
mod files;
mod functions;
mod history;
mod passages;
mod probability;
mod ranked;
mod roles;
mod stretches;
mod terms;
mod weights;

use std::sync::LazyLock;

use foveate_index::{Snapshot, top};

use self::evidence::Evidence;
pub use self::evidence::Words;
use crate::deadline::Deadline;
use crate::intent::IntentKind;
use crate::issue::Issue;
use crate::resolve::Candidates;
use crate::text::QueryText;

pub use self::examine::{Examination, Examined, examine};
pub use self::probability::Calibration;
pub use self::ranked::{ListedFile, ListedFunction, ListedPlace, Signal};
pub use self::ranked::{PlaceId, RankedFile, RankedFunction, RankedPlace};
pub use self::weights::RankConfig;

/// Files, functions and places, best first. Whatever has any evidence is in the order, up to
/// [`MAX_RANKED`].
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// The best files.
    pub files: Vec<RankedFile>,
    /// The best functions.
    pub functions: Vec<RankedFunction>,
    /// The best of everything that can be edited: functions, and the stretches between them.
    pub places: Vec<RankedPlace>,
    /// Whether the query asks for documentation.
    pub asks_documentation: bool,
    /// What could not be done; `answer` moves them to the answer's issues.
    pub notes: Vec<Issue>,
}

/// How many of each are ranked; more than any request may list.
pub const MAX_RANKED: usize = 200;

/// Searches the words of the query.
pub fn search<'a>(
    snapshot: &Snapshot,
    text: &'a QueryText,
    config: &RankConfig,
    deadline: &'a Deadline,
) -> Words<'a> {
    Words::search(snapshot, text, config, deadline)
}

/// Ranks the files and functions of a snapshot. `words` are what [`search`] found. The first `explained` of each carry their signals.
pub fn rank(
    snapshot: &Snapshot,
    mut words: Words<'_>,
    candidates: &Candidates,
    intent: IntentKind,
    config: &RankConfig,
    explained: usize,
) -> Ranked {
    let deadline = words.deadline;
    let notes = std::mem::take(&mut words.notes);
    let evidence = Evidence::gather(snapshot, words, candidates, intent, config);
    let files = files::rank(snapshot, &evidence, config, explained);
    let (functions, mut places) =
        functions::rank(snapshot, &evidence, &files, config, explained, deadline);
    passages::narrow(snapshot, &evidence, &mut places, deadline);
    Ranked {
        files,
        functions,
        places,
        asks_documentation: evidence.roles.asks_documentation(),
        notes,
    }
}

/// The best [`MAX_RANKED`] positions with their scores; of equal ones the first positions first.
fn best_ranked(mut scored: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    if scored.len() > MAX_RANKED {
        scored.select_nth_unstable_by(MAX_RANKED, top::best_first);
        scored.truncate(MAX_RANKED);
    }
    scored.sort_unstable_by(top::best_first);
    scored
}

/// The signals of a result, largest first, with what its role takes away, so that they sum to its
/// score.
fn explained(score: f32, mut signals: Vec<Signal>) -> Vec<Signal> {
    let sum: f32 = signals.iter().map(|signal| signal.value).sum();
    signals.push(Signal {
        name: "role",
        value: score - sum,
    });
    signals.retain(|signal| signal.value != 0.0);
    signals.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.name.cmp(b.name)));
    signals
}

/// Logarithms of small counts plus one.
static LOGARITHMS: LazyLock<[f32; 512]> =
    LazyLock::new(|| std::array::from_fn(|count| (count as f32).ln_1p()));

/// Logarithm of the lines, uses and changes that count as 1: 150 of them.
const FULL: f32 = 5.0;

/// A count on a logarithmic scale: 0 for 0, and 1 where `ln(1 + count)` is `full`.
fn logarithmic(count: usize, full: f32) -> f32 {
    let known = LOGARITHMS.get(count).copied();
    known.unwrap_or_else(|| (count as f32).ln_1p()) / full
}

/// Divides by the largest value, where there is a positive one.
fn normalize(values: &mut [f32]) {
    let most = largest(values);
    if most > 0.0 {
        values.iter_mut().for_each(|value| *value /= most);
    }
}

/// The largest value, or 0. Several are compared at a time: one after the other, each comparison waits
/// for the one before.
fn largest(values: &[f32]) -> f32 {
    let (blocks, rest) = values.as_chunks::<16>();
    let mut most = [0.0f32; 16];
    for block in blocks {
        for (most, value) in most.iter_mut().zip(block) {
            *most = if *value > *most { *value } else { *most };
        }
    }
    most.iter().chain(rest).copied().fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use foveate_index::{Revision, Snapshot};
    use foveate_model::{ObjectId, SourceFile};

    use super::*;
    use crate::config::RankingConfig;
    use crate::request::Request;

    #[test]
    fn the_largest_value_is_found_wherever_it_stands() {
        for length in [1, 15, 16, 17, 40] {
            for at in 0..length {
                let mut values = vec![1.0; length];
                values[at] = 2.0;
                assert_eq!(largest(&values), 2.0, "at {at} of {length}");
            }
        }
        assert_eq!(largest(&[-1.0, f32::NAN]), 0.0);
        assert_eq!(largest(&[]), 0.0);
    }

    #[test]
    fn names_rank_where_no_word_was_searched() {
        let fixture = "
            //- a.py
            def other():
                return 1
            //- b.py
            def connect():
                return 2
        ";
        let files = foveate_fixture::repository(fixture)
            .into_iter()
            .map(|file| {
                let by_name = foveate_parse::language_by_name(&file.path);
                let limits = foveate_parse::Limits::default();
                let (language, content) =
                    foveate_parse::read(by_name, file.text.as_bytes(), &limits);
                SourceFile {
                    role: foveate_parse::role(&file.path, language, false),
                    blob: ObjectId::from_sha1([0; 20]),
                    size: file.text.len() as u64,
                    language,
                    content: content.ok().map(Arc::new),
                    skipped: None,
                    path: file.path,
                }
            })
            .collect();
        let revision = Revision {
            commit: String::new(),
            dirty: false,
        };
        let snapshot = Snapshot::build(revision, 1, files, None, None).unwrap();
        let config = RankingConfig::default();
        let text = QueryText::parse("`connect` fails");
        let request = Request::default();
        let deadline = Deadline::none();
        let known = (&request).into();
        let candidates =
            crate::resolve::resolve(&snapshot, &text, &known, &config.resolve, &deadline);
        let words = Words::none(&snapshot, &text, &deadline);
        let kind = IntentKind::BugFix;
        let ranked = rank(&snapshot, words, &candidates, kind, &config.rank, 1);
        assert_eq!(ranked.files.len(), 1);
        assert_eq!(snapshot.files.path(ranked.files[0].id), "b.py");
        let first = ranked.functions[0].clone().listed(&snapshot.files);
        assert_eq!(first.name, "connect");
    }
}
