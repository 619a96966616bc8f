//! Finds error messages in lines of logs: lines with a level, pairs of keys and values (logfmt), JSON, klog. Lines below
//! the level of warnings have none. Must not decide which lines of a query are examined.

use foveate_parse::traces::{self, Mark};
use serde_json::{Map, Value};

use super::literals::is_code;
use super::names;
use crate::log_prefix::{after_times, fits};

/// Longest line that is read, in bytes.
const MAX_LINE: usize = 4_000;
/// Maximum texts of a line.
const MAX_TEXTS: usize = 4;
/// Maximum words before the level: names of threads, hosts, loggers.
const MAX_WORDS_BEFORE_LEVEL: usize = 5;
/// Maximum names of threads and loggers between the level and the text.
const MAX_NAMES: usize = 4;
/// Longest such name, in bytes.
const MAX_NAME: usize = 80;
/// Minimum words of a text. A text after a mere word such as `ERROR` needs one more, because it may be a sentence.
const MIN_WORDS: usize = 2;

/// Levels of warnings and errors, in lower case.
const FAILURES: [&str; 10] = [
    "error", "err", "fatal", "critical", "crit", "severe", "panic", "emerg", "warn", "warning",
];

/// Other levels, in lower case.
const OTHER_LEVELS: [&str; 6] = ["info", "debug", "trace", "notice", "verbose", "fine"];

/// Labels that compilers and tools write before an error, in lower case. `Warning: ` is a common heading of prose.
const LABELS: [&str; 5] = ["error", "fatal error", "fatal", "critical", "severe"];

/// The keys of the level in logfmt and JSON.
const LEVEL_KEYS: [&str; 7] = [
    "level", "lvl", "severity", "levelname", "log.level", "loglevel", "log_level",
];

/// The keys of messages in logfmt and JSON.
const MESSAGE_KEYS: [&str; 6] = ["message", "msg", "event", "error", "err", "detail"];

/// What stands around a line, which decides how certain its form must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surroundings {
    /// Sentences, or code of a known language: `ERROR handling is slow` is no error.
    Prose,
    /// Output of a program: a word such as `ERROR` at the start is a level.
    Log,
}

/// Returns the texts of the errors and warnings of a line; none if it is no line of a log, or of a lower level.
pub(super) fn failures(line: &str, surroundings: Surroundings) -> Vec<String> {
    let line = line.trim();
    if line.len() > MAX_LINE {
        return Vec::new();
    }
    if let Some(texts) = record(after_times(line)).or_else(|| klog(line)) {
        return texts;
    }
    let text = coded(line).or_else(|| levelled(line, surroundings));
    text.map(with_fields).unwrap_or_default()
}

/// Returns the message of a failure, if the line is certainly an entry of a log: without the time, the level and the
/// threads before it, and without the fields after it. The logger stays: it often has the name of a class.
pub(super) fn failure_message(line: &str) -> Option<&str> {
    let head = Head::read(line).filter(|head| head.is_certain)?;
    let text = after_names(head.rest, after_thread);
    let text = fields(text).map_or(text, |(text, _)| text);
    (line.len() <= MAX_LINE && is_text(text, MIN_WORDS)).then_some(text)
}

/// Splits a text from the JSON that some loggers write after it and a tab.
fn fields(text: &str) -> Option<(&str, Map<String, Value>)> {
    let (head, _) = text.split_once("\t{")?;
    let fields = serde_json::from_str(text.get(head.len()..)?).ok()?;
    Some((head.trim_end(), fields))
}

/// Returns a text without the fields after it, and the messages in these fields.
fn with_fields(text: &str) -> Vec<String> {
    match fields(text) {
        Some((head, fields)) => owned(std::iter::once(head).chain(texts_of(&fields))),
        None => vec![text.to_owned()],
    }
}

/// Whether a line is JSON or logfmt about an error, from its start on.
pub(super) fn is_record(line: &str) -> bool {
    let line = line.trim();
    let begins = line.starts_with('{') || key(line).is_some();
    begins && line.len() <= MAX_LINE && record(line).is_some()
}

/// Whether a line is an entry of a log below the level of warnings.
pub(crate) fn is_minor_entry(line: &str) -> bool {
    let (word, text) = first_word(after_times(line.trim_start()));
    is_lower_level(word) && !text.trim().is_empty()
}

