//! `view`: the unsafe promise that the memory is the file's bytes, and beside it the proof, which fails the build.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Generics;

use super::super::model::{Model, Shape};
use super::Locals;

pub(super) fn expand(model: &Model<'_>, generics: &Generics, locals: &Locals) -> TokenStream {
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;
    let bytes = &locals.bytes;
    let items = match &model.shape {
        Shape::Enum(_) => for_enum(model, locals),
        Shape::Transparent(_) | Shape::Record(_) => {
            let proof = if matches!(model.shape, Shape::Record(_)) { proof(model, locals) } else { proof_of_transparent(model) };
            let types: Vec<_> = model.stored().map(|field| &field.ty).collect();
            let checks = model.stored().map(|field| {
                let (member, name, ty) = (&field.member, &field.name, &field.ty);
                if field.is_flattened() || matches!(model.shape, Shape::Transparent(_)) {
                    quote!(__npy::check_flattened::<#ty>(#bytes, __npy::offset_of!(Self, #member))?;)
                } else {
                    quote!(__npy::check_field::<#ty>(#bytes, __npy::offset_of!(Self, #member), #name)?;)
                }
            });
            quote! {
                const PROOF: () = #proof;
                const HAS_PADDING: bool =
                    __npy::size_of::<Self>() != 0 #(+ __npy::size_of::<#types>())* #(|| <#types as __npy::NpyView>::HAS_PADDING)*;
                const HAS_INVALID: bool = false #(|| <#types as __npy::NpyView>::HAS_INVALID)*;

                #[inline(always)]
                fn check(#bytes: &[u8]) -> __npy::Result<(), __npy::ValueError> {
                    #(#checks)*
                    __npy::Ok(())
                }
            }
        }
    };
    // SAFETY of what is written: `PROOF` fails the build unless every field lies in memory where it lies in the file and is as large, every
    // field is `NpyView` itself, `check` refuses what one of them refuses, and between them nothing is shown. An enum has the size of its
    // number, and `check` refuses those that are no variant.
    let force = generics.params.is_empty().then(|| quote!(const _: () = <#ident as __npy::NpyView>::PROOF;));
    quote! {
        #[automatically_derived]
        unsafe impl #impl_generics __npy::NpyView for #ident #type_generics #where_clause {
            #items
        }

        #force
    }
}

/// That each field of the struct lies in memory where it lies in the file.
fn proof(model: &Model<'_>, Locals { layout, .. }: &Locals) -> TokenStream {
    let ident = model.ident;
    let advice = if model.attrs.align.is_given() {
        "NumPy aligns it otherwise; a struct in this one may need `#[npy(align)]` too"
    } else {
        "add `#[npy(align)]` to write the padding that `repr(C)` has, or use `repr(C, packed)`"
    };
    let fields = model.stored().map(|field| {
        let (member, ty, plan) = (&field.member, &field.ty, field.plan_ident());
        let message =
            format!("`{ident}` cannot be viewed: `{}` lies elsewhere in memory than in the file; {advice}", field.rust_name());
        let inner = format!("`{ident}` cannot be viewed: `{}` takes more memory than it has bytes in the file", field.rust_name());
        quote! {
            __npy::assert_size::<#ty>(#inner);
            __npy::assert_layout(#layout.plan.#plan.offset() == __npy::offset_of!(Self, #member), #message);
        }
    });
    let size = format!("`{ident}` cannot be viewed: its size in memory is not its itemsize in the file; {advice}");
    let varying = format!("`{ident}` cannot be viewed: its layout is not known at compile time");
    quote! {{
        match __npy::native::<Self>() {
            __npy::Some(#layout) => {
                #(#fields)*
                __npy::assert_layout(#layout.itemsize == __npy::size_of::<Self>(), #size);
            }
            __npy::None => __npy::assert_layout(false, #varying),
        }
    }}
}

/// That the struct is nothing but its field.
fn proof_of_transparent(model: &Model<'_>) -> TokenStream {
    let message = format!("`{}` cannot be viewed: it is larger than its field", model.ident);
    let fields = model.stored().map(|field| {
        let (member, ty) = (&field.member, &field.ty);
        quote! {
            __npy::assert_size::<#ty>(#message);
            __npy::assert_layout(
                __npy::size_of::<Self>() == __npy::size_of::<#ty>() && __npy::offset_of!(Self, #member) == 0,
                #message,
            );
        }
    });
    quote!({ #(#fields)* })
}

/// An enum is its number, of which only those of variants are values.
fn for_enum(model: &Model<'_>, Locals { bytes, layout, .. }: &Locals) -> TokenStream {
    let message = format!("`{}` cannot be viewed: it is larger than its number", model.ident);
    let integer = &model.repr.integer;
    quote! {
        // `repr(align)` makes it larger.
        const PROOF: () = __npy::assert_layout(__npy::size_of::<Self>() == __npy::size_of::<#integer>(), #message);
        const HAS_PADDING: bool = false;
        const HAS_INVALID: bool = true;

        fn check(#bytes: &[u8]) -> __npy::Result<(), __npy::ValueError> {
            if let __npy::Some(#layout) = const { __npy::native::<Self>() } {
                <Self as __npy::NpyElement>::decode(&#layout.plan, #bytes)?;
            }
            __npy::Ok(())
        }
    }
}
