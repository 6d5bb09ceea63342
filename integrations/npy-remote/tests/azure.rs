//! Arrays on Azurite, the emulator of Azure's blobs, which comes from npm.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use npy_core::npz::NpzWriter;
use npy_remote::object_store::azure::{MicrosoftAzure, MicrosoftAzureBuilder};
use npy_remote::object_store::{ObjectStoreExt, RetryConfig};
use npy_remote::{ErrorKind, RemoteNpy, RemoteNpz, RemoteOptions};

use crate::workspace_support::announce;

/// The published account of the emulator.
const ACCOUNT: &str = "devstoreaccount1";
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Makes a container, which the stores cannot: a request signed by the published key of the emulator.
const MAKE_CONTAINER: &str = r#"
const [account, key, port, name] = process.argv.slice(1);
const date = new Date().toUTCString(), version = '2021-08-06';
const text = ['PUT', '', '', '', '', '', '', '', '', '', '', '', `x-ms-date:${date}`, `x-ms-version:${version}`,
  `/${account}/${account}/${name}`, 'restype:container'].join('\n');
const signature = require('crypto').createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
const headers = { 'x-ms-date': date, 'x-ms-version': version, 'content-length': 0, authorization: `SharedKey ${account}:${signature}` };
const path = `/${account}/${name}?restype=container`;
require('http').request({ port, host: '127.0.0.1', method: 'PUT', path, headers }, answer => process.exit(answer.statusCode === 201 ? 0 : 1)).end();
"#;

struct Azurite {
    program: Child,
    port: u16,
    _data: tempfile::TempDir,
}

impl Azurite {
    /// Starts it with a container `bucket`, unless npm cannot install it; then the test says that it is skipped.
    fn start(test: &str) -> Option<Self> {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("azurite");
        let script = home.join("node_modules/azurite/dist/src/blob/main.js");
        if !script.is_file() {
            announce("installing Azurite for the live tests");
            let mut install = Command::new("npm");
            install.args(["install", "--silent", "--no-audit", "--prefix"]).arg(&home).arg("azurite@3");
            let installed = install.stdout(Stdio::null()).stderr(Stdio::null()).status();
            if !installed.is_ok_and(|status| status.success()) {
                announce(&format!("SKIPPED {test}: npm cannot install Azurite"));
                return None;
            }
        }
        let (data, port) = (tempfile::tempdir().unwrap(), TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port());
        let arguments =
            ["--silent", "--skipApiVersionCheck", "--disableTelemetry", "--blobHost", "127.0.0.1", "--blobPort", &port.to_string()];
        let node =
            Command::new("node").arg(script).args(arguments).arg("--location").arg(data.path()).stdout(Stdio::null()).spawn();
        let azurite = Self { program: node.unwrap(), port, _data: data };
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(60), "Azurite does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        let made = Command::new("node").args(["-e", MAKE_CONTAINER, ACCOUNT, KEY, &port.to_string(), "bucket"]).status().unwrap();
        assert!(made.success(), "Azurite makes no container");
        Some(azurite)
    }

    fn store(&self, container: &str) -> Arc<MicrosoftAzure> {
        let retry = RetryConfig { max_retries: 1, ..Default::default() };
        let builder = MicrosoftAzureBuilder::new()
            .with_container_name(container)
            .with_account(ACCOUNT)
            .with_access_key(KEY)
            .with_retry(retry);
        let endpoint = format!("http://127.0.0.1:{}/devstoreaccount1", self.port);
        Arc::new(builder.with_endpoint(endpoint).with_allow_http(true).build().unwrap())
    }
}

impl Drop for Azurite {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[tokio::test]
async fn arrays_and_archives_are_on_azure() {
    let Some(azurite) = Azurite::start("arrays_and_archives_are_on_azure") else { return };
    let (store, none, items) = (azurite.store("bucket"), azurite.store("none"), (0..3 << 20).collect::<Vec<u32>>());
    npy_remote::save_with(store.clone(), "run/x.npy", &items, RemoteOptions::new().request_bytes(5 << 20)).await.unwrap();
    let array = RemoteNpy::open(store.clone(), "run/x.npy").await.unwrap();
    assert_eq!(array.read_rows::<u32>(1 << 20..(1 << 20) + 2).await.unwrap(), [1 << 20, (1 << 20) + 1]);
    assert!(array.read_all::<u32>().await.unwrap() == items);
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_slice("a", &items[..1000]).unwrap();
    store.put(&"run.npz".into(), archive.finish().unwrap().into_inner().into()).await.unwrap();
    let archive = RemoteNpz::open(store.clone(), "run.npz").await.unwrap();
    assert_eq!(archive.by_name::<u32>("a").await.unwrap(), items[..1000]);

    let error = RemoteNpy::open(store.clone(), "none.npy").await.unwrap_err();
    insta::assert_snapshot!(error, @"az://bucket/none.npy: cannot read bytes 0..65545: no such object in the bucket");
    // An archive is asked for its size first, because Azure has no requests for the end of an object.
    let error = RemoteNpz::open(store.clone(), "none.npz").await.unwrap_err();
    insta::assert_snapshot!(error, @"az://bucket/none.npz: cannot read the object: no such object in the bucket");
    let error = RemoteNpz::open(none, "run.npz").await.unwrap_err();
    insta::assert_snapshot!(error, @"az://none/run.npz: cannot read the object: no such bucket; check its name, and the region or the account");
    npy_remote::save(store, "run/x.npy", &vec![7_u32; 3 << 20]).await.unwrap();
    let error = array.read_rows::<u32>(1 << 20..2 << 20).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
}
