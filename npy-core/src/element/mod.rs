//! Rust types that are elements of arrays.

pub(crate) mod plan;
pub(crate) mod record;
mod array;
mod bytes;
mod codec;
#[cfg(feature = "complex")]
mod complex;
#[cfg(any(feature = "jiff", feature = "chrono"))]
mod date;
#[cfg(feature = "half")]
mod half;
mod layout;
mod long_double;
mod loops;
mod number;
mod sends;
mod text;
mod time;
mod void;

pub use array::Items;
pub(crate) use bytes::outside;
pub use codec::{As, Codec, CodecOf, NpyElement, Optional, PlanOf, Through, With};
pub use layout::native;
pub(crate) use layout::{
    Difference, axes_of, bulk, inner_axes, is_plain, plan, plan_to_write, relocated, swapped, wrong_shape, wrong_shape_of,
};
pub use long_double::LongDouble;
pub(crate) use loops::{decode_all, decode_over, decode_slots, encode_all, encode_rarely, encode_slice};
pub use number::Widens;
pub use sends::{Otherwise, Probe};
pub use text::{FixedBytes, FixedUnicode, Truncated};
pub use time::{Datetime64, Timedelta64, unit};
pub use void::{FixedVoid, Void};

#[cfg(test)]
mod tests {
    use super::NpyElement;

    /// NumPy writes that of its machine, too.
    #[test]
    fn numbers_have_the_native_byte_order() {
        let expected = if cfg!(target_endian = "big") { [">f8", ">i2"] } else { ["<f8", "<i2"] };
        assert_eq!([f64::dtype().to_string(), i16::dtype().to_string()], expected);
    }
}
