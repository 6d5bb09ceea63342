//! `npy stats`.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};

use npy_core::npz::NpzWriter;
use npy_core::{DynValues, Header, Order};

use crate::support::numpy::numpy;
use crate::support::{Files, announce, rounds, run, run_with};

#[test]
fn figures_are_those_of_numpy() {
    let Some(numpy) = numpy("figures_are_those_of_numpy") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let count = rounds(50);
    let printed = numpy.run(["-c", include_str!("stats.py"), env!("CARGO_BIN_EXE_npy"), path, &count.to_string()], b"");
    assert_eq!(String::from_utf8(printed).unwrap(), format!("{count} arrays\n"));
}

#[test]
fn mean_of_integers_is_rounded_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("i.npy").display().to_string();
    let bytes: Vec<u8> = (0..10).flat_map(|place| (-i32::from(place == 0)).to_le_bytes()).collect();
    DynValues::new("<i4".parse().unwrap(), Order::C, &[10], bytes).unwrap().save(&path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&run(["stats", "--json", &path]).ok()).unwrap();
    // The whole part and the rest of it would be -1 and 0.9, whose sum is -0.09999999999999998.
    assert_eq!(json["stats"][0]["mean"], -0.1);
}

#[test]
fn long_texts_are_cut() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.npy").display().to_string();
    let end = |line: Option<&str>| {
        line.and_then(|line| line.split_once("min")).map(|(_, value)| (value.trim().len(), value.contains("…'")))
    };
    for (length, longest, expected) in [(65_536, "65,536", (65_539, false)), (65_537, "65,537", (65_542, true))] {
        let bytes = [vec![b'a'; length], vec![b'b'; length]].concat();
        DynValues::new(format!("S{length}").parse().unwrap(), Order::C, &[2], bytes).unwrap().save(&path).unwrap();
        let shown = run(["stats", &path]).ok();
        assert_eq!(end(shown.lines().find(|line| line.contains("  min "))), Some(expected), "{length}");
        assert!(shown.contains(&format!("  longest    {longest}\n")), "{length}");
        let json: serde_json::Value = serde_json::from_str(&run(["stats", "--json", &path]).ok()).unwrap();
        let max = json["stats"][0]["max"].as_str().unwrap();
        assert_eq!((max.chars().filter(|character| *character == 'b').count(), max.ends_with('…')), (65_536, expected.1));
    }
    // Texts that differ behind what is shown are told apart.
    let same = vec![b'a'; 70_000];
    let bytes = [&same[..], b"b", &same, b"a"].concat();
    DynValues::new("S70001".parse().unwrap(), Order::C, &[2], bytes).unwrap().save(&path).unwrap();
    assert!(run(["stats", &path]).ok().contains("  distinct   2"));
}

