//! Expressions on arrays in memory. The real program is compared with NumPy in `tests/filter.rs`.

use npy_core::{DynValues, Order};

use super::Where;
use crate::input::{Array, in_memory};

/// The numbers of the rows that pass, or the message and the column of the caret.
fn rows(expression: &str, dtype: &str, shape: &[usize], bytes: &[u8]) -> Result<Vec<usize>, String> {
    let values = DynValues::new(dtype.parse().unwrap(), Order::C, shape, bytes.to_vec()).unwrap();
    let row_bytes = bytes.len() / shape[0];
    let passed = || {
        let mut array = in_memory(&values)?;
        let filter = Where::new(expression)?.of(Array::header(&array))?;
        let count = filter.count(&mut array, None)?;
        let passed = Where::new(expression)?.first_rows(None).rows(&mut in_memory(&values)?, None)?;
        let read = passed.array()?.read_region(&vec![(..).into(); shape.len()])?;
        assert_eq!(read.shape()[0] as u64, count);
        Ok(read.into_bytes())
    };
    let passed = passed().map_err(|failure: crate::failure::Failure| {
        let text = failure.to_string();
        let caret = text.lines().nth(2).map_or(0, str::len);
        format!("{} ^{caret}", text.lines().next().unwrap().trim_start_matches("invalid expression: "))
    })?;
    // Each row is unique in these tests.
    let row = |passed: &[u8]| bytes.chunks(row_bytes).position(|row| row == passed).unwrap();
    Ok(passed.chunks(row_bytes).map(row).collect())
}

fn of_i64(expression: &str, values: &[i64]) -> Result<Vec<usize>, String> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    rows(expression, "<i8", &[values.len()], &bytes)
}

fn of_f32(expression: &str, values: &[f32]) -> Result<Vec<usize>, String> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    rows(expression, ">f4", &[values.len()], &bytes)
}

