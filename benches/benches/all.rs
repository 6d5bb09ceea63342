//! All cases, or the named ones: `cargo bench -p npy-benches --bench all -- [--quick] [case]...`
//!
//! `README.md` of the package lists the options.

use std::process::ExitCode;

fn main() -> ExitCode {
    npy_benches::run(std::env::args().skip(1))
}
