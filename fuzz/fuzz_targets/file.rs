//! Fuzzes source files of every language, parsed from scratch and again after an edit.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| foveate_fuzz::engine::file(data));
