//! Heads of definitions in C#.

use crate::hunks::HunkHeads;
use crate::languages::java::hunks::heads;

pub(super) const HUNKS: HunkHeads = heads("csharp", &["cs"]);
