//! Zero-copy views of records, aligned as NumPy aligns them.

use std::fs::File;
use std::ops::Range;

use memmap2::{Mmap, MmapMut};
use ndarray::{Array2, ArrayView2, ArrayViewMut1, ShapeBuilder};
use npy_core::half::{bf16, f16};
use npy_core::num_complex::Complex;
use npy_core::types::unit::{Nanosecond, Second};
use npy_core::types::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, Timedelta64};
use npy_core::{ErrorKind, Header, Limits, NpyElement, NpyReader, NpyRecord, NpyView, Order};
use npy_ndarray::{ViewMutNpyExt, ViewNpyExt, WriteNpyExt};

use crate::support::numpy::numpy;
use crate::support::{scratch, written, zeros};

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view, align)]
#[repr(C)]
struct Place {
    flag: bool,
    height: f32,
    code: FixedBytes<3>,
}

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(u8)]
enum Phase {
    P = 1,
    S = 2,
}

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(transparent)]
struct Meters(f64);

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view, align)]
#[repr(C)]
struct Pick {
    id: u8,
    time: Datetime64<Nanosecond>,
    phase: Phase,
    places: [[Place; 2]; 1],
    depth: Meters,
    #[npy(rename = "name")]
    label: FixedUnicode<3>,
    quality: i16,
}

fn pick(id: u8) -> Pick {
    let place = Place { flag: true, height: f32::from(id), code: "ab".parse().unwrap() };
    Pick {
        id,
        time: Datetime64::new(1_700_000_000_000_000_000 + i64::from(id)),
        phase: if id.is_multiple_of(2) { Phase::P } else { Phase::S },
        places: [[place, Place { flag: false, ..place }]],
        depth: Meters(f64::from(id) / 2.0),
        label: "Zoë".parse().unwrap(),
        quality: -1,
    }
}

/// The same without padding, in which a field may lie at any address.
#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(C, packed)]
struct Packed {
    id: u8,
    time: f64,
    counts: [u16; 3],
}

/// A record that `repr(C)` lays out without padding, so that it can be changed in place.
#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(view)]
#[repr(C)]
struct Point<T> {
    x: T,
    y: T,
}

/// Calls `check` with a file in memory that begins at a multiple of 64.
fn in_memory<T>(file: &[u8], check: impl FnOnce(&mut [u8]) -> T) -> T {
    let mut memory = vec![0; file.len() + 64];
    let begin = memory.as_ptr().align_offset(64);
    let place = &mut memory[begin..][..file.len()];
    place.copy_from_slice(file);
    check(place)
}

fn offset_of_data(file: &[u8]) -> usize {
    Header::parse(file).unwrap().1
}

fn addresses<T>(items: &[T]) -> Range<usize> {
    let range = items.as_ptr_range();
    range.start.addr()..range.end.addr()
}

#[test]
fn records_are_viewed_in_place_from_a_map() {
    let picks: Vec<_> = (0..100).map(pick).collect();
    let path = scratch("picks.npy");
    npy_core::save(&path, &picks).unwrap();
    // SAFETY: nobody else knows the file.
    let map = unsafe { Mmap::map(&File::open(&path).unwrap()).unwrap() };
    let view = npy_core::view::<Pick>(&map).unwrap();
    assert_eq!(view, picks);
    assert_eq!(addresses(view), addresses(&map[offset_of_data(&map)..]));
}

#[test]
fn packed_records_are_viewed_at_any_address() {
    let records: Vec<_> = (0..5).map(|id| Packed { id, time: f64::from(id), counts: [1, 2, 3] }).collect();
    let file = written(&records);
    for shift in 0..4 {
        let mut memory = vec![0; shift];
        memory.extend_from_slice(&file);
        assert_eq!(npy_core::view::<Packed>(&memory[shift..]).unwrap(), records);
    }
    in_memory(&file, |file| {
        npy_core::view_mut::<Packed>(file).unwrap()[3] = Packed { id: 9, time: 9.0, counts: [9; 3] };
        assert_eq!(npy_core::read::<Packed>(&*file).unwrap()[3].id, 9);
    });
}

#[test]
fn generic_records_are_viewed_and_changed_in_a_map() {
    let points = vec![Point { x: 1.0_f32, y: 2.0 }; 1000];
    let mut file = tempfile::tempfile().unwrap();
    npy_core::write(&mut file, &points).unwrap();
    // SAFETY: nobody else knows the file.
    let mut map = unsafe { MmapMut::map_mut(&file).unwrap() };
    npy_core::view_mut::<Point<f32>>(&mut map).unwrap()[7].y = 5.0;
    assert_eq!(npy_core::view::<Point<f32>>(&map).unwrap()[7], Point { x: 1.0, y: 5.0 });
    assert_eq!(ArrayViewMut1::<Point<f32>>::view_mut_npy(&mut map).unwrap()[8].y, 2.0);
}

