//! Functions that stand in a text as they stood in an earlier one whose facts are known. Most of a file
//! that changes stays as it was: such functions are left out when the file is parsed, and their facts are
//! taken over.
//!
//! The facts of a function are decided by its text, by what encloses it, and by the names that its file
//! imports or defines at its top level. [`Unchanged::find`] compares texts, the walk what encloses them,
//! and [`Unchanged::refused`] names. A function that may have other facts now is parsed after all.

use std::ops::RangeInclusive;

use foldhash::{HashMap, HashSet};
use foveate_model::{
    Chunk, ChunkKind, Content, Definition, FileFacts, LocalId, Region, RegionKind, Span,
};
use memchr::{memchr, memmem, memrchr};
use tree_sitter::{InputEdit, Point};

use super::super::LANGUAGE;
use super::definitions::fills_fields;
use crate::collect::known_names;

/// Shorter functions are parsed as fast as they are compared; longer ones may be compared in vain at
/// every line of a text made for it.
const BYTES: RangeInclusive<usize> = 64..=1 << 14;
/// Functions with the same first line that a place is compared with.
const MAX_ALIKE: usize = 8;
/// Where more names are known in one of the texts alone, everything is parsed.
const MAX_NAMES: usize = 64;
/// Where less than one in so many bytes is unchanged, everything is parsed.
const MIN_SHARE: usize = 8;

/// The functions of a text that an earlier one has, too.
#[derive(Debug)]
pub(super) struct Unchanged<'a> {
    /// The earlier text and its facts.
    pub(super) earlier: &'a Content,
    /// In the order of the text; none lies in another.
    functions: Vec<Function>,
}

/// A function that stands in both texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    /// Which one of the earlier text.
    pub(super) id: LocalId,
    /// Where it stands now, decorators included.
    pub(super) span: Span,
    /// Its node was at least so deep in the earlier tree: what lies in it was not too deep there.
    pub(super) depth: u32,
}

/// A function of the earlier text.
struct Candidate<'a> {
    /// From the start of its first line.
    text: &'a str,
    /// The blanks before it.
    indent: &'a str,
    /// As it stands in the earlier text.
    function: Function,
}

