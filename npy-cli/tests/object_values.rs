//! Objects in objects, and fields whose names have dots, as NumPy saves them.

use crate::support::numpy::numpy;
use crate::support::run;

/// Saves each expression as the element of an array of its own, and returns the directory.
fn saved(test: &str, objects: &[&str]) -> Option<tempfile::TempDir> {
    let numpy = numpy(test)?;
    let directory = tempfile::tempdir().unwrap();
    let head = "import collections, pathlib, sys, numpy as np\nnan, inf = float('nan'), float('inf')\n\
                od, ma, a = collections.OrderedDict, np.ma.array, np.empty(1, object)\n";
    let save = |(index, object): (usize, &&str)| format!("a[0] = {object}; np.save(f'{{sys.argv[1]}}/{index}.npy', a)\n");
    let program = head.to_owned() + &objects.iter().enumerate().map(save).collect::<String>();
    numpy.run(["-c", &program, &directory.path().display().to_string()], b"");
    Some(directory)
}

/// Two objects, the options, and whether they are equal.
const PAIRS: &[(&str, &str, &str, bool)] = &[
    ("{'x': nan}", "{'x': nan}", "", true),
    ("od(x=nan)", "od(x=nan)", "", true),
    ("od(x=nan, y=1)", "od(x=nan, y=1.01)", "--rtol 0.1", true),
    ("od(x=1, y=2)", "od(y=2, x=1)", "", false),
    ("od(x=1, y=2)", "{'y': 2, 'x': 1}", "", true),
    ("od(x=1)", "od(x=2)", "", false),
    ("complex(nan, 0)", "complex(nan, 0)", "", true),
    ("complex(nan, 0)", "complex(nan, 0)", "--no-equal-nan", false),
    ("1 + 2j", "1 + 2.01j", "", false),
    ("1 + 2j", "1 + 2.01j", "--rtol 0.1", true),
    ("[1 + 0j]", "[1]", "", true),
    ("np.complex64(1 + 2j)", "1 + 2j", "", true),
    ("np.complex128(complex(nan, 1))", "np.complex128(complex(nan, 1))", "", true),
    ("[np.array([1.0, nan])]", "[np.array([1.01, nan])]", "--rtol 0.1", true),
    ("[np.array([1.0, nan])]", "[np.array([1.01, nan])]", "", false),
    ("[np.array([1, 2])]", "[np.array([1.0, 2.0])]", "", true),
    ("[np.array([[1, 2], [3, 4]], order='F')]", "[np.array([[1, 2], [3, 4]])]", "", true),
    ("[np.array([[1, 2], [3, 4]], order='F')]", "[np.array([[1, 3], [2, 4]])]", "", false),
    ("[np.array([(1, 'a')], 'i4, U1')]", "[np.array([(1, 'a')], 'i8, U2')]", "", true),
    ("[np.array([(1, 'a')], 'i4, U1')]", "[np.array([(1, 'b')], 'i4, U1')]", "", false),
    ("[np.array([1, 2])]", "[np.array([[1, 2]])]", "", false),
    ("np.matrix([[1.0, nan]])", "np.matrix([[1.01, nan]])", "--rtol 0.1", true),
    ("[np.matrix([[1, 2]])]", "[np.array([[1, 2]])]", "", true),
    ("[np.matrix([[1, 2]])]", "[np.matrix([[1, 3]])]", "", false),
    ("[np.matrix([[nan, None]], dtype=object)]", "[np.matrix([[nan, None]], dtype=object)]", "", true),
    ("[ma([1, nan], mask=[0, 1])]", "[ma([1, nan], mask=[0, 1])]", "", true),
    ("[ma([1, nan], mask=[0, 1])]", "[ma([1.01, nan], mask=[0, 1])]", "--rtol 0.1", true),
    ("[ma([1, 2], mask=[0, 1])]", "[ma([1, 2], mask=[1, 0])]", "", false),
    ("inf", "10**400", "", false),
    ("10**400", "inf", "", false),
    ("10**400", "10**400", "", true),
    ("10**400", "10**400 + 1", "--rtol 0.1", false),
    ("-10**400", "10**400", "", false),
    ("inf", "inf", "", true),
    ("-inf", "inf", "", false),
    ("10**50", "10**50 + 1", "", false),
    ("10**50", "10**50 + 1", "--rtol 0.1", true),
    ("np.int64(2**60 + 1)", "2**60 + 1", "", true),
    ("np.int64(2**60 + 1)", "2**60", "", false),
    ("np.True_", "True", "", true),
    ("{1: 'a', 'b': nan}", "{'b': nan, 1.0: 'a'}", "", true),
    ("{nan: 1}", "{nan: 1}", "", true),
    ("{1: 'a', 2: 'b'}", "{2: 'a', 1: 'b'}", "", false),
    ("{1: 1.0}", "{1.01: 1.0}", "--rtol 0.1", false),
    ("{(1, 'x'): 1, (2, 'x'): 2}", "{(2, 'x'): 2, (1, 'x'): 1}", "", true),
    ("{'1': 1, 1: 2}", "{1: 2, '1': 1}", "", true),
    ("{'1': 1}", "{1: 1}", "", false),
    ("{1, 'a', nan}", "{nan, 'a', 1}", "", true),
    ("{1, 2}", "{1, 3}", "", false),
    ("{frozenset([1, 'a']), 0}", "{0, frozenset(['a', 1])}", "", true),
    ("pathlib.PurePosixPath('a')", "pathlib.PurePosixPath('a')", "", true),
    ("pathlib.PurePosixPath('a')", "pathlib.PurePosixPath('b')", "", false),
];

