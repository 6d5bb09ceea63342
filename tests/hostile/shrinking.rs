//! Files that get shorter while they are read: a typed error, and no element that the file did not hold.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
use npy_core::region::AxisRange;
use npy_core::{DynValues, Error, ErrorKind, NpyReader, NpyRecord, Order, ReadOptions, Result, rawarray};

use crate::peak::with_poison;
use crate::support::{announce, rounds, scratch, some};

/// All bytes of the files are this, so that each element has one right value.
const BYTE: u8 = 7;
const SEVENS: u64 = 0x0707_0707_0707_0707;

/// Elements of more than the 8 MiB from which on several threads read.
const MANY: usize = 1_300_000;

#[derive(NpyRecord, Clone, Copy)]
struct Pick {
    id: u64,
    weight: u8,
}

type Reader = NpyReader<BufReader<File>>;

/// A way to read elements, or some of them.
type Read<T> = fn(Reader) -> Result<Vec<T>>;

/// Ways to read a member, which say whether it was right.
type MemberWays<'a, R> = [&'a dyn Fn(&mut NpzReader<R>) -> Result<bool>; 4];

const WAYS: [(&str, Read<u64>); 11] = [
    ("into_vec", NpyReader::into_vec),
    ("read_to_vec", |mut reader| {
        let mut items = vec![1; 5];
        let result = reader.read_to_vec(&mut items);
        assert!(result.is_ok() || items.is_empty());
        result.map(|()| items)
    }),
    ("read_into", |mut reader| {
        let mut items = vec![SEVENS; reader.remaining()];
        let result = reader.read_into(&mut items);
        assert!(items.iter().all(|item| *item == SEVENS), "an element that is in neither");
        assert!(result.is_ok() || reader.read_into(&mut items[..1]).is_err());
        result.map(|()| items)
    }),
    ("chunks", |mut reader| reader.chunks(1000).collect::<Result<Vec<_>>>().map(|chunks| chunks.concat())),
    ("records", |mut reader| reader.records().collect()),
    ("for_each_chunk", |mut reader| {
        let mut items = Vec::new();
        reader.for_each_chunk(|chunk| {
            items.extend(chunk);
            Ok(())
        })?;
        Ok(items)
    }),
    ("read_at", |mut reader| reader.read_at(reader.remaining() / 3..reader.remaining())),
    ("read_region", |mut reader| {
        let rows = AxisRange::from(0..reader.remaining()).step_by(3000);
        reader.read_region(&[rows])
    }),
    ("into_values", |reader| reader.into_values()?.to_vec()),
    ("next_rows", |mut reader| {
        let mut items = Vec::new();
        while let Some(rows) = reader.next_rows(900)? {
            items.extend(rows.to_vec::<u64>()?);
        }
        Ok(items)
    }),
    ("last row", |mut reader| {
        reader.seek_to(reader.remaining() - 1)?;
        reader.into_vec()
    }),
];

const WAYS_OF_PICKS: [(&str, Read<Pick>); 4] = [
    ("into_vec of records", NpyReader::into_vec),
    ("chunks of records", |mut reader| reader.chunks(1000).collect::<Result<Vec<_>>>().map(|chunks| chunks.concat())),
    ("read_into of records", |mut reader| {
        let mut items = vec![Pick { id: SEVENS, weight: BYTE }; reader.remaining()];
        reader.read_into(&mut items)?;
        Ok(items)
    }),
    ("into_columns", |reader| {
        let (id, weight) = reader.into_columns::<(u64, u8)>(["id", "weight"])?;
        Ok(id.into_iter().zip(weight).map(|(id, weight)| Pick { id, weight }).collect())
    }),
];

fn is_right(pick: &Pick) -> bool {
    pick.id == SEVENS && pick.weight == BYTE
}

fn set_length(path: &Path, length: usize) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(length as u64).unwrap();
}

