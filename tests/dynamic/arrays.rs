//! Arrays whose dtype is known at run time: every file opens, and saving restores its bytes.

use std::collections::BTreeMap;
use std::fs;

use ndarray::{Array1, Array2, ArrayD, ShapeBuilder, array};
use npy_core::half::bf16;
use npy_core::npz::NpzReader as Archive;
use npy_core::num_complex::Complex;
use npy_core::object::{ObjectArray, ObjectOptions, PyObject};
use npy_core::rawarray::RaArray;
use npy_core::types::{Datetime64, Void, unit};
use npy_core::{DType, DynValues, ErrorKind, FileFormat, Header, NpyNumber, NpyReader, NpyRecord, Order};
use npy_ndarray::{
    Casting, DynArray, Loaded, NpzArchive, NpzReader, NpzWriter, ReadNpyExt, ReadOptions, ReadRaExt, SaveOptions, TypedArray,
    WriteNpyExt, WriteRaExt, load_any, load_any_with, match_dtype,
};

use crate::support::numpy::{frames, numpy};
use crate::support::{announce, as_little_endian, data, native, rounds, scratch};

fn saved(array: &DynArray) -> Vec<u8> {
    let mut file = Vec::new();
    array.write_npy(&mut file).unwrap();
    file
}

/// Returns `count` bytes of valid values of a dtype: patterns for bools, texts and plain floats,
/// zeros for other floats.
fn pattern(dtype: &str, count: usize) -> Vec<u8> {
    let letter = |place: usize| b'A' + u8::try_from(place % 23).unwrap();
    let unit = |place: usize| if dtype.starts_with('<') { place.is_multiple_of(4) } else { place % 4 == 3 };
    let float = |place: usize| (f64::from(u32::try_from(place / 8).unwrap()) * 0.37 - 20.0).to_bits();
    let byte = |place: usize| match &dtype[1..] {
        "b1" => u8::from(place.is_multiple_of(3)),
        "f8" if dtype.starts_with('<') => float(place).to_le_bytes()[place % 8],
        "f8" => float(place).to_be_bytes()[place % 8],
        text if text.starts_with('U') => u8::from(unit(place)) * letter(place),
        text if text.starts_with('S') => letter(place),
        number if number.starts_with(['i', 'u', 'M', 'm', 'V']) => u8::try_from(place * 37 % 251).unwrap(),
        _ => 0,
    };
    (0..count).map(byte).collect()
}

/// Bytes in memory become an array and bytes again by a way of their own, which files do not take.
#[test]
fn values_in_memory_are_taken_in_and_given_back() {
    let (mut dtypes, mut cut) = (0, 0);
    for text in
        "|b1 |i1 <i2 >i2 <i4 >i4 <i8 >i8 |u1 <u2 >u2 <u4 >u4 <u8 >u8 <f2 >f2 <f4 >f4 <f8 >f8 <f12 >f12 <f16 >f16 <c8 >c8 <c16 >c16 \
                 <c24 >c24 <c32 >c32 <M8[s] >M8[25us] <m8[D] >m8[ns] |S3 <U2 >U2 |V5 <f1 <V2"
            .split_whitespace()
    {
        for (order, shape) in [
            (Order::C, &[3, 4][..]),
            (Order::Fortran, &[3, 4]),
            (Order::C, &[40, 1, 50]),
            (Order::Fortran, &[40, 1, 50]),
            (Order::C, &[]),
            (Order::C, &[2, 0]),
        ] {
            let header = Header::new(text.parse().unwrap(), order, shape).unwrap();
            let bytes = pattern(text, usize::try_from(header.data_bytes()).unwrap());
            let values = DynValues::new(text.parse().unwrap(), order, shape, bytes).unwrap();
            let array = DynArray::from_values(values.clone()).unwrap();
            assert_eq!((array.dtype().as_ref(), array.shape()), (values.dtype(), shape), "{text} {order:?}");
            assert_eq!(array.to_values().unwrap(), values, "{text} {order:?} {shape:?}");
            assert_eq!(
                saved(&array),
                {
                    let mut file = Vec::new();
                    values.write(&mut file).unwrap();
                    file
                },
                "{text} {order:?}"
            );
            assert_eq!(array.to_string(), values.to_string(), "{text} {order:?} {shape:?}");
            cut += usize::from(array.to_string().contains("..."));
        }
        dtypes += 1;
    }
    assert_eq!((dtypes, cut), (43, 2 * dtypes));
}

/// A long double of another machine is decoded one by one, and named by its place.
#[test]
fn long_doubles_in_memory_are_exact() {
    let mut bytes = vec![0; 24];
    // 1.5 and -2.0: the explicit one, then the exponent.
    bytes[7..10].copy_from_slice(&[0xc0, 0xff, 0x3f]);
    bytes[19..22].copy_from_slice(&[0x80, 0x00, 0xc0]);
    let values = DynValues::new("<f12".parse().unwrap(), Order::C, &[2], bytes).unwrap();
    let array = DynArray::from_values(values.clone()).unwrap();
    let DynArray::LongDouble(numbers) = &array else { panic!("{array:?}") };
    assert_eq!(numbers.iter().map(|number| number.to_f64()).collect::<Vec<_>>(), [1.5, -2.0]);
    assert_eq!(array.to_values().unwrap(), values);
}

/// Files that no reader opens as arrays: their headers or their data are broken. `tests/golden.rs`
/// says how.
const BROKEN: [&str; 5] = ["padding_out_of_order", "padding_overlap", "memmap_npint_shape", "title_float64", "memmap_list_shape"];

#[test]
fn every_golden_file_opens_and_is_saved_as_it_was() {
    let (mut identical, mut renewed, mut broken) = (0, 0, 0);
    let text = fs::read_to_string(data("manifest.tsv")).unwrap();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (file, resave) = (columns[0], columns[8]);
        let bytes = fs::read(data(file)).unwrap();
        let array = match DynArray::read_npy(&bytes[..]) {
            Ok(array) => array,
            Err(error) if error.kind() == ErrorKind::ObjectArray => continue,
            Err(error) => {
                assert!(BROKEN.iter().any(|name| file.contains(name)), "{file}: {error}");
                broken += 1;
                continue;
            }
        };
        let (header, data_offset) = Header::parse(&bytes).unwrap();
        assert_eq!(array.shape(), header.shape(), "{file}");
        assert_eq!(array.dtype().as_ref(), header.dtype(), "{file}");
        let elements = &bytes[data_offset..][..usize::try_from(header.data_bytes()).unwrap()];
        let saved = saved(&array);
        if resave == "identical" {
            assert_eq!(
                saved.escape_ascii().to_string(),
                bytes[..data_offset + elements.len()].escape_ascii().to_string(),
                "{file}"
            );
            identical += 1;
            continue;
        }
        // Old headers are written as NumPy writes them today.
        let (again, offset) = Header::parse(&saved).unwrap();
        assert_eq!((again.dtype(), again.shape()), (header.dtype(), header.shape()), "{file}");
        assert!(saved[offset..] == *elements, "{file}");
        renewed += 1;
    }
    announce(&format!("any dtype: {identical} files saved byte for byte, {renewed} with a renewed header, {broken} broken"));
    assert!(identical > 1_500 && renewed > 500);
}

