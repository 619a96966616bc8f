//! Keeps the probabilities of the ranked files, and of the best place of each.

use foldhash::HashMap;
use foveate_index::{FileId, Files};

use crate::rank::Ranked;

/// The probabilities of the ranked files, and of the best place of each.
pub(super) struct FileProbabilities {
    files: HashMap<FileId, f32>,
    best_places: HashMap<FileId, f32>,
}

impl FileProbabilities {
    pub(super) fn new(files: &Files, ranked: &Ranked) -> Self {
        let mut best_places = HashMap::default();
        // The first place of a file is its best one.
        for place in &ranked.places {
            best_places
                .entry(place.id.file(files))
                .or_insert(place.probability);
        }
        let ranked = ranked.files.iter();
        Self {
            files: ranked.map(|file| (file.id, file.probability)).collect(),
            best_places,
        }
    }

    /// Returns the probability of a file; 0 if it is not ranked.
    pub(super) fn of(&self, file: FileId) -> f32 {
        self.files.get(&file).copied().unwrap_or(0.0)
    }

    /// Returns the probability of the best place of a file; 0 if none is ranked.
    pub(super) fn of_best_place(&self, file: FileId) -> f32 {
        self.best_places.get(&file).copied().unwrap_or(0.0)
    }
}
