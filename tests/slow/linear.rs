//! The work of hostile headers grows with their length: instructions, which callgrind counts.

use std::process::Command;

use npy_core::Header;

use crate::support::{announce, child, file_with_header};

const FLOODS: [&str; 13] = ["{", "[", "(", "-", "'", "\\", "((", "[{", "u'", "1_", ",", "{1:", "('a','i1'),"];

/// The header of a flood, `count` bytes or a little less.
fn flood(kind: usize, count: usize) -> Vec<u8> {
    let text = FLOODS[kind].repeat(count / FLOODS[kind].len());
    file_with_header(2, format!("{{'descr': [{text}").as_bytes(), b"")
}

/// The child of the test: refuses one header.
#[test]
fn child_that_parses_a_flood() {
    let Ok(flooded) = std::env::var("NPY_FLOOD") else { return };
    let (kind, count) = flooded.split_once(' ').unwrap();
    let file = flood(kind.parse().unwrap(), count.parse().unwrap());
    Header::parse(&file).unwrap_err();
}

/// Instructions of the child.
fn instructions(kind: usize, count: usize) -> u64 {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .args([&child(module_path!(), "child_that_parses_a_flood"), "--exact", "--test-threads=1"])
        .env("NPY_FLOOD", format!("{kind} {count}"))
        .current_dir(directory.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let collected = text.lines().find_map(|line| line.split_once("Collected :")).expect("a number of instructions");
    collected.1.trim().parse().unwrap()
}

#[test]
fn work_of_headers_is_linear() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        announce("skipped work_of_headers_is_linear: valgrind is not installed");
        return;
    }
    // What the program takes for a short header.
    let none = instructions(0, 100);
    let mut worst = (0.0, "");
    for (kind, flood) in FLOODS.iter().enumerate() {
        let [once, twice] = [100_100, 200_100].map(|count| instructions(kind, count));
        let (once, twice) = (once.saturating_sub(none).max(1), twice.saturating_sub(none));
        let ratio = twice as f64 / once as f64;
        // Most are refused at their beginning: what is left then is noise.
        assert!(ratio <= 2.2 || twice < 1_000_000, "{flood:?}: {once} instructions, then {twice}");
        // Of an unoptimised build.
        assert!(once < 100_000_000, "{flood:?}: {once} instructions for 100 kB");
        if twice >= 1_000_000 && ratio > worst.0 {
            worst = (ratio, flood);
        }
    }
    assert!(worst.0 > 1.5, "no flood is parsed to its end");
    announce(&format!("headers of twice the length take at most {:.3} times the instructions ({:?})", worst.0, worst.1));
}
