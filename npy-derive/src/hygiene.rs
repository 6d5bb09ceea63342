//! Keeps the names in generated code apart from those of the struct's module.
//!
//! Items are private to a `const` block and begin with `__`. So do the variables of fields, because
//! a binding named like a constant in scope would match that constant. Other variables have the
//! hygiene of `mixed_site`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

/// `quote!` with hygienic variables.
macro_rules! hygienic {
    ($($tokens:tt)*) => {
        quote::quote_spanned!(proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}
pub(crate) use hygienic;

/// Hides the items from the user's module, and keeps the user's lints away from them.
pub(crate) fn in_const(krate: &Path, items: &TokenStream) -> TokenStream {
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
            use #krate::__private as __npy;
            #items
        };
    }
}
