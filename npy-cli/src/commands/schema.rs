//! `npy schema`: the Rust struct that reads a file.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use npy_core::{DType, FileFormat, Header};

use crate::escape;
use crate::failure::Result;
use crate::input::Input;
use crate::output::Screen;

/// Write the Rust struct, or the NumPy dtype, that reads a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy schema picks.npy --name Pick      a struct with #[derive(NpyRecord)]
  npy schema run.npz --name Run         a struct with #[derive(NpzArchive)] for the whole archive
  npy schema run.npz:picks              the struct of one member
  npy schema travel_times.npy           the array type of numbers, such as Array2<f64>
  npy schema picks.npy --python         np.dtype([('id', '<u4'), ...])

The code needs the crate npy-core with the feature derive, for arrays npy-ndarray, and for archives its features derive \
and npz. Python objects need the feature object; records with objects need the feature serde, and the crate serde with the \
feature derive. Numbers of 16 bits and complex ones need the features half and complex.

Exit codes: 0 success, 2 trouble.")]
pub(crate) struct Arguments {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// The name of the struct; by default the name of the file
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Types that are stored as exactly this dtype: text of a fixed width, Array0 for numbers
    #[arg(long, conflicts_with = "python")]
    exact: bool,

    /// Write the dtype as NumPy's np.dtype takes it
    #[arg(long)]
    python: bool,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let mut input = Input::open(&arguments.file)?;
    let name = arguments.name.clone().unwrap_or_else(|| name_of(&input));
    let text = if input.format() == FileFormat::Npz && input.selected().is_none() {
        let mut archive = input.archive()?;
        if arguments.python {
            let mut dtypes = Vec::new();
            for (index, member) in input.members()? {
                let dtype = archive.header(index)?.dtype().clone();
                dtypes.push(format!("    {}: {},\n", quoted(&member.unwrap_or_default()), python(&dtype)));
            }
            format!("{{\n{}}}\n", dtypes.concat())
        } else {
            let code = if arguments.exact { archive.to_rust_exact(&name) } else { archive.to_rust(&name) }?;
            format!("// Needs npy-core and npy-ndarray with the features derive and npz.\n{code}")
        }
    } else {
        input.tell_of_further();
        let header = input.with_array(|array| Ok(array.header().clone()))?;
        if arguments.python { python(header.dtype()) + "\n" } else { rust(&header, &name, arguments.exact) }
    };
    write!(screen, "{}", escape::text(&text))?;
    Ok(0)
}

/// The name of the member or of the file, from which the name of the struct is made.
fn name_of(input: &Input) -> String {
    let member = input.selected().and_then(|member| member.rsplit('/').next());
    let file = Path::new(input.name()).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = member.map(str::to_owned).or(file).filter(|name| name.contains(char::is_alphanumeric));
    name.unwrap_or_else(|| "Record".to_owned())
}

/// The struct of a record, and of any other dtype the type of the array, as an archive has it.
fn rust(header: &Header, name: &str, is_exact: bool) -> String {
    let dtype = header.dtype();
    let element = if is_exact { dtype.to_rust_exact(name) } else { dtype.to_rust(name) };
    let is_array = !matches!(header.dtype(), DType::Record(_)) && !header.dtype().has_object();
    match element.split_once(" = ").and_then(|(alias, rust)| Some((alias, rust.strip_suffix(";\n")?))) {
        Some((alias, rust)) if is_array => {
            // `ndarray` has types for up to six axes.
            let axes = header.shape().len();
            if axes == 0 && !is_exact {
                return element;
            }
            let array = if axes <= 6 { format!("Array{axes}") } else { "ArrayD".to_owned() };
            format!("// Needs npy-ndarray.\n{alias} = npy_ndarray::ndarray::{array}<{rust}>;\n")
        }
        _ => element,
    }
}

/// The call that makes the dtype in Python: with a dict of offsets where there is padding.
fn python(dtype: &DType) -> String {
    match dtype {
        DType::Record(_) => format!("np.{}", dtype.repr()),
        dtype => format!("np.dtype({})", dtype.descr()),
    }
}

/// A text in single quotes, as Python reads it.
fn quoted(text: &str) -> String {
    let literal = text.replace('\\', "\\\\").replace('\'', "\\'");
    format!("'{}'", escape::line(&literal))
}
