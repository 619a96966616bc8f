//! Finds call sites of the shown definitions; each is shown with the lines around it.

use std::cmp::Reverse;

use foldhash::{HashMap, HashSet};
use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::{Lines, ReferenceKind, Role};

use super::imports;
use super::link::{self, LINE, Link, Linked, Use};
use super::related::implementer;
use crate::assemble::entry::{Entry, Layout, SectionKind};
use crate::assemble::foreign_names::{Foreign, ForeignUses};
use crate::assemble::hierarchy::{self, is_type};
use crate::assemble::pack::Fidelity;
use crate::assemble::plan::Plan;
use crate::assemble::reasons::BY_NAME_ALONE;
use crate::assemble::verb::{Verb, is_base, is_call, is_kind, verb};
use crate::excerpt::{around, clean};
use crate::intent::{IntentKind, LookUp};
use crate::issue::{self, Issue, IssueCode};

/// Returns the call sites of the seeds, a few of each seed in turn, those resolved by name only where a question has no
/// others. Those of one seed are sorted: calls before other uses, source before tests, then by certainty, the rank of
/// the calling function and the rank of the file.
pub(super) fn callers(plan: &Plan<'_>, seeds: &[DefId]) -> Vec<Link> {
    if plan.profile.callers == 0 {
        return Vec::new();
    }
    let files = &plan.snapshot.files;
    let ranks = Ranks::new(plan);
    if plan.looked_up.asks() == Some(LookUp::Calls) && has_type(plan) {
        return callers_of_members(plan, &ranks);
    }
    let mut links = implementers(plan, &ranks);
    if plan.looked_up.asks() == Some(LookUp::Implementers) && !links.is_empty() {
        return links;
    }
    for named in plan.named.ids().take(MAX_NAMED_METHODS) {
        links.extend(callers_through_overridden(plan, named, &ranks));
    }
    let max_links = plan.max_links(SectionKind::Callers).max(links.len());
    let of_seeds: Vec<Vec<CallSite>> = seeds
        .iter()
        .map(|seed| callers_of(plan, *seed, &ranks))
        .collect();
    // The best seed's callers are worth most, but a seed with many callers must not hide the others.
    const SITES_PER_TURN: usize = 4;
    let rounds = of_seeds.iter().map(Vec::len).max().unwrap_or(0);
    for round in (0..rounds).step_by(SITES_PER_TURN) {
        for (seed, sites) in seeds.iter().zip(&of_seeds) {
            let sites = sites.iter().skip(round).take(SITES_PER_TURN);
            links.extend(sites.filter_map(|site| caller(files, *seed, None, site)));
        }
        if links.len() >= max_links {
            break;
        }
    }
    links.truncate(max_links);
    links
}

/// Whether one of the looked up definitions is a type or a module that classes include.
fn has_type(plan: &Plan<'_>) -> bool {
    let mut definitions = plan.looked_up.definitions.iter();
    definitions.any(|id| is_type(plan.snapshot, *id))
}

/// Returns the calls of the looked up types, which construct objects, and of their members, grouped by member.
fn callers_of_members(plan: &Plan<'_>, ranks: &Ranks) -> Vec<Link> {
    let files = &plan.snapshot.files;
    let parts = plan.looked_up.parts.iter();
    let links = parts.flat_map(|of| {
        let kind = files.definition(*of).kind;
        let sites = callers_of(plan, *of, ranks).into_iter();
        sites
            .filter(move |site| {
                kind.is_function() || kind.is_class() && verb(files, *of, site) == Verb::Calls
            })
            .filter_map(move |site| caller(files, *of, None, &site))
    });
    links.take(plan.config.links.max_named_uses).collect()
}

/// A method with fewer call sites outside of tests is mostly called through the methods that it overrides.
const FEW_CALLERS: usize = 3;
/// Maximum named definitions of which such calls are looked up.
const MAX_NAMED_METHODS: usize = 4;

