#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| npy_fuzz::integrations::arrow(input));
