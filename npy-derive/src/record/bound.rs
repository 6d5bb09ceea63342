//! Where-clauses: the bounds on the types of fields.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, WherePredicate};

use super::model::{Absent, Field, Model};
use crate::meta::DefaultValue;
use crate::types::{in_option, mentions_parameter};

/// The generics of the struct without defaults, with the bounds on the types of its fields.
///
/// The bounds are not on type parameters: `[T; 3]` may be an element under other conditions than
/// `T`, and `T` may occur only in a skipped `PhantomData`. Types without parameters have bounds
/// too. The compiler reports a false one once, under the type of the field, and takes it for
/// granted in the rest of the generated code.
pub(crate) fn with_bounds(model: &Model<'_>) -> Generics {
    let mut generics = without_defaults(&model.generics);
    let predicates = match model.attrs.bound.get() {
        Some(predicates) => predicates.clone(),
        None => inferred(model),
    };
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

fn inferred(model: &Model<'_>) -> Vec<WherePredicate> {
    let mut seen = HashSet::new();
    let demands = of_struct(model).into_iter().chain(model.fields().iter().flat_map(|field| demands(model, field)));
    let distinct = demands.filter(|predicate| seen.insert(predicate.to_string()));
    // All of them are predicates.
    distinct.filter_map(|predicate| syn::parse2(predicate).ok()).collect()
}

/// The bound of a generic struct whose default provides fields.
fn of_struct(model: &Model<'_>) -> Option<TokenStream> {
    let is_generic = model.generics.type_params().next().is_some();
    let token =
        model.attrs.default.token().filter(|_| is_generic && matches!(model.attrs.default.get(), Some(DefaultValue::Trait)))?;
    let (ident, (_, type_generics, _)) = (model.ident, model.generics.split_for_impl());
    Some(quote_spanned!(token.span()=> #ident #type_generics: ::core::default::Default))
}

/// The bounds on the type of a field.
fn demands(model: &Model<'_>, field: &Field<'_>) -> Vec<TokenStream> {
    let ty = &field.ty;
    let span = field.source.ty.span();
    let mut demands = Vec::new();
    if matches!(model.absent(field), Absent::Default) && mentions_parameter(ty, &model.generics) {
        demands.push(quote_spanned!(span=> #ty: ::core::default::Default));
    }
    if field.is_skipped() {
        return demands;
    }
    let is_viewed = model.attrs.view.is_given();
    if is_viewed {
        demands.push(quote_spanned!(span=> #ty: __npy::NpyView));
    }
    if field.is_flattened() {
        demands.push(quote_spanned!(span=> #ty: __npy::NpyRecord));
    } else if field.is_as_is() && !is_viewed {
        let ty = in_option(ty).unwrap_or(ty);
        demands.push(quote_spanned!(span=> #ty: __npy::NpyElement));
    } else if let Some(dtype) = field.attrs.dtype.get() {
        let codec = field.codec(&model.generics);
        demands.push(quote_spanned!(dtype.text.span()=> #codec: __private::Codec<#ty>));
    }
    if field.attrs.widen.is_given() {
        demands.push(quote_spanned!(span=> #ty: __private::Widens));
    }
    demands
}

/// Removes the defaults of parameters, which an `impl` may not have.
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
