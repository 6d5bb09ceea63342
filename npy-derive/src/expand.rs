//! Writes the code.
//!
//! For
//!
//! ```text
//! struct Pick { time: f64, #[npy(default)] quality: u8, #[npy(skip)] cache: Vec<u8> }
//! ```
//!
//! it is, without the attributes and with `npy` for the path of `npy_core::__private`:
//!
//! ```text
//! pub struct PickPlan { time: npy::FieldPlan<f64>, quality: Option<npy::FieldPlan<u8>> }
//!
//! impl PickPlan {
//!     const fn place(order: npy::ByteOrder) -> Option<npy::Layout<Self>> {
//!         let mut itemsize = 0;
//!         let Some(__time) = npy::FieldPlan::place(&mut itemsize, order) else { return None };
//!         let Some(__quality) = npy::FieldPlan::place(&mut itemsize, order) else { return None };
//!         Some(npy::Layout { itemsize, plan: PickPlan { time: __time, quality: Some(__quality) } })
//!     }
//! }
//!
//! impl npy::NpyElement for Pick {
//!     type Plan = PickPlan;
//!     const LITTLE: Option<npy::Layout<PickPlan>> = PickPlan::place(npy::ByteOrder::Little);
//!     const BIG: Option<npy::Layout<PickPlan>> = PickPlan::place(npy::ByteOrder::Big);
//!
//!     fn dtype() -> npy::DType {
//!         npy::packed([("time", <f64 as npy::NpyElement>::dtype()), ("quality", <u8 as npy::NpyElement>::dtype())])
//!     }
//!
//!     fn plan(dtype: &npy::DType, planner: &mut npy::Planner) -> Option<PickPlan> {
//!         let record = npy::expect_record::<Self>(dtype, planner)?;
//!         let __time = npy::FieldPlan::find(record, "time", 0, planner);
//!         let __quality = npy::FieldPlan::find_if_there(record, "quality", 1, planner);
//!         Some(PickPlan { time: __time?, quality: __quality? })
//!     }
//!
//!     fn decode(plan: &PickPlan, record: &[u8]) -> Result<Self, npy::ValueError> {
//!         Ok(Pick {
//!             time: plan.time.decode("time", record)?,
//!             quality: match plan.quality {
//!                 Some(field) => field.decode("quality", record)?,
//!                 None => Default::default(),
//!             },
//!             cache: Default::default(),
//!         })
//!     }
//!
//!     fn encode(&self, plan: &PickPlan, record: &mut [u8]) -> Result<(), npy::ValueError> {
//!         plan.time.encode("time", &self.time, record)?;
//!         if let Some(field) = plan.quality {
//!             field.encode("quality", &self.quality, record)?;
//!         }
//!         Ok(())
//!     }
//! }
//! ```
//!
//! The plan says where in the file's record each field is. When file and struct have the same layout it is the constant `LITTLE` (or
//! `BIG`), and the loop over the records has all offsets and widths as constants.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Ident, Path};

use crate::attr::{ContainerAttrs, DefaultValue, default_crate};
use crate::bound;
use crate::ctxt::Ctxt;
use crate::model::{Field, Model};

/// The generated code's own variables. Their hygiene keeps them apart from whatever the struct's module has under these names.
struct Locals {
    field: Ident,
    record: Ident,
    planner: Ident,
    plan: Ident,
    order: Ident,
    itemsize: Ident,
}

impl Locals {
    fn new() -> Self {
        let local = |name| Ident::new(name, Span::mixed_site());
        Self {
            field: local("field"),
            record: local("record"),
            planner: local("planner"),
            plan: local("plan"),
            order: local("order"),
            itemsize: local("itemsize"),
        }
    }
}