#[test]
fn golden_files_are_saved_as_numpy_saves_them() {
    let Some(numpy) = numpy("golden_files_are_saved_as_numpy_saves_them") else { return };
    let text = fs::read_to_string(data("manifest.tsv")).unwrap();
    let files: Vec<&str> = text.lines().skip(1).map(|line| line.split('\t').next().unwrap()).collect();
    let list: String = files.iter().map(|file| format!("{}\n", data(file).display())).collect();
    let output = numpy.run(["resave.py"], list.as_bytes());
    let mut compared = 0;
    for (file, again) in files.iter().zip(frames(&output)) {
        let (false, Ok(array)) = (again.is_empty(), DynArray::load_npy(data(file))) else { continue };
        let ours = saved(&array);
        // The mark by which ml_dtypes tells its types from raw bytes is lost in NumPy, and not
        // here.
        let ours = if file.contains("/ml_") { without_mark(ours) } else { ours };
        assert_eq!(ours.escape_ascii().to_string(), again.escape_ascii().to_string(), "{file}");
        compared += 1;
    }
    announce(&format!("any dtype: {compared} golden files saved as NumPy saves what it loads"));
    assert!(compared > 2_000);
}

fn without_mark(mut file: Vec<u8>) -> Vec<u8> {
    if let Some(mark) = file.windows(3).position(|bytes| bytes == b"'<V") {
        file[mark + 1] = b'|';
    }
    file
}

#[test]
fn random_dtypes_are_saved_as_numpy_saves_them() {
    let Some(numpy) = numpy("random_dtypes_are_saved_as_numpy_saves_them") else { return };
    let count = rounds(240);
    let stream = numpy.run(["random_dtypes.py", "6", &count.to_string()], b"");
    let frames = frames(&stream);
    let mut variants = BTreeMap::<String, usize>::new();
    let mut cases = 0;
    for case in frames[1..].chunks_exact(6) {
        let [descr, _asked, c_file, f_file, _values, saved_again] = case else { unreachable!() };
        let descr = String::from_utf8_lossy(descr);
        let array = DynArray::read_npy(*c_file).unwrap_or_else(|error| panic!("{descr}: {error}"));
        assert_eq!(saved(&array).escape_ascii().to_string(), saved_again.escape_ascii().to_string(), "{descr}");

        let fortran = DynArray::read_npy(*f_file).unwrap();
        let (header, offset) = Header::parse(f_file).unwrap();
        let again = saved(&fortran);
        // NumPy gives elements without bytes no strides on loading, which is C order.
        let order = if header.dtype().itemsize() == 0 { Order::C } else { header.order() };
        let fresh = Header::new(header.dtype().clone(), order, header.shape()).unwrap().to_bytes();
        assert!(again == [&fresh[..], &f_file[offset..]].concat(), "{descr} in order F");

        // The same elements in the same order, whatever order they had in memory.
        let demanded = DynArray::read_npy_with(*f_file, ReadOptions::new().order(Order::C)).unwrap().to_values().unwrap();
        assert!(demanded.bytes() == array.to_values().unwrap().bytes(), "{descr}: F as C");
        let variant = format!("{array:?}").split('(').next().unwrap().to_owned();
        *variants.entry(variant).or_default() += 1;
        cases += 1;
    }
    announce(&format!("any dtype: {cases} random ones saved byte for byte: {variants:?}"));
    assert!(cases >= count * 5 / 6 && variants.len() > 15);
}

#[test]
fn casts_are_numpys() {
    let Some(numpy) = numpy("casts_are_numpys") else { return };
    let output = numpy.run(["casting.py"], b"");
    let (mut pairs, mut allowed) = (0, 0);
    for case in frames(&output).chunks_exact(4) {
        let [target, rules, file, expected] = case else { unreachable!() };
        let array = DynArray::read_npy(*file).unwrap();
        let compare: fn(&DynArray, &[u8], &[u8]) = match *target {
            b"?" => compare::<bool>,
            b"u1" => compare::<u8>,
            b"u2" => compare::<u16>,
            b"u4" => compare::<u32>,
            b"u8" => compare::<u64>,
            b"i1" => compare::<i8>,
            b"i2" => compare::<i16>,
            b"i4" => compare::<i32>,
            b"i8" => compare::<i64>,
            b"f2" => compare::<npy_core::half::f16>,
            b"f4" => compare::<f32>,
            b"f8" => compare::<f64>,
            b"c8" => compare::<Complex<f32>>,
            _ => compare::<Complex<f64>>,
        };
        compare(&array, rules, expected);
        pairs += 1;
        allowed += usize::from(!expected.is_empty());
    }
    announce(&format!("casting: {pairs} pairs as np.can_cast has them, {allowed} cast as NumPy does"));
    assert!(pairs == 2 * 14 * 14 && allowed > 200);
}

/// A signalling one too: `f64` and back would make it quiet.
#[test]
fn a_cast_to_the_same_type_keeps_the_payload_of_nan() {
    let nan = f32::from_bits(0x7f80_0001);
    let array = DynArray::from(ndarray::array![nan, 1.5]);
    for rule in [Casting::Safe, Casting::Checked, Casting::Unsafe] {
        assert_eq!(array.cast_as::<f32>(rule).unwrap()[[0]].to_bits(), 0x7f80_0001, "{rule:?}");
        assert_eq!(array.to_values().unwrap().cast::<f32>(rule).unwrap()[0].to_bits(), 0x7f80_0001, "{rule:?}");
    }
}

