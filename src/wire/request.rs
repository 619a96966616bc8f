//! Validates questions. Every entry point fills a [`RawRequest`] and gets a [`Question`], or an
//! [`InvalidRequest`] with the invalid field; the entry point supplies its own name for that field.

use std::ops::RangeInclusive;

use foveate_model::RepoPath;
use foveate_query::permalink::WebPage;
use foveate_query::request::{BUDGET_TOKENS, LIMIT, MAX_CHARS, MAX_FILES};
use foveate_query::{Focus, Removed, Request, Seen};

use super::{BreadthName, FormatName, IntentName};
use crate::engine::{DiffEnds, Question, Target};
use crate::ingest::git::reference;

/// Maximum number of entries of one list in a request.
const MAX_ENTRIES: usize = 1000;
/// Longest path, in characters.
const MAX_PATH_CHARS: usize = 1024;
/// Longest name of a place, in characters.
const MAX_PLACE_CHARS: usize = 2048;
/// Longest URL, in bytes.
const MAX_ADDRESS_BYTES: usize = 1024;

/// The raw parameters of a question. Absent ones have their default.
#[derive(Clone, Debug, Default)]
#[allow(
    missing_docs,
    reason = "the fields of `Request` and `Target`, not validated"
)]
pub struct RawRequest {
    pub repo: Option<String>,
    pub query: Option<String>,
    pub reference: Option<String>,
    pub diff: Option<DiffEnds>,
    pub budget_tokens: Option<u64>,
    pub breadth: Option<BreadthName>,
    pub min_probability: Option<f32>,
    pub max_files: Option<u64>,
    pub max_chars: Option<u64>,
    pub link_base: Option<String>,
    pub format: Option<FormatName>,
    pub intent: Option<IntentName>,
    pub limit: Option<u64>,
    pub focus_paths: Vec<String>,
    pub focus_symbols: Vec<String>,
    pub seen_paths: Vec<String>,
    pub seen_places: Vec<String>,
}

foveate_model::named_enum! {
    /// A parameter of a question, with the path of its field in a JSON body.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[allow(missing_docs)]
    pub enum Field {
        Repo = "repo",
        Query = "query",
        Ref = "ref",
        DiffBase = "diff.base",
        DiffHead = "diff.head",
        BudgetTokens = "budget_tokens",
        MinProbability = "min_probability",
        MaxFiles = "max_files",
        MaxChars = "max_chars",
        LinkBase = "link_base",
        Limit = "limit",
        FocusPaths = "focus.paths",
        FocusSymbols = "focus.symbols",
        SeenPaths = "seen.paths",
        SeenPlaces = "seen.places",
    }
}

impl Field {
    /// Name of the argument on the command line.
    pub fn argument(self) -> &'static str {
        match self {
            Self::Repo => "DIR",
            Self::Query => "TEXT",
            Self::Ref => "--ref",
            Self::DiffBase | Self::DiffHead => "--diff",
            Self::BudgetTokens => "--budget",
            Self::MinProbability => "--min-probability",
            Self::MaxFiles => "--max-files",
            Self::MaxChars => "--max-chars",
            Self::LinkBase => "--link-base",
            Self::Limit => "--limit",
            Self::FocusPaths => "--focus-path",
            Self::FocusSymbols => "--focus-symbol",
            Self::SeenPaths => "--seen-path",
            Self::SeenPlaces => "--seen-place",
        }
    }

    /// Builds an error from a predicate such as `must be …`, `is …` or `has …`.
    fn refuse(self, predicate: impl std::fmt::Display) -> InvalidRequest {
        InvalidRequest {
            field: self,
            reason: format!(" {predicate}"),
            is_empty_query: false,
        }
    }

    /// Builds an error from another error.
    fn refuse_for(self, error: impl std::fmt::Display) -> InvalidRequest {
        InvalidRequest {
            field: self,
            reason: format!(": {error}"),
            is_empty_query: false,
        }
    }
}

/// A question with an invalid field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRequest {
    /// The invalid field.
    pub field: Field,
    /// Whether the query is empty or missing.
    pub is_empty_query: bool,
    reason: String,
}

impl InvalidRequest {
    /// Describes the problem and its remedy, with `name` as the name of the field.
    pub fn detail(&self, name: &str) -> String {
        format!("{name}{}", self.reason)
    }
}

