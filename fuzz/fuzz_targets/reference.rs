//! Fuzzes names of commits, branches and tags.

#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| foveate_fuzz::service::reference(data));
