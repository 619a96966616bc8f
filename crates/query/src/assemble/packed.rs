//! What is in the context so far: what it costs, and which lines it shows.

use foveate_index::{DefId, FileId, Files};
use foveate_model::Lines;

use super::render::{self, Entry, Piece, SectionKind};
use super::{Fidelity, Item, Pack, Section};
use crate::intent::Intent;
use crate::request::Format;
use crate::{tokenizer, unsafe_text};

/// Tokens kept back: the counts of pieces do not add up exactly.
const RESERVE: usize = 2;

/// Place of an entry within its section: the kind of entry, then its rank.
pub(super) type Order = (u8, usize);

/// An entry with what it costs.
#[derive(Debug)]
pub(super) struct Measured {
    pub entry: Entry,
    pub text: String,
    pub tokens: usize,
}

/// What an entry shows of its file.
#[derive(Clone, Debug)]
pub(super) struct Shows {
    pub file: FileId,
    /// The definition that it is the card or the body of.
    pub definition: Option<DefId>,
    /// Lines that stand in the context as they are; empty for cards.
    pub lines: Vec<Lines>,
}

#[derive(Debug)]
struct Placed {
    measured: Measured,
    shows: Shows,
    order: Order,
    /// Counts the additions: what was added last is worth least.
    sequence: usize,
}

/// The context under construction.
#[derive(Debug)]
pub(super) struct Packed<'a> {
    format: Format,
    intent: &'a Intent,
    budget: usize,
    placed: Vec<Placed>,
    /// Tokens of each section's tags, in the order of [`SectionKind::ALL`].
    tags: [usize; 5],
    /// Tokens of the header and of all placed entries and opened sections.
    total: usize,
    sequence: usize,
}

impl<'a> Packed<'a> {
    pub(super) fn new(format: Format, intent: &'a Intent, budget: usize) -> Self {
        let (open, close) = render::header(format, intent);
        Self {
            format,
            intent,
            budget,
            placed: Vec::new(),
            tags: SectionKind::ALL.map(|section| {
                let (open, close) = render::section(format, section);
                tokenizer::count_entry(&open) + tokenizer::count_entry(&close)
            }),
            total: tokenizer::count_entry(&open) + tokenizer::count_entry(&close) + RESERVE,
            sequence: 0,
        }
    }

    /// Renders and counts an entry.
    pub(super) fn measure(&self, entry: Entry) -> Measured {
        let text = render::entry(self.format, &entry);
        let tokens = tokenizer::count_entry(&text);
        Measured {
            entry,
            text,
            tokens,
        }
    }

    /// Tokens that are left.
    pub(super) fn left(&self) -> usize {
        self.budget.saturating_sub(self.total)
    }

    /// Tokens that the entries and tags of a section use.
    pub(super) fn used(&self, section: SectionKind) -> usize {
        let entries = self.of(section).map(|p| p.measured.tokens).sum::<usize>();
        if entries == 0 {
            0
        } else {
            entries + self.tags(section)
        }
    }

    fn of(&self, section: SectionKind) -> impl Iterator<Item = &Placed> {
        self.placed
            .iter()
            .filter(move |p| p.measured.entry.section == section)
    }

    fn tags(&self, section: SectionKind) -> usize {
        of_section(self.tags, section)
    }

    /// What adding an entry to a section costs beyond its own tokens.
    fn opening(&self, section: SectionKind) -> usize {
        if self.of(section).next().is_some() {
            0
        } else {
            self.tags(section)
        }
    }

    /// Whether an entry of so many tokens fits a section, given that `freed` tokens go away.
    pub(super) fn fits(&self, section: SectionKind, tokens: usize, freed: usize) -> bool {
        self.total.saturating_sub(freed) + tokens + self.opening(section) <= self.budget
    }

    /// Whether any of these lines is shown.
    pub(super) fn shows_any(&self, file: FileId, lines: Lines) -> bool {
        self.lines_of(file).any(|shown| shown.overlap(lines) > 0)
    }

    /// Whether all of these lines are shown by one whole body.
    pub(super) fn shows_all(&self, file: FileId, lines: Lines) -> bool {
        self.lines_of(file).any(|shown| shown.covers(lines))
    }

    fn lines_of(&self, file: FileId) -> impl Iterator<Item = Lines> {
        self.placed
            .iter()
            .filter(move |p| p.shows.file == file)
            .flat_map(|p| p.shows.lines.iter().copied())
    }

    /// Whether a card or body of a definition is in.
    pub(super) fn has(&self, definition: DefId) -> bool {
        self.placed
            .iter()
            .any(|p| p.shows.definition == Some(definition))
    }

    /// Whether nothing is in.
    pub(super) fn is_empty(&self) -> bool {
        self.placed.is_empty()
    }

    /// Whether anything of a file is in.
    pub(super) fn has_file(&self, file: FileId) -> bool {
        self.placed.iter().any(|p| p.shows.file == file)
    }

    /// Tokens that a body of these lines makes superfluous; none where it cannot replace all that
    /// it shares lines with.
    pub(super) fn replaces(&self, shows: &Shows) -> Option<usize> {
        let mut freed = 0;
        for placed in &self.placed {
            if is_replaced(placed, shows) {
                freed += placed.measured.tokens;
            } else if overlaps(placed, shows) {
                return None;
            }
        }
        Some(freed)
    }

    /// Adds an entry that fits, and takes out what it makes superfluous.
    pub(super) fn add(&mut self, measured: Measured, shows: Shows, order: Order) {
        let emptied: Vec<SectionKind> = if shows.lines.is_empty() {
            Vec::new()
        } else {
            self.take_out(|placed| is_replaced(placed, &shows))
        };
        for section in emptied {
            self.total = self.total.saturating_sub(self.tags(section));
        }
        self.total += measured.tokens + self.opening(measured.entry.section);
        self.sequence += 1;
        self.placed.push(Placed {
            measured,
            shows,
            order,
            sequence: self.sequence,
        });
    }

