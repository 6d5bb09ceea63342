//! The types of `ml_dtypes` with one byte, against the numbers that Python's package makes of each byte.

use npy_core::dtype::{MlType, ScalarKind};
use npy_core::{Casting, DType, DynValues, Header, NpyReader, Order};

use crate::support::numpy::{frames, ml_dtypes};
use crate::support::some;

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
    }
    let record: DType = "[('a', 'int4'), ('b', '<f4')]".parse().unwrap();
    assert_eq!((record.itemsize(), record.to_string()), (5, "[('a', 'int4'), ('b', '<f4')]".to_owned()));
}

/// Numbers of the type, halfway between two, beside both, beyond all, and any others.
fn singles_near(numbers: &[f32]) -> Vec<f32> {
    let mut singles = vec![f32::NAN, -f32::NAN, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), 0.75 * 2.0_f32.powi(-127)];
    for pair in numbers.windows(2) {
        let middle = pair[0] / 2.0 + pair[1] / 2.0;
        for near in [pair[0], middle] {
            singles.extend([near.next_down(), near, near.next_up()]);
        }
    }
    let mut state = 1_u32;
    singles.extend((0..2000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(state)
    }));
    singles.iter().flat_map(|number| [*number, -number]).collect()
}

/// Every byte as a number, and numbers as bytes, beside the package.
#[test]
fn casts_from_and_to_every_type_are_those_of_ml_dtypes() {
    let Some(numpy) = ml_dtypes("casts_from_and_to_every_type_are_those_of_ml_dtypes") else { return };
    let names: Vec<&str> = NUMBERS.lines().map(|line| line.split_once('\t').unwrap().0).chain(["float8_e5m2"]).collect();
    let every = |name: &str| DynValues::new(name.parse().unwrap(), Order::C, &[256], (0..=255).collect()).unwrap();
    let mut numbers: Vec<f32> = names.iter().flat_map(|name| every(name).cast::<f32>(Casting::Safe).unwrap()).collect();
    numbers.retain(|number| !number.is_nan());
    numbers.extend([465.0, 1e5, 1e9, f32::INFINITY]);
    numbers.sort_by(f32::total_cmp);
    numbers.dedup();
    let singles = singles_near(&numbers);
    let doubles: Vec<f64> = singles.iter().map(|single| f64::from(*single) * (1.0 + 2.0_f64.powi(-40))).collect();
    let integers: Vec<i32> =
        (0..i32::try_from(singles.len()).unwrap()).map(|i| if i < 1000 { i - 500 } else { i * 70_001 }).collect();

    let mut input = u32::try_from(singles.len()).unwrap().to_le_bytes().to_vec();
    input.extend(singles.iter().flat_map(|single| single.to_le_bytes()));
    input.extend(doubles.iter().flat_map(|double| double.to_le_bytes()));
    input.extend(integers.iter().flat_map(|integer| integer.to_le_bytes()));
    let printed = numpy.run(["ml_casts.py", &names.join(" ")], &input);
    let frames = frames(&printed);
    assert_eq!(frames.len(), names.len() * 4);
    for (name, found) in names.iter().zip(frames.chunks(4)) {
        for (byte, (number, expected)) in every(name).cast::<f32>(Casting::Safe).unwrap().iter().zip(found[0].chunks(4)).enumerate()
        {
            let expected = f32::from_le_bytes(expected.try_into().unwrap());
            let is_it = number.to_bits() == expected.to_bits() || number.is_nan() && expected.is_nan();
            assert!(is_it, "{name} {byte:#04x}: {expected} {number}");
        }
        let dtype: DType = name.parse().unwrap();
        let cast = |values: DynValues| values.cast_to_ml(&dtype, Casting::Unsafe).unwrap();
        let is_integer = name.contains("int");
        for (index, single) in some(singles.iter().enumerate(), 7) {
            // What is no i32 depends on the processor.
            if is_integer && (single.is_nan() || single.abs() >= 2e9) {
                continue;
            }
            let values = DynValues::from_slice(&[*single]).unwrap();
            assert_eq!(cast(values)[0], found[1][index], "{single:e} ({:#x}) as {name}", single.to_bits());
            let values = DynValues::from_slice(&[doubles[index]]).unwrap();
            assert_eq!(cast(values)[0], found[2][index], "{:e} as {name}", doubles[index]);
        }
        let integers = DynValues::from_slice(&integers).unwrap();
        assert_eq!(cast(integers), found[3], "{name}");
    }
}

#[test]
fn casts_to_ml_dtypes_follow_the_rule() {
    let message = |value: f64, name: &str, casting| {
        let cast = DynValues::from_slice(&[1.0, value]).unwrap().cast_to_ml(&name.parse().unwrap(), casting);
        cast.map_or_else(|error| error.to_string(), |bytes| format!("{bytes:02x?}"))
    };
    assert_eq!(message(449.0, "float8_e4m3fn", Casting::SameKind), "[38, 7e]");
    assert_eq!(message(447.0, "float8_e4m3fn", Casting::Checked), "[38, 7e]");
    assert_eq!(message(449.0, "float8_e4m3fn", Casting::Checked), "element 1: 449 is out of range for float8_e4m3fn");
    assert_eq!(message(447.0, "float8_e4m3fn", Casting::Exact), "element 1: cannot represent 447 exactly as float8_e4m3fn");
    assert_eq!(message(f64::NAN, "float4_e2m1fn", Casting::Checked), "element 1: cannot represent NaN exactly as float4_e2m1fn");
    assert_eq!(message(f64::NAN, "float8_e5m2", Casting::Exact), "[3c, 7e]");
    assert_eq!(message(f64::INFINITY, "float8_e4m3", Casting::Exact), "[38, 78]");
    assert_eq!(message(f64::INFINITY, "float8_e4m3fn", Casting::Checked), "element 1: inf is out of range for float8_e4m3fn");
    assert_eq!(message(-2.0, "float8_e8m0fnu", Casting::Exact), "element 1: -2 is out of range for float8_e8m0fnu");
    assert_eq!(message(-8.0, "int4", Casting::Exact), "[01, 08]");
    assert_eq!(message(-8.5, "int4", Casting::Checked), "element 1: cannot represent -8.5 exactly as int4");
    assert_eq!(message(8.0, "int4", Casting::Checked), "element 1: 8 is out of range for int4");
    let dtype = |text: &str| text.parse::<DType>().unwrap();
    let allows = |casting: Casting, from: &str, to: &str| casting.allows(&dtype(from), &dtype(to));
    assert!(allows(Casting::Safe, "|u1", "float8_e5m2") && allows(Casting::Safe, "|b1", "int2"));
    assert!(!allows(Casting::Safe, "<f4", "float8_e5m2") && !allows(Casting::Safe, "|i1", "int4"));
    assert!(allows(Casting::SameKind, "<f8", "float8_e5m2") && !allows(Casting::SameKind, "<f8", "int4"));
    assert!(
        allows(Casting::Safe, "int4", "int4") && allows(Casting::Unsafe, "<c8", "int4") && !allows(Casting::Unsafe, "|S1", "int4")
    );
    for (other, text) in [("<f4", "<f4"), ("bfloat16", "<V2"), ("[('a', 'int4')]", "[('a', 'int4')]")] {
        assert_eq!(
            message(1.0, other, Casting::Unsafe),
            format!("invalid dtype \"{text}\": expected a one-byte type of ml_dtypes; `cast` converts to other numbers")
        );
    }
}
