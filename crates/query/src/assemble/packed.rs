//! Holds the context under construction: its entries, what they cost and which lines they show. Its text is made in
//! [`rendering`].

mod rendering;

use foldhash::{HashMap, HashSet};
use foveate_index::{DefId, FileId};
use foveate_model::Lines;

use super::coverage::{are_covered, count_covered};
use super::entry::{Entry, Layout, SectionKind};
use super::pack::{DropReason, Dropped};
use super::render;
use super::render::parts::{Head, HeadFigures, SAY_MORE};
use super::seen::WHOLE_FILE;
use crate::permalink::Permalinks;
use crate::rank::PlaceId;
use crate::request::Format;
use crate::tokenizer;

/// Tokens held in reserve: the counts of the pieces do not add up exactly to the count of the whole.
const RESERVE: usize = 2;

/// Kinds of entries within a section, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EntryKind {
    Body,
    Standard,
    Link,
    Compact,
    Outline,
}

/// Sort key of an entry within its section: the kind of entry, then its rank.
pub(super) type Order = (EntryKind, usize);

/// A rendered entry with its token counts.
#[derive(Debug)]
pub(super) struct MeasuredEntry {
    pub entry: Entry,
    pub text: String,
    pub tokens: usize,
    /// The tokens of its markup alone.
    markup_tokens: usize,
    /// Tokens of the markup around the entries of its file.
    file_tokens: usize,
    /// The rendered line of its class, empty where it is in none, and the tokens of that line.
    scope: String,
    scope_tokens: usize,
}

impl MeasuredEntry {
    /// Returns its tokens without those of its markup.
    pub(super) fn body_tokens(&self) -> usize {
        self.tokens.saturating_sub(self.markup_tokens)
    }
}

/// The part of a file that an entry shows.
#[derive(Clone, Debug)]
pub(super) struct ShownPart {
    pub file: FileId,
    /// The place that the entry is the card or the body of.
    pub place: Option<PlaceId>,
    /// Lines that are in the context verbatim; empty for cards.
    pub lines: Vec<Lines>,
}

impl ShownPart {
    /// Makes the part that a card of a file, or of a place in it, shows.
    pub(super) fn card(file: FileId, place: Option<PlaceId>) -> Self {
        Self {
            file,
            place,
            lines: Vec::new(),
        }
    }

    /// Makes the part that a card of a definition shows.
    pub(super) fn card_of(id: DefId) -> Self {
        Self::card(id.file, Some(PlaceId::Definition(id)))
    }

    /// Makes the part that an entry of lines alone shows.
    pub(super) fn lines(file: FileId, lines: Lines) -> Self {
        Self {
            file,
            place: None,
            lines: vec![lines],
        }
    }
}

#[derive(Debug)]
struct Placed {
    measured: MeasuredEntry,
    shows: ShownPart,
    order: Order,
    /// Position in the order of addition: the entry added last is worth least.
    sequence: usize,
    /// The card of the same place that it replaced, which is shown again if it must be removed.
    card: Option<Box<Placed>>,
}

impl Placed {
    /// Whether it shows only the start of a long line.
    fn is_cut_line(&self) -> bool {
        let entry = &self.measured.entry;
        entry.cut && entry.layout == Layout::Line
    }
}

/// The format of a context and the limits on its size.
#[derive(Debug)]
pub(super) struct Form<'a> {
    pub format: Format,
    pub head: Head<'a>,
    pub links: Option<Permalinks>,
    /// The files in the order in which they are shown; others come after them.
    pub files: Vec<FileId>,
    /// Maximum number of files with any entry.
    pub max_files: usize,
    /// Maximum characters.
    pub max_chars: usize,
}

/// A limit on the size of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SizeLimit {
    Tokens(usize),
    Chars(usize),
}

