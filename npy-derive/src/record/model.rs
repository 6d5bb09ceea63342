//! The fields of a type with their attributes.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Data, DataEnum, DeriveInput, Fields, Generics, Ident, Index, LitStr, Member, Path, Type};

use super::attr::{ContainerAttrs, FieldAttrs, default_crate, refuse_on_variant};
use super::repr::Repr;
use crate::ctxt::Ctxt;
use crate::meta::DefaultValue;
use crate::types;
use crate::types::replace_self;

/// A type that becomes an element.
pub(crate) struct Model<'a> {
    pub(crate) ident: &'a Ident,
    /// With `Self` replaced in the where-clause.
    pub(crate) generics: Generics,
    /// The path of `npy_core`.
    pub(crate) krate: Path,
    pub(crate) attrs: ContainerAttrs,
    pub(crate) repr: Repr,
    pub(crate) shape: Shape<'a>,
}

pub(crate) enum Shape<'a> {
    /// A structured dtype.
    Record(Vec<Field<'a>>),
    /// The dtype of the only stored field.
    Transparent(Vec<Field<'a>>),
    /// An integer: the variants.
    Enum(Vec<&'a Ident>),
}

/// A field of the struct.
pub(crate) struct Field<'a> {
    pub(crate) source: &'a syn::Field,
    pub(crate) member: Member,
    /// Its type, with `Self` replaced.
    pub(crate) ty: Type,
    /// Its name in the file.
    pub(crate) name: LitStr,
    pub(crate) attrs: FieldAttrs,
    /// Whether to read narrower numbers too.
    pub(crate) widen: bool,
}

/// The value of a field that is missing from the file.
pub(crate) enum Absent<'a> {
    /// It is an error.
    Refuse,
    /// It is `None`.
    None,
    /// `Default::default()` of the field's type.
    Default,
    /// The result of the function at this path.
    Function(&'a Path),
    /// The field of the default of the struct, by a function or the trait; and the attribute.
    OfStruct(Option<&'a Path>, Option<&'a Path>),
}

impl<'a> Model<'a> {
    /// Joins the type with its attributes. `None` if it cannot be an element.
    pub(crate) fn new(ctxt: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        let attrs = ContainerAttrs::parse(ctxt, &input.attrs);
        let repr = Repr::parse(&input.attrs);
        let shape = match &input.data {
            Data::Struct(data) => {
                if let Fields::Unit = data.fields {
                    ctxt.error(&input.ident, "unsupported unit struct: use `struct Name {}` for a record without fields");
                    return None;
                }
                let fields: Vec<_> =
                    data.fields.iter().enumerate().map(|(index, field)| Field::new(ctxt, &attrs, input, index, field)).collect();
                let stored = fields.iter().filter(|field| !field.is_skipped()).count();
                let is_newtype = matches!(data.fields, Fields::Unnamed(_)) && (stored == 1 || fields.len() == 1);
                if attrs.transparent.is_given() || is_newtype { Shape::Transparent(fields) } else { Shape::Record(fields) }
            }
            Data::Enum(data) => Shape::Enum(variants(ctxt, data)?),
            Data::Union(data) => {
                ctxt.error(data.union_token, "unsupported union: expected a struct or an enum");
                return None;
            }
        };
        let mut generics = input.generics.clone();
        if let Some(clause) = &mut generics.where_clause {
            *clause = syn::parse2(replace_self(quote!(#clause), input)).unwrap_or_else(|_| clause.clone());
        }
        let krate = attrs.krate.get().cloned().unwrap_or_else(default_crate);
        Some(Self { ident: &input.ident, generics, krate, attrs, repr, shape })
    }

    pub(crate) fn fields(&self) -> &[Field<'a>] {
        match &self.shape {
            Shape::Record(fields) | Shape::Transparent(fields) => fields,
            Shape::Enum(_) => &[],
        }
    }

    /// The fields that are in the file.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &Field<'a>> + Clone {
        self.fields().iter().filter(|field| !field.is_skipped())
    }

    /// The value of a field that is missing from the file.
    pub(crate) fn absent<'b>(&'b self, field: &'b Field<'a>) -> Absent<'b> {
        match (field.attrs.default.get(), self.attrs.default.get()) {
            (Some(DefaultValue::Function(path)), _) => Absent::Function(path),
            (Some(DefaultValue::Trait), _) => Absent::Default,
            (None, Some(DefaultValue::Function(path))) => Absent::OfStruct(Some(path), self.attrs.default.token()),
            (None, Some(DefaultValue::Trait)) => Absent::OfStruct(None, self.attrs.default.token()),
            (None, None) if field.is_skipped() => Absent::Default,
            (None, None) if field.is_optional() => Absent::None,
            (None, None) => Absent::Refuse,
        }
    }

    /// Whether the file may lack the field.
    pub(crate) fn may_be_absent(&self, field: &Field<'a>) -> bool {
        !field.is_flattened() && !matches!(self.absent(field), Absent::Refuse)
    }
}

/// The variants of an enum without data.
fn variants<'a>(ctxt: &Ctxt, data: &'a DataEnum) -> Option<Vec<&'a Ident>> {
    let mut has_data = false;
    for variant in &data.variants {
        refuse_on_variant(ctxt, &variant.attrs);
        if !matches!(variant.fields, Fields::Unit) {
            ctxt.error(&variant.fields, "unsupported variant with data: an enum is stored as its number");
            has_data = true;
        }
    }
    (!has_data).then(|| data.variants.iter().map(|variant| &variant.ident).collect())
}

