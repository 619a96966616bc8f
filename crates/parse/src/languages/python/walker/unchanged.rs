//! Finds functions that are the same in a text and in an earlier one whose facts are known. Most of a
//! changed file is unchanged: these functions are left out when the file is parsed, and their facts are
//! copied.
//!
//! The facts of a function depend on its text, on what encloses it, and on the names that its file imports
//! or defines at its top level. [`UnchangedFunctions::find`] compares texts, the walk compares the enclosing
//! definitions, and [`UnchangedFunctions::refused`] compares names. A function that may have other facts now is
//! parsed again.

use std::ops::RangeInclusive;

use foldhash::{HashMap, HashSet};
use foveate_model::{
    Chunk, ChunkKind, Content, Definition, DefinitionKind, FileFacts, LocalId, Region, RegionKind,
    Span,
};
use memchr::{memchr, memmem, memrchr};
use tree_sitter::{InputEdit, Point};

use super::super::LANGUAGE;
use super::definitions::{fills_fields, may_assign_fields};
use crate::collect::known_names;

/// Sizes in bytes of functions that are compared. Shorter ones are parsed as fast as they are compared;
/// longer ones could be compared in vain at every line of a crafted text.
const COMPARED_BYTES: RangeInclusive<usize> = 64..=1 << 14;
/// Maximum number of functions with the same first line that are compared at a line.
const MAX_SAME_FIRST_LINE: usize = 8;
/// Maximum number of names that are known in only one of the texts. With more, everything is parsed.
const MAX_NAMES: usize = 64;
/// One in this many bytes must be unchanged. With less, everything is parsed.
const MIN_SHARE: usize = 8;

/// The functions that a text has in common with an earlier one.
#[derive(Debug)]
pub(super) struct UnchangedFunctions<'a> {
    /// The earlier text and its facts.
    pub(super) earlier: &'a Content,
    /// In the order of the text; none is inside another.
    functions: Vec<Function>,
}

/// A function that is in both texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    /// Its id in the earlier text.
    pub(super) id: LocalId,
    /// Its span in the later text, decorators included.
    pub(super) span: Span,
    /// Smallest depth that its node had in the earlier tree. At this depth or above, none of its nodes
    /// exceeds the depth limit.
    pub(super) depth: u32,
}

/// A function of the earlier text.
struct Candidate<'a> {
    /// Its text from the start of its first line.
    text: &'a str,
    /// The blanks before it.
    indent: &'a str,
    /// Its position in the earlier text.
    function: Function,
}

