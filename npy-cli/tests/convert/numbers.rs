//! Numbers of text: read if the dtype gives their digits back, refused otherwise.

use npy_core::DynValues;
use npy_core::num_complex::Complex;
use npy_core::types::LongDouble;

use super::{convert, load};
use crate::support::{Files, run};

/// Numbers by dtype: those that are read, and those that are refused without --lossy.
const TABLE: [(&str, &[&str], &[&str]); 11] = [
    (
        "f8",
        &[
            "0.1",
            "0.30000000000000004441",
            "0.1234567890123456789012345",
            "1e23",
            "1.234567890123456774e22",
            "12345678901234567000.0",
            "9007199254740992.0",
            "9007199254740993.5",
            "1.7976931348623157e308",
            "5e-324",
            "0e-999",
            "-0.0",
        ],
        &[
            "1e400",
            "-1e400",
            "1e-400",
            "9007199254740993.0",
            "9007199254740993",
            "12345678901234567890123",
            "1234567890123456789.0e1",
            "1e-324",
        ],
    ),
    (
        "f4",
        &["0.1", "0.1234567", "1.0000000149011612e-01", "16777216", "16777218.0", "3.4028235e38", "1e-45", "335544300.0"],
        &["0.123456789", "16777217", "16777217.0", "1.6777217e7", "1e39", "1e-46", "123456789", "3.14159265358979"],
    ),
    ("f2", &["0.1", "2048", "2050.0", "65504", "6e-08", "0.333"], &["2049", "2049.0", "65520", "1e-9", "0.12345", "70000"]),
    ("i1", &["127", "-128", "127.0", "1e2", "1.2e2", "1200e-2"], &["128", "-129.0", "1.5", "1e3", "1e-1", "1e400"]),
    ("u8", &["18446744073709551615", "18446744073709551615.0", "1e19", "0.0"], &["18446744073709551616", "-1", "2e19", "0.5"]),
    ("i8", &["9007199254740993.0", "9223372036854775807", "-9223372036854775808.0"], &["9223372036854775808", "1e20", "1e-5"]),
    ("u1", &["255", "255.0"], &["256", "-1", "2.55"]),
    ("m8[s]", &["86400", "9007199254740993.0"], &["1.5", "1e20"]),
    ("f16", &["0.1", "9007199254740993", "18446744073709551615.0", "1e23"], &["18446744073709551617", "1e5000", "1e-5000"]),
    ("c32", &["0.1", "9007199254740993"], &["18446744073709551617"]),
    ("c8", &["0.1", "16777216"], &["16777217", "1e39", "0.123456789"]),
];

fn texts(number: &str) -> [(&'static str, String, &'static str); 5] {
    [
        ("n.csv", format!("{number}\n"), ""),
        ("n.tsv", format!("x\n{number}\n"), "record"),
        ("n.json", format!("[{number}]"), ""),
        ("n.ndjson", format!("{number}\n"), ""),
        ("n.json", format!("[{{\"x\": [{number}, {number}]}}]"), "sub-array"),
    ]
}

fn dtype_of(dtype: &str, form: &str) -> String {
    match form {
        "record" => format!("[('x', '>{dtype}')]"),
        "sub-array" => format!("[('x', '<{dtype}', (2,))]"),
        _ => format!("<{dtype}"),
    }
}

#[test]
fn numbers_are_read_if_their_digits_come_back() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for (dtype, exact, inexact) in TABLE {
        for number in exact {
            for (name, text, form) in texts(number) {
                let file = directory.write(name, text);
                let run = run(["convert", "--dtype", &dtype_of(dtype, form), &file, &out]);
                assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{dtype} {number} {name}");
            }
        }
        std::fs::remove_file(&out).unwrap();
        for number in inexact {
            for (name, text, form) in texts(number) {
                let file = directory.write(name, text);
                let message = directory.refused(["convert", "--dtype", &dtype_of(dtype, form), &file, &out]);
                let problems = ["loses precision as", "is out of range for", "number out of range", "expected "];
                assert!(problems.iter().any(|problem| message.contains(problem)), "{dtype} {number} {name}: {message}");
            }
        }
    }
}

