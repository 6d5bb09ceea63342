//! The program `npy-sql`, as a person uses it.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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
        let json = answer(directory.path(), &[query, "t/*.npy", "--to", "ndjson"]);
        assert_eq!(json.lines().count(), expected.len(), "{name}: {json}");
        let csv = answer(directory.path(), &[query, "t/*.npy", "--to", "csv"]);
        let rows: Vec<Vec<String>> = csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
        let null = |cell: &String| if cell == "null" { String::new() } else { cell.clone() };
        let expected: Vec<Vec<String>> = expected.iter().map(|row| row.iter().map(null).collect()).collect();
        compare(name, &expected, &rows);
    }
}

#[test]
fn every_format_comes_back() {
    let directory = files();
    let path = directory.path();
    for name in ["out.npy", "out.csv", "out.json", "out.ndjson", "out.parquet"] {
        assert_eq!(answer(path, &["SELECT id, station FROM picks WHERE id > 8 ORDER BY id", "picks.npy", "-o", name]), "");
    }
    let [csv, json, ndjson] = ["out.csv", "out.json", "out.ndjson"].map(|name| std::fs::read_to_string(path.join(name)).unwrap());
    assert_eq!(csv.lines().collect::<Vec<_>>()[..2], ["id,station", &format!("9,{}", events(9..10)[0].station)]);
    assert!(ndjson.starts_with("{\"id\":9,\"station\":"));
    assert_eq!(json, format!("[{}]\n", ndjson.trim_end().replace('\n', ",\n")));
    assert_eq!(npy_core::Header::parse(&std::fs::read(path.join("out.npy")).unwrap()).unwrap().0.shape(), [3]);
    assert_eq!(answer(path, &["SELECT id, station FROM 'out.npy'", "--to", "csv"]), csv);
    let batches: Vec<_> = npy_arrow::parquet::read(path.join("out.parquet")).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(batches[0].num_rows(), 3);
}

#[test]
fn answers_without_rows_and_with_nulls_are_whole_files() {
    let directory = files();
    let path = directory.path();
    for name in ["out.npy", "out.csv", "out.json", "out.ndjson", "out.parquet"] {
        answer(path, &["SELECT id, station FROM picks WHERE id < 0", "picks.npy", "-o", name]);
    }
    let text = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(["out.csv", "out.json", "out.ndjson"].map(text), ["id,station\n", "[]\n", ""]);
    assert_eq!(npy_core::Header::parse(&std::fs::read(path.join("out.npy")).unwrap()).unwrap().0.shape(), [0]);
    assert_eq!(
        npy_arrow::parquet::read(path.join("out.parquet")).unwrap().flatten().map(|batch| batch.num_rows()).sum::<usize>(),
        0
    );
    assert_eq!(answer(path, &["SELECT 1 AS a, NULL AS b", "--to", "json"]), "[{\"a\":1,\"b\":null}]\n");
    let lists = refusal(path, &["SELECT [1, 2] AS a", "--to", "csv"]);
    assert!(lists.starts_with("npy: column \"a\" of CSV: expected single values, found List"), "{lists}");
}

#[test]
fn tables_are_those_of_numpy_values() {
    let directory = files();
    let path = directory.path();
    let query = "SELECT id, station, time, magnitude, reviewed, at['depth'] AS depth FROM picks";
    answer(path, &[query, "picks.npy", "-o", "out.npy"]);
    let values = npy_core::DynValues::read(std::fs::File::open(path.join("out.npy")).unwrap()).unwrap();
    assert_eq!(answer(path, &[query, "picks.npy"]), format!("{}\n", values.table()));
    assert_eq!(answer(path, &["SELECT NULL AS a, 1.5 AS b, 'x\ty' AS \"c\u{1b}\""]), "   a       b  c\\x1b\n0  null  1.5  x\\ty\n");
    let query = "SELECT i0, i1 FROM grid ORDER BY i0, i1";
    let table = answer(path, &[query, "grid.npy"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((rows.len(), &rows[30][..], &rows[31][..]), (62, &["29", "0", "29"][..], &["...", "...", "..."][..]));
    assert_eq!([&rows[32][..], &rows[61][..]], [["255970", "999", "226"], ["255999", "999", "255"]]);
    assert_eq!(answer(path, &[&format!("{query} LIMIT 1000"), "grid.npy", "--all"]).lines().count(), 1001);
    assert_eq!(answer(path, &[&format!("{query} LIMIT 60"), "grid.npy"]).lines().count(), 61);
    let message = refusal(path, &["SELECT 1", "--to", "table", "-o", "a.txt"]);
    assert_eq!(message, "npy: cannot write a table to a file: expected another format; name one by --to\n");
}

/// A server of a file on the loopback, and the number of its bytes that it has sent.
fn serve(body: Vec<u8>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, sent) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let (counted, body) = (Arc::clone(&sent), Arc::new(body));
    std::thread::spawn(move || {
        for stream in listener.incoming().map(Result::unwrap) {
            let (counted, body) = (Arc::clone(&counted), Arc::clone(&body));
            std::thread::spawn(move || while answer_request(&stream, &body, &counted) {});
        }
    });
    (format!("http://{address}"), sent)
}

/// Answers a request for a range. Returns whether there was one.
fn answer_request(mut stream: &TcpStream, body: &[u8], sent: &AtomicUsize) -> bool {
    // Requests come one after the other, so that the buffer has no part of the next one.
    let lines: Vec<String> = BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let Some(request) = lines.first() else { return false };
    let range = lines.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
    let (begin, end) = range.as_deref().and_then(|range| range.split_once('-')).unwrap_or(("0", ""));
    let end = end.parse().map_or(body.len(), |last: usize| body.len().min(last + 1));
    let begin: usize = begin.parse().unwrap();
    let range = format!("Content-Range: bytes {begin}-{}/{}\r\n", end - 1, body.len());
    let part = if request.starts_with("HEAD") { &[] } else { &body[begin..end] };
    let head = format!("HTTP/1.1 206 Partial Content\r\nETag: \"a\"\r\n{range}Content-Length: {}\r\n\r\n", end - begin);
    sent.fetch_add(part.len(), Ordering::Relaxed);
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(part)).is_ok()
}

