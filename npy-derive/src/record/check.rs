//! Rules about the whole type, or about several attributes of a field.

use std::collections::HashMap;

use quote::quote;
use syn::LitStr;

use super::attr::FieldAttrs;
use super::dtype::StoredAs;
use super::model::{Field, Model, Shape};
use crate::ctxt::Ctxt;
use crate::types::without_dtype;

/// Reports every rule that the type breaks.
pub(crate) fn check(ctxt: &Ctxt, model: &Model<'_>) {
    check_lifetimes(ctxt, model);
    check_names(ctxt, model);
    for field in model.fields() {
        check_field(ctxt, field);
    }
    match &model.shape {
        Shape::Record(_) => {}
        Shape::Transparent(fields) => check_transparent(ctxt, model, fields),
        Shape::Enum(_) => check_enum(ctxt, model),
    }
    check_view(ctxt, model);
    if let (true, Some(fill)) = (model.attrs.deny_unknown_fields.is_given(), model.attrs.fill_unknown_fields.token()) {
        ctxt.error(fill, "`fill_unknown_fields` conflicts with `deny_unknown_fields`, which refuses the fields to fill");
    }
}

fn check_lifetimes(ctxt: &Ctxt, model: &Model<'_>) {
    for lifetime in model.generics.lifetimes() {
        ctxt.error(lifetime, "unsupported lifetime: a record owns its fields");
    }
}

/// NumPy keeps names and titles in one dict, and an alias must lead to one field.
fn check_names(ctxt: &Ctxt, model: &Model<'_>) {
    let mut names: HashMap<String, &Field<'_>> = HashMap::new();
    let mut add = |field, name: &LitStr, what: &str| {
        let Some(first) = names.insert(name.value(), field) else { return };
        let (first, second) = (first.rust_name(), field.rust_name());
        let message = if first == second {
            format!("duplicate {what} of the field `{first}`")
        } else {
            match what {
                "name" => format!("duplicate name in the file: the fields `{first}` and `{second}`"),
                _ => format!("duplicate {what} of the field `{second}`: the field `{first}` has this name, alias or title"),
            }
        };
        ctxt.error(name, message);
    };
    let columns = || model.stored().filter(|field| !field.is_flattened());
    for field in columns() {
        add(field, &field.name, "name");
    }
    for field in columns() {
        for alias in &field.attrs.aliases {
            add(field, alias, "alias");
        }
        if let Some(title) = field.attrs.title.get() {
            add(field, title, "title");
        }
    }
}

fn check_field(ctxt: &Ctxt, field: &Field<'_>) {
    let attrs = &field.attrs;
    if field.is_skipped() {
        for (name, token) in attrs.about_storage() {
            ctxt.error(token, format!("`{name}` has no effect on a skipped field"));
        }
        return;
    }
    if field.is_flattened() {
        for (name, token) in attrs.about_one_field() {
            ctxt.error(token, format!("`{name}` has no effect on a flattened field"));
        }
        return;
    }
    if field.is_as_is()
        && let Some((ty, advice)) = without_dtype(&field.source.ty)
    {
        ctxt.error(ty, advice);
    }
    if let (Some(with), true) = (attrs.with.token(), attrs.dtype.is_given()) {
        ctxt.error(with, "`with` conflicts with `dtype`: the module's `Element` has the dtype");
    }
    if let (Some(widen), false) = (attrs.widen.token(), field.is_as_is()) {
        ctxt.error(widen, "`widen` has no effect on a field with `dtype` or `with`");
    }
    if let Some(truncate) = attrs.truncate.token()
        && !attrs.dtype.get().is_some_and(StoredAs::is_text)
    {
        ctxt.error(truncate, "`truncate` needs text of a fixed width: add a dtype such as `dtype = \"U16\"` or `dtype = \"S16\"`");
    }
}

fn check_transparent(ctxt: &Ctxt, model: &Model<'_>, fields: &[Field<'_>]) {
    let stored: Vec<_> = model.stored().collect();
    if stored.len() != 1
        && let Some(transparent) = model.attrs.transparent.token()
    {
        let message = format!("invalid transparent struct: expected one field that is stored, found {}", stored.len());
        ctxt.error(transparent, message);
    } else if stored.is_empty() {
        ctxt.error(model.ident, "invalid newtype: its only field is skipped");
    }
    for token in model.attrs.about_fields() {
        ctxt.error(token, format!("`{}` has no effect on a transparent struct or newtype", quote!(#token)));
    }
    for field in fields.iter().filter(|field| !field.is_skipped()) {
        let FieldAttrs { rename, title, flatten, offset, default, aliases, .. } = &field.attrs;
        let tokens = [rename.token(), title.token(), flatten.token(), offset.token(), default.token()];
        let tokens = tokens.into_iter().flatten().map(|token| (quote!(#token).to_string(), quote!(#token)));
        for (name, token) in tokens.chain(aliases.iter().map(|alias| ("alias".to_owned(), quote!(#alias)))) {
            ctxt.error(token, format!("`{name}` has no effect on the field of a transparent struct or newtype"));
        }
    }
}

fn check_enum(ctxt: &Ctxt, model: &Model<'_>) {
    const INTEGERS: [&str; 8] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    match &model.repr.integer {
        None => ctxt.error(model.ident, "missing integer type of the enum: add `#[repr(u8)]`"),
        Some(integer) if !INTEGERS.iter().any(|known| integer == known) => {
            ctxt.error(
                integer,
                format!("unsupported integer type `{integer}` of an enum: expected one of {}", INTEGERS.join(", ")),
            );
        }
        Some(_) => {}
    }
    for token in model.attrs.about_fields().chain(model.attrs.transparent.token()).chain(model.attrs.bound.token()) {
        ctxt.error(token, format!("`{}` has no effect on an enum, which has no fields", quote!(#token)));
    }
}

/// The path as it was written.
fn path_text(path: &syn::Path) -> String {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::")
}

fn check_view(ctxt: &Ctxt, model: &Model<'_>) {
    let Some(view) = model.attrs.view.token() else { return };
    if !model.repr.is_fixed() && !matches!(model.shape, Shape::Enum(_)) {
        let message = "`view` needs a fixed layout in memory: add `#[repr(C)]`, `#[repr(C, packed)]` or, for a struct of one field, \
                       `#[repr(transparent)]`";
        ctxt.error(view, message);
    }
    // The checks of memory are called by that path, and a module may have functions of the same names
    // that check nothing.
    if let Some(path) = model.attrs.krate.get().filter(|path| path.leading_colon.is_none()) {
        let message = format!("`view` needs the path of a crate: begin it with `::`, as in `crate = ::{}`", path_text(path));
        ctxt.error(path, message);
    }
    if let Some(endian) = model.attrs.endian.token() {
        ctxt.error(endian, "`endian` conflicts with `view`, which has the native byte order: read a copy of other files");
    }
    let of_fields = model
        .fields()
        .iter()
        .flat_map(|Field { attrs, .. }| [attrs.skip.token(), attrs.default.token(), attrs.dtype.token(), attrs.with.token()]);
    for token in of_fields.chain([model.attrs.default.token()]).flatten() {
        ctxt.error(token, format!("`{}` conflicts with `view`, which converts nothing", quote!(#token)));
    }
    for field in model.fields().iter().filter(|field| field.is_optional()) {
        ctxt.error(&field.source.ty, "an `Option` cannot be viewed in place: no bytes of the file say whether it is there");
    }
}
