//! Archives that are damaged, cut, or made to do harm: an error that names the member, and never another value.

#[path = "support/archives.rs"]
mod archives;
mod support;

use std::io::{Cursor, Read};

use archives::{Pick, compressed, picks, problem, random, stored, streamed, values};
use npy_core::npz::{NpzReader, NpzStream, NpzWriter};
use npy_core::{ArchiveProblem, ErrorKind, Header, NpyElement, Order};

/// No flipped bit gives another value: it is an error, or in what does not matter.
#[test]
fn flipped_bits_are_found() {
    let mut state = 1;
    for archive in [stored(), compressed(), streamed()] {
        let expected = values();
        let mut errors = 0;
        for _ in 0..2000 {
            let mut damaged = archive.clone();
            let at = random(&mut state) % damaged.len();
            damaged[at] ^= 1 << (random(&mut state) % 8);
            let Ok(mut reader) = NpzReader::new(Cursor::new(damaged)) else {
                errors += 1;
                continue;
            };
            match reader.by_name::<f64>("values") {
                Ok(values) => assert_eq!(values, expected, "a flipped bit in byte {at}"),
                Err(_) => errors += 1,
            }
            match reader.by_name::<Pick>("picks") {
                Ok(values) => assert_eq!(values, picks(), "a flipped bit in byte {at}"),
                Err(_) => errors += 1,
            }
        }
        assert!(errors > 500, "{errors}");
    }
}

/// Every bit of a member's data, trailing bytes included.
#[test]
fn every_bit_of_a_members_data_is_covered() {
    for is_compressed in [false, true] {
        let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
        archive.set_compressed(is_compressed);
        let mut content = Vec::new();
        npy_core::write(&mut content, &[1_u16, 2, 3]).unwrap();
        content.extend(b"trailing");
        archive.add_bytes("x.npy", &content).unwrap();
        let archive = archive.finish().unwrap().into_inner();
        let begin = 30 + 5 + 20;
        let end = archive.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        for bit in 0..(end - begin) * 8 {
            let mut damaged = archive.clone();
            damaged[begin + bit / 8] ^= 1 << (bit % 8);
            let mut reader = NpzReader::new(Cursor::new(damaged)).unwrap();
            match reader.by_name::<u16>("x") {
                Err(error) => assert_eq!(error.member(), Some("x")),
                // Compressed data end within a byte; what is left of it means nothing.
                Ok(values) => assert!(is_compressed && begin + bit / 8 + 1 == end && values == [1, 2, 3], "bit {bit}"),
            }
        }
        assert_eq!(NpzReader::new(Cursor::new(&archive)).unwrap().by_name::<u16>("x").unwrap(), [1, 2, 3]);
    }
}

#[test]
fn archives_cut_anywhere_are_errors() {
    for archive in [stored(), compressed(), streamed()] {
        for length in 0..archive.len() {
            assert!(NpzReader::new(Cursor::new(&archive[..length])).is_err(), "{length}");
        }
    }
}

/// A broken member does not hide the others.
#[test]
fn one_broken_member_is_one_error() {
    let mut archive = stored();
    let at = archive.windows(4).position(|window| window == b"PK\x03\x04").unwrap();
    archive[at + 30 + 10 + 20 + 128] ^= 1;
    let mut reader = NpzReader::new(Cursor::new(&archive)).unwrap();
    assert!(matches!(problem(reader.by_name::<f64>("values")), ArchiveProblem::WrongChecksum { .. }));
    assert_eq!(reader.by_name::<Pick>("picks").unwrap(), picks());
    // What is read only in part was not checked as a whole.
    let mut first = [0.0; 3];
    reader.array(0).unwrap().read_into(&mut first).unwrap();
}

