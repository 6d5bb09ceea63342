//! Whether a derived type is `Send`, told by which of two associated constants applies.

use std::marker::PhantomData;

use crate::memory::slots::Sends;

/// Stands for a type whose `SENDS` is looked for.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

impl<T: Send> Probe<T> {
    /// The compiler takes this one before that of the trait, where it can prove the bound.
    pub const SENDS: Option<Sends<T>> = Some(Sends::new());
}

/// Where it cannot.
pub trait MayNotSend<T> {
    /// No proof.
    const SENDS: Option<Sends<T>> = None;
}

impl<T> MayNotSend<T> for Probe<T> {}
