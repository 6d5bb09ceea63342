//! More data than memory: streamed in and out, and spread over many files.

mod support;

use std::fs;
use std::io::{self, Read};
use std::process::Command;

use npy_core::{ErrorKind, NpyReader, NpyRecord, NpyWriter};
use support::announce;

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(C)]
struct Trace {
    index: u64,
    values: [f64; 31],
}

const BYTES: u64 = 10 << 30;
const RECORDS: u64 = BYTES / size_of::<Trace>() as u64;

/// The child: a thread makes records and writes them into a pipe, another reads them.
#[test]
fn child_that_streams() {
    if std::env::var_os("NPY_STREAM").is_none() {
        return;
    }
    let (read, write) = io::pipe().unwrap();
    let writing = std::thread::spawn(move || {
        let mut writer = NpyWriter::<Trace, _>::with_len(write, usize::try_from(RECORDS).unwrap()).unwrap();
        let mut chunk = vec![Trace { index: 0, values: [0.5; 31] }; 4096];
        let mut next = 0;
        while next < RECORDS {
            let count = chunk.len().min(usize::try_from(RECORDS - next).unwrap());
            for record in &mut chunk[..count] {
                record.index = next;
                next += 1;
            }
            writer.write_slice(&chunk[..count]).unwrap();
        }
        writer.finish().unwrap();
    });
    let mut reader = NpyReader::new(read).unwrap();
    assert_eq!(reader.header().data_bytes(), BYTES);
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

/// 10 GiB of records through writer and reader in a process that may have 256 MiB of addresses.
#[cfg(target_os = "linux")]
#[test]
fn ten_gibibytes_in_little_memory() {
    let limited = |arguments: &[&str]| {
        Command::new("prlimit")
            .arg("--as=268435456")
            .arg(std::env::current_exe().unwrap())
            .args(arguments)
            .env("NPY_STREAM", "1")
            .output()
    };
    let Ok(output) = limited(&["child_that_streams", "--exact", "--nocapture", "--test-threads=1"]) else {
        announce("SKIPPED ten_gibibytes_in_little_memory: there is no prlimit");
        return;
    };
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed.contains(&format!("streamed {RECORDS}")), "{printed}");
    announce(&format!("{BYTES} bytes went through writer and reader under 256 MiB of addresses"));
}

/// A file that gets shorter while it is read is an error, and what was read before is right.
#[test]
fn a_file_that_shrinks_while_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shrinks.npy");
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
    assert!(matches!(error.unwrap().kind(), ErrorKind::Truncated { .. }));
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
    let mut stream = Vec::new();
    npy_core::write(&mut stream, &[1_u8, 2]).unwrap();
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
