use std::io::{Cursor, Read, Seek};

use super::super::super::zip::central_directory::tests::{archive_of, incomplete, part, problem_of};
use super::super::super::zip::problem::concatenated;
use super::super::directory::explain;
use super::*;
use crate::format::header::Header;
use crate::options::Order;

/// What a walk through these bytes finds: how many members, how many that a directory lists, how
/// many to keep and where they end, and how it ended.
fn walked(file: &[u8], streamed: Streamed) -> (usize, usize, (usize, u64), String) {
    let walk = walk(&mut Cursor::new(file), file.len() as u64, &Limits::new(), streamed).unwrap();
    let stop = match walk.stop {
        Stop::End => "end".to_owned(),
        Stop::OtherArchive { offset } => format!("other at {offset}"),
        Stop::Damage { offset } => format!("damage at {offset}"),
    };
    (walk.found.len(), walk.listed(), walk.kept(), stop)
}

/// Members of 54 and 51 bytes, the second of which is empty.
fn two(prefix: &[u8], is_wide: bool, comment: &[u8]) -> (Vec<u8>, usize) {
    archive_of(prefix, &[part("a", b"", b"abc", b""), part("b", b"", b"", b"")], is_wide, comment)
}

const MEMBERS: usize = 54 + 51;
const ENTRIES: usize = 47 + 47;

fn end_of(result: (usize, usize, (usize, u64), String), found: usize, listed: usize, kept: (usize, usize), stop: &str, case: &str) {
    let (members, in_directory, whole, how) = result;
    assert_eq!((members, in_directory, whole, &*how), (found, listed, (kept.0, kept.1 as u64), stop), "{case}");
}

#[test]
fn walks_find_members_and_the_directory_that_lists_them() {
    for prefix in [&b""[..], b"#!", "-".repeat(70_000).as_bytes()] {
        for is_wide in [false, true] {
            for comment in [&b""[..], b"note"] {
                let (file, end) = two(prefix, is_wide, comment);
                let case = format!("{} before, wide: {is_wide}, comment of {}", prefix.len(), comment.len());
                let check = |file: &[u8], found, listed, kept, stop: &str| {
                    end_of(walked(file, Streamed::Decode), found, listed, kept, stop, &case);
                };
                check(&file, 2, 2, (2, file.len()), "end");
                let directory = prefix.len() + MEMBERS;
                // Without a directory that is whole, offsets count from the first byte of the file.
                let both = if prefix.is_empty() { (2, directory) } else { (1, prefix.len() + 54) };
                // Without its last byte, or with other numbers, a directory is none; it still tells
                // that the empty member is whole.
                check(&file[..file.len() - 1], 2, 0, both, "end");
                let numbers = if is_wide {
                    (end - 20 - 56 + 32, end - 20 - 56 + 40, end - 20 - 56 + 48)
                } else {
                    (end + 10, end + 12, end + 16)
                };
                for (at, byte) in [
                    (numbers.0, 3),
                    (numbers.1, 95),
                    (numbers.2, 0xff),
                    (directory + 42, 9),
                    (directory + 16, 9),
                    (directory + 10, 8),
                ] {
                    let mut file = file.clone();
                    file[at] ^= byte;
                    check(&file, 2, 0, both, "end");
                }
                // The name of an entry is another.
                let mut other = file.clone();
                other[directory + 46] = b'z';
                check(&other, 2, 0, both, "end");
                // Without entries, the empty member may be unfinished.
                check(&file[..directory], 2, 0, (1, prefix.len() + 54), "end");
                check(&file[..directory + 47], 2, 0, (1, prefix.len() + 54), "end");
                check(&file[..directory + ENTRIES], 2, 0, both, "end");
                // More members behind the directory, and what was not finished.
                let (more, _) = archive_of(b"", &[part("c", b"", b"cde", b"")], false, b"");
                let grown = [&file, &more[..54]].concat();
                check(&grown, 3, 2, (3, grown.len()), "end");
                check(&grown[..grown.len() - 1], 2, 2, (2, file.len()), "end");
                check(&[&file[..], &more[..40]].concat(), 2, 2, (2, file.len()), "end");
                check(&[&file[..], &more].concat(), 3, 2, (3, file.len() + 54), &format!("other at {}", file.len()));
                check(&[&file[..], b"xyz", &more[..54]].concat(), 2, 2, (2, file.len()), &format!("damage at {}", file.len()));
            }
        }
    }
    assert_eq!(walked(b"", Streamed::Decode), (0, 0, (0, 0), "end".to_owned()));
    assert_eq!(walked(b"PK\x03", Streamed::Decode), (0, 0, (0, 0), "end".to_owned()));
}

