//! `npy sql` starts another program.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Runs a copy of `npy`, so that only this directory is beside it.
fn npy(directory: &Path, path: &Path) -> Command {
    let copy = directory.join("npy");
    if !copy.exists() {
        std::fs::copy(env!("CARGO_BIN_EXE_npy"), &copy).unwrap();
    }
    let mut command = Command::new(copy);
    command.env("PATH", path);
    command
}

/// A program that prints its arguments and fails.
fn program(path: &Path, name: &str) {
    std::fs::write(path, format!("#!/bin/sh\necho {name}\nfor each; do echo \"<$each>\"; done\nexit 7\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn missing_program_is_named_with_its_package() {
    let directory = tempfile::tempdir().unwrap();
    let output = npy(directory.path(), directory.path()).args(["sql", "SELECT 1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        message,
        "npy: cannot find npy-sql: expected it beside npy or on PATH; install it by `cargo install npy-datafusion --features sql --bin npy-sql`\n"
    );
}

#[test]
fn arguments_and_exit_code_are_passed_on() {
    let [beside, path] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    program(&path.path().join("npy-sql"), "path");
    let run = || {
        let arguments = ["sql", "SELECT -1", "a b.npy", "-o", "out.csv", "--format", "csv", "--help"];
        let output = npy(beside.path(), path.path()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let rest = "<SELECT -1>\n<a b.npy>\n<-o>\n<out.csv>\n<--format>\n<csv>\n<--help>\n";
    assert_eq!(run(), format!("path\n{rest}"));
    program(&beside.path().join("npy-sql"), "beside");
    assert_eq!(run(), format!("beside\n{rest}"));
}
