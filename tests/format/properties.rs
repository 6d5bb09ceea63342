//! Properties that hold for every dtype, every value and every file.

use npy_core::dtype::{ByteOrder, Field, Record, Scalar, ScalarKind, TimeUnit};
use npy_core::half::{bf16, f16};
use npy_core::num_complex::Complex;
use npy_core::types::unit::{Day, Nanosecond, Unit};
use npy_core::types::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, Timedelta64, Void};
use npy_core::{DType, Header, NpyElement, NpyReader, NpyWriter, Order, Version};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use crate::support::numpy::{frames, numpy, push_frame};
use crate::support::streams::Slow;
use crate::support::{announce, written};

fn scalar() -> impl Strategy<Value = DType> {
    use ScalarKind::{
        Bool, Bytes, Complex64, Complex128, ComplexLongDouble, Datetime, Float16, Float32, Float64, Int8, Int16, Int32, Int64,
        LongDouble as WideFloat, Timedelta, UInt8, UInt16, UInt32, UInt64, Unicode, Void as Raw,
    };
    let unit = prop::sample::select(vec![
        TimeUnit::Year,
        TimeUnit::Month,
        TimeUnit::Week,
        TimeUnit::Day,
        TimeUnit::Hour,
        TimeUnit::Minute,
        TimeUnit::Second,
        TimeUnit::Millisecond,
        TimeUnit::Microsecond,
        TimeUnit::Nanosecond,
        TimeUnit::Picosecond,
        TimeUnit::Femtosecond,
        TimeUnit::Attosecond,
    ]);
    let kind = prop_oneof![
        prop::sample::select(vec![
            Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float16, Float32, Float64, Complex64, Complex128,
        ]),
        Just(WideFloat { itemsize: 16 }),
        Just(ComplexLongDouble { itemsize: 32 }),
        (1..20_usize).prop_map(|length| Bytes { length }),
        (1..9_usize).prop_map(|length| Unicode { length }),
        (1..9_usize).prop_map(|length| Raw { length }),
        (unit.clone(), 1..1000_u32).prop_map(|(unit, count)| Datetime { unit, count }),
        (unit, 1..1000_u32).prop_map(|(unit, count)| Timedelta { unit, count }),
        Just(Datetime { unit: TimeUnit::Generic, count: 1 }),
    ];
    (kind, any::<bool>()).prop_map(|(kind, big)| Scalar::new(kind, if big { ByteOrder::Big } else { ByteOrder::Little }).into())
}

/// Names of any characters. A field without a name is left out here: NumPy takes some of them for
/// padding.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_]{1,8}", "\\PC{1,6}", vec(any::<char>(), 1..5).prop_map(String::from_iter)]
}

fn dtype() -> impl Strategy<Value = DType> {
    scalar().prop_recursive(6, 40, 6, |inner| {
        let field = (name(), prop::option::weighted(0.2, name()), 0..4_usize, inner.clone());
        let record = (vec(field, 0..6), 0..5_usize).prop_map(|(parts, end)| {
            let mut offset = 0;
            let mut fields = Vec::new();
            for (i, (name, title, gap, dtype)) in parts.into_iter().enumerate() {
                offset += gap;
                // A number makes the names differ.
                let field = Field::new(format!("{name}{i}"), offset, dtype.clone());
                fields.push(match title {
                    Some(title) => field.with_title(format!("{title}#{i}")),
                    None => field,
                });
                offset += dtype.itemsize();
            }
            DType::from(Record::new(fields, offset + end).unwrap())
        });
        let array = (inner, vec(0..4_usize, 1..3)).prop_map(|(base, shape)| base.clone().sub_array(&shape).unwrap_or(base));
        prop_oneof![3 => record, 1 => array]
    })
}

/// The dtype of an array: a sub-array is a field of a record.
fn array_dtype() -> impl Strategy<Value = DType> {
    dtype().prop_map(|dtype| match dtype {
        DType::SubArray(_) => Record::packed([("sub", dtype)]).unwrap().into(),
        other => other,
    })
}

