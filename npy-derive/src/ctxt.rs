//! Collects errors, so that all mistakes in a struct are reported at once.

use std::cell::RefCell;
use std::fmt::Display;

use quote::ToTokens;

/// The errors found so far.
pub(crate) struct Ctxt {
    errors: RefCell<Vec<syn::Error>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::default() }
    }

    /// Adds an error about `tokens`, which the compiler underlines.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn add(&self, error: syn::Error) {
        self.errors.borrow_mut().push(error);
    }

    /// Joins all errors into one.
    pub(crate) fn finish(self) -> syn::Result<()> {
        let combine = |mut all: syn::Error, error| {
            all.combine(error);
            all
        };
        self.errors.into_inner().into_iter().reduce(combine).map_or(Ok(()), Err)
    }
}
