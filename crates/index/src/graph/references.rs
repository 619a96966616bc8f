//! Resolves references to definitions. Scopes and imports come first, then inferred receivers, then rare
//! names; a common name never links by itself, because an invented caller is worse than a missing one.

mod case_labels;
mod declarations;
mod owners;
mod receiver_names;

use std::cell::RefCell;
use std::collections::BTreeSet;

use foldhash::HashMap;
use foveate_model::resolution::LookupRules;
use foveate_model::{
    Definition, DefinitionKind, FileFacts, LocalId, Reference, ReferenceKind, Role, Span,
};

use crate::change::{Change, Renumber};
use crate::files::{DefId, FileId, Files};
use crate::graph::candidates::is_prototype;
use crate::graph::dependencies::Lookup;
use crate::graph::inheritance::Inheritance;
use crate::graph::names::{NameResolver, Position};
use crate::graph::paths;
use crate::graph::relations::Confidence;
use crate::graph::rows::Rows;
use crate::graph::targets::{Target, Targets};
use crate::graph::values::{Evaluator, Outcome, Value, Variables};
use crate::symbols::Symbols;

/// Maximum number of differently qualified definitions that a name alone may link to.
const MAX_NAMESAKES: usize = 3;
/// Maximum number of namespaces of one file that are searched for bare names.
const MAX_NAMESPACES: usize = 64;
/// Minimum length of a name that may link by itself, in bytes.
const MIN_NAME: usize = 5;
/// From this length in bytes, a single word is treated as distinctive as a compound name.
const LONG_NAME: usize = 9;

/// One resolved reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    /// Position in the file's references.
    pub(super) reference: u32,
    pub(super) target: DefId,
    pub(super) confidence: Confidence,
}

impl Renumber for Edge {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            target: self.target.renumbered(change)?,
            ..*self
        })
    }
}

/// The resolved references of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Edges {
    /// Edges in the order of the references.
    pub(super) edges: Box<[Edge]>,
    /// By definition of the file, the definitions that its body refers to, by id, each with its highest
    /// confidence.
    pub(super) used: Rows<(DefId, Confidence)>,
}

impl Edges {
    fn new(file: FileId, facts: &FileFacts, edges: Vec<Edge>) -> Self {
        Self {
            used: used(file, facts, &edges),
            edges: edges.into(),
        }
    }

    /// Builds the edges of a file from stored ones; `None` if the file does not have their references.
    pub(super) fn from_stored(files: &Files, file: FileId, edges: Vec<Edge>) -> Option<Self> {
        let Some(content) = files.content(file) else {
            return edges.is_empty().then(Self::default);
        };
        let references = content.facts.references.len();
        let are_valid = edges.iter().all(|e| (e.reference as usize) < references);
        are_valid.then(|| Self::new(file, &content.facts, edges))
    }
}

impl Renumber for Edges {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            edges: self.edges.renumbered(change)?,
            used: self.used.renumbered(change)?,
        })
    }
}

/// Resolves the references of one file.
pub(super) fn resolve_file(
    names: NameResolver<'_>,
    symbols: &Symbols,
    inheritance: &Inheritance,
    file: FileId,
) -> Edges {
    let Some(facts) = names.facts(file) else {
        return Edges::default();
    };
    Edges::new(file, facts, edges(names, symbols, inheritance, file, facts))
}

fn used(file: FileId, facts: &FileFacts, edges: &[Edge]) -> Rows<(DefId, Confidence)> {
    let mut pairs: Vec<(u32, (DefId, Confidence))> = edges
        .iter()
        .filter_map(|edge| {
            let inside = facts.references.get(edge.reference as usize)?.enclosing?;
            // A recursive call does not make a function its own caller.
            let is_own = edge.target == DefId::new(file, inside);
            (!is_own).then_some((inside.0, (edge.target, edge.confidence)))
        })
        .collect();
    pairs.sort_unstable_by_key(|(inside, (target, confidence))| {
        (*inside, *target, std::cmp::Reverse(*confidence))
    });
    pairs.dedup_by_key(|(inside, (target, _))| (*inside, *target));
    Rows::from_pairs(facts.definitions.len(), &pairs)
}

fn edges<'a>(
    names: NameResolver<'a>,
    symbols: &'a Symbols,
    inheritance: &'a Inheritance,
    file: FileId,
    facts: &'a FileFacts,
) -> Vec<Edge> {
    if facts.references.is_empty() {
        return Vec::new();
    }
    let text = names.text(file);
    let resolver = Resolver {
        names,
        symbols,
        evaluator: Evaluator::new(names, inheritance, file, &facts.values.locals),
        file,
        facts,
        text,
        namespaces: facts
            .definitions
            .iter()
            .enumerate()
            .filter(|(_, definition)| definition.kind == DefinitionKind::Module)
            .map(|(at, definition)| (LocalId(at as u32), definition.span))
            .take(MAX_NAMESPACES)
            .collect(),
        receiver_names: RefCell::default(),
    };
    let mut edges = Vec::with_capacity(facts.references.len() / 2);
    for (position, reference) in facts.references.iter().enumerate() {
        resolver.resolve(position as u32, reference, &mut edges);
    }
    edges
}

