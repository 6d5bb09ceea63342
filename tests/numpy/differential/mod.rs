//! Random and mutated files, given to NumPy and to this library: the same verdict, and the same bytes.

mod archives;
mod generate;
mod objects;
mod rules;

use std::collections::BTreeMap;
use std::io::Cursor;

use npy_core::{DynValues, Header, NpyReader};
use npy_ndarray::DynArray;

use crate::support::numpy::{NumPy, frames, numpy, push_frame};
use crate::support::{announce, rounds};
use generate::{Case, Random, golden};
use rules::{Cast, Printed, Saved, Verdict, find};

/// How many cases, and of which seed, unless `NPY_DIFFERENTIAL_CASES` and `NPY_DIFFERENTIAL_SEED`
/// say otherwise.
const CASES: usize = 300;
const SEED: u64 = 20_261_123;

/// As many go through one Python process, which bounds the memory of the test.
const BATCH: u64 = 5_000;

/// Arrays of at most this many bytes: a case is about its header.
const MOST_DATA: usize = 4_096;

#[test]
fn mutated_files_are_read_as_numpy_does() {
    let Some(numpy) = numpy("mutated_files_are_read_as_numpy_does") else { return };
    let (count, seed) = (setting("NPY_DIFFERENTIAL_CASES", rounds(CASES) as u64), setting("NPY_DIFFERENTIAL_SEED", SEED));
    let golden = golden();
    let mut random = Random(seed);
    let mut counts = Counts::default();
    let mut differences = Vec::new();
    for begin in (0..count).step_by(usize::try_from(BATCH).unwrap()) {
        let cases: Vec<Case> = (begin..count.min(begin + BATCH)).map(|_| Case::random(&mut random, &golden)).collect();
        compare(numpy, &cases, &mut counts, &mut differences);
    }
    report("arrays", count, seed, &counts, &differences, &rules::names());
    for compared in ["read alike", "refused alike", "texts", "regions", "casts"] {
        assert!(counts.0.get(compared).is_some_and(|&found| found as u64 > count / 50), "{compared}: {counts:?}");
    }
}

/// A number in the environment, if it is set.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Says how often everything happened and which rules were of no use, and fails if something
/// differs.
fn report(what: &str, count: u64, seed: u64, counts: &Counts, differences: &[String], rules: &[&'static str]) {
    announce(&format!("{count} differential cases of {what} against NumPy, of seed {seed}: {:#?}", counts.0));
    for rule in rules.iter().filter(|name| !counts.0.contains_key(*name)) {
        announce(&format!("no case of: {rule}"));
    }
    let listed = include_str!("../../DIFFERENCES.md");
    let unlisted: Vec<_> = rules.iter().filter(|rule| !listed.contains(&format!("| {rule} |"))).collect();
    assert!(unlisted.is_empty(), "not in tests/DIFFERENCES.md: {unlisted:?}");
    let shown = differences.iter().take(60).map(String::as_str).collect::<Vec<_>>().join("\n\n");
    assert!(differences.is_empty(), "{} differ:\n{shown}", differences.len());
}

/// By the name of what is counted.
#[derive(Debug, Default)]
struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    fn add(&mut self, name: &'static str) {
        *self.0.entry(name).or_default() += 1;
    }
}

fn compare(numpy: &NumPy, cases: &[Case], counts: &mut Counts, differences: &mut Vec<String>) {
    let mut input = Vec::new();
    for case in cases {
        push_frame(&mut input, &case.file);
        push_frame(&mut input, case.asked().as_bytes());
    }
    let output = numpy.run(["differential.py"], &input);
    let answers = frames(&output);
    assert_eq!(answers.len(), 5 * cases.len());
    for (case, answer) in cases.iter().zip(answers.chunks_exact(5)) {
        let [theirs, again, text, region, cast] = answer else { unreachable!() };
        let theirs = std::str::from_utf8(theirs).unwrap();
        counts.add(case.class);
        let mut differ = |what: &str| differences.push(format!("{what}, {}: {}\n  NumPy: {theirs}", case.class, shown(&case.file)));
        let ours = DynArray::read_npy(&case.file[..]);
        let array = match (&ours, theirs.is_empty()) {
            (Ok(array), true) => array,
            (Err(_), false) => {
                counts.add("refused alike");
                continue;
            }
            _ => {
                let verdict = Verdict { file: &case.file, ours: ours.as_ref(), theirs, again };
                match find(&rules::verdicts(), &verdict) {
                    Some(rule) => counts.add(rule),
                    None => differ(&format!("ours {}", ours.as_ref().map_or_else(ToString::to_string, |_| "reads".to_owned()))),
                }
                continue;
            }
        };
        counts.add("read alike");
        if again.is_empty() {
            continue;
        }
        let mut written = Vec::new();
        array.write_npy(&mut written).unwrap();
        let (header, _) = Header::parse(&case.file).unwrap();
        if written != *again {
            match find(&rules::saved_files(), &Saved { file: &case.file, header: &header, ours: &written, theirs: again }) {
                Some(rule) => counts.add(rule),
                None => differ(&format!("saved {} for {}", shown(&written), shown(again))),
            }
        }
        if !text.is_empty() {
            counts.add("texts");
            let ours = DynValues::read(&case.file[..]).unwrap().to_string();
            if ours.as_bytes() != *text {
                match find(&rules::printed(), &Printed { file: &case.file, header: &header, ours: &ours, theirs: text }) {
                    Some(rule) => counts.add(rule),
                    None => differ(&format!("printed\n{ours}\nfor\n{}", text.escape_ascii())),
                }
            }
        }
        if !region.is_empty() {
            counts.add("regions");
            let values = NpyReader::new(Cursor::new(&case.file)).and_then(|mut reader| reader.read_region_values(&case.region));
            let is_value = rules::values(header.dtype());
            let of_fields = |bytes: &[u8]| -> Vec<u8> {
                bytes.iter().zip(is_value.iter().cycle()).filter(|(_, is_value)| **is_value).map(|(byte, _)| *byte).collect()
            };
            if values.as_ref().map(|values| of_fields(values.bytes())).ok() != Some(of_fields(region)) {
                differ(&format!("region {:?}: {:?}", case.region, values.map(|values| values.shape().to_vec())));
            }
        }
        if !cast.is_empty() {
            counts.add("casts");
            let written = (case.target.1)(array);
            if written.as_deref() != Ok(*cast) {
                let rule = written
                    .as_ref()
                    .ok()
                    .and_then(|ours| find(&rules::casts(), &Cast { case, header: &header, ours, theirs: cast }));
                match rule {
                    Some(rule) => counts.add(rule),
                    None => differ(&format!("as {} from {}: {written:?} for {}", case.target.0, header.dtype(), shown(cast))),
                }
            }
        }
    }
}

fn shown(file: &[u8]) -> String {
    let end = file.len().min(700);
    file[..end].escape_ascii().to_string()
}
