//! Finds the uses that a path has before its last name: `Kind` in `Kind.of(x)`, `pool` in `self.pool.close()`, `f` in
//! `a.f.call(x)`. Few languages record them as references of their own. Start at [`Resolver::uses_before`].

use foveate_model::{DefinitionKind, Reference};

use super::{Edge, Resolver};
use crate::files::DefId;
use crate::graph::candidates::{Nesting, nesting};
use crate::graph::names::Position;
use crate::graph::paths;
use crate::graph::relations::Confidence;
use crate::graph::targets::Target;
use crate::graph::values::{Outcome, Value};

/// Methods that every JavaScript function has, which use the function before them.
const USES_OF_FUNCTION: [&str; 3] = ["apply", "bind", "call"];

/// Maximum number of earlier edges that are searched for one on the same line: minified files have one line.
const MAX_SAME_LINE: usize = 64;

/// The first and the last names of a path of at least two names.
struct PathNames<'p> {
    first: &'p str,
    /// The name before the last one.
    owner: &'p str,
    last: &'p str,
    count: usize,
}

impl<'p> PathNames<'p> {
    /// Returns `None` if the path has fewer than two names.
    fn of(path: &'p str) -> Option<Self> {
        let mut names = paths::names(path);
        let first = names.next()?;
        let mut found = Self {
            first,
            owner: first,
            last: names.next()?,
            count: 2,
        };
        for name in names {
            found.owner = found.last;
            found.last = name;
            found.count += 1;
        }
        Some(found)
    }
}

impl<'a> Resolver<'a> {
    /// Adds the uses of definitions that a path names before its last name. `outcome` is that of the whole path.
    pub(super) fn uses_before(
        &self,
        (position, reference): (u32, &Reference),
        at: Position,
        outcome: Outcome,
        edges: &mut Vec<Edge>,
    ) {
        let path = reference.path.of(self.text);
        if reference.opaque_receiver || reference.path == reference.name || paths::is_absolute(path)
        {
            return;
        }
        let Some(names) = PathNames::of(path).filter(|_| !self.is_defined_at(reference)) else {
            return;
        };
        let mut push = |target, confidence| {
            let edge = Edge {
                reference: position,
                target,
                confidence,
            };
            self.push_once(reference.line, edge, edges);
        };
        let applied = (names.count > 2).then(|| self.evaluator.applied(at, path));
        // `pool` in `self.pool.close()`.
        if let Some(holder) = applied {
            for id in holder.found.definitions() {
                if self.is_variable_for_others(id) {
                    push(id, holder.confidence);
                }
            }
        }
        if self.is_recorded(reference, path, names.first) {
            return;
        }
        let first = self.evaluator.first_name(at, names.first);
        self.uses_of_first(first, outcome, (path, names.count), &mut push);
        if let Some(applied) = applied {
            self.uses_of_owner(outcome, &names, &mut push);
            self.uses_of_applied(applied, outcome, &names, &mut push);
        }
    }

    /// Adds the use of `Kind` in `shapes.Kind.of(x)`. A field that holds the class does not name it.
    fn uses_of_owner(
        &self,
        outcome: Outcome,
        names: &PathNames<'_>,
        push: &mut impl FnMut(DefId, Confidence),
    ) {
        if let Some(id) = self.owner_of(outcome)
            && self.names.definition(id).kind.is_class()
            && *self.names.definition(id).name == *names.owner
        {
            push(id, outcome.confidence);
        }
    }

    /// Adds the uses of the function that `apply`, `bind` or `call` at the end of a path uses.
    fn uses_of_applied(
        &self,
        function: Outcome,
        outcome: Outcome,
        names: &PathNames<'_>,
        push: &mut impl FnMut(DefId, Confidence),
    ) {
        let applies = self.names.rules(self.file).functions_construct
            && outcome.found.is_empty()
            && USES_OF_FUNCTION.contains(&names.last);
        if !applies {
            return;
        }
        for id in function.found.definitions() {
            if self.names.definition(id).kind.is_function() || self.names.is_class(id) {
                push(id, function.confidence);
            }
        }
    }

