//! Fuzzes payloads of GitHub's events.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| foveate_fuzz::service::event(data));
