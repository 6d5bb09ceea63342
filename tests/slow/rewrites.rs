//! Readers, while another process writes the file again and again; and writers that meet at one file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::{DynValues, Error, ErrorKind, NpyMap, NpyReader, NpyWriter, ReadOptions, Result, SaveOptions, rawarray};

use crate::support::{announce, as_child, rounds};

/// How often each writer writes, unless `NPY_REWRITES` says otherwise.
fn rewrites() -> usize {
    std::env::var("NPY_REWRITES").map_or_else(|_| rounds(60), |text| text.parse().unwrap())
}

/// Elements of an array that is full of `value`; now and then enough for several threads.
fn length(value: u64) -> usize {
    if value.is_multiple_of(8) { 1_100_000 } else { 1 + (value as usize * 7919) % 20_000 }
}

fn items(value: u64) -> Vec<u64> {
    vec![value; length(value)]
}

/// Checks that it is one of the arrays that were saved, whole.
fn expect_whole(found: &[u64]) {
    assert!(found.len() == length(found[0]) && found.iter().all(|item| *item == found[0]), "a mixture");
}

/// The process that writes, as often as it is told to.
#[test]
fn child_that_rewrites() {
    let Some(path) = std::env::var_os("NPY_REWRITE") else { return };
    let path = PathBuf::from(path);
    let kind = std::env::var("NPY_KIND").unwrap();
    let in_place = SaveOptions::new().in_place(true);
    for round in 0..rewrites() as u64 {
        match kind.as_str() {
            "save" => npy_core::save(&path, &items(round)),
            "rawarray" => rawarray::save(&path, &items(round)),
            "archive" => archive(&path, round),
            "rows" => rows(&path, round),
            "members" => add_member(&path, round),
            // Others have the lock for a moment.
            "in place" => match npy_core::save_with(&path, &items(round + 1), in_place) {
                Err(error) if is_locked(&error) => Ok(()),
                result => result,
            },
            other => panic!("{other}"),
        }
        .unwrap_or_else(|error| panic!("{kind}: {error:#}"));
    }
}

fn archive(path: &Path, value: u64) -> Result<()> {
    let mut archive = NpzWriter::create(path)?;
    archive.add_slice("stored", &items(value))?;
    archive.set_options(archive.options().compressed(true).level(1));
    archive.add_slice("compressed", &items(value))?;
    archive.finish().map(drop)
}

/// Adds rows, each of which is its index; begins again now and then.
fn rows(path: &Path, round: u64) -> Result<()> {
    let mut writer = if round.is_multiple_of(20) { NpyWriter::<u64, _>::create(path)? } else { NpyWriter::append(path)? };
    let first = npy_core::load::<u64>(path)?.len() as u64;
    for part in 0..4 {
        let begin = first + part * 3000;
        writer.write_slice(&Vec::from_iter(begin..begin + 3000))?;
        writer.flush()?;
    }
    writer.finish().map(drop)
}

fn add_member(path: &Path, round: u64) -> Result<()> {
    let mut archive = NpzWriter::append(path)?;
    archive.set_options(archive.options().compressed(round % 2 == 1).level(1));
    archive.add_slice(&format!("m{}", round + 1), &items(round + 1))?;
    archive.finish().map(drop)
}

fn is_locked(error: &Error) -> bool {
    error.to_string().ends_with("the file is locked by another writer")
}

