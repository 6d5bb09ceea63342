//! What each attribute of `#[derive(NpyRecord)]` and each shape of type does: reading, writing, alone and nested.

#![allow(clippy::cloned_ref_to_slice_refs, reason = "an array of one shows what is compared")]

mod support;

use std::fmt::Debug;

use npy_core::unit::{Millisecond, Nanosecond};
use npy_core::{
    ByteOrder, Datetime64, ErrorKind, FixedBytes, FixedUnicode, Header, MismatchKind, NpyElement, NpyReader, NpyRecord, NpyWriter,
    Order, ValueProblem,
};

/// Any element inside of a record, alone and in an array of arrays.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Nested<T> {
    before: u8,
    alone: T,
    several: [[T; 2]; 1],
}

/// The file that NumPy would write of these items.
fn written<T: NpyElement>(items: &[T]) -> Vec<u8> {
    let mut file = Vec::new();
    npy_core::write(&mut file, items).unwrap();
    file
}

/// The items in a file of another dtype.
fn written_as<T: NpyElement>(items: &[T], dtype: &str) -> Vec<u8> {
    let header = Header::new(dtype.parse().unwrap(), Order::C, &[items.len()]).unwrap();
    let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
    writer.write_slice(items).unwrap();
    writer.finish().unwrap()
}

/// A file of that dtype with nothing but zeros in it.
fn zeros(dtype: &str) -> Vec<u8> {
    let header = Header::new(dtype.parse().unwrap(), Order::C, &[2]).unwrap();
    let mut file = header.to_bytes();
    file.resize(file.len() + usize::try_from(header.data_bytes()).unwrap(), 0);
    file
}

fn dtype_of_file(file: &[u8]) -> String {
    Header::parse(file).unwrap().0.dtype().to_string()
}

/// Items are written under `dtype` and read again: alone, nested in another record, and in the other byte order.
fn round_trip<T: NpyElement + Clone + Debug + PartialEq>(items: &[T], dtype: &str) {
    let file = written(items);
    assert_eq!(dtype_of_file(&file), dtype);
    assert_eq!(npy_core::read::<T>(&file[..]).unwrap(), items);
    let mut over = items.to_vec();
    over.reverse();
    NpyReader::new(&file[..]).unwrap().read_into(&mut over).unwrap();
    assert_eq!(over, items);

    let nested: Vec<_> =
        items.iter().map(|item| Nested { before: 7, alone: item.clone(), several: [[item.clone(), items[0].clone()]] }).collect();
    let file = written(&nested);
    assert_eq!(npy_core::read::<Nested<T>>(&file[..]).unwrap(), nested, "{}", dtype_of_file(&file));
    let (header, _) = Header::parse(&file).unwrap();
    let swapped = header.dtype().clone().with_byte_order(ByteOrder::Big).to_string();
    assert_eq!(npy_core::read::<Nested<T>>(&written_as(&nested, &swapped)[..]).unwrap(), nested, "{swapped}");
}

/// The kinds of all mismatches, with their paths.
fn mismatches<T: NpyElement + Debug>(file: &[u8]) -> Vec<(String, MismatchKind)> {
    match npy_core::read::<T>(file).unwrap_err().into_kind() {
        ErrorKind::Mismatch { mismatches, .. } => mismatches.into_iter().map(|mismatch| (mismatch.path, mismatch.kind)).collect(),
        other => panic!("{other}"),
    }
}

/// Where in which record, and what.
fn problem<T>(result: npy_core::Result<T>) -> (u64, String, ValueProblem) {
    match result.map(|_| ()).unwrap_err().into_kind() {
        ErrorKind::InvalidValue { index, path, problem } => (index, path, problem),
        other => panic!("{other}"),
    }
}

mod names {
    use super::*;

