//! Files that grow: valid at every instant, whoever kills the writer; added to, mended, locked.

mod support;

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use npy_core::{DType, Error, ErrorKind, Header, NpyElement, NpyReader, NpyRecord, NpyWriter, Order, recover};
use support::numpy::numpy;
use support::{announce, data};

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
struct Reading {
    index: u64,
    value: f64,
    flag: bool,
}

fn reading(index: u64) -> Reading {
    Reading { index, value: index as f64 / 8.0, flag: index.is_multiple_of(3) }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_file_that_grew_is_the_one_that_was_saved_at_once() {
    let folder = folder();
    let (grown, saved) = (folder.path().join("grown.npy"), folder.path().join("saved.npy"));
    for count in [0_u64, 1, 9, 10, 12_345, 100_000] {
        let items: Vec<Reading> = (0..count).map(reading).collect();
        npy_core::save(&saved, &items).unwrap();
        let mut writer = NpyWriter::<Reading, _>::create(&grown).unwrap();
        for (i, chunk) in items.chunks(777).enumerate() {
            if i % 2 == 0 {
                writer.write_slice(chunk).unwrap()
            } else {
                chunk.iter().for_each(|item| writer.push(item).unwrap())
            }
            if i % 5 == 0 {
                writer.flush().unwrap();
                assert_eq!(npy_core::load::<Reading>(&grown).unwrap(), items[..(i * 777 + chunk.len())]);
            }
        }
        writer.finish().unwrap();
        assert!(fs::read(&grown).unwrap() == fs::read(&saved).unwrap(), "{count}");
        let mut stream = Cursor::new(b"before".to_vec());
        stream.set_position(6);
        let mut writer = NpyWriter::new(&mut stream).unwrap();
        writer.write_slice(&items).unwrap();
        writer.finish().unwrap();
        assert!(stream.into_inner()[6..] == fs::read(&saved).unwrap(), "{count}");
    }
    // Not finished: what was pushed is there all the same.
    let mut writer = NpyWriter::<u16, _>::create(&grown).unwrap();
    writer.write_slice(&[1, 2, 3]).unwrap();
    assert_eq!(npy_core::load::<u16>(&grown).unwrap(), [0_u16; 0]);
    drop(writer);
    assert_eq!(npy_core::load::<u16>(&grown).unwrap(), [1, 2, 3]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn rows_of_more_dimensions_grow_along_the_outer_axis() {
    let folder = folder();
    let path = folder.path().join("rows.npy");
    for (order, shape, grown) in [(Order::C, [0, 2, 3], [4, 2, 3]), (Order::Fortran, [2, 3, 0], [2, 3, 4])] {
        let header = Header::new(">i2".parse().unwrap(), order, &shape).unwrap();
        let mut writer = NpyWriter::create_with(&path, &header).unwrap();
        writer.write_slice(&(0..10_i16).collect::<Vec<_>>()).unwrap();
        // One row and a part of the next.
        writer.flush().unwrap();
        assert_eq!(Header::read(fs::File::open(&path).unwrap()).unwrap().element_count(), 6);
        let error = NpyWriter::<i16, _>::append(&path).unwrap_err();
        assert!(error.to_string().contains("it is being added to already"), "{error}");
        writer.write_slice(&(10..24_i16).collect::<Vec<_>>()).unwrap();
        writer.finish().unwrap();
        let reader = NpyReader::open(&path).unwrap();
        assert_eq!((reader.header().shape(), reader.header().order()), (grown.as_slice(), order));
        assert_eq!(reader.into_vec::<i16>().unwrap(), (0..24).collect::<Vec<_>>());
        // Not whole rows.
        let mut writer = NpyWriter::<i16, _>::append(&path).unwrap();
        writer.write_slice(&[1, 2, 3, 4]).unwrap();
        let error = writer.finish().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WrongCount { expected: 6, found: 4 }), "{error}");
        assert_eq!(NpyReader::open(&path).unwrap().header().shape(), grown);
    }
    // Elements that are arrays.
    let mut writer = NpyWriter::<[f32; 3], _>::create(&path).unwrap();
    writer.push(&[1.0, 2.0, 3.0]).unwrap();
    writer.finish().unwrap();
    let mut writer = NpyWriter::<f32, _>::append(&path).unwrap();
    writer.write_slice(&[4.0, 5.0, 6.0]).unwrap();
    writer.finish().unwrap();
    assert_eq!(npy_core::load::<[f32; 3]>(&path).unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
}

/// NaNs are equal to themselves here.
fn bits(items: &[f64]) -> Vec<u64> {
    items.iter().map(|item| item.to_bits()).collect()
}

/// Files of every NumPy: the header keeps its length, or has no room for another digit and says so.
#[test]
fn numpys_files_are_added_to() {
    let folder = folder();
    let path = folder.path().join("file.npy");
    let (mut grown, mut full) = (0, 0);
    for version in [
        "numpy-1.6.2-py2.7",
        "numpy-1.11.3-py2.7",
        "numpy-1.16.6-py2.7",
        "numpy-1.23.5-py3.11",
        "numpy-2.4.6-py3.11",
        "numpy-2.5.5-py3.13",
    ] {
        for entry in fs::read_dir(data(version)).unwrap() {
            let source = entry.unwrap().path();
            if source.extension().is_none_or(|extension| extension != "npy") {
                continue;
            }
            let bytes = fs::read(&source).unwrap();
            let Ok((header, offset)) = Header::parse(&bytes) else { continue };
            let is_f64 = header.dtype() == &f64::dtype();
            if !is_f64 || header.shape().len() != 1 || bytes.len() as u64 != offset as u64 + header.data_bytes() {
                continue;
            }
            let before = npy_core::load::<f64>(&source).unwrap();
            fs::write(&path, &bytes).unwrap();
            let mut expected = before.clone();
            for more in [1, 10, 1000, 100_000] {
                let mut writer = match NpyWriter::<f64, _>::append(&path) {
                    Ok(writer) => writer,
                    Err(error) => {
                        assert!(matches!(error.kind(), ErrorKind::CannotGrow { .. }), "{}: {error}", source.display());
                        full += 1;
                        break;
                    }
                };
                let items: Vec<f64> = (0..more).map(f64::from).collect();
                writer.write_slice(&items).unwrap();
                if let Err(error) = writer.finish() {
                    assert!(matches!(error.kind(), ErrorKind::CannotGrow { .. }), "{error}");
                    full += 1;
                    break;
                }
                expected.extend(items);
                let bytes = fs::read(&path).unwrap();
                assert_eq!(Header::parse(&bytes).unwrap().1, offset, "the header keeps its length");
                assert!(bits(&npy_core::load::<f64>(&path).unwrap()) == bits(&expected));
                grown += 1;
            }
            // What had no room is as it was before.
            assert!(bits(&npy_core::load::<f64>(&path).unwrap()[..before.len()]) == bits(&before));
        }
    }
    announce(&format!("files of NumPy: {grown} times added to, {full} had no room in the header"));
    assert!(grown > 20 && full < grown);
}

#[test]
fn numpy_reads_what_grew_and_we_add_to_what_numpy_wrote() {
    let Some(numpy) = numpy("numpy_reads_what_grew_and_we_add_to_what_numpy_wrote") else { return };
    let folder = folder();
    let path = folder.path().join("grown.npy");
    let write = "
import sys
import numpy as np
np.save(sys.argv[1], np.array([(0, 0.0, True), (1, 0.125, False)], [('index', '<u8'), ('value', '<f8'), ('flag', '?')]))
";
    numpy.run(["-c", write, path.to_str().unwrap()], b"");
    let before = Header::parse(&fs::read(&path).unwrap()).unwrap().1;
    let mut writer = NpyWriter::<Reading, _>::append(&path).unwrap();
    (2..5000).for_each(|index| writer.push(&reading(index)).unwrap());
    writer.finish().unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(Header::parse(&bytes).unwrap().1, before);
    let read = "
import io, sys
import numpy as np
array = np.load(sys.argv[1])
mapped = np.load(sys.argv[1], mmap_mode='r')
assert (array == mapped).all() and (array['index'] == np.arange(5000)).all() and (array['value'] == np.arange(5000) / 8).all()
again = io.BytesIO()
np.save(again, array)
print(again.getvalue() == open(sys.argv[1], 'rb').read())
";
    let printed = String::from_utf8(numpy.run(["-c", read, path.to_str().unwrap()], b"")).unwrap();
    assert_eq!(printed.trim(), "True", "the bytes of np.save");
}

#[test]
fn what_cannot_be_added_to_stays_as_it_is() {
    let folder = folder();
    let path = folder.path().join("file.npy");
    let refuse = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let Err(error) = NpyWriter::<f64, _>::append(&path) else { panic!("{}", bytes.escape_ascii()) };
        assert!(fs::read(&path).unwrap() == bytes);
        assert_eq!(error.path(), Some(path.as_path()));
        error
    };
    let file = |dtype: &str, order, shape: &[usize]| {
        let header = Header::new(dtype.parse().unwrap(), order, shape).unwrap();
        let mut bytes = header.to_bytes();
        bytes.resize(bytes.len() + header.data_bytes() as usize, 0);
        bytes
    };
    let one = file("<f8", Order::C, &[3]);
    assert!(matches!(refuse(&file("<f4", Order::C, &[3])).kind(), ErrorKind::Mismatch { .. }));
    assert!(matches!(refuse(&one[..one.len() - 1]).kind(), ErrorKind::Truncated { found: 23, .. }));
    assert!(matches!(refuse(&file("<f8", Order::C, &[])).kind(), ErrorKind::CannotGrow { .. }));
    assert!(matches!(refuse(&file("<f8", Order::C, &[0, 0])).kind(), ErrorKind::CannotGrow { .. }));
    assert!(matches!(refuse(b"PK\x03\x04").kind(), ErrorKind::NotNpy { .. } | ErrorKind::Truncated { .. }));
    let error = refuse(&[one.clone(), one.clone()].concat());
    assert!(error.to_string().contains("another array stands behind it"), "{error}");
    // A header without any room: three digits more do not fit.
    let mut tight = b"\x93NUMPY\x01\0\x39\0{'descr':'<f8','fortran_order':False,'shape':(3,)}      \n".to_vec();
    tight.resize(10 + 57 + 24, 0);
    let error = refuse(&tight);
    assert!(error.to_string().contains("the array cannot grow: its header has 67 bytes"), "{error}");
    // Rest of a crash is cut; a folder, a file that cannot be written, none.
    fs::write(&path, [one.as_slice(), b"rest"].concat()).unwrap();
    NpyWriter::<f64, _>::append(&path).unwrap().finish().unwrap();
    assert!(fs::read(&path).unwrap() == one);
    let io = |error: Error| match error.into_kind() {
        ErrorKind::Io { error, .. } => error.kind(),
        other => panic!("{other}"),
    };
    let _ = io(NpyWriter::<f64, _>::append(folder.path()).map(drop).unwrap_err());
    assert_eq!(io(NpyWriter::<f64, _>::append(folder.path().join("none")).map(drop).unwrap_err()), std::io::ErrorKind::NotFound);
    let error = NpyWriter::<f64, _>::create("/dev/null").map(drop).unwrap_err();
    assert!(error.to_string().contains("with `with_len`"), "{error}");
}

#[test]
fn files_whose_header_and_data_disagree_are_mended() {
    let folder = folder();
    let path = folder.path().join("file.npy");
    let items: Vec<Reading> = (0..100).map(reading).collect();
    npy_core::save(&path, &items).unwrap();
    let whole = fs::read(&path).unwrap();
    let offset = Header::parse(&whole).unwrap().1;
    for bytes in 0..=40 {
        fs::write(&path, &whole[..offset + bytes]).unwrap();
        let recovered = recover(&path).unwrap();
        assert_eq!((recovered.before, recovered.rows, recovered.cut), (100, bytes as u64 / 17, bytes as u64 % 17));
        assert_eq!(npy_core::load::<Reading>(&path).unwrap(), items[..bytes / 17]);
        // Nothing more to do.
        let again = recover(&path).unwrap();
        assert_eq!((again.before, again.cut), (again.rows, 0));
    }
    // Rows that nobody counted.
    let mut more = NpyWriter::<Reading, _>::create(&path).unwrap();
    more.write_slice(&items[..50]).unwrap();
    more.flush().unwrap();
    more.write_slice(&items[50..]).unwrap();
    drop(more);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..offset].copy_from_slice(&Header::new(Reading::dtype(), Order::C, &[50]).unwrap().to_bytes());
    bytes.extend([1; 5]);
    fs::write(&path, &bytes).unwrap();
    let recovered = recover(&path).unwrap();
    assert_eq!((recovered.before, recovered.rows, recovered.cut), (50, 100, 5));
    assert!(fs::read(&path).unwrap() == whole);
    for length in 0..offset {
        fs::write(&path, &whole[..length]).unwrap();
        recover(&path).unwrap_err();
        assert_eq!(fs::metadata(&path).unwrap().len(), length as u64);
    }
}

