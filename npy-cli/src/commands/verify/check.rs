//! Checks a file, its arrays and its members.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use npy_core::FileFormat;
use npy_core::npz::{ArchiveFile, NpzReader, leads_elsewhere};
use npy_core::object::{Encoding, ObjectArray, ObjectOptions};

use super::finding::{Finding, State};
use super::nested::{self, Budget, Level, nameless};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats::{self, Opened};
use crate::input::paths::is_array_file;
use crate::input::pieces;
use crate::input::{Array, Input, arrays, object_options, text_transfer};
use crate::values::quantity;
use crate::{objects, signals};

/// Checks a file, or some members of it. `extracted` counts the bytes of archives in it.
pub(super) fn check(file: &OsStr, members: Option<Range<usize>>, extracted: &AtomicU64) -> Vec<Finding> {
    // Under a name of NumPy's, another format is damage.
    let opened = if is_array_file(Path::new(file)) { Input::open(file).map(Opened::Numpy) } else { formats::open_any(file) };
    let result = opened.and_then(|opened| match opened {
        Opened::Numpy(input) => check_input(input, members, extracted),
        Opened::Compressed(file) => check_input(file.into_stream()?, members, extracted),
        Opened::Foreign(mut file) => file.check().map(|()| vec![State::Good.into()]),
    });
    result.unwrap_or_else(|failure| vec![State::damaged(&failure, &escape::path(file)).into()])
}

/// Checks a file in one of NumPy's formats.
fn check_input(mut input: Input, members: Option<Range<usize>>, extracted: &AtomicU64) -> Result<Vec<Finding>> {
    match input.format() {
        FileFormat::Npz => {
            let selected = input.selected().map(|_| input.only_member()).transpose()?;
            let mut archive = input.archive()?;
            let members = selected.map(|index| index..index + 1).or(members).unwrap_or(0..archive.len());
            let length = input.path().and_then(|path| path.metadata().ok()).map_or(0, |metadata| metadata.len());
            Ok(check_members(&mut archive, members, &Level::first(&Budget::new(extracted, length))))
        }
        _ if input.is_stream() => Ok(check_stream(&mut input)),
        FileFormat::Npy if input.part().is_none() => check_arrays(&input),
        format => {
            let length = input.bounds().map(|bounds| bounds.end - bounds.start);
            Ok(vec![input.with_member(0, |array| check_array(array, format, length, None))?])
        }
    }
}

/// Checks all arrays of an `.npy` file, one behind another.
fn check_arrays(input: &Input) -> Result<Vec<Finding>> {
    let Some(path) = input.path() else { return Ok(Vec::new()) };
    let arrays = input.arrays()?;
    let mut findings = Vec::new();
    for (number, found) in arrays.iter().enumerate() {
        // Only the first array of a file begins like it.
        let file = (number == 0).then_some(path);
        let length = found.range.end - found.range.start;
        let checked = input.with_found(found, |array| check_array(array, FileFormat::Npy, Some(length), file));
        findings.push(checked.unwrap_or_else(|failure| State::damaged(&failure, input.name()).into()));
    }
    let end = arrays.last().map_or(0, |last| last.range.end);
    let behind = path.metadata().map_or(0, |metadata| metadata.len()).saturating_sub(end);
    match (arrays::problem_at(path, end), findings.last_mut()) {
        (Some(problem), _) => findings.push(State::damaged(&problem, input.name()).into()),
        (None, Some(Finding { state: state @ State::Good, .. })) if behind > 0 => *state = State::Trailing(behind),
        _ => {}
    }
    Ok(numbered(findings))
}

/// Checks all arrays of an `.npy` stream, up to the first that is damaged.
fn check_stream(input: &mut Input) -> Vec<Finding> {
    let name = input.name().to_owned();
    let mut findings = Vec::new();
    let mut is_pickle = false;
    let result = input.for_each_in_stream(|array| {
        is_pickle = array.header().dtype().has_object();
        findings.push(check_array(array, FileFormat::Npy, None, None)?);
        Ok(())
    });
    match (result, findings.last_mut()) {
        (Err(failure), _) => findings.push(State::damaged(&failure, &name).into()),
        // A pickle that is not understood has no known end.
        (Ok(behind), Some(last)) if behind > 0 && !is_pickle => last.state = State::Trailing(behind),
        _ => {}
    }
    numbered(findings)
}

/// The findings with their numbers, if there are several.
fn numbered(mut findings: Vec<Finding>) -> Vec<Finding> {
    if findings.len() > 1 {
        findings.iter_mut().enumerate().for_each(|(number, finding)| finding.number = Some(number));
    }
    findings
}

