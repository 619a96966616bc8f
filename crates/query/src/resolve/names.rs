//! Resolves identifiers of the query to definitions: exactly, through modules and re-exports, by qualified
//! suffix, regardless of case, and fuzzily last.

use foveate_index::symbols::fold;

use super::Finder;
use super::similar::nearest;
use crate::deadline::Stage;
use crate::text::{MentionKind, QueryText};

impl Finder<'_> {
    /// Resolves all identifiers that the query names outside tracebacks.
    pub(super) fn mentions(&mut self, text: &QueryText) {
        let strength = &self.config.strength;
        for (position, mention) in text.mentions.iter().enumerate() {
            if !self.has_time_for(position) {
                break;
            }
            let (from, strength) = match mention.kind {
                MentionKind::InlineCode => ("inline_code", strength.inline_code),
                MentionKind::Title => ("title", strength.title),
                MentionKind::Prose => ("prose", strength.prose),
                MentionKind::ErrorMessage => ("error_message", strength.error_message),
                MentionKind::CodeBlock => ("code_block", strength.code_block),
            };
            self.name(&mention.name, from, strength);
        }
    }

    /// Resolves one identifier or dotted chain of identifiers. Returns false if nothing has this name; a similar
    /// name, or parts of it, may have been found nevertheless.
    pub(super) fn name(&mut self, name: &str, from: &'static str, strength: f32) -> bool {
        let name = name.trim_start_matches("self.").trim_start_matches("this.");
        if name.contains('.') {
            return self.dotted(name, from, strength);
        }
        let known = self.plain(name, from, strength);
        if !known {
            self.fuzzy(name, from, strength);
        }
        known
    }

    /// Resolves `a.b.C.m` as a path through modules; else by its longest known qualified suffix; else each of its
    /// names alone, in which case it returns false.
    fn dotted(&mut self, name: &str, from: &'static str, strength: f32) -> bool {
        let snapshot = self.snapshot;
        let qualified = self.config.strength.qualified.max(strength);
        if let Some(file) = snapshot.graph.resolve_module(&snapshot.files, name) {
            self.note_file(file, "module", self.config.strength.path);
            return true;
        }
        let through_modules =
            snapshot
                .graph
                .resolve_dotted(&snapshot.files, &snapshot.symbols, name);
        if !through_modules.is_empty() {
            self.note(name, from, qualified, &through_modules);
            return true;
        }
        let mut suffix = name;
        while suffix.contains('.') {
            let symbols = &snapshot.symbols;
            let mut found = symbols.qualified(suffix).to_vec();
            if found.is_empty() {
                found = symbols.ending(&snapshot.files, suffix);
            }
            if !found.is_empty() {
                self.note(name, from, qualified, &found);
                return true;
            }
            suffix = suffix.split_once('.').map_or("", |(_, rest)| rest);
        }
        let last_name = self.config.strength.last_name;
        for part in name.split('.') {
            self.plain(part, from, strength * last_name);
        }
        false
    }

    /// Resolves a name without dots; returns false if nothing has it.
    fn plain(&mut self, name: &str, from: &'static str, strength: f32) -> bool {
        let symbols = &self.snapshot.symbols;
        let exact = symbols.named(name);
        if !exact.is_empty() {
            self.note(name, from, strength, exact);
            return true;
        }
        let folded = symbols.folded(&fold(name));
        if name.len() >= 3 && !folded.is_empty() {
            self.note(name, from, strength * self.config.strength.folded, folded);
            return true;
        }
        false
    }

    /// Resolves a name to the most similar one of the repository, if any is similar enough.
    pub(super) fn fuzzy(&mut self, name: &str, from: &'static str, strength: f32) {
        let folded = fold(name);
        if folded.len() < self.config.fuzzy_shortest || self.fuzzy_left == 0 {
            return;
        }
        if !self.deadline.allows(Stage::SimilarNames) {
            return;
        }
        self.fuzzy_left -= 1;
        let symbols = &self.snapshot.symbols;
        let found = nearest(symbols, &folded, self.config.fuzzy_cutoff, 1);
        if let Some(found) = found.first() {
            let factor = self.config.strength.fuzzy * found.similarity as f32;
            let label = match from {
                "words" => "words_fuzzy",
                _ => "fuzzy",
            };
            self.note(name, label, strength * factor, symbols.folded(found.name));
        }
    }
}
