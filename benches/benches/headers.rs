//! Parsing and writing headers: `cargo bench -p npy-benches --bench headers`

use std::hint::black_box;

use npy_benches::time_of;
use npy_core::{DType, Header, Order};

fn header(descr: &str) -> Vec<u8> {
    Header::new(descr.parse::<DType>().unwrap(), Order::C, &[1000]).unwrap().to_bytes()
}

fn main() {
    let nested = format!("{}'<f8'{}", "[('a', ".repeat(60), ")]".repeat(60));
    let fields: Vec<String> = (0..1000).map(|i| format!("('field{i}', '<f8')")).collect();
    let files = [
        ("plain", header("<f8")),
        ("five fields", header("[('id','<u8'),('t','<f8'),('xyz','<f4',(3,)),('flag','?'),('name','S8')]")),
        ("1000 fields", header(&format!("[{}]", fields.join(", ")))),
        ("nested 60 deep", header(&nested)),
    ];
    for (name, bytes) in &files {
        let parse = time_of(200, || drop(black_box(Header::parse(black_box(bytes)).unwrap())));
        let parsed = Header::parse(bytes).unwrap().0;
        let write = time_of(200, || drop(black_box(black_box(&parsed).to_bytes())));
        println!("{name:30} {:6} bytes: parsed in {parse:10.3?}, written in {write:10.3?}", bytes.len());
    }
    for count in [24, 100_000] {
        let mut bytes = b"\x93NUMPY\x02\0".to_vec();
        bytes.extend(u32::try_from(count).unwrap().to_le_bytes());
        bytes.extend(vec![b'['; count]);
        let refuse = time_of(200, || drop(black_box(Header::parse(black_box(&bytes)).unwrap_err())));
        println!("{count:6} open brackets            refused in {refuse:10.3?}");
    }
}
