use std::io::Cursor;

use super::super::super::read::{NpzReader, directory};
use super::super::emit::{Local, push_end};
use super::super::records::Claim;
use super::super::window::tests::header;
use super::*;

/// A member: its name, its data, and the numbers of bytes that pad its local header and follow it.
pub(crate) struct Part {
    name: &'static str,
    data: &'static [u8],
    padding: Vec<u8>,
    gap: Vec<u8>,
}

pub(crate) fn part(name: &'static str, padding: &[u8], data: &'static [u8], gap: &[u8]) -> Part {
    Part { name, data, padding: padding.to_vec(), gap: gap.to_vec() }
}

/// An archive of these members, and where its end record begins.
pub(crate) fn archive_of(prefix: &[u8], parts: &[Part], is_wide: bool, comment: &[u8]) -> (Vec<u8>, usize) {
    let (mut file, mut directory) = (prefix.to_vec(), Vec::new());
    let count = parts.len() as u64;
    for Part { name, data, padding, gap } in parts {
        let (size, offset) = (data.len() as u64, (file.len() - prefix.len()) as u64);
        let claim = Claim { crc: crc32fast::hash(data), size, compressed: size };
        let local = Local { name: name.as_bytes().to_vec(), claim, offset, ..Local::default() };
        let mut header = local.header();
        let extra = u16::from(header[28]) + u16::try_from(padding.len()).unwrap();
        header[28..30].copy_from_slice(&extra.to_le_bytes());
        file.extend([&header, padding, *data, gap].concat());
        local.push_entry(&mut directory);
    }
    let (offset, size) = ((file.len() - prefix.len()) as u64, directory.len());
    push_end(&mut directory, count, offset, comment);
    if is_wide {
        let mut wide = [&END64[..], &44_u64.to_le_bytes(), &[0; 12]].concat();
        wide.extend([count, count, size as u64, offset].map(u64::to_le_bytes).concat());
        wide.extend([&END64_LOCATOR[..], &[0; 4], &(offset + size as u64).to_le_bytes(), &[0; 4]].concat());
        directory[size + 8..size + 20].fill(0xff);
        directory.splice(size..size, wide);
    }
    file.extend(directory);
    let end = file.len() - END_BYTES - comment.len();
    (file, end)
}

/// Two members of 54 and 63 bytes, whose entries have 47 and 51.
fn two() -> [Part; 2] {
    [part("a", b"", b"abc", b""), part("b.npy", b"pad", b"", b"after")]
}

fn open(file: &[u8]) -> Result<Directory> {
    directory::open(&mut Cursor::new(file), &Limits::new())
}

/// The message of the error, without the names of the file and the member.
pub(crate) fn problem_of<T>(result: Result<T>) -> String {
    result.map(drop).unwrap_err().without_path().to_string()
}

/// The message of an archive without an end, for its numbers of whole and of listed members.
pub(crate) fn incomplete(members: usize, listed: usize) -> String {
    format!(
        "truncated archive: expected the end of central directory at the end of the file, found {members} complete and {listed} listed \
         members; `npy_core::npz::recover` keeps them"
    )
}

#[test]
fn directory_is_found_by_its_end() {
    /// The longest comment behind which the usual tail still holds the end record.
    const SHORT: usize = USUAL_TAIL - END_BYTES;
    let comments = [0, 4, SHORT - END64_LOCATOR_BYTES, SHORT - END64_LOCATOR_BYTES + 1, SHORT, SHORT + 1, LONGEST_COMMENT];
    for prefix in [0, 7, 70_000] {
        for is_wide in [false, true] {
            for comment in comments {
                for behind in [&b""[..], b"\0x", b"PK\x03x", b"of PK\x06\x07"] {
                    let case = format!("{prefix} bytes before, wide: {is_wide}, comment of {comment}, {} behind", behind.len());
                    if comment == LONGEST_COMMENT && !behind.is_empty() {
                        continue;
                    }
                    let comment = vec![b'c'; comment];
                    let (mut file, at) = archive_of(&vec![b'-'; prefix], &two(), is_wide, &comment);
                    file.extend(behind);
                    let directory = open(&file).unwrap_or_else(|error| panic!("{case}: {error}"));
                    let (begin, end) = ((prefix + 54 + 63) as u64, (at + END_BYTES + comment.len()) as u64);
                    assert_eq!((directory.prefix, directory.begin, directory.end), (prefix as u64, begin, end), "{case}");
                    assert_eq!((directory.comment == comment, directory.bytes.len()), (true, 47 + 51), "{case}");
                    let members: Vec<_> = directory.entries.iter().map(|entry| (entry.offset, entry.room)).collect();
                    assert_eq!(members, [(prefix as u64, 54), (prefix as u64 + 54, 63)], "{case}");
                }
            }
        }
    }
    // A comment that holds an end record, whose own comment ends elsewhere.
    let inner = [&END[..], &[0; END_BYTES - 4], b"ab"].concat();
    assert_eq!(open(&archive_of(b"", &two(), false, &inner).0).unwrap().entries.len(), 2);
}

