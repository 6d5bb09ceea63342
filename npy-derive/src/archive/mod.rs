//! `#[derive(NpzArchive)]`: a struct for a whole archive, in the steps of `record`.

mod attr;
mod model;
mod expand;

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_quote};

use crate::ctxt::Ctxt;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::new();
    let model = model::Model::new(&ctxt, input);
    match (ctxt.finish(), model) {
        (Ok(()), Some(model)) => expand::expand(&model),
        (errors, _) => expand::fallback(input, errors.err()),
    }
}

/// Adds `crate = ::npy_ndarray::ndarray_0_16`, unless the struct has a `crate`.
pub(crate) fn in_0_16(mut input: DeriveInput) -> DeriveInput {
    if !attr::ContainerAttrs::parse(&Ctxt::new(), &input.attrs).has_crate() {
        input.attrs.push(parse_quote!(#[npy(crate = ::npy_ndarray::ndarray_0_16)]));
    }
    input
}
