//! Random and mutated pickles of objects, given to NumPy and to this library.
//!
//! NumPy finds no globals but those of data there, and works in a child with limits.

use npy_core::Error;
use npy_core::object;

use super::rules::{Rule, find};
use super::{Counts, setting, shown};
use crate::support::numpy::{NumPy, frames, numpy, push_frame};
use crate::support::objects::dump;
use crate::support::{data, files_below, rounds};

const CASES: usize = 200;

#[test]
fn mutated_objects_are_read_as_numpy_does() {
    let Some(numpy) = numpy("mutated_objects_are_read_as_numpy_does") else { return };
    let (count, seed) = (setting("NPY_DIFFERENTIAL_OBJECTS", rounds(CASES) as u64), setting("NPY_DIFFERENTIAL_SEED", super::SEED));
    let mut counts = Counts::default();
    let mut differences = Vec::new();
    for begin in (0..count).step_by(usize::try_from(super::BATCH).unwrap()) {
        compare(numpy, seed * 1_000_000 + begin, (count - begin).min(super::BATCH), &mut counts, &mut differences);
    }
    super::report("objects", count, seed, &counts, &differences, &rules().iter().map(|rule| rule.name).collect::<Vec<_>>());
    for compared in ["pickle", "opcodes changed", "read alike", "refused alike", "written"] {
        assert!(counts.0.get(compared).is_some_and(|&found| found as u64 > count / 20), "{compared}: {counts:?}");
    }
}

/// What both say of a pickle.
struct Verdict<'a> {
    /// The values as `dump` has them.
    ours: Result<&'a str, &'a Error>,
    /// Why NumPy refuses it; empty if it does not.
    problem: &'a str,
    /// What NumPy reads, as `dump` has it.
    theirs: &'a str,
    /// What NumPy saves of it.
    again: &'a [u8],
    /// What the script found odd in the opcodes.
    odd: &'a str,
}

const SURROGATES: &str = "surrogates";
const UNHASHABLE: &str = "keys that cannot be hashed";
const FRAMES: &str = "frames that end within an opcode";
const DTYPES_OF_NO_HEADER: &str = "dtypes that no header has";
const MISSING_TEXTS: &str = "missing texts that are NaN have the payload of the na_object";
/// NumPy has found flags that contradict the dtype, and the interpreter no exception.
const LOST_ERROR: &str = "SystemError: error return without exception set";
const TYPED_FIELDS: &str = "items of typed fields are as the pickle has them";

