use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[repr(C)]
struct Place {
    x: f64,
}

#[derive(NpyRecord)]
#[npy(view)]
#[repr(C)]
struct Pick {
    place: Place,
}

fn main() {}
