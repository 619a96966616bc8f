//! Ranks functions and methods, and all places: functions together with the stretches between them. A definition
//! without a chunk of its own counts as a part of the definition that contains it.

use std::ops::Range;
use std::sync::Arc;

use foveate_index::lexical::ChunkHit;
use foveate_index::{ChunkId, DefId, FileId, Snapshot};
use foveate_model::{DefinitionKind, LocalId};

use super::adjustments::Adjustments;
use super::evidence::Evidence;
use super::history::FunctionHistory;
use super::probability::Probabilities;
use super::ranked::{PlaceId, RankedFile, RankedPlace, Signal};
use super::stretches::{self, Stretches};
use super::weights::{FunctionSignals, RankConfig};
use super::{FULL, best_ranked, history, logarithmic, noisy_or, scale};
use crate::deadline::{Deadline, Stage};
use crate::resolve::NamedLine;

/// Ranks the functions and the places of the best files. The first `listed` of each carry their signals.
pub(super) fn rank(
    snapshot: &Snapshot,
    evidence: &Evidence,
    ranked_files: &[RankedFile],
    config: &RankConfig,
    listed: usize,
    deadline: &Deadline,
) -> (Vec<RankedPlace>, Vec<RankedPlace>) {
    let candidates = Candidates::gather(snapshot, evidence, ranked_files, config, deadline);
    let scored = candidates.scored(config);
    let places = candidates.places(&scored, ranked_files, config, listed);
    (candidates.functions(scored, config, listed), places)
}

/// The functions and stretches of the best files with their signals.
pub(super) struct Candidates<'a> {
    snapshot: &'a Snapshot,
    adjustments: Adjustments,
    /// The functions, in id order; shared with the thread that scores past commits.
    ids: Arc<Vec<DefId>>,
    /// The signals of each function.
    signals: Vec<FunctionSignals>,
    /// The files in id order, each with the positions of its functions.
    files: Vec<(FileId, Range<usize>)>,
    /// The stretches of those files outside functions.
    pub(super) stretches: Stretches,
}

impl<'a> Candidates<'a> {
    /// Collects the candidates of the best files and computes their signals.
    pub(super) fn gather(
        snapshot: &'a Snapshot,
        evidence: &Evidence,
        ranked_files: &[RankedFile],
        config: &RankConfig,
        deadline: &Deadline,
    ) -> Self {
        let mut candidates = Self {
            snapshot,
            adjustments: evidence.adjustments.clone(),
            ids: Arc::default(),
            signals: Vec::new(),
            files: Vec::new(),
            stretches: Stretches::default(),
        };
        let files = ranked_files
            .get(..config.max_function_files)
            .unwrap_or(ranked_files);
        candidates.fill(files, &evidence.lines);
        let ids = Arc::clone(&candidates.ids);
        let (history, ()) = rayon::join(
            || match deadline.allows(Stage::History) {
                true => history::of_functions(snapshot, &ids, evidence, &config.lexical),
                false => Vec::new(),
            },
            || {
                candidates.words(evidence);
                candidates.mentions(evidence);
                candidates.neighbours(evidence, config.min_neighbour_strength, deadline);
                candidates.names(evidence);
                candidates.stretches.names(&snapshot.files, evidence);
            },
        );
        candidates.history(&history);
        candidates.stretch_likelihoods(config);
        candidates
    }

    /// Returns the functions with their signals, in id order.
    pub(super) fn signals(&self) -> impl Iterator<Item = (DefId, &FunctionSignals)> {
        self.ids.iter().copied().zip(&self.signals)
    }

