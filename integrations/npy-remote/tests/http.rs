//! An HTTP server on the loopback that serves ranges, and what others do.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use npy_core::npz::NpzWriter;
use npy_remote::object_store::http::HttpBuilder;
use npy_remote::object_store::{ClientOptions, ObjectStore, RetryConfig};
use npy_remote::{ErrorKind, RemoteNpy, RemoteNpz, RemoteOptions, parse_url};

use crate::damage::assert_empty_is_no_array;
use crate::reading::small;
use crate::support::{Pick, file, picks};

const KIB: u64 = 1 << 10;

/// How a server serves its only object.
#[derive(Clone)]
struct Served {
    body: Arc<Vec<u8>>,
    e_tag: Option<String>,
    last_modified: Option<&'static str>,
    ignores_ranges: bool,
    ignores_conditions: bool,
    /// Responses that end in the middle, from the first one on.
    broken: usize,
}

impl Served {
    fn new(body: Vec<u8>, e_tag: &str) -> Self {
        let last_modified = Some("Mon, 23 Nov 2026 12:00:00 GMT");
        let (ignores_ranges, ignores_conditions) = (false, false);
        Self { body: body.into(), e_tag: Some(e_tag.to_owned()), last_modified, ignores_ranges, ignores_conditions, broken: 0 }
    }
}

/// The method and the range of a request.
type Request = (String, Option<String>);

/// A server, and the requests it got.
#[derive(Clone)]
struct Server {
    address: String,
    served: Arc<Mutex<Served>>,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    fn start(served: Served) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { address, served: Arc::new(Mutex::new(served)), log: Default::default() };
        let shared = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (shared, stream) = (shared.clone(), stream.unwrap());
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        server
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        loop {
            let mut head = Vec::new();
            loop {
                let mut line = String::new();
                // The client has closed the connection.
                if reader.read_line(&mut line).unwrap_or(0) == 0 {
                    return;
                }
                if line == "\r\n" {
                    break;
                }
                head.push(line.trim_end().to_owned());
            }
            let header = |name: &str| {
                let lines = head[1..].iter().filter_map(|line| line.split_once(": "));
                lines.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
            };
            let method = head[0].split(' ').next().unwrap().to_owned();
            let range = header("range");
            self.log.lock().unwrap().push((method.clone(), range.clone()));
            let mut locked = self.served.lock().unwrap();
            let served = locked.clone();
            let (status, range) = respond(&served, header("if-match"), header("if-unmodified-since"), range);
            let mut response = format!("HTTP/1.1 {status}\r\n");
            if let Some(e_tag) = &served.e_tag {
                response += &format!("ETag: {e_tag}\r\n");
            }
            if let Some(last_modified) = served.last_modified {
                response += &format!("Last-Modified: {last_modified}\r\n");
            }
            if status.starts_with("206") {
                response += &format!("Content-Range: bytes {}-{}/{}\r\n", range.start, range.end - 1, served.body.len());
            }
            response += &format!("Content-Length: {}\r\n\r\n", range.end - range.start);
            let body = if method == "HEAD" { &[] } else { &served.body[range] };
            if locked.broken > 0 && body.len() > 1 {
                locked.broken -= 1;
                drop(locked);
                let _ = stream.write_all(response.as_bytes()).and_then(|()| stream.write_all(&body[..body.len() / 2]));
                return;
            }
            drop(locked);
            if stream.write_all(response.as_bytes()).and_then(|()| stream.write_all(body)).is_err() {
                return;
            }
        }
    }

    /// The requests since the last call.
    fn taken(&self) -> Vec<Request> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    fn store(&self) -> Arc<dyn ObjectStore> {
        let options = ClientOptions::new().with_allow_http(true).with_timeout(Duration::from_secs(2));
        let retry = RetryConfig { max_retries: 2, retry_timeout: Duration::from_secs(5), ..Default::default() };
        Arc::new(HttpBuilder::new().with_url(&self.address).with_client_options(options).with_retry(retry).build().unwrap())
    }
}