struct Resolver<'a> {
    names: NameResolver<'a>,
    symbols: &'a Symbols,
    evaluator: Evaluator<'a>,
    file: FileId,
    facts: &'a FileFacts,
    text: &'a str,
    /// The namespaces of the file, an outer one before the inner ones. They contain references but are not
    /// recorded as their `enclosing` definition.
    namespaces: Vec<(LocalId, Span)>,
    /// Cache of the members by the name of a receiver, their own, and whether they are called.
    receiver_names: RefCell<HashMap<(&'a str, &'a str, bool), Targets>>,
}

impl<'a> Resolver<'a> {
    fn resolve(&self, position: u32, reference: &Reference, edges: &mut Vec<Edge>) {
        let name = self.name_meant(position, reference);
        let at = Position::new(self.file, self.enclosing(reference));
        let outcome = self.outcome(position, reference, at, name);
        self.uses_before((position, reference), at, outcome, edges);
        let mut push = |target, confidence| {
            edges.push(Edge {
                reference: position,
                target,
                confidence,
            });
        };
        let after = self.text.get(reference.name.end as usize..).unwrap_or("");
        for target in self.through_default_export(outcome.found).definitions() {
            if self.evaluator.fits_access(name, target, after) {
                push(target, outcome.confidence);
            }
        }
        if outcome.found.is_empty() {
            self.resolve_unbound(reference, at, name, outcome, &mut push);
        }
    }

    /// Evaluates the name of a reference.
    fn outcome(
        &self,
        position: u32,
        reference: &Reference,
        at: Position,
        name: &'a str,
    ) -> Outcome {
        let evaluator = &self.evaluator;
        let path = reference.path.of(self.text);
        match self.facts.values.receivers_of(position) {
            Some(links) if reference.opaque_receiver || path.contains('(') => {
                evaluator.chain(at, links, name)
            }
            Some(lambdas) => evaluator
                .path_in_lambdas(at, lambdas, path)
                .unwrap_or_else(|| self.outcome_of_names(reference, at, name)),
            None if reference.opaque_receiver => evaluator.chain(at, &[], name),
            None => self.outcome_of_names(reference, at, name),
        }
    }

    /// Evaluates the name of a reference whose receiver, if it has one, consists of names alone.
    fn outcome_of_names(&self, reference: &Reference, at: Position, name: &'a str) -> Outcome {
        let evaluator = &self.evaluator;
        let path = reference.path.of(self.text);
        if reference.kind != ReferenceKind::Call || reference.path != reference.name {
            return evaluator.path(at, path);
        }
        let after = self.text.get(reference.name.end as usize..).unwrap_or("");
        match self.variables_in_scope(reference.name, after) {
            Variables::All => evaluator.path(at, path),
            variables => evaluator.name_among(at, name, variables),
        }
    }

    /// Returns the variables that the call of a bare name before the text `after` may mean. A local variable is not in
    /// scope in its own initial value, so that it does not hide a function of its name there.
    fn variables_in_scope(&self, name: Span, after: &str) -> Variables {
        let may_be_macro = self.names.rules(self.file).macros_need_no_import;
        if may_be_macro && after.starts_with('!') && !after.starts_with("!=") {
            return Variables::None;
        }
        match declarations::makes_value_of_its_name(self.text, name) {
            true => Variables::Parameters,
            false => Variables::All,
        }
    }

    /// Resolves a name that no scope, import or receiver gives a definition: to a fixture, a case label, an extension, a
    /// macro, or definitions that are likely by the name of the receiver or by their own.
    fn resolve_unbound(
        &self,
        reference: &Reference,
        at: Position,
        name: &'a str,
        outcome: Outcome,
        push: &mut impl FnMut(DefId, Confidence),
    ) {
        let is_member = reference.opaque_receiver || reference.path != reference.name;
        if !is_member && let Some(fixture) = self.evaluator.fixture(at, name) {
            push(fixture, Confidence::Likely);
            return;
        }
        if !is_member
            && outcome.value == Value::Unbound
            && let Some(constant) = self.case_label(name, reference)
        {
            push(constant, Confidence::Likely);
            return;
        }
        let evaluator = &self.evaluator;
        let (extensions, confidence) = match reference.kind {
            _ if is_member => evaluator.extensions(self.file, name, outcome),
            ReferenceKind::Call => {
                evaluator.extensions_of_implicit_receiver(self.file, name, outcome)
            }
            _ => (Targets::default(), Confidence::NameOnly),
        };
        for target in extensions.definitions() {
            push(target, confidence);
        }
        if !extensions.is_empty() {
            return;
        }
        let may_be_macro = !is_member
            && reference.kind == ReferenceKind::Call
            && outcome.value == Value::Unbound
            && self.names.rules(self.file).macros_need_no_import;
        if may_be_macro {
            for (target, confidence) in self.names.macros(self.file, name) {
                push(target, confidence);
            }
        } else if is_member
            && let Some(max_confidence) = max_confidence_by_name(outcome.receiver)
            && !self.is_member_of_external_type(reference, at, outcome.receiver)
        {
            let found = self.by_receiver_name(name, reference, outcome.receiver);
            for target in found.definitions() {
                push(target, Confidence::Likely);
            }
            if found.is_empty() {
                self.by_name(name, reference, max_confidence, push);
            }
        }
    }

