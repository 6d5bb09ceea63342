use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(packed)]
struct Pick<'a> {
    #[npy(rename = "phase")]
    time: f64,
    phase: u8,
    #[npy(skip, rename = "n")]
    name: &'a str,
    #[npy(skp)]
    id: u32,
}

fn main() {
    // The struct is a record all the same, so that only its own mistakes are reported.
    let _: Vec<Pick> = npy_core::load("picks.npy").unwrap();
}