    #[test]
    fn rename_all_and_rename() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(rename_all = "camelCase")]
        struct Camel {
            arrival_time: f32,
            #[npy(rename = "SNR")]
            ratio: f32,
            r#type: u8,
        }
        round_trip(
            &[Camel { arrival_time: 1.0, ratio: 2.0, r#type: 3 }],
            "[('arrivalTime', '<f4'), ('SNR', '<f4'), ('type', '|u1')]",
        );

        macro_rules! name_of {
            ($rule:literal) => {{
                #[derive(NpyRecord)]
                #[npy(rename_all = $rule)]
                struct Renamed {
                    peak_ground_motion: u8,
                }
                Renamed::field_names()[0]
            }};
        }
        assert_eq!(name_of!("lowercase"), "peak_ground_motion");
        assert_eq!(name_of!("UPPERCASE"), "PEAK_GROUND_MOTION");
        assert_eq!(name_of!("PascalCase"), "PeakGroundMotion");
        assert_eq!(name_of!("camelCase"), "peakGroundMotion");
        assert_eq!(name_of!("snake_case"), "peak_ground_motion");
        assert_eq!(name_of!("SCREAMING_SNAKE_CASE"), "PEAK_GROUND_MOTION");
        assert_eq!(name_of!("kebab-case"), "peak-ground-motion");
        assert_eq!(name_of!("SCREAMING-KEBAB-CASE"), "PEAK-GROUND-MOTION");
    }

    #[test]
    fn keywords_of_python_and_of_rust_are_names() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Keywords {
            lambda: u8,
            class: u8,
            def: u8,
            r#yield: u8,
            r#fn: u8,
            #[npy(rename = "None")]
            none: u8,
        }
        round_trip(
            &[Keywords { lambda: 1, class: 2, def: 3, r#yield: 4, r#fn: 5, none: 6 }],
            "[('lambda', '|u1'), ('class', '|u1'), ('def', '|u1'), ('yield', '|u1'), ('fn', '|u1'), ('None', '|u1')]",
        );
    }

    #[test]
    fn aliases_are_read_and_never_written() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Pick {
            #[npy(alias = "t", alias = "origin time")]
            time: f64,
            #[npy(alias = "q", default)]
            quality: u8,
        }
        let picks = [Pick { time: 1.5, quality: 2 }];
        round_trip(&picks, "[('time', '<f8'), ('quality', '|u1')]");
        for dtype in ["[('q', '|u1'), ('t', '<f8')]", "[('origin time', '>f8'), ('quality', '|u1')]"] {
            assert_eq!(npy_core::read::<Pick>(&written_as(&picks, dtype)[..]).unwrap(), picks);
        }
        // The name comes before the alias.
        let both = npy_core::read::<Pick>(&written_as(&picks, "[('t', '<f8'), ('time', '<f8')]")[..]).unwrap();
        assert_eq!(both[0].time, 1.5);
        // A mismatch names the field as the file does.
        let found = mismatches::<Pick>(&zeros("[('t', '<f4')]"));
        assert_eq!(found[0].0, "t");
    }

    #[test]
    fn titles_are_written() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Station {
            #[npy(title = "height above sea level in m")]
            height: f32,
            #[npy(rename = "name", title = "Größe")]
            size: u8,
        }
        round_trip(
            &[Station { height: 1.0, size: 2 }],
            "[(('height above sea level in m', 'height'), '<f4'), (('Größe', 'name'), '|u1')]",
        );
        // Matching is by name.
        assert_eq!(npy_core::read::<Station>(&zeros("[('height', '<f4'), ('name', '|u1')]")[..]).unwrap().len(), 2);
    }

    #[test]
    fn the_title_of_a_column_that_is_left_out() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Reading {
            #[npy(title = "depth in km")]
            depth: Option<f32>,
            #[npy(title = "time in s")]
            t: f64,
            #[npy(title = "weight in kg")]
            weight: Option<f32>,
            id: u8,
        }
        let bare = Reading { depth: None, t: 1.0, weight: None, id: 2 };
        assert_eq!(dtype_of_file(&written(&[bare.clone()])), "[(('time in s', 't'), '<f8'), ('id', '|u1')]");
        let full = Reading { depth: Some(1.0), weight: Some(2.0), ..bare };
        assert_eq!(dtype_of_file(&written(&[full])), Reading::dtype().to_string());
    }

    #[test]
    fn unknown_fields_are_passed_over_or_denied() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Open {
            x: f32,
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(deny_unknown_fields)]
        struct Closed {
            x: f32,
            #[npy(alias = "z", default)]
            y: f32,
        }
        round_trip(&[Closed { x: 1.0, y: 2.0 }], "[('x', '<f4'), ('y', '<f4')]");
        let file = zeros("[('x', '<f4'), ('z', '<f4'), ('note', '|S3'), ('w', '<i2')]");
        assert_eq!(npy_core::read::<Open>(&file[..]).unwrap().len(), 2);
        let found = mismatches::<Closed>(&file);
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["note", "w"]);
        assert!(matches!(&found[0].1, MismatchKind::UnknownField { file, known } if file == "|S3" && known == &["x", "y"]));
        let nested = mismatches::<Nested<Closed>>(&zeros(
            "[('before', '|u1'), ('alone', [('x', '<f4'), ('u', '<f4')]), ('several', [('x', '<f4')], (1, 2))]",
        ));
        assert_eq!(nested[0].0, "alone.u");
    }
}

mod absence {
    use super::*;