#[test]
fn arrays_of_records_are_viewed() {
    let picks = Array2::from_shape_fn((3, 4).f(), |(i, k)| pick((i * 4 + k) as u8));
    let mut file = Vec::new();
    picks.write_npy(&mut file).unwrap();
    in_memory(&file, |file| {
        let view = ArrayView2::<Pick>::view_npy(file).unwrap();
        assert_eq!(view, picks);
        assert_eq!(view.strides(), [1, 3]);
        let limits = Limits::new().fields(3);
        assert!(ArrayView2::<Pick>::view_npy_with(file, limits).unwrap_err().kind() == ErrorKind::LimitExceeded);
        assert!(npy_core::view_with::<Pick>(file, limits).unwrap_err().kind() == ErrorKind::LimitExceeded);
        assert!(npy_core::view_mut_with::<Point<u8>>(file, limits).is_err());
    });
}

/// Flattened structs, tuples, enums in arrays and names that differ lie where they should too.
#[test]
fn every_shape_of_record_is_viewed() {
    #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
    #[npy(view, rename_all = "UPPERCASE", align)]
    #[repr(C)]
    struct Outer {
        #[npy(title = "the first")]
        first: u8,
        #[npy(flatten)]
        place: Place,
        pair: Pair<u16>,
        #[npy(alias = "p")]
        phases: [Phase; 3],
        last: f64,
    }
    #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
    #[npy(view, align)]
    #[repr(C)]
    struct Pair<T>(T, [T; 2]);

    let place = Place { flag: true, height: 1.5, code: "xyz".parse().unwrap() };
    let outer = Outer { first: 1, place, pair: Pair(2, [3, 4]), phases: [Phase::S; 3], last: 0.5 };
    let file = written(&[outer; 3]);
    in_memory(&file, |file| assert_eq!(npy_core::view::<Outer>(file).unwrap(), [outer; 3]));
    assert!(Outer::dtype().to_string().contains("('flag', '|b1')"));
    let flag = std::mem::offset_of!(Outer, place);
    assert_eq!(spoiled::<Outer>(&file, 1, flag, 3).1, "flag");
}

/// The bytes of an element at an offset in it are overwritten; where and what is found wrong then.
fn spoiled<T: NpyView>(file: &[u8], element: usize, offset: usize, byte: u8) -> (u64, String, String) {
    let mut file = file.to_vec();
    let begin = offset_of_data(&file);
    file[begin + element * size_of::<T>() + offset] = byte;
    let error = in_memory(&file, |file| npy_core::view::<T>(file).map(|_| ()).unwrap_err());
    assert_eq!(error.kind(), ErrorKind::InvalidValue, "{error}");
    (error.element().unwrap(), error.field().unwrap().to_owned(), error.message().to_owned())
}

#[test]
fn invalid_bytes_are_refused_with_index_and_path() {
    let file = written(&[pick(1), pick(2), pick(3)]);
    let flag = std::mem::offset_of!(Pick, places) + size_of::<Place>();
    let (index, path, problem) = spoiled::<Pick>(&file, 2, flag, 2);
    assert_eq!((index, path.as_str()), (2, "places[0][1].flag"));
    assert_eq!(problem, "invalid bool 0x02: expected 0 or 1; read a copy, where every byte but 0 is true");
    let (index, path, problem) = spoiled::<Pick>(&file, 1, std::mem::offset_of!(Pick, phase), 0);
    assert_eq!((index, path.as_str()), (1, "phase"));
    assert_eq!(problem, "unknown variant 0 of Phase: expected 1 (P), 2 (S)");
    let phases = written(&[Phase::P, Phase::S]);
    assert_eq!(spoiled::<Phase>(&phases, 1, 0, 7).0, 1);
    // Padding may hold anything.
    let mut garbage = file.clone();
    garbage[offset_of_data(&file) + 1] = 255;
    in_memory(&garbage, |garbage| assert_eq!(npy_core::view::<Pick>(garbage).unwrap()[0], pick(1)));
    // A copy is read as NumPy reads it: every byte but 0 is true.
    let mut two = file.clone();
    two[offset_of_data(&file) + flag] = 2;
    assert!(npy_core::read::<Pick>(&two[..]).unwrap()[0].places[0][1].flag);
}