#[test]
fn diff_compares_what_objects_hold() {
    let objects: Vec<&str> = PAIRS.iter().flat_map(|(a, b, ..)| [*a, *b]).collect();
    let Some(directory) = saved("diff_compares_what_objects_hold", &objects) else { return };
    let mut wrong = Vec::new();
    for (index, (a, b, options, is_equal)) in PAIRS.iter().enumerate() {
        let path = |index: usize| directory.path().join(format!("{index}.npy")).display().to_string();
        let words = ["diff".to_owned()].into_iter().chain(options.split_whitespace().map(str::to_owned));
        let result = run(words.chain([path(2 * index), path(2 * index + 1)]));
        if result.code != Some(i32::from(!is_equal)) {
            wrong.push(format!("{a} and {b} {options}: {}{}", result.stdout, result.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In the same order, in another one, and of integers that one float stands for.
#[test]
fn diff_of_large_dicts_takes_linear_time() {
    let objects = [
        "{i: str(i) for i in range(100_000)}",
        "{i: str(i) for i in reversed(range(100_000))}",
        "set(range(2**60, 2**60 + 100_000))",
    ];
    let Some(directory) = saved("diff_of_large_dicts_takes_linear_time", &objects) else { return };
    let path = |index: usize| directory.path().join(format!("{index}.npy")).display().to_string();
    let start = std::time::Instant::now();
    for [a, b] in [[0, 0], [0, 1], [2, 2]] {
        assert_eq!(run(["diff".to_owned(), path(a), path(b)]).code, Some(0));
    }
    // A comparison of each key with each takes minutes.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn unknown_classes_are_found_in_arrays_of_every_class() {
    let path = "pathlib.PurePosixPath('a')";
    let objects = [
        format!("np.matrix([[{path}, 1]], dtype=object)"),
        format!("[np.rec.array([({path},)], dtype=[('a', 'O')])]"),
        format!("{{'k': ma([{path}, 1], mask=[0, 1], dtype=object)}}"),
        format!("ma([1, 2], mask=[0, 1], dtype=object, fill_value={path})"),
        format!("od(k=np.array([{path}, 1], dtype=object))"),
    ];
    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
    let Some(directory) = saved("unknown_classes_are_found_in_arrays_of_every_class", &objects) else { return };
    for (index, object) in objects.iter().enumerate() {
        let path = directory.path().join(format!("{index}.npy")).display().to_string();
        let verified = run(["verify", &path]).stdout;
        assert!(verified.contains("unknown class") && verified.contains("PurePosixPath"), "{object}: {verified}");
        assert_eq!(run(["convert", &path, "-", "--to", "json"]).code, Some(2), "{object}");
    }
}

#[test]
fn json_has_arrays_of_every_class_and_no_masks() {
    let objects = [
        ("np.matrix([[1, 2]])", "[[[1,2]]]"),
        ("[np.matrix([['a', None]], dtype=object)]", "[[[[\"a\",null]]]]"),
        ("np.rec.array([(1, 2.5)], dtype=[('a', 'i4'), ('b', 'f8')])", "[[{\"a\":1,\"b\":2.5}]]"),
        ("ma([1, 2])", "[[1,2]]"),
        ("ma([1, 2], mask=[0, 1])", "found numpy.ma.MaskedArray"),
        ("[ma([1, 'a'], mask=[0, 1], dtype=object)]", "found numpy.ma.MaskedArray"),
        ("{'k': np.ma.masked}", "found numpy.ma.masked"),
        ("[np.matrix([[{1}]], dtype=object)]", "found set"),
        ("'\\ud800'", "found str with a lone surrogate"),
    ];
    let sources: Vec<&str> = objects.iter().map(|(object, _)| *object).collect();
    let Some(directory) = saved("json_has_arrays_of_every_class_and_no_masks", &sources) else { return };
    for (index, (object, expected)) in objects.iter().enumerate() {
        let path = directory.path().join(format!("{index}.npy")).display().to_string();
        let result = run(["convert", &path, "-", "--to", "json"]);
        let found = format!("{}{}", result.stdout, result.stderr);
        assert!(found.contains(expected), "{object}: {found}");
        assert_eq!(result.code, Some(if expected.starts_with("found") { 2 } else { 0 }), "{object}: {found}");
    }
}

/// `a.b` is a field of objects, and of numbers below the field `a`.
#[test]
fn names_with_dots_are_told_from_paths() {
    let Some(numpy) = numpy("names_with_dots_are_told_from_paths") else { return };
    let directory = tempfile::tempdir().unwrap();
    let program = "import sys, numpy as np\nnan = float('nan')\nfor name, text in ('d', 'x'), ('e', 'y'):\n  \
                   rows = [(text, (nan,)), (nan, (1.5,))]\n  \
                   np.save(f'{sys.argv[1]}/{name}.npy', np.array(rows, dtype=[('a.b', 'O'), ('a', [('b', '<f8')])]))";
    numpy.run(["-c", program, &directory.path().display().to_string()], b"");
    let [d, e] = ["d.npy", "e.npy"].map(|name| directory.path().join(name).display().to_string());
    let json = run(["convert", &d, "-", "--to", "ndjson"]).ok();
    assert_eq!(json, "{\"a.b\":\"x\",\"a\":{\"b\":\"NaN\"}}\n{\"a.b\":null,\"a\":{\"b\":1.5}}\n");
    let csv = run(["convert", &d, "-", "--to", "csv"]);
    assert_eq!(csv.stdout, "a.b,a.b\nx,nan\n,1.5\n");
    let stats = run(["stats", "--json", "--fields", "a", &d]).ok();
    assert_eq!((stats.matches("\"count\"").count(), stats.matches("\"nan\":1").count()), (1, 1), "{stats}");
    assert_eq!(run(["diff", &d, &d]).code, Some(0));
    assert_eq!(run(["diff", "--fields", "a", &d, &e]).code, Some(0));
    assert_eq!(run(["diff", "--fields", "a.b", &d, &e]).code, Some(1));
}
