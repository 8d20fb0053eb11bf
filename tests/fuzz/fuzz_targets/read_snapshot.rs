#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| ckdiff_fuzz::run("read_snapshot", input));
