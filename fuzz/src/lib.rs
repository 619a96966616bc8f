//! Functions that read untrusted data, for the fuzzer (`fuzz_targets/`) and the project's tests (`tests/it/fuzz.rs`).
//! CONTRIBUTING.md says how to run the fuzzer.

pub mod engine;
#[cfg(feature = "service")]
pub mod service;
