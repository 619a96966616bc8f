//! Source files of every language, read whole and again after an edit.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| foveate_fuzz::engine::file(data));
