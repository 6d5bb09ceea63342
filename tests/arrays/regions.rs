//! Regions: against NumPy, against arithmetic done element by element, and against broken files.

use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use ndarray::{Array2, Array3, ArrayD, Ix2, ShapeBuilder, s};
use npy_core::region::{AxisRange, byte_ranges, region_shape};
use npy_core::{DType, ErrorKind, Header, Limits, NpyElement, NpyReader, NpyRecord, Order};
use npy_ndarray::{NpyBlocks, ReadNpyExt, WriteNpyExt, read_region};

use crate::support::archives::random;
use crate::support::numpy::{frames, numpy};
use crate::support::streams::Counting;
use crate::support::{announce, rounds, scratch, written};

/// Between ranges up to so far apart the bytes are read and dropped, as the documentation says.
const MOST_GAP: u64 = 16 * 1024;

const CASES: usize = 250;

#[derive(NpyRecord, Clone, Debug)]
struct Both {
    a: i32,
    b: f64,
}

/// NaN is equal to itself here.
impl PartialEq for Both {
    fn eq(&self, other: &Self) -> bool {
        self.a == other.a && self.b.to_bits() == other.b.to_bits()
    }
}

#[derive(Clone, Debug)]
struct Bits(f64);

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

/// What the documentation allows to be read for a region.
fn allowance(header: &Header, region: &[AxisRange]) -> u64 {
    let ranges: Vec<Range<u64>> = byte_ranges(header, region).unwrap().collect();
    let gaps = ranges.windows(2).map(|pair| pair[1].start - pair[0].end).filter(|gap| *gap <= MOST_GAP);
    ranges.iter().map(|range| range.end - range.start).chain(gaps).sum()
}

/// Of each axis (first, end, step).
type Slices = Vec<(usize, usize, usize)>;

fn axis_ranges(slices: &Slices) -> Vec<AxisRange> {
    slices.iter().map(|(start, end, step)| AxisRange::from(*start..*end).step_by(*step)).collect()
}

/// The elements of a region by their position in the file, found one by one.
fn positions(header: &Header, slices: &Slices) -> Vec<usize> {
    let shape = header.shape();
    let count = shape.iter().product();
    let taken = |mut position: usize| {
        let is_in = |axis: usize| {
            let index = position % shape[axis];
            position /= shape[axis];
            let (start, end, step) = slices[axis];
            (start..end).contains(&index) && (index - start).is_multiple_of(step)
        };
        let axes = 0..shape.len();
        let is_in: Vec<bool> = if header.order() == Order::C { axes.rev().map(is_in).collect() } else { axes.map(is_in).collect() };
        is_in.into_iter().all(|is_in| is_in)
    };
    (0..count).filter(|position| taken(*position)).collect()
}

/// The ranges of bytes of these elements, those that touch joined.
fn joined(positions: &[usize], itemsize: usize) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for position in positions.iter().filter(|_| itemsize > 0) {
        let (start, end) = ((position * itemsize) as u64, ((position + 1) * itemsize) as u64);
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}

