use npy_core::NpyRecord;

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
struct Sample {
    id: u8,
    time: f64,
}

fn main() {}