#[test]
fn lies_are_refused() {
    let archive = stored();
    let entry = archive.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let spoil = |at: usize, bytes: &[u8]| {
        let mut spoiled = archive.clone();
        spoiled[entry + at..][..bytes.len()].copy_from_slice(bytes);
        problem(NpzReader::new(Cursor::new(spoiled)).and_then(|mut reader| reader.by_name::<f64>("values")))
    };
    // Encrypted; another method; sizes; the offset of another member.
    assert_eq!(spoil(8, &[1]), ArchiveProblem::Encrypted);
    assert!(matches!(spoil(10, &[8]), ArchiveProblem::LocalHeader { .. }));
    assert!(matches!(spoil(24, &[0xff, 0xff]), ArchiveProblem::LocalHeader { .. }));
    assert_eq!(spoil(20, &[0xff, 0xff, 0xff, 0x7f]), ArchiveProblem::Overlap);
    assert!(matches!(spoil(42, &[1]), ArchiveProblem::LocalHeader { .. } | ArchiveProblem::Overlap));
    assert!(matches!(problem(NpzReader::new(Cursor::new(b"\x93NUMPY\x01\0"))), ArchiveProblem::NotZip { .. }));
    assert!(NpzReader::new(Cursor::new(b"")).unwrap_err().to_string().contains("the input is empty"));
    // The header before the data says something else: checksum, sizes in the 64-bit field, length of the extra fields, version of the name.
    let local = |at: usize, bytes: &[u8]| {
        let mut spoiled = archive.clone();
        spoiled[at..][..bytes.len()].copy_from_slice(bytes);
        problem(NpzReader::new(Cursor::new(spoiled)).and_then(|mut reader| reader.by_name::<f64>("values")))
    };
    for at in [14, 22, 30 + 10 + 4, 30 + 10 + 12, 8, 30] {
        assert!(matches!(local(at, &[0x77]), ArchiveProblem::LocalHeader { offset: 0 }), "{at}");
    }
    assert_eq!(local(28, &[0xff, 0xff]), ArchiveProblem::Overlap);
    assert!(matches!(local(28, &[21]), ArchiveProblem::Overlap));
    // Both headers lie together: about the size, and about the size in the archive, of stored and of compressed data.
    for archive in [archive.clone(), compressed()] {
        let entry = archive.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        let is_stored = archive[8] == 0;
        // Where they stand in the header before the data, and in the directory.
        for (at, in_entry) in [(30 + 10 + 4, 24), (30 + 10 + 12, 20)] {
            for difference in [-1_i64, 1, 4096, -4096] {
                let mut spoiled = archive.clone();
                let lie = u64::from_le_bytes(spoiled[at..][..8].try_into().unwrap()).wrapping_add_signed(difference);
                spoiled[at..][..8].copy_from_slice(&lie.to_le_bytes());
                spoiled[entry + in_entry..][..4].copy_from_slice(&lie.to_le_bytes()[..4]);
                let error = NpzReader::from_bytes(&spoiled).unwrap().by_name::<f64>("values").unwrap_err();
                assert_eq!(error.member(), Some("values"), "{at} {difference}");
                let whole = NpzReader::from_bytes(&spoiled).unwrap().bytes(0, 1 << 20).unwrap_err();
                // Compressed data that are cut short end early, or anyhow.
                let is_plain = matches!(
                    whole.kind(),
                    ErrorKind::Archive {
                        problem: ArchiveProblem::WrongSize { .. } | ArchiveProblem::Overlap | ArchiveProblem::Unused { .. }
                    }
                );
                assert!(is_plain || !is_stored, "{at} {difference}: {whole}");
            }
        }
    }
    // Two entries of one member.
    let length = archive.windows(4).skip(entry + 4).position(|window| window == b"PK\x01\x02").unwrap() + 4;
    let mut twice = archive.clone();
    let first = twice[entry..entry + length].to_vec();
    twice.splice(entry..entry, first);
    let end = twice.len() - 22;
    twice[end + 8] += 1;
    twice[end + 10] += 1;
    let bytes = u32::from_le_bytes(twice[end + 12..][..4].try_into().unwrap()) + length as u32;
    twice[end + 12..][..4].copy_from_slice(&bytes.to_le_bytes());
    let mut reader = NpzReader::new(Cursor::new(twice)).unwrap();
    let results = [reader.by_index::<f64>(0), reader.by_index::<f64>(1)];
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let refused = results.into_iter().find(Result::is_err).unwrap();
    assert_eq!(problem(refused), ArchiveProblem::Overlap);
    // Names.
    let mut writer = NpzWriter::new(Cursor::new(Vec::new()));
    writer.add_slice("x", &[1_u8]).unwrap();
    assert_eq!(problem(writer.add_slice("x", &[1_u8])), ArchiveProblem::DuplicateName);
    assert_eq!(problem(writer.add_slice("a\0b", &[1_u8])), ArchiveProblem::InvalidName);
    assert_eq!(problem(writer.add_slice(&"x".repeat(70_000), &[1_u8])), ArchiveProblem::InvalidName);
    // What was refused is not in it.
    let archive = writer.finish().unwrap().into_inner();
    assert_eq!(NpzReader::new(Cursor::new(archive)).unwrap().len(), 1);
    // A member in which writing failed ends an archive that cannot be gone back in.
    let mut writer = NpzWriter::streaming(Vec::new());
    let header = Header::new(u8::dtype(), Order::C, &[2]).unwrap();
    assert!(writer.add("x", &header, |x| x.push(&1_u8)).is_err());
    assert!(writer.finish().is_err());
}

