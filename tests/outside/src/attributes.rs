//! Every attribute, compiled under the strictest lints.
#![allow(dead_code, reason = "that they compile is the test")]

use ::records::NpyRecord;

mod seconds {
    use ::std::result::Result::{self, Err, Ok};
    use ::std::time::{Duration, TryFromFloatSecsError};

    pub(crate) type Element = f64;

    pub(crate) fn decode(seconds: f64) -> Result<Duration, TryFromFloatSecsError> {
        Duration::try_from_secs_f64(seconds)
    }

    pub(crate) fn encode(span: &Duration) -> Result<f64, &'static str> {
        if span.as_secs() < 1_000_000 { Ok(span.as_secs_f64()) } else { Err("longer than any run") }
    }
}

fn one() -> u8 {
    1
}

#[derive(NpyRecord)]
#[npy(crate = ::records, rename_all = "camelCase", align, widen, deny_unknown_fields, endian = "big")]
struct Everything<T> {
    #[npy(alias = "identity", title = "the number")]
    id: u32,
    #[npy(default)]
    level: f32,
    #[npy(default = one)]
    quality: u8,
    #[npy(dtype = "U16", truncate)]
    name: ::std::string::String,
    #[npy(with = seconds)]
    span: ::std::time::Duration,
    #[npy(skip)]
    cache: ::std::option::Option<T>,
    #[npy(flatten)]
    point: Point,
    depth: ::std::option::Option<f64>,
    phase: Phase,
    record: Newtype,
}

#[derive(NpyRecord)]
#[npy(crate = ::records, view, align)]
#[repr(C)]
struct Point {
    x: f32,
    y: f64,
    flag: bool,
    phase: Phase,
}

#[derive(NpyRecord)]
#[npy(crate = ::records, view)]
#[repr(u8)]
enum Phase {
    P,
    S,
}

#[derive(NpyRecord)]
#[npy(crate = ::records, view)]
#[repr(transparent)]
struct Newtype(f32);

#[derive(NpyRecord)]
#[npy(crate = ::records, bound = "T: ::records::NpyElement")]
struct Bound<T>(T, T);
