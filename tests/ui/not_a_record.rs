use npy_core::NpyRecord;

struct Pick {
    time: f64,
}

fn fields<T: NpyRecord>() -> Vec<&'static str> {
    T::field_names()
}

fn main() {
    fields::<Pick>();
    let _: Vec<Pick> = npy_core::load("picks.npy").unwrap();
}
