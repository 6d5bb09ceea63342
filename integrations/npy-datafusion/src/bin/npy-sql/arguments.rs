//! The arguments of the program.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::failure::Failure;

/// Query files by SQL.
#[derive(Debug, Parser)]
#[command(
    name = "npy sql",
    version,
    max_term_width = 100,
    after_help = "\
Tables: each FILE is a table by the name of its file, picks of data/picks.npy and of data/picks/*.npy; characters that a name \
of SQL lacks become _. A table in FROM can be a file itself, in quotes: FROM 'data/2026-*.npy'. Members of run.npz are tables of \
the schema run: FROM run.time; members of one length are also the columns of the table run. Arrays of several axes have a row \
for each element, and a column for each index: i0, i1, value. A range of i0 reads its own bytes alone.

Examples:
  npy sql \"SELECT station, count(*), avg(magnitude) FROM picks WHERE magnitude > 2 GROUP BY station\" picks.npy
  npy sql \"SELECT * FROM 'data/2026-*.npy' LIMIT 5\"
  npy sql \"SELECT i1, avg(value) FROM grid WHERE i0 BETWEEN 10 AND 19 GROUP BY i1\" grid.npy
  npy sql \"SELECT * FROM picks ORDER BY time\" picks.npy -o sorted.npy

Exit codes: 0 success, 2 trouble, 130 interrupted."
)]
pub(crate) struct Arguments {
    /// The query; names with upper case or other characters stand in double quotes
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,

    /// Files, directories that end in /, patterns, or URLs like `s3://bucket/picks.npy`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The file to write, whose ending is the format: .npy, .csv, .json, .parquet
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// The format of the answer
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// A format of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Csv,
    /// An object for each row, one a line.
    Json,
    Npy,
    Parquet,
}

impl Arguments {
    pub(crate) fn format(&self) -> Result<Format, Failure> {
        let format = match (self.format, &self.output) {
            (Some(format), _) => format,
            (None, None) => Format::Table,
            (None, Some(path)) => match path.extension().and_then(|extension| extension.to_str()) {
                Some("csv") => Format::Csv,
                Some("json" | "ndjson" | "jsonl") => Format::Json,
                Some("npy") => Format::Npy,
                Some("parquet") => Format::Parquet,
                Some("txt") => Format::Table,
                _ => {
                    let expected = "expected a name that ends in .npy, .csv, .json or .parquet, or --format";
                    return Err(Failure::new(format!("{}: unknown format: {expected}", path.display())));
                }
            },
        };
        if self.output.is_none() && matches!(format, Format::Npy | Format::Parquet) {
            return Err(Failure::new("this format needs a file: name one with -o"));
        }
        Ok(format)
    }
}
