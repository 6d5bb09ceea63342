use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(view, align)]
#[repr(C)]
struct Pick {
    quality: u8,
    time: f64,
}

fn main() {
    let mut file = [0; 128];
    npy_core::view_mut::<Pick>(&mut file).unwrap();
}
