//! Foveate as a library: everything above the engine crates that touches the world. The binary only calls [`app`];
//! tests and benches use its modules directly.
//!
//! The modules form layers, and each imports only those of lower layers; `tests/it/layers.rs` checks it:
//! `config`, `telemetry`, `store`, `disk` · `access` · `engine` · `ingest` · `wire`, `eval`, `feedback` · `forge` ·
//! `http`, `cli`, `mcp` · `app`.

pub mod access;
pub mod app;
pub mod cli;
pub mod config;
pub mod disk;
pub mod engine;
pub mod eval;
pub mod feedback;
pub mod forge;
pub mod http;
pub mod ingest;
pub mod mcp;
pub mod store;
pub mod telemetry;
pub mod wire;
