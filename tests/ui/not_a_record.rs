use npy_core::NpyRecord;

struct Pick {
    time: f64,
}

fn fields<T: NpyRecord>() -> &'static [&'static str] {
    T::FIELDS
}

fn main() {
    fields::<Pick>();
    let _: Vec<Pick> = npy_core::load("picks.npy").unwrap();
}