/// Returns the surroundings of each of some lines that follow each other. Two lines in a row with a time or a level are
/// a log.
pub(super) fn surroundings<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<Surroundings> {
    let begins: Vec<bool> = lines.map(begins_entry).collect();
    let is_entry = |at: Option<usize>| at.and_then(|at| begins.get(at)) == Some(&true);
    let positions = 0..begins.len();
    positions
        .map(|at| {
            let has_neighbour = is_entry(at.checked_sub(1)) || is_entry(Some(at + 1));
            match is_entry(Some(at)) && has_neighbour {
                true => Surroundings::Log,
                false => Surroundings::Prose,
            }
        })
        .collect()
}

/// Whether a line begins with a time or a level, as an entry of a log does.
fn begins_entry(line: &str) -> bool {
    let line = line.trim_start();
    if after_times(line).len() < line.len() || klog_text(line).is_some() {
        return true;
    }
    let (word, rest) = first_word(line);
    if key(word).is_some_and(|key| matches!(key, "level" | "time" | "ts")) {
        return true;
    }
    let Some(level) = Level::read(word, |name| is_failure(name) || is_other_level(name)) else {
        return false;
    };
    let is_set_off = level.is_logged_alone() || level.is_upper || level.is_marked && level.is_lower;
    is_set_off && !rest.trim().is_empty()
}

/// Returns the texts of an entry that is JSON or logfmt.
fn record(text: &str) -> Option<Vec<String>> {
    if text.starts_with('{') {
        json(text)
    } else {
        logfmt(text)
    }
}

fn json(text: &str) -> Option<Vec<String>> {
    let Ok(Value::Object(entry)) = serde_json::from_str(text) else {
        return None;
    };
    let has_error = || entry.contains_key("error") || entry.contains_key("err");
    if !level_of(&entry).unwrap_or_else(has_error) {
        return None;
    }
    Some(owned(texts_of(&entry)))
}

/// Returns the messages of an entry, then its traces.
fn texts_of(entry: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let (mut messages, mut traces) = (Vec::new(), Vec::new());
    collect_log_texts(entry, &mut messages, &mut traces);
    // A trace of several lines is a part of the query's text by now.
    let texts = messages.into_iter().chain(traces);
    texts.filter(|text| is_text(text, MIN_WORDS))
}

fn owned<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    texts.take(MAX_TEXTS).map(str::to_owned).collect()
}

/// Collects the messages and the stack traces of a log entry. Its other values, such as the time, the host and the
/// logger, are not searched for.
pub(super) fn collect_log_texts<'a>(
    entry: &'a Map<String, Value>,
    messages: &mut Vec<&'a str>,
    traces: &mut Vec<&'a str>,
) {
    for (key, value) in entry {
        match value {
            Value::String(text) if has_trace(text) => traces.push(text),
            Value::String(text) if MESSAGE_KEYS.contains(&key.as_str()) => messages.push(text),
            Value::Object(nested) => collect_log_texts(nested, messages, traces),
            _ => {}
        }
    }
}

/// Whether a line of a text is a place in a trace. A header alone may be a string of a program.
pub(super) fn has_trace(text: &str) -> bool {
    text.lines().any(|line| match traces::read(line) {
        Some(Mark::Frame(..) | Mark::Location(_)) => true,
        Some(Mark::Message(message)) => message.place.is_some(),
        _ => false,
    })
}

/// Returns whether the level of an entry is that of a failure; `None` if it has no known level.
fn level_of(entry: &Map<String, Value>) -> Option<bool> {
    /// The numbers that Bunyan and Pino write.
    const WARNING: u64 = 40;
    const TRACE: u64 = 10;
    match LEVEL_KEYS.iter().find_map(|key| entry.get(*key))? {
        Value::String(level) if is_failure(level) => Some(true),
        Value::String(level) if is_other_level(level) => Some(false),
        Value::Number(level) => {
            let level = level.as_u64().filter(|level| *level >= TRACE)?;
            Some(level >= WARNING)
        }
        _ => None,
    }
}

fn logfmt(line: &str) -> Option<Vec<String>> {
    if !line.contains('=') {
        return None;
    }
    let pairs = pairs(line);
    let (_, level) = pairs.iter().find(|(key, _)| LEVEL_KEYS.contains(key))?;
    is_failure(level).then(|| messages(&pairs).collect())
}

