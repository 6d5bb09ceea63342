//! A struct of several fields, or of named ones: a structured dtype.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Ident, Member, Type};

use super::super::attr::Endian;
use super::super::model::{Absent, Field, Model};
use super::plan::{Column, Plan, new_cursor};
use super::{element, join, proofs};
use crate::hygiene::hygienic;
use crate::types::in_option;

pub(super) fn expand(model: &Model<'_>, generics: &Generics) -> TokenStream {
    let plan = Plan::new(model, generics);
    let columns = &plan.columns;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;

    let conversions = model.stored().filter_map(|field| conversions(model, generics, field));
    let (little, big) = match model.attrs.endian.get() {
        None => (quote!(Little), quote!(Big)),
        Some(Endian::Little) => (quote!(Little), quote!(Little)),
        Some(Endian::Big) => (quote!(Big), quote!(Big)),
    };
    let constants = constants(model, columns);
    let (denies, fills) = (model.attrs.deny_unknown_fields.is_given(), model.attrs.fill_unknown_fields.is_given());
    let plan_record = match (denies, fills) {
        (true, _) => quote!(plan_whole_record),
        (_, true) => quote!(plan_filled_record),
        _ => quote!(plan_record),
    };
    let decode = model.fields().iter().map(|field| decode_field(model, field));
    let encode = columns.iter().map(|column| encode_field(model, column));
    let is_flattening = columns.iter().any(|column| column.field.is_flattened());
    let names = names(columns, is_flattening);
    // Wrong names and offsets fail the build even where the record is not used.
    let is_placed = model.attrs.itemsize.is_given() || columns.iter().any(|column| column.field.attrs.offset.is_given());
    let check = ((is_flattening || is_placed) && generics.params.is_empty()).then(|| check(ident, &quote!(RECORD)));
    let dtype = dtype(model, columns);
    let find = find_fields(&plan);
    let (plan_items, plan_ident) = (plan.items(), &plan.ident);
    let element = element(ident, generics);

    hygienic! {
        #plan_items
        #(#conversions)*
        #element

        #[automatically_derived]
        impl #impl_generics __private::Codec<Self> for #ident #type_generics #where_clause {
            type Plan = #plan_ident #type_generics;
            const LITTLE: ::core::option::Option<__private::Layout<Self::Plan>> = #plan_ident::place(__npy::dtype::ByteOrder::#little);
            const BIG: ::core::option::Option<__private::Layout<Self::Plan>> = #plan_ident::place(__npy::dtype::ByteOrder::#big);
            #constants

            fn dtype() -> __npy::DType {
                __private::dtype_of_record::<Self>()
            }

            fn dtype_of<'record>(records: ::core::option::Option<impl ::core::iter::Iterator<Item = &'record Self> + ::core::clone::Clone>) -> __npy::DType
            where
                Self: 'record,
            {
                #dtype
            }

            fn plan(dtype: &__npy::DType, planner: &mut __private::Planner) -> ::core::option::Option<Self::Plan> {
                __private::#plan_record::<Self>(dtype, planner)
            }

            #[inline(always)]
            fn decode(plan: &Self::Plan, record: &[u8]) -> ::core::result::Result<Self, __npy::error::ValueError> {
                ::core::result::Result::Ok(Self { #(#decode)* })
            }

            #[inline(always)]
            fn encode(value: &Self, plan: &Self::Plan, record: &mut [u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
                #(#encode)*
                ::core::result::Result::Ok(())
            }
        }

        #[automatically_derived]
        impl #impl_generics __npy::NpyRecord for #ident #type_generics #where_clause {
            const NAMES: &'static [__private::FieldName] = #names;

            fn plan_fields(record: __private::FileRecord<'_>, planner: &mut __private::Planner) -> ::core::option::Option<__private::PlanOf<Self>> {
                #find
            }
        }

        #check
    }
}

