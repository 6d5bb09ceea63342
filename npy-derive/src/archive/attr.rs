//! The attributes in `#[npy(...)]` of a struct for an archive.

use proc_macro2::Span;
use quote::quote;
use syn::{Ident, LitStr, Path, WherePredicate};

use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::meta::{DefaultValue, Once, attributes, bound, case, default, flag, path, string};

attributes! {
    /// `#[npy(...)]` on a struct.
    ContainerAttrs of "a struct for an archive" {
        "bound" => bound: Once<Vec<WherePredicate>> = bound,
        "crate" => krate: Once<Path> = path,
        "default" => default: Once<DefaultValue> = default,
        "deny_unknown_fields" => deny_unknown_fields: Once<()> = flag,
        "rename_all" => rename_all: Once<RenameRule> = case,
    }
}

attributes! {
    /// `#[npy(...)]` on a field.
    FieldAttrs of "a field of an archive" {
        "alias" => aliases: Vec<LitStr> = string,
        "default" => default: Once<DefaultValue> = default,
        "flatten" => flatten: Once<()> = flag,
        "rename" => rename: Once<LitStr> = string,
        "skip" => skip: Once<()> = flag,
    }
}

impl ContainerAttrs {
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
    /// Reports attributes without effect.
    pub(super) fn check(&self, ctxt: &Ctxt) {
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
