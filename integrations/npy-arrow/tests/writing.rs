//! Batches of any origin into arrays and files.

use std::io::{Cursor, Seek, SeekFrom, Write};
use std::sync::Arc;

use npy_arrow::arrow_array::builder::{FixedSizeListBuilder, Int32Builder};
use npy_arrow::arrow_array::*;
use npy_arrow::arrow_buffer::NullBuffer;
use npy_arrow::arrow_schema::{ArrowError, DataType, Field, Schema};
use npy_arrow::{
    ArrayOptions, BatchOptions, BatchWriter, ErrorKind, Fill, RowDType, from_batches, from_batches_with, items_from_batch,
    items_to_batch, read_batches, to_batch, to_batch_with, write_batches,
};
use npy_core::{DynValues, NpyRecord, Order};

use crate::support::{file_of, values};

fn batch(columns: impl IntoIterator<Item = (&'static str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn array(batch: &RecordBatch, options: impl Into<ArrayOptions>) -> npy_arrow::Result<DynValues> {
    from_batches_with(&batch.schema(), [batch], options)
}

#[test]
fn foreign_batches_get_the_dtype_of_their_types() {
    let mut lists = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for row in 0..2 {
        lists.values().append_slice(&[row, row + 10]);
        lists.append(true);
    }
    let inner: ArrayRef = Arc::new(StringViewArray::from(vec!["ä", "long enough not to be inline"]));
    let batch = batch([
        ("flag", Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef),
        ("text", Arc::new(LargeStringArray::from(vec!["日本", "b"]))),
        ("bytes", Arc::new(BinaryArray::from(vec![&b"abc"[..], b""]))),
        ("at", Arc::new(TimestampMicrosecondArray::from(vec![Some(5), None]).with_timezone("+00:00"))),
        ("day", Arc::new(Date32Array::from(vec![None, Some(-1)]))),
        ("list", Arc::new(lists.finish())),
        ("inner", Arc::new(StructArray::from(vec![(Arc::new(Field::new("view", DataType::Utf8View, false)), inner)]))),
    ]);
    let values = from_batches(&batch.schema(), [&batch]).unwrap();
    assert_eq!(
        values.dtype().to_string(),
        "[('flag', '|b1'), ('text', '<U2'), ('bytes', '|S3'), ('at', '<M8[us]'), ('day', '<M8[D]'), ('list', '<i4', (2,)), \
         ('inner', [('view', '<U28')])]"
    );
    assert_eq!(values.field_as::<String>("text").unwrap(), ["日本", "b"]);
    assert_eq!(values.field_as::<String>("inner.view").unwrap(), ["ä", "long enough not to be inline"]);
    assert_eq!(values.field("list").unwrap().to_vec::<i32>().unwrap(), [0, 10, 1, 11]);
    let nat = i64::MIN.to_le_bytes();
    assert_eq!(values.field("at").unwrap().bytes()[8..], nat);
    assert_eq!(values.field("day").unwrap().bytes()[..8], nat);
}

#[test]
fn sliced_batches_are_written_from_their_first_row() {
    let source = values("[('a', 'S2'), ('b', '>i4', (2,)), ('c', '|b1'), ('d', [('e', '<f8')])]", 20, &{
        let mut bytes = Vec::new();
        for row in 0..20_u8 {
            bytes.extend([b'a' + row, b'z', 0, 0, 0, row, 0, 0, 1, row, row % 2]);
            bytes.extend(f64::from(row).to_le_bytes());
        }
        bytes
    });
    let batch = to_batch(&source).unwrap();
    let parts = [batch.slice(0, 3), batch.slice(3, 0), batch.slice(3, 9), batch.slice(12, 8)];
    assert!(from_batches(&batch.schema(), &parts).unwrap() == source);
}

#[test]
fn nulls_are_errors_with_row_and_column_or_filled() {
    let number = |nulls: Vec<Option<f32>>| Arc::new(Float32Array::from(nulls)) as ArrayRef;
    let first = batch([("x", number(vec![Some(1.0), Some(2.0)]))]);
    let second = batch([("x", number(vec![Some(3.0), None]))]);
    let schema = first.schema();
    insta::assert_snapshot!(from_batches(&schema, [&first, &second]).unwrap_err(), @r#"null in column "x", row 3: dtype <f4 has no missing value; set `ArrayOptions::fill_nulls`"#);
    let filled = |fill| from_batches_with(&schema, [&first, &second], fill).unwrap().field_as::<f32>("x").unwrap();
    assert_eq!(filled(Fill::Zero)[3], 0.0);
    assert!(filled(Fill::NaN)[3].is_nan());
    assert_eq!(filled(Fill::Integer(-9999))[3], -9999.0);

    let ints = batch([("n", Arc::new(UInt8Array::from(vec![Some(1), None])) as ArrayRef)]);
    assert_eq!(array(&ints, Fill::Integer(255)).unwrap().bytes(), [1, 255]);
    assert_eq!(array(&ints, Fill::NaN).unwrap().bytes(), [1, 0]);
    insta::assert_snapshot!(array(&ints, Fill::Integer(-1)).unwrap_err(), @r#"column "n", row 1: -1 is out of range for |u1"#);
    let texts = batch([("s", Arc::new(StringArray::from(vec![None, Some("ab")])) as ArrayRef)]);
    insta::assert_snapshot!(array(&texts, ArrayOptions::new()).unwrap_err(), @r#"null in column "s", row 0: dtype <U2 has no missing value; set `ArrayOptions::fill_nulls`"#);
    assert_eq!(array(&texts, Fill::Zero).unwrap().field_as::<String>("s").unwrap(), ["", "ab"]);
    let flags = batch([("b", Arc::new(BooleanArray::from(vec![None, Some(true)])) as ArrayRef)]);
    assert_eq!(array(&flags, Fill::Zero).unwrap().bytes(), [0, 1]);
}

#[test]
fn nulls_of_structs_and_lists_reach_their_values() {
    let inner: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let fields = vec![Field::new("n", DataType::Int32, false)].into();
    let structs = StructArray::new(fields, vec![inner.clone()], Some(NullBuffer::from(vec![true, false, true])));
    let structs = batch([("s", Arc::new(structs) as ArrayRef)]);
    insta::assert_snapshot!(array(&structs, ArrayOptions::new()).unwrap_err(), @r#"null in column "s.n", row 1: dtype <i4 has no missing value; set `ArrayOptions::fill_nulls`"#);
    assert_eq!(array(&structs, Fill::Integer(-1)).unwrap().field_as::<i32>("s.n").unwrap(), [1, -1, 3]);
    let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    let item = Arc::new(Field::new("item", DataType::Int32, false));
    let lists = FixedSizeListArray::new(item, 2, values, Some(NullBuffer::from(vec![false, true])));
    let lists = batch([("l", Arc::new(lists) as ArrayRef)]);
    insta::assert_snapshot!(array(&lists, ArrayOptions::new()).unwrap_err(), @r#"null in column "l", row 0: dtype <i4 has no missing value; set `ArrayOptions::fill_nulls`"#);
    assert_eq!(array(&lists, Fill::Zero).unwrap().field("l").unwrap().to_vec::<i32>().unwrap(), [0, 0, 3, 4]);
}

#[test]
fn batches_that_do_not_fit_are_errors() {
    let int = batch([("a", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    let float = batch([("a", Arc::new(Float32Array::from(vec![1.0])) as ArrayRef)]);
    let schema = int.schema();
    insta::assert_snapshot!(from_batches(&schema, [&int, &float]).unwrap_err(), @r#"wrong schema of batch 1: expected ["a": Int32], found ["a": Float32]"#);
    // Names within structs count as well.
    let inner = |name: &str| {
        let column: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        let field = Arc::new(Field::new(name, DataType::Int32, false));
        batch([("s", Arc::new(StructArray::from(vec![(field, column)])) as ArrayRef)])
    };
    let (first, second) = (inner("x"), inner("y"));
    insta::assert_snapshot!(from_batches(&first.schema(), [&first, &second]).unwrap_err(), @r#"wrong schema of batch 1: expected ["s": Struct("x": non-null Int32)], found ["s": Struct("y": non-null Int32)]"#);
    let options = |dtype: &str| ArrayOptions::new().dtype(dtype.parse().unwrap());
    insta::assert_snapshot!(array(&int, options("[('a', '<i8')]")).unwrap_err(), @r#"column "a": wrong type for dtype <i8: expected Int64, found Int32"#);
    insta::assert_snapshot!(array(&int, options("[('a', '<i4'), ('b', '<i4')]")).unwrap_err(), @r#"missing column "b"; set `ArrayOptions::dtype`, or remove the metadata `npy:descr`"#);
    insta::assert_snapshot!(array(&int, options("[('a', '<i4', (2,))]")).unwrap_err(), @r#"column "a": wrong type: expected FixedSizeList(2 x non-null Int32), found Int32"#);
    insta::assert_snapshot!(array(&int, options("[('a', [('b', '<i4')])]")).unwrap_err(), @r#"column "a": wrong type: expected Struct("b": non-null Int32), found Int32"#);
    insta::assert_snapshot!(array(&int, options("[]")).unwrap_err(), @r#"unexpected column "a"; set `ArrayOptions::dtype`, or remove the metadata `npy:descr`"#);
    insta::assert_snapshot!(array(&int, options("[('a', '<f16')]")).unwrap_err(), @r#"field "a": no Arrow type for dtype <f16; leave it out with `BatchOptions::columns`, or cast the field in NumPy"#);
    let text = batch([("s", Arc::new(StringArray::from(vec!["", "abc"])) as ArrayRef)]);
    insta::assert_snapshot!(array(&text, options("[('s', '<U2')]")).unwrap_err(), @r#"column "s", row 1: text too long for <U2: expected at most 2 characters, found 3"#);
    let nul = batch([("s", Arc::new(BinaryArray::from(vec![&b"a\0"[..]])) as ArrayRef)]);
    insta::assert_snapshot!(array(&nul, options("[('s', 'S2')]")).unwrap_err(), @r#"column "s", row 0: trailing NUL bytes are lost in an `S` text; store them as raw bytes (`V`)"#);
    let twice = Schema::new(vec![Field::new("a", DataType::Int8, false), Field::new("a", DataType::Int8, false)]);
    insta::assert_snapshot!(from_batches(&twice, [] as [RecordBatch; 0]).unwrap_err(), @r#"duplicate column "a"; rename one of them"#);
    let wrong = Schema::new(vec![Field::new("a", DataType::Int8, false)])
        .with_metadata([("npy:descr".to_owned(), "'<q9'".to_owned())].into());
    insta::assert_snapshot!(from_batches(&wrong, [] as [RecordBatch; 0]).unwrap_err(), @r#"invalid metadata "npy:descr": expected a dtype, found "'<q9'""#);
}

#[derive(Clone, Debug, NpyRecord, PartialEq)]
struct Origin {
    depth: f32,
    code: String,
}

#[derive(Clone, Debug, NpyRecord, PartialEq)]
struct Pick {
    id: u32,
    origin: Origin,
    waveform: [[f32; 2]; 2],
    reviewed: bool,
}

#[test]
fn structs_become_batches_and_back() {
    let pick = |id: u32| Pick {
        id,
        origin: Origin { depth: 0.5, code: format!("é{id}") },
        waveform: [[1.0, 2.0], [3.0, 4.0]],
        reviewed: id.is_multiple_of(2),
    };
    let picks: Vec<Pick> = (0..5).map(pick).collect();
    let batch = items_to_batch(&picks).unwrap();
    assert_eq!(items_from_batch::<Pick>(&batch).unwrap(), picks);
    // Without metadata, the types tell the dtype.
    let schema = Arc::new(Schema::new(batch.schema().fields().clone()));
    let bare = RecordBatch::try_new(schema, batch.columns().to_vec()).unwrap();
    assert_eq!(items_from_batch::<Pick>(&bare).unwrap(), picks);
    let error = items_from_batch::<Origin>(&batch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
}

#[test]
fn matrix_columns_become_a_matrix() {
    let matrix = DynValues::new("<i2".parse().unwrap(), Order::C, &[2, 3], (0..12).collect()).unwrap();
    let batch = npy_arrow::to_batch_with(&matrix, BatchOptions::new().matrix_columns(true)).unwrap();
    assert!(from_batches(&batch.schema(), [&batch]).unwrap() == matrix);
    let columns = ["a", "b"].map(|name| (name, Arc::new(UInt8Array::from(vec![1, 2])) as ArrayRef));
    let values = array(&self::batch(columns), ArrayOptions::new().dtype("('|u1', (2,))".parse().unwrap())).unwrap();
    assert_eq!((values.shape(), values.bytes()), (&[2, 2][..], &[1, 1, 2, 2][..]));
}

#[test]
fn files_grow_batch_by_batch_and_equal_what_numpy_writes() {
    let directory = tempfile::tempdir().unwrap();
    let (path, copy) = (directory.path().join("a.npy"), directory.path().join("b.npy"));
    for values in [
        values("[('a', '>i4'), ('', '|V3'), ('b', 'U2')]", 1000, &[0; 15 * 1000]),
        DynValues::new("<f4".parse().unwrap(), Order::C, &[100, 2, 3], vec![1; 2400]).unwrap(),
        values("[('a', '>i4')]", 0, &[]),
    ] {
        values.save(&path).unwrap();
        let batches = read_batches(&path, BatchOptions::new().rows(77)).unwrap();
        let rows = write_batches(&copy, &batches.schema(), batches, ArrayOptions::new()).unwrap();
        assert_eq!(rows, values.shape()[0] as u64);
        assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&path).unwrap());
    }
    // In the middle of a stream.
    let batch = to_batch(&values("|u1", 2, &[1, 2])).unwrap();
    let mut stream = Cursor::new(b"before".to_vec());
    stream.seek(SeekFrom::End(0)).unwrap();
    let mut writer = BatchWriter::new(stream, &batch.schema(), ArrayOptions::new()).unwrap();
    writer.write(&batch).unwrap();
    let mut stream = writer.finish().unwrap();
    stream.write_all(b"behind").unwrap();
    assert_eq!(stream.into_inner(), [b"before", &file_of(&values("|u1", 2, &[1, 2]))[..], b"behind"].concat());
}

#[test]
fn failed_writes_leave_the_old_file_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    npy_core::save(&path, &[1_u8]).unwrap();
    let before = std::fs::read(&path).unwrap();
    let good = batch([("x", Arc::new(UInt8Array::from(vec![1])) as ArrayRef)]);
    let bad = batch([("x", Arc::new(UInt8Array::from(vec![None])) as ArrayRef)]);
    let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::UInt8, true)]));
    let error = write_batches(&path, &schema, [&good, &bad], ArrayOptions::new()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Unstorable, Some(&*path)));
    assert!(error.message().starts_with("null in column \"x\", row 1: dtype "), "{error}");
    let gone = || Err(ArrowError::IpcError("gone".to_owned()));
    assert!(write_batches(&path, &schema, [Ok(good.clone()), gone()], ArrayOptions::new()).is_err());
    // The message of a source of batches, once.
    let line = || std::io::Error::other("the line is gone");
    for (source, message) in [
        (ArrowError::CsvError("gone".to_owned()), "Csv error: gone"),
        (line().into(), "Io error: the line is gone"),
        (ArrowError::ExternalError(Box::new(line())), "External error: the line is gone"),
    ] {
        let error = from_batches::<Result<RecordBatch, _>>(&schema, [Err(source)]).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str(), format!("{error:#}").as_str()),
            (ErrorKind::External, message, message)
        );
    }
    let text = Schema::new(vec![Field::new("s", DataType::Utf8, true)]);
    let error = BatchWriter::create(&path, &text, ArrayOptions::new()).unwrap_err().to_string();
    insta::assert_snapshot!(error.replace(&path.display().to_string(), "PATH"), @r#"PATH: column "s": unknown width of Utf8; set `ArrayOptions::dtype` or `text_width`, or use `Survey`"#);
    // A writer that is dropped; and one that goes on after a batch that does not fit.
    let mut writer = BatchWriter::create(&path, &schema, ArrayOptions::new()).unwrap();
    writer.write(&good).unwrap();
    drop(writer);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    let mut writer = BatchWriter::create(&path, &schema, ArrayOptions::new()).unwrap();
    assert!(writer.write(&bad).is_err());
    writer.write(&good).unwrap();
    assert_eq!(writer.rows(), 1);
    writer.commit().unwrap();
    assert_eq!(DynValues::load(&path).unwrap().bytes(), [1]);
}

/// The metadata outlives projections and other values.
#[test]
fn the_dtype_of_a_query_is_that_of_the_file_as_far_as_it_is_known() {
    let dtype = "[('code', 'S2'), ('name', '>U3'), ('time', '<M8[Y]'), ('at', [('place', '<U1'), ('x', '>f4')])]";
    let bytes = [&b"ab"[..], &[0, 0, 0, 66, 0, 0, 0, 0, 0, 0, 0, 0], &[1, 0, 0, 0, 0, 0, 0, 0], &[67, 0, 0, 0], &[0; 4]].concat();
    let all = to_batch_with(&values(dtype, 1, &bytes), BatchOptions::new().bytes_as_text(true)).unwrap();
    let of = |batch: &RecordBatch| {
        let mut dtype = RowDType::of(batch.schema_ref());
        assert!(dtype.has_texts());
        dtype.note(batch);
        dtype.dtype().unwrap().to_string()
    };
    assert_eq!(of(&all), dtype.replace("'S2'", "'|S2'"));
    assert_eq!(of(&all.project(&[2, 0]).unwrap()), "[('time', '<M8[Y]'), ('code', '|S2')]");
    // Other values under the same names.
    let with = |index: usize, column: ArrayRef| {
        let mut columns = all.columns().to_vec();
        columns[index] = column;
        let schema = all.schema();
        let fields = schema.fields().iter().zip(&columns);
        let fields: Vec<_> =
            fields.map(|(field, column)| field.as_ref().clone().with_data_type(column.data_type().clone())).collect();
        RecordBatch::try_new(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())), columns).unwrap()
    };
    let wider = with(0, Arc::new(StringArray::from(vec!["é€"])));
    assert_eq!(of(&wider), dtype.replace("'S2'", "'|S5'"));
    let wider = with(1, Arc::new(StringArray::from(vec!["four"])));
    assert_eq!(of(&wider), dtype.replace("'S2'", "'|S2'").replace(">U3", ">U4"));
    let other = with(0, Arc::new(Int16Array::from(vec![1])));
    assert_eq!(of(&other), dtype.replace("'S2'", "'<i2'"));
    // Texts of a struct that is of no file.
    let foreign = RecordBatch::try_from_iter([("at", all.column(3).clone())]).unwrap();
    assert_eq!(of(&foreign), "[('at', [('place', '<U1'), ('x', '<f4')])]");
    // An array that is not of records.
    let texts = to_batch_with(&values("S2", 1, b"ab"), BatchOptions::new().bytes_as_text(true)).unwrap();
    assert_eq!(of(&texts), "|S2");
    let longer: ArrayRef = Arc::new(StringArray::from(vec!["abcd"]));
    assert_eq!(of(&RecordBatch::try_new(texts.schema(), vec![longer]).unwrap()), "|S4");
    assert!(!RowDType::of(&Schema::empty()).has_texts());
}
