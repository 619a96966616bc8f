//! Heads of definitions in Kotlin.

use crate::hunks::HunkHeads;
use crate::languages::keyword_heads;

pub(super) const HUNKS: HunkHeads = keyword_heads::heads(&["kt", "kts"]);
