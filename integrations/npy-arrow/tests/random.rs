//! Dtypes of the live NumPy.

use std::io::Cursor;

use npy_arrow::arrow_array::{RecordBatch, RecordBatchReader};
use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::{BatchDecoder, BatchOptions, BatchReader, ErrorKind, from_batches, into_batch, to_batch};
use npy_core::{DynValues, Order};

use crate::support::{file_of, sanitized, without_type};
use crate::workspace_support::announce;
use crate::workspace_support::numpy::{frames, numpy};

const CASES: usize = 300;

/// The arrays of the cases in both orders, as NumPy saved them.
pub fn cases(seed: &str, count: usize, test: &str) -> Option<Vec<DynValues>> {
    let numpy = numpy(test)?;
    let stream = numpy.run(["random_dtypes.py", seed, &count.to_string()], b"");
    let frames = frames(&stream);
    let files = frames[1..].chunks_exact(6).flat_map(|case| [case[2], case[3]]);
    Some(files.map(|file| DynValues::read(file).unwrap()).collect())
}

/// The array that the batches give back.
fn back(reader: BatchReader) -> DynValues {
    let schema = reader.schema();
    from_batches(&schema, reader).unwrap()
}

/// Every other row, backwards, beside the same rows one by one.
fn assert_takes_rows(values: &DynValues) {
    let rows = values.shape().first().copied().unwrap_or(1);
    let indices: Vec<_> = (0..rows).rev().step_by(2).collect();
    let bytes = Buffer::from_slice_ref(values.bytes());
    for options in [BatchOptions::new(), BatchOptions::new().flatten(true)] {
        let Ok(decoder) = BatchDecoder::new(values.header(), options) else { continue };
        let taken = decoder.take(&bytes, 0..rows, &indices).unwrap();
        assert_eq!(taken.num_rows(), indices.len());
        for (place, row) in indices.iter().copied().enumerate() {
            assert_eq!(taken.slice(place, 1), decoder.decode(&bytes, 0..rows, row..row + 1).unwrap(), "{}", values.dtype());
        }
    }
}

fn assert_same(found: &DynValues, expected: &DynValues) {
    assert_eq!(found.dtype(), expected.dtype());
    assert_eq!(found.shape(), expected.shape(), "{}", expected.dtype());
    assert!(found.bytes() == expected.bytes(), "{}: {:?} instead of {:?}", expected.dtype(), found.bytes(), expected.bytes());
}

#[test]
fn random_dtypes_round_trip_through_arrow() {
    let Some(cases) = cases("24", CASES, "random_dtypes_round_trip_through_arrow") else { return };
    let (mut equal, mut refused) = (0, 0);
    for values in cases {
        // Any values: an error or a batch, and no panic.
        let raw = to_batch(&values);
        if let Some(field) = without_type(values.dtype(), "") {
            let error = raw.unwrap_err();
            let place = if field.is_empty() { String::new() } else { format!("field {field:?}: ") };
            assert_eq!(error.kind(), ErrorKind::Unstorable);
            assert!(error.message().starts_with(&format!("{place}no Arrow type for dtype ")), "{error}");
            refused += 1;
            continue;
        }
        assert!(raw.as_ref().err().is_none_or(|error| error.kind() == ErrorKind::InvalidValue), "{raw:?}");
        let values = sanitized(&values);
        let expected = values.clone().into_order(Order::C).unwrap();
        let batch = to_batch(&values).unwrap();
        assert_same(&from_batches(&batch.schema(), [&batch]).unwrap(), &expected);
        assert_takes_rows(&values);
        let moved: RecordBatch = into_batch(values.clone()).unwrap();
        assert_eq!(moved, batch);
        let file = file_of(&values);
        let options = BatchOptions::new().rows(3);
        assert_same(&back(BatchReader::new(Cursor::new(file.clone()), options.clone()).unwrap()), &expected);
        assert_same(&back(BatchReader::from_buffer(Buffer::from_vec(file.clone()), options.clone()).unwrap()), &expected);
        let saved = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(saved.path(), &file).unwrap();
        assert_same(&back(BatchReader::open(saved.path(), options.clone()).unwrap()), &expected);
        for options in [options.clone().flatten(true), options.clone().matrix_columns(true), options.times_as_integers(true)] {
            match BatchReader::open(saved.path(), options) {
                Ok(reader) => assert_same(&back(reader), &expected),
                Err(error) => assert!(error.message().starts_with("duplicate column "), "{error}"),
            }
        }
        equal += 1;
    }
    announce(&format!("{equal} arrays of random dtypes were equal, {refused} have no Arrow type"));
    assert!(equal > CASES, "{equal}");
}
