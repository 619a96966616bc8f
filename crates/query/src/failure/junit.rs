//! Reads the failed tests of a JUnit XML report, as written by pytest, Surefire, Gradle, Jest, go-junit-report,
//! RSpec, PHPUnit, CTest and others. Unknown elements and attributes are skipped. Entities of a document type are not
//! expanded, and nothing that a report names is opened.

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use super::{Failure, Failures, MAX_TRACE_BYTES};

/// Largest report that callers should read, in bytes.
pub const MAX_REPORT_BYTES: usize = 64 << 20;
/// Deepest nesting of elements.
const MAX_DEPTH: usize = 64;

/// Why a report cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum JunitError {
    #[error("it is not a JUnit report: it has no <testsuite>; --log reads the output of any tool")]
    NoSuite,
    /// The markup is wrong, and no failed test precedes the mistake.
    #[error("it is not well-formed XML: {0}")]
    Malformed(String),
    #[error("its elements are nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
}

/// Adds the failed tests of a report. A truncated report, as a killed process leaves it, is read as far as it goes.
///
/// # Errors
/// When the text is no JUnit report, is malformed before the first failed test, or is nested too deeply.
pub fn read(report: &str, failures: &mut Failures) -> Result<(), JunitError> {
    let before = failures.total();
    let mut reading = Reading::default();
    let mut reader = Reader::from_str(report.trim_start_matches('\u{feff}'));
    let config = reader.config_mut();
    // Some tools do not escape `&`.
    config.allow_dangling_amp = true;
    config.expand_empty_elements = true;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => reading.event(&event, failures)?,
            Err(error) if failures.total() == before && report.contains("<testsuite") => {
                return Err(JunitError::Malformed(error.to_string()));
            }
            Err(_) => break,
        }
    }
    reading.has_suite.then_some(()).ok_or(JunitError::NoSuite)
}

/// The state of reading a report.
#[derive(Default)]
struct Reading {
    depth: usize,
    has_suite: bool,
    /// The names and files of the enclosing suites, the outermost first.
    suites: Vec<Failure>,
    test: Option<Test>,
    /// Where text of the current element goes.
    text: Text,
}

/// A test case that is being read.
#[derive(Default)]
struct Test {
    case: Failure,
    /// Whether it stands for a suite, which has a failure outside its tests.
    is_suite: bool,
    /// Failures and errors of the test, mostly one.
    failed: Vec<Failure>,
    /// Output that the test printed.
    output: String,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Ignored,
    /// The trace of the last failure.
    Trace,
    Output,
}