/// The record before a 64-bit end may be longer than it needs to be, but not than the file.
#[test]
fn wide_end_records_state_their_length() {
    let (file, end) = two(b"", true, b"");
    let record = end - 20 - 56;
    let long = |stated: u64| {
        let mut file = file.clone();
        file[record + 4..record + 12].copy_from_slice(&stated.to_le_bytes());
        file.splice(record + 56..record + 56, *b"more");
        file
    };
    assert_eq!(walked(&long(48), Streamed::Decode).1, 2);
    for stated in [44, 47, 49, file.len() as u64, u64::MAX, u64::MAX - 12] {
        assert_eq!(walked(&long(stated), Streamed::Decode).1, 0, "{stated}");
    }
    let mut other = long(48);
    other[record + 60 + 3] = 0;
    assert_eq!(walked(&other, Streamed::Decode).1, 0);
}

#[test]
fn walks_end_at_what_is_no_member() {
    let (whole, _) = archive_of(b"", &[part("a", b"", b"abc", b""), part("c", b"", b"cde", b"")], false, b"");
    let members = &whole[..2 * 54];
    let changed = |at: usize, bytes: &[u8]| {
        let mut file = members.to_vec();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    // The size in the archive, which is in the 64-bit field.
    let compressed = 54 + 30 + 1 + 4 + 8;
    let streamed = changed(54 + 6, &[8]);
    for (case, file, decoded, stopped) in [
        ("one byte more than there is", changed(compressed, &[4]), (1, "end"), (1, "end")),
        ("as many as there are", members.to_vec(), (2, "end"), (2, "end")),
        ("not finished", changed(compressed, &[0xff; 8]), (1, "end"), (1, "end")),
        ("too many for a place", changed(compressed, &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), (1, "end"), (1, "end")),
        ("a 64-bit field without numbers", changed(54 + 30 + 1 + 2, &[4]), (1, "damage at 54"), (1, "damage at 54")),
        ("too many, and a member follows", changed(compressed - 54, &[200]), (0, "damage at 0"), (0, "damage at 0")),
        ("an end that is not known", streamed, (1, "damage at 54"), (1, "end")),
    ] {
        for (how, expected) in [(Streamed::Decode, decoded), (Streamed::Stop, stopped)] {
            let (found, _, _, stop) = walked(&file, how);
            assert_eq!((found, &*stop), expected, "{case}");
        }
    }
}

#[test]
fn walks_count_the_members() {
    let (file, _) = two(b"", false, b"");
    let walk = |most| walk(&mut Cursor::new(&file[..]), file.len() as u64, &Limits::new().members(most), Streamed::Decode);
    assert_eq!(walk(2).unwrap().listed(), 2);
    let error = walk(1).map(drop).unwrap_err();
    assert!(error.to_string().contains("expected at most 1 member, found 2; "), "{error}");
}

#[test]
fn explanations_count_members_and_find_the_directory() {
    let explained =
        |file: &[u8]| problem_of::<()>(Err(explain(&mut Cursor::new(file), file.len() as u64, &Limits::new()).unwrap()));
    let (file, _) = two(b"--", false, b"note");
    let (more, _) = archive_of(b"", &[part("c", b"", b"cde", b"")], false, b"");
    let directory_end = file.len() as u64;
    let grown = [&file, &more[..54]].concat();
    assert_eq!(explained(&grown), incomplete(3, 2));
    let (file, _) = two(b"", false, b"note");
    assert_eq!(explained(&file[..file.len() - 1]), incomplete(2, 0));
    assert_eq!(explained(&[&file[..], &more].concat()), concatenated(directory_end - 2).to_string());
}

/// A damaged member in the middle is an error, so that the whole ones behind it are not dropped.
#[test]
fn members_behind_a_damaged_one_are_found() {
    let parts = ["a", "b", "c"].map(|name| part(name, b"", b"abc", b""));
    let (mut file, _) = archive_of(b"", &parts, false, b"");
    let compressed = 54 + 30 + 1 + 4 + 8;
    file[compressed] = 200;
    let file = &file[..3 * 54];
    end_of(walked(file, Streamed::Decode), 1, 0, (1, 54), "damage at 54", "too many bytes");
    end_of(walked(&file[..2 * 54], Streamed::Decode), 1, 0, (1, 54), "end", "the last one");
}

#[test]
fn archives_in_unfinished_members_are_their_content() {
    let (file, _) = two(b"", false, b"");
    let (inner, _) = archive_of(b"", &[part("c", b"", b"cde", b"")], false, b"");
    let file = [&file[..MEMBERS], &inner].concat();
    end_of(walked(&file, Streamed::Decode), 3, 0, (1, 54), "end", "an empty member, then an archive");
}

/// Their sizes follow their data, which are decoded to find them.
#[test]
fn streamed_members_end_where_their_data_end() {
    let mut writer = crate::npz::NpzWriter::streaming(Vec::new());
    writer.set_options(writer.options().compressed(true));
    for name in ["a", "b"] {
        let numbers: Vec<u32> = (0..1000_u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        writer.add_slice(name, &numbers).unwrap();
    }
    let file = writer.finish().unwrap();
    let second = file.windows(4).enumerate().filter(|(_, window)| window == LOCAL).nth(1).unwrap().0;
    let end = file.windows(4).position(|window| window == ENTRY).unwrap();
    end_of(walked(&file, Streamed::Decode), 2, 2, (2, file.len()), "end", "whole");
    end_of(walked(&file, Streamed::Stop), 0, 0, (0, 0), "end", "not decoded");
    end_of(walked(&file[..end], Streamed::Decode), 2, 0, (2, end), "end", "without a directory");
    for cut in [end - 1, end - 100, second + 100] {
        end_of(walked(&file[..cut], Streamed::Decode), 1, 0, (1, second), "end", "cut");
    }
    // The first is not whole, and another one follows.
    let mut damaged = file.clone();
    damaged[100..120].fill(0xff);
    end_of(walked(&damaged, Streamed::Decode), 0, 0, (0, 0), "damage at 0", "damaged");
}

/// Else the restored directory would hold a local header, and nothing could be appended.
#[test]
fn names_that_reach_into_the_next_member_are_damage() {
    let (mut file, _) = two(b"", false, b"");
    let second = file.windows(4).enumerate().filter(|(_, window)| window == LOCAL).nth(1).unwrap().0;
    let name_bytes = u16::try_from(second + 10 - LOCAL_BYTES).unwrap();
    file[26..28].copy_from_slice(&name_bytes.to_le_bytes());
    end_of(walked(&file, Streamed::Stop), 0, 0, (0, 0), "damage at 0", "a long name");
}

/// Reads nothing at this place of the file.
struct Broken<'a> {
    file: Cursor<&'a [u8]>,
    at: u64,
}

impl Read for Broken<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.at.checked_sub(self.file.position()) {
            Some(0) => Err(io::Error::other("the disk has failed")),
            Some(before) => self.file.by_ref().take(before).read(buf),
            None => self.file.read(buf),
        }
    }
}

