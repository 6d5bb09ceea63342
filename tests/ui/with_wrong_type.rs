use npy_core::NpyRecord;

mod seconds {
    pub type Element = f64;

    pub fn decode(seconds: f64) -> Result<f64, String> {
        Ok(seconds)
    }

    pub fn encode(seconds: &f64) -> Result<f64, String> {
        Ok(*seconds)
    }
}

#[derive(NpyRecord)]
struct Pick {
    #[npy(with = seconds)]
    time: std::time::Duration,
}

fn main() {}
