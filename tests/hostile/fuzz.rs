//! The targets of coverage-guided fuzzing, as ordinary tests: on all that was found, and on fixtures with random
//! damage. `.ci/fuzz` is the real thing.

#[path = "../fuzz/src/targets/mod.rs"]
mod targets;

use std::fs;
use std::path::Path;

use crate::support::archives::random;
use crate::support::{announce, data, files_below, rounds};

/// Inputs of each target, unless `NPY_FUZZ_INPUTS` says otherwise.
const INPUTS: usize = 150;

/// Steps of files that grow, unless `NPY_GROWTH_STEPS` says otherwise.
const STEPS: usize = 1_000;

type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 12] = [
    ("append", targets::append),
    ("deflate", targets::deflate),
    ("dtype", targets::dtype),
    ("dynamic", targets::dynamic),
    ("header", targets::header),
    ("npz", targets::npz),
    ("objects", targets::objects),
    ("print", targets::print),
    ("rawarray", targets::rawarray),
    ("regions", targets::regions),
    ("round_trip", targets::round_trip),
    ("typed", targets::typed),
];

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn findings_of_fuzzing_stay_mended() {
    let findings = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/findings");
    let mut count = 0;
    for entry in fs::read_dir(findings).unwrap() {
        let directory = entry.unwrap().path();
        let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
        for file in fs::read_dir(&directory).unwrap() {
            let input = fs::read(file.unwrap().path()).unwrap();
            match TARGETS.iter().find(|(target, _)| *target == name) {
                Some((_, target)) => target(&input),
                None => assert!(name == "growth" && targets::growth(&input) > 0, "no target is called {name}"),
            }
            count += 1;
        }
    }
    assert!(count > 0, "no findings are there");
}

#[test]
fn damaged_fixtures_pass_each_target() {
    let seeds = seeds();
    assert!(seeds.len() > 500, "{} fixtures", seeds.len());
    let mut state = 5;
    for (name, target) in TARGETS {
        for _ in 0..setting("NPY_FUZZ_INPUTS", rounds(INPUTS)) {
            let mut input = seeds[random(&mut state) % seeds.len()].clone();
            damage(&mut input, &mut state);
            let caught = std::panic::catch_unwind(|| target(&input));
            assert!(caught.is_ok(), "{name}: {}", input.escape_ascii());
        }
    }
}

/// Small files of all kinds.
fn seeds() -> Vec<Vec<u8>> {
    let files = files_below(&data(""), "").into_iter().map(|path| fs::read(path).unwrap());
    files.filter(|file| file.len() < 5000).collect()
}

fn damage(input: &mut Vec<u8>, state: &mut u64) {
    for _ in 0..1 + random(state) % 4 {
        let at = random(state) % input.len().max(1);
        match random(state) % 8 {
            0 => input.truncate(at),
            1 if at < input.len() => input[at] = 0xFF,
            2 => drop(input.drain(at..input.len().min(at + 1 + random(state) % 8))),
            3 => input.extend_from_within(at..),
            _ if at < input.len() => input[at] ^= 1 << (random(state) % 8),
            _ => input.push(state.to_le_bytes()[4]),
        }
    }
}

/// Random operations, kills and damage of a growing array or archive, against a model in memory.
#[test]
fn growing_files_hold_what_their_model_does() {
    let least = setting("NPY_GROWTH_STEPS", rounds(STEPS));
    let mut state = 26;
    let (mut steps, mut files) = (0, 0);
    while steps < least {
        let input: Vec<u8> = (0..400).map(|_| random(&mut state).to_le_bytes()[1]).collect();
        match std::panic::catch_unwind(|| targets::growth(&input)) {
            Ok(count) => steps += count,
            Err(_) => panic!("of the input {input:?}"),
        }
        files += 1;
    }
    announce(&format!("{steps} steps of {files} growing files agree with their model"));
}
