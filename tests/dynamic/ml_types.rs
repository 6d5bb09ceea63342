//! The types of `ml_dtypes` with one byte, against the numbers that Python's package makes of each byte.

use npy_core::dtype::{MlType, ScalarKind};
use npy_core::{Casting, DType, DynValues, Header, NpyElement, NpyReader, Order};

const NUMBERS: &str = include_str!("../data/ml_dtypes.tsv");

#[test]
fn every_byte_of_every_type_is_the_number_of_ml_dtypes() {
    for line in NUMBERS.lines() {
        let (name, bits) = line.split_once('\t').unwrap();
        let dtype: DType = name.parse().unwrap();
        let DType::Scalar(scalar) = &dtype else { panic!("{dtype}") };
        assert_eq!(scalar.kind(), ScalarKind::Ml(MlType::named(name).unwrap()));
        let values = DynValues::new(dtype, Order::C, &[256], (0..=255).collect()).unwrap();
        let single = values.cast::<f32>(Casting::Safe).unwrap();
        let double = values.cast::<f64>(Casting::Safe).unwrap();
        for (byte, bits) in bits.split(' ').enumerate() {
            let expected = f32::from_bits(u32::from_str_radix(bits, 16).unwrap());
            let is_it = |found: f32| found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(is_it(single[byte]) && is_it(double[byte] as f32), "{name} {byte:#04x}: {expected} {}", single[byte]);
        }
    }
    assert_eq!(NUMBERS.lines().count(), 16);
}

#[test]
fn integers_of_ml_dtypes_are_integers() {
    let values = |name: &str| DynValues::new(name.parse().unwrap(), Order::C, &[3], vec![1, 0x0f, 0x82]).unwrap();
    assert_eq!(values("int4").cast::<i8>(Casting::Safe).unwrap(), [1, -1, 2]);
    assert_eq!(values("uint4").cast::<u8>(Casting::Safe).unwrap(), [1, 15, 2]);
    assert!(values("int4").cast::<u8>(Casting::Safe).is_err());
    assert_eq!(
        values("float8_e4m3fn").cast::<i8>(Casting::Checked).unwrap_err().to_string(),
        "element 0: cannot represent 0.001953125 exactly as |i1"
    );
}

/// A header with the name keeps it, also where it is written again.
#[test]
fn names_of_ml_dtypes_are_kept() {
    for (name, text) in [("float8_e4m3fn", "[  1.0 448.0  -0.0   nan]"), ("int4", "[-8 -2  0 -1]"), ("float8_e8m0fnu", "")] {
        let mut file = [
            b"\x93NUMPY\x01\0v\0",
            format!("{:<117}\n", format!("{{'descr': '{name}', 'fortran_order': False, 'shape': (4,), }}")).as_bytes(),
        ]
        .concat();
        file.extend([0x38, 0x7e, 0x80, 0x7f]);
        let values = NpyReader::new(&file[..]).unwrap().into_values().unwrap();
        assert_eq!(values.dtype().to_string(), name);
        assert!(text.is_empty() || values.to_string() == text, "{values}");
        let header = Header::new(values.dtype().clone(), Order::C, &[4]).unwrap();
        assert_eq!(header.to_bytes(), file[..file.len() - 4], "{name}");
        assert!(!Casting::Unsafe.allows(&f32::dtype(), values.dtype()), "they are read, and not written");
    }
    let record: DType = "[('a', 'int4'), ('b', '<f4')]".parse().unwrap();
    assert_eq!((record.itemsize(), record.to_string()), (5, "[('a', 'int4'), ('b', '<f4')]".to_owned()));
}
