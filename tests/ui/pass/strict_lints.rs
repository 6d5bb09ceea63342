#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic, clippy::restriction, unused_qualifications, unreachable_pub, let_underscore_drop)]
#![no_implicit_prelude]
#![allow(dead_code)]
//! Every attribute, in a crate that forbids what can be forbidden.

mod seconds {
    pub(crate) type Element = f64;

    pub(crate) fn decode(seconds: f64) -> ::std::result::Result<f32, ::std::string::String> {
        ::std::result::Result::Ok(seconds as f32)
    }

    pub(crate) fn encode(seconds: &f32) -> ::std::result::Result<f64, ::std::string::String> {
        ::std::result::Result::Ok(::std::convert::Into::into(*seconds))
    }
}

fn one() -> u8 {
    1
}

#[derive(::npy_core::NpyRecord)]
#[npy(rename_all = "camelCase", align, widen, deny_unknown_fields, endian = "big")]
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
    span: f32,
    #[npy(skip)]
    cache: ::std::option::Option<T>,
    #[npy(flatten)]
    point: Point,
    depth: ::std::option::Option<f64>,
    phase: Phase,
    record: Newtype,
}

#[derive(::npy_core::NpyRecord)]
#[npy(view, align)]
#[repr(C)]
struct Point {
    x: f32,
    y: f64,
    flag: bool,
    phase: Phase,
}

#[derive(::npy_core::NpyRecord)]
#[npy(view)]
#[repr(u8)]
enum Phase {
    P,
    S,
}

#[derive(::npy_core::NpyRecord)]
#[npy(view)]
#[repr(transparent)]
struct Newtype(f32);

#[derive(::npy_core::NpyRecord)]
#[npy(bound = "T: ::npy_core::NpyElement")]
struct Bound<T>(T, T);

fn main() {}
