//! Mutated archives, given to NumPy and to this library: the members that both read are the same.

use npy_core::npz::NpzReader;
use npy_core::{Error, ErrorKind};
use npy_ndarray::DynArray;

use super::generate::Random;
use super::rules::{Rule, find};
use super::{Counts, setting, shown};
use crate::support::numpy::{NumPy, frames, numpy, push_frame};
use crate::support::{archives, data, rounds};

const CASES: usize = 100;

#[test]
fn mutated_archives_are_read_as_numpy_does() {
    let Some(numpy) = numpy("mutated_archives_are_read_as_numpy_does") else { return };
    let (count, seed) = (setting("NPY_DIFFERENTIAL_ARCHIVES", rounds(CASES) as u64), setting("NPY_DIFFERENTIAL_SEED", super::SEED));
    let whole = whole();
    let mut random = Random(seed);
    let mut counts = Counts::default();
    let mut differences = Vec::new();
    for begin in (0..count).step_by(usize::try_from(super::BATCH).unwrap()) {
        let files: Vec<_> = (begin..count.min(begin + super::BATCH)).map(|_| mutated(&mut random, &whole)).collect();
        compare(numpy, &files, &mut counts, &mut differences);
    }
    super::report("archives", count, seed, &counts, &differences, &rules().iter().map(|rule| rule.name).collect::<Vec<_>>());
    for compared in ["members read alike", "archives refused alike"] {
        assert!(counts.0.get(compared).is_some_and(|&found| found as u64 > count / 20), "{compared}: {counts:?}");
    }
}

/// What both say of a member, or of an archive.
struct Verdict<'a> {
    file: &'a [u8],
    ours: Result<&'a [u8], &'a Error>,
    /// Why NumPy refuses it; empty if it does not.
    theirs: &'a str,
}

fn rules<'a>() -> Vec<Rule<Verdict<'a>>> {
    vec![
        Rule {
            name: "archives are read strictly",
            holds: |verdict| {
                use ErrorKind::{InvalidArchive, LimitExceeded, Unsupported, WrongFormat};
                // No fixture has as much as a limit: the claim is a lie.
                let is_strict = verdict.ours.is_err_and(|error| {
                    error.is_truncated() || matches!(error.kind(), InvalidArchive | LimitExceeded | Unsupported | WrongFormat)
                });
                is_strict && verdict.theirs.is_empty()
            },
        },
        Rule {
            name: "archives that begin with something else",
            holds: |verdict| {
                let begins = [b"PK\x03\x04", b"PK\x05\x06"].iter().any(|begin| verdict.file.starts_with(*begin));
                verdict.ours.is_ok() && !begins && !verdict.theirs.is_empty()
            },
        },
        Rule {
            name: "names that are not UTF-8, which a flag claims",
            holds: |verdict| verdict.ours.is_ok() && verdict.theirs.starts_with("UnicodeDecodeError: 'utf-8' codec"),
        },
        Rule {
            name: "one name in two encodings",
            // Where the flags contradict each other, equal bytes that are not ASCII are two texts.
            holds: |verdict| {
                let name = verdict
                    .theirs
                    .strip_prefix("BadZipFile: File name in directory ")
                    .and_then(|rest| rest.split_once(" and header "));
                verdict.ours.is_ok() && name.is_some_and(|(name, _)| !name.is_ascii())
            },
        },
        Rule {
            name: "dictionaries of LZMA that are larger than the memory",
            holds: |verdict| verdict.ours.is_ok() && verdict.theirs.starts_with("MemoryError"),
        },
        Rule {
            name: "features of zip that an archive claims and does not use",
            holds: |verdict| {
                let claims = [
                    "Corrupt extra field",
                    "zip file version",
                    "compressed patched data",
                    "strong encryption",
                    "span multiple disks",
                ];
                verdict.ours.is_ok() && claims.iter().any(|claim| verdict.theirs.contains(claim))
            },
        },
    ]
}

