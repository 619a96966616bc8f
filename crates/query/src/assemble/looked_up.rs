//! Finds the definitions or modules that a short question looks up by their exact name. The question is then about them and
//! what it asks of them alone: code that is merely near would take the budget of the answer, and the reader's time.

mod modules;
mod similar_names;

use std::cmp::Reverse;

use foldhash::HashSet;
use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::{DefinitionKind, Role};

use super::config::AssembleConfig;
use super::foreign_names::{self, Foreign};
use super::hierarchy::{is_extended, is_type, members, overriding, overriding_member};
use super::named::NamedDefinitions;
use super::named_directory;
use crate::intent::{IntentKind, LookUp};
use crate::issue::{self, Issue, IssueCode};
use crate::resolve::{EvidenceSource, Resolution, count_meanings, dotted};

/// Maximum definitions of a type or file that a question is about.
const MAX_PARTS: usize = 256;
/// Maximum definitions that are compared.
const MAX_COMPARED: usize = 4;
/// Maximum types of a name whose inherited method is looked up, and declarations beside definitions.
const MAX_INHERITING: usize = 4;
const MAX_DECLARATIONS: usize = 4;

/// The definitions that a short question looks up.
#[derive(Debug, Default)]
pub(super) struct LookedUp {
    /// What is asked of them.
    asks: Option<LookUp>,
    /// Empty if the question does not look up a name, or if its name is not found.
    pub(super) definitions: Vec<DefId>,
    /// The definitions and the members of those that are types; for a file its definitions. A question for the calls of a
    /// function with the name of a type is about no members.
    pub(super) parts: Vec<DefId>,
    /// The files that a question for uses, tests or dependencies names instead of definitions, or those of a directory.
    pub(super) modules: Vec<FileId>,
    /// The method of the definitions that a question for overrides is about, where they inherit it from a base outside the
    /// repository.
    pub(super) inherited: Option<String>,
    /// What the repository does not define, if the question is about that.
    pub(super) foreign: Option<Foreign>,
    /// Whether the question says nothing but their name.
    has_only_names: bool,
    /// Whether the question asks where they are, and each gets its signature alone: they are many, or only spelled like the
    /// name.
    pub(super) has_signatures_alone: bool,
    /// Whether anything surely uses them.
    has_uses: bool,
    /// Whether they have so many uses that each gets one line.
    pub(super) has_many_uses: bool,
    /// The issue that they have none of the tests, subclasses or overriding methods that are asked for, or that nothing has
    /// the name and they are spelled like it.
    pub(super) not_found: Option<Issue>,
    /// Whether nothing has the name of the question, and they are spelled like it.
    pub(super) is_guess: bool,
}

impl LookedUp {
    /// Finds what a question of a kind of intent looks up by its name, or else by a similar one.
    pub(super) fn new(
        snapshot: &Snapshot,
        (asks, kind): (LookUp, IntentKind),
        query: &str,
        (resolution, named): (&Resolution, &NamedDefinitions),
        config: &AssembleConfig,
    ) -> Self {
        let found = Self::of_name(snapshot, asks, query, (resolution, named), config);
        match found.is_found() {
            true => found,
            false => Self::of_similar_name(snapshot, resolution, kind).unwrap_or(found),
        }
    }

