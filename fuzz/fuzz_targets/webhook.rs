//! Fuzzes webhooks and their signatures.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| foveate_fuzz::service::webhook(data));
