//! How much memory is taken: the result, and the requests in flight.

use std::sync::Arc;

use npy_core::{Header, NpyElement, Order};
use npy_remote::{RemoteNpy, RemoteOptions, RemoteWriter};

use crate::support::Computed;
use crate::workspace_support::peak::with_peak;

const MIB: usize = 1 << 20;

/// 64 MiB of zeros.
fn zeros(dtype: &str) -> Arc<Computed> {
    let itemsize = dtype.parse::<npy_core::DType>().unwrap().itemsize();
    let header = Header::new(dtype.parse().unwrap(), Order::C, &[64 * MIB / itemsize]).unwrap();
    let size = header.to_bytes().len() as u64 + header.data_bytes();
    Arc::new(Computed { header: header.to_bytes(), size, byte: None, tail: Vec::new() })
}

fn options() -> RemoteOptions {
    RemoteOptions::new().request_bytes(MIB as u64).requests(4)
}

/// The result of a future and the most memory that it took, in MiB.
fn measured<T>(future: impl Future<Output = T>) -> (T, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (result, bytes) = with_peak(|| runtime.block_on(future));
    (result, bytes / MIB)
}

#[test]
fn an_array_takes_its_elements_and_the_requests_in_flight() {
    let read = async { RemoteNpy::open_with(zeros("<f8"), "x.npy", options()).await.unwrap().read_all::<f64>().await.unwrap() };
    let (items, peak) = measured(read);
    assert_eq!(items.len(), 8 * MIB);
    assert!((64..64 + 10).contains(&peak), "{peak} MiB");
    drop(items);

    // A quarter of the elements, in pieces all over the array.
    let region = [npy_core::region::AxisRange::from(..).step_by(4)];
    let read =
        async { RemoteNpy::open_with(zeros("<f8"), "x.npy", options()).await.unwrap().read_region::<f64>(&region).await.unwrap() };
    let (items, peak) = measured(read);
    assert_eq!(items.len(), 2 * MIB);
    assert!((16..16 + 10).contains(&peak), "{peak} MiB");
}

#[test]
fn columns_take_no_memory_for_other_fields() {
    let dtype = "[('time', '<f8'), ('waveform', '<f4', (14,))]";
    let read = async {
        let array = RemoteNpy::open_with(zeros(dtype), "x.npy", options()).await.unwrap();
        array.columns::<(f64,)>(["time"]).await.unwrap()
    };
    let ((times,), peak) = measured(read);
    assert_eq!(times.len(), MIB);
    // A vector that grows has twice the room, and is copied.
    assert!((8..3 * 8 + 10).contains(&peak), "{peak} MiB");
}

#[cfg(feature = "arrow")]
#[test]
fn batches_take_the_requests_in_flight() {
    use futures_util::TryStreamExt;

    let read = async {
        let array = RemoteNpy::open_with(zeros("[('time', '<f8'), ('name', 'S8')]"), "x.npy", options()).await.unwrap();
        let batches = array.batches(npy_arrow::BatchOptions::new()).unwrap();
        batches.try_fold(0, async |rows, batch| Ok(rows + batch.num_rows())).await.unwrap()
    };
    let (rows, peak) = measured(read);
    assert_eq!(rows, 4 * MIB);
    assert!(peak < 12, "{peak} MiB");
}

#[test]
fn an_upload_takes_the_parts_in_flight() {
    let header = Header::new(u64::dtype(), Order::C, &[8 * MIB]).unwrap();
    let write = async {
        let mut writer = RemoteWriter::create_with(zeros("<f8"), "x.npy", &header, options().requests(2)).unwrap();
        for _ in 0..64 {
            writer.write_slice(&[7_u64; MIB / 8]).await.unwrap();
        }
        writer.finish().await.unwrap();
    };
    let ((), peak) = measured(write);
    // Parts of 5 MiB: two in flight, one that is full, one that is filled; and what the writer buffers.
    assert!(peak < 4 * 5 + 10, "{peak} MiB");
}
