//! Where-clauses: what a generic struct demands of its parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericParam, Generics, Path, parse_quote};

use crate::model::Model;

/// The struct's generics, with `FieldType: NpyElement` for each field whose type mentions a type parameter, and no defaults.
///
/// A bound on the field's type and not on the parameter: `[T; 3]` may be an element under other conditions than `T`, and `T` may
/// stand only in a `PhantomData`, which is skipped.
pub(crate) fn with_bounds(model: &Model<'_>, alias: &Path) -> Generics {
    let mut generics = without_defaults(model.generics);
    let parameters: Vec<_> = model.generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let bounded = model.stored().filter(|field| mentions(field.ty.to_token_stream(), &parameters));
    let types: Vec<_> = bounded.map(|field| field.ty).collect();
    let clause = generics.make_where_clause();
    for ty in types {
        clause.predicates.push(parse_quote!(#ty: #alias::NpyElement));
    }
    generics
}

/// Defaults of parameters may not stand in an `impl`.
pub(crate) fn without_defaults(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => {
                parameter.default = None;
            }
            GenericParam::Const(parameter) => {
                parameter.default = None;
            }
            GenericParam::Lifetime(_) => {}
        }
    }
    generics
}

fn mentions(tokens: TokenStream, parameters: &[syn::Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => parameters.contains(&ident),
        TokenTree::Group(group) => mentions(group.stream(), parameters),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