#[test]
fn ranges_of_the_first_index_read_their_bytes_alone() {
    let directory = files();
    let (url, sent) = serve(std::fs::read(directory.path().join("grid.npy")).unwrap());
    // The first request is as long as the longest header of version 1.0.
    let front = 10 + usize::from(u16::MAX);
    let read = |condition: &str| {
        let query = format!("SELECT count(*), sum(value) FROM grid WHERE {condition}");
        let answer = answer(directory.path(), &[&query, &format!("{url}/grid.npy"), "--to", "csv"]);
        (answer.lines().last().unwrap().split(',').next().unwrap().to_owned(), sent.swap(0, Ordering::Relaxed))
    };
    assert_eq!(read("i0 BETWEEN 500 AND 509"), ("2560".to_owned(), front + 10 * 1024));
    assert_eq!(read("i0 >= 990 AND i1 < 2"), ("20".to_owned(), front + 10 * 1024));
    assert_eq!(read("700 = i0"), ("256".to_owned(), front + 1024));
    assert_eq!(read("i0 < 0"), ("0".to_owned(), front));
    let (count, bytes) = read("i1 = 1");
    assert_eq!(count, "1000");
    assert!(bytes >= 1000 * 1024, "{bytes}");
}

#[test]
fn statements_that_write_are_refused() {
    let directory = files();
    let statements = [
        "COPY picks TO 'new.npy' STORED AS NPY",
        "CREATE EXTERNAL TABLE new STORED AS NPY LOCATION 'picks.npy'",
        "CREATE TABLE new AS SELECT * FROM picks",
        "SELECT * INTO new FROM picks",
        "INSERT INTO picks SELECT * FROM picks",
        "DELETE FROM picks",
        "DROP TABLE picks",
        "SET datafusion.execution.batch_size = 1",
        "RESET datafusion.execution.batch_size",
        "EXPLAIN ANALYZE COPY picks TO 'new.npy' STORED AS NPY",
    ];
    for statement in statements {
        let message = refusal(directory.path(), &[statement, "picks.npy"]);
        let word = statement.split(' ').next().unwrap();
        let expected = "expected a query that reads: SELECT, SHOW, DESCRIBE or EXPLAIN; --output writes its answer to a file";
        assert_eq!(message, format!("npy: unsupported statement {word}: {expected}\n"));
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
    for query in ["SHOW TABLES", "DESCRIBE picks", "EXPLAIN SELECT * FROM picks", "SHOW COLUMNS FROM picks", "VALUES (1)"] {
        assert_ne!(answer(directory.path(), &[query, "picks.npy"]), "");
    }
    let two = refusal(directory.path(), &["SELECT 1; SELECT 2"]);
    assert_eq!(two, "npy: invalid query: expected one statement, found 2\n");
    assert_eq!(refusal(directory.path(), &[" "]), "npy: empty query: expected SELECT, SHOW, DESCRIBE or EXPLAIN\n");
}

#[test]
fn standard_input_is_refused_and_standard_output_is_a_dash() {
    let directory = files();
    for (query, files) in [("SELECT 1", ["-"].as_slice()), ("SELECT * FROM '-'", &[])] {
        let message = refusal(directory.path(), &[&[query], files].concat());
        assert!(
            message.starts_with("npy: cannot query standard input: ") && message.ends_with("; save it to a file first\n"),
            "{message}"
        );
    }
    assert_eq!(answer(directory.path(), &["SELECT 1 AS a", "-o", "-", "--to", "csv"]), "a\n1\n");
    let message = refusal(directory.path(), &["SELECT 1", "--to", "npy"]);
    assert_eq!(message, "npy: cannot write this format to standard output: expected a file; name one by --output\n");
}

/// The first signal ends the program, whatever it writes, and its temporary file goes with it.
#[cfg(unix)]
#[test]
fn signals_leave_no_file() {
    for (signal, name) in [("TERM", "out.csv"), ("INT", "out.npy"), ("TERM", "out.parquet"), ("INT", "out.json")] {
        let directory = files();
        let query = "SELECT a.i0, b.value FROM grid a, grid b";
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
        let mut child = command.args([query, "grid.npy", "-o", name]).current_dir(directory.path()).spawn().unwrap();
        let count = || std::fs::read_dir(directory.path()).unwrap().count();
        while count() < 3 {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal} {name}");
        assert_eq!(count(), 2, "{signal} {name}");
    }
}

#[test]
fn elements_have_their_indexes() {
    let directory = files();
    let query = "SELECT * FROM grid WHERE i0 BETWEEN 998 AND 2000 AND i1 = 3 ORDER BY i0";
    assert_eq!(answer(directory.path(), &[query, "grid.npy", "--to", "csv"]), "i0,i1,value\n998,3,255491.0\n999,3,255747.0\n");
    assert_eq!(
        answer(directory.path(), &["SELECT count(*) FROM grid WHERE 7 < i0", "grid.npy", "--to", "csv"]).lines().last(),
        Some("253952")
    );
}

#[test]
fn errors_say_where_and_what_there_is() {
    let directory = files();
    let refused = |query: &str| refusal(directory.path(), &[query, "picks.npy", "grid.npy"]);
    assert_eq!(refused("SELECT * FROM pick"), "npy: unknown table \"pick\": the tables are grid, picks\n");
    assert!(refused("SELECT statoin FROM picks").ends_with("; did you mean station?\n"));
    let unquoted = "npy: unknown table \"picks.npy\": files stand in single quotes, as in FROM 'picks.npy'\n";
    assert_eq!(refused("SELECT id FROM picks.npy"), unquoted);
    let syntax = refused("SELECT id FORM picks");
    assert_eq!(syntax.lines().last().unwrap().find('^'), Some("  SELECT id FORM ".len()), "{syntax}");
    std::fs::write(directory.path().join("bad.npy"), b"\x93NUMPY").unwrap();
    assert!(refused("SELECT * FROM 'bad.npy'").contains("bad.npy: "));
    assert!(!directory.path().join("no.npy").exists());
    let division = refusal(directory.path(), &["SELECT id / 0 FROM picks", "picks.npy", "-o", "no.npy"]);
    assert_eq!(division, "npy: division by zero; NULLIF(divisor, 0) makes the quotient null\n");
    assert!(!directory.path().join("no.npy").exists());
    let cast = refused("SELECT CAST(station AS INT) FROM picks");
    assert!(cast.starts_with("npy: invalid value: ") && cast.ends_with("; TRY_CAST gives null instead\n"), "{cast}");
    assert_eq!(refused("SELECT frst(id) FROM picks").lines().count(), 1);
    let order = refused("SELECT id FROM picks ORDER BY z");
    assert_eq!(order.matches("station").count(), 1, "{order}");
    let none = refusal(directory.path(), &["SELECT * FROM pick", "pick*.nyp"]);
    assert_eq!(none, "npy: pick*.nyp: no file with data matches the pattern; check its directory and its ending\n");
}

/// As an argument, and in FROM.
#[cfg(unix)]
#[test]
fn names_of_files_may_have_any_characters() {
    let directory = files();
    let path = directory.path();
    std::fs::create_dir(path.join("my run")).unwrap();
    let names = ["a:b.npy", "a[1].npy", "it's.npy", "q\"q.npy", "my run/x y.npy", "2026.npy", "\u{fc}.npy", "my run"];
    let tables = ["a_b", "a_1_", "it_s", "q_q", "x_y", "_2026", "\u{fc}", "my_run"];
    for (name, table) in names.into_iter().zip(tables) {
        if name.ends_with(".npy") {
            std::fs::copy(path.join("picks.npy"), path.join(name)).unwrap();
        }
        let quoted = name.replace('\'', "''");
        for arguments in
            [vec![format!("SELECT count(*) AS n FROM '{quoted}'")], vec![format!("SELECT count(*) AS n FROM {table}"), name.into()]]
        {
            let arguments: Vec<_> = arguments.iter().map(String::as_str).chain(["--to", "csv"]).collect();
            assert_eq!(answer(path, &arguments), "n\n12\n", "{arguments:?}");
        }
    }
}

#[test]
fn closed_pipe_ends_quietly() {
    let directory = files();
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy-sql"));
    command.args(["SELECT * FROM grid", "grid.npy", "--to", "csv"]).current_dir(directory.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
