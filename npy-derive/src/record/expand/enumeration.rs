//! An enum without data: the integer of its `repr`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::super::model::Model;
use crate::hygiene::hygienic;

pub(super) fn expand(model: &Model<'_>, variants: &[&Ident]) -> TokenStream {
    // There is one, as was checked.
    let Some(integer) = &model.repr.integer else { return TokenStream::new() };
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    let ident = model.ident;
    // Not `Self::Plan`, which may be a variant.
    let element = quote!(<#integer as __private::Codec<#integer>>);
    let encode = if variants.is_empty() {
        quote!(match *value {})
    } else {
        hygienic! {
            let number = match value {
                #(Self::#variants => Self::#variants as #integer,)*
            };
            #element::encode(&number, plan, bytes)
        }
    };
    let proofs = super::proofs(model);
    let own_element = super::element(ident, &model.generics);
    hygienic! {
        #own_element

        #[automatically_derived]
        impl #impl_generics __private::Codec<Self> for #ident #type_generics #where_clause {
            type Plan = #element::Plan;
            const LITTLE: ::core::option::Option<__private::Layout<#element::Plan>> = #element::LITTLE;
            const BIG: ::core::option::Option<__private::Layout<#element::Plan>> = #element::BIG;
            const ALIGNMENT: usize = #element::ALIGNMENT;
            #proofs

            fn dtype() -> __npy::DType {
                #element::dtype()
            }

            fn plan(dtype: &__npy::DType, planner: &mut __private::Planner) -> ::core::option::Option<#element::Plan> {
                #element::plan(dtype, planner)
            }

            #[inline(always)]
            fn decode(plan: &#element::Plan, bytes: &[u8]) -> ::core::result::Result<Self, __npy::error::ValueError> {
                match #element::decode(plan, bytes)? {
                    #(number if number == Self::#variants as #integer => ::core::result::Result::Ok(Self::#variants),)*
                    number => ::core::result::Result::Err(__private::unknown_variant::<Self>(number, const { &[#((::core::stringify!(#variants), Self::#variants as ::core::primitive::i128),)*] })),
                }
            }

            #[inline(always)]
            fn encode(value: &Self, plan: &#element::Plan, bytes: &mut [u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
                #encode
            }
        }
    }
}
