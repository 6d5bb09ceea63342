//! moto, a server of S3, behind a proxy that counts requests and fails on demand.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use npy_remote::object_store::aws::{AmazonS3, AmazonS3Builder};
use npy_remote::object_store::{BackoffConfig, RetryConfig};

use crate::numpy::moto;

/// What happens to a response.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The proxy answers with a status and the body of S3.
    Answer(&'static str, &'static str),
    /// The body ends in the middle.
    CutOff,
}

#[derive(Default)]
struct Shared {
    /// Those of the next requests.
    faults: Vec<Fault>,
    /// Methods and the lengths of responses with their heads.
    log: Vec<(String, usize)>,
}

pub struct Server {
    moto: Child,
    address: String,
    shared: Arc<Mutex<Shared>>,
}

impl Server {
    /// Starts it with an empty bucket `bucket`, unless moto cannot be had.
    pub fn start(test: &str) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let moto = moto(test)?
            .start(["-c", &format!("import logging, sys; logging.getLogger('werkzeug').setLevel('ERROR'); sys.argv = ['moto', '-p', '{port}']; import moto.server; moto.server.main()")]);
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(60), "moto does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self { moto, address: proxy.local_addr().unwrap().to_string(), shared: Arc::default() };
        let shared = Arc::clone(&server.shared);
        std::thread::spawn(move || {
            for client in proxy.incoming() {
                let (client, shared) = (client.unwrap(), Arc::clone(&shared));
                std::thread::spawn(move || forward(client, port, &shared));
            }
        });
        let mut made = TcpStream::connect(&server.address).unwrap();
        made.write_all(b"PUT /bucket HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").unwrap();
        let mut answer = String::new();
        made.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        server.taken();
        Some(server)
    }

    /// The URL for clients that are other programs.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A store of a bucket that repeats a request twice.
    pub fn store(&self, bucket: &str) -> Arc<AmazonS3> {
        let backoff = BackoffConfig { init_backoff: Duration::from_millis(5), ..Default::default() };
        let retry = RetryConfig { max_retries: 2, retry_timeout: Duration::from_secs(20), backoff };
        let builder = AmazonS3Builder::new().with_bucket_name(bucket).with_access_key_id("key").with_secret_access_key("secret");
        let builder = builder.with_endpoint(self.endpoint()).with_allow_http(true).with_retry(retry);
        Arc::new(builder.build().unwrap())
    }

    /// Fails the next requests.
    pub fn fail(&self, faults: &[Fault]) {
        self.shared.lock().unwrap().faults = faults.to_vec();
    }

    /// The methods of the requests since the last call, and the bytes of their responses.
    pub fn taken(&self) -> (Vec<String>, usize) {
        let log = std::mem::take(&mut self.shared.lock().unwrap().log);
        let bytes = log.iter().map(|(_, bytes)| bytes).sum();
        (log.into_iter().map(|(method, _)| method).collect(), bytes)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.moto.kill();
        let _ = self.moto.wait();
    }
}

/// Forwards one request; each has a connection of its own.
fn forward(mut client: TcpStream, port: u16, shared: &Mutex<Shared>) {
    let mut request = Vec::new();
    let head = loop {
        if let Some(end) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break end + 4;
        }
        if !receive(&mut client, &mut request) {
            return;
        }
    };
    let text = String::from_utf8_lossy(&request[..head]).into_owned();
    let mut lines = text.lines().filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let method = text.split(' ').next().unwrap().to_owned();
    let length =
        text.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:").map(|rest| rest.trim().to_owned()));
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    while request.len() < head + length {
        if !receive(&mut client, &mut request) {
            return;
        }
    }
    let fault = {
        let mut shared = shared.lock().unwrap();
        if shared.faults.is_empty() { None } else { Some(shared.faults.remove(0)) }
    };
    let mut response = Vec::new();
    if let Some(Fault::Answer(status, body)) = &fault {
        let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        response.extend(head.into_bytes());
    } else {
        let mut moto = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let first = lines.next().unwrap();
        let rest: String = lines.filter(|line| !line.is_empty()).map(|line| format!("{line}\r\n")).collect();
        moto.write_all(format!("{first}\r\nConnection: close\r\n{rest}\r\n").as_bytes()).unwrap();
        moto.write_all(&request[head..]).unwrap();
        moto.read_to_end(&mut response).unwrap();
    }
    if let Some(Fault::CutOff) = fault {
        response.truncate(response.len() - response.len() / 4);
    }
    shared.lock().unwrap().log.push((method, response.len()));
    let _ = client.write_all(&response);
}

fn receive(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 1 << 16];
    let count = stream.read(&mut buffer).unwrap_or(0);
    bytes.extend(&buffer[..count]);
    count > 0
}
