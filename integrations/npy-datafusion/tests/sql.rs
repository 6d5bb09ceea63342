//! The program `npy-sql`, as a person uses it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use npy_arrow::npy_core;
use npy_datafusion::npy_arrow;

use crate::queries::{answers, compare, queries, shards};
use crate::support::{events, save};

fn run(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy-sql")).args(arguments).current_dir(directory).output().unwrap()
}

fn answer(directory: &Path, arguments: &[&str]) -> String {
    let output = run(directory, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(directory: &Path, arguments: &[&str]) -> String {
    let output = run(directory, arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

/// A file of 12 events, and a matrix of 1000 rows of 1 KiB.
fn files() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    save(&directory.path().join("picks.npy"), &events(0..12));
    let header = npy_core::Header::new("<f4".parse().unwrap(), npy_core::Order::C, &[1000, 256]).unwrap();
    let values = (0..256_000_u32).flat_map(|value| (value as f32).to_le_bytes());
    std::fs::write(directory.path().join("grid.npy"), header.to_bytes().into_iter().chain(values).collect::<Vec<_>>()).unwrap();
    directory
}

#[test]
fn answers_of_the_program_are_those_of_numpy() {
    let directory = tempfile::tempdir().unwrap();
    shards(&directory.path().join("t"));
    let Some(expected) = answers("answers_of_the_program_are_those_of_numpy", &directory.path().join("t")) else { return };
    for ((name, query), (_, expected)) in queries().into_iter().zip(expected) {
        let json = answer(directory.path(), &[query, "t/*.npy", "--format", "json"]);
        assert_eq!(json.lines().count(), expected.len(), "{name}: {json}");
        let table = answer(directory.path(), &[query, "t/*.npy"]);
        let rows: Vec<Vec<String>> = table.lines().skip(3).filter(|line| line.starts_with('|')).map(cells).collect();
        let null = |cell: &String| if cell == "null" { String::new() } else { cell.clone() };
        let expected: Vec<Vec<String>> = expected.iter().map(|row| row.iter().map(null).collect()).collect();
        compare(name, &expected, &rows);
    }
}

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn every_format_comes_back() {
    let directory = files();
    let path = directory.path();
    for name in ["out.npy", "out.csv", "out.json", "out.parquet"] {
        assert_eq!(answer(path, &["SELECT id, station FROM picks WHERE id > 8 ORDER BY id", "picks.npy", "-o", name]), "");
    }
    let [csv, json] = ["out.csv", "out.json"].map(|name| std::fs::read_to_string(path.join(name)).unwrap());
    assert_eq!(csv.lines().collect::<Vec<_>>()[..2], ["id,station", &format!("9,{}", events(9..10)[0].station)]);
    assert!(json.starts_with("{\"id\":9,\"station\":"));
    assert_eq!(npy_core::Header::parse(&std::fs::read(path.join("out.npy")).unwrap()).unwrap().0.shape(), [3]);
    assert_eq!(answer(path, &["SELECT id, station FROM 'out.npy'", "--format", "csv"]), csv);
    let batches: Vec<_> = npy_arrow::parquet::read(path.join("out.parquet")).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(batches[0].num_rows(), 3);
}

#[test]
fn elements_have_their_indexes() {
    let directory = files();
    let query = "SELECT * FROM grid WHERE i0 BETWEEN 998 AND 2000 AND i1 = 3";
    assert_eq!(answer(directory.path(), &[query, "grid.npy", "--format", "csv"]), "i0,i1,value\n998,3,255491.0\n999,3,255747.0\n");
    assert_eq!(
        answer(directory.path(), &["SELECT count(*) FROM grid WHERE 7 < i0", "grid.npy", "--format", "csv"]).lines().last(),
        Some("253952")
    );
}

#[test]
fn errors_say_where_and_what_there_is() {
    let directory = files();
    let refused = |query: &str| refusal(directory.path(), &[query, "picks.npy", "grid.npy"]);
    assert_eq!(refused("SELECT * FROM pick"), "npy: unknown table \"pick\": the tables are grid, picks\n");
    assert!(refused("SELECT statoin FROM picks").ends_with("; did you mean station?\n"));
    let syntax = refused("SELECT id FORM picks");
    assert_eq!(syntax.lines().last().unwrap().find('^'), Some("  SELECT id FORM ".len()), "{syntax}");
    std::fs::write(directory.path().join("bad.npy"), b"\x93NUMPY").unwrap();
    assert!(refused("SELECT * FROM 'bad.npy'").contains("bad.npy: "));
    assert!(!directory.path().join("no.npy").exists());
    refusal(directory.path(), &["SELECT id / 0 FROM picks", "picks.npy", "-o", "no.npy"]);
    assert!(!directory.path().join("no.npy").exists());
}

#[test]
fn closed_pipe_ends_quietly() {
    let directory = files();
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
    command.args(["SELECT * FROM grid", "grid.npy", "--format", "csv"]).current_dir(directory.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
