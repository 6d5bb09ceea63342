
/// Whether this mutant is the one of `NPY_MUTANT`; with `NPY_REACHED`, a directory that takes an empty file for each mutant that is reached.
#[doc(hidden)]
#[inline]
#[allow(missing_docs, clippy::all)]
pub fn mutant(index: u32) -> bool {
    use std::sync::atomic::{AtomicU32, AtomicU8, Ordering::Relaxed};
    const UNKNOWN: u32 = u32::MAX;
    const RECORD: u32 = u32::MAX - 1;
    static CHOSEN: AtomicU32 = AtomicU32::new(UNKNOWN);
    #[cold]
    fn slow(index: u32, chosen: u32) -> bool {
        static REACHED: [AtomicU8; 8192] = [const { AtomicU8::new(0) }; 8192];
        if chosen == UNKNOWN {
            let number = std::env::var("NPY_MUTANT").ok().map(|text| text.parse().unwrap());
            let record = if std::env::var_os("NPY_REACHED").is_some() { RECORD } else { RECORD - 1 };
            CHOSEN.store(number.unwrap_or(record), Relaxed);
            return mutant(index);
        }
        if REACHED[index as usize].swap(1, Relaxed) == 0 {
            let _ = std::fs::write(format!("{}/{index}", std::env::var("NPY_REACHED").unwrap()), "");
        }
        false
    }
    let chosen = CHOSEN.load(Relaxed);
    if chosen >= RECORD { slow(index, chosen) } else { chosen == index }
}
