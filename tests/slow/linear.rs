//! The work of hostile headers grows with their length: instructions, which callgrind counts.

use std::fs;
use std::process::Command;

use npy_core::Header;

use crate::support::{announce, child, file_with_header};

const FLOODS: [&str; 13] = ["{", "[", "(", "-", "'", "\\", "((", "[{", "u'", "1_", ",", "{1:", "('a','i1'),"];

/// Bytes of the floods, or a little less.
const LENGTHS: [usize; 2] = [50_100, 100_100];

/// Refuses one header. Callgrind counts the instructions of each call apart.
#[inline(never)]
fn refuse_flood(file: &[u8]) {
    Header::parse(file).unwrap_err();
}

/// The child of the test: refuses each flood of each length.
#[test]
fn child_that_parses_floods() {
    if std::env::var_os("NPY_FLOODS").is_none() {
        return;
    }
    for flood in FLOODS {
        for length in LENGTHS {
            let text = flood.repeat(length / flood.len());
            refuse_flood(&file_with_header(2, format!("{{'descr': [{text}").as_bytes(), b""));
        }
    }
}

/// The instructions of each call of `refuse_flood`, in their order.
fn instructions() -> Vec<u64> {
    let function = concat!(module_path!(), "::refuse_flood");
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", &format!("--toggle-collect={function}"), &format!("--dump-after={function}")])
        .arg(format!("--callgrind-out-file={}/out", directory.path().display()))
        .arg(std::env::current_exe().unwrap())
        .args([&child(module_path!(), "child_that_parses_floods"), "--exact", "--test-threads=1"])
        .env("NPY_FLOODS", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let total = |number: usize| -> u64 {
        let dump = fs::read_to_string(directory.path().join(format!("out.{number}"))).unwrap();
        let total = dump.lines().find_map(|line| line.strip_prefix("totals: ")).expect("a number of instructions");
        total.trim().parse().unwrap()
    };
    (1..=FLOODS.len() * LENGTHS.len()).map(total).collect()
}

#[test]
fn work_of_headers_is_linear() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        announce("skipped work_of_headers_is_linear: valgrind is not installed");
        return;
    }
    let mut worst = (0.0, "");
    for (flood, counts) in FLOODS.iter().zip(instructions().chunks_exact(2)) {
        let (once, twice) = (counts[0], counts[1]);
        let ratio = twice as f64 / once as f64;
        // Most are refused at their beginning, and their text is only moved.
        assert!(ratio <= 2.2, "{flood:?}: {once} instructions, then {twice}");
        // Of an unoptimised build.
        assert!(once < 50_000_000, "{flood:?}: {once} instructions for 50 kB");
        if ratio > worst.0 {
            worst = (ratio, flood);
        }
    }
    assert!(worst.0 > 1.5, "no flood is parsed to its end");
    announce(&format!("headers of twice the length take at most {:.3} times the instructions ({:?})", worst.0, worst.1));
}
