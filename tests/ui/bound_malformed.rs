use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(bound = "T Trait")]
struct Pick<T> {
    time: T,
}

fn main() {}