/// The implementations for a struct without mistakes.
pub(crate) fn expand(model: &Model<'_>) -> TokenStream {
    let generics = bound::with_bounds(model);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let Model { ident, krate, .. } = model;
    let plan_ident = format_ident!("__{}Plan", ident);
    let locals = Locals::new();
    let Locals { record, plan, .. } = &locals;

    let plan_items = expand_plan(model, &locals, &plan_ident, &generics);
    let dtype = expand_dtype(model);
    let dtype_of = expand_dtype_of(model, &locals);
    let find = expand_find(model, &locals, &plan_ident);
    let decode = model.fields.iter().map(|field| decode_field(field, &locals));
    let encode = model.stored().map(|field| encode_field(field, &locals));
    let names = model.stored().map(|field| &field.name);

    in_const(
        krate,
        &quote! {
            #plan_items

            #[automatically_derived]
            impl #impl_generics __npy::NpyElement for #ident #type_generics #where_clause {
                type Plan = #plan_ident #type_generics;
                const LITTLE: __npy::Option<__npy::Layout<Self::Plan>> = #plan_ident::place(__npy::ByteOrder::Little);
                const BIG: __npy::Option<__npy::Layout<Self::Plan>> = #plan_ident::place(__npy::ByteOrder::Big);

                fn dtype() -> __npy::DType {
                    #dtype
                }

                #dtype_of

                #find

                #[inline(always)]
                fn decode(#plan: &Self::Plan, #record: &[u8]) -> __npy::Result<Self, __npy::ValueError> {
                    __npy::Ok(Self { #(#decode)* })
                }

                #[inline(always)]
                fn encode(&self, #plan: &Self::Plan, #record: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
                    #(#encode)*
                    __npy::Ok(())
                }
            }

            #[automatically_derived]
            impl #impl_generics __npy::NpyRecord for #ident #type_generics #where_clause {
                const FIELDS: &'static [&'static str] = &[#(#names),*];
            }
        },
    )
}

/// For a struct with mistakes: the errors, and implementations that only keep the compiler from complaining about their absence.
pub(crate) fn fallback(input: &DeriveInput, errors: Option<syn::Error>) -> TokenStream {
    let errors = errors.map(syn::Error::into_compile_error);
    // Its mistakes are reported already.
    let krate = ContainerAttrs::parse(&Ctxt::new(), &input.attrs).krate.get().cloned().unwrap_or_else(default_crate);
    let ident = &input.ident;
    let generics = bound::without_defaults(&input.generics);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let implementations = in_const(
        &krate,
        &quote! {
            #[automatically_derived]
            impl #impl_generics __npy::NpyElement for #ident #type_generics #where_clause {
                type Plan = ();
                const LITTLE: __npy::Option<__npy::Layout<()>> = __npy::None;
                const BIG: __npy::Option<__npy::Layout<()>> = __npy::None;

                fn dtype() -> __npy::DType {
                    __npy::packed([])
                }

                fn plan(dtype: &__npy::DType, planner: &mut __npy::Planner) -> __npy::Option<()> {
                    __npy::None
                }

                fn decode(plan: &(), record: &[u8]) -> __npy::Result<Self, __npy::ValueError> {
                    loop {}
                }

                fn encode(&self, plan: &(), record: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
                    loop {}
                }
            }

            #[automatically_derived]
            impl #impl_generics __npy::NpyRecord for #ident #type_generics #where_clause {
                const FIELDS: &'static [&'static str] = &[];
            }
        },
    );
    quote!(#errors #implementations)
}

/// Keeps the names of generated items from the user's module, and the user's lints from the generated code.
fn in_const(krate: &Path, items: &TokenStream) -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(
            deprecated,
            missing_docs,
            non_camel_case_types,
            non_snake_case,
            private_bounds,
            private_interfaces,
            trivial_bounds,
            unnameable_types,
            unreachable_pub,
            unused_qualifications,
            unused_variables,
            clippy::all,
            clippy::nursery,
            clippy::pedantic,
            clippy::restriction
        )]
        const _: () = {
            use #krate::__private as __npy;
            #items
        };
    }
}

/// A variable for a field. Not the field's own name, which may be that of a constant or a variant in the struct's module.
fn variable(ident: &Ident) -> Ident {
    format_ident!("__{}", ident)
}

