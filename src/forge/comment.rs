//! Renders the text of a comment. It contains nothing of an issue. Names and code of the repository, which
//! the author of a pull request can choose, appear only as code, where they cannot act as markup, a mention
//! or a link.

use foveate_query::assemble::inline_code;
use foveate_query::permalink::{Permalinks, WebPage};
use foveate_query::rank::ListedPlace;

use super::dialect::ThreadKind;
use crate::config::ForgeConfig;
use crate::engine::AnswerWithSnapshot;

/// First line of each comment, by which it is found again; it is not displayed.
pub const MARKER: &str = "<!-- foveate:context -->";
/// Maximum places in a comment.
pub const MAX_PLACES: usize = 8;
/// Number of places that are listed whatever their probability, and the minimum probability of the others.
const ALWAYS_LISTED: usize = 3;
const MIN_PROBABILITY: f32 = 0.01;
/// Longest comment, in characters: the limit of GitHub.
pub const MAX_CHARS: usize = 65_536;
/// Longest name that is listed, in bytes.
const MAX_NAME_BYTES: usize = 120;

/// Renders the comment for an answer about a thread of the repository at `page`.
pub fn render(
    answered: &AnswerWithSnapshot,
    kind: ThreadKind,
    page: &WebPage,
    config: &ForgeConfig,
) -> String {
    let answer = &answered.answer;
    let commit = &answered.snapshot.revision.commit;
    let links = Permalinks::new(page, commit);
    let is_listed = |(rank, place): &(usize, &ListedPlace)| {
        *rank < ALWAYS_LISTED || place.probability >= MIN_PROBABILITY
    };
    let places = answer.places.iter().take(MAX_PLACES).enumerate();
    let places = places.filter(is_listed).map(|(_, place)| place);
    let places: String = places.map(|p| place(p, links.as_ref())).collect();
    let head = head(answered, kind);
    let footer = footer(answered, config);
    let code = format!(
        "<details><summary>The code, {} tokens</summary>\n\n{}\n\n</details>\n\n",
        answer.pack.used,
        answer.pack.context.trim_end()
    );
    let text = format!("{MARKER}\n{head}\n\n{places}\n{code}{footer}");
    if text.chars().count() <= MAX_CHARS {
        return text;
    }
    format!("{MARKER}\n{head}\n\n{places}\nThe code is too long to be shown here.\n\n{footer}")
}

fn head(answered: &AnswerWithSnapshot, kind: ThreadKind) -> String {
    let commit: String = answered.snapshot.revision.commit.chars().take(10).collect();
    let commit = inline_code(&commit);
    let percent = percent(answered.answer.pack.confidence);
    match kind {
        ThreadKind::Issue => format!(
            "The places that a fix is most likely to touch, at {commit}. Confidence that a right one is \
             shown whole below: {percent}."
        ),
        ThreadKind::PullRequest => format!(
            "The code that the change touches, at {commit}, with its callers and tests below. \
             Confidence: {percent}."
        ),
    }
}

fn place(place: &ListedPlace, links: Option<&Permalinks>) -> String {
    let short = |text: &str| inline_code(&foveate_model::escape::shorten(text, MAX_NAME_BYTES));
    let (start, end) = (place.lines.start, place.lines.end);
    let range = match links {
        Some(links) => {
            let to = links.lines(&place.path, place.lines);
            format!("{} [lines {start} to {end}]({to})", short(&place.path))
        }
        None => format!("{} lines {start} to {end}", short(&place.path)),
    };
    let name = match &*place.name {
        "" => String::new(),
        name => format!(" {}", short(name)),
    };
    format!(
        "- {range}:{name} {}, {}\n",
        place.kind,
        percent(place.probability)
    )
}

fn footer(answered: &AnswerWithSnapshot, config: &ForgeConfig) -> String {
    let issues = answered.answer.issues.iter();
    let codes: Vec<String> = issues.map(|issue| inline_code(issue.code.name())).collect();
    let lacks = match codes.is_empty() {
        true => String::new(),
        false => format!("Notes on this answer: {}. ", codes.join(", ")),
    };
    let again = match &*config.command {
        "" => String::new(),
        command => format!(
            "To ask again, write a comment that begins with {} and says what to look for. ",
            inline_code(command)
        ),
    };
    format!("<sub>{lacks}{again}This comment is updated in place.</sub>\n")
}

fn percent(share: f32) -> String {
    format!("{:.0} %", share * 100.0)
}