fn shape() -> impl Strategy<Value = Vec<usize>> {
    vec(0..5_usize, 0..5)
}

proptest! {
    #![proptest_config(Config { cases: 512, ..Config::default() })]

    #[test]
    fn every_header_is_read_as_it_was_written(dtype in array_dtype(), shape in shape(), fortran: bool) {
        let order = if fortran { Order::Fortran } else { Order::C };
        let header = Header::new(dtype.clone(), order, &shape).unwrap();
        for version in [None, Some(Version::V1), Some(Version::V2), Some(Version::V3)] {
            let asked = match version {
                None => Ok(header.clone()),
                Some(version) => header.clone().with_version(version),
            };
            // Not every name can be expressed in latin-1.
            let Ok(header) = asked else { continue };
            let bytes = header.to_bytes();
            prop_assert_eq!(bytes.len() % 64, 0);
            let (parsed, data_offset) = Header::parse(&bytes).unwrap();
            prop_assert_eq!(data_offset, bytes.len());
            prop_assert_eq!(parsed.to_bytes(), &bytes[..]);
            prop_assert_eq!(&parsed, &header);
            prop_assert_eq!(Header::read(&bytes[..]).unwrap(), header);
        }
    }

    #[test]
    fn every_dtype_round_trips_as_text(dtype in dtype()) {
        prop_assert_eq!(dtype.to_string().parse::<DType>().unwrap(), dtype.clone());
        prop_assert_eq!(dtype.descr().parse::<DType>().unwrap(), dtype);
    }

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..300), version in 1..4_u8, prefix in any::<bool>()) {
        let file = if prefix { crate::support::file_with_header(version, &bytes, b"") } else { bytes };
        let _ = Header::parse(&file);
        let _ = npy_core::read::<f64>(&file[..]);
        let _ = std::str::from_utf8(&file).map(str::parse::<DType>);
    }

    /// A valid file with some bytes changed: whatever it has become, it is read or refused.
    #[test]
    fn damaged_files_never_panic(dtype in array_dtype(), shape in shape(), changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), data in vec(any::<u8>(), 64)) {
        let header = Header::new(dtype, Order::C, &shape).unwrap();
        let mut file = [header.to_bytes(), data].concat();
        for (index, byte) in changes {
            let at = index.index(file.len());
            file[at] = byte;
        }
        let _ = NpyReader::new(&file[..]).and_then(NpyReader::into_vec::<String>);
        let _ = NpyReader::new(&file[..]).and_then(NpyReader::into_vec::<bool>);
        let _ = NpyReader::new(&file[..]).and_then(NpyReader::into_vec::<[Void; 2]>);
        let _ = npy_core::view::<u8>(&file);
    }

}

