//! Growing archives: no committed member is lost by truncation, bit flips, forged content or kills.

use std::fs;
use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use npy_core::ErrorKind;
use npy_core::npz::{NpzReader, NpzWriter, recover};

use crate::support::archives::{members, position_of, problem, stored, streamed, values, writer};
use crate::support::streams::Counting;
use crate::support::{rounds, scratch, some};

/// An archive of one member for each commit. Returns the ends of the commits.
fn grown(path: &Path, commits: usize) -> Vec<usize> {
    drop(NpzWriter::create(path).unwrap().finish().unwrap());
    let mut ends = vec![fs::read(path).unwrap().len()];
    for commit in 0..commits {
        let mut archive = NpzWriter::append(path).unwrap();
        archive.set_options(archive.options().compressed(commit % 2 == 1));
        archive.add_slice(&format!("day{commit}"), &[commit as u64; 20]).unwrap();
        archive.finish().unwrap();
        ends.push(fs::read(path).unwrap().len());
    }
    ends
}

#[test]
fn appending_nothing_changes_no_byte() {
    let path = scratch("log.npz");
    grown(&path, 2);
    let before = fs::read(&path).unwrap();
    drop(NpzWriter::append(&path).unwrap());
    NpzWriter::append(&path).unwrap().finish().unwrap();
    let mut archive = NpzWriter::append(&path).unwrap();
    archive.add_slice("day0", &[1_u8]).unwrap_err();
    archive.finish().unwrap();
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn discarding_keeps_what_others_added() {
    let path = scratch("log.npz");
    for is_added in [false, true] {
        grown(&path, 1);
        let mut archive = NpzWriter::append(&path).unwrap();
        if is_added {
            archive.add_slice("x", &[1_u8]).unwrap();
        }
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"added by others").unwrap();
        archive.discard();
        assert!(fs::read(&path).unwrap().ends_with(b"added by others"));
    }
}

#[test]
fn damaged_end_never_opens_as_an_older_archive() {
    let path = scratch("log.npz");
    let ends = grown(&path, 3);
    let whole = fs::read(&path).unwrap();
    let expected = members(&path).unwrap();
    let end = ends[3];
    let mut cases: Vec<Vec<u8>> = Vec::new();
    // Truncated anywhere after the second commit, and with each bit of the last directory and end record
    // flipped.
    cases.extend((ends[2] + 1..end).map(|length| whole[..length].to_vec()));
    let directory = whole.windows(4).rposition(|window| window == b"PK\x05\x06").unwrap() - 3 * (46 + 8);
    for bit in directory * 8..end * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        cases.push(flipped);
    }
    let (mut restored, mut refused) = (0, 0);
    for (case, damaged) in some(cases.iter().enumerate(), 7) {
        fs::write(&path, damaged).unwrap();
        let opened = NpzReader::open(&path).map(|archive| archive.len());
        let appended = NpzWriter::append(&path);
        if let Ok(count) = opened {
            assert_eq!(count, 3, "{case}: an older archive was opened");
        }
        match appended {
            Ok(archive) => {
                assert!(opened.is_ok(), "{case}: append takes what open refuses");
                archive.discard();
            }
            Err(_) => assert!(fs::read(&path).unwrap() == *damaged, "{case}: a refused append has changed the file"),
        }
        if opened.is_ok() {
            continue;
        }
        let recovered = match recover(&path) {
            Ok(recovered) => recovered,
            Err(_) => {
                // Nothing is dropped.
                assert!(fs::read(&path).unwrap() == *damaged, "{case}");
                refused += 1;
                continue;
            }
        };
        let found = members(&path).unwrap_or_else(|error| panic!("{case}: {error}"));
        let least = if damaged.len() >= directory { 3 } else { 2 };
        assert!(found.len() >= least, "{case}: {} members of {least}", found.len());
        assert_eq!(recovered.members, found.len() as u64);
        assert!(found.iter().all(|(name, content)| expected[name] == *content), "{case}");
        // The archive is whole.
        let mut archive = NpzWriter::append(&path).unwrap();
        archive.add_slice("more", &[1_u8]).unwrap();
        archive.finish().unwrap();
        assert_eq!(NpzReader::open(&path).unwrap().len(), found.len() + 1, "{case}");
        restored += 1;
    }
    println!("{} damaged ends: {restored} restored, {refused} refused", cases.len());
    assert!(restored > rounds(14).min(100));
}

