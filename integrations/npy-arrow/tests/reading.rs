//! Which columns are read, from where, and which share their memory.

use std::io::Cursor;

use npy_arrow::arrow_array::cast::AsArray;
use npy_arrow::arrow_array::types::{Date32Type, Float32Type, Float64Type, Int16Type, Int32Type, TimestampNanosecondType};
use npy_arrow::arrow_array::{RecordBatch, RecordBatchReader};
use npy_arrow::arrow_buffer::Buffer;
#[cfg(feature = "mmap")]
use npy_arrow::map_batches;
use npy_arrow::{
    BatchDecoder, BatchOptions, BatchReader, ErrorKind, from_batches, into_batch_with, read_batches, to_batch, to_batch_with,
};
use npy_core::{DynValues, Header, Order};

use crate::support::{columns, file_of, memory, values};
use crate::workspace_support::workspace;

const NESTED: &str = "[('id', '<u2'), ('origin', [('time', '<M8[ns]'), ('depth', '>f4')]), ('code', 'S3'), ('odd', '<f16')]";

fn nested() -> DynValues {
    let mut bytes = Vec::new();
    for row in 0..5_u16 {
        bytes.extend(row.to_le_bytes());
        bytes.extend((if row == 3 { i64::MIN } else { i64::from(row) }).to_le_bytes());
        bytes.extend((f32::from(row) / 2.0).to_be_bytes());
        bytes.extend([b'a' + row as u8, 0, 0]);
        bytes.extend([0; 16]);
    }
    values(NESTED, 5, &bytes)
}

#[test]
fn projection_decodes_only_the_selected_fields() {
    let options = BatchOptions::new().columns(["origin.depth", "origin.time", "code"]);
    // The field `odd` has no Arrow type, and is not selected.
    let batch = to_batch_with(&nested(), options).unwrap();
    assert_eq!(columns(&batch), ["origin.depth: Float32", "origin.time: Timestamp(ns)", "code: Binary"]);
    assert_eq!(batch.column(0).as_primitive::<Float32Type>().values(), &[0.0, 0.5, 1.0, 1.5, 2.0]);
    let times = batch.column(1).as_primitive::<TimestampNanosecondType>();
    assert_eq!(times.iter().collect::<Vec<_>>(), [Some(0), Some(1), Some(2), None, Some(4)]);
    assert_eq!(batch.column(2).as_binary::<i32>().value(4), b"e");
    let back = from_batches(&batch.schema(), [&batch]).unwrap();
    assert_eq!(back.dtype().to_string(), "[('origin.depth', '>f4'), ('origin.time', '<M8[ns]'), ('code', '|S3')]");
    // A whole record is a struct.
    let batch = to_batch_with(&nested(), BatchOptions::new().columns(["origin"])).unwrap();
    assert_eq!(columns(&batch), ["origin: Struct(\"time\": Timestamp(ns), \"depth\": non-null Float32)"]);
}

#[test]
fn flattened_columns_restore_nested_records() {
    let values = values("[('a', [('b', '|u1'), ('c', [('d', '>i2')])]), ('e', '|u1')]", 2, &[1, 0, 2, 3, 4, 0, 5, 6]);
    let batch = to_batch_with(&values, BatchOptions::new().flatten(true)).unwrap();
    assert_eq!(columns(&batch), ["a.b: UInt8", "a.c.d: Int16", "e: UInt8"]);
    assert!(from_batches(&batch.schema(), [&batch]).unwrap() == values);
}