fn respond(
    served: &Served,
    if_match: Option<String>,
    if_unmodified_since: Option<String>,
    range: Option<String>,
) -> (&'static str, Range<usize>) {
    let length = served.body.len();
    let is_strong = |e_tag: &String| !e_tag.starts_with("W/");
    if served.ignores_conditions {
    } else if let Some(expected) = if_match {
        if served.e_tag.clone().filter(is_strong) != Some(expected) {
            return ("412 Precondition Failed", 0..0);
        }
    } else if let (Some(since), Some(modified)) = (if_unmodified_since, served.last_modified)
        && since.trim_end_matches("+0000").trim_end_matches("GMT") != modified.trim_end_matches("GMT")
    {
        return ("412 Precondition Failed", 0..0);
    }
    let Some(range) = range.filter(|_| !served.ignores_ranges) else { return ("200 OK", 0..length) };
    let (begin, end) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
    let range = match (begin.parse::<usize>(), end.parse::<usize>()) {
        (Ok(begin), Ok(last)) => begin..length.min(last + 1),
        (Ok(begin), Err(_)) => begin..length,
        (Err(_), last) => length.saturating_sub(last.unwrap())..length,
    };
    if range.start >= length { ("416 Range Not Satisfiable", 0..0) } else { ("206 Partial Content", range) }
}

#[tokio::test]
async fn arrays_are_read_by_ranges() {
    let items = picks(20_000);
    let server = Server::start(Served::new(file(&items), "\"one\""));
    let (store, path) = parse_url(&format!("{}/run/picks.npy", server.address)).unwrap();
    let array = RemoteNpy::open(store, path).await.unwrap();
    assert_eq!(server.taken(), [("GET".to_owned(), Some("bytes=0-65544".to_owned()))]);
    assert!(array.read_rows::<Pick>(10_000..10_010).await.unwrap() == items[10_000..10_010]);
    let itemsize = array.header().dtype().itemsize();
    let begin = array.header().to_bytes().len() + 10_000 * itemsize;
    let range = format!("bytes={begin}-{}", begin + 10 * itemsize - 1);
    assert_eq!(server.taken(), [("GET".to_owned(), Some(range))]);
    assert!(array.read_all::<Pick>().await.unwrap() == items);
    let array = RemoteNpy::open_with(server.store(), "run/picks.npy", small()).await.unwrap();
    assert!(array.read_all::<Pick>().await.unwrap() == items);
}

#[tokio::test]
async fn archives_are_read_by_ranges() {
    let items: Vec<u32> = (0..100_000).collect();
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_slice("a", &items).unwrap();
    archive.add_slice("b", &picks(3)).unwrap();
    let server = Server::start(Served::new(archive.finish().unwrap().into_inner(), "\"one\""));
    let archive = RemoteNpz::open(server.store(), "run.npz").await.unwrap();
    assert_eq!(server.taken(), [("GET".to_owned(), Some(format!("bytes=-{}", 128 * KIB)))]);
    assert!(archive.by_name::<u32>("a").await.unwrap() == items);
    assert_eq!(server.taken().len(), 1);
    assert!(archive.by_name::<Pick>("b").await.unwrap() == picks(3));
    assert_eq!(server.taken().len(), 0);
    assert_eq!(archive.member("a").await.unwrap().read_rows::<u32>(70_000..70_002).await.unwrap(), [70_000, 70_001]);
}

#[tokio::test]
async fn a_replaced_object_is_an_error() {
    let (one, two): (Vec<u32>, Vec<u32>) = ((0..100_000).collect(), (1..100_001).collect());
    let served = |body: &[u32], number: u32| {
        let strong = Served::new(file(body), &format!("\"{number}\""));
        let weak = Served { e_tag: Some(format!("W/\"{number}\"")), ..strong.clone() };
        let times = ["Mon, 23 Nov 2026 12:00:00 GMT", "Mon, 23 Nov 2026 12:00:01 GMT"];
        let timed = Served { e_tag: None, last_modified: Some(times[number as usize - 1]), ..strong.clone() };
        [strong, weak, timed]
    };
    for (first, second) in served(&one, 1).into_iter().zip(served(&two, 2)) {
        let server = Server::start(first);
        let array = RemoteNpy::open_with(server.store(), "x.npy", small()).await.unwrap();
        assert!(array.read_all::<u32>().await.unwrap() == one);
        *server.served.lock().unwrap() = second;
        let error = array.read_all::<u32>().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        let array = RemoteNpy::open_with(server.store(), "x.npy", small()).await.unwrap();
        assert!(array.read_all::<u32>().await.unwrap() == two);
    }
    // A server that tells neither: the size is compared.
    let plain = |body: &[u32]| Served { e_tag: None, last_modified: None, ..Served::new(file(body), "") };
    let server = Server::start(plain(&one));
    let array = RemoteNpy::open_with(server.store(), "x.npy", small()).await.unwrap();
    assert!(array.read_all::<u32>().await.unwrap() == one);
    *server.served.lock().unwrap() = plain(&two[1..]);
    let error = array.read_all::<u32>().await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: object replaced while it was read: expected size 400128, found 400124; open it again");
}

