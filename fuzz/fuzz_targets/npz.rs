//! Fuzzes `fuzz::npz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::npz::run(bytes));
