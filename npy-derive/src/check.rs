//! Rules that concern the struct as a whole, or several attributes of a field.

use std::collections::HashMap;

use syn::ext::IdentExt;

use crate::ctxt::Ctxt;
use crate::model::Model;

/// Notes every rule that the struct breaks.
pub(crate) fn check(ctxt: &Ctxt, model: &Model<'_>) {
    check_lifetimes(ctxt, model);
    check_names(ctxt, model);
    check_skipped(ctxt, model);
}

fn check_lifetimes(ctxt: &Ctxt, model: &Model<'_>) {
    for lifetime in model.generics.lifetimes() {
        ctxt.error(lifetime, "a record owns its fields, because what is read from a file has nothing to borrow from");
    }
}

fn check_names(ctxt: &Ctxt, model: &Model<'_>) {
    let mut names = HashMap::new();
    for field in model.stored() {
        if let Some(first) = names.insert(field.name.value(), field) {
            let (first, second) = (first.ident.unraw(), field.ident.unraw());
            let message = format!("the fields `{first}` and `{second}` have the same name in the file");
            ctxt.error(&field.name, message);
        }
    }
}

fn check_skipped(ctxt: &Ctxt, model: &Model<'_>) {
    for field in model.fields.iter().filter(|field| field.is_skipped()) {
        if let Some(rename) = field.attrs.rename.token() {
            ctxt.error(rename, "a skipped field is not in the file, so it has no name there");
        }
    }
}