#[test]
fn integers_of_fractions_are_exact() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for (name, text) in
        [("n.csv", "9007199254740993.0\n-9007199254740993e0\n"), ("n.json", "[9007199254740993.0,-9007199254740993e0]")]
    {
        convert(&["--dtype", "i8", &directory.write(name, text), &out]);
        assert_eq!(load(&out).to_vec::<i64>().unwrap(), [9_007_199_254_740_993, -9_007_199_254_740_993], "{name}");
    }
}

#[test]
fn guessed_numbers_obey_the_same_rule() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for number in ["1e400", "1e-400", "9007199254740993.0", "12345678901234567890123", "0.5,12345678901234567890123"] {
        for (name, text) in
            [("n.csv", number.replace(',', "\n")), ("n.json", format!("[{number}]")), ("n.ndjson", number.replace(',', "\n"))]
        {
            let message = directory.refused(["convert", &directory.write(name, format!("{text}\n")), &out]);
            let is_told = ["loses precision as <f8", "is out of range for <f8", "number out of range"];
            assert!(is_told.iter().any(|problem| message.contains(problem)), "{number} {name}: {message}");
        }
    }
    for (number, value) in [("1e400", f64::INFINITY), ("1e-400", 0.0), ("12345678901234567890123", 1.234_567_890_123_456_8e22)] {
        let run = run(["convert", "--lossy", &directory.write("n.csv", number), &out]);
        let said = if value.is_infinite() { "npy: lost 1 finite number, which became infinite\n" } else { "" };
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), said));
        assert_eq!(load(&out).to_vec::<f64>().unwrap(), [value], "{number}");
    }
    // Digits after a 0 are identifiers: text, unless the dtype says otherwise.
    let file = directory.write("n.csv", "id,n\n007,1\n012,2\n");
    let run = run(["convert", &file, &out]);
    assert!(run.stderr.ends_with("guessed text in column 1 (id), since numbers do not begin with 0 (--dtype)\n"), "{}", run.stderr);
    assert_eq!(load(&out).to_string(), "[('007', 1) ('012', 2)]");
    convert(&["--dtype", "[('id', 'i4'), ('n', 'i4')]", &file, &out]);
    assert_eq!(load(&out).to_string(), "[( 7, 1) (12, 2)]");
}

#[test]
fn parts_of_complex_numbers_obey_the_same_rule() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for (name, text) in [
        ("z.json", "[[1e400, 0]]"),
        ("z.json", "[[0, 9007199254740993.0]]"),
        ("z.csv", "(1+1e400j)\n"),
        ("z.csv", "9007199254740993+1j\n"),
    ] {
        directory.refused(["convert", "--dtype", "c16", &directory.write(name, text), &out]);
    }
    convert(&["--dtype", "c16", &directory.write("z.json", "[[0.1, \"NaN\"], [\"-Infinity\", 1e23]]"), &out]);
    let parts = [0.1, f64::NAN, f64::NEG_INFINITY, 1e23];
    let expected: Vec<u8> = parts.iter().flat_map(|part: &f64| part.to_le_bytes()).collect();
    assert_eq!(load(&out).bytes(), expected);
}

#[test]
fn mixed_json_is_named_by_its_kinds() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for (text, found) in [
        ("[true, 1]", "bools and numbers"),
        ("[1.5, true]", "bools and numbers"),
        ("[true, \"a\"]", "text and bools"),
        ("[1, \"a\"]", "text and numbers"),
        ("[1, \"a\", true]", "text, bools and numbers"),
        ("[true, null]", "bools and nulls"),
    ] {
        let message = directory.refused(["convert", &directory.write("m.json", text), &out]);
        assert_eq!(message, format!("npy: m.json: expected values of one type, found {found}\n"));
    }
}

