//! Structs of every shape, enums and generics.

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
    struct Epoch(Datetime64<Millisecond>);
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Visit {
        depth: Option<Meters>,
        time: Option<Epoch>,
    }
    let visit = Visit { depth: Some(Meters(1.5)), time: Some(Epoch(Datetime64::new(7))) };
    round_trip(&[visit.clone(), Visit { time: None, ..visit }], "[('depth', '<f8'), ('time', '<M8[ms]')]");

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

/// A public newtype may hold a private record; items of the struct's own may be named like the
/// traits'.
#[test]
fn private_types_and_colliding_names() {
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
        Codec,
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
    assert_eq!(found, "unknown variant 3 of Phase: expected 0 (P), 7 (S), -1 (Unknown)");
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
fn structs_are_flattened_at_every_depth() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Outer {
        id: f64,
        #[npy(flatten)]
        middle: Middle,
    }
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Middle {
        count: u16,
        #[npy(flatten)]
        inner: Inner,
    }
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Inner {
        x: u16,
        y: u8,
    }
    let items = [Outer { id: 1.0, middle: Middle { count: 2, inner: Inner { x: 3, y: 4 } } }];
    round_trip(&items, "[('id', '<f8'), ('count', '<u2'), ('x', '<u2'), ('y', '|u1')]");
    let dtype = "[('x', '>u2'), ('', '|V3'), ('id', '<f8'), ('y', '|u1'), ('count', '<u2')]";
    assert_eq!(npy_core::read::<Outer>(&written_as(&items, dtype)[..]).unwrap(), items);
}

#[test]
fn custom_bounds() {
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
    round_trip(&[Row { values: [1, 2, 3], unit: 4, of: std::marker::PhantomData }], "[('values', '|u1', (3,)), ('unit', '<i2')]");

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
    assert_eq!(written(&[Nothing(), Nothing()]).len(), 128);

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
