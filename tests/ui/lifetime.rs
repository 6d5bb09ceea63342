use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Name<'a, T> {
    text: &'a str,
    value: T,
}

fn main() {}
