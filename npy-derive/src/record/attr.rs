//! The attributes in `#[npy(...)]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Path, WherePredicate};

use super::dtype;
use super::dtype::StoredAs;
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::meta::{DefaultValue, Once, attributes, bound, case, default, flag, name_of, path, string, ungroup};

attributes! {
    /// `#[npy(...)]` on a struct.
    ContainerAttrs of "a struct" {
        "align" => align: Once<()> = flag,
        "bound" => bound: Once<Vec<WherePredicate>> = bound,
        "crate" => krate: Once<Path> = path,
        "default" => default: Once<DefaultValue> = default,
        "deny_unknown_fields" => deny_unknown_fields: Once<()> = flag,
        "endian" => endian: Once<Endian> = endian,
        "fill_unknown_fields" => fill_unknown_fields: Once<()> = flag,
        "itemsize" => itemsize: Once<LitInt> = bytes,
        "rename_all" => rename_all: Once<RenameRule> = case,
        "transparent" => transparent: Once<()> = flag,
        "view" => view: Once<()> = flag,
        "widen" => widen: Once<()> = flag,
    }
}

attributes! {
    /// `#[npy(...)]` on a field.
    FieldAttrs of "a field" {
        "alias" => aliases: Vec<LitStr> = string,
        "default" => default: Once<DefaultValue> = default,
        "dtype" => dtype: Once<StoredAs> = dtype::parse,
        "flatten" => flatten: Once<()> = flag,
        "offset" => offset: Once<LitInt> = bytes,
        "rename" => rename: Once<LitStr> = string,
        "skip" => skip: Once<()> = flag,
        "title" => title: Once<LitStr> = string,
        "truncate" => truncate: Once<()> = flag,
        "widen" => widen: Once<()> = flag,
        "with" => with: Once<Path> = path,
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Endian {
    Little,
    Big,
}

impl ContainerAttrs {
    /// The attributes about fields.
    pub(crate) fn about_fields(&self) -> impl Iterator<Item = &Path> {
        [
            self.align.token(),
            self.default.token(),
            self.deny_unknown_fields.token(),
            self.endian.token(),
            self.fill_unknown_fields.token(),
            self.itemsize.token(),
            self.rename_all.token(),
            self.widen.token(),
        ]
        .into_iter()
        .flatten()
    }
}

impl FieldAttrs {
    /// The attributes about storage: their names, and their tokens in the source.
    pub(crate) fn about_storage(&self) -> impl Iterator<Item = (&str, TokenStream)> {
        let others = [
            ("dtype", self.dtype.token()),
            ("flatten", self.flatten.token()),
            ("offset", self.offset.token()),
            ("rename", self.rename.token()),
            ("title", self.title.token()),
            ("truncate", self.truncate.token()),
            ("widen", self.widen.token()),
            ("with", self.with.token()),
        ];
        let others = others.into_iter().filter_map(|(name, token)| Some((name, token?.to_token_stream())));
        others.chain(self.aliases.iter().map(|alias| ("alias", alias.to_token_stream())))
    }

    /// The attributes about one field of the file. A flattened struct has several.
    pub(crate) fn about_one_field(&self) -> impl Iterator<Item = (&str, TokenStream)> {
        let default = self.default.token().map(|token| ("default", token.to_token_stream()));
        self.about_storage().filter(|(name, _)| !matches!(*name, "flatten" | "offset")).chain(default)
    }
}

/// Rejects every `#[npy(...)]` on a variant.
pub(crate) fn refuse_on_variant(ctxt: &Ctxt, attributes: &[Attribute]) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("npy")) {
        ctxt.error(attribute, "attributes have no effect on a variant, which is stored as its number");
    }
}

/// `name = 16`
fn bytes(meta: &ParseNestedMeta<'_>) -> syn::Result<LitInt> {
    let name = name_of(meta);
    let value = meta.value().map_err(|_| meta.error(format!("missing value of `{name}`: expected `{name} = 16`")))?;
    match ungroup(value.parse()?) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_parse::<usize>().is_ok() => Ok(number),
        other => Err(syn::Error::new_spanned(other, format!("expected a number of bytes: `{name} = 16`"))),
    }
}

/// `endian = "big"`
fn endian(meta: &ParseNestedMeta<'_>) -> syn::Result<Endian> {
    let text = string(meta)?;
    match text.value().as_str() {
        "big" => Ok(Endian::Big),
        "little" => Ok(Endian::Little),
        _ => Err(syn::Error::new_spanned(text, "unknown byte order: expected `\"big\"` or `\"little\"`")),
    }
}

/// The default of `crate`: `::npy_core`.
pub(crate) fn default_crate() -> Path {
    let path = quote!(::npy_core);
    syn::parse2(path).unwrap_or_else(|_| Ident::new("npy_core", Span::call_site()).into())
}