#[test]
fn error_of_truncated_archive_counts_its_members() {
    let path = scratch("log.npz");
    grown(&path, 2);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let expected = "truncated archive: expected the end of central directory at the end of the file, found 2 complete and 1 listed \
                    members; `npy_core::npz::recover` keeps them";
    assert_eq!(problem(NpzReader::open(&path)), expected);
    assert_eq!(problem(NpzWriter::append(&path)), expected);
    let error = NpzReader::open(&path).unwrap_err();
    assert!(error.is_truncated());
    assert!(error.to_string().ends_with(&format!("log.npz: {expected}")));
    // A whole archive is unchanged.
    fs::write(&path, &whole).unwrap();
    let recovered = recover(&path).unwrap();
    assert_eq!((recovered.members, recovered.added, recovered.dropped), (2, 0, 0));
    assert!(fs::read(&path).unwrap() == whole);
    // Rejects other files, and leaves them unchanged.
    for other in [b"\x93NUMPY".as_slice(), b"", b"PK", &[0; 100_000], &[b"PK\x03\x04".as_slice(), &[0; 300_000]].concat()] {
        fs::write(&path, other).unwrap();
        recover(&path).unwrap_err();
        NpzWriter::append(&path).unwrap_err();
        assert!(fs::read(&path).unwrap() == other);
    }
}