/// The struct that says where each field is, and its values that are known at compile time.
fn expand_plan(model: &Model<'_>, locals: &Locals, plan_ident: &Ident, generics: &syn::Generics) -> TokenStream {
    let Locals { order, itemsize, .. } = locals;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let definitions = model.stored().map(|Field { ident, ty, attrs, .. }| {
        let plan = quote_spanned!(ty.span()=> __npy::FieldPlan<#ty>);
        if attrs.default.get().is_some() { quote!(#ident: __npy::Option<#plan>,) } else { quote!(#ident: #plan,) }
    });
    let equal = model.stored().map(|Field { ident, .. }| quote!(self.#ident == other.#ident &&));
    let places = model.stored().map(|Field { ident, .. }| {
        let variable = variable(ident);
        quote! {
            let __npy::Some(#variable) = __npy::FieldPlan::place(&mut #itemsize, #order) else { return __npy::None };
        }
    });
    let values = model.stored().map(|Field { ident, attrs, .. }| {
        let variable = variable(ident);
        if attrs.default.get().is_some() { quote!(#ident: __npy::Some(#variable),) } else { quote!(#ident: #variable,) }
    });
    // A parameter may stand in no field but a skipped one.
    let ident = model.ident;
    let marker = (!model.generics.params.is_empty()).then(|| quote!(__of: __npy::PhantomData<fn() -> #ident #type_generics>,));
    let marker_value = marker.is_some().then(|| quote!(__of: __npy::PhantomData,));
    quote! {
        pub struct #plan_ident #impl_generics #where_clause {
            #(#definitions)*
            #marker
        }

        impl #impl_generics __npy::Clone for #plan_ident #type_generics #where_clause {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl #impl_generics __npy::Copy for #plan_ident #type_generics #where_clause {}

        impl #impl_generics __npy::PartialEq for #plan_ident #type_generics #where_clause {
            fn eq(&self, other: &Self) -> bool {
                #(#equal)* true
            }
        }

        impl #impl_generics #plan_ident #type_generics #where_clause {
            const fn place(#order: __npy::ByteOrder) -> __npy::Option<__npy::Layout<Self>> {
                let mut #itemsize = 0;
                #(#places)*
                __npy::Some(__npy::Layout { itemsize: #itemsize, plan: Self { #(#values)* #marker_value } })
            }
        }
    }
}

fn expand_dtype(model: &Model<'_>) -> TokenStream {
    let fields = model.stored().map(|Field { name, ty, .. }| quote!((#name, <#ty as __npy::NpyElement>::dtype()),));
    quote!(__npy::packed([#(#fields)*]))
}

/// The dtype that holds given records: of text without a fixed width, the width is that of the longest.
fn expand_dtype_of(model: &Model<'_>, locals: &Locals) -> TokenStream {
    let record = &locals.record;
    let fields = model.stored().map(|Field { ident, name, ty, .. }| {
        quote! {
            (#name, __npy::dtype_of::<#ty>(__npy::Iterator::map(__npy::Clone::clone(&records), |#record| &#record.#ident))),
        }
    });
    quote! {
        fn dtype_of<'record>(records: impl __npy::Iterator<Item = &'record Self> + __npy::Clone) -> __npy::DType
        where
            Self: 'record,
        {
            __npy::packed([#(#fields)*])
        }
    }
}

fn expand_find(model: &Model<'_>, locals: &Locals, plan_ident: &Ident) -> TokenStream {
    let Locals { record, planner, .. } = locals;
    let find = model.stored().enumerate().map(|(index, Field { ident, name, attrs, .. })| {
        let find = match attrs.default.get() {
            Some(_) => quote!(find_if_there),
            None => quote!(find),
        };
        let variable = variable(ident);
        quote!(let #variable = __npy::FieldPlan::#find(#record, #name, #index, #planner);)
    });
    // Only now, so that the mismatches of all fields are noted.
    let found = model.stored().map(|Field { ident, .. }| {
        let variable = variable(ident);
        quote!(#ident: #variable?,)
    });
    let marker = (!model.generics.params.is_empty()).then(|| quote!(__of: __npy::PhantomData,));
    quote! {
        fn plan(dtype: &__npy::DType, #planner: &mut __npy::Planner) -> __npy::Option<Self::Plan> {
            let #record = __npy::expect_record::<Self>(dtype, #planner)?;
            #(#find)*
            __npy::Some(#plan_ident { #(#found)* #marker })
        }
    }
}

fn decode_field(model: &Field<'_>, Locals { field, record, plan, .. }: &Locals) -> TokenStream {
    let Field { ident, name, attrs, .. } = model;
    let default = match attrs.default.get() {
        Some(DefaultValue::Function(path)) => quote!(#path()),
        Some(DefaultValue::Trait) | None => quote_spanned!(model.ty.span()=> __npy::Default::default()),
    };
    if model.is_skipped() {
        return quote!(#ident: #default,);
    }
    match attrs.default.get() {
        Some(_) => quote! {
            #ident: match #plan.#ident {
                __npy::Some(#field) => #field.decode(#name, #record)?,
                __npy::None => #default,
            },
        },
        None => quote!(#ident: #plan.#ident.decode(#name, #record)?,),
    }
}

fn encode_field(model: &Field<'_>, Locals { field, record, plan, .. }: &Locals) -> TokenStream {
    let Field { ident, name, attrs, .. } = model;
    match attrs.default.get() {
        Some(_) => quote! {
            if let __npy::Some(#field) = #plan.#ident {
                #field.encode(#name, &self.#ident, #record)?;
            }
        },
        None => quote!(#plan.#ident.encode(#name, &self.#ident, #record)?;),
    }
}
