//! The attributes in `#[npy(...)]` of a struct for an archive.

use proc_macro2::Span;
use quote::quote;
use syn::{Attribute, Ident, LitStr, Path, WherePredicate};

use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::meta::{DefaultValue, Once, bound, default, flag, parse, path, string, unknown};

/// `#[npy(...)]` on a struct.
#[derive(Default)]
pub(super) struct ContainerAttrs {
    /// `bound = "T: Trait"`
    pub(super) bound: Once<Vec<WherePredicate>>,
    /// `crate = path`
    pub(super) krate: Once<Path>,
    /// `default`, or `default = path`
    pub(super) default: Once<DefaultValue>,
    /// `deny_unknown_fields`
    pub(super) deny_unknown_fields: Once<()>,
    /// `rename_all = "camelCase"`
    pub(super) rename_all: Once<RenameRule>,
}

/// `#[npy(...)]` on a field.
#[derive(Default)]
pub(super) struct FieldAttrs {
    /// `alias = "name"`, any number of times
    pub(super) aliases: Vec<LitStr>,
    /// `default`, or `default = path`
    pub(super) default: Once<DefaultValue>,
    /// `flatten`
    pub(super) flatten: Once<()>,
    /// `rename = "name"`
    pub(super) rename: Once<LitStr>,
    /// `skip`
    pub(super) skip: Once<()>,
}

impl ContainerAttrs {
    const KNOWN: &[&str] = &["bound", "crate", "default", "deny_unknown_fields", "rename_all"];

    pub(super) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut attrs = Self::default();
        parse(ctxt, attributes, |name, meta| {
            match name {
                "bound" => attrs.bound.set(ctxt, meta, bound(meta)?),
                "crate" => attrs.krate.set(ctxt, meta, path(meta)?),
                "default" => attrs.default.set(ctxt, meta, default(meta)?),
                "deny_unknown_fields" => attrs.deny_unknown_fields.set(ctxt, meta, flag(meta)?),
                "rename_all" => attrs.rename_all.set(ctxt, meta, RenameRule::parse(&string(meta)?)?),
                _ => return Err(unknown(meta, "a struct for an archive", Self::KNOWN)),
            }
            Ok(())
        });
        attrs
    }

    pub(super) fn has_crate(&self) -> bool {
        self.krate.get().is_some()
    }

    /// The path of `npy_ndarray`.
    pub(super) fn krate(&self) -> Path {
        let default = || syn::parse2(quote!(::npy_ndarray)).unwrap_or_else(|_| Ident::new("npy_ndarray", Span::call_site()).into());
        self.krate.get().cloned().unwrap_or_else(default)
    }
}

impl FieldAttrs {
    const KNOWN: &[&str] = &["alias", "default", "flatten", "rename", "skip"];

    pub(super) fn parse(ctxt: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut attrs = Self::default();
        parse(ctxt, attributes, |name, meta| {
            match name {
                "alias" => attrs.aliases.push(string(meta)?),
                "default" => attrs.default.set(ctxt, meta, default(meta)?),
                "flatten" => attrs.flatten.set(ctxt, meta, flag(meta)?),
                "rename" => attrs.rename.set(ctxt, meta, string(meta)?),
                "skip" => attrs.skip.set(ctxt, meta, flag(meta)?),
                _ => return Err(unknown(meta, "a field of an archive", Self::KNOWN)),
            }
            Ok(())
        });
        attrs.check(ctxt);
        attrs
    }

    /// Reports attributes without effect.
    fn check(&self, ctxt: &Ctxt) {
        let (kind, other) = if self.skip.is_given() {
            ("skipped", self.flatten.token())
        } else if self.flatten.is_given() {
            ("flattened", self.default.token())
        } else {
            return;
        };
        for token in [self.rename.token(), other].into_iter().flatten() {
            ctxt.error(token, format!("`{}` has no effect on a {kind} field", quote!(#token)));
        }
        for alias in &self.aliases {
            ctxt.error(alias, format!("`alias` has no effect on a {kind} field"));
        }
    }
}
