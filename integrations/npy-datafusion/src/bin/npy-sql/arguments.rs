//! The arguments of the program.

use std::path::{Path, PathBuf};

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
  npy sql \"SELECT * FROM 's3://bucket/run/*.npy' WHERE magnitude > 5\" --to csv

Queries read: SELECT, SHOW, DESCRIBE and EXPLAIN. Answers for --output and --to csv, json and ndjson are not kept in memory; \
what ORDER BY and GROUP BY keep is. Text in an .npy file is first copied to a temporary file.

Exit codes: 0 success, 2 trouble, 130 interrupted."
)]
pub(crate) struct Arguments {
    /// The query; names with upper case or other characters stand in double quotes
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,

    /// Files, directories that end in /, patterns, or URLs like `s3://bucket/picks.npy`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The file to write, whose ending is the format: .npy, .parquet, .csv, .json or .ndjson
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Show all rows of a table, which takes memory; by default 30 from each end
    #[arg(long)]
    pub(crate) all: bool,

    /// The format of the answer; a table by default
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
}

/// A format of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns
    Table,
    /// Comma-separated values, below a line of names
    Csv,
    /// A list of objects
    Json,
    /// An object a line
    Ndjson,
    /// An array of records
    Npy,
    /// A Parquet file
    Parquet,
}

impl Arguments {
    /// The file of the answer; without one it goes to standard output.
    pub(crate) fn output(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    pub(crate) fn format(&self) -> Result<Format, Failure> {
        let format = match (self.to, self.output()) {
            (Some(format), _) => format,
            (None, None) => Format::Table,
            (None, Some(path)) => match path.extension().and_then(|extension| extension.to_str()) {
                Some("csv") => Format::Csv,
                Some("json") => Format::Json,
                Some("ndjson" | "jsonl") => Format::Ndjson,
                Some("npy") => Format::Npy,
                Some("parquet") => Format::Parquet,
                _ => {
                    let expected = "expected a name that ends in .npy, .parquet, .csv, .json or .ndjson; or name it by --to";
                    return Err(Failure::new(format!("{}: unknown format of the output: {expected}", path.display())));
                }
            },
        };
        if self.output().is_some() && format == Format::Table {
            return Err(Failure::new("cannot write a table to a file: expected another format; name one by --to"));
        }
        if self.output().is_none() && matches!(format, Format::Npy | Format::Parquet) {
            return Err(Failure::new("cannot write this format to standard output: expected a file; name one by --output"));
        }
        Ok(format)
    }
}
