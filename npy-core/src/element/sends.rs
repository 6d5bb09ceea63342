//! Facts about some derived types, told by which of two associated constants applies.

use std::marker::PhantomData;

use super::codec::Codec;
use super::record::fields::NpyRecord;
use crate::memory::slots::Sends;

/// Represents a type. The compiler prefers these constants to those of [`Otherwise`] where it can
/// prove their bounds.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

impl<T: Send> Probe<T> {
    /// Proof that the type is `Send`.
    pub const SENDS: Option<Sends<T>> = Some(Sends::new());
}

impl<T: NpyRecord> Probe<T> {
    /// Fails the build if names are duplicate or an offset is invalid.
    pub const RECORD: () = {
        let _ = T::NAMES;
        let _ = T::Codec::LITTLE;
    };
}

/// The constants where the bounds do not hold. The compiler has reported why, if they must.
pub trait Otherwise<T> {
    /// No proof.
    const SENDS: Option<Sends<T>> = None;

    /// Nothing to check.
    const RECORD: () = ();

    /// Nothing to check.
    const VIEW: () = ();
}

impl<T> Otherwise<T> for Probe<T> {}
