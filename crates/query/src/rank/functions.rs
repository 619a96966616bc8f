//! The ranking of functions and methods. What has no chunk of its own counts as a part of what it
//! is nested in.

use std::ops::Range;
use std::sync::Arc;

use foveate_index::lexical::ChunkHit;
use foveate_index::{ChunkId, DefId, FileId, Snapshot};
use foveate_model::{DefinitionKind, LocalId};

use super::evidence::Evidence;
use super::past::OfFunction;
use super::ranked::{RankedFile, RankedFunction, RankedPassage};
use super::roles::Roles;
use super::weights::{FunctionSignals, RankConfig};
use super::{MOST_RANKED, best_ranked, explained, logarithmic, past};

/// Logarithm of the lines, uses and changes that count as 1: 150 of them.
const FULL: f32 = 5.0;

/// Ranks the functions of the best files, the first `listed` with their signals, and the passages of
/// those without functions.
pub(super) fn rank(
    snapshot: &Snapshot,
    evidence: &Evidence,
    ranked_files: &[RankedFile],
    config: &RankConfig,
    listed: usize,
) -> (Vec<RankedFunction>, Vec<RankedPassage>) {
    let pool = Pool::gather(snapshot, evidence, ranked_files, config);
    (pool.functions(config, listed), pool.passages(config))
}

/// The functions of the best files with their signals, by id.
pub(super) fn signals(
    snapshot: &Snapshot,
    evidence: &Evidence,
    ranked_files: &[RankedFile],
    config: &RankConfig,
) -> Vec<(DefId, FunctionSignals)> {
    let pool = Pool::gather(snapshot, evidence, ranked_files, config);
    pool.ids.iter().copied().zip(pool.signals).collect()
}

struct Pool<'a> {
    snapshot: &'a Snapshot,
    roles: Roles,
    /// In id order; shared with the thread that looks into the past.
    ids: Arc<Vec<DefId>>,
    /// Of each.
    signals: Vec<FunctionSignals>,
    /// The files that they are in, in order, with the positions of theirs.
    files: Vec<(FileId, Range<usize>)>,
    /// Stretches of source files without functions, in id order.
    passages: Vec<(ChunkId, FunctionSignals)>,
}

impl<'a> Pool<'a> {
    fn gather(
        snapshot: &'a Snapshot,
        evidence: &Evidence,
        ranked_files: &[RankedFile],
        config: &RankConfig,
    ) -> Self {
        let mut pool = Self {
            snapshot,
            roles: evidence.roles,
            ids: Arc::default(),
            signals: Vec::new(),
            files: Vec::new(),
            passages: Vec::new(),
        };
        let files = ranked_files
            .get(..config.function_files)
            .unwrap_or(ranked_files);
        pool.fill(files);
        let ids = Arc::clone(&pool.ids);
        let (past, ()) = rayon::join(
            || past::of_functions(snapshot, &ids, evidence, &config.lexical),
            || {
                pool.words(evidence);
                pool.mentions(evidence);
                pool.neighbours(evidence, config.neighbour_strength);
                pool.names(evidence);
            },
        );
        pool.past(&past);
        pool
    }

