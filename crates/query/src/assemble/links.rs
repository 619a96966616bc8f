//! What hangs together with what is shown: its tests, its callers at their call sites, and how the
//! best files import each other.

use foldhash::HashSet;
use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId, FileId};
use foveate_model::{Lines, ReferenceKind, Role, Span};

use super::card;
use super::near_duplicates::Stretch;
use super::packed::{LINK, Shows};
use super::plan::{Pass, Plan};
use super::render::{Entry, SectionKind, Shape};
use super::source::{around, clean, one_line, prefix};
use super::{Dropped, Fidelity};
use crate::issue::Issue;
use crate::rank::{PlaceId, RankedPlace};

/// Longest line of a call site or import, in bytes: about 60 tokens.
const LINE: usize = 240;
/// Tests per seed that are looked at, the surest first.
const TESTS_PER_SEED: usize = 40;
/// Test files per seed's file.
const TEST_FILES: usize = 3;

/// Something that may be listed.
#[derive(Clone, Debug)]
enum Link {
    /// A test, and the best definition that it tests.
    Test { id: DefId, of: DefId },
    /// A file of tests of another file.
    TestFile { file: FileId, tests: FileId },
    /// A use of a definition.
    Caller { of: DefId, site: CallSite },
    /// Files that import each other, the importing one first, and the statement's place.
    Import {
        chain: Vec<FileId>,
        statement: Span,
        line: u32,
    },
}

impl Link {
    fn section(&self) -> SectionKind {
        match self {
            Self::Test { .. } | Self::TestFile { .. } => SectionKind::Tests,
            Self::Caller { .. } => SectionKind::Callers,
            Self::Import { .. } => SectionKind::Imports,
        }
    }
}

#[derive(Debug)]
struct Waiting {
    link: Link,
    /// What it costs, once counted.
    tokens: usize,
    done: bool,
}

/// Tests, callers and imports, each kind with the best first.
#[derive(Debug)]
pub(super) struct Links {
    links: Vec<Waiting>,
    seeds: Vec<DefId>,
    whole_tests: usize,
}

impl Links {
    pub(super) fn new(plan: &Plan<'_>, seeds: &[DefId]) -> Self {
        let mut links = tests(plan, seeds);
        links.extend(callers(plan, seeds));
        links.extend(imports(plan));
        let waiting = |link| Waiting {
            link,
            tokens: 0,
            done: false,
        };
        Self {
            links: links.into_iter().map(waiting).collect(),
            seeds: seeds.to_vec(),
            whole_tests: plan.profile.whole_tests,
        }
    }

    /// Adds what fits.
    pub(super) fn fill(&mut self, plan: &mut Plan<'_>, pass: Pass) {
        for (position, waiting) in self.links.iter_mut().enumerate() {
            // What was counted need not be counted again to know that it does not fit.
            if waiting.done
                || waiting.tokens > plan.packed.left()
                || plan.share(waiting.link.section()) == 0
            {
                continue;
            }
            let added = match &waiting.link {
                Link::Test { id, of } => {
                    add_test(plan, *id, *of, position, &mut self.whole_tests, pass)
                }
                Link::TestFile { file, tests } => {
                    add_test_file(plan, *file, *tests, position, pass)
                }
                Link::Caller { of, site } => add_caller(plan, *of, site, position, pass),
                Link::Import {
                    chain,
                    statement,
                    line,
                } => add_import(plan, chain, *statement, *line, position, pass),
            };
            match added {
                Ok(()) => waiting.done = true,
                Err(tokens) => waiting.tokens = tokens,
            }
        }
    }

    /// Lists the tests and callers that did not fit, and says how many call sites there are.
    pub(super) fn report(&self, plan: &mut Plan<'_>) {
        self.note_callers(plan);
        let most = plan.config.dropped / 2;
        let mut listed = [0usize; 2];
        for waiting in self
            .links
            .iter()
            .filter(|waiting| !waiting.done && waiting.tokens > 0)
        {
            let files = &plan.snapshot.files;
            let (kind, file, name) = match &waiting.link {
                Link::Test { id, .. } => (
                    0,
                    files.file_of(*id),
                    files.definition(*id).qualified_name.to_string(),
                ),
                Link::Caller { site, .. } => {
                    (1, site.file, enclosing(plan, site).unwrap_or_default())
                }
                Link::TestFile { .. } | Link::Import { .. } => continue,
            };
            let Some(count) = listed.get_mut(kind).filter(|count| **count < most) else {
                continue;
            };
            *count += 1;
            plan.dropped.push(Dropped {
                path: files.path(file).to_owned(),
                name,
                tokens: waiting.tokens,
                reason: "budget",
            });
        }
    }
}

