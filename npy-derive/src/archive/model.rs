//! The struct with its attributes.

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
    /// The variable of the field, whose own name may be a constant in scope.
    pub(super) variable: Ident,
}

/// The value of a field that is missing from the archive.
pub(super) enum Absent<'a> {
    /// It is an error, or an empty map.
    Refuse,
    /// It is `None`.
    None,
    /// `Default::default()` of the field's type.
    Default,
    /// The result of the function at this path.
    Function(&'a Path),
    /// The field of the default of the struct.
    OfStruct,
}

impl<'a> Model<'a> {
    /// Joins the struct with its attributes. `None` if it cannot be an archive.
    pub(super) fn new(ctxt: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        let attrs = ContainerAttrs::parse(ctxt, &input.attrs);
        let data = match &input.data {
            Data::Struct(data) if !matches!(data.fields, Fields::Unit) => data,
            _ => {
                ctxt.error(&input.ident, "an archive needs fields: expected a struct with fields");
                return None;
            }
        };
        for lifetime in input.generics.lifetimes() {
            ctxt.error(lifetime, "unsupported lifetime: an archive owns its fields");
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

    /// The fields that are in the archive. Flattened ones come last and get the remaining members.
    pub(super) fn stored(&self) -> impl Iterator<Item = &Field> {
        let stored = || self.fields.iter().filter(|field| !field.attrs.skip.is_given());
        let (named, flattened) = (stored(), stored());
        named.filter(|field| !field.attrs.flatten.is_given()).chain(flattened.filter(|field| field.attrs.flatten.is_given()))
    }

    /// The value of a field that is missing from the archive.
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
        attrs.check(ctxt);
        let (member, own_name, variable) = match &source.ident {
            Some(ident) => {
                // `r#type` is the field `type`.
                let own = ident.unraw().to_string();
                let renamed = container.rename_all.get().map_or_else(|| own.clone(), |rule| rule.apply(&own));
                (Member::Named(ident.clone()), LitStr::new(&renamed, ident.span()), format_ident!("__{own}"))
            }
            // NumPy's names of unnamed arrays.
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

    /// The `T` of an `Option<T>`, which is not in the archive if it is `None`.
    pub(super) fn in_option(&self) -> Option<&Type> {
        in_option(&self.ty).filter(|_| !self.attrs.flatten.is_given())
    }
}

/// Reports ambiguous types.
fn check_types(ctxt: &Ctxt, fields: &[Field]) {
    let mut has_map = false;
    for field in fields.iter().filter(|field| !field.attrs.skip.is_given()) {
        if field.in_option().is_some_and(|inner| in_option(inner).is_some()) {
            ctxt.error(&field.ty, "unsupported `Option` in an `Option`: `Some(None)` and `None` are the same in the archive");
        }
        if field.attrs.flatten.is_given() && is_map(&field.ty) && std::mem::replace(&mut has_map, true) {
            ctxt.error(&field.ty, "duplicate flattened map: the first one takes all remaining members");
        }
    }
}

/// Whether it has the name of a map of the standard library.
fn is_map(ty: &Type) -> bool {
    let Type::Path(ty) = ty else { return false };
    ty.path.segments.last().is_some_and(|last| last.ident == "BTreeMap" || last.ident == "HashMap")
}

/// Reports duplicate names of members.
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
                format!("duplicate name of the field `{first}`")
            } else {
                format!("duplicate name in the archive: the fields `{first}` and `{second}`")
            };
            ctxt.error(name, message);
        }
    }
}