    /// Returns the name that a reference looks up: the one that is written, or that of the enclosing method where a
    /// language's `super` alone means the inherited method. Such a reference is its own receiver.
    fn name_meant(&self, position: u32, reference: &Reference) -> &'a str {
        let written = reference.name.of(self.text);
        if self.names.rules(self.file).super_name != Some(written) {
            return written;
        }
        let links = self.facts.values.receivers_of(position);
        let first = links.and_then(<[_]>::first);
        let is_own_receiver = first.is_some_and(|first| first.name == reference.name);
        let method = reference.enclosing.filter(|_| is_own_receiver);
        let method = method.and_then(|id| self.facts.definition(id));
        method.map_or(written, |method| &*method.name)
    }

    /// Whether a path begins with a type that the repository does not define: `Utils::modify()`, `Psr7\Utils::modify()`
    /// in the namespace of a library. An import shows that by itself; other namespaces are used without one.
    fn is_member_of_external_type(
        &self,
        reference: &Reference,
        at: Position,
        receiver: Value,
    ) -> bool {
        let is_unknown = matches!(receiver, Value::Unknown | Value::Unbound);
        if !is_unknown
            || reference.opaque_receiver
            || !self.names.rules(self.file).unbound_types_are_external
        {
            return false;
        }
        let path = reference.path.of(self.text);
        let head = paths::names(path).next().unwrap_or("");
        if head.len() < 2 || !head.starts_with(char::is_uppercase) {
            return false;
        }
        let first = self.evaluator.first_name(at, head);
        paths::is_absolute(path) || (first.found.is_empty() && first.value == Value::Unbound)
    }

    /// Returns the definition in whose scope a reference's names are looked up: base classes and decorators
    /// of a definition are outside of its scope.
    fn enclosing(&self, reference: &Reference) -> Option<LocalId> {
        let Some(id) = reference.enclosing else {
            let inside = |(_, span): &&(LocalId, Span)| span.contains(reference.name);
            return self.namespaces.iter().rfind(inside).map(|(id, _)| *id);
        };
        let definition = self.names.local(self.file, id)?;
        let outside = matches!(
            reference.kind,
            ReferenceKind::Base | ReferenceKind::Decorator
        ) && definition.signature.contains(reference.name);
        if outside { definition.parent } else { Some(id) }
    }

    /// Replaces a module by its default export: in `const Client = require('./client')`, `Client` is bound to
    /// the module and means its export.
    fn through_default_export(&self, found: Targets) -> Targets {
        match found.first() {
            Some(Target::Module(module)) if self.names.rules(self.file).modules_have_defaults => {
                self.names.exported(module, "default")
            }
            _ => found,
        }
    }

    /// Links a member by its name alone, if the name is rare.
    fn by_name(
        &self,
        name: &str,
        reference: &Reference,
        max_confidence: Confidence,
        push: &mut impl FnMut(DefId, Confidence),
    ) {
        let is_call = reference.kind == ReferenceKind::Call;
        if !is_distinctive(name, self.names.rules(self.file)) || !(is_call || is_compound(name)) {
            return;
        }
        self.names.dependencies.add_lookup(Lookup::Name, name);
        let named = self.symbols.named(name);
        // All definitions of the name count, so that a long list is rejected without reading it.
        if named.is_empty() || named.len() > 16 {
            return;
        }
        let fits = |id: &&DefId| self.may_be_meant(**id, named, is_call);
        let is_shipped = |file: FileId| {
            file == self.file || self.names.tables.files.file(file).role == Role::Source
        };
        let shipped = named.iter().filter(|id| is_shipped(id.file) && fits(id));
        let mut kept: Vec<DefId> = shipped.copied().collect();
        if kept.is_empty() {
            let beside = named
                .iter()
                .filter(|id| self.are_tests_together(id.file) && fits(id));
            kept = beside.copied().collect();
        }
        let definition = |id: &DefId| self.names.tables.files.definition(*id);
        let names: BTreeSet<&str> = kept
            .iter()
            .map(|id| &*definition(id).qualified_name)
            .collect();
        if names.len() > MAX_NAMESAKES {
            return;
        }
        // Overloads have one qualified name in one file.
        let mut distinct = kept.iter();
        let is_one = distinct.next().is_some_and(|first| {
            let name = &definition(first).qualified_name;
            distinct.all(|id| id.file == first.file && definition(id).qualified_name == *name)
        });
        let confidence = if is_one && is_compound(name) {
            Confidence::Likely
        } else {
            Confidence::NameOnly
        };
        for id in kept {
            push(id, confidence.min(max_confidence));
        }
    }

    /// Whether a member whose receiver is unknown may mean one of the definitions that are `named` like it.
    fn may_be_meant(&self, id: DefId, named: &[DefId], is_call: bool) -> bool {
        // No file dependency: everything that is read here is covered by the look-up.
        let of = |id: DefId| self.names.tables.files.definition(id);
        let family = |file: FileId| self.names.language(file).family();
        let definition = of(id);
        if family(id.file) != family(self.file) || definition.modifiers.is_block {
            return false;
        }
        let is_member = definition.modifiers.is_out_of_line
            || definition.parent.is_some_and(|local| {
                let outer = of(DefId::new(id.file, local));
                let is_prototype_method = outer.modifiers.is_constructor
                    && outer.kind == DefinitionKind::Function
                    && definition.kind == DefinitionKind::Method;
                !outer.kind.is_function() || is_prototype_method
            });
        let has_form = !is_call
            || definition.kind.is_function()
            || (is_compound(&definition.name) && self.is_read_like_a_call(definition));
        let may_be_declared =
            definition.modifiers.is_overload || self.names.has_open_types(self.file);
        is_member && has_form && !(may_be_declared && self.has_body_elsewhere(definition, named))
    }

    /// Whether a field is read and set by a call, as the language has no other access to the fields of an object.
    fn is_read_like_a_call(&self, definition: &Definition) -> bool {
        definition.kind == DefinitionKind::Field && self.names.rules(self.file).names_call
    }

    /// Whether this file and another one are tests in one package or directory, or in one below the other, so that
    /// this one may use what the other one prepares.
    fn are_tests_together(&self, other: FileId) -> bool {
        let files = self.names.tables.files;
        let (own, other_file) = (files.file(self.file), files.file(other));
        if own.role != Role::Test || other_file.role != Role::Test {
            return false;
        }
        let (a, b) = (own.path.directory(), other_file.path.directory());
        let is_around = |outer: &str, inner: &str| {
            let below = inner.strip_prefix(outer);
            below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        };
        let package = self.names.package(self.file);
        is_around(a, b)
            || is_around(b, a)
            || (package.is_some() && package == self.names.package(other))
    }

    /// Whether the body of a prototype is among the definitions of the same name.
    fn has_body_elsewhere(&self, declared: &Definition, named: &[DefId]) -> bool {
        let of = |id: &DefId| self.names.tables.files.definition(*id);
        is_prototype(declared)
            && named.iter().map(of).any(|other| {
                other.qualified_name == declared.qualified_name && !is_prototype(other)
            })
    }
}

