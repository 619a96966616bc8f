//! What is in the context so far: what it costs, and which lines it shows.

use foldhash::{HashMap, HashSet};
use foveate_index::{FileId, Files};
use foveate_model::Lines;

use super::entry::{Entry, SectionKind};
use super::pack::{Fidelity, Item, Pack, Section};
use super::render;
use super::render::parts::{Figures, Head, Piece};
use super::seen::{self, WHOLE};
use crate::permalink::Permalinks;
use crate::rank::PlaceId;
use crate::request::Format;
use crate::{tokenizer, unsafe_text};

/// Tokens kept back: the counts of pieces do not add up exactly.
const RESERVE: usize = 2;

/// Kinds of entries within a section, best first.
pub(super) const BODY: u8 = 0;
pub(super) const STANDARD: u8 = 1;
pub(super) const LINK: u8 = 2;
pub(super) const COMPACT: u8 = 3;
pub(super) const OUTLINE: u8 = 4;

/// Place of an entry within its section: the kind of entry, then its rank.
pub(super) type Order = (u8, usize);

/// An entry with what it costs.
#[derive(Debug)]
pub(super) struct Measured {
    pub entry: Entry,
    pub text: String,
    pub tokens: usize,
    /// Tokens of what stands around the entries of its file.
    file_tokens: usize,
    /// The line of its class, and its tokens.
    scope: String,
    scope_tokens: usize,
}

/// What an entry shows of its file.
#[derive(Clone, Debug)]
pub(super) struct Shows {
    pub file: FileId,
    /// What it is the card or the body of.
    pub place: Option<PlaceId>,
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

/// How a context is written, and how much of it there may be.
#[derive(Debug)]
pub(super) struct Form<'a> {
    pub format: Format,
    pub head: Head<'a>,
    pub links: Option<Permalinks>,
    /// The files in the order in which they are shown; others come after them.
    pub files: Vec<FileId>,
    /// Most files that anything is shown of.
    pub max_files: usize,
    /// Most tokens.
    pub budget: usize,
    /// Most characters.
    pub max_chars: usize,
}

/// The context under construction.
#[derive(Debug)]
pub(super) struct Packed<'a> {
    form: Form<'a>,
    /// Most tokens, with regard to the characters.
    budget: usize,
    placed: Vec<Placed>,
    /// What the caller has already: it counts as shown.
    seen: Vec<(FileId, Lines)>,
    /// Tokens of each section's tags, in the order of [`SectionKind::ALL`].
    tags: [usize; 5],
    /// Tokens of the head and of all placed entries, with the sections, files and classes that they
    /// opened.
    total: usize,
    sequence: usize,
}

/// Least characters per token of usual code: what is shorter is cut at the end.
const CHARS_PER_TOKEN: usize = 3;

impl<'a> Packed<'a> {
    pub(super) fn new(form: Form<'a>, seen: Vec<(FileId, Lines)>) -> Self {
        let mut packed = Self {
            budget: form.budget.min(form.max_chars / CHARS_PER_TOKEN),
            placed: Vec::new(),
            seen,
            tags: SectionKind::ALL.map(|section| {
                let (open, close) = render::section(form.format, section, false);
                tokenizer::count_entry(&open) + tokenizer::count_entry(&close)
            }),
            total: 0,
            sequence: 0,
            form,
        };
        packed.total = packed.empty();
        packed
    }

    /// Tokens of a context without entries, its head as long as it may become.
    fn empty(&self) -> usize {
        let longest = Figures {
            confidence: 0.0,
            is_low: true,
            used: self.form.head.budget,
            left_out: 999,
        };
        let (open, close) = render::header(self.form.format, &self.form.head, longest);
        tokenizer::count_entry(&open) + tokenizer::count_entry(&close) + RESERVE
    }

    /// Renders and counts an entry.
    pub(super) fn measure(&self, entry: Entry) -> Measured {
        let Form { format, links, .. } = &self.form;
        let text = render::entry(*format, &entry, links.as_ref());
        let (open, close) = render::file(*format, &entry.path, links.as_ref());
        let scope = entry.scope.as_ref();
        let scope = scope.map_or_else(String::new, |scope| render::scope(*format, scope));
        Measured {
            tokens: tokenizer::count_entry(&text),
            file_tokens: tokenizer::count_entry(&open) + tokenizer::count_entry(&close),
            scope_tokens: tokenizer::count_entry(&scope),
            entry,
            text,
            scope,
        }
    }

    /// Tokens that are left.
    pub(super) fn left(&self) -> usize {
        self.budget.saturating_sub(self.total)
    }

