//! `npy verify`: whether files are as they were written.

mod nested;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use npy_core::npz::{ArchiveFile, NpzReader, leads_elsewhere};
use npy_core::object::ObjectArray;
use npy_core::{Error, ErrorKind, FileFormat};
use serde_json::json;

use super::batch::Batch;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::paths::Files;
use crate::input::pieces;
use crate::input::{Array, Input, arrays, object_options, text_transfer};
use crate::output::{Screen, Style};
use crate::values::quantity;
use crate::{objects, signals};
use nested::Budget;

/// The exit code if anything is damaged.
const DAMAGED: u8 = 2;

/// Check files: structure, lengths, checksums of archives.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy verify data/             all array files of a directory, at every depth
  npy verify run.npz           every member
  npy verify --json *.npz      one line of JSON for each file

An .npy file has no checksum: its header and its length are checked, and pickles are parsed (nothing of them is \
run); of several arrays, one behind another, each is checked and named as in log.npy#1. Of an archive every member is read to its end, which checks its checksum; archives in it are extracted to a \
temporary directory and checked too, up to 32 times the bytes of the file or 1 GiB. \
Bytes after an array are reported. NumPy ignores them, so they are not damage; neither are classes that are not \
known, names of members that occur twice, and names that lead out of the directory of the archive.

A line is printed for each problem and remark. Where a member is damaged, the good ones beside it are listed.

Exit codes: 0 nothing is damaged, 2 something is, or cannot be read.")]
pub(crate) struct Arguments {
    /// Write one line of JSON for each file
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    batch: Batch,
}

/// A part of the work: a file, or some members of an archive.
struct Job {
    file: usize,
    members: Option<Range<usize>>,
}

/// What is known of a file or a member.
struct Finding {
    /// Of a member, with those of archives around it.
    member: Option<String>,
    /// Of one of several arrays of an `.npy` file.
    number: Option<usize>,
    state: State,
    /// Of what is intact, but may surprise.
    remarks: Vec<String>,
}

impl Finding {
    /// Of the only array of a file.
    fn new(state: State, remarks: Vec<String>) -> Self {
        Self { member: None, number: None, state, remarks }
    }

    fn text(&self) -> String {
        let state = self.state.text();
        std::iter::once(state).chain(self.remarks.iter().cloned()).collect::<Vec<_>>().join(", ")
    }
}

enum State {
    Good,
    /// Good, with bytes after the array.
    Trailing(u64),
    Damaged(String),
    /// Nothing is known of it, because the system does not let it be read.
    Unread(String),
}

impl State {
    /// With what a transfer in text mode did, if that shows.
    fn with_transfer(self, transfer: Option<&str>) -> Self {
        match (transfer, self) {
            (Some(transfer), Self::Damaged(message)) => Self::Damaged(format!("{message}; {transfer}")),
            (None, state) | (Some(_), state @ Self::Unread(_)) => state,
            (Some(transfer), _) => Self::Damaged(transfer.to_owned()),
        }
    }

    /// Damage, unless the system is the reason; without the name in front, which the line has already.
    fn damaged(failure: &Failure, name: &str) -> Self {
        let message = failure.to_string();
        let name = format!("{}: ", escape::line(name));
        let message = message.strip_prefix(&name).unwrap_or(&message).to_owned();
        if matches!(failure, Failure::Unread(_)) { Self::Unread(message) } else { Self::Damaged(message) }
    }

