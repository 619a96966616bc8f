//! Tests whole contexts of small repositories: each rule of assembly, and that the budget holds for any
//! repository, format and size.

mod budget;
mod changes;
mod foreign_names;
mod larger_budget;
mod licences;
mod look_ups;
mod mixins;
mod near_duplicates;
mod packing_rules;
mod related_code;
mod renderings;
mod request_options;
mod seen;
mod settings;
mod siblings;
mod small_budgets;
mod unindexed;
mod unsafe_text;

use foveate_fixture::snapshot::{of_files, of_text, source_file};
use foveate_index::Snapshot;
use foveate_model::{Lines, RepoPath};

use super::{Fidelity, Item, Pack};
use crate::answer::{Answer, answer};
use crate::config::RankingConfig;
use crate::deadline::Deadline;
use crate::intent::IntentKind;
use crate::request::{Breadth, Format, Request};

/// Builds a snapshot of files given as path and text.
fn snapshot(files: impl IntoIterator<Item = (String, String)>) -> Snapshot {
    limited_snapshot(files, &foveate_parse::Limits::default())
}

fn limited_snapshot(
    files: impl IntoIterator<Item = (String, String)>,
    limits: &foveate_parse::Limits,
) -> Snapshot {
    let files = files.into_iter().map(|(path, text)| {
        let path = RepoPath::new(&path).unwrap();
        source_file(path, &text, limits)
    });
    of_files(files.collect(), None)
}

/// Builds a snapshot of a fixture.
fn fixture(text: &str) -> Snapshot {
    of_text(text)
}

/// Returns the whole answer to a request.
fn ask(snapshot: &Snapshot, request: &Request) -> Answer {
    answer(
        snapshot,
        request,
        &RankingConfig::default(),
        &Deadline::none(),
        &|| 0.0,
    )
}

/// Makes a request that shows whatever fits, so that tests do not depend on probabilities.
fn request(query: &str, budget: usize, intent: IntentKind) -> Request {
    Request {
        query: query.to_owned(),
        budget_tokens: budget,
        breadth: Breadth::Wide,
        intent: Some(intent),
        ..Request::default()
    }
}

fn items<'a>(pack: &'a Pack, section: &str) -> Vec<&'a Item> {
    pack.sections
        .iter()
        .filter(|s| s.name == section)
        .flat_map(|s| &s.items)
        .collect()
}

/// Returns `name fidelity` of each item of a section; `path:line` replaces a missing name.
fn shown(pack: &Pack, section: &str) -> Vec<String> {
    items(pack, section)
        .into_iter()
        .map(|item| {
            let place = format!("{}:{}", item.path, item.lines.start);
            let name = if item.name.is_empty() {
                &place
            } else {
                &item.name
            };
            let cut = if item.cut { " cut" } else { "" };
            format!("{name} {}{cut}", item.fidelity.name())
        })
        .collect()
}

/// Returns the lines of an item from its file.
fn source<'a>(snapshot: &'a Snapshot, item: &Item) -> Vec<&'a str> {
    let file = snapshot.files.find(&item.path).unwrap();
    let text = snapshot.files.text(file);
    let (first, count) = (item.lines.start as usize, item.lines.count() as usize);
    text.split('\n').skip(first - 1).take(count).collect()
}

/// Returns the source text that a reader takes from a context: escapes of the format are undone.
fn readable(format: Format, context: &str) -> String {
    match format {
        Format::Markdown => context.to_owned(),
        Format::Xml => context.replace("]]]]><![CDATA[>", "]]>"),
        Format::Json => {
            let mut text = String::new();
            let mut chars = context.chars();
            while let Some(c) = chars.next() {
                match c {
                    '\\' => match chars.next().unwrap() {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'u' => {
                            let digits: String = chars.by_ref().take(4).collect();
                            let code = u32::from_str_radix(&digits, 16).unwrap();
                            text.push(char::from_u32(code).unwrap());
                        }
                        c => text.push(c),
                    },
                    c => text.push(c),
                }
            }
            text
        }
    }
}

/// Returns how much is left out according to the head of a context.
fn left_out(format: Format, pack: &Pack) -> usize {
    let (before, after) = match format {
        Format::Json => ("\"left_out\":", ","),
        _ => (", left out: ", " -->"),
    };
    let (_, rest) = pack.context.split_once(before).unwrap();
    rest.split_once(after).unwrap().0.parse().unwrap()
}

/// Checks what must hold for every pack: the recounted tokens are within the budget, line numbers are right, no
/// line is shown twice, no card repeats a definition that is shown whole, every item has a reason, and the tokens of
/// items do not exceed those of their section.
fn check_invariants(snapshot: &Snapshot, request: &Request, pack: &Pack) {
    let counted = tiktoken_rs::o200k_base_singleton().count_ordinary(&pack.context);
    assert_eq!(counted, pack.used);
    assert!(
        counted <= request.budget_tokens,
        "{counted} tokens in a budget of {}",
        request.budget_tokens
    );
    // The list has its limits, the figure in the head has none.
    assert!(left_out(request.format, pack) >= pack.dropped.len());
    let text = readable(request.format, &pack.context);
    let mut whole: Vec<&Item> = Vec::new();
    for section in &pack.sections {
        assert!(!section.items.is_empty());
        for item in &section.items {
            assert!(!item.reason.is_empty(), "{item:?}");
            if item.fidelity == Fidelity::Full && !item.cut {
                let lines = source(snapshot, item).join("\n");
                let cleaned = crate::excerpt::clean(&lines).into_owned();
                assert!(
                    text.contains(&cleaned),
                    "{}:{:?} is not in the context",
                    item.path,
                    item.lines
                );
                for other in &whole {
                    let twice = other.path == item.path && other.lines.overlap(item.lines) > 0;
                    assert!(!twice, "{item:?} repeats {other:?}");
                }
                whole.push(item);
            }
        }
    }
    let all = pack.sections.iter().flat_map(|section| &section.items);
    for card in all.filter(|item| item.shown.is_empty() && !item.name.is_empty()) {
        let mut of_file = whole.iter().filter(|item| item.path == card.path);
        let shown = of_file.find(|item| item.lines.covers(card.lines));
        assert!(shown.is_none(), "{card:?} repeats {shown:?}");
    }
    let mut shown: Vec<(&str, Lines)> = Vec::new();
    for item in pack.sections.iter().flat_map(|section| &section.items) {
        for lines in &item.shown {
            let mut of_file = shown.iter().filter(|(path, _)| *path == item.path);
            let other = of_file.find(|(_, other)| other.overlap(*lines) > 0);
            assert!(other.is_none(), "{item:?} repeats {other:?}");
        }
        shown.extend(item.shown.iter().map(|lines| (&*item.path, *lines)));
    }
    for dropped in &pack.dropped {
        let Some(lines) = dropped.lines else { continue };
        let mut of_file = whole.iter().filter(|item| item.path == dropped.path);
        let shown = of_file.find(|item| item.lines.covers(lines));
        assert!(shown.is_none(), "{dropped:?} is in {shown:?}");
    }
}