    #[test]
    fn fields_that_may_be_absent() {
        fn seven() -> u8 {
            7
        }

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Reading {
            id: u16,
            #[npy(default)]
            level: f32,
            #[npy(default = seven)]
            quality: u8,
            #[npy(default = "seven")]
            phase: u8,
            depth: Option<f64>,
            time: std::option::Option<Datetime64<Millisecond>>,
            #[npy(dtype = "S4")]
            code: Option<String>,
        }
        let full = Reading {
            id: 1,
            level: 2.0,
            quality: 3,
            phase: 4,
            depth: Some(5.0),
            time: Some(Datetime64::new(6)),
            code: Some("ab".to_owned()),
        };
        round_trip(
            &[full.clone(), Reading { time: None, ..full.clone() }],
            "[('id', '<u2'), ('level', '<f4'), ('quality', '|u1'), ('phase', '|u1'), ('depth', '<f8'), ('time', '<M8[ms]'), ('code', '|S4')]",
        );
        let bare = Reading { id: 1, level: 0.0, quality: 7, phase: 7, depth: None, time: None, code: None };
        assert_eq!(
            npy_core::read::<Reading>(&written_as(std::slice::from_ref(&full), "[('id', '<u2')]")[..]).unwrap(),
            [bare.clone()]
        );

        // What no record has is not in the file; NaT is `None`.
        let file = written(&[bare.clone(), bare.clone()]);
        assert_eq!(
            dtype_of_file(&file),
            "[('id', '<u2'), ('level', '<f4'), ('quality', '|u1'), ('phase', '|u1'), ('time', '<M8[ms]')]",
        );
        assert_eq!(npy_core::read::<Reading>(&file[..]).unwrap(), [bare.clone(), bare.clone()]);
        // Without records every field is there.
        assert_eq!(dtype_of_file(&written::<Reading>(&[])), Reading::dtype().to_string());

        // A value that only some have has no bytes.
        let mut file = Vec::new();
        let (index, path, problem) = problem(npy_core::write(&mut file, &[full, bare]));
        assert_eq!((index, path.as_str(), problem), (1, "depth", ValueProblem::NoValue));
    }

    #[test]
    fn options_with_a_default_or_a_module() {
        /// -1 in the file is `None`.
        mod minus_one {
            pub type Element = i32;

            pub fn decode(value: i32) -> Result<Option<u16>, std::num::TryFromIntError> {
                if value == -1 { Ok(None) } else { value.try_into().map(Some) }
            }

            pub fn encode(value: &Option<u16>) -> Result<i32, std::convert::Infallible> {
                Ok(value.map_or(-1, i32::from))
            }
        }
        fn half() -> Option<f32> {
            Some(0.5)
        }

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Reading {
            id: u8,
            #[npy(default)]
            depth: Option<f64>,
            #[npy(default = half)]
            weight: Option<f32>,
            #[npy(with = minus_one)]
            count: Option<u16>,
        }
        let bare = Reading { id: 1, depth: None, weight: None, count: None };
        let file = written(&[bare.clone(), bare.clone()]);
        assert_eq!(dtype_of_file(&file), "[('id', '|u1'), ('count', '<i4')]");
        let read = npy_core::read::<Reading>(&file[..]).unwrap();
        assert_eq!(read, [Reading { weight: Some(0.5), ..bare.clone() }, Reading { weight: Some(0.5), ..bare.clone() }]);
        round_trip(
            &[Reading { depth: Some(1.0), weight: Some(2.0), count: Some(3), ..bare.clone() }],
            "[('id', '|u1'), ('depth', '<f8'), ('weight', '<f4'), ('count', '<i4')]",
        );
        // What the module converts is not absent by itself.
        assert_eq!(mismatches::<Reading>(&zeros("[('id', '|u1')]"))[0].0, "count");
    }

    #[test]
    fn the_structs_own_default() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(default)]
        struct Settings {
            gain: f32,
            steps: u32,
            #[npy(skip)]
            label: String,
        }
        impl Default for Settings {
            fn default() -> Self {
                Self { gain: 1.5, steps: 10, label: "none".to_owned() }
            }
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(default = other)]
        struct Other {
            gain: f32,
            steps: Option<u32>,
        }
        fn other() -> Other {
            Other { gain: 2.5, steps: Some(3) }
        }
        round_trip(&[Settings { gain: 2.0, ..Settings::default() }], "[('gain', '<f4'), ('steps', '<u4')]");
        let settings = npy_core::read::<Settings>(&zeros("[('gain', '<f4')]")[..]).unwrap();
        assert_eq!(settings[1], Settings { gain: 0.0, ..Settings::default() });
        let others = npy_core::read::<Other>(&zeros("[('unrelated', '<f4')]")[..]).unwrap();
        assert_eq!(others[0], other());
    }

    #[test]
    fn the_default_of_a_generic_struct() {
        #[derive(NpyRecord, Clone, Debug, PartialEq, Default)]
        #[npy(default)]
        struct Pair<T> {
            left: T,
            right: [T; 2],
        }
        round_trip(&[Pair { left: 1.0_f32, right: [2.0; 2] }], "[('left', '<f4'), ('right', '<f4', (2,))]");
        assert_eq!(npy_core::read::<Pair<u8>>(&zeros("[('left', '|u1')]")[..]).unwrap()[0], Pair::default());
    }

    #[test]
    fn skipped_fields_are_not_in_the_file() {
        fn five() -> i64 {
            5
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Cached {
            x: f32,
            #[npy(skip)]
            cache: Vec<String>,
            #[npy(skip, default = five)]
            runs: i64,
        }
        round_trip(&[Cached { x: 1.0, cache: Vec::new(), runs: 5 }], "[('x', '<f4')]");
    }
}