fn compare<T: NpyNumber>(array: &DynArray, rules: &[u8], expected: &[u8]) {
    let (from, to) = (array.dtype().into_owned(), T::dtype());
    for (rule, allowed) in [Casting::Safe, Casting::SameKind].into_iter().zip(rules) {
        assert_eq!(rule.allows(&from, &to), *allowed == b'1', "{from} to {to}, {rule:?}");
        assert_eq!(array.cast_as::<T>(rule).is_ok(), *allowed == b'1', "{from} to {to}, {rule:?}");
        let values = array.to_values().unwrap();
        assert_eq!(values.cast::<T>(rule).is_ok(), *allowed == b'1', "{from} to {to}, {rule:?}");
    }
    assert!(array.cast_as::<T>(Casting::Unsafe).is_ok());
    let is_float = from.to_string().contains(['f', 'c']);
    // What is safe fits, but for 64-bit integers as floats.
    if rules[0] == b'1' && (is_float || from.itemsize() < 8) {
        array.cast_as::<T>(Casting::Checked).unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
    }
    if !expected.is_empty() {
        // In the byte order of this machine, which NumPy's need not have.
        let mut ours = Vec::new();
        ArrayD::<T>::read_npy(expected).unwrap().write_npy(&mut ours).unwrap();
        let expected = if cfg!(target_endian = "big") { &ours } else { expected };
        let mut file = Vec::new();
        array.cast::<T>().unwrap().write_npy(&mut file).unwrap();
        assert_eq!(file.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{from} to {to}");
    }
}

#[test]
fn failed_casts_name_the_value() {
    let first = |array: DynArray| array.cast_as::<i8>(Casting::Checked).unwrap_err().to_string();
    assert_eq!(first(array![1.0, -128.0, 127.5].into()), "element 2: cannot represent 127.5 exactly as |i1");
    assert_eq!(first(array![1.0, 128.0].into()), "element 1: 128 is out of range for |i1");
    assert_eq!(first(array![f64::NAN].into()), "element 0: cannot represent NaN exactly as |i1");
    assert_eq!(first(array![-f32::INFINITY].into()), "element 0: -inf is out of range for |i1");
    assert_eq!(first(array![u64::MAX].into()), "element 0: 18446744073709551615 is out of range for |i1");
    assert_eq!(
        first(array![Complex::new(1.0, 0.0), Complex::new(1.0, -2.0)].into()),
        "element 1: cannot represent 1-2j exactly as |i1"
    );
    let floats = |array: DynArray| as_little_endian(array.cast_as::<f32>(Casting::Checked).unwrap_err());
    assert_eq!(floats(array![0.1, 1e39].into()), "element 1: 1e39 is out of range for <f4");
    assert_eq!(floats(array![1 << 24, (1 << 24) + 1].into()), "element 1: cannot represent 16777217 exactly as <f4");
    assert_eq!(floats(array![i64::MAX].into()), "element 0: cannot represent 9223372036854775807 exactly as <f4");
    let bools: DynArray = array![0, 1, 2].into();
    assert_eq!(bools.cast_as::<bool>(Casting::Checked).unwrap_err().to_string(), "element 2: 2 is out of range for |b1");
    assert_eq!(bools.cast_as::<bool>(Casting::Unsafe).unwrap(), array![false, true, true].into_dyn());

    let error = DynArray::from(array![1.5]).cast::<i32>().unwrap_err();
    let advice = "`Casting::Checked` casts what fits, `Casting::Unsafe` all";
    assert_eq!(as_little_endian(error), format!("cannot cast <f8 to <i4 according to the rule 'same_kind'; {advice}"));
    // Its place among the elements with the last axis fastest, whatever their order in memory.
    let fortran = Array2::from_shape_fn((2, 3).f(), |(i, j)| if (i, j) == (0, 1) { 300 } else { 0 });
    assert_eq!(first(fortran.into()), "element 1: 300 is out of range for |i1");
    let times = DynArray::new(&array![Datetime64::<unit::Second>::new(7)]).unwrap().cast::<i64>().unwrap_err();
    assert!(times.to_string().contains("hold times as integers"), "{times}");
    let error = DynArray::new(&array!["a".to_owned()]).unwrap().cast::<i32>().unwrap_err();
    assert_eq!(as_little_endian(error), "cannot cast <U1 to <i4: expected numbers");
}

#[test]
fn exact_casts_refuse_what_checked_ones_round() {
    let exact = |array: DynArray| as_little_endian(array.cast_as::<f32>(Casting::Exact).unwrap_err());
    assert_eq!(exact(array![0.5, 0.1].into()), "element 1: cannot represent 0.1 exactly as <f4");
    assert_eq!(exact(array![0.5, 1e39].into()), "element 1: 1e39 is out of range for <f4");
    assert_eq!(
        exact(array![Complex::new(0.5, 0.0), Complex::new(0.5, 0.1)].into()),
        "element 1: cannot represent 0.5+0.1j exactly as <f4"
    );
    let kept = DynArray::from(array![0.5, -0.0, f64::NAN, f64::INFINITY]).cast_as::<f32>(Casting::Exact).unwrap();
    assert!(kept[0] == 0.5 && kept[1].is_sign_negative() && kept[2].is_nan() && kept[3] == f32::INFINITY);
    assert_eq!(DynArray::from(array![0.1]).cast_as::<f32>(Casting::Checked).unwrap()[0], 0.1);
    // Swapped bytes are cast block by block.
    let big: Vec<u8> = (0..5000_u16).flat_map(u16::to_be_bytes).collect();
    let values = npy_core::DynValues::new(">u2".parse().unwrap(), Order::C, &[5000], big).unwrap();
    assert_eq!(values.cast::<f32>(Casting::Exact).unwrap(), (0..5000_u16).map(f32::from).collect::<Vec<_>>());
    let error = values.cast::<u8>(Casting::Exact).unwrap_err();
    assert_eq!(error.to_string(), "element 256: 256 is out of range for |u1");
    // A byte other than 0 and 1 is true, as in NumPy.
    let bools = npy_core::DynValues::new("|b1".parse().unwrap(), Order::C, &[3], vec![0, 1, 2]).unwrap();
    assert_eq!(bools.cast::<u8>(Casting::Safe).unwrap(), [0, 1, 1]);
}

#[test]
fn numbers_are_rounded_once() {
    use npy_core::half::f16;
    // Just above the middle between two neighbours, by less than a `f32` can tell.
    let halves = DynArray::from(array![1.0 + 2.0_f64.powi(-11) + 2.0_f64.powi(-40), 1.0 + 2.0_f64.powi(-11), 1e300, -1e-300]);
    assert_eq!(halves.cast::<f16>().unwrap().mapv(f16::to_bits), array![0x3c01, 0x3c00, 0x7c00, 0x8000].into_dyn());
    let brains = DynArray::from(array![1.0 + 2.0_f64.powi(-8) + 2.0_f64.powi(-45), 1.0 + 2.0_f64.powi(-8), f64::NAN]);
    let bits = brains.cast::<bf16>().unwrap().mapv(bf16::to_bits);
    assert_eq!((bits[0], bits[1], bits[2] & 0x7fc0), (0x3f81, 0x3f80, 0x7fc0));
}

#[test]
fn long_doubles_are_exact_as_integers() {
    // Sign and exponent, and the mantissa with its leading bit.
    let long = |high: u16, mantissa: u64| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&mantissa.to_le_bytes());
        bytes[8..10].copy_from_slice(&high.to_le_bytes());
        npy_core::types::LongDouble::from_bytes(u128::from_le_bytes(bytes).to_ne_bytes())
    };
    let whole = long(16383 + 63, (1 << 63) + 1);
    let small = long(16383 + 53, 1 << 63 | 1 << 10);
    let array = DynArray::from(array![whole, small, long(0x8000 + 16383, 1 << 63), long(0, 0)]);
    let unsigned = array.cast_as::<u64>(Casting::Unsafe).unwrap();
    assert_eq!((unsigned[0], unsigned[1]), ((1 << 63) + 1, (1 << 53) + 1));
    let error = array.cast_as::<i64>(Casting::Checked).unwrap_err().to_string();
    assert!(error.starts_with("element 0") && error.contains("out of range"), "{error}");
    let fits = DynArray::from(array![small, long(0x8000 + 16383, 1 << 63)]);
    assert_eq!(fits.cast_as::<i64>(Casting::Checked).unwrap(), array![(1 << 53) + 1, -1].into_dyn());
    for fraction in [long(16383 - 1, 1 << 63), long(1, 1), long(16383 + 10, (1 << 63) + 1)] {
        let error = DynArray::from(array![fraction]).cast_as::<i64>(Casting::Checked).unwrap_err().to_string();
        assert!(error.contains("exactly"), "{error}");
    }
    // Integers beyond 64 bits, of which one rounds to the least `i64`.
    for (beyond, nearest) in [(long(0x8000 + 16383 + 63, 1 << 63 | 1), i64::MIN), (long(16383 + 63, 1 << 63), i64::MAX)] {
        for array in [DynArray::from(array![beyond]), DynArray::from(array![Complex::new(beyond, long(0, 0))])] {
            let error = array.cast_as::<i64>(Casting::Exact).unwrap_err().to_string();
            assert!(
                error.contains("9223372036854775809 is out of range") || error.contains("9223372036854775808 is out of range"),
                "{error}"
            );
            assert_eq!(array.cast_as::<i64>(Casting::Unsafe).unwrap()[0], nearest);
        }
    }
    let complex = DynArray::from(array![Complex::new(small, long(0, 0))]);
    assert_eq!(complex.cast_as::<i64>(Casting::Exact).unwrap()[0], (1 << 53) + 1);
    // Every number but 0 is true.
    let bools = DynArray::from(array![long(1, 1 << 63), long(16383 - 1, 1 << 63), long(0, 0)]);
    assert_eq!(bools.cast_as::<bool>(Casting::Unsafe).unwrap(), array![true, true, false].into_dyn());
    // Rounded once: 1 + 2^-24 + 2^-60 and 1 + 2^-11 + 2^-60 are above the middle.
    let above = |bit: u32| long(16383, 1 << 63 | 1 << (63 - bit) | 1 << 3);
    let single = DynArray::from(array![above(24)]).cast_as::<f32>(Casting::Checked).unwrap();
    assert_eq!(single[0], 1.0 + f32::EPSILON);
    let half = DynArray::from(array![above(11)]).cast_as::<npy_core::half::f16>(Casting::Unsafe).unwrap();
    assert_eq!(half[0], npy_core::half::f16::ONE + npy_core::half::f16::EPSILON);
    let huge = DynArray::from(array![long(16383 + 300, 1 << 63)]).cast_as::<i64>(Casting::Checked).unwrap_err().to_string();
    assert!(huge.contains("out of range"), "{huge}");
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(crate = npy_core)]
struct Pose {
    position: [f32; 3],
    valid: bool,
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(crate = npy_core)]
struct Track {
    name: String,
    pose: Pose,
    time: Datetime64<unit::Millisecond>,
}

