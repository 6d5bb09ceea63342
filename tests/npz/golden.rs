//! Archives that NumPy, SciPy and Python wrote. tests/data/archives.tsv lists their content.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};

use npy_core::npz::{NpzReader, NpzStream, NpzWriter};
use npy_core::{DType, Header, Order};

use crate::support::{announce, data, dump::dump};

/// The methods of Python's `zipfile`: stored, deflate, bzip2 and LZMA.
const METHODS: [u16; 4] = [0, 8, 12, 14];

/// More bytes than any member has.
const MOST_BYTES: u64 = 10_000;

/// The lines of one archive in the list. tests/data/README.md explains the columns.
struct Archive {
    path: String,
    python: String,
    members: Vec<Member>,
}

struct Member {
    key: String,
    method: u16,
    /// `None` for other members.
    array: Option<Array>,
    values: String,
}

struct Array {
    dtype: DType,
    order: Order,
    shape: Vec<usize>,
}

impl Archive {
    /// Its writer: `numpy-2.4.6-py3.11`, `zipfile`.
    fn directory(&self) -> &str {
        self.path.split_once('/').unwrap().0
    }

    fn name(&self) -> &str {
        self.path.rsplit_once('/').unwrap().1.strip_suffix(".npz").unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(data(&self.path)).unwrap()
    }
}

fn archives() -> Vec<Archive> {
    let text = fs::read_to_string(data("archives.tsv")).unwrap();
    let mut archives = Vec::<Archive>::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [path, _numpy, python, position, key, method, descr, order, shape, values] = columns[..] else {
            panic!("a line of the list has {} columns: {line}", columns.len());
        };
        if archives.last().is_none_or(|archive| archive.path != path) {
            archives.push(Archive { path: path.to_owned(), python: python.to_owned(), members: Vec::new() });
        }
        // The only line of an archive without members.
        if position == "-" {
            continue;
        }
        let members = &mut archives.last_mut().unwrap().members;
        assert_eq!(position.parse(), Ok(members.len()), "{line}");
        let lengths = shape.split(',').filter(|length| !length.is_empty());
        let array = (descr != "bytes").then(|| Array {
            dtype: descr.parse().unwrap(),
            order: if order == "F" { Order::Fortran } else { Order::C },
            shape: lengths.map(|length| length.parse().unwrap()).collect(),
        });
        members.push(Member { key: key.to_owned(), method: method.parse().unwrap(), array, values: values.to_owned() });
    }
    archives
}

