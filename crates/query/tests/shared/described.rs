//! Describes definitions as `path:qualified_name`.

use foveate_index::{DefId, Snapshot};

pub fn described(snapshot: &Snapshot, definitions: &[DefId]) -> Vec<String> {
    let files = &snapshot.files;
    let describe = |id: &DefId| {
        let name = &files.definition(*id).qualified_name;
        format!("{}:{name}", files.path(id.file))
    };
    definitions.iter().map(describe).collect()
}
