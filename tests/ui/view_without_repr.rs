use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(view)]
struct Pick {
    time: f64,
}

fn main() {
    let _ = npy_core::view::<Pick>(&[]);
}
