//! The attributes in `#[npy(...)]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Path, WherePredicate};

use super::dtype;
use super::dtype::StoredAs;
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::meta::{DefaultValue, Once, bound, default, flag, name_of, parse, path, string, ungroup, unknown};

/// `#[npy(...)]` on a struct.
#[derive(Default)]
pub(crate) struct ContainerAttrs {
    /// `align`
    pub(crate) align: Once<()>,
    /// `bound = "T: Trait"`
    pub(crate) bound: Once<Vec<WherePredicate>>,
    /// `crate = path`
    pub(crate) krate: Once<Path>,
    /// `default`, or `default = path`
    pub(crate) default: Once<DefaultValue>,
    /// `deny_unknown_fields`
    pub(crate) deny_unknown_fields: Once<()>,
    /// `endian = "big"`
    pub(crate) endian: Once<Endian>,
    /// `itemsize = 64`
    pub(crate) itemsize: Once<LitInt>,
    /// `rename_all = "camelCase"`
    pub(crate) rename_all: Once<RenameRule>,
    /// `transparent`
    pub(crate) transparent: Once<()>,
    /// `view`
    pub(crate) view: Once<()>,
    /// `widen`
    pub(crate) widen: Once<()>,
}

/// `#[npy(...)]` on a field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    /// `alias = "name"`, any number of times
    pub(crate) aliases: Vec<LitStr>,
    /// `default`, or `default = path`
    pub(crate) default: Once<DefaultValue>,
    /// `dtype = "U16"`
    pub(crate) dtype: Once<StoredAs>,
    /// `flatten`
    pub(crate) flatten: Once<()>,
    /// `offset = 16`
    pub(crate) offset: Once<LitInt>,
    /// `rename = "name"`
    pub(crate) rename: Once<LitStr>,
    /// `skip`
    pub(crate) skip: Once<()>,
    /// `title = "text"`
    pub(crate) title: Once<LitStr>,
    /// `truncate`
    pub(crate) truncate: Once<()>,
    /// `widen`
    pub(crate) widen: Once<()>,
    /// `with = module`
    pub(crate) with: Once<Path>,
}

#[derive(Clone, Copy)]
pub(crate) enum Endian {
    Little,
    Big,
}

impl ContainerAttrs {
    const KNOWN: &[&str] = &[
        "align",
        "bound",
        "crate",
        "default",
        "deny_unknown_fields",
        "endian",
        "itemsize",
        "rename_all",
        "transparent",
        "view",
        "widen",
    ];

    pub(crate) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut attrs = Self::default();
        parse(ctxt, attributes, |name, meta| {
            match name {
                "align" => attrs.align.set(ctxt, meta, flag(meta)?),
                "bound" => attrs.bound.set(ctxt, meta, bound(meta)?),
                "crate" => attrs.krate.set(ctxt, meta, path(meta)?),
                "default" => attrs.default.set(ctxt, meta, default(meta)?),
                "deny_unknown_fields" => attrs.deny_unknown_fields.set(ctxt, meta, flag(meta)?),
                "endian" => attrs.endian.set(ctxt, meta, endian(meta)?),
                "itemsize" => attrs.itemsize.set(ctxt, meta, bytes(meta)?),
                "rename_all" => attrs.rename_all.set(ctxt, meta, RenameRule::parse(&string(meta)?)?),
                "transparent" => attrs.transparent.set(ctxt, meta, flag(meta)?),
                "view" => attrs.view.set(ctxt, meta, flag(meta)?),
                "widen" => attrs.widen.set(ctxt, meta, flag(meta)?),
                _ => return Err(unknown(meta, "a struct", Self::KNOWN)),
            }
            Ok(())
        });
        attrs
    }

    /// The attributes about fields.
    pub(crate) fn about_fields(&self) -> impl Iterator<Item = &Path> {
        [
            self.align.token(),
            self.default.token(),
            self.deny_unknown_fields.token(),
            self.endian.token(),
            self.itemsize.token(),
            self.rename_all.token(),
            self.widen.token(),
        ]
        .into_iter()
        .flatten()
    }
}

impl FieldAttrs {
    const KNOWN: &[&str] =
        &["alias", "default", "dtype", "flatten", "offset", "rename", "skip", "title", "truncate", "widen", "with"];

    pub(crate) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut attrs = Self::default();
        parse(ctxt, attributes, |name, meta| {
            match name {
                "alias" => attrs.aliases.push(string(meta)?),
                "default" => attrs.default.set(ctxt, meta, default(meta)?),
                "dtype" => attrs.dtype.set(ctxt, meta, dtype::parse(&string(meta)?)?),
                "flatten" => attrs.flatten.set(ctxt, meta, flag(meta)?),
                "offset" => attrs.offset.set(ctxt, meta, bytes(meta)?),
                "rename" => attrs.rename.set(ctxt, meta, string(meta)?),
                "skip" => attrs.skip.set(ctxt, meta, flag(meta)?),
                "title" => attrs.title.set(ctxt, meta, string(meta)?),
                "truncate" => attrs.truncate.set(ctxt, meta, flag(meta)?),
                "widen" => attrs.widen.set(ctxt, meta, flag(meta)?),
                "with" => attrs.with.set(ctxt, meta, path(meta)?),
                _ => return Err(unknown(meta, "a field", Self::KNOWN)),
            }
            Ok(())
        });
        attrs
    }

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

    /// The attributes about one field of the file. A flattened struct stands for several.
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

/// `::npy_core`, unless the struct says otherwise.
pub(crate) fn default_crate() -> Path {
    let path = quote!(::npy_core);
    syn::parse2(path).unwrap_or_else(|_| Ident::new("npy_core", Span::call_site()).into())
}
