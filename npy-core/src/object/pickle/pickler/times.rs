//! The part of the pickler that writes dates and times.

use super::super::super::value::time::{PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
use super::{Failure, Pickler};
use crate::error::Result;

impl Pickler<'_> {
    pub(crate) fn time(&mut self, time: &PyTime) -> Result<(), Failure> {
        let mut bytes = time.to_bytes();
        if time.fold() {
            bytes[0] |= 0x80;
        }
        self.global("datetime", "time")?;
        self.bytes(&bytes)?;
        self.end_of_time(time.zone())
    }

    pub(crate) fn date_time(&mut self, moment: &PyDateTime) -> Result<(), Failure> {
        let mut bytes = [0; 10];
        let parts = moment.date().to_bytes().into_iter().chain(moment.time().to_bytes());
        bytes.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
        if moment.time().fold() {
            bytes[2] |= 0x80;
        }
        self.global("datetime", "datetime")?;
        self.bytes(&bytes)?;
        self.end_of_time(moment.time().zone())
    }

    fn end_of_time(&mut self, zone: Option<&PyTimeZone>) -> Result<(), Failure> {
        match zone {
            None => self.end_tuple(0x85),
            Some(zone) => {
                self.time_zone(zone)?;
                self.end_tuple(0x86);
            }
        }
        self.reduce();
        Ok(())
    }

    pub(crate) fn time_delta(&mut self, delta: PyTimeDelta) -> Result<(), Failure> {
        self.global("datetime", "timedelta")?;
        self.small_int(delta.days().into())?;
        self.small_int(delta.seconds().into())?;
        self.small_int(delta.microseconds().into())?;
        self.end_tuple(0x87);
        self.reduce();
        Ok(())
    }

    pub(crate) fn time_zone(&mut self, zone: &PyTimeZone) -> Result<(), Failure> {
        self.global("datetime", "timezone")?;
        self.time_delta(zone.offset())?;
        match zone.name() {
            None => self.end_tuple(0x85),
            Some(name) => {
                self.text(name)?;
                self.end_tuple(0x86);
            }
        }
        self.reduce();
        Ok(())
    }
}