#[test]
fn concatenated_archives_are_refused_and_unchanged() {
    let path = scratch("log.npz");
    grown(&path, 2);
    let (one, empty) = (fs::read(&path).unwrap(), b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".as_slice());
    let prefixed = [b"#!/bin/sh\n".as_slice(), &stored()].concat();
    for parts in
        [[&*one, &*stored()], [&*stored(), &*one], [&*stored(), empty], [&*prefixed, &*stored()], [&*stored(), &*streamed()]]
    {
        let both = parts.concat();
        fs::write(&path, &both).unwrap();
        let offset = parts[0].len() as u64;
        let opened = problem(NpzReader::open(&path));
        assert_eq!(problem(NpzWriter::append(&path)), opened);
        if parts[1] != streamed() {
            assert_eq!(
                opened,
                format!("concatenated archives: expected one archive, found another at byte {offset}; split the file there")
            );
        }
        assert_eq!(
            problem(recover(&path)),
            format!("concatenated archives: expected one archive, found another at byte {offset}; split the file there")
        );
        assert!(fs::read(&path).unwrap() == both);
    }
}

/// The archive as a process leaves it that is killed after `fill`, before it commits.
fn killed(path: &Path, fill: impl FnOnce(&mut NpzWriter<fs::File>)) -> Vec<u8> {
    let mut archive = NpzWriter::append(path).unwrap();
    fill(&mut archive);
    let left = fs::read(path).unwrap();
    archive.discard();
    left
}

#[test]
fn ignores_an_archive_inside_an_uncommitted_member() {
    let path = scratch("log.npz");
    let inner = stored();
    let cut = |archive: &mut NpzWriter<fs::File>| {
        // Killed in content of unknown length.
        let written = catch_unwind(AssertUnwindSafe(|| {
            archive.add_content("inner", |member| {
                member.write_all(&inner).map_err(npy_core::Error::from)?;
                panic!("killed here")
            })
        }));
        assert!(written.is_err());
    };
    for prefix in [b"".as_slice(), b"#!/bin/sh\n", &[b'x'; 100_000]] {
        for committed in [0, 3] {
            for kind in 0..3 {
                grown(&path, committed);
                let whole = [prefix, &fs::read(&path).unwrap()].concat();
                fs::write(&path, &whole).unwrap();
                let left = killed(&path, |archive| match kind {
                    0 => archive.add_bytes("inner.npz", &inner).unwrap(),
                    1 => archive.add_bytes("inner.npz", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0").unwrap(),
                    _ => cut(archive),
                });
                assert!(left.len() > whole.len() && left.starts_with(&whole));
                fs::write(&path, &left).unwrap();
                let case = format!("prefix of {}, {committed} committed, kind {kind}", prefix.len());
                let opened = problem(NpzReader::open(&path));
                assert!(opened.contains(&format!(" complete and {committed} listed members;")), "{case}: {opened}");
                NpzWriter::append(&path).map(NpzWriter::discard).unwrap_err();
                assert!(fs::read(&path).unwrap() == left, "{case}");
                let recovered = recover(&path).unwrap_or_else(|error| panic!("{case}: {error}"));
                let found = members(&path).unwrap();
                assert!((0..committed).all(|day| found.contains_key(&format!("day{day}"))), "{case}: {:?}", found.keys());
                // The whole member is kept, and the other is dropped.
                assert_eq!(
                    (recovered.added, found.contains_key("inner.npz")),
                    if kind < 2 { (1, true) } else { (0, false) },
                    "{case}"
                );
                assert!(!found.contains_key("values"), "{case}");
            }
        }
    }
}

/// Forged zip records: central directory entries and an end record with the given numbers.
fn crafted(entries: &[(&str, u64, u32, u64)], begin: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, size, crc, offset) in entries {
        bytes.extend(b"PK\x01\x02\x2d\x03\x2d\0\0\0\0\0\0\0\x21\0");
        bytes.extend(crc.to_le_bytes());
        bytes.extend((*size as u32).to_le_bytes());
        bytes.extend((*size as u32).to_le_bytes());
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend([0; 12]);
        bytes.extend((*offset as u32).to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    let (count, size) = ((entries.len() as u16).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].concat());
    bytes.extend(size);
    bytes.extend((begin as u32).to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

#[test]
fn crafted_content_hides_no_member() {
    let path = scratch("log.npz");
    grown(&path, 2);
    let before = fs::read(&path).unwrap();
    let expected = members(&path).unwrap();
    // Content with a directory: of no member, of its own member, of a forged one.
    let content_at = before.len() as u64 + 30 + 5 + 20;
    let local = b"PK\x03\x04\x2d\0\0\0\0\0\0\0\x21\0\0\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\0\0xA".to_vec();
    let forged = [
        crafted(&[], content_at),
        crafted(&[("x", 1, 0, content_at)], content_at + local.len() as u64),
        crafted(&[("x", 1, 0, 0)], content_at + local.len() as u64),
        // A member that covers all members before it.
        crafted(&[("day0.npy", content_at - 60, 0, 22), ("x", 1, 0, content_at)], content_at + local.len() as u64),
    ];
    for (case, directory) in forged.iter().enumerate() {
        let content = if case == 0 { directory.clone() } else { [&*local, directory].concat() };
        for is_known in [true, false] {
            fs::write(&path, &before).unwrap();
            let left = killed(&path, |archive| {
                if is_known {
                    archive.add_bytes("trick", &content).unwrap();
                } else {
                    let write = AssertUnwindSafe(|| {
                        archive.add_content("t", |member| {
                            member.write_all(&content).map_err(npy_core::Error::from)?;
                            panic!("killed here")
                        })
                    });
                    assert!(catch_unwind(write).is_err());
                }
            });
            fs::write(&path, &left).unwrap();
            // Reading may fail later. Appending must not truncate anything.
            if let Ok(mut archive) = NpzReader::open(&path) {
                assert!(archive.verify().is_err(), "{case}: a forged archive was accepted");
            }
            assert!(NpzWriter::append(&path).map(NpzWriter::discard).is_err(), "{case}");
            assert!(fs::read(&path).unwrap() == left, "{case}");
            if recover(&path).is_ok() {
                let found = members(&path).unwrap();
                assert!(expected.iter().all(|(name, content)| found.get(name) == Some(content)), "{case}: {:?}", found.keys());
                assert!(!found.contains_key("x"), "{case}");
            } else {
                assert!(fs::read(&path).unwrap() == left, "{case}");
            }
            // After a commit, it is a member like others.
            fs::write(&path, &before).unwrap();
            let mut archive = NpzWriter::append(&path).unwrap();
            archive.add_bytes("trick", &content).unwrap();
            archive.finish().unwrap();
            let found = members(&path).unwrap();
            assert_eq!((found.len(), &found["trick"]), (3, &content));
        }
    }
}

/// The end of a stored member without sizes is that of its array, or its data descriptor.
#[test]
fn recovery_keeps_streamed_members_whose_header_cannot_be_read() {
    let path = scratch("log.npz");
    // A header beyond the limit of nesting, and the signature of a descriptor among the elements.
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {}{}, }}", "(".repeat(250), ")".repeat(250));
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    let deep = [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), b"PK\x07\x08", &[0; 90]].concat();
    let mut archive = NpzWriter::streaming(Vec::new());
    archive.add_slice("first", &[1_u8]).unwrap();
    archive.add_content("deep", |member| Ok(member.write_all(&deep)?)).unwrap();
    archive.add_content("text", |member| Ok(member.write_all(b"no array")?)).unwrap();
    archive.add_slice("last", &[2_u8]).unwrap();
    let whole = archive.finish().unwrap();
    let error = NpzReader::from_bytes(&whole).unwrap().header(1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");

    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let recovered = recover(&path).unwrap();
    assert_eq!((recovered.members, recovered.added), (4, 4));
    let mut archive = NpzReader::open(&path).unwrap();
    archive.verify().unwrap();
    assert_eq!(archive.bytes(1, 1000).unwrap(), deep);
    assert_eq!(archive.by_name::<u8>("last").unwrap(), [2]);

    // Damaged content matches no descriptor.
    let mut damaged = whole[..whole.len() - 1].to_vec();
    let at = damaged.windows(4).position(|bytes| bytes == b"((((").unwrap();
    damaged[at] = b'[';
    fs::write(&path, &damaged).unwrap();
    assert!(problem(recover(&path)).contains("cannot recover the archive: "));
    assert!(fs::read(&path).unwrap() == damaged);
}

#[test]
fn recovery_drops_no_whole_member() {
    let path = scratch("log.npz");
    // An empty member is whole if a directory lists it, even a damaged one.
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.add_slice("first", &[1_u8]).unwrap();
    archive.add_bytes("empty", b"").unwrap();
    archive.add_slice("last", &[2_u8]).unwrap();
    archive.finish().unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(recover(&path).unwrap().members, 3);
    assert_eq!(NpzReader::open(&path).unwrap().by_name::<u8>("last").unwrap(), [2]);
    // Otherwise it may be unfinished, and the rest its content: nothing is dropped.
    let directory = position_of(&whole, b"PK\x01\x02");
    fs::write(&path, &whole[..directory]).unwrap();
    assert!(problem(recover(&path)).contains("cannot recover the archive: "));
    assert!(fs::read(&path).unwrap() == whole[..directory]);
    // Nothing is dropped if members follow a damaged size.
    let mut damaged = whole[..whole.len() - 1].to_vec();
    damaged[30 + "first.npy".len() + 4 + 8 + 6] = 1;
    fs::write(&path, &damaged).unwrap();
    assert!(problem(recover(&path)).contains("cannot recover the archive: "));
    assert!(fs::read(&path).unwrap() == damaged);
    // Zeros after an older end, as a power cut leaves them.
    let ends = grown(&path, 2);
    let mut bytes = fs::read(&path).unwrap();
    bytes[ends[1]..].fill(0);
    fs::write(&path, &bytes).unwrap();
    assert!(problem(NpzReader::open(&path)).contains(" complete and 1 listed members;"));
    assert_eq!(recover(&path).unwrap().members, 1);
    assert_eq!(NpzReader::open(&path).unwrap().len(), 1);
}

/// The archive with a 64-bit end record and its locator.
fn with_wide_end(archive: &[u8]) -> Vec<u8> {
    let (front, end) = archive.split_at(archive.len() - 22);
    let number = |at: usize| u64::from(u32::from_le_bytes(end[at..at + 4].try_into().unwrap())).to_le_bytes();
    let count = u64::from(u16::from_le_bytes([end[10], end[11]])).to_le_bytes();
    let mut wide = front.to_vec();
    wide.extend(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0");
    wide.extend([count, count, number(12), number(16)].concat());
    wide.extend(b"PK\x06\x07\0\0\0\0");
    wide.extend((front.len() as u64).to_le_bytes());
    wide.extend(b"\x01\0\0\0PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0");
    wide
}

/// An archive of 4 GiB or 65,536 members has a 64-bit end record.
#[test]
fn archives_with_a_64_bit_end_are_recovered() {
    let path = scratch("log.npz");
    let wide = with_wide_end(&stored());
    let count = NpzReader::from_bytes(&wide).unwrap().len();
    assert_eq!(count, NpzReader::from_bytes(&stored()).unwrap().len());
    // A member that no directory lists.
    let mut other = writer();
    other.add_slice("more", &[1.5_f64]).unwrap();
    let other = other.finish().unwrap().into_inner();
    let more = &other[..position_of(&other, b"PK\x01\x02")];
    let grown = [&wide, more].concat();
    fs::write(&path, &grown).unwrap();
    assert!(NpzReader::open(&path).is_err());
    let recovered = recover(&path).unwrap();
    assert_eq!((recovered.members, recovered.added, recovered.dropped), (count as u64 + 1, 1, 0));
    assert_eq!(NpzReader::open(&path).unwrap().by_name::<f64>("more").unwrap(), [1.5]);
    // A damaged or truncated end of the first directory keeps the members.
    let directory = position_of(&wide, b"PK\x01\x02");
    let end = position_of(&wide, b"PK\x06\x06");
    let mut recovered_count = 0;
    for place in end..wide.len() {
        for damaged in [wide[..place].to_vec(), {
            let mut damaged = grown.clone();
            damaged[place] ^= 0x21;
            damaged
        }] {
            fs::write(&path, &damaged).unwrap();
            match recover(&path) {
                Ok(recovered) => {
                    assert!(recovered.members >= count as u64, "{place}: {recovered:?}");
                    let mut archive = NpzReader::open(&path).unwrap();
                    archive.verify().unwrap();
                    assert!(archive.len() >= count);
                    recovered_count += 1;
                }
                Err(_) => assert!(fs::read(&path).unwrap() == damaged, "{place}"),
            }
        }
    }
    assert!(recovered_count >= wide.len() - end, "{recovered_count}");
    // Members are found by their headers without the end of the directory.
    fs::write(&path, &wide[..directory]).unwrap();
    assert_eq!(recover(&path).unwrap().members, count as u64);
}

/// Members added to a replaced file would be lost silently.
#[cfg(unix)]
#[test]
fn finish_refuses_an_archive_that_was_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.npz");
    let create = |path: &Path| {
        let mut archive = NpzWriter::create(path).unwrap();
        archive.add_slice("day1", &[1.0_f64]).unwrap();
        archive.finish().unwrap();
    };
    for is_replaced in [true, false] {
        create(&path);
        let mut archive = NpzWriter::append(&path).unwrap();
        archive.add_slice("day2", &[2.0_f64]).unwrap();
        if is_replaced {
            // By a program that ignores locks.
            let other = directory.path().join("other.npz");
            create(&other);
            fs::rename(&other, &path).unwrap();
        } else {
            fs::remove_file(&path).unwrap()
        }
        let error = archive.finish().unwrap_err();
        assert!(format!("{error:#}").contains("log.npz: ") && format!("{error:#}").contains("replaced or removed"), "{error:#}");
        assert_eq!(path.exists().then(|| members(&path).unwrap().len()), is_replaced.then_some(1));
    }
}

#[test]
fn rejects_an_offset_beyond_the_file_in_bounded_time() {
    // One entry, whose 64-bit offset is 2^62, in a correct directory.
    let mut entry = crafted(&[("x", 1, 0, 0xffff_ffff)], 0)[..47].to_vec();
    entry[30] = 12;
    entry.extend([1, 0, 8, 0]);
    entry.extend((1_u64 << 62).to_le_bytes());
    let mut file = entry.clone();
    file.extend(crafted(&[], 0));
    let end = entry.len();
    file[end + 8..][..4].copy_from_slice(&[1, 0, 1, 0]);
    file[end + 12..][..4].copy_from_slice(&(end as u32).to_le_bytes());
    let (source, count) = Counting::new(Cursor::new(&file));
    if let Ok(mut archive) = NpzReader::new(source) {
        assert!(archive.verify().is_err());
    }
    assert!(count.reads.get() + count.seeks.get() < 100, "{count:?}");
}

#[test]
fn search_for_a_directory_reads_each_byte_about_once() {
    const LENGTH: usize = 4 << 20;
    let end =
        |begin: usize, at: usize| crafted(&[], begin as u64)[..12].to_vec().into_iter().chain(((at - begin) as u32).to_le_bytes());
    // A thousand end records with directories as large as the file, alone and before entries; local
    // headers without content; directories.
    let mut ends = [b"PK\x03\x04".as_slice(), &vec![0; LENGTH]].concat();
    for at in (LENGTH - 100_000..LENGTH - 100).step_by(100) {
        let record: Vec<u8> = end(4, at).chain(4_u32.to_le_bytes()).chain([0; 2]).collect();
        ends[at..][..record.len()].copy_from_slice(&record);
    }
    let local = b"PK\x03\x04\x2d\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0x".repeat(LENGTH / 31);
    let entries = [b"PK\x03\x04".as_slice(), &crafted(&[("x", 1, 0, 4)], 4)[..47].repeat(LENGTH / 47)].concat();
    let directories = crafted(&[], 0).repeat(LENGTH / 22);
    let streamed = b"PK\x03\x04\x2d\0\x08\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0x".repeat(LENGTH / 31);
    for (name, bytes) in
        [("ends", ends), ("locals", local), ("entries", entries), ("directories", directories), ("streamed", streamed)]
    {
        let (source, count) = Counting::new(Cursor::new(&bytes));
        // Empty directories are an empty archive.
        assert_eq!(NpzReader::new(source).map(|archive| archive.len()).ok(), (name == "directories").then_some(0));
        println!("{name}: {} bytes, {count:?}", bytes.len());
        assert!(count.bytes.get() <= 4 * bytes.len() as u64, "{name}: {count:?} of {} bytes", bytes.len());
        assert!(count.reads.get() + count.seeks.get() <= bytes.len() as u64 / 16, "{name}: {count:?}");
    }
}

#[test]
fn dropped_archive_is_finished_unless_something_failed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    let names = || NpzReader::open(&path).unwrap().names().map(str::to_owned).collect::<Vec<_>>();
    // In a file of the caller, as in `ndarray-npy` and `zip`, with blocks that threads still compress.
    for threads in [1, 2] {
        let mut archive = NpzWriter::new_compressed(fs::File::create(&path).unwrap());
        archive.set_options(archive.options().threads(threads));
        archive.add_slice("x", &values()).unwrap();
        archive.add_slice("y", &values()).unwrap();
        drop(archive);
        assert_eq!(names(), ["x", "y"]);
        assert_eq!(NpzReader::open(&path).unwrap().by_name::<f64>("y").unwrap(), values());
    }
    let mut pipe = Vec::new();
    NpzWriter::streaming(&mut pipe).add_slice("x", &[1_u8]).unwrap();
    assert_eq!(NpzReader::new(Cursor::new(&pipe)).unwrap().len(), 1);
    // Created by path.
    NpzWriter::create(&path).unwrap().add_slice("z", &[1_u8]).unwrap();
    assert_eq!(names(), ["z"]);
    NpzWriter::append(&path).unwrap().add_slice("more", &[2_u8]).unwrap();
    assert_eq!(names(), ["z", "more"]);
    let before = fs::read(&path).unwrap();
    // After an error or a panic, the old file remains.
    for add in [NpzWriter::create, NpzWriter::append] {
        for (case, fail) in [
            (|archive| archive.add_slice("y", &[1_u8])) as fn(&mut NpzWriter<fs::File>) -> npy_core::Result<()>,
            |archive| archive.add_content("x", |_| Err(npy_core::Error::object_array())),
            |archive| archive.add_slice("nul\0", &[1_u8]),
            |archive| {
                archive.add_stream::<String>("text", |_| Ok(())).and(archive.add_stream("text", |text| text.push(&"x".to_owned())))
            },
            |archive| {
                archive.add_slice("wide", &[npy_core::types::FixedBytes::<8>::default(); 1]).and(archive.add_bytes("y.npy", b""))
            },
        ]
        .into_iter()
        .enumerate()
        {
            let mut archive = add(&path).unwrap();
            archive.add_slice("y", &[1_u8]).unwrap();
            fail(&mut archive).unwrap_err();
            drop(archive);
            assert!(fs::read(&path).unwrap() == before, "{case}");
        }
        let panicked = catch_unwind(|| {
            let mut archive = add(&path).unwrap();
            archive.add_slice("y", &[1_u8]).unwrap();
            panic!("on purpose");
        });
        assert!(panicked.is_err() && fs::read(&path).unwrap() == before);
        // After a caught panic in content, the archive is torn, which is an error.
        let mut archive = add(&path).unwrap();
        let content = AssertUnwindSafe(|| archive.add_content("x", |_| panic!("on purpose")));
        assert!(catch_unwind(content).is_err());
        assert!(archive.add_slice("y", &[1_u8]).is_err() && archive.finish().is_err());
        assert!(fs::read(&path).unwrap() == before);
        // The caller has handled a failure that precedes a success.
        let mut archive = add(&path).unwrap();
        archive.add_content("x", |_| Err(npy_core::Error::object_array())).unwrap_err();
        archive.add_slice("good", &[1_u8]).unwrap();
        drop(archive);
        assert!(names().contains(&"good".to_owned()));
        fs::write(&path, &before).unwrap();
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn archive_that_grows_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.npz");
    grown(&path, 1);
    let before = fs::read(&path).unwrap();
    let mut growing = NpzWriter::append(&path).unwrap();
    let error = NpzWriter::create(&path).map(NpzWriter::discard).unwrap_err();
    assert!(error.to_string().ends_with("the file is locked by another writer"), "{error}");
    assert_eq!(error.path(), Some(path.as_path()));
    growing.add_slice("more", &[1_u8]).unwrap();
    growing.finish().unwrap();
    assert!(fs::read(&path).unwrap().len() > before.len());
    // In the opposite order, and two replacements.
    let (first, second) = (NpzWriter::create(&path).unwrap(), NpzWriter::create(&path).unwrap());
    let error = NpzWriter::append(&path).map(NpzWriter::discard).unwrap_err();
    assert!(error.to_string().ends_with("the file is locked by another writer"), "{error}");
    first.discard();
    second.finish().unwrap();
    NpzWriter::append(&path).unwrap().discard();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}
