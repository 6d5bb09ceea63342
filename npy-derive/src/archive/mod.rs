//! `#[derive(NpzArchive)]`: a struct for a whole archive. The way of a struct is that of a record: attributes, model, rules, code.

mod attr;
mod model;
mod expand;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::ctxt::Ctxt;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::new();
    let model = model::Model::new(&ctxt, input);
    match (ctxt.finish(), model) {
        (Ok(()), Some(model)) => expand::expand(&model),
        (errors, _) => expand::fallback(input, errors.err()),
    }
}