#[test]
fn other_layouts_and_addresses_are_refused() {
    let kind = |file: &[u8]| in_memory(file, |file| npy_core::view::<Pick>(file).map(|_| ()).unwrap_err().kind());
    let zeros = |dtype: &str| zeros(dtype, Order::C, &[2]);
    let own = Pick::dtype().to_string();
    assert_eq!(kind(&zeros(&own.replace('<', ">"))), ErrorKind::NotViewable);
    let shifted = own.replacen("('', '|V7')", "('', '|V15')", 1);
    assert_eq!(kind(&zeros(&shifted)), ErrorKind::NotViewable);
    // Without the padding at the end the fields are where they were, and the records are not.
    let (shorter, _) = own.rsplit_once(", ('', '|V").unwrap();
    assert_eq!(kind(&zeros(&format!("{shorter}]"))), ErrorKind::NotViewable);
    assert_eq!(kind(&zeros("[('id', '|u1')]")), ErrorKind::Mismatch);
    let file = written(&[pick(1), pick(2)]);
    assert_eq!(kind(&file[..file.len() - 1]), ErrorKind::Truncated);
    let mut memory = vec![0; file.len() + 128];
    let begin = memory.as_ptr().align_offset(64) + 4;
    memory[begin..][..file.len()].copy_from_slice(&file);
    let error = npy_core::view::<Pick>(&memory[begin..]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotViewable);
    let message = "misaligned data: expected an address that is a multiple of 8, found remainder 4; read a copy";
    assert!(error.message().starts_with(message), "{error}");
}

/// A record without bools is read as a whole, padding and all, in every way of reading.
#[test]
fn records_are_read_without_decoding() {
    #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
    #[npy(view, align)]
    #[repr(C)]
    struct Sample {
        id: u8,
        time: f64,
    }
    let samples: Vec<_> = (0..50_000_u32).map(|i| Sample { id: i as u8, time: f64::from(i) }).collect();
    let mut file = written(&samples);
    let begin = offset_of_data(&file);
    assert!(file[begin..].chunks(16).all(|sample| sample[1..8] == [0; 7]), "padding is written as zeros");
    // Garbage in the padding.
    file[begin..].chunks_mut(16).for_each(|sample| sample[1..8].fill(255));
    assert_eq!(npy_core::read::<Sample>(&file[..]).unwrap(), samples);
    assert_eq!(NpyReader::from_bytes(&file).unwrap().into_vec::<Sample>().unwrap(), samples);
    let mut over = vec![samples[0]; samples.len()];
    NpyReader::new(&file[..]).unwrap().read_into(&mut over).unwrap();
    assert_eq!(over, samples);
    let again = written(&over);
    assert!(again[begin..].chunks(16).all(|sample| sample[1..8] == [0; 7]), "padding is never written from memory");
    // In another byte order it is decoded.
    let swapped =
        Header::new(Sample::dtype().with_byte_order(npy_core::dtype::ByteOrder::Big), Order::C, &[samples.len()]).unwrap();
    let mut writer = npy_core::NpyWriter::with_header(Vec::new(), &swapped).unwrap();
    writer.write_slice(&samples).unwrap();
    assert_eq!(npy_core::read::<Sample>(&writer.finish().unwrap()[..]).unwrap(), samples);
}

/// Every element behind one byte: packed, and aligned.
macro_rules! layouts {
    ($($type:ty),* $(,)?) => {
        [$({
            #[derive(NpyRecord)]
            #[allow(dead_code, reason = "only their dtypes are of interest")]
            struct Packed {
                a: u8,
                b: $type,
                c: [$type; 2],
                d: u8,
            }
            #[derive(NpyRecord)]
            #[npy(align)]
            #[allow(dead_code, reason = "only their dtypes are of interest")]
            struct Aligned {
                a: u8,
                b: $type,
                c: [$type; 2],
                d: u8,
            }
            #[derive(NpyRecord)]
            #[npy(align)]
            #[allow(dead_code, reason = "only their dtypes are of interest")]
            struct Outer {
                a: u8,
                b: Aligned,
                c: [Aligned; 2],
            }
            (Packed::dtype().to_string(), Aligned::dtype().to_string(), Outer::dtype().to_string())
        }),*]
    };
}

#[test]
fn aligned_is_what_numpy_aligns() {
    let Some(numpy) = numpy("aligned_is_what_numpy_aligns") else { return };
    let layouts = layouts![
        bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, LongDouble, Complex<f32>, Complex<f64>, Complex<LongDouble>,
        FixedBytes<3>, FixedUnicode<2>, FixedVoid<5>, Datetime64<Nanosecond>, Timedelta64<Second, 25>, Phase, Meters,
    ];
    let mut input = String::new();
    for (packed, aligned, outer) in layouts {
        input += &format!("{packed}\n{aligned}\n{outer}\n");
    }
    assert_eq!(numpy.prints(["records.py", "aligned"], input.as_bytes()), "23");
    assert_eq!(bf16::dtype().to_string(), "<V2");
}
