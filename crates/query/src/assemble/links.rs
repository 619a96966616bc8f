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
            Some(LookUp::Uses) if plan.looked_up.foreign_imports().is_some() => {
                imports::foreign(plan)
            }
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
                Link::ForeignName { name, site } => {
                    callers::add_foreign_name(plan, name, site, position, pass)
                }
                Link::LibraryInterface { name, id } => {
                    related::add_implementer(plan, *id, name, position, pass)
                }
                Link::Removed(of) => removed::add_use(plan, of, position),
                Link::Import {
                    chain,
                    statement,
                    line,
                } => imports::add_import(plan, chain, (*statement, *line), position, pass),
                Link::ForeignImport {
                    from,
                    module,
                    statement,
                    line,
                } => {
                    let place = (*statement, *line);
                    imports::add_statement(plan, *from, module.clone(), place, position, pass)
                }
            };
            match added {
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
            let Some(report) = Report::of(plan, &waiting.link) else {
                continue;
            };
            // A body that was added later may show it.
            if plan.packed.shows_all(report.file, report.lines) {
                continue;
            }
            // A function may call another one several times.
            if !named.insert((report.is_test, report.file, report.name.clone())) {
                continue;
            }
            let dropped = Dropped {
                path: plan.snapshot.files.path(report.file).to_owned(),
                name: report.name,
                lines: Some(report.lines),
                tokens: waiting.tokens,
                reason: DropReason::Budget,
            };
            let listed = match report.is_test {
                true => &mut tests,
                false => &mut others,
            };
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
        let has_definitions = !plan.looked_up.definitions().is_empty();
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
                plan.issues.push(Issue {
                    code: IssueCode::MoreCallers,
                    detail: format!("{name} has {sure} uses; {shown} are listed or shown"),
                });
            }
        }
    }
}

/// The report of a link that does not fit. Tests and other links are listed up to a limit each.
struct Report {
    is_test: bool,
    file: FileId,
    name: String,
    lines: Lines,
}

impl Report {
    /// Returns the report of a link; `None` for an import, a file of tests and a definition that is among the bodies.
    fn of(plan: &Plan<'_>, link: &Link) -> Option<Self> {
        let files = &plan.snapshot.files;
        match link {
            Link::Related {
                relation: Relation::Same,
                ..
            }
            | Link::TestFile { .. }
            | Link::Import { .. }
            | Link::ForeignImport { .. } => None,
            Link::Test { id, .. }
            | Link::Related { id, .. }
            | Link::LibraryInterface { id, .. } => {
                let definition = files.definition(*id);
                Some(Self {
                    is_test: matches!(link, Link::Test { .. }),
                    file: id.file,
                    name: definition.qualified_name.to_string(),
                    lines: definition.own_lines(),
                })
            }
            Link::Caller { site, .. } | Link::ForeignName { site, .. } => {
                let name = callers::enclosing(plan, site).unwrap_or_default();
                Some(Self::of_line(site.file, site.line, name))
            }
            Link::Removed(of) => {
                let name = removed::enclosing(files, of);
                Some(Self::of_line(of.file, of.line, name))
            }
        }
    }

    fn of_line(file: FileId, line: u32, name: String) -> Self {
        Self {
            is_test: false,
            file,
            name,
            lines: Lines::new(line, line),
        }
    }
}
