//! How many of many cases a test tries.

/// Every `apart`-th case, beginning with the first; all where `NPY_ROUNDS` is at least `apart`, as in `.ci/run`.
pub(crate) fn some<T>(cases: impl IntoIterator<Item = T>, apart: usize) -> impl Iterator<Item = T> {
    let rounds: usize = std::env::var("NPY_ROUNDS").map_or(1, |text| text.parse().unwrap());
    assert!((1..=10).contains(&apart), "all cases are tried with NPY_ROUNDS=10");
    cases.into_iter().step_by((apart / rounds.max(1)).max(1))
}
