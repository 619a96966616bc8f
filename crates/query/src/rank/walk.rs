//! Short walks over the call graph: the cause of a failure is often a call away from the code that the
//! issue describes.

use foldhash::HashMap;
use foveate_index::{DefId, Snapshot};

/// Definitions that use more, or are used more often, lead everywhere: the walk ends there.
const MOST_STEPS: usize = 60;

/// How much of the seeds' mass comes to a definition, in no order.
pub(super) struct Reached {
    /// By one step to what a seed uses.
    pub down: Vec<(DefId, f32)>,
    /// By one step to what uses a seed.
    pub up: Vec<(DefId, f32)>,
    /// By two steps down.
    pub far: Vec<(DefId, f32)>,
}

impl Reached {
    pub(super) fn from(snapshot: &Snapshot, seeds: &[(DefId, f32)]) -> Self {
        let down = step(seeds, |id| {
            let used = snapshot.graph.used_by(id);
            used.iter().map(|(used, _)| *used).collect()
        });
        let up = step(seeds, |id| {
            let sites = snapshot.graph.uses_of(id);
            sites.iter().filter_map(|site| site.enclosing).collect()
        });
        let far = step(&down, |id| {
            let used = snapshot.graph.used_by(id);
            used.iter().map(|(used, _)| *used).collect()
        });
        Self { down, up, far }
    }
}

/// Each definition hands its mass in equal parts to its neighbours. Sums are taken in the order of
/// the ids, so that they come out the same each time.
fn step(from: &[(DefId, f32)], neighbours: impl Fn(DefId) -> Vec<DefId>) -> Vec<(DefId, f32)> {
    let mut mass: HashMap<DefId, f32> = HashMap::default();
    let mut order = Vec::new();
    for (id, own) in from {
        let next = neighbours(*id);
        if next.is_empty() || next.len() > MOST_STEPS {
            continue;
        }
        let share = own / next.len() as f32;
        for id in next {
            *mass.entry(id).or_insert_with(|| {
                order.push(id);
                0.0
            }) += share;
        }
    }
    order.into_iter().map(|id| (id, mass[&id])).collect()
}

/// The methods of the same name in the bases and subclasses of a method's class.
pub(super) fn overrides(snapshot: &Snapshot, method: DefId) -> Vec<DefId> {
    let files = &snapshot.files;
    let Some(class) = files.parent(method) else {
        return Vec::new();
    };
    let name = &files.definition(method).name;
    let graph = &snapshot.graph;
    graph
        .bases(class)
        .iter()
        .chain(graph.subclasses(class))
        .flat_map(|class| files.members(*class))
        .filter(|member| files.definition(*member).name == *name)
        .take(MOST_STEPS)
        .collect()
}
