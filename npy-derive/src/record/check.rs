//! Rules that concern the type as a whole, or several attributes of a field.

use std::collections::HashMap;

use syn::LitStr;

use super::model::{Field, Model, Shape};
use crate::ctxt::Ctxt;
use crate::types::without_dtype;

/// Notes every rule that the type breaks.
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
}

fn check_lifetimes(ctxt: &Ctxt, model: &Model<'_>) {
    for lifetime in model.generics.lifetimes() {
        ctxt.error(lifetime, "a record owns its fields, because what is read from a file has nothing to borrow from");
    }
}

/// NumPy keeps names and titles in one dict, and an alias must lead to one field.
fn check_names(ctxt: &Ctxt, model: &Model<'_>) {
    let mut names: HashMap<String, &Field<'_>> = HashMap::new();
    let mut add = |field, name: &LitStr, what: &str| {
        let Some(first) = names.insert(name.value(), field) else { return };
        let (first, second) = (first.rust_name(), field.rust_name());
        let message = if first == second {
            format!("the field `{first}` has this {what} already")
        } else {
            match what {
                "name" => format!("the fields `{first}` and `{second}` have the same name in the file"),
                what => format!("this {what} of the field `{second}` is a name, an alias or a title of the field `{first}`"),
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
        for token in attrs.about_storage() {
            ctxt.error(token, "a skipped field is not in the file, so this says nothing about it");
        }
        return;
    }
    if field.is_flattened() {
        for token in attrs.about_one_field() {
            ctxt.error(token, "a flattened struct is no field of the file but several, so this says nothing about it");
        }
        return;
    }
    if field.is_as_is()
        && let Some((ty, advice)) = without_dtype(&field.source.ty)
    {
        ctxt.error(ty, advice);
    }
    if let (Some(with), true) = (attrs.with.token(), attrs.dtype.is_given()) {
        ctxt.error(with, "the module's `Element` decides about the dtype; `dtype` and `with` exclude one another");
    }
    if let (Some(widen), false) = (attrs.widen.token(), field.is_as_is()) {
        ctxt.error(widen, "`dtype` and `with` say which dtype the file has; `widen` is for fields without them");
    }
    if let Some(truncate) = attrs.truncate.token()
        && !attrs.dtype.get().is_some_and(crate::record::dtype::StoredAs::is_text)
    {
        ctxt.error(truncate, "only text of a fixed width is cut off: give the field `dtype = \"U16\"` or `dtype = \"S16\"`");
    }
}

fn check_transparent(ctxt: &Ctxt, model: &Model<'_>, fields: &[Field<'_>]) {
    let stored: Vec<_> = model.stored().collect();
    if stored.len() != 1
        && let Some(transparent) = model.attrs.transparent.token()
    {
        let message = format!("a transparent struct is stored as its only field, and this one has {}", stored.len());
        ctxt.error(transparent, message);
    } else if stored.is_empty() {
        ctxt.error(model.ident, "a struct of one field is stored as that field, and this one is skipped");
    }
    for token in model.attrs.about_fields() {
        ctxt.error(token, "a transparent struct or newtype is stored as what it holds, so it has no fields of its own");
    }
    for field in fields.iter().filter(|field| !field.is_skipped()) {
        let named = [&field.attrs.rename.token(), &field.attrs.title.token(), &field.attrs.flatten.token()];
        let placed = [&field.attrs.offset.token(), &field.attrs.default.token()];
        for token in named.into_iter().chain(placed).filter_map(|token| *token) {
            ctxt.error(token, "a transparent struct or newtype is stored as what it holds, so this is no field of the file");
        }
        for alias in &field.attrs.aliases {
            ctxt.error(alias, "a transparent struct or newtype is stored as what it holds, so this is no field of the file");
        }
    }
}

fn check_enum(ctxt: &Ctxt, model: &Model<'_>) {
    const INTEGERS: [&str; 8] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    match &model.repr.integer {
        None => ctxt.error(model.ident, "an enum is stored as its number, so its type must be fixed: add `#[repr(u8)]`"),
        Some(integer) if !INTEGERS.iter().any(|known| integer == known) => {
            ctxt.error(integer, format!("NumPy has no dtype for `{integer}`; an enum can be stored as {}", INTEGERS.join(", ")));
        }
        Some(_) => {}
    }
    for token in model.attrs.about_fields().chain(model.attrs.transparent.token()).chain(model.attrs.bound.token()) {
        ctxt.error(token, "an enum is stored as its number, and has no fields");
    }
}

fn check_view(ctxt: &Ctxt, model: &Model<'_>) {
    let Some(view) = model.attrs.view.token() else { return };
    if !model.repr.is_fixed() && !matches!(model.shape, Shape::Enum(_)) {
        let message = "the layout in memory is not fixed, so it need not be that of the file: add `#[repr(C)]`, `#[repr(C, packed)]` \
                       or, for a struct of one field, `#[repr(transparent)]`";
        ctxt.error(view, message);
    }
    if let Some(endian) = model.attrs.endian.token() {
        ctxt.error(endian, "a view needs the machine's byte order; read a copy of a file in another");
    }
    if let Some(default) = model.attrs.default.token() {
        ctxt.error(default, "what is viewed in place is in the file, so there are no defaults");
    }
    for field in model.fields() {
        let attrs = &field.attrs;
        let converted = [attrs.skip.token(), attrs.default.token(), attrs.dtype.token(), attrs.with.token()];
        for token in converted.into_iter().flatten() {
            ctxt.error(token, "what is viewed in place is in the file as it is in memory, and nothing is converted");
        }
        if field.is_optional() {
            ctxt.error(&field.source.ty, "an `Option` cannot be viewed in place: no bytes of the file say whether it is there");
        }
    }
}
