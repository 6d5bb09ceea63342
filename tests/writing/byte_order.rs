//! The byte order of what is written.

use npy_core::{Header, NpyElement, NpyRecord};

use crate::support::{native, written};

#[derive(NpyRecord)]
struct Sample {
    id: u16,
    #[npy(dtype = ">u2")]
    big: u16,
    name: String,
}

fn check<T: NpyElement>(items: &[T], descr: &str, bytes: &[u8]) {
    let file = written(items);
    let (header, data) = Header::parse(&file).unwrap();
    assert_eq!((header.dtype().to_string(), &file[data..]), (native(descr), bytes));
}

/// As in NumPy, whose arrays are in the order of the machine, and saved as they lie in memory.
#[test]
fn the_default_byte_order_is_that_of_the_machine() {
    let letter = u32::from('a').to_ne_bytes();
    check(&[1.5_f64], "<f8", &1.5_f64.to_ne_bytes());
    check(&["a".to_owned()], "<U1", &letter);
    let sample = Sample { id: 1, big: 2, name: "a".to_owned() };
    let bytes = [&1_u16.to_ne_bytes()[..], &2_u16.to_be_bytes(), &letter].concat();
    check(&[sample], "[('id', '<u2'), ('big', '>u2'), ('name', '<U1')]", &bytes);
}