/// Returns the maximum confidence of a link by name alone after a receiver; `None` if the receiver is known
/// to be something else.
fn max_confidence_by_name(receiver: Value) -> Option<Confidence> {
    match receiver {
        // An unbound name is mostly a parameter of a nameless function.
        Value::Unknown | Value::Unbound | Value::Definition(_) => Some(Confidence::Likely),
        // The class is known and has no such member, which may come from a mixin.
        Value::Instance(_) | Value::Class(_) | Value::Super(_) => Some(Confidence::NameOnly),
        Value::Module(_) | Value::Elements(_) | Value::External => None,
    }
}

/// Whether a name is distinctive enough to link by itself.
fn is_distinctive(name: &str, rules: &LookupRules) -> bool {
    name.len() >= MIN_NAME
        && !(name.starts_with("__") && name.ends_with("__"))
        && rules.builtin_members.binary_search(&name).is_err()
}

/// Whether a name consists of several words or is long.
fn is_compound(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let humps = inner
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    inner.contains('_') || humps || inner.len() >= LONG_NAME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_names_are_not_distinctive() {
        let rules = LookupRules {
            builtin_members: &["append", "forEach", "items"],
            ..LookupRules::DEFAULT
        };
        for common in [
            "get", "set", "items", "append", "run", "name", "__init__", "forEach",
        ] {
            assert!(!is_distinctive(common, &rules), "{common}");
        }
        assert!(is_distinctive("get_queryset", &rules) && is_compound("get_queryset"));
        assert!(is_distinctive("connect", &rules) && !is_compound("connect"));
    }
}
