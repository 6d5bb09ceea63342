use npy_core::NpyRecord;

mod seconds {}

#[derive(NpyRecord)]
#[npy(view, default)]
#[repr(C)]
struct ViewConverted {
    #[npy(dtype = "<f8")]
    time: f64,
    #[npy(with = seconds)]
    span: f64,
    #[npy(skip)]
    cache: f64,
    #[npy(default)]
    depth: f64,
}

/// What it re-exports is `npy_core`, except for the checks behind `view`.
mod lenient {
    pub use npy_core::*;

    pub mod __private {
        pub use npy_core::__private::*;

        pub const fn assert_layout(_holds: bool, _message: &str) {}
    }
}

#[derive(NpyRecord)]
#[npy(crate = lenient, view)]
#[repr(C)]
struct ViewCrateIsAModule {
    id: u8,
    time: f64,
}

#[derive(NpyRecord)]
#[npy(view, endian = "big")]
#[repr(C)]
struct ViewEndian {
    time: f64,
}

#[derive(NpyRecord)]
#[npy(view)]
#[repr(C)]
struct ViewOption {
    time: Option<f64>,
}

#[derive(NpyRecord)]
#[npy(view)]
struct ViewWithoutRepr {
    time: f64,
}

fn main() {
    let _ = npy_core::view::<ViewWithoutRepr>(&[]);
}