/// Returns the call sites of a method that has few of them, and then the best ones of the methods that it overrides or
/// implements, if the query asks who uses it. Which of the overriding methods such a call reaches is not known, so that
/// none is more certain than its name.
fn callers_through_overridden(plan: &Plan<'_>, method: DefId, ranks: &Ranks) -> Vec<Link> {
    if plan.intent != IntentKind::UsageExploration {
        return Vec::new();
    }
    let overridden = overridden(plan, method);
    if overridden.is_empty() {
        return Vec::new();
    }
    let own = callers_of(plan, method, ranks);
    let files = &plan.snapshot.files;
    let shipped = own.iter().filter(|site| site.role(files) != Role::Test);
    if shipped.count() >= FEW_CALLERS {
        return Vec::new();
    }
    let own = own.into_iter().map(|site| (None, site));
    let through = overridden.into_iter().flat_map(|through| {
        let sites = callers_of(plan, through, ranks).into_iter();
        sites.map(move |site| {
            let confidence = Confidence::NameOnly;
            (Some(through), CallSite { confidence, ..site })
        })
    });
    let mut all: Vec<(Option<DefId>, CallSite)> = own.chain(through).collect();
    all.sort_by_key(|(_, site)| site.role(files) == Role::Test);
    let all = all.into_iter();
    all.filter_map(|(through, site)| caller(files, method, through, &site))
        .collect()
}

