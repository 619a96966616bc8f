//! Renders a context, and lists what its text contains. It changes no entry: those beyond the limits are removed.

use foldhash::HashMap;
use foveate_index::{FileId, Files};
use foveate_model::Lines;

use super::{EntryKind, Form, Order, Packed, Placed};
use crate::assemble::dropped::DroppedList;
use crate::assemble::entry::{Entry, Scope, SectionKind};
use crate::assemble::pack::{Fidelity, Item, Pack, Section};
use crate::assemble::render::parts::{HeadFigures, Piece};
use crate::assemble::{render, seen};
use crate::request::Format;
use crate::{tokenizer, unsafe_text};

impl Packed<'_> {
    /// Renders the context within the limits; entries that must be removed for that are appended to `dropped`.
    /// `budgets` are the shares of the sections in tokens, `figures` the numbers in the head.
    pub(in crate::assemble) fn finish(
        mut self,
        budgets: [usize; SectionKind::ALL.len()],
        figures: HeadFigures,
        mut dropped: DroppedList,
        files: &Files,
    ) -> Pack {
        let (context, used) = self.render_within_limits(figures, &mut dropped);
        let sections = self
            .sections()
            .into_iter()
            .enumerate()
            .map(|(position, (kind, placed))| Section {
                name: kind.name(),
                budget: budgets[kind as usize],
                used: self.rendered_tokens(kind, position == 0, &placed),
                items: placed.iter().map(|p| self.item(p, files)).collect(),
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
            dropped: dropped.into_vec(),
            issues: unsafe_text::in_code(files, shown).into_iter().collect(),
            ..Pack::default()
        }
    }

    /// Renders everything, counts it, and removes the entries added last until the limits are met. Returns the text and
    /// its tokens. The head, whose figures are known only now, can be longer than [`Packed::fit_limits`] assumed.
    fn render_within_limits(
        &mut self,
        mut figures: HeadFigures,
        dropped: &mut DroppedList,
    ) -> (String, usize) {
        loop {
            figures.left_out = dropped.total();
            let (context, used) = self.render(&mut figures);
            let fits =
                used <= self.form.head.budget && context.chars().count() <= self.form.max_chars;
            if fits || !self.remove_last(dropped) {
                return (context, used);
            }
        }
    }

    /// Returns the tokens of a section as it is rendered, with its tags and the lines of files and classes.
    pub(super) fn rendered_tokens(
        &self,
        section: SectionKind,
        is_first: bool,
        placed: &[&Placed],
    ) -> usize {
        let (open, close) = render::section(self.form.format, section, is_first);
        let tags = tokenizer::count_entry(&open) + tokenizer::count_entry(&close);
        let pieces = self.pieces(placed);
        tags + pieces.iter().map(Piece::token_count).sum::<usize>()
    }

    /// Renders the whole text and counts its tokens. The head states that count, so the text is rendered
    /// again until the stated count is right.
    fn render(&self, figures: &mut HeadFigures) -> (String, usize) {
        const ATTEMPTS: usize = 4;
        let mut rendered = self.render_with(*figures);
        for _ in 1..ATTEMPTS {
            if rendered.1 == figures.used {
                break;
            }
            figures.used = rendered.1;
            rendered = self.render_with(*figures);
        }
        rendered
    }

    pub(super) fn render_with(&self, figures: HeadFigures) -> (String, usize) {
        let Form { format, head, .. } = &self.form;
        let sections = self.sections().into_iter();
        let sections = sections.map(|(kind, placed)| (kind, self.pieces(&placed)));
        let ends = render::header(*format, head, figures);
        let pieces = render::compose(*format, ends, sections.collect());
        let context: String = pieces.iter().map(|piece| &*piece.text).collect();
        let used = tokens(&pieces).unwrap_or_else(|| tokenizer::count(&context));
        debug_assert_eq!(used, tokenizer::count(&context));
        (context, used)
    }

    /// Returns the entries of a section with the markup around those of each file and class. Entries of adjacent
    /// lines are rendered as one.
    fn pieces<'b>(&self, placed: &[&'b Placed]) -> Vec<Piece<'b>> {
        let Form { format, links, .. } = &self.form;
        let mut pieces = Vec::with_capacity(placed.len() * 2);
        for of_file in placed.chunk_by(|a, b| a.shows.file == b.shows.file) {
            let Some(first) = of_file.first() else {
                continue;
            };
            let path = &first.measured.entry.path;
            let (open, close) = render::file(*format, path, links.as_ref());
            pieces.push(Piece::new(open));
            let mut scope: Option<&Scope> = None;
            let mut before: Option<Lines> = None;
            for run in of_file.chunk_by(|a, b| self.joins(a, b)) {
                let (Some(first), Some(last)) = (run.first(), run.last()) else {
                    continue;
                };
                let measured = &first.measured;
                let class = measured.entry.scope.as_ref();
                let is_class_above =
                    class.is_some_and(|class| before.is_some_and(|run| run.contains(class.line)));
                if class != scope && !is_class_above {
                    pieces.push(Piece::entry(&measured.scope, measured.scope_tokens));
                }
                scope = last.measured.entry.scope.as_ref();
                before = Some(Lines::new(
                    measured.entry.lines.start, last.measured.entry.lines.end,
                ));
                pieces.push(if run.len() == 1 {
                    Piece::entry(&measured.text, measured.tokens)
                } else {
                    self.joined(run)
                });
            }
            pieces.push(Piece::new(close));
        }
        pieces
    }

    fn joins(&self, a: &Placed, b: &Placed) -> bool {
        self.form.format != Format::Json && a.measured.entry.is_continued_by(&b.measured.entry)
    }

    /// Renders entries of adjacent lines as one.
    fn joined<'b>(&self, run: &[&Placed]) -> Piece<'b> {
        let Form { format, links, .. } = &self.form;
        let joined = Entry::join(run.iter().map(|placed| &placed.measured.entry));
        let text = joined.map(|entry| render::entry(*format, &entry, links.as_ref()));
        Piece::new(text.unwrap_or_default())
    }

    /// Returns the sections that have entries, in the order of [`SectionKind::ALL`], but snippets before
    /// definitions where they have the better entry. In a section, files follow their rank and the
    /// entries of a file their lines, with its outline last.
    pub(super) fn sections(&self) -> Vec<(SectionKind, Vec<&Placed>)> {
        let mut sections: Vec<(SectionKind, Order, Vec<&Placed>)> = SectionKind::ALL
            .iter()
            .filter_map(|kind| {
                let mut placed: Vec<&Placed> = self.of(*kind).collect();
                placed.sort_by_key(|p| (p.order, p.sequence));
                let best = placed.first()?.order;
                let mut ranks: HashMap<FileId, usize> = HashMap::default();
                let others = placed.iter().map(|p| p.shows.file);
                for file in self.form.files.iter().copied().chain(others) {
                    let next = ranks.len();
                    ranks.entry(file).or_insert(next);
                }
                let rank = |p: &Placed| ranks.get(&p.shows.file).copied();
                let is_outline = |p: &Placed| p.order.0 == EntryKind::Outline;
                placed.sort_by_key(|p| (rank(p), is_outline(p), p.measured.entry.lines));
                Some((*kind, best, placed))
            })
            .collect();
        // Readers trust what comes first: the best body must not follow a list of cards.
        let snippets_first = matches!(
            sections.as_slice(),
            [(SectionKind::Definitions, definitions, _), (SectionKind::Snippets, snippets, _), ..]
                if snippets < definitions
        );
        if snippets_first {
            sections.swap(0, 1);
        }
        let without_best = |(kind, _, placed)| (kind, placed);
        sections.into_iter().map(without_best).collect()
    }

    fn item(&self, placed: &Placed, files: &Files) -> Item {
        let measured = &placed.measured;
        let entry = &measured.entry;
        let links = self.form.links.as_ref();
        // Where lines with text have no body, all of it was folded.
        let is_empty = entry.fidelity == Fidelity::Full && entry.body.is_empty();
        let has_text = || {
            let span = files.lines_span(placed.shows.file, entry.lines);
            !span.of(files.text(placed.shows.file)).trim().is_empty()
        };
        let cut = entry.cut || entry.folded || is_empty && has_text();
        let is_whole = entry.fidelity == Fidelity::Full && !cut;
        Item {
            path: entry.path.clone(),
            name: entry.name.clone(),
            lines: entry.lines,
            fidelity: entry.fidelity,
            cut,
            folded: entry.folded,
            shown: if placed.is_cut_line() {
                Vec::new()
            } else {
                placed.shows.lines.clone()
            },
            tokens: measured.tokens,
            reason: entry.reason.clone(),
            changed: entry.fact("changed").map(str::to_owned),
            link: links.map(|links| links.lines(&entry.path, entry.lines)),
            seen_as: is_whole.then(|| seen::name(files, placed.shows.file, entry.lines)),
        }
    }
}

/// Returns the tokens of concatenated pieces; `None` where a token may span two of them, so that they
/// cannot be counted one by one.
fn tokens(pieces: &[Piece<'_>]) -> Option<usize> {
    let mut pairs = pieces.array_windows();
    let apart = pairs.all(|[a, b]| tokenizer::counts_add_up(&a.text, &b.text));
    apart.then(|| pieces.iter().map(Piece::token_count).sum())
}