#[test]
fn regions_are_what_numpy_slices() {
    let Some(numpy) = numpy("regions_are_what_numpy_slices") else { return };
    let most = rounds(CASES);
    let stream = numpy.run(["regions.py", "20261121", &most.to_string()], b"");
    let frames = frames(&stream);
    let (about, cases) = frames.split_first().unwrap();
    let (mut count, mut fortran, mut empty, mut several, mut axes) = (0, 0, 0, 0, [0; 6]);
    for case in cases.chunks_exact(5) {
        let [name, file, slices, bytes, part] = case else { unreachable!() };
        let (name, slices) = (std::str::from_utf8(name).unwrap(), std::str::from_utf8(slices).unwrap());
        let case = format!("{name} {slices}");
        let slices: Slices = slices
            .split(' ')
            .map(|slice| {
                let numbers: Vec<usize> = slice.split(':').map(|number| number.parse().unwrap()).collect();
                (numbers[0], numbers[1], numbers[2])
            })
            .collect();
        let region = axis_ranges(&slices);
        let (header, data_offset) = Header::parse(file).unwrap();
        let ranges: Vec<Range<u64>> = byte_ranges(&header, &region).unwrap().collect();
        assert_eq!(ranges, joined(&positions(&header, &slices), header.dtype().itemsize()), "{case}");
        let found: Vec<u8> =
            ranges.iter().flat_map(|range| &file[data_offset..][range.start as usize..range.end as usize]).copied().collect();
        assert!(found == *bytes, "{case}");
        let shape = region_shape(&header, &region).unwrap();
        assert_eq!(shape, Header::parse(part).unwrap().0.shape(), "{case}");
        match name {
            "u1" => check_case::<u8, u8>(file, part, &region, &case, |item| item),
            "bool" => check_case::<bool, bool>(file, part, &region, &case, |item| item),
            "i2" => check_case::<i16, i16>(file, part, &region, &case, |item| item),
            "big i4" => check_case::<i32, i32>(file, part, &region, &case, |item| item),
            "f8" | "big f8" => check_case::<f64, Bits>(file, part, &region, &case, Bits),
            "text" | "empty" => check_case::<String, String>(file, part, &region, &case, |item| item),
            "record" | "aligned" => check_case::<Both, Both>(file, part, &region, &case, |item| item),
            other => panic!("{other}"),
        }
        count += 1;
        fortran += usize::from(header.order() == Order::Fortran);
        empty += usize::from(shape.contains(&0));
        several += usize::from(ranges.len() > 1);
        axes[shape.len()] += 1;
    }
    announce(&format!(
        "regions against {}: {count} ({fortran} in Fortran order, {empty} empty, {several} of several ranges, {axes:?} by axes)",
        String::from_utf8_lossy(about)
    ));
    assert!(count == most && fortran > most / 4 && empty > most / 125 && several > most / 3);
}

fn check_case<T: NpyElement, C: PartialEq + Debug>(
    file: &[u8],
    part: &[u8],
    region: &[AxisRange],
    case: &str,
    comparable: impl Fn(T) -> C,
) {
    let compare = |items: Vec<T>| -> Vec<C> { items.into_iter().map(&comparable).collect() };
    let expected = compare(NpyReader::new(part).unwrap().into_vec::<T>().unwrap());
    let (stream, read) = Counting::new(Cursor::new(file));
    let mut reader = NpyReader::new(stream).unwrap();
    let before = read.bytes.get();
    assert_eq!(compare(reader.read_region::<T>(region).unwrap()), expected, "{case}");
    let header = reader.header().clone();
    assert!(read.bytes.get() - before <= allowance(&header, region), "{case}");
    // The reader stands behind the region, from where all goes on.
    let all = compare(NpyReader::new(file).unwrap().into_vec::<T>().unwrap());
    let rest = compare(reader.records::<T>().collect::<Result<_, _>>().unwrap());
    assert!(all.ends_with(&rest), "{case}");
    // And once more, backwards, and as an array.
    let array: ArrayD<T> = read_region(&mut reader, region).unwrap();
    assert_eq!(array.shape(), region_shape(&header, region).unwrap(), "{case}");
    let theirs = ArrayD::<T>::read_npy(part).unwrap();
    let (ours, theirs) = (array.into_iter().map(&comparable), theirs.into_iter().map(&comparable));
    assert!(ours.eq(theirs), "{case}");
}

fn random_shape(state: &mut u64, longest: &[usize; 6]) -> Vec<usize> {
    let axes = random(state) % 6;
    (0..axes).map(|_| random(state) % (longest[axes] + 1)).collect()
}

fn random_order(state: &mut u64) -> Order {
    if random(state).is_multiple_of(2) { Order::C } else { Order::Fortran }
}