    fn of_name(
        snapshot: &Snapshot,
        asks: LookUp,
        query: &str,
        (resolution, named): (&Resolution, &NamedDefinitions),
        config: &AssembleConfig,
    ) -> Self {
        let definitions = written(resolution, named);
        let unknown = resolution.unknown_names.as_slice();
        let is_function = |id: &DefId| snapshot.files.definition(*id).kind.is_function();
        if let Some(declared) = declared_by_literal(snapshot, asks, resolution, &definitions) {
            let only_names = resolution.has_only_names;
            return Self::of_definitions(snapshot, (declared, asks), only_names, config);
        }
        if asks == LookUp::Implementers
            && let Some(foreign) = foreign_names::qualified_interface(snapshot, query, &definitions)
        {
            return Self::of_foreign(asks, Some(foreign), config);
        }
        if asks == LookUp::Uses && definitions.is_empty() {
            let modules = Self::of_modules(snapshot, resolution, query);
            if modules.is_found() {
                return modules;
            }
        }
        if let Some(name) = foreign_name(snapshot, asks, unknown, &definitions)
            && let Some(foreign) = foreign_names::uses(snapshot, &name, asks == LookUp::Calls)
        {
            return Self::of_foreign(asks, Some(foreign), config);
        }
        match asks {
            LookUp::Overrides if !unknown.is_empty() => Self::of_inherited(snapshot, unknown),
            LookUp::Implementers if definitions.is_empty() || !unknown.is_empty() => {
                let inherited = Self::of_inherited(snapshot, unknown);
                match inherited.is_found() {
                    true => inherited,
                    false => Self::of_foreign(asks, foreign_names::base(snapshot, query), config),
                }
            }
            _ if !unknown.is_empty() => Self::default(),
            LookUp::Uses if definitions.is_empty() => Self::default(),
            LookUp::Dependencies if definitions.is_empty() => {
                let directory = named_directory::sources(&snapshot.files, query);
                Self::of_dependent_modules(snapshot, resolution, directory)
            }
            LookUp::Tests if definitions.is_empty() => {
                Self::of_tested_modules(snapshot, resolution)
            }
            // What a type does is more than its own code says.
            LookUp::Behaviour if !definitions.iter().all(is_function) => Self::default(),
            _ => {
                let meant = meant(snapshot, asks, query, resolution, definitions);
                Self::of_definitions(snapshot, meant, resolution.has_only_names, config)
            }
        }
    }

    /// Finds what the question asks of the definitions that it means; where they have no such thing, their uses.
    fn of_definitions(
        snapshot: &Snapshot,
        (definitions, asks): (Vec<DefId>, LookUp),
        has_only_names: bool,
        config: &AssembleConfig,
    ) -> Self {
        let max_meanings = config.cards.max_meanings;
        let has_many = definitions.len() > max_meanings;
        let meanings = count_meanings(&snapshot.files, &definitions);
        if asks == LookUp::Implementers && meanings > max_meanings {
            return Self::default();
        }
        let parts = match asks {
            LookUp::Calls if has_factory(&snapshot.files, &definitions) => definitions.clone(),
            _ => parts(snapshot, &definitions),
        };
        let has_none = has_none(snapshot, asks, &definitions, &parts);
        let is_helper = asks == LookUp::Tests && are_test_code(&snapshot.files, &definitions);
        let not_found = match has_none && !is_helper {
            true => none_found(&snapshot.files, asks, &definitions),
            false => None,
        };
        if has_none && asks == LookUp::Tests && !is_helper {
            return Self {
                not_found,
                ..Self::default()
            };
        }
        let asks = if has_none { LookUp::Uses } else { asks };
        let uses = used(asks, &definitions, &parts)
            .iter()
            .flat_map(|id| snapshot.graph.uses_of(*id));
        let is_sure = |site: &&CallSite| site.confidence != Confidence::NameOnly;
        let sure = uses.filter(is_sure).count();
        Self {
            asks: Some(asks),
            definitions,
            parts,
            has_only_names,
            has_signatures_alone: asks == LookUp::Definition && has_only_names && has_many,
            has_uses: sure > 0,
            has_many_uses: sure > config.links.max_callers_per_seed,
            not_found,
            ..Self::default()
        }
    }

    /// Finds the types with methods that override a method of an unknown name, such as `Command.handle`, that its type
    /// inherits from a base outside the repository.
    fn of_inherited(snapshot: &Snapshot, unknown: &[String]) -> Self {
        let [name] = unknown else {
            return Self::default();
        };
        let name = dotted(name);
        let Some((owner, method)) = name.rsplit_once('.') else {
            return Self::default();
        };
        let Snapshot { files, symbols, .. } = snapshot;
        let class = owner.rsplit('.').next().unwrap_or(owner);
        let mut definitions = symbols.named(class).to_vec();
        definitions.retain(|id| {
            let definition = files.definition(*id);
            let outer = definition.qualified_name.strip_suffix(owner);
            definition.kind.is_class()
                && outer.is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
        });
        definitions.truncate(MAX_INHERITING);
        definitions.retain(|class| !overriding_member(snapshot, *class, method).is_empty());
        Self {
            asks: Some(LookUp::Overrides),
            parts: definitions.clone(),
            definitions,
            inherited: Some(method.to_owned()),
            ..Self::default()
        }
    }

