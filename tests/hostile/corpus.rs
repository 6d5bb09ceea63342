//! The named corpus of hostile files: each is refused, for the reason that stands beside it.

use std::fs;

use npy_core::npz::NpzReader;
use npy_core::rawarray::RaArray;
use npy_core::{DynValues, Error, NpyRecord, Result};

use crate::peak::with_peak;
use crate::support::numpy::numpy;
use crate::support::{announce, data, from_hex};

struct Case {
    name: String,
    format: String,
    /// The kind, and a part of the message behind a colon.
    error: String,
    file: Vec<u8>,
}

fn corpus() -> Vec<Case> {
    let case = |line: &str| {
        let [name, format, error, hex] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let file = from_hex(hex);
        Case { name: name.to_owned(), format: format.to_owned(), error: error.to_owned(), file }
    };
    fs::read_to_string(data("hostile.tsv")).unwrap().lines().skip(1).map(case).collect()
}

/// What the files of the format `record` are read as.
#[derive(NpyRecord)]
struct Sample {
    time: f64,
    name: String,
    values: [i16; 3],
    flag: bool,
}

fn read(case: &Case) -> Result<()> {
    let file = &case.file[..];
    match case.format.as_str() {
        "npy" => DynValues::read(file).map(drop),
        "npz" => {
            let mut archive = NpzReader::from_bytes(file)?;
            (0..archive.len()).try_for_each(|index| archive.bytes(index, u64::MAX).map(drop))
        }
        "record" => npy_core::read::<Sample>(file).map(drop),
        _ => RaArray::read(file).map(drop),
    }
}

fn is_expected(case: &Case, error: &Error) -> bool {
    let (kind, message) = case.error.split_once(": ").unwrap_or((&case.error, ""));
    format!("{:?}", error.kind()) == kind && error.to_string().contains(message)
}

#[test]
fn each_file_of_the_corpus_is_refused_for_its_reason() {
    let cases = corpus();
    let mut wrong = Vec::new();
    for case in &cases {
        let (result, peak) = with_peak(|| read(case));
        assert!(peak < 64 * 1024 + 100 * case.file.len(), "{}: {peak} bytes for a file of {}", case.name, case.file.len());
        match result {
            Ok(()) => wrong.push(format!("{}: {} expected, and it was taken", case.name, case.error)),
            Err(error) if is_expected(case, &error) => {}
            Err(error) => wrong.push(format!("{}: {} expected, found {:?}: {error}", case.name, case.error, error.kind())),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    announce(&format!("hostile files: {} refused, each for its reason", cases.len()));
    assert!(cases.len() >= 330, "{}", cases.len());
}

#[test]
fn the_corpus_is_what_its_script_makes() {
    // Any Python does.
    let Some(numpy) = numpy("the_corpus_is_what_its_script_makes") else { return };
    numpy.run([data("make_hostile.py").as_os_str(), "check".as_ref()], b"");
}