#[tokio::test]
async fn the_time_of_modification_is_compared_with_a_weak_e_tag() {
    let (one, two): (Vec<u32>, Vec<u32>) = ((0..100_000).collect(), (1..100_001).collect());
    for ignores_conditions in [false, true] {
        let served = Served { ignores_conditions, ..Served::new(file(&one), "W/\"same\"") };
        let server = Server::start(served.clone());
        let array = RemoteNpy::open_with(server.store(), "x.npy", small()).await.unwrap();
        assert!(array.read_all::<u32>().await.unwrap() == one);
        let last_modified = Some("Mon, 23 Nov 2026 12:00:01 GMT");
        *server.served.lock().unwrap() = Served { body: file(&two).into(), last_modified, ..served };
        let error = array.read_all::<u32>().await.unwrap_err();
        let found = if ignores_conditions { "2026-11-23 12:00:01 UTC" } else { "another" };
        assert_eq!(
            error.to_string(),
            format!(
                "x.npy: object replaced while it was read: expected time of modification 2026-11-23 12:00:00 UTC, found {found}; \
                 open it again"
            )
        );
    }
}

#[tokio::test]
async fn a_connection_that_breaks_off_is_resumed_or_an_error() {
    let items: Vec<u32> = (0..100_000).collect();
    let server = Server::start(Served::new(file(&items), "\"one\""));
    let array = RemoteNpy::open_with(server.store(), "x.npy", RemoteOptions::new().requests(1)).await.unwrap();
    server.served.lock().unwrap().broken = 1;
    assert!(array.read_all::<u32>().await.unwrap() == items);
    server.served.lock().unwrap().broken = usize::MAX;
    let error = array.read_all::<u32>().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::External, "{error}");
    assert!(error.message().starts_with("cannot read bytes 65545..400128: "), "{error}");
}

#[tokio::test]
async fn a_server_without_ranges_serves_small_objects() {
    let items: Vec<u32> = (0..100_000).collect();
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_slice("a", &items).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    let server = |body| Server::start(Served { ignores_ranges: true, ..Served::new(body, "\"one\"") });

    let plain = server(file(&items));
    let array = RemoteNpy::open(plain.store(), "x.npy").await.unwrap();
    assert!(array.read_all::<u32>().await.unwrap() == items);
    assert_eq!(plain.taken().len(), 3);
    let archived = server(archive.clone());
    let opened = RemoteNpz::open(archived.store(), "x.npz").await.unwrap();
    assert!(opened.by_name::<u32>("a").await.unwrap() == items);
    assert_eq!(opened.member("a").await.unwrap().read_rows::<u32>(5..6).await.unwrap(), [5]);
    assert_eq!(archived.taken().len(), 4);

    // Not larger than a request.
    let error = RemoteNpy::open_with(plain.store(), "x.npy", small()).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: cannot read bytes 0..65545: Operation not supported: Range request not supported by x.npy");
    let error = RemoteNpz::open_with(archived.store(), "x.npz", small()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::External, "{error}");
    assert!(error.message().starts_with("cannot read the object: "), "{error}");
}

#[tokio::test]
async fn empty_objects_are_no_arrays() {
    for ignores_ranges in [false, true] {
        let server = Server::start(Served { ignores_ranges, ..Served::new(Vec::new(), "\"one\"") });
        assert_empty_is_no_array(server.store(), "x.npy", "x.npy").await;
    }
}

#[tokio::test]
async fn an_upload_of_several_parts_fails() {
    let server = Server::start(Served::new(Vec::new(), "\"one\""));
    let error = npy_remote::save_with(server.store(), "x.npy", &vec![0_u8; 6 << 20], small()).await.unwrap_err();
    insta::assert_snapshot!(error, @"x.npy: cannot write the object: Operation `put_multipart_opts` not yet implemented by HttpStore.");
    assert!(server.taken().is_empty());
}
