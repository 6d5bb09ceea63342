use npy_core::NpyRecord;

mod seconds {
    use std::time::Duration;

    pub type Element = f64;

    pub fn decode(seconds: f64) -> Result<Duration, String> {
        Ok(Duration::from_secs_f64(seconds))
    }
}

#[derive(NpyRecord)]
struct Pick {
    #[npy(with = seconds)]
    time: std::time::Duration,
}

fn main() {}