#[test]
fn rejects_contradictory_end_records() {
    const SEVERAL_DISKS: &str = "unsupported archive: it is split into several parts";
    let invalid_entry = |at: usize| format!("invalid entry in the central directory at byte {at}");
    let wrong_count = |expected: &str| format!("invalid central directory: expected {expected}, found 2");
    let no_directory = |offset, bytes| no_directory(offset, bytes).to_string();
    for prefix in [0, 5] {
        let (file, end) = archive_of(&vec![b'-'; prefix], &two(), false, b"");
        let second_entry = prefix + 117 + 47;
        let beyond = u32::try_from(end + 1).unwrap();
        for (at, bytes, expected) in [
            (end + 4, &[1][..], SEVERAL_DISKS.to_owned()),
            (end + 6, &[1], SEVERAL_DISKS.to_owned()),
            (end + 16, &[200], no_directory(200, 98)),
            (end + 12, &beyond.to_le_bytes(), no_directory(117, beyond.into())),
            (end + 10, &[1], wrong_count("1 entry")),
            (end + 10, &[3], wrong_count("3 entries")),
            (second_entry, b"Q", invalid_entry(second_entry)),
            // Its comment would end behind the directory.
            (second_entry + 32, &[1], invalid_entry(second_entry)),
        ] {
            let mut file = file.clone();
            file[at..at + bytes.len()].copy_from_slice(bytes);
            assert_eq!(problem_of(open(&file)), expected, "{bytes:?} at {at}");
        }
    }
    let (mut file, end) = archive_of(b"", &two(), true, b"");
    file[end - END64_LOCATOR_BYTES - END64_BYTES] = b'Q';
    assert_eq!(problem_of(open(&file)), no_directory(117 + 98, 56));
    // A locator with nothing before it.
    let lonely = [&END64_LOCATOR[..], &[0; 16], END, &[0; END_BYTES - 4]].concat();
    assert!(open(&lonely).is_err());
}

#[test]
fn members_are_counted_before_they_are_read() {
    let (file, _) = archive_of(b"", &two(), false, b"");
    let open = |most| directory::open(&mut Cursor::new(&file[..]), &Limits::new().members(most));
    assert_eq!(open(2).unwrap().entries.len(), 2);
    let error = open(1).map(drop).unwrap_err();
    assert!(error.to_string().contains("expected at most 1 member, found 2; "), "{error}");
}

#[test]
fn parts_of_archives_behind_the_end_make_it_doubtful() {
    let (file, _) = archive_of(b"", &[part("a", b"", b"abc", b""), part("b", b"", b"d", b"")], false, b"note");
    let signatures = [LOCAL, ENTRY, END, END64].map(|signature| [b"x", &signature[..], b"x"].concat());
    let parts = [&b"\0"[..], &[0; 3], b"P", b"PK", b"PK\x03"].into_iter().chain(signatures.iter().map(Vec::as_slice));
    for part in parts {
        assert_eq!(problem_of(open(&[&file, part].concat())), incomplete(2, 2), "{}", part.escape_ascii());
    }
}

/// A local header outside of the members is seen at once, or before members are added if it fits
/// the usual extra fields.
#[test]
fn members_that_are_not_listed_are_found() {
    let hidden = header();
    let (cut, far) = (&hidden[..LOCAL_BYTES - 1], [&[b'-'; 47][..], &hidden].concat());
    let near = &far[1..];
    let long = [&[b'-'; 100][..], &hidden, &[b'-'; 70]].concat();
    // Bytes before the archive, those that pad the local headers, those between the members; whether
    // they are seen at once, and where before members are added.
    for (prefix, padding, gap, is_complete, hidden_at) in [
        (&b""[..], &b""[..], &b""[..], true, None),
        (cut, b"", cut, true, None),
        (&hidden, b"", b"", false, None),
        (b"", b"", near, true, Some(46)),
        (b"", b"", &hidden, true, Some(0)),
        (b"", b"", &far, false, None),
        (b"", &long, b"", true, None),
        (b"", &long, cut, true, None),
        (b"", &long, &hidden, false, None),
    ] {
        for is_last in [false, true] {
            let others = (b"".as_slice(), b"".as_slice());
            let [first, second] = if is_last { [others, (padding, gap)] } else { [(padding, gap), others] };
            let parts = [part("a", first.0, b"abc", first.1), part("b", second.0, b"de", second.1)];
            let (file, _) = archive_of(prefix, &parts, false, b"");
            let case = format!("{} before, {} in, {} behind, last: {is_last}", prefix.len(), padding.len(), gap.len());
            let opened = open(&file);
            assert_eq!(opened.is_ok(), is_complete, "{case}");
            let Ok(directory) = opened else { continue };
            let behind = (prefix.len() + 51 + 3 + if is_last { 51 + 2 } else { 0 } + padding.len()) as u64;
            let proven = expect_extensible(&mut Cursor::new(&file[..]), &directory);
            match hidden_at {
                None => proven.unwrap_or_else(|error| panic!("{case}: {error}")),
                Some(at) => assert_eq!(problem_of(proven), unlisted(behind + at).to_string(), "{case}"),
            }
        }
    }
}

