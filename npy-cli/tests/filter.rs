//! `--where`: the rows for which an expression is true, compared with NumPy and pandas where they are.

use std::ffi::OsString;
use std::fs;

use crate::support::numpy::{NumPy, frames, numpy, pyarrow};
use crate::support::{Files, announce, command, rounds, run, session};

const EXPRESSIONS: usize = 100;

#[test]
fn random_expressions_are_those_of_numpy() {
    if let Some(numpy) = numpy("random_expressions_are_those_of_numpy") {
        compare(numpy, "filters.py", "NumPy");
    }
}

/// The environment of tables has pandas.
#[test]
fn random_expressions_are_those_of_pandas() {
    if let Some(pandas) = pyarrow("random_expressions_are_those_of_pandas") {
        compare(pandas, "filters_pandas.py", "pandas");
    }
}

/// Compares the rows that pass with those that a script finds.
fn compare(judge: &NumPy, script: &str, name: &str) {
    let count = rounds(EXPRESSIONS);
    let stream = judge.run([script, "20261127", &count.to_string()], b"");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let (mut differences, mut partly) = (Vec::new(), 0);
    for case in frames(&stream).chunks_exact(3) {
        let [file, expression, rows] = case.try_into().unwrap();
        let [expression, expected] = [expression, rows].map(|text| std::str::from_utf8(text).unwrap());
        fs::write(&path, file).unwrap();
        let option = format!("--where={expression}");
        let output = run(["show", "--csv", &option, path.to_str().unwrap(), "id"]);
        let found = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        partly += usize::from(!expected.is_empty());
        if output.code != Some(0) || found != expected {
            differences.push(format!("{expression}: {found:.200} instead of {expected:.200}\n{}", output.stderr));
        }
    }
    announce(&format!("expressions: {count} as in {name}, {partly} of them with rows that pass"));
    let shown = differences.iter().take(4).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {count} differ:\n{shown}", differences.len());
    assert!(partly > count / 2);
}

/// Two fields of 600,000 rows: parts that threads read, and blocks of them.
fn pairs() -> (Vec<u8>, Vec<u8>) {
    let (mut all, mut odd) = (Vec::new(), Vec::new());
    for row in 0_u32..600_000 {
        let record = [row.to_le_bytes(), (row * 7 % 1000).to_be_bytes(), row.to_be_bytes()].concat();
        if row % 2 == 1 && row * 7 % 1000 > 500 {
            odd.extend_from_slice(&record);
        }
        all.extend_from_slice(&record);
    }
    (all, odd)
}

#[test]
fn rows_keep_their_order_wherever_they_come_from() {
    let files = Files::new();
    let dtype = "[('a', '<u4'), ('b', '>u4'), ('c', '>u4')]";
    let (all, odd) = pairs();
    files.array("all.npy", dtype, &[600_000], all.clone());
    files.array("odd.npy", dtype, &[odd.len() / 12], odd);
    let values = npy_core::DynValues::load(files.path("all.npy")).unwrap();
    files.archive("stored.npz", |archive| archive.add_content("x", |writer| values.write(writer)).unwrap());
    files.npy("repack stored.npz deflated.npz --compress").ok();
    let expected = files.npy("show odd.npy --csv").ok();
    for words in ["all.npy", "stored.npz", "deflated.npz:x", "- < all.npy"] {
        let found = files.npy(&format!("show --csv --where 'a % 2 == 1 and b > 500' {words}"));
        assert!(found.ok() == expected, "{words}");
    }
    let head = files.npy("show --csv --where 'a % 2 == 1 and b > 500' all.npy --head 70000").ok();
    assert!(head == expected.lines().take(70_001).flat_map(|line| [line, "\n"]).collect::<String>());
    let of = |words: &str| files.npy(&format!("stats --json {words}")).ok().replace("all.npy", "odd.npy");
    assert!(of("--where 'a % 2 == 1 and b > 500' all.npy") == of("odd.npy"));
    for words in ["all.npy out.npy", "stored.npz out.npy", "deflated.npz out.npy", "- out.npy < all.npy"] {
        files.npy(&format!("convert --where 'a % 2 == 1 and b > 500' {words}")).ok();
        assert!(fs::read(files.path("out.npy")).unwrap() == fs::read(files.path("odd.npy")).unwrap(), "{words}");
    }
    files.npy("convert --where 'a % 2 == 1 and b > 500' --fields c all.npy out.npy").ok();
    files.npy("convert --fields c odd.npy c.npy").ok();
    assert!(fs::read(files.path("out.npy")).unwrap() == fs::read(files.path("c.npy")).unwrap());
    let late = files.npy("show --count --where '1000 // (a - 599999) != 7' all.npy");
    assert_eq!(late.code, Some(2));
    assert!(late.stderr.contains("division by zero in row 599999"), "{}", late.stderr);
}

