//! `npy merge`: the members of several archives in one.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

use npy_core::FileFormat;
use npy_core::npz::{NpzWriter, WriteOptions};

use super::archive::{Member, all, copy, old};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats::{self, stem_of};
use crate::input::{Input, are_same, beside_members, members_named, path_of, write_whole};
use crate::losses;
use crate::output::{self, Content};
use crate::signals;
use crate::values::names::expect_member_name;

/// Put the members of archives, and arrays of files, into one archive.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy merge run.npz old.npz -o all.npz --prefix    as run/x and old/x
  npy merge a.npy b.npy -o both.npz                the arrays of files, under the names of these
  npy merge run.npz:time a.npy -o all.npz          some members

Members are copied as they are stored: nothing is decompressed, and what is damaged stays as it is. Arrays of .npy files are stored \
without compression. Two members of one name are refused. The output is replaced atomically, and may be one of the files. Dates and \
permissions of members become those that NumPy writes; comments and bytes around an archive are refused without --lossy, and so are \
other members of an archive that the output replaces.

Exit codes: 0 success, 2 trouble; the output is then untouched.")]
pub(crate) struct Merge {
    /// Archives, members (FILE:MEMBER) or .npy files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,

    /// The archive to write; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Put the name of each archive without its extension before the names of its members
    #[arg(long)]
    prefix: bool,

    /// Allow losses: of comments, bytes around an archive, members that the output replaces
    #[arg(long)]
    lossy: bool,
}

pub(crate) fn merge(arguments: &Merge) -> Result<u8> {
    let output = &arguments.output;
    let is_stream = output::is_stream(output);
    if !is_stream && output.extension().is_none_or(|extension| extension != "npz") {
        let message = "expected an output that ends in .npz; `npy convert` writes other formats";
        return Err(Failure::new(format!("{}: {message}", escape::path(output))));
    }
    if is_stream {
        output::replace(output, Content::Binary, |out| {
            let mut writer = NpzWriter::streaming(out);
            add_all(arguments, &mut writer)?;
            writer.finish()?;
            Ok(())
        })?;
        return Ok(0);
    }
    let _guard = signals::Guard::new();
    // Of a file that is read too, other writers wait.
    let is_input = arguments.files.iter().any(|file| are_same(Path::new(path_of(file)), output));
    let options = WriteOptions::new();
    let mut writer = if is_input { NpzWriter::edit(output, options)?.0 } else { NpzWriter::create_with(output, options)? };
    if let Err(failure) = add_all(arguments, &mut writer) {
        writer.discard();
        return Err(failure.of_output(&escape::path(output)));
    }
    writer.finish()?;
    Ok(0)
}

/// The names of members that the archive has, and what messages say of each.
struct Names<'a> {
    arguments: &'a Merge,
    claims: HashMap<String, Claim<'a>>,
}

/// A file that has a member.
#[derive(Clone, Copy)]
struct Claim<'a> {
    file: &'a OsStr,
    is_archive: bool,
}

impl Claim<'_> {
    /// What --prefix puts before the name of a member.
    fn prefix(&self) -> String {
        if self.is_archive { format!("{}/", stem_of(path_of(self.file))) } else { String::new() }
    }
}

impl<'a> Names<'a> {
    /// Fails if another file has the member too, or if the name of an array's file should be in no archive.
    fn claim(&mut self, key: &str, claim: Claim<'a>) -> Result<()> {
        if !claim.is_archive {
            expect_member_name(key).map_err(|failure| failure.with_advice("; give the file another name"))?;
        }
        let Some(other) = self.claims.insert(key.to_owned(), claim) else { return Ok(()) };
        let hint = match self.arguments.prefix {
            _ if path_of(other.file) == path_of(claim.file) => "name each member once",
            false if other.prefix() != claim.prefix() => "--prefix puts the names of the archives before them",
            false if claim.is_archive => "give one of the files another name, for --prefix to put before them",
            _ => "give one of the files another name",
        };
        Err(Failure::Nameless(format!("{} has the member {key:?} too; {hint}", escape::path(other.file))))
    }
}

/// Adds the members of all files.
fn add_all<W: Write>(arguments: &Merge, writer: &mut NpzWriter<W>) -> Result<()> {
    let mut names = Names { arguments, claims: HashMap::new() };
    for file in &arguments.files {
        let name = escape::path(file);
        let mut input = formats::numpy(file)?.into_file()?;
        let claim = Claim { file, is_archive: input.format() == FileFormat::Npz };
        if claim.is_archive {
            let mut lost = input.left_out().to_vec();
            lost.extend(input.replaced_parts(&arguments.output));
            lost.extend(beside_members(&input.archive()?));
            losses::report(&format!("{}: merging", input.name()), &lost, arguments.lossy)?;
            add_members(&input, claim, &mut names, writer).map_err(|failure| failure.about(&name))?;
        } else {
            input.expect_nothing_else("merge")?;
            let member = stem_of(path_of(file));
            names.claim(&member, claim).map_err(|failure| failure.about(&name))?;
            writer.set_options(WriteOptions::new());
            input.with_array(|array| {
                let header = array.header().clone();
                output::add_array(writer, &member, |out| write_whole(array, &header, out))
            })?;
        }
    }
    Ok(())
}

/// Adds the members of an archive, or those that are selected.
fn add_members<'a, W: Write>(input: &Input, claim: Claim<'a>, names: &mut Names<'a>, writer: &mut NpzWriter<W>) -> Result<()> {
    let mut archive = input.archive()?;
    let mut members: Vec<Member<'_>> = match input.selected() {
        Some(member) => members_named(&archive, member)?.into_iter().filter_map(|index| old(&archive, index)).collect(),
        None => all(&archive),
    };
    let prefix = if names.arguments.prefix { claim.prefix() } else { String::new() };
    expect_member_name(&prefix).map_err(|failure| failure.with_advice("; give the archive another name"))?;
    for member in &mut members {
        member.name.insert_str(0, &prefix);
        names.claim(member.key(), claim)?;
    }
    copy(&mut archive, members, writer)
}
