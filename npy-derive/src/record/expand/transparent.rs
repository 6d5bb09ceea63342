//! A newtype, or a struct with `#[npy(transparent)]`: the dtype of its only field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Generics;

use super::super::model::{Absent, Field, Model};
use super::plan::{Column, Plan};
use super::record::{conversions, value_of, values_of};
use crate::hygiene::hygienic;

pub(super) fn expand(model: &Model<'_>, generics: &Generics, fields: &[Field<'_>]) -> TokenStream {
    let plan = Plan::new(model, generics);
    // There is one, as was checked.
    let [Column { field, codec, plan: plan_field, .. }] = plan.columns.as_slice() else { return TokenStream::new() };
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;
    let Field { member, ty, .. } = field;
    let codec = quote!(<#codec as __private::Codec<#ty>>);
    let conversions = conversions(model, generics, field);
    let (plan_items, plan_ident) = (plan.items(), &plan.ident);
    let whole = plan.literal(&quote!(#plan_ident), |_| hygienic!(__private::FieldPlan::whole(dtype, planner)?));
    let proofs = super::proofs(model);
    let value = value_of(model, member);
    let values = values_of(model, ty, member);
    let element = super::element(ident, generics);
    let construct = |value: &TokenStream| {
        let members = fields.iter().map(|field| {
            let member = &field.member;
            match model.absent(field) {
                _ if !field.is_skipped() => quote!(#member: #value,),
                Absent::Function(path) => quote!(#member: #path(),),
                _ => quote!(#member: ::core::default::Default::default(),),
            }
        });
        quote!(Self { #(#members)* })
    };
    let decoded = construct(&hygienic!(plan.#plan_field.decode_flattened(bytes)?));
    let some = construct(&hygienic!(field));
    hygienic! {
        #plan_items
        #conversions

        #element

        #[automatically_derived]
        impl #impl_generics __private::Codec<Self> for #ident #type_generics #where_clause {
            type Plan = #plan_ident #type_generics;
            const LITTLE: ::core::option::Option<__private::Layout<Self::Plan>> = #plan_ident::place(__npy::dtype::ByteOrder::Little);
            const BIG: ::core::option::Option<__private::Layout<Self::Plan>> = #plan_ident::place(__npy::dtype::ByteOrder::Big);
            const ALIGNMENT: usize = #codec::ALIGNMENT;
            const VARIES: bool = #codec::VARIES;
            const GROWS: bool = #codec::GROWS;
            const HAS_NONE: bool = #codec::HAS_NONE;
            #proofs

            fn dtype() -> __npy::DType {
                #codec::dtype()
            }

            fn dtype_of<'record>(records: ::core::option::Option<impl ::core::iter::Iterator<Item = &'record Self> + ::core::clone::Clone>) -> __npy::DType
            where
                Self: 'record,
            {
                #codec::dtype_of(#values)
            }

            fn plan(dtype: &__npy::DType, planner: &mut __private::Planner) -> ::core::option::Option<Self::Plan> {
                ::core::option::Option::Some(#whole)
            }

            #[inline(always)]
            fn decode(plan: &Self::Plan, bytes: &[u8]) -> ::core::result::Result<Self, __npy::error::ValueError> {
                ::core::result::Result::Ok(#decoded)
            }

            #[inline(always)]
            fn encode(value: &Self, plan: &Self::Plan, bytes: &mut [u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
                plan.#plan_field.encode_flattened(#value, bytes)
            }

            #[inline(always)]
            fn decode_option(plan: &Self::Plan, bytes: &[u8]) -> ::core::result::Result<::core::option::Option<Self>, __npy::error::ValueError> {
                ::core::result::Result::Ok(match plan.#plan_field.decode_option(bytes)? {
                    ::core::option::Option::Some(field) => ::core::option::Option::Some(#some),
                    ::core::option::Option::None => ::core::option::Option::None,
                })
            }

            fn encode_none(plan: &Self::Plan, bytes: &mut [u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
                plan.#plan_field.encode_none(bytes)
            }
        }
    }
}