/// Returns the messages among the values of logfmt.
fn messages(pairs: &[(&str, &str)]) -> impl Iterator<Item = String> {
    let messages = pairs
        .iter()
        .filter(|(key, text)| MESSAGE_KEYS.contains(key) && is_text(text, MIN_WORDS));
    let texts = messages.map(|(_, text)| text.replace("\\\"", "\""));
    texts.take(MAX_TEXTS)
}

/// Returns the keys and values of logfmt. A value without quotes ends before the next key.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    // The key of a value without quotes, and where the value begins.
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(name) = key(rest) else {
            at += rest.find(' ').unwrap_or(rest.len()) + 1;
            continue;
        };
        if let Some((key, start)) = open.take() {
            pairs.push((key, text.get(start..at).unwrap_or("").trim()));
        }
        let start = at + name.len() + 1;
        match text.get(start..).and_then(|value| value.strip_prefix('"')) {
            Some(value) => {
                let len = closing_quote(value);
                pairs.push((name, value.get(..len).unwrap_or(value)));
                at = start + len + 2;
            }
            None => {
                open = Some((name, start));
                at += rest.find(' ').unwrap_or(rest.len()) + 1;
            }
        }
    }
    if let Some((key, start)) = open {
        pairs.push((key, text.get(start..).unwrap_or("").trim()));
    }
    pairs
}

/// Returns the key at the start of a text: `msg` of `msg=…`.
fn key(text: &str) -> Option<&str> {
    let is_outside = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let (key, rest) = text.split_at(text.find(is_outside)?);
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && rest.starts_with('=')
        && !rest.starts_with("==");
    is_key.then_some(key)
}

/// Returns the position of the first quote that is not escaped; the length of the text if there is none.
fn closing_quote(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if byte == b'"' && !is_escaped {
            return at;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    text.len()
}

/// Reads `E0501 12:00:00.000000 1 file.go:123] failed to …` and, with a quoted text, the error among the pairs after it.
fn klog(line: &str) -> Option<Vec<String>> {
    let text = klog_text(line).filter(|_| !line.starts_with('I'))?;
    let structured = text.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let texts: Vec<String> = match structured {
        Some((told, rest)) => {
            let told = std::iter::once(told.to_owned());
            told.chain(messages(&pairs(rest))).collect()
        }
        None => vec![text.to_owned()],
    };
    Some(texts)
}

/// Returns the text after the head of klog, at any level.
fn klog_text(line: &str) -> Option<&str> {
    const TIME: &str = "0000 00:00:00";
    let rest = line.strip_prefix(['I', 'W', 'E', 'F'])?;
    let (time, rest) = rest.split_at_checked(TIME.len())?;
    let (head, text) = rest.split_once("] ").filter(|_| fits(time, TIME))?;
    (head.len() <= MAX_NAME).then_some(text)
}

/// Reads `error TS2345: text`; the text has the code.
fn coded(line: &str) -> Option<&str> {
    let text = ["error ", "warning "]
        .iter()
        .find_map(|level| line.strip_prefix(level))?;
    let (code, _) = text.split_once(": ")?;
    is_code(code).then_some(text)
}

/// Returns the text after a level.
fn levelled(line: &str, surroundings: Surroundings) -> Option<&str> {
    let head = Head::read(line)?;
    let text = text_after(head.rest);
    // A logger or a thread before the text.
    let has_names = text.len() < trim_separators(head.rest).len();
    let is_certain = head.is_certain || head.is_first && head.level.is_upper && has_names;
    let min_words = match is_certain {
        true => MIN_WORDS,
        false => MIN_WORDS + 1,
    };
    let is_meant = is_certain || head.is_label || surroundings == Surroundings::Log;
    (is_meant && is_text(text, min_words)).then_some(text)
}

/// The start of a line of a log, up to its level.
struct Head<'l> {
    level: Level,
    /// Whether nothing precedes the level.
    is_first: bool,
    /// Whether only a log has this form.
    is_certain: bool,
    /// Whether it is a label of errors, with its colon.
    is_label: bool,
    /// The text after the level.
    rest: &'l str,
}

