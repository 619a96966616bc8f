//! Reads places in the reports of tools for any language: linters, formatters, bundlers, annotations of CI, and
//! results in TAP. Each form has a label or fixed punctuation, so that no sentence is taken for one.

use super::form::{Mark, Order};
use super::forms;
use super::messages::{message, text as message_text};
use super::places::{
    Frame, Location, frame, is_number, is_path, leading_number, leading_place, location,
    split_number,
};

/// Maximum number of lines of a YAML block that are searched for a place.
const MAX_BLOCK: usize = 8;
/// Start of the head of a table of problems.
const TABLE_HEAD: &str = "Line   ";
/// Maximum lines of such a table.
const MAX_TABLE: usize = 400;
/// Longest line that is examined, in bytes.
const MAX_LINE: usize = 1_000;
/// Longest code of a rule of a linter, in bytes.
const MAX_CODE: usize = 12;

/// Reads a line that is complete by itself.
pub(super) fn read(text: &str) -> Option<Mark> {
    if text.len() > MAX_LINE {
        return None;
    }
    annotation(text)
        .or_else(|| bundler(text))
        .or_else(|| entry_with_rule(text))
        .or_else(|| syntax_error(text))
        .or_else(|| place_in_parentheses(text))
        .or_else(|| flow_place(text))
        .or_else(|| coded(text))
        .or_else(|| place_below(text).map(Mark::Place))
}

/// Reads what several lines say together, and replaces their marks: problems below the path of their file, also in a
/// table, the violation of a rule above its place, the place in a YAML block, and the groups of the languages.
pub(super) fn read_groups(lines: &[&str], marks: &mut [Option<Mark>]) {
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let below = lines.get(at + 1..).unwrap_or_default();
        let group = match line.trim() {
            "at:" => block_place(line, below),
            path if is_plain_path(path) => problems(path, below),
            head if head.starts_with(TABLE_HEAD) => table(head, below),
            text => {
                violation(text, below).map_or_else(|| of_languages(text, below), |mark| vec![mark])
            }
        };
        let slots = marks.get_mut(at..).unwrap_or_default();
        at += group.len().max(1);
        for (slot, mark) in slots.iter_mut().zip(group) {
            *slot = Some(mark);
        }
    }
}

/// Returns the marks of a group of lines that only one language prints.
fn of_languages(text: &str, below: &[&str]) -> Vec<Mark> {
    if text.is_empty() || text.len() > MAX_LINE {
        return Vec::new();
    }
    let groups = forms().map(|form| (form.read_group)(text, below));
    let mut groups = groups.filter(|group| !group.is_empty());
    groups.next().unwrap_or_default()
}

/// Whether a line is only the path of a file. Without a folder, it may be any word.
fn is_plain_path(text: &str) -> bool {
    text.len() <= MAX_LINE
        && is_path(text)
        && text.contains(['/', '\\'])
        && !text.contains([' ', ':', '=', ','])
        // `C:\a.js`.
        || text.get(1..3) == Some(":\\") && text.len() <= MAX_LINE && is_path(text)
}

/// Returns the marks of a path and of the problems below it, as ESLint lists them by default:
/// `  2410:5  error  Unexpected any  no-explicit-any`. Empty if there are none.
fn problems(path: &str, below: &[&str]) -> Vec<Mark> {
    let found: Vec<Mark> = below.iter().map_while(|line| problem(path, line)).collect();
    if found.is_empty() {
        return found;
    }
    // The path holds the problems of several files together in one trace.
    let head = Mark::Function(String::new());
    std::iter::once(head).chain(found).collect()
}

