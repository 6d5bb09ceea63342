//! `npy diff`: where the values of two arrays or archives are different.

mod compare;
mod differences;
mod equality;
mod judge;
mod objects;

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::hash::Hash;
use std::io::Write as _;

use npy_core::{FileFormat, Header};
use serde_json::{Value, json};

use super::batch;
use crate::commands::order::order_name;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::filter;
use crate::formats::{self, json};
use crate::input::arrays::Found;
use crate::input::{Input, standard_input};
use crate::output::{Screen, Style};
use crate::values::float::{float, significant};
use crate::values::quantity;
use compare::compare;
use differences::{Comparison, Field, Largest};
use judge::Tolerance;

/// The most bytes of a member that is not an array: it is compared in memory.
const MOST_BYTES: u64 = 64 << 20;

/// The exit code of different values.
const DIFFERENT: u8 = 1;

/// Compare values: how many are different, the first of them, the largest errors.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command line")]
#[command(
    visible_alias = "compare",
    after_help = "\
Examples:
  npy diff a.npy b.npy                      exactly
  npy diff a.npy b.npy --rtol 1e-7          as numpy.testing.assert_allclose
  npy diff run.npz:time old.npz:time        one member of each
  npy diff run.npz old.npz                  the arrays of the same names; missing ones are differences
  npy diff --brief run.npz old.npz          a line for each that is different
  npy diff run.npz:picks old.npz:picks --where 'at.x > 3'

Members of archives that are not arrays are compared by their bytes. Of files with several arrays, one behind another, all are compared, each with that of its number.

A value of A equals one of B if |a - b| <= atol + rtol * |b|, as in numpy.testing.assert_allclose, with NumPy's \
promotion of different number types. Infinities are equal by their sign, zeros of both signs are equal, and NaN (NaT \
of times) equals NaN, unless --no-equal-nan is given. Integers are compared exactly, with floats too, where NumPy rounds them to \
64-bit floats; long doubles are rounded to 64 bits. Points in time are compared as moments, whatever their units. Text, times, bytes and bools have no tolerance but that of numbers for bools. \
Fields of records are compared by their names, and Python objects by their values. The errors shown are the largest of the different values.

--where keeps the rows of A and of B for which an expression is true, each by its own values; npy show --help has the expressions. \
The first row that is left of A is compared with the first one of B and so on, and the indices shown count these rows. If another \
number of rows is left, the shapes are different.

To see arrays in git diff:
  echo '*.npy diff=npy' >> .gitattributes
  git config diff.npy.textconv 'npy show --all'
With 'npy info' in its place only changes of dtype and shape are shown.