/// Opens the file, cuts it, and reads it; returns whether that failed.
fn cut<T>(path: &Path, (length, threads): (usize, usize), (name, read): (&str, Read<T>), is_right: fn(&T) -> bool) -> bool {
    let whole = fs::metadata(path).unwrap().len() as usize;
    let reader = NpyReader::open_with(path, ReadOptions::new().threads(threads)).unwrap();
    set_length(path, length);
    let result = read(reader);
    let failed = result.is_err();
    match result {
        // What was read ahead, or lies before the cut.
        Ok(items) => assert!(!items.is_empty() && items.iter().all(is_right), "{name}, cut to {length}: other values"),
        Err(error) => {
            assert!(error.kind() == ErrorKind::Truncated, "{name}, cut to {length}: {error}");
            assert_eq!(error.path(), Some(path), "{name}");
        }
    }
    // Only what was cut off is missing.
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, &vec![BYTE; whole - length]).unwrap();
    failed
}

#[test]
fn array_that_shrinks_is_truncated() {
    let directory = tempfile::tempdir().unwrap();
    let (numbers, picks) = (directory.path().join("numbers.npy"), directory.path().join("picks.npy"));
    let (mut count, mut failed) = (0, 0);
    let mut note = |is_error: bool| {
        count += 1;
        failed += usize::from(is_error);
    };
    for elements in [3000, MANY] {
        npy_core::save(&numbers, &vec![SEVENS; elements]).unwrap();
        npy_core::save(&picks, &vec![Pick { id: SEVENS, weight: BYTE }; elements]).unwrap();
        let cuts = |path: &Path| {
            let whole = fs::metadata(path).unwrap().len() as usize;
            [128, 129, 8192, 8193, whole / 3, whole / 2 + 5, 4 << 20, (8 << 20) + 77, whole - 1]
                .into_iter()
                .filter(move |cut| *cut < whole)
        };
        for threads in [1, 2] {
            for length in some(cuts(&numbers), 4) {
                WAYS.iter().for_each(|way| note(cut(&numbers, (length, threads), *way, |item| *item == SEVENS)));
            }
            for length in some(cuts(&picks), 4) {
                WAYS_OF_PICKS.iter().for_each(|way| note(cut(&picks, (length, threads), *way, is_right)));
            }
        }
    }
    announce(&format!("{count} reads of arrays that shrink: {failed} truncated"));
    assert!(failed > count / 2);
}

fn archive(path: &Path) {
    let mut archive = NpzWriter::create_with(path, WriteOptions::new().threads(2)).unwrap();
    // Several blocks; bytes that compress well would leave nothing to cut.
    let mut state = 1;
    let noise: Vec<u64> = (0..MANY / 2).map(|_| crate::support::archives::random(&mut state) as u64).collect();
    archive.add_slice("stored", &vec![SEVENS; MANY / 2]).unwrap();
    archive.set_options(archive.options().compressed(true));
    archive.add_slice("noise", &noise).unwrap();
    archive.add_slice("compressed", &vec![SEVENS; MANY / 2]).unwrap();
    archive.finish().unwrap();
}