impl Links {
    /// Says of the best seeds how many of their uses are not listed.
    fn note_callers(&self, plan: &mut Plan<'_>) {
        const NOTED: usize = 3;
        if plan.profile.callers == 0 {
            return;
        }
        for seed in self.seeds.iter().take(NOTED) {
            let uses = plan.snapshot.graph.uses_of(*seed);
            let sure = uses
                .iter()
                .filter(|site| site.confidence != Confidence::NameOnly)
                .count();
            let shown = self
                .links
                .iter()
                .filter(|w| w.done && matches!(w.link, Link::Caller { of, .. } if of == *seed))
                .count();
            if sure > shown {
                let name = &plan.snapshot.files.definition(*seed).qualified_name;
                plan.notes.push(Issue {
                    code: "more_callers",
                    detail: format!("{name} is used at {sure} places; {shown} are listed or shown"),
                });
            }
        }
    }
}

/// Tests of the seeds: those that test several, then those of the best seed, then the surest.
fn tests(plan: &Plan<'_>, seeds: &[DefId]) -> Vec<Link> {
    let graph = &plan.snapshot.graph;
    let files = &plan.snapshot.files;
    let mut found: Vec<(DefId, f32, DefId)> = Vec::new();
    for (position, seed) in seeds.iter().enumerate() {
        for (test, link) in graph.tests_of(*seed).iter().take(TESTS_PER_SEED) {
            // Links are ordered from a guess by path to a reference.
            let weight = (1.0 + f32::from(*link as u8)) / (position as f32 + 1.0);
            found.push((*test, weight, *seed));
        }
    }
    // Stable, so that the weights of one test are summed in the order of the seeds.
    found.sort_by_key(|(test, ..)| *test);
    let mut summed: Vec<(DefId, f32, DefId)> = Vec::new();
    for (test, weight, of) in found {
        match summed.last_mut() {
            Some((last, sum, _)) if *last == test => *sum += weight,
            _ => summed.push((test, weight, of)),
        }
    }
    summed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut links: Vec<Link> = summed
        .into_iter()
        .take(plan.most_links(SectionKind::Tests))
        .map(|(id, _, of)| Link::Test { id, of })
        .collect();
    let mut listed = HashSet::default();
    for link in &links {
        if let Link::Test { id, .. } = link {
            listed.insert(files.file_of(*id));
        }
    }
    for seed in seeds {
        let file = files.file_of(*seed);
        for (tests, _) in graph.test_files_of(file).iter().take(TEST_FILES) {
            if listed.insert(*tests) && links.len() < plan.most_links(SectionKind::Tests) * 2 {
                links.push(Link::TestFile {
                    file,
                    tests: *tests,
                });
            }
        }
    }
    links
}

/// Call sites of the seeds, sure ones only: calls before other uses, source before tests, those in
/// the best functions first, then those in the best files.
fn callers(plan: &Plan<'_>, seeds: &[DefId]) -> Vec<Link> {
    if plan.profile.callers == 0 {
        return Vec::new();
    }
    let files = &plan.snapshot.files;
    let mut place = foldhash::HashMap::default();
    for (position, file) in plan.ranked.files.iter().enumerate() {
        place.insert(file.id, position);
    }
    let functions = plan.ranked.functions.iter().enumerate();
    let function_place: foldhash::HashMap<DefId, usize> =
        functions.map(|(position, f)| (f.id, position)).collect();
    let key = |site: &CallSite| {
        let role = files.file(site.file).role;
        let kind = files
            .content(site.file)
            .and_then(|c| c.facts.references.get(site.reference as usize))
            .map(|r| r.kind);
        (
            kind != Some(ReferenceKind::Call),
            role == Role::Test,
            std::cmp::Reverse(site.confidence),
            site.enclosing
                .and_then(|id| function_place.get(&id).copied())
                .unwrap_or(usize::MAX),
            place.get(&site.file).copied().unwrap_or(usize::MAX),
            site.file,
            site.line,
            site.reference,
        )
    };
    let mut per_seed: Vec<Vec<Link>> = Vec::new();
    let most = plan.config.links.callers_of_one;
    for seed in seeds {
        let mut sites: Vec<_> = plan
            .snapshot
            .graph
            .uses_of(*seed)
            .iter()
            .filter(|site| site.confidence != Confidence::NameOnly && !is_within(plan, site, *seed))
            .map(|site| (key(site), *site))
            .collect();
        if sites.len() > most {
            sites.select_nth_unstable_by(most, |a, b| a.0.cmp(&b.0));
            sites.truncate(most);
        }
        sites.sort_by_key(|(key, _)| *key);
        sites.dedup_by_key(|(_, site)| (site.file, site.line));
        per_seed.push(
            sites
                .into_iter()
                .map(|(_, site)| Link::Caller { of: *seed, site })
                .collect(),
        );
    }
    // The best seed's callers are worth most, but one seed with many must not hide the others.
    let mut links = Vec::new();
    let rounds = per_seed.iter().map(Vec::len).max().unwrap_or(0);
    const IN_TURN: usize = 4;
    for round in (0..rounds).step_by(IN_TURN) {
        for list in &per_seed {
            links.extend(list.iter().skip(round).take(IN_TURN).cloned());
        }
    }
    links.truncate(plan.most_links(SectionKind::Callers));
    links
}

