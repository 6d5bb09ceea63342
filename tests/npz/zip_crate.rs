//! Archives exchanged with the crate `zip`, and a test for each difference.

use std::error::Error as _;
use std::fs;
use std::io::{Cursor, Read, Write};

use ndarray::{Array1, Array2, ArrayD, array};
use npy_core::npz::{NpzReader, NpzStream, NpzWriter, WriteOptions};
use npy_core::{Error, ErrorKind, Limits, NpyRecord, Result};
use npy_ndarray::{DynArray, ReadOptions, ZipArchiveExt, ZipWriterExt};
use zip::result::ZipError;
use zip::unstable::write::FileOptionsExt;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipReadOptions, ZipWriter};

use crate::support::archives::{Pick, compressed, fill, picks, problem, stored, streamed, values, writer_with};
use crate::support::{announce, data, files_below, scratch, written};

/// The methods that `zip` writes. It only reads LZMA, as in the archives of `zipfile`.
const METHODS: [CompressionMethod; 4] =
    [CompressionMethod::Stored, CompressionMethod::Deflated, CompressionMethod::Bzip2, CompressionMethod::Zstd];

/// More bytes than any member has.
const MOST_BYTES: u64 = 1 << 24;

type Members = Vec<(String, Vec<u8>)>;

fn by_us(archive: &[u8]) -> Result<Members> {
    let mut reader = NpzReader::from_bytes(archive)?;
    (0..reader.len()).map(|index| Ok((reader.full_name(index).unwrap().to_owned(), reader.bytes(index, MOST_BYTES)?))).collect()
}

/// Reads members forward only.
fn by_our_stream(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut stream = NpzStream::new(archive);
    let mut members = Vec::new();
    while let Some(mut member) = stream.next().unwrap() {
        members.push((member.name().to_owned(), member.bytes(MOST_BYTES).unwrap()));
    }
    members
}

fn by_zip(archive: &[u8]) -> Result<Members, ZipError> {
    let mut reader = ZipArchive::new(Cursor::new(archive))?;
    let read = |index| {
        let mut member = reader.by_index(index)?;
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes)?;
        Ok((member.name()?.into_owned(), bytes))
    };
    (0..ZipArchive::new(Cursor::new(archive))?.len()).map(read).collect()
}

/// Reads members by both, which must agree.
fn by_both(archive: &[u8], place: &str) -> Members {
    let ours = by_us(archive).unwrap_or_else(|error| panic!("{place}: {error}"));
    let theirs = by_zip(archive).unwrap_or_else(|error| panic!("{place}: {error}"));
    assert!(ours == theirs, "{place}");
    ours
}

/// The error of `NpzReader` on an archive that `zip` reads.
fn refused(archive: &[u8]) -> String {
    by_zip(archive).unwrap_or_else(|error| panic!("`zip` refuses it too: {error}"));
    problem(by_us(archive))
}

/// The offset of a record of this kind.
fn find(archive: &[u8], kind: &[u8; 2]) -> usize {
    archive.windows(4).position(|window| window == [b'P', b'K', kind[0], kind[1]]).unwrap()
}

const ENTRY: &[u8; 2] = b"\x01\x02";
const END: &[u8; 2] = b"\x05\x06";

fn with(archive: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut changed = archive.to_vec();
    changed[at..][..bytes.len()].copy_from_slice(bytes);
    changed
}

fn new_writer() -> ZipWriter<Cursor<Vec<u8>>> {
    ZipWriter::new(Cursor::new(Vec::new()))
}

fn options(method: CompressionMethod) -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(method)
}

