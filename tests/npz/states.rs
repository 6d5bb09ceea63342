//! The state of an archive after a refused, failed or abandoned member.

use std::fs::{self, OpenOptions};
use std::io::{Cursor, Write};

use npy_core::npz::{NpzReader, NpzWriter, WriteOptions, recover};

use crate::support::archives::{position_of, problem, stored, writer, writer_with};
use crate::support::scratch;

#[test]
fn names_have_at_most_65535_bytes() {
    let mut archive = writer();
    archive.add_bytes(&"x".repeat(65_535), b"abc").unwrap();
    assert_eq!(
        problem(archive.add_bytes(&"y".repeat(65_536), b"abc")),
        "invalid member name: expected at most 65535 bytes without NUL and \"PK\\x03\\x04\""
    );
    let archive = archive.finish().unwrap().into_inner();
    assert_eq!(NpzReader::from_bytes(&archive).unwrap().bytes(0, 3).unwrap(), b"abc");
}

/// Abandoned members are zeroed in memory, and truncated in a file.
#[test]
fn abandoned_members_are_zeroed() {
    // It ends with an archive, whose directory is not that of the file.
    let inner = stored();
    let content = &inner[inner.len() - 1000..];
    let header = 30 + "given up.npy".len() + 20;
    for (more, blank) in [(0, header + 1000), (500, header + 1000 - (30 + 6 + 20 + 500)), (header + 1000 - 56, 0), (3000, 0)] {
        let fill = |archive: &mut NpzWriter<Cursor<Vec<u8>>>, fails: bool| {
            archive.add_bytes("before", b"abc").unwrap();
            if fails {
                let given_up = archive.add_content("given up", |member| {
                    member.write_all(content)?;
                    Err(npy_core::Error::object_array())
                });
                given_up.unwrap_err();
            }
            if more > 0 {
                archive.add_bytes("behind", &vec![9; more]).unwrap();
            }
        };
        let [mut expected, mut archive] = [writer(), writer()];
        fill(&mut expected, false);
        fill(&mut archive, true);
        let [expected, archive] = [expected, archive].map(|archive| archive.finish().unwrap().into_inner());
        assert_eq!(archive.len(), expected.len() + blank, "{more}");
        let directory = position_of(&expected, b"PK\x01\x02");
        assert!(archive[..directory] == expected[..directory], "{more}");
        assert!(archive[directory..directory + blank].iter().all(|byte| *byte == 0), "{more}");
        NpzReader::from_bytes(&archive).unwrap().verify().unwrap();
    }
}

/// A pipe cannot be rewound, but nothing was written.
#[test]
fn refused_members_leave_a_pipe_intact() {
    let mut archive = NpzWriter::streaming(Vec::new());
    archive.set_options(archive.options().compressed(true));
    archive.add_slice("first", &[1_u8]).unwrap();
    assert_eq!(problem(archive.add_slice("first", &[2_u8])), "duplicate member name; to replace a member, write a new archive");
    assert_eq!(
        problem(archive.add_stream::<u8>("unknown", |_| Ok(()))),
        "unknown length: a stream that cannot seek needs it before the data"
    );
    archive.add_content("failed", |_| Err(npy_core::Error::object_array())).unwrap_err();
    archive.add_slice("second", &[3_u8]).unwrap();
    let archive = archive.finish().unwrap();
    assert_eq!(NpzReader::from_bytes(&archive).unwrap().names().collect::<Vec<_>>(), ["first", "second"]);
}