/// Returns the marks of the head of a table of PHPStan, `Line   src/Cart.php`, and of the rows below it,
/// `172    Method Cart::sum() should return int.`, whose texts may take several lines. Empty if there are none.
fn table(head: &str, below: &[&str]) -> Vec<Mark> {
    let path = head.strip_prefix(TABLE_HEAD).unwrap_or_default().trim();
    if !is_plain_path(path) {
        return Vec::new();
    }
    // Markdown drops the rules where the table has no fence.
    let has_rule = below.first().is_some_and(|line| is_table_rule(line));
    let mut rows: Vec<(u32, String, usize)> = Vec::new();
    for line in below.iter().skip(usize::from(has_rule)).take(MAX_TABLE) {
        let text = line.trim();
        if is_table_rule(line) || text.is_empty() || line.len() > MAX_LINE {
            break;
        }
        let (number, rest) = split_number(text);
        if let Some(told) = rest.strip_prefix("  ").filter(|_| number > 0) {
            rows.push((number, told.trim().to_owned(), 0));
            continue;
        }
        let Some((_, told, lines)) = rows.last_mut() else {
            break;
        };
        // Hints and identifiers follow signs.
        if text.starts_with(|c: char| c.is_ascii()) {
            told.push(' ');
            told.push_str(text);
        }
        *lines += 1;
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let head = std::iter::once(Mark::Function(String::new()));
    let rule = std::iter::repeat_n(Mark::Filler, usize::from(has_rule));
    let rows = rows.into_iter().flat_map(|(row, told, lines)| {
        let message = message((path, row, 0), "", &told);
        std::iter::once(message).chain(std::iter::repeat_n(Mark::Filler, lines))
    });
    head.chain(rule).chain(rows).collect()
}

fn is_table_rule(line: &str) -> bool {
    line.contains("------") && line.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

fn problem(path: &str, line: &str) -> Option<Mark> {
    const SEVERITIES: [&str; 5] = ["error", "warning", "✖", "⚠", "×"];
    if !line.starts_with([' ', '\t']) || line.len() > MAX_LINE {
        return None;
    }
    let (place, rest) = line.trim().split_once(' ')?;
    let (row, column) = row_and_column(place)?;
    let rest = rest.trim_start();
    let text = SEVERITIES
        .iter()
        .find_map(|severity| rest.strip_prefix(severity))?;
    let text = text.strip_prefix(' ')?.trim();
    // The name of the rule is in the last column.
    let text = text.rsplit_once("  ").map_or(text, |(text, _)| text);
    (!text.is_empty()).then(|| message((path, row, column), "", text))
}

/// Reads the place below a message, as Rust's compiler and many later tools draw it: `  --> src/a.py:9:8`.
fn place_below(text: &str) -> Option<Frame> {
    let mut arrows = ["--> ", "::: "].into_iter();
    let place = location(arrows.find_map(|arrow| text.strip_prefix(arrow))?)?;
    let (path, _, column) = place;
    (column > 0 && is_path(path) && !path.contains(' ')).then(|| frame(place, ""))
}

/// Reads Ruff's ``F401 [*] `os` imported but unused`` above the place: the code of a rule, and the message.
fn violation(text: &str, below: &[&str]) -> Option<Mark> {
    let (code, told) = text.split_once(' ')?;
    if !is_rule_code(code) {
        return None;
    }
    let next = below.first().filter(|line| line.len() <= MAX_LINE)?;
    place_below(next.trim())?;
    Some(message_text(told.trim_start_matches("[*] ")))
}

/// Reads `shop/cart.py:9:8: F401 'os' imported but unused`, the one-line form of most linters: the code of a rule, with
/// or without a colon, between the place and the message.
fn coded(text: &str) -> Option<Mark> {
    let (place, rest) = leading_place(text)?;
    let (code, told) = rest.strip_prefix(": ")?.trim_start().split_once(' ')?;
    let told = told.trim_start().trim_start_matches("[*] ");
    let (_, _, column) = place;
    let is_code = is_rule_code(code.strip_suffix(':').unwrap_or(code));
    // A sentence after a path and a line may begin with a word such as PEP8.
    (column > 0 && is_code && !told.is_empty()).then(|| message(place, "", told))
}

/// Whether a word is the code of a linter's rule: `F401`, `SA4006`.
fn is_rule_code(word: &str) -> bool {
    word.len() <= MAX_CODE
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.ends_with(|c: char| c.is_ascii_digit())
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the marks of the lines of a block such as `at:`, `  line: 4`, `  file: test/a.js`, as TAP's YAML
/// has it; empty if they name no place.
fn block_place(head: &str, below: &[&str]) -> Vec<Mark> {
    let outer = indent(head);
    let inside = below
        .iter()
        .take(MAX_BLOCK)
        .take_while(|line| indent(line) > outer && line.contains(':'));
    let inside: Vec<&str> = inside.map(|line| line.trim()).collect();
    let Some(frame) = keyed_place(inside.iter().copied()) else {
        return Vec::new();
    };
    let rest = inside.iter().map(|_| Mark::Filler);
    std::iter::once(frame).chain(rest).collect()
}

/// Reads `at: {line: 3, file: 'test/a.js'}`, and `at: f (test/a.js:3:5)`.
fn flow_place(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at: ")?.trim();
    if let Some(inside) = rest.strip_prefix('{') {
        return keyed_place(inside.strip_suffix('}')?.split(','));
    }
    let (name, place) = rest.strip_suffix(')')?.rsplit_once('(')?;
    let place = location(place).filter(|(path, ..)| is_path(path))?;
    let is_name = name.trim().split(' ').count() <= 2;
    is_name.then(|| Mark::Frame(frame(place, name), Order::InnermostFirst))
}

/// Returns the place that the keys `file`, `line` and `column` name.
fn keyed_place<'t>(entries: impl Iterator<Item = &'t str>) -> Option<Mark> {
    let (mut path, mut row, mut column) = ("", 0, 0);
    for entry in entries {
        let Some((key, value)) = entry.split_once(':') else {
            continue;
        };
        let quotes = |c: char| matches!(c, '"' | '\'') || c.is_whitespace();
        let value = value.trim_matches(quotes);
        match key.trim_matches(quotes) {
            "file" | "fileName" => path = value,
            "line" | "lineNumber" => row = leading_number(value),
            "column" | "columnNumber" => column = leading_number(value),
            _ => {}
        }
    }
    let is_place = row > 0 && is_path(path);
    is_place.then(|| Mark::Frame(frame((path, row, column), ""), Order::InnermostFirst))
}

/// Reads annotations of GitHub's workflows: `::error file=a.ts,line=12,col=5::text`, and `Error: file=…::text`.
fn annotation(text: &str) -> Option<Mark> {
    const LABELS: [&str; 8] = [
        "::error ", "::warning ", "::notice ", "Error: ", "Warning: ", "Notice: ", "##[error]",
        "##[warning]",
    ];
    let labelled = LABELS.iter().find_map(|label| text.strip_prefix(label));
    let (properties, told) = labelled.unwrap_or(text).split_once("::")?;
    let value = |wanted: &str| {
        properties.split(',').find_map(|property| {
            let (key, value) = property.trim().split_once('=')?;
            (key == wanted).then_some(value)
        })
    };
    let path = value("file")?;
    let row = value("line").map_or(0, leading_number);
    let column = value("col").map_or(0, leading_number);
    (row > 0 && is_path(path)).then(|| message((path, row, column), "", told))
}

/// Reads `ERROR in ./src/a.ts 53:0-44` of webpack, also with `:53:0` or `(53,0)`. The message is on the next
/// line.
fn bundler(text: &str) -> Option<Mark> {
    let text = text.strip_prefix("[tsl] ").unwrap_or(text);
    let rest = text
        .strip_prefix("ERROR in ")
        .or_else(|| text.strip_prefix("WARNING in "))?
        .trim();
    let place = spaced_place(rest)
        .or_else(|| place_before_parenthesis(rest, ','))
        .or_else(|| leading_place(rest).map(|(place, _)| place))?;
    Some(message(place, "", ""))
}

/// Reads `ERROR: UndefinedMethod - src/Cart.php:45:16 - text` of Psalm: level, rule, place and message.
fn entry_with_rule(text: &str) -> Option<Mark> {
    let labels = ["ERROR: ", "WARNING: ", "INFO: "];
    let rest = labels.iter().find_map(|label| text.strip_prefix(label))?;
    let (rule, rest) = rest.split_once(" - ")?;
    let (place, rest) = leading_place(rest)?;
    let told = rest.strip_prefix(" - ")?;
    let is_rule = !rule.is_empty() && rule.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_rule.then(|| message(place, "", told))
}

/// Reads `./src/a.ts 53:0-44`.
fn spaced_place(text: &str) -> Option<Location<'_>> {
    let (path, numbers) = text.rsplit_once(' ')?;
    let numbers = numbers.split('-').next()?;
    let (row, column) = row_and_column(numbers)?;
    (is_path(path) && !path.contains(' ')).then_some((path, row, column))
}

/// Reads `SyntaxError: a.ts: Unexpected token (8:21)` of Babel, and `[error] a.ts: SyntaxError: text (8:21)` of
/// Prettier, also without the label.
fn syntax_error(text: &str) -> Option<Mark> {
    const ERROR: &str = "SyntaxError: ";
    let (head, numbers) = text.strip_suffix(')')?.rsplit_once(" (")?;
    let (row, column) = row_and_column(numbers)?;
    let head = head.strip_prefix("[error] ").unwrap_or(head);
    let (head, is_first) = match head.strip_prefix(ERROR) {
        Some(rest) => (rest, true),
        None => (head, false),
    };
    let (path, told) = head.split_once(": ")?;
    let is_error = is_first || told.starts_with(ERROR);
    if !is_error || !is_path(path) || path.contains(' ') {
        return None;
    }
    let told = told.strip_prefix(ERROR).unwrap_or(told);
    Some(message((path, row, column), "", &format!("{ERROR}{told}")))
}

/// Reads `src/a.ts (13:9)`, a whole line of Rollup. The message is on the next line.
fn place_in_parentheses(text: &str) -> Option<Mark> {
    let place = place_before_parenthesis(text, ':').filter(|(path, ..)| path.contains('/'))?;
    let (path, ..) = place;
    text.get(path.len()..)?
        .starts_with(' ')
        .then(|| message(place, "", ""))
}

/// Reads `src/a.ts (13:9)` or `src/a.ts(13,9)`, the whole of a text.
fn place_before_parenthesis(text: &str, separator: char) -> Option<Location<'_>> {
    let (path, numbers) = text.strip_suffix(')')?.rsplit_once('(')?;
    let path = path.trim_end();
    let (row, column) = numbers.split_once(separator)?;
    let are_numbers = is_number(row) && is_number(column);
    let row = leading_number(row);
    let is_place = are_numbers && row > 0 && is_path(path) && !path.contains(' ');
    is_place.then(|| (path, row, leading_number(column)))
}

/// Reads `2410:5`, the whole of a text.
fn row_and_column(text: &str) -> Option<(u32, u32)> {
    let (row, rest) = split_number(text);
    let (column, rest) = split_number(rest.strip_prefix(':').filter(|rest| !rest.is_empty())?);
    (row > 0 && rest.is_empty()).then_some((row, column))
}

#[cfg(test)]
mod tests;
