use npy_core::NpyRecord;

#[derive(NpyRecord)]
union Bits {
    float: f32,
    integer: u32,
}

fn main() {}
