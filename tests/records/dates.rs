//! The date and time types of `jiff` and `chrono`: exact or an error, never another date.

use npy_core::chrono::{self, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use npy_core::jiff::{SignedDuration, Timestamp, civil};
use npy_core::types::unit::{Day, Hour, Millisecond, Nanosecond, Second};
use npy_core::types::{Datetime64, Timedelta64};
use npy_core::{ErrorKind, Header, NpyRecord, NpyWriter, Order};

use crate::support::numpy::numpy;
use crate::support::{as_little_endian, native, written};

/// A file of that dtype with these counts in it.
fn counts(dtype: &str, counts: &[i64]) -> Vec<u8> {
    let header = Header::new(dtype.parse().unwrap(), Order::C, &[counts.len()]).unwrap();
    let data = counts.iter().flat_map(|count| if dtype.starts_with('>') { count.to_be_bytes() } else { count.to_le_bytes() });
    header.to_bytes().into_iter().chain(data).collect()
}

/// What is wrong with a value.
fn problem<T>(result: npy_core::Result<T>) -> String {
    let error = result.map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidValue, "{error}");
    error.message().to_owned()
}

fn is_out_of_range<T>(result: npy_core::Result<T>) -> bool {
    problem(result).contains(" is out of range for ")
}

fn is_inexact<T>(result: npy_core::Result<T>) -> bool {
    problem(result).starts_with("cannot represent ")
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Jiff {
    time: Timestamp,
    local: civil::DateTime,
    date: civil::Date,
    span: SignedDuration,
    #[npy(dtype = "M8[ms]")]
    milliseconds: Timestamp,
    #[npy(dtype = ">M8[s]")]
    big: [civil::DateTime; 2],
    #[npy(dtype = "m8[25s]")]
    steps: SignedDuration,
    #[npy(dtype = "M8[M]")]
    month: civil::Date,
    #[npy(dtype = "M8[us]")]
    perhaps: Option<Timestamp>,
}

fn jiff() -> Jiff {
    Jiff {
        time: "2024-02-29T12:34:56.789012345Z".parse().unwrap(),
        local: "1999-12-31T23:59:59.999999999".parse().unwrap(),
        date: "1066-10-14".parse().unwrap(),
        span: SignedDuration::new(-3, -500_000_000),
        milliseconds: "0001-01-01T00:00:00.001Z".parse().unwrap(),
        big: [civil::date(-44, 3, 15).at(12, 0, 0, 0), "9999-12-31T23:59:59".parse().unwrap()],
        steps: SignedDuration::from_secs(75),
        month: "2024-03-01".parse().unwrap(),
        perhaps: None,
    }
}

#[test]
fn jiff_round_trips() {
    let records = [jiff(), Jiff { perhaps: Some(Timestamp::UNIX_EPOCH), ..jiff() }];
    let file = written(&records);
    assert_eq!(
        as_little_endian(Header::parse(&file).unwrap().0.dtype()),
        as_little_endian(
            "[('time', '<M8[ns]'), ('local', '<M8[ns]'), ('date', '<M8[D]'), ('span', '<m8[ns]'), ('milliseconds', '<M8[ms]'), \
             ('big', '>M8[s]', (2,)), ('steps', '<m8[25s]'), ('month', '<M8[M]'), ('perhaps', '<M8[us]')]",
        ),
    );
    assert_eq!(npy_core::read::<Jiff>(&file[..]).unwrap(), records);
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Chrono {
    time: chrono::DateTime<Utc>,
    local: NaiveDateTime,
    date: NaiveDate,
    span: TimeDelta,
    #[npy(dtype = "M8[h]")]
    hours: Option<NaiveDateTime>,
    #[npy(dtype = ">M8[Y]")]
    year: NaiveDate,
}

fn chrono() -> Chrono {
    let date = NaiveDate::from_ymd_opt(1066, 10, 14).unwrap();
    Chrono {
        time: chrono::DateTime::from_timestamp(-1, 999_999_999).unwrap(),
        local: NaiveDate::from_ymd_opt(2024, 2, 29).unwrap().and_hms_nano_opt(1, 2, 3, 4).unwrap(),
        date,
        span: TimeDelta::new(-3, 500_000_000).unwrap(),
        hours: Some(date.and_hms_opt(5, 0, 0).unwrap()),
        year: NaiveDate::from_ymd_opt(1600, 1, 1).unwrap(),
    }
}

#[test]
fn chrono_round_trips() {
    let records = [chrono(), Chrono { hours: None, ..chrono() }];
    let file = written(&records);
    assert_eq!(
        as_little_endian(Header::parse(&file).unwrap().0.dtype()),
        as_little_endian(
            "[('time', '<M8[ns]'), ('local', '<M8[ns]'), ('date', '<M8[D]'), ('span', '<m8[ns]'), ('hours', '<M8[h]'), ('year', '>M8[Y]')]",
        ),
    );
    assert_eq!(npy_core::read::<Chrono>(&file[..]).unwrap(), records);
}

#[test]
fn not_a_time_is_an_error_or_none() {
    let file = written(&[Datetime64::<Nanosecond>::NAT]);
    assert_eq!(problem(npy_core::read::<Timestamp>(&file[..])), "expected a time, found NaT; read it as an `Option`");
    assert_eq!(problem(npy_core::read::<NaiveDate>(&file[..])), "expected a time, found NaT; read it as an `Option`");
    assert_eq!(npy_core::read::<Option<Timestamp>>(&file[..]).unwrap(), [None]);
    assert_eq!(npy_core::read::<Option<NaiveDate>>(&file[..]).unwrap(), [None]);
    let file = written(&[Timedelta64::<Second>::NAT]);
    assert_eq!(problem(npy_core::read::<SignedDuration>(&file[..])), "expected a time, found NaT; read it as an `Option`");
    assert_eq!(npy_core::read::<Option<TimeDelta>>(&file[..]).unwrap(), [None]);
    assert_eq!(written(&[None::<Timestamp>]), written(&[Datetime64::<Nanosecond>::NAT]));
}

#[test]
fn rejects_dates_out_of_range_or_inexact() {
    // Beyond year 9999 and beyond chrono's 262,142.
    let far = written(&[Datetime64::<Day>::new(100_000_000)]);
    assert_eq!(
        problem(npy_core::read::<civil::Date>(&far[..])),
        "275760-09-13 is out of range for Date; `Datetime64` and `Timedelta64` hold every time of their unit",
    );
    // Beyond the nanoseconds of an `i64`.
    let late = civil::Date::constant(2300, 1, 1);
    let write = |descr: &str| {
        let header = Header::new(descr.parse().unwrap(), Order::C, &[1]).unwrap();
        NpyWriter::with_header(Vec::new(), &header).unwrap().push(&late.at(0, 0, 0, 0)).unwrap_err().to_string()
    };
    assert_eq!(
        write("<M8[ns]"),
        "element 0: 2300-01-01T00:00:00.000000000 is out of range for <M8[ns]; a field of a struct with `#[npy(dtype = \"M8[us]\")]` holds it",
    );
    assert!(is_out_of_range(npy_core::read::<Timestamp>(&far[..])));
    assert!(is_out_of_range(npy_core::read::<chrono::DateTime<Utc>>(&far[..])));
    for (unit, count) in [("Y", i64::MAX), ("W", i64::MIN + 1), ("2147483647W", i64::MAX), ("2147483647Y", i64::MIN + 1)] {
        let file = counts(&format!("<M8[{unit}]"), &[count]);
        assert!(is_out_of_range(npy_core::read::<civil::DateTime>(&file[..])), "{unit}");
        assert!(is_out_of_range(npy_core::read::<NaiveDate>(&file[..])), "{unit}");
    }
    // Nanoseconds that have hardly a number.
    for (unit, count) in [("5148945h", -9_178_858_941_031_675_838), ("307866266m", -9_210_773_326_519_055_936), ("h", i64::MIN + 1)]
    {
        let file = counts(&format!("<M8[{unit}]"), &[count]);
        assert!(is_out_of_range(npy_core::read::<civil::DateTime>(&file[..])), "{unit}");
        assert!(is_out_of_range(npy_core::read::<Timestamp>(&file[..])), "{unit}");
        assert!(is_out_of_range(npy_core::read::<NaiveDateTime>(&file[..])), "{unit}");
    }
    // A time of day is no date, and picoseconds are no nanoseconds.
    let noon = written(&[Datetime64::<Hour>::new(12)]);
    assert_eq!(problem(npy_core::read::<civil::Date>(&noon[..])), "cannot represent 1970-01-01T12 exactly as Date",);
    assert!(is_inexact(npy_core::read::<Timestamp>(&counts("<M8[ps]", &[1])[..])));
    assert_eq!(npy_core::read::<Timestamp>(&counts("<M8[ps]", &[-2000])[..]).unwrap()[0].as_nanosecond(), -2);
    // Nanoseconds end in 2262.
    let later: Timestamp = "2300-01-01T00:00:00Z".parse().unwrap();
    assert!(is_out_of_range(npy_core::write(Vec::new(), &[later])));
    let inexact = Jiff { milliseconds: "2024-01-01T00:00:00.0001Z".parse().unwrap(), ..jiff() };
    assert_eq!(
        problem(npy_core::write(Vec::new(), &[inexact])),
        format!("cannot represent 2024-01-01T00:00:00.000100000 exactly as {}", native("<M8[ms]")),
    );
    // Half of a step of 25 seconds; the second day of a month.
    assert!(is_inexact(npy_core::write(Vec::new(), &[Jiff { steps: SignedDuration::from_secs(60), ..jiff() }])));
    let second = "2024-03-02".parse().unwrap();
    assert!(is_inexact(npy_core::write(Vec::new(), &[Jiff { month: second, ..jiff() }])));
    // A leap second.
    let leap = NaiveDate::from_ymd_opt(2016, 12, 31).unwrap().and_hms_nano_opt(23, 59, 59, 1_500_000_000).unwrap();
    assert_eq!(problem(npy_core::write(Vec::new(), &[leap])), format!("cannot represent a leap second as {}", native("<M8[ns]")));
}

#[test]
fn dtypes_other_than_times_are_mismatches() {
    for dtype in ["<i8", "<M8", "<m8[s]"] {
        let error = npy_core::read::<Timestamp>(&counts(dtype, &[1])[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch, "{dtype}: {error}");
    }
    for dtype in ["<m8", "<M8[s]", "<m8[Y]", "<m8[M]"] {
        let error = npy_core::read::<SignedDuration>(&counts(dtype, &[1])[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch, "{dtype}: {error}");
    }
    assert_eq!(npy_core::read::<SignedDuration>(&written(&[Timedelta64::<Millisecond>::new(-1)])[..]).unwrap()[0].as_millis(), -1);
}

/// Every unit, as NumPy understands it.
#[test]
fn numpy_means_the_same_dates() {
    let Some(numpy) = numpy("numpy_means_the_same_dates") else { return };
    let printed = numpy.run(["records.py", "dates"], b"");
    let frames = crate::support::numpy::frames(&printed);
    assert_eq!(frames.len(), 14 * 2 * 2);
    for pair in frames.chunks(2) {
        let expected: Vec<civil::DateTime> =
            std::str::from_utf8(pair[1]).unwrap().lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(npy_core::read::<civil::DateTime>(pair[0]).unwrap(), expected);
        let timestamps = npy_core::read::<Timestamp>(pair[0]).unwrap();
        assert!(timestamps.iter().zip(&expected).all(|(time, date)| time.to_string() == format!("{date}Z")));
        let chrono = npy_core::read::<NaiveDateTime>(pair[0]).unwrap();
        assert!(
            chrono
                .iter()
                .zip(&timestamps)
                .all(|(chrono, time)| i128::from(chrono.and_utc().timestamp_nanos_opt().unwrap()) == time.as_nanosecond())
        );
    }
}
