//! Date and time types of other crates, converted exactly from `M8` and `m8` of every unit.

use super::bytes::Bytes;
use super::codec::{As, Codec, NpyElement, ordered_dtype};
use super::plan::{Layout, Plan, Planner};
use super::time::{Datetime64, Timedelta64, unit, unit::Unit};
use crate::error::{Result, ValueError, rust_type};
use crate::format::calendar::iso_8601;
use crate::format::calendar::nanoseconds::{self, Misfit};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind, TimeUnit};
use crate::memory::slots::Sends;

/// The form of times in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(unnameable_types, reason = "the plan of a codec")]
pub struct TimePlan {
    order: ByteOrder,
    unit: TimeUnit,
    count: u32,
}

impl Plan for TimePlan {}

/// A type for points in time or for spans of time.
trait Time: Sized {
    /// Whether it is a span.
    const IS_SPAN: bool;
    /// The resolution in nanoseconds: 1, or a day.
    const GRAIN: i128 = 1;

    /// Of a span, or after 1970-01-01T00:00; `None` outside of the type's range. A multiple of
    /// `GRAIN`.
    fn from_nanoseconds(nanoseconds: i128) -> Option<Self>;

    /// Of a span, or after 1970-01-01T00:00; `None` for a leap second, which NumPy does not have.
    fn to_nanoseconds(&self) -> Option<i128>;
}

const fn layout(order: ByteOrder, unit: TimeUnit, count: u32) -> Layout<TimePlan> {
    Layout { itemsize: 8, plan: TimePlan { order, unit, count } }
}

fn kind<T: Time>(unit: TimeUnit, count: u32) -> ScalarKind {
    if T::IS_SPAN { ScalarKind::Timedelta { unit, count } } else { ScalarKind::Datetime { unit, count } }
}

fn plan<T: Time>(file: &DType, planner: &mut Planner) -> Option<TimePlan> {
    if let DType::Scalar(scalar) = file {
        let (is_span, unit, count) = match scalar.kind() {
            ScalarKind::Datetime { unit, count } => (false, unit, count),
            ScalarKind::Timedelta { unit, count } => (true, unit, count),
            _ => (!T::IS_SPAN, TimeUnit::Generic, 1),
        };
        // Years and months have no length of their own.
        let is_length = !matches!(unit, TimeUnit::Generic | TimeUnit::Year | TimeUnit::Month);
        if is_span == T::IS_SPAN && (is_length || (!is_span && unit != TimeUnit::Generic)) {
            return Some(TimePlan { order: scalar.byte_order().unwrap_or(ByteOrder::NATIVE), unit, count });
        }
    }
    let needed = if T::IS_SPAN { "<m8 in weeks or a shorter unit" } else { "<M8 of any unit" };
    planner.mismatch_with(file, needed, None);
    None
}

/// Decodes a time; `None` for NaT.
fn decode<T: Time>(plan: TimePlan, bytes: &[u8]) -> Result<Option<T>, ValueError> {
    let steps = i64::from_bytes(plan.order, bytes)?;
    if steps == i64::MIN {
        return Ok(None);
    }
    let units = i128::from(steps) * i128::from(plan.count);
    match nanoseconds::of_units(plan.unit, units) {
        Ok(nanoseconds) if nanoseconds % T::GRAIN != 0 => Err(inexact::<T>(plan.unit, units)),
        Ok(nanoseconds) => T::from_nanoseconds(nanoseconds).map(Some).ok_or_else(|| out_of_range::<T>(plan.unit, units)),
        Err(Misfit::Inexact) => Err(inexact::<T>(plan.unit, units)),
        Err(Misfit::OutOfRange) => Err(out_of_range::<T>(plan.unit, units)),
    }
}

#[cold]
fn show<T: Time>(unit: TimeUnit, units: i128) -> String {
    if T::IS_SPAN { format!("{units} {}", unit.symbol()) } else { iso_8601(unit, units) }
}

#[cold]
fn inexact<T: Time>(unit: TimeUnit, units: i128) -> ValueError {
    ValueError::inexact(show::<T>(unit, units), rust_type::<T>())
}

#[cold]
fn out_of_range<T: Time>(unit: TimeUnit, units: i128) -> ValueError {
    let hint = "; `Datetime64` and `Timedelta64` hold every time of their unit".to_owned();
    ValueError::out_of_range(show::<T>(unit, units), rust_type::<T>()).with_hints(hint.clone(), hint)
}

