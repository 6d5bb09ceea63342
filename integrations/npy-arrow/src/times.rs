//! Times whose unit Arrow or Parquet lacks, as times of a finer unit.

use arrow_schema::{DataType, TimeUnit};
use npy_core::calendar::{date_of, days_before};
use npy_core::dtype::{Scalar, ScalarKind};

/// The length of a step of a dtype in the unit of an Arrow type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// As many units.
    Units(i128),
    /// As many months of the calendar, whose days have as many units.
    Months { months: i128, per_day: i128 },
}

const NANOSECONDS_OF_DAY: i128 = 86_400 * 1_000_000_000;

impl Scale {
    /// The scale of a dtype in the unit of a `Timestamp` or `Duration`; `None` if it is finer, or of another kind.
    pub(crate) fn new(scalar: Scalar, data_type: &DataType) -> Option<Self> {
        let ((ScalarKind::Datetime { unit, count }, DataType::Timestamp(..))
        | (ScalarKind::Timedelta { unit, count }, DataType::Duration(_))) = (scalar.kind(), data_type)
        else {
            return None;
        };
        let (DataType::Timestamp(to, _) | DataType::Duration(to)) = data_type else { return None };
        let (is_date, count, to) = (matches!(data_type, DataType::Timestamp(..)), i128::from(count), nanoseconds(*to));
        if let (Some(months), true) = (unit.months(), is_date) {
            return Some(Self::Months { months: months * count, per_day: NANOSECONDS_OF_DAY / to });
        }
        let step = unit.attoseconds()? / 1_000_000_000;
        Some(count * step).filter(|step| *step > 0 && step % to == 0).map(|step| Self::Units(step / to))
    }

    /// The type of Arrow for a dtype whose unit it lacks: the coarsest but seconds, which Parquet lacks.
    pub(crate) fn widened(scalar: Scalar) -> Option<(Self, DataType)> {
        let is_date = matches!(scalar.kind(), ScalarKind::Datetime { .. });
        [TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond].into_iter().find_map(|unit| {
            let data_type = if is_date { DataType::Timestamp(unit, None) } else { DataType::Duration(unit) };
            Self::new(scalar, &data_type).map(|scale| (scale, data_type))
        })
    }

    /// The time in the unit of Arrow, unless it is too large.
    pub(crate) fn widen(self, time: i64) -> Option<i64> {
        let time = i128::from(time);
        let wide = match self {
            Self::Units(units) => time * units,
            Self::Months { months, per_day } => first_day(time * months) * per_day,
        };
        // The smallest is NaT.
        i64::try_from(wide).ok().filter(|wide| *wide > i64::MIN)
    }

    /// The time in the unit of the dtype, if it is a whole number of its steps.
    pub(crate) fn narrow(self, wide: i64) -> Option<i64> {
        let time = match self {
            Self::Units(units) => i128::from(wide).div_euclid(units),
            Self::Months { months, per_day } => month_of(i128::from(wide).div_euclid(per_day)).div_euclid(months),
        };
        i64::try_from(time).ok().filter(|time| self.widen(*time) == Some(wide))
    }
}

/// The nanoseconds of a unit.
fn nanoseconds(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1000,
        TimeUnit::Nanosecond => 1,
    }
}

/// The first day of a month, both counted from January 1970.
fn first_day(month: i128) -> i128 {
    days_before(1970 + month.div_euclid(12), month.rem_euclid(12) + 1)
}

/// The month of a day, both counted from January 1970.
fn month_of(day: i128) -> i128 {
    let (year, month, _) = date_of(day);
    (year - 1970) * 12 + month - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_where_the_calendar_has_them() {
        for (month, day) in [(0, 0), (1, 31), (2, 59), (-1, -31), (361, 10_988), (362, 11_017), (-(1970 * 12), -719_528)] {
            assert_eq!((first_day(month), month_of(day)), (day, month), "{month}");
            assert_eq!(month_of(day - 1), month - 1, "{month}");
        }
        for month in (-60_000..60_000).chain([i128::from(i64::MAX), i128::from(i64::MIN)]) {
            let first = first_day(month);
            assert_eq!((month_of(first), month_of(first - 1)), (month, month - 1));
        }
    }

    #[test]
    fn what_is_no_whole_step_is_refused() {
        let scale = |text: &str| Scale::widened(scalar(text)).unwrap().0;
        assert_eq!((scale("<M8[h]").narrow(7_200_000), scale("<M8[h]").narrow(7_200_001)), (Some(2), None));
        assert_eq!((scale("<M8[3M]").narrow(-86_400_000 * 92), scale("<M8[3M]").narrow(0)), (Some(-1), Some(0)));
        assert_eq!(scale("<M8[M]").narrow(86_400_000), None);
        assert_eq!((scale("<m8[W]").widen(i64::MAX), scale("<m8[W]").widen(-1)), (None, Some(-604_800_000)));
        assert!(Scale::widened(scalar("<m8[M]")).is_none() && Scale::widened(scalar("<M8[ps]")).is_none());
    }

    fn scalar(text: &str) -> Scalar {
        match text.parse().unwrap() {
            npy_core::DType::Scalar(scalar) => scalar,
            other => panic!("{other}"),
        }
    }
}
