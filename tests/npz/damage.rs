//! Damaged, truncated and hostile archives are errors that name the member, never other values.

use std::io::{self, Cursor, Read};

use npy_core::npz::{NpzReader, NpzStream, NpzWriter, WriteOptions};
use npy_core::{ErrorKind, Header, NpyElement, NpyReader, NpyWriter, Order};

use crate::support::archives::{Pick, compressed, picks, position_of, problem, random, stored, streamed, values, writer_with};
use crate::support::{some, written};

/// A flipped bit is an error, or has no effect. It never changes a value, also in a pipe, where skipped members are verified too.
#[test]
fn detects_flipped_bits() {
    let mut state = 1;
    for archive in [stored(), compressed(), streamed()] {
        let mut errors = 0;
        for round in 0..2000 {
            let mut damaged = archive.clone();
            let at = random(&mut state) % damaged.len();
            damaged[at] ^= 1 << (random(&mut state) % 8);
            if let Ok(mut reader) = NpzReader::from_bytes(&damaged) {
                match (reader.by_name::<f64>("values"), reader.by_name::<Pick>("picks")) {
                    (Ok(found), Ok(found_picks)) => {
                        assert!(found == values() && found_picks == picks(), "a flipped bit in byte {at}")
                    }
                    _ => errors += 1,
                }
            } else {
                errors += 1;
            }
            let mut stream = NpzStream::new(if round < 500 { &damaged[..] } else { &[] });
            while let Ok(Some(mut member)) = stream.next() {
                // The checksum does not cover the name.
                let is_values = member.name() == "values";
                let Ok(array) = member.array() else { continue };
                if is_values && array.header().dtype().to_string() == "<f8" {
                    assert!(array.into_vec::<f64>().map_or(true, |found| found == values()), "a flipped bit in byte {at}");
                }
            }
        }
        assert!(errors > 500, "{errors}");
    }
    let mut archive = stored();
    archive[30 + 10 + 20 + 128] ^= 1;
    let mut stream = NpzStream::new(&archive[..]);
    assert_eq!(stream.next().unwrap().unwrap().name(), "values");
    let error = stream.next().map(|_| ()).unwrap_err();
    assert_eq!(error.member(), Some("values"));
    assert!(error.to_string().contains("wrong checksum: expected 0x"), "{error}");
}

/// Every bit of a member's data, trailing bytes included.
#[test]
fn every_bit_of_a_members_data_is_covered() {
    for is_compressed in [false, true] {
        let mut archive = writer_with(WriteOptions::new().compressed(is_compressed));
        let mut content = written(&[1_u16, 2, 3]);
        content.extend(b"trailing");
        archive.add_bytes("x.npy", &content).unwrap();
        let archive = archive.finish().unwrap().into_inner();
        let begin = 30 + 5 + 20;
        let end = position_of(&archive, b"PK\x01\x02");
        for bit in 0..(end - begin) * 8 {
            let mut damaged = archive.clone();
            damaged[begin + bit / 8] ^= 1 << (bit % 8);
            let mut reader = NpzReader::new(Cursor::new(damaged)).unwrap();
            match reader.by_name::<u16>("x") {
                Err(error) => assert_eq!(error.member(), Some("x")),
                // Compressed data end within a byte, and the rest of it is ignored.
                Ok(values) => assert!(is_compressed && begin + bit / 8 + 1 == end && values == [1, 2, 3], "bit {bit}"),
            }
        }
        assert_eq!(NpzReader::new(Cursor::new(&archive)).unwrap().by_name::<u16>("x").unwrap(), [1, 2, 3]);
    }
}

#[test]
fn archives_cut_anywhere_are_errors() {
    for archive in [stored(), compressed(), streamed()] {
        for length in some(0..archive.len(), 7) {
            assert!(NpzReader::new(Cursor::new(&archive[..length])).is_err(), "{length}");
        }
    }
}

