//! Fuzzes questions, as text and as Markdown.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| foveate_fuzz::engine::query(data));