    /// Takes entries out; gives the sections that are empty now.
    fn take_out(&mut self, gone: impl Fn(&Placed) -> bool) -> Vec<SectionKind> {
        let mut sections = Vec::new();
        let mut freed = 0;
        self.placed.retain(|placed| {
            let goes = gone(placed);
            if goes {
                freed += placed.measured.tokens;
                sections.push(placed.measured.entry.section);
            }
            !goes
        });
        self.total = self.total.saturating_sub(freed);
        sections.sort_unstable();
        sections.dedup();
        sections.retain(|section| self.of(*section).next().is_none());
        sections
    }

    /// Renders everything, verifies the count, and leaves the least worthy out until it holds.
    /// `budgets` are the shares of the sections.
    pub(super) fn finish(mut self, budgets: [usize; 5], files: &Files) -> Pack {
        let (mut context, mut used) = self.render();
        while used > self.budget {
            let last = self.placed.iter().map(|p| p.sequence).max();
            let Some(last) = last else { break };
            self.take_out(|placed| placed.sequence == last);
            (context, used) = self.render();
        }
        let sections = self
            .sections()
            .into_iter()
            .map(|(kind, placed)| Section {
                name: kind.name(),
                budget: of_section(budgets, kind),
                used: self.used(kind),
                items: placed.iter().map(|p| item(p)).collect(),
            })
            .collect();
        let shown = self.placed.iter().map(|p| {
            let entry = &p.measured.entry;
            (p.shows.file, entry.lines, entry.body.as_str())
        });
        Pack {
            context,
            used,
            sections,
            notes: unsafe_text::in_code(files, shown).into_iter().collect(),
            ..Pack::default()
        }
    }

    fn render(&self) -> (String, usize) {
        let sections = self.sections().into_iter().map(|(kind, placed)| {
            let measured = placed.iter().map(|p| &p.measured);
            let pieces = measured.map(|m| Piece::entry(&m.text, m.tokens)).collect();
            (kind, pieces)
        });
        let pieces = render::compose(self.format, self.intent, sections.collect());
        let context: String = pieces.iter().map(|piece| &*piece.text).collect();
        let used = tokens(&pieces).unwrap_or_else(|| tokenizer::count(&context));
        debug_assert_eq!(used, tokenizer::count(&context));
        (context, used)
    }

    /// The sections that have entries, in order: the one with the best body first.
    fn sections(&self) -> Vec<(SectionKind, Vec<&Placed>)> {
        let mut sections: Vec<(SectionKind, Vec<&Placed>)> = SectionKind::ALL
            .iter()
            .map(|kind| {
                let mut placed: Vec<&Placed> = self.of(*kind).collect();
                placed.sort_by_key(|p| (p.order, p.sequence));
                (*kind, placed)
            })
            .filter(|(_, placed)| !placed.is_empty())
            .collect();
        // A reader trusts what comes first: the best body must not stand behind a list of cards.
        let best = |placed: &[&Placed]| placed.first().map(|p| p.order);
        let snippets_first = matches!(
            sections.as_slice(),
            [(SectionKind::Definitions, definitions), (SectionKind::Snippets, snippets), ..]
                if best(snippets) < best(definitions)
        );
        if snippets_first {
            sections.swap(0, 1);
        }
        sections
    }
}

/// The number that belongs to a section in a list that has the order of [`SectionKind::ALL`].
fn of_section(numbers: [usize; 5], section: SectionKind) -> usize {
    let mut paired = SectionKind::ALL.iter().zip(numbers);
    paired
        .find_map(|(kind, number)| (*kind == section).then_some(number))
        .unwrap_or(0)
}

/// Tokens of pieces written one after the other; none where they cannot be counted one by one.
fn tokens(pieces: &[Piece<'_>]) -> Option<usize> {
    let mut pairs = pieces.array_windows();
    let apart = pairs.all(|[a, b]| tokenizer::parts(&a.text, &b.text));
    let of = |piece: &Piece<'_>| {
        let known = piece.tokens;
        known.unwrap_or_else(|| tokenizer::count_entry(&piece.text))
    };
    apart.then(|| pieces.iter().map(of).sum())
}

/// Whether a body makes an entry superfluous: it shows all of the entry's lines (any of them, where
/// the entry is a call site or an import), or the entry is its card.
fn is_replaced(placed: &Placed, body: &Shows) -> bool {
    if placed.shows.file != body.file {
        return false;
    }
    if placed.shows.lines.is_empty() {
        return placed.shows.definition.is_some() && placed.shows.definition == body.definition;
    }
    let section = placed.measured.entry.section;
    if matches!(section, SectionKind::Callers | SectionKind::Imports) {
        return overlaps(placed, body);
    }
    let within = |shown: &Lines| body.lines.iter().any(|lines| lines.covers(*shown));
    placed.shows.lines.iter().all(within)
}

fn overlaps(placed: &Placed, body: &Shows) -> bool {
    placed.shows.file == body.file
        && placed
            .shows
            .lines
            .iter()
            .any(|shown| body.lines.iter().any(|lines| lines.overlap(*shown) > 0))
}

fn item(placed: &Placed) -> Item {
    let measured = &placed.measured;
    let entry = &measured.entry;
    Item {
        path: entry.path.clone(),
        name: entry.name.clone(),
        lines: entry.lines,
        fidelity: entry.fidelity,
        cut: entry.cut || (entry.fidelity == Fidelity::Full && entry.body.is_empty()),
        shown: placed.shows.lines.clone(),
        tokens: measured.tokens,
    }
}
