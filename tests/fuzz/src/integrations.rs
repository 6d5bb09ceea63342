//! What is built on `npy-core`: the command's slices, Arrow tables, ranges of remote files.

use std::io::Cursor;
use std::sync::Arc;

use npy_arrow::{BatchOptions, BatchReader, from_batches, to_batch};
use npy_core::npz::NpzReader;
use npy_core::{DynValues, NpyReader, Order};
use npy_remote::object_store::memory::InMemory;
use npy_remote::object_store::{ObjectStore, ObjectStoreExt};
use npy_remote::{RemoteNpy, RemoteNpz, RemoteOptions};

/// The slice of a command's argument: any text, of an array that has fields and sub-arrays.
pub fn arguments(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let dtype = "[('x', '<u2'), ('pose', [('xyz', '<f4', (2, 3)), ('name', '<U3')])]".parse().unwrap();
    let bytes = (0..60 * 38).map(|byte| byte as u8 % 100).collect();
    for (dtype, shape, bytes) in [
        (dtype, &[4, 3, 5][..], bytes),
        ("|u1".parse().unwrap(), &[3, 4], (0..12).collect()),
        ("<f8".parse().unwrap(), &[], vec![0; 8]),
    ] {
        let values = DynValues::new(dtype, Order::C, shape, bytes).unwrap();
        let [mut one, mut other] = [Vec::new(), Vec::new()];
        values.write(&mut one).unwrap();
        values.write_in_order(&mut other, Order::Fortran).unwrap();
        match (npy_cli::__slice(text, &one), npy_cli::__slice(text, &other)) {
            (Ok(one), Ok(other)) => {
                assert_eq!((one.shape(), one.dtype()), (other.shape(), other.dtype()));
                assert_eq!(one.into_order(Order::C).unwrap().bytes(), other.into_order(Order::C).unwrap().bytes());
            }
            (Err(one), Err(other)) => assert_eq!(one, other),
            _ => panic!("the order decides whether the slice is taken"),
        }
    }
}

/// A file as a table: whole and in batches alike, and written again.
pub fn arrow(input: &[u8]) {
    let Ok(values) = DynValues::read(input) else {
        // It may be an array of objects.
        if let Ok(reader) = BatchReader::new(Cursor::new(input.to_vec()), BatchOptions::new()) {
            reader.take(10).for_each(drop);
        }
        return;
    };
    let rows = BatchReader::new(Cursor::new(input.to_vec()), BatchOptions::new().rows(7));
    let Ok(batch) = to_batch(&values) else { return };
    let Ok(reader) = rows else { return };
    let batches: Result<Vec<_>, _> = reader.collect();
    let batches = batches.expect("batches are refused where the whole is a table");
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), batch.num_rows());
    let whole = from_batches(&batch.schema(), [batch.clone()]);
    let parts = from_batches(&batch.schema(), batches);
    match (whole, parts) {
        (Ok(whole), Ok(parts)) => {
            assert_eq!((whole.dtype(), whole.shape()), (parts.dtype(), parts.shape()));
            assert_eq!(whole.bytes(), parts.bytes());
        }
        (Err(_), Err(_)) => {}
        (whole, parts) => panic!("{:?} and {:?}", whole.map(|_| ()), parts.map(|_| ())),
    }
}

/// A file of a store, read by ranges: what it holds in memory.
pub fn remote(input: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        store.put(&"file".into(), input.to_vec().into()).await.unwrap();
        let options = RemoteOptions::new().request_bytes(64).gap(16).requests(2);
        let local = NpyReader::from_bytes(input).and_then(NpyReader::into_values);
        if let Ok(array) = RemoteNpy::open_with(Arc::clone(&store), "file", options).await {
            match (array.read_dyn().await, local) {
                (Ok(remote), Ok(local)) => assert!(remote == local),
                (Err(_), Err(_)) => {}
                (remote, local) => panic!("{:?} and {:?}", remote.map(|_| ()), local.map(|_| ())),
            }
        } else {
            assert!(local.is_err());
        }
        let local = NpzReader::from_bytes(input);
        match (RemoteNpz::open_with(store, "file", options).await, local) {
            (Ok(remote), Ok(mut local)) => {
                assert!(remote.names().eq(local.names()));
                let names: Vec<String> = local.names().map(str::to_owned).collect();
                for name in names.iter().take(20) {
                    let expected = local.find(name).and_then(|index| local.bytes(index, 1 << 20));
                    match (remote.bytes(name, 1 << 20).await, expected) {
                        (Ok(remote), Ok(local)) => assert!(remote == local),
                        (Err(_), Err(_)) => {}
                        (remote, local) => panic!("{name}: {:?} and {:?}", remote.map(|_| ()), local.map(|_| ())),
                    }
                    if let Ok(array) = remote.member(name).await {
                        let _ = array.read_rows::<f64>(0..2).await;
                    }
                }
            }
            (Err(_), Err(_)) => {}
            (remote, local) => panic!("{:?} and {:?}", remote.map(|_| ()), local.map(|_| ())),
        }
    });
}
