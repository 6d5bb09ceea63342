//! `npy diff`.

use std::fs;

use npy_core::{DynValues, Header, Order};

use crate::support::numpy::numpy;
use crate::support::{Files, rounds, run, run_with, session};

#[test]
fn verdicts_and_figures_are_those_of_numpy() {
    let Some(numpy) = numpy("verdicts_and_figures_are_those_of_numpy") else { return };
    let files = Files::new();
    let path = files.directory().to_str().unwrap();
    let count = rounds(50);
    let printed = numpy.run(["-c", include_str!("diff.py"), env!("CARGO_BIN_EXE_npy"), path, &count.to_string()], b"");
    assert_eq!(String::from_utf8(printed).unwrap(), format!("{count} pairs\n"));
}

/// The exit code and the output of a comparison.
fn diff(files: &Files, arguments: &[&str]) -> String {
    let run = files.run([&["diff"], arguments].concat());
    format!("{}\n{}{}", run.code.unwrap(), run.stdout, run.stderr)
}

#[test]
fn orders_and_byte_orders_are_shown_but_are_equal() {
    let files = Files::new();
    // More than a piece of a mebibyte.
    let values: Vec<u32> = (0..600_000).collect();
    let a = files.array("a.npy", "<u4", &[2, 300, 1000], values.iter().flat_map(|value| value.to_le_bytes()).collect());
    let big: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    let b = files.path("b.npy");
    DynValues::new(">u4".parse().unwrap(), Order::C, &[2, 300, 1000], big)
        .unwrap()
        .into_order(Order::Fortran)
        .unwrap()
        .save(&b)
        .unwrap();
    insta::assert_snapshot!(diff(&files, &[&a, &b]), @"
    0
    a.npy b.npy: equal
      dtype     <u4  >u4
      order     C  Fortran
    ");
    let mut changed = DynValues::load(&b).unwrap();
    let (header, mut bytes) = (changed.header().clone(), changed.bytes().to_vec());
    // In Fortran order [1, 0, 0] is the second, and [0, 299, 999] the last but one.
    bytes[7] ^= 1;
    let end = bytes.len() - 5;
    bytes[end] ^= 2;
    changed = DynValues::new(header.dtype().clone(), Order::Fortran, header.shape(), bytes).unwrap();
    changed.save(&b).unwrap();
    insta::assert_snapshot!(diff(&files, &[&a, &b]), @"
    1
    a.npy b.npy: different
      dtype     <u4  >u4
      order     C  Fortran
      values    2 of 600,000 are different (0.000333 %)
      first     (0, 299, 999): 299999  299997
      absolute  2 at (0, 299, 999)
      relative  6.666733334e-6 at (0, 299, 999)
    ");
    let both_fortran = files.path("c.npy");
    DynValues::load(&a).unwrap().into_order(Order::Fortran).unwrap().save(&both_fortran).unwrap();
    insta::assert_snapshot!(diff(&files, &[&both_fortran, &b]), @"
    1
    c.npy b.npy: different
      dtype     <u4  >u4
      values    2 of 600,000 are different (0.000333 %)
      first     (0, 299, 999): 299999  299997
      absolute  2 at (0, 299, 999)
      relative  6.666733334e-6 at (0, 299, 999)
    ");
}

#[test]
fn records_are_compared_field_by_field() {
    let files = Files::new();
    let a = files.array("a.npy", "[('id', '<u2'), ('t', '<M8[s]'), ('n', '<U2'), ('x', '<f4', (2,))]", &[1], {
        let text: Vec<u8> = "ab".chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
        let floats: Vec<u8> = [1.0_f32, f32::NAN].iter().flat_map(|x| x.to_le_bytes()).collect();
        [&7_u16.to_le_bytes()[..], &60_i64.to_le_bytes(), &text, &floats].concat()
    });
    let b = files.array("b.npy", "[('x', '<f4', (2,)), ('n', '>U3'), ('t', '<M8[m]'), ('new', '|b1')]", &[1], {
        let text: Vec<u8> = "ab\0".chars().flat_map(|character| u32::from(character).to_be_bytes()).collect();
        let floats: Vec<u8> = [1.5_f32, f32::NAN].iter().flat_map(|x| x.to_le_bytes()).collect();
        [&floats[..], &text, &1_i64.to_le_bytes(), &[1]].concat()
    });
    insta::assert_snapshot!(diff(&files, &[&a, &b, "--no-equal-nan"]), @r#"
    1
    a.npy b.npy: different
      dtype     [('id', '<u2'), ('t', '<M8[s]'), ('n', '<U2'), ('x', '<f4', (2,))]  [('x', '<f4', (2,)), ('n', '>U3'), ('t', '<M8[m]'), ('new', '|b1')]
      the field "id" is missing in the second
      the field "new" is missing in the first
      x
        values    2 of 2 are different (100 %)
        NaN       1 in both, which --no-equal-nan takes as different
        first     (0, 0): 1.0  1.5
        absolute  0.5 at (0, 0)
        relative  0.3333333433 at (0, 0)
    "#);
    assert!(diff(&files, &[&a, &b, "--fields", "t,n"]).starts_with("0\n"));
    assert!(diff(&files, &[&a, &b, "--fields", "x", "--rtol", "0.34"]).starts_with("0\n"));
}

#[test]
fn nan_at_the_same_place_is_equal() {
    let files = Files::new();
    let bytes: Vec<u8> = [f64::NAN, 1.0, f64::NAN].iter().flat_map(|x| x.to_le_bytes()).collect();
    let a = files.array("a.npy", "<f8", &[3], bytes.clone());
    let swapped: Vec<u8> = [f64::NAN, 1.0, f64::NAN].iter().flat_map(|x| x.to_be_bytes()).collect();
    let swapped = files.array("swapped.npy", ">f8", &[3], swapped);
    let times: Vec<u8> = [i64::MIN, 7].iter().flat_map(|steps| steps.to_le_bytes()).collect();
    let times = files.array("times.npy", "<M8[s]", &[2], times);
    for pair in [[&a, &a], [&a, &swapped], [&times, &times]] {
        assert!(diff(&files, &[pair[0], pair[1]]).starts_with("0\n"));
        assert!(diff(&files, &[pair[0], pair[1], "--equal-nan"]).starts_with("0\n"));
        assert!(diff(&files, &[pair[0], pair[1], "--no-equal-nan"]).starts_with("1\n"));
    }
    let numbers: Vec<u8> = [f64::NAN, 1.0, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let numbers = files.array("numbers.npy", "<f8", &[3], numbers);
    assert!(diff(&files, &[&a, &numbers]).starts_with("1\n"));
}

#[test]
fn compare_is_another_name_of_diff() {
    let files = Files::new();
    let a = files.array("a.npy", "|u1", &[2], vec![1, 2]);
    assert_eq!(run(["compare", &a, &a]).ok(), run(["diff", &a, &a]).ok());
}

#[test]
fn equal_bytes_of_other_fields_are_different() {
    let files = Files::new();
    let a = files.array("a.npy", "[('x', '|u1'), ('y', '|u1')]", &[1], vec![1, 2]);
    let b = files.array("b.npy", "[('y', '|u1'), ('x', '|u1')]", &[1], vec![1, 2]);
    assert!(diff(&files, &[&a, &b]).starts_with("1\n"));
    let c = files.array("c.npy", "[('y', '|u1'), ('x', '|u1')]", &[1], vec![2, 1]);
    assert!(diff(&files, &[&a, &c]).starts_with("0\n"));
}

#[test]
fn archives_are_compared_member_by_member() {
    let files = Files::new();
    let archive = |name: &str, members: &[(&str, &[u8])]| {
        files.archive(name, |archive| members.iter().for_each(|(name, items)| archive.add_slice(name, items).unwrap()))
    };
    let a = archive("a.npz", &[("x", &[1, 2]), ("y", &[3]), ("z", &[0])]);
    let b = archive("b.npz", &[("y", &[4]), ("x", &[1, 2]), ("w", &[0])]);
    insta::assert_snapshot!(diff(&files, &[&a, &b]), @"
    1
    x: equal
    y: different
      values    1 of 1 are different (100 %)
      first     (0,): 3  4
      absolute  1 at (0,)
      relative  0.25 at (0,)
    only in a.npz: z
    only in b.npz: w
    1 of 2 arrays is different
    ");
    insta::assert_snapshot!(diff(&files, &["--brief", &a, &b]), @"
    1
    y: 1 of 1 value is different, by 1 at most
    only in a.npz: z
    only in b.npz: w
    1 of 2 arrays is different
    ");
    insta::assert_snapshot!(diff(&files, &["--brief", &a, &a]), @"
    0
    0 of 3 arrays are different
    ");
    assert!(diff(&files, &[&format!("{a}:x"), &format!("{b}:x")]).starts_with("0\n"));
    let several = diff(&files, &[&a, &format!("{b}:x")]);
    insta::assert_snapshot!(several, @"
    2
    npy: a.npz: expected one array, found 3: x, y, z; select one, as in a.npz:x
    ");
}

#[test]
fn shapes_kinds_and_trouble_have_their_exit_codes() {
    let files = Files::new();
    let a = files.array("a.npy", "|u1", &[2], vec![1, 2]);
    let wide = files.array("wide.npy", "|u1", &[1, 2], vec![1, 2]);
    let text = files.array("text.npy", "|S1", &[2], b"12".to_vec());
    let scalar = files.array("scalar.npy", "<f8", &[], 1.0_f64.to_le_bytes().to_vec());
    let empty = files.array("empty.npy", "<f8", &[0, 2], vec![]);
    let width = files.array("width.npy", "|S0", &[2], vec![]);
    insta::assert_snapshot!(diff(&files, &[&a, &wide]), @"
    1
    a.npy wide.npy: different
      shape     (2,)  (1, 2)
      the shapes are different
    ");
    insta::assert_snapshot!(diff(&files, &[&a, &text]), @"
    1
    a.npy text.npy: different
      dtype     |u1  |S1
      |u1 and |S1 cannot be compared
    ");
    for same in [&scalar, &empty, &width] {
        assert!(diff(&files, &[same, same]).starts_with("0\n"));
    }
    assert!(diff(&files, &[&width, &text]).starts_with("1\n"));
    let input = fs::read(&a).unwrap();
    assert_eq!(run_with(["diff", "-", &a], &input).code, Some(0));
    assert_eq!(run_with(["diff", &a, "-"], &input).code, Some(0));
    assert_eq!(run_with(["diff", "-", "-"], &input).code, Some(2));
    // A truncated file is trouble, not a difference.
    fs::write(&a, &input[..input.len() - 1]).unwrap();
    insta::assert_snapshot!(diff(&files, &[&text.replace("text", "a"), &a]), @"
    2
    npy: a.npy: truncated file: the array needs 2 bytes at offset 128, found 1
    ");
    let objects = Header::new("|O".parse().unwrap(), Order::C, &[1]).unwrap();
    let path = files.path("o.npy");
    fs::write(&path, [objects.to_bytes(), b"\x80\x02]q\x00Na.".to_vec()].concat()).unwrap();
    insta::assert_snapshot!(diff(&files, &[&path, &path]), @"
    2
    npy: o.npy: unsupported pickle at byte 130: expected an array of objects, found a list
    ");
}

/// The verdict, and the first difference.
fn verdict(files: &Files, [a, b]: [(&str, &[i64]); 2], options: &[&str]) -> String {
    let save = |name, (dtype, bits): (&str, &[i64])| {
        files.array(name, dtype, &[bits.len()], bits.iter().flat_map(|bits| bits.to_le_bytes()).collect())
    };
    let text = diff(files, &[&[save("a.npy", a).as_str(), save("b.npy", b).as_str()], options].concat());
    let first = text.lines().find_map(|line| line.trim().strip_prefix("first "));
    first.map_or_else(|| text.lines().next().unwrap_or_default().to_owned(), |first| first.trim().to_owned())
}

#[test]
fn moments_of_all_units_are_compared() {
    let files = Files::new();
    let years: (&str, &[i64]) = ("<M8[Y]", &[50, 51, i64::MIN, -1]);
    assert_eq!(verdict(&files, [years, ("<M8[D]", &[18_262, 18_628, i64::MIN, -365])], &[]), "0");
    assert_eq!(verdict(&files, [years, ("<M8[D]", &[18_262, 18_629, i64::MIN, -365])], &[]), "(1,): 2021  2021-01-02");
    assert_eq!(verdict(&files, [("<M8[7h]", &[24, 25]), ("<M8[M]", &[0, 0])], &[]), "(0,): 1970-01-08T00  1970-01");
    assert_eq!(verdict(&files, [("<M8[2W]", &[0]), ("<M8[3M]", &[0])], &[]), "0");
    // Beyond 128 bits of attoseconds.
    assert_eq!(verdict(&files, [("<M8[Y]", &[i64::MAX]), ("<M8[D]", &[i64::MAX])], &[]).split(':').next(), Some("(0,)"));
    assert!(verdict(&files, [years, years], &["--no-equal-nan"]).starts_with("(2,)"));
    // Spans of years have no length in days.
    assert_eq!(verdict(&files, [("<m8[Y]", &[1]), ("<m8[D]", &[365])], &[]), "1");
}

#[test]
fn integers_are_compared_exactly_with_floats() {
    let files = Files::new();
    let large = 1_i64 << 53;
    let float = |value: f64| value.to_bits().cast_signed();
    let floats: (&str, &[i64]) = ("<f8", &[float(9_007_199_254_740_992.0), float(3.0)]);
    assert_eq!(verdict(&files, [("<i8", &[large, 3]), floats], &[]), "0");
    for integers in ["<i8", "<u8"] {
        let integers: (&str, &[i64]) = (integers, &[large + 1, 3]);
        assert_eq!(verdict(&files, [integers, floats], &[]), "(0,): 9007199254740993  9007199254740992.0");
        assert_eq!(verdict(&files, [floats, integers], &[]), "(0,): 9007199254740992.0  9007199254740993");
        assert_eq!(verdict(&files, [integers, floats], &["--atol", "1"]), "0");
        assert_eq!(verdict(&files, [integers, floats], &["--rtol", "1e-15"]), "0");
    }
    let real = files.array("i.npy", "<i8", &[1], (large + 1).to_le_bytes().to_vec());
    let parts = [9_007_199_254_740_992_f64, 0.0];
    let complex = files.array("c.npy", "<c16", &[1], parts.iter().flat_map(|part| part.to_le_bytes()).collect());
    assert!(diff(&files, &[&real, &complex]).starts_with("1\n"));
    let [largest, rounded] = [("<u8", &[-1][..]), ("<f8", &[float(18_446_744_073_709_551_616.0)])];
    assert!(verdict(&files, [largest, rounded], &[]).starts_with("(0,): 18446744073709551615"));
}

/// Of archives that are equal otherwise.
#[test]
fn diff_compares_members_that_are_not_arrays() {
    let files = Files::new();
    for (name, text) in [("a.npz", "hi"), ("b.npz", "ho")] {
        files.archive(name, |archive| {
            archive.add_slice("x", &[1_u8]).unwrap();
            archive.add_bytes("readme.txt", text.as_bytes()).unwrap();
            archive.add_bytes(&format!("{text}.txt"), b"").unwrap();
        });
    }
    session!(files, @"
    $ npy diff a.npz a.npz
    x: equal
    $ npy diff a.npz b.npz
    x: equal
    readme.txt: different, not arrays
    only in a.npz: hi.txt
    only in b.npz: ho.txt
    exit code 1
    ");
}