impl<'a> Unchanged<'a> {
    /// The functions of `earlier` that stand in `text`; none where its facts are not whole.
    pub(super) fn find(earlier: &'a Content, text: &str) -> Self {
        let facts = &earlier.facts;
        let mut alike: HashMap<&str, Vec<Candidate<'_>>> = HashMap::default();
        if facts.language == LANGUAGE && facts.issues.is_empty() {
            for candidate in candidates(earlier) {
                let alike = alike.entry(first_line(candidate.text)).or_default();
                if alike.len() < MAX_ALIKE {
                    alike.push(candidate);
                }
            }
        }
        let mut functions = Vec::new();
        let mut start = 0;
        let mut is_decorated = false;
        while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
            let line = first_line(rest);
            // With a decorator more it is another function.
            let alike = alike.get(line).filter(|_| !is_decorated);
            start += match alike
                .into_iter()
                .flatten()
                .find(|candidate| candidate.begins(rest))
            {
                Some(candidate) => {
                    functions.push(candidate.standing_at(start));
                    candidate.text.len()
                }
                None => {
                    is_decorated = decorates(line, is_decorated);
                    line.len()
                }
            };
        }
        Self { earlier, functions }
    }

    /// Whether they are so much of a text that leaving them out pays.
    pub(super) fn is_worth_while(&self, text: &str) -> bool {
        let bytes = self.functions.iter().map(|function| function.span.len());
        bytes.sum::<usize>() * MIN_SHARE > text.len()
    }

    /// The text with a number in the place of each function, and what makes of places in it places in
    /// the whole text, in the order in which a tree is to be told.
    pub(super) fn reduced(&self, text: &str) -> (Vec<u8>, Vec<InputEdit>) {
        let mut reduced = Vec::with_capacity(text.len());
        let mut edits = Vec::with_capacity(self.functions.len());
        let mut end = 0;
        let mut row = 0;
        for Function { span, .. } in &self.functions {
            let between = text.get(end..span.start as usize).unwrap_or("");
            reduced.extend_from_slice(between.as_bytes());
            row += between.matches('\n').count();
            edits.push(in_place_of_number(span.of(text), &reduced, row));
            reduced.push(b'0');
            end = span.end as usize;
        }
        reduced.extend_from_slice(text.get(end..).unwrap_or("").as_bytes());
        // What comes first stays where it is while what follows is moved.
        edits.reverse();
        (reduced, edits)
    }

    /// The function that starts at a byte.
    pub(super) fn at(&self, start: usize) -> Option<&Function> {
        let key = |function: &Function| function.span.start as usize;
        let at = self.functions.binary_search_by_key(&start, key).ok()?;
        self.functions.get(at)
    }

    /// The starts of functions that were not taken over, or that read a name which only one of the two
    /// texts knows; `known` are those of the later one.
    pub(super) fn refused(
        &self,
        known: &HashSet<&str>,
        is_taken: impl Fn(Span) -> bool,
    ) -> HashSet<u32> {
        let facts = &self.earlier.facts;
        let before = known_names(&facts.imports, &facts.definitions);
        let differing: Vec<&str> = before.symmetric_difference(known).copied().collect();
        let is_refused = |function: &&Function| {
            !is_taken(function.span)
                || differing.len() > MAX_NAMES
                || self.reads(function.id, &differing)
        };
        self.starts(is_refused)
    }

    /// Whether a function has any of some words outside strings and comments.
    fn reads(&self, function: LocalId, words: &[&str]) -> bool {
        let Content { text, facts } = self.earlier;
        let span = facts
            .definition(function)
            .map_or(Span::default(), |d| d.span);
        let written = span.of(text);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let is_code =
            |byte: u32| last_region(facts, byte + 1).is_none_or(|region| region.span.end <= byte);
        let reads = |word: &str, at: usize| {
            let before = written.get(..at).and_then(|text| text.chars().next_back());
            let after = written
                .get(at + word.len()..)
                .and_then(|text| text.chars().next());
            let is_word = !before.is_some_and(is_part) && !after.is_some_and(is_part);
            is_word && u32::try_from(at).is_ok_and(|at| is_code(span.start + at))
        };
        words
            .iter()
            .any(|word| memmem::find_iter(written.as_bytes(), word).any(|at| reads(word, at)))
    }

    /// The starts of functions that were cut into chunks where they would not be cut now, or are cut now:
    /// where is decided by their statements, of which only the old cuts are known, and by the lines
    /// around them.
    pub(super) fn cut(&self, text: &str, facts: &FileFacts) -> HashSet<u32> {
        let before: HashMap<LocalId, &[Chunk]> = by_definition(&self.earlier.facts).collect();
        let is_other = |function: &Function, now: &[Chunk]| {
            let before = before.get(&function.id).copied().unwrap_or_default();
            let lines = |chunks: &[Chunk]| -> Vec<u32> {
                chunks.iter().map(|chunk| chunk.lines.count()).collect()
            };
            let is_whole = before.len() == 1 && now.len() == 1;
            let is_same = || {
                lines(before) == lines(now)
                    && extent(before).of(&self.earlier.text) == extent(now).of(text)
            };
            !is_whole && !is_same()
        };
        let now = by_definition(facts).filter_map(|(id, chunks)| {
            let function = self.at(facts.definition(id)?.span.start as usize)?;
            is_other(function, chunks).then_some(function.span.start)
        });
        now.collect()
    }

    fn starts(&self, which: impl Fn(&&Function) -> bool) -> HashSet<u32> {
        let functions = self.functions.iter().filter(which);
        functions.map(|function| function.span.start).collect()
    }

    /// The others.
    pub(super) fn without(mut self, refused: &HashSet<u32>) -> Self {
        let is_left = |function: &Function| !refused.contains(&function.span.start);
        self.functions.retain(is_left);
        self
    }
}

impl Candidate<'_> {
    /// Whether a text begins with it, and goes on with nothing that may belong to it.
    fn begins(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.text) else {
            return false;
        };
        let mut lines = rest.split('\n').map(str::trim_end);
        let rest_of_line = lines.next().unwrap_or("");
        if !rest_of_line.is_empty() {
            return false;
        }
        for line in lines.filter(|line| !line.is_empty()) {
            let goes_on = line.trim_start().starts_with('\\');
            if goes_on || width(line) > width(self.indent) {
                return false;
            }
            if !is_comment(line) {
                break;
            }
        }
        true
    }

    fn standing_at(&self, line_start: usize) -> Function {
        let start = line_start + self.indent.len();
        Function {
            span: Span::new(start, line_start + self.text.len()),
            ..self.function
        }
    }
}

