//! Points in time and spans of time (`M8`, `m8`).

use std::fmt;
use std::marker::PhantomData;

use super::bytes::Bytes;
use super::codec::{Codec, element, stored_as};
use super::plan::{Layout, Planner, order_of};
use crate::error::{Result, ValueError};
use crate::format::calendar::iso_8601;
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::memory::Bulk;
use crate::memory::slots::Sends;

/// The units of [`Datetime64`] and [`Timedelta64`] as types.
pub mod unit {
    use crate::format::dtype::TimeUnit;

    mod sealed {
        #[expect(unnameable_types, reason = "that is the point: no unit can be added outside of this crate")]
        pub trait Sealed {}
    }

    /// A unit of time.
    ///
    /// ```
    /// use npy_core::dtype::TimeUnit;
    /// use npy_core::types::unit::{Millisecond, Unit};
    ///
    /// assert_eq!(Millisecond::UNIT, TimeUnit::Millisecond);
    /// ```
    pub trait Unit: sealed::Sealed + Copy + Send + 'static {
        /// The unit as a value.
        const UNIT: TimeUnit;
    }

    macro_rules! units {
        ($($name:ident $symbol:literal,)*) => {$(
            #[doc = concat!("NumPy's `", $symbol, "`.")]
            ///
            /// See [`Datetime64`](super::Datetime64) for an example.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $name {}

            impl sealed::Sealed for $name {}

            impl Unit for $name {
                const UNIT: TimeUnit = TimeUnit::$name;
            }
        )*};
    }

    units! {
        Generic "generic",
        Year "Y",
        Month "M",
        Week "W",
        Day "D",
        Hour "h",
        Minute "m",
        Second "s",
        Millisecond "ms",
        Microsecond "us",
        Nanosecond "ns",
        Picosecond "ps",
        Femtosecond "fs",
        Attosecond "as",
    }
}

use unit::Unit;

/// A point in time without a time zone, counted in steps of `COUNT` units from 1970-01-01T00:00.
/// NaT means "not a time".
///
/// Printed in ISO 8601, as NumPy does. Compared and sorted by its count, so NaT equals itself and
/// comes first.
///
/// ```
/// use npy_core::types::{Datetime64, unit};
/// use npy_core::NpyElement;
///
/// let time = Datetime64::<unit::Millisecond>::new(1_700_000_000_123);
/// assert_eq!(time.to_string(), "2023-11-14T22:13:20.123");
/// assert_eq!(Datetime64::<unit::Day>::NAT.to_string(), "NaT");
///
/// assert_eq!(Datetime64::<unit::Nanosecond>::dtype().to_string(), "<M8[ns]");
/// assert_eq!(Datetime64::<unit::Second, 25>::dtype().to_string(), "<M8[25s]");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Datetime64<U, const COUNT: u32 = 1>(i64, PhantomData<U>);

/// A span of time, counted in steps of `COUNT` units. NaT means "not a time".
///
/// Compared and sorted by its count, so NaT equals itself and comes first.
///
/// ```
/// use npy_core::types::{Timedelta64, unit};
/// use npy_core::NpyElement;
///
/// assert_eq!(Timedelta64::<unit::Second>::new(90).to_string(), "90 seconds");
/// assert_eq!(Timedelta64::<unit::Second>::dtype().to_string(), "<m8[s]");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Timedelta64<U, const COUNT: u32 = 1>(i64, PhantomData<U>);

