//! Peak memory of this process, as Linux counts it.

use std::fs;

/// Whether the system reports peak memory.
pub(crate) fn is_known() -> bool {
    reset_peak() && peak().is_some()
}

/// The peak memory of a run in bytes, beyond what was in use before.
///
/// Counts all threads, and only pages that were touched.
pub(crate) fn peak_memory_of(run: &mut dyn FnMut()) -> f64 {
    reset_peak();
    let before = peak().unwrap_or(f64::NAN);
    run();
    peak().unwrap_or(f64::NAN) - before
}

/// Resets the peak to what is in use now.
fn reset_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The peak, in bytes.
fn peak() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0)
}

/// Held by tests that measure memory or take much of it: the process has only one peak.
#[cfg(test)]
pub(crate) static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_counts_touched_pages() {
        if !is_known() {
            return;
        }
        let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let size = 256 << 20;
        let used = peak_memory_of(&mut || drop(std::hint::black_box(vec![1_u8; size])));
        // Other tests of the process may take some memory meanwhile.
        assert!((0.9..2.0).contains(&(used / size as f64)), "{used}");
    }
}