/// Of those that are read here, NumPy must read what is written of them, as the same values.
fn rules<'a>() -> Vec<Rule<Verdict<'a>>> {
    vec![
        Rule {
            name: "objects that contain themselves",
            // Whatever else is refused first.
            holds: |verdict| verdict.refused().is_some() && verdict.theirs.contains("cycle"),
        },
        Rule {
            name: SURROGATES,
            holds: |verdict| {
                // That of a time zone has made the time invalid.
                let texts = ["invalid UTF-8", "invalid escape", "invalid arguments of time:", "invalid arguments of datetime:"];
                let is_text = verdict.refused().is_some_and(|fault| texts.iter().any(|text| fault.starts_with(text)));
                is_text && verdict.theirs.contains("\\ud")
            },
        },
        Rule {
            name: "classes and functions as values",
            holds: |verdict| {
                let values = ["<class '", "<built-in function ", "<function ", "<object object"];
                verdict.refused().is_some() && values.iter().any(|value| verdict.theirs.contains(value))
            },
        },
        Rule {
            name: "dates, times and UUIDs that do not exist",
            // NumPy saves them as they are, so that they are refused again.
            holds: |verdict| {
                let is_invalid = |fault: String| {
                    let fault = fault.strip_prefix("invalid arguments of ").unwrap_or_default();
                    ["date:", "time:", "datetime:", "UUID:"].iter().any(|constructor| fault.starts_with(constructor))
                };
                let is_refused_again = object::read(verdict.again).is_err_and(|error| fault(&error).is_some_and(is_invalid));
                verdict.refused().is_some_and(is_invalid) && is_refused_again
            },
        },
        Rule {
            name: "times that overflow",
            holds: |verdict| verdict.theirs.starts_with("no text: OverflowError: Overflow when converting between datetime64"),
        },
        Rule {
            name: "objects that Python cannot print",
            holds: |verdict| verdict.refused().is_some() && verdict.theirs.starts_with("no text: "),
        },
        Rule {
            name: "values that no pickler writes like that",
            // What NumPy saves of them, if it can, may still have what is refused by another rule.
            holds: |verdict| {
                let again = object::read(verdict.again).map(|array| dump(&array));
                let again = Verdict { ours: again.as_deref(), ..*verdict };
                let rules = rules().into_iter().filter(|rule| matches!(rule.name, SURROGATES | DTYPES_OF_NO_HEADER));
                let is_refused_too = rules.into_iter().any(|rule| (rule.holds)(&again));
                verdict.refused().is_some()
                    && (again.ours.is_ok_and(|ours| ours == verdict.theirs) || is_refused_too || verdict.again.is_empty())
            },
        },
        Rule {
            name: DTYPES_OF_NO_HEADER,
            holds: |verdict| {
                let Some(fault) = verdict.refused() else { return false };
                // The shape of a sub-array may have a bool, which NumPy prints.
                let bools = [", False", "(False", ", True", "(True"];
                let is_shape = fault.starts_with("invalid arguments of ndarray: expected a shape");
                is_shape && bools.iter().any(|value| verdict.theirs.contains(value))
                    || fault.starts_with("invalid arguments of dtype:")
                    || fault.starts_with("invalid array: ")
                    || fault.starts_with("opcode ") && fault.contains(": expected a dtype, ")
            },
        },
        Rule { name: UNHASHABLE, holds: |verdict| verdict.read().is_some() && verdict.is_unhashable() },
        Rule {
            name: "names of other versions of Python",
            holds: |verdict| {
                let names =
                    ["No module named '__builtin__'", "No module named 'cdecimal'", "No module named 'copy_reg'", "'xrange'"];
                verdict.read().is_some() && names.iter().any(|name| verdict.problem.contains(name))
            },
        },
        Rule {
            name: "objects that the array does not contain",
            holds: |verdict| verdict.read().is_some() && verdict.is_odd("drops"),
        },
        Rule { name: FRAMES, holds: |verdict| verdict.ours.is_ok() && verdict.is_odd("frame") },
        Rule {
            name: "pickles at which NumPy crashes",
            holds: |verdict| {
                let is_crash = |problem: &str| problem.starts_with("died: -") || problem == LOST_ERROR;
                verdict.read().is_some() && is_crash(verdict.problem)
            },
        },
        Rule {
            name: "keys that are equal",
            holds: |verdict| {
                let (Ok(ours), "") = (verdict.ours, verdict.problem) else { return false };
                let mut tokens = tokens(ours);
                let is_in_ours = |token| tokens.iter().position(|ours| *ours == token).map(|at| tokens.swap_remove(at)).is_some();
                let has_all = self::tokens(verdict.theirs).into_iter().all(is_in_ours);
                has_all && !tokens.is_empty()
            },
        },
        Rule {
            name: "padding in arrays is kept as it was",
            holds: |verdict| {
                verdict.problem.is_empty() && verdict.ours.is_ok_and(|ours| are_equal_but_for_padding(ours, verdict.theirs))
            },
        },
        Rule {
            name: MISSING_TEXTS,
            holds: |verdict| {
                let is_like = |ours| {
                    ours_and_theirs(ours, verdict.theirs).all(|(ours, theirs)| ours == theirs || is_nan(ours) && is_nan(theirs))
                };
                verdict.problem.is_empty() && verdict.ours.is_ok_and(|ours| ours.contains("O[T ") && is_like(ours))
            },
        },
        Rule {
            name: TYPED_FIELDS,
            holds: |verdict| {
                let is_as_long = |ours| !verdict.problem.is_empty() || tokens(ours).len() == tokens(verdict.theirs).len();
                verdict.ours.is_ok_and(|ours| ours.contains("O[['") && is_as_long(ours))
            },
        },
    ]
}

/// What is wrong with the pickle, without where.
fn fault(error: &Error) -> Option<String> {
    let message = error.to_string();
    let Some((_, at)) = message.split_once("unsupported pickle at byte ") else {
        return ["truncated file: the pickle ", "limit exceeded: "]
            .iter()
            .any(|start| message.starts_with(start))
            .then_some(message);
    };
    at.split_once(": ").map(|(_, fault)| fault.to_owned())
}

impl Verdict<'_> {
    /// Why the pickle is refused here, if NumPy reads it.
    fn refused(&self) -> Option<String> {
        self.ours.err().and_then(fault).filter(|_| self.problem.is_empty())
    }

    /// What is read here, if NumPy refuses it.
    fn read(&self) -> Option<&str> {
        self.ours.ok().filter(|_| !self.problem.is_empty())
    }

    /// Whether the script found that in the opcodes.
    fn is_odd(&self, what: &str) -> bool {
        self.odd.split(' ').any(|word| word == what)
    }

    fn is_unhashable(&self) -> bool {
        is_unhashable(self.problem)
    }
}

fn is_unhashable(problem: &str) -> bool {
    problem.contains("unhashable type") || problem.contains("Cannot hash a signaling NaN")
}

/// The leaves and the brackets of what `dump` makes.
fn tokens(text: &str) -> Vec<&str> {
    text.split([';', '=', '(', ')', '[', ']', '|']).filter(|token| !token.is_empty()).collect()
}

