//! Files of events, sessions and answers.

#[path = "../../../tests/support/base.rs"]
mod base;
#[path = "../../../tests/support/numpy.rs"]
pub mod numpy;

use std::path::Path;

pub use base::{announce, workspace};
use npy_arrow::npy_core::types::{Datetime64, unit::Nanosecond};
use npy_arrow::npy_core::{self, NpyRecord};
use npy_datafusion::datafusion::arrow::array::RecordBatch;
use npy_datafusion::datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};

#[derive(Clone, Debug, PartialEq, NpyRecord)]
pub struct Event {
    pub id: i64,
    #[npy(dtype = "S4")]
    pub station: String,
    pub time: Datetime64<Nanosecond>,
    pub at: Place,
    pub magnitude: f32,
    pub reviewed: bool,
}

#[derive(Clone, Debug, PartialEq, NpyRecord)]
pub struct Place {
    pub latitude: f64,
    pub depth: f32,
}

/// Events in the order of their time. Those from 11,990 on have none, which comes last.
pub fn events(rows: std::ops::Range<i64>) -> Vec<Event> {
    let stations = ["ANMO", "KONO", "TAM", "ULN", "YAK"];
    let event = |id: i64| {
        let mixed = (id.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) >> 33) as i32;
        Event {
            id,
            station: stations[mixed.unsigned_abs() as usize % stations.len()].to_owned(),
            time: if id < 11_990 { Datetime64::new(1_700_000_000_000_000_000 + id * 1_500_000_000) } else { Datetime64::NAT },
            at: Place { latitude: f64::from(mixed % 9000) / 100.0, depth: (mixed % 700) as f32 },
            magnitude: (mixed % 89) as f32 / 10.0,
            reviewed: mixed % 3 == 0,
        }
    };
    rows.map(event).collect()
}

/// Saves events in a dtype of the same fields.
pub fn save_as(path: &Path, events: &[Event], dtype: &str) {
    let like = npy_core::Header::new(dtype.parse().unwrap(), npy_core::Order::C, &[1]).unwrap();
    npy_core::save_like(path, events, &like).unwrap();
}

pub fn save(path: &Path, events: &[Event]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    npy_core::save(path, events).unwrap();
}

/// A session of as many partitions, which divides files of any size.
pub fn session(partitions: usize) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(1000).with_repartition_file_min_size(1);
    SessionContext::new_with_config(config)
}

/// The rows of an answer as text, each column of its own.
pub fn rows(batches: &[RecordBatch]) -> Vec<Vec<String>> {
    let options = FormatOptions::new().with_null("null");
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<_> = batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        rows.extend((0..batch.num_rows()).map(|row| columns.iter().map(|column| column.value(row).to_string()).collect()));
    }
    rows
}

pub async fn ask(session: &SessionContext, query: &str) -> Vec<Vec<String>> {
    rows(&session.sql(query).await.unwrap().collect().await.unwrap())
}

/// The message of a query that fails.
pub async fn refusal(session: &SessionContext, query: &str) -> String {
    match session.sql(query).await {
        Err(error) => error.to_string(),
        Ok(frame) => frame.collect().await.expect_err("the query should fail").to_string(),
    }
}

/// Numbers below a bound, from a seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 16) % most.max(1)
    }
}
