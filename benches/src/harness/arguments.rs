//! The command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The options, and the cases that are asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Where files are read and written; the usual directories if empty.
    directories: Vec<PathBuf>,
    /// Smaller arrays and fewer rounds, to see that it works.
    pub(crate) is_quick: bool,
    /// Render the results again, without measuring.
    pub(crate) is_render: bool,
    /// How long undecided cases go on, if not as long as usual.
    pub(crate) longest: Option<Duration>,
    /// What the names of cases begin with; all cases if empty.
    prefixes: Vec<String>,
}

impl Arguments {
    /// Parses the arguments. Fails if an option is unknown or lacks its value.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // From Cargo.
                "--bench" => {}
                "--quick" => parsed.is_quick = true,
                "--render" => parsed.is_render = true,
                "--directory" => parsed.directories.push(arguments.next().ok_or("--directory needs a path")?.into()),
                "--seconds" => {
                    let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
                    parsed.longest = Some(Duration::from_secs(seconds.ok_or("--seconds needs a whole number")?));
                }
                option if option.starts_with('-') => {
                    return Err(format!(
                        "unknown option {option}: expected --directory D, --seconds N, --quick, --render or the names of cases"
                    ));
                }
                _ => parsed.prefixes.push(argument),
            }
        }
        Ok(parsed)
    }

    /// The directories that were given, or else that of temporary files, and one in memory.
    pub(crate) fn directories(&self) -> Vec<PathBuf> {
        if !self.directories.is_empty() {
            return self.directories.clone();
        }
        let in_memory = Some(Path::new("/dev/shm")).filter(|directory| directory.is_dir()).map(Path::to_owned);
        let mut directories: Vec<_> = [Some(std::env::temp_dir()), in_memory].into_iter().flatten().collect();
        directories.dedup();
        directories
    }

    /// Whether the case is asked for.
    pub(crate) fn wants(&self, case: &str) -> bool {
        self.prefixes.is_empty() || self.prefixes.iter().any(|prefix| case.starts_with(prefix))
    }

    /// Whether no cases were named.
    pub(crate) fn wants_all(&self) -> bool {
        self.prefixes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn selects_cases_by_prefix() {
        let some = parse("--bench read.sum headers").unwrap();
        assert!(some.wants("read.sum.64MiB") && some.wants("headers.parse.plain"));
        assert!(!some.wants("read.64MiB") && !some.wants_all());
        let all = parse("--bench").unwrap();
        assert!(all.wants("growth.append.1KiB") && all.wants_all());
    }

    #[test]
    fn rejects_unknown_options() {
        let parsed = parse("--directory x --quick --seconds 300 --directory y --render").unwrap();
        assert_eq!(parsed.longest, Some(Duration::from_secs(300)));
        assert_eq!(parsed.directories(), [Path::new("x"), Path::new("y")]);
        assert!(parsed.is_quick && parsed.is_render);
        assert!(parse("--fast").unwrap_err().contains("unknown option --fast"));
        assert!(parse("--directory").is_err() && parse("--seconds").is_err());
        assert!(parse("--seconds many").unwrap_err().contains("whole number"));
    }
}
