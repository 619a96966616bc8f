//! Cleans the lines of a CI log of what terminals, runners and forges add: escape sequences, times, names of
//! jobs, marks of groups. Must not interpret what the tool itself printed.

use anstream::adapter::strip_str;

use crate::log_prefix::{after_time, fits, is_number};

/// A cleaned line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LogLine {
    /// Output of a tool.
    Text(String),
    /// The start of a step of the job.
    Step,
    /// The forge reports that the step failed; with its message, which may be an error with file and line.
    Failed(String),
    /// Any other mark of a forge.
    Mark,
}

/// Cleans the lines of one log in order.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    /// Job and step of the last line, in logs where each line names them.
    step: String,
}

impl Cleaner {
    /// Returns whether the step that lines name has changed, and the cleaned line.
    pub(super) fn line(&mut self, raw: &str) -> (bool, LogLine) {
        let text = plain(raw);
        let mut is_new_step = false;
        let mut rest = text.as_str();
        // `gh run view --log` writes job and step before each line.
        if let Some((step, after)) = named_step(rest) {
            is_new_step = step != self.step;
            if is_new_step {
                step.clone_into(&mut self.step);
            }
            rest = after;
        }
        rest = strip_stamps(rest.trim_start_matches('\u{feff}'));
        (is_new_step, read_mark(rest))
    }
}

/// Removes the escape sequences from a text of several lines.
pub(super) fn clean_text(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(plain).collect();
    lines.join("\n")
}

/// Removes escape sequences, and keeps the last state of a line that was redrawn after carriage returns.
fn plain(raw: &str) -> String {
    let last = raw.trim_end_matches('\r').rsplit('\r').next();
    let drawn = last.filter(|last| !last.trim().is_empty()).unwrap_or(raw);
    // GitLab puts the mark of a section before the carriage return.
    let section = raw.starts_with("section_");
    let text = if section { raw } else { drawn };
    if text.bytes().all(|byte| byte >= b' ' || byte == b'\t') {
        return text.to_owned();
    }
    strip_str(text)
        .to_string()
        .chars()
        .filter(|c| !matches!(c, '\0' | '\r'))
        .collect()
}

/// Splits `job<TAB>step<TAB>time text` into `job<TAB>step` and the rest.
fn named_step(text: &str) -> Option<(&str, &str)> {
    let (job, after) = text.split_once('\t')?;
    let (step, rest) = after.split_once('\t')?;
    let rest = rest.trim_start_matches('\u{feff}');
    after_time(rest)?;
    text.get(..job.len() + 1 + step.len())
        .map(|named| (named, rest))
}

/// Removes up to three times and names before a line: runners and tools may each write one.
fn strip_stamps(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..3 {
        match after_time(rest)
            .or_else(|| after_clock(rest))
            .or_else(|| after_build_step(rest))
            .or_else(|| after_worker(rest))
            .or_else(|| after_service(rest))
        {
            Some(after) => rest = after,
            None => break,
        }
    }
    rest
}

/// Returns the text after `[gw0] ` of pytest-xdist.
fn after_worker(text: &str) -> Option<&str> {
    let (number, rest) = text.strip_prefix("[gw")?.split_once(']')?;
    let rest = rest.strip_prefix(' ').or(rest.is_empty().then_some(rest));
    rest.filter(|_| is_number(number))
}

/// Returns the text after `web-1  | ` of docker compose. Code excerpts have a number, or nothing, instead of the name.
fn after_service(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('|')?;
    let name = name.strip_suffix(' ')?.trim_end_matches(' ');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let rest = rest.strip_prefix(' ').or(rest.is_empty().then_some(rest));
    rest.filter(|_| is_name)
}

/// Returns the text after Jenkins' `12:34:56  `, or after a time in brackets: `[12:34:56.789] `.
fn after_clock(text: &str) -> Option<&str> {
    let bracketed = text.strip_prefix('[');
    let (clock, rest) = bracketed.unwrap_or(text).split_at_checked(8)?;
    let is_fraction = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let rest = match bracketed {
        Some(_) => rest.trim_start_matches(is_fraction).strip_prefix("] "),
        None => rest.strip_prefix("  "),
    };
    rest.filter(|_| fits(clock, "00:00:00"))
}

/// Returns the text after `#12 3.456 ` of a container build.
fn after_build_step(text: &str) -> Option<&str> {
    let (number, rest) = text.strip_prefix('#')?.split_once(' ')?;
    let (seconds, rest) = rest.split_once(' ')?;
    let (whole, part) = seconds.split_once('.')?;
    (is_number(number) && is_number(whole) && is_number(part)).then_some(rest)
}