#[test]
fn zip_reads_every_kind_of_archive() {
    for (kind, archive) in [("stored", stored()), ("compressed", compressed()), ("streamed", streamed())] {
        let members = by_both(&archive, kind);
        let names: Vec<_> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["values.npy", "picks.npy", "größe/matrix.npy", "empty.npy", ".npy"], "{kind}");
        assert_eq!(members[0].1, written(&values()), "{kind}");
    }
    // More than a block, with and without matches.
    let mut state = 1;
    let items: Vec<u64> =
        (0..200_000).map(|i| if i < 100_000 { crate::support::archives::random(&mut state) as u64 } else { i / 7 }).collect();
    for level in [0, 1, 2, 6, 9] {
        for threads in [1, 2] {
            let mut archive = writer_with(WriteOptions::new().compressed(true).level(level).threads(threads));
            archive.add_slice("items", &items).unwrap();
            archive.add_stream("again", |again| again.write_slice(&items)).unwrap();
            let members = by_both(&archive.finish().unwrap().into_inner(), &format!("level {level}, {threads} threads"));
            assert!(members == [("items.npy".to_owned(), written(&items)), ("again.npy".to_owned(), written(&items))]);
        }
    }
    // Aligned members, other files, and streamed compressed members.
    let mut archive = writer_with(WriteOptions::new().aligned(true));
    archive.add_bytes("notes.txt", b"hello").unwrap();
    archive.add_scalar("rate", &0.5).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    assert_eq!(by_both(&archive, "aligned")[0], ("notes.txt".to_owned(), b"hello".to_vec()));
    let mut theirs = ZipArchive::new(Cursor::new(&archive)).unwrap();
    assert_eq!(theirs.by_index(1).unwrap().data_start().unwrap() % 64, 0);
    let mut archive = NpzWriter::streaming(Vec::new());
    archive.set_options(archive.options().compressed(true));
    by_both(&fill(archive), "streamed and compressed");
    // After other bytes.
    let mut file = Cursor::new(Vec::new());
    file.write_all(b"What the archive is about\n").unwrap();
    by_both(&fill(NpzWriter::new(file)).into_inner(), "prefix");
    by_both(&NpzWriter::new(Cursor::new(Vec::new())).finish().unwrap().into_inner(), "no members");
}

#[test]
fn zip_reads_archives_that_were_appended_to() {
    let path = scratch("grown.npz");
    let mut archive = new_writer();
    archive.set_comment("by zip").unwrap();
    archive.write_npy_slice("first", &[1_u8], options(CompressionMethod::Zstd)).unwrap();
    fs::write(&path, archive.finish().unwrap().into_inner()).unwrap();
    for (name, is_compressed) in [("second", true), ("third", false)] {
        let mut archive = NpzWriter::append(&path).unwrap();
        archive.set_options(archive.options().compressed(is_compressed));
        archive.add_slice(name, &values()).unwrap();
        archive.finish().unwrap();
    }
    let bytes = fs::read(&path).unwrap();
    let names: Vec<_> = by_both(&bytes, "appended").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["first.npy", "second.npy", "third.npy"]);
    assert_eq!(ZipArchive::new(Cursor::new(&bytes)).unwrap().comment(), b"by zip");
}

/// The archives of NumPy, SciPy and Python's `zipfile`, and copies of them by both.
#[test]
fn both_read_every_archive_of_the_test_data() {
    let paths = files_below(&data(""), ".npz");
    assert!(paths.len() > 150, "the golden archives are not there");
    for path in &paths {
        let place = path.display().to_string();
        let bytes = fs::read(path).unwrap();
        let (name, is_python_2) = (path.file_stem().unwrap().to_str().unwrap(), place.contains("py2.7"));
        // See `keeps_duplicate_names` and `decodes_unmarked_names_as_zipfile_does`.
        let members = if name == "duplicates" || (name == "names" && is_python_2) {
            by_zip(&bytes).unwrap();
            by_us(&bytes).unwrap()
        } else {
            by_both(&bytes, &place)
        };
        // Copies by both. A name is written once.
        let mut seen = std::collections::HashSet::new();
        let members: Members = members.into_iter().filter(|(name, _)| seen.insert(name.clone())).collect();
        for method in METHODS {
            let mut theirs = new_writer();
            for (name, bytes) in &members {
                theirs.start_file(name, options(method)).unwrap();
                theirs.write_all(bytes).unwrap();
            }
            assert!(by_both(&theirs.finish().unwrap().into_inner(), &place) == members, "{place} by {method}");
        }
        for is_compressed in [false, true] {
            let mut ours = writer_with(WriteOptions::new().compressed(is_compressed));
            for (name, bytes) in &members {
                ours.add_bytes(name, bytes).unwrap();
            }
            assert!(by_both(&ours.finish().unwrap().into_inner(), &place) == members, "{place}");
        }
    }
    announce(&format!("zip: {} golden archives read by both, and written again by both", paths.len()));
}