/// A member that expands to far more than its array has.
#[test]
fn bombs_are_refused() {
    let mut archive = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    let mut content = Vec::new();
    npy_core::write(&mut content, &[1_u8]).unwrap();
    content.resize(64 << 20, 0);
    archive.add_bytes("x.npy", &content).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    assert!(archive.len() < 100_000);
    let mut reader = NpzReader::new(Cursor::new(&archive)).unwrap();
    assert!(matches!(problem(reader.by_name::<u8>("x")), ArchiveProblem::Trailing { .. }));
    let mut stream = NpzStream::new(&archive[..]);
    let mut member = stream.next().unwrap().unwrap();
    assert!(matches!(problem(member.array().unwrap().into_vec::<u8>()), ArchiveProblem::Trailing { .. }));
    let mut all = Vec::new();
    reader.array(0).unwrap().into_inner().take(10).read_to_end(&mut all).unwrap();
    assert_eq!(all.len(), 10);
}

/// In a pipe, too, where it is known where the next member begins.
#[test]
fn one_broken_member_in_a_pipe_is_one_error() {
    let all = |archive: &[u8]| {
        let mut stream = NpzStream::new(archive);
        let mut found = Vec::new();
        loop {
            // Twice the same error: nobody knows where it goes on.
            match stream.next() {
                Ok(Some(mut member)) => {
                    let name = member.name().to_owned();
                    let read = member.array().and_then(npy_core::NpyReader::into_vec::<npy_core::Void>).err();
                    found.push((name, read.map(|error| error.to_string())));
                }
                Ok(None) => return (found, true),
                Err(error) if error.to_string().contains("where it begins is not known") => return (found, false),
                Err(error) => found.push((error.member().unwrap_or_default().to_owned(), Some(error.to_string()))),
            }
        }
    };
    let names = |found: &[(String, Option<String>)]| found.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    for archive in [stored(), compressed()] {
        let (found, is_whole) = all(&archive);
        assert_eq!(names(&found), ["values", "picks", "größe/matrix", "empty", ""]);
        assert!(is_whole);
        // In the data of the first member; of its kind of compression; encrypted.
        let data = 30 + 10 + 20 + 128;
        for (at, bit) in [(data, 1), (data + 100, 0x80), (8, 0x40), (6, 1)] {
            let mut damaged = archive.clone();
            damaged[at] ^= bit;
            let (found, is_whole) = all(&damaged);
            assert!(is_whole, "{at}");
            assert!(found[0].1.is_some(), "{found:?}");
            assert_eq!(names(&found)[names(&found).len() - 4..], ["picks", "größe/matrix", "empty", ""], "{found:?}");
        }
    }
    // Where the size stands behind data that are damaged, it is not known.
    let mut archive = NpzWriter::streaming(Vec::new());
    archive.set_compressed(true);
    archive.add_slice("x", &values()).unwrap();
    archive.add_slice("y", &values()).unwrap();
    let mut archive = archive.finish().unwrap();
    archive[60] ^= 0xff;
    let (found, is_whole) = all(&archive);
    assert!(!is_whole && found.iter().all(|(name, error)| name == "x" && error.is_some()), "{found:?}");
}

