//! The command `npy`.

use std::process::ExitCode;

fn main() -> ExitCode {
    npy_cli::main()
}