mod conversions {
    use super::*;

    #[test]
    fn numbers_under_other_dtypes() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Stored {
            #[npy(dtype = ">f4")]
            big: f32,
            #[npy(dtype = "<i8")]
            wide: i32,
            #[npy(dtype = "float64")]
            float: f32,
            #[npy(dtype = "u1")]
            flag: bool,
            #[npy(dtype = ">u2")]
            several: [[u8; 2]; 3],
        }
        let stored = Stored { big: 1.5, wide: -7, float: 0.1, flag: true, several: [[1, 2], [3, 4], [5, 6]] };
        round_trip(
            &[stored.clone(), Stored { flag: false, ..stored }],
            "[('big', '>f4'), ('wide', '<i8'), ('float', '<f8'), ('flag', '|u1'), ('several', '>u2', (3, 2))]",
        );
    }

    #[test]
    fn advice_for_another_dtype_than_was_said() {
        #[derive(NpyRecord, Debug)]
        #[allow(dead_code, reason = "only the messages are of interest")]
        struct Said {
            #[npy(dtype = "<i8")]
            count: i16,
            #[npy(dtype = "M8[s]")]
            time: i64,
            other: f64,
        }
        let error = npy_core::read::<Said>(&zeros("[('count', '<i2'), ('time', '<M8[ms]'), ('other', '<M8[s]')]")[..]).unwrap_err();
        insta::assert_snapshot!(error, @r#"
        the file does not fit Said in 3 places
          count: file has <i2, struct needs <i8 (its `dtype` says otherwise; the file's is `#[npy(dtype = "<i2")]`)
          time: file has <M8[ms], struct needs <M8[s] (its `dtype` says otherwise; the file's is `#[npy(dtype = "<M8[ms]")]`)
          other: file has <M8[s], struct needs <f8 (`Datetime64<unit::Second>` reads it)
        "#);
    }

    #[test]
    fn values_that_the_narrower_type_lacks_are_errors() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Wide {
            value: [i64; 2],
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Narrow {
            #[npy(dtype = "i8")]
            value: [u16; 2],
        }
        let (index, path, problem) =
            problem(npy_core::read::<Narrow>(&written(&[Wide { value: [1, 2] }, Wide { value: [3, -1] }])[..]));
        assert_eq!((index, path.as_str()), (1, "value[1]"));
        assert_eq!(problem.to_string(), "-1 is no value of u16, and is not rounded");
    }

    #[test]
    fn widening_reads_narrower_numbers() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Sample {
            #[npy(widen)]
            id: i64,
            #[npy(widen)]
            xy: [f64; 2],
            exact: f64,
            #[npy(widen)]
            perhaps: Option<[f64; 1]>,
        }
        let samples = [Sample { id: 3, xy: [1.5, -2.0], exact: 0.5, perhaps: Some([2.0]) }];
        round_trip(&samples, "[('id', '<i8'), ('xy', '<f8', (2,)), ('exact', '<f8'), ('perhaps', '<f8', (1,))]");
        for dtype in [
            "[('id', '<i4'), ('xy', '<f4', (2,)), ('exact', '<f8'), ('perhaps', '<f4', (1,))]",
            "[('id', '|u1'), ('xy', '>f2', (2,)), ('exact', '<f8'), ('perhaps', '>u4', (1,))]",
            "[('id', '>u4'), ('xy', '|i1', (2,)), ('exact', '<f8'), ('perhaps', '|b1', (1,))]",
        ] {
            let samples = [Sample { id: 3, xy: [1.0, -2.0], exact: 0.5, perhaps: Some([1.0]) }];
            assert_eq!(npy_core::read::<Sample>(&written_as(&samples, dtype)[..]).unwrap(), samples, "{dtype}");
        }
        // Lossy is not widening, and without the attribute nothing is widened.
        let found = mismatches::<Sample>(&zeros("[('id', '<u8'), ('xy', '<i8', (2,)), ('exact', '<f4')]"));
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["id", "xy[]", "exact"]);
        let advice = |kind: &MismatchKind| match kind {
            MismatchKind::DType { advice, .. } => advice.clone().unwrap_or_default(),
            _ => panic!(),
        };
        assert!(!advice(&found[0].1).contains("widen"));
        assert!(advice(&found[2].1).contains("`#[npy(widen)]`"));
        // Writing into a narrower file is exact too.
        let header =
            Header::new("[('id', '|u1'), ('xy', '<f4', (2,)), ('exact', '<f8')]".parse().unwrap(), Order::C, &[1]).unwrap();
        let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
        let (_, path, problem) = problem(writer.push(&Sample { id: 300, xy: [0.0; 2], exact: 0.0, perhaps: None }));
        assert_eq!((path.as_str(), problem.to_string().as_str()), ("id", "300 is no value of u8, and is not rounded"));
    }

    #[test]
    fn a_whole_struct_can_be_widened() {
        // A struct in it decides for itself.
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(widen)]
        struct Inner {
            z: f64,
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(widen)]
        struct Point {
            x: f64,
            name: FixedBytes<2>,
            complex: npy_core::num_complex::Complex<f64>,
            inner: Inner,
        }
        let points = [Point {
            x: 1.0,
            name: "a".parse().unwrap(),
            complex: npy_core::num_complex::Complex::new(1.0, -2.0),
            inner: Inner { z: 3.0 },
        }];
        round_trip(&points, "[('x', '<f8'), ('name', '|S2'), ('complex', '<c16'), ('inner', [('z', '<f8')])]");
        let narrow = "[('x', '<u4'), ('name', '|S2'), ('complex', '>c8'), ('inner', [('z', '|b1')])]";
        let one = [Point { inner: Inner { z: 1.0 }, ..points[0].clone() }];
        assert_eq!(npy_core::read::<Point>(&written_as(&one, narrow)[..]).unwrap(), one);
    }

    /// Every pair of number types: what `widen` reads, and what `dtype` stores, is what the wider type holds exactly.
    #[test]
    fn every_widening_is_exact() {
        macro_rules! pairs {
            ($($wide:ident holds $($narrow:ident)*;)*) => {$($({
                #[derive(NpyRecord, Clone, Debug, PartialEq)]
                struct Own {
                    value: $narrow,
                }
                #[derive(NpyRecord, Clone, Debug, PartialEq)]
                struct Widened {
                    #[npy(widen)]
                    value: $wide,
                }
                let values = [$narrow::MIN, $narrow::MAX, 1 as $narrow, 0 as $narrow].map(|value| Own { value });
                let wide = npy_core::read::<Widened>(&written(&values)[..]).unwrap();
                assert_eq!(wide, values.clone().map(|own| Widened { value: <$wide>::from(own.value) }));
                let dtype = Own::dtype().to_string();
                assert_eq!(written_as(&wide, &dtype), written(&values));
            })*)*};
        }
        pairs! {
            i16 holds i8 u8;
            i32 holds i8 u8 i16 u16;
            i64 holds i8 u8 i16 u16 i32 u32;
            u16 holds u8;
            u32 holds u8 u16;
            u64 holds u8 u16 u32;
            f32 holds i8 u8 i16 u16;
            f64 holds i8 u8 i16 u16 i32 u32 f32;
        }
    }

    /// What is in the file may be private, and the module's name may come out of a macro.
    #[test]
    fn conversions_through_private_types_and_macros() {
        mod inner {
            mod wire {
                #[derive(npy_core::NpyRecord)]
                pub(super) struct Wire {
                    pub(super) x: f64,
                }
            }
            mod conversion {
                pub(super) type Element = super::wire::Wire;

                pub(super) fn decode(wire: Element) -> Result<u8, String> {
                    if wire.x < 256.0 { Ok(wire.x as u8) } else { Err("too large".to_owned()) }
                }

                pub(super) fn encode(value: &u8) -> Result<Element, String> {
                    Ok(Element { x: f64::from(*value) })
                }
            }

            #[derive(npy_core::NpyRecord, Clone, Debug, PartialEq)]
            pub struct Record {
                #[npy(with = conversion)]
                pub value: u8,
            }

            #[derive(npy_core::NpyRecord, Clone, Debug, PartialEq)]
            pub struct Newtype(#[npy(with = conversion)] pub u8);

            macro_rules! record {
                ($name:ident, $module:ident) => {
                    #[derive(npy_core::NpyRecord, Clone, Debug, PartialEq)]
                    #[allow(non_upper_case_globals)]
                    pub struct $name<const n: usize> {
                        #[npy(with = $module)]
                        pub value: u8,
                    }
                };
            }
            record!(OfMacro, conversion);
        }
        round_trip(&[inner::Record { value: 1 }], "[('value', [('x', '<f8')])]");
        round_trip(&[inner::Newtype(1)], "[('x', '<f8')]");
        round_trip(&[inner::OfMacro::<3> { value: 1 }], "[('value', [('x', '<f8')])]");
    }

    #[test]
    fn conversions_of_ones_own() {
        /// Seconds in the file, a `Duration` here.
        mod seconds {
            use std::time::Duration;

            pub type Element = f64;

            pub fn decode(seconds: f64) -> Result<Duration, std::time::TryFromFloatSecsError> {
                Duration::try_from_secs_f64(seconds)
            }

            pub fn encode(duration: &Duration) -> Result<f64, String> {
                if duration.as_secs() > 1000 { Err("too long".to_owned()) } else { Ok(duration.as_secs_f64()) }
            }
        }
        use std::time::Duration;

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Run {
            #[npy(with = "seconds")]
            length: Duration,
            #[npy(with = seconds, default)]
            pause: Duration,
        }
        let run = Run { length: Duration::from_millis(1500), pause: Duration::ZERO };
        round_trip(&[run.clone()], "[('length', '<f8'), ('pause', '<f8')]");
        #[derive(NpyRecord)]
        struct Raw {
            length: f64,
        }
        assert_eq!(npy_core::read::<Run>(&written(&[Raw { length: 1.5 }])[..]).unwrap(), [run.clone()]);
        let (index, path, found) = problem(npy_core::read::<Run>(&written(&[Raw { length: 1.0 }, Raw { length: -1.0 }])[..]));
        assert_eq!((index, path.as_str()), (1, "length"));
        assert!(found.to_string().starts_with("no Duration: cannot convert float seconds to Duration"), "{found}");
        let (_, path, found) = problem(npy_core::write(Vec::new(), &[Run { length: Duration::from_secs(2000), ..run }]));
        assert_eq!((path.as_str(), found.to_string().as_str()), ("length", "no Duration: too long"));
    }
}