    fn of_foreign(asks: LookUp, foreign: Option<Foreign>, config: &AssembleConfig) -> Self {
        let uses = foreign.as_ref().map_or(0, Foreign::count);
        Self {
            asks: Some(asks),
            has_many_uses: uses > config.links.max_callers_per_seed,
            foreign,
            ..Self::default()
        }
    }

    /// Whether the question looks up a name that was found.
    pub(super) fn is_found(&self) -> bool {
        !self.definitions.is_empty() || self.is_about_others()
    }

    /// Whether the question looks up modules, or a name that the repository does not define.
    fn is_about_others(&self) -> bool {
        !self.modules.is_empty() || self.foreign.is_some()
    }

    /// Returns what the question asks of the definitions, if they were found.
    pub(super) fn asks(&self) -> Option<LookUp> {
        self.asks.filter(|_| self.is_found())
    }

    /// Whether the question asks where the definitions are, and nothing else.
    pub(super) fn asks_where(&self) -> bool {
        self.has_only_names && self.asks() == Some(LookUp::Definition)
    }

    /// Whether the question asks what uses the definitions.
    pub(super) fn asks_for_uses(&self) -> bool {
        matches!(self.asks(), Some(LookUp::Uses | LookUp::Calls))
    }

    /// Returns the definitions whose uses the question asks for.
    pub(super) fn used(&self) -> &[DefId] {
        match self.asks() {
            Some(asks @ (LookUp::Uses | LookUp::Calls)) => {
                used(asks, &self.definitions, &self.parts)
            }
            _ => &[],
        }
    }

    /// Whether the question asks for uses of a definition or of its type, and none of them is certain or likely.
    pub(super) fn lists_unsure_uses(&self, of: DefId) -> bool {
        self.asks_for_uses() && !self.has_uses && self.parts.contains(&of)
    }

    /// Whether the question asks neither for the code around a definition nor, if it is a type, for its members.
    pub(super) fn is_shown_alone(&self, files: &Files, id: DefId) -> bool {
        let kind = files.definition(id).kind;
        match self.asks() {
            Some(LookUp::Definition) => self.has_only_names,
            Some(LookUp::Uses | LookUp::Calls) => {
                self.has_only_names && !kind.is_function() && !kind.is_container()
            }
            Some(LookUp::Implementers | LookUp::Overrides | LookUp::Tests) => kind.is_container(),
            Some(LookUp::Dependencies | LookUp::Behaviour | LookUp::Difference) | None => false,
        }
    }

    /// Whether a definition is shown whole, however unlikely the ranking finds it.
    pub(super) fn is_shown_whole(&self, files: &Files, id: DefId) -> bool {
        let is_asked = !matches!(self.asks(), Some(LookUp::Overrides | LookUp::Tests));
        is_asked
            && !self.has_signatures_alone
            && self.definitions.contains(&id)
            && self.is_shown_alone(files, id)
    }

    /// Returns the definitions that the question compares, in the order in which it names them; else none.
    pub(super) fn compared(&self) -> &[DefId] {
        match self.asks() {
            Some(LookUp::Difference) => &self.definitions,
            _ => &[],
        }
    }

    /// Whether nothing but the definitions and what the question asks of them is an answer: no place is likely enough to be
    /// shown beside them.
    pub(super) fn is_exact(&self) -> bool {
        use LookUp::{Behaviour, Dependencies, Difference, Implementers, Overrides, Tests};
        let is_narrow = matches!(
            self.asks(),
            Some(Behaviour | Dependencies | Difference | Implementers | Overrides | Tests)
        );
        // Where no use is sure, code that is near may be one.
        let has_uses = self.asks_for_uses() && self.has_only_names && self.has_uses;
        is_narrow || has_uses || self.asks_where() || self.is_about_others()
    }