/// Interprets the marks of forges.
fn read_mark(text: &str) -> LogLine {
    if let Some(rest) = text.strip_prefix("section_start:") {
        // `section_start:1560896352:name`, followed by a title. What a job does after its script does not fail it.
        let name = rest.split(':').nth(1).unwrap_or("");
        let is_script = name.starts_with("step_script") || name.starts_with("build_script");
        return if is_script {
            LogLine::Step
        } else {
            LogLine::Mark
        };
    }
    if text.starts_with("section_end:") {
        return LogLine::Mark;
    }
    if let Some(rest) = text.strip_prefix("##[") {
        return match rest.split_once(']') {
            Some(("group", title)) if title.starts_with("Run ") => LogLine::Step,
            Some(("section", title)) if title.starts_with("Starting: ") => LogLine::Step,
            Some(("error", message)) => LogLine::Failed(message.to_owned()),
            Some((
                "group" | "endgroup" | "debug" | "section" | "command" | "warning" | "notice",
                _,
            )) => LogLine::Mark,
            _ => LogLine::Text(text.to_owned()),
        };
    }
    if let Some(command) = text.strip_prefix("::") {
        return match command.split_once("::") {
            Some(("group" | "endgroup", _)) => LogLine::Mark,
            Some((name, message)) if name == "error" || name.starts_with("error ") => {
                LogLine::Text(error_at(name, message))
            }
            _ => LogLine::Text(text.to_owned()),
        };
    }
    match text.strip_prefix("ERROR: Job failed") {
        Some(_) => LogLine::Failed(String::new()),
        None => LogLine::Text(text.to_owned()),
    }
}

/// Rewrites `::error file=a.py,line=3,col=5::text` in the format of compilers.
fn error_at(command: &str, message: &str) -> String {
    let value = |name: &str| {
        let values = command.trim_start_matches("error").split(',');
        let mut values = values.filter_map(|pair| pair.trim().split_once('='));
        values.find_map(|(key, value)| (key == name).then_some(value))
    };
    let message = message.replace("%0A", " ").replace("%25", "%");
    match (value("file"), value("line"), value("col")) {
        (Some(file), Some(line), Some(column)) => {
            format!("{file}:{line}:{column}: error: {message}")
        }
        (Some(file), Some(line), None) => format!("{file}:{line}: error: {message}"),
        _ => format!("error: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn text(raw: &str) -> String {
        match Cleaner::default().line(raw).1 {
            LogLine::Text(text) => text,
            other => panic!("{raw:?}: {other:?}"),
        }
    }

    #[test]
    fn runner_decorations_are_stripped() {
        for (raw, wanted) in [
            (
                "2026-11-23T19:00:00.1234567Z     at run (a.js:1:2)",
                "    at run (a.js:1:2)",
            ),
            (
                "2026-11-23T19:00:00.123456Z 00O   File \"a.py\", line 3",
                "  File \"a.py\", line 3",
            ),
            ("[2026-11-23T19:00:00.123Z] text", "text"),
            ("2026-11-23 19:00:00+01:00 text", "text"),
            ("19:00:00  text", "text"),
            ("[19:00:00] text", "text"),
            ("[19:00:00.123]   text", "  text"),
            ("[gw0]   text", "  text"),
            ("[gw12]", ""),
            ("web-1      |   text", "  text"),
            ("web-1      |", ""),
            ("web_1 | 2026-11-23T19:00:00.123Z   text", "  text"),
            ("[gw] text", "[gw] text"),
            ("12 | return total;", "12 | return total;"),
            ("a || b", "a || b"),
            ("test\tRun pytest\t2026-11-23T19:00:00.1Z  text", " text"),
            ("#12 3.456 src/a.rs:1:2", "src/a.rs:1:2"),
            (
                "\x1b[31m\x1b[1mE   ValueError: x\x1b[0m",
                "E   ValueError: x",
            ),
            ("10 %\r50 %\r100 %\r", "100 %"),
            (
                "\x1b]8;;https://e.org\x07link\x1b]8;;\x07 text",
                "link text",
            ),
            (
                "::error file=a.py,line=3,col=5::un%25defined",
                "a.py:3:5: error: un%defined",
            ),
            ("::error::text", "error: text"),
            ("2026-11-23 was a day", "2026-11-23 was a day"),
            ("12:00 lunch", "12:00 lunch"),
            ("#include <a.h> // 1.5 x", "#include <a.h> // 1.5 x"),
            ("t\0e\0x\0t", "text"),
        ] {
            assert_eq!(text(raw), wanted, "{raw:?}");
        }
    }

    #[test]
    fn forge_marks_give_step_starts_and_failures() {
        let line = |raw: &str| Cleaner::default().line(raw).1;
        assert_eq!(
            line("2026-11-23T19:00:00.1Z ##[group]Run pytest"),
            LogLine::Step
        );
        assert_eq!(
            line("section_start:1560896352:step_script\r\x1b[0KRunning"),
            LogLine::Step
        );
        assert_eq!(line("##[group]Operating System"), LogLine::Mark);
        assert_eq!(
            line("section_start:1560896352:after_script\r\x1b[0KRunning after_script"),
            LogLine::Mark
        );
        assert_eq!(
            line("section_end:1560896352:step_script\r\x1b[0K"),
            LogLine::Mark
        );
        assert_eq!(line("##[endgroup]"), LogLine::Mark);
        let failed = "##[error]Process completed with exit code 1.";
        assert!(matches!(line(failed), LogLine::Failed(_)));
        assert!(matches!(
            line("\x1b[31;1mERROR: Job failed: exit code 1"),
            LogLine::Failed(_)
        ));
        let mut cleaner = Cleaner::default();
        let begins: Vec<bool> = [
            "a\tx\t2026-11-23T19:00:00Z 1", "a\tx\t2026-11-23T19:00:00Z 2",
            "a\ty\t2026-11-23T19:00:00Z 3",
        ]
        .map(|raw| cleaner.line(raw).0)
        .to_vec();
        assert_eq!(begins, [true, false, true]);
    }
}
