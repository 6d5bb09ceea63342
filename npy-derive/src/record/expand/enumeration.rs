//! An enum without data: the integer of its `repr`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::super::model::Model;
use super::Locals;

pub(super) fn expand(model: &Model<'_>, locals: &Locals, variants: &[&Ident]) -> TokenStream {
    // There is one, as was checked.
    let Some(integer) = &model.repr.integer else { return TokenStream::new() };
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    let ident = model.ident;
    let Locals { bytes, dtype, number, plan, planner, .. } = locals;
    let element = quote!(<#integer as __npy::NpyElement>);
    let encode = if variants.is_empty() {
        quote!(match *self {})
    } else {
        quote! {
            let #number = match self {
                #(Self::#variants => Self::#variants as #integer,)*
            };
            #element::encode(&#number, #plan, #bytes)
        }
    };
    let sends = super::sends();
    let bulk = model.attrs.view.is_given().then(|| {
        quote!(
            const BULK: __npy::Option<__npy::Bulk<Self>> = __npy::bulk_of_view::<Self>();
        )
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics __npy::NpyElement for #ident #type_generics #where_clause {
            type Plan = #element::Plan;
            type Widened = __npy::AsIs;
            const LITTLE: __npy::Option<__npy::Layout<#element::Plan>> = #element::LITTLE;
            const BIG: __npy::Option<__npy::Layout<#element::Plan>> = #element::BIG;
            const ALIGNMENT: usize = #element::ALIGNMENT;
            #sends
            #bulk

            fn dtype() -> __npy::DType {
                #element::dtype()
            }

            fn plan(#dtype: &__npy::DType, #planner: &mut __npy::Planner) -> __npy::Option<#element::Plan> {
                #element::plan(#dtype, #planner)
            }

            #[inline(always)]
            fn decode(#plan: &#element::Plan, #bytes: &[u8]) -> __npy::Result<Self, __npy::ValueError> {
                let #number = #element::decode(#plan, #bytes)?;
                #(
                    if #number == Self::#variants as #integer {
                        return __npy::Ok(Self::#variants);
                    }
                )*
                __npy::Err(__npy::unknown_variant::<Self>(#number))
            }

            #[inline(always)]
            fn encode(&self, #plan: &#element::Plan, #bytes: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
                #encode
            }
        }
    }
}