#[test]
fn empty_lists_have_any_dtype() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    for dtype in ["[('a', '<i4')]", "[('a', [('b', '<f8', (2,))]), ('c', '<U3')]", "<c16", "<U5"] {
        for (name, text) in [("e.json", "[]"), ("e.ndjson", ""), ("e.csv", "")] {
            convert(&["--dtype", dtype, &directory.write(name, text), &out]);
            assert_eq!((load(&out).dtype().to_string().as_str(), load(&out).shape()), (dtype, &[0][..]), "{name}");
        }
    }
}

/// What a double does not hold is a number of JSON all the same.
#[test]
fn json_has_numbers_beyond_the_range_of_doubles() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let long = format!("1{}", "0".repeat(400));
    for (dtype, text, expected) in [
        ("<f16", "[1e400, -2.5e-4900, 1E+4000]".to_owned(), "[1.0e+0400 -2.5e-4900 1.0e+4000]"),
        (">f16", format!("[{long}, -{long}.0]"), "[1.e+400 -1.e+400]"),
        ("<c32", "[[1e400, 0.5], [-0.0, 1e-4900]]".to_owned(), "[1.e+400+5.e-0001j -0.e+000+1.e-4900j]"),
        (
            "[('a', '<f16', (2,)), ('b', 'U5')]",
            "[{\"a\": [1e400, 1], \"b\": \"1e400\"}]".to_owned(),
            "[([1.e+400, 1.e+000], '1e400')]",
        ),
    ] {
        // A line for each element.
        let lines = text[1..text.len() - 1].replace("], [", "]\n[");
        let lines = if dtype.ends_with("f16") { lines.replace(", ", "\n") } else { lines };
        for (name, text) in [("n.json", &text), ("n.ndjson", &lines)] {
            convert(&["--dtype", dtype, &directory.write(name, text), &out]);
            let found = load(&out).to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(found.replace("[ ", "["), expected, "{dtype} {name}");
        }
    }
    for (dtype, number) in [("f8", "1e400"), ("f4", "-1e400"), ("f2", long.as_str())] {
        let file = directory.write("n.json", format!("[0.5, {number}]"));
        let message = directory.refused(["convert", "--dtype", dtype, &file, &out]);
        assert!(message.contains(" is out of range for <f") && message.contains("--lossy"), "{message}");
        let run = run(["convert", "--lossy", "--dtype", dtype, &file, &out]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), "npy: lost 1 finite number, which became infinite\n"));
        assert!(load(&out).to_string().ends_with("inf]"), "{dtype} {number}");
    }
    directory.refused(["convert", "--dtype", "i8", &directory.write("n.json", format!("[{long}]")), &out]);
}

