//! Runs the tests of all packages but the benchmarks and the integrations.
//!
//! Only the examples are a default package, so that `cargo run --example` builds what they need. `cargo test` would test them alone.

use std::env;
use std::process::{Command, exit};

const PACKAGES: [&str; 5] = ["npy-tests", "npy-core", "npy-derive", "npy-ndarray", "npy-cli"];

fn main() {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--no-fail-fast"]).args(PACKAGES.map(|package| format!("--package={package}")));
    if cfg!(not(debug_assertions)) {
        command.arg("--release");
    }
    // Names of tests and options for them, as in `cargo test NAME -- --nocapture`.
    let status = command.arg("--").args(env::args_os().skip(1)).status();
    match status {
        Ok(status) => exit(status.code().unwrap_or(1)),
        Err(error) => {
            eprintln!("cannot run cargo: {error}");
            exit(1);
        }
    }
}