/// Defines the alignment of the record, whether its dtype depends on the values, and the proofs.
fn constants(model: &Model<'_>, columns: &[Column<'_>]) -> TokenStream {
    let plan_types = columns.iter().map(|column| &column.plan_type);
    let alignment =
        if model.attrs.align.is_given() { quote!(__private::largest(&[#(<#plan_types>::ALIGNMENT),*])) } else { quote!(1) };
    let varies = join(columns.iter().map(|Column { plan_type, .. }| quote!(<#plan_type>::VARIES)), &quote!(||))
        .map(|varies| quote!(const VARIES: bool = #varies;));
    let grows = join(columns.iter().map(|Column { plan_type, .. }| quote!(<#plan_type>::GROWS)), &quote!(&&))
        .map(|grows| quote!(const GROWS: bool = #grows;));
    let proofs = proofs(model);
    quote! {
        const ALIGNMENT: usize = #alignment;
        #varies
        #grows
        #proofs
    }
}

/// Lists the names of the fields. Those of flattened structs are checked when the code is compiled.
fn names(columns: &[Column<'_>], is_flattening: bool) -> TokenStream {
    let names = columns.iter().map(|column| field_name(column.field));
    let names = quote!(&[#(#names),*]);
    if is_flattening { quote!(__private::distinct(#names)) } else { names }
}

/// Evaluates a constant of a struct without parameters, if the bounds of its implementations hold.
pub(super) fn check(ident: &Ident, constant: &TokenStream) -> TokenStream {
    quote!(const _: () = __private::Probe::<#ident>::#constant;)
}

fn field_name(field: &Field<'_>) -> TokenStream {
    let Field { ty, name, attrs, .. } = field;
    if field.is_flattened() {
        return quote!(__private::FieldName::Flattened(<#ty as __npy::NpyRecord>::NAMES));
    }
    let aliases = &attrs.aliases;
    let aliases = (!aliases.is_empty()).then(|| quote!(.with_aliases(&[#(#aliases),*])));
    let title = attrs.title.get().map(|title| quote!(.with_title(#title)));
    quote!(__private::FieldName::own(#name) #aliases #title)
}

/// Defines the type with the conversions of `with`.
pub(super) fn conversions(model: &Model<'_>, generics: &Generics, field: &Field<'_>) -> Option<TokenStream> {
    let module = field.attrs.with.get()?;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (ident, ty, marker) = (model.ident, &field.ty, field.with_ident());
    // The compiler reports errors of the module's functions under its name.
    let (element, error) = (hygienic!(element), hygienic!(error));
    let value = Ident::new("value", Span::mixed_site().located_at(module.span()));
    let decode = quote_spanned! {module.span()=>
        ::core::result::Result::map_err(#module::decode(#element), |#error| ::std::string::ToString::to_string(&#error))
    };
    let encode = quote_spanned! {module.span()=>
        ::core::result::Result::map_err(#module::encode(#value), |#error| ::std::string::ToString::to_string(&#error))
    };
    Some(hygienic! {
        // Not `pub`, because the element may be a private type.
        struct #marker #impl_generics (::core::marker::PhantomData<fn() -> #ident #type_generics>) #where_clause;

        impl #impl_generics __private::With<#ty> for #marker #type_generics #where_clause {
            type Element = #module::Element;

            fn decode(element: Self::Element) -> ::core::result::Result<#ty, ::std::string::String> {
                #decode
            }

            fn encode(value: &#ty) -> ::core::result::Result<Self::Element, ::std::string::String> {
                #encode
            }
        }
    })
}

/// Builds the dtype that holds `records`: `String` is as wide as the longest one.
fn dtype(model: &Model<'_>, columns: &[Column<'_>]) -> TokenStream {
    let cursor = new_cursor(model);
    let order = match model.attrs.endian.get() {
        None => quote!(::core::option::Option::None),
        Some(Endian::Little) => quote!(::core::option::Option::Some(__npy::dtype::ByteOrder::Little)),
        Some(Endian::Big) => quote!(::core::option::Option::Some(__npy::dtype::ByteOrder::Big)),
    };
    let fields = columns.iter().map(|Column { field, codec, .. }| {
        let Field { member, ty, name, attrs, .. } = field;
        let at = attrs.offset.get().map(|offset| quote!(.at(#offset)));
        let title = attrs.title.get().map(|title| quote!(.title(#title)));
        // Those of a packed struct cannot be borrowed.
        let values = if model.repr.is_packed {
            hygienic!(&__private::copies::<_, #ty>(&records, |record| record.#member).each(), |value| value)
        } else {
            hygienic!(&records, |record| &record.#member)
        };
        let add = match in_option(ty) {
            _ if field.is_flattened() => quote!(.flatten::<_, #ty>(#values)),
            Some(inner) if field.is_optional() => quote!(.optional::<_, #inner, #codec>(#name, #values)),
            _ => quote!(.field::<_, #ty, #codec>(#name, #values)),
        };
        quote!(#at #title #add)
    });
    let finish = match model.attrs.itemsize.get() {
        Some(itemsize) => quote!(.finish_at(#itemsize)),
        None => quote!(.finish()),
    };
    quote!(__private::RecordBuilder::new(#cursor, #order) #(#fields)* #finish)
}

/// The values of a field, if there are records. Those of a packed struct cannot be borrowed.
pub(super) fn values_of(model: &Model<'_>, ty: &Type, member: &Member) -> TokenStream {
    if model.repr.is_packed {
        hygienic!(__private::copies::<_, #ty>(&records, |record| record.#member).each())
    } else {
        hygienic!(__private::each(&records, |record| &record.#member))
    }
}

fn find_fields(plan: &Plan<'_>) -> TokenStream {
    let find = plan.columns.iter().enumerate().map(|(index, Column { field, may_be_absent, .. })| {
        let variable = field.variable();
        let index = syn::Index::from(index);
        match (field.is_flattened(), may_be_absent) {
            (true, _) => hygienic!(let #variable = record.flatten(planner);),
            (false, true) => hygienic!(let #variable = record.find_if_there(#index, planner);),
            (false, false) => hygienic!(let #variable = record.find(#index, planner);),
        }
    });
    // All fields are found before the first `?`, so that all mismatches are reported.
    let ident = &plan.ident;
    let found = plan.literal(&quote!(#ident), |Column { field, .. }| {
        let variable = field.variable();
        quote!(#variable?)
    });
    quote! {
        #(#find)*
        ::core::option::Option::Some(#found)
    }
}

fn decode_field(model: &Model<'_>, field: &Field<'_>) -> TokenStream {
    let Field { member, name, .. } = field;
    let absent = match model.absent(field) {
        Absent::Function(path) => quote_spanned!(path.span()=> #path()),
        Absent::Default => quote_spanned!(field.source.ty.span()=> ::core::default::Default::default()),
        Absent::OfStruct(default, token) => {
            let default = match default {
                Some(path) => quote_spanned!(token.span()=> #path()),
                None => quote_spanned!(token.span()=> <Self as ::core::default::Default>::default()),
            };
            hygienic!({ let default: Self = #default; default.#member })
        }
        Absent::None | Absent::Refuse => quote!(::core::option::Option::None),
    };
    if field.is_skipped() {
        return quote!(#member: #absent,);
    }
    let plan_field = field.plan_ident();
    if field.is_flattened() {
        return hygienic!(#member: plan.#plan_field.decode_flattened(record)?,);
    }
    if !model.may_be_absent(field) {
        return hygienic!(#member: plan.#plan_field.decode(#name, record)?,);
    }
    hygienic! {
        #member: match plan.#plan_field {
            ::core::option::Option::Some(field) => field.decode(#name, record)?,
            ::core::option::Option::None => #absent,
        },
    }
}

fn encode_field(model: &Model<'_>, column: &Column<'_>) -> TokenStream {
    let Column { field, plan: plan_field, may_be_absent, .. } = column;
    let name = &field.name;
    let value = value_of(model, &field.member);
    if field.is_flattened() {
        return hygienic!(plan.#plan_field.encode_flattened(#value, record)?;);
    }
    if !may_be_absent {
        return hygienic!(plan.#plan_field.encode(#name, #value, record)?;);
    }
    hygienic! {
        if let ::core::option::Option::Some(field) = plan.#plan_field {
            field.encode(#name, #value, record)?;
        }
    }
}

/// A reference to a field, or to a copy of one of a packed struct.
pub(super) fn value_of(model: &Model<'_>, member: &Member) -> TokenStream {
    if model.repr.is_packed { hygienic!(&{ value.#member }) } else { hygienic!(&value.#member) }
}
