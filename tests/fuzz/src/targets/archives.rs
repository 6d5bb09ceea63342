//! Archives: every way to read them agrees, and growth keeps what was there.

use std::fs;
use std::io::Cursor;

use arbitrary::Unstructured;
use npy_core::ReadOptions;
use npy_core::npz::{NpzReader, NpzStream, NpzWriter, WriteOptions};

use super::same_verdict;

/// Members of hostile archives are read up to this number of bytes.
const MOST: u64 = 1 << 20;

/// An archive from memory, from a stream that can seek, by two threads, and from a pipe.
pub fn npz(input: &[u8]) {
    let of_memory = NpzReader::from_bytes(input);
    let of_stream = NpzReader::new_with(Cursor::new(input), ReadOptions::new().threads(2));
    let piped = pipe(input);
    let Some((mut of_memory, mut of_stream)) = same_verdict(of_memory, of_stream, "from memory and from a stream") else { return };
    assert!(of_memory.names().eq(of_stream.names()));
    let mut contents = Vec::new();
    for index in 0..of_memory.len().min(20) {
        let name = of_memory.name(index).unwrap().to_owned();
        let content = same_verdict(of_memory.bytes(index, MOST), of_stream.bytes(index, MOST), "one thread and two");
        if let Some((one, other)) = content {
            assert!(one == other, "member {index}");
            assert_eq!(one.len() as u64, of_memory.size(index).unwrap());
            of_memory.verify_member(index).unwrap();
            let _ = of_memory.view::<f64>(&name);
            contents.push((name, one));
        }
        if of_memory.header(index).is_ok() {
            let _ = of_memory.by_index::<f64>(index);
        }
    }
    if of_memory.verify().is_ok() && contents.len() == of_memory.len() {
        // A pipe sees local headers first, and the directory at the end.
        if let Ok(mut piped) = piped {
            piped.sort();
            contents.sort();
            assert!(piped == contents, "a pipe gives other members");
        }
    }
    let _ = of_memory.to_rust("Archive");
}

/// The members that a pipe gives, or the first error.
fn pipe(input: &[u8]) -> npy_core::Result<Vec<(String, Vec<u8>)>> {
    let mut stream = NpzStream::new(input);
    let mut members = Vec::new();
    while let Some(mut member) = stream.next()? {
        let name = member.name().to_owned();
        members.push((name, member.bytes(MOST)?));
    }
    Ok(members)
}

/// Appending to a hostile archive: what opening refuses is refused and left as it is, all else keeps
/// its members.
pub fn append(input: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hostile.npz");
    fs::write(&path, input).unwrap();
    let before = members(input);
    match NpzWriter::append(&path) {
        Ok(mut archive) => {
            let before = before.expect("append takes what open refuses");
            let added = archive.add_slice("added", &[1_u16, 2, 3]);
            archive.finish().unwrap();
            let after = members(&fs::read(&path).unwrap()).unwrap();
            let kept = &after[..before.len()];
            assert!(kept == before, "members changed");
            assert_eq!(after.len(), before.len() + usize::from(added.is_ok()));
        }
        Err(_) => assert!(fs::read(&path).unwrap() == input, "a refused append has changed the file"),
    }
    fs::write(&path, input).unwrap();
    match npy_core::npz::recover(&path) {
        Ok(recovered) => {
            let after = members(&fs::read(&path).unwrap()).expect("a recovered archive opens");
            assert_eq!(recovered.members, after.len() as u64);
            // Of a whole one, the comment may look like a member.
            match NpzWriter::append(&path) {
                Ok(archive) => drop(archive.finish().unwrap()),
                Err(error) => assert_eq!(recovered.added + recovered.dropped, 0, "{error}"),
            }
        }
        Err(_) => assert!(fs::read(&path).unwrap() == input, "a refused recovery has changed the file"),
    }
}

type Members = Vec<(String, Option<Vec<u8>>)>;

/// The names of an archive's members with their bytes, if they can be read.
fn members(archive: &[u8]) -> npy_core::Result<Members> {
    let mut archive = NpzReader::from_bytes(archive)?;
    let names: Vec<String> = (0..archive.len()).map(|index| archive.full_name(index).unwrap().to_owned()).collect();
    Ok(names.into_iter().enumerate().map(|(index, name)| (name, archive.bytes(index, MOST).ok())).collect())
}

/// What is compressed here inflates to the same, by this library and by another one, with one
/// thread and with two.
pub fn deflate(input: &[u8]) {
    let mut plan = Unstructured::new(input);
    let (Ok(level), Ok(times), Ok(threads)) = (plan.int_in_range(0..=9), plan.int_in_range(1..=200), plan.int_in_range(1..=2))
    else {
        return;
    };
    let part = plan.take_rest();
    let content = part.repeat(times);
    let mut archive =
        NpzWriter::new_with(Cursor::new(Vec::new()), WriteOptions::new().compressed(true).level(level).threads(threads));
    archive.add_bytes("content", &content).unwrap();
    let file = archive.finish().unwrap().into_inner();
    for threads in [1, 2] {
        let mut archive = NpzReader::new_with(Cursor::new(&file), ReadOptions::new().threads(threads)).unwrap();
        assert!(archive.bytes(0, u64::MAX).unwrap() == content);
    }
    let mut archive = NpzReader::from_bytes(&file).unwrap();
    if archive.method(0) == Some(8) {
        let range = archive.data_range(0).unwrap();
        let stream = &file[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()];
        assert!(miniz_oxide::inflate::decompress_to_vec(stream).unwrap() == content);
    }
}
