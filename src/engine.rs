//! Warm repositories and their snapshots.

pub mod blobs;
pub mod progress;

pub use blobs::{BlobCache, BlobStats, Reading, skipped_file, source_file};
pub use progress::{Cancelled, Phase, Progress};
