//! The page of dtypes in the documentation, generated from what the types read and write.

use std::fmt::Write as _;

use npy_core::chrono::{self, DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use npy_core::half::{bf16, f16};
use npy_core::jiff::{self, SignedDuration, Timestamp, civil};
use npy_core::num_complex::Complex;
use npy_core::types::unit::{Day, Generic, Nanosecond, Second, Year};
use npy_core::types::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, Timedelta64, Void};
use npy_core::{DType, Header, NpyElement, NpyRecord, Order};

const BEGIN: &str = "<!-- made by tests/format/dtype_page.rs; renew it with UPDATE_SNAPSHOTS=1 -->\n";

const DTYPES: &str = "|b1; |i1; <i2; <i4; <i8; |u1; <u2; <u4; <u8; <f2; <f4; <f8; <f16; <c8; <c16; <c32; |S8; <U8; |V8; \
                      <V2; <M8[ns]; <M8[D]; <M8[25s]; <M8[Y]; <M8; <m8[ns]; <m8[25s]; <m8[Y]; <m8; ('<f4', (2, 3)); \
                      [('x', '<f4'), ('y', '<u2')]; <f1; <W4; |O";

/// A record with the field alone, of which narrower numbers are read.
#[derive(NpyRecord)]
#[npy(widen)]
struct Widened<T> {
    value: T,
}

#[derive(NpyRecord)]
struct Plain<T> {
    value: T,
}

#[derive(NpyRecord)]
struct Point {
    x: f32,
    y: u16,
}

struct Type {
    name: &'static str,
    dtype: String,
    reads: fn(&DType) -> bool,
    widens: fn(&DType) -> bool,
}

/// Whether a type reads the dtype, as a field of a record.
fn reads<T: NpyElement>(dtype: &DType) -> bool {
    let record = format!("[('value', {})]", dtype.descr()).parse().unwrap();
    let header = Header::new(record, Order::C, &[0]).unwrap();
    npy_core::read::<T>(&header.to_bytes()[..]).is_ok()
}

fn type_of<T: NpyElement>(name: &'static str) -> Type
where
    Plain<T>: NpyElement,
    Widened<T>: NpyElement,
{
    Type { name, dtype: T::dtype().to_string(), reads: reads::<Plain<T>>, widens: reads::<Widened<T>> }
}

macro_rules! types {
    ($($type:ty;)*) => {
        vec![$(type_of::<$type>(stringify!($type))),*]
    };
}

fn types() -> Vec<Type> {
    let mut types = types!(
        bool; i8; i16; i32; i64; u8; u16; u32; u64; f16; bf16; f32; f64; LongDouble;
        Complex<f32>; Complex<f64>; Complex<LongDouble>;
        FixedBytes<8>; FixedUnicode<8>; FixedVoid<8>; FixedVoid<2>; String; Void;
        Datetime64<Nanosecond>; Datetime64<Day>; Datetime64<Second, 25>; Datetime64<Year>; Datetime64<Generic>;
        Timedelta64<Nanosecond>; Timedelta64<Second, 25>; Timedelta64<Year>; Timedelta64<Generic>;
        jiff::Timestamp; jiff::civil::DateTime; jiff::civil::Date; jiff::SignedDuration;
        chrono::DateTime<Utc>; chrono::NaiveDateTime; chrono::NaiveDate; chrono::TimeDelta;
        [[f32; 3]; 2];
    );
    types.push(type_of::<Point>("struct Point { x: f32, y: u16 }"));
    types
}

/// What is stored as these dtypes with `#[npy(dtype = …)]`: that it compiles shows it, and that the
/// dtype is written.
fn stored_as() -> Vec<(String, &'static str)> {
    macro_rules! stored {
        ($($dtype:literal: $($type:ty),*;)*) => {
            [$($({
                #[derive(NpyRecord)]
                #[allow(dead_code, reason = "only its dtype is of interest")]
                struct Stored {
                    #[npy(dtype = $dtype)]
                    value: $type,
                }
                let DType::Record(record) = Stored::dtype() else { panic!() };
                (record.fields()[0].dtype().to_string(), stringify!($type))
            }),*),*]
        };
    }
    stored! {
        "i1": bool;
        "i2": bool, i8, u8;
        "i4": bool, i8, i16, u8, u16;
        "i8": bool, i8, i16, i32, u8, u16, u32;
        "u1": bool;
        "u2": bool, u8;
        "u4": bool, u8, u16;
        "u8": bool, u8, u16, u32;
        "f4": bool, i8, i16, u8, u16, f16;
        "f8": bool, i8, i16, i32, u8, u16, u32, f16, f32;
        "c16": Complex<f32>;
        "S8": String, [u8; 8], Vec<u8>;
        "U8": String;
        "V8": [u8; 8], Vec<u8>;
        "M8[ns]": i64, civil::Date, NaiveDate;
        "M8[D]": i64, Timestamp, civil::DateTime, DateTime<Utc>, NaiveDateTime;
        "M8[25s]": i64, Timestamp, civil::DateTime, civil::Date, DateTime<Utc>, NaiveDateTime, NaiveDate;
        "M8[Y]": i64, Timestamp, civil::DateTime, civil::Date, DateTime<Utc>, NaiveDateTime, NaiveDate;
        "M8": i64;
        "m8[ns]": i64;
        "m8[25s]": i64, SignedDuration, TimeDelta;
        "m8[Y]": i64;
        "m8": i64;
    }
    .into()
}

fn table() -> String {
    let (types, stored) = (types(), stored_as());
    let mut table =
        "\n| dtype | is written by | is read by | is read with `widen` by | is written with `dtype` by |\n|---|---|---|---|---|\n"
            .to_owned();
    let list = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ");
    for text in DTYPES.split("; ") {
        let dtype: DType = text.parse().unwrap();
        let names = |filter: &dyn Fn(&Type) -> bool| list(types.iter().filter(|ty| filter(ty)).map(|ty| ty.name).collect());
        let written = names(&|ty| ty.dtype == dtype.to_string());
        let read = names(&|ty| (ty.reads)(&dtype));
        let widened = names(&|ty| (ty.widens)(&dtype) && !(ty.reads)(&dtype));
        let stored = list(stored.iter().filter(|(stored, _)| *stored == dtype.to_string()).map(|(_, name)| *name).collect());
        writeln!(table, "| `{}` | {written} | {read} | {widened} | {stored} |", dtype.to_string().replace('|', "\\|")).unwrap();
    }
    table
}

#[test]
#[cfg(target_endian = "little")]
fn dtype_page_is_accurate() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/npy-core/src/dtypes.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (text, found) = page.split_once(BEGIN).expect("the page has the mark behind which the table stands");
    let expected = table();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, format!("{text}{BEGIN}{expected}")).unwrap();
        return;
    }
    assert!(found == expected, "the table in {path} is not what the types do; it should be:\n{expected}");
}
