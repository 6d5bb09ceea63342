//! CSV as people have it: which delimiter, header, comments and missing values are read, and what is said about it.

use insta::assert_snapshot;
use npy_core::{DynValues, Order};

use super::{convert, load};
use crate::support::numpy::numpy;
use crate::support::{Files, Run, run, run_with};

/// The dtype, the shape and the values of CSV, and what was said about it without the name.
fn read(text: impl AsRef<[u8]>, options: &[&str]) -> (String, String) {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let run = run_with([&["convert", "--from", "csv"], options, &["-", &out]].concat(), text.as_ref());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let values = load(&out);
    let said = run.stderr.trim_end().replace("npy: -: guessed ", "");
    (format!("{} {:?} {}", values.dtype(), values.shape(), values.to_string().replace('\n', "")), said)
}

#[track_caller]
fn check(text: &str, options: &[&str], expected: &str, said: &str) {
    assert_eq!(read(text, options), (expected.to_owned(), said.to_owned()), "{text:?} {options:?}");
}

#[test]
fn headers_are_told_by_the_types_below_them() {
    let names = "names in line 1 (--no-header)";
    for (text, expected, said) in [
        // The index of pandas, with names of text, of numbers, and with an index of text.
        (",a,b\n0,1.5,x\n1,2.5,y\n", "[('f0', '<i8'), ('a', '<f8'), ('b', '<U1')] [2] [(0, 1.5, 'x') (1, 2.5, 'y')]", ""),
        (",0,1\n0,5,6\n1,7,8\n", "[('f0', '<i8'), ('0', '<i8'), ('1', '<i8')] [2] [(0, 5, 6) (1, 7, 8)]", ""),
        (
            ",2020,2021\nFR,5,6\nDE,7,8\n",
            "[('f0', '<U2'), ('2020', '<i8'), ('2021', '<i8')] [2] [('FR', 5, 6) ('DE', 7, 8)]",
            names,
        ),
        // Numbers, duplicates and empty cells decide nothing.
        ("id,2020\n1,5\n2,6\n", "[('id', '<i8'), ('2020', '<i8')] [2] [(1, 5) (2, 6)]", names),
        (
            "a,a\n1,2\n3,4\n",
            "[('a', '<i8'), ('a_1', '<i8')] [2] [(1, 2) (3, 4)]",
            "the name \"a_1\" for column 2, as \"a\" is taken",
        ),
        ("a,,c\n1,2,3\n", "[('a', '<i8'), ('f1', '<i8'), ('c', '<i8')] [1] [(1, 2, 3)]", ""),
        ("t,x\n2024-01-01,1\n", "[('t', '<M8[D]'), ('x', '<i8')] [1] [('2024-01-01', 1)]", ""),
        ("city,2024-01-01\nA,5\n", "[('city', '<U1'), ('2024-01-01', '<i8')] [1] [('A', 5)]", ""),
        ("0,1\n0.5,1.5\n", "[('0', '<f8'), ('1', '<f8')] [1] [(0.5, 1.5)]", names),
        (
            "id\n007\n12\n",
            "[('id', '<U3')] [2] [('007',) ('12',)]",
            "text in column 1 (id), since numbers do not begin with 0 (--dtype)",
        ),
        // Data.
        ("0,1\n2,3\n", "<i8 [2, 2] [[0 1] [2 3]]", "data in line 1 (--header)"),
        ("0\n2\n", "<i8 [2] [0 2]", ""),
        ("007\n008\n", "<U3 [2] ['007' '008']", "text in column 1, since numbers do not begin with 0 (--dtype)"),
        ("00\n", "<U2 [1] ['00']", "text in column 1, since numbers do not begin with 0 (--dtype)"),
        // Quotes around the names alone.
        ("\"0\",\"1\"\n2,3\n", "[('0', '<i8'), ('1', '<i8')] [1] [(2, 3)]", ""),
        ("\"1\"\r\n5\r\n", "[('1', '<i8')] [1] [(5,)]", ""),
        ("\"\",\"1\"\n\"a\",3\n", "[('f0', '<U1'), ('1', '<i8')] [1] [('a', 3)]", ""),
        ("\"0\",\"1\"\n\"2\",\"3\"\n", "<i8 [2, 2] [[0 1] [2 3]]", "data in line 1 (--header)"),
        ("\"a,b\"\nc\n", "[('a,b', '<U1')] [1] [('c',)]", names),
        ("\"\"\n2024-01-01\n", "<M8[D] [2] [       'NaT' '2024-01-01']", ""),
        ("hello world\n", "[('hello world', '<f8')] [0] []", names),
        ("1,2\n3,4\n", "<i8 [2, 2] [[1 2] [3 4]]", ""),
        (",2\n1,2\n", "<f8 [2, 2] [[nan  2.] [ 1.  2.]]", ""),
        ("NA,1\n2,3\n", "<f8 [2, 2] [[nan  1.] [ 2.  3.]]", "\"NA\" in column 1 for what is missing (--na)"),
        ("x,1.5\ny,2.5\n", "[('f0', '<U1'), ('f1', '<f8')] [2] [('x', 1.5) ('y', 2.5)]", ""),
        ("x,1\ny,2\n", "[('f0', '<U1'), ('f1', '<i8')] [2] [('x', 1) ('y', 2)]", "data in line 1 (--header)"),
        // Text above text may be either.
        ("a\nb\n", "[('a', '<U1')] [1] [('b',)]", names),
        ("a,b\nx,y\n", "[('a', '<U1'), ('b', '<U1')] [1] [('x', 'y')]", names),
        ("a,a\nx,y\n", "[('f0', '<U1'), ('f1', '<U1')] [2] [('a', 'a') ('x', 'y')]", "data in line 1 (--header)"),
        ("a,b\n", "[('a', '<f8'), ('b', '<f8')] [0] []", names),
        ("1,x\n", "[('f0', '<i8'), ('f1', '<U1')] [1] [(1, 'x')]", ""),
        ("", "<f8 [0] []", ""),
    ] {
        check(text, &[], expected, said);
    }
    check("a\nb\n", &["--no-header"], "<U1 [2] ['a' 'b']", "");
    check("x,1\ny,2\n", &["--header"], "[('x', '<U1'), ('1', '<i8')] [1] [('y', 2)]", "");
    check("1\n2\n", &["--header"], "[('1', '<i8')] [1] [(2,)]", "");
}

