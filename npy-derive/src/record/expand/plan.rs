//! The plan of a struct: where each field lies in a record of the file.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Ident};

use super::super::model::{Field, Model};
use crate::hygiene::hygienic;

/// A field that is in the file.
pub(super) struct Column<'a> {
    pub(super) field: &'a Field<'a>,
    /// The type that stores it.
    pub(super) codec: TokenStream,
    /// The type of its plan, if it is not absent.
    pub(super) plan_type: TokenStream,
    /// Its name in the plan.
    pub(super) plan: Ident,
    pub(super) may_be_absent: bool,
}

/// The struct of the plans of all fields. A public struct needs one, because the plan of a field
/// may be private.
pub(super) struct Plan<'a> {
    model: &'a Model<'a>,
    generics: &'a Generics,
    pub(super) ident: Ident,
    pub(super) columns: Vec<Column<'a>>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(model: &'a Model<'a>, generics: &'a Generics) -> Self {
        let columns = model.stored().map(|field| {
            let ty = &field.ty;
            let codec = field.codec(&model.generics);
            let codec_argument = (!field.is_plain()).then(|| quote!(, #codec));
            let plan_type = quote_spanned!(field.source.ty.span()=> __private::FieldPlan<#ty #codec_argument>);
            Column { field, codec, plan_type, plan: field.plan_ident(), may_be_absent: model.may_be_absent(field) }
        });
        Self { model, generics, ident: format_ident!("__{}Plan", model.ident), columns: columns.collect() }
    }

    /// A parameter of the struct may occur in no field that is in the file.
    fn has_marker(&self) -> bool {
        self.generics.type_params().next().is_some()
    }

    /// A literal of the plan, with `value` for each field.
    pub(super) fn literal(&self, name: &TokenStream, value: impl Fn(&Column<'_>) -> TokenStream) -> TokenStream {
        let fields = self.columns.iter().map(|column| {
            let (plan, value) = (&column.plan, value(column));
            quote!(#plan: #value,)
        });
        let marker = self.has_marker().then(|| quote!(__of: ::core::marker::PhantomData,));
        quote!(#name { #(#fields)* #marker })
    }

    /// The struct, and its values that are known at compile time.
    pub(super) fn items(&self) -> TokenStream {
        let (impl_generics, type_generics, where_clause) = self.generics.split_for_impl();
        let (ident, of) = (&self.ident, self.model.ident);
        let fields = self.columns.iter().map(|Column { plan, plan_type, may_be_absent, .. }| {
            if *may_be_absent { quote!(#plan: ::core::option::Option<#plan_type>,) } else { quote!(#plan: #plan_type,) }
        });
        let marker = self.has_marker().then(|| quote!(__of: ::core::marker::PhantomData<fn() -> #of #type_generics>,));
        let names = self.columns.iter().map(|column| &column.plan);
        let place = self.place();
        quote! {
            pub struct #ident #impl_generics #where_clause {
                #(#fields)*
                #marker
            }

            __private::plan! { [#impl_generics] [#ident #type_generics] [#where_clause] [#(#names)*] #place }
        }
    }

    /// The function that finds the layout of the struct's own dtype.
    fn place(&self) -> TokenStream {
        let attrs = &self.model.attrs;
        let places = self.columns.iter().map(|Column { field, .. }| {
            let variable = field.variable();
            let at = field.attrs.offset.get().map(|offset| hygienic!(cursor.at(#offset);));
            hygienic! {
                #at
                let ::core::option::Option::Some(#variable) = __private::FieldPlan::place(&mut cursor, order) else { return ::core::option::Option::None };
            }
        });
        let cursor = new_cursor(self.model);
        let finish = match attrs.itemsize.get() {
            Some(itemsize) => quote!(finish_at(#itemsize)),
            None => quote!(finish()),
        };
        let plan = self.literal(&quote!(Self), |Column { field, may_be_absent, .. }| {
            let variable = field.variable();
            if *may_be_absent { quote!(::core::option::Option::Some(#variable)) } else { quote!(#variable) }
        });
        hygienic! {
            const fn place(order: __npy::dtype::ByteOrder) -> ::core::option::Option<__private::Layout<Self>> {
                let mut cursor = #cursor;
                #(#places)*
                ::core::option::Option::Some(__private::Layout { itemsize: cursor.#finish, plan: #plan })
            }
        }
    }
}

/// The cursor at the first field of the struct.
pub(super) fn new_cursor(model: &Model<'_>) -> TokenStream {
    if model.attrs.align.is_given() { quote!(__private::Cursor::aligned()) } else { quote!(__private::Cursor::packed()) }
}
