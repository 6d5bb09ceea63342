use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Station {
    count: usize,
    difference: isize,
    letter: char,
    samples: Vec<f32>,
    traces: Option<std::vec::Vec<[f32; 3]>>,
    counts: [usize; 3],
    name: &'static str,
}

#[derive(NpyRecord)]
struct Count(usize);

fn main() {
    let _ = npy_core::load::<Station>("stations.npy");
}