#[test]
fn every_method_and_size_that_zip_writes_is_read() {
    let mut state = 3;
    let noise: Vec<u8> = (0..100_000).map(|_| (crate::support::archives::random(&mut state) >> 3) as u8).collect();
    let steps: Vec<u8> = (0..1_000_000_u32).map(|i| (i >> 12) as u8).collect();
    let contents = [Vec::new(), vec![7], written(&values()), written(&picks()), noise, steps];
    for method in METHODS {
        // Sizes before and after the data.
        let mut seekable = new_writer();
        let mut forward = ZipWriter::new_stream(Vec::new());
        let mut expected = Members::new();
        for (i, content) in contents.iter().enumerate() {
            for large in [false, true].into_iter().filter(|large| !large || content.len() < 10_000) {
                let name = format!("größe/{i} {large}");
                let options = options(method).large_file(large).with_alignment(if large { 64 } else { 1 });
                seekable.start_file(&name, options).unwrap();
                seekable.write_all(content).unwrap();
                forward.start_file(&name, options).unwrap();
                forward.write_all(content).unwrap();
                expected.push((name, content.clone()));
            }
        }
        let seekable = seekable.finish().unwrap().into_inner();
        let forward = forward.finish().unwrap().into_inner();
        assert!(by_both(&seekable, "sizes before the data") == expected, "{method}");
        assert!(by_both(&forward, "data descriptors") == expected, "{method}");
        assert!(by_our_stream(&seekable) == expected, "{method}");
        // Only an array determines the end of stored data with a descriptor.
        if method != CompressionMethod::Stored {
            assert!(by_our_stream(&forward) == expected, "{method}");
        }
    }
}

#[test]
fn data_descriptors_behind_stored_arrays_are_read_in_a_pipe() {
    let mut archive = ZipWriter::new_stream(Vec::new());
    archive.write_npy_slice("values", &values(), options(CompressionMethod::Stored)).unwrap();
    archive.write_npy_slice("picks", &picks(), options(CompressionMethod::Stored)).unwrap();
    let pipe = archive.finish().unwrap().into_inner();
    let mut stream = NpzStream::new(&pipe[..]);
    assert_eq!(stream.next().unwrap().unwrap().array().unwrap().into_vec::<f64>().unwrap(), values());
    assert_eq!(stream.next().unwrap().unwrap().array().unwrap().into_vec::<Pick>().unwrap(), picks());
    assert!(stream.next().unwrap().is_none());
}

#[test]
fn comments_prefixes_and_directories_of_zip_are_read() {
    let mut file = Cursor::new(Vec::new());
    file.write_all(b"#!/bin/sh\n").unwrap();
    let mut archive = ZipWriter::new(file);
    archive.set_comment("a comment").unwrap();
    archive.add_directory("run", SimpleFileOptions::default()).unwrap();
    archive.start_file("run/x.npy", SimpleFileOptions::default().unix_permissions(0o600)).unwrap();
    archive.write_all(&written(&[1_u8, 2])).unwrap();
    archive.add_symlink("link", "run/x.npy", SimpleFileOptions::default()).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let names: Vec<_> = by_both(&bytes, "directories").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["run/", "run/x.npy", "link"]);
    assert_eq!(NpzReader::from_bytes(&bytes).unwrap().by_name::<u8>("run/x").unwrap(), [1, 2]);
}