#[test]
fn archives_that_may_grow_end_the_file_and_hide_no_header() {
    let file = |comment: &[u8]| archive_of(b"--", &two(), false, comment).0;
    let check = |file: &[u8]| {
        let (directory, mut reader) = (open(file).unwrap(), Cursor::new(file));
        expect_extensible(&mut reader, &directory)
    };
    check(&file(b"note")).unwrap();
    let (whole, hidden) = (file(b""), header());
    let (end, begin) = (whole.len() as u64, (2 + 117 + 98 + END_BYTES) as u64);
    let trailing =
        format!("trailing data: expected the end of the file at byte {end}, found 3 more bytes; remove them to add members");
    assert_eq!(problem_of(check(&[&whole[..], b"xyz"].concat())), trailing);
    assert_eq!(problem_of(check(&file(&hidden))), unlisted(begin).to_string());
    check(&file(&hidden[..LOCAL_BYTES - 1])).unwrap();
}

/// However long the extra fields of the local headers are: a part of them is read again.
#[test]
fn data_begin_behind_extra_fields_of_any_length() {
    for padding in [0, 75, 76, 77, 4075, 4076, 4077, 20_000] {
        let padding = vec![b'-'; padding];
        let parts = [part("a", &padding, b"abc", b""), part("b", b"", b"defgh", b""), part("c", &padding, b"", b"")];
        for prefix in [&b""[..], b"---"] {
            let (file, _) = archive_of(prefix, &parts, false, b"");
            let (directory, mut reader) = (open(&file).unwrap(), Cursor::new(&file[..]));
            let begins: Vec<u64> = directory.entries.iter().map(|entry| entry.seek_to_data(&mut reader).unwrap()).collect();
            let first = prefix.len() + 51 + padding.len();
            assert_eq!(begins, [first, first + 3 + 51, first + 3 + 51 + 5 + 51 + padding.len()].map(|at| at as u64));
            assert_eq!(reader.position(), begins[2]);
            let mut archive = NpzReader::from_bytes(&file).unwrap();
            let contents: Vec<_> = (0..3).map(|index| archive.bytes(index, 10).unwrap()).collect();
            assert_eq!(contents, [&b"abc"[..], b"defgh", b""]);
        }
    }
}

/// The space of a member ends where the next one begins, in whatever order they are listed.
#[test]
fn members_end_before_the_next_one() {
    let (mut file, _) = archive_of(b"", &[part("a", b"", b"abc", b"-"), part("b", b"", b"def", b"")], false, b"");
    let directory = 51 + 3 + 1 + 51 + 3;
    let (first, second) = (file[directory..directory + 47].to_vec(), file[directory + 47..directory + 94].to_vec());
    file[directory..directory + 94].copy_from_slice(&[second, first].concat());
    let rooms: Vec<_> = open(&file).unwrap().entries.iter().map(|entry| (entry.offset, entry.room)).collect();
    assert_eq!(rooms, [(55, 54), (0, 55)]);
    // Both headers state one byte more: the first member has it, the second would take one of the
    // directory.
    for (local, entry, is_refused) in [(0, directory + 47, false), (55, directory, true)] {
        let mut file = file.clone();
        for at in [local + 30 + 1 + 4, local + 30 + 1 + 12, entry + 20, entry + 24] {
            file[at] = 4;
        }
        let directory = open(&file).unwrap();
        let member = directory.entries.iter().find(|entry| entry.offset == local as u64).unwrap();
        let sought = member.seek_to_data(&mut Cursor::new(&file[..]));
        assert_eq!(sought.is_err(), is_refused);
        if is_refused {
            assert_eq!(problem_of(sought), "the data overlap another member or the central directory");
        }
    }
}

#[test]
fn entries_have_flags_and_local_headers_a_signature() {
    let (file, _) = archive_of(b"", &two(), false, b"");
    for (flags, expected) in [(0, (false, false)), (1, (true, false)), (2, (false, true)), (3, (true, true)), (8, (false, false))] {
        let mut entry = file[117..117 + 47].to_vec();
        entry[8] = flags;
        let (entry, _) = Entry::parse(&entry, 0).unwrap();
        assert_eq!((entry.is_encrypted, entry.has_end_mark), expected, "{flags}");
    }
    for at in [0, 8, 18, 26, 30] {
        let mut file = file.clone();
        file[at] ^= 1;
        let sought = open(&file).unwrap().entries[0].seek_to_data(&mut Cursor::new(&file[..]));
        // A longer name takes a part of the extra fields.
        assert!(at == 18 || sought.is_err(), "{at}");
    }
}
