//! `npy convert` from and to Parquet and Arrow.

use std::fs;

use crate::support::{example, run};

#[cfg(not(feature = "arrow"))]
#[test]
fn a_build_without_the_feature_says_how_to_get_it() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("a.parquet").display().to_string();
    let expected =
        "unsupported format: npy was built without the feature `arrow`; `cargo install --path npy-cli --features arrow` has it\n";
    assert_eq!(run(["convert", &example("picks.npy"), &out]).trouble(), format!("npy: {out}: {expected}"));
    let arrow = directory.path().join("a.feather").display().to_string();
    fs::write(&arrow, "ARROW1").unwrap();
    assert_eq!(run(["convert", &arrow, "-", "--to", "npy"]).trouble(), format!("npy: {arrow}: {expected}"));
    assert_eq!(run(["convert", &example("picks.npy"), "-", "--to", "arrow"]).trouble(), format!("npy: -: {expected}"));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "only the input is there");
}

#[cfg(feature = "arrow")]
mod with_arrow {
    use std::path::Path;
    use std::sync::Arc;

    use npy_arrow::arrow_array::types::Int8Type;
    use npy_arrow::arrow_array::{
        ArrayRef, Decimal128Array, DictionaryArray, Float64Array, Int32Array, ListArray, NullArray, RecordBatch,
        RecordBatchIterator, RecordBatchReader, StringArray, StructArray, TimestampMicrosecondArray,
    };
    use npy_arrow::arrow_schema::{DataType, Field};
    use npy_arrow::{ipc, parquet};
    use npy_core::{DynValues, Header, Order};

    use super::*;
    use crate::support::numpy::pyarrow;
    use crate::support::{Files, run_with};