impl Seek for Broken<'_> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.file.seek(place)
    }
}

#[test]
fn failed_reads_are_not_taken_for_damage() {
    let mut archive = crate::npz::NpzWriter::streaming(Vec::new());
    archive.add_slice("x", &[0_u64; 500]).unwrap();
    archive.set_options(archive.options().compressed(true));
    archive.add_slice("y", &[0_u64; 500]).unwrap();
    let file = archive.finish().unwrap();
    for at in 0..file.len() as u64 {
        let mut broken = Broken { file: Cursor::new(&file), at };
        let Err(error) = walk(&mut broken, file.len() as u64, &Limits::new(), Streamed::Decode) else { panic!("{at}") };
        assert!(error.kind() == ErrorKind::Io, "{at}: {error}");
    }
}

/// Counts the bytes that are read.
struct Counted<'a> {
    file: Cursor<&'a [u8]>,
    read: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buf)?;
        self.read += read as u64;
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.file.seek(place)
    }
}

/// A stored member without sizes that is no array, and no directory. Returns it with the offset of
/// its content.
fn streamed_content(content: &[u8]) -> (Vec<u8>, usize) {
    let mut archive = crate::npz::NpzWriter::streaming(Vec::new());
    archive.add_content("x", |member| Ok(io::Write::write_all(member, content)?)).unwrap();
    let mut file = archive.finish().unwrap();
    let directory = file.windows(4).rposition(|bytes| bytes == ENTRY).unwrap();
    file.truncate(directory);
    let begin = LOCAL_BYTES + usize::from(file[26]) + usize::from(file[28]);
    (file, begin)
}