fn random_slices(state: &mut u64, shape: &[usize]) -> Slices {
    let mut slice = |length: &usize| {
        if random(state).is_multiple_of(3) {
            return (0, *length, 1 + random(state) % 2);
        }
        let start = random(state) % (length + 1);
        (start, start + random(state) % (length - start + 1), 1 + random(state) % 4)
    };
    shape.iter().map(&mut slice).collect()
}

#[test]
fn byte_ranges_are_those_of_the_elements() {
    let mut state = 1;
    let dtypes = ["|u1", "<i2", "<f8", "[('a', '<i4'), ('b', '|S3', (2, 3))]", "|S0"];
    for _ in 0..6_000 {
        let (order, shape) = (random_order(&mut state), random_shape(&mut state, &[0, 60, 12, 7, 5, 4]));
        let slices = random_slices(&mut state, &shape);
        let dtype: DType = dtypes[random(&mut state) % dtypes.len()].parse().unwrap();
        let header = Header::new(dtype, order, &shape).unwrap();
        let region = axis_ranges(&slices);
        let expected = joined(&positions(&header, &slices), header.dtype().itemsize());
        let ranges: Vec<_> = byte_ranges(&header, &region).unwrap().collect();
        assert_eq!(ranges, expected, "{order:?} {shape:?} {slices:?}");
        let count: usize = region_shape(&header, &region).unwrap().iter().product();
        assert_eq!(count, positions(&header, &slices).len());
    }
}

#[test]
fn reads_at_most_the_documented_bytes() {
    let mut state = 2;
    let (mut dropped, mut seeked) = (0, 0);
    let cases = rounds(12);
    for case in 0..cases {
        // Large enough that some gaps are too wide, some pieces are read directly, and the stage is
        // filled several times.
        let order = random_order(&mut state);
        let shape = match case % 3 {
            0 => random_shape(&mut state, &[0, 900_000, 1_200, 110, 32, 17]),
            _ => {
                if order == Order::C {
                    vec![30, 30_000]
                } else {
                    vec![100, 300, 30]
                }
            }
        };
        let slices = random_slices(&mut state, &shape);
        let count: usize = shape.iter().product();
        let header = Header::new(u16::dtype(), order, &shape).unwrap();
        let values: Vec<u16> = (0..count).map(|i| (i * 7 + i / 65_536) as u16).collect();
        let mut file = header.to_bytes();
        file.extend(values.iter().flat_map(|value| value.to_ne_bytes()));
        let (stream, read) = Counting::new(Cursor::new(&file));
        let mut reader = NpyReader::new(stream).unwrap();
        let before = read.bytes.get();
        let region = axis_ranges(&slices);
        let expected: Vec<u16> = positions(&header, &slices).into_iter().map(|position| values[position]).collect();
        assert!(reader.read_region::<u16>(&region).unwrap() == expected, "case {case}: {order:?} {shape:?} {slices:?}");
        let (read, allowed) = (read.bytes.get() - before, allowance(&header, &region));
        assert!(read <= allowed, "{read} > {allowed}: {order:?} {shape:?} {slices:?}");
        dropped += usize::from(read > expected.len() as u64 * 2);
        let ends: Vec<_> = byte_ranges(&header, &region).unwrap().collect();
        seeked += usize::from(ends.windows(2).any(|pair| pair[1].start - pair[0].end > MOST_GAP));
    }
    assert!(dropped > cases / 6 && seeked > cases / 12, "{dropped} {seeked}");
}