#[test]
fn errors_name_fields_and_columns() {
    let nested = nested();
    let error = |options: BatchOptions| to_batch_with(&nested, options).unwrap_err();
    insta::assert_snapshot!(error(BatchOptions::new()), @r#"field "odd": no Arrow type for dtype <f16; leave it out with `BatchOptions::columns`, or cast the field in NumPy"#);
    insta::assert_snapshot!(error(BatchOptions::new().columns(["id", "origin.x"])), @r#"unknown field "origin.x": "origin" has time, depth"#);
    insta::assert_snapshot!(error(BatchOptions::new().columns(["id", "id"])), @r#"duplicate column "id"; rename one of them"#);
    let twice = values("[('a', [('b', '|u1')]), ('a.b', '|u1')]", 1, &[1, 2]);
    insta::assert_snapshot!(to_batch_with(&twice, BatchOptions::new().flatten(true)).unwrap_err(), @r#"duplicate column "a.b"; rename one of them"#);
    insta::assert_snapshot!(to_batch(&values("<f16", 0, &[])).unwrap_err(), @"no Arrow type for dtype <f16; cast the array in NumPy, such as by `a.astype('f8')`");
    let bools = values("[('x', [('y', '|b1', (2,))])]", 2, &[0, 1, 1, 7]);
    insta::assert_snapshot!(to_batch(&bools).unwrap_err(), @r#"column "x.y", row 1: invalid bool 0x07: expected 0 or 1"#);
    insta::assert_snapshot!(to_batch(&values("<M8[D]", 1, &[0, 0, 0, 0, 1, 0, 0, 0])).unwrap_err(), @"row 0: day 4294967296 is out of range for Date32; set `BatchOptions::times_as_integers`");
    insta::assert_snapshot!(to_batch(&values("<U1", 1, &[0, 0xd8, 0, 0])).unwrap_err(), @"row 0: invalid character 0xd800 at position 0 of the text");
    insta::assert_snapshot!(to_batch_with(&values("S2", 2, b"abc\xff"), BatchOptions::new().bytes_as_text(true)).unwrap_err(), @"row 1: invalid UTF-8 at byte 1 of the text; unset `BatchOptions::bytes_as_text`");
    let objects = npy_core::Header::new("[('a', [('b', 'O')])]".parse().unwrap(), Order::C, &[1]).unwrap().to_bytes();
    insta::assert_snapshot!(BatchReader::new(Cursor::new(objects), BatchOptions::new()).unwrap_err(), @r#"field "a.b": no Arrow type for dtype |O; decode the objects with `BatchOptions::objects` (feature `object`), or with `npy_core::object`"#);
    insta::assert_snapshot!(to_batch_with(&values("<f4", 0, &[]), BatchOptions::new().columns(["x"])).unwrap_err(), @r#"unknown field "x": the records have value"#);
    insta::assert_snapshot!(read_batches("no/such.npy", BatchOptions::new()).unwrap_err(), @"no/such.npy: cannot open the file");
}

#[test]
fn errors_of_values_count_rows_over_all_batches() {
    let bools = values("|b1", 5, &[0, 1, 0, 1, 2]);
    let mut reader = BatchReader::new(Cursor::new(file_of(&bools)), BatchOptions::new().rows(2)).unwrap();
    assert!(reader.next().unwrap().is_ok() && reader.next().unwrap().is_ok());
    let error = reader.next().unwrap().unwrap_err();
    insta::assert_snapshot!(error, @"External error: row 4: invalid bool 0x02: expected 0 or 1");
    assert!(reader.next().is_none());
}

#[test]
fn either_byte_order_and_every_source_give_the_same_batches() {
    let little = values("<f8", 3, &[1.5_f64, f64::NAN, -0.0].map(f64::to_le_bytes).concat());
    let big = values(">f8", 3, &[1.5_f64, f64::NAN, -0.0].map(f64::to_be_bytes).concat());
    let bits = |batch: &RecordBatch| -> Vec<u64> {
        batch.column(0).as_primitive::<Float64Type>().values().iter().map(|value| value.to_bits()).collect()
    };
    let expected = [1.5_f64, f64::NAN, -0.0].map(f64::to_bits);
    for values in [little, big] {
        let file = file_of(&values);
        let saved = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(saved.path(), &file).unwrap();
        let readers = [
            BatchReader::open(saved.path(), BatchOptions::new()).unwrap(),
            BatchReader::new(Cursor::new(file.clone()), BatchOptions::new()).unwrap(),
            BatchReader::from_buffer(Buffer::from_vec(file), BatchOptions::new()).unwrap(),
        ];
        for mut reader in readers {
            assert_eq!(bits(&reader.next().unwrap().unwrap()), expected);
            assert!(reader.next().is_none());
        }
    }
}

#[test]
fn fortran_matrices_are_read_in_rows() {
    // Rows 0 to 4, columns 0 to 2: 10 times the row plus the column.
    let bytes: Vec<u8> = (0..3_i16).flat_map(|column| (0..5_i16).flat_map(move |row| (10 * row + column).to_le_bytes())).collect();
    let matrix = DynValues::new("<i2".parse().unwrap(), Order::Fortran, &[5, 3], bytes).unwrap();
    let saved = tempfile::NamedTempFile::new().unwrap();
    matrix.save(saved.path()).unwrap();
    let file = file_of(&matrix);
    let options = BatchOptions::new().rows(2);
    let readers = [
        BatchReader::open(saved.path(), options.clone()).unwrap(),
        BatchReader::new(Cursor::new(file.clone()), options.clone()).unwrap(),
        BatchReader::from_buffer(Buffer::from_vec(file), options).unwrap(),
    ];
    for reader in readers {
        let rows: Vec<Vec<i16>> = reader
            .map(|batch| batch.unwrap().column(0).as_fixed_size_list().values().as_primitive::<Int16Type>().values().to_vec())
            .collect();
        assert_eq!(rows, [vec![0, 1, 2, 10, 11, 12], vec![20, 21, 22, 30, 31, 32], vec![40, 41, 42]]);
    }
    let reader = read_batches(saved.path(), BatchOptions::new().rows(2).matrix_columns(true).columns(["value_2"])).unwrap();
    let column: Vec<i16> =
        reader.flat_map(|batch| batch.unwrap().column(0).as_primitive::<Int16Type>().values().to_vec()).collect();
    assert_eq!(column, [2, 12, 22, 32, 42]);
}

#[cfg(feature = "mmap")]
#[test]
fn contiguous_numbers_share_the_memory_of_a_map() {
    use npy_core::NpyMap;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let map = |values: &DynValues| {
        values.save(&path).unwrap();
        // SAFETY: nothing changes the file while it is mapped: the next save replaces it.
        #[allow(unsafe_code)]
        unsafe { NpyMap::open(&path) }.unwrap()
    };
    let bytes: Vec<u8> = (0..240).collect();
    // One dimension: each batch is a part of the map.
    for dtype in ["<f8", "<i4", "|u1", "<M8[ns]", "|V5", "<c16", "<f2"] {
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let map = map(&DynValues::new(dtype.clone(), Order::C, &[240 / dtype.itemsize()], bytes.clone()).unwrap());
        let (first, rows) = (map.bytes().as_ptr(), 2);
        for (index, batch) in map_batches(map, BatchOptions::new().rows(rows)).unwrap().enumerate() {
            assert_eq!(memory(batch.unwrap().column(0)), first.wrapping_add(index * rows * dtype.itemsize()), "{dtype}");
        }
    }
    // Rows of a matrix in C order, and columns of one in Fortran order.
    let matrix = DynValues::new("<f4".parse().unwrap(), Order::C, &[20, 3], bytes.clone()).unwrap();
    let map_of = map(&matrix);
    let first = map_of.bytes().as_ptr();
    let batches: Vec<_> = map_batches(map_of, BatchOptions::new().rows(7)).unwrap().map(Result::unwrap).collect();
    assert_eq!(memory(batches[1].column(0)), first.wrapping_add(7 * 12));
    let matrix = DynValues::new("<f4".parse().unwrap(), Order::Fortran, &[20, 3], bytes).unwrap();
    let map_of = map(&matrix);
    let first = map_of.bytes().as_ptr();
    let batches: Vec<_> =
        map_batches(map_of, BatchOptions::new().rows(7).matrix_columns(true)).unwrap().map(Result::unwrap).collect();
    assert_eq!(memory(batches[2].column(1)), first.wrapping_add(20 * 4 + 14 * 4));
    // The map lives as long as the batches do.
    drop(std::fs::remove_file(&path));
    assert_eq!(batches[0].column(0).as_primitive::<Float32Type>().values()[0].to_bits(), u32::from_le_bytes([0, 1, 2, 3]));
}

#[test]
fn arrays_in_memory_are_not_copied() {
    let bytes: Vec<u8> = (0..240).collect();
    let matrix = DynValues::new("<f4".parse().unwrap(), Order::Fortran, &[20, 3], bytes).unwrap();
    let memory_of = matrix.bytes().as_ptr();
    let batch = into_batch_with(matrix, BatchOptions::new().matrix_columns(true)).unwrap();
    assert_eq!(memory(batch.column(2)), memory_of.wrapping_add(160));
}

#[test]
fn misaligned_or_swapped_numbers_are_copied() {
    let mut file = file_of(&values("<f8", 2, &[1.0_f64, 2.0].map(f64::to_le_bytes).concat()));
    file.insert(0, 0);
    let buffer = Buffer::from_vec(file).slice(1);
    let batch = BatchReader::from_buffer(buffer.clone(), BatchOptions::new()).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.column(0).as_primitive::<Float64Type>().values(), &[1.0, 2.0]);
    assert_ne!(memory(batch.column(0)), buffer[128..].as_ptr());
    let swapped = values(">i4", 2, &[0, 0, 0, 1, 0, 0, 1, 0]);
    let batch = npy_arrow::into_batch(swapped).unwrap();
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values(), &[1, 256]);
}

#[test]
fn nat_is_null_and_days_are_dates() {
    let days = values("<M8[D]", 3, &[-1_i64, i64::MIN, 20_000].map(i64::to_le_bytes).concat());
    let batch = to_batch(&days).unwrap();
    assert_eq!(batch.column(0).as_primitive::<Date32Type>().iter().collect::<Vec<_>>(), [Some(-1), None, Some(20_000)]);
    assert!(from_batches(&batch.schema(), [&batch]).unwrap() == days);
}

#[test]
fn example_file_has_its_columns() {
    let path = workspace().join("examples/data/picks.npy");
    let reader = read_batches(&path, BatchOptions::new().rows(100).columns(["id", "origin.time", "waveform"])).unwrap();
    assert_eq!(reader.schema().fields().len(), 3);
    let expected = DynValues::load(&path).unwrap().field_as::<u32>("id").unwrap();
    let ids: Vec<u32> = reader
        .flat_map(|batch| {
            let batch = batch.unwrap();
            assert_eq!(batch.column(2).as_fixed_size_list().value_length(), 3);
            batch.column(0).as_primitive::<npy_arrow::arrow_array::types::UInt32Type>().values().to_vec()
        })
        .collect();
    assert_eq!(ids, expected);
}

#[test]
fn rows_of_a_larger_array_are_counted_from_its_beginning() {
    let header = Header::new("<U1".parse().unwrap(), Order::C, &[200]).unwrap();
    let decoder = BatchDecoder::new(&header, BatchOptions::new()).unwrap();
    // An invalid code point, in the second of two rows.
    let bytes = Buffer::from_vec([&[65_u8, 0, 0, 0][..], &[0xFF; 4]].concat());
    assert_eq!(decoder.byte_ranges(100..102).unwrap().first(), Some(&(400..408)));
    assert_eq!(decoder.decode(&bytes, 100..102, 100..101).unwrap().num_rows(), 1);
    let error = decoder.decode(&bytes, 100..102, 101..102).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidValue);
    assert!(error.message().starts_with("row 101: "), "{error}");
    let error = decoder.decode(&bytes, 100..103, 100..101).unwrap_err();
    assert_eq!(error.to_string(), "wrong size of a batch of length 3: expected 12 B, found 8 B");
    for (block, rows) in [(199..201, 199..200), (100..102, 99..100), (100..102, 101..103)] {
        let error = decoder.decode(&bytes, block, rows).unwrap_err();
        assert!(error.to_string().starts_with("invalid region along axis 0: expected a range within 0.."), "{error}");
    }
}

/// Any rows of any block are those of the whole array, in both orders.
#[test]
fn rows_of_blocks_are_those_of_the_array() {
    for order in [Order::C, Order::Fortran] {
        let header = Header::new("<i2".parse().unwrap(), order, &[7, 2, 3]).unwrap();
        let data: Vec<u8> = (0..84).collect();
        let decoder = BatchDecoder::new(&header, BatchOptions::new()).unwrap();
        let whole = decoder.decode(&Buffer::from_vec(data.clone()), 0..7, 0..7).unwrap();
        for block in [0..7, 0..3, 2..6, 6..7, 3..3] {
            let ranges = decoder.byte_ranges(block.clone()).unwrap();
            let bytes: Vec<u8> =
                ranges.into_iter().flat_map(|range| data[range.start as usize..range.end as usize].to_vec()).collect();
            let bytes = Buffer::from_vec(bytes);
            for start in block.clone() {
                for end in start..=block.end {
                    let batch = decoder.decode(&bytes, block.clone(), start..end).unwrap();
                    assert_eq!(batch, whole.slice(start, end - start), "{order:?} {block:?} {start}..{end}");
                }
            }
        }
    }
}
