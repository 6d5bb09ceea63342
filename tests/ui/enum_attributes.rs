use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[repr(u8)]
#[npy(rename_all = "UPPERCASE", align)]
enum Phase {
    #[npy(rename = "p")]
    P,
}

fn main() {}
