//! The memory of this process, as the system counts it.

use std::fs;

/// Whether the most that was in use can be told: on Linux.
pub(crate) fn is_known() -> bool {
    forget_most() && most().is_some()
}

/// How many bytes were in use at most while it ran, beyond what was before. All threads count, and only pages that were touched.
pub(crate) fn most_memory_of(run: &mut dyn FnMut()) -> f64 {
    forget_most();
    let before = most().unwrap_or(f64::NAN);
    run();
    most().unwrap_or(f64::NAN) - before
}

/// From here on, what is in use now counts as the most that was.
fn forget_most() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The most that was in use, in bytes.
fn most() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0)
}

/// Held by tests that measure memory, and by those that take much of it: what is measured is that of the whole process.
#[cfg(test)]
pub(crate) static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_touched_counts_until_it_is_given_back() {
        if !is_known() {
            return;
        }
        let _alone = ALONE.lock().unwrap();
        let size = 256 << 20;
        let used = most_memory_of(&mut || drop(std::hint::black_box(vec![1_u8; size])));
        assert!((used / size as f64 - 1.0).abs() < 0.1, "{used}");
    }
}