/// Whether a definition is used by itself: a recursion, or a class that names itself.
fn is_within(plan: &Plan<'_>, site: &CallSite, definition: DefId) -> bool {
    let files = &plan.snapshot.files;
    site.enclosing == Some(definition)
        || (site.file == files.file_of(definition)
            && files.definition(definition).lines.contains(site.line))
}

/// How the best files import each other: directly, or through one other file.
fn imports(plan: &Plan<'_>) -> Vec<Link> {
    let files = &plan.snapshot.files;
    let graph = &plan.snapshot.graph;
    let best: Vec<FileId> = plan
        .ranked
        .files
        .iter()
        .map(|file| file.id)
        .filter(|file| files.content(*file).is_some())
        .take(plan.limits.import_files)
        .collect();
    let mut found: Vec<(usize, usize, Link)> = Vec::new();
    for (i, from) in best.iter().enumerate() {
        for (j, to) in best.iter().enumerate() {
            if i == j {
                continue;
            }
            if let Some((statement, line)) = statement(plan, *from, *to) {
                found.push((
                    1,
                    i + j,
                    Link::Import {
                        chain: vec![*from, *to],
                        statement,
                        line,
                    },
                ));
                continue;
            }
            // Only the best file's longer chains: others say little and are many.
            let through = if i == 0 { graph.imports(*from) } else { &[] };
            let middle = through.iter().find(|middle| {
                !best.contains(middle) && graph.imports(**middle).binary_search(to).is_ok()
            });
            if let Some(middle) = middle
                && let Some((statement, line)) = statement(plan, *from, *middle)
            {
                found.push((
                    2,
                    i + j,
                    Link::Import {
                        chain: vec![*from, *middle, *to],
                        statement,
                        line,
                    },
                ));
            }
        }
    }
    // Stable: pairs of equal rank stay in the order of the files.
    found.sort_by_key(|(length, rank, _)| (*length, *rank));
    found.into_iter().map(|(_, _, link)| link).collect()
}

/// The first statement of a file that imports another one.
fn statement(plan: &Plan<'_>, from: FileId, to: FileId) -> Option<(Span, u32)> {
    let modules = plan.snapshot.graph.import_modules(from);
    let position = modules.iter().position(|module| *module == Some(to))?;
    let import = plan
        .snapshot
        .files
        .content(from)?
        .facts
        .imports
        .get(position)?;
    Some((import.span, import.line))
}

fn add_test(
    plan: &mut Plan<'_>,
    id: DefId,
    of: DefId,
    position: usize,
    whole: &mut usize,
    pass: Pass,
) -> Result<(), usize> {
    let files = &plan.snapshot.files;
    let file = files.file_of(id);
    let definition = files.definition(id);
    let lines = definition.lines;
    let place = PlaceId::Definition(id);
    if plan.packed.has(place) || plan.packed.shows_any(file, lines) {
        return Ok(());
    }
    let shows = |lines| Shows {
        file,
        place: Some(place),
        lines,
    };
    let reason = format!("tests {}", files.definition(of).qualified_name);
    let stretch = Stretch::of_definition(files, id);
    if *whole > 0 && definition.kind.is_function() && plan.find_near_duplicate(stretch).is_none() {
        let mut entry = card::full(
            plan.snapshot,
            &RankedPlace::new(files, place),
            SectionKind::Tests,
        );
        entry.reason.clone_from(&reason);
        if plan
            .try_add(entry, shows(vec![lines]), (LINK, position), pass)
            .is_ok()
        {
            *whole -= 1;
            plan.near_duplicates.show(stretch);
            return Ok(());
        }
    }
    let mut entry = card::compact(plan.snapshot, id, SectionKind::Tests);
    entry.reason = reason;
    plan.try_add(entry, shows(Vec::new()), (LINK, position), pass)
}