#[test]
fn regions_of_every_kind() {
    let array = Array3::from_shape_fn((4, 5, 6), |(i, j, k)| (i * 100 + j * 10 + k) as u16);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cube.npy");
    array.save_npy(&path).unwrap();
    let load = |region: &[AxisRange]| Array3::<u16>::load_npy_region(&path, region);
    let all: AxisRange = (..).into();
    assert_eq!(load(&[all, all, all]).unwrap(), array);
    assert_eq!(load(&[(1..3).into(), (2..).into(), (..4).into()]).unwrap(), array.slice(s![1..3, 2.., ..4]));
    assert_eq!(load(&[(1..=2).into(), (..=2).into(), 5.into()]).unwrap(), array.slice(s![1..=2, ..=2, 5..6]));
    assert_eq!(load(&[all.step_by(3), all.step_by(usize::MAX), all]).unwrap(), array.slice(s![..;3, 0..1, ..]));
    assert_eq!(load(&[(4..4).into(), all, all]).unwrap().shape(), [0, 5, 6]);
    assert_eq!(all.step_by(2).step_by(3), all.step_by(6));
    assert_eq!(Array3::<u16>::load_npy_region(&path, &[all, all]).unwrap_err().path(), Some(path.as_path()));
    assert!(Array2::<u16>::load_npy_region(&path, &[all; 3]).unwrap_err().kind() == ErrorKind::WrongShape);
    assert_eq!(Array3::<u8>::load_npy_region(&path, &[all; 3]).unwrap_err().kind(), ErrorKind::Mismatch);

    let fortran = Array3::from_shape_fn((4, 5, 6).f(), |(i, j, k)| (i * 100 + j * 10 + k) as u16);
    fortran.save_npy(&path).unwrap();
    let part = Array3::<u16>::load_npy_region(&path, &[all.step_by(2), (1..3).into(), (2..).into()]).unwrap();
    assert_eq!(part, fortran.slice(s![..;2, 1..3, 2..]));
    assert_eq!(part.strides(), [1, 2, 4]);
}

#[test]
fn errors_of_regions() {
    let header = Header::new(f64::dtype(), Order::C, &[10, 3]).unwrap();
    let error = |region: [AxisRange; 2]| byte_ranges(&header, &region).unwrap_err();
    insta::assert_snapshot!(error([(2..11).into(), (..).into()]), @"invalid region along axis 0: expected a range within 0..10, found 2..11");
    insta::assert_snapshot!(error([(..).into(), 3.into()]), @"invalid region along axis 1: expected a range within 0..3, found 3..4");
    insta::assert_snapshot!(error([(..=9999).into(), 0.into()]), @"invalid region along axis 0: expected a range within 0..10, found 0..10000");
    #[expect(clippy::reversed_empty_ranges, reason = "it is the error that is tested")]
    let reversed = error([(5..3).into(), 0.into()]);
    insta::assert_snapshot!(reversed, @"invalid region along axis 0: expected a range that starts before its end, found 5..3");
    insta::assert_snapshot!(error([(11..).into(), 0.into()]), @"invalid region along axis 0: expected a range within 0..10, found 11..11");
    insta::assert_snapshot!(error([AxisRange::from(..).step_by(0), 0.into()]), @"invalid region along axis 0: expected a step of at least 1, found 0");
    insta::assert_snapshot!(byte_ranges(&header, &[(..).into()]).unwrap_err(), @"wrong number of dimensions: expected 1, found 2 with shape (10, 3)");
    // No sum or product overflows.
    for end in [(..=usize::MAX).into(), usize::MAX.into(), (..usize::MAX).into()] {
        let error = error([end, 0.into()]);
        assert!(error.to_string().starts_with("invalid region along axis 0: "), "{error}");
    }
    let mut file = header.to_bytes();
    file.extend([0; 240]);
    let mut reader = NpyReader::new(Cursor::new(file)).unwrap();
    insta::assert_snapshot!(reader.seek_to(11).unwrap_err(), @"invalid region along axis 0: expected a range within 0..10, found 11..11");
    insta::assert_snapshot!(reader.read_at::<f64>(9..99).unwrap_err(), @"invalid region along axis 0: expected a range within 0..10, found 9..99");
    insta::assert_snapshot!(reader.skip(11).unwrap_err(), @"wrong number of elements: expected 33, found 30");
    #[expect(clippy::reversed_empty_ranges, reason = "it is the error that is tested")]
    let reversed = reader.read_at::<f64>(5..3).unwrap_err();
    insta::assert_snapshot!(reversed, @"invalid region along axis 0: expected a range that starts before its end, found 5..3");
    assert_eq!(reader.read_region::<f32>(&[(..).into(); 2]).unwrap_err().kind(), ErrorKind::Mismatch);
    assert!(reader.skip(usize::MAX).is_err() && reader.seek_to(usize::MAX).is_err());
    // A wrong question does no harm to the reader.
    assert_eq!(reader.into_vec::<f64>().unwrap().len(), 30);
}

