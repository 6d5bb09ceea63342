//! More data than memory: streamed in and out, and spread over many files.

use std::fs;
use std::io::{self, Read};
use std::process::Command;

use npy_core::shards::{ShardWriter, Shards};
use npy_core::{ErrorKind, NpyReader, NpyRecord, NpyWriter};

use crate::support::{announce, child, names_in, rounds, scratch, written};

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(C)]
struct Trace {
    index: u64,
    values: [f64; 31],
}

/// One gibibyte, four times the addresses that the process may have; ten in `.ci/run`.
fn bytes() -> u64 {
    (rounds(1) as u64) << 30
}

fn count() -> u64 {
    bytes() / size_of::<Trace>() as u64
}

/// The child: a thread makes records and writes them into a pipe, another reads them.
#[test]
fn child_that_streams() {
    if std::env::var_os("NPY_STREAM").is_none() {
        return;
    }
    let (read, write) = io::pipe().unwrap();
    let writing = std::thread::spawn(move || {
        let mut writer = NpyWriter::<Trace, _>::with_len(write, usize::try_from(count()).unwrap()).unwrap();
        let mut chunk = vec![Trace { index: 0, values: [0.5; 31] }; 4096];
        let mut next = 0;
        while next < count() {
            let count = chunk.len().min(usize::try_from(count() - next).unwrap());
            for record in &mut chunk[..count] {
                record.index = next;
                next += 1;
            }
            writer.write_slice(&chunk[..count]).unwrap();
        }
        writer.finish().unwrap();
    });
    let mut reader = NpyReader::new(read).unwrap();
    assert_eq!(reader.header().data_bytes(), bytes());
    let mut next = 0;
    for chunk in reader.chunks::<Trace>(4096) {
        for record in chunk.unwrap() {
            assert!(record.index == next && record.values[30] == 0.5);
            next += 1;
        }
    }
    writing.join().unwrap();
    println!("\nstreamed {next}");
}

/// Gibibytes of records through writer and reader in a process that may have 256 MiB of addresses.
#[cfg(target_os = "linux")]
#[test]
fn gibibytes_in_little_memory() {
    let limited = |arguments: &[&str]| {
        Command::new("prlimit")
            .arg("--as=268435456")
            .arg(std::env::current_exe().unwrap())
            .args(arguments)
            .env("NPY_STREAM", "1")
            .output()
    };
    let Ok(output) = limited(&[&child(module_path!(), "child_that_streams"), "--exact", "--nocapture", "--test-threads=1"]) else {
        announce("SKIPPED gibibytes_in_little_memory: there is no prlimit");
        return;
    };
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed.contains(&format!("streamed {}", count())), "{printed}");
    announce(&format!("{} bytes went through writer and reader under 256 MiB of addresses", bytes()));
}

/// A file that gets shorter while it is read is an error, and what was read before is right.
#[test]
fn a_file_that_shrinks_while_it_is_read() {
    let path = scratch("shrinks.npy");
    let items: Vec<u64> = (0..1_000_000).collect();
    npy_core::save(&path, &items).unwrap();
    let mut reader = NpyReader::open(&path).unwrap();
    let mut next = 0;
    let mut error = None;
    for chunk in reader.chunks::<u64>(10_000) {
        match chunk {
            Ok(chunk) => {
                assert!(chunk.iter().enumerate().all(|(i, item)| *item == next + i as u64));
                next += chunk.len() as u64;
            }
            Err(problem) => error = Some(problem),
        }
        if next == 500_000 {
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(128 + 8 * 600_000).unwrap();
        }
    }
    assert!(error.unwrap().kind() == ErrorKind::Truncated);
    assert!((500_000..=600_000).contains(&next), "{next}");
    // Deleted under us: it is still there for those who have it.
    npy_core::save(&path, &items).unwrap();
    let mut reader = NpyReader::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let mut first = [0_u64; 10];
    reader.read_into(&mut first).unwrap();
    assert_eq!(reader.into_vec::<u64>().unwrap().len(), 999_990);
}

/// Several arrays in one stream, one after another.
#[test]
fn several_arrays_in_one_stream() {
    let mut stream = written(&[1_u8, 2]);
    npy_core::write(&mut stream, &["a".to_owned(), "bc".to_owned()]).unwrap();
    npy_core::write(&mut stream, &[0.5_f64]).unwrap();
    let mut rest = &stream[..];
    assert_eq!(NpyReader::new(&mut rest).unwrap().into_vec::<u8>().unwrap(), [1, 2]);
    let mut reader = NpyReader::new(&mut rest).unwrap();
    let texts: Vec<String> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(texts, ["a", "bc"]);
    assert_eq!(npy_core::read::<f64>(&mut rest).unwrap(), [0.5]);
    let mut end = Vec::new();
    rest.read_to_end(&mut end).unwrap();
    assert!(end.is_empty());
}

