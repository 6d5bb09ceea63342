//! All rows, or those that are named: `cargo bench -p npy-benches --bench all -- [--quick] [--folder F]... [row]...`
//!
//! `README.md` beside this folder says what the rows are.

use std::process::ExitCode;

fn main() -> ExitCode {
    npy_benches::run(std::env::args().skip(1))
}
