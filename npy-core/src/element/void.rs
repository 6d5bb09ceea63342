//! Raw bytes.

use std::ops::{Deref, DerefMut};

use super::bytes::{first_chunk, first_chunk_mut, outside};
use super::codec::{Codec, element, stored_as};
use super::plan::{Layout, Planner};
use crate::error::{Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::memory::Bulk;
use crate::memory::slots::Sends;

/// Raw bytes of a length fixed by the type: `|V8` is `FixedVoid<8>`.
///
/// ```
/// use npy_core::types::FixedVoid;
/// use npy_core::NpyElement;
///
/// assert_eq!(FixedVoid::<8>::dtype().to_string(), "|V8");
/// assert_eq!(FixedVoid([1, 2]).0, [1, 2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct FixedVoid<const N: usize>(pub [u8; N]);

impl<const N: usize> Default for FixedVoid<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

/// Raw bytes of a length set by the file (`|V8`). All items of an array must have the same length.
///
/// ```
/// use npy_core::types::Void;
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[Void(vec![1, 2, 3]), Void(vec![4, 5, 6])])?;
/// let items: Vec<Void> = npy_core::read(&file[..])?;
/// assert_eq!(items[1], Void(vec![4, 5, 6]));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Void(pub Vec<u8>);

impl Deref for Void {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Void {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

fn dtype(length: usize) -> DType {
    Scalar::new(ScalarKind::Void { length }, ByteOrder::NATIVE).into()
}

fn length_of(dtype: &DType) -> Option<usize> {
    let DType::Scalar(scalar) = dtype else { return None };
    if let ScalarKind::Void { length } = scalar.kind() { Some(length) } else { None }
}

element!({const N: usize} FixedVoid<N>);

#[diagnostic::do_not_recommend]
impl<const N: usize> Codec<Self> for FixedVoid<N> {
    type Plan = ();
    const LITTLE: Option<Layout<()>> = Some(Layout { itemsize: N, plan: () });
    const BIG: Option<Layout<()>> = Self::LITTLE;
    const ALIGNMENT: usize = 1;
    const SENDS: Option<Sends<Self>> = Some(Sends::new());
    const BULK: Option<Bulk<Self>> = Some(Bulk::new());

    fn dtype() -> DType {
        dtype(N)
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<()> {
        planner.require(length_of(dtype).filter(|length| *length == N), dtype, Self::dtype).map(|_| ())
    }

    #[inline(always)]
    fn decode((): &(), bytes: &[u8]) -> Result<Self, ValueError> {
        first_chunk(bytes).map(Self)
    }

    #[inline(always)]
    fn encode(value: &Self, (): &(), bytes: &mut [u8]) -> Result<(), ValueError> {
        *first_chunk_mut(bytes)? = value.0;
        Ok(())
    }
}

element!(Void);

#[diagnostic::do_not_recommend]
impl Codec<Self> for Void {
    /// The number of bytes.
    type Plan = usize;
    const LITTLE: Option<Layout<usize>> = None;
    const BIG: Option<Layout<usize>> = None;
    const ALIGNMENT: usize = 1;
    const SENDS: Option<Sends<Self>> = Some(Sends::new());
    const VARIES: bool = true;

    fn dtype() -> DType {
        dtype(0)
    }

    fn dtype_of<'a>(items: Option<impl Iterator<Item = &'a Self> + Clone>) -> DType {
        dtype(items.into_iter().flatten().map(|item| item.len()).max().unwrap_or(0))
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<usize> {
        let length = length_of(dtype);
        if length.is_none() {
            planner.mismatch_with(dtype, "|V of any length", None);
        }
        length
    }

    fn decode(length: &usize, bytes: &[u8]) -> Result<Self, ValueError> {
        Ok(Self(bytes.get(..*length).ok_or_else(outside)?.to_vec()))
    }

    fn encode(value: &Self, length: &usize, bytes: &mut [u8]) -> Result<(), ValueError> {
        if value.len() != *length {
            return Err(ValueError::wrong_length(value.len(), *length, format_args!("|V{length}")));
        }
        bytes.get_mut(..*length).ok_or_else(outside)?.copy_from_slice(value);
        Ok(())
    }
}

stored_as! {
    {const N: usize} [u8; N] as FixedVoid<N>,
    |value| Ok::<_, ValueError>(FixedVoid(*value)),
    |stored| Ok(stored.0)
}

stored_as! {
    {const N: usize} Vec<u8> as FixedVoid<N>,
    |value| value.as_slice().try_into().map(FixedVoid).map_err(|_| ValueError::wrong_length(value.len(), N, format_args!("|V{N}"))),
    |stored| Ok(stored.0.to_vec())
}