    /// Adds the uses of what the first name of a path means, or the first one behind modules. `outcome` is that of the whole
    /// path, and `count` the number of its names.
    fn uses_of_first(
        &self,
        first: Outcome,
        outcome: Outcome,
        (path, count): (&'a str, usize),
        push: &mut impl FnMut(DefId, Confidence),
    ) {
        let is_module = matches!(first.found.first(), Some(Target::Module(_)));
        if !is_module || count > 2 {
            // `TABLE` in `conf.TABLE.get`.
            let inner = paths::names(path).skip(1).take(count - 2);
            let named = self.evaluator.behind_modules(first, inner);
            for id in named.found.definitions() {
                if self.is_named_as_owner(id) {
                    push(id, named.confidence);
                }
            }
            return;
        }
        // In `const Client = require('./client')`, `Client.open` names the class if it has the member.
        for id in self.through_default_export(first.found).definitions() {
            let has_member = [Value::Class(id), Value::Definition(id)].contains(&outcome.receiver);
            if has_member && self.is_named_as_owner(id) {
                push(id, outcome.confidence);
            }
        }
    }

    /// Whether the first name of a path is a reference of its own.
    fn is_recorded(&self, reference: &Reference, path: &str, head: &str) -> bool {
        let Some(start) = path.find(head) else {
            return true;
        };
        let start = reference.path.start.saturating_add(start as u32);
        let references = &self.facts.references;
        let at = references.partition_point(|other| other.name.start < start);
        references
            .get(at)
            .is_some_and(|other| other.name.start == start)
    }

    /// Whether a definition begins with the path, as in `app.init = function () {}`.
    fn is_defined_at(&self, reference: &Reference) -> bool {
        if !self.names.rules(self.file).functions_construct {
            return false;
        }
        let start = reference.path.start;
        let definitions = &self.facts.definitions;
        let at = definitions.partition_point(|definition| definition.span.start < start);
        definitions
            .get(at)
            .is_some_and(|definition| definition.span.start == start)
    }

    /// Returns the definition whose member a path means.
    fn owner_of(&self, outcome: Outcome) -> Option<DefId> {
        if let Value::Class(id) = outcome.receiver {
            return Some(id);
        }
        let member = outcome.found.definitions().next()?;
        let definition = self.names.definition(member);
        match definition.modifiers.is_out_of_line {
            true => self.names.owner(member),
            false => definition
                .parent
                .map(|parent| DefId::new(member.file, parent)),
        }
    }

    /// Adds an edge, unless the line has one to the same definition.
    fn push_once(&self, line: u32, edge: Edge, edges: &mut Vec<Edge>) {
        let mut on_line = edges
            .iter()
            .rev()
            .take(MAX_SAME_LINE)
            .take_while(|other| self.line_of(other) == Some(line));
        if !on_line.any(|other| other.target == edge.target) {
            edges.push(edge);
        }
    }

    fn line_of(&self, edge: &Edge) -> Option<u32> {
        let reference = self.facts.references.get(edge.reference as usize)?;
        Some(reference.line)
    }

    /// Whether naming a definition before a member is a use of it: a type, a function, or a variable outside of
    /// functions. A namespace is only an object where modules are, too; elsewhere its name is a part of the name of the
    /// member.
    fn is_named_as_owner(&self, id: DefId) -> bool {
        let definition = self.names.definition(id);
        match definition.kind {
            DefinitionKind::Class
            | DefinitionKind::Interface
            | DefinitionKind::Enum
            | DefinitionKind::TypeAlias
            | DefinitionKind::Function => !definition.modifiers.is_block,
            DefinitionKind::Module => self.names.rules(id.file).modules_have_defaults,
            DefinitionKind::Constant
            | DefinitionKind::Variable
            | DefinitionKind::Method
            | DefinitionKind::EnumMember
            | DefinitionKind::Field => self.is_variable_for_others(id),
        }
    }

    /// Whether a definition holds a value for other functions: a field, a constant, a property with code, or a variable
    /// outside of functions.
    fn is_variable_for_others(&self, id: DefId) -> bool {
        let definition = self.names.definition(id);
        match definition.kind {
            DefinitionKind::Field | DefinitionKind::EnumMember => true,
            DefinitionKind::Method => definition.modifiers.is_property,
            DefinitionKind::Constant | DefinitionKind::Variable => self
                .names
                .facts(id.file)
                .is_some_and(|facts| nesting(facts, definition) != Nesting::InFunction),
            _ => false,
        }
    }
}