/// Arrays of text are read as CSV is, and numbers become long doubles without a loss.
#[test]
fn casts_of_text_and_to_long_doubles_are_exact() {
    let directory = Files::new();
    let (file, out) = (directory.path("a.npy"), directory.path("o.npy"));
    let texts = |dtype: &str, texts: &[&str]| {
        let items: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let header = npy_core::Header::new(dtype.clone(), npy_core::Order::C, &[items.len()]).unwrap();
        npy_core::DynValues::from_items(header, &dtype, &items).unwrap().save(&file).unwrap();
    };
    let exact = ["0.1", "-1e400", "18446744073709551615", "nan", "1e-4940"];
    for from in ["<U24", ">U20", "S30"] {
        for to in ["<f16", ">f16", "<c32", ">c32"] {
            texts(from, &exact);
            convert(&["--dtype", to, &file, &out]);
            let text = directory.write("n.csv", format!("x\n{}\n", exact.join("\n")));
            let other = directory.path("p.npy");
            convert(&["--dtype", &format!("[('x', '{to}')]"), "--header", &text, &other]);
            assert_eq!(load(&out).bytes(), load(&other).bytes(), "{from} to {to}");
        }
        for (to, refused) in
            [("f16", "18446744073709551617"), ("f8", "1e400"), ("i8", "1.5"), ("f4", "abc"), ("u1", ""), ("M8[s]", "1")]
        {
            texts(from, &["1", refused]);
            let index = usize::from(to != "M8[s]");
            let message = directory.refused(["convert", "--dtype", to, &file, &out]);
            assert!(message.starts_with(&format!("npy: a.npy: element {index}: ")), "{from} to {to}: {message}");
        }
        for (to, text, expected) in [
            ("i8", "9007199254740993.0", "[9007199254740993]"),
            ("?", "True", "[ True]"),
            ("f4", "", "[nan]"),
            ("M8[D]", "2024-02-29", "['2024-02-29']"),
            ("c16", "(1.5-2j)", "[1.5-2.j]"),
        ] {
            texts(from, &[text]);
            convert(&["--dtype", to, &file, &out]);
            assert_eq!(load(&out).to_string(), expected, "{from} to {to}");
        }
    }
    macro_rules! numbers {
        ($($number:expr => $to:literal $expected:expr,)*) => {$(
            npy_core::DynValues::from_slice(&[$number]).unwrap().save(&file).unwrap();
            convert(&["--dtype", $to, &file, &out]);
            let expected: &[u128] = &$expected;
            let found = load(&out).into_bytes();
            let parts: Vec<u128> = found.chunks_exact(found.len() / expected.len()).map(|part| {
                let is_big = $to.starts_with('>');
                let byte = |i: usize| u128::from(part[if is_big { part.len() - 1 - i } else { i }]) << (8 * i);
                (0..part.len()).map(byte).sum()
            }).collect();
            assert_eq!(parts, expected, "{} to {}", stringify!($number), $to);
        )*};
    }
    numbers! {
        u64::MAX => "<f16" [0x403e_ffff_ffff_ffff_ffff],
        i64::MIN + 1 => ">f16" [0xc03d_ffff_ffff_ffff_fffe],
        true => "<f16" [0x3fff_8000_0000_0000_0000],
        0.1_f64 => "<f16" [0x3ffb_cccc_cccc_cccc_d000],
        -0.0_f32 => "<c32" [0x8000 << 64, 0],
        npy_core::num_complex::Complex::new(1.5, -0.1_f64) => ">c32" [0x3fff_c000_0000_0000_0000, 0xbffb_cccc_cccc_cccc_d000],
        npy_core::num_complex::Complex::new(1.5, 0.0_f64) => "<f12" [0x3fff_c000_0000_0000_0000],
        npy_core::types::LongDouble::from_f64(0.1) => "<f12" [0x3ffb_cccc_cccc_cccc_d000],
        npy_core::types::LongDouble::from_f64(0.1) => "<c24" [0x3ffb_cccc_cccc_cccc_d000, 0],
    }
    npy_core::DynValues::from_slice(&[npy_core::num_complex::Complex::new(1.5, 1.0)]).unwrap().save(&file).unwrap();
    assert!(directory.refused(["convert", "--dtype", "f16", &file, &out]).contains("--lossy"));
    convert(&["--lossy", "--dtype", "f16", &file, &out]);
    assert_eq!(load(&out).to_string(), "[1.5]");
}

