//! What an `.npy` file or an archive on a server holds, without reading all of it.
//!
//! cargo run -p npy-remote --features http,dynamic --example url -- URL
//!
//! With the features `aws`, `gcp` or `azure` also `s3://bucket/file.npz` and others.

use npy_remote::{RemoteNpy, RemoteNpz, Result, parse_url};

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL of an .npy or .npz file")?;
    let (store, path) = parse_url(&url)?;
    if path.extension() != Some("npz") {
        show("array", &RemoteNpy::open(store, path).await?).await?;
        return Ok(());
    }
    let archive = RemoteNpz::open(store, path).await?;
    for name in archive.names() {
        match archive.member(name).await {
            Ok(array) => show(name, &array).await?,
            Err(error) => println!("{name}: {error}"),
        }
    }
    Ok(())
}

/// Prints dtype and shape, and the first element.
async fn show(name: &str, array: &RemoteNpy) -> Result<()> {
    let header = array.header();
    println!("{name}: {} {:?}", header.dtype(), header.shape());
    if header.element_count() > 0 && !header.dtype().has_object() {
        let first = vec![0.into(); header.shape().len()];
        println!("  first element: {}", array.read_region_dyn(&first).await?);
    }
    Ok(())
}
