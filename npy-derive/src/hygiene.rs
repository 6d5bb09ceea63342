//! Keeps the names in generated code apart from those of the struct's module.
//!
//! Items are private to a `const` block and begin with `__`. So do the variables of fields, because
//! a binding named like a constant in scope would match that constant. Other variables have the
//! hygiene of `mixed_site`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

/// `quote!` with hygienic variables.
macro_rules! hygienic {
    ($($tokens:tt)*) => {
        quote::quote_spanned!(proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}
pub(crate) use hygienic;

/// Hides the items from the user's module, and keeps the user's lints away from them.
pub(crate) fn in_const(krate: &Path, items: &TokenStream) -> TokenStream {
    // The compiler reports a wrong path where it is written.
    let span = Span::call_site().located_at(krate.span());
    let import = quote_spanned!(span=> use #krate::{self as __npy, __private};);
    quote! {
        #[doc(hidden)]
        #[allow(
            deprecated,
            missing_docs,
            nonstandard_style,
            private_bounds,
            private_interfaces,
            trivial_bounds,
            unnameable_types,
            unreachable_pub,
            unused,
            unused_qualifications,
            clippy::all,
            clippy::nursery,
            clippy::pedantic,
            clippy::restriction
        )]
        const _: () = {
            #import
            #items
        };
    }
}
