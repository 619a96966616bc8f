//! Says why something is shown: the query names it, it ranks high, or it uses a definition that the query names.

use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId, FileId};
use foveate_model::Lines;

use super::plan::Plan;
use super::verb::{Verb, verb};
use crate::rank::PlaceId;
use crate::resolve::EvidenceSource;

/// The reason of a definition that the query names.
const NAMED: &str = "named by the query";

/// The reason of a definition whose name is words of the query, such as `bulk_create` of "bulk creation".
const NAMED_IN_WORDS: &str = "named in words by the query";

/// The reason of a definition that is shown because nothing has the name of a question.
const SIMILAR: &str = "spelled like the name in the query";

/// Follows a use that is known by name alone.
pub(super) const BY_NAME_ALONE: &str = "by name alone";

impl Plan<'_> {
    /// Returns the definition that the query names and that these lines use, and how, if the intent asks for callers.
    pub(super) fn named_use_in(&self, file: FileId, lines: Lines) -> Option<(DefId, Verb)> {
        let is_sure = |_: DefId, site: &CallSite| site.confidence != Confidence::NameOnly;
        self.use_in(file, lines, is_sure)
    }

    /// Returns the looked up definition that these lines use by name alone, and how, if the question has no sure answer.
    pub(super) fn unsure_use_in(&self, file: FileId, lines: Lines) -> Option<(DefId, Verb)> {
        let is_answer = |id: DefId, _: &CallSite| self.looked_up.lists_unsure_uses(id);
        self.use_in(file, lines, is_answer)
    }

    fn use_in(
        &self,
        file: FileId,
        lines: Lines,
        is_meant: impl Fn(DefId, &CallSite) -> bool,
    ) -> Option<(DefId, Verb)> {
        if self.profile.callers < self.config.min_main_share {
            return None;
        }
        let files = &self.snapshot.files;
        self.named.ids().find_map(|id| {
            if id.file == file && lines.overlap(files.definition(id).lines) > 0 {
                return None;
            }
            let sites = self.snapshot.graph.uses_of(id).iter();
            let sites = sites.filter(|site| {
                site.file == file && lines.contains(site.line) && is_meant(id, site)
            });
            // A call is more telling than another use.
            let verb = sites.map(|site| verb(files, id, site)).min()?;
            Some((id, verb))
        })
    }

    /// Returns why a place is shown: whether the query names it, and its rank.
    pub(super) fn reason_of(&self, place: PlaceId, is_named: bool) -> String {
        let rank = self.ranked.places.iter().position(|p| p.id == place);
        let named = match place {
            PlaceId::Definition(id) if is_named => Some(self.source_of_name(id)),
            _ => is_named.then_some(NAMED),
        };
        match (named, rank) {
            (Some(named), None) => named.to_owned(),
            (Some(named), Some(rank)) => format!("{named}, rank {}", rank + 1),
            (None, Some(rank)) => format!("rank {}", rank + 1),
            (None, None) => "one of the best functions".to_owned(),
        }
    }

    /// Returns what names a definition: the query, the caller's focus, or else only the change in it.
    pub(super) fn source_of_name(&self, id: DefId) -> &'static str {
        if self.looked_up.is_guess {
            return SIMILAR;
        }
        use EvidenceSource::{Change, Focus, Fuzzy, Word, Words, WordsFuzzy};
        let evidence = self.resolution.definitions.iter();
        let sources = evidence.filter(|e| e.definition == id).map(|e| e.from);
        let sources: Vec<EvidenceSource> = sources.collect();
        if sources.is_empty() {
            return NAMED;
        }
        let reasons: [(&[EvidenceSource], &'static str); 4] = [
            (&[Change], "has changes"),
            (&[Focus], "focus"),
            (&[Fuzzy], SIMILAR),
            (&[Word, Words, WordsFuzzy], NAMED_IN_WORDS),
        ];
        let mut reasons = reasons.into_iter();
        let reason = reasons.find(|(of, _)| sources.iter().all(|source| of.contains(source)));
        reason.map_or(NAMED, |(_, reason)| reason)
    }
}