fn tracks() -> Array2<Track> {
    Array2::from_shape_fn((2, 3).f(), |(i, j)| Track {
        name: format!("t{i}{j}"),
        pose: Pose { position: [i as f32, j as f32, 0.5], valid: i == j },
        time: Datetime64::new(1_000 * (3 * i + j) as i64),
    })
}

#[test]
fn records_are_split_and_assembled() {
    let tracks = tracks();
    let array = DynArray::new(&tracks).unwrap();
    assert!(matches!(array, DynArray::Record(_)));
    assert_eq!(array.to_values().unwrap().order(), Order::Fortran);
    assert_eq!(array.clone().into::<Array2<Track>>().unwrap(), tracks);

    let names: ArrayD<String> = array.field_as("name").unwrap();
    assert_eq!(names, tracks.mapv(|track| track.name).into_dyn());
    let positions = array.field("pose").unwrap().field_as::<f32>("position").unwrap();
    assert_eq!(positions, array.field_as::<f32>("pose.position").unwrap());
    assert_eq!(positions.shape(), [2, 3, 3]);
    for ((i, j), track) in tracks.indexed_iter() {
        assert_eq!(positions.slice(ndarray::s![i, j, ..]).to_vec(), track.pose.position);
    }
    let DynArray::Datetime(times) = array.field("time").unwrap() else { panic!("no times") };
    assert_eq!((times[[1, 2]], times.dtype().to_string()), (5_000, native("<M8[ms]")));
    assert!(matches!(array.field("pose.valid").unwrap(), DynArray::Bool(_)));

    let error = |array: &DynArray, name: &str| as_little_endian(array.field(name).unwrap_err());
    assert_eq!(error(&array, "posse"), r#"unknown field "posse": the records have name, pose, time"#);
    assert_eq!(error(&array, "pose.z"), r#"unknown field "pose.z": "pose" has position, valid"#);
    assert_eq!(error(&array, "time.x"), r#"unknown field "time.x": <M8[ms] has no fields"#);
    assert_eq!(error(&DynArray::from(array![1]), "x"), r#"unknown field "x": <i4 has no fields"#);
    let wrong = array.field_as::<f64>("pose.valid").unwrap_err().to_string();
    assert!(wrong.contains("|b1") && wrong.contains("`DynValues::cast` (feature `dynamic`) converts it"), "{wrong}");
}

#[test]
fn arrays_are_viewed_and_moved() {
    let fortran = Array2::from_shape_fn((2, 3).f(), |(i, j)| (10 * i + j) as i16);
    let array = DynArray::from(fortran.clone());
    let view = array.view::<i16>().unwrap();
    assert_eq!((view.clone(), view.strides()), (fortran.view().into_dyn(), &[1, 2][..]));
    let place = view.as_ptr();
    let moved: Array2<i16> = array.clone().into().unwrap();
    assert_eq!((&moved, moved.strides()), (&fortran, &[1, 2][..]));
    let DynArray::Int16(typed) = array else { panic!("no i16") };
    assert_eq!(typed.into_array().as_ptr(), place, "nothing was copied");

    // The other byte order: numbers are viewed all the same, and stay big-endian in the file.
    let values = DynValues::new(">i2".parse().unwrap(), Order::C, &[2], vec![1, 2, 3, 4]).unwrap();
    let array = DynArray::from_values(values.clone()).unwrap();
    assert_eq!(array.view::<i16>().unwrap(), array![0x0102, 0x0304].into_dyn());
    assert_eq!(array.to_values().unwrap(), values);
    assert_eq!(array.into::<Array1<i16>>().unwrap(), array![0x0102, 0x0304]);

    let error = DynArray::from(array![1.5]).view::<f32>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
    let error = DynArray::from(array![1.5]).into::<Array1<f32>>().unwrap_err();
    assert!(as_little_endian(&error).contains("<f8"), "{error}");
    let error = DynArray::from(array![1.5]).into::<Array2<f64>>().unwrap_err();
    assert!(error.kind() == ErrorKind::WrongShape, "{error}");
    assert_eq!(DynArray::from(array![1.5]).into::<Array1<Option<f64>>>().unwrap(), array![Some(1.5)]);

    let times = DynArray::new(&array![Datetime64::<unit::Second>::new(7)]).unwrap();
    assert_eq!(times.view::<Datetime64<unit::Second>>().unwrap()[0].to_raw(), 7);
    assert!(times.view::<i64>().is_err() && times.clone().into::<Array1<i64>>().is_err());
    assert_eq!(times.into::<Array1<Datetime64<unit::Second>>>().unwrap()[0].to_raw(), 7);

    // Of a slice only what is in it.
    let mut slice = array![[1_u8, 2, 3], [4, 5, 6]];
    slice.slice_collapse(ndarray::s![1.., ..2]);
    assert_eq!(DynArray::from(slice).into::<Array2<u8>>().unwrap(), array![[4, 5]]);
    let mut reversed = array![1_u8, 2, 3];
    reversed.invert_axis(ndarray::Axis(0));
    assert_eq!(*TypedArray::from(reversed), array![3, 2, 1].into_dyn());
}

#[test]
fn bytes_that_are_no_value_are_kept() {
    let odd = DynValues::new("|b1".parse().unwrap(), Order::C, &[3], vec![0, 1, 255]).unwrap();
    let array = DynArray::from_values(odd.clone()).unwrap();
    assert!(matches!(array, DynArray::Raw(_)));
    assert_eq!(array.to_values().unwrap(), odd);
    assert_eq!(array.cast::<u8>().unwrap(), array![0, 1, 1].into_dyn());
    assert!(array.view::<bool>().unwrap_err().to_string().contains("element 2"));
    assert_eq!(array.into::<Array1<bool>>().unwrap(), array![false, true, true]);
}

#[test]
fn numbers_that_numpy_has_no_dtype_for() {
    // `np.save` of an array of ml_dtypes.bfloat16; a record of it says `|V2`.
    for descr in [&*native("<V2"), "|V2"] {
        let values =
            DynValues::new(descr.parse().unwrap(), Order::C, &[2], [0x3f80_u16, 0xc000].map(u16::to_ne_bytes).concat()).unwrap();
        let array = DynArray::from_values(values.clone()).unwrap();
        assert_eq!(array.view::<bf16>().unwrap(), array![bf16::from_f32(1.0), bf16::from_f32(-2.0)].into_dyn());
        let numbers: Array1<bf16> = array.clone().into().unwrap();
        assert_eq!(numbers[1], bf16::from_f32(-2.0));
        assert_eq!(array.to_values().unwrap(), values);
        assert_eq!(array.into::<Array1<Void>>().unwrap()[0].len(), 2);
        // Those of a record say nothing of numbers.
        match values.cast::<f32>(Casting::Safe) {
            Ok(numbers) => assert!(descr != "|V2" && numbers == [1.0, -2.0]),
            Err(error) => {
                assert_eq!((descr, error.to_string()), ("|V2", format!("cannot cast |V2 to {}: expected numbers", native("<f4"))))
            }
        }
    }
    let long = DynValues::from_slice(&[npy_core::types::LongDouble::from_bytes([0; 16])]).unwrap();
    assert_eq!(long.cast::<bf16>(Casting::Unsafe).unwrap(), [bf16::ZERO]);
    for (descr, itemsize) in [("<f1", 1), ("<W4", 4)] {
        let values = DynValues::new(descr.parse().unwrap(), Order::C, &[1], vec![0x3c; itemsize]).unwrap();
        let array = DynArray::from_values(values).unwrap();
        assert!(matches!(array, DynArray::Raw(_)));
        assert_eq!(array.map_bytes(<[u8]>::len).unwrap()[0], itemsize);
        // Of these two, float8_e5m2 is a number that others hold.
        let is_number = array.cast::<f32>().is_ok_and(|numbers| numbers[0] == 1.0);
        assert_eq!(is_number, descr == "<f1");
    }
}

#[test]
fn archives_of_arrays_of_any_dtype() {
    let path = scratch("any.npz");
    let mut arrays = BTreeMap::from([
        ("numbers".to_owned(), DynArray::from(array![[1.5, 2.5]])),
        ("texts".to_owned(), DynArray::new(&array!["a".to_owned()]).unwrap()),
        ("tracks".to_owned(), DynArray::new(&tracks()).unwrap()),
    ]);
    arrays.save_npz(&path).unwrap();
    let again = BTreeMap::<String, DynArray>::load_npz(&path).unwrap();
    assert_eq!(again.len(), 3);
    for (name, array) in &arrays {
        assert_eq!(again[name].to_values().unwrap(), array.to_values().unwrap(), "{name}");
    }
    let mut archive = NpzReader::open(&path).unwrap();
    assert!(matches!(archive.dynamic("texts").unwrap(), DynArray::Unicode(_)));
    assert!(archive.dynamic("nothing").is_err());
    arrays.clear();
}

#[test]
fn rawarray_files_of_any_type() {
    let path = scratch("matrix.ra");
    let matrix = array![[1.5_f32, 2.5, 3.5], [4.5, 5.5, 6.5]];
    DynArray::from(matrix.clone()).save_ra(&path).unwrap();
    assert_eq!(Array2::<f32>::load_ra(&path).unwrap(), matrix);
    let array = DynArray::load_ra_with(&path, ReadOptions::new().order(Order::C)).unwrap();
    assert_eq!(array.into::<Array2<f32>>().unwrap(), matrix);

    let mut file = Vec::new();
    DynArray::new(&tracks()).unwrap().write_ra(&mut file).unwrap();
    let DynArray::Void(values) = DynArray::read_ra(&file[..]).unwrap() else { panic!("no raw bytes") };
    assert_eq!(values.bytes(), DynArray::new(&tracks()).unwrap().to_values().unwrap().bytes());
}

#[test]
fn regions_of_any_dtype() {
    let path = scratch("tracks.npy");
    tracks().save_npy(&path).unwrap();
    let region = DynArray::load_npy_region(&path, &[1.into(), (1..).into()]).unwrap();
    assert_eq!(region.shape(), [1, 2]);
    assert_eq!(region.field_as::<String>("name").unwrap().iter().collect::<Vec<_>>(), ["t11", "t12"]);
    assert!(DynArray::load_npy_region(&path, &[0.into()]).is_err());
}

#[test]
fn one_body_for_many_types() {
    fn kind(array: &DynArray) -> String {
        match_dtype!(array, {
            Float64(numbers) => format!("doubles {}", numbers.sum()),
            Number(numbers) => format!("{} numbers of {} bytes", numbers.len(), numbers.dtype().itemsize()),
            Record(values) => values.dtype().to_string(),
            DynArray::Bytes(_) | DynArray::Unicode(_) => "text".to_owned(),
            _ => "other".to_owned()
        })
    }
    assert_eq!(kind(&array![1.0, 2.0].into()), "doubles 3");
    assert_eq!(kind(&array![1_u8].into()), "1 numbers of 1 bytes");
    assert_eq!(kind(&array![Complex::new(1.0_f32, 2.0)].into()), "1 numbers of 8 bytes");
    assert_eq!(kind(&array![npy_core::half::f16::ONE].into()), "1 numbers of 2 bytes");
    assert_eq!(kind(&DynArray::new(&array!["a".to_owned()]).unwrap()), "text");
    assert_eq!(kind(&array![true].into()), "other");

    // By value and in place.
    let mut array = DynArray::from(array![1_i32, 2]);
    match_dtype!(&mut array, {
        Integer(numbers) => numbers.view_mut().mapv_inplace(|number| number * 2),
        _ => unreachable!(),
    });
    let total = match_dtype!(array, { Real(numbers) => numbers.into_array().len(), _ => 0 });
    assert_eq!(total, 2);

    // Blocks without commas, as in a `match`.
    let text = match_dtype!(DynArray::from(array![0.5]), {
        Bool(_) => { "bools" }
        Float(_) => {
            "floats"
        }
        DynArray::Void(_) | DynArray::Raw(_) => { "bytes" }
        _ => { "others" }
    });
    assert_eq!(text, "floats");
}

#[test]
fn reads_the_rest_of_a_reader() {
    let fortran = Array2::from_shape_fn((2, 3).f(), |(i, j)| u16::try_from(i * 3 + j).unwrap());
    let file = saved(&fortran.clone().into());
    let whole = DynArray::from_reader(NpyReader::from_bytes(&file).unwrap()).unwrap();
    assert!(whole.bitwise_eq(&DynArray::from(fortran)));
    // Numbers and text, of which the first element was read.
    let mut reader = NpyReader::from_bytes(&file).unwrap();
    reader.read_into(&mut [0_u16]).unwrap();
    assert!(DynArray::from_reader(reader).unwrap().bitwise_eq(&DynArray::from(array![3_u16, 1, 4, 2, 5])));
    let file = saved(&DynArray::new(&array!["a".to_owned(), "bc".to_owned()]).unwrap());
    let mut reader = NpyReader::new(&file[..]).unwrap();
    reader.skip(1).unwrap();
    assert_eq!(DynArray::from_reader(reader).unwrap().to_string(), "['bc']");
    // Objects only if they are asked for.
    let mut file = Vec::new();
    ObjectArray::from(vec!["a"]).write(&mut file).unwrap();
    assert!(DynArray::from_reader(NpyReader::from_bytes(&file).unwrap()).is_err());
    let options = ReadOptions::new().objects(ObjectOptions::new());
    assert_eq!(DynArray::from_reader_with(NpyReader::from_bytes(&file).unwrap(), options).unwrap().to_string(), "['a']");
}

#[test]
fn reads_members_by_index() {
    let mut writer = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_slice("a", &[1_u8]).unwrap();
    writer.add_slice("b", &["x".to_owned()]).unwrap();
    writer.add_bytes("notes.txt", b"hello").unwrap();
    writer.add_slice("c", &[2.5]).unwrap();
    let mut archive = NpzReader::new(writer.finish().unwrap()).unwrap();
    let texts: Vec<_> = [0, 1, 3].map(|index| archive.dynamic_by_index(index).unwrap().to_string()).into();
    assert_eq!(texts, ["[1]", "['x']", "[2.5]"]);
    let error = archive.dynamic_by_index(2).unwrap_err();
    assert!(error.member() == Some("notes.txt") && error.kind() == ErrorKind::WrongFormat, "{error}");
    assert!(archive.dynamic_by_index(4).is_err());
}

/// Of every pair of golden arrays of one shape, and of values that `==` takes for equal or for
/// different.
#[test]
fn bitwise_eq_is_equality_of_saved_bytes() {
    let nan = |bits: u64| f64::from_bits(f64::NAN.to_bits() | bits);
    let values = |dtype: &str, bytes: &[u8]| {
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let count = bytes.len() / dtype.itemsize();
        DynArray::from_values(DynValues::new(dtype, Order::C, &[count], bytes.to_vec()).unwrap()).unwrap()
    };
    let mut arrays: Vec<DynArray> = vec![
        array![nan(0), 0.0].into(),
        array![nan(1), 0.0].into(),
        array![-nan(0), 0.0].into(),
        array![nan(0), -0.0].into(),
        array![0.0, 0.0].into(),
        array![[0.0, 0.0]].into(),
        array![0_i64, 0].into(),
        values(if cfg!(target_endian = "big") { "<f8" } else { ">f8" }, &[0; 16]),
        values("<M8[s]", &[0; 16]),
        values("<M8[ms]", &[0; 16]),
        values("|b1", &[1, 0]),
        values("|b1", &[1, 2]),
        values("|b1", &[1, 3]),
        values("|i1", &[1, 0]),
        values("<f16", &[0; 32]),
        values("[('x', '|u1'), ('', '|V1')]", &[1, 0]),
        values("[('x', '|u1'), ('', '|V1')]", &[1, 9]),
        array![Complex::new(nan(0), 0.0)].into(),
        array![bf16::NAN].mapv(f32::from).into(),
        Array2::<u8>::zeros((2, 3)).into(),
        Array2::<u8>::zeros((2, 3).f()).into(),
        Array2::<u8>::zeros((1, 3)).into(),
        Array2::<u8>::zeros((1, 3).f()).into(),
        DynArray::Object(ObjectArray::from(vec![nan(0)])),
        DynArray::Object(ObjectArray::from(vec![nan(1)])),
        DynArray::Object(ObjectArray::from(vec![0.0])),
        DynArray::Object(ObjectArray::from(vec![-0.0])),
        DynArray::Object(ObjectArray::new(&[1], vec![PyObject::None]).unwrap()),
    ];
    // In another variant than it would be loaded as.
    arrays.push(DynArray::Raw(DynValues::from_slice(&[nan(0), 0.0]).unwrap()));
    let (mut equal, mut unequal) = (0, 0);
    for one in &arrays {
        for other in &arrays {
            let is_equal = saved(one) == saved(other);
            assert_eq!(one.bitwise_eq(other), is_equal, "{one:?} {other:?}");
            equal += usize::from(is_equal);
            unequal += usize::from(!is_equal);
        }
    }
    // Each equals itself; (1, 3) is in both orders, and `Raw` holds what the first one is.
    assert_eq!((equal, equal + unequal), (arrays.len() + 4, arrays.len() * arrays.len()));

    for line in fs::read_to_string(data("manifest.tsv")).unwrap().lines().skip(1) {
        let file = fs::read(data(line.split('\t').next().unwrap())).unwrap();
        if let Ok(array) = DynArray::read_npy_with(&file[..], ReadOptions::new().objects(ObjectOptions::new())) {
            assert!(array.bitwise_eq(&array.clone()), "{line}");
        }
    }
}

#[test]
fn load_any_goes_by_the_content() {
    let path = scratch("misleading.txt");
    let check = |file: &[u8], format: FileFormat| {
        assert_eq!(FileFormat::of(file), Some(format));
        fs::write(&path, file).unwrap();
        assert_eq!(FileFormat::detect(&path).unwrap(), Some(format));
        load_any(&path).unwrap()
    };
    let array = DynArray::from(array![[1.5, 2.5]]);
    let Loaded::Array(found) = check(&saved(&array), FileFormat::Npy) else { panic!() };
    assert_eq!(found, array);

    let mut ra = Vec::new();
    array.write_ra(&mut ra).unwrap();
    ra.extend(b"metadata");
    let Loaded::RawArray(found) = check(&ra, FileFormat::RawArray) else { panic!() };
    assert_eq!(found.metadata(), b"metadata");
    assert_eq!(DynArray::from_values(found.into_values()).unwrap(), array);

    let mut writer = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_array("x", &array![1_u8]).unwrap();
    let npz = writer.finish().unwrap().into_inner();
    let Loaded::Archive(mut found) = check(&npz, FileFormat::Npz) else { panic!() };
    assert_eq!(found.dynamic("x").unwrap().to_string(), "[1]");
    let none = NpzWriter::new(std::io::Cursor::new(Vec::new())).finish().unwrap().into_inner();
    let Loaded::Archive(found) = check(&none, FileFormat::Npz) else { panic!() };
    assert!(found.is_empty());

    // Options reach arrays and members.
    let mut writer = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    let mut objects = Vec::new();
    ObjectArray::from(vec!["a"]).write(&mut objects).unwrap();
    writer.add_bytes("o.npy", &objects).unwrap();
    fs::write(&path, writer.finish().unwrap().into_inner()).unwrap();
    let options = ReadOptions::new().objects(ObjectOptions::new());
    let Loaded::Archive(mut found) = load_any_with(&path, options).unwrap() else { panic!() };
    assert_eq!(found.dynamic_by_index(0).unwrap().to_string(), "['a']");
    fs::write(&path, &objects).unwrap();
    assert!(load_any(&path).unwrap_err().kind() == ErrorKind::ObjectArray);
    let Loaded::Array(found) = load_any_with(&path, options).unwrap() else { panic!() };
    assert_eq!(found.to_string(), "['a']");
}

#[test]
fn load_any_refuses_what_it_does_not_know() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.npy");
    let refuse = |file: &[u8]| {
        fs::write(&path, file).unwrap();
        let error = load_any(&path).unwrap_err();
        assert_eq!(error.path(), Some(path.as_path()));
        assert_eq!(error.kind(), ErrorKind::WrongFormat, "{error}");
        error.to_string().replacen(&format!("{}: ", path.display()), "", 1)
    };
    let expected = "unknown file format: expected an .npy file, an .npz archive or an .ra file, found ";
    assert_eq!(refuse(b""), format!("{expected}an empty input"));
    assert_eq!(
        refuse(b"1,2\n3,4\n5,6"),
        format!("{expected}\"1,2\\n3,4\\n\", comma-separated text; the command `npy convert` reads it")
    );
    assert!(refuse(b"\x80\x04\x95abc").ends_with("a Python pickle; load it in Python, and save its arrays with np.save"));
    assert!(refuse(b"\x93NUMP").contains("found \"\\x93NUMP\""));
    // Known by its magic bytes, and damaged.
    for file in [&b"\x93NUMPY\x01\0"[..], b"PK\x03\x04 and no directory", b"rawarray"] {
        fs::write(&path, file).unwrap();
        let error = load_any(&path).unwrap_err();
        assert!(error.path() == Some(path.as_path()) && error.kind() != ErrorKind::WrongFormat, "{error}");
    }
    assert!(load_any(directory.path()).unwrap_err().kind() == ErrorKind::Io);
    let error = load_any(directory.path().join("none")).unwrap_err();
    assert!(error.io_kind() == Some(std::io::ErrorKind::NotFound), "{error}");
}

#[cfg(unix)]
#[test]
fn load_any_reads_arrays_from_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let load = |file: &[u8]| {
        std::thread::scope(|scope| {
            let (path, file) = (&path, file.to_vec());
            // Of what is refused not all is read.
            scope.spawn(move || fs::write(path, file));
            load_any(path)
        })
    };
    let array = DynArray::from(Array1::<f64>::zeros(50_000));
    let Loaded::Array(found) = load(&saved(&array)).unwrap() else { panic!() };
    assert_eq!(found, array);
    let mut ra = Vec::new();
    array.write_ra(&mut ra).unwrap();
    let Loaded::RawArray(found) = load(&ra).unwrap() else { panic!() };
    assert_eq!(RaArray::read(&ra[..]).unwrap(), found);
    let mut writer = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_array("x", &array![1_u8]).unwrap();
    let npz = writer.finish().unwrap().into_inner();
    assert_eq!(Archive::from_bytes(&npz).unwrap().len(), 1);
    let error = format!("{:#}", load(&npz).unwrap_err());
    assert!(error.ends_with("`NpzStream` reads members in order"), "{error}");
}

/// The axes of nested sub-arrays follow each other, as in NumPy, for every method that returns a
/// field.
#[test]
fn fields_of_nested_sub_arrays() {
    let dtype = native("[('i', '|u1'), ('c', ('<f8', (5,)), (2,))]");
    let items: Vec<f64> = (0..30).map(f64::from).collect();
    let mut bytes = Vec::new();
    for record in items.chunks(10) {
        bytes.push(7);
        bytes.extend(record.iter().flat_map(|item| item.to_ne_bytes()));
    }
    let values = DynValues::new(dtype.parse().unwrap(), Order::C, &[3], bytes).unwrap();
    let expected = ndarray::Array3::from_shape_vec((3, 2, 5), items.clone()).unwrap().into_dyn();
    let array = DynArray::from_values(values.clone()).unwrap();
    assert_eq!(array.field("c").unwrap().shape(), [3, 2, 5]);
    assert_eq!(array.field("c").unwrap().into::<ArrayD<f64>>().unwrap(), expected);
    assert_eq!(array.field_as::<f64>("c").unwrap(), expected);
    assert_eq!(values.field("c").unwrap().shape(), [3, 2, 5]);
    assert_eq!(values.field_as::<f64>("c").unwrap(), items);

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("nested.npy");
    array.save_npy(&path).unwrap();
    let nested: Vec<[[f64; 5]; 2]> =
        expected.outer_iter().map(|rows| std::array::from_fn(|i| std::array::from_fn(|j| rows[[i, j]]))).collect();
    let (column,) = npy_core::load_columns::<([[f64; 5]; 2],)>(&path, ["c"]).unwrap();
    assert_eq!(column, nested);
    let file = fs::read(&path).unwrap();
    let view = npy_core::view_column::<[[f64; 5]; 2]>(&file, "c").unwrap();
    assert_eq!(view.iter().collect::<Vec<_>>(), nested);

    let Some(numpy) = numpy("fields_of_nested_sub_arrays") else { return };
    let program = "import io, sys; import numpy as np; c = np.load(io.BytesIO(sys.stdin.buffer.read()))['c']; print(c.shape, c.ravel().tolist())";
    let printed = String::from_utf8(numpy.run(["-c", program], &file)).unwrap();
    assert_eq!(printed.trim(), format!("(3, 2, 5) {items:?}"));
}

#[test]
fn next_rows_reads_rows_of_both_orders() {
    let bytes: Vec<u8> = (0..12).collect();
    for (order, per_row) in [(Order::C, 3), (Order::Fortran, 4)] {
        let header = Header::new("|u1".parse().unwrap(), order, &[4, 3]).unwrap();
        let file = [header.to_bytes(), bytes.clone()].concat();
        let mut reader = NpyReader::new(&file[..]).unwrap();
        let mut begin = 0;
        while let Some(values) = reader.next_rows(2).unwrap() {
            assert_eq!(values.order(), if values.shape().contains(&1) { Order::C } else { order });
            assert_eq!(values.bytes(), &bytes[begin..][..values.bytes().len()]);
            let rows = values.bytes().len() / per_row;
            assert_eq!(values.shape(), if order == Order::C { [rows, 3] } else { [4, rows] });
            begin += values.bytes().len();
        }
        assert_eq!(begin, 12);
    }
}

#[test]
fn next_rows_returns_the_rest_of_a_row_read_in_part() {
    let header = Header::new("|u1".parse().unwrap(), Order::C, &[2, 3]).unwrap();
    let file = [header.to_bytes(), vec![0, 1, 2, 3, 4, 5]].concat();
    let mut reader = NpyReader::new(&file[..]).unwrap();
    reader.read_into(&mut [0_u8]).unwrap();
    assert_eq!(reader.next_rows(10).unwrap().unwrap(), DynValues::new("|u1".parse().unwrap(), Order::C, &[2], vec![1, 2]).unwrap());
    assert_eq!(reader.next_rows(10).unwrap().unwrap().shape(), [1, 3]);
    assert!(reader.next_rows(10).unwrap().is_none());
}

#[test]
fn next_rows_ends_at_once_without_rows_or_elements() {
    for (shape, expected) in [(&[0_usize, 3][..], None), (&[3, 0], None), (&[], Some(1))] {
        let header = Header::new("|u1".parse().unwrap(), Order::C, shape).unwrap();
        let file = [header.to_bytes(), vec![7; header.element_count()]].concat();
        let mut reader = NpyReader::new(&file[..]).unwrap();
        assert_eq!(reader.next_rows(5).unwrap().map(|values| values.bytes().len()), expected, "{shape:?}");
        assert!(reader.next_rows(5).unwrap().is_none());
    }
}

/// Long lines are transposed by tiles, elements of short ones are gathered, and either may have to
/// be swapped.
#[test]
fn saves_every_dtype_in_the_other_order() {
    for descr in ["|u1", "<i2", ">i2", "<f4", ">f4", "<f8", ">f8", ">c8", "<c16", ">M8[s]", "<f12", "|S3", "|V70"] {
        for shape in [&[3, 2000][..], &[2000, 3], &[9, 1, 10, 11], &[2, 3, 2], &[0, 3], &[1, 5]] {
            for order in [Order::C, Order::Fortran] {
                let dtype: DType = descr.parse().unwrap();
                let length = shape.iter().product::<usize>() * dtype.itemsize();
                // Of a long double not every byte belongs to the number.
                let factor = if descr == "<f12" { 0 } else { 31 };
                let bytes = (0..length).map(|i| u8::try_from(i * factor % 251).unwrap()).collect();
                let values = DynValues::new(dtype, order, shape, bytes).unwrap();
                let array = DynArray::from_values(values.clone()).unwrap();
                let other = if order == Order::C { Order::Fortran } else { Order::C };
                let options = SaveOptions::new().order(other);
                let (mut file, mut of_values) = (Vec::new(), Vec::new());
                array.write_npy_with(&mut file, options).unwrap();
                values.write_in_order(&mut of_values, other).unwrap();
                assert!(file == of_values, "{descr} {shape:?}");
                let read =
                    DynArray::from_values(DynValues::read_with(&file[..], ReadOptions::new().order(order)).unwrap()).unwrap();
                assert!(read.bitwise_eq(&array), "{descr} {shape:?}");
            }
        }
    }
}

/// NumPy writes no such files, and reads them.
#[test]
fn sub_array_dtypes_are_read_in_pieces() {
    let file =
        crate::support::file_with_header(1, b"{'descr': '2|b1', 'fortran_order': False, 'shape': (3,)}", &[1, 0, 1, 1, 0, 0]);
    let whole = NpyReader::new(&file[..]).unwrap().into_values().unwrap();
    let mut reader = NpyReader::new(&file[..]).unwrap();
    let mut bytes = Vec::new();
    while let Some(values) = reader.next_elements(2).unwrap() {
        bytes.extend_from_slice(values.bytes());
    }
    assert_eq!(bytes, whole.bytes());
    let mut reader = NpyReader::new(&file[..]).unwrap();
    assert_eq!(reader.next_rows(2).unwrap().unwrap().bytes(), [1, 0, 1, 1]);
    assert_eq!(reader.into_values().unwrap().bytes(), [0, 0]);
}

/// A path leads through sub-arrays of records, whose axes come before those of the field itself.
#[test]
fn fields_of_records_in_sub_arrays() {
    let dtype = native("[('id', '|u1'), ('n', [('w', '|u1'), ('v', '<i2', (2,)), ('x.y', [('z', '|i1')], (2,))], (3,))]");
    let itemsize = dtype.parse::<DType>().unwrap().itemsize();
    let bytes: Vec<u8> = (0..4 * itemsize).map(|byte| u8::try_from(byte % 251).unwrap()).collect();
    let program = "import io, sys, json; import numpy as np; c = np.load(io.BytesIO(sys.stdin.buffer.read())); \
                   [print(list(f.shape), f.ravel().tolist()) for f in (c['n']['w'], c['n']['v'], c['n']['x.y']['z'], c['n'][()]['x.y'])]";
    let numpy = numpy("fields_of_records_in_sub_arrays");
    for (order, shape) in [(Order::C, &[4][..]), (Order::C, &[2, 2]), (Order::Fortran, &[2, 2])] {
        let values = DynValues::new(dtype.parse().unwrap(), order, shape, bytes.clone()).unwrap();
        let w = values.field("n.w").unwrap();
        assert_eq!(w.shape(), [shape, &[3]].concat());
        assert_eq!(values.field("n.v").unwrap().shape(), [shape, &[3, 2]].concat());
        let z = values.field("n.x.y.z").unwrap();
        assert_eq!(z.shape(), [shape, &[3, 2]].concat());
        assert_eq!(values.field("n").unwrap().field("x.y").unwrap().field("z").unwrap(), z);
        let array = DynArray::from_values(values.clone()).unwrap();
        assert_eq!(array.field_as::<u8>("n.w").unwrap().shape(), w.shape());
        let Some(numpy) = numpy else { continue };
        let mut file = Vec::new();
        array.write_npy(&mut file).unwrap();
        let printed = String::from_utf8(numpy.run(["-c", program], &file)).unwrap();
        let v: Vec<i16> = array.field_as::<i16>("n.v").unwrap().iter().copied().collect();
        let z: Vec<i8> = array.field_as::<i8>("n.x.y.z").unwrap().iter().copied().collect();
        let w: Vec<u8> = array.field_as::<u8>("n.w").unwrap().iter().copied().collect();
        let expected = [format!("{w:?}"), format!("{v:?}"), format!("{z:?}")];
        for (line, expected) in printed.lines().zip(expected) {
            assert!(line.ends_with(&expected), "{line} {expected}");
        }
    }
    let values = DynValues::new(dtype.parse().unwrap(), Order::C, &[4], bytes).unwrap();
    let error = |name: &str| values.field(name).unwrap_err().to_string();
    assert_eq!(error("n.z"), r#"unknown field "n.z": "n" has w, v, x.y"#);
    assert_eq!(error("n.x.y.a"), r#"unknown field "n.x.y.a": "n.x.y" has z"#);
    assert_eq!(error("n.w.a"), r#"unknown field "n.w.a": |u1 has no fields"#);
    // A column is one item for each record.
    let mut file = Vec::new();
    DynArray::from_values(values).unwrap().write_npy(&mut file).unwrap();
    let error = npy_core::view_column::<u8>(&file, "n.w").unwrap_err().to_string();
    assert!(error.contains("n.w: expected n to be a record, found dtype ([('w', '|u1')"), "{error}");
}
