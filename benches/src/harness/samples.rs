//! The file of samples: one line for each contender of each case, separated by tabs.
//!
//! Lines that begin with `#` are facts about the machine. A run writes the samples of each round.
//! Where a line has none, it has the ratios that were published instead: the median, in parentheses
//! the least and the most of the rounds, in brackets the interval of the median, the baseline.

use std::fmt::Write;

use crate::harness::outcome::Outcome;
use crate::harness::ratio::Ratio;
use crate::harness::series::{Quantity, Role, Series, Summary};
use crate::harness::target::Target;

const COLUMNS: [&str; 11] =
    ["case", "place", "unit", "rounds", "contender", "role", "median", "targets", "remark", "ratios", "samples"];

/// Formats a run.
pub(crate) fn write(facts: &[String], outcomes: &[Outcome]) -> String {
    let mut text = facts.iter().fold(String::new(), |text, fact| text + "# " + fact + "\n");
    let _ = writeln!(text, "{}", COLUMNS.join("\t"));
    for outcome in outcomes {
        for Series { name, role, samples, remark, .. } in &outcome.contenders {
            let targets: Vec<_> = outcome.targets_of(name).map(Target::to_text).collect();
            let samples: Vec<_> = samples.iter().map(|sample| format!("{sample:.4e}")).collect();
            let median = outcome.find(name).map_or(f64::NAN, Series::median);
            let Outcome { name: case, place, rounds, .. } = outcome;
            let (unit, targets, samples) = (unit_of(outcome), targets.join("; "), samples.join(" "));
            let role = role.name();
            let _ =
                writeln!(text, "{case}\t{place}\t{unit}\t{rounds}\t{name}\t{role}\t{median:.4e}\t{targets}\t{remark}\t\t{samples}");
        }
    }
    text
}

/// Parses a file that [`write`] made.
pub(crate) fn read(text: &str) -> Result<(Vec<String>, Vec<Outcome>), String> {
    let mut facts = Vec::new();
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(fact) = line.strip_prefix("# ") {
            facts.push(fact.to_owned());
        } else if line.split('\t').ne(COLUMNS) {
            read_line(line, &mut outcomes).ok_or_else(|| format!("invalid line {}: {line}", number + 1))?;
        }
    }
    Ok((facts, outcomes))
}

/// The unit of [`Quantity::Cpu`].
const CPU: &str = "s of the processor";

fn read_line(line: &str, outcomes: &mut Vec<Outcome>) -> Option<()> {
    let fields: Vec<_> = line.split('\t').collect();
    let [case, place, unit, rounds, name, role, median, targets, remark, ratios, samples] = fields[..] else { return None };
    if outcomes.last().is_none_or(|last| last.name != case || last.place != place) {
        let (quantity, unit) = match unit.split_once(" per ") {
            Some((_, unit)) => (Quantity::Time, Some(unit.to_owned())),
            None if unit == "bytes" => (Quantity::Memory, None),
            None if unit == CPU => (Quantity::Cpu, None),
            None => (Quantity::Time, None),
        };
        let (name, place, rounds) = (case.to_owned(), place.to_owned(), rounds.parse().ok()?);
        outcomes.push(Outcome { name, place, rounds, quantity, unit, contenders: Vec::new(), targets: Vec::new() });
    }
    let outcome = outcomes.last_mut()?;
    let mut series = Series::new(name, Role::parse(role)?);
    remark.clone_into(&mut series.remark);
    series.samples = samples.split_terminator(' ').map(|sample| sample.parse().ok()).collect::<Option<_>>()?;
    if samples.is_empty() {
        let ratios = ratios.split_terminator("; ").map(read_ratio).collect::<Option<_>>()?;
        series.summary = Some(Summary { median: median.parse().ok()?, ratios });
    }
    for target in targets.split_terminator("; ") {
        outcome.targets.push(Target::parse(name, target)?);
    }
    outcome.contenders.push(series);
    Some(())
}

/// Parses `0.981 (0.686–1.149) [0.729–1.122] np.load`.
fn read_ratio(text: &str) -> Option<(String, Ratio)> {
    let (median, mut rest) = text.split_once(' ')?;
    let mut pair = |open, close| -> Option<(f64, f64)> {
        let (values, behind) = rest.strip_prefix(open)?.split_once(close)?;
        let (low, high) = values.split_once('–')?;
        rest = behind.trim_start();
        Some((low.parse().ok()?, high.parse().ok()?))
    };
    let median: f64 = median.parse().ok()?;
    let (least, most) = pair('(', ')').unwrap_or((median, median));
    let interval = pair('[', ']').unwrap_or((median, median));
    Some((rest.to_owned(), Ratio { median, least, most, interval, is_estimate: false }))
}

fn unit_of(outcome: &Outcome) -> String {
    match (outcome.quantity, &outcome.unit) {
        (Quantity::Memory, _) => "bytes".to_owned(),
        (Quantity::Cpu, _) => CPU.to_owned(),
        (Quantity::Time, None) => "s".to_owned(),
        (Quantity::Time, Some(unit)) => format!("s per {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_round_trip() {
        let series = |name, role, samples: &[f64]| Series { samples: samples.to_vec(), ..Series::new(name, role) };
        let outcome = Outcome {
            name: "small.read.vector-10".to_owned(),
            place: "ext4".to_owned(),
            rounds: 2,
            quantity: Quantity::Time,
            unit: Some("file".to_owned()),
            contenders: vec![series("load", Role::Ours, &[1.0, 3.0]), series("np.load", Role::NumPy, &[2.0, 4.0])],
            targets: vec![Target::factor("load", 0.5, "np.load"), Target::time("load", 2.5)],
        };
        let text = write(&["cores: 2".to_owned()], std::slice::from_ref(&outcome));
        let (facts, outcomes) = read(&text).unwrap();
        assert_eq!(facts, ["cores: 2"]);
        assert_eq!(write(&facts, &outcomes), text);
        assert_eq!((&outcomes[0].targets, &outcomes[0].unit), (&outcome.targets, &outcome.unit));
        assert!(read("a\tb").unwrap_err().contains("invalid line 1"));
    }

    #[test]
    fn reads_published_ratios() {
        let line = "a.b\text4\ts\t3\tload\tours\t2e-2\t0.9 × np.load\t\t0.98 (0.5–1.4) [0.9–1.3] np.load; 0.3 read(2)\t";
        let (_, outcomes) = read(&format!("{line}\n{}", line.replace("load\tours", "np.load\tNumPy"))).unwrap();
        let [load, np_load] = &outcomes[0].contenders[..] else { panic!("{outcomes:?}") };
        let ratio = load.ratio_to(np_load).unwrap();
        assert_eq!((ratio.to_string().as_str(), ratio.most.to_string().as_str()), ("0.980?", "1.4"));
        // Nothing was published about this pair.
        assert_eq!(np_load.ratio_to(load).unwrap().to_string(), "~1.000");
    }
}