    impl Files {
        /// A table of two batches.
        fn table(&self, name: &str, columns: Vec<(&str, ArrayRef)>) -> String {
            let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)));
            let batch = batch.unwrap();
            let half = batch.num_rows() / 2;
            let batches = [batch.slice(0, half), batch.slice(half, batch.num_rows() - half)];
            let path = self.path(name);
            let reader = RecordBatchIterator::new(batches.clone().map(Ok), batch.schema());
            match Path::new(name).extension().unwrap().to_str().unwrap() {
                "parquet" => parquet::write(&path, reader, parquet::properties(&batches[0])).unwrap(),
                _ => ipc::write(&path, reader).unwrap(),
            };
            path
        }
    }

    #[track_caller]
    fn convert(arguments: &[&str]) {
        assert_eq!(run([&["convert"], arguments].concat()).ok(), "");
    }

    #[test]
    fn records_come_back_byte_for_byte() {
        let directory = Files::new();
        let picks = example("picks.npy");
        for table in ["a.parquet", "a.arrow", "a.feather", "a.ipc"] {
            let (table, back) = (directory.path(table), directory.path("back.npy"));
            convert(&[&picks, &table]);
            convert(&[&table, &back]);
            assert_eq!(fs::read(&back).unwrap(), fs::read(&picks).unwrap(), "{table}");
        }
        // What the library writes is the same table.
        let batch = parquet::read(directory.path("a.parquet")).unwrap().next().unwrap().unwrap();
        assert_eq!(batch.num_rows(), 240);
        let schema = batch.schema();
        assert_eq!(schema.field_with_name("station").unwrap().data_type(), &DataType::Utf8);
        assert!(ipc::read(directory.path("a.arrow")).is_ok());
    }

    #[test]
    fn tables_have_rows() {
        let directory = Files::new();
        let picks = example("picks.npy");
        let filter = "--where=latitude > 47 and station != 'ZUR'";
        let expected = directory.run(["show", "--csv", filter, &picks]).ok();
        assert!(expected.lines().count() > 2, "{expected}");
        let stats = |file: &str| {
            let json: serde_json::Value = serde_json::from_str(&directory.run(["stats", "--json", filter, file]).ok()).unwrap();
            json["stats"].clone()
        };
        for table in ["a.parquet", "a.arrow"] {
            let table = directory.path(table);
            convert(&[&picks, &table]);
            assert_eq!(directory.run(["show", "--csv", filter, &table]).ok(), expected);
            assert_eq!(stats(&table), stats(&picks));
            directory.run(["diff", filter, &table, &picks]).ok();
            convert(&[filter, &table, &directory.path("rows.csv")]);
            assert_eq!(String::from_utf8(directory.read("rows.csv")).unwrap(), expected);
        }
        // No null is a value.
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]))),
            ("x", Arc::new(Float64Array::from(vec![Some(1.0), None, Some(3.0)]))),
        ];
        let table = directory.table("nulls.parquet", columns);
        assert_eq!(directory.run(["show", "--where", "x > 1", &table]).stdout, "[(3., 3.)]\n");
        assert_eq!(directory.run(["show", "--where", "isnan(x)", &table]).stdout, "[(nan, nan)]\n");
        // Only the columns that the expression and the output need are read.
        let lists = ListArray::from_iter_primitive::<npy_arrow::arrow_array::types::Int32Type, _, _>(
            [1, 2].map(|count| Some(vec![Some(7); count])),
        );
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(Int32Array::from(vec![1, 2]))),
            ("x", Arc::new(Float64Array::from(vec![0.5, 1.5]))),
            ("ragged", Arc::new(lists)),
        ];
        let table = directory.table("ragged.parquet", columns);
        convert(&["--fields", "id", "--where", "x > 1 and row > 0", &table, &directory.path("rows.csv")]);
        assert_eq!(directory.read("rows.csv"), b"id\n2\n");
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(Int32Array::from(vec![1, 2]))),
            ("x, y", Arc::new(Float64Array::from(vec![0.5, 1.5]))),
            ("speed", Arc::new(Float64Array::from(vec![0.5, 1.5]))),
        ];
        let table = directory.table("commas.parquet", columns);
        convert(&["--fields", "x, y,id", "--where", "speed > 1", &table, &directory.path("rows.csv")]);
        assert_eq!(directory.read("rows.csv"), b"\"x, y\",id\n1.5,2\n");
        let failed = directory.run(["convert", "--fields", "id", "--where", "sped > 1", &table, "rows.npy"]);
        assert!(failed.stderr.contains("unknown field \"sped\": expected one of id, x, y, speed"), "{}", failed.stderr);
    }

    #[test]
    fn every_shape_comes_back() {
        let directory = Files::new();
        // Rows that pieces of 1 MiB cut, rows larger than a piece, no rows, empty rows, no axes; and both orders.
        let shapes: [(&str, &[usize]); 8] = [
            ("<i2", &[1000, 7, 100]),
            (">f8", &[3, 200_000]),
            ("<f4", &[0]),
            ("<f4", &[0, 3]),
            ("<f4", &[5, 0]),
            ("<f4", &[]),
            ("<M8[ns]", &[100, 2]),
            ("[('x', '<f4'), ('y', '<u2', (2,))]", &[10, 3]),
        ];
        for (dtype, shape) in shapes {
            for order in [Order::C, Order::Fortran] {
                let dtype: npy_core::DType = dtype.parse().unwrap();
                let length = dtype.itemsize() * shape.iter().product::<usize>();
                let order = if shape.len() < 2 { Order::C } else { order };
                let bytes = (0..length).map(|byte| (byte % 251) as u8).collect();
                let values = DynValues::new(dtype.clone(), order, shape, bytes).unwrap();
                let [npy, back] = ["a.npy", "back.npy"].map(|name| directory.path(name));
                values.save(&npy).unwrap();
                let expected = values.into_order(Order::C).unwrap();
                for table in ["a.parquet", "a.arrow"] {
                    let table = directory.path(table);
                    convert(&[&npy, &table]);
                    convert(&[&table, &back]);
                    let found = DynValues::load(&back).unwrap();
                    assert_eq!((found.dtype(), found.shape()), (&dtype, shape), "{table}");
                    assert!(found.bytes() == expected.bytes(), "{dtype} {shape:?} {table}");
                }
            }
        }
    }

    #[test]
    fn memory_is_that_of_a_batch() {
        let directory = Files::new();
        let (npy, table) = (directory.path("a.npy"), directory.path("a.arrow"));
        npy_core::save(&npy, &vec![1.5_f64; 1 << 20]).unwrap();
        convert(&[&npy, &table]);
        let most = ipc::read(&table).unwrap().map(|batch| batch.unwrap().num_rows()).max();
        assert_eq!(most, Some((1 << 20) / 8)); // 1 MiB
    }

    #[test]
    fn selects_fields_both_ways() {
        let directory = Files::new();
        let (table, back) = (directory.path("a.parquet"), directory.path("a.npy"));
        convert(&["--fields", "station,origin.time", &example("picks.npy"), &table]);
        let schema = parquet::read(&table).unwrap().schema();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["station", "origin"]);
        convert(&["--fields", "origin.time", &table, &back]);
        assert_eq!(
            Header::read(fs::File::open(&back).unwrap()).unwrap().dtype().to_string(),
            "[('origin', [('time', '<M8[ns]')])]"
        );
        // Of a foreign file, columns without a dtype are left out.
        let x: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
        let foreign = directory.table("f.arrow", vec![("kind", Arc::new(NullArray::new(2))), ("x", x)]);
        let message = directory.refused(["convert", &foreign, &directory.path("g.npy")]);
        let expected = "column \"kind\": no dtype for Arrow type Null; all its values are null; leave it out with --fields\n";
        assert_eq!(message, format!("npy: f.arrow: {expected}"));
        convert(&["--fields", "x", &foreign, &back]);
        assert_eq!(Header::read(fs::File::open(&back).unwrap()).unwrap().dtype().to_string(), "[('x', '<i4')]");
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
        let foreign = directory.table("n.parquet", vec![("x", Arc::clone(&numbers)), ("y", numbers)]);
        let message = directory.refused(["convert", "--fields", "x,z", &foreign, &back]);
        assert_eq!(message, "npy: n.parquet: unknown field \"z\": expected one of x, y\n");
    }

    #[test]
    fn texts_are_as_wide_as_the_longest_of_all_batches() {
        let directory = Files::new();
        let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "bb", "cccc", "ä"]));
        let (table, back) = (directory.table("a.parquet", vec![("name", names)]), directory.path("a.npy"));
        convert(&[&table, &back]);
        let found = DynValues::load(&back).unwrap();
        assert_eq!((found.dtype().to_string().as_str(), found.shape()), ("[('name', '<U4')]", &[4][..]));
        convert(&["--dtype", "[('name', '<U2')]", "--lossy", &table, &back]);
        assert!(directory.refused(["convert", "--dtype", "[('name', '<U2')]", &table, &back]).contains("--lossy"));
    }

    #[test]
    fn columns_of_other_programs_come_back() {
        let directory = Files::new();
        let words: DictionaryArray<Int8Type> = ["a", "bcd", "a"].into_iter().collect();
        let list = |lengths: [usize; 3]| -> ArrayRef {
            Arc::new(ListArray::from_iter_primitive::<Int8Type, _, _>(lengths.map(|length| Some(vec![Some(7); length]))))
        };
        let price = Decimal128Array::from(vec![25, -1, 0]).with_precision_and_scale(10, 1).unwrap();
        for name in ["a.parquet", "a.arrow"] {
            let columns = vec![("word", Arc::new(words.clone()) as ArrayRef), ("pair", list([2, 2, 2]))];
            let (table, back) = (directory.table(name, columns), directory.path("a.npy"));
            convert(&[&table, &back]);
            let found = DynValues::load(&back).unwrap();
            assert_eq!(found.dtype().to_string(), "[('word', '<U3'), ('pair', '|i1', (2,))]");
            assert_eq!(found.field_as::<String>("word").unwrap(), ["a", "bcd", "a"]);

            let table = directory.table(name, vec![("price", Arc::new(price.clone()) as ArrayRef), ("ragged", list([1, 2, 0]))]);
            let message = directory.refused(["convert", &table, &back]);
            assert!(message.starts_with(&format!("npy: {name}: column \"ragged\": no dtype for List(Int8")), "{message}");
            let problem = "expected lists of one length, found lengths from 0 to 2; leave it out with --fields\n";
            assert!(message.ends_with(problem), "{message}");
            let lost = format!("{name}: the exact decimals of the column \"price\"");
            let message = directory.refused(["convert", "--fields", "price", &table, &back]);
            assert_eq!(message, format!("npy: the conversion would lose {lost}; allow it with --lossy\n"));
            let run = directory.run(["convert", "--lossy", "--fields", "price", &table, &back]);
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), format!("npy: lost {lost}\n").as_str()));
            assert_eq!(DynValues::load(&back).unwrap().field_as::<f64>("price").unwrap(), [2.5, -0.1, 0.0]);
        }
    }

    #[test]
    fn nulls_and_time_zones_are_losses() {
        let directory = Files::new();
        let x: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.5), None]));
        let inner = Arc::new(Field::new("n", DataType::Int32, true));
        let n: ArrayRef = Arc::new(Int32Array::from(vec![None, Some(7)]));
        let s: ArrayRef = Arc::new(StructArray::from(vec![(inner, n)]));
        let t: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![None, Some(5)]).with_timezone("Europe/Vienna"));
        for name in ["a.parquet", "a.arrow"] {
            let columns = vec![("x", Arc::clone(&x)), ("s", Arc::clone(&s)), ("t", Arc::clone(&t))];
            let (table, back) = (directory.table(name, columns), directory.path("a.npy"));
            let lost = format!(
                "{name}: the nulls of the column \"s.n\"; \
                 {name}: the time zone Europe/Vienna of the column \"t\""
            );
            let message = directory.refused(["convert", &table, &back]);
            assert_eq!(message, format!("npy: the conversion would lose {lost}; allow it with --lossy\n"));
            let run = directory.run(["convert", "--lossy", &table, &back]);
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), format!("npy: lost {lost}\n").as_str()));
            let found = DynValues::load(&back).unwrap();
            assert_eq!(found.dtype().to_string(), "[('x', '<f8'), ('s', [('n', '<i4')]), ('t', '<M8[us]')]");
            let bytes = found.bytes();
            assert!(f64::from_le_bytes(bytes[20..28].try_into().unwrap()).is_nan());
            assert_eq!((&bytes[8..12], i64::from_le_bytes(bytes[12..20].try_into().unwrap())), (&[0; 4][..], i64::MIN));
            fs::remove_file(&back).unwrap();
        }
    }

    #[test]
    fn nulls_are_no_values_for_commands_that_look() {
        let Some(pyarrow) = pyarrow("nulls_are_no_values_for_commands_that_look") else { return };
        let directory = Files::new();
        let printed = pyarrow.run(["tables.py", "missing", &directory.directory().display().to_string()], b"");
        for name in ["numbers.parquet", "numbers.arrow"] {
            let table = directory.path(name);
            let mut found = String::new();
            for column in ["i", "u", "b", "f", "whole"] {
                let json = directory.run(["stats", "--json", "--fields", column, &table]).ok();
                let stats: serde_json::Value = serde_json::from_str(&json).unwrap();
                let values = directory.run(["show", "--csv", &table, column]).ok();
                let values: Vec<f64> = values.lines().map(|value| value.parse().unwrap()).collect();
                let values = format!("{values:?}").replace("NaN", "nan");
                found += &format!("{column} {:?} {values}\n", stats["stats"][0]["mean"].as_f64().unwrap());
            }
            assert_eq!(found, String::from_utf8_lossy(&printed), "{name}");
            assert_eq!(directory.run(["show", "--where", "i == 0", "--count", &table]).ok(), "1\n");
            assert_eq!(directory.run(["show", "--where", "b == 0", "--count", &table]).ok(), "1\n");
        }
        // An array stays one.
        let matrix = directory.path("matrix.parquet");
        convert(&[&directory.path("matrix.npy"), &matrix]);
        assert_eq!(directory.run(["show", &matrix]).ok(), "[[ 1. nan]\n [ 3.  4.]]\n");
        // A conversion asks, but not for NaN and NaT.
        let [all, big, back] = ["all.parquet", "big.parquet", "back.npy"].map(|name| directory.path(name));
        let lost = ["b", "i", "s", "u"].map(|column| format!("all.parquet: the nulls of the column {column:?}")).join("; ");
        let message = directory.refused(["convert", &all, &back]);
        assert_eq!(message, format!("npy: the conversion would lose {lost}; allow it with --lossy\n"));
        convert(&["--fields", "f,t,whole", &all, &back]);
        let run = directory.run(["show", "--csv", &all, "[['s', 't']]"]);
        assert_eq!(run.stderr, "npy: all.parquet: nulls of the column \"s\" are read as ''\n");
        assert_eq!(run.stdout, "s,t\na,2024-01-02T00:00:00.000000\n,\nc,2024-01-03T00:00:00.000000\n");
        // An integer that no float has is counted.
        let run = directory.run(["show", "--csv", &big]);
        let rounded = "npy: big.parquet: lost 1 number, which was rounded\n";
        assert_eq!(run.stderr, format!("npy: big.parquet: nulls of the column \"in.s\" are read as ''\n{rounded}"));
        assert_eq!(run.stdout, "big,in.k,in.s\n9007199254740992.0,1.0,a\nnan,nan,\n9007199254740992.0,nan,b\n");
    }

    #[test]
    fn columns_without_a_dtype_are_left_out_by_commands_that_look() {
        let Some(pyarrow) = pyarrow("columns_without_a_dtype_are_left_out_by_commands_that_look") else { return };
        let directory = Files::new();
        pyarrow.run(["tables.py", "missing", &directory.directory().display().to_string()], b"");
        let table = directory.path("ragged.parquet");
        let warning = "npy: ragged.parquet: left out the column \"none\": no dtype for Arrow type Null\n\
                       npy: ragged.parquet: left out the column \"ragged\": no dtype for Arrow type List(Int64, field: 'element')\n";
        let run = directory.run(["show", &table]);
        assert_eq!((run.stderr.as_str(), run.stdout.as_str()), (warning, "[(1,) (2,)]\n"));
        for command in [&["info"][..], &["stats"], &["verify"], &["diff", &table], &["hash"]] {
            let run = directory.run([command, &[table.as_str()]].concat());
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            assert!(run.stderr.starts_with(warning), "{}", run.stderr);
        }
        assert_eq!(directory.run([&table]).stderr, warning);
        let message = directory.run(["stats", "--fields", "ragged", &table]).stderr;
        assert_eq!(message, format!("{warning}npy: ragged.parquet: unknown field \"ragged\": expected one of x\n"));
        let message = directory.refused(["convert", &table, &directory.path("back.npy")]);
        assert!(message.ends_with("leave it out with --fields\n"), "{message}");
    }

    #[test]
    fn missing_objects_are_nulls() {
        let Some(pyarrow) = pyarrow("missing_objects_are_nulls") else { return };
        let directory = Files::new();
        let path = directory.directory().display().to_string();
        pyarrow.run(["tables.py", "objects", &path], b"");
        let names = [
            "text", "bytes", "bools", "ints", "floats", "dates", "spans", "complex", "none", "matrix", "many", "records", "rows",
            "dots", "paths",
        ];
        for name in names {
            for table in ["parquet", "arrow"] {
                convert(&[&directory.path(&format!("{name}.npy")), &directory.path(&format!("{name}.{table}"))]);
            }
        }
        let printed = pyarrow.run([&["tables.py", "nulls", &path][..], &names].concat(), b"");
        insta::assert_snapshot!(String::from_utf8_lossy(&printed), @"
        text [{'value': 'a'}, {'value': None}, {'value': None}]
        bytes [{'value': b'a'}, {'value': None}]
        bools [{'value': True}, {'value': None}, {'value': None}]
        ints [{'value': 1}, {'value': None}]
        floats [{'value': 1.5}, {'value': None}, {'value': nan}]
        dates [{'value': datetime.date(2024, 1, 2)}, {'value': None}]
        spans [{'value': None}, {'value': datetime.timedelta(seconds=1)}]
        complex [{'value': [0.0, 1.0]}, {'value': None}]
        none [{'value': None}, {'value': None}]
        matrix [{'value': ['a', None]}, {'value': [None, 'b']}]
        300000 ['text', None]
        records [{'i': 1, 's': 'a', 'k': None, 'p': {'n': None, 'v.w': 'x'}}, {'i': 2, 's': None, 'k': 3, 'p': {'n': 'y', 'v.w': None}}]
        rows [{'value': [{'value': 1, 's': 'a'}]}, {'value': [{'value': 2, 's': None}]}]
        dots [{'a.b': 'x', 'a': 1.0}, {'a.b': None, 'a': 2.0}]
        paths [{'a.b': 'x', 'a': {'b': 1.0}}, {'a.b': None, 'a': {'b': 2.0}}]
        ");
        // Back, it is said.
        let message = directory.refused(["convert", &directory.path("text.parquet"), &directory.path("back.npy")]);
        assert_eq!(
            message,
            "npy: the conversion would lose text.parquet: the nulls of the column \"value\"; allow it with --lossy\n"
        );
    }

    #[test]
    fn standard_input_and_output_are_tables_too() {
        let picks = fs::read(example("picks.npy")).unwrap();
        for format in ["parquet", "arrow", "feather"] {
            let table = run_with(["convert", "-", "--to", format, "-"], &picks);
            assert_eq!((table.code, table.stderr.as_str()), (Some(0), ""));
            let back = run_with(["convert", "--from", format, "-", "--to", "npy", "-"], &table.bytes);
            assert_eq!(back.stderr, "");
            assert!(back.bytes == picks);
        }
    }

    #[test]
    fn other_formats_are_one_step_away() {
        let directory = Files::new();
        let csv = directory.path("a.csv");
        fs::write(&csv, "id,name\n1,a\n2,bc\n").unwrap();
        let (table, back) = (directory.path("a.parquet"), directory.path("b.csv"));
        convert(&[&csv, &table]);
        convert(&[&table, &back]);
        assert_eq!(fs::read_to_string(&back).unwrap(), "id,name\n1,a\n2,bc\n");
        let npz = directory.path("a.npz");
        convert(&[&table, &back, &npz]);
        let message = directory.refused(["convert", &npz, &table]);
        assert!(message.contains("expected one array, found 2"), "{message}");
    }

    #[test]
    fn reads_what_other_programs_write() {
        let Some(pyarrow) = pyarrow("reads_what_other_programs_write") else { return };
        let directory = Files::new();
        pyarrow.run(["tables.py", "of_other_programs", &directory.directory().display().to_string()], b"");
        let mut count = 0;
        for entry in fs::read_dir(directory.directory()).unwrap() {
            let path = entry.unwrap().path().display().to_string();
            let text = run(["convert", &path, "--to", "csv", "-"]).ok();
            assert_eq!(text, "id,name,x,flag\n1,a,0.5,True\n2,bb,1.5,False\n3,ü,2.5,True\n", "{path}");
            count += 1;
        }
        assert_eq!(count, 10);
    }

    /// Each byte of the schema and the footer, which are most of a small file.
    #[test]
    fn damaged_files_are_refused_without_a_panic() {
        let directory = Files::new();
        let x: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
        let whole = fs::read(directory.table("whole.arrow", vec![("x", x)])).unwrap();
        let (damaged, back) = (directory.path("a.arrow"), directory.path("a.npy"));
        let mut refused = 0;
        for index in (0..whole.len()).step_by(7) {
            let mut file = whole.clone();
            file[index] ^= 0x55;
            fs::write(&damaged, &file).unwrap();
            let run = run(["convert", "--lossy", &damaged, &back]);
            assert!(matches!(run.code, Some(0 | 2)) && run.stderr.lines().count() <= 1, "byte {index}: {}", run.stderr);
            refused += usize::from(run.code == Some(2));
            fs::write(&damaged, &whole[..index]).unwrap();
            let message = crate::support::run(["convert", "--lossy", &damaged, &back]).trouble();
            assert!(message.contains("a.arrow: "), "{message}");
        }
        assert!(refused > 10, "{refused}");
    }

    #[test]
    fn an_error_leaves_the_old_file() {
        let directory = Files::new();
        let table = directory.path("a.parquet");
        fs::write(&table, "old").unwrap();
        // In the third piece of 1 MiB.
        let mut bytes = vec![1_u8; 3 << 20];
        bytes[(2 << 20) + 5] = 7;
        let npy = directory.path("a.npy");
        DynValues::new("|b1".parse().unwrap(), Order::C, &[3 << 20], bytes).unwrap().save(&npy).unwrap();
        let message = directory.refused(["convert", &npy, &table]);
        assert_eq!(message, "npy: a.npy: row 2097157: invalid bool 0x07: expected 0 or 1\n");
        assert_eq!(fs::read_to_string(&table).unwrap(), "old");
        // What has no column is refused before anything is read.
        let long = directory.path("long.npy");
        DynValues::new("<f16".parse().unwrap(), Order::C, &[1], vec![0; 16]).unwrap().save(&long).unwrap();
        let message = directory.refused(["convert", &long, &table]);
        assert!(message.starts_with("npy: long.npy: no Arrow type for dtype <f16"), "{message}");
        // And files of other formats.
        let message = directory.refused(["convert", "--from", "arrow", &npy, &directory.path("x.npy")]);
        assert!(message.starts_with("npy: a.npy: "), "{message}");
        let message = directory.refused(["convert", &table, &directory.path("x.npy")]);
        assert!(message.starts_with("npy: a.parquet: "), "{message}");
    }
}
