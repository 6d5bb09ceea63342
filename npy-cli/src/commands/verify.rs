//! `npy verify`: whether files are as they were written.

mod finding;
mod nested;
mod check;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use npy_core::FileFormat;
use npy_core::npz::NpzReader;
use serde_json::json;

use super::batch::Batch;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::paths::Files;
use crate::output::{Screen, Style};
use crate::signals;
use crate::threads;
use crate::values::quantity;
use check::check;
use finding::{Finding, State};

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
Files of other formats are read to their ends, and so are files that gzip or Zstandard has compressed, whose checksums \
are compared. \
Bytes after an array are reported. NumPy ignores them, so they are not damage; neither are classes that are not \
known, names of members that occur twice, and names that lead out of the directory of the archive. Of a pickle that is not read \
here, as its protocol is too new or it nests too deep, nothing is known.

A line is printed for each problem and remark. Where a member is damaged, the good ones beside it are listed.

Exit codes: 0 nothing is damaged, 2 something is, or cannot be read.")]
pub(crate) struct Arguments {
    /// Write one line of JSON for each file
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    batch: Batch,
}

/// A file to check, or some members of an archive.
struct Job {
    file: usize,
    members: Option<Range<usize>>,
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
    threads::on_each(threads.min(jobs.len()), || {
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
