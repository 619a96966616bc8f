//! The ranking of functions and methods. What has no chunk of its own counts as a part of what it
//! is nested in.

use std::collections::{BTreeMap, BTreeSet};

use foveate_index::tokens::{for_each_term, terms};
use foveate_index::{ChunkId, DefId, FileId, Snapshot};
use foveate_model::{ChunkKind, DefinitionKind};

use super::ranked::{RankedFile, RankedFunction, RankedPassage};
use super::weights::{FunctionSignals, RankConfig};
use super::{Evidence, MOST_RANKED, explained};
use crate::text::{QueryText, SegmentKind};

/// Ranks the functions of the best files, and those elsewhere that the query names.
pub(super) fn rank(
    snapshot: &Snapshot,
    text: &QueryText,
    evidence: &Evidence,
    ranked_files: &[RankedFile],
    config: &RankConfig,
) -> (Vec<RankedFunction>, Vec<RankedPassage>) {
    let mut pool = Pool::new(snapshot, ranked_files, config);
    pool.lexical(evidence);
    pool.mentions(evidence);
    pool.neighbours(evidence, config.neighbour_strength);
    pool.names(text);
    (pool.functions(config), pool.passages(config))
}

/// The functions of a file that are ranked: those that have a chunk of their own, and those without
/// a body that lie in no function. The others are part of the one around them.
fn units(snapshot: &Snapshot, file: FileId) -> BTreeSet<DefId> {
    let files = &snapshot.files;
    let mut units: BTreeSet<DefId> = files
        .chunks_of(file)
        .filter(|chunk| files.chunk(*chunk).kind == ChunkKind::Function)
        .filter_map(|chunk| files.chunk_definition(chunk))
        .collect();
    for id in files.definitions_of(file) {
        let around = || std::iter::successors(files.parent(id), |id| files.parent(*id));
        if files.definition(id).kind.is_function()
            && !around().any(|id| files.definition(id).kind.is_function())
        {
            units.insert(id);
        }
    }
    units
}

struct Pool<'a> {
    snapshot: &'a Snapshot,
    signals: BTreeMap<DefId, FunctionSignals>,
    /// Stretches of source files without functions.
    passages: BTreeMap<ChunkId, FunctionSignals>,
}

impl<'a> Pool<'a> {
    fn new(snapshot: &'a Snapshot, ranked_files: &[RankedFile], config: &RankConfig) -> Self {
        let mut pool = Self {
            snapshot,
            signals: BTreeMap::new(),
            passages: BTreeMap::new(),
        };
        let best = ranked_files
            .first()
            .map_or(1.0, |f| f.score.max(f32::MIN_POSITIVE));
        for (rank, file) in ranked_files.iter().take(config.function_files).enumerate() {
            let of_file = FunctionSignals {
                file: file.score / best,
                file_rank: 1.0 / (rank as f32 + 1.0),
                ..FunctionSignals::default()
            };
            let units = units(snapshot, file.id);
            for id in snapshot.files.definitions_of(file.id) {
                if units.contains(&id) {
                    let definition = snapshot.files.definition(id);
                    let signals = FunctionSignals {
                        lines: (definition.lines.count() as f32).ln(),
                        constructor: f32::from(u8::from(definition.modifiers.is_constructor)),
                        ..of_file
                    };
                    pool.signals.insert(id, signals);
                }
            }
            let content = snapshot.files.content(file.id);
            if content.is_some_and(|c| c.facts.definitions.is_empty() && c.facts.language.is_code())
            {
                for chunk in snapshot.files.chunks_of(file.id) {
                    let signals = FunctionSignals {
                        lines: (snapshot.files.chunk(chunk).lines.count() as f32).ln(),
                        ..of_file
                    };
                    pool.passages.insert(chunk, signals);
                }
            }
        }
        pool
    }

    /// The signals of the innermost ranked function that a definition is or lies in.
    fn signals_of(&mut self, id: DefId) -> Option<&mut FunctionSignals> {
        let mut at = Some(id);
        while let Some(id) = at {
            if self.signals.contains_key(&id) {
                return self.signals.get_mut(&id);
            }
            at = self.snapshot.files.parent(id);
        }
        None
    }

