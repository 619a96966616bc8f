//! Finds the definitions that the query names.

use foldhash::HashMap;
use foveate_index::DefId;

use super::config::CardsConfig;
use crate::resolve::{DefinitionEvidence, EvidenceSource, Resolution};

/// Maximum overloads whose signatures are shown.
const MAX_OVERLOADS: usize = 10;

/// What the names of a query are for, which decides how surely they must be named.
#[derive(Clone, Copy, Debug)]
pub(super) enum NamePurpose {
    /// To find code to change: a name of several definitions says little about each, even if they are overloads, or a
    /// type and its constructors. Their uses and members would take the place of more likely code.
    Change,
    /// To answer a question about code.
    Question,
    /// To look up something about what has the name: all of a few definitions are meant.
    LookUp,
    /// To find what has the name: all definitions are meant.
    Name,
}

/// The definitions that the query names.
pub(super) struct NamedDefinitions {
    /// The strength of the strongest evidence for each.
    strengths: HashMap<DefId, f32>,
    /// Those named most strongly first; of equal ones, the likeliest of its name first: the main file of a type with parts in
    /// several.
    order: Vec<DefId>,
    /// Overloads that a title or inline code surely names, where each alone is named too weakly: their uses and members say
    /// little, but the reader expects their signatures.
    overloads: Vec<DefId>,
}

impl NamedDefinitions {
    /// Returns the definitions that the query names strongly enough.
    pub(super) fn new(resolution: &Resolution, config: &CardsConfig, purpose: NamePurpose) -> Self {
        let mut strengths: HashMap<DefId, f32> = HashMap::default();
        // Beside the strengths, which may be equal for all definitions of a name.
        let mut shares: HashMap<DefId, f32> = HashMap::default();
        for evidence in &resolution.definitions {
            let share = shares.entry(evidence.definition).or_default();
            *share = share.max(evidence.strength);
            let strength = strengths.entry(evidence.definition).or_default();
            *strength = strength.max(match purpose {
                NamePurpose::Change => evidence.strength,
                NamePurpose::LookUp if evidence.meanings <= config.max_meanings => evidence.mention,
                NamePurpose::Name => evidence.mention,
                NamePurpose::Question | NamePurpose::LookUp => evidence.certainty(),
            });
        }
        strengths.retain(|_, strength| *strength >= config.min_named_strength);
        let share = |id: &DefId| shares.get(id).copied().unwrap_or_default();
        let all = strengths.iter().map(|(id, s)| (*id, *s, share(id)));
        let mut order: Vec<(DefId, f32, f32)> = all.collect();
        order.sort_by(|a, b| {
            (b.1.total_cmp(&a.1))
                .then(b.2.total_cmp(&a.2))
                .then(a.0.cmp(&b.0))
        });
        let order: Vec<DefId> = order.into_iter().map(|(id, ..)| id).collect();
        let overloads = overloads(resolution, config, &strengths);
        Self {
            strengths,
            order,
            overloads,
        }
    }

    /// Iterates over the definitions, those named most strongly first.
    pub(super) fn ids(&self) -> impl Iterator<Item = DefId> {
        self.order.iter().copied()
    }

    /// Iterates over the overloads that are surely named together only, at most a handful of each name.
    pub(super) fn overloads(&self) -> impl Iterator<Item = DefId> {
        self.overloads.iter().copied()
    }

    pub(super) fn contains(&self, id: DefId) -> bool {
        self.strengths.contains_key(&id)
    }

    /// Returns how strongly a definition is named, 0 to 1; 0 if it is not.
    pub(super) fn strength(&self, id: DefId) -> f32 {
        self.strengths.get(&id).copied().unwrap_or(0.0)
    }
}

fn overloads(
    resolution: &Resolution,
    config: &CardsConfig,
    strengths: &HashMap<DefId, f32>,
) -> Vec<DefId> {
    use EvidenceSource::{InlineCode, Title};
    let is_sure = |evidence: &&DefinitionEvidence| {
        matches!(evidence.from, InlineCode | Title)
            && evidence.meanings == 1
            && evidence.mention >= config.min_sure_strength
            && evidence.mention <= evidence.strength * config.max_meanings as f32
            && !strengths.contains_key(&evidence.definition)
    };
    let mut found: Vec<DefId> = Vec::new();
    for evidence in resolution.definitions.iter().filter(is_sure) {
        if !found.contains(&evidence.definition) && found.len() < MAX_OVERLOADS {
            found.push(evidence.definition);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;

    use super::*;
    use crate::config::RankingConfig;
    use crate::deadline::Deadline;
    use crate::request::Request;
    use crate::resolve::resolve;
    use crate::text::QueryText;

    #[test]
    fn overloads_that_a_title_surely_names_are_known() {
        let snapshot = of_text(
            "
            //- src/Cart.java
            package shop;
            class Cart {
                void clean(String html) {}
                void clean(String html, int width) {}
                void clean(String html, long width) {}
                void open(String html) {}
            }
            class Desk {
                void open(String html) {}
            }
            ",
        );
        let config = RankingConfig::default();
        let overloads = |query: &str| {
            let text = QueryText::parse(query);
            let request = Request::default();
            let deadline = Deadline::none();
            let resolution = resolve(&snapshot, &text, &request, &config.resolve, &deadline);
            let cards = &config.assemble.cards;
            let named = NamedDefinitions::new(&resolution, cards, NamePurpose::Change);
            let lines = named.overloads().map(|id| {
                let definition = snapshot.files.definition(id);
                definition.lines.start
            });
            lines.collect::<Vec<u32>>()
        };
        assert_eq!(overloads("In Cart.clean, allow custom settings"), [3, 4, 5]);
        // One definition is named strongly enough, and two meanings of a name are not surely meant.
        assert_eq!(overloads("In Cart.open, allow settings"), [0; 0]);
        assert_eq!(overloads("`open` should allow settings"), [0; 0]);
    }
}