/// The context under construction.
#[derive(Debug)]
pub(super) struct Packed<'a> {
    form: Form<'a>,
    /// Maximum tokens: the budget, or fewer where `max_chars` has no room for them.
    budget: usize,
    placed: Vec<Placed>,
    /// Lines that the caller has already: they count as shown.
    seen: Vec<(FileId, Lines)>,
    /// Tokens of each section's tags, in the order of [`SectionKind::ALL`].
    tags: [usize; SectionKind::ALL.len()],
    /// Tokens of the head and of all placed entries, including the markup of their sections, files
    /// and classes.
    total: usize,
    sequence: usize,
}

/// Characters per token: usual code has between 4 and 4.6, so that most of `max_chars` is used. A context that exceeds
/// it nevertheless is shortened at the end ([`Packed::fit_limits`]).
const CHARS_PER_TOKEN: usize = 4;

impl<'a> Packed<'a> {
    pub(super) fn new(form: Form<'a>, seen: Vec<(FileId, Lines)>) -> Self {
        let mut packed = Self {
            budget: form.head.budget.min(form.max_chars / CHARS_PER_TOKEN),
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

    /// Returns the tokens of a context without entries, with the longest possible head.
    fn empty(&self) -> usize {
        let longest = HeadFigures {
            confidence: 0.0,
            advice: Some(SAY_MORE),
            used: self.form.head.budget,
            left_out: 999,
        };
        let (open, close) = render::header(self.form.format, &self.form.head, longest);
        tokenizer::count_entry(&open) + tokenizer::count_entry(&close) + RESERVE
    }

    /// Renders and counts an entry.
    pub(super) fn measure(&self, mut entry: Entry) -> MeasuredEntry {
        let Form { format, links, .. } = &self.form;
        let body = std::mem::take(&mut entry.body);
        let markup = render::entry(*format, &entry, links.as_ref());
        entry.body = body;
        let text = render::entry(*format, &entry, links.as_ref());
        let (open, close) = render::file(*format, &entry.path, links.as_ref());
        let scope = entry.scope.as_ref();
        let scope = scope.map_or_else(String::new, |scope| render::scope(*format, scope));
        MeasuredEntry {
            tokens: tokenizer::count_entry(&text),
            markup_tokens: tokenizer::count_entry(&markup),
            file_tokens: tokenizer::count_entry(&open) + tokenizer::count_entry(&close),
            scope_tokens: tokenizer::count_entry(&scope),
            entry,
            text,
            scope,
        }
    }

    /// Returns the maximum tokens.
    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    /// Returns the limit that takes effect first.
    pub(super) fn smaller_limit(&self) -> SizeLimit {
        if self.budget < self.form.head.budget {
            SizeLimit::Chars(self.form.max_chars)
        } else {
            SizeLimit::Tokens(self.form.head.budget)
        }
    }

    /// Returns the tokens that are left.
    pub(super) fn left(&self) -> usize {
        self.budget.saturating_sub(self.total)
    }

    /// Returns the tokens that the entries of a section use, with the markup of the section and its files.
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
            used + self.tags[section as usize]
        }
    }

    fn of(&self, section: SectionKind) -> impl Iterator<Item = &Placed> {
        self.placed
            .iter()
            .filter(move |p| p.measured.entry.section == section)
    }