impl<'a> UnchangedFunctions<'a> {
    /// Finds the functions of `earlier` that `text` contains; none if the facts of `earlier` are
    /// incomplete.
    pub(super) fn find(earlier: &'a Content, text: &str) -> Self {
        let facts = &earlier.facts;
        let mut same_first_line: HashMap<&str, Vec<Candidate<'_>>> = HashMap::default();
        if facts.language == LANGUAGE && facts.issues.is_empty() {
            for candidate in candidates(earlier) {
                let same_first_line = same_first_line
                    .entry(first_line(candidate.text))
                    .or_default();
                if same_first_line.len() < MAX_SAME_FIRST_LINE {
                    same_first_line.push(candidate);
                }
            }
        }
        let mut functions = Vec::new();
        let mut start = 0;
        let mut is_decorated = false;
        while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
            let line = first_line(rest);
            // An additional decorator makes it another function.
            let same_first_line = same_first_line.get(line).filter(|_| !is_decorated);
            start += match same_first_line
                .into_iter()
                .flatten()
                .find(|candidate| candidate.begins(rest))
            {
                Some(candidate) => {
                    functions.push(candidate.at_line(start));
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

    /// Whether the functions are a large enough part of a text that leaving them out pays.
    pub(super) fn is_worthwhile(&self, text: &str) -> bool {
        let bytes = self.functions.iter().map(|function| function.span.len());
        bytes.sum::<usize>() * MIN_SHARE > text.len()
    }

    /// Returns the text with a number in place of each function, and the edits that map positions in it to
    /// positions in the whole text, in the order in which they must be applied to a tree.
    pub(super) fn reduced(&self, text: &str) -> (Vec<u8>, Vec<InputEdit>) {
        let mut reduced = Vec::with_capacity(text.len());
        let mut edits = Vec::with_capacity(self.functions.len());
        let mut end = 0;
        let mut row = 0;
        for Function { span, .. } in &self.functions {
            let between = text.get(end..span.start as usize).unwrap_or("");
            reduced.extend_from_slice(between.as_bytes());
            row += between.matches('\n').count();
            edits.push(edit_for_function(span.of(text), &reduced, row));
            reduced.push(b'0');
            end = span.end as usize;
        }
        reduced.extend_from_slice(text.get(end..).unwrap_or("").as_bytes());
        // From last to first: no edit moves the position of an edit that follows.
        edits.reverse();
        (reduced, edits)
    }

    /// Returns the function that starts at a byte.
    pub(super) fn at(&self, start: usize) -> Option<&Function> {
        let key = |function: &Function| function.span.start as usize;
        let at = self.functions.binary_search_by_key(&start, key).ok()?;
        self.functions.get(at)
    }

    /// Returns the starts of functions that were not reused, or that read a name known in only one of
    /// the two texts. `known` are the names of the later one.
    pub(super) fn refused(
        &self,
        known: &HashSet<&str>,
        was_reused: impl Fn(Span) -> bool,
    ) -> HashSet<u32> {
        let facts = &self.earlier.facts;
        let before = known_names(&facts.imports, &facts.definitions);
        let differing: Vec<&str> = before.symmetric_difference(known).copied().collect();
        let is_refused = |function: &&Function| {
            !was_reused(function.span)
                || differing.len() > MAX_NAMES
                || self.reads(function.id, &differing)
        };
        self.starts(is_refused)
    }

    /// Whether a function contains any of the words outside of strings and comments.
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

    /// Returns the starts of functions whose chunks differ from the earlier ones. A function is cut at its
    /// statements, of which only the earlier cuts are known, and depends on the lines around it.
    pub(super) fn with_different_chunks(&self, text: &str, facts: &FileFacts) -> HashSet<u32> {
        let before: HashMap<LocalId, &[Chunk]> = chunks_by_function(&self.earlier.facts).collect();
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
        let now = chunks_by_function(facts).filter_map(|(id, chunks)| {
            let function = self.at(facts.definition(id)?.span.start as usize)?;
            is_other(function, chunks).then_some(function.span.start)
        });
        now.collect()
    }

    fn starts(&self, which: impl Fn(&&Function) -> bool) -> HashSet<u32> {
        let functions = self.functions.iter().filter(which);
        functions.map(|function| function.span.start).collect()
    }

    /// Returns the functions that were not refused.
    pub(super) fn without(mut self, refused: &HashSet<u32>) -> Self {
        let is_left = |function: &Function| !refused.contains(&function.span.start);
        self.functions.retain(is_left);
        self
    }
}

impl Candidate<'_> {
    /// Whether a text begins with this function, and does not continue with text that may belong to it.
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

    fn at_line(&self, line_start: usize) -> Function {
        let start = line_start + self.indent.len();
        Function {
            span: Span::new(start, line_start + self.text.len()),
            ..self.function
        }
    }
}

fn chunks_by_function(facts: &FileFacts) -> impl Iterator<Item = (LocalId, &[Chunk])> {
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

/// Returns a function whose facts are the same wherever its text is; `None` for any other definition.
fn candidate<'a>(
    earlier: &'a Content,
    id: LocalId,
    definition: &Definition,
) -> Option<Candidate<'a>> {
    let Content { text, facts } = earlier;
    let span = definition.span;
    let written = span.of(text);
    // A named lambda is a function, too.
    let is_block = ["def ", "async ", "@"]
        .iter()
        .any(|word| written.starts_with(word));
    if !is_block
        || !definition.kind.is_function()
        || !COMPARED_BYTES.contains(&written.len())
        || ends_in_comment(earlier, span)
        // Its assignments to `self` define fields of its class, each of which counts once.
        || fills_fields(&definition.name)
        || (definition.kind == DefinitionKind::Method && may_assign_fields(written))
    {
        return None;
    }
    let indent = indent(text, span.start)?;
    let function = Function {
        id,
        span,
        depth: min_depth(facts, definition)?,
    };
    // Under an `if`, its node would be deeper than the walk expects.
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

/// Returns the smallest depth that a definition's node can have: a class adds itself and its block,
/// decorators add one more. `None` inside a function, which has names of its own.
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

/// Whether a comment is on the last line of a function. The following text then decides whether the
/// function ends before the comment, and whether the comment documents the next function.
fn ends_in_comment(Content { text, facts }: &Content, function: Span) -> bool {
    let end = function.end as usize;
    let rest = text.get(end..).map_or(0, |rest| first_line(rest).len());
    let line_end = u32::try_from(end + rest).unwrap_or(u32::MAX);
    let last_line = function.of(text).rsplit('\n').next().map_or(0, str::len);
    let line_start = function.end - u32::try_from(last_line).unwrap_or(0);
    last_region(facts, line_end)
        .is_some_and(|last| last.kind == RegionKind::Comment && last.span.end > line_start)
}

/// Returns the last region that starts before a byte.
fn last_region(facts: &FileFacts, end: u32) -> Option<&Region> {
    let before = facts
        .regions
        .partition_point(|region| region.span.start < end);
    facts.regions.get(before.checked_sub(1)?)
}

/// Returns the edit that replaces the number at the end of a text by its function; `row` is the last row of
/// the text.
fn edit_for_function(function: &str, before: &[u8], row: usize) -> InputEdit {
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

/// Returns the indentation of a line; a tab counts as eight blanks, as in the grammar.
fn width(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| c.is_whitespace());
    blanks.map(|blank| if blank == '\t' { 8 } else { 1 }).sum()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// Returns the blanks before a byte; `None` if other text precedes it on its line.
fn indent(text: &str, start: u32) -> Option<&str> {
    let before = text.get(..start as usize)?;
    let line = memrchr(b'\n', before.as_bytes()).map_or(0, |newline| newline + 1);
    before
        .get(line..)
        .filter(|blanks| blanks.trim_start().is_empty())
}

/// Whether the definition after a line is decorated.
fn decorates(line: &str, is_decorated: bool) -> bool {
    let line = line.trim_start();
    let is_definition = ["def ", "async ", "class "]
        .iter()
        .any(|word| line.starts_with(word));
    line.starts_with('@') || is_decorated && !line.is_empty() && !is_definition
}

/// Returns the first line, including its newline.
fn first_line(text: &str) -> &str {
    let newline = memchr(b'\n', text.as_bytes());
    newline.map_or(text, |newline| &text[..=newline])
}

#[cfg(test)]
mod tests {
    use super::super::facts_of_changes;
    use super::*;
    use crate::limits::Limits;
    use crate::syntax::Budget;
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
        let (reduced, _) = UnchangedFunctions::find(&earlier, text).reduced(text);
        String::from_utf8(reduced).unwrap()
    }

    #[test]
    fn functions_in_both_texts_are_left_out() {
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
    fn function_that_continues_differently_is_parsed() {
        for more in [
            " + 1", "  # noqa", "\n        self.open = False", "\n        # mine",
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
    fn facts_of_a_change_equal_a_full_parse() {
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
            let budget = &mut Budget::new(&limits);
            let changed = facts_of_changes(&later, &earlier, &limits, budget).expect(instead);
            let whole = super::super::facts_of_whole(&later, &limits).unwrap();
            assert_eq!(format!("{changed:#?}"), format!("{whole:#?}"));
        }
    }

    #[test]
    fn attempts_share_one_budget() {
        let function = |name: &str, module: &str| {
            format!(
                "def {name}(first, second):\n    return {module}.of(first, second, third, fourth)\n"
            )
        };
        let written = format!("{}{}", function("one", "log"), function("two", "self"));
        let earlier = content(LANGUAGE, &written);
        // The first function refers to what is imported now, so it is parsed in a second attempt.
        let later = format!("import log\n{written}");
        let changed = |max_steps| {
            let budget = &mut Budget::new(&Limits {
                max_steps,
                ..Limits::default()
            });
            facts_of_changes(&later, &earlier, &Limits::default(), budget).is_some()
        };
        // The attempts take 1 and 101 steps.
        assert!(changed(102) && !changed(101));
    }
}