    fn is_bad(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::Unread(_))
    }

    fn text(&self) -> String {
        match self {
            Self::Good => "good".to_owned(),
            Self::Trailing(bytes) => format!("good, {}", quantity::counted(*bytes, "trailing byte")),
            Self::Damaged(message) | Self::Unread(message) => message.clone(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let Files { found: files, unread: unread_directories } = arguments.batch.files()?;
    let findings = verify(&files, arguments.batch.threads());
    signals::check()?;
    let (mut damaged, mut unread) = (0, unread_directories);
    let mut count = 0;
    for (file, findings) in files.iter().zip(&findings) {
        let file = &escape::path(file);
        count += findings.len();
        let bad = findings.iter().filter(|finding| finding.state.is_bad()).count();
        let unknown = findings.iter().filter(|finding| matches!(finding.state, State::Unread(_))).count();
        damaged += bad - unknown;
        unread += unknown;
        if arguments.json {
            screen.json(&to_json(file, findings, bad == 0))?;
        } else {
            write(screen, file, findings, bad > 0)?;
        }
    }
    if !arguments.json {
        let number = |count: usize, name: &str| quantity::counted(count as u64, name);
        let summary = format!("{}, {}: ", number(files.len(), "file"), number(count, "item"));
        let bad =
            [(damaged, "damaged"), (unread, "unreadable")].map(|(count, what)| (count > 0).then(|| format!("{count} {what}")));
        let verdict = bad.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let verdict = if verdict.is_empty() { "all good" } else { &verdict };
        let style = if damaged + unread == 0 { Style::Good } else { Style::Bad };
        writeln!(screen, "{summary}{}", screen.paint(style, verdict))?;
    }
    Ok(if damaged + unread == 0 { 0 } else { DAMAGED })
}

/// The members of an archive that are damaged.
pub(super) fn damage(path: &Path) -> Vec<Failure> {
    let findings = check(path.as_os_str(), None, &AtomicU64::new(0));
    let about = |finding: Finding| {
        let failure = Failure::Nameless(finding.text());
        failure.about_array(&escape::path(path), finding.member.as_ref())
    };
    findings.into_iter().filter(|finding| finding.state.is_bad()).map(about).collect()
}

/// The findings of each file, in the order of its members.
fn verify(files: &[OsString], threads: usize) -> Vec<Vec<Finding>> {
    let jobs: Vec<Job> = files.iter().enumerate().flat_map(|(index, file)| jobs_of(index, file, threads)).collect();
    let results: Vec<Mutex<Vec<Finding>>> = jobs.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let extracted: Vec<AtomicU64> = files.iter().map(|_| AtomicU64::new(0)).collect();
    let work = || {
        while let Some((job, result)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(index).zip(results.get(index)).filter(|_| !signals::came())
        } {
            let file = files.get(job.file).zip(extracted.get(job.file));
            let found = file.map(|(file, extracted)| check(file, job.members.clone(), extracted)).unwrap_or_default();
            if let Ok(mut result) = result.lock() {
                *result = found;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(jobs.len()) {
            // With fewer where the system refuses more.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut findings: Vec<Vec<Finding>> = files.iter().map(|_| Vec::new()).collect();
    for (job, result) in jobs.iter().zip(results) {
        if let (Some(findings), Ok(result)) = (findings.get_mut(job.file), result.into_inner()) {
            findings.extend(result);
        }
    }
    findings
}

/// One job, or of an archive some for each thread.
fn jobs_of(file: usize, name: &OsStr, threads: usize) -> Vec<Job> {
    let members = match FileFormat::detect(name) {
        Ok(Some(FileFormat::Npz)) => NpzReader::open(name).map_or(0, |archive| archive.len()),
        _ => 0,
    };
    if members < 2 {
        return vec![Job { file, members: None }];
    }
    let step = members.div_ceil(4 * threads).max(1);
    let range = |begin: usize| Job { file, members: Some(begin..(begin + step).min(members)) };
    (0..members).step_by(step).map(range).collect()
}

/// Checks a file, or some members of it. `extracted` counts the bytes of archives in it.
fn check(file: &OsStr, members: Option<Range<usize>>, extracted: &AtomicU64) -> Vec<Finding> {
    let result = Input::open(file).and_then(|mut input| match input.format() {
        FileFormat::Npz => {
            let mut archive = input.archive()?;
            let selected = input.selected().map(|member| archive.find(member)).transpose()?;
            let members = selected.map(|index| index..index + 1).or(members).unwrap_or(0..archive.len());
            let length = input.path().and_then(|path| path.metadata().ok()).map_or(0, |metadata| metadata.len());
            Ok(check_members(&mut archive, members, "", 1, &Budget::new(extracted, length)))
        }
        _ if input.is_stream() => Ok(check_stream(&mut input)),
        FileFormat::Npy if input.part().is_none() => check_arrays(&input),
        format => {
            let length = input.bounds().map(|bounds| bounds.end - bounds.start);
            let (state, remarks) = input.with_member(0, |array| check_array(array, format, length, None))?;
            Ok(vec![Finding::new(state, remarks)])
        }
    });
    result.unwrap_or_else(|failure| vec![Finding::new(State::damaged(&failure, &escape::path(file)), Vec::new())])
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
        let (state, remarks) = checked.unwrap_or_else(|failure| (State::damaged(&failure, input.name()), Vec::new()));
        findings.push(Finding::new(state, remarks));
    }
    let end = arrays.last().map_or(0, |last| last.range.end);
    let behind = path.metadata().map_or(0, |metadata| metadata.len()).saturating_sub(end);
    match (arrays::problem_at(path, end), findings.last_mut()) {
        (Some(problem), _) => findings.push(Finding::new(State::damaged(&problem, input.name()), Vec::new())),
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
        let (state, remarks) = check_array(array, FileFormat::Npy, None, None)?;
        findings.push(Finding::new(state, remarks));
        Ok(())
    });
    match (result, findings.last_mut()) {
        (Err(failure), _) => findings.push(Finding::new(State::damaged(&failure, &name), Vec::new())),
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

/// Checks an array that is a file. What it has is read only where its length does not tell whether it is whole.
/// `path` is that of an `.npy` file of which it is the first.
fn check_array(
    mut array: Box<dyn Array + '_>,
    format: FileFormat,
    length: Option<u64>,
    path: Option<&Path>,
) -> Result<(State, Vec<String>)> {
    let header = array.header().clone();
    if header.dtype().has_object() {
        return check_objects(array.into_objects(object_options()));
    }
    let state = match length {
        Some(length) if format == FileFormat::Npy => {
            let (expected, found) = (header.data_bytes(), length.saturating_sub(array.data_offset()));
            let transfer = path.and_then(|path| text_transfer(path, expected.saturating_sub(found)));
            compare_lengths(expected, found).with_transfer(transfer)
        }
        _ => {
            let count = pieces::elements_of_piece(header.dtype());
            while header.data_bytes() > 0 && array.next_elements(count)?.is_some() {}
            State::Good
        }
    };
    Ok((state, Vec::new()))
}

/// Damage of a pickle, or what of an intact one is not known or not read.
fn check_objects(result: npy_core::Result<ObjectArray>) -> Result<(State, Vec<String>)> {
    match result {
        Ok(array) => Ok((State::Good, objects::unknown_classes(&array).into_iter().collect())),
        Err(error) if is_intact(&error) => Ok((State::Good, vec![format!("not read: {}", nameless(error))])),
        Err(error) => Err(nameless(error)),
    }
}

/// Whether Python reads a pickle that is not read here.
fn is_intact(error: &Error) -> bool {
    // At a byte of the pickle, and not of the header.
    error.offset().is_some() && matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::LimitExceeded)
}

fn compare_lengths(expected: u64, found: u64) -> State {
    match found.checked_sub(expected) {
        None => State::Damaged(format!(
            "truncated: expected {} of data, found {}",
            quantity::counted(expected, "byte"),
            quantity::count(found)
        )),
        Some(0) => State::Good,
        Some(trailing) => State::Trailing(trailing),
    }
}

/// Checks members of an archive, whose name is `prefix` if it is in another one.
fn check_members(
    archive: &mut NpzReader<ArchiveFile>,
    members: Range<usize>,
    prefix: &str,
    depth: usize,
    budget: &Budget<'_>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let copies = copies_of_names(archive);
    // Nothing is reported after a signal, so members may be missing.
    for index in members.take_while(|_| !signals::came()) {
        let whole_name = archive.whole_name(index).unwrap_or_default().to_owned();
        let own_name = if archive.is_array(index) { archive.name(index).unwrap_or_default() } else { &whole_name };
        let name = format!("{prefix}{own_name}");
        let result = if archive.is_array(index) {
            check_member(archive, index)
        } else {
            nested::check(archive, index, &name, depth, budget).map(|inner| {
                findings.extend(inner);
                (State::Good, Vec::new())
            })
        };
        let (state, mut remarks) = result.unwrap_or_else(|error| {
            let message = error.to_string();
            let own = format!("member {:?}: ", archive.name(index).unwrap_or_default());
            let message = message.strip_prefix(&own).unwrap_or(&message).to_owned();
            // Whether an encrypted member is whole cannot be known.
            let is_unread = archive.is_encrypted(index) || matches!(error, Failure::Unread(_));
            (if is_unread { State::Unread(message) } else { State::Damaged(message) }, Vec::new())
        });
        if let Some(copies) = copies.get(&whole_name) {
            remarks.push(format!("the name occurs {copies} times, and NumPy reads the last of them"));
        }
        if archive.is_of_macos(index) {
            remarks.push("attributes of macOS, and not an array".to_owned());
        }
        if leads_elsewhere(&whole_name) {
            remarks.push("the name leads out of the directory of the archive, or is not a name on all systems".to_owned());
        }
        findings.push(Finding { member: Some(name), ..Finding::new(state, remarks) });
    }
    findings
}

/// How often the names occur that members share.
fn copies_of_names(archive: &NpzReader<ArchiveFile>) -> HashMap<String, usize> {
    let mut copies: HashMap<String, usize> = HashMap::new();
    for name in (0..archive.len()).filter_map(|index| archive.whole_name(index)) {
        *copies.entry(name.to_owned()).or_default() += 1;
    }
    copies.retain(|_, count| *count > 1);
    copies
}

/// Checks an array in an archive. Its checksum is checked at its end.
fn check_member(archive: &mut NpzReader<ArchiveFile>, index: usize) -> Result<(State, Vec<String>)> {
    let reader = archive.array(index).map_err(nameless)?;
    let header = reader.header().clone();
    let mut content = reader.into_inner();
    let found = io::copy(&mut content, &mut io::sink()).map_err(|error| Failure::Nameless(error.to_string()))?;
    if header.dtype().has_object() {
        return check_objects(archive.array(index).and_then(|reader| reader.into_objects(object_options())));
    }
    Ok((compare_lengths(header.data_bytes(), found), Vec::new()))
}

/// The failure without the names of the file and the member, which are known.
fn nameless(error: npy_core::Error) -> Failure {
    Failure::Nameless(format!("{:#}", error.without_path()))
}

fn write(screen: &mut Screen, file: &str, findings: &[Finding], is_damaged: bool) -> Result<()> {
    for finding in findings {
        let name = match (&finding.member, finding.number) {
            (Some(member), _) => format!("{file}:{member}"),
            (None, Some(number)) => format!("{file}#{number}"),
            (None, None) => file.to_owned(),
        };
        let style = match finding.state {
            State::Good if !is_damaged && finding.remarks.is_empty() => continue,
            State::Damaged(_) | State::Unread(_) => Style::Bad,
            _ => Style::Good,
        };
        let state = screen.paint(style, &escape::line(&finding.text()));
        writeln!(screen, "{}: {state}", screen.paint(Style::Title, &escape::line(&name)))?;
    }
    Ok(())
}

fn to_json(file: &str, findings: &[Finding], is_good: bool) -> serde_json::Value {
    let items: Vec<serde_json::Value> = findings
        .iter()
        .map(|finding| {
            let mut item = match &finding.state {
                State::Good => json!({"member": finding.member, "good": true}),
                State::Trailing(bytes) => json!({"member": finding.member, "good": true, "trailing_bytes": bytes}),
                State::Damaged(message) | State::Unread(message) => {
                    json!({"member": finding.member, "good": false, "problem": message})
                }
            };
            if let Some(number) = finding.number {
                item["array"] = json!(number);
            }
            if !finding.remarks.is_empty() {
                item["remarks"] = json!(finding.remarks);
            }
            item
        })
        .collect();
    json!({"file": file, "good": is_good, "items": items})
}
