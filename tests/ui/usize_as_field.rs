use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Station {
    count: usize,
    difference: isize,
    letter: char,
    samples: Vec<f32>,
    counts: [usize; 3],
}

fn main() {}
