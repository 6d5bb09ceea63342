//! Loops that are compiled twice on x86-64: for every processor, and for those with vectors of 32 bytes.

/// Loops over memory. A trait and not a closure, because only a method can be inlined for certain: what is not
/// inlined is compiled for every processor.
pub(crate) trait Loops {
    type Output;

    /// Runs them. To be marked with `#[inline(always)]`, and all that it calls in a loop.
    fn run(self) -> Self::Output;
}

/// Runs loops by the widest vectors that the processor has.
pub(crate) fn run<L: Loops>(loops: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function needs.
        return unsafe { run_by_avx2(loops) };
    }
    loops.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_by_avx2<L: Loops>(loops: L) -> L::Output {
    loops.run()
}
