//! Packs the context into the budget: whole functions of the few best places, cards for the code around
//! them, tests and callers of what is shown, and the imports between its files. It ranks nothing and reads
//! no file.
//!
//! Reading order: [`steps`] run in the order of their worth, all on one [`plan`]. [`named`] finds the definitions that
//! the query names, [`looked_up`] those that are all that a short question asks for, with the [`hierarchy`] of types and the
//! [`foreign_names`] that the repository uses without defining them, and the [`named_directory`].
//! [`bodies`] chooses whole functions and stretches, each a [`body`] with its [`surroundings`] and the [`reasons`] for it;
//! [`thresholds`] decides which are worth their tokens, by their own and their [`file_probabilities`];
//! [`near_duplicates`] finds bodies that say nearly the same; [`links`] finds tests, callers and imports, or what a short
//! question asks of a definition; [`dependencies`] finds what the bodies use; [`cards`] adds cards of other
//! definitions that must be mentioned; [`siblings`] lists the files of a [`directory`]; [`gaps`] closes short gaps;
//! [`unindexed`] reports files that are not indexed; [`confidence`] estimates how likely the right code is shown. Each
//! step makes an [`mod@entry`] with [`card`], which shortens long ones with [`cut`] and [`fold`], and puts it into a
//! [`packed::Packed`], which enforces the budget and that no line is shown twice. [`render`] turns entries into text;
//! the result is a [`pack::Pack`]. Start at [`assemble()`].

mod bodies;
mod body;
mod card;
mod cards;
mod changed;
mod confidence;
mod config;
mod coverage;
mod cut;
mod dependencies;
mod directory;
mod dropped;
mod entry;
mod file_probabilities;
mod fold;
mod foreign_names;
mod gaps;
mod hierarchy;
mod links;
mod looked_up;
mod named;
mod named_directory;
mod near_duplicates;
mod pack;
mod packed;
mod plan;
mod reasons;
mod render;
mod seen;
mod siblings;
mod steps;
mod surroundings;
mod thresholds;
mod unindexed;
mod verb;

#[cfg(test)]
mod tests;

use foveate_index::Snapshot;

use crate::deadline::Deadline;
use crate::request::Request;

pub(crate) use self::changed::line_ranges as changed_ranges;
pub use self::config::{AssembleConfig, Profile};
pub use self::pack::{DropReason, Dropped, Fidelity, Item, Pack, Section};
use self::plan::Plan;
pub use self::plan::StageResults;
pub(crate) use self::render::fence;
pub use self::render::inline_code;

/// Assembles the context for a ranked answer.
pub fn assemble(
    snapshot: &Snapshot,
    request: &Request,
    found: StageResults<'_>,
    config: &AssembleConfig,
    deadline: &Deadline,
) -> Pack {
    steps::run(Plan::new(snapshot, request, found, config, deadline))
}