impl<'a> Field<'a> {
    fn new(ctxt: &Ctxt, container: &ContainerAttrs, input: &DeriveInput, index: usize, source: &'a syn::Field) -> Self {
        let attrs = FieldAttrs::parse(ctxt, &source.attrs);
        let (member, own_name) = match &source.ident {
            Some(ident) => {
                // `r#type` is the field `type`.
                let own = ident.unraw().to_string();
                let own = container.rename_all.get().map_or_else(|| own.clone(), |rule| rule.apply(&own));
                (Member::Named(ident.clone()), LitStr::new(&own, ident.span()))
            }
            // NumPy's names of unnamed fields.
            None => (Member::Unnamed(Index::from(index)), LitStr::new(&format!("f{index}"), Span::call_site())),
        };
        let name = attrs.rename.get().cloned().unwrap_or(own_name);
        let ty = &source.ty;
        let ty = syn::parse2(replace_self(quote!(#ty), input)).unwrap_or_else(|_| ty.clone());
        let widen = (attrs.widen.is_given() || container.widen.is_given()) && !attrs.flatten.is_given();
        Self { source, member, ty, name, attrs, widen }
    }

    /// Its name in Rust, for messages.
    pub(crate) fn rust_name(&self) -> String {
        match &self.member {
            Member::Named(ident) => ident.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        }
    }

    /// Its name in the plan.
    pub(crate) fn plan_ident(&self) -> Ident {
        match &self.member {
            Member::Named(ident) => ident.clone(),
            Member::Unnamed(index) => format_ident!("f{}", index.index),
        }
    }

    /// The variable of the field, whose own name may be a constant in scope.
    pub(crate) fn variable(&self) -> Ident {
        let mut variable = format_ident!("__{}", self.plan_ident());
        variable.set_span(Span::mixed_site());
        variable
    }

    /// The type that implements the conversions of `with`.
    pub(crate) fn with_ident(&self) -> Ident {
        format_ident!("__With_{}", self.plan_ident())
    }

    pub(crate) fn is_skipped(&self) -> bool {
        self.attrs.skip.is_given()
    }

    /// Whether `None` means that the field is missing. With `with`, the module decides, as in
    /// serde.
    pub(crate) fn is_optional(&self) -> bool {
        !self.is_flattened() && !self.attrs.with.is_given() && types::in_option(&self.ty).is_some()
    }

    pub(crate) fn is_flattened(&self) -> bool {
        self.attrs.flatten.is_given()
    }

    /// Whether it is read and written as the dtype of its type.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_as_is() && !self.widen
    }

    /// Whether it is written as the dtype of its type.
    pub(crate) fn is_as_is(&self) -> bool {
        !self.attrs.dtype.is_given() && !self.attrs.with.is_given()
    }

    /// The type that stores it.
    pub(crate) fn codec(&self, generics: &Generics) -> TokenStream {
        if self.attrs.with.is_given() {
            let marker = self.with_ident();
            let (_, type_generics, _) = generics.split_for_impl();
            return quote!(__private::Through<#marker #type_generics>);
        }
        match self.attrs.dtype.get() {
            None if self.widen => {
                let ty = &self.ty;
                quote!(<#ty as __npy::NpyElement>::Widened)
            }
            None => {
                let ty = &self.ty;
                quote!(__private::CodecOf<#ty>)
            }
            Some(dtype) => {
                let codec = dtype.codec();
                let codec = if self.attrs.truncate.is_given() { quote!(__private::Truncated<#codec>) } else { codec };
                types::wrap_codec(&self.ty, codec, dtype.takes_bytes())
            }
        }
    }
}