/// The child of the kill test: appends and flushes, and says after each flush how much is safe.
#[test]
fn child_that_appends() {
    let Some(path) = std::env::var_os("NPY_GROW") else { return };
    let path = PathBuf::from(path);
    let mut writer = NpyWriter::<Reading, _>::append(&path).unwrap();
    let mut index = npy_core::load::<Reading>(&path).unwrap().len() as u64;
    let mut out = std::io::stdout();
    for round in 0_u64.. {
        for _ in 0..=(round * 37 % 5000) {
            writer.push(&reading(index)).unwrap();
            index += 1;
        }
        writer.flush().unwrap();
        writeln!(out, "safe {index}").unwrap();
        out.flush().unwrap();
    }
}

/// Runs one of the tests here as a child, which is told what to do by a variable.
fn child(test: &str, variable: &str, value: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(variable, value)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// A pseudo-random number, the same in every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// A writer that is killed at any instant leaves a valid file that holds what was sent, and at least what was flushed.
#[cfg(unix)]
#[test]
fn a_killed_writer_leaves_what_it_flushed() {
    const KILLS: usize = 500;
    let folder = folder();
    let path = folder.path().join("readings.npy");
    let kept = folder.path().join("kept");
    fs::create_dir(&kept).unwrap();
    let mut state = 11;
    let (mut torn, mut uncounted) = (0, 0);
    for round in 0..KILLS {
        if round % 10 == 0 {
            NpyWriter::<Reading, _>::create(&path).unwrap().finish().unwrap();
        }
        let mut child = child("child_that_appends", "NPY_GROW", &path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut safe = None;
        // After so many flushes, or before the first.
        for _ in 0..random(&mut state) % 4 {
            let next = lines
                .by_ref()
                .map_while(Result::ok)
                .find_map(|line| line.strip_prefix("safe ").map(|count| count.parse::<u64>().unwrap()));
            safe = next.or(safe);
        }
        std::thread::sleep(Duration::from_micros(random(&mut state) % 8000));
        child.kill().unwrap();
        child.wait().unwrap();
        let said = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("safe ").map(|count| count.parse::<u64>().unwrap()))
            .max();
        let safe = said.max(safe).unwrap_or(0);
        let items: Vec<Reading> = npy_core::load(&path).unwrap_or_else(|error| panic!("{round}: {error}"));
        assert!(items.len() as u64 >= safe, "{round}: {} of {safe}", items.len());
        assert!(items.iter().enumerate().all(|(index, item)| *item == reading(index as u64)), "{round}");
        let bytes = fs::metadata(&path).unwrap().len();
        uncounted += usize::from(bytes > 128 + 64 + items.len() as u64 * 17);
        fs::copy(&path, kept.join(format!("{round}.npy"))).unwrap();
        if round % 7 == 0 {
            let before = items.len() as u64;
            let recovered = recover(&path).unwrap();
            assert!(recovered.before == before && recovered.rows >= before);
            torn += usize::from(recovered.cut > 0);
            let items: Vec<Reading> = npy_core::load(&path).unwrap();
            assert!(items.iter().enumerate().all(|(index, item)| *item == reading(index as u64)), "{round}");
        }
    }
    announce(&format!("{KILLS} kills: {uncounted} left rows that were not counted, {torn} a part of a row"));
    let Some(numpy) = numpy("a_killed_writer_leaves_what_it_flushed") else { return };
    let program = "
import glob, sys
import numpy as np
files = glob.glob(sys.argv[1] + '/*.npy')
for file in files:
    array = np.load(file)
    assert (array['index'] == np.arange(len(array))).all() and (array['value'] == np.arange(len(array)) / 8).all()
print(len(files))
";
    let printed = String::from_utf8(numpy.run(["-c", program, kept.to_str().unwrap()], b"")).unwrap();
    assert_eq!(printed.trim(), KILLS.to_string());
}

/// The child of the other kill test: saves one of two arrays after another.
#[test]
fn child_that_saves() {
    let Some(path) = std::env::var_os("NPY_SAVE") else { return };
    for round in 0_u64.. {
        let value = if round % 2 == 0 { 1_u64 } else { 2 };
        npy_core::save(PathBuf::from(&path), &vec![value; 100_000 * value as usize]).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_killed_save_leaves_the_old_file_or_the_new() {
    let folder = folder();
    let path = folder.path().join("array.npy");
    npy_core::save(&path, &[1_u64; 100_000]).unwrap();
    let mut state = 5;
    let mut found = [0; 2];
    for round in 0..500 {
        let mut child = child("child_that_saves", "NPY_SAVE", &path);
        std::thread::sleep(Duration::from_micros(3000 + random(&mut state) % 8000));
        child.kill().unwrap();
        child.wait().unwrap();
        let items: Vec<u64> = npy_core::load(&path).unwrap_or_else(|error| panic!("{round}: {error}"));
        let value = items[0];
        assert!(items.len() == 100_000 * value as usize && items.iter().all(|item| *item == value), "{round}");
        found[value as usize - 1] += 1;
    }
    // What was left is one file of a known name, which the next save takes over.
    let left = folder.path().join(".array.npy.npy-tmp");
    let names = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let count = names().len();
    assert!(names().iter().all(|name| *name == path || *name == left));
    npy_core::save(&path, &[1_u8]).unwrap();
    assert_eq!(names(), std::slice::from_ref(&path));
    announce(&format!("500 kills of save: {found:?} of the old and the new, {count} files before the next save"));
}

/// A file system without room: what was flushed stays, the error comes back.
#[test]
fn a_sink_without_room_keeps_what_was_there() {
    struct Full {
        file: Cursor<Vec<u8>>,
        most: usize,
    }
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let room = self.most.saturating_sub(self.file.position() as usize);
            if room == 0 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.file.write(&bytes[..bytes.len().min(room)])
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    impl std::io::Seek for Full {
        fn seek(&mut self, position: std::io::SeekFrom) -> std::io::Result<u64> {
            self.file.seek(position)
        }
    }
    let items: Vec<Reading> = (0..20).map(reading).collect();
    let offset = Header::new(Reading::dtype(), Order::C, &[0]).unwrap().to_bytes().len();
    for most in 0..offset + 20 * 17 {
        let mut sink = Full { file: Cursor::new(Vec::new()), most };
        let mut safe = 0;
        let result = (|| {
            let mut writer = NpyWriter::new(&mut sink)?;
            for chunk in items.chunks(3) {
                writer.write_slice(chunk)?;
                writer.flush()?;
                safe += chunk.len();
            }
            writer.finish().map(drop)
        })();
        let error = result.unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Io { error, .. } if error.kind() == std::io::ErrorKind::StorageFull),
            "{most}: {error}"
        );
        if most >= offset {
            let bytes = sink.file.into_inner();
            let read = npy_core::read::<Reading>(&bytes[..]).unwrap();
            assert_eq!(read, items[..safe], "{most}");
        }
    }
}

/// The child of the test of full disks: saves over one file and adds to another, and says what came of it.
#[test]
fn child_that_meets_a_limit() {
    let Some(folder) = std::env::var_os("NPY_LIMIT") else { return };
    let folder = PathBuf::from(folder);
    let count: u64 = std::env::var("NPY_COUNT").unwrap().parse().unwrap();
    let items: Vec<Reading> = (0..count).map(reading).collect();
    let kind = |result: Result<(), Error>| match result.map_err(Error::into_kind) {
        Ok(()) => "fine".to_owned(),
        Err(ErrorKind::Io { error, .. }) => error.kind().to_string(),
        Err(other) => panic!("{other}"),
    };
    println!("\nsave {}", kind(npy_core::save(folder.join("saved.npy"), &items)));
    let mut safe = 0;
    let append = || {
        let mut writer = NpyWriter::<Reading, _>::append(folder.join("grown.npy"))?;
        for chunk in items.chunks(3.max(items.len() / 50)) {
            writer.write_slice(chunk)?;
            writer.flush()?;
            safe += chunk.len();
        }
        writer.finish().map(drop)
    };
    println!("append {}", kind({ append }()));
    println!("safe {safe}");
}

/// A file that may not get longer, at every byte: the error comes back, and what was there before stays.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_files_length_keeps_what_was_there() {
    let folder = folder();
    let (saved, grown) = (folder.path().join("saved.npy"), folder.path().join("grown.npy"));
    let old = [reading(7)];
    npy_core::save(&saved, &old).unwrap();
    let offset = Header::parse(&fs::read(&saved).unwrap()).unwrap().1;
    // Ignored, the signal becomes an error.
    let probe = Command::new("sh").args(["-c", "trap '' XFSZ; prlimit --fsize=100000 true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        announce("SKIPPED a_limit_of_the_files_length_keeps_what_was_there: there is no prlimit");
        return;
    }
    let (mut failed, mut fine) = (0, 0);
    let mut limit = |count: usize, most: usize| {
        let items: Vec<Reading> = (0..count as u64).map(reading).collect();
        npy_core::save(&saved, &old).unwrap();
        npy_core::save(&grown, &old).unwrap();
        let test = std::env::current_exe().unwrap();
        // The harness itself writes to a pipe, which has no length.
        let script = format!(
            "trap '' XFSZ; exec prlimit --fsize={most} \"$0\" child_that_meets_a_limit --exact --nocapture --test-threads=1"
        );
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script).arg(test).env("NPY_LIMIT", folder.path()).env("NPY_COUNT", count.to_string());
        let printed = String::from_utf8(shell.output().unwrap().stdout).unwrap();
        let said = |what: &str| {
            printed.lines().find_map(|line| line.strip_prefix(what)).unwrap_or_else(|| panic!("{most}: {printed}")).to_owned()
        };
        let found = npy_core::load::<Reading>(&saved).unwrap();
        if most < offset + count * 17 {
            assert_eq!(said("save "), "file too large", "{most}");
            assert_eq!(found, old, "{most}");
            failed += 1;
        } else {
            assert!(said("save ") == "fine" && found == items, "{most}");
            fine += 1;
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "{most}");
        let safe: usize = said("safe ").parse().unwrap();
        let found = npy_core::load::<Reading>(&grown).unwrap();
        assert!(found[0] == old[0] && found[1..] == items[..safe], "{most}: {} of {safe}", found.len());
        assert_eq!(said("append ") == "fine", most >= offset + (count + 1) * 17, "{most}");
        let chunk = 3.max(count / 50);
        let whole = ((most - offset) / 17 - 1).min(count);
        assert_eq!(safe, if whole == count { count } else { whole / chunk * chunk }, "{most}");
    };
    // Every byte of a small file, and any of a large one.
    (offset + 17..=offset + 21 * 17).for_each(|most| limit(20, most));
    let mut state = 3;
    for _ in 0..30 {
        limit(100_000, offset + 17 + random(&mut state) as usize % (100_001 * 17));
    }
    announce(&format!("files that may not get longer: {failed} saves failed, {fine} did not"));
}

