//! The struct with what its attributes say.

use std::collections::HashMap;

use proc_macro2::Span;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Generics, Ident, Index, LitStr, Member, Path, Type};

use super::attr::{ContainerAttrs, FieldAttrs};
use crate::ctxt::Ctxt;
use crate::meta::DefaultValue;
use crate::types::{in_option, replace_self};

/// A struct that becomes an archive.
pub(super) struct Model<'a> {
    pub(super) ident: &'a Ident,
    /// With `Self` replaced in the where-clause.
    pub(super) generics: Generics,
    pub(super) attrs: ContainerAttrs,
    pub(super) fields: Vec<Field>,
}

/// A field of the struct.
pub(super) struct Field {
    pub(super) member: Member,
    /// Its type, with `Self` replaced.
    pub(super) ty: Type,
    /// Its name in the archive.
    pub(super) name: LitStr,
    pub(super) attrs: FieldAttrs,
    /// A variable for it. Not its own name, which may be that of a constant in the struct's module.
    pub(super) variable: Ident,
}

/// Where the value of a field comes from that the archive does not have.
pub(super) enum Absent<'a> {
    /// It is an error, or an empty map.
    Refuse,
    /// It is `None`.
    None,
    /// `Default::default()` of the field's type.
    Default,
    /// What the function of that path gives.
    Function(&'a Path),
    /// The field of the struct's default.
    OfStruct,
}

impl<'a> Model<'a> {
    /// Joins the struct and its attributes. `None` if it can be no archive.
    pub(super) fn new(ctxt: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        let attrs = ContainerAttrs::parse(ctxt, &input.attrs);
        let data = match &input.data {
            Data::Struct(data) if !matches!(data.fields, Fields::Unit) => data,
            _ => {
                ctxt.error(&input.ident, "an archive is a struct with fields, which are its members");
                return None;
            }
        };
        for lifetime in input.generics.lifetimes() {
            ctxt.error(lifetime, "an archive owns its fields, because what is read from a file has nothing to borrow from");
        }
        let fields: Vec<_> =
            data.fields.iter().enumerate().map(|(index, field)| Field::new(ctxt, &attrs, input, index, field)).collect();
        check_names(ctxt, &fields);
        check_types(ctxt, &fields);
        let mut generics = input.generics.clone();
        if let Some(clause) = &mut generics.where_clause {
            *clause = syn::parse2(replace_self(quote!(#clause), input)).unwrap_or_else(|_| clause.clone());
        }
        Some(Self { ident: &input.ident, generics, attrs, fields })
    }

    /// The fields that are in the archive; those whose names are not known come last, so that they get what the others leave.
    pub(super) fn stored(&self) -> impl Iterator<Item = &Field> {
        let stored = || self.fields.iter().filter(|field| !field.attrs.skip.is_given());
        let (named, flattened) = (stored(), stored());
        named.filter(|field| !field.attrs.flatten.is_given()).chain(flattened.filter(|field| field.attrs.flatten.is_given()))
    }

    /// Where the value of a field comes from that the archive does not have.
    pub(super) fn absent<'b>(&'b self, field: &'b Field) -> Absent<'b> {
        match (field.attrs.default.get(), self.attrs.default.get()) {
            (Some(DefaultValue::Function(path)), _) => Absent::Function(path),
            (Some(DefaultValue::Trait), _) => Absent::Default,
            (None, Some(_)) if !field.attrs.flatten.is_given() => Absent::OfStruct,
            (None, _) if field.attrs.skip.is_given() => Absent::Default,
            (None, _) if field.in_option().is_some() => Absent::None,
            (None, _) => Absent::Refuse,
        }
    }
}

impl Field {
    fn new(ctxt: &Ctxt, container: &ContainerAttrs, input: &DeriveInput, index: usize, source: &syn::Field) -> Self {
        let attrs = FieldAttrs::parse(ctxt, &source.attrs);
        let (member, own_name, variable) = match &source.ident {
            Some(ident) => {
                // `r#type` is the field `type`.
                let own = ident.unraw().to_string();
                let renamed = container.rename_all.get().map_or_else(|| own.clone(), |rule| rule.apply(&own));
                (Member::Named(ident.clone()), LitStr::new(&renamed, ident.span()), format_ident!("__{own}"))
            }
            // NumPy's own names of arrays that have none.
            None => {
                let name = LitStr::new(&format!("arr_{index}"), Span::call_site());
                (Member::Unnamed(Index::from(index)), name, format_ident!("__{index}"))
            }
        };
        let name = attrs.rename.get().cloned().unwrap_or(own_name);
        let ty = &source.ty;
        let ty = syn::parse2(replace_self(quote!(#ty), input)).unwrap_or_else(|_| ty.clone());
        Self { member, ty, name, attrs, variable: Ident::new(&variable.to_string(), Span::mixed_site()) }
    }

    /// The `T` of an `Option<T>`, which is not in the archive when it is `None`.
    pub(super) fn in_option(&self) -> Option<&Type> {
        in_option(&self.ty).filter(|_| !self.attrs.flatten.is_given())
    }
}

/// Notes types of which one cannot tell what is meant.
fn check_types(ctxt: &Ctxt, fields: &[Field]) {
    let mut has_map = false;
    for field in fields.iter().filter(|field| !field.attrs.skip.is_given()) {
        if field.in_option().is_some_and(|inner| in_option(inner).is_some()) {
            ctxt.error(&field.ty, "an `Option` in an `Option` cannot be told from an absent one");
        }
        if field.attrs.flatten.is_given() && is_map(&field.ty) && std::mem::replace(&mut has_map, true) {
            ctxt.error(&field.ty, "a flattened map takes all members that are left, so that nothing is left for a second one");
        }
    }
}

/// Whether it is one of the standard library's maps, as far as its name tells.
fn is_map(ty: &Type) -> bool {
    let Type::Path(ty) = ty else { return false };
    ty.path.segments.last().is_some_and(|last| last.ident == "BTreeMap" || last.ident == "HashMap")
}

/// Notes members that two fields would have.
fn check_names(ctxt: &Ctxt, fields: &[Field]) {
    let mut names: HashMap<String, &Member> = HashMap::new();
    let stored = || fields.iter().filter(|field| !field.attrs.skip.is_given() && !field.attrs.flatten.is_given());
    let own = stored().map(|field| (field, &field.name));
    let aliases = stored().flat_map(|field| field.attrs.aliases.iter().map(move |alias| (field, alias)));
    for (field, name) in own.chain(aliases) {
        if let Some(first) = names.insert(name.value(), &field.member) {
            let show = |member: &Member| quote!(#member).to_string();
            let (first, second) = (show(first), show(&field.member));
            let message = if first == second {
                format!("the field `{first}` has this name already")
            } else {
                format!("the fields `{first}` and `{second}` have the same name in the archive")
            };
            ctxt.error(name, message);
        }
    }
}
