//! Each limit holds at its value, and refuses one more. Those of pickles are in `pickles.rs`.

use std::io::Cursor;

use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::rawarray::{self, RaArray};
use npy_core::{Error, ErrorKind, Header, Limits, Order, Result};

use crate::support::written;

fn header(dtype: &str, shape: &[usize]) -> Vec<u8> {
    Header::new(dtype.parse().unwrap(), Order::C, shape).unwrap().to_bytes()
}

/// A limit, what reads with it, and the smallest value with which that succeeds.
type Case = (&'static str, Box<dyn Fn(u64) -> Result<()>>, u64);

fn cases() -> Vec<Case> {
    let of_header = |dtype: &str, shape: &[usize], limits: fn(u64) -> Limits| -> Box<dyn Fn(u64) -> Result<()>> {
        let file = header(dtype, shape);
        Box::new(move |limit| Header::parse_with(&file, limits(limit)).map(drop))
    };
    let numbers = written(&[0.5_f64; 1000]);
    let mut archive = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    archive.add_bytes("zeros", &[0; 5000]).unwrap();
    archive.add_bytes("more", &[0; 10]).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    let members = archive.clone();
    let mut raw = Vec::new();
    rawarray::write(&mut raw, &[1_u8, 2, 3]).unwrap();
    raw.extend(b"metadata");
    let length = header("<f8", &[3]).len() as u64 - 10;
    vec![
        ("header_bytes", of_header("<f8", &[3], |limit| Limits::new().header_bytes(limit as usize)), length),
        // The dictionary, two lists and two tuples.
        ("nesting_depth", of_header("[('pose', [('x', '<f8')])]", &[3], |limit| Limits::new().nesting_depth(limit as usize)), 5),
        ("fields", of_header("[('id', '<u4'), ('pose', [('x', '<f8')])]", &[3], |limit| Limits::new().fields(limit as usize)), 3),
        ("element_bytes", of_header("<U1000", &[3], |limit| Limits::new().element_bytes(limit as usize)), 4000),
        ("empty_elements", of_header("|V0", &[1_000_000], |limit| Limits::new().empty_elements(limit)), 1_000_000),
        (
            "data_bytes",
            Box::new(move |limit| npy_core::read_with::<f64>(&numbers[..], Limits::new().data_bytes(limit)).map(drop)),
            8000,
        ),
        ("members", Box::new(move |limit| NpzReader::new_with(Cursor::new(&members), Limits::new().members(limit)).map(drop)), 2),
        (
            "member_bytes",
            Box::new(move |limit| {
                NpzReader::new_with(Cursor::new(&archive), Limits::new().member_bytes(limit))?.bytes(0, u64::MAX).map(drop)
            }),
            5000,
        ),
        ("metadata_bytes", Box::new(move |limit| RaArray::read_with(&raw[..], Limits::new().metadata_bytes(limit)).map(drop)), 8),
    ]
}

#[test]
fn limits_hold_at_their_value_and_refuse_one_more() {
    for (name, read, least) in cases() {
        read(least).unwrap_or_else(|error| panic!("{name}: {error}"));
        let error: Error = read(least - 1).unwrap_err();
        let is_limit = error.kind() == ErrorKind::LimitExceeded;
        assert!(is_limit, "{name}: {error}");
    }
}
