//! `#[repr(...)]`: the layout of the type in memory.

use syn::{Attribute, Ident, Token};

/// The parts of `#[repr(...)]` that matter here.
#[derive(Default)]
pub(crate) struct Repr {
    pub(crate) is_c: bool,
    pub(crate) is_packed: bool,
    pub(crate) is_transparent: bool,
    /// The integer type of an enum.
    pub(crate) integer: Option<Ident>,
}

impl Repr {
    /// Parses the attributes. The compiler reports malformed ones.
    pub(crate) fn parse(attributes: &[Attribute]) -> Self {
        let mut repr = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
            let _ = attribute.parse_nested_meta(|meta| {
                let Some(name) = meta.path.get_ident() else { return Ok(()) };
                match name.to_string().as_str() {
                    "C" => repr.is_c = true,
                    "packed" => repr.is_packed = true,
                    "transparent" => repr.is_transparent = true,
                    "align" => {}
                    _ => repr.integer = Some(name.clone()),
                }
                // `packed(1)`, `align(8)`
                if meta.input.peek(syn::token::Paren) {
                    meta.input.parse::<proc_macro2::TokenTree>()?;
                }
                while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
                    meta.input.parse::<proc_macro2::TokenTree>()?;
                }
                Ok(())
            });
        }
        repr
    }

    /// Whether the order of the fields and the padding between them are fixed.
    pub(crate) fn is_fixed(&self) -> bool {
        self.is_c || self.is_transparent
    }
}
