//! Adds what is connected with the shown code: its tests, its call sites, and the imports between the best
//! files; or what a short question asks of a definition.

mod asked_tests;
mod callers;
mod imports;
mod link;
mod related;
mod removed;
pub(super) mod test_links;

use foldhash::HashSet;
use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId, FileId};
use foveate_model::Lines;

use self::link::{Link, Linked};
use super::card;
use super::entry::Entry;
use super::pack::{DropReason, Dropped};
use super::packed::{EntryKind, ShownPart};
use super::plan::{BudgetScope, Plan};
use super::seen::WHOLE_FILE;
use crate::deadline::Stage;
use crate::intent::LookUp;
use crate::issue::{Issue, IssueCode};
use crate::rank::PlaceId;

/// Returns what a short question asks for, or else what is around the shown code.
fn asked_for(plan: &Plan<'_>, seeds: &[DefId]) -> Vec<Link> {
    match plan.looked_up.asks() {
        Some(LookUp::Tests) => asked_tests::tests(plan),
        Some(LookUp::Overrides) => related::overrides(plan),
        Some(LookUp::Dependencies) => {
            let mut links = imports::imported(plan);
            links.extend(related::dependencies(plan));
            links
        }
        Some(LookUp::Behaviour) => related::dependencies(plan),
        Some(LookUp::Difference) => Vec::new(),
        Some(LookUp::Definition) if plan.looked_up.asks_where() => related::definitions(plan),
        Some(LookUp::Uses) if !plan.looked_up.modules.is_empty() => imports::importers(plan),
        Some(LookUp::Definition | LookUp::Uses | LookUp::Calls | LookUp::Implementers) | None => {
            around(plan, seeds)
        }
    }
}

/// Returns the tests, callers and imports of the shown code.
fn around(plan: &Plan<'_>, seeds: &[DefId]) -> Vec<Link> {
    let has_time = || plan.deadline.allows(Stage::Links);
    let mut links = Vec::new();
    if has_time() {
        links.extend(test_links::tests(plan, seeds));
    }
    if has_time() {
        links.extend(removed::uses(plan));
        links.extend(callers::callers(plan, seeds));
    }
    if has_time() {
        links.extend(imports::imports(plan));
    }
    links
}

#[derive(Debug)]
struct Waiting {
    link: Link,
    /// Its tokens, once counted; 0 before.
    tokens: usize,
    done: bool,
}

/// Tests, callers and imports, the best of each kind first.
#[derive(Debug)]
pub(super) struct Links {
    links: Vec<Waiting>,
    seeds: Vec<DefId>,
    whole_tests: usize,
}

impl Links {
    pub(super) fn new(plan: &Plan<'_>, seeds: &[DefId]) -> Self {
        let links = match &plan.looked_up.foreign {
            Some(foreign) => callers::foreign_uses(plan, foreign),
            None => asked_for(plan, seeds),
        };
        let waiting = |link| Waiting {
            link,
            tokens: 0,
            done: false,
        };
        Self {
            links: links.into_iter().map(waiting).collect(),
            seeds: seeds.to_vec(),
            whole_tests: plan.profile.max_whole_tests,
        }
    }

    /// Adds the links that fit.
    pub(super) fn fill(&mut self, plan: &mut Plan<'_>, pass: BudgetScope) {
        for (position, waiting) in self.links.iter_mut().enumerate() {
            let link = &waiting.link;
            let has_share = link.is_urgent() || plan.share(link.section) > 0;
            // A link that was counted and does not fit need not be rendered again.
            if waiting.done || waiting.tokens > plan.packed.left() || !has_share {
                continue;
            }
            if !plan.deadline.allows(Stage::Links) {
                break;
            }
            let pass = match link.is_urgent() {
                true => BudgetScope::Rest,
                false => pass,
            };
            match add(plan, link, position, &mut self.whole_tests, pass) {
                Ok(()) => waiting.done = true,
                Err(tokens) => waiting.tokens = tokens,
            }
        }
    }

    /// Reports the tests and callers that did not fit as dropped, and adds issues that count the call sites or say that there
    /// is no dependency.
    pub(super) fn report(&self, plan: &mut Plan<'_>) {
        self.note_callers(plan);
        callers::note_unsure(plan);
        if self.links.is_empty() {
            related::note_no_dependency(plan);
        }
        let limit = plan.config.max_dropped / 2;
        let (mut tests, mut others) = (0, 0);
        let mut named = HashSet::default();
        for waiting in self
            .links
            .iter()
            .filter(|waiting| !waiting.done && waiting.tokens > 0)
        {
            let Some((file, name, lines)) = reported(plan, &waiting.link) else {
                continue;
            };
            // A body that was added later may show it.
            if plan.packed.shows_all(file, lines) {
                continue;
            }
            let is_test = matches!(waiting.link.shows, Linked::Test(_));
            // A function may call another one several times.
            if !named.insert((is_test, file, name.clone())) {
                continue;
            }
            let dropped = Dropped {
                path: plan.snapshot.files.path(file).to_owned(),
                name,
                lines: Some(lines),
                tokens: waiting.tokens,
                reason: DropReason::Budget,
            };
            let listed = if is_test { &mut tests } else { &mut others };
            if *listed < limit {
                *listed += 1;
                plan.dropped.add(dropped);
            } else {
                plan.dropped.count(dropped);
            }
        }
    }

