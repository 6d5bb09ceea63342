//! A newtype, or a struct with `#[npy(transparent)]`: what its only field is.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Generics;

use super::super::model::{Absent, Field, Model};
use super::Locals;
use super::record::{Column, plan_items, relocate_fields, values_of, with_items};

pub(super) fn expand(model: &Model<'_>, generics: &Generics, locals: &Locals, fields: &[Field<'_>]) -> TokenStream {
    // There is one, as was checked.
    let Some(inner) = fields.iter().find(|field| !field.is_skipped()) else { return TokenStream::new() };
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;
    let Locals { bytes, dtype, field, plan, planner, record, records, .. } = locals;
    let Field { member, ty, .. } = inner;
    let codec = inner.codec(&model.generics);
    let codec = quote!(<#codec as __npy::Codec<#ty>>);
    let marker = inner.attrs.with.get().map(|module| with_items(model, generics, ty, &inner.with_ident(), module));
    // A type of its own: the plan of the field's type may not be shown where that type is private.
    let plan_ident = format_ident!("__{}Plan", ident);
    let columns = [Column::new(model, inner, false)];
    let plan_items = plan_items(model, &columns, generics, locals, &plan_ident);
    let relocate = relocate_fields(&columns, locals, &plan_ident);
    let plan_field = inner.plan_ident();
    let sends = super::sends();
    let bulk = model.attrs.view.is_given().then(|| {
        quote!(
            const BULK: __npy::Option<__npy::Bulk<Self>> = __npy::bulk_of_view::<Self>();
        )
    });
    let values = values_of(model, ty, &quote!(#records), record, member);
    let value = if model.repr.is_packed { quote!(&{ self.#member }) } else { quote!(&self.#member) };
    let construct = |value: &TokenStream| {
        let members = fields.iter().map(|field| {
            let member = &field.member;
            match model.absent(field) {
                _ if !field.is_skipped() => quote!(#member: #value,),
                Absent::Function(path) => quote!(#member: #path(),),
                _ => quote!(#member: __npy::Default::default(),),
            }
        });
        quote!(Self { #(#members)* })
    };
    let decoded = construct(&quote!(#plan.#plan_field.decode_flattened(#bytes)?));
    let some = construct(&quote!(#field));
    quote! {
        #plan_items
        #marker

        #[automatically_derived]
        impl #impl_generics __npy::NpyElement for #ident #type_generics #where_clause {
            type Plan = #plan_ident #type_generics;
            type Widened = __npy::AsIs;
            const LITTLE: __npy::Option<__npy::Layout<Self::Plan>> = #plan_ident::place(__npy::ByteOrder::Little);
            const BIG: __npy::Option<__npy::Layout<Self::Plan>> = #plan_ident::place(__npy::ByteOrder::Big);
            const ALIGNMENT: usize = #codec::ALIGNMENT;
            const VARIES: bool = #codec::VARIES;
            const HAS_NONE: bool = #codec::HAS_NONE;
            #sends
            #bulk

            fn dtype() -> __npy::DType {
                #codec::dtype()
            }

            fn dtype_of<'record>(#records: impl __npy::Iterator<Item = &'record Self> + __npy::Clone) -> __npy::DType
            where
                Self: 'record,
            {
                #codec::dtype_of(#values)
            }

            fn plan(#dtype: &__npy::DType, #planner: &mut __npy::Planner) -> __npy::Option<Self::Plan> {
                let #field = __npy::FieldPlan::whole(#dtype, #planner)?;
                __npy::Some(#plan_ident { #plan_field: #field, __of: __npy::PhantomData })
            }

            #relocate

            #[inline(always)]
            fn decode(#plan: &Self::Plan, #bytes: &[u8]) -> __npy::Result<Self, __npy::ValueError> {
                __npy::Ok(#decoded)
            }

            #[inline(always)]
            fn encode(&self, #plan: &Self::Plan, #bytes: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
                #plan.#plan_field.encode_flattened(#value, #bytes)
            }

            #[inline(always)]
            fn decode_option(#plan: &Self::Plan, #bytes: &[u8]) -> __npy::Result<__npy::Option<Self>, __npy::ValueError> {
                __npy::Ok(match #plan.#plan_field.decode_option(#bytes)? {
                    __npy::Some(#field) => __npy::Some(#some),
                    __npy::None => __npy::None,
                })
            }

            fn encode_none(#plan: &Self::Plan, #bytes: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
                #plan.#plan_field.encode_none(#bytes)
            }
        }
    }
}