/// As `write.table` of R writes them, and `read.table` reads them.
#[test]
fn names_of_rows_need_no_name() {
    let said = "names of rows in column 1, for which line 1 has no name (--no-header)";
    let space = &format!("delimiter space (--delimiter), {said}");
    let numbered = "[('f0', '<i8'), ('a', '<f8'), ('b', '<i8')] [2] [(1, 1.5, 2) (2, 2.5, 3)]";
    for (text, expected, said) in [
        ("\"a\" \"b\"\n\"1\" 1.5 2\n\"2\" 2.5 3\n", numbered, space.as_str()),
        ("a b\n1 1.5 2\n2 2.5 3\n", numbered, space),
        ("\"a\",\"b\"\n\"1\",1.5,2\n\"2\",2.5,3\n", numbered, said),
        (
            "\"mpg\" \"kind\"\n\"Mazda RX4\" 21 \"a b\"\n\"Datsun 710\" 22.8 NA\n",
            "[('f0', '<U10'), ('mpg', '<f8'), ('kind', '<U3')] [2] [('Mazda RX4', 21. , 'a b') ('Datsun 710', 22.8, 'NA')]",
            space,
        ),
        ("\"x\"\n\"a\" 1\n\"b\" 2\n", "[('f0', '<U1'), ('x', '<i8')] [2] [('a', 1) ('b', 2)]", space),
    ] {
        check(text, &[], expected, said);
    }
    check("a\tb\nr\t1\t2\n", &["--delimiter", "tab"], "[('f0', '<U1'), ('a', '<i8'), ('b', '<i8')] [1] [('r', 1, 2)]", said);
    // A decimal comma, and a delimiter at the end of lines, are none.
    let directory = Files::new();
    for text in ["a,b\n1,2,5\n", "a,b\n1,2,\n", "a;b\n1;2;\n"] {
        let options = if text.contains(';') { &["--delimiter", ";"][..] } else { &[] };
        let file = directory.write("t.csv", text);
        let message = directory.refused([&["convert"][..], options, &[&file, &directory.path("o.npy")]].concat());
        assert!(message.contains("line 2: expected 2 columns, found 3"), "{message}");
    }
}

