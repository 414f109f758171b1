//! Fuzzes `fuzz::onnx`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::onnx::run(bytes));
