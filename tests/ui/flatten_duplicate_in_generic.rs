use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Origin {
    id: u32,
}

#[derive(NpyRecord)]
struct Event<const N: usize> {
    id: u32,
    #[npy(flatten)]
    origin: Origin,
    trace: [f32; N],
}

fn main() {
    let _: Vec<Event<3>> = npy_core::load("events.npy").unwrap();
}
