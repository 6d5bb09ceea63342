//! The dtype of the output: selected fields, another byte order, another layout.

use npy_core::dtype::{ByteOrder, Field, Record, Scalar, ScalarKind};
use npy_core::{DType, Result as NpyResult};

use crate::failure::{Failure, Result};
use crate::values::{fields, nearest, quantity};

/// Selects fields of a dtype, packed and in the order of their paths: `a`, or `pose.x` of a record in a record.
pub(super) fn select(dtype: &DType, paths: &[String]) -> Result<DType> {
    match dtype {
        DType::Record(record) => {
            let paths = fields::rejoined(paths, |path| dtype.field(path).is_some());
            let fields = paths.iter().map(|path| dtype.field(path).ok_or_else(|| unknown(path, dtype, record)));
            let names = fields.map(|field| Ok(field?.fields().iter().map(|field| field.name()).collect()));
            let names: Vec<Vec<&str>> = names.collect::<Result<_>>()?;
            Ok(select_fields(record, &names.iter().map(Vec::as_slice).collect::<Vec<_>>())?.into())
        }
        _ => Err(Failure::Nameless(format!("cannot select fields: expected records, found elements of dtype {dtype}"))),
    }
}

/// The error of a path, which lists the names of the innermost record to which it leads.
fn unknown(path: &str, dtype: &DType, record: &Record) -> Failure {
    let record = dtype.fields_before(path).find_map(|(_, field)| field.dtype().record()).unwrap_or(record);
    let names = quantity::listed(record.fields().iter().map(Field::name));
    let name = path.rsplit('.').next().unwrap_or(path);
    let hint = nearest::hint(name, record.fields().iter().map(Field::name));
    Failure::Nameless(format!("unknown field {path:?}: expected one of {names}{hint}"))
}

/// The fields to which these names lead, each from the outermost field on.
fn select_fields(record: &Record, paths: &[&[&str]]) -> NpyResult<Record> {
    let mut fields = Vec::new();
    for field in record.fields() {
        let ours = paths.iter().enumerate().filter_map(|(place, path)| Some((place, path.split_first()?)));
        let (places, inner): (Vec<usize>, Vec<&[&str]>) =
            ours.filter(|(_, (name, _))| **name == field.name()).map(|(place, (_, rest))| (place, rest)).unzip();
        let Some(first) = places.first().copied() else { continue };
        let is_whole = inner.iter().any(|rest| rest.is_empty());
        let dtype = if is_whole { field.dtype().clone() } else { select_in(field.dtype(), &inner)? };
        fields.push((first, field, dtype));
    }
    fields.sort_by_key(|(first, ..)| *first);
    fields::laid_out(fields.into_iter().map(|(_, field, dtype)| (field, dtype)).collect(), false)
}

fn select_in(dtype: &DType, paths: &[&[&str]]) -> NpyResult<DType> {
    Ok(match dtype {
        DType::Scalar(_) => dtype.clone(),
        DType::SubArray(array) => select_in(array.base(), paths)?.sub_array(array.shape())?,
        DType::Record(record) => select_fields(record, paths)?.into(),
    })
}

/// Text or bytes of no width as those of the width that the input has, as `astype('U')` of NumPy.
pub(super) fn as_wide_as(wanted: &DType, from: &DType) -> DType {
    let (DType::Scalar(scalar), DType::Scalar(from)) = (wanted, from) else { return wanted.clone() };
    let (ScalarKind::Unicode { length } | ScalarKind::Bytes { length }) = from.kind() else { return wanted.clone() };
    let kind = match scalar.kind() {
        ScalarKind::Unicode { length: 0 } => ScalarKind::Unicode { length },
        ScalarKind::Bytes { length: 0 } => ScalarKind::Bytes { length },
        _ => return wanted.clone(),
    };
    Scalar::new(kind, scalar.byte_order().unwrap_or(ByteOrder::NATIVE)).into()
}

/// Places the fields of a dtype one after the other, or as NumPy does with `align=True`.
pub(in super::super) fn relaid(dtype: &DType, is_aligned: bool) -> NpyResult<DType> {
    Ok(match dtype {
        DType::Scalar(_) => dtype.clone(),
        DType::SubArray(array) => relaid(array.base(), is_aligned)?.sub_array(array.shape())?,
        DType::Record(record) => {
            let fields = record.fields().iter().map(|field| Ok((field, relaid(field.dtype(), is_aligned)?)));
            fields::laid_out(fields.collect::<NpyResult<Vec<_>>>()?, is_aligned)?.into()
        }
    })
}

/// The scalar in a byte order.
pub(super) fn in_order(scalar: Scalar, order: ByteOrder) -> Scalar {
    match DType::Scalar(scalar).with_byte_order(order) {
        DType::Scalar(scalar) => scalar,
        _ => scalar,
    }
}