impl RawRequest {
    /// Validates the fields; the query may have at most `max_query_bytes`.
    ///
    /// # Errors
    /// When a field is missing or has an invalid value.
    pub fn validate(self, max_query_bytes: usize) -> Result<Question, InvalidRequest> {
        let defaults = Request::default();
        let missing = || Field::Repo.refuse("is missing: name the repository to ask");
        let repo = self.repo.ok_or_else(missing)?;
        let target = target(self.reference, self.diff)?;
        let query = query(self.query, &target, max_query_bytes)?;
        let budget_tokens = in_range(Field::BudgetTokens, self.budget_tokens, &BUDGET_TOKENS)?;
        let limit = in_range(Field::Limit, self.limit, &LIMIT)?;
        let request = Request {
            repo: repo.clone(),
            query,
            budget_tokens: budget_tokens.unwrap_or(defaults.budget_tokens),
            breadth: self.breadth.unwrap_or_default().into(),
            min_probability: probability(self.min_probability)?,
            max_files: in_range(Field::MaxFiles, self.max_files, &MAX_FILES)?,
            max_chars: in_range(Field::MaxChars, self.max_chars, &MAX_CHARS)?,
            web_page: self.link_base.map(web_page).transpose()?,
            format: self.format.unwrap_or_default().into(),
            intent: self.intent.map(Into::into),
            limit: limit.unwrap_or(defaults.limit),
            focus: Focus {
                paths: paths(Field::FocusPaths, self.focus_paths)?,
                symbols: check_entry_count(Field::FocusSymbols, self.focus_symbols)?,
            },
            changes: Vec::new(),
            removed: Removed::default(),
            base: String::new(),
            seen: Seen {
                paths: paths(Field::SeenPaths, self.seen_paths)?,
                places: places(self.seen_places)?,
            },
        };
        Ok(Question {
            repo,
            target,
            request,
        })
    }
}

/// Determines which revision or diff the question is about.
fn target(reference: Option<String>, diff: Option<DiffEnds>) -> Result<Target, InvalidRequest> {
    let check = |field: Field, reference: &str| {
        reference::check(reference).map_err(|error| field.refuse_for(error))
    };
    let Some(ends) = diff else {
        let Some(reference) = reference else {
            return Ok(Target::Current);
        };
        check(Field::Ref, &reference)?;
        return Ok(Target::Revision(reference));
    };
    check(Field::DiffBase, &ends.base)?;
    check(Field::DiffHead, &ends.head)?;
    if reference.is_some_and(|reference| reference != ends.head) {
        let predicate = "differs from the head of the diff, which is used: leave it out";
        return Err(Field::Ref.refuse(predicate));
    }
    Ok(Target::Diff(ends))
}

/// Validates the query. It may be absent if there is a diff, which is a question by itself.
fn query(
    query: Option<String>,
    target: &Target,
    max_bytes: usize,
) -> Result<String, InvalidRequest> {
    let has_diff = matches!(target, Target::Diff(_));
    let refuse = |what: &str| InvalidRequest {
        is_empty_query: true,
        ..Field::Query.refuse(format!(
            "is {what}: give the issue, question or stack trace, or a change to ask about"
        ))
    };
    let query = match query {
        Some(query) if query.trim().is_empty() && !has_diff => return Err(refuse("empty")),
        None if !has_diff => return Err(refuse("missing")),
        query => query.unwrap_or_default(),
    };
    if query.len() > max_bytes {
        return Err(Field::Query.refuse(format!(
            "has {} bytes, and answer.max_query_bytes is {max_bytes}: shorten it",
            query.len()
        )));
    }
    Ok(query)
}

fn in_range(
    field: Field,
    value: Option<u64>,
    range: &RangeInclusive<usize>,
) -> Result<Option<usize>, InvalidRequest> {
    let Some(value) = value else {
        return Ok(None);
    };
    match usize::try_from(value) {
        Ok(value) if range.contains(&value) => Ok(Some(value)),
        _ => {
            let (min, max) = (range.start(), range.end());
            Err(field.refuse(format!("must be {min} to {max}, not {value}")))
        }
    }
}

fn probability(value: Option<f32>) -> Result<Option<f32>, InvalidRequest> {
    match value {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(Field::MinProbability.refuse(format!("must be 0 to 1, not {value}")))
        }
        value => Ok(value),
    }
}

