//! An archive as Rust code.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::super::DType;
use super::names::{Names, field_name, type_name};
use super::structs::Struct;

/// A member of an archive, for [`archive_to_rust`].
pub(crate) struct ArchiveMember {
    pub(crate) name: String,
    /// The dtype and the number of axes, or why there is no field for it.
    pub(crate) array: Result<(DType, usize), String>,
}

/// Rust code for an archive of these members: a struct with `#[derive(NpzArchive)]`, and those of
/// its records.
pub(crate) fn archive_to_rust(name: &str, members: &[ArchiveMember], is_exact: bool) -> String {
    let (mut names, mut idents) = (Names::of_types(is_exact), Names::default());
    let name = names.add(&type_name(name), "");
    let mut text = format!("#[derive(npy_ndarray::NpzArchive)]\npub struct {name} {{\n");
    let mut records = Vec::new();
    let mut seen = HashSet::new();
    for member in members {
        let array = match &member.array {
            Ok(_) if !seen.insert(&member.name) => Err("is the name of an earlier member too".to_owned()),
            Ok((dtype, axes)) => match element_type(&name, member, dtype, &mut names, &mut records) {
                Some(rust) => Ok((array_type(rust, *axes, is_exact), dtype)),
                None => Err(format!("is {dtype}, which no Rust type is written as")),
            },
            Err(why) => Err(why.clone()),
        };
        // Writing to a `String` cannot fail.
        let _ = match array {
            Ok((rust, dtype)) => write_field(&mut text, &idents.add(&field_name(&member.name), "_"), &member.name, dtype, &rust),
            Err(why) => writeln!(text, "    // {:?} {}.", member.name, why.escape_debug()),
        };
    }
    text.push_str("}\n");
    for record in &records {
        text.push('\n');
        text.push_str(record);
    }
    text
}

/// The type of the elements of a member; the struct of a record is appended to `records`.
fn element_type(
    archive: &str,
    member: &ArchiveMember,
    dtype: &DType,
    names: &mut Names,
    records: &mut Vec<String>,
) -> Option<String> {
    let DType::Record(record) = dtype else { return names.element(dtype) };
    let name = names.add(&(archive.to_owned() + &type_name(&member.name)), "");
    records.push(Struct::new(record, name.clone(), names).print());
    Some(name)
}

fn array_type(rust: String, axes: usize, is_exact: bool) -> String {
    // `ndarray` has types for up to six axes.
    match axes {
        0 if !is_exact => rust,
        0..=6 => format!("npy_ndarray::ndarray::Array{axes}<{rust}>"),
        _ => format!("npy_ndarray::ndarray::ArrayD<{rust}>"),
    }
}

fn write_field(text: &mut String, ident: &str, member: &str, dtype: &DType, rust: &str) -> std::fmt::Result {
    let doc = if matches!(dtype, DType::Record(_)) { "Records.".to_owned() } else { format!("`{dtype}`") };
    writeln!(text, "    /// {doc}")?;
    if ident.trim_start_matches("r#") != member {
        writeln!(text, "    #[npy(rename = {member:?})]")?;
    }
    writeln!(text, "    pub {ident}: {rust},")
}
