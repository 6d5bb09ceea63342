//! `npy hash`: hashes of values, which the layout of the file does not change.

use std::ffi::OsStr;
use std::io::Write as _;

use blake3::{Hash, Hasher};
use npy_core::dtype::ByteOrder;
use npy_core::{FileFormat, Header, Order};

use super::batch::{self, Batch};
use super::convert::dtypes::relaid;
use super::convert::transcode::Transcode;
use super::stats::named;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::paths::Files;
use crate::input::{Array, Input, pieces};
use crate::output::Screen;
use crate::progress::Progress;
use crate::signals;

/// Print a hash of the values of each array: the same in any order, byte order, packing and compression.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy hash picks.npy              one array
  npy hash run.npz                each member, then the archive
  npy hash 'ckpt.npz:layers.0.*'  the members that match
  npy hash a.npy b.npy            the same twice if dtype, shape and all bits of the values are the same

The hash is BLAKE3 of the file that np.save writes of the array in C order, little-endian, with packed fields: for an array that \
is so already, b3sum of its .npy file. The bits of NaN and of -0.0 count, names and titles of fields, the unit of times, and the \
padding of long doubles; padding between fields does not. The hash of an archive is BLAKE3 of the lines of its members, sorted by \
name, each the hash, two spaces and the name, with \\n for a newline and \\\\ for a backslash: the order of members, compression, \
and files that are not arrays do not count. \
This stays so in later versions.

Exit codes: 0 success, 2 an array cannot be read or holds Python objects; the others are shown.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    batch: Batch,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let Files { found: files, unread } = arguments.batch.files()?;
    let mut failures = Vec::new();
    for file in &files {
        match hash_file(file, &mut failures, screen) {
            Ok(()) => {}
            Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
            Err(failure) => failures.push(failure),
        }
    }
    match batch::fail(screen, failures) {
        Ok(0) if unread > 0 => Err(Failure::Reported),
        result => result,
    }
}

/// Prints a line for each array of a file, and one for a whole archive.
fn hash_file(file: &OsStr, failures: &mut Vec<Failure>, screen: &mut Screen) -> Result<()> {
    let mut input = formats::input(file)?;
    let members = input.visible_members()?;
    let is_archive = input.format() == FileFormat::Npz;
    if !is_archive {
        input.expect_nothing_else("hash")?;
    }
    let (count, mut lines) = (members.len(), Vec::new());
    for (index, member) in members {
        match hash_member(&mut input, index) {
            Ok(hash) => {
                let name = named(input.name(), member.as_deref());
                writeln!(screen, "{hash}  {}", escape::line(&name))?;
                lines.push((member.unwrap_or_default(), hash));
            }
            Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
            Err(failure) => failures.push(failure),
        }
    }
    if is_archive && input.selected().is_none() && lines.len() == count {
        lines.sort_unstable_by(|(name, _), (other, _)| name.cmp(other));
        let mut total = Hasher::new();
        for (name, hash) in lines {
            let name = name.replace('\\', "\\\\").replace('\n', "\\n");
            total.update(format!("{hash}  {name}\n").as_bytes());
        }
        writeln!(screen, "{}  {}", total.finalize(), escape::line(input.name()))?;
    }
    Ok(())
}

fn hash_member(input: &mut Input, index: usize) -> Result<Hash> {
    let name = input.name().to_owned();
    input.with_member(index, |mut array| hash_array(&mut *array, &name))
}

fn hash_array(array: &mut dyn Array, name: &str) -> Result<Hash> {
    let (dtype, shape) = (array.header().dtype().clone(), array.header().shape().to_vec());
    if dtype.has_object() {
        return Err(Failure::Nameless(format!("cannot hash Python objects: expected values of a fixed size, found dtype {dtype}")));
    }
    let wanted = relaid(&dtype.clone().with_byte_order(ByteOrder::Little), false)?;
    let header = Header::new(wanted, Order::C, &shape)?;
    let mut transcode = Transcode::new(&dtype, header.dtype(), false)?;
    let mut progress = Progress::new(name, header.data_bytes());
    let mut hasher = Hasher::new();
    hasher.update(&header.to_bytes());
    pieces::for_each(array, Order::C, &mut |values| {
        signals::check()?;
        let values = transcode.apply(values, Order::C, &shape)?;
        hasher.update(values.bytes());
        progress.add(values.bytes().len() as u64);
        Ok(())
    })?;
    Ok(hasher.finalize())
}
