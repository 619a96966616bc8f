//! Adds what is connected with the shown code: its tests, its call sites, and the imports between the best
//! files; or what a short question asks of a definition.

mod asked_tests;
pub(super) mod callers;
mod imports;
mod link;
pub(super) mod related;
mod removed;
pub(super) mod test_links;
pub(super) mod verb;

use foldhash::HashSet;
use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId, FileId};
use foveate_model::Lines;

use self::link::{Link, Relation};
use super::pack::{DropReason, Dropped};
use super::plan::{BudgetScope, Plan};
use crate::deadline::Stage;
use crate::intent::LookUp;
use crate::issue::{Issue, IssueCode};

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
        let links = match plan.looked_up.asks() {
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
            Some(LookUp::Uses) if !plan.looked_up.modules().is_empty() => imports::importers(plan),
            Some(LookUp::Definition | LookUp::Uses | LookUp::Calls | LookUp::Implementers)
            | None => around(plan, seeds),
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
            let has_share =
                matches!(waiting.link, Link::Removed(_)) || plan.share(waiting.link.section()) > 0;
            // A link that was counted and does not fit need not be rendered again.
            if waiting.done || waiting.tokens > plan.packed.left() || !has_share {
                continue;
            }
            if !plan.deadline.allows(Stage::Links) {
                break;
            }
            let added = match &waiting.link {
                Link::Test { id, of, relation } => {
                    let of = (*of, *relation);
                    test_links::add_test(plan, *id, of, position, &mut self.whole_tests, pass)
                }
                Link::Related { id, of, relation } => {
                    related::add(plan, *id, (*of, *relation), position, pass)
                }
                Link::TestFile { file, tests } => {
                    test_links::add_test_file(plan, *file, *tests, position, pass)
                }
                Link::Caller { of, through, site } => {
                    callers::add_caller(plan, (*of, *through), site, position, pass)
                }
                Link::ForeignBase { base, site } => {
                    callers::add_foreign_base(plan, base, site, position, pass)
                }
                Link::Removed(of) => removed::add_use(plan, of, position),
                Link::Import {
                    chain,
                    statement,
                    line,
                } => imports::add_import(plan, chain, *statement, *line, position, pass),
            };
            match added {
                Ok(()) => waiting.done = true,
                Err(tokens) => waiting.tokens = tokens,
            }
        }
    }

    /// Reports the tests and callers that did not fit as dropped, and adds issues that count the call sites.
    pub(super) fn report(&self, plan: &mut Plan<'_>) {
        self.note_callers(plan);
        let limit = plan.config.max_dropped / 2;
        let mut listed = [0usize; 2];
        let mut named = HashSet::default();
        for waiting in self
            .links
            .iter()
            .filter(|waiting| !waiting.done && waiting.tokens > 0)
        {
            let Some((list, file, name, lines)) = reported(plan, &waiting.link) else {
                continue;
            };
            // A body that was added later may show it.
            if plan.packed.shows_all(file, lines) {
                continue;
            }
            // A function may call another one several times.
            if !named.insert((list, file, name.clone())) {
                continue;
            }
            let dropped = Dropped {
                path: plan.snapshot.files.path(file).to_owned(),
                name,
                lines: Some(lines),
                tokens: waiting.tokens,
                reason: DropReason::Budget,
            };
            match listed.get_mut(list).filter(|count| **count < limit) {
                Some(count) => {
                    *count += 1;
                    plan.dropped.add(dropped);
                }
                None => plan.dropped.count(dropped),
            }
        }
    }

    /// Adds an issue for each of the best seeds with more uses than are listed or shown.
    fn note_callers(&self, plan: &mut Plan<'_>) {
        const NOTED: usize = 3;
        let asks_for_uses = plan.looked_up.asks_for_uses() && plan.looked_up.modules().is_empty();
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
                plan.issues.push(Issue {
                    code: IssueCode::MoreCallers,
                    detail: format!("{name} has {sure} uses; {shown} are listed or shown"),
                });
            }
        }
    }
}

/// Returns where a link is reported if it does not fit: in the list of tests (0) or in that of other links (1), with its
/// file, name and lines. A file of tests and an import are not.
fn reported(plan: &Plan<'_>, link: &Link) -> Option<(usize, FileId, String, Lines)> {
    let files = &plan.snapshot.files;
    let of_definition = |list: usize, id: DefId| {
        let definition = files.definition(id);
        let name = definition.qualified_name.to_string();
        Some((list, id.file, name, definition.own_lines()))
    };
    match link {
        Link::Test { id, .. } => of_definition(0, *id),
        // It is among the bodies.
        Link::Related {
            relation: Relation::Same,
            ..
        } => None,
        Link::Related { id, .. } => of_definition(1, *id),
        Link::Caller { site, .. } | Link::ForeignBase { site, .. } => {
            let name = callers::enclosing(plan, site).unwrap_or_default();
            Some((1, site.file, name, Lines::new(site.line, site.line)))
        }
        Link::Removed(of) => {
            let name = removed::enclosing(files, of);
            Some((1, of.file, name, Lines::new(of.line, of.line)))
        }
        Link::TestFile { .. } | Link::Import { .. } => None,
    }
}
