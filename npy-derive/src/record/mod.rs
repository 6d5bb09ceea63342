//! `#[derive(NpyRecord)]`: a struct for a structured dtype.
//!
//! `attr` parses `#[npy(...)]`, `dtype` the values of its `dtype`, `repr` `#[repr(...)]`. `model`
//! joins them with the fields, `check` applies the rules about several of them, `bound` infers the
//! where-clauses, `expand` writes the code.

pub(crate) mod dtype;
mod repr;
pub(crate) mod attr;
mod model;
mod check;
pub(crate) mod bound;
pub(crate) mod expand;

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_quote};

use crate::ctxt::Ctxt;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::new();
    let model = model::Model::new(&ctxt, input);
    if let Some(model) = &model {
        check::check(&ctxt, model);
    }
    match (ctxt.finish(), model) {
        (Ok(()), Some(model)) => expand::expand(&model),
        (errors, _) => expand::fallback(input, errors.err()),
    }
}

/// Adds `crate = ::npy_ndarray::npy_core`, unless the struct has a `crate`.
pub(crate) fn of_npy_ndarray(mut input: DeriveInput) -> DeriveInput {
    if attr::ContainerAttrs::parse(&Ctxt::new(), &input.attrs).krate.get().is_none() {
        input.attrs.push(parse_quote!(#[npy(crate = ::npy_ndarray::npy_core)]));
    }
    input
}
