//! Columns of types that no array of NumPy becomes, and the dtypes that they become.

use std::sync::Arc;

use npy_arrow::arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use npy_arrow::arrow_array::types::{Int8Type, Int32Type};
use npy_arrow::arrow_array::{
    Array, ArrayRef, BinaryArray, Date64Array, Decimal128Array, DictionaryArray, Int8Array, Int64Array, LargeListArray, ListArray,
    NullArray, RecordBatch, RecordBatchIterator, StringArray, StringViewArray, StructArray, Time32SecondArray,
    Time64NanosecondArray, TimestampSecondArray,
};
use npy_arrow::arrow_buffer::{NullBuffer, OffsetBuffer, i256};
use npy_arrow::arrow_schema::{DataType, Field};
use npy_arrow::{ArrayOptions, Fill, RowDType, Survey, from_batches_with, write_batches};
use npy_core::DynValues;

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}

fn of(column: impl Array + 'static, options: impl Into<ArrayOptions>) -> npy_arrow::Result<DynValues> {
    let batch = batch([("x", Arc::new(column) as ArrayRef)]);
    from_batches_with(&batch.schema(), [&batch], options)
}

fn dtype_of(values: &DynValues) -> String {
    values.dtype().field("x").unwrap().dtype().to_string()
}

#[test]
fn dictionaries_become_their_values() {
    let keys = Int8Array::from(vec![Some(1), Some(0), None, Some(1)]);
    let words = StringArray::from(vec![Some("ab"), Some("c"), Some("never used"), None]);
    let words = DictionaryArray::<Int8Type>::new(keys.clone(), Arc::new(words));
    let found = of(words.clone(), Fill::Zero).unwrap();
    assert_eq!(
        (dtype_of(&found).as_str(), found.field_as::<String>("x").unwrap()),
        ("<U2", ["c", "ab", "", "c"].map(str::to_owned).to_vec())
    );
    // A slice has other offsets.
    assert_eq!(of(words.slice(1, 1), Fill::Zero).unwrap().field_as::<String>("x").unwrap(), ["ab"]);
    let message = of(words, ArrayOptions::new()).unwrap_err();
    insta::assert_snapshot!(message, @r#"null in column "x", row 2: dtype <U2 has no missing value; set `ArrayOptions::fill_nulls`"#);

    let numbers = DictionaryArray::<Int8Type>::new(keys.clone(), Arc::new(Int64Array::from(vec![7, 8])));
    assert_eq!(of(numbers.slice(1, 3), Fill::Integer(-1)).unwrap().field_as::<i64>("x").unwrap(), [7, -1, 8]);
    let times = DictionaryArray::<Int8Type>::new(keys, Arc::new(Time32SecondArray::from(vec![7, 8])));
    let found = of(times, ArrayOptions::new()).unwrap();
    assert_eq!(dtype_of(&found), "<m8[s]");
    assert_eq!(found.bytes(), [8, 7, i64::MIN, 8].map(i64::to_le_bytes).concat());
    // Without values, every key is null.
    let empty = DictionaryArray::<Int8Type>::new(Int8Array::from(vec![None, None]), Arc::new(Int64Array::from(Vec::<i64>::new())));
    assert_eq!(of(empty, Fill::Zero).unwrap().field_as::<i64>("x").unwrap(), [0, 0]);
}

#[test]
fn days_and_times_of_day_become_times() {
    let found = of(Date64Array::from(vec![Some(86_400_000), None, Some(-1)]), ArrayOptions::new()).unwrap();
    assert_eq!(
        (dtype_of(&found).as_str(), found.bytes()),
        ("<M8[ms]", &[86_400_000, i64::MIN, -1].map(i64::to_le_bytes).concat()[..])
    );
    let days = ArrayOptions::new().dtype("[('x', '>M8[D]')]".parse().unwrap());
    assert_eq!(of(Date64Array::from(vec![172_800_000]), days.clone()).unwrap().bytes(), 2_i64.to_be_bytes());
    insta::assert_snapshot!(of(Date64Array::from(vec![1]), days).unwrap_err(), @r#"column "x", row 0: cannot represent 1 of Timestamp(ms) exactly as >M8[D]"#);
    let found = of(Time32SecondArray::from(vec![Some(86_399), None]).slice(0, 2), ArrayOptions::new()).unwrap();
    assert_eq!((dtype_of(&found).as_str(), found.bytes()), ("<m8[s]", &[86_399, i64::MIN].map(i64::to_le_bytes).concat()[..]));
    let found = of(Time64NanosecondArray::from(vec![5, 7]).slice(1, 1), ArrayOptions::new()).unwrap();
    assert_eq!((dtype_of(&found).as_str(), found.bytes()), ("<m8[ns]", &7_i64.to_le_bytes()[..]));
}

#[test]
fn decimals_are_refused_or_become_the_nearest_floats() {
    let decimals = |values: &[i128], scale| Decimal128Array::from(values.to_vec()).with_precision_and_scale(38, scale).unwrap();
    let error = of(decimals(&[1], 1), ArrayOptions::new()).unwrap_err();
    insta::assert_snapshot!(error, @r#"column "x": no dtype for Arrow type Decimal128(38, 1); set `ArrayOptions::decimals_as_floats`, cast it to a float, or leave it out with `ArrayOptions::columns`"#);
    let floats = ArrayOptions::new().decimals_as_floats(true);
    let found = of(decimals(&[1, -9_999, 0], 2), floats.clone()).unwrap();
    assert_eq!(found.field_as::<f64>("x").unwrap(), [0.01, -99.99, 0.0]);
    // More digits than a float has: halfway between two, and just above.
    let tie = 9_007_199_254_740_993_i128;
    let found = of(decimals(&[tie * 10, tie * 10 + 1], 1), floats.clone()).unwrap();
    assert_eq!(found.field_as::<f64>("x").unwrap(), [9_007_199_254_740_992.0, 9_007_199_254_740_994.0]);
    assert_eq!(of(decimals(&[12], -3), floats.clone()).unwrap().field_as::<f64>("x").unwrap(), [12_000.0]);
    let wide = npy_arrow::arrow_array::Decimal256Array::from(vec![i256::from_i128(-25)]).with_precision_and_scale(60, 1).unwrap();
    assert_eq!(of(wide, floats).unwrap().field_as::<f64>("x").unwrap(), [-2.5]);
    // A dtype of the caller is as explicit.
    let dtype = ArrayOptions::new().dtype("[('x', '<f8')]".parse().unwrap());
    assert_eq!(of(decimals(&[5], 1), dtype).unwrap().field_as::<f64>("x").unwrap(), [0.5]);
}

#[test]
fn lists_of_one_length_become_sub_arrays() {
    let pairs =
        ListArray::from_iter_primitive::<Int32Type, _, _>([Some([1, 2].map(Some)), Some([3, 4].map(Some)), Some([5, 6].map(Some))]);
    let found = of(pairs.slice(1, 2), ArrayOptions::new()).unwrap();
    assert_eq!(dtype_of(&found), "('<i4', (2,))");
    assert_eq!(found.bytes(), [3, 4, 5, 6].map(i32::to_le_bytes).concat());
    // Null lists have items that no one sees, or none.
    let offsets = OffsetBuffer::from_lengths([2, 0, 1, 2]);
    let items: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 9, 3, 4]));
    let nulls = NullBuffer::from(vec![true, false, false, true]);
    let item = Arc::new(Field::new("item", DataType::Int64, true));
    let gaps = LargeListArray::new(item.clone(), OffsetBuffer::from_lengths([2, 0, 1, 2]), items.clone(), Some(nulls.clone()));
    let found = of(gaps, Fill::Integer(-1)).unwrap();
    assert_eq!(found.bytes(), [1, 2, -1, -1, -1, -1, 3, 4].map(i64::to_le_bytes).concat());
    let gaps = ListArray::new(item, offsets, items, Some(nulls));
    insta::assert_snapshot!(of(gaps, ArrayOptions::new()).unwrap_err(), @r#"null in column "x", row 1: dtype <i8 has no missing value; set `ArrayOptions::fill_nulls`"#);
    // Texts in lists in structs.
    let mut texts = ListBuilder::new(StringBuilder::new());
    texts.append_value([Some("a"), Some("bcd")]);
    texts.append_value([Some("ä"), Some("")]);
    let texts: ArrayRef = Arc::new(texts.finish());
    let fields = StructArray::from(vec![(Arc::new(Field::new("words", texts.data_type().clone(), true)), texts)]);
    assert_eq!(dtype_of(&of(fields, ArrayOptions::new()).unwrap()), "[('words', '<U3', (2,))]");
    let none = ListArray::from_iter_primitive::<Int32Type, _, _>([None::<Vec<Option<i32>>>]);
    assert_eq!(dtype_of(&of(none, Fill::Zero).unwrap()), "('<i4', (0,))");
}

#[test]
fn lists_of_several_lengths_are_refused() {
    let ragged = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None, Some(vec![])]);
    insta::assert_snapshot!(of(ragged.clone(), ArrayOptions::new()).unwrap_err(), @r#"column "x": no dtype for List(Int32): expected lists of one length, found lengths from 0 to 1; leave it out with `ArrayOptions::columns`, or pad its lists"#);
    let dtype = ArrayOptions::new().dtype("[('x', '<i4', (1,))]".parse().unwrap()).fill_nulls(Fill::Zero);
    insta::assert_snapshot!(of(ragged, dtype).unwrap_err(), @r#"column "x", row 2: wrong length of a list: expected 1, found 0"#);
}

#[test]
fn bytes_that_end_in_nul_are_raw_bytes_of_one_length_or_refused() {
    let found = of(BinaryArray::from(vec![&b"a\0"[..], b"bc"]), ArrayOptions::new()).unwrap();
    assert_eq!((dtype_of(&found).as_str(), found.bytes()), ("|V2", &b"a\0bc"[..]));
    assert_eq!(dtype_of(&of(BinaryArray::from(vec![&b"ab"[..], b"bc"]), ArrayOptions::new()).unwrap()), "|S2");
    let error = of(BinaryArray::from(vec![&b"a\0"[..], b"b"]), ArrayOptions::new()).unwrap_err();
    insta::assert_snapshot!(error, @"column \"x\": no dtype for Binary: its bytes have several lengths, and some end in NUL, which `S` drops; leave it out with `ArrayOptions::columns`, or encode it as text");
    let error = of(StringViewArray::from(vec!["a\0"]), ArrayOptions::new()).unwrap_err();
    insta::assert_snapshot!(error, @r#"column "x", row 0: trailing NUL characters are lost in a `U` text; strip them, or leave the column out"#);
}

#[test]
fn types_without_a_dtype_are_left_out() {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    map.append(true).unwrap();
    let map: ArrayRef = Arc::new(map.finish());
    let columns = [("map", map), ("nothing", Arc::new(NullArray::new(1)) as ArrayRef), ("n", Arc::new(Int8Array::from(vec![7])))];
    let batch = batch(columns);
    let refused = |names: &[&str]| from_batches_with(&batch.schema(), [&batch], ArrayOptions::new().columns(names.iter().copied()));
    let error = refused(&["n", "map"]).unwrap_err().to_string();
    assert!(error.starts_with("column \"map\": no dtype for Arrow type Map("), "{error}");
    assert!(error.ends_with("; leave it out with `ArrayOptions::columns`, or cast it"), "{error}");
    insta::assert_snapshot!(refused(&["nothing"]).unwrap_err(), @r#"column "nothing": no dtype for Arrow type Null; all its values are null; leave it out with `ArrayOptions::columns`"#);
    insta::assert_snapshot!(refused(&["m"]).unwrap_err(), @r#"unknown field "m": the records have map, nothing, n"#);
    assert_eq!(refused(&["n"]).unwrap().dtype().to_string(), "[('n', '|i1')]");
}

/// The columns of an own file keep their dtypes.
#[test]
fn selected_columns_have_their_order_and_dtype() {
    let values = DynValues::new(
        "[('a', '>i2'), ('b', 'S2'), ('c', '<f4')]".parse().unwrap(),
        npy_core::Order::C,
        &[1],
        b"\0\x07ab\0\0\0\0".to_vec(),
    );
    let values = values.unwrap();
    let batch = npy_arrow::to_batch(&values).unwrap();
    let found = from_batches_with(&batch.schema(), [&batch], ArrayOptions::new().columns(["b", "a"])).unwrap();
    assert_eq!((found.dtype().to_string().as_str(), found.bytes()), ("[('b', '|S2'), ('a', '>i2')]", &b"ab\0\x07"[..]));
}

#[test]
fn a_survey_names_losses_and_measures_every_batch() {
    let zone: ArrayRef = Arc::new(TimestampSecondArray::from(vec![None, Some(1)]).with_timezone("+01:00"));
    let price: ArrayRef = Arc::new(Decimal128Array::from(vec![None, Some(5)]).with_precision_and_scale(10, 1).unwrap());
    let n: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let inner = StructArray::from(vec![(Arc::new(Field::new("n", DataType::Int64, true)), n)]);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "bcd"]));
    let batch = batch([("zone", zone), ("price", price), ("inner", Arc::new(inner)), ("text", text)]);
    let mut survey = Survey::new(&batch.schema(), ArrayOptions::new().decimals_as_floats(true)).unwrap();
    survey.note(&batch.slice(0, 1)).unwrap();
    assert_eq!(survey.header().unwrap().dtype().field("text").unwrap().dtype().to_string(), "<U1");
    survey.note(&batch.slice(1, 1)).unwrap();
    let header = survey.header().unwrap();
    assert_eq!(header.shape(), [2]);
    insta::assert_snapshot!(header.dtype(), @"[('zone', '<M8[s]'), ('price', '<f8'), ('inner', [('n', '<i8')]), ('text', '<U3')]");
    insta::assert_snapshot!(survey.losses().collect::<Vec<_>>().join("\n"), @r#"
    the exact decimals of the column "price"
    the nulls of the column "inner.n"
    the nulls of the column "price"
    the time zone +01:00 of the column "zone"
    "#);
}

/// Programs keep the metadata of a schema whose columns they change.
#[test]
fn stale_metadata_is_that_of_the_columns_which_are_left() {
    let directory = tempfile::tempdir().unwrap();
    let (path, table) = (directory.path().join("a.npy"), directory.path().join("a.arrow"));
    let dtype = "[('id', '>i8'), ('code', 'S2'), ('x', '>f4')]".parse().unwrap();
    let values = DynValues::new(dtype, npy_core::Order::C, &[1], b"\0\0\0\0\0\0\0\x07ab\x3f\xc0\0\0".to_vec()).unwrap();
    let whole = npy_arrow::to_batch(&values).unwrap();
    let column = |name: &str| Arc::clone(whole.column_by_name(name).unwrap());
    let wide: ArrayRef = Arc::new(BinaryArray::from(vec![&b"abcdef"[..]]));
    let word: ArrayRef = Arc::new(StringArray::from(vec!["seven"]));
    for (columns, expected) in [
        (vec![("id", column("id")), ("x", column("x"))], "[('id', '>i8'), ('x', '>f4')]"),
        (vec![("x", column("x")), ("y", column("x"))], "[('x', '>f4'), ('y', '<f4')]"),
        (
            vec![("id", column("id")), ("kind", column("code")), ("x", column("x"))],
            "[('id', '>i8'), ('kind', '|S2'), ('x', '>f4')]",
        ),
        (vec![("id", word), ("code", column("code")), ("x", column("x"))], "[('id', '<U5'), ('code', '|S2'), ('x', '>f4')]"),
        (vec![("id", column("id")), ("code", wide), ("x", column("x"))], "[('id', '>i8'), ('code', '|S6'), ('x', '>f4')]"),
    ] {
        let changed = RecordBatch::try_from_iter(columns).unwrap();
        let schema = Arc::new(changed.schema().as_ref().clone().with_metadata(whole.schema().metadata().clone()));
        let changed = changed.with_schema(Arc::clone(&schema)).unwrap();
        let mut survey = Survey::new(&schema, ArrayOptions::new()).unwrap();
        survey.note(&changed).unwrap();
        let header = survey.header().unwrap();
        assert_eq!((header.dtype().to_string().as_str(), header.shape()), (expected, &[1][..]));
        // Only a wider text is not in the schema.
        if expected.contains("S6") {
            continue;
        }
        assert_eq!(from_batches_with(&schema, [&changed], ArrayOptions::new()).unwrap().dtype(), header.dtype());
        npy_arrow::ipc::write(&table, RecordBatchIterator::new([Ok(changed)], schema)).unwrap();
        npy_arrow::ipc::to_npy(&table, &path, ArrayOptions::new()).unwrap();
        assert_eq!(DynValues::load(&path).unwrap().dtype(), header.dtype());
    }
}

/// Texts as wide as one of many rows would take the memory of all rows at that width.
#[test]
fn a_batch_of_any_size_is_encoded_in_slices() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let mut texts = vec!["ab".to_owned(); 5000];
    texts[4000] = "x".repeat(2500);
    let batch = batch([("x", Arc::new(StringArray::from(texts.clone())) as ArrayRef)]);
    let dtype = ArrayOptions::new().dtype("[('x', '<U2500')]".parse().unwrap());
    assert_eq!(write_batches(&path, &batch.schema(), [&batch], dtype).unwrap(), 5000);
    assert!(DynValues::load(&path).unwrap().field_as::<String>("x").unwrap() == texts);
}

#[test]
fn the_rows_of_a_query_may_be_lists_and_dictionaries() {
    let words: DictionaryArray<Int8Type> = ["a", "bcd"].into_iter().collect();
    let pairs = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), Some(2)]), Some([Some(3), Some(4)])]);
    let batch = batch([("word", Arc::new(words) as ArrayRef), ("pair", Arc::new(pairs))]);
    let mut dtype = RowDType::of(batch.schema_ref());
    assert!(dtype.has_texts());
    dtype.note(&batch);
    assert_eq!(dtype.dtype().unwrap().to_string(), "[('word', '<U3'), ('pair', '<i4', (2,))]");
}
