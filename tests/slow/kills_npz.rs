//! Writers of archives killed while appending.

use std::fs;
use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::process::Stdio;
use std::time::Duration;

use npy_core::npz::{NpzReader, NpzWriter, recover};

use crate::kills;
use crate::support::archives::{members, random, values};
use crate::support::numpy::numpy;
use crate::support::{as_child, scratch};

/// The child of the kill test: appends members of every kind, and says after each commit how many
/// there are.
#[test]
fn child_that_adds_members() {
    let Some(path) = std::env::var_os("NPY_GROW_ARCHIVE") else { return };
    let mut out = io::stdout();
    let mut count = NpzReader::open(&path).unwrap().len();
    loop {
        let mut archive = NpzWriter::append(&path).unwrap();
        archive.set_options(archive.options().threads(1 + count % 2));
        for _ in 0..=count % 3 {
            let items: Vec<u64> = (0..(count as u64 * 7919) % 10_000).map(|item| item / 3 + count as u64).collect();
            let mut file = Vec::new();
            if count % 3 == 2 {
                let mut inner = NpzWriter::new(Cursor::new(&mut file));
                inner.add_slice("x", &items).unwrap();
            } else {
                npy_core::write(&mut file, &items).unwrap();
            }
            archive.set_options(archive.options().compressed(count % 3 == 1));
            // As it arrives, a little at a time.
            let name = format!("m{count}");
            let arrive = |member: &mut dyn Write| {
                file.chunks(1000).try_for_each(|chunk| {
                    std::thread::sleep(Duration::from_micros(20));
                    member.write_all(chunk).map_err(npy_core::Error::from)
                })
            };
            archive.add_content(&name, arrive).unwrap();
            count += 1;
        }
        archive.finish().unwrap();
        writeln!(out, "safe {count}").unwrap();
        out.flush().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn killed_append_keeps_every_committed_member() {
    let kills = kills();
    let path = scratch("log.npz");
    let mut state = 7;
    let (mut incomplete, mut added, mut dropped, mut most) = (0, 0, 0, 0);
    // One process of Python judges all of them.
    let mut judge = numpy("killed_append_keeps_every_committed_member").map(|numpy| {
        let program = "
import sys, zipfile
for line in sys.stdin:
    archive = zipfile.ZipFile(line.strip())
    assert archive.testzip() is None
    print(len(archive.namelist()), flush=True)
";
        numpy.start(["-c", program])
    });
    let mut judged =
        judge.as_mut().map(|judge| (judge.stdin.take().unwrap(), BufReader::new(judge.stdout.take().unwrap()).lines()));
    for round in 0..kills {
        if round % 25 == 0 {
            // With something in front of it, or not; empty, or not.
            let front: &[u8] = if round % 50 == 0 { b"" } else { b"#!/bin/sh\n" };
            let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
            (0..round / 25 % 3).for_each(|member| archive.add_slice(&format!("m{member}"), &values()).unwrap());
            fs::write(&path, [front, &archive.finish().unwrap().into_inner()].concat()).unwrap();
        }
        let before = NpzReader::open(&path).unwrap().len();
        let mut child = as_child(module_path!(), "child_that_adds_members")
            .env("NPY_GROW_ARCHIVE", &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let count = |line: String| line.strip_prefix("safe ").map(|count| count.parse::<usize>().unwrap());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).filter_map(count);
        // Kills the child after 0 to 3 commits.
        let mut safe = before;
        for _ in 0..random(&mut state) % 4 {
            safe = lines.next().unwrap_or(safe);
        }
        std::thread::sleep(Duration::from_micros(random(&mut state) as u64 % 6000));
        child.kill().unwrap();
        child.wait().unwrap();
        let safe = lines.last().unwrap_or(safe);
        if let Err(error) = NpzReader::open(&path) {
            incomplete += 1;
            let message = error.to_string();
            let listed = message.split(" complete and ").nth(1).and_then(|rest| rest.split(" listed members;").next());
            let listed: usize = listed.and_then(|listed| listed.parse().ok()).unwrap_or_else(|| panic!("{round}: {error}"));
            assert!(listed >= safe, "{round}: {listed} listed of {safe}");
            let recovered = recover(&path).unwrap_or_else(|error| panic!("{round}: {error}"));
            added += recovered.added;
            dropped += u64::from(recovered.dropped > 0);
        }
        let found = members(&path).unwrap_or_else(|error| panic!("{round}: {error}"));
        assert!(found.len() >= safe && found.len() >= before, "{round}: {} members of {safe}", found.len());
        most = most.max(found.len());
        if let Some((input, lines)) = &mut judged {
            writeln!(input, "{}", path.display()).unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), found.len().to_string(), "{round}");
        }
    }
    drop(judged);
    if let Some(mut judge) = judge {
        assert!(judge.wait().unwrap().success());
    }
    println!(
        "{kills} kills: {incomplete} left it incomplete, {added} whole members found, {dropped} parts dropped, at most {most} members"
    );
    assert!(incomplete > kills / 20 && most > kills / 10);
}
