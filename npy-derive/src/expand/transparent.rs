//! A newtype, or a struct with `#[npy(transparent)]`: what its only field is.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Generics;

use super::Locals;
use super::record::with_items;
use crate::model::{Absent, Field, Model};

pub(super) fn expand(model: &Model<'_>, generics: &Generics, locals: &Locals, fields: &[Field<'_>]) -> TokenStream {
    // There is one, as was checked.
    let Some(inner) = fields.iter().find(|field| !field.is_skipped()) else { return TokenStream::new() };
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;
    let Locals { bytes, dtype, plan, planner, record, records, .. } = locals;
    let Field { member, ty, .. } = inner;
    let codec = inner.codec(&model.generics);
    let codec = quote!(<#codec as __npy::Codec<#ty>>);
    let marker = inner.attrs.with.get().map(|module| with_items(model, generics, ty, &inner.with_ident(), module));
    let bulk = model.attrs.view.is_given().then(|| {
        quote!(
            const BULK: __npy::Option<__npy::Bulk<Self>> = __npy::bulk_of_view::<Self>();
        )
    });
    let find = quote!(#codec::plan(#dtype, #planner));
    let values = quote!(__npy::Iterator::map(#records, |#record| &#record.#member));
    let dtype_of = (!model.repr.is_packed).then(|| {
        quote! {
            fn dtype_of<'record>(#records: impl __npy::Iterator<Item = &'record Self> + __npy::Clone) -> __npy::DType
            where
                Self: 'record,
            {
                #codec::dtype_of(#values)
            }
        }
    });
    let value = if model.repr.is_packed { quote!(&{ self.#member }) } else { quote!(&self.#member) };
    let others = |value: &TokenStream| {
        let others = fields.iter().map(|field| {
            let member = &field.member;
            match model.absent(field) {
                _ if !field.is_skipped() => quote!(#member: #value,),
                Absent::Function(path) => quote!(#member: #path(),),
                _ => quote!(#member: __npy::Default::default(),),
            }
        });
        quote!(Self { #(#others)* })
    };
    let decoded = others(&quote!(#codec::decode(#plan, #bytes)?));
    let some = others(&quote!(__value));
    quote! {
        #marker

        #[automatically_derived]
        impl #impl_generics __npy::NpyElement for #ident #type_generics #where_clause {
            type Plan = #codec::Plan;
            type Widened = __npy::AsIs;
            const LITTLE: __npy::Option<__npy::Layout<Self::Plan>> = #codec::LITTLE;
            const BIG: __npy::Option<__npy::Layout<Self::Plan>> = #codec::BIG;
            const ALIGNMENT: usize = #codec::ALIGNMENT;
            const VARIES: bool = #codec::VARIES;
            const HAS_NONE: bool = #codec::HAS_NONE;
            #bulk

            fn dtype() -> __npy::DType {
                #codec::dtype()
            }

            #dtype_of

            fn plan(#dtype: &__npy::DType, #planner: &mut __npy::Planner) -> __npy::Option<Self::Plan> {
                #find
            }

            #[inline(always)]
            fn decode(#plan: &Self::Plan, #bytes: &[u8]) -> __npy::Result<Self, __npy::ValueError> {
                __npy::Ok(#decoded)
            }

            #[inline(always)]
            fn encode(&self, #plan: &Self::Plan, #bytes: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
                #codec::encode(#value, #plan, #bytes)
            }

            #[inline(always)]
            fn decode_option(#plan: &Self::Plan, #bytes: &[u8]) -> __npy::Result<__npy::Option<Self>, __npy::ValueError> {
                __npy::Ok(match #codec::decode_option(#plan, #bytes)? {
                    __npy::Some(__value) => __npy::Some(#some),
                    __npy::None => __npy::None,
                })
            }

            fn encode_none(#plan: &Self::Plan, #bytes: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
                #codec::encode_none(#plan, #bytes)
            }
        }
    }
}
