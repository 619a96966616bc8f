//! Finds the definitions with a name like the one that a short question looks up, if nothing has that: it is likely misspelt.

use foldhash::HashSet;
use foveate_index::symbols::fold;
use foveate_index::{DefId, Snapshot};

use super::{LookedUp, without_constructors};
use crate::intent::{IntentKind, LookUp};
use crate::issue;
use crate::resolve::similar::is_misspelt;
use crate::resolve::{EvidenceSource, Resolution, dotted};

/// Maximum definitions with a similar name: they are suggestions.
const MAX_SIMILAR: usize = 4;

impl LookedUp {
    /// Finds the definitions that are spelled like the only name of a question; `None` if there are none.
    pub(super) fn of_similar_name(
        snapshot: &Snapshot,
        resolution: &Resolution,
        kind: IntentKind,
    ) -> Option<Self> {
        if !resolution.asks_for_unknown_names(kind) {
            return None;
        }
        let [unknown] = resolution.unknown_names.as_slice() else {
            return None;
        };
        let (files, unknown) = (&snapshot.files, dotted(unknown));
        let evidence = resolution.definitions.iter();
        let similar = evidence.filter(|evidence| evidence.from == EvidenceSource::Fuzzy);
        let similar = similar.map(|evidence| evidence.definition);
        let mut seen = HashSet::default();
        let similar = similar.filter(|id| {
            let name = &files.definition(*id).qualified_name;
            seen.insert(*id) && is_misspelling_of(&unknown, name)
        });
        let similar: Vec<DefId> = similar.collect();
        let mut definitions = without_constructors(files, similar);
        definitions.truncate(MAX_SIMILAR);
        if definitions.is_empty() {
            return None;
        }
        let names = definitions.iter();
        let names = names.map(|id| format!("`{}`", files.definition(*id).qualified_name));
        let mut names: Vec<String> = names.collect();
        names.dedup();
        let suggestion = format!("; did you mean {}?", issue::list(names));
        Some(Self {
            asks: Some(LookUp::Definition),
            parts: definitions.clone(),
            definitions,
            has_only_names: true,
            has_signatures_alone: true,
            not_found: Some(resolution.unknown_name(&suggestion)),
            is_guess: true,
            ..Self::default()
        })
    }
}

/// Whether an unknown name is likely a misspelling of as many of the last parts of a qualified name.
fn is_misspelling_of(unknown: &str, qualified: &str) -> bool {
    let mut dots = qualified.rmatch_indices('.').map(|(at, _)| at);
    let parts_before = unknown.matches('.').count();
    let start = dots.nth(parts_before).map_or(0, |dot| dot + 1);
    let name = qualified.get(start..).unwrap_or(qualified);
    is_misspelt(&fold(unknown), &fold(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelling_differs_by_few_letters() {
        for (unknown, qualified, wanted) in [
            ("pass_contexxt", "jinja.utils.pass_context", true),
            (
                "LevelConfigration.Override",
                "log.LevelConfiguration.Override",
                true,
            ),
            (
                "update_subscription_item", "delete_subscription_item", false,
            ),
            ("Shelf.take_books", "take_book", false),
        ] {
            assert_eq!(is_misspelling_of(unknown, qualified), wanted, "{unknown}");
        }
    }
}
