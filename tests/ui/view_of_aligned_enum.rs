use npy_core::NpyRecord;

#[derive(NpyRecord, Clone, Copy)]
#[npy(view)]
#[repr(u8, align(4))]
enum Phase {
    P,
    S,
}

#[derive(NpyRecord)]
#[npy(view, align)]
#[repr(C)]
struct Pick {
    phase: Phase,
    count: u32,
}

fn main() {}
