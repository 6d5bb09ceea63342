//! Every file in tests/data was written by a real NumPy; tests/data/manifest.tsv says what is in
//! it.

use std::collections::BTreeMap;
use std::fs;

use npy_core::{DType, Error, ErrorKind, Header, Order};

use crate::support::{announce, data, dump::dump};

/// A line of the manifest; tests/data/README.md explains the columns.
struct Row {
    file: String,
    version: String,
    data_offset: usize,
    order: Order,
    shape: Vec<usize>,
    descr: String,
    resave: String,
    values: String,
}

impl Row {
    fn name(&self) -> &str {
        self.file.split_once('/').unwrap().1.strip_suffix(".npy").unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(data(&self.file)).unwrap()
    }
}

fn manifest() -> Vec<Row> {
    let text = fs::read_to_string(data("manifest.tsv")).unwrap();
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, _numpy, _python, version, data_offset, order, shape, descr, resave, values, _note] = columns[..] else {
            panic!("a line of the manifest has {} columns: {line}", columns.len());
        };
        Row {
            file: file.to_owned(),
            version: version.to_owned(),
            data_offset: data_offset.parse().unwrap(),
            order: if order == "F" { Order::Fortran } else { Order::C },
            shape: shape.split(',').filter(|length| !length.is_empty()).map(|length| length.parse().unwrap()).collect(),
            descr: descr.to_owned(),
            resave: resave.to_owned(),
            values: values.to_owned(),
        }
    };
    text.lines().skip(1).map(row).collect()
}

/// Files that are refused, and why. Everything else must open, also what NumPy itself refuses.
fn is_expected_refusal(row: &Row, error: &Error) -> bool {
    match row.name() {
        // NumPy 1.11 and 1.13 wrote a descr that claims more data than the file holds.
        "padding_out_of_order" | "padding_overlap" if row.resave == "unreadable" => error.kind() == ErrorKind::Truncated,
        // NumPy 2 wrote `np.int64(3)` and `[3]` for the shape, and `np.float64(1.5)` for a title.
        "memmap_npint_shape" | "title_float64" => error.to_string().starts_with("invalid header at byte "),
        "memmap_list_shape" => error.to_string().starts_with("invalid shape at byte "),
        _ => false,
    }
}

#[test]
fn every_file_of_every_numpy_reads_with_its_values() {
    let (mut opened, mut refused) = (BTreeMap::<String, usize>::new(), 0);
    for row in manifest() {
        let bytes = row.bytes();
        let (header, data_offset) = match Header::parse(&bytes) {
            Ok(parsed) => parsed,
            Err(error) => {
                assert!(is_expected_refusal(&row, &error), "{}: {error}", row.file);
                refused += 1;
                continue;
            }
        };
        assert_eq!(header.version().to_string(), row.version, "{}", row.file);
        assert_eq!(data_offset, row.data_offset, "{}", row.file);
        assert_eq!(header.order(), row.order, "{}", row.file);
        assert_eq!(header.shape(), row.shape, "{}", row.file);
        assert_eq!(header.dtype(), &row.descr.parse::<DType>().unwrap(), "{}", row.file);
        if header.dtype().has_object() {
            let error = npy_core::NpyReader::new(&bytes[..]).unwrap().into_vec::<String>().unwrap_err();
            assert!(error.kind() == ErrorKind::ObjectArray, "{}: {error}", row.file);
            refused += 1;
            continue;
        }
        let data = &bytes[data_offset..];
        if (data.len() as u64) < header.data_bytes() {
            let error = npy_core::NpyReader::new(&bytes[..]).unwrap().into_vec::<npy_core::types::Void>().unwrap_err();
            // A record is not a `Void`, so that the end of the data is not reached; what counts is
            // that they are short.
            assert!(matches!(error.kind(), ErrorKind::Mismatch | ErrorKind::Truncated), "{}: {error}", row.file);
            let error = npy_core::DynValues::read(&bytes[..]).unwrap_err();
            assert!(is_expected_refusal(&row, &error), "{}: truncated data", row.file);
            refused += 1;
            continue;
        }
        assert_eq!(dump(&header, data), row.values, "{}", row.file);
        let (directory, _) = row.file.split_once('/').unwrap();
        *opened.entry(directory.to_owned()).or_default() += 1;
    }
    let total: usize = opened.values().sum();
    announce(&format!(
        "golden files: {total} of {} NumPy versions read with their values, {refused} refused as they must be",
        opened.len()
    ));
    assert!(opened.len() >= 4 && total > 2_000, "the golden files are not there");
}

#[test]
fn files_of_a_current_numpy_are_written_again_byte_for_byte() {
    let mut count = 0;
    for row in manifest().iter().filter(|row| row.resave == "identical") {
        let bytes = row.bytes();
        let (header, data_offset) = Header::parse(&bytes).unwrap();
        assert_eq!(header.dtype().descr(), row.descr, "{}", row.file);
        let fresh = Header::new(header.dtype().clone(), header.order(), header.shape()).unwrap();
        assert_eq!(fresh.to_bytes().escape_ascii().to_string(), bytes[..data_offset].escape_ascii().to_string(), "{}", row.file);
        assert_eq!(header.to_bytes(), fresh.to_bytes(), "{}", row.file);
        count += 1;
    }
    announce(&format!("golden files: {count} headers written again byte for byte"));
    assert!(count > 1_500);
}

#[test]
fn several_arrays_in_one_file_are_read_one_after_another() {
    for row in manifest().iter().filter(|row| row.name() == "concatenated") {
        let bytes = row.bytes();
        let mut stream = &bytes[..];
        let mut arrays = 0;
        while !stream.is_empty() {
            let header = Header::read(&mut stream).unwrap();
            let length = usize::try_from(header.data_bytes()).unwrap();
            dump(&header, stream);
            stream = &stream[length..];
            arrays += 1;
        }
        assert_eq!(arrays, 3, "{}", row.file);
    }
}
