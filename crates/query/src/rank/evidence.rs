//! Gathers all evidence about a query, before it is weighted.

use foldhash::HashMap;
use foveate_index::lexical::{Hits, IndexedCommit, QueryTerm};
use foveate_index::messages::MessagePlace;
use foveate_index::{DefId, FileId, Snapshot, tokens};

use super::adjustments::Adjustments;
use super::messages;
use super::project_names::ProjectNames;
use super::terms::query_terms;
use super::weights::RankConfig;
use crate::deadline::{Deadline, Stage};
use crate::intent::IntentKind;
use crate::issue::{Issue, IssueCode};
use crate::resolve::{EvidenceSource, NamedLine, NamedSection, Resolution};
use crate::text::{QueryText, Segment, SegmentKind};

/// Statistics of a term of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryTermStats {
    /// Inverse document frequency: how well it tells files apart.
    pub idf: f32,
    /// Whether the title or inline code has it.
    pub is_prominent: bool,
}

/// How much of a name the query contains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    /// Share of its terms that the query has.
    pub known: f32,
    /// Share of its terms that the title or inline code has.
    pub prominent: f32,
    /// Sum of the rarities of its terms that the query has.
    pub rare: f32,
}

/// Search results for the words of a query.
pub struct WordHits<'a> {
    text: &'a QueryText,
    pub(super) deadline: &'a Deadline,
    hits: Hits,
    /// The terms of the query, weighted, in alphabetical order.
    query: Vec<QueryTerm>,
    /// Statistics of these terms, by their hashes.
    terms: HashMap<u64, QueryTermStats>,
    /// Issues that say why the words were not searched.
    pub(super) issues: Vec<Issue>,
}

impl<'a> WordHits<'a> {
    /// Searches the words of the query. If that fails, nothing is found and an issue says why.
    pub fn search(
        snapshot: &Snapshot,
        text: &'a QueryText,
        config: &RankConfig,
        deadline: &'a Deadline,
    ) -> Self {
        let terms = query_terms(text, config);
        let weights = config.lexical.weights();
        let has_time = || deadline.allows(Stage::Words);
        let found = snapshot
            .lexical
            .search(&terms.weighted, &weights, &has_time);
        let hits = match found {
            Ok(hits) => hits,
            Err(error) => {
                let mut none = Self::none(snapshot, text, deadline);
                none.issues.push(Issue {
                    code: IssueCode::Degraded,
                    detail: format!("the words of the query were not searched: {error}"),
                });
                return none;
            }
        };
        let known = hits.idf.iter().zip(terms.prominent);
        let known = known.map(|(&idf, is_prominent)| QueryTermStats { idf, is_prominent });
        let hashes = terms.weighted.iter().map(|term| tokens::hash(&term.term));
        Self {
            text,
            deadline,
            terms: hashes.zip(known).collect(),
            query: terms.weighted,
            hits,
            issues: Vec::new(),
        }
    }

    /// Returns the results of a query without words.
    pub(super) fn none(snapshot: &Snapshot, text: &'a QueryText, deadline: &'a Deadline) -> Self {
        Self {
            text,
            deadline,
            hits: snapshot.lexical.no_hits(),
            query: Vec::new(),
            terms: HashMap::default(),
            issues: Vec::new(),
        }
    }
}

/// All evidence about a query, by definition and file.
pub(super) struct Evidence {
    pub adjustments: Adjustments,
    pub hits: Hits,
    /// The terms of the query, weighted, in alphabetical order.
    pub query: Vec<QueryTerm>,
    /// Statistics of these terms, by their hashes.
    terms: HashMap<u64, QueryTermStats>,
    /// Noisy-or of the strengths per definition, sorted by id: `1 - Π(1 - strength)`.
    pub definitions: Vec<(DefId, f32)>,
    /// The same per file, for files named by path, frame, module or focus.
    pub named_files: Vec<(FileId, f32)>,
    /// Sections that the query names by their headings.
    pub sections: Vec<NamedSection>,
    /// Lines that the query names and that are in no function.
    pub lines: Vec<NamedLine>,
    /// The strengths per file that the imports in the query's code lead to.
    pub imports: Vec<(FileId, f32)>,
    /// The past commits that the query cites, by position, each with its strength: `1 / sqrt(commits that a
    /// citation matches)`, noisy-or over the citations. See [`cited`].
    cited: Vec<(u32, f32)>,
    /// Files of the caller's focus or change, each with its strength.
    pub focus: Vec<(FileId, f32)>,
    /// The function at the place that the query names, and those where the errors that led there were raised, if the query
    /// says little else.
    pub places: Vec<DefId>,
    /// Messages of the repository that the query's error messages match, or of which most is in its sentences.
    pub messages: Vec<(MessagePlace, f32)>,
}