#[test]
fn precedence_is_that_of_python() {
    let values: Vec<i64> = (-4..6).collect();
    for (expression, expected) in [
        ("value > 3", &[8, 9][..]),
        ("-2 < value <= 1 != 0", &[3, 4, 5]),
        ("value + 2 * value == 9", &[7]),
        ("(value + 2) * value == 8", &[0, 6]),
        ("not value < 4", &[8, 9]),
        ("not value < 4 or value == -4 and value != 0", &[0, 8, 9]),
        ("value in [1, -4, 7] or value in (5,)", &[0, 5, 9]),
        ("value in [9, 5, -4, -4, 2.0, 2.5, 1e30, row]", &[0, 6, 9]),
        ("value * value in [16, 4, 170141183460469231731687303715884105727, -1, -2, -3, -4, -5]", &[0, 2, 6, 8]),
        ("value / 2 in [1.5, 0, -0.0, inf, 7.5, 8, 9, 10]", &[4, 7]),
        ("3 in [value, row]", &[3, 7]),
        ("value not in []", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("value // 3 == -1", &[1, 2, 3]),
        ("value % 3 == 2", &[0, 3, 6, 9]),
        ("value % -3 == -2", &[2, 5, 8]),
        ("value / 2 == 1.5", &[7]),
        ("- - value == --5", &[9]),
        ("abs(value) == 4", &[0, 8]),
        ("row % 4 == 1", &[1, 5, 9]),
        ("(value > 0) == (row > 6)", &[0, 1, 2, 3, 4, 7, 8, 9]),
        ("value > 0 and 6 // value == 2", &[7]),
        ("value == 0x5", &[9]),
        ("value * 1_0 == 2e1", &[6]),
        ("false or value == 5 and True", &[9]),
    ] {
        assert_eq!(of_i64(expression, &values).as_deref(), Ok(expected), "{expression}");
    }
}

#[test]
fn integers_are_exact() {
    let values = [i64::MIN, -(1 << 53) - 1, -1, 0, (1 << 53) + 1, i64::MAX];
    for (expression, expected) in [
        ("value == 9007199254740993", &[4][..]),
        ("value > 9007199254740992.0", &[4, 5]),
        ("value == 9007199254740992.0", &[]),
        ("value < 9.3e18 and value > -9.3e18", &[0, 1, 2, 3, 4, 5]),
        ("value == -9223372036854775808.0", &[0]),
        ("value < inf and value != nan", &[0, 1, 2, 3, 4, 5]),
        ("value <= nan", &[]),
        ("value < -0.5", &[0, 1, 2]),
        ("-value == 9223372036854775808", &[0]),
        ("abs(value) > 9223372036854775807", &[0]),
        ("value * value == 85070591730234615847396907784232501249", &[5]),
        ("value - 1 < -9223372036854775808", &[0]),
        ("value > 99999999999999999999999999999999", &[]),
        ("value + value // 1 == 18446744073709551614", &[5]),
    ] {
        assert_eq!(of_i64(expression, &values).as_deref(), Ok(expected), "{expression}");
    }
    let bytes: Vec<u8> = [u64::MAX, u64::MAX - 1, 1 << 63].iter().flat_map(|value| value.to_be_bytes()).collect();
    for (expression, expected) in [
        ("value == 18446744073709551615", &[0][..]),
        ("value > 18446744073709551614.0", &[]),
        ("value >= 9223372036854775808.0", &[0, 1, 2]),
        ("value % 10 == 4", &[1]),
        ("value - 18446744073709551616 == -1", &[0]),
    ] {
        assert_eq!(rows(expression, ">u8", &[3], &bytes).as_deref(), Ok(expected), "{expression}");
    }
}

#[test]
fn constants_take_the_type_of_floats() {
    let values = [0.1, f32::NAN, 16_777_216.0, f32::INFINITY, -0.0];
    for (expression, expected) in [
        ("value == 0.1", &[0][..]),
        ("value == 16777217", &[2]),
        ("value * 10 == 1", &[0]),
        ("isnan(value)", &[1]),
        ("value != value", &[1]),
        ("not value > 0", &[1, 4]),
        ("value == 0", &[4]),
        ("value > 1e300", &[3]),
        ("value < 1e300 and value == inf", &[]),
        ("value / 0 == -inf", &[]),
        ("1 / value == -inf", &[4]),
        ("isnan(value % 0)", &[0, 1, 2, 3, 4]),
    ] {
        assert_eq!(of_f32(expression, &values).as_deref(), Ok(expected), "{expression}");
    }
    assert_eq!(
        of_f32("value + 1e300 > 0", &values).unwrap_err(),
        "number out of range: expected a value of dtype >f4, found 1e300 ^9"
    );
}

#[test]
fn times_and_texts_compare_with_quotes() {
    let bytes: Vec<u8> = [i64::MIN, 0, 86_400_500].iter().flat_map(|value| value.to_le_bytes()).collect();
    for (expression, expected) in [
        ("value < '1970-01-02'", &[1][..]),
        ("value >= '1970-01-02T00:00:00.5'", &[2]),
        ("value > '1970-01-02T00:00:00.5004'", &[]),
        ("value < '1970-01-02T00:00:00.5004'", &[1, 2]),
        ("value != '1970-01-01'", &[2]),
        ("value != '1970-01-01T00:00:00.00001'", &[1, 2]),
        ("'9999999999999-01-01' > value", &[1, 2]),
        ("isnat(value) or value in ['1970', '1980']", &[0, 1]),
        ("value in ['1970-01-02T00:00:00.5', '1970-01-02T00:00:00.50001', '1960', '2200', '2201', '2202', '2203', '2204']", &[2]),
        ("value not in ['1970']", &[0, 2]),
        ("value == value", &[1, 2]),
    ] {
        assert_eq!(rows(expression, "<M8[ms]", &[3], &bytes).as_deref(), Ok(expected), "{expression}");
    }
    for (expression, expected) in [("value > '1 D'", &[2][..]), ("value == '0 s'", &[1]), ("value <= '86400500 ms'", &[1, 2])] {
        assert_eq!(rows(expression, "<m8[ms]", &[3], &bytes).as_deref(), Ok(expected), "{expression}");
    }
    for (expression, expected) in [
        (
            "value > '1d'",
            Err(
                "invalid span: expected a number and one of Y M W D h m s ms us ns ps fs as, such as 5 s or 2.5 h, found \"1d\" ^11",
            ),
        ),
        ("value >= '24.000138888h'", Ok(&[2][..])),
        ("value >= '24.000138889h'", Ok(&[])),
        ("value == '-0.0m'", Ok(&[1])),
        ("value > '1 M'", Err("cannot compare with \"1 M\": the days of a month vary ^11")),
        (
            "value > '5 25s'",
            Err(
                "invalid span: expected a number and one of Y M W D h m s ms us ns ps fs as, such as 5 s or 2.5 h, found \"5 25s\" ^11",
            ),
        ),
        ("value < '9223372036854775807 W'", Ok(&[1, 2])),
        ("value < '0.0000000000000000000000000000001 W'", Ok(&[1])),
        ("value - value == '0 s'", Ok(&[1, 2])),
    ] {
        let found = rows(expression, "<m8[ms]", &[3], &bytes);
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{expression}");
    }
    let texts = ["ab", "", "abcé", "b"];
    let bytes = |width: usize, character: fn(char) -> Vec<u8>| -> Vec<u8> {
        let padded = |text: &str| {
            let mut bytes: Vec<u8> = text.chars().flat_map(character).collect();
            bytes.resize(width, 0);
            bytes
        };
        texts.iter().flat_map(|text| padded(text)).collect()
    };
    let utf8 = bytes(5, |character| character.to_string().into_bytes());
    let little = bytes(16, |character| u32::from(character).to_le_bytes().to_vec());
    let big = bytes(16, |character| u32::from(character).to_be_bytes().to_vec());
    for (dtype, bytes) in [("S5", utf8), ("<U4", little), (">U4", big)] {
        for (expression, expected) in [
            ("value == 'ab'", &[0][..]),
            ("value != ''", &[0, 2, 3]),
            ("value < 'abc'", &[0, 1]),
            ("'b' <= value", &[3]),
            ("value in ['b', 'ab ']", &[3]),
            ("value in ['é', 'b', 'abcé', 'abcd', '', 'b', 'c', 'abc']", &[1, 2, 3]),
            ("startswith(value, 'ab') and endswith(value, 'é')", &[2]),
            ("contains(value, 'b')", &[0, 2, 3]),
            ("contains(value, 'bc')", &[2]),
            ("contains(value, '')", &[0, 1, 2, 3]),
            ("value ~ '^.?b$'", &[0, 3]),
            ("value ~ '[[:alpha:]]'", &[0, 2, 3]),
            ("not value ~ \"c\\u00e9\"", &[0, 1, 3]),
            ("value == value", &[0, 1, 2, 3]),
        ] {
            assert_eq!(rows(expression, dtype, &[4], &bytes).as_deref(), Ok(expected), "{dtype} {expression}");
        }
    }
}

#[test]
fn times_are_subtracted() {
    let dtype = "[('d', '<M8[D]'), ('ms', '>M8[ms]'), ('y', '<M8[Y]'), ('w', '<M8[W]'), ('as', '<M8[as]'), ('s', '<m8[s]')]";
    let records = [[0_i64, 86_400_000, 1, 0, 1, 3], [1, -5, 31, i64::MAX, i64::MAX, -3], [i64::MIN, 1, 0, i64::MIN + 1, -1, 1]];
    let bytes = |[d, ms, y, w, a, s]: [i64; 6]| {
        [d.to_le_bytes(), ms.to_be_bytes(), y.to_le_bytes(), w.to_le_bytes(), a.to_le_bytes(), s.to_le_bytes()].concat()
    };
    let bytes: Vec<u8> = records.into_iter().flat_map(bytes).collect();
    for (expression, expected) in [
        ("ms - d == '1 D'", &[0][..]),
        ("d - ms > '86400.004 s'", &[1]),
        ("d - ms > '86400005000 us'", &[]),
        ("abs(ms - d) >= '24h'", &[0, 1]),
        ("ms - d != '1 D'", &[1]),
        ("isnan(ms - d)", &[2]),
        ("y - d == '365 D'", &[0]),
        ("y - ms > '30 D'", &[0, 1]),
        ("y - y == '0 M'", &[0, 1, 2]),
        ("w - as >= '100000000000000 s'", &[1]),
        ("as - w > '0s'", &[0, 2]),
        ("w > as", &[1]),
        ("w < as", &[0, 2]),
        ("'6 s' <= s - s or s - s == '0 s'", &[0, 1, 2]),
    ] {
        assert_eq!(rows(expression, dtype, &[3], &bytes).as_deref(), Ok(expected), "{expression}");
    }
    let failure = |expression: &str| rows(expression, dtype, &[3], &bytes).unwrap_err();
    insta::assert_snapshot!(failure("d - s > '5 s'"), @"cannot subtract times of dtype <M8[D] with <m8[s]: one is a point in time, the other a span ^5");
    insta::assert_snapshot!(failure("d + d > '5 s'"), @"times have no arithmetic but - ^5");
    insta::assert_snapshot!(failure("d - ms > 5"), @"expected a span in quotes, such as '5 s', found a number ^12");
    insta::assert_snapshot!(failure("d - ms > '2024-01-01'"), @r#"invalid span: expected a number and one of Y M W D h m s ms us ns ps fs as, such as 5 s or 2.5 h, found "2024-01-01" ^12"#);
    insta::assert_snapshot!(failure("w - as >= '9223372036854775806 W'"), @r#"span out of range: "9223372036854775806 W" ^13"#);
    insta::assert_snapshot!(failure("d - ms"), @"expected a bool, found a difference of times; compare it ^5");
    insta::assert_snapshot!(failure("y - d > '1 M'"), @r#"cannot compare with "1 M": the days of a month vary ^11"#);
    insta::assert_snapshot!(failure("(d - ms) * 2 > '1 s'"), @"expected a number, found a difference of times; compare times or their differences, as in end - start > '5 s' ^6");
}

#[test]
fn fields_are_found_by_path() {
    let dtype = "[('p', [('x', '|i1'), ('v', '|i1', (2, 2))], (2,)), ('in', '|b1'), ('row', '|i1'), ('a b', '|u1')]";
    let mut bytes: Vec<u8> = (0..26).collect();
    (bytes[10], bytes[23]) = (0, 1);
    for (expression, expected) in [
        ("p[1].x == 5", &[0][..]),
        ("p.x[1] == 5", &[0]),
        ("p[-1].v[0, 1] in [7, 20]", &[0, 1]),
        ("['p'][0]['v'][1][1] == 4", &[0]),
        ("['in']", &[1]),
        ("['in'] < 1 and ['in'] != true", &[0]),
        ("row == 11", &[0]),
        ("['a b'] > 12", &[1]),
    ] {
        assert_eq!(rows(expression, dtype, &[2], &bytes).as_deref(), Ok(expected), "{expression}");
    }
    let failure = |expression: &str| rows(expression, dtype, &[2], &bytes).unwrap_err();
    insta::assert_snapshot!(failure("p > 3"), @r#"field "p" is a record: expected one of p.x, p.v ^3"#);
    insta::assert_snapshot!(failure("p.x > 3"), @r#""p.x" has values of shape (2,) in a row; select one, as in p.x[0] ^3"#);
    insta::assert_snapshot!(failure("p[0].v[1] > 3"), @r#""p.v" has values of shape (2, 2, 2) in a row, and an index of 2 of its axes; select one, as in p.v[0, 0, 0] ^3"#);
    insta::assert_snapshot!(failure("1 < p[2].x"), @"index 2 is out of bounds for an axis of length 2 ^9");
    insta::assert_snapshot!(failure("q.x > 3"), @r#"unknown field "q.x": expected one of p.x, p.v, in, row, a b; did you mean "p.x"? ^3"#);
    insta::assert_snapshot!(failure("zzzzzz > 3"), @r#"unknown field "zzzzzz": expected one of p.x, p.v, in, row, a b ^3"#);
    insta::assert_snapshot!(failure("p[0].x[ > 3"), @r#"expected an index such as 2, or a field such as 't', found ">" ^11"#);
    insta::assert_snapshot!(failure("p. > 3"), @r#"expected the name of a field, found ">" ^6"#);
    // The rows of an array of several axes.
    let bytes: Vec<u8> = (0..12).collect();
    assert_eq!(rows("value[1, 0] > 5", "|u1", &[3, 2, 2], &bytes), Ok(vec![1, 2]));
}

#[test]
fn mistakes_have_a_place() {
    let failure = |expression: &str| of_i64(expression, &[1, 0]).unwrap_err();
    insta::assert_snapshot!(failure("value >"), @"expected a value, a field or a function, found the end ^10");
    insta::assert_snapshot!(failure("value > 3)"), @r#"expected an operator or the end, found ")" ^12"#);
    insta::assert_snapshot!(failure("valu > 3"), @r#"unknown name "valu": the array has no fields; expected value, or row for the number of the row ^3"#);
    insta::assert_snapshot!(failure("value = 3"), @r#"expected an operator or a value, found "="; write == ^9"#);
    insta::assert_snapshot!(failure("value && 3"), @r#"expected an operator, found "&&"; write and ^9"#);
    insta::assert_snapshot!(failure("value + 1"), @"expected a bool, found a number; compare it, as in x != 0 ^9");
    insta::assert_snapshot!(failure("value == 'a'"), @"expected a number, found a text in quotes ^12");
    insta::assert_snapshot!(failure("value ~ 'a'"), @"expected a field of text, found a number ^3");
    insta::assert_snapshot!(failure("value[0] > 1"), @r#"invalid index: "value" has one value in a row ^9"#);
    insta::assert_snapshot!(failure("1 // value > 1"), @"division by zero in row 1 ^5");
    insta::assert_snapshot!(failure("value > 1 // 0"), @"division by zero ^13");
    insta::assert_snapshot!(failure("value * 1e400 > 1"), @"number out of range: expected a float of 64 bits; infinity is inf ^11");
    insta::assert_snapshot!(failure("value > 1x"), @"invalid number; a field whose name begins with a digit is written ['1st'] ^11");
    insta::assert_snapshot!(failure("value in 3"), @"expected a list such as [1, 2], found a number ^12");
    insta::assert_snapshot!(failure("value not 3"), @r#"expected "in", found a number ^13"#);
    insta::assert_snapshot!(failure("abs(value, 3) > 1"), @"wrong number of arguments: expected abs(x) ^3");
    insta::assert_snapshot!(failure("sqrt(value) > 1"), @r#"unknown function "sqrt": expected one of abs, isnan, isnat, startswith, endswith, contains ^3"#);
    insta::assert_snapshot!(failure("value == 'a"), @"expected a closing ', found the end ^12");
    insta::assert_snapshot!(failure("value ** 2 > 1"), @r#"expected an operator, found "**"; powers are not supported ^9"#);
    insta::assert_snapshot!(failure("170141183460469231731687303715884105727 + value > 1"), @"integer overflow beyond 128 bits in row 0 ^43");
}

#[test]
fn nesting_is_limited() {
    for count in [101, 100_000] {
        for (open, close) in [("(", ")"), ("not ", ""), ("-", ""), ("abs(", ")")] {
            let expression = format!("{}value{} == 1", open.repeat(count), close.repeat(count));
            let message = of_i64(&expression, &[1]).unwrap_err();
            assert!(message.starts_with("nesting exceeds the limit of 100"), "{message}");
        }
    }
    let sum = format!("value{} == 1", " + 1".repeat(100_000));
    assert!(of_i64(&sum, &[1]).unwrap_err().starts_with("nesting exceeds the limit of 100"));
    assert_eq!(of_i64(&format!("{}value{} == 1", "(".repeat(100), ")".repeat(100)), &[1]), Ok(vec![0]));
    assert_eq!(of_i64(&format!("value == 0{}", " or value == 1".repeat(10_000)), &[1]), Ok(vec![0]));
}