impl<'l> Head<'l> {
    /// Reads the start of a line; `None` without the level of an error or a warning.
    fn read(line: &'l str) -> Option<Self> {
        if let Some(rest) = after_label(line) {
            return Some(Self {
                level: Level::default(),
                is_first: true,
                is_certain: false,
                is_label: true,
                rest,
            });
        }
        let mut rest = after_times(line);
        let has_time = rest.len() < line.len();
        let mut only_groups = true;
        let mut before = "";
        for at in 0..MAX_WORDS_BEFORE_LEVEL {
            let (word, after) = first_word(rest);
            let next = first_word(after).0;
            let named = match has_time {
                true => after_channel(word),
                false => word,
            };
            if let Some(level) = Level::read(named, is_failure) {
                let is_set_off = level.is_upper || level.is_bracketed || level.is_marked;
                // `acme.shop - ERROR - text`.
                let is_between_dashes = at > 1 && before == "-" && next == "-";
                let is_certain = has_time && is_set_off
                    || only_groups && (level.is_logged_alone() || level.is_upper && at > 0)
                    || level.is_upper && is_between_dashes;
                let is_level = is_certain || at == 0 && (level.is_upper || level.is_marked);
                return is_level.then_some(Self {
                    is_first: at == 0,
                    is_certain,
                    is_label: at == 0 && word == "WARN:",
                    level,
                    rest: after,
                });
            }
            let is_group = word.starts_with('[') && word.ends_with(']');
            let may_precede = has_time || is_group || word == "-" || next == "-";
            if word.is_empty() || !may_precede || is_lower_level(named) {
                return None;
            }
            only_groups &= is_group;
            before = word;
            rest = after;
        }
        None
    }
}

/// Returns the text after a label of errors: `Error: `, `fatal: `.
fn after_label(line: &str) -> Option<&str> {
    LABELS.iter().find_map(|label| {
        let (start, rest) = line.split_at_checked(label.len())?;
        rest.strip_prefix(": ")
            .filter(|_| start.eq_ignore_ascii_case(label))
    })
}

/// How the level of a line is written.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// `[error]`.
    is_bracketed: bool,
    /// `error:` or `error|`.
    is_marked: bool,
    /// `ERROR`.
    is_upper: bool,
    /// `error`.
    is_lower: bool,
}

impl Level {
    /// Reads a word as a level that `is_level` accepts.
    fn read(word: &str, is_level: impl Fn(&str) -> bool) -> Option<Self> {
        let bare = word.trim_end_matches([':', '|']);
        let is_marked = bare.len() < word.len();
        let inside = bare.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        let name = inside.map_or(bare, str::trim);
        is_level(name).then(|| Self {
            is_bracketed: inside.is_some(),
            is_marked,
            is_upper: name.bytes().all(|byte| byte.is_ascii_uppercase()),
            is_lower: name.bytes().all(|byte| byte.is_ascii_lowercase()),
        })
    }

    /// Whether it is certain without a time: in brackets, but not as the topic of a title is, `[Error]`.
    fn is_logged_alone(self) -> bool {
        self.is_bracketed && (self.is_upper || self.is_lower)
    }
}

fn is_failure(level: &str) -> bool {
    FAILURES.iter().any(|it| it.eq_ignore_ascii_case(level))
}

fn is_other_level(level: &str) -> bool {
    OTHER_LEVELS.iter().any(|it| it.eq_ignore_ascii_case(level))
}

/// Whether a word is written as the level of an entry that tells no failure.
fn is_lower_level(word: &str) -> bool {
    Level::read(word, is_other_level)
        .is_some_and(|level| level.is_upper || level.is_bracketed || level.is_marked)
}

/// Returns the level of `app.ERROR:`, as Monolog writes it after its channel; other words as they are.
fn after_channel(word: &str) -> &str {
    match word.rsplit_once('.') {
        Some((_, level)) if level.ends_with(':') => level,
        _ => word,
    }
}

/// Splits a text after its first word.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// Returns the text of an entry without the names of processes, threads and loggers before it. A class of errors is
/// part of the text.
fn text_after(rest: &str) -> &str {
    after_names(rest, |text| {
        after_thread(text).or_else(|| after_logger(text))
    })
}

/// Returns a text without the names before it that `after_name` strips one by one.
fn after_names<'t>(rest: &'t str, after_name: impl Fn(&'t str) -> Option<&'t str>) -> &'t str {
    let mut text = trim_separators(rest);
    for _ in 0..MAX_NAMES {
        if traces::is_error(text) {
            break;
        }
        match after_name(text) {
            Some(after) => text = trim_separators(after),
            None => break,
        }
    }
    text.trim_end()
}

