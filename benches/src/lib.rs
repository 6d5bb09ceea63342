//! What the benchmarks share: rounds in which the candidates take turns, and medians of them.

use std::time::{Duration, Instant};

/// Runs the candidates in turn, round after round, and prints the median time of each beside its ratio to the first.
///
/// The ratio is the median of the ratios within each round, so that a machine that is slow for a while slows all of them.
pub fn compare(title: &str, rounds: usize, candidates: &mut [(&str, &mut dyn FnMut())]) {
    let mut times = vec![Vec::with_capacity(rounds); candidates.len()];
    for round in 0..=rounds {
        for (times, (_, run)) in times.iter_mut().zip(candidates.iter_mut()) {
            let began = Instant::now();
            run();
            // The first round warms up.
            if round > 0 {
                times.push(began.elapsed());
            }
        }
    }
    println!("{title}");
    for (i, (name, _)) in candidates.iter().enumerate() {
        let ratios = times[i].iter().zip(&times[0]).map(|(own, first)| own.as_secs_f64() / first.as_secs_f64());
        println!("  {name:40} {:>12.3?}   {:.3}", median(times[i].clone()), median_of(ratios.collect()));
    }
}

/// The median time of one call, measured in batches.
pub fn time_of(calls: u32, mut run: impl FnMut()) -> Duration {
    let batch = |_| {
        let began = Instant::now();
        (0..calls).for_each(|_| run());
        began.elapsed() / calls
    };
    median((0..21).map(batch).collect())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn median_of(mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}