fn start(kind: &str, path: &Path) -> Child {
    as_child(module_path!(), "child_that_rewrites")
        .env("NPY_REWRITE", path)
        .env("NPY_KIND", kind)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Has two threads read for as long as the process writes; returns how often they did.
fn read_meanwhile(kind: &str, path: &Path, read: &(dyn Fn(usize) + Sync)) -> usize {
    let mut writer = start(kind, path);
    let (count, is_over) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let status = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while is_over.load(Ordering::Relaxed) == 0 {
                    read(count.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
        let status = writer.wait();
        is_over.store(1, Ordering::Relaxed);
        status
    });
    assert!(status.unwrap().success());
    let count = count.into_inner();
    announce(&format!("{kind}: {count} reads during {} rewrites", rewrites()));
    assert!(count > 10);
    count
}

#[test]
fn reader_of_a_rewritten_file_finds_one_array_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    npy_core::save(&path, &items(0)).unwrap();
    let two = ReadOptions::new().threads(2);
    let read = |number: usize| -> Result<()> {
        match number % 8 {
            0 => expect_whole(&npy_core::load::<u64>(&path)?),
            1 => expect_whole(&npy_core::load_with::<u64>(&path, two)?),
            2 => expect_whole(&NpyReader::open(&path)?.chunks(777).collect::<Result<Vec<Vec<u64>>>>()?.concat()),
            3 => expect_whole(&NpyReader::open_with(&path, two)?.into_vec()?),
            4 => expect_whole(&DynValues::load(&path)?.to_vec()?),
            5 => {
                let mut reader = NpyReader::open(&path)?;
                let (count, middle) = (reader.remaining(), reader.remaining() / 2);
                let last = reader.read_at::<u64>(middle..count)?;
                expect_whole(&[reader.read_at(0..middle)?, last].concat());
            }
            6 => expect_whole(&NpyReader::new(fs::File::open(&path)?)?.records().collect::<Result<Vec<u64>>>()?),
            _ => {
                // SAFETY: the writer replaces the file, and does not change what is mapped.
                let map = unsafe { NpyMap::open(&path)? };
                expect_whole(map.view()?);
                // Also after it was replaced.
                std::thread::yield_now();
                expect_whole(map.view()?);
            }
        }
        Ok(())
    };
    read_meanwhile("save", &path, &|number| read(number).unwrap_or_else(|error| panic!("{error:#}")));
    let names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["array.npy"]);
}

#[test]
fn reader_of_a_rewritten_raw_array_finds_it_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.ra");
    rawarray::save(&path, &items(0)).unwrap();
    read_meanwhile("rawarray", &path, &|_| expect_whole(&rawarray::load(&path).unwrap()));
}

#[test]
fn reader_of_a_rewritten_archive_finds_it_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("members.npz");
    archive(&path, 0).unwrap();
    let read = |number: usize| -> Result<()> {
        let mut archive = NpzReader::open_with(&path, ReadOptions::new().threads(1 + number % 2))?;
        let stored = archive.by_name::<u64>("stored")?;
        expect_whole(&stored);
        if number.is_multiple_of(4) {
            archive.verify()?;
        }
        assert!(archive.by_name::<u64>("compressed")? == stored, "members of two archives");
        Ok(())
    };
    read_meanwhile("archive", &path, &|number| read(number).unwrap_or_else(|error| panic!("{error:#}")));
}

#[test]
fn reader_of_a_growing_array_finds_a_prefix() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.npy");
    NpyWriter::<u64, _>::create(&path).unwrap().finish().unwrap();
    let most = AtomicUsize::new(0);
    let read = |number: usize| -> Result<()> {
        let rows: Vec<u64> = match number % 4 {
            0 => npy_core::load(&path)?,
            1 => NpyReader::open(&path)?.records().collect::<Result<_>>()?,
            2 => DynValues::load(&path)?.to_vec()?,
            _ => {
                let mut reader = NpyReader::open(&path)?;
                reader.read_at(0..reader.remaining())?
            }
        };
        assert!(rows.len().is_multiple_of(3000) && rows.iter().enumerate().all(|(index, row)| *row == index as u64));
        most.fetch_max(rows.len(), Ordering::Relaxed);
        Ok(())
    };
    read_meanwhile("rows", &path, &|number| read(number).unwrap_or_else(|error| panic!("{error:#}")));
    assert!(most.into_inner() > 0);
}