fn trim_separators(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '|' | '-' | '>'))
}

/// Returns the text after the name of a process or a thread.
fn after_thread(text: &str) -> Option<&str> {
    after_process(text).or_else(|| after_group(text))
}

/// Returns the text after `1234 --- ` of Spring.
fn after_process(text: &str) -> Option<&str> {
    let (process, rest) = text.split_once(" --- ")?;
    let is_number = process.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(rest)
}

/// Returns the text after `[worker-1] `. `[text](link)` is prose.
fn after_group(text: &str) -> Option<&str> {
    let (group, rest) = text.strip_prefix('[')?.split_once(']')?;
    let is_end = rest.starts_with([' ', ':', '\t']);
    (is_end && group.len() <= MAX_NAME).then_some(rest)
}

/// Returns the text after the name of a logger: `com.acme.Foo - `, `acme::shop: `, `Shop : `, `shop.db` and a tab.
fn after_logger(text: &str) -> Option<&str> {
    let (word, after) = first_word(text);
    let name = word.trim_end_matches(':');
    let is_plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '$' | ':' | '/' | '#'));
    let is_path = name.contains('.') || name.contains("::");
    if name.len() > MAX_NAME || !is_plain || !(is_path || names::is_identifier_like(name)) {
        return None;
    }
    let is_column = is_path && after.starts_with('\t');
    let after = after.trim_start();
    let is_separated = ["- ", ": ", "| ", "-- "]
        .iter()
        .any(|separator| after.starts_with(separator));
    (is_separated || is_column || is_path && name.len() < word.len()).then_some(after)
}

