//! Writes the code. snapshots/expansion.rs shows it.

mod enumeration;
mod plan;
mod record;
mod transparent;
mod view;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Generics, Ident};

use super::attr::{ContainerAttrs, default_crate};
use super::bound;
use super::model::{Model, Shape};
use crate::ctxt::Ctxt;
use crate::hygiene::{hygienic, in_const};

/// The implementations for a type without mistakes.
pub(crate) fn expand(model: &Model<'_>) -> TokenStream {
    let generics = bound::with_bounds(model);
    let element = match &model.shape {
        Shape::Record(_) => record::expand(model, &generics),
        Shape::Transparent(fields) => transparent::expand(model, &generics, fields),
        Shape::Enum(variants) => enumeration::expand(model, variants),
    };
    let view = model.attrs.view.is_given().then(|| view::expand(model, &generics));
    in_const(&model.krate, &quote!(use __private::Otherwise as _; #element #view))
}

/// For a type with mistakes: the errors, and stubs that keep the compiler from adding others.
pub(crate) fn fallback(input: &DeriveInput, errors: Option<syn::Error>) -> TokenStream {
    let errors = errors.map(syn::Error::into_compile_error);
    // Its mistakes are reported already.
    let attrs = ContainerAttrs::parse(&Ctxt::new(), &input.attrs);
    let krate = attrs.krate.get().cloned().unwrap_or_else(default_crate);
    let ident = &input.ident;
    let generics = bound::without_defaults(&input.generics);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let view = attrs.view.is_given().then(|| stub_of_view(ident, &generics));
    let element = element(ident, &generics);
    let implementations = in_const(
        &krate,
        &hygienic! {
            #element

            #[automatically_derived]
            impl #impl_generics __private::Codec<Self> for #ident #type_generics #where_clause {
                type Plan = ();
                const LITTLE: ::core::option::Option<__private::Layout<()>> = ::core::option::Option::None;
                const BIG: ::core::option::Option<__private::Layout<()>> = ::core::option::Option::None;
                const ALIGNMENT: usize = 1;

                fn dtype() -> __npy::DType {
                    loop {}
                }

                fn plan(dtype: &__npy::DType, planner: &mut __private::Planner) -> ::core::option::Option<()> {
                    ::core::option::Option::None
                }

                fn decode(plan: &(), record: &[u8]) -> ::core::result::Result<Self, __npy::error::ValueError> {
                    loop {}
                }

                fn encode(value: &Self, plan: &(), record: &mut [u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
                    loop {}
                }
            }

            #[automatically_derived]
            impl #impl_generics __npy::NpyRecord for #ident #type_generics #where_clause {
                const NAMES: &'static [__private::FieldName] = &[];

                fn plan_fields(record: __private::FileRecord<'_>, planner: &mut __private::Planner) -> ::core::option::Option<()> {
                    ::core::option::Option::None
                }
            }

            #view
        },
    );
    quote!(#errors #implementations)
}

/// The stub of `NpyView`.
fn stub_of_view(ident: &Ident, generics: &Generics) -> TokenStream {
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    hygienic! {
        #[automatically_derived]
        unsafe impl #impl_generics __npy::NpyView for #ident #type_generics #where_clause {
            const HAS_PADDING: bool = true;
            const HAS_INVALID: bool = true;

            fn check(bytes: &[u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
                loop {}
            }
        }
    }
}

/// A type that is its own codec.
fn element(ident: &Ident, generics: &Generics) -> TokenStream {
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics __npy::NpyElement for #ident #type_generics #where_clause {
            type Codec = Self;
            type Widened = Self;
        }
    }
}

/// The constants of an element that are proofs.
fn proofs(model: &Model<'_>) -> TokenStream {
    let bulk = model.attrs.view.is_given().then(|| {
        quote! {
            const BULK: ::core::option::Option<__private::Bulk<Self>> = __private::bulk_of_view::<Self>();
        }
    });
    quote! {
        const SENDS: ::core::option::Option<__private::Sends<Self>> = __private::Probe::<Self>::SENDS;
        #bulk
    }
}

/// Joins expressions by an operator.
fn join(parts: impl Iterator<Item = TokenStream>, operator: &TokenStream) -> Option<TokenStream> {
    parts.reduce(|all, part| quote!(#all #operator #part))
}
