//! Mean and standard deviation, merged from blocks.

/// The count, the mean, and the sum of squared deviations from it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    pub(super) count: u64,
    /// The exact sum of integers; 0 of floats.
    pub(super) sum: i128,
    /// An integer to which `mean` is added, so that large integers with a small spread lose nothing; 0 for floats.
    pub(super) base: i128,
    pub(super) mean: f64,
    /// The sum of squared deviations.
    pub(super) squares: f64,
}

impl Moments {
    /// Adds the moments of other values (Chan, Golub and LeVeque, 1979).
    pub(super) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let count = self.count.saturating_add(other.count);
        let delta = (other.base - self.base) as f64 + (other.mean - self.mean);
        let part = other.count as f64 / count as f64;
        // Means can be further apart than the greatest float.
        self.mean = if delta.is_finite() { self.mean + delta * part } else { self.mean * (1.0 - part) + other.mean * part };
        self.squares += other.squares + delta * delta * (self.count as f64 * part);
        self.count = count;
        self.sum += other.sum;
    }

    /// The standard deviation of the population, as `numpy.std` computes it.
    pub(super) fn std(&self) -> f64 {
        (self.squares / self.count as f64).sqrt()
    }
}

/// The moments of parts of the array, which are merged in their order at the end.
///
/// Rounding depends on the order; this way the result is the same for any number of threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Of the real and of the imaginary part.
    current: [Moments; 2],
    done: Vec<(u64, [Moments; 2])>,
}

impl Parts {
    pub(super) fn add(&mut self, block: &[Moments; 2]) {
        merge(&mut self.current, block);
    }

    /// Ends the part of this number.
    pub(super) fn end(&mut self, part: u64) {
        self.done.push((part, std::mem::take(&mut self.current)));
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.done.extend(other.done);
    }

    pub(super) fn total(mut self) -> [Moments; 2] {
        self.done.sort_by_key(|(part, _)| *part);
        let mut total = Default::default();
        self.done.iter().for_each(|(_, moments)| merge(&mut total, moments));
        total
    }
}

fn merge(moments: &mut [Moments; 2], others: &[Moments; 2]) {
    moments.iter_mut().zip(others).for_each(|(moments, others)| moments.merge(others));
}
