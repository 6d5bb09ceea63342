//! No uninitialised byte gets into a file: memory full of 0x00 and memory full of 0xFF give the same files.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use ndarray::{Array2, ShapeBuilder};
use npy_core::npz::{NpzWriter, WriteOptions};
use npy_core::object::ObjectArray;
use npy_core::rawarray::RaArray;
use npy_core::shards::ShardWriter;
use npy_core::{Casting, DynValues, Header, NpyMapMut, NpyRecord, NpyWriter, Order, Result};
use npy_ndarray::{DynArray, WriteNpyExt};

use crate::peak::with_poison;
use crate::support::{announce, native};

/// Padding between the fields and behind them, in memory and in the file.
#[derive(NpyRecord, Clone, Default)]
#[npy(align)]
struct Sample {
    flag: bool,
    time: f64,
    name: String,
    values: [i16; 3],
    small: Option<u8>,
}

/// Writes files of every kind into `directory`.
fn write_all(directory: &Path) -> Result<()> {
    let path = |name: &str| directory.join(name);
    let numbers: Vec<f64> = (0..70_000).map(f64::from).collect();
    let samples: Vec<Sample> = (0..900_u16)
        .map(|number| Sample { time: f64::from(number), name: "name"[..number as usize % 5].to_owned(), ..Sample::default() })
        .collect();
    npy_core::save(path("numbers.npy"), &numbers)?;
    npy_core::save(path("few.npy"), &numbers[..3])?;
    npy_core::save(path("samples.npy"), &samples)?;
    npy_core::save(path("texts.npy"), &["a".to_owned(), "bcd".to_owned(), String::new()])?;
    let mut writer = NpyWriter::create(path("growing.npy"))?;
    writer.write_slice(&numbers[..100])?;
    writer.finish()?;
    let mut writer = NpyWriter::append(path("growing.npy"))?;
    numbers.iter().try_for_each(|number| writer.push(number))?;
    writer.finish()?;

    // Padding is kept, or zero.
    let values = DynValues::load(path("samples.npy"))?;
    values.save(path("values.npy"))?;
    let times = values.field("time")?.cast::<f32>(Casting::Unsafe)?;
    npy_core::save(path("cast.npy"), &times)?;
    let matrix = Array2::from_shape_vec((350, 200), numbers.clone()).expect("as many elements");
    matrix.t().save_npy(path("matrix.npy"))?;
    matrix.slice(ndarray::s![..;-3, 1..]).save_npy(path("slice.npy"))?;
    Array2::from_shape_vec((350, 200).f(), numbers.clone()).expect("as many elements").save_npy(path("fortran.npy"))?;
    let array = DynArray::load_npy(path("fortran.npy"))?;
    array.write_npy(fs::File::create(path("dynamic.npy"))?)?;
    DynValues::load(path("fortran.npy"))?.write_in_order(fs::File::create(path("reordered.npy"))?, Order::C)?;
    let header = Header::new(native("<u2").parse()?, Order::C, &[30])?;
    // SAFETY: no one else knows of this file.
    let mut map = unsafe { NpyMapMut::create(path("map.npy"), &header) }?;
    map.view_mut::<u16>()?[7] = 7;
    drop(map);

    ObjectArray::from(vec!["a", "b", "a"]).save(path("objects.npy"))?;
    let raw = RaArray::try_from(DynValues::from_slice(&numbers)?)?.with_metadata("notes");
    raw.save(path("raw.ra"))?;
    raw.compressed()?.save(path("compressed.ra"))?;
    let mut shards = ShardWriter::open(path("shard"), 40_000)?;
    shards.write_slice(&numbers)?;
    shards.finish()?;

    for (name, options) in [
        ("stored.npz", WriteOptions::new()),
        ("aligned.npz", WriteOptions::new().aligned(true)),
        ("compressed.npz", WriteOptions::new().compressed(true)),
        ("threads.npz", WriteOptions::new().compressed(true).threads(2)),
        ("level1.npz", WriteOptions::new().compressed(true).level(1)),
    ] {
        let mut archive = NpzWriter::new_with(Cursor::new(Vec::new()), options);
        archive.add_slice("numbers", &numbers)?;
        archive.add_slice("samples", &samples)?;
        archive.add_stream("stream", |writer| writer.write_slice(&numbers[..5000]))?;
        fs::write(path(name), archive.finish()?.into_inner())?;
    }
    Ok(())
}

#[test]
fn poisoned_memory_changes_no_file() {
    let written = |byte| {
        let directory = tempfile::tempdir().unwrap();
        with_poison(byte, || write_all(directory.path())).unwrap();
        let files = fs::read_dir(directory.path()).unwrap().map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_owned(), fs::read(path).unwrap())
        });
        let mut files: Vec<_> = files.collect();
        files.sort();
        files
    };
    let fresh = with_poison(0xA5, || {
        let memory = Vec::<u8>::with_capacity(100);
        // SAFETY: the allocator has written this byte.
        unsafe { memory.as_ptr().add(99).read_volatile() }
    });
    assert_eq!(fresh, 0xA5, "memory is not poisoned");
    let (zeros, ones) = (written(0x00), written(0xFF));
    let names = |files: &[(_, _)]| files.iter().map(|(name, _): &(std::ffi::OsString, Vec<u8>)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&zeros), names(&ones));
    for ((name, zeros), (_, ones)) in zeros.iter().zip(&ones) {
        let difference = zeros.iter().zip(ones).position(|(zero, one)| zero != one);
        assert_eq!((zeros.len(), difference), (ones.len(), None), "{}", name.display());
    }
    announce(&format!("{} files, the same from poisoned memory", zeros.len()));
    assert!(zeros.len() >= 22, "{}", zeros.len());
}