proptest! {
    // Each case is many types, each read in many ways.
    #![proptest_config(Config { cases: 64, ..Config::default() })]

    #[test]
    fn texts_survive(items in vec("\\PC{0,12}", 0..20)) {
        // NULs at the end of a text are padding.
        let expected: Vec<String> = items.iter().map(|item| item.trim_end_matches('\0').to_owned()).collect();
        round_trip(&expected, None)?;
        let width = expected.iter().map(|item| item.chars().count()).max().unwrap_or(0).max(1);
        round_trip(&expected, Some(format!(">U{width}")))?;
        let bytes = expected.iter().map(String::len).max().unwrap_or(0).max(1);
        round_trip(&expected, Some(format!("S{bytes}")))?;
    }

    #[test]
    fn values_survive(bytes in vec(any::<u8>(), 0..600)) {
        both_orders::<i8, 1>(&bytes, i8::from_le_bytes)?;
        both_orders::<i16, 2>(&bytes, i16::from_le_bytes)?;
        both_orders::<i32, 4>(&bytes, i32::from_le_bytes)?;
        both_orders::<i64, 8>(&bytes, i64::from_le_bytes)?;
        both_orders::<u8, 1>(&bytes, u8::from_le_bytes)?;
        both_orders::<u16, 2>(&bytes, u16::from_le_bytes)?;
        both_orders::<u32, 4>(&bytes, u32::from_le_bytes)?;
        both_orders::<u64, 8>(&bytes, u64::from_le_bytes)?;
        both_orders::<bool, 1>(&bytes, |byte| byte != [0])?;
        // NaNs are not equal to themselves, so floats are compared by what they are written as.
        both_orders::<Bits<f16>, 2>(&bytes, |bytes| Bits(f16::from_le_bytes(bytes)))?;
        both_orders::<Bits<bf16>, 2>(&bytes, |bytes| Bits(bf16::from_le_bytes(bytes)))?;
        both_orders::<Bits<f32>, 4>(&bytes, |bytes| Bits(f32::from_le_bytes(bytes)))?;
        both_orders::<Bits<f64>, 8>(&bytes, |bytes| Bits(f64::from_le_bytes(bytes)))?;
        both_orders::<Bits<Complex<f32>>, 4>(&bytes, |bytes| Bits(Complex::new(f32::from_le_bytes(bytes), 1.0)))?;
        both_orders::<LongDouble, 16>(&bytes, LongDouble::from_bytes)?;
        both_orders::<FixedBytes<3>, 3>(&bytes, |bytes| FixedBytes::new(&bytes).unwrap())?;
        both_orders::<FixedVoid<5>, 5>(&bytes, FixedVoid)?;
        both_orders::<FixedUnicode<2>, 4>(&bytes, |bytes| FixedUnicode::from_units([u32::from_le_bytes(bytes), 7]))?;
        both_orders::<Datetime64<Nanosecond>, 8>(&bytes, |bytes| Datetime64::new(i64::from_le_bytes(bytes)))?;
        both_orders::<Timedelta64<Day, 7>, 8>(&bytes, |bytes| Timedelta64::new(i64::from_le_bytes(bytes)))?;
    }
}

/// A float that is compared by its bits.
#[derive(Clone, Copy, Debug)]
struct Bits<T>(T);

/// What is tested: how to make an element of it, and whether two are the same.
trait Tested: Sized {
    type Element: NpyElement + Clone;
    fn element(&self) -> Self::Element;
    fn is(&self, element: &Self::Element) -> bool;
}

macro_rules! tested {
    ($($type:ty),*) => {$(
        impl Tested for $type {
            type Element = Self;
            fn element(&self) -> Self {
                self.clone()
            }
            fn is(&self, element: &Self) -> bool {
                self == element
            }
        }
    )*};
}

tested!(
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    bool,
    LongDouble,
    FixedBytes<3>,
    FixedVoid<5>,
    FixedUnicode<2>,
    String,
    [[u16; 2]; 2],
    [bool; 3]
);

impl<U: Unit + PartialEq> Tested for Datetime64<U> {
    type Element = Self;
    fn element(&self) -> Self {
        *self
    }
    fn is(&self, element: &Self) -> bool {
        self == element
    }
}

impl<U: Unit + PartialEq, const COUNT: u32> Tested for Timedelta64<U, COUNT> {
    type Element = Self;
    fn element(&self) -> Self {
        *self
    }
    fn is(&self, element: &Self) -> bool {
        self == element
    }
}

impl<T: NpyElement + Clone> Tested for Bits<T> {
    type Element = T;
    fn element(&self) -> T {
        self.0.clone()
    }
    fn is(&self, element: &T) -> bool {
        written(std::slice::from_ref(&self.0)) == written(std::slice::from_ref(element))
    }
}

fn both_orders<T: Tested, const N: usize>(bytes: &[u8], make: impl Fn([u8; N]) -> T) -> Result<(), TestCaseError> {
    let items: Vec<T> = bytes.as_chunks().0.iter().map(|chunk| make(*chunk)).collect();
    let descr = T::Element::dtype().to_string();
    round_trip(&items, None)?;
    round_trip(&items, Some(descr.replace('<', ">")))
}