/// Returns the methods of the bases of a method's class that have its name, those of the nearest bases first, and those of
/// interfaces that the class implements without naming them.
fn overridden(plan: &Plan<'_>, method: DefId) -> Vec<DefId> {
    const MAX_BASES: usize = 32;
    let Snapshot { files, graph, .. } = plan.snapshot;
    let symbols = &plan.snapshot.symbols;
    let definition = files.definition(method);
    let class = graph.type_of_method(files, symbols, method);
    let Some(class) = class.filter(|_| definition.kind.is_function()) else {
        return Vec::new();
    };
    if definition.modifiers.is_constructor || definition.modifiers.is_static {
        return Vec::new();
    }
    let mut classes = vec![class];
    let mut at = 0;
    while let Some(class) = classes.get(at).copied() {
        at += 1;
        for base in graph.bases(class) {
            if classes.len() <= MAX_BASES && !classes.contains(base) {
                classes.push(*base);
            }
        }
    }
    let bases = classes.into_iter().skip(1);
    let members = bases.flat_map(|base| files.members(base));
    let named_alike = members.filter(|id| {
        let member = files.definition(*id);
        member.kind.is_function() && member.name == definition.name
    });
    let mut found: Vec<DefId> = named_alike.collect();
    for id in graph.implemented(files, symbols, method) {
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}

/// Maximum classes that are listed as implementers of what the query names. Each takes one line; the share of callers
/// bounds them further.
const MAX_IMPLEMENTERS: usize = 64;

/// Returns the places where classes extend or implement the types that the query names, if it asks for that, those where
/// object literals are stated to have these types, and the types that implement them without naming them. They are the whole
/// answer, so that the limits on callers do not apply to them.
fn implementers(plan: &Plan<'_>, ranks: &Ranks) -> Vec<Link> {
    if !asks_for_implementers(plan) {
        return Vec::new();
    }
    let files = &plan.snapshot.files;
    let types = plan.named.ids();
    let types: Vec<DefId> = types
        .filter(|id| files.definition(*id).kind.is_container())
        .collect();
    let implicit = types.iter().flat_map(|of| {
        let name = &*files.definition(*of).qualified_name;
        let found = hierarchy::implementers(plan.snapshot, *of).into_iter();
        found.map(move |id| implementer(id, name))
    });
    let implicit: Vec<Link> = implicit.collect();
    // Objects of a type follow the types that extend it.
    let is_object = |site: &CallSite| {
        let enclosing = site.enclosing.map(|id| files.definition(id).kind);
        enclosing.is_some_and(|kind| !kind.is_container())
    };
    let mut sites: Vec<_> = types
        .into_iter()
        .flat_map(|of| {
            let sites = plan.snapshot.graph.uses_of(of).iter();
            sites.map(move |site| (of, *site))
        })
        .filter(|(of, site)| {
            site.confidence != Confidence::NameOnly
                && site.enclosing != Some(*of)
                && is_base(files, *of, site)
        })
        .map(|(of, site)| ((is_object(&site), ranks.key(files, &site)), of, site))
        .collect();
    sites.sort_by_key(|(key, of, _)| (*key, *of));
    let sites = sites.into_iter();
    let links = sites.filter_map(|(_, of, site)| caller(files, of, None, &site));
    implicit
        .into_iter()
        .chain(links)
        .take(MAX_IMPLEMENTERS)
        .collect()
}

/// Returns the places where code names what the repository does not define, those in sources first, or the types that
/// implement it without naming it.
pub(super) fn foreign_uses(plan: &Plan<'_>, foreign: &Foreign) -> Vec<Link> {
    let files = &plan.snapshot.files;
    let max_links = plan.config.links.max_named_uses;
    let Foreign { name, uses } = foreign;
    match uses {
        ForeignUses::Types(types) => {
            let links = types.iter().map(|id| implementer(*id, name));
            links.take(max_links).collect()
        }
        ForeignUses::Imports(first) => imports::foreign(plan, name, first),
        ForeignUses::Sites(sites) => {
            let ranks = Ranks::new(plan);
            let mut sites = sites.clone();
            sites.sort_by_key(|site| ranks.key(files, site));
            let links = sites.iter().filter_map(|site| {
                let verb = match is_call(files, site) {
                    true => Verb::Calls,
                    false => Verb::Uses,
                };
                use_of(files, name, verb, site)
            });
            links.take(max_links).collect()
        }
    }
}

/// Whether a question is about the classes that extend or implement a type.
fn asks_for_implementers(plan: &Plan<'_>) -> bool {
    const STARTS: [&str; 5] = ["implement", "extend", "subclass", "subtype", "inherit"];
    let mut words = plan.request.query.split(|c: char| !c.is_alphabetic());
    let says_so = |word: &str| {
        let word = word.to_lowercase();
        STARTS.iter().any(|start| word.starts_with(start))
    };
    plan.looked_up.asks() == Some(LookUp::Implementers)
        || plan.intent == IntentKind::UsageExploration && words.any(says_so)
}

/// Returns the best call sites of a definition, one per line.
fn callers_of(plan: &Plan<'_>, seed: DefId, ranks: &Ranks) -> Vec<CallSite> {
    let limits = &plan.config.links;
    let limit = match plan.looked_up.is_found() {
        true => limits.max_named_uses,
        false => limits.max_callers_per_seed,
    };
    let sites = plan.snapshot.graph.uses_of(seed).iter();
    let is_sure = |site: &&CallSite| site.confidence != Confidence::NameOnly;
    // Where a question has no sure answer, uses that may be meant are one: methods of unknown objects.
    let lists_unsure = plan.looked_up.lists_unsure_uses(seed);
    let files = &plan.snapshot.files;
    // Tests do not explain how something works: a flow enters it elsewhere.
    let is_explained = plan.intent == IntentKind::Explanation;
    let is_wanted = |site: &&CallSite| !is_explained || site.role(files) != Role::Test;
    let mut sites: Vec<_> = sites
        .filter(|site| (lists_unsure || is_sure(site)) && !is_within(plan, site, seed))
        .filter(is_wanted)
        .map(|site| (ranks.key(files, site), *site))
        .collect();
    if sites.len() > limit {
        sites.select_nth_unstable_by(limit, |a, b| a.0.cmp(&b.0));
        sites.truncate(limit);
    }
    sites.sort_by_key(|(key, _)| *key);
    sites.dedup_by_key(|(_, site)| (site.file, site.line));
    sites.into_iter().map(|(_, site)| site).collect()
}

/// Adds an issue that counts the uses that a question asks for, but that are known by name alone and not shown.
pub(super) fn note_unsure(plan: &mut Plan<'_>) {
    let count = count_unsure(plan);
    if count == 0 {
        return;
    }
    let files = &plan.snapshot.files;
    let definitions = plan.looked_up.definitions.iter();
    let names = definitions.map(|id| &*files.definition(*id).qualified_name);
    let detail = format!(
        "{} may have {count} more uses, known by name alone; they are not listed",
        issue::list(names)
    );
    plan.issues.push(Issue {
        code: IssueCode::MoreCallers,
        detail,
    });
}

fn count_unsure(plan: &Plan<'_>) -> usize {
    let Snapshot { files, graph, .. } = plan.snapshot;
    let definitions = &plan.looked_up.definitions;
    // Of the members of a type only functions are called.
    let is_asked =
        |id: &&DefId| definitions.contains(*id) || files.definition(**id).kind.is_function();
    let used = plan.looked_up.used().iter().filter(is_asked);
    let sites = used.flat_map(|of| {
        let sites = graph.uses_of(*of).iter();
        sites.filter(move |site| !is_within(plan, site, *of))
    });
    let sites: Vec<&CallSite> = sites.collect();
    let shown = plan.packed.lines_by_file();
    let is_hidden = |site: &&CallSite| {
        let of_file = shown.get(&site.file);
        of_file.is_none_or(|all| !all.iter().any(|lines| lines.contains(site.line)))
    };
    // What surely uses one of the definitions uses none of the others.
    let (unsure, sure): (Vec<&CallSite>, Vec<&CallSite>) = sites
        .into_iter()
        .partition(|site| site.confidence == Confidence::NameOnly);
    let key = |site: &CallSite| (site.file, site.reference);
    let sure: HashSet<(FileId, u32)> = sure.into_iter().map(key).collect();
    let unsure = unsure.into_iter().filter(is_hidden).map(key);
    let unsure: HashSet<(FileId, u32)> = unsure.filter(|site| !sure.contains(site)).collect();
    unsure.len()
}

/// Positions of files and functions in their rankings.
struct Ranks {
    files: HashMap<FileId, usize>,
    functions: HashMap<DefId, usize>,
}

impl Ranks {
    fn new(plan: &Plan<'_>) -> Self {
        let files = plan.ranked.files.iter().enumerate();
        let functions = plan.ranked.functions.iter().enumerate();
        Self {
            files: files.map(|(rank, file)| (file.id, rank)).collect(),
            functions: functions
                .filter_map(|(rank, f)| Some((f.id.definition()?, rank)))
                .collect(),
        }
    }

    /// Returns the sort key of a call site; the best has the smallest.
    fn key(&self, files: &Files, site: &CallSite) -> impl Ord + Copy + use<> {
        let in_function = site.enclosing.and_then(|id| self.functions.get(&id));
        (
            !is_call(files, site),
            site.role(files) == Role::Test,
            Reverse(site.confidence),
            in_function.copied().unwrap_or(usize::MAX),
            self.files.get(&site.file).copied().unwrap_or(usize::MAX),
            (site.file, site.line, site.reference),
        )
    }
}

/// Whether a definition contains the call site, as in a recursion or a class that names itself.
fn is_within(plan: &Plan<'_>, site: &CallSite, definition: DefId) -> bool {
    let files = &plan.snapshot.files;
    site.enclosing == Some(definition)
        || (site.file == definition.file && files.definition(definition).lines.contains(site.line))
}

/// Makes the link to a call site of a definition, or of the method `through` that it overrides.
fn caller(files: &Files, of: DefId, through: Option<DefId>, site: &CallSite) -> Option<Link> {
    let name = |id: DefId| files.definition(id).qualified_name.to_string();
    let mut link = use_of(files, &name(of), verb(files, of, site), site)?;
    if let Some(through) = through.map(name) {
        link.reason = format!("{} through {through}", link.reason);
        link.facts.insert(1, ("through", through));
    } else if site.confidence == Confidence::NameOnly {
        link.reason = format!("{} {BY_NAME_ALONE}", link.reason);
    }
    Some(link)
}

/// Makes the link to a use of what has the name `used`.
fn use_of(files: &Files, used: &str, verb: Verb, site: &CallSite) -> Option<Link> {
    let references = &files.content(site.file)?.facts.references;
    let at = references.get(site.reference as usize)?.name.start;
    let enclosing = site.enclosing.map(|id| files.definition(id));
    let is_base = is_kind(files, site, ReferenceKind::Base)
        && enclosing.is_some_and(|of| (of.span.start..of.signature.end).contains(&at));
    Some(Link {
        section: SectionKind::Callers,
        reason: format!("uses {used}"),
        facts: vec![
            (verb.name(), used.to_owned()),
            ("confidence", site.confidence.name().to_owned()),
        ],
        shows: Linked::Use(Use {
            file: site.file,
            at,
            line: site.line,
            name: enclosing.map_or_else(String::new, |of| of.qualified_name.to_string()),
            head_of: site.enclosing.filter(|_| is_base),
            is_broken: false,
        }),
    })
}

/// Returns the entry of a use, without reason and facts: the head of the type that names what it uses as its base, or the
/// lines around it.
pub(super) fn entry(plan: &Plan<'_>, of: &Use) -> Entry {
    let head = of.head_of.and_then(|id| head(plan, id, of.line));
    Entry {
        name: of.name.clone(),
        ..head.unwrap_or_else(|| lines_around(plan, of))
    }
}

/// Returns the head of a class that names another as its base in a line, on one line, without its annotations, or that
/// of the variable or function whose object has the type. The lines around such a use say less than their names.
fn head(plan: &Plan<'_>, id: DefId, line: u32) -> Option<Entry> {
    let files = &plan.snapshot.files;
    let named = files.definition(id);
    let (first, last) = (named.span.start as usize, named.signature.end as usize);
    let text = files.text(id.file);
    let above = text.get(first..named.name_span.start as usize)?;
    let line_start = above.rfind('\n').map_or(first, |end| first + end + 1);
    let head_line = named.lines.start + above.matches('\n').count() as u32;
    let lines = Lines::new(head_line, line.max(head_line));
    if plan.packed.shows_any(id.file, lines) {
        return None;
    }
    let (body, cut) = link::line(text.get(line_start..last)?);
    Some(Entry {
        layout: Layout::Line,
        fidelity: Fidelity::Compact,
        cut,
        body,
        ..Entry::new(files, id.file, SectionKind::Callers, lines)
    })
}

/// Returns the entry of the line of a use with those around it.
fn lines_around(plan: &Plan<'_>, of: &Use) -> Entry {
    let files = &plan.snapshot.files;
    let (text, at) = (files.text(of.file), of.at as usize);
    let (mut lines, mut code) = around(text, at, of.line, plan.lines_around_use());
    if plan.packed.shows_any(of.file, lines) || code.len() > LINE * 4 {
        (lines, code) = around(text, at, of.line, 0);
    }
    // A single line is shown without its indentation, and cut if it is long.
    let (layout, fidelity, (body, cut)) = if lines.count() == 1 {
        (Layout::Line, Fidelity::Compact, link::line(code))
    } else {
        let body = clean(code).into_owned();
        (Layout::Block, Fidelity::Full, (body, false))
    };
    Entry {
        layout,
        fidelity,
        cut,
        body,
        ..Entry::new(files, of.file, SectionKind::Callers, lines)
    }
}
