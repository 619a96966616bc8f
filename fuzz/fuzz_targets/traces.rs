//! Fuzzes stack traces.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| foveate_fuzz::engine::traces(data));
