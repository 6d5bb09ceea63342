//! The types whose loops cast other numbers, too: bools are cast as `u8`, `i8` as `i16`, half floats as `f32`.
//!
//! Callers of `cast` instantiate only these loops; the code that widens numbers is compiled once.

use std::any::Any;

#[cfg(feature = "complex")]
use num_complex::Complex;

use crate::error::Result;
use crate::memory::reserve_exact;
use crate::memory::vectors::{self, Loops};

/// The numbers of a block, which stays in the cache from loop to loop.
pub(super) const BLOCK: usize = 1024;

/// A cast to one type, by a loop for each type that has one.
#[doc(hidden)]
#[expect(unnameable_types, reason = "only casts use it")]
pub trait CastBlocks {
    /// The vector of converted numbers.
    fn converted(&mut self) -> &mut dyn Any;

    fn u8s(&mut self, numbers: &[u8]) -> Result<()>;
    fn u16s(&mut self, numbers: &[u16]) -> Result<()>;
    fn u32s(&mut self, numbers: &[u32]) -> Result<()>;
    fn u64s(&mut self, numbers: &[u64]) -> Result<()>;
    fn i16s(&mut self, numbers: &[i16]) -> Result<()>;
    fn i32s(&mut self, numbers: &[i32]) -> Result<()>;
    fn i64s(&mut self, numbers: &[i64]) -> Result<()>;
    fn f32s(&mut self, numbers: &[f32]) -> Result<()>;
    fn f64s(&mut self, numbers: &[f64]) -> Result<()>;
    #[cfg(feature = "complex")]
    fn c64s(&mut self, numbers: &[Complex<f32>]) -> Result<()>;
    #[cfg(feature = "complex")]
    fn c128s(&mut self, numbers: &[Complex<f64>]) -> Result<()>;
}

/// The method of `CastBlocks` for a type.
pub(super) type By<W> = fn(&mut dyn CastBlocks, &[W]) -> Result<()>;

/// Maps items, and casts the results block by block.
pub(super) fn cast_mapped<S, W: 'static>(
    items: &[S],
    map: impl Fn(&S) -> W + Copy,
    casts: &mut dyn CastBlocks,
    by: By<W>,
) -> Result<()> {
    if let Some(converted) = casts.converted().downcast_mut::<Vec<W>>() {
        vectors::run(Mapping { to: converted, items, map });
        return Ok(());
    }
    let mut mapped = Vec::new();
    reserve_exact(&mut mapped, items.len().min(BLOCK))?;
    for items in items.chunks(BLOCK) {
        mapped.clear();
        vectors::run(Mapping { to: &mut mapped, items, map });
        by(casts, &mapped)?;
    }
    Ok(())
}

struct Mapping<'a, S, W, F> {
    to: &'a mut Vec<W>,
    items: &'a [S],
    map: F,
}

impl<S, W, F: Fn(&S) -> W> Loops for Mapping<'_, S, W, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        vectors::extend(self.to, self.items.iter().map(self.map));
    }
}
