use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[repr(u8)]
enum Phase {
    P,
    Other(u8),
    Named { name: u8 },
}

fn main() {}
