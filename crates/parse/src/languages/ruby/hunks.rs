//! Heads of definitions in Ruby.

use crate::hunks::HunkHeads;
use crate::languages::keyword_heads;

pub(super) const HUNKS: HunkHeads = keyword_heads::heads(&["rb"]);
