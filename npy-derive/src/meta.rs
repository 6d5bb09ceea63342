//! An item of `#[npy(...)]`: the syntax of its value, and that it is given once.

use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Path, Token, WherePredicate};

use crate::case::RenameRule;
use crate::ctxt::Ctxt;

/// The source of the value of a field that is missing from the file.
pub(crate) enum DefaultValue {
    /// `Default::default()`
    Trait,
    /// The function at this path.
    Function(Path),
}

/// The value of an attribute that may be given once, and its location.
pub(crate) struct Once<T>(Option<(T, Path)>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// A place for the values of an attribute.
pub(crate) trait Slot<T> {
    fn set(&mut self, ctxt: &Ctxt, meta: &ParseNestedMeta<'_>, value: T);
}

impl<T> Slot<T> for Once<T> {
    fn set(&mut self, ctxt: &Ctxt, meta: &ParseNestedMeta<'_>, value: T) {
        if self.0.is_some() {
            ctxt.error(&meta.path, format!("duplicate attribute `{}`", name_of(meta)));
            return;
        }
        self.0 = Some((value, meta.path.clone()));
    }
}

impl<T> Slot<T> for Vec<T> {
    fn set(&mut self, _: &Ctxt, _: &ParseNestedMeta<'_>, value: T) {
        self.push(value);
    }
}

/// Defines the attributes of a kind of item: name, field and parser of each.
macro_rules! attributes {
    ($(#[$meta:meta])* $name:ident of $item:literal { $($key:literal => $field:ident: $slot:ty = $parse:expr,)* }) => {
        $(#[$meta])*
        #[derive(Default)]
        pub(crate) struct $name {
            $(pub(crate) $field: $slot,)*
        }

        impl $name {
            pub(crate) fn parse(ctxt: &$crate::ctxt::Ctxt, attributes: &[syn::Attribute]) -> Self {
                let mut attrs = Self::default();
                $crate::meta::parse(ctxt, attributes, |name, meta| {
                    match name {
                        $($key => $crate::meta::Slot::set(&mut attrs.$field, ctxt, meta, $parse(meta)?),)*
                        _ => return Err($crate::meta::unknown(meta, $item, &[$($key),*])),
                    }
                    Ok(())
                });
                attrs
            }
        }
    };
}
pub(crate) use attributes;

impl<T> Once<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(value, _)| value)
    }

    pub(crate) fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// The name of the attribute in the source, for errors.
    pub(crate) fn token(&self) -> Option<&Path> {
        self.0.as_ref().map(|(_, token)| token)
    }
}

/// Calls `each` for every item of every `#[npy(...)]`. Continues after an error.
pub(crate) fn parse(ctxt: &Ctxt, attributes: &[Attribute], mut each: impl FnMut(&str, &ParseNestedMeta<'_>) -> syn::Result<()>) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("npy")) {
        let result = attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
            let result = each(&name, &meta);
            if result.is_err() {
                skip_value(&meta)?;
            }
            // Later items are still parsed.
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

/// Skips the value of an invalid item.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        meta.input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

pub(crate) fn unknown(meta: &ParseNestedMeta<'_>, place: &str, known: &[&str]) -> syn::Error {
    let name = name_of(meta);
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    meta.error(format!("unknown attribute `{name}` of {place}: expected one of {known}"))
}

/// The name of the attribute as written.
pub(crate) fn name_of(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.to_token_stream().to_string().replace(' ', "")
}

/// `name`
pub(crate) fn flag(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.is_empty() || meta.input.peek(Token![,]) {
        return Ok(());
    }
    Err(meta.error(format!("`{}` takes no value", name_of(meta))))
}

/// Removes the invisible parentheses that a macro puts around its arguments.
pub(crate) fn ungroup(expression: Expr) -> Expr {
    match expression {
        Expr::Group(group) => ungroup(*group.expr),
        other => other,
    }
}

/// `name = "text"`
pub(crate) fn string(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    let name = name_of(meta);
    let value = meta.value().map_err(|_| meta.error(format!("missing value of `{name}`: expected `{name} = \"…\"`")))?;
    match ungroup(value.parse()?) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
        other => Err(syn::Error::new_spanned(other, "expected a string")),
    }
}

/// `name = path`, or `name = "path"` as in serde
pub(crate) fn path(meta: &ParseNestedMeta<'_>) -> syn::Result<Path> {
    let name = name_of(meta);
    let value = meta.value().map_err(|_| meta.error(format!("missing value of `{name}`: expected `{name} = path`")))?;
    let path = if value.peek(LitStr) {
        value.parse::<LitStr>()?.parse_with(Path::parse_mod_style)
    } else {
        value.call(Path::parse_mod_style)
    };
    path.map_err(|error| syn::Error::new(error.span(), format!("expected a path: `{name} = module::item`")))
}

/// `default`, or `default = path`
pub(crate) fn default(meta: &ParseNestedMeta<'_>) -> syn::Result<DefaultValue> {
    if meta.input.peek(Token![=]) { path(meta).map(DefaultValue::Function) } else { flag(meta).map(|()| DefaultValue::Trait) }
}

/// `rename_all = "camelCase"`
pub(crate) fn case(meta: &ParseNestedMeta<'_>) -> syn::Result<RenameRule> {
    RenameRule::parse(&string(meta)?)
}

/// `bound = "T: Trait, U: Trait"`
pub(crate) fn bound(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<WherePredicate>> {
    let text = string(meta)?;
    let predicates = text.parse_with(Punctuated::<WherePredicate, Token![,]>::parse_terminated);
    let predicates = predicates
        .map_err(|error| syn::Error::new(error.span(), format!("invalid bound: expected `bound = \"T: Trait\"` ({error})")))?;
    Ok(predicates.into_iter().collect())
}
