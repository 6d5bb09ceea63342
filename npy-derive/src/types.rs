//! The syntax of types.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{DeriveInput, GenericArgument, Generics, PathArguments, Type};

/// Returns the `T` of an `Option<T>` in any spelling.
pub(crate) fn in_option(ty: &Type) -> Option<&Type> {
    argument(ty, "Option", "option")
}

/// Returns the only argument of a type of the standard library, by the names of the type and its module.
fn argument<'a>(ty: &'a Type, name: &str, module: &str) -> Option<&'a Type> {
    let Type::Path(ty) = peel(ty) else { return None };
    let names: Vec<_> = ty.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let is_named = match names.as_slice() {
        [only] => only == name,
        [root, parent, last] => matches!(root.as_str(), "std" | "core" | "alloc") && parent == module && last == name,
        _ => false,
    };
    let PathArguments::AngleBracketed(arguments) = &ty.path.segments.last()?.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) if is_named && ty.qself.is_none() && arguments.args.len() == 1 => Some(inner),
        _ => None,
    }
}

/// Finds a type of the standard library without a dtype, in options and arrays, and the advice for it.
pub(crate) fn without_dtype(ty: &Type) -> Option<(&Type, String)> {
    if let Some(inner) = in_option(ty) {
        return without_dtype(inner);
    }
    let ty = peel(ty);
    if let Some(inner) = argument(ty, "Vec", "vec") {
        let advice = format!("`Vec` has no dtype, because its length varies: use `[{}; N]`", inner.to_token_stream());
        return Some((ty, advice));
    }
    let advice = match ty {
        Type::Array(array) => return without_dtype(&array.elem),
        Type::Path(path) if path.path.is_ident("usize") => {
            "`usize` has no dtype, because its size depends on the machine: use `u64`"
        }
        Type::Path(path) if path.path.is_ident("isize") => {
            "`isize` has no dtype, because its size depends on the machine: use `i64`"
        }
        Type::Path(path) if path.path.is_ident("char") => {
            "`char` has no dtype, because NumPy has text but no characters: use `u32` or `FixedUnicode<1>`"
        }
        // Any other lifetime is an error already.
        Type::Reference(reference)
            if matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str"))
                && reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static") =>
        {
            "`&str` has no dtype, because a record owns its fields: use `String`"
        }
        _ => return None,
    };
    Some((ty, advice.to_owned()))
}

/// Removes the invisible parentheses that a macro puts around its arguments.
fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        other => other,
    }
}

/// Returns the codec of a type in whose arrays and options `codec` stores the items.
///
/// With `takes_bytes`, `codec` stores `[u8; N]` as a whole.
pub(crate) fn wrap_codec(ty: &Type, codec: TokenStream, takes_bytes: bool) -> TokenStream {
    if let Some(inner) = in_option(ty) {
        let codec = wrap_codec(inner, codec, takes_bytes);
        return quote!(__private::Optional<#codec>);
    }
    match peel(ty) {
        Type::Array(array) if !(takes_bytes && is_u8(&array.elem)) => {
            let codec = wrap_codec(&array.elem, codec, takes_bytes);
            quote!(__private::Items<#codec>)
        }
        _ => codec,
    }
}

fn is_u8(ty: &Type) -> bool {
    matches!(peel(ty), Type::Path(ty) if ty.path.is_ident("u8"))
}

/// Whether the type mentions a type parameter.
pub(crate) fn mentions_parameter(ty: &Type, generics: &Generics) -> bool {
    fn mentions(tokens: TokenStream, generics: &Generics) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => generics.type_params().any(|parameter| parameter.ident == ident),
            TokenTree::Group(group) => mentions(group.stream(), generics),
            _ => false,
        })
    }
    mentions(ty.to_token_stream(), generics)
}

/// Replaces `Self`, which means another type in generated items, by the name of the struct.
pub(crate) fn replace_self(tokens: TokenStream, input: &DeriveInput) -> TokenStream {
    let replace = |token: TokenTree| match token {
        TokenTree::Ident(ident) if ident == "Self" => {
            let (name, (_, type_generics, _)) = (&input.ident, input.generics.split_for_impl());
            quote!(<#name #type_generics>)
        }
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), replace_self(group.stream(), input));
            replaced.set_span(group.span());
            TokenTree::Group(replaced).into()
        }
        other => other.into(),
    };
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut replaced = TokenStream::new();
    for (i, token) in tokens.iter().enumerate() {
        let is_self = matches!(token, TokenTree::Ident(ident) if ident == "Self");
        let is_path = matches!(tokens.get(i + 1), Some(TokenTree::Punct(punct)) if punct.as_char() == ':')
            && matches!(tokens.get(i + 2), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        if is_self && !is_path {
            // A whole type needs no brackets, unlike `<Name>::ITEM`.
            let (name, (_, type_generics, _)) = (&input.ident, input.generics.split_for_impl());
            replaced.extend(quote!(#name #type_generics));
        } else {
            replaced.extend(replace(token.clone()));
        }
    }
    replaced
}
