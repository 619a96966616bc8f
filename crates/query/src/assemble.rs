//! Packs what the reader must see into the budget: whole functions of the few best places, cards
//! for what surrounds them, the tests and callers of what is shown, and how its files import each
//! other. It ranks nothing and reads no file.
//!
//! The way through: [`steps`] run in the order of their worth, all on one [`plan`]: [`bodies`] chooses whole
//! functions and stretches, each a [`body`] with its [`surroundings`], [`likely`] says which are worth their tokens,
//! [`near_duplicates`] knows those that say the same, [`links`] finds tests, callers and imports, [`dependencies`]
//! what the bodies rest on, [`cards`] show of the rest what must be told. Each makes an [`mod@entry`] with [`card`] and
//! [`source`] and puts it into a [`packed::Packed`], which knows the budget and that no line is delivered twice;
//! [`render`] turns entries into text, and what is answered is a [`pack::Pack`]. Start at [`assemble()`].

mod bodies;
mod body;
mod card;
mod cards;
mod changed;
mod config;
mod dependencies;
mod entry;
mod fold;
mod likely;
mod links;
mod near_duplicates;
mod pack;
mod packed;
mod plan;
mod render;
mod seen;
mod siblings;
pub(crate) mod source;
mod steps;
mod surroundings;
mod unindexed;

#[cfg(test)]
mod tests;

use foveate_index::Snapshot;

use crate::deadline::Deadline;
use crate::request::Request;

pub use self::config::{AssembleConfig, Profile};
pub use self::pack::{Dropped, Fidelity, Item, Pack, Section};
pub use self::plan::Found;
use self::plan::Plan;
pub use self::render::inline_code;

/// Assembles the context for a ranked answer.
pub fn assemble(
    snapshot: &Snapshot,
    request: &Request,
    found: Found<'_>,
    config: &AssembleConfig,
    deadline: &Deadline,
) -> Pack {
    steps::run(Plan::new(snapshot, request, found, config, deadline))
}
