//! The keys of JSON output are those of `docs/json.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use npy_core::object::{ObjectArray, PyObject};
use npy_core::{DynValues, Order};
use serde_json::Value;

use crate::objects::replace;
use crate::support::Files;

/// The keys that the page documents for a command.
fn documented(command: &str) -> BTreeSet<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.md")).unwrap();
    let section = page.split(&format!("## npy {command} --json\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    cells.flat_map(|cell| cell.split('`').step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Adds the paths of all keys. Objects whose keys are data are values.
fn add_keys(value: &Value, path: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                // Arrays in an archive, further arrays and inner fields have the keys of others.
                let path = path.replace("fields[].fields[].", "fields[].");
                let own = ["compression", "compressed_bytes", "ratio", "array"];
                let is_same =
                    ["members[].", "further[]."].iter().any(|list| path.starts_with(list)) && !own.contains(&key.as_str());
                let path = if is_same { path.replacen("members[].", "", 1).replacen("further[].", "", 1) } else { path };
                keys.insert(format!("{path}{key}"));
                if !["types", "quantiles"].contains(&key.as_str()) {
                    add_keys(value, &format!("{path}{key}."), keys);
                }
            }
        }
        Value::Array(list) => {
            list.iter().for_each(|item| add_keys(item, &format!("{}[].", path.trim_end_matches('.')), keys));
        }
        _ => {}
    }
}

/// Files of all kinds, whole and damaged.
fn files() -> Files {
    let files = Files::new();
    let record = "[(('the title', 'id'), '<i4'), ('at', [('x', '<f4'), ('y', '<f4')])]";
    files.array("record.npy", record, &[3], (0..36).collect());
    files.array("other.npy", record, &[3], (1..37).collect());
    let floats: Vec<u8> = [0.0, 1.5, f64::NAN, f64::INFINITY].iter().flat_map(|value| value.to_le_bytes()).collect();
    files.array("floats.npy", "<f8", &[4], floats);
    let one = files.read("floats.npy");
    files.write("cut.npy", &one[..one.len() - 3]);
    files.write("long.npy", [&one[..], b"tail"].concat());
    files.write("two.npy", [&one[..], &one].concat());
    // As a transfer in text mode damages it.
    files.array("text.npy", "<u2", &[5000], (0..5000_u16).flat_map(u16::to_le_bytes).collect());
    let damaged = files.read("text.npy").iter().map(|byte| if *byte == b'\n' { b'\r' } else { *byte }).collect::<Vec<_>>();
    files.write("transferred.npy", damaged);
    files.array("text.npy", "<U2", &[2], [&b"a\0\0\0b\0\0\0"[..], &[0; 8]].concat());
    files.write("damaged.npy", b"\x93NUMPY\x01\0\x04\0{'a'");
    for (name, values) in [("a.npz", [1_u8, 2]), ("b.npz", [1, 3])] {
        files.archive(name, |archive| {
            archive.add_slice("x", &values).unwrap();
            archive.add_slice(&name[..1], &values).unwrap();
            archive.add_bytes("notes.txt", &values).unwrap();
            archive.add_bytes("bad.npy", b"hello").unwrap();
        });
    }
    let text = PyObject::from("a");
    let array = DynValues::new("<u2".parse().unwrap(), Order::C, &[2], vec![0; 4]).unwrap().into();
    let keys = vec![
        (text.clone(), array),
        ("b".into(), PyObject::List(vec![text.clone(), text])),
        ("c".into(), PyObject::Float(f64::NAN)),
    ];
    // More than the lines of a list.
    let array = ObjectArray::from(vec![PyObject::Dict(keys); 11]);
    array.save(files.path("objects.npy")).unwrap();
    let file = files.read("objects.npy");
    files.write("future.npy", [&file[..128], &b"\x80\x09N."[..]].concat());
    let path = files.archive("c.npz", |archive| archive.add_slice("aaa/x", &[1_u8]).unwrap());
    replace(&path, b"aaa/x", b"../xx");
    files
}

/// The keys of the output of a command.
fn found(files: &Files, arguments: &[&str]) -> BTreeSet<String> {
    let run = files.run(arguments);
    let mut keys = BTreeSet::new();
    for line in run.stdout.lines() {
        add_keys(&serde_json::from_str(line).unwrap(), "", &mut keys);
    }
    assert!(!keys.is_empty(), "{}", run.stderr);
    keys
}

#[test]
fn every_key_is_documented_and_every_documented_key_is_written() {
    let files = files();
    let all = files.names();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    for command in ["info", "stats", "verify"] {
        let mut keys = found(&files, &[&[command, "--json"][..], &all].concat());
        if command == "stats" {
            // Of Python objects.
            keys.extend(["stats[].none", "stats[].types"].map(str::to_owned));
        }
        assert_eq!(keys, documented(command), "{command}");
    }
    let mut keys = found(&files, &["diff", "--json", "record.npy", "other.npy"]);
    keys.extend(found(&files, &["diff", "--json", "a.npz", "b.npz"]));
    assert_eq!(keys, documented("diff"));
}