#[test]
fn records_are_shown_field_by_field() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.npy").display().to_string();
    let dtype = "[('id', '>u2'), ('at', [('x', '<f4', (2,))]), ('name', '<U3'), ('tag', '|S2'), ('t', '<M8[s]'), ('ok', '|b1')]";
    let mut bytes = Vec::new();
    for (id, name, tag, time) in
        [(1_u16, ['a', 'b'], *b"x\0", 0_i64), (2, ['é', '\0'], *b"\0\0", 86_400), (2, ['a', 'b'], *b"yz", i64::MIN)]
    {
        bytes.extend(id.to_be_bytes());
        bytes.extend([0.5_f32, f32::NAN].iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([name[0], name[1], '\0'].iter().flat_map(|character| u32::from(*character).to_le_bytes()));
        bytes.extend(tag);
        bytes.extend(time.to_le_bytes());
        bytes.push(u8::from(id == 2));
    }
    DynValues::new(dtype.parse().unwrap(), Order::C, &[3], bytes).unwrap().save(&path).unwrap();
    let shown = run(["stats", &path, "--bins", "4"]).ok().replace(&path, "r.npy");
    insta::assert_snapshot!(shown, @"
    r.npy  record of 6 fields, 33 bytes  (3,)
      id  >u2
        count      3  0 zeros
        distinct   2
        min        1
        max        2
        mean       1.666666667
        std        0.4714045208
        quantiles  1% 1.02  5% 1.1  25% 1.5  50% 2  75% 2  95% 2  99% 2
        histogram  ▕▄█▏
      at.x  <f4
        count      6  3 NaN  0 inf  0 zeros
        distinct   2
        min        0.5
        max        0.5
        mean       0.5
        std        0
        quantiles  1% 0.5  5% 0.5  25% 0.5  50% 0.5  75% 0.5  95% 0.5  99% 0.5
        histogram  ▕  █ ▏
      name  <U3
        count      3  0 empty
        distinct   2
        min        'ab'
        max        'é'
        longest    2
      tag  |S2
        count      3  1 empty
        distinct   3
        min        b''
        max        b'yz'
        longest    2
      t  <M8[s]
        count      3  1 NaT
        distinct   3
        min        1970-01-01T00:00:00
        max        1970-01-02T00:00:00
        mean       1970-01-01T12:00:00
        std        43200 s
        quantiles  1% 1970-01-01T00:14:24  5% 1970-01-01T01:12:00  25% 1970-01-01T06:00:00  50% 1970-01-01T12:00:00  75% 1970-01-01T18:00:00  95% 1970-01-01T22:48:00  99% 1970-01-01T23:45:36
        histogram  ▕█  █▏
      ok  |b1
        count      3  1 zeros
        distinct   2
        min        False
        max        True
        mean       0.6666666667
        std        0.4714045208
    ");
    let some = run(["stats", &path, "--fields", "at,ok", "--json"]).ok();
    let some: serde_json::Value = serde_json::from_str(&some).unwrap();
    let fields: Vec<&str> = some["stats"].as_array().unwrap().iter().map(|leaf| leaf["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["at.x", "ok"]);
    let unknown = run(["stats", &path, "--fields", "nix"]).trouble().replace(&path, "r.npy");
    insta::assert_snapshot!(unknown, @r#"npy: r.npy: unknown field "nix": expected one of id, at.x, name, tag, t, ok"#);
    let plain = run(["stats", &crate::support::example("travel_times.npy"), "--fields", "nix"]).trouble();
    assert!(plain.ends_with("unknown field \"nix\": expected an array of records, found one without fields\n"), "{plain}");
}

#[test]
fn empty_arrays_scalars_and_values_without_bytes_have_statistics() {
    let directory = tempfile::tempdir().unwrap();
    let save = |name: &str, dtype: &str, shape: &[usize], bytes: &[u8]| {
        let path = directory.path().join(name).display().to_string();
        DynValues::new(dtype.parse().unwrap(), Order::C, shape, bytes.to_vec()).unwrap().save(&path).unwrap();
        run(["stats", &path]).ok().replace(&path, name)
    };
    insta::assert_snapshot!(save("empty.npy", "<f8", &[0, 3], &[]), @"
    empty.npy  <f8  (0, 3)
      count      0  0 NaN  0 inf  0 zeros
      distinct   0
    ");
    insta::assert_snapshot!(save("scalar.npy", "<i4", &[], &7_i32.to_le_bytes()), @"
    scalar.npy  <i4  ()
      count      1  0 zeros
      distinct   1
      min        7
      max        7
      mean       7
      std        0
      quantiles  1% 7  5% 7  25% 7  50% 7  75% 7  95% 7  99% 7
      histogram  ▕█▏
    ");
    insta::assert_snapshot!(save("width.npy", "|S0", &[1000], &[]), @"
    width.npy  |S0  (1000,)
      count      1,000  1,000 empty
      distinct   1
      min        b''
      max        b''
      longest    0
    ");
    // A stream goes through another reader.
    let path = directory.path().join("scalar.npy");
    let streamed = run_with(["stats", "-"], &fs::read(&path).unwrap()).ok();
    assert_eq!(
        streamed.lines().skip(1).collect::<Vec<_>>(),
        run(["stats".as_ref(), path.as_os_str()]).ok().lines().skip(1).collect::<Vec<_>>()
    );
}

#[test]
fn a_damaged_member_and_objects_leave_the_others_shown() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz").display().to_string();
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.add_slice("good", &[1_u8, 2, 3]).unwrap();
    archive.add_bytes("bad.npy", b"\x93NUMPY no").unwrap();
    let objects = Header::new("|O".parse().unwrap(), Order::C, &[1]).unwrap();
    archive.add_bytes("objects.npy", &[objects.to_bytes(), b"\x80\x02]q\x00Na.".to_vec()].concat()).unwrap();
    // The header claims what is in the next member.
    let short = Header::new("|u1".parse().unwrap(), Order::C, &[10]).unwrap();
    archive.add_bytes("short.npy", &[short.to_bytes(), vec![1]].concat()).unwrap();
    archive.add_slice("last", &[4_u8; 20]).unwrap();
    archive.finish().unwrap();
    let run = run(["stats", &path]);
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("run.npz:good") && run.stdout.contains("run.npz:last"), "{}", run.stdout);
    insta::assert_snapshot!(run.stderr.replace(&path, "run.npz"), @r#"
    npy: run.npz: member "bad": unsupported format version 32.110: expected 1.0, 2.0 or 3.0
    npy: run.npz: member "objects": unsupported pickle at byte 130: expected an array of objects, found a list
    npy: run.npz: member "short": truncated file: the array needs 10 bytes, found 1
    "#);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_larger_than_memory_takes_bounded_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("large.npy");
    // A debug build takes a while for each value, so most of a record is padding.
    let gibibytes = if rounds(1) < 10 { 1 } else { 5 };
    let rows = gibibytes << 18;
    let header = Header::new("[('x', '<f8'), ('padding', '|V4088')]".parse().unwrap(), Order::C, &[rows]).unwrap();
    let mut file = File::create(&path).unwrap();
    file.write_all(&header.to_bytes()).unwrap();
    let end = file.seek(SeekFrom::Current((rows as i64 - 1) * 4096)).unwrap();
    let last = [&2.0_f64.to_le_bytes()[..], &[0; 4088]].concat();
    if file.write_all(&last).is_err() {
        announce("SKIPPED a_file_larger_than_memory_takes_bounded_memory: no space for a sparse file");
        return;
    }
    use std::os::unix::fs::MetadataExt as _;
    if file.metadata().unwrap().blocks() * 512 > end / 2 {
        announce("SKIPPED a_file_larger_than_memory_takes_bounded_memory: the file system has no sparse files");
        return;
    }
    // Address space bounds what is resident.
    let path = path.display().to_string();
    let limited = "ulimit -v 400000; exec \"$0\" stats --json --threads 2 --fields x \"$1\"";
    let output = std::process::Command::new("sh").args(["-c", limited, env!("CARGO_BIN_EXE_npy"), &path]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let leaf = &found["stats"][0];
    assert_eq!((&leaf["count"], &leaf["zeros"], &leaf["distinct"]), (&rows.into(), &(rows - 1).into(), &2.into()));
    assert_eq!(leaf["max"], 2.0);
}

#[test]
fn quantiles_tell_neighbours_apart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy").display().to_string();
    let line = |name: &str| {
        let shown = run(["stats", &path]).ok();
        let line = shown.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let quantiles = || line("quantiles").into_iter().skip(1).step_by(2).collect::<Vec<_>>();
    npy_core::save(&path, &(0..1000).map(|step| 1_700_000_000 + 60 * step).collect::<Vec<i64>>()).unwrap();
    assert_eq!(quantiles()[..4], ["1700000599", "1700002997", "1700014985", "1700029970"]);
    npy_core::save(&path, &(0..1000).map(|step| (1 << 63) + 1000 * step).collect::<Vec<u64>>()).unwrap();
    assert_eq!(quantiles()[..2], ["9223372036854785798", "9223372036854825758"]);
    assert_eq!(line("mean"), ["9223372036855275308"]);
    npy_core::save(&path, &(0..1000).map(|step| 1000.0 + f64::from(step) * 1e-9).collect::<Vec<f64>>()).unwrap();
    let found = quantiles();
    assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "{found:?}");
    let mut figures: serde_json::Value = serde_json::from_str(&run(["stats", "--json", &path]).ok()).unwrap();
    let found = figures["stats"][0]["quantiles"]["1"].take();
    assert!((found.as_f64().unwrap() - 1_000.000_000_009_99).abs() < 1e-12, "{found}");
    npy_core::save(&path, &[-0.0, -0.0, 1.0]).unwrap();
    assert_eq!((quantiles()[0].as_str(), line("min")), ("0", vec!["0".to_owned()]));
}

#[test]
fn uniform_integers_have_a_flat_histogram() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy").display().to_string();
    let histogram = || {
        let shown = run(["stats", &path]).ok();
        let line = shown.lines().last().unwrap().to_owned();
        line.split_once('▕').unwrap().1.trim_end_matches('▏').to_owned()
    };
    let cycle = |count: i64| (0..count * 10).map(move |index| index % count);
    for count in [2, 47, 79, 255, 1000] {
        npy_core::save(&path, &cycle(count).map(|value| value - 7).collect::<Vec<i64>>()).unwrap();
        assert!(histogram().chars().all(|bar| bar == '█'), "i8 {count}: {}", histogram());
        npy_core::save(&path, &cycle(count).map(|value| u64::MAX - 1000 + value as u64).collect::<Vec<u64>>()).unwrap();
        assert!(histogram().chars().all(|bar| bar == '█'), "u8 {count}: {}", histogram());
        npy_core::save(&path, &cycle(count).map(|value| value as u16).collect::<Vec<u16>>()).unwrap();
        assert!(histogram().chars().all(|bar| bar == '█'), "u2 {count}: {}", histogram());
    }
}

#[test]
fn numbers_that_are_not_finite_have_the_names_of_show() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy").display().to_string();
    for (value, name) in [(f64::INFINITY, "Infinity"), (f64::NEG_INFINITY, "-Infinity")] {
        npy_core::save(&path, &[value]).unwrap();
        let figures: serde_json::Value = serde_json::from_str(&run(["stats", "--json", &path]).ok()).unwrap();
        assert_eq!((&figures["stats"][0]["min"], &figures["stats"][0]["std"]), (&name.into(), &"NaN".into()));
        assert_eq!(run(["show", "--json", &path]).ok(), format!("[\"{name}\"]\n"));
    }
}

#[test]
fn brief_has_a_sorted_line_for_each_member() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz").display().to_string();
    let mut archive = NpzWriter::create(&path).unwrap();
    let mut add = |name: &str, dtype: &str, count: usize, bytes: &[u8]| {
        let header = Header::new(dtype.parse().unwrap(), Order::C, &[count]).unwrap();
        archive.add_content(name, |file| Ok(file.write_all(&[&header.to_bytes(), bytes].concat())?)).unwrap();
    };
    add("narrow", "<f8", 3, &[1.0, 1.5, 0.0].map(f64::to_le_bytes).concat());
    add("wide", "<f8", 3, &[-123_456_789.0, f64::NAN, 1.0 / 3.0].map(f64::to_le_bytes).concat());
    add("text", "S3", 2, b"abcxyz");
    add("none", "<i4", 0, b"");
    add("pairs", "[('a', '<i2'), ('b', '?')]", 2, &[7, 0, 1, 9, 0, 0]);
    archive.finish().unwrap();

    let lines = |arguments: &[&str]| -> Vec<String> {
        let shown = run([&["stats", "--brief", &path][..], arguments].concat()).ok();
        shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let header = "array dtype shape min max mean std NaN zeros";
    let narrow = "narrow <f8 (3,) 0 1.5 0.83333 0.62361 0 1";
    let wide = "wide <f8 (3,) -123456789 0.33333 -61728394 61728395 1 0";
    let text = "text |S3 (2,) b'abc' b'xyz'";
    let none = "none <i4 (0,) 0";
    let pairs = ["pairs ['a'] <i2 (2,) 7 9 8 1 0", "pairs ['b'] |b1 (2,) False True 0.5 0.5 1"];
    assert_eq!(lines(&[]), [header, narrow, wide, text, none, pairs[0], pairs[1]]);
    assert_eq!(lines(&["--sort", "std"]), [header, pairs[1], narrow, pairs[0], wide, text, none]);
    // Members without the figure are the last in both directions.
    assert_eq!(lines(&["--sort=-std"]), [header, wide, pairs[0], narrow, pairs[1], text, none]);

    let unread = run(["stats", "--brief", "missing.npy"]);
    assert_eq!((unread.code, unread.stdout.as_str()), (Some(2), ""));
    let failed = run(["stats", "--brief", "--sort", "median", &path]);
    assert!(failed.stderr.contains("expected one of array, dtype, shape, min"), "{}", failed.stderr);
    assert_eq!([failed.code, run(["stats", "--brief", "--json", &path]).code], [Some(2); 2]);
}

#[test]
fn extreme_numbers_do_not_overflow() {
    let files = Files::new();
    let floats = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    files.array("complex.npy", "<c16", &[2], floats(&[1.5e308; 4]));
    // More than a block of each.
    files.array("floats.npy", "<f8", &[4096], floats(&[[1.5e308; 2048], [-1.5e308; 2048]].concat()));
    files.array("apart.npy", "<f8", &[2], floats(&[-f64::MAX, f64::MAX]));
    let integers = |values: &[i64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    files.array("wide.npy", "<i8", &[2], integers(&[-i64::MAX, i64::MAX]));
    files.array("high.npy", "<i8", &[2], integers(&[i64::MAX - 2, i64::MAX]));
    files.array("times.npy", "<M8[ns]", &[2], integers(&[-i64::MAX, i64::MAX]));
    let of = |name: &str, figure: &str| {
        let json: serde_json::Value = serde_json::from_str(&files.npy(&format!("stats --json {name}.npy")).ok()).unwrap();
        let stats = &json["stats"][0];
        if figure == "median" { stats["quantiles"]["50"].clone() } else { stats[figure].clone() }
    };
    assert_eq!(of("complex", "mean"), serde_json::json!([1.5e308, 1.5e308]));
    assert_eq!(of("complex", "std"), 0.0);
    // Of 2 × 1.5e308: rounding errors alone.
    assert!(of("floats", "mean").as_f64().is_some_and(|mean| mean.abs() < 1e294));
    assert_eq!(of("apart", "median"), 0.0);
    // A third of each, rounded up.
    files.array("greatest.npy", "<f8", &[3], floats(&[f64::MAX; 3]));
    assert_eq!((of("greatest", "mean"), of("greatest", "std")), (f64::MAX.into(), 0.0.into()));
    files.array("pairs.npy", "<c16", &[3], floats(&[-f64::MAX; 6]));
    assert_eq!((of("pairs", "mean"), of("pairs", "std")), (serde_json::json!([-f64::MAX, -f64::MAX]), 0.0.into()));
    assert_eq!(of("wide", "median"), 0);
    assert_eq!(of("high", "median"), i64::MAX - 1);
    assert_eq!(of("times", "median"), "1970-01-01T00:00:00.000000000");
}
