//! Alignment, offsets and padding.

use super::*;

#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(align)]
struct Inner {
    flag: bool,
    value: f32,
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(align)]
struct Aligned {
    id: u8,
    time: f64,
    inner: Inner,
    small: u8,
}

#[test]
fn aligned() {
    let aligned = Aligned { id: 1, time: 2.0, inner: Inner { flag: true, value: 3.0 }, small: 4 };
    round_trip(
        &[aligned.clone(), aligned],
        "[('id', '|u1'), ('', '|V7'), ('time', '<f8'), ('inner', [('flag', '|b1'), ('', '|V3'), ('value', '<f4')]), ('small', '|u1'), \
         ('', '|V7')]",
    );
}

#[test]
fn endian() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    #[npy(endian = "big")]
    struct Big {
        x: f32,
        inner: Inner,
        #[npy(dtype = "<u2")]
        little: u16,
        #[npy(dtype = "u2")]
        native: u16,
        name: String,
    }
    let big = Big { x: 1.0, inner: Inner { flag: true, value: 2.0 }, little: 3, native: 4, name: "ab".to_owned() };
    let file = written(&[big.clone()]);
    assert_eq!(
        dtype_of_file(&file),
        "[('x', '>f4'), ('inner', [('flag', '|b1'), ('', '|V3'), ('value', '>f4')]), ('little', '<u2'), ('native', '>u2'), \
         ('name', '>U2')]",
    );
    assert_eq!(npy_core::read::<Big>(&file[..]).unwrap(), [big.clone()]);
    round_trip(&[big], &dtype_of_file(&file));
    #[derive(NpyRecord)]
    #[npy(endian = "little")]
    struct Little {
        x: f32,
    }
    assert_eq!(dtype_of_file(&written(&[Little { x: 1.0 }])), "[('x', '<f4')]");
}

#[test]
fn offsets_and_itemsize() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    #[npy(itemsize = 24)]
    struct Spread {
        #[npy(offset = 2)]
        id: u16,
        next: u8,
        #[npy(offset = 8, title = "position")]
        xyz: [f32; 3],
    }
    round_trip(
        &[Spread { id: 1, next: 2, xyz: [3.0; 3] }],
        "[('', '|V2'), ('id', '<u2'), ('next', '|u1'), ('', '|V3'), (('position', 'xyz'), '<f4', (3,)), ('', '|V4')]",
    );
}

#[test]
fn packed_structs_are_never_borrowed() {
    #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
    #[repr(C, packed)]
    struct Packed {
        id: u8,
        time: f64,
        xyz: [f32; 3],
    }
    round_trip(&[Packed { id: 1, time: 2.0, xyz: [3.0; 3] }], "[('id', '|u1'), ('time', '<f8'), ('xyz', '<f4', (3,))]");

    #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
    #[repr(C, packed)]
    struct Optional {
        id: u8,
        depth: Option<f32>,
    }
    assert_eq!(dtype_of_file(&written(&[Optional { id: 1, depth: None }])), "[('id', '|u1')]");
    round_trip(&[Optional { id: 1, depth: Some(2.0) }], "[('id', '|u1'), ('depth', '<f4')]");

    #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
    #[repr(C, packed)]
    struct Newtype(Datetime64<Nanosecond>);
    round_trip(&[Newtype(Datetime64::new(1))], "<M8[ns]");
}
