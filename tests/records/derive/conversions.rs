//! Values stored under a dtype other than that of their type.

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
fn mismatch_of_a_declared_dtype_has_a_hint() {
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
    insta::assert_snapshot!(as_little_endian(error), @r#"
    cannot read Said: found 3 mismatches
      count: expected dtype <i8, found <i2; its `dtype` says otherwise; the file's is `#[npy(dtype = "<i2")]`
      time: expected dtype <M8[s], found <M8[ms]; its `dtype` says otherwise; the file's is `#[npy(dtype = "<M8[ms]")]`
      other: expected dtype <f8, found <M8[s]; `Datetime64<unit::Second>` reads it
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
    assert_eq!(problem, "cannot represent -1 exactly as u16");
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
    assert!(!found[0].1.contains("widen"));
    assert!(found[2].1.contains("`#[npy(widen)]`"));
    // Writing into a narrower file is exact too.
    let header = Header::new("[('id', '|u1'), ('xy', '<f4', (2,)), ('exact', '<f8')]".parse().unwrap(), Order::C, &[1]).unwrap();
    let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
    let (_, path, problem) = problem(writer.push(&Sample { id: 300, xy: [0.0; 2], exact: 0.0, perhaps: None }));
    assert_eq!((path.as_str(), problem.as_str()), ("id", "cannot represent 300 exactly as u8"));
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

/// Every pair of number types: what `widen` reads, and what `dtype` stores, is what the wider type
/// holds exactly.
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
fn custom_conversions() {
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
    assert!(found.starts_with("invalid Duration: cannot convert float seconds to Duration"), "{found}");
    let (_, path, found) = problem(npy_core::write(Vec::new(), &[Run { length: Duration::from_secs(2000), ..run }]));
    assert_eq!((path.as_str(), found.as_str()), ("length", "invalid Duration: too long"));
}