impl Array {
    fn check(&self, header: &Header, place: &str) {
        assert_eq!(header.dtype(), &self.dtype, "{place}");
        assert_eq!(header.order(), self.order, "{place}");
        assert_eq!(header.shape(), self.shape, "{place}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Counts by method, such as `stored 3, deflated 2`. Every method has to occur.
fn shown(by_method: &BTreeMap<u16, usize>) -> String {
    let count = |method: u16| by_method.get(&method).copied().unwrap_or_default();
    let counts = METHODS.map(count);
    assert!(counts.iter().all(|count| *count > 0), "a method is missing: {counts:?}");
    assert_eq!(counts.iter().sum::<usize>(), by_method.values().sum::<usize>(), "a method is not known");
    format!("{} stored, {} deflated, {} bzip2, {} lzma", counts[0], counts[1], counts[2], counts[3])
}

#[test]
fn every_archive_reads_with_its_values() {
    let (mut by_directory, mut by_method, mut others) = (BTreeMap::<String, usize>::new(), BTreeMap::<u16, usize>::new(), 0);
    for archive in archives() {
        let mut reader = NpzReader::open(data(&archive.path)).unwrap();
        let keys: Vec<&str> = archive.members.iter().map(|member| member.key.as_str()).collect();
        assert_eq!(reader.names().collect::<Vec<_>>(), keys, "{}", archive.path);
        assert_eq!(reader.is_empty(), keys.is_empty(), "{}", archive.path);
        *by_directory.entry(archive.directory().to_owned()).or_default() += 1;
        for (index, member) in archive.members.iter().enumerate() {
            let place = format!("{} {index} {:?}", archive.path, member.key);
            // NumPy returns the last of several members of one name.
            assert_eq!(reader.index_of(&member.key), keys.iter().rposition(|key| *key == member.key), "{place}");
            let bytes = reader.bytes(index, MOST_BYTES).unwrap_or_else(|error| panic!("{place}: {error}"));
            *by_method.entry(member.method).or_default() += 1;
            let Some(array) = &member.array else {
                assert_eq!(hex(&bytes), member.values, "{place}");
                assert!(reader.header(index).is_err(), "{place}");
                others += 1;
                continue;
            };
            let (header, data_offset) = Header::parse(&bytes).unwrap();
            array.check(&header, &place);
            array.check(&reader.header(index).unwrap(), &place);
            assert_eq!(dump(&header, &bytes[data_offset..]), member.values, "{place}");
            // Again as bytes after the header.
            let mut rest = Vec::new();
            reader.array(index).unwrap().into_inner().read_to_end(&mut rest).unwrap();
            assert_eq!(rest, bytes[data_offset..], "{place}");
        }
    }
    let total: usize = by_directory.values().sum();
    announce(&format!(
        "golden archives: {total} of {} releases read with their values: {}, {others} of them no arrays",
        by_directory.len(),
        shown(&by_method)
    ));
    assert!(by_directory.len() >= 15 && total > 150 && others > 2, "the golden archives are not there");
}

#[test]
fn every_archive_reads_forward_only() {
    let (mut archive_count, mut by_method, mut others) = (0, BTreeMap::<u16, usize>::new(), 0);
    for archive in archives() {
        let bytes = archive.bytes();
        let mut stream = NpzStream::new(&bytes[..]);
        if archive.name().starts_with("prefix") {
            // Only the end of the archive determines its beginning.
            assert!(stream.next().is_err(), "{}", archive.path);
            continue;
        }
        for (index, expected) in archive.members.iter().enumerate() {
            let place = format!("{} {index} {:?}", archive.path, expected.key);
            let member = stream.next().unwrap_or_else(|error| panic!("{place}: {error}"));
            let mut member = member.unwrap_or_else(|| panic!("{place}: the archive has ended"));
            assert_eq!(member.name(), expected.key, "{place}");
            *by_method.entry(expected.method).or_default() += 1;
            let Some(array) = &expected.array else {
                // The next one is found nevertheless.
                assert!(member.array().is_err(), "{place}");
                others += 1;
                continue;
            };
            let reader = member.array().unwrap_or_else(|error| panic!("{place}: {error}"));
            let header = reader.header().clone();
            array.check(&header, &place);
            let mut rest = Vec::new();
            reader.into_inner().read_to_end(&mut rest).unwrap();
            assert_eq!(dump(&header, &rest), expected.values, "{place}");
        }
        // Checks the last checksum.
        assert!(stream.next().unwrap().is_none(), "{}", archive.path);
        archive_count += 1;
    }
    announce(&format!("golden archives: {archive_count} read forward only: {}, {others} of them no arrays", shown(&by_method)));
    assert!(archive_count > 150 && others > 2, "the golden archives are not there");
}

/// Skipping a member verifies its checksum.
#[test]
fn skips_every_member_of_every_archive() {
    let mut count = 0;
    for archive in archives().iter().filter(|archive| !archive.name().starts_with("prefix")) {
        let bytes = archive.bytes();
        let mut stream = NpzStream::new(&bytes[..]);
        let mut names = Vec::new();
        while let Some(member) = stream.next().unwrap_or_else(|error| panic!("{}: {error}", archive.path)) {
            names.push(member.name().to_owned());
        }
        assert_eq!(names, archive.members.iter().map(|member| member.key.as_str()).collect::<Vec<_>>(), "{}", archive.path);
        count += names.len();
    }
    assert!(count > 700, "{count} members");
}

/// Archives of `zipfile` since Python 3.11 are reproduced. Compressed bytes depend on the compressor.
#[test]
fn stored_archives_of_current_releases_are_written_again_byte_for_byte() {
    let mut by_directory = BTreeMap::<String, usize>::new();
    for archive in archives() {
        let is_current = ["3.11", "3.12", "3.13"].contains(&archive.python.as_str());
        let is_stored = archive.members.iter().all(|member| member.method == 0);
        if !archive.directory().starts_with("numpy-") || !is_current || !is_stored {
            continue;
        }
        let bytes = archive.bytes();
        let mut reader = NpzReader::new(Cursor::new(&bytes)).unwrap();
        let members: Vec<(String, Vec<u8>)> =
            (0..reader.len()).map(|i| (reader.name(i).unwrap().to_owned(), reader.bytes(i, MOST_BYTES).unwrap())).collect();
        let again = if archive.name().starts_with("streamed") {
            fill(NpzWriter::streaming(Vec::new()), &members)
        } else {
            fill(NpzWriter::new(Cursor::new(Vec::new())), &members).into_inner()
        };
        assert_eq!(again.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{}", archive.path);
        *by_directory.entry(archive.directory().to_owned()).or_default() += 1;
    }
    announce(&format!(
        "golden archives: {} of {} releases written again byte for byte",
        by_directory.values().sum::<usize>(),
        by_directory.len()
    ));
    // Including the newest two.
    for release in ["numpy-2.4.6-py3.11", "numpy-2.5.5-py3.13"] {
        assert!(by_directory.get(release).is_some_and(|count| *count >= 5), "{release}: {by_directory:?}");
    }
}

/// Writes members of these contents.
fn fill<W: std::io::Write>(mut archive: NpzWriter<W>, members: &[(String, Vec<u8>)]) -> W {
    for (name, bytes) in members {
        archive.add_content(name, |member| Ok(member.write_all(bytes)?)).unwrap();
    }
    archive.finish().unwrap()
}