    /// Adds an issue for each of the best seeds with more uses than are listed or shown.
    fn note_callers(&self, plan: &mut Plan<'_>) {
        const NOTED: usize = 3;
        let has_definitions = !plan.looked_up.definitions.is_empty();
        let asks_for_uses = plan.looked_up.asks_for_uses() && has_definitions;
        if plan.profile.callers == 0 || plan.looked_up.is_exact() && !asks_for_uses {
            return;
        }
        let shown = plan.packed.lines_by_file();
        for seed in self.seeds.iter().take(NOTED) {
            let uses = plan.snapshot.graph.uses_of(*seed).iter();
            let sure = uses.filter(|site| site.confidence != Confidence::NameOnly);
            let is_shown = |site: &&CallSite| {
                let of_file = shown.get(&site.file);
                of_file.is_some_and(|all| all.iter().any(|lines| lines.contains(site.line)))
            };
            let (sure, shown) = (sure.clone().count(), sure.filter(is_shown).count());
            if sure > shown {
                let name = &plan.snapshot.files.definition(*seed).qualified_name;
                let detail = match sure {
                    1 => format!("{name} has 1 use, which is not shown"),
                    _ => format!("{name} has {sure} uses; {shown} are listed or shown"),
                };
                plan.issues.push(Issue {
                    code: IssueCode::MoreCallers,
                    detail,
                });
            }
        }
    }
}

/// Adds a link unless what it shows is shown already; returns its tokens as the error if it does not fit.
fn add(
    plan: &mut Plan<'_>,
    link: &Link,
    position: usize,
    whole_tests: &mut usize,
    pass: BudgetScope,
) -> Result<(), usize> {
    let order = (EntryKind::Link, position);
    let Some((entry, shows)) = entry(plan, link) else {
        return Ok(());
    };
    if let Linked::Test(id) = link.shows
        && *whole_tests > 0
        && test_links::add_whole(plan, id, &link.reason, order, pass)
    {
        *whole_tests -= 1;
        return Ok(());
    }
    let entry = Entry {
        reason: link.reason.clone(),
        facts: link.facts.clone(),
        ..entry
    };
    plan.try_add(entry, shows, order, pass)
}

/// Returns the entry of a link, without reason and facts, and what it shows; `None` if that is shown already.
fn entry(plan: &Plan<'_>, link: &Link) -> Option<(Entry, ShownPart)> {
    let (snapshot, packed) = (plan.snapshot, &plan.packed);
    let is_shown = match &link.shows {
        Linked::Test(id) => {
            let lines = snapshot.files.definition(*id).lines;
            packed.has(PlaceId::Definition(*id)) || packed.shows_any(id.file, lines)
        }
        Linked::TestFile(file) => packed.shows_all(*file, WHOLE_FILE),
        Linked::Signature(id) => plan.shows_signature(*id),
        Linked::Use(of) => packed.shows_any(of.file, Lines::new(of.line, of.line)),
        Linked::Import(..) => false,
    };
    if is_shown {
        return None;
    }
    let with_lines = |file, entry: Entry| {
        let shows = ShownPart::lines(file, entry.lines);
        (entry, shows)
    };
    Some(match &link.shows {
        Linked::Test(id) | Linked::Signature(id) => (
            card::compact(snapshot, *id, link.section),
            ShownPart::card_of(*id),
        ),
        Linked::TestFile(file) => {
            let limit = plan.config.cards.max_members / 2;
            let outline = card::outline(snapshot, *file, link.section, limit)?;
            (outline, ShownPart::card(*file, None))
        }
        Linked::Use(of) => with_lines(of.file, callers::entry(plan, of)),
        Linked::Import(file, statement, line) => {
            with_lines(*file, imports::entry(plan, *file, *statement, *line)?)
        }
    })
}

/// Returns the file, name and lines by which a link that does not fit is reported; `None` for an import, a file of tests and
/// a definition that is among the bodies.
fn reported(plan: &Plan<'_>, link: &Link) -> Option<(FileId, String, Lines)> {
    match &link.shows {
        Linked::Signature(id) if plan.looked_up.definitions.contains(id) => None,
        Linked::Test(id) | Linked::Signature(id) => {
            let definition = plan.snapshot.files.definition(*id);
            let name = definition.qualified_name.to_string();
            Some((id.file, name, definition.own_lines()))
        }
        Linked::Use(of) => Some((of.file, of.name.clone(), Lines::new(of.line, of.line))),
        Linked::TestFile(_) | Linked::Import(..) => None,
    }
}