    /// Returns the files of the definitions, in their order.
    pub(super) fn files(&self) -> Vec<FileId> {
        self.definitions.iter().map(|id| id.file).collect()
    }
}

/// Returns what declares a name by a string literal, as settings are, where a question asks for its definition and no source
/// defines it. Tests give values to settings; a function or type of theirs is what its name means.
fn declared_by_literal(
    snapshot: &Snapshot,
    asks: LookUp,
    resolution: &Resolution,
    definitions: &[DefId],
) -> Option<Vec<DefId>> {
    let is_definition = |id: &DefId| {
        let kind = snapshot.files.definition(*id).kind;
        snapshot.files.role_of(*id) == Role::Source || kind.is_function() || kind.is_class()
    };
    if asks != LookUp::Definition || definitions.iter().any(is_definition) {
        return None;
    }
    let evidence = resolution.definitions.iter();
    let literals = evidence.filter(|evidence| evidence.from == EvidenceSource::Literal);
    let declared: Vec<DefId> = literals.map(|evidence| evidence.definition).collect();
    (!declared.is_empty()).then_some(declared)
}

/// Returns the last part of the only name that a question for uses or calls is about, if the repository may use it without
/// defining it: nothing but tests and examples has a definition of the name, and no source surely
/// uses that.
fn foreign_name(
    snapshot: &Snapshot,
    asks: LookUp,
    unknown: &[String],
    definitions: &[DefId],
) -> Option<String> {
    let files = &snapshot.files;
    if !matches!(asks, LookUp::Uses | LookUp::Calls) {
        return None;
    }
    let name = match (unknown, definitions) {
        ([name], []) => dotted(name).rsplit('.').next()?.to_owned(),
        ([], [first, ..]) => files.definition(*first).name.to_string(),
        _ => return None,
    };
    let is_other = |id: &DefId| *files.definition(*id).name != *name;
    if definitions.iter().any(is_other) {
        return None;
    }
    let is_of_source = |site: &CallSite| {
        site.confidence != Confidence::NameOnly && files.file(site.file).role == Role::Source
    };
    // Tests set the fields of their replacements; their functions and types are used by tests alone.
    let is_replaced = |id: &DefId| {
        let kind = files.definition(*id).kind;
        let may_replace = !kind.is_function() && !kind.is_container();
        let uses = snapshot.graph.uses_of(*id);
        let is_unused = uses.is_empty() || may_replace && !uses.iter().any(is_of_source);
        files.role_of(*id) != Role::Source && is_unused
    };
    let mut named = snapshot.symbols.named(&name).iter();
    named.all(is_replaced).then_some(name)
}

/// Returns those of the named definitions that a question means, or others if it names none, and what it asks of them.
fn meant(
    snapshot: &Snapshot,
    asks: LookUp,
    query: &str,
    resolution: &Resolution,
    definitions: Vec<DefId>,
) -> (Vec<DefId>, LookUp) {
    let files = &snapshot.files;
    let definitions = match asks {
        LookUp::Definition if resolution.has_only_names => defined(snapshot, query, definitions),
        LookUp::Difference => compared(files, resolution, query, definitions),
        // A method is implemented by those that override it.
        LookUp::Implementers if definitions.iter().all(|id| is_method(snapshot, *id)) => {
            return (definitions, LookUp::Overrides);
        }
        LookUp::Implementers => extended(snapshot, definitions),
        _ => definitions,
    };
    (definitions, asks)
}

/// Whether definitions have nothing of what a question asks for.
fn has_none(snapshot: &Snapshot, asks: LookUp, definitions: &[DefId], parts: &[DefId]) -> bool {
    let is_extended = |id: &DefId| is_extended(snapshot, *id);
    let has_tests = |id: &DefId| !snapshot.graph.tests_of(*id).is_empty();
    match asks {
        LookUp::Overrides => overriding(snapshot, parts).is_empty(),
        LookUp::Implementers => !definitions.iter().any(is_extended),
        LookUp::Tests => !parts.iter().any(has_tests),
        _ => false,
    }
}

