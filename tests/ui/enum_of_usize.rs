use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[repr(usize)]
enum Phase {
    P,
}

fn main() {}
