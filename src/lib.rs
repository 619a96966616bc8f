//! Foveate as a library: everything above the engine crates that touches the world. The binary is
//! a thin door to [`cli`] and [`app`]; tests and benches use the rooms directly.

pub mod cli;
pub mod engine;
pub mod eval;
pub mod ingest;
