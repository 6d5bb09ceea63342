//! The struct as the other modules see it: its fields with what their attributes say.

use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Generics, Ident, LitStr, Path, Type};

use crate::attr::{ContainerAttrs, FieldAttrs, default_crate};
use crate::ctxt::Ctxt;

/// A struct that becomes a record.
pub(crate) struct Model<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
    /// Where `npy_core` is.
    pub(crate) krate: Path,
    pub(crate) fields: Vec<Field<'a>>,
}

/// A field of the struct.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    /// Its name in the file.
    pub(crate) name: LitStr,
    pub(crate) attrs: FieldAttrs,
}

impl Field<'_> {
    pub(crate) fn is_skipped(&self) -> bool {
        self.attrs.skip.get().is_some()
    }
}

impl<'a> Model<'a> {
    /// Joins the struct and its attributes. `None` if it is no struct with named fields.
    pub(crate) fn new(ctxt: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        let attrs = ContainerAttrs::parse(ctxt, &input.attrs);
        let fields = match &input.data {
            Data::Struct(data) => match &data.fields {
                Fields::Named(fields) => &fields.named,
                Fields::Unnamed(fields) => {
                    ctxt.error(fields, "the fields need names: they are the names of the fields in the file");
                    return None;
                }
                Fields::Unit => {
                    ctxt.error(&input.ident, "a record needs fields; `struct Name {}` is one without any");
                    return None;
                }
            },
            Data::Enum(data) => {
                ctxt.error(data.enum_token, "`NpyRecord` is for structs; an enum is no structured dtype");
                return None;
            }
            Data::Union(data) => {
                ctxt.error(data.union_token, "`NpyRecord` is for structs; a union is no structured dtype");
                return None;
            }
        };
        let fields = fields.iter().filter_map(|field| Field::new(ctxt, field)).collect();
        let krate = attrs.krate.get().cloned().unwrap_or_else(default_crate);
        Some(Self { ident: &input.ident, generics: &input.generics, krate, fields })
    }

    /// The fields that are in the file.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| !field.is_skipped())
    }
}

impl<'a> Field<'a> {
    fn new(ctxt: &Ctxt, field: &'a syn::Field) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let attrs = FieldAttrs::parse(ctxt, &field.attrs);
        // `r#type` is the field `type`.
        let own_name = || LitStr::new(&ident.unraw().to_string(), ident.span());
        let name = attrs.rename.get().cloned().unwrap_or_else(own_name);
        Some(Self { ident, ty: &field.ty, name, attrs })
    }
}
