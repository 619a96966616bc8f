//! Scores stretches, the candidates outside functions: the attributes of classes, constants and tables, settings,
//! prose, and the code of languages without a parser. They share some signals with functions and get others from
//! the functions around them.

use std::cell::LazyCell;

use foldhash::HashMap;
use foveate_index::files::Unit;
use foveate_index::{ChunkId, DefId, FileId, Files, Snapshot};
use foveate_model::{ChunkKind, LocalId, Span};

use super::adjustments::Adjustments;
use super::evidence::Evidence;
use super::probability::Probabilities;
use super::ranked::{RankedFile, Signal};
use super::weights::{FunctionSignals, RankConfig, StretchSignals};
use super::{FULL, logarithmic, scale};
use crate::resolve::NamedLine;

/// The stretches of the best files with their signals, in id order.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    all: Vec<(ChunkId, StretchSignals)>,
}

impl Stretches {
    /// Adds the chunks of a file that belong to no function; files must be added in id order. Chunks of only
    /// imports are left out: imports follow from changes elsewhere. Those with a line that the query names are always
    /// added, also the code between the tests of a block.
    pub(super) fn fill(
        &mut self,
        files: &Files,
        file: FileId,
        of_file: &FunctionSignals,
        named: &[NamedLine],
    ) {
        let imports = LazyCell::new(|| import_spans(files, file));
        let chunks = files.chunks_of(file).zip(files.chunk_units(file));
        for (position, (chunk, unit)) in chunks.enumerate() {
            let is_named = named.iter().any(|line| line.chunk == chunk);
            if is_named || unit.is_none() && !is_imports(files, chunk, &imports) {
                let mut signals = kind_signals(files, chunk);
                signals.file = of_file.file;
                signals.file_rank = of_file.file_rank;
                signals.head = f32::from(u8::from(position == 0));
                self.all.push((chunk, signals));
            }
        }
    }

    pub(super) fn signals(&mut self) -> impl Iterator<Item = &mut StretchSignals> {
        self.all.iter_mut().map(|(_, signals)| signals)
    }

    /// Sets the signals of the words of the query: the coverage, and the score as a share of the best stretch of
    /// the file.
    pub(super) fn words(&mut self, files: &Files, evidence: &Evidence) {
        let hits = &evidence.hits.chunks;
        for of_file in self.all.chunk_by_mut(|a, b| same_file(files, a.0, b.0)) {
            let mut best = f32::MIN_POSITIVE;
            for (chunk, signals) in &mut *of_file {
                let hit = hits[chunk.0 as usize];
                signals.coverage = hit.coverage;
                signals.in_file = hit.score;
                signals.title = hit.title;
                best = best.max(hit.score);
            }
            for (_, signals) in of_file {
                signals.in_file /= best;
                signals.in_good_file = signals.in_file * signals.file;
            }
        }
        scale(&mut self.all, |(_, signals)| &mut signals.title);
    }

    /// Raises the mention of the stretch that contains the first line of a definition that the query names.
    pub(super) fn mention(&mut self, files: &Files, id: DefId, strength: f32) {
        let (file, line) = (id.file, files.definition(id).lines.start);
        let key = |chunk: ChunkId| (files.chunk_file(chunk), files.chunk(chunk).lines.start);
        let after = self.all.partition_point(|(id, _)| key(*id) <= (file, line));
        let before = after.checked_sub(1).and_then(|at| self.all.get_mut(at));
        if let Some((chunk, signals)) = before
            && files.chunk_file(*chunk) == file
            && files.chunk(*chunk).lines.contains(line)
        {
            signals.mention = signals.mention.max(strength);
        }
    }

    /// Sets, for each stretch, the share of the terms of a name that the query has: the largest among the names that
    /// the stretch defines.
    pub(super) fn names(&mut self, files: &Files, evidence: &Evidence) {
        for of_file in self.all.chunk_by_mut(|a, b| same_file(files, a.0, b.0)) {
            let Some((first, _)) = of_file.first() else {
                continue;
            };
            let file = files.chunk_file(*first);
            let definitions = files
                .content(file)
                .map_or(&[][..], |c| &c.facts.definitions);
            // Definitions and stretches are both in the order of their lines.
            let mut next = 0;
            for (chunk, signals) in of_file {
                let lines = files.chunk(*chunk).lines;
                let rest = definitions.get(next..).unwrap_or_default();
                next += rest.partition_point(|definition| definition.lines.start < lines.start);
                while definitions
                    .get(next)
                    .is_some_and(|definition| lines.contains(definition.lines.start))
                {
                    let id = DefId::new(file, LocalId(next as u32));
                    let share = evidence.share(files.name_terms(id));
                    signals.name_query = signals.name_query.max(share.known);
                    next += 1;
                }
            }
        }
    }

