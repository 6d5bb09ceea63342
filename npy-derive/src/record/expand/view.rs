//! `view`: the unsafe promise that the memory is the bytes of the file, and the proof beside it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Generics;

use super::super::model::{Model, Shape};
use super::join;
use super::record::check;
use crate::hygiene::hygienic;

pub(super) fn expand(model: &Model<'_>, generics: &Generics) -> TokenStream {
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;
    let items = match &model.shape {
        Shape::Enum(_) => for_enum(model),
        Shape::Transparent(_) => for_struct(model, &proof_of_transparent(model)),
        Shape::Record(_) => for_struct(model, &proof(model)),
    };
    // SAFETY of the generated code: `PROOF` fails the build unless every field has the offset and
    // the size in memory that it has in the file. Every field is `NpyView`, and `check` rejects
    // what one of them rejects. Padding is not shown. An enum has the size of its number, and
    // `check` rejects numbers without a variant.
    let force = generics.params.is_empty().then(|| check(ident, &quote!(VIEW)));
    quote! {
        #[automatically_derived]
        unsafe impl #impl_generics __npy::NpyView for #ident #type_generics #where_clause {
            #items
        }

        #force
    }
}

fn for_struct(model: &Model<'_>, proof: &TokenStream) -> TokenStream {
    let types: Vec<_> = model.stored().map(|field| &field.ty).collect();
    let sizes = types.iter().map(|ty| quote!(::core::mem::size_of::<#ty>()));
    let size = join(sizes, &quote!(+)).unwrap_or_else(|| quote!(0));
    let invalid = types.iter().map(|ty| quote!(<#ty as __npy::NpyView>::HAS_INVALID));
    let has_invalid = join(invalid, &quote!(||)).unwrap_or_else(|| quote!(false));
    let checks = model.stored().map(|field| {
        let (member, name, ty) = (&field.member, &field.name, &field.ty);
        if field.is_flattened() || matches!(model.shape, Shape::Transparent(_)) {
            hygienic!(__private::check_flattened::<#ty>(bytes, ::core::mem::offset_of!(Self, #member))?;)
        } else {
            hygienic!(__private::check_field::<#ty>(bytes, ::core::mem::offset_of!(Self, #member), #name)?;)
        }
    });
    hygienic! {
        const PROOF: () = #proof;
        const HAS_PADDING: bool = ::core::mem::size_of::<Self>() != #size #(|| <#types as __npy::NpyView>::HAS_PADDING)*;
        const HAS_INVALID: bool = #has_invalid;

        #[inline(always)]
        fn check(bytes: &[u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
            #(#checks)*
            ::core::result::Result::Ok(())
        }
    }
}

/// Proves that each field has the offset in memory that it has in the file.
fn proof(model: &Model<'_>) -> TokenStream {
    let ident = model.ident;
    let advice = if model.attrs.align.is_given() {
        "NumPy aligns it differently; a struct in this one may need `#[npy(align)]` too"
    } else {
        "add `#[npy(align)]` to write the padding that `repr(C)` has, or use `repr(C, packed)`"
    };
    let fields = model.stored().map(|field| {
        let (member, ty, plan) = (&field.member, &field.ty, field.plan_ident());
        let message = format!(
            "`{ident}` cannot be viewed: the offset of `{}` in memory is not that in the file; {advice}",
            field.rust_name()
        );
        hygienic!(__private::assert_field::<#ty>(layout.plan.#plan.offset() == ::core::mem::offset_of!(Self, #member), #message);)
    });
    let size = format!("`{ident}` cannot be viewed: its size in memory is not its itemsize in the file; {advice}");
    let varying = format!("`{ident}` cannot be viewed: its layout is not known at compile time");
    hygienic! {
        match __private::native::<Self>() {
            ::core::option::Option::Some(layout) => {
                #(#fields)*
                __private::assert_layout(layout.itemsize == ::core::mem::size_of::<Self>(), #size);
            }
            ::core::option::Option::None => __private::assert_layout(false, #varying),
        }
    }
}

/// Proves that the struct has the size of its field.
fn proof_of_transparent(model: &Model<'_>) -> TokenStream {
    let message = format!("`{}` cannot be viewed: it is larger than its field", model.ident);
    let fields = model.stored().map(|field| {
        let (member, ty) = (&field.member, &field.ty);
        quote! {
            __private::assert_field::<#ty>(
                ::core::mem::size_of::<Self>() == ::core::mem::size_of::<#ty>() && ::core::mem::offset_of!(Self, #member) == 0,
                #message,
            );
        }
    });
    quote!({ #(#fields)* })
}

/// Checks the number of an enum, which has to be a variant.
fn for_enum(model: &Model<'_>) -> TokenStream {
    let message = format!("`{}` cannot be viewed: it is larger than its number", model.ident);
    let integer = &model.repr.integer;
    hygienic! {
        // `repr(align)` makes it larger.
        const PROOF: () = __private::assert_layout(::core::mem::size_of::<Self>() == ::core::mem::size_of::<#integer>(), #message);
        const HAS_PADDING: bool = false;
        const HAS_INVALID: bool = true;

        fn check(bytes: &[u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
            if let ::core::option::Option::Some(layout) = const { __private::native::<Self>() } {
                <Self as __private::Codec<Self>>::decode(&layout.plan, bytes)?;
            }
            ::core::result::Result::Ok(())
        }
    }
}