fn compare(numpy: &NumPy, files: &[Vec<u8>], counts: &mut Counts, differences: &mut Vec<String>) {
    let mut input = Vec::new();
    files.iter().for_each(|file| push_frame(&mut input, file));
    let output = numpy.run(["differential_archives.py"], &input);
    let answers = frames(&output);
    assert_eq!(answers.len(), 2 * files.len());
    for (file, answer) in files.iter().zip(answers.chunks_exact(2)) {
        let problem = std::str::from_utf8(answer[0]).unwrap();
        let mut verdict = |what: &str, ours: Result<&[u8], &Error>, theirs: &str, counts: &mut Counts| match find(
            &rules(),
            &Verdict { file, ours, theirs },
        ) {
            Some(rule) => counts.add(rule),
            None => differences.push(format!("{what}: ours {:?}, NumPy {theirs}\n  {}", ours.map(shown), shown(file))),
        };
        let mut reader = match (NpzReader::from_bytes(file), problem) {
            (Ok(reader), "") => reader,
            (Ok(_), problem) => {
                verdict("archive", Ok(&[]), problem, counts);
                continue;
            }
            (Err(error), "") => {
                verdict("archive", Err(&error), "", counts);
                continue;
            }
            (Err(_), _) => {
                counts.add("archives refused alike");
                continue;
            }
        };
        let members = frames(answer[1]);
        for member in members.chunks_exact(3) {
            let (name, theirs) = (String::from_utf8_lossy(member[0]), std::str::from_utf8(member[1]).unwrap());
            // Of several members with one name NumPy gives the last.
            let index = (0..reader.len()).rev().find(|&index| reader.full_name(index) == Some(&name));
            let Some(index) = index else {
                // Python ends names at a NUL, and then finds another one in the local header.
                match theirs {
                    "" => verdict(&format!("{name:?} is missing"), Ok(&[]), "", counts),
                    _ => counts.add("members refused alike"),
                }
                continue;
            };
            let ours = read(&mut reader, index);
            match (&ours, theirs.is_empty()) {
                (Ok(ours), true) if ours == member[2] => counts.add("members read alike"),
                (Err(_), false) => counts.add("members refused alike"),
                _ => verdict(&name, ours.as_deref(), theirs, counts),
            }
        }
        counts.add("archives read alike");
        if reader.len() < members.len() / 3 {
            differences.push(format!("{} members for {}: {}", reader.len(), members.len() / 3, shown(file)));
        }
    }
}

/// What is saved of a member that is an array, or the bytes of what is none, as NumPy gives them.
fn read<R: std::io::Read + std::io::Seek>(reader: &mut NpzReader<R>, index: usize) -> Result<Vec<u8>, Error> {
    let bytes = reader.bytes(index, 1 << 24)?;
    if !bytes.starts_with(b"\x93NUMPY") {
        return Ok(bytes);
    }
    let mut saved = Vec::new();
    DynArray::read_npy(&bytes[..])?.write_npy(&mut saved)?;
    Ok(saved)
}

/// Archives of all kinds, as they should be.
fn whole() -> Vec<Vec<u8>> {
    let mut whole = vec![archives::stored(), archives::compressed(), archives::streamed()];
    let mut paths: Vec<_> = std::fs::read_dir(data("zipfile")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    whole.extend(paths.into_iter().map(|path| std::fs::read(path).unwrap()).filter(|file| file.len() < 20_000));
    assert!(whole.len() > 15, "{}", whole.len());
    whole
}

/// An archive that is damaged in one way or two.
fn mutated(random: &mut Random, whole: &[Vec<u8>]) -> Vec<u8> {
    let mut file = random.pick(whole).clone();
    for _ in 0..=random.below(2) {
        mutate(random, &mut file, whole);
    }
    file
}

fn mutate(random: &mut Random, file: &mut Vec<u8>, whole: &[Vec<u8>]) {
    // Mostly in a header or in the directory.
    let headers: Vec<_> = (0..file.len().saturating_sub(3)).filter(|&at| file[at..].starts_with(b"PK")).collect();
    let at = match headers.is_empty() || random.one_in(4) {
        true => random.below(file.len() as u64 + 1) as usize,
        false => (*random.pick(&headers) + random.below(60) as usize).min(file.len()),
    };
    match random.below(10) {
        0..=3 if at < file.len() => file[at] ^= 1 << random.below(8),
        4 | 5 => {
            let value: &[u8] = random.pick::<&[u8]>(&[
                b"\0",
                b"\x01",
                b"\x08",
                b"\xff\xff",
                b"\0\0\0\0",
                b"\xff\xff\xff\xff",
                b"/",
                b"a",
                b".npy",
                b"\x14\0",
            ]);
            let end = (at + value.len()).min(file.len());
            file[at..end].copy_from_slice(&value[..end - at]);
        }
        6 => file.truncate(at),
        7 => drop(file.drain(at..file.len().min(at + 1 + random.below(4) as usize))),
        8 => {
            let other = random.pick(whole);
            let begin = random.below(other.len() as u64) as usize;
            let length = (1 + random.below(80) as usize).min(other.len() - begin);
            file.splice(at..at, other[begin..begin + length].iter().copied());
        }
        _ => {
            let other = random.pick(whole);
            let at = *random.pick(&[0, at, file.len()]);
            file.splice(at..at, other.iter().copied());
        }
    }
}