#[test]
fn figures_are_those_of_the_rows_for_any_number_of_threads() {
    let files = Files::new();
    let values: Vec<f64> = (0_u32..1_600_000).map(|row| f64::from(row.wrapping_mul(2_654_435_761)).sqrt() - 40_000.0).collect();
    let bytes = |values: &mut dyn Iterator<Item = f64>| values.flat_map(f64::to_le_bytes).collect::<Vec<_>>();
    files.array("all.npy", "<f8", &[values.len()], bytes(&mut values.iter().copied()));
    // More than one part of those that threads read.
    let some: Vec<f64> = values.into_iter().filter(|value| *value > 0.0).collect();
    files.array("some.npy", "<f8", &[some.len()], bytes(&mut some.into_iter()));
    let expected = files.npy("stats --json --threads 1 some.npy").ok();
    for threads in [1, 2, 5] {
        let found = files.npy(&format!("stats --json --threads {threads} --where 'value > 0' all.npy")).ok();
        assert_eq!(found.replace("all.npy", "some.npy"), expected, "{threads} threads");
    }
}

#[test]
fn every_format_has_rows() {
    let files = Files::with(&[
        ("r.csv", b"id,x,t\n1,0.5,2024-01-01\n2,1.5,2024-01-02\n3,2.5,2024-01-03\n"),
        ("r.json", br#"[{"id":1,"x":0.5,"t":"2024-01-01"},{"id":2,"x":1.5,"t":"2024-01-02"},{"id":3,"x":2.5,"t":"2024-01-03"}]"#),
    ]);
    files.npy("convert r.csv r.ndjson").ok();
    files.npy("convert r.csv r.npy").ok();
    files.npy("convert r.csv --fields x x.npz").ok();
    let filter = "--where 'x > 1 and \"2024-01-03\" > t'";
    let stats = |file: &str| {
        let json: serde_json::Value = serde_json::from_str(&files.npy(&format!("stats --json {filter} {file}")).ok()).unwrap();
        json["stats"].clone()
    };
    for file in ["r.csv", "r.json", "r.ndjson", "- < r.csv", "- < r.ndjson"] {
        assert_eq!(files.npy(&format!("show --csv {filter} {file}")).ok(), "id,x,t\n2,1.5,2024-01-02\n", "{file}");
        assert_eq!(files.npy(&format!("show --count {filter} {file}")).ok(), "1\n", "{file}");
        assert_eq!(stats(file), stats("r.npy"), "{file}");
        if !file.starts_with('-') {
            files.npy(&format!("diff {file} r.npy {filter}")).ok();
            files.npy(&format!("convert {file} {filter} out.csv")).ok();
            assert_eq!(files.read("out.csv"), b"id,x,t\n2,1.5,2024-01-02\n", "{file}");
        }
    }
    for (name, values) in [("a.npy", [1_u8, 2, 3]), ("b.npy", [4, 5, 6])] {
        files.array(name, "u1", &[3], values.to_vec());
    }
    files.npy("convert a.npy b.npy ab.safetensors").ok();
    session!(files, @"
    $ npy show ab.safetensors:b --where 'value > 4'
    [5 6]
    $ npy stats ab.safetensors --where 'row == 1' --brief
    array  dtype  shape  min  max  mean  std  NaN  zeros
    a      |u1    (1,)     2    2     2    0           0
    b      |u1    (1,)     5    5     5    0           0
    $ npy convert ab.safetensors --where 'row == 1' out.npz
    $ npy show out.npz:b
    [5]
    ");
}

#[test]
fn mistakes_have_a_caret() {
    let files = Files::new();
    files.array(
        "a.npy",
        "[('x', '<i2'), ('t', '<M8[D]')]",
        &[2],
        vec![1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0x80],
    );
    session!(files, @r#"
    $ npy show a.npy --where 'x > 1'
    [(2, 'NaT')]
    $ npy show a.npy --where '-x > -2' --count
    1
    $ npy stats a.npy --where '-onset > 3'
    npy: a.npy: invalid expression: unknown field "onset": expected one of x, t
      -onset > 3
       ^
    exit code 2
    $ npy show a.npy --where 'isnat(t)' --count
    1
    $ npy show a.npy --where 'x > 1 and y > 1'
    npy: a.npy: invalid expression: unknown field "y": expected one of x, t
      x > 1 and y > 1
                ^
    exit code 2
    $ npy show a.npy --where 't - t > 5'
    npy: a.npy: invalid expression: expected a span in quotes, such as '5 s', found a number
      t - t > 5
              ^
    exit code 2
    $ npy show a.npy --where 't > t + 5'
    npy: a.npy: invalid expression: expected a number, found a time; compare times or their differences, as in end - start > '5 s'
      t > t + 5
          ^
    exit code 2
    $ npy show a.npy --where 't - t > np.timedelta64(5)'
    npy: a.npy: invalid expression: unknown function "np.timedelta64": expected a span in quotes, as in end - start > '5 s'
      t - t > np.timedelta64(5)
              ^
    exit code 2
    $ npy show a.npy --where 'x.isnan()'
    npy: a.npy: invalid expression: unknown function "x.isnan": expected isnan(x)
      x.isnan()
      ^
    exit code 2
    $ npy show a.npy --where 'x >'
    npy: invalid expression: expected a value, a field or a function, found the end
      x >
         ^
    exit code 2
    "#);
}

#[test]
fn each_array_of_a_source_has_its_rows() {
    let files = Files::new();
    let numbers = |count: u8| (0..count).flat_map(|number| [number, 0]).collect::<Vec<_>>();
    files.array("a.npy", "<i2", &[4], numbers(4));
    files.array("b.npy", "<i2", &[3, 2], numbers(6));
    files.array("c.npy", "<i2", &[], numbers(1));
    files.npy("convert a.npy b.npy ab.npz").ok();
    files.npy("convert c.npy b.npy cb.npz").ok();
    session!(files, @r#"
    $ npy convert ab.npz --where 'row >= 2' out.npz
    $ npy show out.npz:a
    [2 3]
    $ npy show out.npz:b
    [[4 5]]
    $ npy convert ab.npz --where 'value[1] > 2' out.npz
    npy: ab.npz: member "a": invalid expression: invalid index: "value" has one value in a row
      value[1] > 2
            ^
    exit code 2
    $ npy convert cb.npz --where 'row > 2' out.npz
    npy: cb.npz: member "c": cannot filter rows: expected an array with rows, found a single element
    exit code 2
    $ npy stats cb.npz --where 'row > 0' --brief
    npy: cb.npz: member "c": cannot filter rows: expected an array with rows, found a single element
    array  dtype  shape   min  max  mean    std  NaN  zeros
    b      <i2    (2, 2)    2    5   3.5  1.118           0
    exit code 2
    "#);
    for output in ["none.npy", "none.npz", "none.ra", "none.csv", "none.json", "none.ndjson", "none.safetensors", "none/"] {
        files.npy(&format!("convert b.npy --where 'row > 9' {output}")).ok();
    }
    assert_eq!(fs::read(files.path("none.csv")).unwrap(), b"");
    assert_eq!(npy_core::DynValues::load(files.path("none.npy")).unwrap().shape(), [0, 2]);
}

#[test]
fn the_rows_of_both_are_compared() {
    let files = Files::new();
    let events = |name: &str, rows: &[(i16, &str)]| {
        let bytes = rows.iter().flat_map(|(x, name)| [&x.to_be_bytes()[..], format!("{name:\0<2}").as_bytes()].concat()).collect();
        files.array(name, "[('x', '>i2'), ('name', 'S2')]", &[rows.len()], bytes)
    };
    events("a.npy", &[(1, "ab"), (-2, "b"), (3, "ab"), (0, ""), (5, "c")]);
    events("b.npy", &[(-7, "b"), (1, "ab"), (3, "ab"), (5, "d")]);
    files.array("f.npy", "<f4", &[2], vec![0; 8]);
    files.npy("convert a.npy f.npy a.npz").ok();
    files.npy("convert b.npy f.npy b.npz").ok();
    files.npy("mv b.npz b a").ok();
    session!(files, @r#"
    $ npy diff a.npy b.npy --where 'x > 0'
    a.npy b.npy: different
      name
        values    1 of 3 are different (33.3 %)
        first     (2,): np.bytes_(b'c')  np.bytes_(b'd')
    exit code 1
    $ npy diff a.npy b.npy --where 'x > 0 and name == "ab"'
    a.npy b.npy: equal
    $ npy diff a.npy - --where 'x > 2' --brief < b.npy
    a.npy -: 1 of 4 values is different
    exit code 1
    $ npy diff a.npy b.npy --where 'not x > 0'
    a.npy b.npy: different
      shape     (2,)  (1,)
      the shapes are different
    exit code 1
    $ npy diff a.npy b.npy --where 'x > 100'
    a.npy b.npy: equal
    $ npy diff a.npz b.npz --where 'x > 0'
    npy: a.npz: member "f": invalid expression: unknown name "x": the array has no fields; expected value, or row for the number of the row
      x > 0
      ^
    a: different
      name
        values    1 of 3 are different (33.3 %)
        first     (2,): np.bytes_(b'c')  np.bytes_(b'd')
    exit code 2
    $ npy diff a.npz:a b.npz:a --where 'y > 0'
    npy: a.npz: member "a": invalid expression: unknown field "y": expected one of x, name
      y > 0
      ^
    exit code 2
    $ npy diff a.npy b.npy --where 'x'
    npy: a.npy: invalid expression: expected a bool, found a number; compare it, as in x != 0
      x
      ^
    exit code 2
    "#);
}

#[cfg(feature = "plot")]
#[test]
fn plots_are_of_the_rows() {
    let files = Files::new();
    let numbers = |numbers: &[i16]| numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    files.array("all.npy", "[('x', '>i2')]", &[5], numbers(&[1, -2, 3, 0, 5]));
    files.array("some.npy", "[('x', '>i2')]", &[3], numbers(&[1, 3, 5]));
    files.npy("convert all.npy all.npz --compress").ok();
    for (slice, kind) in [("", "line"), ("[1:]", "histogram"), ("", "scatter")] {
        let fields = if kind == "scatter" { "--x x --y x" } else { "--field x" };
        let plot = |rows: &str, file: &str, input: &str| {
            files.npy(&format!("plot {fields} --kind {kind} --title t --size 40x10 {rows} {file} {slice}{input}"))
        };
        for (file, input) in [("all.npy", ""), ("all.npz", ""), ("-", " < all.npy")] {
            assert_eq!(plot("--where 'x > 0'", file, input).ok(), plot("", "some.npy", "").ok(), "{kind} {file}");
        }
    }
    session!(files, @r#"
    $ npy plot all.npy --where 'x > 100' --field x
    npy: all.npy: the array is empty: there is nothing to plot
    exit code 2
    $ npy plot all.npy --where 'z > 0' --field x -o z.svg
    npy: all.npy: invalid expression: unknown field "z": expected one of x
      z > 0
      ^
    exit code 2
    "#);
    files.npy("plot all.npy --where 'x > 0' --field x -o some.svg").ok();
    assert!(String::from_utf8(files.read("some.svg")).unwrap().contains("all.npy where x &gt; 0 x"));
}

#[test]
fn hostile_expressions_are_errors() {
    let files = Files::new();
    files.array("a.npy", "<f8", &[1], vec![0; 8]);
    let deep = format!("{}value", "(".repeat(100_000));
    let digits = "9".repeat(100_000);
    for expression in [
        &deep,
        &digits,
        "'",
        "\"\\",
        "value ~ '((((((((((a*)*)*)*)*)*)*)*)*)*'",
        "value == 'a",
        "1e999999999999",
        "\u{202e}value",
        "",
        "value[99999999999999999999999]",
        "row[0]",
        "-",
        ")",
        "not",
        "value in [",
        "0x",
        "1__0",
        "value.",
        "['",
        "[[[[",
        "é(",
        "a\nb",
    ] {
        let run = files.run(["show", &format!("--where={expression}"), "--count", "a.npy"]);
        assert_eq!(run.code, Some(2), "{expression:.40}: {}", run.stderr);
        assert!(run.stderr.lines().count() <= 3 && run.stderr.len() < 1000, "{}", run.stderr);
        assert!(!run.stderr.contains('\u{202e}'), "{}", run.stderr);
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        let option = OsString::from_vec(b"--where=value > \xff".to_vec());
        let output = command(["show".into(), option, files.path("a.npy").into()]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
}