    /// Adds the functions and stretches of the files, with the signals of their files, their length and their uses.
    fn fill(&mut self, ranked_files: &[RankedFile], named: &[NamedLine]) {
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
                let id = DefId::new(file.id, unit.local);
                let uses = self.snapshot.graph.uses_of(id).len();
                ids.push(id);
                self.signals.push(FunctionSignals {
                    lines: logarithmic(unit.lines.saturating_sub(1) as usize, FULL),
                    fan_in: logarithmic(uses, FULL),
                    ..of_file
                });
            }
            self.files.push((file.id, start..ids.len()));
            self.stretches.fill(files, file.id, &of_file, named);
        }
        self.ids = Arc::new(ids);
    }

    fn position(&self, id: DefId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Returns the signals of the unit that is or contains a definition, if it is a candidate.
    fn signals_of(&mut self, id: DefId) -> Option<&mut FunctionSignals> {
        let unit = self.snapshot.files.unit_of(id)?;
        let position = self.position(unit)?;
        self.signals.get_mut(position)
    }

    /// Sets the signals of the words that were found in functions and stretches.
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
            scale_word_scores(signals);
        }
        self.scale_coverage(evidence);
    }

    /// Divides the coverage of functions and stretches by that of the best function, or of the best stretch if
    /// no function has any.
    fn scale_coverage(&mut self, evidence: &Evidence) {
        self.stretches.words(&self.snapshot.files, evidence);
        let functions = self.signals.iter().map(|signals| signals.coverage);
        let mut largest = functions.fold(0.0f32, f32::max);
        if largest == 0.0 {
            let stretches = self.stretches.signals().map(|signals| signals.coverage);
            largest = stretches.fold(0.0f32, f32::max);
        }
        if largest > 0.0 {
            self.signals
                .iter_mut()
                .for_each(|signals| signals.coverage /= largest);
            self.stretches
                .signals()
                .for_each(|signals| signals.coverage /= largest);
        }
    }

    /// Sets the signals of definitions that the query names and of messages that it quotes.
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
            self.stretches.mention(&self.snapshot.files, *id, *strength);
        }
        for id in &evidence.places {
            if let Some(signals) = self.signals_of(*id) {
                signals.place = 1.0;
            }
        }
        for (place, share) in &evidence.messages {
            if let Some(signals) = place.enclosing.and_then(|id| self.signals_of(id)) {
                signals.message = signals.message.max(*share);
            }
        }
    }

    /// Sets the signals of functions that use, or are used by, a definition named with at least the strength
    /// `min_strength`.
    fn neighbours(&mut self, evidence: &Evidence, min_strength: f32, deadline: &Deadline) {
        let snapshot = self.snapshot;
        for (id, strength) in &evidence.definitions {
            if *strength < min_strength {
                continue;
            }
            if !deadline.allows(Stage::Uses) {
                break;
            }
            for (used, _) in snapshot.graph.used_by(*id) {
                if let Some(signals) = self.signals_of(*used) {
                    signals.used_by_named = signals.used_by_named.max(*strength);
                }
            }
            for site in snapshot.graph.uses_of(*id) {
                if let Some(signals) = site.enclosing.and_then(|id| self.signals_of(id)) {
                    signals.uses_named = signals.uses_named.max(*strength);
                    signals.mentions = noisy_or(signals.mentions, *strength);
                }
            }
        }
    }

    /// Sets the signals of the commits that changed each function.
    fn history(&mut self, history: &[FunctionHistory]) {
        for (signals, history) in self.signals.iter_mut().zip(history) {
            signals.commits = history.votes;
            signals.cited = history.cited;
            signals.changes = logarithmic(history.changes, FULL);
            signals.history = history.messages;
        }
        scale(&mut self.signals, |signals| &mut signals.commits);
        scale(&mut self.signals, |signals| &mut signals.history);
    }

    /// Sets, for each function, the shares of the terms of its name and of its class's name that the query has.
    fn names(&mut self, evidence: &Evidence) {
        let files = &self.snapshot.files;
        let share = |id: DefId| evidence.share(files.name_terms(id));
        for (file, positions) in &self.files {
            let signals = &mut self.signals[positions.clone()];
            // The functions of a class are contiguous.
            let mut last: Option<(LocalId, f32)> = None;
            for (unit, signals) in files.units_of(*file).iter().zip(signals) {
                let own = share(DefId::new(*file, unit.local));
                signals.name_query = own.known;
                signals.name_rare = own.rare;
                if let Some(class) = unit.parent {
                    let known = match last {
                        Some((last, known)) if last == class => known,
                        _ => share(DefId::new(*file, class)).known,
                    };
                    last = Some((class, known));
                    signals.class_name = known;
                }
            }
        }
        scale(&mut self.signals, |signals| &mut signals.name_rare);
    }

    /// Sets the signals of stretches that come from the likelihood of the functions around them.
    fn stretch_likelihoods(&mut self, config: &RankConfig) {
        let mut likelihoods: Vec<f32> = self.scored(config).into_iter().map(|of| of.1).collect();
        let best = likelihoods
            .iter()
            .copied()
            .fold(f32::NEG_INFINITY, f32::max);
        likelihoods
            .iter_mut()
            .for_each(|score| *score = (*score - best).exp());
        for (file, positions) in &self.files {
            let of_file = &likelihoods[positions.clone()];
            if !of_file.is_empty() {
                self.stretches
                    .functions(&self.snapshot.files, *file, of_file);
            }
        }
    }

    /// Returns the positions of the functions with their scores.
    fn scored(&self, config: &RankConfig) -> Vec<(u32, f32)> {
        let files = &self.snapshot.files;
        let scored = self.ids.iter().zip(&self.signals).map(|(id, signals)| {
            let sum = signals.score(&config.function);
            let role = files.role_of(*id);
            self.adjustments.score(files, id.file, role, sum)
        });
        (0..).zip(scored).collect()
    }

    /// Returns the best functions.
    fn functions(
        &self,
        scored: Vec<(u32, f32)>,
        config: &RankConfig,
        listed: usize,
    ) -> Vec<RankedPlace> {
        let best = best_ranked(scored);
        let probabilities = Probabilities::new(&best, config.calibration.function);
        self.described(best, &[], &probabilities, config, listed)
    }

    /// Returns the signals of a place, completed so that they sum to its score.
    fn explain(&self, id: PlaceId, score: f32, mut signals: Vec<Signal>) -> Vec<Signal> {
        if let PlaceId::Stretch(chunk) = id {
            signals.extend(self.adjustments.heading(chunk));
        }
        let (files, file) = (&self.snapshot.files, id.file(&self.snapshot.files));
        self.adjustments
            .explain(files, file, id.role(files), score, signals)
    }

    /// Returns functions and stretches in one order, functions first where scores are equal. The first
    /// `listed` carry their signals.
    fn places(
        &self,
        functions: &[(u32, f32)],
        ranked_files: &[RankedFile],
        config: &RankConfig,
        listed: usize,
    ) -> Vec<RankedPlace> {
        let mut stretches = self
            .stretches
            .scored(self.snapshot, &self.adjustments, config);
        let first = functions.len() as u32;
        let mut scored = functions.to_vec();
        scored.extend((first..).zip(stretches.iter().map(|(_, score)| *score)));
        let best = best_ranked(scored.clone());
        let probabilities = Probabilities::new(&best, config.calibration.place);
        stretches::share_file_probabilities(
            self.snapshot, &mut stretches, ranked_files, &probabilities,
        );
        for ((_, score), (_, shared)) in scored.iter_mut().skip(functions.len()).zip(&stretches) {
            *score = *shared;
        }
        self.described(
            best_ranked(scored),
            &stretches,
            &probabilities,
            config,
            listed,
        )
    }

    /// Returns the places of scored candidates, by their positions among the functions and then the `stretches`.
    fn described(
        &self,
        best: Vec<(u32, f32)>,
        stretches: &[(ChunkId, f32)],
        probabilities: &Probabilities,
        config: &RankConfig,
        listed: usize,
    ) -> Vec<RankedPlace> {
        let best = best.into_iter().enumerate();
        best.map(|(rank, (at, score))| {
            let at = at as usize;
            let id = match self.ids.get(at) {
                Some(id) => PlaceId::Definition(*id),
                None => PlaceId::Stretch(stretches[at - self.ids.len()].0),
            };
            let reasons = (rank < listed).then(|| match id {
                PlaceId::Stretch(id) => self.stretches.explain(id, config),
                PlaceId::Definition(_) => self.signals[at].explain(&config.function),
            });
            RankedPlace {
                score,
                probability: probabilities.of(score),
                share: probabilities.share(score),
                signals: reasons.map_or_else(Vec::new, |reasons| self.explain(id, score, reasons)),
                ..RankedPlace::new(&self.snapshot.files, id)
            }
        })
        .collect()
    }
}

impl FunctionSignals {
    /// Raises the word signals to the scores of a chunk of the function.
    fn add_words(&mut self, hit: ChunkHit) {
        self.in_file = self.in_file.max(hit.score);
        self.coverage = self.coverage.max(hit.coverage);
    }
}

/// Divides the word scores of a file's functions by that of the best one.
fn scale_word_scores(of_file: &mut [FunctionSignals]) {
    let best = of_file
        .iter()
        .fold(0.0, |best: f32, of| best.max(of.in_file));
    if best > 0.0 {
        for signals in of_file {
            signals.in_file /= best;
            signals.in_good_file = signals.in_file * signals.file;
        }
    }
}