    /// Sets the signals from the functions around the stretches of a file: for the body of a class from its
    /// methods, for each stretch from the functions before and after it. `likelihoods` are those of the file's
    /// units, in order, relative to the likeliest function of all, which has 1.
    pub(super) fn functions(&mut self, files: &Files, file: FileId, likelihoods: &[f32]) {
        let start = self
            .all
            .partition_point(|(id, _)| files.chunk_file(*id) < file);
        let of_file = self.all[start..]
            .iter_mut()
            .take_while(|(id, _)| files.chunk_file(*id) == file);
        let mut stretches = of_file.peekable();
        if stretches.peek().is_none() {
            return;
        }
        let of_classes = max_per_class(files.units_of(file), likelihoods);
        let of_chunks: Vec<Option<usize>> = files.chunk_units(file).collect();
        let likelihood = |at: Option<&Option<usize>>| {
            let unit = at.copied().flatten();
            unit.and_then(|unit| likelihoods.get(unit)).copied()
        };
        let first = files.chunk_range(file).start;
        for (id, signals) in stretches {
            let at = id.0 as usize - first;
            let before = likelihood(at.checked_sub(1).and_then(|at| of_chunks.get(at)));
            let after = likelihood(of_chunks.get(at + 1));
            signals.beside = before.unwrap_or(0.0).max(after.unwrap_or(0.0));
            let chunk = files.chunk(*id);
            if chunk.kind == ChunkKind::Class {
                let of_class = chunk.definition.and_then(|class| of_classes.get(&class));
                signals.methods = of_class.copied().unwrap_or(0.0);
            }
        }
    }

    /// Returns the stretches that share a word with the query, contain a definition that it names, are next to a likely
    /// function, have a line that the query names, or are in a file that it describes without its words, each with its
    /// signals.
    pub(super) fn candidates(
        &self,
        files: &Files,
        adjustments: &Adjustments,
        config: &RankConfig,
    ) -> impl Iterator<Item = (ChunkId, &StretchSignals)> {
        let is_candidate = move |id: ChunkId, signals: &StretchSignals| {
            signals.coverage > 0.0
                || signals.mention > 0.0
                || signals.beside.max(signals.methods) >= config.min_stretch_likelihood
                || adjustments.described().contains_key(&files.chunk_file(id))
                || adjustments.heading(id).is_some()
        };
        let found = self.all.iter();
        let found = found.filter(move |(id, signals)| is_candidate(*id, signals));
        found.map(|(id, signals)| (*id, signals))
    }

    /// Returns the same stretches with their scores.
    pub(super) fn scored(
        &self,
        snapshot: &Snapshot,
        adjustments: &Adjustments,
        config: &RankConfig,
    ) -> Vec<(ChunkId, f32)> {
        let files = &snapshot.files;
        self.candidates(files, adjustments, config)
            .map(|(id, signals)| {
                let (file, role) = (files.chunk_file(id), files.chunk_role(id));
                let sum = signals.score(&config.stretch);
                let heading = adjustments.heading(id).map_or(0.0, |signal| signal.value);
                (id, adjustments.score(files, file, role, sum) + heading)
            })
            .collect()
    }

    /// Returns the signals of a stretch that explain its score.
    pub(super) fn explain(&self, id: ChunkId, config: &RankConfig) -> Vec<Signal> {
        let at = self.all.binary_search_by_key(&id, |(id, _)| *id);
        let of = at.ok().and_then(|at| self.all.get(at));
        of.map_or_else(Vec::new, |(_, signals)| signals.explain(&config.stretch))
    }
}

