//! Members of `.npz` archives as columns.

use std::io::Cursor;
use std::path::Path;

use npy_arrow::npy_core::npz::NpzWriter;
use npy_arrow::npy_core::{self, Header, NpyReader, Order};
use npy_datafusion::{NpyOptions, SessionContextExt};

use crate::support::{Event, ask, events, refusal, save, session};

type New = fn(Cursor<Vec<u8>>) -> NpzWriter<Cursor<Vec<u8>>>;

const KINDS: [(&str, New); 2] = [("stored", NpzWriter::new), ("compressed", NpzWriter::new_compressed)];

/// The fields of events as members, and matrices in both orders.
pub fn write(path: &Path, mut archive: NpzWriter<Cursor<Vec<u8>>>, events: &[Event]) {
    let header = |dtype: &str, order, shape: &[usize]| Header::new(dtype.parse().unwrap(), order, shape).unwrap();
    let rows = events.len();
    archive.add_slice("id", &events.iter().map(|event| event.id).collect::<Vec<_>>()).unwrap();
    let stations = header("S4", Order::C, &[rows]);
    archive.add("station", &stations, |items| events.iter().try_for_each(|event| items.push(&event.station))).unwrap();
    archive.add_slice("time", &events.iter().map(|event| event.time).collect::<Vec<_>>()).unwrap();
    archive.add_slice("at", &events.iter().map(|event| event.at.clone()).collect::<Vec<_>>()).unwrap();
    let magnitudes = header(">f4", Order::C, &[rows]);
    archive.add("magnitude", &magnitudes, |items| events.iter().try_for_each(|event| items.push(&event.magnitude))).unwrap();
    archive.add_slice("reviewed", &events.iter().map(|event| event.reviewed).collect::<Vec<_>>()).unwrap();
    let items: Vec<i32> = (0..rows as i32 * 3).collect();
    let [c, fortran] = [Order::C, Order::Fortran].map(|order| header("<i4", order, &[rows, 3]));
    archive.add("c", &c, |matrix| items.iter().try_for_each(|item| matrix.push(item))).unwrap();
    let transposed = (0..3).flat_map(|column| items.iter().skip(column).step_by(3));
    archive.add("fortran", &fortran, |matrix| { transposed }.try_for_each(|item| matrix.push(item))).unwrap();
    std::fs::write(path, archive.finish().unwrap().into_inner()).unwrap();
}

#[tokio::test]
async fn members_answer_as_the_fields_of_records_do() {
    let directory = tempfile::tempdir().unwrap();
    let (records, archive) = (directory.path().join("a.npy"), directory.path().join("a.npz"));
    save(&records, &events(0..12_000));
    for (kind, new) in KINDS {
        write(&archive, new(Cursor::new(Vec::new())), &events(0..12_000));
        for (partitions, sorted) in [(1, false), (2, true), (7, true), (64, false)] {
            let session = session(partitions);
            for (name, path) in [("records", &records), ("members", &archive)] {
                let options = if sorted { NpyOptions::new().sorted_by(["time"]) } else { NpyOptions::new() };
                session.register_npy(name, path.to_str().unwrap(), options).await.unwrap();
            }
            for query in [
                "SELECT count(*) FROM t",
                "SELECT id, station, time, at['depth'], magnitude, reviewed FROM t ORDER BY id LIMIT 50 OFFSET 11960",
                "SELECT sum(id), min(time), max(at['latitude']), sum(magnitude) FROM t WHERE reviewed AND magnitude > 4",
                "SELECT station, count(*), sum(id) FROM t GROUP BY station ORDER BY station",
                "SELECT sum(id) FROM t WHERE time >= '2023-11-15' AND time < '2023-11-15T01:00:00' AND station = 'TAM'",
                "SELECT count(*) FROM (SELECT id FROM t LIMIT 777)",
                "SELECT count(*) FROM t WHERE id < 0",
            ] {
                let answers = ["records", "members"].map(|name| query.replace("FROM t", &format!("FROM {name}")));
                let [expected, found] = [ask(&session, &answers[0]).await, ask(&session, &answers[1]).await];
                assert_eq!(found, expected, "{kind}, {partitions} partitions: {query}");
            }
            let query =
                "SELECT sum(c[1]), sum(fortran[1]), sum(c[3]), sum(fortran[3]), count(*) FROM members WHERE c[2] = fortran[2]";
            let sum: i64 = (0..12_000).map(|row| row * 3).sum();
            let expected = [sum, sum, sum + 24_000, sum + 24_000, 12_000].map(|sum| sum.to_string());
            assert_eq!(ask(&session, query).await, [expected], "{kind}, {partitions} partitions");
        }
    }
}

#[tokio::test]
async fn archives_of_a_pattern_and_of_a_statement_are_tables() {
    let directory = tempfile::tempdir().unwrap();
    for (index, (_, new)) in KINDS.into_iter().enumerate() {
        let begin = index as i64 * 100;
        write(&directory.path().join(format!("{index}.npz")), new(Cursor::new(Vec::new())), &events(begin..begin + 100));
    }
    let session = session(3);
    session.enable_npy().unwrap();
    session.register_npy("a", &format!("{}/*.npz", directory.path().display()), NpyOptions::new()).await.unwrap();
    let location = format!("'{}/'", directory.path().display());
    ask(&session, &format!("CREATE EXTERNAL TABLE b STORED AS NPZ LOCATION {location} OPTIONS ('members' 'magnitude,id')")).await;
    for name in ["a", "b"] {
        assert_eq!(ask(&session, &format!("SELECT count(*), sum(id) FROM {name}")).await, [["200", "19900"]]);
    }
    assert_eq!(
        ask(&session, "SELECT * FROM b ORDER BY id LIMIT 1").await,
        [[format!("{:?}", events(0..1)[0].magnitude), "0".into()]]
    );
    let error = refusal(&session, &format!("COPY a TO '{}/out/' STORED AS NPZ", directory.path().display())).await;
    assert!(error.contains("writing .npz archives; copy to .npy files"), "{error}");
    let error = refusal(&session, "INSERT INTO a SELECT * FROM a").await;
    assert!(error.contains("cannot insert into files of the pattern"), "{error}");
}