/// Whether a value is a text rather than one word or a number.
fn is_text(text: &str, min_words: usize) -> bool {
    let words = text.split_whitespace();
    let words = words.filter(|word| word.contains(char::is_alphabetic));
    words.take(min_words).count() == min_words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(surroundings: Surroundings, cases: &[(&str, &[&str])]) {
        for (line, wanted) in cases {
            assert_eq!(failures(line, surroundings), *wanted, "{line}");
        }
    }

    #[test]
    fn logfmt_tells_its_messages() {
        check(
            Surroundings::Prose,
            &[
                (
                    "level=error msg=\"could not open block\" err=\"no such file\"",
                    &["could not open block", "no such file"],
                ),
                (
                    "ts=2024-05-01T12:00:00Z caller=db.go:908 level=warn err=no such file component=tsdb",
                    &["no such file"],
                ),
                (
                    "t=1 level=error msg=\"a \\\"quoted\\\" name\" err=a=b",
                    &["a \"quoted\" name"],
                ),
                ("level=error err=<nil> msg=stopped", &[]),
                ("level=info msg=\"opened the block\"", &[]),
                ("set msg=\"a b c\" and err=\"d e f\"", &[]),
                ("if level==error and msg=\"a b c\"", &[]),
            ],
        );
    }

    #[test]
    fn json_tells_its_messages() {
        check(
            Surroundings::Prose,
            &[
                (
                    r#"{"level": "error", "msg": "could not open block", "id": "a b c"}"#,
                    &["could not open block"],
                ),
                (
                    r#"2024-05-01T12:00:00Z {"severity":"ERROR","message":"no block left"}"#,
                    &["no block left"],
                ),
                (r#"{"level":50,"msg":"no block left"}"#, &["no block left"]),
                (
                    r#"{"error": {"message": "no block left"}}"#,
                    &["no block left"],
                ),
                (r#"{"level":30,"msg":"block is open"}"#, &[]),
                (r#"{"level":"info","error":"is a key"}"#, &[]),
                (r#"{"message": "hello from here"}"#, &[]),
                (r#"{"level": "error", "msg": "cut of"#, &[]),
            ],
        );
    }

    #[test]
    fn text_follows_level_and_names() {
        const TEXT: &[&str] = &["Could not acquire lock"];
        for head in [
            "2024-05-01 12:00:00,123 ERROR [worker-1] com.acme.Foo - ",
            "2024-05-01 12:00:00.123 ERROR 1234 --- [main] c.acme.Foo        : ",
            "2024-05-01 12:00:00,123 - acme.shop - ERROR - ",
            "- acme.shop - ERROR - ",
            "2024/05/01 12:00:00 [error] ",
            "May  1 12:00:00 host app[12]: ERROR: ",
            "12:00:00.123 [main] ERROR acme::shop: ",
            "[12:00:00] error: ",
            "[main] ERROR com.acme.Foo - ",
            "2024/05/01 12:00:00.123\tERROR\thttp.log.error\t",
            "[2024-05-01T12:00:00+00:00] app.ERROR: ",
            "[ERROR] foo.bar: ",
            "[error] ",
            "ERROR [worker-1] com.acme.Foo - ",
            "WARN  com.acme.Foo - ",
            "ERROR: ",
            "Error: ",
            "fatal: ",
            "fatal error: ",
            "E0501 12:00:00.000000 1 file.go:123] ",
            "W0501 12:00:00.000000       1 file.go:123] ",
        ] {
            let line = format!("{head}Could not acquire lock");
            assert_eq!(failures(&line, Surroundings::Prose), TEXT, "{line}");
        }
        check(
            Surroundings::Prose,
            &[
                (
                    "E0501 12:00:00.000000 1 a.go:1] \"No lock\" err=\"timed out\" pod=\"a b\"",
                    &["No lock", "timed out"],
                ),
                (
                    "2024-05-01T12:00:00Z\tERROR\tNo lock\t{\"pod\": \"a b\", \"error\": \"timed out\"}",
                    &["No lock", "timed out"],
                ),
                (
                    "2024-05-01T12:00:00Z\tERROR\tNo lock\t{a b",
                    &["No lock\t{a b"],
                ),
                (
                    "[ERROR] com.acme.LockException: not acquired",
                    &["com.acme.LockException: not acquired"],
                ),
                (
                    "error TS2345: Argument is not assignable.",
                    &["TS2345: Argument is not assignable."],
                ),
            ],
        );
    }

    #[test]
    fn sentences_and_lower_levels_are_no_errors() {
        for line in [
            "2024-05-01 12:00:00,123 INFO [worker-1] com.acme.Foo - Could not acquire lock",
            "I0501 12:00:00.000000 1 file.go:123] Could not acquire lock",
            "2024-05-01T12:13:14Z is shown as yesterday.",
            "ERROR handling of the parser is slow",
            "WARNING messages are not shown in the page",
            "Error handling is slow here",
            "An error: the parser is slow",
            "Warning: this deletes all of the data",
            "- error: what the parser returns",
            "[error][1] is what the parser returns",
            "[Error] messages of the parser are slow",
            "[alert] the icon to close it is lost",
            "[ERROR](http://a.example) of the parser",
            "Error: none",
            "error in line 3: it is slow",
            "A - B - C and the ERROR",
            "12:00:00 INFO Found the ERROR - it is here",
            "12:00:00 app.INFO: Found the ERROR - it is here",
            "Errors: these are the known ones",
            "",
        ] {
            let found = failures(line, Surroundings::Prose);
            assert_eq!(found, Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn mere_levels_count_in_logs() {
        check(
            Log,
            &[
                ("WARN Could not open block", &["Could not open block"]),
                ("ERROR  Could not open block", &["Could not open block"]),
                ("warning: no block left", &["no block left"]),
                ("INFO Could not open block", &[]),
                ("Errors are not shown here", &[]),
            ],
        );
        let around = |text: &str| surroundings(text.lines());
        use Surroundings::{Log, Prose};
        assert_eq!(around("INFO a b\nERROR c d\nERROR e f"), [Log, Log, Log]);
        assert_eq!(around("ERROR a b\nc d\n12:00:00 e"), [Prose, Prose, Prose]);
    }

    #[test]
    fn starts_of_entries_are_recognised() {
        for yes in [
            "2024-05-01T12:00:00Z x",
            "[12:00:00] x",
            "May  1 12:00:00 x",
            "E0501 12:00:00.000000 1 file.go:123] x",
            "INFO x",
            "[debug] x",
            "info: x",
            "level=info x",
        ] {
            assert!(begins_entry(yes), "{yes}");
        }
        for no in [
            "Info: x", "debug x", "12 x", "2024 x", "May 1 is x", "DEBUG", "- x", "",
        ] {
            assert!(!begins_entry(no), "{no}");
        }
    }
}