    /// Tokens that the entries and tags of a section use.
    pub(super) fn used(&self, section: SectionKind) -> usize {
        let mut files: HashSet<FileId> = HashSet::default();
        let mut used = 0;
        for placed in self.of(section) {
            let measured = &placed.measured;
            used += measured.tokens;
            if files.insert(placed.shows.file) {
                used += measured.file_tokens;
            }
        }
        if used == 0 {
            0
        } else {
            used + self.tags(section)
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

    /// What adding an entry costs beyond its own tokens: its section, its file and its class, where
    /// they are not open yet.
    fn opening(&self, measured: &Measured, file: FileId) -> usize {
        let entry = &measured.entry;
        let mut of_section = self.of(entry.section).peekable();
        let section = if of_section.peek().is_none() {
            self.tags(entry.section)
        } else {
            0
        };
        let mut of_file = of_section.filter(|p| p.shows.file == file).peekable();
        let of_this = if of_file.peek().is_none() {
            measured.file_tokens
        } else {
            0
        };
        let is_open = of_file.any(|p| p.measured.entry.scope == entry.scope);
        section + of_this + if is_open { 0 } else { measured.scope_tokens }
    }

    /// Whether an entry of a file fits, given that `freed` tokens go away: tokens and files.
    pub(super) fn fits(&self, measured: &Measured, file: FileId, freed: usize) -> bool {
        let more = measured.tokens + self.opening(measured, file);
        self.has_room_for_file(file) && self.total.saturating_sub(freed) + more <= self.budget
    }

    /// Whether any of these lines is shown.
    pub(super) fn shows_any(&self, file: FileId, lines: Lines) -> bool {
        self.lines_of(file, None)
            .any(|shown| shown.overlap(lines) > 0)
    }

    /// Whether any of these lines is shown by another entry than those of `place`, or known to the caller.
    pub(super) fn shows_elsewhere(&self, place: PlaceId, file: FileId, lines: Lines) -> bool {
        self.lines_of(file, Some(place))
            .any(|shown| shown.overlap(lines) > 0)
    }

    /// Whether all of these lines are shown by one whole body, or known to the caller.
    pub(super) fn shows_all(&self, file: FileId, lines: Lines) -> bool {
        self.lines_of(file, None).any(|shown| shown.covers(lines))
    }

    /// The lines of a file that are shown, but not by `place`, and those that the caller has.
    fn lines_of(&self, file: FileId, place: Option<PlaceId>) -> impl Iterator<Item = Lines> {
        let is_other = move |p: &&Placed| place.is_none() || p.shows.place != place;
        let placed = self.placed.iter().filter(move |p| p.shows.file == file);
        let placed = placed.filter(is_other);
        let seen = self.seen.iter().filter(move |(seen, _)| *seen == file);
        placed
            .flat_map(|p| p.shows.lines.iter().copied())
            .chain(seen.map(|(_, lines)| *lines))
    }

    /// Whether a card or body of a place is in.
    pub(super) fn has(&self, place: PlaceId) -> bool {
        self.placed.iter().any(|p| p.shows.place == Some(place))
    }

    fn has_room_for_file(&self, file: FileId) -> bool {
        let most = self.form.max_files;
        if most == usize::MAX {
            return true;
        }
        let files: HashSet<FileId> = self.placed.iter().map(|p| p.shows.file).collect();
        files.contains(&file) || files.len() < most
    }

    /// Whether nothing is in.
    pub(super) fn is_empty(&self) -> bool {
        self.placed.is_empty()
    }

    /// Whether anything of a file is in, or the caller has all of it.
    pub(super) fn has_file(&self, file: FileId) -> bool {
        self.placed.iter().any(|p| p.shows.file == file) || self.shows_all(file, WHOLE)
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
        if self.placed.iter().any(|placed| is_replaced(placed, &shows)) {
            self.take_out(|placed| is_replaced(placed, &shows));
        }
        self.total += measured.tokens + self.opening(&measured, shows.file);
        self.sequence += 1;
        self.placed.push(Placed {
            measured,
            shows,
            order,
            sequence: self.sequence,
        });
    }

    /// Takes entries out, and counts what is left anew.
    fn take_out(&mut self, gone: impl Fn(&Placed) -> bool) {
        let kept = std::mem::take(&mut self.placed);
        self.total = self.empty();
        for placed in kept.into_iter().filter(|placed| !gone(placed)) {
            self.total += placed.measured.tokens;
            self.total += self.opening(&placed.measured, placed.shows.file);
            self.placed.push(placed);
        }
    }

    /// Whether the characters of the text are bounded, not only its tokens.
    pub(super) fn is_length_bounded(&self) -> bool {
        self.form.max_chars != usize::MAX
    }

    /// Leaves the least worthy out until the text has no more characters than it may.
    pub(super) fn fit_length(&mut self) {
        self.merge_snippets();
        // With a head as long as one may be.
        let figures = Figures {
            confidence: 0.0,
            is_low: true,
            used: self.form.budget,
            left_out: self.placed.len(),
        };
        while self.render_with(figures).0.chars().count() > self.form.max_chars {
            let last = self.placed.iter().map(|p| p.sequence).max();
            let Some(last) = last else { break };
            self.take_out(|placed| placed.sequence == last);
        }
    }

    /// Renders everything, verifies the count, and leaves the least worthy out until it holds.
    /// `budgets` are the shares of the sections, `figures` what the head says.
    pub(super) fn finish(
        mut self,
        budgets: [usize; 5],
        mut figures: Figures,
        files: &Files,
    ) -> Pack {
        self.merge_snippets();
        let (mut context, mut used) = self.render(&mut figures);
        while used > self.form.budget || context.chars().count() > self.form.max_chars {
            let last = self.placed.iter().map(|p| p.sequence).max();
            let Some(last) = last else { break };
            self.take_out(|placed| placed.sequence == last);
            figures.left_out += 1;
            (context, used) = self.render(&mut figures);
        }
        let sections = self
            .sections()
            .into_iter()
            .map(|(kind, placed)| Section {
                name: kind.name(),
                budget: of_section(budgets, kind),
                used: self.used(kind),
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
            notes: unsafe_text::in_code(files, shown).into_iter().collect(),
            ..Pack::default()
        }
    }

    /// A file that the definitions show already is not begun again among the snippets.
    fn merge_snippets(&mut self) {
        let of_definitions = self.of(SectionKind::Definitions);
        let files: HashSet<FileId> = of_definitions.map(|p| p.shows.file).collect();
        let is_both = |p: &&mut Placed| files.contains(&p.shows.file);
        for placed in self.placed.iter_mut().filter(is_both) {
            let entry = &mut placed.measured.entry;
            if entry.section == SectionKind::Snippets {
                entry.section = SectionKind::Definitions;
                let Form { format, links, .. } = &self.form;
                placed.measured.text = render::entry(*format, entry, links.as_ref());
                placed.measured.tokens = tokenizer::count_entry(&placed.measured.text);
            }
        }
    }

    /// The whole text and its tokens. The head says how many there are: that takes a second look.
    fn render(&self, figures: &mut Figures) -> (String, usize) {
        const LOOKS: usize = 4;
        let mut rendered = self.render_with(*figures);
        for _ in 1..LOOKS {
            if rendered.1 == figures.used {
                break;
            }
            figures.used = rendered.1;
            rendered = self.render_with(*figures);
        }
        rendered
    }

    fn render_with(&self, figures: Figures) -> (String, usize) {
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

    /// The entries of a section, with what stands around those of each file and class.
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
            let mut scope = None;
            for placed in of_file {
                let measured = &placed.measured;
                if measured.entry.scope != scope {
                    scope.clone_from(&measured.entry.scope);
                    pieces.push(Piece::entry(&measured.scope, measured.scope_tokens));
                }
                pieces.push(Piece::entry(&measured.text, measured.tokens));
            }
            pieces.push(Piece::new(close));
        }
        pieces
    }

    /// The sections that have entries, in order: the one with the best body first, in each the files as
    /// they are ranked, and their entries by their lines.
    fn sections(&self) -> Vec<(SectionKind, Vec<&Placed>)> {
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
                let is_outline = |p: &Placed| p.order.0 == OUTLINE;
                placed.sort_by_key(|p| (rank(p), is_outline(p), p.measured.entry.lines));
                Some((*kind, best, placed))
            })
            .collect();
        // A reader trusts what comes first: the best body must not stand behind a list of cards.
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
        let cut = entry.cut
            || entry.folded
            || (entry.fidelity == Fidelity::Full && entry.body.is_empty());
        let is_whole = entry.fidelity == Fidelity::Full && !cut;
        Item {
            path: entry.path.clone(),
            name: entry.name.clone(),
            lines: entry.lines,
            fidelity: entry.fidelity,
            cut,
            folded: entry.folded,
            shown: placed.shows.lines.clone(),
            tokens: measured.tokens,
            reason: entry.reason.clone(),
            link: links.map(|links| links.lines(&entry.path, entry.lines)),
            seen_as: is_whole.then(|| seen::name(files, placed.shows.file, entry.lines)),
        }
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
        return placed.shows.place.is_some() && placed.shows.place == body.place;
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