#[test]
fn arrays_one_after_another() {
    let mut stream = b"something before".to_vec();
    let matrix = Array2::from_shape_fn((6, 4), |(i, j)| (i * 4 + j) as f32);
    matrix.write_npy(&mut stream).unwrap();
    npy_core::write(&mut stream, &["one".to_owned(), "two".to_owned(), "three".to_owned()]).unwrap();
    matrix.t().write_npy(&mut stream).unwrap();
    let file = tempfile::tempfile().unwrap();
    (&file).write_all(&stream).unwrap();
    for capacity in [1, 40, 8192] {
        let mut stream = BufReader::with_capacity(capacity, &file);
        stream.seek(SeekFrom::Start(16)).unwrap();
        let mut reader = NpyReader::new(&mut stream).unwrap();
        let part: Array2<f32> = read_region(&mut reader, &[AxisRange::from(1..).step_by(2), (1..3).into()]).unwrap();
        assert_eq!(part, matrix.slice(s![1..;2, 1..3]));
        reader.seek_to(6).unwrap();
        let mut reader = NpyReader::new(&mut stream).unwrap();
        reader.skip(1).unwrap();
        assert_eq!(reader.records::<String>().next().unwrap().unwrap(), "two");
        assert_eq!(reader.read_at::<String>(0..1).unwrap(), ["one"]);
        reader.seek_to(3).unwrap();
        let mut reader = NpyReader::new(&mut stream).unwrap();
        assert_eq!(reader.read_at::<f32>(5..6).unwrap(), [20.0, 21.0, 22.0, 23.0]);
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    }
}

#[test]
fn short_distances_stay_in_the_buffer() {
    let file = written(&(0..2_000).collect::<Vec<u16>>());
    let (stream, read) = Counting::new(Cursor::new(&file));
    let mut reader = NpyReader::new(BufReader::new(stream)).unwrap();
    for row in (0..2_000).step_by(7) {
        assert_eq!(reader.read_at::<u16>(row..row + 1).unwrap(), [row as u16]);
    }
    assert_eq!(read.bytes.get(), file.len() as u64);
}