/// Returns the definitions whose uses answer a question for uses or calls. Those of the members of a type are calls of it.
fn used<'a>(asks: LookUp, definitions: &'a [DefId], parts: &'a [DefId]) -> &'a [DefId] {
    match asks {
        LookUp::Calls => parts,
        _ => definitions,
    }
}

/// Whether definitions are code of tests. Tests are linked to sources alone: what uses a helper of tests is a test, or another
/// helper.
fn are_test_code(files: &Files, definitions: &[DefId]) -> bool {
    let is_test_code = |id: &DefId| files.role_of(*id) == Role::Test;
    !definitions.is_empty() && definitions.iter().all(is_test_code)
}

/// Returns the issue that definitions have nothing of what a question asks for.
fn none_found(files: &Files, asks: LookUp, definitions: &[DefId]) -> Option<Issue> {
    let is_function_or_type = |id: &DefId| {
        let kind = files.definition(*id).kind;
        kind.is_function() || kind.is_class()
    };
    let named = without_constructors(files, definitions.to_vec());
    let names = named
        .iter()
        .map(|id| &*files.definition(*id).qualified_name);
    let what = match asks {
        _ if named.is_empty() => return None,
        LookUp::Implementers => "no type that extends or implements",
        // A setting is overridden by other means than a method.
        LookUp::Overrides if definitions.iter().any(is_function_or_type) => {
            "nothing that overrides"
        }
        LookUp::Tests => return Some(no_test_of(names)),
        _ => return None,
    };
    Some(Issue {
        code: IssueCode::NoneFound,
        detail: format!(
            "{what} {} was found; its uses are shown",
            issue::list(names)
        ),
    })
}

/// Returns the issue that definitions or files have no tests.
fn no_test_of<'a>(names: impl Iterator<Item = &'a str>) -> Issue {
    Issue {
        code: IssueCode::NoneFound,
        detail: format!(
            "no test of {} was found; what is shown has similar names or words",
            issue::list(names)
        ),
    }
}

/// Returns the named definitions whose names the query spells as code would.
fn written(resolution: &Resolution, named: &NamedDefinitions) -> Vec<DefId> {
    let evidence = resolution.definitions.iter();
    let written = evidence.filter(|evidence| {
        matches!(
            evidence.from,
            EvidenceSource::Title | EvidenceSource::InlineCode | EvidenceSource::Prose
        )
    });
    let written: HashSet<DefId> = written.map(|evidence| evidence.definition).collect();
    named.ids().filter(|id| written.contains(id)).collect()
}

/// Returns the definitions that a question for a definition means: those of the kind that it says, without constructors of
/// types among them, and with the declarations in other files, such as headers.
fn defined(snapshot: &Snapshot, query: &str, definitions: Vec<DefId>) -> Vec<DefId> {
    let files = &snapshot.files;
    let mut found = of_kind(files, query, without_constructors(files, definitions));
    let named = found.clone();
    let declarations = named.iter().flat_map(|id| declarations(snapshot, *id));
    found.extend(declarations.take(MAX_DECLARATIONS));
    let mut seen = HashSet::default();
    found.retain(|id| seen.insert(*id));
    found
}

/// Returns the definitions of the kind that a question says, as in "the arg macro"; all of them if none is of that kind.
fn of_kind(files: &Files, query: &str, definitions: Vec<DefId>) -> Vec<DefId> {
    let words = query.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let is_said = |id: &&DefId| {
        let definition = files.definition(**id);
        let (kind, is_macro) = (definition.kind, definition.modifiers.is_macro);
        words.iter().any(|word| match word.as_str() {
            "macro" => is_macro,
            "function" | "method" => kind.is_function() && !is_macro,
            "class" | "struct" | "interface" | "trait" | "enum" => kind.is_class(),
            "constant" => kind == DefinitionKind::Constant,
            _ => false,
        })
    };
    let said: Vec<DefId> = definitions.iter().filter(is_said).copied().collect();
    match said.is_empty() {
        true => definitions,
        false => said,
    }
}

