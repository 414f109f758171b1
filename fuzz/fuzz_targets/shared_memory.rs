//! Fuzzes `fuzz::shared_memory`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::shared_memory::run(bytes));
