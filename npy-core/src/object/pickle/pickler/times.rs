//! Pickles dates and times.

use super::super::super::value::time::{PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
use super::{Failure, Pickler};
use crate::error::Result;

impl Pickler<'_> {
    pub(super) fn time(&mut self, time: &PyTime) -> Result<(), Failure> {
        self.with_zone("time", &time.to_bytes(), time.zone())
    }

    pub(super) fn date_time(&mut self, moment: &PyDateTime) -> Result<(), Failure> {
        self.with_zone("datetime", &moment.to_bytes(), moment.time().zone())
    }

    fn with_zone(&mut self, class: &str, bytes: &[u8], zone: Option<&PyTimeZone>) -> Result<(), Failure> {
        self.call(("datetime", class), if zone.is_some() { 2 } else { 1 }, |pickler| {
            pickler.bytes(bytes)?;
            zone.map_or(Ok(()), |zone| pickler.time_zone(zone))
        })
    }

    pub(super) fn time_delta(&mut self, delta: PyTimeDelta) -> Result<(), Failure> {
        self.call(("datetime", "timedelta"), 3, |pickler| {
            pickler.small_int(delta.days().into())?;
            pickler.small_int(delta.seconds().into())?;
            pickler.small_int(delta.microseconds().into())
        })
    }

    pub(super) fn time_zone(&mut self, zone: &PyTimeZone) -> Result<(), Failure> {
        self.call(("datetime", "timezone"), if zone.name().is_some() { 2 } else { 1 }, |pickler| {
            pickler.time_delta(zone.offset())?;
            zone.name().map_or(Ok(()), |name| pickler.text(name))
        })
    }
}