/// Validates the web URL of a repository. The URL is rendered into markup, so only URL characters are
/// accepted.
fn web_page(text: String) -> Result<WebPage, InvalidRequest> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/@%+".contains(c);
    let after = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    // A login in it would be published with every link.
    let has_plain_host = |rest: &str| {
        let host = rest.split('/').next().unwrap_or_default();
        !host.is_empty() && !host.contains('@')
    };
    match after {
        Some(rest)
            if has_plain_host(rest)
                && rest.chars().all(is_plain)
                && text.len() <= MAX_ADDRESS_BYTES =>
        {
            Ok(WebPage::guess(&text))
        }
        _ => Err(Field::LinkBase.refuse(
            "must be the web address of a repository, without a login, such as \
             https://github.com/pallets/flask",
        )),
    }
}

fn check_entry_count(field: Field, entries: Vec<String>) -> Result<Vec<String>, InvalidRequest> {
    match entries.len() {
        0..=MAX_ENTRIES => Ok(entries),
        count => Err(field.refuse(format!(
            "has {count} entries; at most {MAX_ENTRIES} are allowed"
        ))),
    }
}

fn paths(field: Field, typed: Vec<String>) -> Result<Vec<RepoPath>, InvalidRequest> {
    let typed = check_entry_count(field, typed)?;
    let path = |path: &String| {
        if path.chars().count() > MAX_PATH_CHARS {
            let predicate = format!("has a path of more than {MAX_PATH_CHARS} characters");
            return Err(field.refuse(predicate));
        }
        RepoPath::from_typed(path).map_err(|error| field.refuse_for(error))
    };
    typed.iter().map(path).collect()
}

/// Validates places of the form `path:name` or `path:start-end`, and drops leading `./`; whether they exist is not
/// checked.
fn places(named: Vec<String>) -> Result<Vec<String>, InvalidRequest> {
    let named = check_entry_count(Field::SeenPlaces, named)?;
    for place in &named {
        if place.chars().count() > MAX_PLACE_CHARS {
            let predicate = format!("has a place of more than {MAX_PLACE_CHARS} characters");
            return Err(Field::SeenPlaces.refuse(predicate));
        }
        let parts = place.split_once(':');
        if !parts.is_some_and(|(path, name)| !path.is_empty() && !name.is_empty()) {
            let error = format!("{place:?} is not a place: write path:name or path:start-end");
            return Err(Field::SeenPlaces.refuse_for(error));
        }
        if is_reversed(place) {
            let error = format!("{place:?} ends before it starts: write path:start-end");
            return Err(Field::SeenPlaces.refuse_for(error));
        }
    }
    let plain = |place: String| place.trim_start_matches("./").to_owned();
    Ok(named.into_iter().map(plain).collect())
}