    fn fill(&mut self, ranked_files: &[RankedFile]) {
        let best = ranked_files
            .first()
            .map_or(1.0, |f| f.score.max(f32::MIN_POSITIVE));
        let mut by_id: Vec<(usize, &RankedFile)> = ranked_files.iter().enumerate().collect();
        by_id.sort_unstable_by_key(|(_, file)| file.id);
        let files = &self.snapshot.files;
        let units = by_id.iter().map(|(_, file)| files.units_of(file.id).len());
        let units = units.sum();
        let mut ids = Vec::with_capacity(units);
        self.signals.reserve(units);
        for (rank, file) in by_id {
            let of_file = FunctionSignals {
                file: file.score / best,
                file_rank: 1.0 / (rank as f32 + 1.0),
                ..FunctionSignals::default()
            };
            let start = ids.len();
            for unit in files.units_of(file.id) {
                let id = files.global(file.id, unit.local);
                let uses = self.snapshot.graph.uses_of(id).len();
                ids.push(id);
                self.signals.push(FunctionSignals {
                    lines: logarithmic(unit.lines.saturating_sub(1) as usize, FULL),
                    fan_in: logarithmic(uses, FULL),
                    ..of_file
                });
            }
            self.files.push((file.id, start..ids.len()));
            let content = files.content(file.id);
            if content.is_some_and(|c| c.facts.definitions.is_empty() && c.facts.language.is_code())
            {
                for chunk in files.chunks_of(file.id) {
                    let signals = FunctionSignals {
                        lines: logarithmic(
                            files.chunk(chunk).lines.count().saturating_sub(1) as usize,
                            FULL,
                        ),
                        ..of_file
                    };
                    self.passages.push((chunk, signals));
                }
            }
        }
        self.ids = Arc::new(ids);
    }