/// Offsets do not count the bytes before the archive.
#[test]
fn appends_to_archives_after_other_bytes() {
    let path = scratch("log.npz");
    for prefix in [&b""[..], b"#!/bin/sh\n", &[b'x'; 100_000]] {
        for is_aligned in [false, true] {
            let before = [prefix, &stored()].concat();
            fs::write(&path, &before).unwrap();
            let mut archive = NpzWriter::append(&path).unwrap();
            archive.set_options(archive.options().aligned(is_aligned));
            archive.add_slice("more", &[1.5_f64, 2.5]).unwrap();
            drop(archive.finish().unwrap());
            let after = fs::read(&path).unwrap();
            assert!(after.starts_with(&before));
            let mut archive = NpzReader::from_bytes(&after).unwrap();
            archive.verify().unwrap();
            assert_eq!(archive.by_name::<f64>("more").unwrap(), [1.5, 2.5]);
            let data = archive.data_range(archive.index_of("more").unwrap()).unwrap();
            assert!(!is_aligned || data.start % 64 == 0, "{data:?}");
            assert_eq!(recover(&path).unwrap().added, 0);
            assert!(fs::read(&path).unwrap() == after);
        }
    }
}

/// A writer without members truncates nothing that others wrote. One with members truncates them.
#[test]
fn writers_without_members_truncate_nothing() {
    let path = scratch("log.npz");
    let add_more = || OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more").unwrap();
    for prefix in [&b""[..], b"#!/bin/sh\n"] {
        let before = [prefix, &stored()].concat();
        let after = [&before[..], b"more"].concat();
        let open = || {
            fs::write(&path, &before).unwrap();
            let archive = NpzWriter::append(&path).unwrap();
            add_more();
            archive
        };
        for (case, end) in [
            ("discarded", (|archive| archive.discard()) as fn(NpzWriter<fs::File>)),
            ("dropped", drop),
            ("refused", |mut archive| assert!(archive.add_slice("\0", &[1_u8]).is_err())),
            ("finished", |archive| assert!(archive.finish().is_err())),
        ] {
            end(open());
            assert!(fs::read(&path).unwrap() == after, "{case} behind {} bytes", prefix.len());
        }
        let mut archive = open();
        archive.add_slice("mine", &[1_u8]).unwrap();
        archive.discard();
        assert!(fs::read(&path).unwrap() == before);
    }
}

#[test]
fn members_are_counted_in_the_debug_text() {
    let mut archive = writer_with(WriteOptions::new().compressed(true).threads(2));
    for count in 0..3 {
        let text = format!("{archive:?}");
        assert!(text.starts_with(&format!("NpzWriter {{ members: {count}, position: ")), "{text}");
        archive.add_slice(&count.to_string(), &[1_u8]).unwrap();
    }
}

/// As after failed content, earlier members count only if the caller finishes.
#[test]
fn members_without_a_header_are_refused() {
    let path = scratch("run.npz");
    // One axis too many.
    let sub_array = || format!("('<f8', ({}))", "1, ".repeat(64)).parse().unwrap();
    for is_finished in [true, false] {
        let mut archive = NpzWriter::create(&path).unwrap();
        archive.add_slice("good", &[1_u8]).unwrap();
        archive.add_stream_of::<f64>("refused", sub_array(), |_| Ok(())).unwrap_err();
        if is_finished {
            drop(archive.finish().unwrap());
            assert_eq!(NpzReader::open(&path).unwrap().names().collect::<Vec<_>>(), ["good"]);
            fs::remove_file(&path).unwrap();
        } else {
            drop(archive);
            assert!(!path.exists());
        }
    }
    let mut pipe = NpzWriter::streaming(Vec::new());
    pipe.add_content("failed", |_| Err(npy_core::Error::object_array())).unwrap_err();
    pipe.add_stream_of::<f64>("refused", sub_array(), |_| Ok(())).unwrap_err();
    assert!(pipe.finish().unwrap_err().to_string().contains("an earlier call failed"));
}

#[test]
fn missing_members_have_no_data() {
    let archive = stored();
    let mut archive = NpzReader::from_bytes(&archive).unwrap();
    let members = archive.len();
    assert_eq!(
        problem(archive.data_range(members)),
        format!("member index out of range: expected less than {members}, found {members}")
    );
    assert!(archive.data_range(members - 1).is_ok());
    assert_eq!(
        problem(archive.stored(members)),
        format!("member index out of range: expected less than {members}, found {members}")
    );
}
