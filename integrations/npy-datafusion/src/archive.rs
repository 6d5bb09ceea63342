//! Members of an `.npz` archive as the columns of a table.

use std::ops::Range;

use datafusion::common::{DataFusionError, Result};
use futures::stream::{self, StreamExt, TryStreamExt};
use npy_arrow::npy_core::dtype::Record;
use npy_arrow::npy_core::{DType, Header, Order};
use npy_remote::RemoteNpz;
use object_store::path::Path;

use crate::array::ArrayHeader;
use crate::error::external;

/// Headers of members in flight.
const IN_FLIGHT: usize = 8;

/// The compression method of members whose rows can be fetched alone.
const STORED: u16 = 0;

/// Reads the headers of the members of an archive, or of those that are named, which have the same number of rows.
/// Also returns whether a member is compressed, so that rows of it cannot be fetched without all of them.
pub(crate) async fn members(archive: &RemoteNpz, names: Option<&[String]>) -> Result<(Vec<ArrayHeader>, bool)> {
    let names: Vec<_> = match names {
        Some(names) => names.to_vec(),
        None => archive.names().map(str::to_owned).collect(),
    };
    let headers = stream::iter(names).map(|name| async move {
        let (header, method) = (archive.header(&name).await.map_err(external)?, archive.method(&name).map_err(external)?);
        Ok::<_, DataFusionError>((ArrayHeader { header: of_rows(archive, &name, header)?, member: Some(name) }, method))
    });
    let headers: Vec<_> = headers.buffered(IN_FLIGHT).boxed().try_collect().await?;
    let is_compressed = headers.iter().any(|(_, method)| *method != STORED);
    let arrays: Vec<_> = headers.into_iter().map(|(array, _)| array).collect();
    check_lengths(&archive.object_meta().location, &arrays)?;
    Ok((arrays, is_compressed))
}

/// The rows of a range of an archive. Members are divided in proportion; compressed ones belong as a
/// whole to the range that has the first byte.
pub(crate) fn rows(count: usize, size: u64, range: &Range<u64>, is_whole: bool) -> Range<usize> {
    if is_whole {
        return if range.contains(&0) { 0..count } else { 0..0 };
    }
    // Not more than `count`.
    let first = |byte: u64| (u128::from(byte.min(size)) * count as u128).div_ceil(u128::from(size.max(1))) as usize;
    first(range.start)..first(range.end)
}

/// A byte such that the range from there on has the rows from this one on, if there is one.
pub(crate) fn first_byte(count: u64, size: u64, row: u64) -> Option<u64> {
    u64::try_from(u128::from(row) * u128::from(size) / u128::from(count.max(1))).ok()
}

/// A member as an array of records with the one field that its column is. The bytes are the same.
///
/// Arrays that are not of records have the name of their column from the options.
fn of_rows(archive: &RemoteNpz, name: &str, header: Header) -> Result<Header> {
    if !matches!(header.dtype(), DType::Record(_)) {
        return Ok(header);
    }
    let (rows, rest) = header.shape().split_first().map_or((1, &[] as &[usize]), |(rows, rest)| (*rows, rest));
    if header.order() == Order::Fortran && !rest.is_empty() {
        return Err(DataFusionError::Plan(format!(
            "{}: member {name:?}: cannot make a column of records in Fortran order: expected C order or one dimension, \
             found shape {:?}",
            archive.object_meta().location,
            header.shape()
        )));
    }
    let dtype = || {
        let dtype = header.dtype().clone();
        let item = if rest.is_empty() { dtype } else { dtype.sub_array(rest)? };
        Header::new(Record::packed([(name, item)])?.into(), Order::C, &[rows])
    };
    dtype().map_err(|error| external(archive.locate(error.with_member(name))))
}

/// The dtype of rows that have the members as fields; `None` if there can be no such dtype.
pub(crate) fn row_dtype(arrays: &[ArrayHeader]) -> Option<DType> {
    let mut fields = Vec::new();
    for ArrayHeader { header, member, .. } in arrays {
        match header.dtype() {
            DType::Record(record) => {
                fields.extend(record.fields().iter().map(|field| (field.name().to_owned(), field.dtype().clone())));
            }
            dtype => {
                let item = match header.shape() {
                    [] | [_] => dtype.clone(),
                    [_, rest @ ..] => dtype.clone().sub_array(rest).ok()?,
                };
                fields.push((member.clone()?, item));
            }
        }
    }
    Record::packed(fields).ok().map(DType::from)
}

fn check_lengths(location: &Path, arrays: &[ArrayHeader]) -> Result<()> {
    let Some((first, rest)) = arrays.split_first() else { return Ok(()) };
    let name = |array: &ArrayHeader| array.member.clone().unwrap_or_default();
    match rest.iter().find(|array| array.row_count() != first.row_count()) {
        None => Ok(()),
        Some(other) => Err(DataFusionError::Plan(format!(
            "{location}: members of different lengths: expected {} as in {:?}, found {} in {:?}; choose members of one length \
             with the option members",
            first.row_count(),
            name(first),
            other.row_count(),
            name(other)
        ))),
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "these are tests")]
mod tests {
    use super::*;

    /// Numbers below a bound, from a fixed seed.
    struct Random(u64);

    impl Random {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 16) % most.max(1)
        }
    }

    #[test]
    fn any_cuts_of_an_archive_read_each_row_once() {
        let mut random = Random(11);
        for case in 0..10_000 {
            // The end record alone has 22 bytes.
            let (count, size) = (random.below(1000) as usize, 22 + random.below(5000));
            let mut cuts: Vec<_> = (0..random.below(9)).map(|_| random.below(size + 1)).collect();
            // The last range of a plan may reach beyond the end.
            cuts.extend([0, size + random.below(2).max(1)]);
            cuts.sort_unstable();
            let mut read: Vec<usize> = Vec::new();
            for range in cuts.windows(2) {
                read.extend(rows(count, size, &(range[0]..range[1]), case % 5 == 0));
            }
            assert_eq!(read, (0..count).collect::<Vec<_>>(), "{count} rows, {size} bytes, {cuts:?}");
        }
    }
}
