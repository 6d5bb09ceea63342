//! Where-clauses: what a struct demands of the types of its fields.

use std::collections::HashSet;

use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, WherePredicate};

use crate::model::Model;

/// The struct's generics without defaults, with `FieldType: NpyElement` for the type of each field.
///
/// A bound on the field's type and not on a type parameter: `[T; 3]` may be an element under other conditions than `T`, and `T` may
/// stand only in a `PhantomData`, which is skipped. Types without parameters are among them, although such a bound is either always or
/// never true: where it is not, the compiler says so once, under the field's type, and takes the bound for granted in the rest of the
/// generated code.
pub(crate) fn with_bounds(model: &Model<'_>) -> Generics {
    let mut generics = without_defaults(model.generics);
    let mut seen = HashSet::new();
    let clause = generics.make_where_clause();
    for ty in model.stored().map(|field| field.ty) {
        if seen.insert(ty.to_token_stream().to_string()) {
            let predicate = quote_spanned!(ty.span()=> #ty: __npy::NpyElement);
            // Always one.
            clause.predicates.extend(syn::parse2::<WherePredicate>(predicate));
        }
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