    fn position(&self, id: DefId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// The signals of the unit that a definition is or lies in, where it is among the candidates.
    fn signals_of(&mut self, id: DefId) -> Option<&mut FunctionSignals> {
        let unit = self.snapshot.files.unit_of(id)?;
        let position = self.position(unit)?;
        self.signals.get_mut(position)
    }

    fn words(&mut self, evidence: &Evidence) {
        let files = &self.snapshot.files;
        for (file, positions) in &self.files {
            let signals = &mut self.signals[positions.clone()];
            let hits = &evidence.hits.chunks[files.chunk_range(*file)];
            for (hit, unit) in hits.iter().zip(files.chunk_units(*file)) {
                if let Some(at) = unit {
                    signals[at].add_words(*hit);
                }
            }
            compare(signals, |signals| signals);
        }
        for (chunk, signals) in &mut self.passages {
            signals.add_words(evidence.hits.chunks[chunk.0 as usize]);
        }
        let file_of = |(chunk, _): &(ChunkId, FunctionSignals)| files.chunk_file(*chunk);
        for of_file in self.passages.chunk_by_mut(|a, b| file_of(a) == file_of(b)) {
            compare(of_file, |(_, signals)| signals);
        }
        self.scale(|signals| &mut signals.coverage);
    }

    /// Divides a signal by its largest value.
    fn scale(&mut self, of: fn(&mut FunctionSignals) -> &mut f32) {
        let mut most = 0.0f32;
        self.each(|signals| most = most.max(*of(signals)));
        if most > 0.0 {
            self.each(|signals| *of(signals) /= most);
        }
    }

    fn each(&mut self, change: impl FnMut(&mut FunctionSignals)) {
        let passages = self.passages.iter_mut().map(|(_, signals)| signals);
        self.signals.iter_mut().chain(passages).for_each(change);
    }

    fn mentions(&mut self, evidence: &Evidence) {
        for (id, strength) in &evidence.definitions {
            if self.snapshot.files.definition(*id).kind == DefinitionKind::Class {
                let members: Vec<DefId> = self.snapshot.files.members(*id).collect();
                for member in members {
                    if let Some(at) = self.position(member) {
                        let signals = &mut self.signals[at];
                        signals.class_mention = signals.class_mention.max(*strength);
                    }
                }
            } else if let Some(signals) = self.signals_of(*id) {
                signals.mention = signals.mention.max(*strength);
            }
        }
        for (place, share) in &evidence.messages {
            if let Some(signals) = place.enclosing.and_then(|id| self.signals_of(id)) {
                signals.message = signals.message.max(*share);
            }
        }
    }

    /// What definitions named with at least the strength `least` use, and what uses them.
    fn neighbours(&mut self, evidence: &Evidence, least: f32) {
        let snapshot = self.snapshot;
        for (id, strength) in &evidence.definitions {
            if *strength < least {
                continue;
            }
            for (used, _) in snapshot.graph.used_by(*id) {
                if let Some(signals) = self.signals_of(*used) {
                    signals.used_by_named = signals.used_by_named.max(*strength);
                }
            }
            for site in snapshot.graph.uses_of(*id) {
                if let Some(signals) = site.enclosing.and_then(|id| self.signals_of(id)) {
                    signals.uses_named = signals.uses_named.max(*strength);
                    // However many names it uses, each adds to what is left.
                    signals.mentions = 1.0 - (1.0 - signals.mentions) * (1.0 - strength);
                }
            }
        }
    }

    /// What the commits that changed a function say of it, and how often that was.
    fn past(&mut self, past: &[OfFunction]) {
        for (signals, past) in self.signals.iter_mut().zip(past) {
            signals.commits = past.votes;
            signals.cited = past.cited;
            signals.changes = logarithmic(past.changes, FULL);
            signals.history = past.messages;
        }
        self.scale(|signals| &mut signals.commits);
        self.scale(|signals| &mut signals.history);
    }

    /// Which share of the names of a function and its class the query has.
    fn names(&mut self, evidence: &Evidence) {
        let files = &self.snapshot.files;
        let share = |id: DefId| evidence.share(files.name_terms(id));
        for (file, positions) in &self.files {
            let signals = &mut self.signals[positions.clone()];
            // The functions of a class follow one another.
            let mut last: Option<(LocalId, f32)> = None;
            for (unit, signals) in files.units_of(*file).iter().zip(signals) {
                let own = share(files.global(*file, unit.local));
                signals.name_query = own.known;
                signals.name_rare = own.rare;
                if let Some(class) = unit.parent {
                    let known = match last {
                        Some((last, known)) if last == class => known,
                        _ => share(files.global(*file, class)).known,
                    };
                    last = Some((class, known));
                    signals.class_name = known;
                }
            }
        }
        self.scale(|signals| &mut signals.name_rare);
    }

    /// The passages that share a word with the query, best first.
    fn passages(&self, config: &RankConfig) -> Vec<RankedPassage> {
        let files = &self.snapshot.files;
        let mut scored: Vec<RankedPassage> = self
            .passages
            .iter()
            .filter(|(_, signals)| signals.coverage > 0.0)
            .map(|(id, signals)| {
                let role = files.file(files.chunk_file(*id)).role;
                RankedPassage {
                    id: *id,
                    score: signals.score(&config.function) * self.roles.factor(role),
                }
            })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        scored.truncate(MOST_RANKED);
        scored
    }

    fn functions(&self, config: &RankConfig, listed: usize) -> Vec<RankedFunction> {
        let files = &self.snapshot.files;
        let scored = self.ids.iter().zip(&self.signals).map(|(id, signals)| {
            let role = files.file(files.file_of(*id)).role;
            signals.score(&config.function) * self.roles.factor(role)
        });
        best_ranked((0..).zip(scored).collect())
            .into_iter()
            .enumerate()
            .map(|(rank, (at, score))| {
                let at = at as usize;
                let reasons = (rank < listed).then(|| self.signals[at].explain(&config.function));
                RankedFunction {
                    id: self.ids[at],
                    score,
                    signals: reasons.map_or_else(Vec::new, |reasons| explained(score, reasons)),
                }
            })
            .collect()
    }
}

impl FunctionSignals {
    /// Takes over a chunk's scores where they are higher.
    fn add_words(&mut self, hit: ChunkHit) {
        self.in_file = self.in_file.max(hit.score);
        self.coverage = self.coverage.max(hit.coverage);
    }
}

/// Makes of the word scores of a file's functions their shares of the best one's.
fn compare<T>(of_file: &mut [T], signals: impl Fn(&mut T) -> &mut FunctionSignals) {
    let scores = of_file.iter_mut().map(|of| signals(of).in_file);
    let best = scores.fold(0.0, f32::max);
    if best > 0.0 {
        for signals in of_file.iter_mut().map(signals) {
            signals.in_file /= best;
            signals.in_good_file = signals.in_file * signals.file;
        }
    }
}