/// Writes the items as a dtype and reads them: from a slice, a byte at a time, into a slice, in
/// chunks, one by one.
fn round_trip<T: Tested>(items: &[T], descr: Option<String>) -> Result<(), TestCaseError> {
    let elements: Vec<T::Element> = items.iter().map(T::element).collect();
    let mut file = Vec::new();
    match descr {
        None => npy_core::write(&mut file, &elements).unwrap(),
        Some(descr) => {
            let header = Header::new(descr.parse().unwrap(), Order::C, &[items.len()]).unwrap();
            let mut writer = NpyWriter::with_header(&mut file, &header).unwrap();
            let (front, back) = elements.split_at(items.len() / 2);
            writer.write_slice(front).unwrap();
            writer.extend(back).unwrap();
            writer.finish().unwrap();
        }
    }
    let same = |read: &[T::Element]| read.len() == items.len() && items.iter().zip(read).all(|(item, read)| item.is(read));
    prop_assert!(same(&npy_core::read::<T::Element>(&file[..]).unwrap()));
    prop_assert!(same(&npy_core::read::<T::Element>(Slow(&file, 1)).unwrap()));
    let mut over = elements.clone();
    over.reverse();
    NpyReader::new(&file[..]).unwrap().read_into(&mut over).unwrap();
    prop_assert!(same(&over));
    let chunks: Vec<Vec<_>> = NpyReader::new(&file[..]).unwrap().chunks::<T::Element>(3).map(Result::unwrap).collect();
    prop_assert!(chunks.iter().rev().skip(1).all(|chunk| chunk.len() == 3));
    prop_assert!(same(&chunks.concat()));
    let one_by_one: Vec<_> = NpyReader::new(&file[..]).unwrap().records().map(Result::unwrap).collect();
    prop_assert!(same(&one_by_one));
    Ok(())
}

/// NumPy loads the dtypes that we make up, and writes our header again.
#[test]
fn numpy_writes_our_random_headers_again() {
    let Some(numpy) = numpy("numpy_writes_our_random_headers_again") else { return };
    let mut runner = TestRunner::deterministic();
    let (mut input, mut headers) = (Vec::new(), Vec::new());
    while headers.len() < 1_500 {
        let (dtype, shape) = (dtype(), shape()).new_tree(&mut runner).unwrap().current();
        // NumPy takes a top-level sub-array for more axes, and has no sub-arrays of nothing.
        let text = dtype.to_string();
        if matches!(dtype, DType::SubArray(_)) || text.contains("(0,") || text.contains("0)") || text.contains(" 0,") {
            continue;
        }
        let header = Header::new(dtype, Order::C, &shape).unwrap();
        push_frame(&mut input, &header.to_bytes());
        headers.push(header);
    }
    let printed = numpy.run(["dtypes.py", "headers"], &input);
    let theirs = frames(&printed);
    // The order of Unicode's assigned characters depends on the Python, so names with others are
    // compared by what they mean.
    let mut identical = 0;
    for (ours, theirs) in headers.iter().zip(&theirs) {
        if ours.to_bytes() == *theirs {
            identical += 1;
        } else {
            let (parsed, _) = Header::parse(theirs).unwrap();
            assert_eq!(parsed.dtype(), ours.dtype());
            assert_eq!(parsed.shape(), ours.shape());
        }
    }
    announce(&format!(
        "{} random headers of ours were loaded by NumPy, which wrote {identical} of them byte for byte alike",
        theirs.len()
    ));
    assert_eq!(theirs.len(), headers.len());
    assert!(identical > headers.len() * 9 / 10);
}