macro_rules! time {
    ($type:ident, $kind:ident, $what:literal) => {
        impl<U: Unit, const COUNT: u32> $type<U, COUNT> {
            /// The value NaT, "not a time".
            pub const NAT: Self = Self::new(i64::MIN);

            #[doc = concat!($what, " of the given number of steps. `i64::MIN` is NaT.")]
            ///
            #[doc = concat!("See [`", stringify!($type), "`] for an example.")]
            pub const fn new(steps: i64) -> Self {
                Self(steps, PhantomData)
            }

            /// Returns the number of steps; `None` for NaT.
            pub const fn steps(self) -> Option<i64> {
                if self.is_nat() { None } else { Some(self.0) }
            }

            /// Returns the number of steps as the file stores it: `i64::MIN` for NaT.
            pub const fn to_raw(self) -> i64 {
                self.0
            }

            /// Returns whether the value is NaT.
            pub const fn is_nat(self) -> bool {
                self.0 == i64::MIN
            }
        }

        impl<U: Unit, const COUNT: u32> Default for $type<U, COUNT> {
            /// No steps.
            fn default() -> Self {
                Self::new(0)
            }
        }

        impl<U: Unit, const COUNT: u32> fmt::Debug for $type<U, COUNT> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        element!({U: Unit, const COUNT: u32} $type<U, COUNT>);

        #[diagnostic::do_not_recommend]
        impl<U: Unit, const COUNT: u32> Codec<Self> for $type<U, COUNT> {
            type Plan = ByteOrder;
            const LITTLE: Option<Layout<ByteOrder>> = Some(Layout { itemsize: 8, plan: ByteOrder::Little });
            const BIG: Option<Layout<ByteOrder>> = Some(Layout { itemsize: 8, plan: ByteOrder::Big });
            const ALIGNMENT: usize = align_of::<i64>();
            const SENDS: Option<Sends<Self>> = Some(Sends::new());
            const HAS_NONE: bool = true;
            const BULK: Option<Bulk<Self>> = Some(Bulk::new());

            fn dtype() -> DType {
                Scalar::new(ScalarKind::$kind { unit: U::UNIT, count: COUNT }, ByteOrder::NATIVE).into()
            }

            fn plan(dtype: &DType, planner: &mut Planner) -> Option<ByteOrder> {
                let own = Scalar::new(ScalarKind::$kind { unit: U::UNIT, count: COUNT }, ByteOrder::NATIVE);
                planner.require(order_of(dtype, own.kind()), dtype, Self::dtype)
            }

            #[inline(always)]
            fn decode(plan: &ByteOrder, bytes: &[u8]) -> Result<Self, ValueError> {
                i64::from_bytes(*plan, bytes).map(Self::new)
            }

            #[inline(always)]
            fn encode(value: &Self, plan: &ByteOrder, bytes: &mut [u8]) -> Result<(), ValueError> {
                value.0.to_bytes(*plan, bytes)
            }

            /// NaT is not a value.
            #[inline(always)]
            fn decode_option(plan: &ByteOrder, bytes: &[u8]) -> Result<Option<Self>, ValueError> {
                Self::decode(plan, bytes).map(|time| (!time.is_nat()).then_some(time))
            }

            fn encode_none(plan: &ByteOrder, bytes: &mut [u8]) -> Result<(), ValueError> {
                Self::encode(&Self::NAT, plan, bytes)
            }
        }

        stored_as! {
            {U: Unit, const COUNT: u32} i64 as $type<U, COUNT>,
            |value| Ok::<_, ValueError>($type::new(*value)),
            |stored| Ok(stored.to_raw())
        }
    };
}

time!(Datetime64, Datetime, "A point in time");
time!(Timedelta64, Timedelta, "A span of time");

impl<U: Unit, const COUNT: u32> fmt::Display for Datetime64<U, COUNT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps() {
            None => f.pad("NaT"),
            Some(steps) => f.pad(&iso_8601(U::UNIT, i128::from(steps) * i128::from(COUNT))),
        }
    }
}

impl<U: Unit, const COUNT: u32> fmt::Display for Timedelta64<U, COUNT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = U::UNIT.plural();
        match self.steps().map(|steps| i128::from(steps) * i128::from(COUNT)) {
            None => f.pad("NaT"),
            Some(count @ (1 | -1)) => f.pad(&format!("{count} {}", units.trim_end_matches('s'))),
            Some(count) => f.pad(&format!("{count} {units}")),
        }
    }
}
