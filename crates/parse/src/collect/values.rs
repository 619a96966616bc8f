//! Brings the facts about values into the order in which they are looked up.

use foveate_model::values::{Link, Local, ReceiverChain, Value, Values};
use foveate_model::{LocalId, Span};

use super::Collector;
use crate::values::results::{self, Names};

/// Renumbers the definitions in the facts about values.
pub(super) fn renumber(values: &mut Values, renumbered: impl Fn(&mut LocalId)) {
    let locals = values.locals.iter_mut();
    locals
        .filter_map(|local| local.function.as_mut())
        .for_each(&renumbered);
    let parameters = values.parameters.iter_mut();
    parameters.for_each(|parameter| renumbered(&mut parameter.function));
    let types = values.types.iter_mut();
    types.for_each(|known| renumbered(&mut known.definition));
    let held = values.held.iter_mut();
    held.for_each(|held| renumbered(&mut held.definition));
}

/// Returns the rank of a binding among those of its name, and the type if it is a test for one.
fn rank<'t>(local: &Local, text: &'t str) -> (u8, &'t str) {
    match local.value {
        Value::Tested(tested) => (2, tested.path.of(text)),
        Value::Unknown => (1, ""),
        _ => (0, ""),
    }
}

/// Maximum number of lambdas around a reference whose receivers are looked for.
const MAX_LAMBDAS: usize = 4;

/// Removes the lambdas that end before a position. Each is inside the one before it.
fn leave(around: &mut Vec<(Span, Link)>, position: u32) {
    while around
        .last()
        .is_some_and(|(lambda, _)| lambda.end <= position)
    {
        around.pop();
    }
}

impl Collector<'_> {
    /// Records the value of a local variable of the enclosing function.
    pub(crate) fn local(&mut self, name: Span, value: Value) {
        let function = self.context.enclosing;
        self.facts.values.locals.push(Local {
            function,
            name,
            value,
        });
    }

    /// Records the receiver chain before the name of a reference, last link first. An empty chain means
    /// unknown and is ignored.
    pub(crate) fn receivers(&mut self, name: Span, links: Vec<Link>) {
        if !links.is_empty() {
            self.drafts.receivers.push((name, links));
        }
    }

    /// Sorts the facts about values, after references and definitions have their order. Of several bindings of a local
    /// variable, the first with a known value is kept. Each type that it is tested for comes once, after that binding.
    /// Then they tell what functions return.
    pub(super) fn sort_values(&mut self) {
        let text = self.text;
        let values = &mut self.facts.values;
        let name = |local: &Local| local.name.of(text);
        values.locals.sort_by(|a, b| {
            let by_name = || {
                let key = |local: &Local| (name(local), rank(local, text), local.name);
                key(a).cmp(&key(b))
            };
            a.function.cmp(&b.function).then_with(by_name)
        });
        values.locals.dedup_by(|later, kept| {
            let is_same = later.function == kept.function && name(later) == name(kept);
            let tested = |local: &Local| rank(local, text).1;
            is_same && (tested(later).is_empty() || tested(later) == tested(kept))
        });
        values
            .parameters
            .sort_by_key(|parameter| parameter.function);
        values.types.sort_by_key(|known| known.definition);
        values.held.sort_by_key(|held| held.definition);
        let names = Names {
            text,
            definitions: &self.facts.definitions,
            receivers: self.facts.language.rules().lookup.receivers,
        };
        results::add(values, std::mem::take(&mut self.drafts.results), names);
        self.drafts.receivers.sort_by_key(|(name, _)| *name);
        for (name, links) in self.drafts.receivers.drain(..) {
            let at = self.facts.references.partition_point(|r| r.name < name);
            let is_there = self
                .facts
                .references
                .get(at)
                .is_some_and(|r| r.name == name);
            if is_there {
                values.receivers.push(ReceiverChain {
                    reference: u32::try_from(at).unwrap_or(u32::MAX),
                    links: links.into_iter().rev().collect(),
                });
            }
        }
        self.add_lambdas();
        self.facts.values.shrink_to_fit();
    }

    /// Adds the lambdas around references whose first name may be a member of their receivers. A name with a capital is
    /// a type.
    fn add_lambdas(&mut self) {
        if self.drafts.lambdas.is_empty() {
            return;
        }
        let mut lambdas = std::mem::take(&mut self.drafts.lambdas);
        // The body of a nameless class comes after the lambdas in its arguments.
        lambdas.sort_by_key(|(lambda, _)| lambda.start);
        let mut lambdas = lambdas.into_iter().peekable();
        let mut around: Vec<(Span, Link)> = Vec::new();
        for (at, reference) in self.facts.references.iter().enumerate() {
            let start = reference.path.start;
            while let Some(next) = lambdas.next_if(|(lambda, _)| lambda.start <= start) {
                leave(&mut around, next.0.start);
                around.push(next);
            }
            leave(&mut around, start);
            let is_type = reference.path.of(self.text).starts_with(char::is_uppercase);
            if around.is_empty() || reference.opaque_receiver || is_type {
                continue;
            }
            let nearest = around.iter().skip(around.len().saturating_sub(MAX_LAMBDAS));
            self.facts.values.receivers.push(ReceiverChain {
                reference: u32::try_from(at).unwrap_or(u32::MAX),
                links: nearest.map(|(_, link)| *link).collect(),
            });
        }
        let receivers = &mut self.facts.values.receivers;
        receivers.sort_by_key(|receivers| receivers.reference);
    }
}
