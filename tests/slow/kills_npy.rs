//! Killed writers and full disks.

use std::fs;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use npy_core::append::recover;
use npy_core::{Error, Header, NpyElement, NpyWriter, Order};

use crate::kills;
use crate::support::archives::random;
use crate::support::numpy::numpy;
use crate::support::readings::{Reading, directory, reading};
use crate::support::{announce, as_child, child, rounds, some};

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
fn start(test: &str, variable: &str, value: &Path) -> std::process::Child {
    as_child(module_path!(), test).env(variable, value).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// A writer that is killed at any instant leaves a valid file that holds what was sent, and at
/// least what was flushed.
#[cfg(unix)]
#[test]
fn a_killed_writer_leaves_what_it_flushed() {
    let kills = kills();
    let directory = directory();
    let path = directory.path().join("readings.npy");
    let kept = directory.path().join("kept");
    fs::create_dir(&kept).unwrap();
    let mut state = 11;
    let (mut torn, mut uncounted, mut most) = (0, 0, 0);
    for round in 0..kills {
        if round % 10 == 0 {
            NpyWriter::<Reading, _>::create(&path).unwrap().finish().unwrap();
        }
        let mut child = start("child_that_appends", "NPY_GROW", &path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut safe = None;
        // Kills the child after 0 to 3 flushes.
        for _ in 0..random(&mut state) % 4 {
            let next = lines
                .by_ref()
                .map_while(Result::ok)
                .find_map(|line| line.strip_prefix("safe ").map(|count| count.parse::<u64>().unwrap()));
            safe = next.or(safe);
        }
        std::thread::sleep(Duration::from_micros(random(&mut state) as u64 % 8000));
        child.kill().unwrap();
        child.wait().unwrap();
        let said = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("safe ").map(|count| count.parse::<u64>().unwrap()))
            .max();
        let safe = said.max(safe).unwrap_or(0);
        most = safe.max(most);
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
    assert!(most > 0, "no child has written anything");
    announce(&format!("{kills} kills: {uncounted} left rows that were not counted, {torn} a part of a row"));
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
    assert_eq!(printed.trim(), kills.to_string());
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
    let directory = directory();
    let path = directory.path().join("array.npy");
    npy_core::save(&path, &[1_u64; 100_000]).unwrap();
    let mut state = 5;
    let mut found = [0; 2];
    for round in 0..kills() {
        let mut child = start("child_that_saves", "NPY_SAVE", &path);
        std::thread::sleep(Duration::from_micros(3000 + random(&mut state) as u64 % 8000));
        child.kill().unwrap();
        child.wait().unwrap();
        let items: Vec<u64> = npy_core::load(&path).unwrap_or_else(|error| panic!("{round}: {error}"));
        let value = items[0];
        assert!(items.len() == 100_000 * value as usize && items.iter().all(|item| *item == value), "{round}");
        found[value as usize - 1] += 1;
    }
    // What was left is one file of a known name, which the next save takes over.
    let left = directory.path().join(".array.npy.npy-tmp");
    let names = || fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let count = names().len();
    assert!(names().iter().all(|name| *name == path || *name == left));
    npy_core::save(&path, &[1_u8]).unwrap();
    assert_eq!(names(), std::slice::from_ref(&path));
    announce(&format!("{} kills of save: {found:?} of the old and the new, {count} files before the next save", kills()));
}

/// A file system without room: what was flushed stays, the error comes back.
#[test]
fn full_sink_keeps_flushed_rows() {
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
        assert!(error.io_kind() == Some(std::io::ErrorKind::StorageFull), "{most}: {error}");
        if most >= offset {
            let bytes = sink.file.into_inner();
            let read = npy_core::read::<Reading>(&bytes[..]).unwrap();
            assert_eq!(read, items[..safe], "{most}");
        }
    }
}

/// The child of the test of full disks: saves over one file and adds to another, and says what came
/// of it.
#[test]
fn child_that_meets_a_limit() {
    let Some(directory) = std::env::var_os("NPY_LIMIT") else { return };
    let directory = PathBuf::from(directory);
    let count: u64 = std::env::var("NPY_COUNT").unwrap().parse().unwrap();
    let items: Vec<Reading> = (0..count).map(reading).collect();
    let kind = |result: Result<(), Error>| match result {
        Ok(()) => "fine".to_owned(),
        Err(error) => error.io_kind().unwrap_or_else(|| panic!("{error}")).to_string(),
    };
    println!("\nsave {}", kind(npy_core::save(directory.join("saved.npy"), &items)));
    let mut safe = 0;
    let append = || {
        let mut writer = NpyWriter::<Reading, _>::append(directory.join("grown.npy"))?;
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

/// A file that may not get longer, at every byte: the error comes back, and what was there before
/// stays.
#[cfg(target_os = "linux")]
#[test]
fn file_size_limit_keeps_the_previous_content() {
    let directory = directory();
    let (saved, grown) = (directory.path().join("saved.npy"), directory.path().join("grown.npy"));
    let old = [reading(7)];
    npy_core::save(&saved, &old).unwrap();
    let offset = Header::parse(&fs::read(&saved).unwrap()).unwrap().1;
    // Ignored, the signal becomes an error.
    let probe = Command::new("sh").args(["-c", "trap '' XFSZ; prlimit --fsize=100000 true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        announce("SKIPPED file_size_limit_keeps_the_previous_content: there is no prlimit");
        return;
    }
    let (mut failed, mut fine) = (0, 0);
    let mut limit = |count: usize, most: usize| {
        let items: Vec<Reading> = (0..count as u64).map(reading).collect();
        npy_core::save(&saved, &old).unwrap();
        npy_core::save(&grown, &old).unwrap();
        let test = std::env::current_exe().unwrap();
        // The harness itself writes to a pipe, which has no length.
        let name = child(module_path!(), "child_that_meets_a_limit");
        let script = format!("trap '' XFSZ; exec prlimit --fsize={most} \"$0\" {name} --exact --nocapture --test-threads=1");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script).arg(test).env("NPY_LIMIT", directory.path()).env("NPY_COUNT", count.to_string());
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
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "{most}");
        let safe: usize = said("safe ").parse().unwrap();
        let found = npy_core::load::<Reading>(&grown).unwrap();
        assert!(found[0] == old[0] && found[1..] == items[..safe], "{most}: {} of {safe}", found.len());
        assert_eq!(said("append ") == "fine", most >= offset + (count + 1) * 17, "{most}");
        let chunk = 3.max(count / 50);
        let whole = ((most - offset) / 17 - 1).min(count);
        assert_eq!(safe, if whole == count { count } else { whole / chunk * chunk }, "{most}");
    };
    // Every byte of a small file, and any of a large one.
    some(offset + 17..=offset + 21 * 17, 7).for_each(|most| limit(20, most));
    let mut state = 3;
    for _ in 0..rounds(3) {
        limit(100_000, offset + 17 + random(&mut state) % (100_001 * 17));
    }
    announce(&format!("files that may not get longer: {failed} saves failed, {fine} did not"));
}