fn add_test_file(
    plan: &mut Plan<'_>,
    file: FileId,
    tests: FileId,
    position: usize,
    pass: Pass,
) -> Result<(), usize> {
    let Some(mut entry) = card::outline(
        plan.snapshot,
        tests,
        SectionKind::Tests,
        plan.config.cards.members / 2,
    ) else {
        return Ok(());
    };
    let tested = plan.snapshot.files.path(file).to_owned();
    entry.reason = format!("tests {tested}");
    entry.facts.push(("tests", tested));
    let shows = Shows {
        file: tests,
        place: None,
        lines: Vec::new(),
    };
    plan.try_add(entry, shows, (LINK, position), pass)
}

fn add_caller(
    plan: &mut Plan<'_>,
    of: DefId,
    site: &CallSite,
    position: usize,
    pass: Pass,
) -> Result<(), usize> {
    let files = &plan.snapshot.files;
    let text = files.text(site.file);
    let reference = files
        .content(site.file)
        .and_then(|c| c.facts.references.get(site.reference as usize));
    let Some(at) = reference.map(|reference| reference.name.start as usize) else {
        return Ok(());
    };
    if plan
        .packed
        .shows_any(site.file, Lines::new(site.line, site.line))
    {
        return Ok(());
    }
    let (mut lines, mut code) = around(text, at, site.line, plan.profile.caller_context);
    if plan.packed.shows_any(site.file, lines) || code.len() > LINE * 4 {
        (lines, code) = around(text, at, site.line, 0);
    }
    let one = lines.count() == 1;
    let (shape, body) = if one {
        (Shape::Line, one_line(code, LINE))
    } else {
        (Shape::Block, clean(code).into_owned())
    };
    let entry = Entry {
        section: SectionKind::Callers,
        shape,
        path: files.path(site.file).to_owned(),
        name: enclosing(plan, site).unwrap_or_default(),
        kind: "",
        lines,
        // A line that stands alone is shown without its indentation, and cut where it is long.
        fidelity: if one {
            Fidelity::Compact
        } else {
            Fidelity::Full
        },
        cut: false,
        folded: false,
        scope: None,
        reason: format!("uses {}", files.definition(of).qualified_name),
        facts: vec![
            ("calls", files.definition(of).qualified_name.to_string()),
            ("confidence", site.confidence.name().to_owned()),
        ],
        language: files.file(site.file).language,
        body,
    };
    let shows = Shows {
        file: site.file,
        place: None,
        lines: vec![lines],
    };
    plan.try_add(entry, shows, (LINK, position), pass)
}

/// The name of the definition that a call stands in.
fn enclosing(plan: &Plan<'_>, site: &CallSite) -> Option<String> {
    let id = site.enclosing?;
    Some(
        plan.snapshot
            .files
            .definition(id)
            .qualified_name
            .to_string(),
    )
}

fn add_import(
    plan: &mut Plan<'_>,
    chain: &[FileId],
    statement: Span,
    line: u32,
    position: usize,
    pass: Pass,
) -> Result<(), usize> {
    let files = &plan.snapshot.files;
    let Some((from, to)) = chain.split_first() else {
        return Ok(());
    };
    let text = statement.of(files.text(*from));
    let paths: Vec<&str> = to.iter().map(|file| files.path(*file)).collect();
    let last = line + prefix(text, 4000).trim_end().matches('\n').count() as u32;
    let lines = Lines::new(line, last);
    if plan.packed.shows_any(*from, lines) {
        return Ok(());
    }
    let entry = Entry {
        section: SectionKind::Imports,
        shape: Shape::Line,
        path: files.path(*from).to_owned(),
        name: String::new(),
        kind: "",
        lines,
        fidelity: Fidelity::Compact,
        cut: false,
        folded: false,
        scope: None,
        reason: format!("imports {}", paths.join(" -> ")),
        facts: vec![("imports", paths.join(" -> "))],
        language: files.file(*from).language,
        body: one_line(text, LINE),
    };
    let shows = Shows {
        file: *from,
        place: None,
        lines: vec![lines],
    };
    plan.try_add(entry, shows, (LINK, position), pass)
}