/// The chunks of each function.
fn by_definition(facts: &FileFacts) -> impl Iterator<Item = (LocalId, &[Chunk])> {
    let runs = facts.chunks.chunk_by(|a, b| a.definition == b.definition);
    let of_functions = runs.filter(|run| run.iter().all(|c| c.kind == ChunkKind::Function));
    of_functions.filter_map(|run| Some((run.first()?.definition?, run)))
}

fn extent(chunks: &[Chunk]) -> Span {
    let start = chunks.first().map_or(0, |first| first.span.start);
    let end = chunks.last().map_or(0, |last| last.span.end);
    Span { start, end }
}

fn candidates(earlier: &Content) -> impl Iterator<Item = Candidate<'_>> {
    let definitions = (0..).map(LocalId).zip(&earlier.facts.definitions);
    definitions.filter_map(|(id, definition)| candidate(earlier, id, definition))
}

/// A function whose facts are the same wherever its text is.
fn candidate<'a>(
    earlier: &'a Content,
    id: LocalId,
    definition: &Definition,
) -> Option<Candidate<'a>> {
    let Content { text, facts } = earlier;
    let span = definition.span;
    let written = span.of(text);
    // A lambda under a name is a function, too.
    let is_block = ["def ", "async ", "@"]
        .iter()
        .any(|word| written.starts_with(word));
    if !is_block
        || !definition.kind.is_function()
        || !BYTES.contains(&written.len())
        || ends_in_comment(earlier, span)
        // What it assigns to `self` are fields of its class, each of which counts once.
        || fills_fields(&definition.name)
    {
        return None;
    }
    let indent = indent(text, span.start)?;
    let function = Function {
        id,
        span,
        depth: min_depth(facts, definition)?,
    };
    // Under an `if` it would stand deeper than the walk expects.
    let expected = match definition.parent {
        Some(class) => self::indent(text, facts.definition(class)?.body?.start)?,
        None => "",
    };
    let start = span.start as usize - indent.len();
    (indent == expected).then_some(Candidate {
        text: text.get(start..span.end as usize)?,
        indent,
        function,
    })
}

/// How deep the node of a definition is at least: a class adds itself and its block, decorators one more.
/// None inside a function, which has names of its own.
fn min_depth(facts: &FileFacts, definition: &Definition) -> Option<u32> {
    let mut depth = 1;
    let mut parent = definition.parent;
    while let Some(class) = parent.and_then(|id| facts.definition(id)) {
        if !class.kind.is_container() {
            return None;
        }
        depth += 2 + u32::from(!class.decorators.is_empty());
        parent = class.parent;
    }
    Some(depth)
}

/// Whether a comment stands on the last line of a function: what follows decides whether the function
/// ends before it, and whether it is the documentation of the next one.
fn ends_in_comment(Content { text, facts }: &Content, function: Span) -> bool {
    let end = function.end as usize;
    let rest = text.get(end..).map_or(0, |rest| first_line(rest).len());
    let line_end = u32::try_from(end + rest).unwrap_or(u32::MAX);
    let last_line = function.of(text).rsplit('\n').next().map_or(0, str::len);
    let line_start = function.end - u32::try_from(last_line).unwrap_or(0);
    last_region(facts, line_end)
        .is_some_and(|last| last.kind == RegionKind::Comment && last.span.end > line_start)
}

/// The last region that starts before a byte.
fn last_region(facts: &FileFacts, end: u32) -> Option<&Region> {
    let before = facts
        .regions
        .partition_point(|region| region.span.start < end);
    facts.regions.get(before.checked_sub(1)?)
}

