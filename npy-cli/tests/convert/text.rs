//! CSV and JSON as inputs of `npy convert`.

use std::fs;

use insta::assert_snapshot;
use npy_core::{DynValues, Order};

use super::{convert, load, values};
use crate::support::{Files, run, run_with};

#[test]
fn guesses_the_types_of_columns() {
    let directory = Files::new();
    let csv = "name,n,x,day,at,ok,big\nA,1,1.5,2024-02-29,2024-02-29T12:00:00.25,True,18446744073709551615\n\
        Zürich,-2,nan,,2024-03-01 00:00:00,False,0\n";
    let file = directory.write("t.csv", csv);
    convert(&[&file, &directory.path("t.npy")]);
    let table = load(directory.path("t.npy"));
    assert_snapshot!(table.dtype(), @"[('name', '<U6'), ('n', '<i8'), ('x', '<f8'), ('day', '<M8[D]'), ('at', '<M8[ms]'), ('ok', '|b1'), ('big', '<u8')]");
    assert_snapshot!(table, @"
    [('A',  1, 1.5, '2024-02-29', '2024-02-29T12:00:00.250',  True, 18446744073709551615)
     ('Zürich', -2, nan,        'NaT', '2024-03-01T00:00:00.000', False,                    0)]
    ");
    for (text, expected) in [("1\n2\n", "<i8 [2]"), ("1,2.5\n3,4\n", "<f8 [2, 2]"), ("1,x\n", "[('f0', '<i8'), ('f1', '<U1')] [1]")]
    {
        run_with(["convert", "--from", "csv", "-", &directory.path("o.npy")], text.as_bytes()).ok();
        let found = load(directory.path("o.npy"));
        assert_eq!(format!("{} {:?}", found.dtype(), found.shape()), expected);
    }
    run_with(["convert", "--from", "csv", "--no-header", "-", &directory.path("o.npy")], b"a\nb\n").ok();
    assert_eq!(load(directory.path("o.npy")).to_vec::<String>().unwrap(), ["a", "b"]);
    run_with(["convert", "--from", "json", "-", &directory.path("o.npy")], br#"[{"a": 1, "b": [0.5, null], "t": "2024-01-01"}]"#)
        .ok();
    assert_snapshot!(load(directory.path("o.npy")).dtype(), @"[('a', '<i8'), ('b', '<f8', (2,)), ('t', '<M8[D]')]");
}

/// Without one, a reader takes the first number, which is written as raw bytes, for a name.
#[test]
fn csv_of_bfloat16_has_a_header() {
    let directory = Files::new();
    let (file, csv) = (directory.path("b.npy"), directory.path("b.csv"));
    values("<V2", Order::C, &[2], [0xab, 0x41, 0x10, 0x42]).save(&file).unwrap();
    convert(&[&file, &csv]);
    assert_eq!(fs::read_to_string(&csv).unwrap(), "value\nab41\n1042\n");
    convert(&[&csv, &file]);
    assert_eq!(load(&file).to_vec::<String>().unwrap(), ["ab41", "1042"]);
}

#[test]
fn nested_lists_are_one_sub_array() {
    let directory = Files::new();
    let (text, out) = (directory.path("t.json"), directory.path("o.npy"));
    std::fs::write(&text, r#"[{"a": [[1, 2], [3, 4], [5, 6]], "b": [[{"x": 1}], [{"x": 2}]]}]"#).unwrap();
    convert(&[&text, &out]);
    let values = load(&out);
    assert_eq!(values.dtype().to_string(), "[('a', '<i8', (3, 2)), ('b', [('x', '<i8')], (2, 1))]");
    assert_eq!(values.field_as::<i64>("a").unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(values.bytes()[48..], [1_i64.to_le_bytes(), 2_i64.to_le_bytes()].concat());
}

#[test]
fn text_without_names_keeps_its_first_line() {
    let directory = Files::new();
    let names = DynValues::from_slice(&["a".to_owned(), String::new(), "1".to_owned()]).unwrap();
    let (file, back) = (directory.save("names.npy", &names), directory.path("back.npy"));
    for format in ["csv", "tsv", "json", "ndjson"] {
        let text = directory.path(&format!("names.{format}"));
        convert(&[&file, &text]);
        convert(&["--dtype", "U1", &text, &back]);
        assert_eq!(load(&back), names, "{format}");
    }
}

/// NumPy's own text of them overflows, and years have up to 29 digits.
#[test]
fn times_near_the_limits_come_back() {
    let directory = Files::new();
    let back = directory.path("b.npy");
    let steps = [i64::MAX, i64::MIN + 1, i64::MIN, 1 << 62, 10_i64.pow(15), -1];
    for unit in ["Y", "M", "W", "D", "h", "m", "s", "as", "7h", "2147483647W", "2147483647Y"] {
        let dtype = format!("<M8[{unit}]");
        let bytes: Vec<u8> = steps.iter().flat_map(|steps| steps.to_le_bytes()).collect();
        let values = DynValues::new(dtype.parse().unwrap(), Order::C, &[steps.len()], bytes).unwrap();
        let file = directory.save("a.npy", &values);
        for format in ["csv", "json", "ndjson"] {
            let there = directory.path(&format!("a.{format}"));
            convert(&[&file, &there]);
            convert(&["--dtype", &dtype, &there, &back]);
            assert_eq!(load(&back), values, "{unit} {format}");
        }
    }
    let day = values("<M8[D]", Order::C, &[1], (i64::MIN + 1).to_le_bytes());
    let there = directory.path("d.csv");
    convert(&[&directory.save("d.npy", &day), &there]);
    assert_eq!(fs::read_to_string(there).unwrap(), "-25252734927764585-06-08\n");
}

#[test]
fn digits_alone_are_no_times() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for number in ["1700000000", "20240229", "-1700000000", "+12024"] {
        let json = format!("[\"{number}\"]");
        for (name, text) in [("t.csv", number), ("t.json", &json)] {
            let message = directory.refused(["convert", "--dtype", "M8[s]", &directory.write(name, text), &out]);
            let expected = format!("found the number {number}; a year of more than 4 digits needs its month");
            assert!(message.contains(&expected), "{message}");
        }
    }
    for (dtype, text, expected) in [
        ("M8[s]", "2024", "['2024-01-01T00:00:00']"),
        ("M8[s]", "12024-01", "['12024-01-01T00:00:00']"),
        // As years are written.
        ("M8[Y]", "1700000000", "['1700000000']"),
        ("m8[s]", "1700000000", "[1700000000]"),
    ] {
        convert(&["--dtype", dtype, &directory.write("t.csv", text), &out]);
        assert_eq!(load(&out).to_string(), expected);
    }
}

/// The smallest number is NaT, which no number becomes without a word, and which becomes none.
#[test]
fn nat_is_no_number() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let least = i64::MIN.to_string();
    for (name, text) in [("t.csv", least.clone()), ("t.json", format!("[{least}]"))] {
        let message = directory.refused(["convert", "--dtype", "m8[s]", &directory.write(name, text), &out]);
        assert!(message.contains(&format!("{least} is out of range for <m8[s]")), "{message}");
    }
    for (dtype, nat) in [("<m8[s]", i64::MIN.to_le_bytes()), (">M8[D]", i64::MIN.to_be_bytes())] {
        let file = directory.save("t.npy", &values(dtype, Order::C, &[2], [[0; 8], nat].concat()));
        let message = directory.refused(["convert", "--dtype", "i8", &file, &out]);
        assert!(message.ends_with("element 1: NaT becomes -9223372036854775808; allow it with --lossy\n"), "{message}");
        convert(&["--lossy", "--dtype", "i8", &file, &out]);
        assert_eq!(load(&out).to_vec::<i64>().unwrap(), [0, i64::MIN]);
    }
}

/// Between units of which one counts months, as NumPy casts: by the calendar.
#[test]
fn days_have_months() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let times = |dtype: &str, steps: &[i64]| {
        let bytes = steps.iter().flat_map(|steps| steps.to_le_bytes()).collect::<Vec<_>>();
        directory.save("t.npy", &values(dtype, Order::C, &[steps.len()], bytes))
    };
    let steps =
        |path: &str| load(path).bytes().chunks(8).map(|step| i64::from_le_bytes(step.try_into().unwrap())).collect::<Vec<_>>();
    // Of np.array(…).astype(…).
    for (from, to, before, after) in [
        ("<M8[M]", "<M8[D]", [1, -1, 1_000_000_000, i64::MIN], [31, -31, 30_436_874_998, i64::MIN]),
        ("<M8[Y]", "<M8[s]", [1, -1, 13, i64::MIN], [31_536_000, -31_536_000, 410_227_200, i64::MIN]),
        ("<M8[D]", "<M8[M]", [31, -1, 1_099_511_627_776, i64::MIN], [1, -1, 36_124_327_079, i64::MIN]),
        ("<M8[ns]", "<M8[Y]", [i64::MAX, -1, 0, i64::MIN], [292, -1, 0, i64::MIN]),
    ] {
        convert(&["--lossy", "--dtype", to, &times(from, &before), &out]);
        assert_eq!(steps(&out), after, "{from} {to}");
    }
    convert(&["--dtype", "M8[M]", &times("<M8[D]", &[31, 59]), &out]);
    assert_eq!(steps(&out), [1, 2]);
    for (from, to, step, problem) in [
        ("<M8[D]", "M8[M]", 32, "time 32 is not a whole number of the other unit; allow it with --lossy"),
        ("<M8[M]", "M8[D]", i64::MAX, "time 9223372036854775807 is out of range in the other unit"),
        ("<m8[M]", "m8[D]", 1, "cannot convert <m8[M] to <m8[D]: expected numbers, text, or times of a fixed length"),
    ] {
        let message = directory.refused(["convert", "--dtype", to, &times(from, &[step]), &out]);
        assert!(message.trim_end().ends_with(problem), "{message}");
    }
}

#[test]
fn columns_are_found_by_their_names() {
    let directory = Files::new();
    let file = directory.write("t.csv", "b,a\n1,2\n");
    convert(&["--dtype", "[('a', 'i1'), ('b', 'i1')]", &file, &directory.path("t.npy")]);
    assert_eq!(load(directory.path("t.npy")).bytes(), [2, 1]);
}

#[test]
fn bad_text_is_refused_with_its_place() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let csv = |text: &str| directory.write("t.csv", text);
    let dtype = "[('a', 'i1'), ('b', 'U2')]";
    assert_snapshot!(directory.refused(["convert", &csv("a,b\n1,2\n3\n"), &out]), @"npy: t.csv: line 3: expected 2 columns, found 1");
    assert_snapshot!(directory.refused(["convert", "--dtype", dtype, &csv("a,b\n1,x\n300,y\n"), &out]), @"npy: t.csv: line 3, column 1 (a): 300 is out of range for |i1; allow it with --lossy");
    assert_snapshot!(directory.refused(["convert", "--dtype", dtype, &csv("a,b\n1,\"x\ny\"\nz,y\n"), &out]), @r#"npy: t.csv: line 2, column 2 (b): text is longer than <U2: "x\ny"; allow it with --lossy"#);
    assert_snapshot!(directory.refused(["convert", "--dtype", "S4", &csv("STU\nGRÄF\n"), &out]), @r#"npy: t.csv: line 2, column 1: text is longer than |S4: "GRÄF" of 5 bytes; allow it with --lossy"#);
    assert_snapshot!(directory.refused(["convert", "--dtype", "M8[s]", &csv("2024-02-30\n"), &out]), @r#"npy: t.csv: line 1, column 1: expected a date such as 2024-02-29T12:30:00.5, found "2024-02-30""#);
    assert_snapshot!(directory.refused(["convert", "--dtype", dtype, &csv("1\n"), &out]), @"npy: t.csv: expected 2 columns, as in the dtype, found 1");
    let bytes = directory.write("bytes.csv", b"a\n\xff\n");
    assert_snapshot!(directory.refused(["convert", &bytes, &out]), @"npy: bytes.csv: line 2: expected UTF-8 in column 1, found other bytes");

    let json = |text: &str| directory.write("t.json", text);
    assert_snapshot!(directory.refused(["convert", &json("[[1, 2],\n[3]]"), &out]), @"npy: t.json: ragged lists: expected 2 items, as in the first list, found 1 at line 2 column 3");
    assert_snapshot!(directory.refused(["convert", &json("[{\"a\": 1}, {\"b\": 1}]"), &out]), @r#"npy: t.json: unknown field "b": the first object has no such field at line 1 column 16"#);
    assert_snapshot!(directory.refused(["convert", &json("[1, {}]"), &out]), @"npy: t.json: expected a value, as before, found an object at line 1 column 6");
    assert_snapshot!(directory.refused(["convert", &json("[1, \"a\"]"), &out]), @"npy: t.json: expected values of one type, found text and numbers");
    assert_snapshot!(directory.refused(["convert", "--dtype", "u1", &json("[1,\n 256]"), &out]), @"npy: t.json: 256 is out of range for |u1 at line 2 column 5; allow it with --lossy");
    assert_snapshot!(directory.refused(["convert", &json("1\n2"), &out]), @"npy: t.json: trailing characters at line 2 column 1; read values in lines with --from ndjson");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(directory.refused(["convert", &json(&deep), &out]).contains("recursion limit"));
}

#[test]
fn elements_without_bytes_are_no_endless_text() {
    let directory = Files::new();
    let header = npy_core::Header::new("V0".parse().unwrap(), Order::C, &[1 << 40]).unwrap();
    let file = directory.write("v.npy", header.to_bytes());
    for format in ["csv", "json", "ndjson"] {
        let message = directory.refused(["convert", &file, &directory.path(&format!("v.{format}"))]);
        assert_eq!(message, "npy: v.npy: limit exceeded: expected at most 65536 elements without bytes, found 1099511627776\n");
    }
}

/// As Python's `json` writes what is not finite.
#[test]
fn bare_words_in_json_are_numbers() {
    for (format, text) in [("json", r#"[NaN, -Infinity, Infinity, 1]"#), ("ndjson", "NaN\n-Infinity\nInfinity\n1\n")] {
        let directory = Files::new();
        let out = directory.path("o.npy");
        run_with(["convert", "--from", format, "-", &out], text.as_bytes()).ok();
        assert_eq!(load(&out).to_string(), "[ nan -inf  inf   1.]");
    }
    let directory = Files::new();
    let out = directory.path("o.npy");
    let file = directory.write("t.json", r#"[{"a": NaN, "b": "NaN"}, {"a": 1, "b": "x"}]"#);
    convert(&[&file, &out]);
    assert_snapshot!(load(&out), @"[(nan, 'NaN') ( 1., 'x')]");
    let word = directory.write("w.json", "[1, Nine]");
    assert_snapshot!(directory.refused(["convert", &word, &out]), @"npy: w.json: expected a value, found Nine at line 1 column 5; the bare words are null, true, false, NaN, Infinity and -Infinity");
    let refused = |text: &str| {
        let message = directory.refused(["convert", "--dtype", "f8", &directory.write("w.json", text), &out]);
        message.trim_start_matches("npy: w.json: ").trim_end().to_owned()
    };
    // The columns are those of the text, which has neither quotes around the words nor a mark.
    let found = |word: &str, line: usize, column: usize| format!("expected a value, found {word} at line {line} column {column};");
    for (text, word, line, column) in [
        ("[1, nan]", "nan", 1, 5),
        ("[NaN, NaN, -inf]", "-inf", 1, 12),
        ("[NaN,\n NaN, Infinity, None]", "None", 2, 17),
        ("\u{feff}[NaN, True]", "True", 1, 7),
    ] {
        assert!(refused(text).starts_with(&found(word, line, column)), "{text}: {}", refused(text));
    }
    assert_eq!(refused("[NaN, NaN, \"x\"]"), "expected <f8, found \"x\" at line 1 column 14");
    assert_eq!(refused("[NaN, NaN, 1]]"), "trailing characters at line 1 column 14; read values in lines with --from ndjson");
    assert_eq!(refused("[1,\nNaN 2]"), "expected `,` or `]` at line 2 column 5");
    assert_eq!(refused("[NaN, 123 \"abc\"]"), "expected `,` or `]` at line 1 column 11");
    for format in ["json", "ndjson"] {
        let text = if format == "json" { "\u{feff}[NaN, 2]" } else { "\u{feff}NaN\n2\n" };
        convert(&["--from", format, &directory.write("w.json", text), &out]);
        assert_eq!(load(&out).to_string(), "[nan  2.]");
    }
}

/// Text is read twice, which a pipe cannot be.
#[cfg(unix)]
#[test]
fn pipes_are_read_as_files_are() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for (format, text) in [("csv", "a,b\n1,2\n"), ("json", r#"[{"a": 1, "b": 2}]"#)] {
        let run = run_with(["convert", "--from", format, "/dev/stdin", &out], text.as_bytes());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(load(&out).to_string(), "[(1, 2)]");
    }
}

#[test]
fn long_cells_are_shown_by_their_beginning() {
    let directory = Files::new();
    let file = directory.write("t.csv", format!("a\n{}x\n", "1".repeat(100_000)));
    let message = directory.refused(["convert", "--dtype", "[('a', 'f8')]", &file, &directory.path("o.npy")]);
    assert!(message.len() < 200 && message.contains("111…"), "{message}");
}

#[test]
fn duplicate_names_in_json_are_refused() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for text in [r#"[{"a":1,"b":2},{"a":3,"a":4}]"#, r#"[{"a":1,"a":2}]"#, r#"[{"a":1,"b":2},{"b":3,"b":4}]"#] {
        let file = directory.write("d.json", text);
        let message = directory.refused(["convert", &file, &out]);
        assert!(message.contains("duplicate field"), "{message}");
    }
    let swapped = directory.write("s.json", r#"[{"a":1,"b":2},{"b":4,"a":3}]"#);
    convert(&[&swapped, &out]);
    assert_eq!(load(&out).to_string(), "[(1, 2) (3, 4)]");
}

#[test]
fn whole_numbers_are_not_rounded_to_floats_silently() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let csv = directory.write("t.csv", "a,b\n0.5,1\n9007199254740993,2\n");
    assert_snapshot!(directory.refused(["convert", &csv, &out]), @"npy: t.csv: line 3, column 1 (a): 9007199254740993 loses precision as <f8; allow it with --lossy");
    convert(&["--lossy", &csv, &out]);
    assert_eq!(load(&out).field_as::<f64>("a").unwrap(), [0.5, 9_007_199_254_740_992.0]);
    let json = directory.write("t.json", "[{\"a\": 0.5},\n{\"a\": -9007199254740993}]");
    assert_snapshot!(directory.refused(["convert", &json, &out]), @"npy: t.json: -9007199254740993 loses precision as <f8 at line 2 column 24; allow it with --lossy");
    convert(&["--lossy", &json, &out]);
    let null = directory.write("n.json", "[null, 9007199254740993]");
    assert_snapshot!(directory.refused(["convert", &null, &out]), @"npy: n.json: 9007199254740993 loses precision as <f8 at line 1 column 24; allow it with --lossy");
    let mixed = directory.write("u.csv", "-1\n18446744073709551615\n");
    assert_snapshot!(directory.refused(["convert", &mixed, &out]), @"npy: u.csv: line 2, column 1: 18446744073709551615 loses precision as <f8; allow it with --lossy");
    for (dtype, text) in
        [("f4", "[16777217]"), ("f2", "[2049]"), ("c16", "[[9007199254740993, 1]]"), ("f8", "[1, 9007199254740993]")]
    {
        let file = directory.write("d.json", text);
        let message = directory.refused(["convert", "--dtype", dtype, &file, &out]);
        assert!(message.contains(" loses precision as <"), "{message}");
    }
    // Exact ones, and the shortest digits of a float as many programs write it.
    let exact = "0.5\n9007199254740994\n-9223372036854775808\n100000000000000000000000\n";
    let exact = directory.write("e.csv", format!("{exact}1{}\n", "0".repeat(60)));
    convert(&["--no-header", &exact, &out]);
    let expected = [0.5, 9_007_199_254_740_994.0, -9_223_372_036_854_775_808.0, 1e23, 1e60];
    assert_eq!(load(&out).to_vec::<f64>().unwrap(), expected);
}

/// Where each column is looked for among all, this takes minutes.
#[test]
fn reads_records_of_many_columns_in_any_order() {
    const COLUMNS: usize = 30_000;
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let row = |columns: &mut dyn Iterator<Item = usize>| {
        let fields: Vec<String> = columns.map(|column| format!("\"column{column}\":{column}")).collect();
        format!("{{{}}}", fields.join(","))
    };
    fs::write(path("in.json"), format!("[{},{}]", row(&mut (0..COLUMNS)), row(&mut (0..COLUMNS).rev()))).unwrap();
    let line = |prefix: &str| (0..COLUMNS).map(|column| format!("{prefix}{column}")).collect::<Vec<_>>().join(",");
    fs::write(path("in.csv"), format!("{}\n{}\n", line("column"), line(""))).unwrap();
    for input in ["in.json", "in.csv"] {
        run(["convert", &path(input), &path("out.npy")]).ok();
        assert_eq!(run(["show", &path("out.npy"), "['column29999'][-1:]"]).ok(), "[29999]\n", "{input}");
    }
}

#[test]
fn fields_have_the_order_asked_for() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let file = directory.write("t.json", r#"[{"a": 1, "p": {"x": 2, "y": 3}, "c": 4}]"#);
    for (fields, expected) in [
        ("c,a", "[('c', '<i8'), ('a', '<i8')]"),
        ("p.y,a,p.x", "[('p', [('y', '<i8'), ('x', '<i8')]), ('a', '<i8')]"),
        ("c,p", "[('c', '<i8'), ('p', [('x', '<i8'), ('y', '<i8')])]"),
    ] {
        convert(&["--fields", fields, &file, &out]);
        assert_eq!(load(&out).dtype().to_string(), expected);
    }
    assert_eq!(load(&out).to_string(), "[(4, (2, 3))]");
}
