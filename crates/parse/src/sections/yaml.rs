//! Finds the sections of YAML: keys and list elements by indentation; jobs and steps of workflows.
//!
//! The text of block scalars (`run: |`) is skipped. Flow collections stay with their key.

use super::section::SectionKind;
use super::tree::{Marks, indent, is_comment, numbered};
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["#"];
/// Longest key that is recognised, in bytes.
const MAX_KEY: usize = 200;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut reader = Reader {
        marks: Marks::new(lines, COMMENTS),
        open: Vec::new(),
        scalar: None,
    };
    for (line, text) in numbered(lines) {
        reader.read(line, text);
    }
    reader.marks
}

/// A key or list element that encloses the current line.
struct Open<'t> {
    level: u32,
    line: u32,
    name: &'t str,
    /// The position of a list element in its list.
    index: Option<u32>,
    /// How well the current name of a list element identifies it; 0 for its position.
    rank: u8,
}

struct Reader<'t> {
    marks: Marks<'t>,
    open: Vec<Open<'t>>,
    /// Indentation of the key whose block scalar may include the line.
    scalar: Option<u32>,
}

impl<'t> Reader<'t> {
    fn read(&mut self, line: u32, text: &'t str) {
        let mut column = indent(text);
        let mut rest = text.trim();
        if rest.is_empty() || self.scalar.is_some_and(|parent| column > parent) {
            return;
        }
        self.scalar = None;
        if is_comment(text, COMMENTS) {
            return;
        }
        if text.starts_with("---") {
            self.open.clear();
            return;
        }
        // `- - a` nests lists on one line: only the first counts.
        if let Some(element) = rest.strip_prefix('-').filter(|e| is_end_or_blank(e)) {
            self.element(line, column);
            let inside = element.trim_start();
            column += u32::try_from(rest.len() - inside.len()).unwrap_or(0);
            rest = inside;
            if is_block_scalar(rest) {
                self.scalar = Some(column - 1);
            }
        }
        if let Some((key, value)) = key(rest) {
            self.key(line, column, key, value);
        }
    }

    fn element(&mut self, line: u32, column: u32) {
        // An element may be directly below its key in the same column: `steps:` and `- uses:`.
        let level = column.saturating_mul(2).saturating_add(1);
        let mut index = 0;
        while let Some(closed) = self.open.pop_if(|open| open.level >= level) {
            if closed.level == level {
                index = closed.index.map_or(0, |index| index + 1);
            }
        }
        let is_step = self.open.last().is_some_and(|list| list.name == "steps");
        let kind = match is_step {
            true => SectionKind::Step,
            false => SectionKind::Item,
        };
        self.marks.push(line, level, format!("[{index}]"), kind);
        self.open.push(Open {
            level,
            line,
            name: "",
            index: Some(index),
            rank: 0,
        });
    }

    fn key(&mut self, line: u32, column: u32, key: &'t str, value: &'t str) {
        let level = column.saturating_mul(2);
        while self.open.pop_if(|open| open.level >= level).is_some() {}
        self.name_element(key, value);
        let is_job = self.open.len() == 1 && self.open.last().is_some_and(|o| o.name == "jobs");
        let kind = match is_job {
            true => SectionKind::Job,
            false => SectionKind::Key,
        };
        self.marks.push(line, level, key, kind);
        self.open.push(Open {
            level,
            line,
            name: key,
            index: None,
            rank: 0,
        });
        if is_block_scalar(value) {
            self.scalar = Some(column);
        }
    }

    /// Names a list element by its own name rather than by its position.
    fn name_element(&mut self, key: &str, value: &str) {
        let Some(element) = self.open.last_mut().filter(|open| open.index.is_some()) else {
            return;
        };
        let rank = rank(key);
        let value = label(key, value);
        if rank > element.rank && !value.is_empty() {
            element.rank = rank;
            self.marks.rename(element.line, format!("[{value}]"));
        }
    }
}

/// Returns how well the value of a key distinguishes one list element from the others.
pub(super) fn rank(key: &str) -> u8 {
    match key {
        "name" => 3,
        "id" => 2,
        "uses" | "repo" | "key" => 1,
        _ => 0,
    }
}