/// Blocks of arrays, contiguous or not, in both orders.
#[test]
fn arrays_grow_by_blocks() {
    use ndarray::{Array2, Array3, Axis, ShapeBuilder, concatenate, s};
    use npy_ndarray::{NpyBlockWriter, ReadNpyExt, WriteNpyExt};

    let folder = folder();
    let path = folder.path().join("blocks.npy");
    let whole = Array3::from_shape_fn((7, 4, 5), |(i, j, k)| (i * 100 + j * 10 + k) as i32);
    for order in [Order::C, Order::Fortran] {
        let axis = Axis(if order == Order::C { 0 } else { 2 });
        let mut writer = NpyBlockWriter::<i32>::create(&path, order, whole.shape()).unwrap();
        for (i, block) in whole.axis_chunks_iter(axis, 2).enumerate() {
            match i % 3 {
                0 => writer.write_block(&block).unwrap(),
                1 => writer.write_block(&block.to_owned()).unwrap(),
                _ => {
                    let mut fortran = Array3::zeros(block.raw_dim().f());
                    fortran.assign(&block);
                    writer.write_block(&fortran).unwrap();
                }
            }
            writer.flush().unwrap();
        }
        let error = writer.write_block(&Array3::<i32>::zeros((7, 3, 5))).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::CannotGrow { .. }), "{error}");
        let error = writer.write_block(&Array2::<i32>::zeros((4, 5))).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WrongDimensions { .. }), "{error}");
        writer.finish().unwrap();
        assert_eq!(Array3::<i32>::load_npy(&path).unwrap(), whole);
        // As if it had been saved at once.
        let mut expected = Vec::new();
        let mut contiguous = if order == Order::C { Array3::zeros((7, 4, 5)) } else { Array3::zeros((7, 4, 5).f()) };
        contiguous.assign(&whole);
        contiguous.write_npy(&mut expected).unwrap();
        assert!(fs::read(&path).unwrap() == expected);
        let mut writer = NpyBlockWriter::<i32>::append(&path).unwrap();
        let more = if order == Order::C { whole.slice(s![..1, .., ..]) } else { whole.slice(s![.., .., 1..3]) };
        writer.write_block(&more).unwrap();
        writer.finish().unwrap();
        assert_eq!(Array3::<i32>::load_npy(&path).unwrap(), concatenate(axis, &[whole.view(), more]).unwrap());
    }
}