/// While members are added, the archive has no end, and opening it says so.
#[test]
fn reader_of_a_growing_archive_finds_it_whole_or_incomplete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("members.npz");
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.add_slice("m0", &items(0)).unwrap();
    archive.finish().unwrap();
    let incomplete = AtomicUsize::new(0);
    // One that was opened before reads its members all the while.
    let early = std::sync::Mutex::new(NpzReader::open(&path).unwrap());
    let read = |number: usize| -> Result<()> {
        let mut archive = match NpzReader::open(&path) {
            Ok(archive) => archive,
            Err(error) => {
                let is_expected = error.to_string().contains("truncated archive: ");
                assert!(is_expected, "{error:#}");
                incomplete.fetch_add(1, Ordering::Relaxed);
                expect_whole(&early.lock().unwrap().by_name("m0")?);
                return Ok(());
            }
        };
        for index in [0, number % archive.len(), archive.len() - 1] {
            let found = archive.by_name::<u64>(&format!("m{index}"))?;
            expect_whole(&found);
            assert_eq!(found[0], index as u64);
        }
        Ok(())
    };
    read_meanwhile("members", &path, &|number| read(number).unwrap_or_else(|error| panic!("{error:#}")));
    assert_eq!(NpzReader::open(&path).unwrap().len(), rewrites() + 1);
    announce(&format!("{} of the reads met an archive without its end", incomplete.into_inner()));
}

/// Of a file that is overwritten the documentation promises no more than an error or a mixture.
#[test]
fn reader_of_an_overwritten_file_never_panics() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    npy_core::save(&path, &items(1)).unwrap();
    let refused = AtomicUsize::new(0);
    let most = rewrites() as u64;
    read_meanwhile("in place", &path, &|number| {
        let result: Result<Vec<u64>> = match number % 3 {
            0 => npy_core::load_with(&path, ReadOptions::new().threads(1 + number % 2)),
            1 => NpyReader::open(&path).and_then(|mut reader| reader.records().collect()),
            _ => DynValues::load(&path).and_then(|values| values.to_vec()),
        };
        match result {
            Ok(found) => assert!(found.iter().all(|item| (1..=most).contains(item)), "an element that nobody saved"),
            Err(error) => {
                assert!(!matches!(error.kind(), ErrorKind::Io | ErrorKind::OutOfMemory), "{error:#}");
                refused.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    expect_whole(&npy_core::load(&path).unwrap());
    announce(&format!("{} of the reads were refused", refused.into_inner()));
}

/// Who overwrites one new file at the same time waits, or is refused; the file is one of theirs.
#[test]
fn savers_in_place_never_tear_a_new_file() {
    const SAVERS: u64 = 4;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    let (mut saved, mut refused) = (0, 0);
    for round in 0..rewrites() as u64 {
        let _ = fs::remove_file(&path);
        let gate = std::sync::Barrier::new(SAVERS as usize);
        let results: Vec<_> = std::thread::scope(|scope| {
            let savers: Vec<_> = (0..SAVERS)
                .map(|saver| {
                    let (path, gate) = (&path, &gate);
                    scope.spawn(move || {
                        let items = items(round * SAVERS + saver + 1);
                        gate.wait();
                        npy_core::save_with(path, &items, SaveOptions::new().in_place(true).durable(round % 10 == 0))
                    })
                })
                .collect();
            savers.into_iter().map(|saver| saver.join().unwrap()).collect()
        });
        for error in results.iter().filter_map(|result| result.as_ref().err()) {
            assert!(is_locked(error), "{error:#}");
            refused += 1;
        }
        let found = npy_core::load::<u64>(&path).unwrap();
        expect_whole(&found);
        assert!(results[((found[0] - 1) % SAVERS) as usize].is_ok(), "the file of a saver that was refused");
        saved += results.iter().filter(|result| result.is_ok()).count();
    }
    // Processes too.
    fs::remove_file(&path).unwrap();
    let savers: Vec<_> = (0..3).map(|_| start("in place", &path)).collect();
    for mut saver in savers {
        assert!(saver.wait().unwrap().success());
    }
    expect_whole(&npy_core::load(&path).unwrap());
    announce(&format!("{saved} saves in place of new files by {SAVERS} threads, {refused} refused; 0 torn"));
}
