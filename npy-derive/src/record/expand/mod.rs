//! Writes the code. What it looks like is in snapshots/expansion.rs.

mod enumeration;
mod record;
mod transparent;
mod view;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{DeriveInput, Ident, Path};

use super::attr::{ContainerAttrs, default_crate};
use super::bound;
use super::model::{Model, Shape};
use crate::ctxt::Ctxt;

/// The generated code's own variables. Their hygiene keeps them apart from whatever the struct's module has under these names.
struct Locals {
    bytes: Ident,
    cursor: Ident,
    dtype: Ident,
    field: Ident,
    layout: Ident,
    number: Ident,
    order: Ident,
    other: Ident,
    plan: Ident,
    planner: Ident,
    record: Ident,
    records: Ident,
}

impl Locals {
    fn new() -> Self {
        let local = |name| Ident::new(name, Span::mixed_site());
        Self {
            bytes: local("bytes"),
            cursor: local("cursor"),
            dtype: local("dtype"),
            field: local("field"),
            layout: local("layout"),
            number: local("number"),
            order: local("order"),
            other: local("other"),
            plan: local("plan"),
            planner: local("planner"),
            record: local("record"),
            records: local("records"),
        }
    }
}

/// The implementations for a type without mistakes.
pub(crate) fn expand(model: &Model<'_>) -> TokenStream {
    let locals = Locals::new();
    let generics = bound::with_bounds(model);
    let mut items = match &model.shape {
        Shape::Record(_) => record::expand(model, &generics, &locals),
        Shape::Transparent(fields) => transparent::expand(model, &generics, &locals, fields),
        Shape::Enum(variants) => enumeration::expand(model, &locals, variants),
    };
    if model.attrs.view.is_given() {
        items.extend(view::expand(model, &generics, &locals));
    }
    in_const(&model.krate, &items)
}

/// For a type with mistakes: the errors, and implementations that only keep the compiler from complaining about their absence.
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
                type Widened = __npy::AsIs;
                const LITTLE: __npy::Option<__npy::Layout<()>> = __npy::None;
                const BIG: __npy::Option<__npy::Layout<()>> = __npy::None;
                const ALIGNMENT: usize = 1;

                fn dtype() -> __npy::DType {
                    loop {}
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
                const NAMES: &'static [__npy::FieldName] = &[];

                fn plan_fields(record: __npy::FileRecord<'_>, planner: &mut __npy::Planner) -> __npy::Option<()> {
                    __npy::None
                }
            }
        },
    );
    quote!(#errors #implementations)
}

/// Whether the type is `Send`, as far as that can be proved where it is defined: for every parameter that it may have.
fn sends() -> TokenStream {
    quote! {
        const SENDS: __npy::Option<__npy::Sends<Self>> = {
            use __npy::MayNotSend as _;
            __npy::Probe::<Self>::SENDS
        };
    }
}

/// Keeps the names of generated items from the user's module, and the user's lints from the generated code.
pub(crate) fn in_const(krate: &Path, items: &TokenStream) -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(
            deprecated,
            missing_docs,
            non_camel_case_types,
            non_snake_case,
            non_upper_case_globals,
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