    /// Returns the tokens that an entry costs beyond its own: the markup of its section, file and class,
    /// where no other entry has opened them yet.
    fn opening(&self, measured: &MeasuredEntry, file: FileId) -> usize {
        let entry = &measured.entry;
        let mut of_section = self.of(entry.section).peekable();
        let section = if of_section.peek().is_none() {
            self.tags[entry.section as usize]
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

    /// Returns the tokens that an entry adds: its own and those that it opens, less the markup that is not
    /// repeated between it and the entries of the adjacent lines.
    fn cost(&self, measured: &MeasuredEntry, file: FileId) -> usize {
        let entry = &measured.entry;
        let is_adjacent = |p: &&Placed| {
            let placed = &p.measured.entry;
            p.shows.file == file && (placed.is_continued_by(entry) || entry.is_continued_by(placed))
        };
        let adjacent = match self.form.format {
            Format::Json => 0,
            Format::Xml | Format::Markdown => self.of(entry.section).filter(is_adjacent).count(),
        };
        let tokens = measured.tokens + self.opening(measured, file);
        tokens.saturating_sub(adjacent * measured.markup_tokens)
    }

    /// Whether an entry fits the limits on tokens and files once `freed` tokens are released.
    pub(super) fn fits(&self, measured: &MeasuredEntry, file: FileId, freed: usize) -> bool {
        let more = self.cost(measured, file);
        self.has_room_for_file(file) && self.total.saturating_sub(freed) + more <= self.budget
    }

    /// Whether any of these lines is shown.
    pub(super) fn shows_any(&self, file: FileId, lines: Lines) -> bool {
        self.lines_of(file, None)
            .any(|shown| shown.overlap(lines) > 0)
    }

    /// Whether any of these lines is shown by an entry other than those of `place`, or known to the
    /// caller.
    pub(super) fn shows_elsewhere(&self, place: PlaceId, file: FileId, lines: Lines) -> bool {
        self.lines_of(file, Some(place))
            .any(|shown| shown.overlap(lines) > 0)
    }

    /// Whether all of these lines are shown, or known to the caller.
    pub(super) fn shows_all(&self, file: FileId, lines: Lines) -> bool {
        are_covered(
            lines,
            self.lines_where(file, |placed| !placed.is_cut_line()),
        )
    }

    /// Whether the caller has all of these lines.
    pub(super) fn has_seen(&self, file: FileId, lines: Lines) -> bool {
        let seen = self.seen.iter().filter(|(seen, _)| *seen == file);
        are_covered(lines, seen.map(|(_, lines)| *lines))
    }

    /// Whether any lines of a place are shown by an entry of its own.
    pub(super) fn has_lines_of(&self, place: PlaceId) -> bool {
        let is_body = |p: &Placed| p.shows.place == Some(place) && !p.shows.lines.is_empty();
        self.placed.iter().any(is_body)
    }

    /// Whether the first line of a definition is shown, by itself or above the members of a class.
    pub(super) fn shows_head(&self, file: FileId, line: u32) -> bool {
        let is_scope = |p: &Placed| {
            let scope = p.measured.entry.scope.as_ref();
            p.shows.file == file && scope.is_some_and(|scope| scope.line == line)
        };
        self.shows_any(file, Lines::new(line, line)) || self.placed.iter().any(is_scope)
    }

    /// Whether the entries together show at least `percent` of some lines.
    pub(super) fn shows_percent(&self, file: FileId, lines: Lines, percent: u32) -> bool {
        let shown = count_covered(lines, self.lines_of(file, None));
        u64::from(shown) * 100 >= u64::from(lines.count()) * u64::from(percent)
    }

    /// Returns the lines of a file that are shown by entries other than those of `place`, and those that
    /// the caller has already.
    fn lines_of(&self, file: FileId, place: Option<PlaceId>) -> impl Iterator<Item = Lines> {
        self.lines_where(file, move |p| place.is_none() || p.shows.place != place)
    }

    /// Returns the lines of a file that are shown by entries for which `counts` holds, and those that the caller has
    /// already.
    fn lines_where(
        &self,
        file: FileId,
        counts: impl Fn(&Placed) -> bool,
    ) -> impl Iterator<Item = Lines> {
        let of_file = move |p: &&Placed| p.shows.file == file && counts(p);
        let placed = self.placed.iter().filter(of_file);
        let seen = self.seen.iter().filter(move |(seen, _)| *seen == file);
        placed
            .flat_map(|p| p.shows.lines.iter().copied())
            .chain(seen.map(|(_, lines)| *lines))
    }

    /// Whether the context has a card or body of a place.
    pub(super) fn has(&self, place: PlaceId) -> bool {
        self.placed.iter().any(|p| p.shows.place == Some(place))
    }

    /// Whether the limit on files allows an entry of a file.
    pub(super) fn has_room_for_file(&self, file: FileId) -> bool {
        let max_files = self.form.max_files;
        if max_files == usize::MAX {
            return true;
        }
        let files: HashSet<FileId> = self.placed.iter().map(|p| p.shows.file).collect();
        files.contains(&file) || files.len() < max_files
    }

    /// Returns the lines that are shown, and those that the caller has already.
    pub(super) fn lines_by_file(&self) -> HashMap<FileId, Vec<Lines>> {
        let mut by_file: HashMap<FileId, Vec<Lines>> = HashMap::default();
        for placed in &self.placed {
            let lines = by_file.entry(placed.shows.file).or_default();
            lines.extend(&placed.shows.lines);
        }
        for (file, lines) in &self.seen {
            by_file.entry(*file).or_default().push(*lines);
        }
        by_file
    }

    /// Whether the context has no entries.
    pub(super) fn is_empty(&self) -> bool {
        self.placed.is_empty()
    }

    /// Whether the context has any entry of a file, or the caller has all of the file.
    pub(super) fn has_file(&self, file: FileId) -> bool {
        self.placed.iter().any(|p| p.shows.file == file) || self.shows_all(file, WHOLE_FILE)
    }

    /// Returns the tokens of the entries that a body of these lines replaces; `None` if it overlaps an
    /// entry that it cannot replace.
    pub(super) fn replaces(&self, shows: &ShownPart) -> Option<usize> {
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

    /// Adds an entry that fits, and removes the entries that it replaces.
    pub(super) fn add(&mut self, measured: MeasuredEntry, shows: ShownPart, order: Order) {
        let (replaced, kept) = std::mem::take(&mut self.placed)
            .into_iter()
            .partition(|placed| is_replaced(placed, &shows));
        let replaced: Vec<Placed> = replaced;
        self.placed = kept;
        if !replaced.is_empty() {
            self.recount();
        }
        let of_place = |placed: &Placed| shows.place.is_some() && placed.shows.place == shows.place;
        let same = replaced.into_iter().find(of_place);
        let card = same.and_then(|placed| {
            let is_card = placed.shows.lines.is_empty();
            if is_card {
                Some(Box::new(placed))
            } else {
                placed.card
            }
        });
        self.total += self.cost(&measured, shows.file);
        self.sequence += 1;
        self.placed.push(Placed {
            measured,
            shows,
            order,
            sequence: self.sequence,
            card,
        });
    }

    /// Removes the cards of types and of files of tests of which the other entries show at least `percent`.
    pub(super) fn remove_shown_cards(&mut self, percent: u32) {
        let is_shown = |placed: &Placed| {
            let Placed {
                measured, shows, ..
            } = placed;
            let is_of_whole = match placed.order.0 {
                EntryKind::Standard => true,
                EntryKind::Link => shows.place.is_none(),
                EntryKind::Body | EntryKind::Compact | EntryKind::Outline => false,
            };
            is_of_whole
                && shows.lines.is_empty()
                && self.shows_percent(shows.file, measured.entry.lines, percent)
        };
        let shown: HashSet<usize> = (self.placed.iter().filter(|placed| is_shown(placed)))
            .map(|placed| placed.sequence)
            .collect();
        if !shown.is_empty() {
            self.placed
                .retain(|placed| !shown.contains(&placed.sequence));
            self.recount();
        }
    }

    /// Returns the pairs of consecutive entries of the same section and file.
    pub(super) fn neighbours(&self) -> Vec<(FileId, &Entry, &Entry)> {
        let mut neighbours = Vec::new();
        for (_, placed) in self.sections() {
            let pairs = placed
                .array_windows()
                .filter(|[a, b]| a.shows.file == b.shows.file);
            neighbours
                .extend(pairs.map(|[a, b]| (a.shows.file, &a.measured.entry, &b.measured.entry)));
        }
        neighbours
    }

    /// Removes the entry added last, and adds its report to `dropped`. The card that it replaced is shown again. Returns
    /// false if there is no entry.
    fn remove_last(&mut self, dropped: &mut impl Extend<Dropped>) -> bool {
        let numbered = self.placed.iter().enumerate();
        let Some((last, _)) = numbered.max_by_key(|(_, placed)| placed.sequence) else {
            return false;
        };
        let mut removed = self.placed.remove(last);
        self.placed.extend(removed.card.take().map(|card| *card));
        self.recount();
        dropped.extend(self.report(removed));
        true
    }

    /// Returns the report of a removed entry; `None` if it stands for no place, or another entry shows all of its lines.
    fn report(&self, removed: Placed) -> Option<Dropped> {
        let Placed {
            measured, shows, ..
        } = removed;
        let entry = measured.entry;
        let is_place = shows.place.is_some() || !shows.lines.is_empty();
        (is_place && !self.shows_all(shows.file, entry.lines)).then_some(Dropped {
            path: entry.path,
            name: entry.name,
            lines: Some(entry.lines),
            tokens: measured.tokens,
            reason: DropReason::Budget,
        })
    }

    /// Counts the tokens of all entries again.
    fn recount(&mut self) {
        self.total = self.empty();
        for placed in std::mem::take(&mut self.placed) {
            self.total += self.cost(&placed.measured, placed.shows.file);
            self.placed.push(placed);
        }
    }

    /// Removes the entries added last until the text is within the limits, and returns the places that are then no
    /// longer shown. The text may exceed the limits although each entry was within them when it was added: the line of
    /// a class is repeated where methods of another class come between, and tokens can have more characters than usual.
    pub(super) fn fit_limits(&mut self) -> Vec<Dropped> {
        let mut dropped: Vec<Dropped> = Vec::new();
        self.merge_snippets();
        while self.exceeds_limits() && self.remove_last(&mut dropped) {
            // A card that is shown again may be in another section.
            self.merge_snippets();
        }
        dropped
    }

    /// Sets the total to the tokens of the text as it is rendered. It is less than the sum of what each entry cost
    /// when it was added: later entries closed gaps and share its markup.
    pub(super) fn count_rendered(&mut self) {
        self.total = self.rendered_total();
    }

    /// Returns the tokens of the whole text with the longest possible head.
    fn rendered_total(&self) -> usize {
        let sections = self.sections();
        let sections = sections.iter().enumerate();
        let tokens = sections
            .map(|(position, (kind, placed))| self.rendered_tokens(*kind, position == 0, placed));
        self.empty() + tokens.sum::<usize>()
    }

    /// Whether the text exceeds a limit with the longest possible head.
    fn exceeds_limits(&self) -> bool {
        if self.rendered_total() > self.form.head.budget {
            return true;
        }
        let figures = HeadFigures {
            confidence: 0.0,
            advice: Some(SAY_MORE),
            used: self.form.head.budget,
            left_out: self.placed.len(),
        };
        self.form.max_chars != usize::MAX
            && self.render_with(figures).0.chars().count() > self.form.max_chars
    }

    /// Moves snippets of files that have definitions into the section of definitions, so that each file
    /// is opened once.
    pub(super) fn merge_snippets(&mut self) {
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
}

/// Whether a body replaces an entry: it shows all of the entry's lines (any of them, where the entry is
/// a call site or an import), or the entry is its card, a part of it, or the card of a definition that it shows whole.
fn is_replaced(placed: &Placed, body: &ShownPart) -> bool {
    if placed.shows.file != body.file {
        return false;
    }
    let entry = &placed.measured.entry;
    let is_same = placed.shows.place.is_some() && placed.shows.place == body.place;
    if placed.shows.lines.is_empty() {
        let is_in = || body.lines.iter().any(|lines| lines.covers(entry.lines));
        return is_same || placed.shows.place.is_some() && is_in();
    }
    if is_same && !body.lines.is_empty() {
        return true;
    }
    let section = entry.section;
    if matches!(section, SectionKind::Callers | SectionKind::Imports) {
        return overlaps(placed, body);
    }
    let within = |shown: &Lines| body.lines.iter().any(|lines| lines.covers(*shown));
    placed.shows.lines.iter().all(within)
}

fn overlaps(placed: &Placed, body: &ShownPart) -> bool {
    placed.shows.file == body.file
        && placed
            .shows
            .lines
            .iter()
            .any(|shown| body.lines.iter().any(|lines| lines.overlap(*shown) > 0))
}