/// Maximum words that a query has besides a stack trace, an error message or a line of a file, if it says little else.
const FEW_WORDS: usize = 12;

/// Whether a query is little more than the place of a failure. Code says much, unless `is_output` tells that the failed
/// program printed it.
fn says_little(text: &QueryText, is_output: fn(&Segment) -> bool) -> bool {
    let words = text.segments.iter().map(|segment| match segment.kind {
        SegmentKind::Title | SegmentKind::Prose | SegmentKind::InlineCode => {
            segment.text.split_whitespace().count()
        }
        SegmentKind::CodeBlock if is_output(segment) => 0,
        SegmentKind::CodeBlock => FEW_WORDS,
        SegmentKind::Traceback | SegmentKind::ErrorMessage | SegmentKind::Quoted => 0,
    });
    words.sum::<usize>() <= FEW_WORDS
}

impl Evidence {
    /// Combines the definitions and files that the query names with the results of its words.
    pub(super) fn gather(
        snapshot: &Snapshot,
        words: WordHits<'_>,
        resolution: &Resolution,
        intent: IntentKind,
        config: &RankConfig,
    ) -> Self {
        let text = words.text;
        let files = resolution.files.iter();
        let by_path = files.filter(|e| e.from == EvidenceSource::Path);
        let named_files = by_path.map(|e| (e.file, snapshot.files.file(e.file).role));
        let named = resolution
            .definitions
            .iter()
            .map(|e| (e.definition, e.strength))
            .collect();
        let files_from = |is_meant: fn(EvidenceSource) -> bool| {
            let meant = resolution.files.iter().filter(|e| is_meant(e.from));
            noisy_or_by_key(meant.map(|e| (e.file, e.strength)).collect())
        };
        let project = ProjectNames::of(snapshot, text, &config.role);
        let adjustments = Adjustments::of(text, intent, &config.role, &project)
            .with_named(named_files)
            .with_files_at_places(&snapshot.files, files_at_places(snapshot, resolution, text))
            .with_described(&snapshot.files, &project, |term| {
                words.terms.contains_key(&term)
            })
            .with_sections(&resolution.sections)
            .with_lines(&resolution.lines);
        Self {
            adjustments,
            hits: words.hits,
            query: words.query,
            terms: words.terms,
            definitions: noisy_or_by_key(named),
            named_files: files_from(|from| from != EvidenceSource::Import),
            sections: resolution.sections.clone(),
            lines: resolution.lines.clone(),
            imports: files_from(|from| from == EvidenceSource::Import),
            cited: cited(snapshot, text, resolution, config),
            focus: files_from(|from| {
                matches!(from, EvidenceSource::Focus | EvidenceSource::Change)
            }),
            places: places(resolution, text),
            messages: messages::gather(snapshot, text, config),
        }
    }

    /// Returns the share of the query's words, by weight and rarity, that the file with most of them has.
    pub(super) fn coverage(&self) -> f32 {
        let words = self.query.iter().zip(&self.hits.idf);
        let all: f32 = words.map(|(term, idf)| term.file * idf).sum();
        let files = self.hits.files.iter().map(|hit| hit.coverage);
        let most = files.fold(0.0, f32::max);
        if all > 0.0 {
            (most / all).min(1.0)
        } else {
            0.0
        }
    }