#[test]
fn shards_concatenate_to_one_array() {
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("steps");
    assert_eq!(Shards::open(&prefix).unwrap().rows(), 0);
    let mut steps = ShardWriter::<u32>::open(&prefix, 100).unwrap();
    steps.write_slice(&(0..250).collect::<Vec<_>>()).unwrap();
    steps.flush().unwrap();
    assert_eq!(names_in(directory.path()), [".steps.npy-lock", "steps-00000.npy", "steps-00001.npy", "steps-00002.npy.part"]);
    assert_eq!(npy_core::load::<u32>(directory.path().join("steps-00002.npy.part")).unwrap().len(), 50);
    assert_eq!(Shards::open(&prefix).unwrap().rows(), 200);
    // Only one at a time.
    assert!(format!("{:#}", ShardWriter::<u32>::open(&prefix, 100).unwrap_err()).contains("locked by another writer"));
    // Dropped, as in a crash, and gone on with.
    drop(steps);
    let mut steps = ShardWriter::<u32>::open(&prefix, 100).unwrap();
    assert_eq!(steps.rows(), 250);
    (250..999).for_each(|step| steps.push(&step).unwrap());
    steps.finish().unwrap();
    // A short shard stays one; the next goes on behind it, with another length if one likes.
    let mut steps = ShardWriter::<u32>::open(&prefix, 30).unwrap();
    steps.write_slice(&(999..1060).collect::<Vec<_>>()).unwrap();
    steps.finish().unwrap();
    let steps = Shards::open(&prefix).unwrap();
    assert_eq!(steps.rows(), 1060);
    assert_eq!(steps.shards().len(), 13);
    assert_eq!(steps.shards()[9].rows, 900..999);
    assert_eq!(steps.shards()[10].rows, 999..1029);
    assert_eq!(steps.shard_of(999).unwrap().path, directory.path().join("steps-00010.npy"));
    assert!(steps.shard_of(1060).is_none());
    for rows in [0..0, 0..1060, 99..101, 998..1000, 1059..1060, 1060..1060, 150..870] {
        assert_eq!(steps.read::<u32>(rows.clone()).unwrap(), rows.map(|row| row as u32).collect::<Vec<_>>());
    }
    assert!(steps.read::<u32>(0..1061).is_err());
    assert!(steps.records::<u32>().map(Result::unwrap).eq(0..1060));
    // Another dtype, when beginning and when reading.
    assert_eq!(ShardWriter::<u64>::open(&prefix, 100).unwrap_err().kind(), ErrorKind::Mismatch);
    assert_eq!(steps.read::<u64>(0..1).unwrap_err().kind(), ErrorKind::Mismatch);
    assert_eq!(steps.records::<u64>().count(), 1);
    // Names that only look like shards, and one that is missing.
    for name in ["steps-1.npy", "steps-000001.npy", "steps-x.npy", "steps.npy", "steps-00001.txt"] {
        fs::write(directory.path().join(name), b"").unwrap();
    }
    assert_eq!(Shards::open(&prefix).unwrap().rows(), 1060);
    fs::remove_file(directory.path().join("steps-00004.npy")).unwrap();
    let error = Shards::open(&prefix).unwrap_err();
    assert!(format!("{error:#}").contains("steps-00004.npy: missing shard 4"), "{error}");
}

/// What failed is not gone on with, nothing that was flushed is lost, and opening again goes on.
#[test]
fn shards_survive_failures() {
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("s");
    let mut writer = ShardWriter::<u64>::open(&prefix, 3).unwrap();
    writer.write_slice(&[1, 2]).unwrap();
    writer.flush().unwrap();
    // The full shard cannot get its name.
    fs::create_dir(directory.path().join("s-00000.npy")).unwrap();
    writer.push(&3).unwrap_err();
    fs::remove_dir(directory.path().join("s-00000.npy")).unwrap();
    assert!(format!("{:#}", writer.push(&4).unwrap_err()).contains("an earlier call failed"));
    assert!(writer.flush().is_err());
    writer.finish().unwrap_err();
    let mut writer = ShardWriter::<u64>::open(&prefix, 3).unwrap();
    assert_eq!(writer.rows(), 3);
    writer.write_slice(&[4, 5]).unwrap();
    // Two at once, before there is a part too.
    assert!(ShardWriter::<u64>::open(&prefix, 3).is_err());
    writer.finish().unwrap();
    assert_eq!(Shards::open(&prefix).unwrap().read::<u64>(0..5).unwrap(), [1, 2, 3, 4, 5]);
    // A part that does not come next, of another type or shape.
    let part = directory.path().join("s-00007.npy.part");
    npy_core::save(&part, &[9_u64]).unwrap();
    let error = ShardWriter::<u64>::open(&prefix, 3).unwrap_err();
    assert!(error.to_string().contains("s-00007.npy.part"), "{error}");
    fs::rename(&part, directory.path().join("s-00002.npy.part")).unwrap();
    assert_eq!(ShardWriter::<f64>::open(&prefix, 3).unwrap_err().kind(), ErrorKind::Mismatch);
    assert_eq!(ShardWriter::<u64>::open(&prefix, 3).unwrap().rows(), 6);
    npy_core::save(directory.path().join("s-00002.npy.part"), &[[9_u64; 2]]).unwrap();
    assert!(ShardWriter::<u64>::open(&prefix, 3).unwrap_err().kind() == ErrorKind::WrongShape);
    // More rows than can be counted.
    let large = directory.path().join("large");
    for number in 0..3 {
        let header = npy_core::Header::new("|u1".parse().unwrap(), npy_core::Order::C, &[isize::MAX as usize]).unwrap();
        fs::write(directory.path().join(format!("large-0000{number}.npy")), header.to_bytes()).unwrap();
    }
    assert!(Shards::open(&large).unwrap_err().kind() == ErrorKind::TooLarge);
}

#[test]
fn shards_of_rows_with_more_dimensions() {
    let prefix = scratch("positions");
    let rows: Vec<[f32; 3]> = (0..25).map(|i| [i as f32, 0.0, 1.0]).collect();
    let mut writer = ShardWriter::open(&prefix, 10).unwrap();
    writer.write_slice(&rows).unwrap();
    writer.finish().unwrap();
    let shards = Shards::open(&prefix).unwrap();
    assert_eq!(shards.rows(), 25);
    assert_eq!(shards.read::<[f32; 3]>(8..12).unwrap(), rows[8..12]);
}
