//! A struct of several fields, or of named ones: a structured dtype.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Ident, LitStr, Member, Path, Type};

use super::super::attr::Endian;
use super::super::model::{Absent, Field, Model};
use super::Locals;
use crate::types::in_option;

/// A field that is in the file.
pub(super) struct Column<'a> {
    member: &'a Member,
    ty: &'a Type,
    name: &'a LitStr,
    /// How it is stored, as a type.
    codec: TokenStream,
    /// Its name in the plan.
    plan: Ident,
    /// A variable for it.
    variable: Ident,
    may_be_absent: bool,
    model: &'a Field<'a>,
}

impl<'a> Column<'a> {
    pub(super) fn new(model: &Model<'_>, field: &'a Field<'a>, may_be_absent: bool) -> Self {
        Self {
            member: &field.member,
            ty: &field.ty,
            name: &field.name,
            codec: field.codec(&model.generics),
            plan: field.plan_ident(),
            variable: field.variable(),
            may_be_absent,
            model: field,
        }
    }
}

pub(super) fn expand(model: &Model<'_>, generics: &Generics, locals: &Locals) -> TokenStream {
    let columns: Vec<_> = model.stored().map(|field| Column::new(model, field, model.may_be_absent(field))).collect();
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;
    let Locals { dtype, plan, planner, record, .. } = locals;
    let plan_ident = format_ident!("__{}Plan", ident);

    let markers = columns.iter().filter_map(|column| with_marker(model, generics, column));
    let plan_items = plan_items(model, &columns, generics, locals, &plan_ident);
    let (little, big) = match model.attrs.endian.get() {
        None => (quote!(Little), quote!(Big)),
        Some(Endian::Little) => (quote!(Little), quote!(Little)),
        Some(Endian::Big) => (quote!(Big), quote!(Big)),
    };
    let alignment = if model.attrs.align.is_given() {
        let alignments = columns.iter().map(|Column { ty, codec, .. }| quote!(<#codec as __npy::Codec<#ty>>::ALIGNMENT));
        quote!(__npy::largest(&[#(#alignments),*]))
    } else {
        quote!(1)
    };
    let varies = columns.iter().map(|Column { ty, codec, .. }| quote!(<#codec as __npy::Codec<#ty>>::VARIES));
    let sends = super::sends();
    let bulk = model.attrs.view.is_given().then(|| {
        quote!(
            const BULK: __npy::Option<__npy::Bulk<Self>> = __npy::bulk_of_view::<Self>();
        )
    });
    let dtype_of_type = dtype_of_type(model, &columns);
    let dtype_of_values = dtype_of_values(model, &columns, locals);
    let plan_record = if model.attrs.deny_unknown_fields.is_given() { quote!(plan_whole_record) } else { quote!(plan_record) };
    let decode = model.fields().iter().map(|field| decode_field(model, field, locals));
    let encode = columns.iter().map(|column| encode_field(model, column, locals));
    let names = columns.iter().map(field_name);
    let names = quote!(&[#(#names),*]);
    let is_flattening = columns.iter().any(|column| column.model.is_flattened());
    let names = if is_flattening { quote!(__npy::distinct(#names)) } else { names };
    // So that names that are the same fail the build, and not only where the record is used.
    let distinct = (is_flattening && generics.params.is_empty())
        .then(|| quote!(const _: &'static [__npy::FieldName] = <#ident as __npy::NpyRecord>::NAMES;));
    let relocate = relocate_fields(&columns, locals, &plan_ident);
    let find = find_fields(&columns, locals, &plan_ident);
    // So that a wrong offset fails the build, and not only where the record is used.
    let is_placed = model.attrs.itemsize.is_given() || columns.iter().any(|column| column.model.attrs.offset.is_given());
    let placed = (is_placed && generics.params.is_empty())
        .then(|| quote!(const _: __npy::Option<__npy::Layout<#plan_ident>> = <#ident as __npy::NpyElement>::LITTLE;));

    quote! {
        #plan_items
        #(#markers)*

        #[automatically_derived]
        impl #impl_generics __npy::NpyElement for #ident #type_generics #where_clause {
            type Plan = #plan_ident #type_generics;
            type Widened = __npy::AsIs;
            const LITTLE: __npy::Option<__npy::Layout<Self::Plan>> = #plan_ident::place(__npy::ByteOrder::#little);
            const BIG: __npy::Option<__npy::Layout<Self::Plan>> = #plan_ident::place(__npy::ByteOrder::#big);
            const ALIGNMENT: usize = #alignment;
            const VARIES: bool = false #(|| #varies)*;
            #sends
            #bulk

            fn dtype() -> __npy::DType {
                #dtype_of_type
            }

            #dtype_of_values

            fn plan(#dtype: &__npy::DType, #planner: &mut __npy::Planner) -> __npy::Option<Self::Plan> {
                __npy::#plan_record::<Self>(#dtype, #planner)
            }

            #relocate

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
            const NAMES: &'static [__npy::FieldName] = #names;

            fn plan_fields(#record: __npy::FileRecord<'_>, #planner: &mut __npy::Planner) -> __npy::Option<Self::Plan> {
                #find
            }
        }

        #distinct
        #placed
    }
}

fn field_name(Column { ty, name, model, .. }: &Column<'_>) -> TokenStream {
    if model.is_flattened() {
        return quote!(__npy::FieldName::Flattened(<#ty as __npy::NpyRecord>::NAMES));
    }
    let aliases = &model.attrs.aliases;
    let title = match model.attrs.title.get() {
        Some(title) => quote!(__npy::Some(#title)),
        None => quote!(__npy::None),
    };
    quote!(__npy::FieldName::Own { name: #name, aliases: &[#(#aliases),*], title: #title })
}

/// The type that stands for the conversions of `with`.
fn with_marker(model: &Model<'_>, generics: &Generics, Column { ty, model: field, .. }: &Column<'_>) -> Option<TokenStream> {
    field.attrs.with.get().map(|module| with_items(model, generics, ty, &field.with_ident(), module))
}

/// The type that stands for the conversions of `with`, and what it does.
pub(super) fn with_items(model: &Model<'_>, generics: &Generics, ty: &Type, marker: &Ident, module: &Path) -> TokenStream {
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;
    let local = |name| Ident::new(name, Span::mixed_site());
    let (element, value, error) = (local("element"), local("value"), local("error"));
    // So that what is wrong with the module's functions is said under its name.
    let decode = quote_spanned!(module.span()=> __npy::Result::map_err(#module::decode(#element), |#error| __npy::ToString::to_string(&#error)));
    let encode = quote_spanned!(module.span()=> __npy::Result::map_err(#module::encode(#value), |#error| __npy::ToString::to_string(&#error)));
    quote! {
        // Not `pub`: what is in the file may be a private type.
        struct #marker #impl_generics (__npy::PhantomData<fn() -> #ident #type_generics>) #where_clause;

        impl #impl_generics __npy::With<#ty> for #marker #type_generics #where_clause {
            type Element = #module::Element;

            fn decode(#element: Self::Element) -> __npy::Result<#ty, __npy::String> {
                #decode
            }

            fn encode(#value: &#ty) -> __npy::Result<Self::Element, __npy::String> {
                #encode
            }
        }
    }
}

/// The struct that says where each field is, and its values that are known at compile time.
pub(super) fn plan_items(
    model: &Model<'_>,
    columns: &[Column<'_>],
    generics: &Generics,
    locals: &Locals,
    plan_ident: &Ident,
) -> TokenStream {
    let Locals { cursor, order, other, .. } = locals;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let definitions = columns.iter().map(|Column { plan, ty, codec, may_be_absent, model, .. }| {
        let span = model.source.ty.span();
        let field = if model.is_plain() {
            quote_spanned!(span=> __npy::FieldPlan<#ty>)
        } else {
            quote_spanned!(span=> __npy::FieldPlan<#ty, #codec>)
        };
        if *may_be_absent { quote!(#plan: __npy::Option<#field>,) } else { quote!(#plan: #field,) }
    });
    let equal = columns.iter().map(|Column { plan, .. }| quote!(self.#plan == #other.#plan &&));
    let places = columns.iter().map(|Column { variable, model, .. }| {
        let at = model.attrs.offset.get().map(|offset| quote!(#cursor.at(#offset);));
        quote! {
            #at
            let __npy::Some(#variable) = __npy::FieldPlan::place(&mut #cursor, #order) else { return __npy::None };
        }
    });
    let values =
        columns.iter().map(
            |Column { plan, variable, may_be_absent, .. }| {
                if *may_be_absent { quote!(#plan: __npy::Some(#variable),) } else { quote!(#plan: #variable,) }
            },
        );
    let ident = model.ident;
    let new_cursor = new_cursor(model);
    let finish = match model.attrs.itemsize.get() {
        Some(itemsize) => quote!(finish_at(#itemsize)),
        None => quote!(finish()),
    };
    quote! {
        pub struct #plan_ident #impl_generics #where_clause {
            #(#definitions)*
            // A parameter may stand in no field but a skipped one; and the compiler follows the last fields of structs in structs only
            // so deep.
            __of: __npy::PhantomData<fn() -> #ident #type_generics>,
        }

        impl #impl_generics __npy::Clone for #plan_ident #type_generics #where_clause {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl #impl_generics __npy::Copy for #plan_ident #type_generics #where_clause {}

        impl #impl_generics __npy::PartialEq for #plan_ident #type_generics #where_clause {
            fn eq(&self, #other: &Self) -> bool {
                #(#equal)* true
            }
        }

        impl #impl_generics #plan_ident #type_generics #where_clause {
            const fn place(#order: __npy::ByteOrder) -> __npy::Option<__npy::Layout<Self>> {
                let mut #cursor = #new_cursor;
                #(#places)*
                __npy::Some(__npy::Layout { itemsize: #cursor.#finish, plan: Self { #(#values)* __of: __npy::PhantomData } })
            }
        }
    }
}

fn new_cursor(model: &Model<'_>) -> TokenStream {
    if model.attrs.align.is_given() { quote!(__npy::Cursor::aligned()) } else { quote!(__npy::Cursor::packed()) }
}

/// Builds a record of what `add` gives for each field.
fn build_dtype(model: &Model<'_>, columns: &[Column<'_>], add: impl Fn(&Column<'_>) -> TokenStream) -> TokenStream {
    let cursor = new_cursor(model);
    let order = match model.attrs.endian.get() {
        None => quote!(__npy::None),
        Some(Endian::Little) => quote!(__npy::Some(__npy::ByteOrder::Little)),
        Some(Endian::Big) => quote!(__npy::Some(__npy::ByteOrder::Big)),
    };
    let fields = columns.iter().map(|column| {
        let attrs = &column.model.attrs;
        let at = attrs.offset.get().map(|offset| quote!(.at(#offset)));
        let title = attrs.title.get().map(|title| quote!(.title(#title)));
        let add = add(column);
        quote!(#at #title #add)
    });
    let finish = match model.attrs.itemsize.get() {
        Some(itemsize) => quote!(.finish_at(#itemsize)),
        None => quote!(.finish()),
    };
    quote!(__npy::RecordBuilder::new(#cursor, #order) #(#fields)* #finish)
}

fn dtype_of_type(model: &Model<'_>, columns: &[Column<'_>]) -> TokenStream {
    build_dtype(
        model,
        columns,
        |Column { ty, name, codec, model, .. }| {
            if model.is_flattened() { quote!(.flatten::<#ty>()) } else { quote!(.field::<#ty, #codec>(#name)) }
        },
    )
}

/// The dtype that holds given records: of text without a fixed width, the width is that of the longest.
fn dtype_of_values(model: &Model<'_>, columns: &[Column<'_>], locals: &Locals) -> TokenStream {
    let Locals { record, records, .. } = locals;
    let body = build_dtype(model, columns, |Column { member, ty, name, codec, model: field, .. }| {
        let values = values_of(model, ty, &quote!(__npy::Clone::clone(&#records)), record, member);
        if field.is_flattened() {
            return quote!(.flatten_of::<#ty>(#values));
        }
        match in_option(&field.ty) {
            Some(inner) if field.is_optional() => quote!(.optional_of::<#inner, #codec>(#name, #values)),
            _ => quote!(.field_of::<#ty, #codec>(#name, #values)),
        }
    });
    quote! {
        fn dtype_of<'record>(#records: impl __npy::Iterator<Item = &'record Self> + __npy::Clone) -> __npy::DType
        where
            Self: 'record,
        {
            #body
        }
    }
}

/// An iterator over a field of all records. A packed field may lie at any address, where it cannot be borrowed, so it is copied.
pub(super) fn values_of(model: &Model<'_>, ty: &Type, records: &TokenStream, record: &Ident, member: &Member) -> TokenStream {
    if model.repr.is_packed {
        quote!(__npy::copies::<#ty>(__npy::Iterator::map(#records, |#record| #record.#member)).iter())
    } else {
        quote!(__npy::Iterator::map(#records, |#record| &#record.#member))
    }
}

fn find_fields(columns: &[Column<'_>], locals: &Locals, plan_ident: &Ident) -> TokenStream {
    let Locals { record, planner, .. } = locals;
    let find = columns.iter().enumerate().map(|(index, Column { variable, may_be_absent, model: field, .. })| {
        let found = match (field.is_flattened(), may_be_absent) {
            (true, _) => quote!(__npy::FieldPlan::flatten(#record, #planner)),
            (false, true) => quote!(__npy::FieldPlan::find_if_there(#record, <Self as __npy::NpyRecord>::NAMES, #index, #planner)),
            (false, false) => quote!(__npy::FieldPlan::find(#record, <Self as __npy::NpyRecord>::NAMES, #index, #planner)),
        };
        quote!(let #variable = #found;)
    });
    // Only now, so that the mismatches of all fields are noted.
    let found = columns.iter().map(|Column { plan, variable, .. }| quote!(#plan: #variable?,));
    quote! {
        #(#find)*
        __npy::Some(#plan_ident { #(#found)* __of: __npy::PhantomData })
    }
}

/// The plan of a layout, with the offsets of the file.
pub(super) fn relocate_fields(columns: &[Column<'_>], locals: &Locals, plan_ident: &Ident) -> TokenStream {
    let Locals { layout, plan, .. } = locals;
    let fields = columns.iter().map(|Column { plan: field, may_be_absent, .. }| {
        if *may_be_absent {
            quote!(#field: __npy::FieldPlan::relocate_if_there(#layout.#field, &#plan.#field),)
        } else {
            quote!(#field: #layout.#field.relocate(&#plan.#field),)
        }
    });
    quote! {
        #[inline(always)]
        fn relocate(#layout: Self::Plan, #plan: &Self::Plan) -> Self::Plan {
            #plan_ident { #(#fields)* __of: __npy::PhantomData }
        }
    }
}

fn decode_field(model: &Model<'_>, field: &Field<'_>, Locals { field: found, record, plan, .. }: &Locals) -> TokenStream {
    let Field { member, name, .. } = field;
    let absent = match model.absent(field) {
        Absent::Function(path) => quote_spanned!(path.span()=> #path()),
        Absent::Default => quote_spanned!(field.source.ty.span()=> __npy::Default::default()),
        Absent::OfStruct(default, token) => {
            let default = match default {
                Some(path) => quote_spanned!(token.span()=> #path()),
                None => quote_spanned!(token.span()=> <Self as __npy::Default>::default()),
            };
            quote!({ let #found: Self = #default; #found.#member })
        }
        Absent::None | Absent::Refuse => quote!(__npy::None),
    };
    if field.is_skipped() {
        return quote!(#member: #absent,);
    }
    let plan_field = field.plan_ident();
    if field.is_flattened() {
        return quote!(#member: #plan.#plan_field.decode_flattened(#record)?,);
    }
    if !model.may_be_absent(field) {
        return quote!(#member: #plan.#plan_field.decode(#name, #record)?,);
    }
    quote! {
        #member: match #plan.#plan_field {
            __npy::Some(#found) => #found.decode(#name, #record)?,
            __npy::None => #absent,
        },
    }
}

fn encode_field(model: &Model<'_>, column: &Column<'_>, Locals { field: found, record, plan, .. }: &Locals) -> TokenStream {
    let Column { member, name, plan: plan_field, may_be_absent, model: field, .. } = column;
    // A packed field may lie at any address, where it cannot be borrowed.
    let value = if model.repr.is_packed { quote!(&{ self.#member }) } else { quote!(&self.#member) };
    if field.is_flattened() {
        return quote!(#plan.#plan_field.encode_flattened(#value, #record)?;);
    }
    if !may_be_absent {
        return quote!(#plan.#plan_field.encode(#name, #value, #record)?;);
    }
    quote! {
        if let __npy::Some(#found) = #plan.#plan_field {
            #found.encode(#name, #value, #record)?;
        }
    }
}
