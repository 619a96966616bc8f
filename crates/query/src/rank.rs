//! Orders files and functions: many weak signals, one explained sum, weights from
//! `config/ranking.toml`. Files first ([`files`]), then functions, which know their file's place
//! ([`functions`]).

mod files;
mod functions;
mod ranked;
mod terms;
mod weights;

use foveate_index::Snapshot;
use foveate_index::lexical::Hits;

use crate::issue::Issue;
use crate::resolve::Candidates;
use crate::text::{QueryText, SegmentKind};

pub use self::ranked::{RankedFile, RankedFunction, RankedPassage, Signal};
pub use self::weights::RankConfig;

/// Files and functions, best first. Whatever has any evidence is in the order, up to
/// [`MOST_RANKED`].
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// The best files.
    pub files: Vec<RankedFile>,
    /// The best functions.
    pub functions: Vec<RankedFunction>,
    /// The best stretches of source files without functions.
    pub passages: Vec<RankedPassage>,
    /// What could not be done; `answer` moves them to the answer's issues.
    pub notes: Vec<Issue>,
}

/// How many files and functions are ranked; more than any request may list.
pub const MOST_RANKED: usize = 200;

/// Ranks the files and functions of a snapshot.
pub fn rank(
    snapshot: &Snapshot,
    text: &QueryText,
    candidates: &Candidates,
    config: &RankConfig,
) -> Ranked {
    let terms = terms::query_terms(text, config);
    let weights = config.lexical.weights();
    match snapshot.lexical.search(&terms, &weights) {
        Ok(hits) => rank_hits(snapshot, text, candidates, config, hits),
        // Only what the query names is left as evidence.
        Err(error) => {
            let hits = snapshot.lexical.no_hits();
            let mut ranked = rank_hits(snapshot, text, candidates, config, hits);
            ranked.notes.push(Issue {
                code: "degraded",
                detail: format!("the words of the query were not searched: {error}"),
            });
            ranked
        }
    }
}

fn rank_hits(
    snapshot: &Snapshot,
    text: &QueryText,
    candidates: &Candidates,
    config: &RankConfig,
    hits: Hits,
) -> Ranked {
    let evidence = evidence(snapshot, text, candidates, hits);
    let files = files::rank(snapshot, &evidence, config);
    let (functions, passages) = functions::rank(snapshot, text, &evidence, &files, config);
    Ranked {
        files,
        functions,
        passages,
        notes: Vec::new(),
    }
}

/// All evidence about a query, by definition and file.
struct Evidence {
    hits: Hits,
    /// Noisy-or of the strengths per definition, by id: `1 - Π(1 - strength)`.
    definitions: Vec<(foveate_index::DefId, f32)>,
    /// The same per file named by path, frame, module or focus.
    places: Vec<(foveate_index::FileId, f32)>,
    /// The same per file whose names the query's code imports.
    imports: Vec<(foveate_index::FileId, f32)>,
    /// Messages that share rare word trigrams with the query's error messages.
    messages: Vec<(foveate_index::messages::MessagePlace, f32)>,
}

fn evidence(
    snapshot: &Snapshot,
    text: &QueryText,
    candidates: &Candidates,
    hits: Hits,
) -> Evidence {
    let named = candidates
        .definitions
        .iter()
        .map(|e| (e.definition, e.strength))
        .collect();
    let files = |imported: bool| {
        candidates
            .files
            .iter()
            .filter(|e| (e.from == "import") == imported)
            .map(|e| (e.file, e.strength))
            .collect()
    };
    let errors: Vec<&str> = text
        .segments
        .iter()
        .filter(|s| match s.kind {
            SegmentKind::ErrorMessage | SegmentKind::Title => true,
            // Messages share three words.
            SegmentKind::Quoted => s.text.split_whitespace().nth(2).is_some(),
            _ => false,
        })
        .map(|s| s.text.as_str())
        .collect();
    Evidence {
        hits,
        definitions: noisy_or(named),
        places: noisy_or(files(false)),
        imports: noisy_or(files(true)),
        messages: snapshot.messages.search(&errors.join("\n")),
    }
}

/// One value per key, by key: `1 - Π(1 - strength)`.
fn noisy_or<K: Copy + Ord>(mut evidence: Vec<(K, f32)>) -> Vec<(K, f32)> {
    evidence.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    evidence
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|run| {
            let rest: f32 = run.iter().map(|(_, s)| 1.0 - s.clamp(0.0, 1.0)).product();
            Some((run.first()?.0, 1.0 - rest))
        })
        .collect()
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

/// Divides by the largest value, where there is a positive one.
fn normalize(values: &mut [f32]) {
    let most = values.iter().copied().fold(0.0, f32::max);
    if most > 0.0 {
        values.iter_mut().for_each(|value| *value /= most);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use foveate_index::{Revision, Snapshot};
    use foveate_model::{ObjectId, SourceFile};

    use super::*;
    use crate::config::RankingConfig;
    use crate::request::Focus;

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
        let candidates =
            crate::resolve::resolve(&snapshot, &text, &Focus::default(), &config.resolve);
        let hits = snapshot.lexical.no_hits();
        let ranked = rank_hits(&snapshot, &text, &candidates, &config.rank, hits);
        assert_eq!(ranked.files.len(), 1);
        assert_eq!(ranked.files[0].path, "b.py");
        assert_eq!(ranked.functions[0].name, "connect");
    }
}