#[test]
fn archive_that_shrinks_is_an_error_or_right() {
    let path = scratch("members.npz");
    archive(&path);
    let whole = fs::read(&path).unwrap();
    let mut reader = NpzReader::open(&path).unwrap();
    let (noise, begins) =
        (reader.by_name::<u64>("noise").unwrap(), [0, 1, 2].map(|index| reader.data_range(index).unwrap().start as usize));
    let sevens = vec![SEVENS; MANY / 2];
    let (mut count, mut failed) = (0, 0);
    let lengths = begins.iter().flat_map(|begin| [*begin, begin + 1, begin + 200, begin + 3000]);
    let lengths = lengths.chain([0, 1, begins[2] - 40, begins[1] + (2 << 20), whole.len() - 1]);
    let places = lengths.filter(|length| *length < whole.len()).flat_map(|length| [(length, 1), (length, 2)]);
    for (length, threads) in some(places, 5) {
        for (index, name) in ["stored", "noise", "compressed"].into_iter().enumerate() {
            let expected = if name == "noise" { &noise } else { &sevens };
            let ways: MemberWays<_> = [
                &|archive| archive.by_name::<u64>(name).map(|found| found == *expected),
                &|archive| archive.bytes(index, u64::MAX).map(|found| found.len() == expected.len() * 8 + 128),
                &|archive| {
                    let mut at = 0;
                    let mut array = archive.array(index)?;
                    for chunk in array.chunks::<u64>(5000) {
                        let chunk = chunk?;
                        assert!(chunk == expected[at..][..chunk.len()], "a chunk of {name} has other values");
                        at += chunk.len();
                    }
                    Ok(at == expected.len())
                },
                &|archive| archive.verify_member(index).map(|()| true),
            ];
            for way in ways {
                fs::write(&path, &whole).unwrap();
                let mut archive = NpzReader::open_with(&path, ReadOptions::new().threads(threads)).unwrap();
                set_length(&path, length);
                count += 1;
                match way(&mut archive) {
                    Ok(is_right) => assert!(is_right, "{name}, cut to {length}: other values"),
                    Err(error) => {
                        failed += 1;
                        expect_short(&error);
                    }
                }
            }
        }
    }
    announce(&format!("{count} reads of archives that shrink: {failed} errors"));
    assert!(failed > count / 3);
}

fn expect_short(error: &Error) {
    assert!(error.is_truncated() || error.kind() == ErrorKind::InvalidArchive, "{error:#}");
}

/// Ends the other thread, even after a failure.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A file that is cut and gets its length back again and again, whose values are then 0.
#[test]
fn file_that_shrinks_meanwhile_gives_no_other_values() {
    let rounds = rounds(3);
    let directory = tempfile::tempdir().unwrap();
    let [npy, matrix, ra] = ["a.npy", "matrix.npy", "a.ra"].map(|name| directory.path().join(name));
    npy_core::save(&npy, &vec![SEVENS; MANY]).unwrap();
    npy_core::save(&matrix, &vec![[SEVENS; 1000]; MANY / 1000]).unwrap();
    rawarray::save(&ra, &vec![SEVENS; MANY]).unwrap();
    let is_over = AtomicBool::new(false);
    let (whole, failed) = (Cell::new(0), Cell::new(0));
    with_poison(0xFF, || {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let files = [&npy, &matrix, &ra].map(|path| OpenOptions::new().write(true).open(path).unwrap());
                let lengths = [&npy, &matrix, &ra].map(|path| fs::metadata(path).unwrap().len());
                let mut state = 9;
                while !is_over.load(Ordering::Relaxed) {
                    for (file, length) in files.iter().zip(lengths) {
                        let cut = 500 + crate::support::archives::random(&mut state) as u64 % (length - 500);
                        file.set_len(cut).unwrap();
                        file.set_len(length).unwrap();
                    }
                }
            });
            let _stop = Stop(&is_over);
            let check = |result: Result<Vec<u64>>| match result {
                Ok(items) => {
                    whole.update(|count| count + 1);
                    let is_of_file = |item: &u64| item.to_ne_bytes().iter().all(|byte| [0, BYTE].contains(byte));
                    assert!(items.iter().all(is_of_file), "an element that the file did not hold");
                }
                Err(error) => {
                    failed.update(|count| count + 1);
                    assert!(error.kind() == ErrorKind::Truncated, "{error:#}");
                }
            };
            // Longer where the other thread had no turn.
            for round in (0..600.max(rounds)).take_while(|round| *round < rounds || failed.get() == 0) {
                let options = ReadOptions::new().threads(1 + round % 2);
                check(npy_core::load_with(&npy, options));
                let fortran = DynValues::load_with(&matrix, options.order(Order::Fortran));
                check(fortran.map(|values| {
                    values.bytes().chunks_exact(8).map(|item| u64::from_ne_bytes(item.try_into().unwrap())).collect()
                }));
                check(rawarray::load_with(&ra, options));
            }
        });
    });
    let (whole, failed) = (whole.get(), failed.get());
    assert!(failed > 0, "none of {whole} reads met a file that was cut");
    announce(&format!("{} reads of files that shrink meanwhile: {failed} truncated", whole + failed));
}