/// What is no array goes by in a pipe, and can be read there.
#[test]
fn other_files_in_a_pipe() {
    for is_compressed in [false, true] {
        let mut archive = NpzWriter::streaming(Vec::new());
        archive.set_compressed(is_compressed);
        archive.add_bytes("notes.txt", b"hello").unwrap();
        archive.add_bytes("more", &[7; 100_000]).unwrap();
        archive.add_slice("x", &[1_u8]).unwrap();
        let archive = archive.finish().unwrap();
        for kept in [true, false] {
            let mut stream = NpzStream::new(&archive[..]);
            let mut count = 0;
            while let Some(mut member) = stream.next().unwrap() {
                count += 1;
                match member.name() {
                    "notes.txt" if kept => {
                        assert!(matches!(member.bytes(4).unwrap_err().kind(), ErrorKind::LimitExceeded { found: 5, .. }));
                    }
                    "more" if kept => assert_eq!(member.bytes(100_000).unwrap(), [7; 100_000]),
                    _ => {}
                }
            }
            assert_eq!(count, 3);
        }
        let mut archive = NpzReader::from_bytes(&archive).unwrap();
        archive.verify().unwrap();
        assert_eq!(archive.bytes(0, 5).unwrap(), b"hello");
        let error = archive.by_index::<u8>(3).unwrap_err();
        assert_eq!(error.to_string(), "there is no member 3: the archive has 3");
    }
    // Not an archive, and nothing.
    let error = NpzStream::new(&b"\x93NUMPY\x01\0v\0"[..]).next().map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "not an .npz file: it is an .npy file");
    assert_eq!(problem(NpzStream::new(&b""[..]).next().map(|_| ())), ArchiveProblem::NoEnd);
}

/// The content of a member is checked whoever reads it.
#[test]
fn raw_members_are_checked_at_their_end() {
    for archive in [stored(), compressed()] {
        let mut content = Vec::new();
        NpzReader::from_bytes(&archive).unwrap().array(0).unwrap().into_inner().read_to_end(&mut content).unwrap();
        assert_eq!(content.len(), 8000);
        let mut damaged = archive.clone();
        damaged[30 + 10 + 20 + 300] ^= 1;
        let mut reader = NpzReader::from_bytes(&damaged).unwrap();
        let error = reader.array(0).unwrap().into_inner().read_to_end(&mut content).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
        let mut stream = NpzStream::new(&damaged[..]);
        let mut member = stream.next().unwrap().unwrap();
        assert!(member.array().unwrap().into_inner().read_to_end(&mut content).is_err());
    }
}

/// Flipped bits are found in members that are passed over, too.
#[test]
fn flipped_bits_are_found_in_a_pipe() {
    let mut state = 7;
    for archive in [stored(), compressed(), streamed()] {
        for _ in 0..500 {
            let mut damaged = archive.clone();
            let at = random(&mut state) % damaged.len();
            damaged[at] ^= 1 << (random(&mut state) % 8);
            let mut stream = NpzStream::new(&damaged[..]);
            while let Ok(Some(mut member)) = stream.next() {
                let name = member.name().to_owned();
                let Ok(array) = member.array() else { continue };
                if array.header().dtype().to_string() == "<f8"
                    && let Ok(found) = array.into_vec::<f64>()
                {
                    // The name, and the shape's writing, are not covered by the checksum.
                    assert!(name != "values" || found == values(), "a flipped bit in byte {at}");
                }
            }
        }
    }
    let mut archive = stored();
    archive[30 + 10 + 20 + 128] ^= 1;
    let mut stream = NpzStream::new(&archive[..]);
    assert_eq!(stream.next().unwrap().unwrap().name(), "values");
    let error = stream.next().map(|_| ()).unwrap_err();
    assert_eq!(error.member(), Some("values"));
    assert!(matches!(error.kind(), ErrorKind::Archive { problem: ArchiveProblem::WrongChecksum { .. } }), "{error}");
}
