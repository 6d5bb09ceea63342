//! Types shared between threads, and panics on worker threads.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use npy_core::NpyRecord;
use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
use npy_ndarray::{NpzArchive, ReadOptions};

use crate::support::archives::writer_with;
use crate::support::scratch;

/// Fails to compile otherwise.
#[test]
fn the_public_types_go_to_other_threads_and_are_shared() {
    fn shared<T: Send + Sync>() {}
    type File = io::BufReader<std::fs::File>;
    shared::<npy_core::Error>();
    shared::<npy_core::ErrorKind>();
    shared::<npy_core::DType>();
    shared::<npy_core::Header>();
    shared::<npy_core::Limits>();
    shared::<npy_core::ReadOptions>();
    shared::<npy_core::SaveOptions>();
    shared::<npy_core::DynValues>();
    shared::<npy_core::NpyReader<File>>();
    shared::<npy_core::NpyReader<&[u8]>>();
    shared::<npy_core::NpyWriter<f64, std::fs::File>>();
    shared::<npy_core::NpyWriter<String, Vec<u8>>>();
    shared::<npy_core::NpyMap>();
    shared::<npy_core::NpyMapMut>();
    shared::<npy_core::shards::Shards>();
    shared::<npy_core::shards::ShardWriter<f64>>();
    shared::<npy_core::print::PrintOptions>();
    shared::<npy_core::object::ObjectArray>();
    shared::<npy_core::object::ObjectOptions>();
    shared::<npy_core::rawarray::RaArray>();
    shared::<NpzReader<npy_core::npz::ArchiveFile>>();
    shared::<NpzWriter<std::fs::File>>();
    shared::<npy_core::npz::NpzStream<File>>();
    shared::<npy_ndarray::DynArray>();
    shared::<npy_ndarray::ReadOptions>();
    shared::<npy_ndarray::SaveOptions>();
    shared::<npy_ndarray::ReadOptions>();
    shared::<npy_ndarray::npz::WriteOptions>();
    shared::<npy_ndarray::NpzReader<npy_core::npz::ArchiveFile>>();
    shared::<npy_ndarray::NpzWriter<std::fs::File>>();
    shared::<npy_ndarray::NpyBlocks<f64, ndarray::Ix2, File>>();
    shared::<npy_ndarray::NpyBlockWriter<f64>>();
    shared::<npy_ndarray::sparse::CsrMatrix<f64>>();
}

const MINE: &str = "this panic is the caller's own";

/// Waits on the thread that called until another one is at work, and panics on the other, once.
#[derive(Clone)]
struct Meeting {
    caller: ThreadId,
    has_met: Arc<AtomicBool>,
}

impl Meeting {
    fn new() -> Self {
        Self { caller: thread::current().id(), has_met: Arc::default() }
    }

    fn meet(&self) {
        if thread::current().id() != self.caller {
            assert!(self.has_met.swap(true, Ordering::SeqCst), "{MINE}");
            return;
        }
        let begin = Instant::now();
        while !self.has_met.load(Ordering::SeqCst) && begin.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What the call panics with.
fn panic_of<T>(call: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("it panics");
    payload.downcast_ref::<String>().expect("a message of `panic!`").clone()
}

/// Meets as soon as there are two: before that there is nobody to wait for.
struct Meets<R> {
    inner: R,
    meeting: Meeting,
    are_two: Arc<AtomicBool>,
}

impl<R: Clone> Clone for Meets<R> {
    fn clone(&self) -> Self {
        self.are_two.store(true, Ordering::SeqCst);
        Self { inner: self.inner.clone(), meeting: self.meeting.clone(), are_two: Arc::clone(&self.are_two) }
    }
}

impl<R: Read> Read for Meets<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.are_two.load(Ordering::SeqCst) {
            self.meeting.meet();
        }
        self.inner.read(buffer)
    }
}

impl<R: Seek> Seek for Meets<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.inner.seek(position)
    }
}

/// An archive of a member of several blocks, and a reader of it.
fn archive() -> Meets<Cursor<Vec<u8>>> {
    let mut archive = writer_with(WriteOptions::new().compressed(true).level(1));
    archive
        .add_slice("a", &(0..2 << 20).map(|item: u32| item.wrapping_mul(0x9e37_79b9).rotate_left(item)).collect::<Vec<u32>>())
        .unwrap();
    let inner = Cursor::new(archive.finish().unwrap().into_inner());
    Meets { inner, meeting: Meeting::new(), are_two: Arc::default() }
}

#[test]
fn a_reader_that_panics_while_blocks_are_inflated() {
    let mut archive = NpzReader::new(archive()).unwrap();
    archive.set_threads(2);
    assert_eq!(panic_of(|| archive.by_name::<u32>("a")), MINE);
    // The archive can be used afterwards.
    assert_eq!(archive.by_name::<u32>("a").unwrap().len(), 2 << 20);
}

/// Where the conversion below goes; it has no place to keep one.
static CONVERTING: OnceLock<Meeting> = OnceLock::new();

mod meeting {
    use std::convert::Infallible;

    pub type Element = f64;

    pub fn decode(value: f64) -> Result<f64, Infallible> {
        if let Some(meeting) = super::CONVERTING.get() {
            meeting.meet();
        }
        Ok(value)
    }

    pub fn encode(value: &f64) -> Result<f64, Infallible> {
        Ok(*value)
    }
}

#[derive(NpyRecord, Clone)]
struct Sample {
    #[npy(with = meeting)]
    value: f64,
}

#[test]
fn a_conversion_that_panics_while_members_are_read() {
    let samples: Vec<Sample> = (0..1 << 18).map(|value| Sample { value: f64::from(value) }).collect();
    let mut file = Cursor::new(Vec::new());
    let mut archive = NpzWriter::new(&mut file);
    for name in ["a", "b", "c"] {
        archive.add_slice(name, &samples).unwrap();
    }
    archive.finish().unwrap();
    let path = scratch("samples.npz");
    std::fs::write(&path, file.into_inner()).unwrap();
    let load = || BTreeMap::<String, Vec<Sample>>::load_npz_with(&path, ReadOptions::new().threads(2));
    assert_eq!(load().unwrap()["c"][7].value, 7.0);
    assert!(CONVERTING.set(Meeting::new()).is_ok());
    assert_eq!(panic_of(load), MINE);
}
