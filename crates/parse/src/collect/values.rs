//! What a walk says of values, in the order in which it is asked for.

use foveate_model::values::{Link, Local, Receivers, Values};
use foveate_model::{LocalId, Span};

use super::Collector;

/// Gives the definitions that values are about other ids.
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

impl Collector<'_> {
    /// Adds what stands before the name of a reference, last to first. Nothing where it is not known.
    pub(crate) fn receivers(&mut self, name: Span, links: Vec<Link>) {
        if !links.is_empty() {
            self.receivers.push((name, links));
        }
    }

    /// Sorts what is said of values, once references and definitions have their order. Of several
    /// bindings of a local variable the first counts that says something.
    pub(super) fn settle_values(&mut self) {
        let text = self.text;
        let values = &mut self.values;
        let key = |local: &Local| (local.function, local.name.of(text));
        values.locals.sort_by(|a, b| {
            let says_nothing = |local: &Local| local.value == foveate_model::values::Value::Unknown;
            (key(a), says_nothing(a), a.name).cmp(&(key(b), says_nothing(b), b.name))
        });
        values
            .locals
            .dedup_by(|later, kept| key(later) == key(kept));
        values
            .parameters
            .sort_by_key(|parameter| parameter.function);
        values.types.sort_by_key(|known| known.definition);
        values.held.sort_by_key(|held| held.definition);
        self.receivers.sort_by_key(|(name, _)| *name);
        for (name, links) in self.receivers.drain(..) {
            let at = self.references.partition_point(|r| r.name < name);
            let is_there = self.references.get(at).is_some_and(|r| r.name == name);
            if is_there {
                values.receivers.push(Receivers {
                    reference: u32::try_from(at).unwrap_or(u32::MAX),
                    links: links.into_iter().rev().collect(),
                });
            }
        }
        values.locals.shrink_to_fit();
        values.parameters.shrink_to_fit();
        values.types.shrink_to_fit();
        values.held.shrink_to_fit();
        values.receivers.shrink_to_fit();
    }
}