#[test]
fn search_for_a_descriptor_reads_each_byte_about_once() {
    const BYTES: usize = 24;
    let (signatures, mut descriptors) = (DESCRIPTOR_SIGNATURE.repeat(1 << 20), Vec::new());
    for size in (0..4 << 20).step_by(BYTES).map(|size: u64| size.to_le_bytes()) {
        descriptors.extend([&DESCRIPTOR_SIGNATURE[..], b"none", &size, &size].concat());
    }
    for (case, content) in [("signatures", signatures), ("descriptors with the right sizes", descriptors)] {
        let (mut file, begin) = streamed_content(&content);
        assert_eq!(&file[file.len() - BYTES..][..4], DESCRIPTOR_SIGNATURE, "descriptors have 64-bit sizes");
        let walked = |file: &[u8]| {
            let mut reader = Counted { file: Cursor::new(file), read: 0 };
            let walk = walk(&mut reader, file.len() as u64, &Limits::new(), Streamed::Decode).unwrap();
            assert!(reader.read < file.len() as u64 * 5 / 4, "{case}: {} bytes of {}", reader.read, file.len());
            walk.kept()
        };
        assert_eq!(walked(&file), (1, file.len() as u64), "{case}");
        // Without a descriptor that has the checksum.
        file[begin + 5] ^= 1;
        assert_eq!(walked(&file), (0, 0), "{case}");
    }
}

/// Members whose content is the header of an array that reaches over half of the others.
#[test]
fn members_that_claim_others_are_read_a_few_times() {
    const MEMBERS: usize = 2000;
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut behind = 0;
    for _ in 0..MEMBERS {
        let header = Header::new("|u1".parse().unwrap(), Order::C, &[behind / 2]).unwrap();
        let (part, _) = streamed_content(&header.to_bytes());
        behind += part.len();
        parts.push(part);
    }
    parts.reverse();
    let file = parts.concat();
    let mut reader = Counted { file: Cursor::new(&file), read: 0 };
    let walk = walk(&mut reader, file.len() as u64, &Limits::new(), Streamed::Decode).unwrap();
    assert_eq!(walk.kept(), (MEMBERS, file.len() as u64));
    assert!(reader.read < 3 * file.len() as u64, "{} bytes of {}", reader.read, file.len());
}

#[test]
fn descriptors_are_found_across_windows() {
    for size in (65_536 - 30)..(65_536 + 30) {
        let (file, _) = streamed_content(&vec![b'P'; size]);
        end_of(walked(&file, Streamed::Decode), 1, 0, (1, file.len()), "end", &size.to_string());
    }
}