/// Returns the value of a key that names a list element, without comment, quotes and version.
fn label<'t>(key: &str, value: &'t str) -> &'t str {
    let end = if key == "uses" { "@" } else { " #" };
    let value = value.split(end).next().unwrap_or(value);
    value.trim_matches(['"', '\'', ' '])
}

fn is_end_or_blank(text: &str) -> bool {
    text.is_empty() || text.starts_with([' ', '\t'])
}

/// Returns the key of a line and the text after its colon.
fn key(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix("? ").unwrap_or(text);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (key, rest) = match quote {
        Some(quote) => text.get(1..)?.split_once(quote)?,
        None => {
            let bytes = text.as_bytes().iter().take(MAX_KEY).enumerate();
            let is_colon = |at: usize| text.get(at + 1..).is_some_and(is_end_or_blank);
            let mut colons = bytes.filter(|(at, byte)| **byte == b':' && is_colon(*at));
            let (at, _) = colons.next()?;
            text.split_at_checked(at)?
        }
    };
    let value = rest.trim_start().strip_prefix(':')?;
    let is_key = is_end_or_blank(value) && !key.is_empty() && !key.starts_with(['{', '[']);
    is_key.then(|| (key.trim(), value.trim()))
}

/// Whether a value declares the indented lines below as text: `|`, `>-`, `&a |2 # why`.
fn is_block_scalar(value: &str) -> bool {
    let words = value.split_whitespace().take_while(|w| !w.starts_with('#'));
    // Anchors and tags precede the indicator.
    let mut words = words.skip_while(|word| word.starts_with(['&', '!']));
    let indicator = words.next().and_then(|word| word.strip_prefix(['|', '>']));
    let is_indicator = |rest: &str| rest.len() <= 2 && !rest.contains(char::is_alphabetic);
    indicator.is_some_and(is_indicator) && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, shown};
    use crate::testing::yaml;

    const WORKFLOW: &str = "name: Publish\non:\n  push:\n    tags: ['*']\npermissions: {}\njobs:\n  # Makes the files.\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@4d7a # v4\n        with:\n          persist: false\n      - run: |\n          build:\n          # comment\n          make\n        id: make\n  publish:\n    needs: [build]\n    steps:\n    - name: Upload\n      uses: x/y@v1\n    - name: Tell\n      run: echo\n";

    #[test]
    fn workflows_have_jobs_and_steps() {
        check(
            yaml(),
            ".github/workflows/publish.yml",
            WORKFLOW,
            &[
                "1-1 text ",
                "2-2 key on",
                "3-4   key on.push",
                "5-5 text ",
                "6-6 key jobs",
                "7-9   job jobs.build",
                "10-10     key jobs.build.steps",
                "11-11       step jobs.build.steps[actions/checkout]",
                "12-13         key jobs.build.steps[actions/checkout].with",
                "14-18       step jobs.build.steps[make]",
                "19-20   job jobs.publish",
                "21-21     key jobs.publish.steps",
                "22-23       step jobs.publish.steps[Upload]",
                "24-25       step jobs.publish.steps[Tell]",
            ],
        );
    }

    #[test]
    fn hit_in_a_step_shows_its_job_if_it_fits() {
        let of = |line, max_lines| shown(yaml(), "w.yml", WORKFLOW, line, max_lines);
        assert_eq!(of(17, 40), "7-18 jobs.build");
        assert_eq!(of(17, 8), "14-18 jobs.build.steps[make]");
        assert_eq!(of(4, 40), "2-5 on");
        // A short passage prefers the section above to a part of the following one.
        assert_eq!(of(9, 8), "6-9 jobs.build");
    }

    #[test]
    fn documents_and_quoted_keys_are_split() {
        let text = "---\nkind: A\nspec:\n  - a\n  - b\n---\n\"x:y\":\n  z: http://a:1\n  w: >-\n    q: 1\n";
        check(
            yaml(),
            "a.yaml",
            text,
            &[
                "1-2 text ", "3-6 key spec", "7-8 key x:y", "9-10   key x:y.w",
            ],
        );
    }
}