/// What makes a number at the end of a text the function that it stands for; `row` is the last one.
fn in_place_of_number(function: &str, before: &[u8], row: usize) -> InputEdit {
    let line = memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let column = before.len() - line;
    let lines = function.matches('\n').count();
    let last = function.rsplit('\n').next().map_or(0, str::len);
    InputEdit {
        start_byte: before.len(),
        old_end_byte: before.len() + 1,
        new_end_byte: before.len() + function.len(),
        start_position: Point::new(row, column),
        old_end_position: Point::new(row, column + 1),
        new_end_position: match lines {
            0 => Point::new(row, column + last),
            _ => Point::new(row + lines, last),
        },
    }
}

/// How far a line is indented, a tab being as much as eight blanks, as for the grammar.
fn width(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| c.is_whitespace());
    blanks.map(|blank| if blank == '\t' { 8 } else { 1 }).sum()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// The blanks before a byte, where nothing else stands before it on its line.
fn indent(text: &str, start: u32) -> Option<&str> {
    let before = text.get(..start as usize)?;
    let line = memrchr(b'\n', before.as_bytes()).map_or(0, |newline| newline + 1);
    before
        .get(line..)
        .filter(|blanks| blanks.trim_start().is_empty())
}

/// Whether what follows a line is decorated.
fn decorates(line: &str, is_decorated: bool) -> bool {
    let line = line.trim_start();
    let is_definition = ["def ", "async ", "class "]
        .iter()
        .any(|word| line.starts_with(word));
    line.starts_with('@') || is_decorated && !line.is_empty() && !is_definition
}

/// The first line, its newline included.
fn first_line(text: &str) -> &str {
    let newline = memchr(b'\n', text.as_bytes());
    newline.map_or(text, |newline| &text[..=newline])
}

#[cfg(test)]
mod tests {
    use super::super::changed;
    use super::*;
    use crate::limits::Limits;
    use crate::testing::content;

    const EARLIER: &str = "\
import os
from db import connect


def send(pool, item):
    log.info('sending %s to everyone who waits', item)
    return pool.send(item)


class Client:
    @retry(times=3)
    def receive(self):
        # Nobody knows how long that takes.
        return connect(self.pool).receive()

    def close(self):
        return os.close(self.pool.connection.file)
";

    fn reduced(earlier: &str, text: &str) -> String {
        let earlier = content(LANGUAGE, earlier);
        let (reduced, _) = Unchanged::find(&earlier, text).reduced(text);
        String::from_utf8(reduced).unwrap()
    }

    #[test]
    fn functions_that_stand_in_both_texts_are_left_out() {
        let later = EARLIER.replace("os.close(", "os.shutdown(");
        let expected = "\
import os
from db import connect


0


class Client:
    0

    def close(self):
        return os.shutdown(self.pool.connection.file)
";
        assert_eq!(reduced(EARLIER, &later), expected);
    }

    #[test]
    fn what_only_begins_like_an_earlier_function_is_read() {
        for more in [
            " + 1",
            "  # noqa",
            "\n        self.open = False",
            "\n        # mine",
        ] {
            let later = EARLIER.replace("sending %s", "sends %s");
            let later = later.replace("connection.file)", &format!("connection.file){more}"));
            let reduced = reduced(EARLIER, &later);
            assert!(reduced.contains("def close(self):"), "{reduced}");
            assert!(!reduced.contains("def receive(self):"), "{reduced}");
        }
        let decorated = EARLIER.replace("    @retry", "    @log\n    @retry");
        assert!(reduced(EARLIER, &decorated).contains("def receive(self):"));
    }

    #[test]
    fn a_change_is_parsed_without_what_it_leaves_alone() {
        for (written, instead) in [
            ("sending %s", "sends %s"),
            ("import os\n", "import os\nimport log\n"),
            ("import os\n", "import os as system\n"),
            ("class Client:", "@final\nclass Client:"),
            ("    def close", "    # Ends it.\n    def close"),
            (
                "class Client:",
                "class Pool:\n    size = 3\n\n\nclass Client(Base):",
            ),
        ] {
            let later = EARLIER.replace(written, instead);
            let limits = Limits::default();
            let earlier = content(LANGUAGE, EARLIER);
            let changed = changed(&later, &earlier, &limits).expect(instead);
            let whole = super::super::whole(&later, &limits).unwrap();
            assert_eq!(format!("{changed:#?}"), format!("{whole:#?}"));
        }
    }
}
