//! What stands in `#[npy(...)]`.

use proc_macro2::Span;
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

use crate::ctxt::Ctxt;

/// `#[npy(...)]` on a struct.
#[derive(Default)]
pub(crate) struct ContainerAttrs {
    /// `crate = path`
    pub(crate) krate: Once<Path>,
}

/// `#[npy(...)]` on a field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    /// `rename = "name"`
    pub(crate) rename: Once<LitStr>,
    /// `default`, or `default = path`
    pub(crate) default: Once<DefaultValue>,
    /// `skip`
    pub(crate) skip: Once<()>,
}

/// Where the value of a field comes from that the file does not have.
pub(crate) enum DefaultValue {
    /// `Default::default()`
    Trait,
    /// The function of that path.
    Function(Path),
}

impl ContainerAttrs {
    const KNOWN: &[&str] = &["crate"];

    pub(crate) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut attrs = Self::default();
        parse(ctxt, attributes, |name, meta| {
            match name {
                "crate" => attrs.krate.set(ctxt, meta, path(meta)?),
                _ => return Err(unknown(meta, "a struct", Self::KNOWN)),
            }
            Ok(())
        });
        attrs
    }
}

impl FieldAttrs {
    const KNOWN: &[&str] = &["default", "rename", "skip"];

    pub(crate) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut attrs = Self::default();
        parse(ctxt, attributes, |name, meta| {
            match name {
                "rename" => attrs.rename.set(ctxt, meta, string(meta)?),
                "default" if meta.input.peek(Token![=]) => {
                    attrs.default.set(ctxt, meta, DefaultValue::Function(path(meta)?));
                }
                "default" => attrs.default.set(ctxt, meta, DefaultValue::Trait),
                "skip" => attrs.skip.set(ctxt, meta, ()),
                _ => return Err(unknown(meta, "a field", Self::KNOWN)),
            }
            Ok(())
        });
        attrs
    }
}

/// The value of an attribute that may stand once, and the place where it stands.
pub(crate) struct Once<T>(Option<(T, Path)>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Once<T> {
    fn set(&mut self, ctxt: &Ctxt, meta: &ParseNestedMeta<'_>, value: T) {
        if self.0.is_some() {
            ctxt.error(&meta.path, format!("`{}` is given twice", name_of(meta)));
            return;
        }
        self.0 = Some((value, meta.path.clone()));
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(value, _)| value)
    }

    /// The attribute's name where it stands, for errors.
    pub(crate) fn token(&self) -> Option<&Path> {
        self.0.as_ref().map(|(_, token)| token)
    }
}

/// Calls `each` for every item of every `#[npy(...)]`, and goes on with the next attribute after an error.
fn parse(ctxt: &Ctxt, attributes: &[Attribute], mut each: impl FnMut(&str, &ParseNestedMeta<'_>) -> syn::Result<()>) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("npy")) {
        let result = attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
            let result = each(&name, &meta);
            if result.is_err() {
                skip_value(&meta)?;
            }
            // Noted, so that the items after this one are still looked at.
            result.or_else(|error| {
                ctxt.add(error);
                Ok(())
            })
        });
        if let Err(error) = result {
            ctxt.add(error);
        }
    }
}

/// Passes over the value of an item that was not understood.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        meta.input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

fn unknown(meta: &ParseNestedMeta<'_>, place: &str, known: &[&str]) -> syn::Error {
    let name = name_of(meta);
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    meta.error(format!("`{name}` is no attribute of {place}; known are {known}"))
}

/// The attribute's name as it was written.
fn name_of(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.to_token_stream().to_string().replace(' ', "")
}

/// `name = "text"`
fn string(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    let name = name_of(meta);
    let value = meta.value().map_err(|_| meta.error(format!("`{name}` needs a value: `{name} = \"…\"`")))?;
    match value.parse()? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
        other => Err(syn::Error::new_spanned(other, "a string is needed: `\"…\"`")),
    }
}

/// `name = path`, or as serde has it `name = "path"`
fn path(meta: &ParseNestedMeta<'_>) -> syn::Result<Path> {
    let name = name_of(meta);
    let value = meta.value().map_err(|_| meta.error(format!("`{name}` needs a value: `{name} = path`")))?;
    let path = if value.peek(LitStr) {
        value.parse::<LitStr>()?.parse_with(Path::parse_mod_style)
    } else {
        value.call(Path::parse_mod_style)
    };
    path.map_err(|error| syn::Error::new(error.span(), format!("a path is needed: `{name} = module::item`")))
}

/// `::npy_core`, unless the struct says otherwise.
pub(crate) fn default_crate() -> Path {
    let path = quote!(::npy_core);
    syn::parse2(path).unwrap_or_else(|_| Ident::new("npy_core", Span::call_site()).into())
}