fn encode<T: Time>(value: &T, plan: TimePlan, bytes: &mut [u8]) -> Result<(), ValueError> {
    let dtype = || Scalar::new(kind::<T>(plan.unit, plan.count), plan.order).to_string();
    let Some(nanoseconds) = value.to_nanoseconds() else {
        return Err(ValueError::new(format!("cannot represent a leap second as {}", dtype())));
    };
    let shown = || show::<T>(TimeUnit::Nanosecond, nanoseconds);
    let steps = nanoseconds::to_units(plan.unit, nanoseconds).and_then(|units| match units % i128::from(plan.count) {
        0 => Ok(units / i128::from(plan.count)),
        _ => Err(Misfit::Inexact),
    });
    let steps = match steps {
        Err(Misfit::Inexact) => return Err(ValueError::inexact(shown(), dtype())),
        Err(Misfit::OutOfRange) => i128::MAX,
        Ok(steps) => steps,
    };
    // The smallest number is NaT.
    match i64::try_from(steps).ok().filter(|steps| *steps != i64::MIN) {
        Some(steps) => steps.to_bytes(plan.order, bytes),
        None => Err(out_of_dtype::<T>(shown(), dtype(), plan.unit)),
    }
}

/// The error of a time beyond the dtype's range. An `i64` of microseconds holds 292,000 years.
#[cold]
fn out_of_dtype<T: Time>(time: String, dtype: String, unit: TimeUnit) -> ValueError {
    let error = ValueError::out_of_range(time, dtype);
    match unit {
        TimeUnit::Nanosecond | TimeUnit::Picosecond | TimeUnit::Femtosecond | TimeUnit::Attosecond => {
            let code = if T::IS_SPAN { 'm' } else { 'M' };
            let [in_field, elsewhere] =
                ["", " of a struct"].map(|of| format!("; a field{of} with `#[npy(dtype = \"{code}8[us]\")]` holds it"));
            error.with_hints(in_field, elsewhere)
        }
        _ => error,
    }
}

/// Implements `NpyElement` for a [`Time`], written in `$unit`, and its codecs for other units.
macro_rules! time_element {
    ($(#[$doc:meta])* $type:ty, $stored:ident, $unit:ident) => {
        $(#[$doc])*
        impl NpyElement for $type {
            type Codec = As<$stored<unit::$unit>>;
            type Widened = Self::Codec;
        }

        #[diagnostic::do_not_recommend]
        impl<U: Unit, const COUNT: u32, const ORDER: char> Codec<$type> for As<$stored<U, COUNT>, ORDER> {
            type Plan = TimePlan;
            const LITTLE: Option<Layout<TimePlan>> =
                Some(layout(if ORDER == '>' { ByteOrder::Big } else { ByteOrder::Little }, U::UNIT, COUNT));
            const BIG: Option<Layout<TimePlan>> =
                Some(layout(if ORDER == '<' { ByteOrder::Little } else { ByteOrder::Big }, U::UNIT, COUNT));
            const ALIGNMENT: usize = align_of::<i64>();
            const HAS_NONE: bool = true;
            const HAS_ORDER: bool = ORDER != '=';
            const SENDS: Option<Sends<$type>> = Some(Sends::new());

            fn dtype() -> DType {
                ordered_dtype::<$stored<U, COUNT>>(ORDER)
            }

            fn plan(file: &DType, planner: &mut Planner) -> Option<TimePlan> {
                plan::<$type>(file, planner)
            }

            fn decode(plan: &TimePlan, bytes: &[u8]) -> Result<$type, ValueError> {
                decode(*plan, bytes)?.ok_or_else(ValueError::not_a_time)
            }

            fn encode(value: &$type, plan: &TimePlan, bytes: &mut [u8]) -> Result<(), ValueError> {
                encode(value, *plan, bytes)
            }

            fn decode_option(plan: &TimePlan, bytes: &[u8]) -> Result<Option<$type>, ValueError> {
                decode(*plan, bytes)
            }

            fn encode_none(plan: &TimePlan, bytes: &mut [u8]) -> Result<(), ValueError> {
                i64::MIN.to_bytes(plan.order, bytes)
            }
        }
    };
}

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "jiff")]
mod jiff;