Exit codes: 0 equal: the same shape and fields, and all values equal; dtype, order and byte order may be different \
and are shown. 1 different. 2 a file cannot be read or compared."
)]
pub(crate) struct Arguments {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "A")]
    a: OsString,

    /// The same; errors are relative to it
    #[arg(value_name = "B")]
    b: OsString,

    /// The relative tolerance
    #[arg(long, value_name = "R", default_value_t = 0.0, value_parser = tolerance)]
    rtol: f64,

    /// The absolute tolerance
    #[arg(long, value_name = "A", default_value_t = 0.0, value_parser = tolerance)]
    atol: f64,

    /// NaN equals NaN, and NaT equals NaT, the default
    #[arg(long, overrides_with = "no_equal_nan")]
    equal_nan: bool,

    /// NaN equals nothing, and neither does NaT, as in np.array_equal
    #[arg(long, overrides_with = "equal_nan")]
    no_equal_nan: bool,

    /// Only these fields of records, such as time,at.x
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',')]
    fields: Vec<String>,

    #[command(flatten)]
    filter: filter::Argument,

    /// Write one line for each array that is different
    #[arg(long, conflicts_with = "json")]
    brief: bool,

    /// Write one line of JSON
    #[arg(long)]
    json: bool,
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..f64::INFINITY).contains(&value) => Ok(value),
        _ => Err("expected a number that is not negative".to_owned()),
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    if standard_input(&arguments.a).is_some() && standard_input(&arguments.b).is_some() {
        return Err(Failure::new("-: standard input can be read once only; expected a file as A or B"));
    }
    let mut inputs = open(arguments)?;
    let Contents { pairs, only, others, mut failures } = Contents::of(&inputs)?;
    let tolerance = Tolerance { relative: arguments.rtol, absolute: arguments.atol, equal_nan: !arguments.no_equal_nan };
    for input in inputs.iter().filter(|input| input.changed > 0) {
        let count = quantity::counted(input.changed, "value");
        failures.push(Failure::new(format!("{}: cannot compare {count} that changed when the file was read", input.name())));
    }
    let mut reports = Reports::default();
    for mut pair in pairs {
        let inputs = pair.numbered.as_mut().unwrap_or(&mut inputs);
        match compare(inputs, pair.indices, &arguments.fields, tolerance) {
            Ok(comparison) => reports.add(pair.name.as_deref(), &comparison, arguments, screen)?,
            // The other members are compared all the same.
            Err(failure @ (Failure::Trouble(_) | Failure::OfMember(_) | Failure::Nameless(_) | Failure::Marked { .. }))
                if pair.name.is_some() =>
            {
                failures.push(failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    let is_equal = reports.different == 0 && only.iter().all(Vec::is_empty) && others.is_empty();
    if arguments.json {
        let report = json!({
            "a": escape::path(&arguments.a), "b": escape::path(&arguments.b), "equal": is_equal && failures.is_empty(),
            "only_a": only[0], "only_b": only[1], "arrays": reports.json, "other_members": others,
        });
        screen.json(&report)?;
    } else {
        write_unpaired(&only, &others, arguments, screen)?;
        if reports.compared > 1 {
            writeln!(screen, "{}", share(reports.different, reports.compared, "array"))?;
        }
    }
    batch::fail(screen, failures)?;
    Ok(if is_equal { 0 } else { DIFFERENT })
}

/// Opens both sides, of which the rows of `--where` are compared.
fn open(arguments: &Arguments) -> Result<[Input; 2]> {
    let rows = arguments.filter.rows()?;
    // The arrays of a stream have to be counted.
    let [a, b] = [&arguments.a, &arguments.b].map(|file| formats::input(file).and_then(Input::into_file));
    let mut inputs = [a?, b?];
    for input in &mut inputs {
        input.keep(rows.as_ref());
    }
    Ok(inputs)
}

/// The arrays that were compared.
#[derive(Default)]
struct Reports {
    compared: u64,
    different: u64,
    json: Vec<Value>,
}

impl Reports {
    /// Reports a comparison, at the end if it is JSON.
    fn add(&mut self, name: Option<&str>, comparison: &Comparison, arguments: &Arguments, screen: &mut Screen) -> Result<()> {
        self.compared += 1;
        self.different += u64::from(!comparison.is_equal());
        if arguments.json {
            self.json.push(to_json(name, comparison));
            Ok(())
        } else if arguments.brief {
            write_brief(screen, arguments, name, comparison)
        } else {
            write(screen, arguments, name, comparison)
        }
    }
}

/// Writes a line for each member that only one side has, or that is different and not an array.
fn write_unpaired(only: &[Vec<String>; 2], others: &[String], arguments: &Arguments, screen: &mut Screen) -> Result<()> {
    for name in others {
        let verdict = screen.paint(Style::Bad, "different");
        writeln!(screen, "{}: {verdict}, not arrays", screen.paint(Style::Title, &escape::line(name)))?;
    }
    for (names, file) in only.iter().zip([&arguments.a, &arguments.b]) {
        for name in names {
            let text = escape::line(&format!("only in {}: {name}", escape::path(file))).into_owned();
            writeln!(screen, "{}", screen.paint(Style::Bad, &text))?;
        }
    }
    Ok(())
}

/// The arrays and members to compare.
struct Contents {
    pairs: Vec<Pair>,
    /// The names of members that the other archive does not have.
    only: [Vec<String>; 2],
    /// Members of both archives that are not arrays, and have different bytes.
    others: Vec<String>,
    /// Of members that cannot be read.
    failures: Vec<Failure>,
}

struct Pair {
    indices: [usize; 2],
    /// Of members of whole archives, and of arrays one behind another.
    name: Option<String>,
    /// Arrays one behind another.
    numbered: Option<[Input; 2]>,
}

impl Contents {
    fn of(inputs: &[Input; 2]) -> Result<Self> {
        if inputs[0].has_members()? && inputs[1].has_members()? {
            let [a, b] = [inputs[0].members()?, inputs[1].members()?];
            let (pairs, only) = paired(&a, &b);
            let pairs = pairs.into_iter().map(|(indices, name)| Pair { indices, name: name.clone(), numbered: None }).collect();
            let mut only = only.map(|names| names.into_iter().flatten().cloned().collect());
            let mut failures = Vec::new();
            let is_whole = inputs.iter().all(|input| input.selected().is_none());
            let others = if is_whole { other_members(inputs, &mut only, &mut failures)? } else { Vec::new() };
            return Ok(Self { pairs, only, others, failures });
        }
        let indices = [inputs[0].only_member()?, inputs[1].only_member()?];
        let [a, b] = match inputs.each_ref().map(Input::part) {
            [None, None] => [arrays_of(&inputs[0])?, arrays_of(&inputs[1])?],
            _ => [Vec::new(), Vec::new()],
        };
        if a.len() < 2 && b.len() < 2 {
            let pair = Pair { indices, name: None, numbered: None };
            return Ok(Self { pairs: vec![pair], only: [Vec::new(), Vec::new()], others: Vec::new(), failures: Vec::new() });
        }
        let name = |number: usize| format!("#{number}");
        // Any other file than `.npy` is one array.
        let [a_count, b_count] = [a.len().max(1), b.len().max(1)];
        let both = a_count.min(b_count);
        let pair = |number: usize| {
            let numbered = match (a.get(number), b.get(number)) {
                (Some(a), Some(b)) => Some([inputs[0].numbered(number, a)?, inputs[1].numbered(number, b)?]),
                _ => None,
            };
            Ok(Pair { indices, name: Some(name(number)), numbered })
        };
        let pairs = (0..both).map(pair).collect::<Result<_>>()?;
        Ok(Self {
            pairs,
            only: [a_count, b_count].map(|count| (both..count).map(name).collect()),
            others: Vec::new(),
            failures: Vec::new(),
        })
    }
}

/// The indices of members of the same names, each with the name, and the names of the members without another.
type Paired<'n, N> = (Vec<([usize; 2], &'n N)>, [Vec<&'n N>; 2]);

/// Pairs members by their names; several of the same name in their order.
fn paired<'n, N: Eq + Hash>(a: &'n [(usize, N)], b: &'n [(usize, N)]) -> Paired<'n, N> {
    let mut others: HashMap<&N, VecDeque<usize>> = HashMap::new();
    for (index, name) in b {
        others.entry(name).or_default().push_back(*index);
    }
    let (mut pairs, mut only) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (index, name) in a {
        match others.get_mut(name).and_then(VecDeque::pop_front) {
            Some(other) => pairs.push(([*index, other], name)),
            None => only[0].push(name),
        }
    }
    let is_left = |index: &usize, name| others.get(name).and_then(VecDeque::front).is_some_and(|first| index >= first);
    only[1].extend(b.iter().filter(|(index, name)| is_left(index, name)).map(|(_, name)| name));
    (pairs, only)
}

/// The different members that are not arrays; members of one archive alone are added to `only`.
fn other_members(inputs: &[Input; 2], only: &mut [Vec<String>; 2], failures: &mut Vec<Failure>) -> Result<Vec<String>> {
    let mut archives = [inputs[0].archive()?, inputs[1].archive()?];
    let [a, b] = archives.each_ref().map(|archive| {
        let others = (0..archive.len()).filter(|index| !archive.is_array(*index));
        let names = others.filter_map(|index| Some((index, archive.full_name(index)?.to_owned())));
        let mut names: Vec<_> = names.filter(|(_, name)| !name.ends_with('/')).collect();
        names.sort_by(|a, b| a.1.cmp(&b.1));
        names
    });
    let (pairs, alone) = paired(&a, &b);
    only.iter_mut().zip(alone).for_each(|(only, names)| only.extend(names.into_iter().cloned()));
    let mut different = Vec::new();
    for ([first, second], name) in pairs {
        let [one, other] = &mut archives;
        if one.size(first) != other.size(second) {
            different.push(name.clone());
            continue;
        }
        match (one.bytes(first, MOST_BYTES), other.bytes(second, MOST_BYTES)) {
            (Ok(one), Ok(other)) if one == other => {}
            (Ok(_), Ok(_)) => different.push(name.clone()),
            // The other members are compared all the same.
            (Err(error), _) | (_, Err(error)) => failures.push(error.into()),
        }
    }
    Ok(different)
}

/// The arrays of an `.npy` file, one behind another.
fn arrays_of(input: &Input) -> Result<Vec<Found>> {
    if input.format() == FileFormat::Npy { input.arrays() } else { Ok(Vec::new()) }
}

/// The name of two arrays.
fn title(screen: &Screen, arguments: &Arguments, member: Option<&str>) -> String {
    let title = match member {
        Some(member) => member.to_owned(),
        None => format!("{} {}", escape::path(&arguments.a), escape::path(&arguments.b)),
    };
    screen.paint(Style::Title, &escape::line(&title))
}

/// How many of some values or arrays are different.
fn share(different: u64, count: u64, noun: &str) -> String {
    let verb = if different == 1 { "is" } else { "are" };
    format!("{} of {} {verb} different", quantity::count(different), quantity::counted(count, noun))
}

/// Writes a line for arrays that are different: the first problem, or how many values of all fields are, and by how much.
fn write_brief(screen: &mut Screen, arguments: &Arguments, member: Option<&str>, comparison: &Comparison) -> Result<()> {
    if comparison.is_equal() {
        return Ok(());
    }
    let title = title(screen, arguments, member);
    if let Some(problem) = comparison.problems.first() {
        return Ok(writeln!(screen, "{title}: {}", screen.paint(Style::Bad, &escape::line(problem)))?);
    }
    let count = |of: fn(&Field) -> u64| comparison.fields.iter().map(of).sum();
    let counts = share(count(|field| field.different), count(|field| field.values), "value");
    let errors = comparison.fields.iter().filter_map(|field| Some(field.absolute.as_ref()?.error));
    let most = errors.max_by(f64::total_cmp).map(|error| format!(", by {} at most", float(significant(error, 5))));
    Ok(writeln!(screen, "{title}: {}{}", screen.paint(Style::Bad, &counts), most.unwrap_or_default())?)
}

fn write(screen: &mut Screen, arguments: &Arguments, member: Option<&str>, comparison: &Comparison) -> Result<()> {
    let [a, b] = &comparison.headers;
    let verdict = if comparison.is_equal() { screen.paint(Style::Good, "equal") } else { screen.paint(Style::Bad, "different") };
    writeln!(screen, "{}: {verdict}", title(screen, arguments, member))?;
    let properties = [
        ("dtype", a.dtype().to_string(), b.dtype().to_string()),
        ("shape", quantity::shape(a.shape()), quantity::shape(b.shape())),
        ("order", order_name(a).to_owned(), order_name(b).to_owned()),
    ];
    for (name, a, b) in properties {
        if a != b {
            let name = screen.paint(Style::Name, &format!("{name:<8}"));
            writeln!(screen, "  {name}  {}  {}", escape::line(&a), escape::line(&b))?;
        }
    }
    for problem in &comparison.problems {
        writeln!(screen, "  {}", escape::line(problem))?;
    }
    for field in comparison.fields.iter().filter(|field| field.different > 0) {
        write_field(screen, field)?;
    }
    Ok(())
}

fn write_field(screen: &mut Screen, field: &Field) -> Result<()> {
    let indent = if field.path.is_empty() { "  " } else { "    " };
    if !field.path.is_empty() {
        writeln!(screen, "  {}", screen.paint(Style::Title, &escape::line(&field.path)))?;
    }
    let mut line = |name: &str, text: &str| -> Result<()> {
        let name = screen.paint(Style::Name, &format!("{name:<8}"));
        Ok(writeln!(screen, "{indent}{name}  {text}")?)
    };
    let part = field.different as f64 / field.values.max(1) as f64 * 100.0;
    let (different, values) = (quantity::count(field.different), quantity::count(field.values));
    line("values", &format!("{different} of {values} are different ({} %)", float(significant(part, 3))))?;
    if field.both_nan > 0 {
        line("NaN", &format!("{} in both, which --no-equal-nan takes as different", quantity::count(field.both_nan)))?;
    }
    if let Some(first) = &field.first {
        let [a, b] = first.values.each_ref().map(|value| escape::line(value));
        line("first", &format!("{}: {a}  {b}", quantity::shape(&first.index)))?;
    }
    for (name, largest) in [("absolute", &field.absolute), ("relative", &field.relative)] {
        if let Some(largest) = largest {
            line(name, &format!("{} at {}", float(significant(largest.error, 10)), quantity::shape(&largest.index)))?;
        }
    }
    Ok(())
}

fn to_json(member: Option<&str>, comparison: &Comparison) -> Value {
    let about =
        |header: &Header| json!({"dtype": header.dtype().to_string(), "shape": header.shape(), "order": order_name(header)});
    let [a, b] = &comparison.headers;
    json!({
        "member": member,
        "equal": comparison.is_equal(),
        "a": about(a),
        "b": about(b),
        "problems": comparison.problems,
        "fields": comparison.fields.iter().map(field_json).collect::<Vec<_>>(),
    })
}

fn field_json(field: &Field) -> Value {
    let largest = |largest: &Option<Largest>| {
        largest.as_ref().map(|largest| json!({"error": json::write::number(largest.error), "index": largest.index}))
    };
    json!({
        "field": field.path,
        "values": field.values,
        "different": field.different,
        "both_nan": field.both_nan,
        "first": field.first.as_ref().map(|first| json!({"index": first.index, "a": first.values[0], "b": first.values[1]})),
        "absolute": largest(&field.absolute),
        "relative": largest(&field.relative),
    })
}