/// Returns the definitions without the members of types among them: a type has its name in common with its constructors.
fn without_constructors(files: &Files, definitions: Vec<DefId>) -> Vec<DefId> {
    let name = |id: &DefId| &*files.definition(*id).qualified_name;
    let types = definitions.iter();
    let types = types.filter(|id| files.definition(**id).kind.is_class());
    let types: HashSet<&str> = types.map(name).collect();
    let is_outer = |id: &DefId| {
        let owner = name(id).rsplit_once('.');
        owner.is_none_or(|(owner, _)| !types.contains(owner))
    };
    definitions.into_iter().filter(is_outer).collect()
}

/// Whether a function among the definitions has the name of a type among them: it makes values of the type.
fn has_factory(files: &Files, definitions: &[DefId]) -> bool {
    let definitions = || definitions.iter().map(move |id| files.definition(*id));
    let types = definitions().filter(|definition| definition.kind.is_class());
    let types: HashSet<&str> = types
        .map(|definition| &*definition.qualified_name)
        .collect();
    let mut functions = definitions().filter(|definition| definition.kind.is_function());
    functions.any(|function| types.contains(&*function.qualified_name))
}

/// Returns the declarations of a definition in other files.
fn declarations(snapshot: &Snapshot, id: DefId) -> impl Iterator<Item = DefId> {
    let Snapshot { files, symbols, .. } = snapshot;
    let name = &files.definition(id).qualified_name;
    let is_declaration = move |other: &DefId| {
        let definition = files.definition(*other);
        other.file != id.file
            && definition.modifiers.is_overload
            && definition.qualified_name == *name
            && files.role_of(*other) == files.role_of(id)
    };
    let named = symbols.qualified(name);
    named.iter().copied().filter(is_declaration)
}

/// Returns the types among the definitions that others extend or implement; all definitions if none is extended.
fn extended(snapshot: &Snapshot, definitions: Vec<DefId>) -> Vec<DefId> {
    let is_extended = |id: &&DefId| is_extended(snapshot, **id);
    let extended: Vec<DefId> = definitions.iter().filter(is_extended).copied().collect();
    match extended.is_empty() {
        true => definitions,
        false => extended,
    }
}

/// Returns the definitions that a question compares, in the order in which it names them, each type without its
/// constructors; none if it names only one.
fn compared(
    files: &Files,
    resolution: &Resolution,
    query: &str,
    definitions: Vec<DefId>,
) -> Vec<DefId> {
    let mut definitions = without_constructors(files, definitions);
    definitions.sort_by_cached_key(|id| {
        let symbols = resolution.symbols.iter();
        let names = symbols.filter(|symbol| symbol.definitions.contains(id));
        // A name may begin with another one: `SessionHandle` with `Session`.
        let places = names.filter_map(|symbol| {
            let at = query.find(symbol.name.as_str())?;
            Some((at, Reverse(symbol.name.len())))
        });
        places.min().unwrap_or((usize::MAX, Reverse(0)))
    });
    definitions.truncate(MAX_COMPARED);
    match definitions.len() {
        0 | 1 => Vec::new(),
        _ => definitions,
    }
}

/// Whether a definition is a function of a type, or of a module that classes include.
fn is_method(snapshot: &Snapshot, id: DefId) -> bool {
    let definition = snapshot.files.definition(id);
    let is_in_class = || {
        let outer = snapshot.files.parent(id);
        outer.is_some_and(|class| is_type(snapshot, class))
    };
    definition.kind.is_function() && (definition.modifiers.is_out_of_line || is_in_class())
}

/// Returns the definitions, each followed by its members if it is a type.
fn parts(snapshot: &Snapshot, definitions: &[DefId]) -> Vec<DefId> {
    let mut parts: Vec<DefId> = Vec::new();
    for id in definitions.iter().take(MAX_PARTS) {
        parts.push(*id);
        if is_type(snapshot, *id) {
            parts.extend(members(snapshot, *id).take(MAX_PARTS));
        }
    }
    let mut seen = HashSet::default();
    parts.retain(|id| seen.insert(*id));
    parts.truncate(MAX_PARTS);
    parts
}
