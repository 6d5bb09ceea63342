//! The formats of files, by their names.

use std::ffi::OsStr;
use std::path::Path;

use clap::ValueEnum;

use crate::escape;
use crate::failure::{Failure, Result};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One array of NumPy
    Npy,
    /// An archive of arrays
    Npz,
    /// A RawArray file
    Ra,
    /// Comma-separated values
    Csv,
    /// Tab-separated values
    Tsv,
    /// Nested lists, or a list of objects
    Json,
    /// A JSON value a line
    Ndjson,
    /// Named tensors
    Safetensors,
    /// An image
    Png,
    /// A table, with the feature `arrow`
    #[cfg_attr(not(feature = "arrow"), value(hide = true))]
    Parquet,
    /// An Arrow IPC file (Feather), with the feature `arrow`
    #[cfg_attr(not(feature = "arrow"), value(hide = true))]
    #[value(aliases = ["feather", "ipc"])]
    Arrow,
    /// A directory of .npy files
    Dir,
}

impl Format {
    /// Whether a file of the format has any number of arrays, each with a name.
    pub(super) fn holds_several(self) -> bool {
        matches!(self, Self::Npz | Self::Dir | Self::Safetensors)
    }

    /// The format of a file of this name, by its extension.
    fn of_extension(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "ra" => Self::Ra,
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "json" => Self::Json,
            "ndjson" | "jsonl" => Self::Ndjson,
            "safetensors" => Self::Safetensors,
            "png" => Self::Png,
            "parquet" => Self::Parquet,
            "arrow" | "feather" | "ipc" => Self::Arrow,
            _ => return None,
        })
    }

    /// The format of an input; `None` if its content decides between those of NumPy and `RawArray`.
    pub(super) fn of_input(text: &OsStr) -> Option<Self> {
        let path = Path::new(text);
        if path.is_dir() { Some(Self::Dir) } else { Self::of_extension(path) }
    }

    /// The format of an output.
    pub(super) fn of_output(text: &OsStr) -> Result<Self> {
        let path = Path::new(text);
        if text == "-" {
            return Err(Failure::new("-: unknown format of standard output; give one, as in --to csv"));
        }
        if path.is_dir() || text.as_encoded_bytes().ends_with(b"/") {
            return Ok(Self::Dir);
        }
        Self::of_extension(path).ok_or_else(|| {
            let expected =
                "expected .npy, .npz, .ra, .csv, .tsv, .json, .ndjson, .safetensors, .png, .parquet, .arrow, or a directory";
            Failure::new(format!("{}: unknown format: {expected}; give one, as in --to npy", escape::path(text)))
        })
    }

    /// Fails if this build lacks the format.
    pub(super) fn expect_support(self) -> Result<()> {
        if !cfg!(feature = "arrow") && matches!(self, Self::Parquet | Self::Arrow) {
            let hint = "`cargo install --path npy-cli --features arrow` has it";
            return Err(Failure::Nameless(format!("unsupported format: npy was built without the feature `arrow`; {hint}")));
        }
        Ok(())
    }
}