mod text_and_time {
    use super::*;

    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Station {
        #[npy(dtype = "U4")]
        name: String,
        #[npy(dtype = "S3")]
        code: String,
        #[npy(dtype = ">U2", truncate)]
        short: String,
        #[npy(dtype = "S2", truncate)]
        bytes: String,
        #[npy(dtype = "S5")]
        array: [u8; 5],
        #[npy(dtype = "V3")]
        raw: [u8; 3],
        #[npy(dtype = "S2")]
        list: Vec<u8>,
        #[npy(dtype = "U3")]
        several: [String; 2],
    }

    fn station() -> Station {
        Station {
            name: "Zoë".to_owned(),
            code: "abc".to_owned(),
            short: "xy".to_owned(),
            bytes: "é".to_owned(),
            array: *b"hello",
            raw: [0, 1, 0],
            list: b"q".to_vec(),
            several: ["a".to_owned(), "bcd".to_owned()],
        }
    }

    #[test]
    fn text_of_fixed_width() {
        round_trip(
            &[station()],
            "[('name', '<U4'), ('code', '|S3'), ('short', '>U2'), ('bytes', '|S2'), ('array', '|S5'), ('raw', '|V3'), ('list', '|S2'), \
             ('several', '<U3', (2,))]",
        );
    }