#[test]
fn encrypted_members_are_refused_by_name() {
    let mut archive = new_writer();
    let secret = options(CompressionMethod::Deflated).with_deprecated_encryption(b"secret").unwrap();
    archive.write_npy_slice("hidden", &[1_u8], secret).unwrap();
    archive.write_npy_slice("open", &[2_u8], options(CompressionMethod::Deflated)).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let mut reader = NpzReader::from_bytes(&bytes).unwrap();
    let error = reader.by_name::<u8>("hidden").unwrap_err();
    assert_eq!(error.member(), Some("hidden"));
    assert!(
        error.to_string().contains("unsupported encryption: decrypt the member by another program, such as 7z, and read its file"),
        "{error}"
    );
    assert_eq!(reader.by_name::<u8>("open").unwrap(), [2]);
    // With the password, by the extension trait.
    let mut theirs = ZipArchive::new(Cursor::new(&bytes)).unwrap();
    let password = |password: &'static [u8]| ZipReadOptions::new().password(Some(password));
    let hidden: Vec<u8> = theirs.read_npy_with("hidden", ReadOptions::new(), password(b"secret")).unwrap();
    assert_eq!(hidden, [1]);
    assert_eq!(theirs.read_npy::<Vec<u8>>("open").unwrap(), [2]);
    let error = theirs.read_npy::<Vec<u8>>("hidden").unwrap_err();
    insta::assert_snapshot!(format!("{error:#}"), @r#"member "hidden": cannot read the archive: unsupported Zip archive: Password required to decrypt file"#);
    for error in [error, theirs.read_npy_with::<Vec<u8>>("hidden", ReadOptions::new(), password(b"wrong")).unwrap_err()] {
        assert_eq!(error.member(), Some("hidden"));
        assert!(error.kind() == ErrorKind::External, "{error}");
        assert!(error.source().unwrap().downcast_ref::<ZipError>().is_some());
    }
}

// Archives that `zip` reads and `NpzReader` refuses.

#[test]
fn refuses_a_local_header_of_another_name() {
    assert_eq!(refused(&with(&stored(), 30, b"w")), "the local header at byte 0 differs from the central directory");
}

#[test]
fn refuses_a_local_header_of_another_method_checksum_or_size() {
    let archive = stored();
    // Method, checksum, and both sizes in the 64-bit field after the name.
    for at in [8, 14, 30 + 10 + 4, 30 + 10 + 12] {
        assert_eq!(
            refused(&with(&archive, at, &[archive[at] ^ 1])),
            "the local header at byte 0 differs from the central directory",
            "{at}"
        );
    }
}

#[test]
fn refuses_a_directory_of_another_size() {
    let archive = stored();
    let entry = find(&archive, ENTRY);
    for difference in [1, 8, 0x80] {
        let size = archive[entry + 24] ^ difference;
        assert_eq!(
            refused_size(&with(&archive, entry + 24, &[size])),
            "the local header at byte 0 differs from the central directory"
        );
    }
}

/// [`refused`], if `zip` opens the member, but may refuse its size at the end.
fn refused_size(archive: &[u8]) -> String {
    ZipArchive::new(Cursor::new(archive)).unwrap().by_index(0).unwrap();
    problem(by_us(archive))
}

/// In an archive with descriptors, only the directory has sizes.
#[test]
fn refuses_stored_data_of_two_sizes() {
    let archive = streamed();
    let entry = find(&archive, ENTRY);
    let size = u32::from_le_bytes(archive[entry + 24..][..4].try_into().unwrap());
    let lie = with(&archive, entry + 24, &(size + 4096).to_le_bytes());
    assert_eq!(refused(&lie), format!("expected {} bytes of content, found {size}", size + 4096));
}

#[test]
fn refuses_data_that_reach_into_another_member() {
    let archive = compressed();
    let entry = find(&archive, ENTRY);
    let size = u32::from_le_bytes(archive[entry + 20..][..4].try_into().unwrap());
    // The compressed data end earlier than claimed.
    assert_eq!(
        refused(&with(&archive, entry + 20, &(size + 100).to_le_bytes())),
        "the data overlap another member or the central directory"
    );
}

/// A small forged archive.
#[derive(Default)]
struct Crafted {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl Crafted {
    /// Adds a member with these data, and its entry.
    fn add(&mut self, name: &str, method: u16, content: &[u8], data: &[u8]) {
        let begin = self.bytes.len() as u32;
        let header = Self::header(name, method, content, data);
        self.bytes.extend([b"PK\x03\x04", &header[..], name.as_bytes(), data].concat());
        self.add_entry(name, &header, begin);
    }

    fn add_entry(&mut self, name: &str, header: &[u8], begin: u32) {
        let entry = [b"PK\x01\x02\x14\x03", header, &[0; 10], &begin.to_le_bytes(), name.as_bytes()];
        self.directory.extend(entry.concat());
        self.count += 1;
    }

    /// The fields of both headers, from the version to the length of the extra fields.
    fn header(name: &str, method: u16, content: &[u8], data: &[u8]) -> Vec<u8> {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut header = vec![20, 0, 0, 0];
        header.extend(method.to_le_bytes());
        header.extend([0, 0, 0x21, 0]);
        header.extend(crc.sum().to_le_bytes());
        header.extend((data.len() as u32).to_le_bytes());
        header.extend((content.len() as u32).to_le_bytes());
        header.extend((name.len() as u16).to_le_bytes());
        header.extend([0, 0]);
        header
    }

    fn finish(self) -> Vec<u8> {
        let Self { mut bytes, directory, count } = self;
        let begin = bytes.len() as u32;
        bytes.extend(&directory);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
        bytes.extend((directory.len() as u32).to_le_bytes());
        bytes.extend(begin.to_le_bytes());
        bytes.extend([0, 0]);
        bytes
    }
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn refuses_bytes_behind_the_end_of_deflated_data() {
    let content = written(&values());
    let mut archive = Crafted::default();
    archive.add("x.npy", 8, &content, &deflated(&content));
    by_both(&archive.finish(), "without them");
    let mut archive = Crafted::default();
    archive.add("x.npy", 8, &content, &[&deflated(&content)[..], b"junk"].concat());
    assert_eq!(refused(&archive.finish()), "expected the end of the compressed data, found 4 more bytes");
}

/// Overlapping members, as in a decompression bomb.
#[test]
fn refuses_two_members_of_the_same_data() {
    let content = written(&values());
    let data = deflated(&content);
    let mut archive = Crafted::default();
    archive.add("x.npy", 8, &content, &data);
    let header = Crafted::header("x.npy", 8, &content, &data);
    archive.add_entry("x.npy", &header, 0);
    archive.add("y.npy", 8, &content, &data);
    assert_eq!(refused(&archive.finish()), "the data overlap another member or the central directory");
}

#[test]
fn refuses_a_directory_of_another_length() {
    let archive = stored();
    let end = find(&archive, END);
    let length = archive[end + 12];
    let refused = refused(&with(&archive, end + 12, &[length ^ 4]));
    assert!(
        refused.starts_with("invalid archive: expected a central directory of ") || refused.starts_with("not an .npz file: "),
        "{refused}"
    );
}

/// The last member is an archive, and the file is truncated after it.
#[test]
fn refuses_an_archive_that_ends_with_one_in_it() {
    let mut inner = NpzWriter::new(Cursor::new(Vec::new()));
    inner.add_slice("x", &[1_u8]).unwrap();
    let inner = inner.finish().unwrap().into_inner();
    let mut outer = NpzWriter::new(Cursor::new(Vec::new()));
    outer.add_slice("y", &[2_u8]).unwrap();
    outer.add_bytes("inner.npz", &inner).unwrap();
    let outer = outer.finish().unwrap().into_inner();
    let end = outer.windows(inner.len()).position(|window| window == inner).unwrap() + inner.len();
    assert_eq!(by_zip(&outer[..end]).unwrap()[0].0, "x.npy");
    assert!(refused(&outer[..end]).contains("truncated archive: "));
}

#[test]
fn refuses_megabytes_behind_an_array() {
    let mut content = written(&[1_u8]);
    content.resize(8 << 20, 0);
    let mut archive = new_writer();
    archive.start_file("x.npy", options(CompressionMethod::Deflated)).unwrap();
    archive.write_all(&content).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    assert!(by_zip(&archive).unwrap()[0].1 == content);
    let trailing = "expected the end of the member after its array, found 8388479 more bytes";
    assert_eq!(problem(NpzReader::from_bytes(&archive).unwrap().by_name::<u8>("x")), trailing);
    assert_eq!(problem(ZipArchive::new(Cursor::new(&archive)).unwrap().read_npy::<Vec<u8>>("x")), trailing);
}

// Archives that both read differently.

/// `zip` has only the last member. NumPy lists both, and reads the last by name.
#[test]
fn keeps_duplicate_names() {
    let mut archive = Crafted::default();
    let (first, second) = (written(&[1_u8]), written(&[2_u8]));
    archive.add("x.npy", 0, &first, &first);
    archive.add("x.npy", 0, &second, &second);
    let archive = archive.finish();
    assert_eq!(by_zip(&archive).unwrap(), [("x.npy".to_owned(), second.clone())]);
    assert_eq!(by_us(&archive).unwrap(), [("x.npy".to_owned(), first), ("x.npy".to_owned(), second)]);
    assert_eq!(NpzReader::from_bytes(&archive).unwrap().by_name::<u8>("x").unwrap(), [2]);
}

/// Python 2 writes UTF-8 without its flag. `zip` guesses. `zipfile` and `NpzReader` decode code page 437,
/// as the format requires.
#[test]
fn decodes_unmarked_names_as_zipfile_does() {
    let mut archive = Crafted::default();
    archive.add("größe.npy", 0, b"", b"");
    let archive = archive.finish();
    assert_eq!(by_zip(&archive).unwrap()[0].0, "größe.npy");
    assert_eq!(by_us(&archive).unwrap()[0].0, "gr├╢├ƒe.npy");
}

/// `zipfile` ignores both fields.
#[test]
fn reads_end_records_that_zip_refuses() {
    let archive = stored();
    let end = find(&archive, END);
    // The count of entries on this disk, and the length of a comment.
    for at in [8, 20] {
        let archive = with(&archive, end + at, &[archive[end + at] ^ 1]);
        assert!(by_zip(&archive).is_err());
        assert_eq!(by_us(&archive).unwrap().len(), 5);
    }
}

// The extension traits.

#[test]
fn arrays_of_every_kind_go_into_archives_of_zip_and_back() {
    let matrix = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    for method in METHODS {
        let mut archive = new_writer();
        archive.start_file("notes.txt", options(method)).unwrap();
        archive.write_all(b"hello").unwrap();
        archive.write_npy("matrix", &matrix, options(method)).unwrap();
        archive.write_npy("run/transposed", &matrix.t(), options(method)).unwrap();
        archive.write_npy("any", &DynArray::from(array![true, false]), options(method)).unwrap();
        archive.write_npy_slice("picks", &picks(), options(method)).unwrap();
        archive.write_npy_slice("names", &["Ada".to_owned(), "Grace".to_owned()], options(method)).unwrap();
        let bytes = archive.finish().unwrap().into_inner();

        let mut archive = ZipArchive::new(Cursor::new(&bytes)).unwrap();
        assert_eq!(archive.read_npy::<Array2<f64>>("matrix").unwrap(), matrix);
        let transposed: Array2<f64> = archive.read_npy("run/transposed.npy").unwrap();
        assert_eq!((transposed.strides(), &transposed), (&[1, 3][..], &matrix.t().to_owned()));
        assert_eq!(archive.read_npy_by_index::<ArrayD<f64>>(2).unwrap().shape(), [3, 2]);
        assert_eq!(archive.read_npy::<DynArray>("any").unwrap().to_string(), "[ True False]");
        assert_eq!(archive.read_npy::<Vec<Pick>>("picks").unwrap(), picks());
        assert_eq!(archive.read_npy::<Array1<String>>("names").unwrap(), array!["Ada", "Grace"]);
        // By `npy_core`.
        assert_eq!(npy_core::npz::ZipArchiveExt::read_npy::<Pick>(&mut archive, "picks").unwrap(), picks());
        assert_eq!(npy_core::npz::ZipArchiveExt::read_npy_by_index::<Pick>(&mut archive, 4).unwrap(), picks());
        // By `NpzReader`.
        assert_eq!(NpzReader::from_bytes(&bytes).unwrap().by_name::<Pick>("picks").unwrap(), picks());
    }
}

#[test]
fn errors_of_the_extension_traits_name_the_member() {
    let mut archive = new_writer();
    archive.write_npy_slice("x", &values(), options(CompressionMethod::Stored)).unwrap();
    archive.start_file("notes.txt", options(CompressionMethod::Stored)).unwrap();
    archive.write_all(b"hello").unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let read = |bytes: &[u8], name: &str| -> Error {
        ZipArchive::new(Cursor::new(bytes)).unwrap().read_npy::<Vec<f64>>(name).map(|_| ()).unwrap_err()
    };
    assert_eq!(read(&bytes, "y").to_string(), "missing array \"y\": the archive has x, notes.txt");
    let error = read(&bytes, "notes.txt");
    assert_eq!(error.member(), Some("notes.txt"));
    assert_eq!(error.kind(), ErrorKind::WrongFormat, "{error}");
    // The last element of the array: the checksum is checked after the array.
    let at = bytes.windows(8).rposition(|window| window == values()[999].to_ne_bytes()).unwrap();
    let error = read(&with(&bytes, at, &[bytes[at] ^ 1]), "x");
    assert_eq!(error.member(), Some("x"));
    assert!(format!("{error:#}").contains("checksum"), "{error}");
    let mut archive = ZipArchive::new(Cursor::new(&bytes)).unwrap();
    assert_eq!(problem(archive.read_npy_by_index::<Vec<f64>>(2)), "member index out of range: expected less than 2, found 2");
    let limited = Limits::new().member_bytes(1000);
    let error = npy_core::npz::ZipArchiveExt::read_npy_with::<f64>(&mut archive, "x", limited, ZipReadOptions::new()).unwrap_err();
    assert!(error.to_string().contains("at most 1000 bytes of a member, found 8128; "), "{error}");
}

#[derive(NpyRecord)]
struct Named {
    #[npy(dtype = "S2")]
    name: String,
}

#[test]
fn a_member_that_cannot_be_written_is_removed() {
    let mut archive = new_writer();
    let deflated = options(CompressionMethod::Deflated);
    archive.write_npy_slice("first", &[1_u8], deflated).unwrap();
    let error = archive.write_npy_slice("names", &[Named { name: "Grace".to_owned() }], deflated).unwrap_err();
    assert_eq!(error.member(), Some("names"));
    let error = archive.write_npy_slice("first", &[1_u8], deflated).unwrap_err();
    assert_eq!(error.member(), Some("first"));
    assert!(error.kind() == ErrorKind::External, "{error}");
    archive.write_npy_slice("last", &[2_u8], deflated).unwrap();
    let names: Vec<_> = by_both(&archive.finish().unwrap().into_inner(), "removed").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["first.npy", "last.npy"]);
}
