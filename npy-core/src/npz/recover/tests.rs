use std::io::Cursor;

use super::super::zip::central_directory::tests::{archive_of, part, problem_of};
use super::*;

/// What recovery checks before it writes is what it then writes.
#[test]
fn restored_file_is_read_as_it_will_be() {
    let (front, tail) = (b"0123456789", b"abcde");
    let whole = [&front[..7], tail].concat();
    let mut reader = Cursor::new(&front[..]);
    let mut restored = Restored { reader: &mut reader, kept: 7, tail, position: 0 };
    for (at, count) in [(0, 12), (0, 7), (3, 2), (6, 1), (6, 3), (7, 5), (8, 2), (11, 1), (11, 5), (12, 1), (20, 3)] {
        for seek in [SeekFrom::Start(at), SeekFrom::End(at.cast_signed() - 12)] {
            assert_eq!(restored.seek(seek).unwrap(), at);
            let mut found = Vec::new();
            restored.by_ref().take(count).read_to_end(&mut found).unwrap();
            let begin = usize::try_from(at).unwrap().min(12);
            let end = (begin + usize::try_from(count).unwrap()).min(12);
            assert_eq!(found, whole[begin..end], "{count} at {at}");
            let position = restored.stream_position().unwrap();
            assert_eq!(position, at + found.len() as u64);
            assert_eq!(restored.seek(SeekFrom::Current(-1)).ok(), position.checked_sub(1));
        }
    }
}

/// An empty member that no directory lists looks like one that was begun.
#[test]
fn recover_drops_an_empty_member_only_at_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.npz");
    let parts = [part("a", b"", b"abc", b""), part("b", b"", b"", b""), part("c", b"", b"cde", b"")];
    let (file, _) = archive_of(b"", &parts, false, b"");
    // The first two members.
    let both = 54 + 51;
    std::fs::write(&path, &file[..both]).unwrap();
    assert_eq!(recover(&path).unwrap(), Recovered { members: 1, added: 1, dropped: 51 });
    std::fs::write(&path, &file[..both + 54]).unwrap();
    assert_eq!(problem_of(recover(&path)), unrecoverable(54).to_string());
    assert!(std::fs::read(&path).unwrap() == file[..both + 54]);
}