#[test]
fn rejects_truncated_files() {
    let header = Header::new(u32::dtype(), Order::C, &[100, 100]).unwrap();
    let whole = [header.to_bytes(), vec![1; 40_000]].concat();
    let begin = header.to_bytes().len();
    let all: AxisRange = (..).into();
    let region = [AxisRange::from(10..60).step_by(10), (20..40).into()];
    let path = scratch("short.npy");
    // The region ends in row 50.
    let end = begin + (50 * 100 + 40) * 4;
    for length in [begin, begin + 1, begin + 4_079, end - 400, end - 1, end, whole.len()] {
        fs::write(&path, &whole[..length]).unwrap();
        let in_memory = NpyReader::new(Cursor::new(&whole[..length])).unwrap().read_region::<u32>(&region);
        let in_file = NpyReader::open(&path).unwrap().read_region::<u32>(&region);
        for result in [in_memory, in_file] {
            match result {
                Ok(items) => assert!(length >= end && items.len() == 100),
                Err(error) => {
                    assert!(length < end && error.missing_bytes() > Some(0), "{error}");
                    assert!(error.to_string().ends_with(", found 0") || error.offset() == Some(length as u64), "{error}");
                }
            }
        }
    }

    // A file that shrinks while it is read, and a reader that then refuses everything.
    fs::write(&path, &whole).unwrap();
    let mut reader = NpyReader::open(&path).unwrap();
    reader.read_at::<u32>(90..91).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(20_000).unwrap();
    let error = reader.read_region::<u32>(&[AxisRange::from(..).step_by(3), (0..1).into()]).unwrap_err();
    assert!(error.kind() == ErrorKind::Truncated, "{error}");
    assert!(reader.seek_to(0).unwrap_err().kind() == ErrorKind::BrokenStream);
    assert!(reader.read_region::<u32>(&[all, all]).unwrap_err().kind() == ErrorKind::BrokenStream);
    assert!(reader.skip(1).unwrap_err().kind() == ErrorKind::BrokenStream);
    let mut reader = NpyReader::open(&path).unwrap();
    assert!(reader.read_at::<u32>(95..96).unwrap_err().to_string().ends_with(", found 0"));
    assert!(reader.read_at::<u32>(0..1).unwrap_err().kind() == ErrorKind::BrokenStream);
    let mut reader = NpyReader::new(&whole[..20_000]).unwrap();
    let error = reader.skip(80).unwrap_err().to_string();
    assert!(error.contains(" 32000 bytes ") && error.ends_with(&format!(", found {}", 20_000 - begin)), "{error}");
}

/// A stream whose seeking fails.
struct Stuck<R>(R);

impl<R: Read> Read for Stuck<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R> Seek for Stuck<R> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::Error::other("it is stuck"))
    }
}

#[test]
fn a_seek_that_fails() {
    let file = written(&[1_u8; 100_000]);
    let mut reader = NpyReader::new(Stuck(&file[..])).unwrap();
    reader.seek_to(0).unwrap();
    insta::assert_snapshot!(format!("{:#}", reader.seek_to(5).unwrap_err()), @"cannot seek in the array: it is stuck");
    insta::assert_snapshot!(format!("{:#}", reader.records::<u8>().next().unwrap().unwrap_err()), @"cannot read the array: an earlier call failed");
    let mut reader = NpyReader::new(Stuck(&file[..])).unwrap();
    insta::assert_snapshot!(format!("{:#}", reader.read_region::<u8>(&[AxisRange::from(1..).step_by(99_000)]).unwrap_err()), @"cannot read the array: it is stuck");
    assert!(reader.read_at::<u8>(0..1).is_err());
}

#[test]
fn axes_of_length_0() {
    for order in [Order::C, Order::Fortran] {
        for shape in [[0, 5], [5, 0], [0, 0], [0, usize::MAX / 16]] {
            let header = Header::new(f64::dtype(), order, &shape).unwrap();
            let mut reader = NpyReader::new(Cursor::new(header.to_bytes())).unwrap();
            let all = [AxisRange::from(..); 2];
            assert_eq!(byte_ranges(&header, &all).unwrap().next(), None);
            assert_eq!(region_shape(&header, &all).unwrap(), shape);
            assert!(reader.read_region::<f64>(&all).unwrap().is_empty());
            let rows = shape[if order == Order::C { 0 } else { 1 }];
            assert!(reader.read_at::<f64>(0..rows).unwrap().is_empty());
            reader.skip(rows).unwrap();
            assert!(reader.seek_to(rows).is_ok() && reader.seek_to(rows + 1).is_err());
            assert_eq!(NpyBlocks::<f64, Ix2, _>::new(reader, 1).unwrap().count(), 0);
        }
    }
    // An array without axes is one element, and one row.
    let header = Header::new(f64::dtype(), Order::C, &[]).unwrap();
    let mut reader = NpyReader::new(Cursor::new([header.to_bytes(), 1.5_f64.to_ne_bytes().to_vec()].concat())).unwrap();
    assert_eq!(byte_ranges(&header, &[]).unwrap().collect::<Vec<_>>(), [Range { start: 0, end: 8 }]);
    assert_eq!(reader.read_region::<f64>(&[]).unwrap(), [1.5]);
    assert_eq!(reader.read_at::<f64>(0..1).unwrap(), [1.5]);
    assert!(NpyBlocks::<f64, ndarray::Ix0, _>::new(reader, 1).is_err());
}

