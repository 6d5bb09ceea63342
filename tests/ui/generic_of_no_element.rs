use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick<T> {
    time: T,
}

struct Seconds;

fn load() -> Vec<Pick<Seconds>> {
    npy_core::load("picks.npy").unwrap()
}

fn main() {}