    #[test]
    fn text_that_is_too_long_is_refused_or_cut_off() {
        let (index, path, found) =
            problem(npy_core::write(Vec::new(), &[station(), Station { name: "Wetzlar".to_owned(), ..station() }]));
        assert_eq!((index, path.as_str()), (1, "name"));
        assert_eq!(found, ValueProblem::TooLong { length: 7, dtype: "<U4".to_owned() });
        let long = Station { several: ["a".to_owned(), "abcd".to_owned()], ..station() };
        let (_, path, _) = problem(npy_core::write(Vec::new(), &[long]));
        assert_eq!(path, "several[1]");
        let (_, path, _) = problem(npy_core::write(Vec::new(), &[Station { list: b"long".to_vec(), ..station() }]));
        assert_eq!(path, "list");
        // Bytes, of which a NUL at the end would be lost.
        let (_, path, found) = problem(npy_core::write(Vec::new(), &[Station { list: vec![1, 0], ..station() }]));
        assert_eq!(path, "list");
        assert!(found.to_string().starts_with("the bytes end in NUL"), "{found}");

        let long = Station { short: "xyz".to_owned(), bytes: "aé".to_owned(), ..station() };
        let read = npy_core::read::<Station>(&written(&[long])[..]).unwrap();
        // A character of two bytes is cut off whole.
        assert_eq!((read[0].short.as_str(), read[0].bytes.as_str()), ("xy", "a"));
    }