/// Of `.npy`, CSV and JSON alike.
#[test]
fn losses_that_are_allowed_are_those_of_casts() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let cases: [(&str, &[f64]); 8] = [
        // Integers are cast as integers are, and fractions as floats are.
        ("u1", &[300.0, -1.0, 2.0, 65_537.0]),
        ("u1", &[1.5, -1.9, 300.7]),
        ("i2", &[40_000.0, 1e6]),
        ("b1", &[2.0, 0.0]),
        ("b1", &[0.5]),
        ("f4", &[1e300, 16_777_217.0, -1e39]),
        ("f2", &[1e6, -1e300, 1.0]),
        ("c8", &[1e300, 0.1, 0.5]),
    ];
    for (dtype, numbers) in cases {
        let is_whole = numbers.iter().all(|number| number.fract() == 0.0 && number.abs() < 1e9);
        #[allow(clippy::cast_possible_truncation, reason = "they are whole")]
        let integers: Vec<i64> = numbers.iter().map(|number| *number as i64).collect();
        let values = if is_whole { DynValues::from_slice(&integers) } else { DynValues::from_slice(numbers) };
        let file = directory.save("a.npy", &values.unwrap());
        let texts: Vec<String> = numbers.iter().map(f64::to_string).collect();
        let csv = directory.write("a.csv", texts.join("\n"));
        let json = directory.write("a.json", format!("[{}]", texts.join(",")));
        let mut found = Vec::new();
        for input in [&file, &csv, &json] {
            let message = directory.refused(["convert", "--dtype", dtype, input, &out]);
            assert!(message.ends_with("; allow it with --lossy\n"), "{dtype}: {message}");
            let run = run(["convert", "--lossy", "--dtype", dtype, input, &out]);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            found.push((load(&out), run.stderr));
            std::fs::remove_file(&out).unwrap();
        }
        assert!(found.iter().all(|one| *one == found[0]), "{dtype}: {found:?}");
        let changed = match dtype {
            "f4" | "f2" => "npy: lost 2 finite numbers, which became infinite\n",
            "c8" => "npy: lost 1 finite number, which became infinite\n",
            "u1" if is_whole => "npy: lost 3 numbers, which were out of range\n",
            "u1" | "i2" => "npy: lost 2 numbers, which were out of range\n",
            _ => "",
        };
        assert_eq!(found[0].1, changed, "{dtype}");
    }
    // By its exponent, negative with that of a negative one, and its mantissa with the leading bit.
    let long = |exponent: i32, mantissa: u64| {
        let high = (16_383 + exponent.unsigned_abs()) | u32::from(exponent < 0) << 15;
        LongDouble::from_bytes((u128::from(high) << 64 | u128::from(mantissa)).to_ne_bytes())
    };
    // Each at its bounds.
    for (values, dtype, beyond) in [
        (DynValues::from_slice(&[u64::MAX, 1 << 63, (1 << 63) - 1]), "i8", 2),
        (DynValues::from_slice(&[-1_i64, i64::MIN, i64::MAX]), "u8", 2),
        (DynValues::from_slice(&[127.9, -128.9, 128.0, f64::NAN]), "i1", 2),
        (DynValues::from_slice(&[-1_i8, 0]), "i8", 0),
        (DynValues::from_slice(&[300_i16, -9, 7, -8]), "int4", 2),
        // 2^64 and -2^63 - 2^0, and the numbers beside them, of 64 bits.
        (DynValues::from_slice(&[long(64, 1 << 63), long(63, u64::MAX), long(64, 1 << 63)]), "u8", 2),
        (DynValues::from_slice(&[-63, 63].map(|exponent| long(exponent, 1 << 63 | 1))), "i8", 2),
    ] {
        let run = run(["convert", "--lossy", "--dtype", dtype, &directory.save("a.npy", &values.unwrap()), &out]);
        let said = if beyond > 0 { format!("npy: lost {beyond} numbers, which were out of range\n") } else { String::new() };
        assert_eq!((run.code, run.stderr), (Some(0), said), "{dtype}");
    }
    // An infinite part that is dropped does not make up for a number that became infinite.
    let parts = [Complex::new(1e300, 0.0), Complex::new(1.0, f64::INFINITY)];
    let run = run(["convert", "--lossy", "--dtype", "f4", &directory.save("a.npy", &DynValues::from_slice(&parts).unwrap()), &out]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "npy: lost 1 finite number, which became infinite\n"));
    // A type without infinities.
    let large = directory.save("a.npy", &DynValues::from_slice(&[1e9, 1.0, f64::NAN]).unwrap());
    let run = crate::support::run(["convert", "--lossy", "--dtype", "float8_e4m3fn", &large, &out]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "npy: lost 1 number, which became NaN\n"));
    // What was infinite before is not lost.
    let file = directory.save("a.npy", &DynValues::from_slice(&[f64::INFINITY, 0.1]).unwrap());
    convert(&["--lossy", "--dtype", "f4", &file, &out]);
    convert(&["--lossy", "--dtype", "f4", &directory.write("a.csv", "inf\n0.1\n"), &out]);
}
