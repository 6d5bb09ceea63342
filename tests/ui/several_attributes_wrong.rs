use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(align, align, colour = "red")]
struct Pick<'a> {
    #[npy(dtype = "U", alias = 7)]
    name: String,
    #[npy(rename = "name", widen = 3)]
    time: &'a f64,
}

fn main() {}