#[tokio::test]
async fn a_copy_of_members_has_their_dtypes() {
    let directory = tempfile::tempdir().unwrap();
    let (archive, copy) = (directory.path().join("a.npz"), directory.path().join("copy.npy"));
    write(&archive, NpzWriter::new_compressed(Cursor::new(Vec::new())), &events(0..1000));
    let session = session(1);
    session.enable_npy().unwrap();
    session.register_npy("t", archive.to_str().unwrap(), NpyOptions::new()).await.unwrap();
    ask(&session, &format!("COPY t TO '{}' STORED AS NPY", copy.display())).await;
    assert_eq!(
        NpyReader::open(&copy).unwrap().header().dtype().to_string(),
        "[('id', '<i8'), ('station', '|S4'), ('time', '<M8[ns]'), ('at', [('latitude', '<f8'), ('depth', '<f4')]), \
         ('magnitude', '>f4'), ('reviewed', '|b1'), ('c', '<i4', (3,)), ('fortran', '<i4', (3,))]"
    );
    let names = ["id", "station", "time", "at", "magnitude", "reviewed"];
    session.register_npy("u", archive.to_str().unwrap(), NpyOptions::new().members(names)).await.unwrap();
    ask(&session, &format!("COPY u TO '{}/u.npy' STORED AS NPY", directory.path().display())).await;
    assert!(npy_core::load::<Event>(directory.path().join("u.npy")).unwrap() == events(0..1000));
}

#[tokio::test]
async fn archives_that_are_no_table_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npz");
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    archive.add_slice("time", &[0.5_f64; 10]).unwrap();
    archive.add_slice("depth", &[0.5_f64; 9]).unwrap();
    archive.add_scalar("rate", &100_u32).unwrap();
    archive.add_bytes("notes.txt", b"hello").unwrap();
    let shape = Header::new("[('x', '<f8'), ('y', '<f8')]".parse().unwrap(), Order::Fortran, &[10, 0]).unwrap();
    archive.add::<Place>("places", &shape, |_| Ok(())).unwrap();
    std::fs::write(&path, archive.finish().unwrap().into_inner()).unwrap();
    let session = session(1);
    for (members, expected) in [
        (
            vec!["time", "depth"],
            r#"a.npz: members of different lengths: expected 10 as in "time", found 9 in "depth"; choose members of one length with the option members"#,
        ),
        (vec!["time", "rate"], r#"expected 10 as in "time", found 1 in "rate""#),
        (vec!["notes.txt"], r#"a.npz: member "notes.txt": not an .npy file"#),
        (vec!["tme"], r#"a.npz: missing array "tme": the archive has time, depth"#),
        (vec!["time", "time"], r#"a.npz: two columns of the name "time""#),
        (vec!["time", "places"], r#"member "places": cannot make a column of records in Fortran order"#),
    ] {
        let options = NpyOptions::new().members(members);
        let error = session.register_npy("t", path.to_str().unwrap(), options).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Its end was read for the plan, and its members are not.
#[tokio::test]
async fn an_archive_that_changes_after_planning_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npz");
    for (_, new) in KINDS {
        write(&path, new(Cursor::new(Vec::new())), &events(0..20_000));
        let session = session(1);
        session.register_npy("t", path.to_str().unwrap(), NpyOptions::new()).await.unwrap();
        let plan = session.sql("SELECT sum(id) FROM t").await.unwrap().create_physical_plan().await.unwrap();
        write(&path, new(Cursor::new(Vec::new())), &events(0..19_999));
        let error = npy_datafusion::datafusion::physical_plan::collect(plan, session.task_ctx()).await.unwrap_err().to_string();
        assert!(error.contains("a.npz") && error.contains("object replaced while it was read"), "{error}");
    }
}

#[derive(npy_core::NpyRecord)]
struct Place {
    x: f64,
    y: f64,
}

#[tokio::test]
async fn a_damaged_archive_among_many_is_named() {
    let directory = tempfile::tempdir().unwrap();
    for index in 0..5 {
        let begin = index * 100;
        write(
            &directory.path().join(format!("{index}.npz")),
            NpzWriter::new_compressed(Cursor::new(Vec::new())),
            &events(begin..begin + 100),
        );
    }
    let damaged = directory.path().join("3.npz");
    let bytes = std::fs::read(&damaged).unwrap();
    // In the data of a member, which is found when it is read.
    let at = bytes.windows(9).position(|window| window == b"id.npy\0\0\0" || &window[..6] == b"id.npy").unwrap() + 40;
    let mut flipped = bytes.clone();
    flipped[at] ^= 0x55;
    for (damage, bytes) in [("cut", &bytes[..bytes.len() - 30]), ("flipped", &flipped[..])] {
        std::fs::write(&damaged, bytes).unwrap();
        let session = session(2);
        let registered = session.register_npy("t", &format!("{}/*.npz", directory.path().display()), NpyOptions::new()).await;
        let error = match registered {
            Err(error) => error.to_string(),
            Ok(()) => refusal(&session, "SELECT sum(id) FROM t").await,
        };
        assert!(error.contains("3.npz"), "{damage}: {error}");
    }
}