    fn lexical(&mut self, evidence: &Evidence) {
        let snapshot = self.snapshot;
        let mut files: Vec<FileId> = self
            .signals
            .keys()
            .map(|id| snapshot.files.file_of(*id))
            .collect();
        files.dedup();
        for chunk in files
            .iter()
            .flat_map(|file| snapshot.files.chunks_of(*file))
        {
            let position = chunk.0 as usize;
            let score = evidence.hits.chunks[position];
            let unnormed = evidence.hits.chunks_unnormed[position];
            let owner = snapshot.files.chunk_definition(chunk);
            if let Some(signals) = owner.and_then(|id| self.signals_of(id)) {
                signals.lexical = signals.lexical.max(score);
                signals.unnormed = signals.unnormed.max(unnormed);
            }
        }
        for (chunk, signals) in &mut self.passages {
            signals.lexical = evidence.hits.chunks[chunk.0 as usize];
            signals.unnormed = evidence.hits.chunks_unnormed[chunk.0 as usize];
        }
        let most = |value: fn(&FunctionSignals) -> f32| {
            let all = self.signals.values().chain(self.passages.values());
            let most = all.map(value).fold(0.0, f32::max);
            if most > 0.0 { most } else { 1.0 }
        };
        let (lexical, unnormed) = (most(|s| s.lexical), most(|s| s.unnormed));
        let functions = self.signals.values_mut();
        for signals in functions.chain(self.passages.values_mut()) {
            signals.lexical /= lexical;
            signals.unnormed /= unnormed;
        }
    }

    fn mentions(&mut self, evidence: &Evidence) {
        for (id, strength) in &evidence.definitions {
            if self.snapshot.files.definition(*id).kind == DefinitionKind::Class {
                let members: Vec<DefId> = self.snapshot.files.members(*id).collect();
                for member in members {
                    if let Some(signals) = self.signals.get_mut(&member) {
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
                }
            }
        }
    }

    /// Which share of a function's name the title and inline code of the query hold.
    fn names(&mut self, text: &QueryText) {
        let mut known: Vec<String> = text
            .segments
            .iter()
            .filter(|s| matches!(s.kind, SegmentKind::Title | SegmentKind::InlineCode))
            .flat_map(|s| terms(&s.text))
            .collect();
        known.sort_unstable();
        for (id, signals) in &mut self.signals {
            let (mut own, mut held) = (0u32, 0u32);
            for_each_term(&self.snapshot.files.definition(*id).name, |term| {
                own += 1;
                let known = known.binary_search_by(|known| known.as_str().cmp(term));
                held += u32::from(known.is_ok());
            });
            signals.name = held as f32 / own.max(1) as f32;
        }
    }

    /// The passages that share a word with the query, best first.
    fn passages(&self, config: &RankConfig) -> Vec<RankedPassage> {
        let files = &self.snapshot.files;
        let mut scored: Vec<RankedPassage> = self
            .passages
            .iter()
            .filter(|(_, signals)| signals.lexical > 0.0)
            .map(|(id, signals)| {
                let role = files.file(files.chunk_file(*id)).role;
                RankedPassage {
                    id: *id,
                    score: signals.score(&config.function) * config.role.factor(role),
                }
            })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        scored.truncate(MOST_RANKED);
        scored
    }

    fn functions(&self, config: &RankConfig) -> Vec<RankedFunction> {
        let files = &self.snapshot.files;
        let mut scored: Vec<(f32, DefId)> = self
            .signals
            .iter()
            .map(|(id, signals)| {
                let role = files.file(files.file_of(*id)).role;
                let score = signals.score(&config.function) * config.role.factor(role);
                (score, *id)
            })
            .collect();
        scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(MOST_RANKED);
        scored
            .into_iter()
            .map(|(score, id)| {
                let definition = files.definition(id);
                let reasons = self.signals[&id].explain(&config.function);
                RankedFunction {
                    id,
                    path: files.path(files.file_of(id)).to_owned(),
                    name: definition.qualified_name.to_string(),
                    kind: definition.kind,
                    lines: definition.lines,
                    score,
                    signals: explained(score, reasons),
                }
            })
            .collect()
    }
}
