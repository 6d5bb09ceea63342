//! `Complex` of the `num-complex` crate.

use num_complex::Complex;

use super::array::{ArrayPlan, Items};
use super::codec::{Codec, element, stored_as};
use super::long_double::LongDouble;
use super::number::{WidePlan, Widen, Widens};
use super::plan::{Layout, Planner};
use crate::error::{Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::memory::Bulk;
use crate::memory::slots::Sends;

/// The real and the imaginary part lie in the file like an array of two.
type Parts<T> = [T; 2];

/// The dtype of the parts of a complex number, and its kind.
fn part_of(dtype: &DType) -> Option<(ScalarKind, DType)> {
    let DType::Scalar(scalar) = dtype else { return None };
    scalar.part().map(|part| (part.kind(), part.into()))
}

/// Complex numbers of parts `$part`, which are `$own` in the file. With `widen`, parts are read
/// that `$narrow` says.
macro_rules! complex {
    ($part:ty, $kind:expr, $own:pat, $narrow:pat, $widened:ty) => {
        impl Widens for Complex<$part> {}

        element!(Complex<$part>, $widened);

        #[diagnostic::do_not_recommend]
        impl Codec<Self> for Complex<$part> {
            type Plan = ArrayPlan<<$part as Codec<$part>>::Plan>;
            const LITTLE: Option<Layout<Self::Plan>> = <Items<$part> as Codec<Parts<$part>>>::LITTLE;
            const BIG: Option<Layout<Self::Plan>> = <Items<$part> as Codec<Parts<$part>>>::BIG;
            const ALIGNMENT: usize = <$part>::ALIGNMENT;
            const SENDS: Option<Sends<Self>> = Some(Sends::new());
            const BULK: Option<Bulk<Self>> = Some(Bulk::new());

            #[inline]
            fn dtype() -> DType {
                Scalar::new($kind, ByteOrder::NATIVE).into()
            }

            fn plan(dtype: &DType, planner: &mut Planner) -> Option<Self::Plan> {
                match part_of(dtype) {
                    Some(($own, part)) => return Some(ArrayPlan::new(part.itemsize(), <$part>::plan(&part, planner)?)),
                    Some(($narrow, _)) => planner.mismatch_of_narrower(dtype, &Self::dtype()),
                    _ => planner.mismatch(dtype, &Self::dtype()),
                }
                None
            }

            #[inline(always)]
            fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<Self, ValueError> {
                let [re, im] = <Items<$part> as Codec<Parts<$part>>>::decode(plan, bytes)?;
                Ok(Self { re, im })
            }

            #[inline(always)]
            fn encode(value: &Self, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
                <Items<$part> as Codec<Parts<$part>>>::encode(&[value.re, value.im], plan, bytes)
            }
        }
    };
}

#[diagnostic::do_not_recommend]
impl Codec<Complex<f64>> for Widen {
    type Plan = ArrayPlan<WidePlan>;
    const LITTLE: Option<Layout<Self::Plan>> = <Items<Self> as Codec<Parts<f64>>>::LITTLE;
    const BIG: Option<Layout<Self::Plan>> = <Items<Self> as Codec<Parts<f64>>>::BIG;
    const ALIGNMENT: usize = <Complex<f64>>::ALIGNMENT;

    #[inline]
    fn dtype() -> DType {
        <Complex<f64>>::dtype()
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<Self::Plan> {
        match part_of(dtype) {
            Some((ScalarKind::Float32 | ScalarKind::Float64, part)) => {
                Some(ArrayPlan::new(part.itemsize(), <Self as Codec<f64>>::plan(&part, planner)?))
            }
            _ => {
                planner.mismatch(dtype, &<Complex<f64>>::dtype());
                None
            }
        }
    }

    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<Complex<f64>, ValueError> {
        let [re, im] = <Items<Self> as Codec<Parts<f64>>>::decode(plan, bytes)?;
        Ok(Complex { re, im })
    }

    fn encode(value: &Complex<f64>, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        <Items<Self> as Codec<Parts<f64>>>::encode(&[value.re, value.im], plan, bytes)
    }
}

/// No kind of parts is narrower.
const NONE: ScalarKind = ScalarKind::Object;

complex!(f32, ScalarKind::Complex64, ScalarKind::Float32, NONE, Self);
complex!(f64, ScalarKind::Complex128, ScalarKind::Float64, ScalarKind::Float32, Widen);
complex!(LongDouble, ScalarKind::ComplexLongDouble { itemsize: 32 }, ScalarKind::LongDouble { .. }, NONE, Self);

stored_as! {
    Complex<f32> as Complex<f64>,
    |value| Ok::<_, ValueError>(Complex::new(f64::from(value.re), f64::from(value.im))),
    |stored| {
        let part = |wide: f64| {
            #[allow(clippy::cast_possible_truncation, reason = "whether anything was lost is looked at")]
            let narrow = wide as f32;
            (wide.is_nan() || f64::from(narrow).to_bits() == wide.to_bits()).then_some(narrow)
        };
        match (part(stored.re), part(stored.im)) {
            (Some(re), Some(im)) => Ok(Complex { re, im }),
            _ => Err(ValueError::inexact(stored, "Complex<f32>")),
        }
    }
}