#[cfg(target_pointer_width = "64")]
#[test]
fn claims_are_checked_before_allocating() {
    // Rows of an exabyte that are not there.
    let header = Header::new(f64::dtype(), Order::C, &[1 << 30, 1 << 29]).unwrap();
    for step in [1, 2, 1 << 20] {
        let region = [AxisRange::from(1..), AxisRange::from(..).step_by(step)];
        let error = NpyReader::new(Cursor::new(header.to_bytes())).unwrap().read_region::<f64>(&region).unwrap_err();
        assert!(error.to_string().ends_with(", found 0"), "{error}");
    }
    // As many ranges as atoms in a virus; the first are there at once.
    let region = [AxisRange::from(..), AxisRange::from(..).step_by(2)];
    assert_eq!(byte_ranges(&header, &region).unwrap().take(2).collect::<Vec<_>>(), [0..8, 16..24]);
    let elements = Header::new("|S0".parse().unwrap(), Order::C, &[1 << 40]).unwrap().to_bytes();
    assert!(NpyReader::new_with(Cursor::new(elements), Limits::new()).is_err());
}

#[cfg(target_pointer_width = "64")]
#[test]
fn a_part_of_a_huge_file() {
    let path = scratch("huge.npy");
    let header = Header::new(f32::dtype(), Order::C, &[2_000, 1_000, 1_000]).unwrap();
    let mut file = File::create(&path).unwrap();
    header.write(&mut file).unwrap();
    let begin = file.stream_position().unwrap();
    file.set_len(begin + 8_000_000_000).unwrap();
    for i in 0..1_000_u64 {
        file.seek(SeekFrom::Start(begin + (1_999 * 1_000_000 + i * 1_000 + 999) * 4)).unwrap();
        file.write_all(&(i as f32).to_ne_bytes()).unwrap();
    }
    let start = Instant::now();
    let (stream, read) = Counting::new(File::open(&path).unwrap());
    let mut reader = NpyReader::new(stream).unwrap();
    let part: Array3<f32> = read_region(&mut reader, &[(1_900..).into(), AxisRange::from(..).step_by(10), 999.into()]).unwrap();
    assert_eq!(part.shape(), [100, 100, 1]);
    assert!((0..100).all(|i| part[[99, i, 0]] == (i * 10) as f32 && part[[98, i, 0]] == 0.0));
    // Gaps of 40 KB are skipped by seeking.
    assert!(read.bytes.get() < 100 * 100 * 4 + 1_000, "{}", read.bytes.get());
    assert_eq!(Array3::<f32>::load_npy_region(&path, &[1_999.into(), (..).into(), 999.into()]).unwrap().sum(), 499_500.0);
    let mut reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.read_at::<f32>(1_999..2_000).unwrap().last(), Some(&999.0));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn invalid_values_are_reported_with_their_index() {
    let header = Header::new("<U1".parse().unwrap(), Order::C, &[4]).unwrap();
    let file = [header.to_bytes(), [97_u32, 98, 99, 0xd800].iter().flat_map(|unit| unit.to_le_bytes()).collect()].concat();
    let mut reader = NpyReader::new(Cursor::new(file)).unwrap();
    assert_eq!(reader.read_region::<String>(&[AxisRange::from(..).step_by(2)]).unwrap(), ["a", "c"]);
    let error = reader.read_region::<String>(&[AxisRange::from(1..).step_by(2)]).unwrap_err();
    assert_eq!(error.element(), Some(1), "{error}");
}
