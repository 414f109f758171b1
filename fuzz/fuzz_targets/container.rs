//! Fuzzes `fuzz::container`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::container::run(bytes));
