//! Statistics of Python objects: of their values, or how many there are of each type.

use std::sync::Mutex;

use npy_core::object::ObjectArray;
use npy_core::{DynValues, Header, Order};

use super::scan::{Plan, Settings};
use super::summary::Summary;
use crate::failure::{Failure, Result};
use crate::input::{Array, in_memory};
use crate::objects::{Part, Wish, parts, typed, without_missing};
use crate::progress::Progress;
use crate::values::fields::{self, Leaf};

/// The statistics of each field.
pub(super) fn scan(header: &Header, array: &ObjectArray, settings: &Settings) -> Result<Vec<(Leaf, Summary)>> {
    let selected = fields::select(header.dtype(), &settings.fields)?;
    let present = without_missing(array);
    let mut found = Vec::new();
    for part in parts(present.as_ref().unwrap_or(array))? {
        let leaves: Vec<&Leaf> = selected.iter().filter(|leaf| leaf.names.starts_with(&part.names)).collect();
        match leaves[..] {
            [] => {}
            [leaf, ..] if part.is_object() => found.push((leaf.clone(), of_objects(&part, settings)?)),
            _ => {
                for (leaf, summary) in of_values(&part, settings)? {
                    let names = [&part.names[..], &leaf.names].concat();
                    found.extend(leaves.iter().find(|leaf| leaf.names == names).map(|leaf| (Leaf::clone(leaf), summary)));
                }
            }
        }
    }
    Ok(found)
}

/// Of a field that is an object.
fn of_objects(part: &Part<'_>, settings: &Settings) -> Result<Summary> {
    let present = part.present()?;
    let count = part.items.len() as u64;
    let none = count - present.items().len() as u64;
    if !present.items().is_empty() {
        match typed(&present, Wish::default()) {
            Ok(array) => {
                let summary = of_array(array, settings)?.pop().map(|(_, summary)| summary).unwrap_or_default();
                return Ok(Summary { none: Some(none).filter(|none| *none > 0), ..summary });
            }
            Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
            // Not all of one kind.
            Err(_) => {}
        }
    }
    Ok(Summary { count, types: part.types(), ..Summary::default() })
}

/// Of a field without objects.
fn of_values(part: &Part<'_>, settings: &Settings) -> Result<Vec<(Leaf, Summary)>> {
    let bytes = part.bytes().ok_or_else(|| {
        let path = part.path();
        Failure::Nameless(format!("field {path:?}: expected values of dtype {}, found others in the pickle", part.dtype))
    })?;
    let values = DynValues::new(part.dtype.clone(), Order::C, &[part.items.len()], bytes)?;
    of_array(Box::new(in_memory(&values)?), settings)
}

fn of_array(mut array: Box<dyn Array + '_>, settings: &Settings) -> Result<Vec<(Leaf, Summary)>> {
    let header = array.header().clone();
    let plan = Plan::new(&header, &Settings { fields: Vec::new(), ..settings.clone() })?;
    // In memory already: no time that a user would watch.
    let progress = Mutex::new(Progress::new("", 0));
    plan.read_stream(&mut *array, &progress)
}
