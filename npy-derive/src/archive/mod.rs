//! `#[derive(NpzArchive)]`: a struct for a whole archive. The way of a struct is that of a record: attributes, model, rules, code.

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

/// The struct, with `crate = ::npy_ndarray::ndarray_0_16` unless it says where the trait is.
pub(crate) fn in_0_16(mut input: DeriveInput) -> DeriveInput {
    if !attr::ContainerAttrs::parse(&Ctxt::new(), &input.attrs).has_crate() {
        input.attrs.push(parse_quote!(#[npy(crate = ::npy_ndarray::ndarray_0_16)]));
    }
    input
}
