//! Fields that the file lacks, and fields that the struct lacks.

use super::*;

use crate::support::scratch;

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
    assert_eq!(npy_core::read::<Reading>(&written_as(std::slice::from_ref(&full), "[('id', '<u2')]")[..]).unwrap(), [bare.clone()]);

    // A default stands in for a field that is not there, not for one that does not fit.
    assert_eq!(mismatches::<Reading>(&zeros("[('id', '<u2'), ('level', '<f8')]"))[0].0, "level");

    // What no record has is not in the file.
    let file = written(&[bare.clone(), bare.clone()]);
    assert_eq!(dtype_of_file(&file), native("[('id', '<u2'), ('level', '<f4'), ('quality', '|u1'), ('phase', '|u1')]"),);
    assert_eq!(npy_core::read::<Reading>(&file[..]).unwrap(), [bare.clone(), bare.clone()]);
    // Without records every field is there.
    assert_eq!(dtype_of_file(&written::<Reading>(&[])), Reading::dtype().to_string());

    // A value that only some have has no bytes.
    let mut file = Vec::new();
    let (index, path, problem) = problem(npy_core::write(&mut file, &[full, bare]));
    assert_eq!((index, path.as_str()), (1, "depth"));
    assert!(problem.starts_with("cannot store `None`: the dtype has no missing value; "), "{problem}");
}

#[test]
fn options_of_every_type_follow_one_rule() {
    macro_rules! follow {
        ($($type:ty),* $(,)?) => {$({
            #[derive(NpyRecord)]
            struct Row {
                id: u8,
                value: Option<$type>,
            }
            let rows = [Row { id: 1, value: None }, Row { id: 2, value: None }];
            assert_eq!(dtype_of_file(&written(&rows)), "[('id', '|u1')]", stringify!($type));
            let read = npy_core::read::<Row>(&written(&rows)[..]).unwrap();
            assert!(read.iter().all(|row| row.id > 0 && row.value.is_none()));
            // Without records the field is there.
            assert!(dtype_of_file(&written::<Row>(&[])).contains("('value', "), stringify!($type));
        })*};
    }
    #[derive(NpyRecord)]
    struct Inner {
        x: f32,
    }
    follow!(bool, u16, f64, String, [f32; 2], Inner, Datetime64<Millisecond>, npy_core::types::Timedelta64<Millisecond>);
    follow!(npy_core::jiff::Timestamp, npy_core::jiff::SignedDuration, npy_core::chrono::NaiveDate, [Datetime64<Millisecond>; 2]);

    // In a file that grows, a time that is missing is NaT.
    #[derive(NpyRecord)]
    struct Timed {
        id: u8,
        time: Option<Datetime64<Millisecond>>,
    }
    let path = scratch("log.npy");
    let mut writer = npy_core::NpyWriter::<Timed, _>::create(&path).unwrap();
    writer.push(&Timed { id: 1, time: None }).unwrap();
    writer.finish().unwrap();
    let rows = npy_core::load::<Timed>(&path).unwrap();
    assert!(rows[0].id == 1 && rows[0].time.is_none());
    assert_eq!(dtype_of_file(&std::fs::read(&path).unwrap()), Timed::dtype().to_string());
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
    assert_eq!(dtype_of_file(&file), native("[('id', '|u1'), ('count', '<i4')]"));
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
