//! Writes the code. snapshots/expansion.rs shows it.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Generics, Type, TypeParamBound, WherePredicate, parse_quote};

use super::attr::ContainerAttrs;
use super::model::{Absent, Field, Model};
use crate::ctxt::Ctxt;
use crate::hygiene::{hygienic, in_const};
use crate::meta::DefaultValue;
use crate::record::bound::without_defaults;
use crate::types::mentions_parameter;

/// The implementation for a struct without mistakes.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let generics = with_bounds(model);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = model.ident;

    let planned = model.stored().map(|field| plan_field(model, field));
    let deny = model.attrs.deny_unknown_fields.is_given().then(|| hygienic!(plan.deny_unknown();));
    let values = model.fields.iter().map(|field| {
        let (member, value) = (&field.member, value_of(model, field));
        quote!(#member: #value,)
    });
    let needs_default = model.fields.iter().any(|field| matches!(model.absent(field), Absent::OfStruct));
    let default = needs_default.then(|| {
        let value = match model.attrs.default.get() {
            Some(DefaultValue::Function(path)) => quote!(#path()),
            _ => quote!(<Self as ::core::default::Default>::default()),
        };
        hygienic!(let default: Self = #value;)
    });
    let (this, archive, value) = (hygienic!(self), hygienic!(archive), hygienic!(value));
    let written = model.fields.iter().filter(|field| !field.attrs.skip.is_given()).map(|field| {
        let Field { member, ty, name, .. } = field;
        if field.attrs.flatten.is_given() {
            quote_spanned!(ty.span()=> <#ty as __npy::NpzArchive>::write_members(&#this.#member, #archive)?;)
        } else if let Some(ty) = field.in_option() {
            let write = quote_spanned!(ty.span()=> <#ty as __private::NpzField<_>>::write(#value, #name, #archive)?;);
            hygienic!(if let ::core::option::Option::Some(#value) = &#this.#member { #write })
        } else {
            quote_spanned!(ty.span()=> <#ty as __private::NpzField<_>>::write(&#this.#member, #name, #archive)?;)
        }
    });
    in_const(
        &model.attrs.krate(),
        &hygienic! {
            #[automatically_derived]
            impl #impl_generics __npy::NpzArchive for #ident #type_generics #where_clause {
                fn plan_read<__R: ::std::io::Read + ::std::io::Seek>(plan: &mut __private::ReadPlan<'_, __R>) -> __private::Pending<Self> {
                    #(#planned)*
                    #deny
                    ::std::boxed::Box::new(move || {
                        #default
                        ::core::result::Result::Ok(Self { #(#values)* })
                    })
                }

                fn write_members<__W: ::std::io::Write>(&self, archive: &mut __private::MemberWriter<'_, __W>) -> __private::Result<()> {
                    #(#written)*
                    ::core::result::Result::Ok(())
                }
            }
        },
    )
}

/// Finds the member of a field.
fn plan_field(model: &Model<'_>, field: &Field) -> TokenStream {
    let Field { ty, name, variable, .. } = field;
    let names = std::iter::once(name).chain(&field.attrs.aliases);
    let plan = hygienic!(plan);
    // The compiler reports missing implementations under the type.
    if field.attrs.flatten.is_given() {
        quote_spanned!(ty.span()=> let #variable = <#ty as __npy::NpzArchive>::plan_read(#plan);)
    } else if matches!(model.absent(field), Absent::Refuse) {
        quote_spanned!(ty.span()=> let #variable = <#ty as __private::NpzField<_>>::plan_first(&[#(#names),*], #plan);)
    } else {
        let ty = field.in_option().unwrap_or(ty);
        quote_spanned!(ty.span()=> let #variable = <#ty as __private::NpzField<_>>::plan_if_there(&[#(#names),*], #plan);)
    }
}

/// The value of a field once all members are read.
fn value_of(model: &Model<'_>, field: &Field) -> TokenStream {
    let Field { member, ty, variable, .. } = field;
    let absent = match model.absent(field) {
        Absent::Refuse => return quote!(#variable()?),
        Absent::None => quote!(::core::option::Option::None),
        Absent::Default => quote_spanned!(ty.span()=> <#ty as ::core::default::Default>::default()),
        Absent::Function(path) => quote!(#path()),
        Absent::OfStruct => hygienic!(default.#member),
    };
    if field.attrs.skip.is_given() {
        return absent;
    }
    let there = quote!(#variable()?);
    let there = if field.in_option().is_some() { quote!(::core::option::Option::Some(#there)) } else { there };
    quote! {
        match #variable {
            ::core::option::Option::Some(#variable) => #there,
            ::core::option::Option::None => #absent,
        }
    }
}

/// The generics of the struct, with the bounds on its parameters.
///
/// A parameter without bounds becomes an element. One with bounds, such as a dimension, keeps them.
/// A where-clause cannot tell which kind of field a type is.
fn with_bounds(model: &Model<'_>) -> Generics {
    let mut generics = without_defaults(&model.generics);
    let predicates: Vec<WherePredicate> = match model.attrs.bound.get() {
        Some(predicates) => predicates.clone(),
        None => {
            let in_clause = |ident: &Ident| {
                generics.where_clause.iter().flat_map(|clause| &clause.predicates).any(|predicate| {
                    matches!(predicate, WherePredicate::Type(bound) if matches!(&bound.bounded_ty, Type::Path(path) if path.path.is_ident(ident)))
                })
            };
            let is_stored = |ident: &Ident| {
                let mut only = Generics::default();
                only.params.push(syn::GenericParam::Type(ident.clone().into()));
                model.stored().any(|field| mentions_parameter(&field.ty, &only))
            };
            let stored = generics.type_params().filter(|parameter| is_stored(&parameter.ident));
            let demand = |parameter: &syn::TypeParam| -> WherePredicate {
                let ident = &parameter.ident;
                let has_bounds = parameter.bounds.iter().any(|bound| matches!(bound, TypeParamBound::Trait(_))) || in_clause(ident);
                if has_bounds {
                    parse_quote!(#ident: ::core::marker::Send + 'static)
                } else {
                    parse_quote!(#ident: __private::NpyElement + ::core::marker::Send + 'static)
                }
            };
            stored.map(demand).collect()
        }
    };
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

/// For a struct with mistakes: the errors, and a stub that keeps the compiler from adding others.
pub(super) fn fallback(input: &DeriveInput, errors: Option<syn::Error>) -> TokenStream {
    let errors = errors.map(syn::Error::into_compile_error);
    // Its mistakes are reported already.
    let krate = ContainerAttrs::parse(&Ctxt::new(), &input.attrs).krate();
    let ident = &input.ident;
    let mut generics = without_defaults(&input.generics);
    let (_, type_generics, _) = input.generics.split_for_impl();
    generics.make_where_clause().predicates.push(parse_quote!(#ident #type_generics: 'static));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let implementation = in_const(
        &krate,
        &quote! {
            #[automatically_derived]
            impl #impl_generics __npy::NpzArchive for #ident #type_generics #where_clause {
                fn plan_read<__R: ::std::io::Read + ::std::io::Seek>(plan: &mut __private::ReadPlan<'_, __R>) -> __private::Pending<Self> {
                    loop {}
                }

                fn write_members<__W: ::std::io::Write>(&self, archive: &mut __private::MemberWriter<'_, __W>) -> __private::Result<()> {
                    loop {}
                }
            }
        },
    );
    quote!(#errors #implementation)
}