/// The tokens of two texts in pairs; those of which one has more are paired with nothing.
fn ours_and_theirs<'a>(ours: &'a str, theirs: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let (mut ours, mut theirs) = (tokens(ours), tokens(theirs));
    let length = ours.len().max(theirs.len());
    ours.resize(length, "");
    theirs.resize(length, "");
    ours.into_iter().zip(theirs)
}

/// Whether these differ only in the data of arrays in Fortran order that have padding, which stand
/// behind the shape.
fn are_equal_but_for_padding(ours: &str, theirs: &str) -> bool {
    let is_shape = |token: &str| token.strip_prefix('F').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let mut is_data = false;
    let mut is_like = |(ours, theirs): (&str, &str)| {
        let may_differ = std::mem::replace(&mut is_data, is_shape(ours));
        ours == theirs || may_differ && ours.len() == theirs.len()
    };
    ours.contains("('', '|V") && ours_and_theirs(ours, theirs).all(&mut is_like)
}

fn is_nan(token: &str) -> bool {
    token.starts_with("nan ")
}

fn compare(numpy: &NumPy, seed: u64, count: u64, counts: &mut Counts, differences: &mut Vec<String>) {
    let mut arguments = ["differential_objects.py".into(), "cases".into(), seed.to_string(), count.to_string()].to_vec();
    arguments.extend(golden());
    let output = numpy.run(arguments, b"");
    let cases = frames(&output);
    assert_eq!(cases.len() as u64, 6 * count);
    let (mut written, mut expected) = (Vec::new(), Vec::new());
    for case in cases.chunks_exact(6) {
        let [class, file, problem, theirs, again, odd] = case else { unreachable!() };
        let [class, problem, theirs, odd] = [class, problem, theirs, odd].map(|text| std::str::from_utf8(text).unwrap());
        counts.add(class_name(class));
        let read = object::read(*file);
        let ours = read.as_ref().map(dump);
        let mut differ = |what: &str| {
            let said = ours.as_ref().map_or_else(ToString::to_string, |ours| after(ours, theirs));
            let theirs = after(theirs, ours.as_ref().map_or("", String::as_str));
            differences.push(format!("{what}, {class}: {said}\n  NumPy: {problem}{theirs}\n  {}", shown(file)));
        };
        let verdict = Verdict { ours: ours.as_deref().map_err(|error| *error), problem, theirs, again, odd };
        let rule = match (&ours, problem.is_empty()) {
            (Ok(ours), true) if ours == theirs => Some("read alike"),
            (Err(_), false) => Some("refused alike"),
            _ => find(&rules(), &verdict),
        };
        match rule {
            Some(rule) => counts.add(rule),
            None => differ("ours"),
        }
        let (Ok(array), Ok(ours)) = (&read, &ours) else { continue };
        if verdict.is_unhashable() || rule == Some(TYPED_FIELDS) {
            continue;
        }
        let mut file = Vec::new();
        match array.write(&mut file) {
            Ok(()) => {
                counts.add("written");
                push_frame(&mut written, &file);
                let is_like_theirs = problem.is_empty() && rule != Some(FRAMES);
                let values = if is_like_theirs { theirs.to_owned() } else { ours.clone() };
                expected.push((values, file, problem.is_empty()));
            }
            Err(error) => differ(&format!("not written: {error}")),
        }
    }
    let output = numpy.run(["differential_objects.py", "read"], &written);
    let answers = frames(&output);
    assert_eq!(answers.len(), 4 * expected.len());
    for (answer, (values, file, is_read)) in answers.chunks_exact(4).zip(&expected) {
        let [problem, theirs] = [answer[0], answer[1]].map(|text| std::str::from_utf8(text).unwrap());
        // Of a pickle that NumPy has refused for something else.
        if is_unhashable(problem) && !is_read {
            counts.add(UNHASHABLE);
        } else if !problem.is_empty() || theirs != values && !are_equal_but_for_padding(values, theirs) {
            let (ours, theirs) = (after(values, theirs), after(theirs, values));
            differences.push(format!("written: {ours}\n  NumPy: {problem}{theirs}\n  {}", shown(file)));
        }
    }
}

/// A text from a little before where it differs from another.
fn after(text: &str, other: &str) -> String {
    let same = text.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    text.chars().skip(same.saturating_sub(100)).take(400).collect()
}

/// What the script calls a case, as a text that is counted.
fn class_name(class: &str) -> &'static str {
    let classes = ["pickle", "opcodes changed", "bytes changed", "header of another"];
    classes.into_iter().find(|name| *name == class).unwrap()
}

/// Files of objects by every NumPy that there is.
fn golden() -> Vec<String> {
    let paths = files_below(&data(""), ".npy").into_iter();
    let mut files: Vec<String> = paths.map(|path| path.to_str().unwrap().to_owned()).collect();
    files.retain(|path| path.rsplit('/').next().unwrap().starts_with("object"));
    assert!(files.len() > 50, "{}", files.len());
    files
}