/// `str` of times and `float` of long doubles, as NumPy has them.
#[test]
fn times_and_long_doubles_print_as_in_numpy() {
    fn texts<U: Unit>() -> Vec<String> {
        counts().into_iter().map(|count| Datetime64::<U>::new(count).to_string()).collect()
    }
    fn counts() -> Vec<i64> {
        let mut counts =
            vec![0, 1, -1, 59, 60, 365, 366, 1_000, 11_016, 86_399, 86_400, -86_401, 951_782_400, 1_700_000_000, i64::MIN];
        counts.extend([1_583_020_800_123, -1, 253_402_300_799_999, 1_234_567_890_123_456_789, -1_234_567_890_123_456_789]);
        counts
    }
    let Some(numpy) = numpy("times_and_long_doubles_print_as_in_numpy") else { return };
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut wide: Vec<LongDouble> = [0.0, -0.0, 1.0, 0.1, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NEG_INFINITY]
        .map(LongDouble::from_f64)
        .to_vec();
    for i in 0..20_000_u64 {
        // Normal numbers around the whole range of f64, its subnormal numbers and its ends.
        let exponent = 16_383 - 1_100 + (next() % 2_300) as u128;
        let significand = (next() | 1 << 63) & [u64::MAX, !0x3ff, !0x7ff, !0x3ff | 0x200][i as usize % 4];
        let sign = u128::from(next() & 1) << 79;
        wide.push(LongDouble::from_bytes((sign | exponent << 64 | u128::from(significand)).to_ne_bytes()));
    }
    let bytes: Vec<u8> = wide.iter().flat_map(|value| u128::from_ne_bytes(value.to_bytes()).to_le_bytes()).collect();
    let arguments: Vec<String> = counts().iter().map(ToString::to_string).collect();
    let printed = numpy.prints(["dtypes.py", "times_and_long_doubles", &arguments.join(",")], &bytes);
    let lines: Vec<&str> = printed.lines().collect();
    use npy_core::types::unit;
    let ours = [
        texts::<unit::Day>(),
        texts::<unit::Hour>(),
        texts::<unit::Minute>(),
        texts::<unit::Second>(),
        texts::<unit::Millisecond>(),
        texts::<unit::Microsecond>(),
        texts::<unit::Nanosecond>(),
        texts::<unit::Picosecond>(),
        texts::<unit::Femtosecond>(),
        texts::<unit::Attosecond>(),
        texts::<unit::Month>(),
        texts::<unit::Week>(),
    ];
    let mut compared = 0;
    for (ours, theirs) in ours.iter().zip(&lines) {
        for (ours, theirs) in ours.iter().zip(theirs.split('|')).filter(|(_, theirs)| *theirs != "?") {
            assert_eq!(ours, theirs);
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared}");
    let theirs = lines[12].split(',').map(|bits| u64::from_str_radix(bits, 16).unwrap());
    for (ours, theirs) in wide.iter().zip(theirs) {
        assert_eq!(ours.to_f64().to_bits(), theirs, "{:x?}", ours.to_bytes());
    }
    for value in [0.0, -0.0, 1.0 / 3.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1.5e-310, f64::INFINITY] {
        assert_eq!(LongDouble::from_f64(value).to_f64().to_bits(), f64::to_bits(value));
    }
    assert!(LongDouble::from_f64(f64::NAN).to_f64().is_nan());
}

#[test]
fn a_header_of_another_shape_is_parsed_as_such() {
    let named = |fields: usize| {
        let fields: Vec<String> = (0..fields).map(|i| format!("('field_{i:05}', '<f4')")).collect();
        format!("[{}]", fields.join(", ")).parse::<DType>().unwrap()
    };
    let mut versions = Vec::new();
    for dtype in [f64::dtype(), named(1), named(2720)] {
        for order in [Order::C, Order::Fortran] {
            let header = Header::new(dtype.clone(), order, &[2, 3]).unwrap();
            for shape in [&[][..], &[0], &[5], &[7, 8, 9], &[1; 64]] {
                let other = header.with_shape(shape).unwrap();
                assert_eq!((other.dtype(), other.order(), other.shape()), (header.dtype(), order, shape));
                let (parsed, _) = Header::parse(&other.to_bytes()).unwrap();
                assert_eq!(parsed, other);
                versions.push(other.version());
            }
        }
    }
    // 64 lengths are too long for a header that nearly fills version 1.0.
    assert_eq!(versions.iter().filter(|version| **version == Version::V2).count(), 2);
    assert!(Header::new(f64::dtype(), Order::C, &[1]).unwrap().with_shape(&[usize::MAX, 2]).is_err());
    assert!(Header::new(f64::dtype(), Order::C, &[1]).unwrap().with_shape(&[1; 65]).is_err());
}