/// A broken member does not hide the others.
#[test]
fn one_broken_member_is_one_error() {
    let mut archive = stored();
    let at = position_of(&archive, b"PK\x03\x04");
    archive[at + 30 + 10 + 20 + 128] ^= 1;
    let mut reader = NpzReader::new(Cursor::new(&archive)).unwrap();
    assert!(problem(reader.by_name::<f64>("values")).contains("wrong checksum: expected 0x"));
    assert_eq!(reader.by_name::<Pick>("picks").unwrap(), picks());
    // A part of a member is not checked.
    let mut first = [0.0; 3];
    reader.array(0).unwrap().read_into(&mut first).unwrap();
}

#[test]
fn rejects_forged_headers() {
    let archive = stored();
    let entry = position_of(&archive, b"PK\x01\x02");
    let spoil = |at: usize, bytes: &[u8]| {
        let mut spoiled = archive.clone();
        spoiled[entry + at..][..bytes.len()].copy_from_slice(bytes);
        problem(NpzReader::new(Cursor::new(spoiled)).and_then(|mut reader| reader.by_name::<f64>("values")))
    };
    // Encrypted; another method; sizes; the offset of another member.
    assert_eq!(spoil(8, &[1]), "unsupported encryption: decrypt the member by another program, such as 7z, and read its file");
    assert!(spoil(10, &[8]).contains("the local header at byte "));
    assert!(spoil(24, &[0xff, 0xff]).contains("the local header at byte "));
    assert_eq!(spoil(20, &[0xff, 0xff, 0xff, 0x7f]), "the data overlap another member or the central directory");
    let moved = spoil(42, &[1]);
    assert!(moved.starts_with("the local header at byte ") || moved.starts_with("the data overlap another member"), "{moved}");
    assert!(problem(NpzReader::new(Cursor::new(b"\x93NUMPY\x01\0"))).contains("not an .npz file: "));
    assert!(NpzReader::new(Cursor::new(b"")).unwrap_err().to_string().contains("the input is empty"));
    // A local header with another checksum, other sizes in the 64-bit field, another length of the extra
    // fields, another version.
    let local = |at: usize, bytes: &[u8]| {
        let mut spoiled = archive.clone();
        spoiled[at..][..bytes.len()].copy_from_slice(bytes);
        problem(NpzReader::new(Cursor::new(spoiled)).and_then(|mut reader| reader.by_name::<f64>("values")))
    };
    for at in [14, 22, 30 + 10 + 4, 30 + 10 + 12, 8, 30] {
        assert_eq!(local(at, &[0x77]), "the local header at byte 0 differs from the central directory", "{at}");
    }
    assert_eq!(local(28, &[0xff, 0xff]), "the data overlap another member or the central directory");
    assert!(local(28, &[21]).contains("the data overlap another member or the central directory"));
    // Both headers state the same wrong sizes, of stored and of compressed data.
    for archive in [archive.clone(), compressed()] {
        let entry = position_of(&archive, b"PK\x01\x02");
        let is_stored = archive[8] == 0;
        // Their offsets in the local header and in the directory.
        for (at, in_entry) in [(30 + 10 + 4, 24), (30 + 10 + 12, 20)] {
            for difference in [-1_i64, 1, 4096, -4096] {
                let mut spoiled = archive.clone();
                let lie = u64::from_le_bytes(spoiled[at..][..8].try_into().unwrap()).wrapping_add_signed(difference);
                spoiled[at..][..8].copy_from_slice(&lie.to_le_bytes());
                spoiled[entry + in_entry..][..4].copy_from_slice(&lie.to_le_bytes()[..4]);
                let error = NpzReader::from_bytes(&spoiled).unwrap().by_name::<f64>("values").unwrap_err();
                assert_eq!(error.member(), Some("values"), "{at} {difference}");
                let whole = NpzReader::from_bytes(&spoiled).unwrap().bytes(0, 1 << 20).unwrap_err();
                // Truncated compressed data fail with one of several errors.
                let plain = [" of content, found ", "the data overlap another member", "expected the end of the compressed data"];
                let is_plain = plain.iter().any(|message| whole.to_string().contains(message));
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
    assert_eq!(problem(refused), "the data overlap another member or the central directory");
    // Names.
    let mut writer = NpzWriter::new(Cursor::new(Vec::new()));
    writer.add_slice("x", &[1_u8]).unwrap();
    assert_eq!(problem(writer.add_slice("x", &[1_u8])), "duplicate member name; to replace a member, write a new archive");
    assert_eq!(
        problem(writer.add_slice("a\0b", &[1_u8])),
        "invalid member name: expected at most 65535 bytes without NUL and \"PK\\x03\\x04\""
    );
    assert_eq!(
        problem(writer.add_slice(&"x".repeat(70_000), &[1_u8])),
        "invalid member name: expected at most 65535 bytes without NUL and \"PK\\x03\\x04\""
    );
    assert_eq!(
        problem(writer.add_slice("PK\x03\x04", &[1_u8])),
        "invalid member name: expected at most 65535 bytes without NUL and \"PK\\x03\\x04\""
    );
    // A refused member is not in the archive.
    let archive = writer.finish().unwrap().into_inner();
    assert_eq!(NpzReader::new(Cursor::new(archive)).unwrap().len(), 1);
    // A failed member ends an archive that cannot seek.
    let mut writer = NpzWriter::streaming(Vec::new());
    let header = Header::new(u8::dtype(), Order::C, &[2]).unwrap();
    assert!(writer.add("x", &header, |x| x.push(&1_u8)).is_err());
    assert!(writer.finish().is_err());
}

/// A member that expands to far more than its array has.
#[test]
fn rejects_decompression_bombs() {
    let mut archive = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    let mut content = written(&[1_u8]);
    content.resize(64 << 20, 0);
    archive.add_bytes("x.npy", &content).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    assert!(archive.len() < 100_000);
    let mut reader = NpzReader::new(Cursor::new(&archive)).unwrap();
    assert!(problem(reader.by_name::<u8>("x")).contains("expected the end of the member after its array, found "));
    let mut stream = NpzStream::new(&archive[..]);
    let mut member = stream.next().unwrap().unwrap();
    assert!(problem(member.array().unwrap().into_vec::<u8>()).contains("expected the end of the member after its array, found "));
    let mut all = Vec::new();
    reader.array(0).unwrap().into_inner().take(10).read_to_end(&mut all).unwrap();
    assert_eq!(all.len(), 10);
}

/// Also in a pipe, if the position of the next member is known.
#[test]
fn one_broken_member_in_a_pipe_is_one_error() {
    let all = |archive: &[u8]| {
        let mut stream = NpzStream::new(archive);
        let mut found = Vec::new();
        loop {
            // The same error again, because the next position is unknown.
            match stream.next() {
                Ok(Some(mut member)) => {
                    let name = member.name().to_owned();
                    let read = member.array().and_then(NpyReader::into_vec::<npy_core::types::Void>).err();
                    found.push((name, read.map(|error| error.to_string())));
                }
                Ok(None) => return (found, true),
                Err(error) if error.to_string().contains("unknown position") => return (found, false),
                Err(error) => found.push((error.member().unwrap_or_default().to_owned(), Some(error.to_string()))),
            }
        }
    };
    let names = |found: &[(String, Option<String>)]| found.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    for archive in [stored(), compressed()] {
        let (found, is_whole) = all(&archive);
        assert_eq!(names(&found), ["values", "picks", "größe/matrix", "empty", ""]);
        assert!(is_whole);
        // In the data of the first member; its method; encrypted.
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
    // A size after damaged data is unknown.
    let mut archive = NpzWriter::streaming(Vec::new());
    archive.set_options(archive.options().compressed(true));
    archive.add_slice("x", &values()).unwrap();
    archive.add_slice("y", &values()).unwrap();
    let mut archive = archive.finish().unwrap();
    archive[60] ^= 0xff;
    let (found, is_whole) = all(&archive);
    assert!(!is_whole && found.iter().all(|(name, error)| name == "x" && error.is_some()), "{found:?}");
}

/// Other members are skipped or read in a pipe.
#[test]
fn reads_members_that_are_not_arrays_in_a_pipe() {
    for is_compressed in [false, true] {
        let mut archive = NpzWriter::streaming(Vec::new());
        archive.set_options(archive.options().compressed(is_compressed));
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
                        assert!(member.bytes(4).unwrap_err().to_string().contains(", found 5; "));
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
        assert_eq!(error.to_string(), "member index out of range: expected less than 3, found 3");
    }
    // Not an archive, and nothing.
    let error = NpzStream::new(&b"\x93NUMPY\x01\0v\0"[..]).next().map(|_| ()).unwrap_err();
    let expected = r#"not an .npz file: expected a zip archive, found "\x93NUMPY\x01\x00", an .npy file; read it with `load`"#;
    assert_eq!(error.to_string(), expected);
    assert_eq!(
        problem(NpzStream::new(&b""[..]).next().map(|_| ())),
        "truncated archive: expected a member or the central directory, found the end of the stream"
    );
}

/// A wrong first signature is another format, and a later one is damage at its position.
#[test]
fn streams_name_the_position_of_a_wrong_signature() {
    let mut archive = stored();
    let second = archive.windows(4).enumerate().filter(|(_, bytes)| bytes == b"PK\x03\x04").nth(1).unwrap().0;
    archive[second..second + 4].copy_from_slice(b"QK\x03\x04");
    let mut stream = NpzStream::new(&archive[..]);
    stream.next().unwrap().unwrap();
    let error = stream.next().map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(r#"invalid archive: expected a member or the central directory at byte {second}, found "QK\x03\x04-\x00\x00\x00""#)
    );
    assert_eq!(error.kind(), ErrorKind::InvalidArchive);
}

#[test]
fn streams_that_end_in_a_header_are_truncated() {
    let archive = stored();
    let ends_at = |at: usize| {
        let mut stream = NpzStream::new(&archive[..at]);
        while stream.next()?.is_some() {}
        Ok::<(), npy_core::Error>(())
    };
    let directory = position_of(&archive, b"PK\x01\x02");
    for at in (0..42).chain(directory..archive.len()) {
        let error = ends_at(at).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("truncated archive: expected a member or the central directory, found the end of the stream"),
            "{at}: {error}"
        );
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::UnexpectedEof);
    }
    ends_at(archive.len()).unwrap();
}

/// The content of the member [`of_method`], as `np.save` writes it.
fn plain() -> Vec<u8> {
    let header = Header::new("<i4".parse().unwrap(), Order::C, &[300]).unwrap();
    let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
    writer.write_slice(&(0..300).map(|i| i / 10).collect::<Vec<i32>>()).unwrap();
    writer.finish().unwrap()
}

/// [`plain`] as compressed by Python's `zipfile`, and by `zstd -19 --no-check`.
fn compressed_by(method: u16) -> Vec<u8> {
    const ZSTD: &str = "28b52ffd00681d0400e405934e554d5059010076007b276465736372273a20273c6934272c2027666f727472616e5f6f72646546616c73657368\
                        617065273a20283330302c292c207d200a000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d21a811902fadbf7503e0\
                        ad06310ce1ffffeb73008002040070060631f5eff2582ba901";
    if method == 93 {
        return (0..ZSTD.len()).step_by(2).map(|at| u8::from_str_radix(&ZSTD[at..at + 2], 16).unwrap()).collect();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/zipfile/methods.npz");
    let archive = std::fs::read(path).unwrap();
    let mut at = 0;
    loop {
        let number =
            |offset: usize, bytes: usize| archive[at + offset..][..bytes].iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
        let data = at + 30 + number(26, 2) + number(28, 2);
        let length = number(18, 4);
        if number(8, 2) == usize::from(method) {
            return archive[data..][..length].to_vec();
        }
        at = data + length;
    }
}

/// An archive of one member `x.npy` with the checksum and size of [`plain`], which follow `streamed` data.
fn of_method(method: u16, data: &[u8], streamed: bool) -> Vec<u8> {
    let plain = plain();
    let claim = [crc32(&plain), data.len() as u32, plain.len() as u32].map(u32::to_le_bytes).concat();
    // LZMA data have an end mark.
    let flags = if streamed { 8 } else { 0 } | if method == 14 { 2_u16 } else { 0 };
    let fixed = [&20_u16.to_le_bytes()[..], &flags.to_le_bytes(), &method.to_le_bytes(), &[0; 4]].concat();
    let before = if streamed { vec![0; 12] } else { claim.clone() };
    let mut archive = [b"PK\x03\x04", &fixed[..], &before, &[5, 0, 0, 0], b"x.npy", data].concat();
    if streamed {
        archive.extend([b"PK\x07\x08", &claim[..]].concat());
    }
    let begin = archive.len() as u32;
    archive.extend([b"PK\x01\x02\x14\0", &fixed[..], &claim, &[5, 0, 0, 0], &[0; 14], b"x.npy"].concat());
    let length = archive.len() as u32 - begin;
    archive.extend([&b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..], &length.to_le_bytes(), &begin.to_le_bytes(), &[0, 0]].concat());
    archive
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Reads to the end in small steps, also after errors. Returns the bytes before the first error, and
/// whether there was one.
fn read_past_errors(mut reader: impl Read, place: &str) -> (Vec<u8>, bool) {
    let (mut found, mut buffer, mut errors) = (Vec::new(), [0; 50], 0);
    while errors < 4 {
        match reader.read(&mut buffer) {
            Err(_) => errors += 1,
            Ok(read) => {
                assert_eq!(errors, 0, "{place}: a call succeeds after one that failed");
                if read == 0 {
                    break;
                }
                found.extend(&buffer[..read]);
            }
        }
    }
    (found, errors > 0)
}

/// A failed decoder is never called again, because bzip2 would abort the process.
#[test]
fn failed_decoders_are_not_called_again() {
    let expected = (0..300).map(|i| i / 10).collect::<Vec<i32>>();
    for method in [0, 8, 12, 14, 93] {
        let data = compressed_by(method);
        let mut refused = 0;
        let changes = (0..data.len()).flat_map(|at| [1, 0x80, 0xff].map(|change| (at, change)));
        let changes: Vec<_> = some(changes, 10).collect();
        for (at, change) in changes.iter().copied().chain([(0, 0)]) {
            let mut damaged = data.clone();
            damaged[at] ^= change;
            // The end of stored data is unknown if their size follows.
            for streamed in [false, true] {
                let place = format!("method {method}, byte {at} ^ {change}, streamed {streamed}");
                let archive = of_method(method, &damaged, streamed);
                let whole = |result: npy_core::Result<Vec<i32>>| match result {
                    Ok(items) => assert_eq!(items, expected, "{place}"),
                    Err(error) => assert_ne!(change, 0, "{place}: {error}"),
                };

                let mut reader = NpzReader::from_bytes(&archive).unwrap();
                whole(reader.by_name("x"));
                let verified = reader.verify();
                assert_eq!(reader.bytes(0, 1 << 20).is_err(), verified.is_err(), "{place}");
                if let Ok(member) = reader.array(0) {
                    let (content, failed) = read_past_errors(member.into_inner(), &place);
                    assert_eq!(failed, verified.is_err(), "{place}");
                    assert!(failed || content == plain()[128..], "{place}");
                }
                refused += u32::from(verified.is_err());

                let mut stream = NpzStream::new(&archive[..]);
                let mut member = stream.next().unwrap().unwrap();
                whole(member.array().and_then(NpyReader::into_vec));
                for _ in 0..3 {
                    let _ = stream.next();
                }
                let mut stream = NpzStream::new(&archive[..]);
                let mut member = stream.next().unwrap().unwrap();
                for _ in 0..3 {
                    if let Ok(array) = member.array() {
                        let (_, failed) = read_past_errors(array.into_inner(), &place);
                        assert!(!failed || change != 0, "{place}");
                    }
                    let _ = member.bytes(1 << 20);
                }
                for _ in 0..3 {
                    let _ = stream.next();
                }
            }
        }
        let changes = 2 * changes.len() as u32;
        assert!(refused > changes * 9 / 10 && refused <= changes, "method {method}: {refused} of {changes}");
    }
}