    #[test]
    fn text_of_every_width_is_read() {
        #[derive(NpyRecord)]
        struct Name {
            #[npy(dtype = "U4")]
            name: String,
        }
        #[derive(NpyRecord)]
        struct Long {
            name: FixedUnicode<12>,
        }
        let file = written(&[Long { name: "Wetzlar".parse().unwrap() }]);
        assert_eq!(npy_core::read::<Name>(&file[..]).unwrap()[0].name, "Wetzlar");
    }

    #[test]
    fn times_as_counts() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Event {
            time: Datetime64<Nanosecond>,
            #[npy(dtype = "M8[ms]")]
            count: i64,
            #[npy(dtype = ">m8[25s]")]
            span: i64,
            #[npy(dtype = ">M8[ns]")]
            big: Datetime64<Nanosecond>,
        }
        round_trip(
            &[Event { time: Datetime64::new(5), count: i64::MIN, span: -3, big: Datetime64::new(7) }],
            "[('time', '<M8[ns]'), ('count', '<M8[ms]'), ('span', '>m8[25s]'), ('big', '>M8[ns]')]",
        );
    }
}

mod shapes {
    use super::*;

    #[test]
    fn tuple_structs_and_newtypes() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Pair(f32, #[npy(rename = "second")] u8, #[npy(skip)] Option<Vec<u8>>, i16);
        round_trip(&[Pair(1.0, 2, None, 3)], "[('f0', '<f4'), ('second', '|u1'), ('f3', '<i2')]");

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Meters(f64);
        round_trip(&[Meters(1.5), Meters(-2.0)], "<f8");

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Code(#[npy(dtype = "S4")] String);
        round_trip(&[Code("ab".to_owned())], "|S4");

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Name(String);
        round_trip(&[Name("ab".to_owned()), Name("abc".to_owned())], "<U3");

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Id<T>(u64, #[npy(skip)] std::marker::PhantomData<T>);
        round_trip(&[Id::<String>(7, std::marker::PhantomData)], "<u8");

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(transparent)]
        struct Tagged<T, Tag = ()> {
            #[npy(widen)]
            value: T,
            #[npy(skip)]
            tag: std::marker::PhantomData<Tag>,
        }
        let tagged = Tagged::<f64> { value: 1.0, tag: std::marker::PhantomData };
        round_trip(&[tagged.clone()], "<f8");
        assert_eq!(npy_core::read::<Tagged<f64>>(&written(&[1.0_f32])[..]).unwrap(), [tagged]);
    }

    /// A public newtype may hold a private record; items of the struct's own may be named like the traits'.
    #[test]
    fn private_types_and_names_of_ones_own() {
        mod inner {
            #[derive(npy_core::NpyRecord, Clone, Debug, PartialEq)]
            struct Private {
                x: f32,
            }

            #[derive(npy_core::NpyRecord, Clone, Debug, PartialEq)]
            pub struct Public(Private);

            #[derive(npy_core::NpyRecord, Clone, Debug, PartialEq)]
            pub struct Record {
                one: Private,
                several: [Option<Private>; 1],
            }

            pub fn one() -> (Public, Record) {
                let private = Private { x: 1.0 };
                (Public(private.clone()), Record { one: private.clone(), several: [Some(private)] })
            }
        }
        let (public, record) = inner::one();
        round_trip(&[public], "[('x', '<f4')]");
        round_trip(&[record], "[('one', [('x', '<f4')]), ('several', [('x', '<f4')], (1,))]");

        #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
        #[repr(u8)]
        #[allow(dead_code, clippy::upper_case_acronyms, reason = "only their names are of interest")]
        enum Stage {
            Plan,
            Widened,
            LITTLE,
            Done,
        }
        round_trip(&[Stage::Plan, Stage::Done], "|u1");

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Sample {
            x: u8,
        }
        #[allow(dead_code, reason = "only their names are of interest")]
        impl Sample {
            const NAMES: [&'static str; 1] = ["x"];
            const PROOF: u8 = 0;
            const LITTLE: u8 = 0;
            const VARIES: u8 = 0;

            fn plan() {}
            fn decode(&self) {}
            fn encode(&self) {}
            fn plan_fields(&self) {}
        }
        round_trip(&[Sample { x: 1 }], "[('x', '|u1')]");
    }

    #[test]
    fn enums_are_their_numbers() {
        #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
        #[repr(i16)]
        enum Phase {
            P,
            S = 7,
            Unknown = -1,
        }
        round_trip(&[Phase::P, Phase::S, Phase::Unknown], "<i2");
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Pick {
            phase: [Phase; 2],
        }
        round_trip(&[Pick { phase: [Phase::S, Phase::P] }], "[('phase', '<i2', (2,))]");
        #[derive(NpyRecord)]
        struct Raw {
            phase: [i16; 2],
        }
        let file = written(&[Raw { phase: [0, 7] }, Raw { phase: [-1, 3] }]);
        let (index, path, found) = problem(npy_core::read::<Pick>(&file[..]));
        assert_eq!((index, path.as_str()), (1, "phase[1]"));
        assert_eq!(found.to_string(), "3 is no variant of Phase");
    }

    #[test]
    fn flattened_structs() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Place<T> {
            #[npy(alias = "lat")]
            latitude: T,
            longitude: T,
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(deny_unknown_fields)]
        struct Event {
            id: u16,
            #[npy(flatten)]
            place: Place<f32>,
            magnitude: f32,
            #[npy(flatten)]
            labels: Labels,
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Labels {
            name: String,
            note: Option<String>,
        }
        let event = Event {
            id: 1,
            place: Place { latitude: 2.0, longitude: 3.0 },
            magnitude: 4.0,
            labels: Labels { name: "abc".to_owned(), note: None },
        };
        round_trip(
            &[event.clone()],
            "[('id', '<u2'), ('latitude', '<f4'), ('longitude', '<f4'), ('magnitude', '<f4'), ('name', '<U3')]",
        );
        assert_eq!(Event::field_names(), ["id", "latitude", "longitude", "magnitude", "name", "note"]);
        for dtype in [
            "[('name', '|S7'), ('longitude', '>f4'), ('', '|V3'), ('magnitude', '<f4'), ('lat', '<f4'), ('id', '<u2')]",
            "[('longitude', '<f4'), ('id', '<u2'), ('latitude', '<f4'), ('name', '<U3'), ('magnitude', '<f4'), ('', '|V1')]",
        ] {
            assert_eq!(npy_core::read::<Event>(&written_as(&[event.clone()], dtype)[..]).unwrap(), [event.clone()], "{dtype}");
        }
        let found =
            mismatches::<Event>(&zeros("[('id', '<u2'), ('lat', '<f8'), ('magnitude', '<f4'), ('name', '|S1'), ('more', '|u1')]"));
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["lat", "longitude", "more"]);
    }

    #[test]
    fn bounds_of_ones_own() {
        trait Sensor {
            type Value: NpyElement + Clone + Debug + PartialEq;
        }
        #[derive(Clone, Debug, PartialEq)]
        struct Thermometer;
        impl Sensor for Thermometer {
            type Value = f32;
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        #[npy(bound = "S: Sensor")]
        struct Reading<S: Sensor> {
            value: S::Value,
        }
        round_trip(&[Reading::<Thermometer> { value: 1.0 }], "[('value', '<f4')]");
    }

    #[test]
    fn self_and_defaults_in_generics() {
        trait HasWidth {
            const WIDTH: usize;
            type Unit: NpyElement + Default + Clone + Debug + PartialEq;
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Row {
            values: [u8; Self::WIDTH],
            unit: <Self as HasWidth>::Unit,
            #[npy(skip)]
            of: std::marker::PhantomData<Self>,
        }
        impl HasWidth for Row {
            const WIDTH: usize = 3;
            type Unit = i16;
        }
        round_trip(
            &[Row { values: [1, 2, 3], unit: 4, of: std::marker::PhantomData }],
            "[('values', '|u1', (3,)), ('unit', '<i2')]",
        );

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Lenient<T> {
            #[npy(default)]
            value: T,
            #[npy(skip)]
            cache: Option<T>,
        }
        round_trip(&[Lenient { value: 1.5_f32, cache: None }], "[('value', '<f4')]");
        assert_eq!(npy_core::read::<Lenient<u8>>(&zeros("[('other', '<f4')]")[..]).unwrap()[0].value, 0);
    }

    #[test]
    fn zero_fields_and_deep_nesting() {
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Nothing();
        round_trip(&[Nothing(), Nothing()], "[]");

        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Pose {
            xyz: [f32; 3],
        }
        #[derive(NpyRecord, Clone, Debug, PartialEq)]
        struct Robot {
            joints: [[Pose; 4]; 2],
        }
        let pose = Pose { xyz: [1.0, 2.0, 3.0] };
        let robot = Robot { joints: std::array::from_fn(|_| std::array::from_fn(|_| pose.clone())) };
        round_trip(&[robot], "[('joints', [('xyz', '<f4', (3,))], (2, 4))]");
    }
}

mod layouts {
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
}
