//! What the compiler says when a struct cannot be a record: tests/ui, one rule a file; and that it
//! is silent under the strictest lints.

use std::process::Command;

use crate::support::announce;

/// The messages are the compiler's too, and change with it.
const TOOLCHAIN: &str = "rustc 1.95.";

#[test]
fn mistakes_are_explained_on_the_right_token() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().unwrap();
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    if !version.starts_with(TOOLCHAIN) {
        announce(&format!("SKIPPED the compiler's messages: they are compared under {TOOLCHAIN}x only, and this is {version}"));
        return;
    }
    let cases = trybuild::TestCases::new();
    // A case that passes makes trybuild build all cases, not only check them. Only a build evaluates
    // the constants that report some mistakes.
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/*.rs");
}