#[test]
fn headers_are_told_by_the_dtype() {
    let dtype = "[('a', '<i8'), ('b', '<U1')]";
    for (text, said) in [("a,b\n1,x\n", ""), ("b,a\nx,1\n", ""), ("1,x\n", ""), ("other,names\n1,x\n", "")] {
        check(text, &["--dtype", dtype], &format!("{dtype} [1] [(1, 'x')]"), said);
    }
    check(
        "p,q\nx,y\n",
        &["--dtype", "[('a', '<U1'), ('b', '<U1')]"],
        "[('a', '<U1'), ('b', '<U1')] [1] [('x', 'y')]",
        "names in line 1 (--no-header)",
    );
    let directory = Files::new();
    let (file, out) = (directory.write("t.csv", "a,b\n1,2\n"), directory.path("o.npy"));
    assert_snapshot!(directory.refused(["convert", "--dtype", "i8", &file, &out]), @r#"npy: t.csv: line 1, column 1: expected <i8, found "a"; if the line has names, skip it with --header"#);
    convert(&["--dtype", "i8", "--header", &file, &out]);
    assert_eq!(load(&out).shape(), [1, 2]);
}

#[test]
fn delimiters_and_decimal_commas_are_guessed() {
    let table = "[('a', '<i8'), ('b', '<f8')] [2] [(1, 2.5) (3, 4.5)]";
    for (text, expected, said) in [
        ("a,b\n1,2.5\n3,4.5\n", table, ""),
        ("a;b\n1;2.5\n3;4.5\n", table, "delimiter \";\" (--delimiter)"),
        ("a|b\n1|2.5\n3|4.5\n", table, "delimiter \"|\" (--delimiter)"),
        ("a\tb\n1\t2.5\n3\t4.5\n", table, "delimiter tab (--delimiter)"),
        ("a b\n1 2.5\n3 4.5\n", table, "delimiter space (--delimiter)"),
        ("  a   b\n  1 2.5 \n 3   4.5\n", table, "delimiter space (--delimiter)"),
        ("a;b\r\n1;2,5\r\n3;4,5\r\n", table, "delimiter \";\" (--delimiter), decimal commas (--decimal)"),
        ("1,5;2,5\n3,5;4,5\n", "<f8 [2, 2] [[1.5 2.5] [3.5 4.5]]", "delimiter \";\" (--delimiter), decimal commas (--decimal)"),
        ("\u{feff}a;b\n1;2.5\n3;4.5\n", table, "delimiter \";\" (--delimiter)"),
        ("\u{feff}a,b\n1,2.5\n3,4.5\n", table, ""),
        // The hint of Excel.
        ("sep=;\na;b\n1;2.5\n3;4.5\n", table, ""),
        ("\u{feff}sep=|\r\na|b\r\n1|2.5\r\n3|4.5\r\n", table, ""),
        ("sep=,\n# c\na,b\n1,2.5\n3,4.5\n", table, "comments after # (--comment)"),
        ("sep=ab\nx\n", "[('sep=ab', '<U1')] [1] [('x',)]", "names in line 1 (--no-header)"),
        // Other characters that all lines have are text.
        ("a,b\n1,x;y\n2,z;w\n", "[('a', '<i8'), ('b', '<U3')] [2] [(1, 'x;y') (2, 'z;w')]", ""),
        ("\"a;b\"\n\"c;d\"\n", "[('a;b', '<U3')] [1] [('c;d',)]", "names in line 1 (--no-header)"),
        ("at\n2024-01-01 12:00:00\n", "[('at', '<M8[s]')] [1] [('2024-01-01T12:00:00',)]", ""),
        ("first name\nan other\n", "[('first name', '<U8')] [1] [('an other',)]", "names in line 1 (--no-header)"),
    ] {
        check(text, &[], expected, said);
    }
    check("a:b\n1:2.5\n3:4.5\n", &["--delimiter", ":"], table, "");
    check("a;b\n1;2,5\n3;4,5\n", &["--delimiter", ";", "--decimal", ","], table, "");
    let other = "text in column 2 (b), since it has a comma where decimals have a point (--decimal)";
    check("a;b\n1;2,5\n", &["--delimiter", ";", "--decimal", "."], "[('a', '<i8'), ('b', '<U3')] [1] [(1, '2,5')]", other);
    check("1\t2\n", &["--delimiter", "tab"], "<i8 [1, 2] [[1 2]]", "");
    check("a;b\n1;2\n", &["--delimiter", ","], "[('a;b', '<U3')] [1] [('1;2',)]", "names in line 1 (--no-header)");
    let directory = Files::new();
    let (file, out) = (directory.write("t.csv", b"\xff\xfea\0,\0b\0\n\0"), directory.path("o.npy"));
    assert_snapshot!(directory.refused(["convert", &file, &out]), @"npy: t.csv: expected UTF-8, found UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`");
    let file = directory.write("t.csv", "x,y\n# later\n1,5\n");
    assert_snapshot!(directory.refused(["convert", &file, &out]), @r##"npy: t.csv: line 2: expected 2 columns, found 1; skip comments with --comment "#""##);
    let file = directory.write("t.csv", "sep=;\nx;y\n1\n");
    assert_snapshot!(directory.refused(["convert", &file, &out]), @"npy: t.csv: line 3: expected 2 columns, found 1");
    let file = directory.write("t.csv", "x\n1,5\n");
    assert_snapshot!(directory.refused(["convert", &file, &out]), @"npy: t.csv: line 2: expected 1 column, found 2; --delimiter and --comment say how the file is written");
    let array = directory.save("a.npy", &DynValues::from_slice(&[1_u8]).unwrap());
    assert_snapshot!(directory.refused(["convert", "--delimiter", ";", &array, &directory.path("a.csv")]), @"npy: --delimiter is for CSV and TSV inputs, found none; give their format with --from csv");
}

#[test]
fn points_are_no_decimals_beside_commas() {
    let said = |column, other, sign| format!("text in {column}, since it has a {other} where decimals have a {sign} (--decimal)");
    let point = said("column 2 (b)", "point", "comma");
    for cell in ["1.5", "1.234", ".5", "-1.5e3", "(1.5+2j)", "1.234,5"] {
        let (text, width) = (format!("a;b\n1;2,5\n2;{cell}\n3;7\n"), cell.len().max(3));
        let expected = format!("[('a', '<i8'), ('b', '<U{width}')] [3] [(1, '2,5') (2, '{cell}') (3, '7')]");
        let said = if cell == "1.234,5" { "" } else { &point };
        let (found, words) = read(&text, &["--delimiter", ";", "--decimal", ","]);
        assert_eq!((found.replace("  ", " ").replace("  ", " "), words.as_str()), (expected, said), "{cell}");
    }
    // Text, and times, may have points.
    let text = "a;b;t\n2,5;v1.5;2024-01-01T12:30:00.5\n3;2.5;2024-01-01T12:30:00\n";
    check(
        text,
        &["--delimiter", ";", "--decimal", ","],
        "[('a', '<f8'), ('b', '<U4'), ('t', '<M8[ms]')] [2] [(2.5, 'v1.5', '2024-01-01T12:30:00.500') (3. , '2.5', '2024-01-01T12:30:00.000')]",
        "",
    );
    // Where a file has both, none of them is guessed to be the decimal comma.
    let guessed = format!("delimiter \";\" (--delimiter), {}", said("column 1 (a)", "comma", "point"));
    check("a;b\n1,5;2.5\n3;4\n", &[], "[('a', '<U3'), ('b', '<f8')] [2] [('1,5', 2.5) ('3', 4. )]", &guessed);
    // Beyond the lines by which it is guessed.
    let text = format!("a;b\n{}1;2.5\n", "1;2,5\n".repeat(60_000));
    let words = read(&text, &[]).1;
    assert_eq!(words, format!("delimiter \";\" (--delimiter), decimal commas (--decimal), {point}"));
    let directory = Files::new();
    let (file, out) = (directory.write("t.csv", "2,5;1\n1.5;2\n"), directory.path("o.npy"));
    let options = ["--dtype", "f8", "--delimiter", ";"];
    assert_snapshot!(directory.refused([&["convert"][..], &options[..], &["--decimal", ",", &file, &out]].concat()), @r#"npy: t.csv: line 2, column 1: expected a decimal comma, found a point in "1.5"; --decimal says which the file has"#);
    assert_snapshot!(directory.refused([&["convert"][..], &options[..], &[&file, &out]].concat()), @r#"npy: t.csv: line 1, column 1: expected a decimal point, found a comma in "2,5"; --decimal says which the file has"#);
}

#[test]
fn what_a_reader_would_misread_is_refused() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let refused = |text: &str, options: &[&str]| {
        let file = directory.write("t.csv", text);
        directory.refused([&["convert"][..], options, &[&file, &out]].concat())
    };
    assert_snapshot!(refused("a,b\r\n1,2\r\n3\r\n", &[]), @"npy: t.csv: line 3: expected 2 columns, found 1");
    assert_snapshot!(refused("a,b\n1,2\n3,\"4\n5,6\n", &[]), @"npy: t.csv: line 3: expected a quote that closes, found the end of the file");
    assert_snapshot!(refused("b,c\n1,2\n", &["--dtype", "[('a','i4'),('b','i4')]"]), @r#"npy: t.csv: expected the names of the dtype, found "c" where it has "b"; give the dtype the names of the file"#);
    assert_snapshot!(refused("a\nx\0\n", &["--dtype", "[('a','U4')]"]), @r#"npy: t.csv: line 2, column 1 (a): <U4 drops the NUL at the end of "x\0"; allow it with --lossy"#);
    check("v\n(5)\n6\n", &[], "[('v', '<U3')] [2] [('(5)',) ('6',)]", "names in line 1 (--no-header)");
    check("[0]\nx\ny\n", &["--dtype", "<U3"], "<U3 [2] ['x' 'y']", "");
}

#[test]
fn comments_are_skipped_and_may_have_the_names() {
    let comments = "comments after # (--comment)";
    let table = "[('a', '<f8'), ('b', '<f8')] [2] [(1.5, 2.5) (3.5, 4.5)]";
    check("# a,b\n1.5,2.5\n3.5,4.5\n", &[], table, comments);
    check("# made by hand\n# a,b\n1.5,2.5\n# between\n3.5,4.5\n", &[], table, comments);
    check("# made by hand\na,b\n1.5,2.5\n3.5,4.5\n", &[], table, comments);
    check("#a,b\n1.5,2.5\n3.5,4.5\n", &[], table, comments);
    check("# a b\n1.5 2.5\n3.5 4.5\n", &[], table, "delimiter space (--delimiter), comments after # (--comment)");
    check("# a,b\n1.5,2.5\n", &["--no-header"], "<f8 [1, 2] [[1.5 2.5]]", comments);
    check("# a,b\n1.5,2.5\n", &["--dtype", "<f8"], "<f8 [1, 2] [[1.5 2.5]]", comments);
    check("% a\n1\n2\n", &["--comment", "%"], "<i8 [2] [1 2]", "");
    check("color\n#ff0000\n#00ff00\n", &[], "[('color', '<U7')] [2] [('#ff0000',) ('#00ff00',)]", "names in line 1 (--no-header)");
}

#[test]
fn missing_values_have_words_in_columns_of_numbers_only() {
    let text = "n,s,t\n1,NA,2024-01-01\nNA,x,NULL\n";
    let said = "\"NA\" in column 1 (n) for what is missing (--na)";
    let types = "[('n', '<f8'), ('s', '<U2'), ('t', '<M8[D]')] [2]";
    check(text, &[], &format!("{types} [( 1., 'NA', '2024-01-01') (nan, 'x',        'NaT')]"), said);
    check(
        text,
        &["--na", "NA,NULL"],
        "[('n', '<f8'), ('s', '<U1'), ('t', '<M8[D]')] [2] [( 1., '', '2024-01-01') (nan, 'x',        'NaT')]",
        "",
    );
    check("n\n1\n-999\n", &["--na", "-999"], "[('n', '<f8')] [2] [( 1.,) (nan,)]", "");
    check("1\nnull\n", &["--dtype", "<f4"], "<f4 [2] [ 1. nan]", "\"null\" in column 1 for what is missing (--na)");
}

#[test]
fn what_is_written_is_read_back() {
    let directory = Files::new();
    let text = |items: &[&str]| DynValues::from_slice(&items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>()).unwrap();
    let zeros = |dtype: &str, shape: &[usize]| {
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let bytes = vec![0; shape.iter().product::<usize>() * dtype.itemsize()];
        DynValues::new(dtype, Order::C, shape, bytes).unwrap()
    };
    let table = text(&["a", "b;c", "#d", "e\"f"]);
    let table = DynValues::new(table.dtype().clone(), Order::C, &[2, 2], table.into_bytes()).unwrap();
    for values in [
        text(&["a", "b", "c"]),
        text(&["value", "value"]),
        text(&["a;b", "c;d"]),
        text(&["a|b", "c|d"]),
        text(&["1 2", "3 4"]),
        text(&["# a", "b"]),
        text(&["a", "", "x,y"]),
        text(&["é\n", "NA"]),
        table,
        DynValues::from_slice(&[1.5_f64, f64::NAN]).unwrap(),
        DynValues::from_slice(&[true, false]).unwrap(),
        DynValues::from_slice(&[-1_i64, 2]).unwrap(),
        zeros("<f8", &[0]),
        zeros("[('# a', '<f8'), ('b', '<i8')]", &[2]),
        zeros("[('0', '<i8'), ('1', '<i8')]", &[2]),
        zeros("[('2020', '<f8')]", &[2]),
        zeros("[('NA', '<f8'), ('nan', '<f8')]", &[2]),
        zeros("[('a;b', '<f8'), ('c;d', '<f8')]", &[2]),
        DynValues::new("[('a b', '<U1')]".parse().unwrap(), Order::C, &[2], b"x\0\0\0y\0\0\0".to_vec()).unwrap(),
        DynValues::new("[('a;b', '<U3')]".parse().unwrap(), Order::C, &[1], b"c\0\0\0;\0\0\0d\0\0\0".to_vec()).unwrap(),
        DynValues::new("[('a', '<U1'), ('b', '<U1')]".parse().unwrap(), Order::C, &[1], b"a\0\0\0b\0\0\0".to_vec()).unwrap(),
        zeros("<M8[s]", &[2]),
        zeros("<c16", &[2, 3]),
    ] {
        let file = directory.save("a.npy", &values);
        for format in ["csv", "tsv"] {
            let (there, back) = (directory.path(&format!("a.{format}")), directory.path("b.npy"));
            convert(&[&file, &there]);
            let Run { code, stderr, .. } = run(["convert", &there, &back]);
            assert_eq!(code, Some(0), "{stderr}");
            assert_eq!(load(&back), values, "{format} {values} {stderr}");
            convert(&["--dtype", &values.dtype().to_string(), &there, &back]);
            assert_eq!(load(&back), values, "{format} {values}");
        }
    }
    for dtype in ["<U3", "[('a', '<i4')]", "S2"] {
        let values = zeros(dtype, &[0]);
        let (file, there, back) = (directory.save("a.npy", &values), directory.path("a.csv"), directory.path("b.npy"));
        convert(&[&file, &there]);
        convert(&["--dtype", dtype, &there, &back]);
        assert_eq!(load(&back), values, "{dtype}");
    }
}

/// Files by NumPy and by hand in the forms of pandas, whose values NumPy knows.
#[test]
fn files_of_numpy_are_read() {
    let directory = Files::new();
    let Some(numpy) = numpy("files_of_numpy_are_read") else { return };
    numpy.run(["command.py", "csv_files", &directory.directory().display().to_string()], b"");
    let back = directory.path("b.npy");
    for name in ["space", "comma", "named"] {
        let run = run(["convert", &directory.path(&format!("{name}.csv")), &back]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(load(&back).bytes(), load(directory.path("a.npy")).bytes(), "{name}");
    }
    assert!(load(&back).dtype().to_string().starts_with("[('x', '<f8')"));
    convert(&["--dtype", "f4", &directory.path("single.csv"), &back]);
    assert_eq!(load(&back), load(directory.path("single.npy")));
}

/// A header of a few bytes can claim any number of them.
#[test]
fn elements_without_bytes_are_no_endless_text() {
    let directory = Files::new();
    let header = npy_core::Header::new("|V0".parse().unwrap(), Order::C, &[1_000_000_000_000]).unwrap();
    let file = directory.write("v.npy", header.to_bytes());
    for format in ["csv", "tsv", "json", "ndjson"] {
        let message = directory.refused(["convert", &file, &directory.path(&format!("o.{format}"))]);
        assert!(message.contains("elements without bytes, found 1000000000000"), "{format}: {message}");
    }
}

/// Text of all lengths around the pieces in which it is escaped.
#[test]
fn long_text_is_written_as_a_whole() {
    let directory = Files::new();
    for (count, text) in [(65_535, "é"), (40_000, "\"\u{1F600}"), (65_536, "a"), (100_000, "\n")] {
        let values = DynValues::from_slice(&[text.repeat(count)]).unwrap();
        let file = directory.save("t.npy", &values);
        for format in ["json", "csv"] {
            let (there, back) = (directory.path(&format!("t.{format}")), directory.path("b.npy"));
            convert(&[&file, &there]);
            convert(&["--dtype", &values.dtype().to_string(), &there, &back]);
            assert!(load(&back) == values, "{count} {format}");
        }
    }
    let bytes = DynValues::new("S70000".parse().unwrap(), Order::C, &[1], b"\xe9\"".repeat(35_000)).unwrap();
    let file = directory.save("s.npy", &bytes);
    for format in ["json", "csv"] {
        let there = directory.path(&format!("s.{format}"));
        convert(&["--lossy", &file, &there]);
        let expected = if format == "json" { "é\\\"" } else { "é\"\"" }.repeat(35_000);
        assert!(std::fs::read_to_string(&there).unwrap().contains(&format!("\"{expected}\"")), "{format}");
    }
}

#[test]
fn lines_of_too_many_columns_are_refused_in_little_memory() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let wide = directory.write("wide.csv", "1,".repeat(5_000_000));
    assert_snapshot!(directory.refused(["convert", &wide, &out]), @"npy: wide.csv: line 1: expected at most 1,048,576 columns, found more");
    let names: Vec<String> = (0..1 << 16 | 1).map(|column| format!("a{column}")).collect();
    let named = directory.write("named.csv", format!("{}\n{}1\n", names.join(","), "1,".repeat(1 << 16)));
    assert_snapshot!(directory.refused(["convert", &named, &out]), @"npy: named.csv: line 1: too many fields: expected at most 65,536, found more; without names, a line may have 1,048,576 numbers (--no-header)");
    let long = directory.write("long.csv", format!("{},b\n1,2\n", "a".repeat(1 << 20)));
    assert_snapshot!(directory.refused(["convert", &long, &out]), @"npy: long.csv: line 1: names of fields too long: expected at most 1,048,576 bytes in all, found more; without names, a line may have 1,048,576 numbers (--no-header)");
    let mixed = directory.write("mixed.csv", format!("{}2024-01-01\n", "1,".repeat(1 << 16)));
    assert_snapshot!(directory.refused(["convert", &mixed, &out]), @"npy: mixed.csv: too many fields: expected at most 65,536, found more; give columns of one type, or a plain --dtype");
    let object = directory.write("wide.json", format!("[{{\"{}\":1}}]", names.join("\":1,\"")));
    assert_snapshot!(directory.refused(["convert", &object, &out]), @"npy: wide.json: too many fields: expected at most 65,536, found more at line 1 column 709797; write lists of values, which may be longer");
    if cfg!(target_os = "linux") {
        let file = directory.write("limited.csv", "1\n");
        let limited = "ulimit -v 200000; exec \"$0\" convert --dtype \"$1\" \"$2\" \"$3\"";
        let npy = env!("CARGO_BIN_EXE_npy");
        let output = std::process::Command::new("sh").args(["-c", limited, npy, "U500000000", &file, &out]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("cannot allocate"), "{stderr}");
    }
}
