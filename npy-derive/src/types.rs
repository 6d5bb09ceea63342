//! What can be seen of a type without knowing what it is.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{DeriveInput, GenericArgument, Generics, PathArguments, Type};

/// The `T` of an `Option<T>`, however it is spelt.
pub(crate) fn in_option(ty: &Type) -> Option<&Type> {
    let Type::Path(ty) = peel(ty) else { return None };
    let last = ty.path.segments.last()?;
    let before: Vec<_> = ty.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let before: Vec<_> = before.iter().map(String::as_str).collect();
    if ty.qself.is_some() || !matches!(before.as_slice(), ["Option"] | ["std" | "core", "option", "Option"]) {
        return None;
    }
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(inner)) if arguments.args.len() == 1 => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// The type in the invisible parentheses that a macro puts around what it was given.
fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        other => other,
    }
}

/// The codec for a type, given that for what is in its arrays and options. `takes_bytes` tells that `[u8; N]` is not taken apart.
pub(crate) fn wrap_codec(ty: &Type, codec: TokenStream, takes_bytes: bool) -> TokenStream {
    if let Some(inner) = in_option(ty) {
        let codec = wrap_codec(inner, codec, takes_bytes);
        return quote!(__npy::Optional<#codec>);
    }
    match peel(ty) {
        Type::Array(array) if !(takes_bytes && is_u8(&array.elem)) => {
            let codec = wrap_codec(&array.elem, codec, takes_bytes);
            quote!(__npy::Items<#codec>)
        }
        _ => codec,
    }
}

fn is_u8(ty: &Type) -> bool {
    matches!(peel(ty), Type::Path(ty) if ty.path.is_ident("u8"))
}

/// Whether a type parameter stands in the type.
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

/// The tokens with the struct's name for `Self`, which means another type in generated items.
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
            // A type of its own: without the brackets that `<Name>::ITEM` needs.
            let (name, (_, type_generics, _)) = (&input.ident, input.generics.split_for_impl());
            replaced.extend(quote!(#name #type_generics));
        } else {
            replaced.extend(replace(token.clone()));
        }
    }
    replaced
}
