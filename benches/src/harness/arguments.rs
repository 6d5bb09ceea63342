//! What the command line asks for.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The options, and the cases that are asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Where files are read and written; the usual directories if empty.
    directories: Vec<PathBuf>,
    /// Smaller and fewer, to see that it works.
    pub(crate) is_quick: bool,
    /// How long cases go on whose rounds do not decide, if not as long as usual.
    pub(crate) longest: Option<Duration>,
    /// With what the names of cases begin; all cases if empty.
    prefixes: Vec<String>,
}

impl Arguments {
    /// Parses them. An option that is not known is an error.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // From Cargo.
                "--bench" => {}
                "--quick" => parsed.is_quick = true,
                "--directory" => parsed.directories.push(arguments.next().ok_or("--directory needs a directory behind it")?.into()),
                "--seconds" => {
                    let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
                    parsed.longest = Some(Duration::from_secs(seconds.ok_or("--seconds needs a whole number behind it")?));
                }
                option if option.starts_with('-') => {
                    return Err(format!(
                        "{option} is no option; there are --directory F, --seconds N, --quick, and beginnings of the names of cases"
                    ));
                }
                _ => parsed.prefixes.push(argument),
            }
        }
        Ok(parsed)
    }

    /// Those that were given, or else that of temporary files, and the one in memory where there is one.
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
    fn cases_are_asked_for_by_the_beginning_of_their_names() {
        let some = parse("--bench read f").unwrap();
        assert!(some.wants("read.64MiB") && some.wants("headers.parse.plain"));
        assert!(!some.wants("write.64MiB") && !some.wants_all());
        let all = parse("--bench").unwrap();
        assert!(all.wants("growth.append") && all.wants_all());
    }

    #[test]
    fn options_are_known_or_refused() {
        let parsed = parse("--directory x --quick --seconds 300 --directory y").unwrap();
        assert_eq!(parsed.longest, Some(Duration::from_secs(300)));
        assert_eq!(parsed.directories(), [Path::new("x"), Path::new("y")]);
        assert!(parsed.is_quick);
        assert!(parse("--fast").unwrap_err().contains("--fast is no option"));
        assert!(parse("--directory").is_err() && parse("--seconds").is_err());
        assert!(parse("--seconds many").unwrap_err().contains("whole number"));
    }
}