/// Raises the scores of stretches of prose and settings to match the probability of their file. Such a file has
/// no functions, so its probability belongs to its stretches together. Each is raised to the score of its share
/// of that probability, unless its own score is higher. The share is that of the softmax over the file.
pub(super) fn share_file_probabilities(
    snapshot: &Snapshot,
    scored: &mut [(ChunkId, f32)],
    ranked_files: &[RankedFile],
    probabilities: &Probabilities,
) {
    let files = &snapshot.files;
    let likely: HashMap<FileId, f32> = ranked_files.iter().map(|f| (f.id, f.probability)).collect();
    for of_file in scored.chunk_by_mut(|a, b| same_file(files, a.0, b.0)) {
        let Some((first, _)) = of_file.first().copied() else {
            continue;
        };
        let file = files.chunk_file(first);
        let is_text = !files.file(file).language.is_code();
        let Some(probability) = likely.get(&file).filter(|_| is_text) else {
            continue;
        };
        let max = of_file
            .iter()
            .fold(f32::NEG_INFINITY, |max, (_, s)| max.max(*s));
        let sum: f32 = of_file.iter().map(|(_, score)| (score - max).exp()).sum();
        for (_, score) in of_file {
            let share = (*score - max).exp() / sum;
            *score = score.max(probabilities.score_of(probability * share));
        }
    }
}

/// Returns the largest likelihood among the functions of each class.
fn max_per_class(units: &[Unit], likelihoods: &[f32]) -> HashMap<LocalId, f32> {
    let mut of_classes: HashMap<LocalId, f32> = HashMap::default();
    for (unit, likelihood) in units.iter().zip(likelihoods) {
        if let Some(class) = unit.parent {
            let max = of_classes.entry(class).or_default();
            *max = max.max(*likelihood);
        }
    }
    of_classes
}

fn same_file(files: &Files, a: ChunkId, b: ChunkId) -> bool {
    files.chunk_file(a) == files.chunk_file(b)
}

/// Returns the spans of the imports of a file in order, overlapping ones as one.
fn import_spans(files: &Files, file: FileId) -> Vec<Span> {
    let imports = files.content(file).map_or(&[][..], |c| &c.facts.imports);
    let mut spans: Vec<Span> = imports.iter().map(|import| import.span).collect();
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Whether a chunk contains only imports. `imports` are the [`import_spans`] of its file.
fn is_imports(files: &Files, id: ChunkId, imports: &[Span]) -> bool {
    let chunk = files.chunk(id);
    if chunk.kind != ChunkKind::Module || imports.is_empty() {
        return false;
    }
    let mut start = chunk.span.start as usize;
    files.chunk_text(id).split('\n').all(|line| {
        let first = start + line.len() - line.trim_start().len();
        start += line.len() + 1;
        let next = imports.partition_point(|import| import.end as usize <= first);
        let import = imports.get(next);
        let is_import = import.is_some_and(|import| import.start as usize <= first);
        line.trim().is_empty() || is_import
    })
}

/// Returns the signals of the kind and length of a stretch; all others are 0.
fn kind_signals(files: &Files, id: ChunkId) -> StretchSignals {
    let chunk = files.chunk(id);
    let mut signals = StretchSignals {
        lines: logarithmic(chunk.lines.count().saturating_sub(1) as usize, FULL),
        ..StretchSignals::default()
    };
    let is_code = || files.file(files.chunk_file(id)).language.is_code();
    let kind = match chunk.kind {
        ChunkKind::Class => &mut signals.class,
        ChunkKind::Module | ChunkKind::Function => &mut signals.module,
        ChunkKind::Text if is_code() => &mut signals.unparsed,
        ChunkKind::Text => &mut signals.text,
    };
    *kind = 1.0;
    signals
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use foveate_fixture::snapshot::of_text;

    use super::*;
    use crate::processor_time::processor_time;

    #[test]
    fn chunks_of_imports_alone_are_left_out_in_linear_time() {
        let imports: String = (0..40_000).map(|n| format!("import a{n}\n")).collect();
        let snapshot = of_text(&format!("//- a.py\n{imports}"));
        let mut stretches = Stretches::default();
        let before = processor_time();
        stretches.fill(&snapshot.files, FileId(0), &FunctionSignals::default(), &[]);
        // Comparing each line with each import takes ten seconds and more without optimisation.
        assert!(processor_time().saturating_sub(before) < Duration::from_secs(3));
        assert_eq!(stretches.all.len(), 0);
    }
}
