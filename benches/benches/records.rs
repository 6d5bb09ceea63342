//! Decoding records: `cargo bench -p npy-benches --bench records`

use std::hint::black_box;

use npy_benches::compare;
use npy_core::{FixedBytes, Header, NpyRecord, NpyWriter, Order};

#[derive(NpyRecord, Clone)]
struct Sample {
    id: u64,
    t: f64,
    xyz: [f32; 3],
    flag: bool,
    name: FixedBytes<8>,
}

/// The same for npyz, in which text without heap is an `ArrayVec`.
#[derive(npyz::Deserialize, Clone)]
#[allow(dead_code, reason = "only read")]
struct Peer {
    id: u64,
    t: f64,
    xyz: [f32; 3],
    flag: bool,
    name: npyz::arrayvec::ArrayVec<u8, 8>,
}

fn main() {
    let count = 5_000_000;
    let sample = Sample { id: 7, t: 0.5, xyz: [1.0, 2.0, 3.0], flag: true, name: "station".parse().unwrap() };
    let mut packed = Vec::new();
    npy_core::write(&mut packed, &vec![sample.clone(); count]).unwrap();
    let aligned = in_layout("[('id','<u8'),('t','<f8'),('xyz','<f4',(3,)),('flag','?'),('name','S8'),('','V3')]", &sample, count);
    let swapped = in_layout("[('id','>u8'),('t','>f8'),('xyz','>f4',(3,)),('flag','?'),('name','S8')]", &sample, count);
    let mut copy = vec![0_u8; packed.len()];
    let mut records = vec![sample.clone(); count];
    let mut sink = Vec::with_capacity(packed.len());
    let mut read = |file: &[u8]| npy_core::NpyReader::new(file).unwrap().read_into(black_box(&mut records)).unwrap();
    let mut read_from_memory = vec![sample.clone(); count];
    let mut read_swapped = vec![sample.clone(); count];
    let mut read_aligned = vec![sample.clone(); count];
    let all = vec![sample; count];
    compare(
        "5,000,000 records of 37 bytes in memory; ratios to memcpy of the packed bytes",
        9,
        &mut [
            ("memcpy", &mut || black_box(&mut copy).copy_from_slice(black_box(&packed))),
            ("read_into, packed", &mut || read(black_box(&packed))),
            ("read_into from_bytes, packed", &mut || {
                npy_core::NpyReader::from_bytes(black_box(&packed)).unwrap().read_into(black_box(&mut read_from_memory)).unwrap();
            }),
            ("read_into, padded", &mut || {
                npy_core::NpyReader::new(&aligned[..]).unwrap().read_into(black_box(&mut read_aligned)).unwrap()
            }),
            ("read_into, big-endian", &mut || {
                npy_core::NpyReader::new(&swapped[..]).unwrap().read_into(black_box(&mut read_swapped)).unwrap()
            }),
            ("npyz, into vectors", &mut || {
                drop(black_box(npyz::NpyFile::new(black_box(&packed[..])).unwrap().into_vec::<Peer>().unwrap()));
            }),
            ("from_bytes, into vectors", &mut || {
                drop(black_box(npy_core::NpyReader::from_bytes(black_box(&packed)).unwrap().into_vec::<Sample>().unwrap()));
            }),
            ("columns t and xyz", &mut || {
                let reader = npy_core::NpyReader::from_bytes(black_box(&packed)).unwrap();
                drop(black_box(reader.into_columns::<(f64, [f32; 3])>(["t", "xyz"]).unwrap()));
            }),
            ("read", &mut || drop(black_box(npy_core::read::<Sample>(black_box(&packed[..])).unwrap()))),
            ("write", &mut || {
                sink.clear();
                npy_core::write(black_box(&mut sink), &all).unwrap();
            }),
        ],
    );
}

fn in_layout(descr: &str, sample: &Sample, count: usize) -> Vec<u8> {
    let header = Header::new(descr.parse().unwrap(), Order::C, &[count]).unwrap();
    let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
    writer.extend(std::iter::repeat_n(sample, count)).unwrap();
    writer.finish().unwrap()
}
