//! Fuzzes configuration files.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| foveate_fuzz::service::settings(data));
