//! The differences of two arrays, as they are found.

use npy_core::Header;

use super::judge::Verdict;

/// The result of comparing two arrays.
#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) headers: [Header; 2],
    /// Differences of shape and fields, found before any value is read.
    pub(super) problems: Vec<String>,
    pub(super) fields: Vec<Field>,
}

/// The differences of a field, or of the whole array.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) path: String,
    pub(super) values: u64,
    pub(super) different: u64,
    /// Of these, NaN in both.
    pub(super) both_nan: u64,
    pub(super) first: Option<First>,
    pub(super) absolute: Option<Largest>,
    pub(super) relative: Option<Largest>,
}

impl Field {
    /// Without a difference so far.
    pub(super) fn new(path: String, values: u64) -> Self {
        Self { path, values, different: 0, both_nan: 0, first: None, absolute: None, relative: None }
    }

    /// Adds a difference at an index, which has this position in C order.
    pub(super) fn add(&mut self, verdict: Verdict, position: u64, index: Vec<usize>, values: impl FnOnce() -> [String; 2]) {
        self.different += 1;
        self.both_nan += u64::from(verdict == Verdict::BothNan);
        if let Verdict::Different(absolute, relative) = verdict {
            raise(&mut self.absolute, absolute, position, &index);
            raise(&mut self.relative, relative, position, &index);
        }
        if self.first.as_ref().is_none_or(|first| position < first.position) {
            self.first = Some(First { position, index, values: values() });
        }
    }
}

/// The first difference in C order.
#[derive(Debug)]
pub(super) struct First {
    position: u64,
    pub(super) index: Vec<usize>,
    pub(super) values: [String; 2],
}

/// The largest error, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Largest {
    pub(super) error: f64,
    position: u64,
    pub(super) index: Vec<usize>,
}

impl Comparison {
    pub(super) fn is_equal(&self) -> bool {
        self.problems.is_empty() && self.fields.iter().all(|field| field.different == 0)
    }
}

/// Keeps the larger of two errors; of equal ones the first in C order.
fn raise(largest: &mut Option<Largest>, error: Option<f64>, position: u64, index: &[usize]) {
    let Some(error) = error else { return };
    let is_larger = largest.as_ref().is_none_or(|known| error > known.error || (error >= known.error && position < known.position));
    if is_larger {
        *largest = Some(Largest { error, position, index: index.to_vec() });
    }
}