/// Writers that get in each other's way, iterators that panic, streams that only append, dtypes without bytes, headers that fill up.
#[test]
fn what_goes_wrong_is_not_counted() {
    let folder = folder();
    let path = folder.path().join("file.npy");
    let mut first = NpyWriter::<u64, _>::create(&path).unwrap();
    first.push(&1).unwrap();
    first.flush().unwrap();
    let error = NpyWriter::<u64, _>::create(&path).map(drop).unwrap_err();
    assert!(error.to_string().contains("it is being added to already"), "{error}");
    first.finish().unwrap();
    assert_eq!(npy_core::load::<u64>(&path).unwrap(), [1]);

    let panics = |writer: &mut NpyWriter<u64, fs::File>| {
        let items = [2_u64; 10];
        let items = items.iter().enumerate().map(|(i, item)| if i == 3 { panic!("on purpose") } else { item });
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| writer.extend(items))).unwrap_err();
    };
    let mut writer = NpyWriter::<u64, _>::append(&path).unwrap();
    writer.push(&9).unwrap();
    writer.flush().unwrap();
    panics(&mut writer);
    assert!(writer.push(&3).is_err());
    writer.finish().unwrap_err();
    assert_eq!(npy_core::load::<u64>(&path).unwrap(), [1, 9]);
    let mut writer = NpyWriter::<u64, _>::append(&path).unwrap();
    panics(&mut writer);
    drop(writer);
    assert_eq!(npy_core::load::<u64>(&path).unwrap(), [1, 9]);

    let other = folder.path().join("appending.npy");
    let file = OpenOptions::new().create(true).append(true).open(&other).unwrap();
    let mut writer = NpyWriter::<u8, _>::new(file).unwrap();
    writer.push(&1).unwrap();
    let error = writer.finish().unwrap_err();
    assert!(error.to_string().contains("opened for appending"), "{error}");

    // Text whose width nobody knows: refused before anything is touched.
    npy_core::save(&path, &[7_u8]).unwrap();
    let error = NpyWriter::<String, _>::create(&path).map(drop).unwrap_err();
    assert!(error.to_string().contains("how wide its elements will be is not known (<U0)"), "{error}");
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [7]);
    // Another file in its place, and one that is written over.
    let mut writer = NpyWriter::<u8, _>::append(&path).unwrap();
    let error = npy_core::save_with(&path, &[1_u8], npy_core::SaveOptions::new().in_place(true)).unwrap_err();
    assert!(error.to_string().contains("it is being added to already"), "{error}");
    npy_core::save(&path, &[8_u8]).unwrap();
    writer.push(&9).unwrap();
    let error = writer.finish().unwrap_err();
    assert!(error.to_string().contains("another file was put in its place"), "{error}");
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [8]);

    let none: DType = "|S0".parse().unwrap();
    let mut writer =
        NpyWriter::<npy_core::FixedBytes<0>, _>::create_with(&path, &Header::new(none, Order::C, &[0]).unwrap()).unwrap();
    writer.write_slice(&[npy_core::FixedBytes::default(); 2]).unwrap();
    writer.flush().unwrap();
    drop(writer);
    assert_eq!(npy_core::load::<npy_core::FixedBytes<0>>(&path).unwrap().len(), 2);

    // Room for one digit more: refused before it is too late, so that what was pushed can be counted.
    let mut tight = b"\x93NUMPY\x01\0\x3a\0{'descr':'<f8','fortran_order':False,'shape':(3,)}       \n".to_vec();
    tight.resize(10 + 58 + 24, 0);
    fs::write(&path, &tight).unwrap();
    let mut writer = NpyWriter::<f64, _>::append(&path).unwrap();
    let error = writer.write_slice(&[1.0; 7]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CannotGrow { .. }), "{error}");
    writer.write_slice(&[1.0; 6]).unwrap();
    assert!(writer.push(&1.0).is_err());
    writer.finish().unwrap();
    assert_eq!(npy_core::load::<f64>(&path).unwrap().len(), 9);
}