    /// Returns how much of a name the query contains. The name is given as the hashes of its terms.
    pub(super) fn share(&self, name: &[u64]) -> Share {
        let (mut known, mut prominent, mut rare) = (0u32, 0u32, 0.0);
        for term in name.iter().filter_map(|term| self.terms.get(term)) {
            known += 1;
            prominent += u32::from(term.is_prominent);
            rare += term.idf;
        }
        let all = name.len().max(1) as f32;
        Share {
            known: known as f32 / all,
            prominent: prominent as f32 / all,
            rare,
        }
    }

    /// Returns the nearest commits, each with its score as a share of the best one's.
    pub(super) fn nearest_commits<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> impl Iterator<Item = (IndexedCommit<'a>, f32)> {
        let best = self.hits.commits.first().map_or(1.0, |(_, score)| *score);
        let commits = snapshot.lexical.commits();
        let nearest = self.hits.commits.iter();
        nearest.map(move |(at, score)| (commits.at(*at), score / best))
    }

    /// Returns the commits that the query cites, each with its strength.
    pub(super) fn cited_commits<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> impl Iterator<Item = (IndexedCommit<'a>, f32)> {
        let commits = snapshot.lexical.commits();
        let cited = self.cited.iter();
        cited.map(move |(at, share)| (commits.at(*at), *share))
    }
}

/// Returns the commits that the query cites, and the newest ones that touched the functions that the caller changed:
/// they lead to code that was changed together with these before.
fn cited(
    snapshot: &Snapshot,
    text: &QueryText,
    resolution: &Resolution,
    config: &RankConfig,
) -> Vec<(u32, f32)> {
    let (files, commits) = (&snapshot.files, snapshot.lexical.commits());
    let of = |citation| {
        let found = commits.cited(citation);
        let share = 1.0 / (found.len() as f32).sqrt();
        let counts = found.len() <= config.max_cited;
        let with_share = move |commit| counts.then_some((commit, share));
        found.into_iter().filter_map(with_share)
    };
    let definitions = resolution.definitions.iter();
    let changed = definitions.filter(|e| e.from == EvidenceSource::Change);
    let touching = changed.flat_map(|evidence| {
        let id = evidence.definition;
        let function = commits.function(id.file, files.name_hash(id));
        let all = function.map_or(&[][..], |function| commits.touching(function));
        let newest = all.get(..config.max_cochange_commits).unwrap_or(all);
        let share = 1.0 / (newest.len().max(1) as f32);
        newest.iter().map(move |commit| (*commit, share))
    });
    noisy_or_by_key(text.citations.iter().flat_map(of).chain(touching).collect())
}

/// Returns the functions at the place that the query names, if it says little else.
fn places(resolution: &Resolution, text: &QueryText) -> Vec<DefId> {
    let named = resolution.place.iter().chain(&resolution.causes);
    match says_little(text, |_| false) {
        true => named.copied().collect(),
        false => Vec::new(),
    }
}

/// Returns the files of the places that frames, messages and lines of the query lead to, if it says little else. What is
/// printed around the lines of languages without a parser often looks like code.
fn files_at_places(snapshot: &Snapshot, resolution: &Resolution, text: &QueryText) -> Vec<FileId> {
    let mut found = Vec::new();
    if says_little(text, |_| false) {
        let functions = resolution.place.iter().chain(&resolution.causes);
        found.extend(functions.chain(&resolution.reported).map(|id| id.file));
    }
    if says_little(text, messages::is_short_output) {
        let lines = resolution.lines.iter().filter(|line| !line.is_caller);
        found.extend(lines.map(|line| snapshot.files.chunk_file(line.chunk)));
    }
    found
}

/// Returns one value per key, sorted by key: `1 - Π(1 - strength)`.
fn noisy_or_by_key<K: Copy + Ord>(mut evidence: Vec<(K, f32)>) -> Vec<(K, f32)> {
    evidence.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    evidence
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|run| {
            let rest: f32 = run.iter().map(|(_, s)| 1.0 - s.clamp(0.0, 1.0)).product();
            Some((run.first()?.0, 1.0 - rest))
        })
        .collect()
}
