//! The types of fields of an archive struct. The compiler infers the kind of a type.

use std::io::{Read, Seek, Write};

use npy_core::{NpyElement, Result};

use super::read::{Pending, ReadPlan};
use super::structs::NpzArchive;
use super::value::NpzValue;
use super::write::MemberWriter;

/// A number, a text, a time or a record: a zero-dimensional array.
pub struct IsScalar;
/// An array or a vector: a member.
pub struct IsValue;
/// A struct or a map: the members whose names continue the field's with `/`.
pub struct IsArchive;

/// A field of a struct with `#[derive(NpzArchive)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an archive",
    label = "neither an array, a vector, an element nor an archive",
    note = "fields are arrays of `ndarray`, vectors, numbers, texts and records (`npy_core::NpyElement`), structs with \
            `#[derive(NpzArchive)]`, maps of arrays by name, and `Option`s of these",
    note = "of a fixed width and layout: `u64` and not `usize`, `Array2<f64>` or `Vec<[f64; 3]>` and not `Vec<Vec<f64>>`",
    note = "for an array type of another crate implement `npy_ndarray::NpzValue`"
)]
pub trait NpzField<Kind>: Sized {
    /// Returns whether the archive has the field.
    fn is_there<R: Read + Seek>(name: &str, plan: &ReadPlan<'_, R>) -> bool;

    /// Plans to read the field.
    fn plan<R: Read + Seek>(name: &str, plan: &mut ReadPlan<'_, R>) -> Pending<Self>;

    /// Writes the field.
    fn write<W: Write>(&self, name: &str, archive: &mut MemberWriter<'_, W>) -> Result<()>;

    /// Plans to read the first of these names that exists, or else the first.
    fn plan_first<R: Read + Seek>(names: &[&str], plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
        let there = names.iter().find(|name| Self::is_there(name, plan));
        Self::plan(there.or(names.first()).unwrap_or(&""), plan)
    }

    /// Plans to read the first of these names that exists.
    fn plan_if_there<R: Read + Seek>(names: &[&str], plan: &mut ReadPlan<'_, R>) -> Option<Pending<Self>> {
        let there = names.iter().find(|name| Self::is_there(name, plan))?;
        Some(Self::plan(there, plan))
    }
}

impl<T: NpyElement + Send + 'static> NpzField<IsScalar> for T {
    fn is_there<R: Read + Seek>(name: &str, plan: &ReadPlan<'_, R>) -> bool {
        plan.has_member(name)
    }

    fn plan<R: Read + Seek>(name: &str, plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not of every lifetime")]
        plan.member(name, |reader| reader.into_scalar())
    }

    fn write<W: Write>(&self, name: &str, archive: &mut MemberWriter<'_, W>) -> Result<()> {
        archive.scalar(name, self)
    }
}

impl<T: NpzValue> NpzField<IsValue> for T {
    fn is_there<R: Read + Seek>(name: &str, plan: &ReadPlan<'_, R>) -> bool {
        plan.has_member(name)
    }

    fn plan<R: Read + Seek>(name: &str, plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
        let options = plan.options();
        plan.member(name, move |reader| T::from_npy_with(reader, options))
    }

    fn write<W: Write>(&self, name: &str, archive: &mut MemberWriter<'_, W>) -> Result<()> {
        archive.value(name, self)
    }
}

impl<T: NpzArchive> NpzField<IsArchive> for T {
    fn is_there<R: Read + Seek>(name: &str, plan: &ReadPlan<'_, R>) -> bool {
        plan.has_members_in(name)
    }

    fn plan<R: Read + Seek>(name: &str, plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
        plan.nested(name, T::plan_read)
    }

    fn write<W: Write>(&self, name: &str, archive: &mut MemberWriter<'_, W>) -> Result<()> {
        archive.nested(name, |members| self.write_members(members))
    }
}