/// Whether a place names lines in the wrong order, such as `a.py:40-10`.
fn is_reversed(place: &str) -> bool {
    let (_, lines) = place.rsplit_once(':').unwrap_or_default();
    let lines = lines.split('@').next().unwrap_or_default();
    let number = |text: &str| text.parse::<u64>().ok();
    let ends = lines.split_once('-');
    let ends = ends.and_then(|(start, end)| number(start).zip(number(end)));
    ends.is_some_and(|(start, end)| end < start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> RawRequest {
        RawRequest {
            repo: Some("shop".to_owned()),
            query: Some("where is it?".to_owned()),
            ..RawRequest::default()
        }
    }

    fn ends(base: &str, head: &str) -> Option<DiffEnds> {
        Some(DiffEnds {
            base: base.to_owned(),
            head: head.to_owned(),
        })
    }

    #[test]
    fn absent_fields_have_defaults() {
        let question = asked().validate(100).unwrap();
        let defaults = Request::default();
        assert_eq!(
            (&*question.repo, question.target),
            ("shop", Target::Current)
        );
        assert_eq!(question.request.repo, "shop");
        assert_eq!(question.request.budget_tokens, defaults.budget_tokens);
        assert_eq!(question.request.limit, defaults.limit);
        let diff_question = RawRequest {
            query: None,
            diff: ends("main", "fix"),
            reference: Some("fix".to_owned()),
            ..asked()
        };
        let question = diff_question.validate(100).unwrap();
        assert!(matches!(question.target, Target::Diff(ends) if ends.head == "fix"));
        assert_eq!(question.request.query, "");
    }

    #[test]
    fn places_may_begin_with_a_dot_and_a_slash() {
        let raw = RawRequest {
            seen_places: ["./a.py:App.run", "././a.py:1-2"]
                .map(str::to_owned)
                .to_vec(),
            ..asked()
        };
        let seen = raw.validate(100).unwrap().request.seen;
        assert_eq!(seen.places, ["a.py:App.run", "a.py:1-2"]);
    }

    #[test]
    fn limits_are_enforced_and_name_their_field() {
        type Change = fn(&mut RawRequest);
        let many = || vec!["a.py".to_owned(); MAX_ENTRIES + 1];
        let text = |n: usize| "a".repeat(n);
        let cases: [(Change, Field, &str); 26] = [
            (|r| r.repo = None, Field::Repo, "is missing"),
            (|r| r.query = None, Field::Query, "is missing"),
            (
                |r| r.query = Some(" \n".to_owned()),
                Field::Query,
                "is empty",
            ),
            (
                |r| r.query = Some("x".repeat(101)),
                Field::Query,
                "101 bytes",
            ),
            (
                |r| r.reference = Some("-x".to_owned()),
                Field::Ref,
                "begins with",
            ),
            (|r| r.diff = ends("", "fix"), Field::DiffBase, "is empty"),
            (
                |r| r.diff = ends("main", "a..b"),
                Field::DiffHead,
                "a range",
            ),
            (
                |r| {
                    r.diff = ends("main", "fix");
                    r.reference = Some("main".to_owned());
                },
                Field::Ref,
                "leave it out",
            ),
            (
                |r| r.budget_tokens = Some(199),
                Field::BudgetTokens,
                "200 to 128000, not 199",
            ),
            (
                |r| r.budget_tokens = Some(u64::MAX),
                Field::BudgetTokens,
                "128000",
            ),
            (
                |r| r.min_probability = Some(1.5),
                Field::MinProbability,
                "0 to 1, not 1.5",
            ),
            (
                |r| r.min_probability = Some(f32::NAN),
                Field::MinProbability,
                "0 to 1",
            ),
            (
                |r| r.max_files = Some(0),
                Field::MaxFiles,
                "1 to 1000, not 0",
            ),
            (
                |r| r.max_chars = Some(999),
                Field::MaxChars,
                "1000 to 10000000",
            ),
            (|r| r.limit = Some(101), Field::Limit, "1 to 100, not 101"),
            (
                |r| r.link_base = Some("javascript:alert(1)".to_owned()),
                Field::LinkBase,
                "web address",
            ),
            (
                |r| r.link_base = Some("https://ada:secret@git.example/shop".to_owned()),
                Field::LinkBase,
                "without a login",
            ),
            (
                |r| r.link_base = Some("https:///shop".to_owned()),
                Field::LinkBase,
                "web address",
            ),
            (
                |r| r.focus_paths = vec!["../x".to_owned()],
                Field::FocusPaths,
                "../x",
            ),
            (
                |r| r.seen_paths = vec!["/x".to_owned()],
                Field::SeenPaths,
                "/x",
            ),
            (
                |r| r.seen_places = vec!["a.py".to_owned()],
                Field::SeenPlaces,
                "path:start-end",
            ),
            (
                |r| r.seen_places = vec!["a.py:40-10@9f2c".to_owned()],
                Field::SeenPlaces,
                "ends before it starts",
            ),
            (|_| (), Field::FocusPaths, "1001 entries"),
            (|_| (), Field::FocusSymbols, "1001 entries"),
            (|_| (), Field::SeenPaths, "1024 characters"),
            (|_| (), Field::SeenPlaces, "2048 characters"),
        ];
        for (change, field, reason) in cases {
            let mut raw = asked();
            change(&mut raw);
            match reason {
                "1001 entries" if field == Field::FocusPaths => raw.focus_paths = many(),
                "1001 entries" => raw.focus_symbols = many(),
                "1024 characters" => raw.seen_paths = vec![text(MAX_PATH_CHARS + 1)],
                "2048 characters" => raw.seen_places = vec![text(MAX_PLACE_CHARS + 1)],
                _ => {}
            }
            let refused = raw.validate(100).expect_err(reason);
            assert_eq!(refused.field, field, "{reason}");
            let detail = refused.detail(field.argument());
            assert!(detail.starts_with(field.argument()), "{detail}");
            assert!(detail.contains(reason), "{detail}");
            assert_eq!(
                refused.is_empty_query,
                field == Field::Query && reason.starts_with("is ")
            );
        }
    }
}
