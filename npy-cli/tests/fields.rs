//! Paths of fields: names joined by dots, which every command resolves alike.

use npy_core::{DynValues, Order};

use crate::support::{Files, run, session};

/// Records in a sub-array, and names with dots in them.
fn save(directory: &tempfile::TempDir) -> String {
    let inner = "[('w', '|u1'), ('v', '|u1', (2,)), ('x.y', '|u1')]";
    let dtype = format!("[('a', [('b', '|u1'), ('b.c', '|u1')]), ('a.b', '|u1'), ('n', {inner}, (2,))]");
    let values = DynValues::new(dtype.parse().unwrap(), Order::C, &[2], (1..=22).collect()).unwrap();
    let path = directory.path().join("r.npy");
    values.save(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_path_selects_the_same_field_in_every_command() {
    let directory = tempfile::tempdir().unwrap();
    let file = save(&directory);
    let svg = directory.path().join("p.svg").to_str().unwrap().to_owned();
    // The path; the values of both records; the column of a table.
    for (path, expected, column) in [
        ("a.b", &[3, 14][..], "a.b"),
        ("a.b.c", &[2, 13], "a.b.c"),
        ("n.w", &[4, 8, 15, 19], "n[0].w"),
        ("n.v", &[5, 6, 9, 10, 16, 17, 20, 21], "n[0].v[0]"),
        ("n.x.y", &[7, 11, 18, 22], "n[0].x.y"),
    ] {
        let numbers = |text: &str| -> Vec<u8> {
            let digits = text.split(|character: char| !character.is_ascii_digit());
            digits.filter(|digits| !digits.is_empty()).map(|digits| digits.parse().unwrap()).collect()
        };
        assert_eq!(numbers(&run(["show", &file, path]).ok()), expected, "show {path}");
        let csv = run(["convert", &file, "-", "--to", "csv", "--fields", path]).ok();
        let (header, rows) = csv.split_once('\n').unwrap();
        assert_eq!((header.split(',').next(), numbers(rows)), (Some(column), expected.to_vec()), "convert {path}");
        let stats = run(["stats", &file, "--json", "--fields", path]).ok();
        let mean = expected.iter().copied().map(f64::from).sum::<f64>() / f64::from(u8::try_from(expected.len()).unwrap());
        assert_eq!(stats.matches("\"mean\"").count(), 1, "stats {path}: {stats}");
        assert!(stats.replace(' ', "").contains(&format!("\"mean\":{mean:?}")), "stats {path}: {stats}");
        // No picture has three axes.
        assert!(path == "n.v" || run(["plot", &file, "--field", path, "-o", &svg]).code == Some(0), "plot {path}");
        assert!(run(["diff", &file, &file, "--fields", path]).ok().contains("equal"), "diff {path}");
    }
    // Columns of one path are different ones.
    let out = directory.path().join("o.npy").to_str().unwrap().to_owned();
    run(["convert", "--align", &file, &out]).ok();
    assert!(run(["diff", &file, &out]).ok().contains("equal"));
    for command in ["stats", "diff", "convert"] {
        for unknown in ["n.z", "a.b.d", "n.x"] {
            let arguments: &[&str] = match command {
                "stats" => &[command, &file, "--fields", unknown],
                "diff" => &[command, &file, &file, "--fields", unknown],
                _ => &[command, &file, "-", "--to", "csv", "--fields", unknown],
            };
            let message = run(arguments).trouble();
            assert!(message.contains(&format!("unknown field {unknown:?}")), "{command} {message}");
        }
    }
}

#[test]
fn names_of_fields_may_have_commas() {
    let files = Files::new();
    files.array("a.npy", "[('a,b', 'u1'), ('c', 'u1'), ('b', 'u1')]", &[1], vec![1, 2, 3]);
    session!(files, @r#"
    $ npy stats a.npy --brief --fields c,a,b
    array          dtype  shape  min  max  mean  std  NaN  zeros
    a.npy ['a,b']  |u1    (1,)     1    1     1    0           0
    a.npy ['c']    |u1    (1,)     2    2     2    0           0
    $ npy convert a.npy --fields a,b,b out.npy
    $ npy show out.npy
    [(1, 3)]
    $ npy diff a.npy a.npy --fields b,a,b
    a.npy a.npy: equal
    $ npy stats a.npy --fields a
    npy: a.npy: unknown field "a": expected one of a,b, c, b
    exit code 2
    "#);
}