/// Checks an array that is a file. Elements are read only where the length does not tell whether it is whole.
/// `path` is given for the first array of an `.npy` file.
fn check_array(mut array: Box<dyn Array + '_>, format: FileFormat, length: Option<u64>, path: Option<&Path>) -> Result<Finding> {
    let header = array.header().clone();
    if header.dtype().has_object() {
        return check_objects(array.into_objects(options()));
    }
    let state = match length {
        Some(length) if format == FileFormat::Npy => {
            let (expected, found) = (header.data_bytes(), length.saturating_sub(array.data_offset()));
            let transfer = path.and_then(|path| text_transfer(path, expected.saturating_sub(found)));
            compare_lengths(expected, found).with_transfer(transfer)
        }
        _ => {
            pieces::read_to_end(&mut *array)?;
            State::Good
        }
    };
    Ok(state.into())
}

/// The text of Python 2 may be in any encoding, which is no damage.
fn options() -> ObjectOptions {
    object_options().encoding(Encoding::Latin1)
}

/// Damage of a pickle, or remarks on classes and opcodes that are not known.
fn check_objects(result: npy_core::Result<ObjectArray>) -> Result<Finding> {
    match result {
        Ok(array) => Ok(Finding::good(objects::unknown_classes(&array).into_iter().collect())),
        Err(error) if objects::is_intact(&error) => Ok(State::Unread(format!("not checked: {}", nameless(error))).into()),
        Err(error) => Err(nameless(error)),
    }
}

fn compare_lengths(expected: u64, found: u64) -> State {
    match found.checked_sub(expected) {
        None => State::Damaged(format!("truncated: {}", quantity::expected_bytes(expected, found))),
        Some(0) => State::Good,
        Some(trailing) => State::Trailing(trailing),
    }
}

/// Checks members of an archive.
fn check_members(archive: &mut NpzReader<ArchiveFile>, members: Range<usize>, level: &Level<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let copies = copies_of_names(archive);
    // Nothing is reported after a signal, so members may be missing.
    for index in members.take_while(|_| !signals::came()) {
        let full_name = archive.full_name(index).unwrap_or_default().to_owned();
        let own_name = if archive.is_array(index) { archive.name(index).unwrap_or_default() } else { &full_name };
        let name = format!("{}{own_name}", level.prefix);
        let result = if archive.is_array(index) {
            check_member(archive, index)
        } else {
            nested::extract(archive, index, level).map(|inner| {
                if let Some(mut inner) = inner {
                    let members = 0..inner.archive.len();
                    findings.extend(check_members(&mut inner.archive, members, &level.below(&name)));
                }
                State::Good.into()
            })
        };
        let mut finding = result.unwrap_or_else(|error| {
            let message = error.to_string();
            let own = format!("member {:?}: ", archive.name(index).unwrap_or_default());
            let message = message.strip_prefix(&own).unwrap_or(&message).to_owned();
            // Whether an encrypted member is whole cannot be known.
            let is_unread = archive.is_encrypted(index) || matches!(error, Failure::Unread(_));
            if is_unread { State::Unread(message).into() } else { State::Damaged(message).into() }
        });
        finding.member = Some(name);
        let remarks = &mut finding.remarks;
        if let Some(copies) = copies.get(&full_name) {
            remarks.push(format!("the name occurs {copies} times, and NumPy reads the last of them"));
        }
        if archive.is_of_macos(index) {
            remarks.push("attributes of macOS, and not an array".to_owned());
        }
        if leads_elsewhere(&full_name) {
            remarks.push("the name leads out of the directory of the archive, or is not a name on all systems".to_owned());
        }
        findings.push(finding);
    }
    findings
}

/// The number of members of each name that several share.
fn copies_of_names(archive: &NpzReader<ArchiveFile>) -> HashMap<String, usize> {
    let mut copies: HashMap<String, usize> = HashMap::new();
    for name in (0..archive.len()).filter_map(|index| archive.full_name(index)) {
        *copies.entry(name.to_owned()).or_default() += 1;
    }
    copies.retain(|_, count| *count > 1);
    copies
}

/// Checks an array in an archive. Its checksum is checked at its end.
fn check_member(archive: &mut NpzReader<ArchiveFile>, index: usize) -> Result<Finding> {
    let reader = archive.array(index).map_err(nameless)?;
    let header = reader.header().clone();
    let mut content = reader.into_inner();
    let found = io::copy(&mut content, &mut io::sink()).map_err(|error| Failure::Nameless(error.to_string()))?;
    if header.dtype().has_object() {
        return check_objects(archive.array(index).and_then(|reader| reader.into_objects(options())));
    }
    Ok(compare_lengths(header.data_bytes(), found).into())
}
