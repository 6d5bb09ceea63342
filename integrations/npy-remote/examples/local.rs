//! Several local files at the same time, on a runtime of `tokio`.
//!
//! cargo run -p npy-remote --example local

use std::sync::Arc;

use npy_remote::object_store::ObjectStore;
use npy_remote::object_store::local::LocalFileSystem;
use npy_remote::{RemoteNpy, Result};
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(directory.path())?);
    for day in 0..7_u16 {
        let samples: Vec<u16> = (0..1000).map(|i| i % (900 + day)).collect::<Vec<_>>().repeat(500);
        npy_remote::save(store.clone(), format!("day_{day}.npy"), &samples).await?;
    }

    let mut tasks = JoinSet::new();
    for day in 0..7 {
        tasks.spawn(peak(store.clone(), day));
    }
    while let Some(task) = tasks.join_next().await {
        let (day, peak) = task??;
        println!("day {day}: at most {peak:?} in the second half");
    }
    Ok(())
}

/// The largest sample of the second half of a file, of which the first half is not read.
async fn peak(store: Arc<dyn ObjectStore>, day: usize) -> Result<(usize, Option<u16>)> {
    let array = RemoteNpy::open(store, format!("day_{day}.npy")).await?;
    let count = array.header().element_count();
    let samples: Vec<u16> = array.read_rows(count / 2..count).await?;
    Ok((day, samples.into_iter().max()))
}