impl Reading {
    fn event(&mut self, event: &Event<'_>, failures: &mut Failures) -> Result<(), JunitError> {
        match event {
            Event::Start(element) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(JunitError::TooDeep);
                }
                self.start(element);
            }
            Event::End(element) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(element.local_name().into_inner(), failures);
            }
            Event::Text(text) => self.add_text(&text.xml10_content()),
            Event::CData(text) => self.add_text(&text.xml10_content()),
            Event::GeneralRef(reference) => self.add_text(&resolved(reference)),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        match element.local_name().into_inner() {
            "testsuites" => self.has_suite = true,
            "testsuite" => {
                self.has_suite = true;
                self.suites.push(Failure {
                    test: attribute(element, &["name"]),
                    file: attribute(element, &["file", "filepath"]),
                    ..Failure::default()
                });
            }
            "testcase" => self.test = Some(Test::of(element, &self.suite().file)),
            // A test that failed again when it was rerun; one that passed then has a `flakyFailure`.
            "failure" | "error" | "rerunFailure" | "rerunError" => self.failed(element),
            "system-out" | "system-err" => self.text = Text::Output,
            // Surefire writes the trace of a rerun test into a separate element.
            "stackTrace" => self.text = Text::Trace,
            _ => {}
        }
    }

    fn failed(&mut self, element: &BytesStart<'_>) {
        // A suite that fails before its first test has the failure itself.
        let suite = self.suite();
        let test = self.test.get_or_insert_with(|| Test::of_suite(&suite));
        let message = attribute(element, &["message"]);
        let class = attribute(element, &["type"]);
        let has_message = !message.trim().is_empty() && message != "Failed";
        test.failed.push(Failure {
            message: match (has_message, class.is_empty()) {
                (true, true) => message,
                (true, false) if message.contains(&class) || class.contains(' ') => message,
                (true, false) => format!("{class}: {message}"),
                (false, _) => String::new(),
            },
            ..test.case.clone()
        });
        self.text = Text::Trace;
    }

    /// Returns the innermost enclosing suite.
    fn suite(&self) -> Failure {
        self.suites.last().cloned().unwrap_or_default()
    }

    fn end(&mut self, name: &str, failures: &mut Failures) {
        match name {
            "testsuite" => {
                self.suites.pop();
            }
            "testcase" => {
                if let Some(test) = self.test.take() {
                    test.add_to(failures);
                }
                self.text = Text::Ignored;
            }
            "failure" | "error" | "rerunFailure" | "rerunError" | "system-out" | "system-err"
            | "stackTrace" => {
                self.text = Text::Ignored;
                if let Some(suite) = self.test.take_if(|test| test.is_suite) {
                    suite.add_to(failures);
                }
            }
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        let Some(test) = &mut self.test else {
            return;
        };
        let into = match self.text {
            Text::Ignored => return,
            Text::Output => &mut test.output,
            Text::Trace => match test.failed.last_mut() {
                Some(failure) => &mut failure.trace,
                None => return,
            },
        };
        into.push_str(text);
        // Cutting to half of the limit keeps the end of a growing text and copies each byte only a few times.
        if into.len() > 4 * MAX_TRACE_BYTES {
            *into = super::cut_middle(into, 2 * MAX_TRACE_BYTES);
        }
    }
}

impl Test {
    fn of_suite(suite: &Failure) -> Self {
        Self {
            case: suite.clone(),
            is_suite: true,
            ..Self::default()
        }
    }

    fn of(element: &BytesStart<'_>, suite_file: &str) -> Self {
        let name = attribute(element, &["name"]);
        let class = attribute(element, &["classname", "class"]);
        let file = attribute(element, &["file", "filepath"]);
        let line = attribute(element, &["line", "lineno"]);
        let test = if class.is_empty() || name.contains(&class) {
            name
        } else if class.contains(' ') || name.contains(' ') {
            // Sentences, as Jest and RSpec name tests.
            format!("{class} {name}")
        } else {
            format!("{class}.{name}")
        };
        let file = Some(file).filter(|file| !file.is_empty());
        let case = Failure {
            test,
            file: file.unwrap_or_else(|| suite_file.to_owned()),
            line: line.trim().parse().unwrap_or(0),
            ..Failure::default()
        };
        Self {
            case,
            ..Self::default()
        }
    }

    fn add_to(self, failures: &mut Failures) {
        for mut failure in self.failed {
            if failure.trace.trim().is_empty() {
                // CTest and others write only the output of a test.
                failure.trace.clone_from(&self.output);
            }
            failure.trace = super::lines::clean_text(&failure.trace);
            failure.message = super::lines::clean_text(&failure.message);
            failures.add(failure);
        }
    }
}

/// Returns the value of the first attribute of an element that has one of these names; empty if none has.
fn attribute(element: &BytesStart<'_>, names: &[&str]) -> String {
    let mut attributes = element.attributes();
    // The check for duplicates compares each attribute with all previous ones: too slow for many.
    let found = attributes
        .with_checks(false)
        .filter_map(Result::ok)
        .find(|attribute| names.contains(&attribute.key.into_inner()));
    let Some(attribute) = found else {
        return String::new();
    };
    match attribute.normalized_value(XmlVersion::Implicit1_0) {
        Ok(value) => value.into_owned(),
        Err(_) => attribute.value.into_owned(),
    }
}

/// Resolves a character reference or predefined entity; an entity of a document type stays as written.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name = reference.xml10_content();
    match resolve_predefined_entity(&name) {
        Some(text) => text.to_owned(),
        None => format!("&{name};"),
    }
}
