//! Reports in Markdown: a table of one case for the terminal, the page of a few jobs, and that of all cases.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::harness::outcome::Outcome;
use crate::harness::ratio::Ratio;
use crate::harness::series::{Role, Series};
use crate::harness::target::{Target, Verdict};

/// A file of cases.
pub(crate) struct Group {
    /// What the names of its cases begin with.
    pub(crate) name: &'static str,
    /// A sentence about the cases.
    pub(crate) about: &'static str,
}

/// A job of the first table.
pub(crate) struct Headline {
    pub(crate) job: &'static str,
    pub(crate) case: &'static str,
    /// The contender of ours.
    pub(crate) ours: &'static str,
    /// What NumPy does for the same result, the fastest of several between ` | `.
    pub(crate) numpy: &'static str,
    /// The bytes of the elements, if they are what a person waits for.
    pub(crate) bytes: Option<u64>,
}

/// What the pages show, in this order.
pub(crate) struct Pages {
    pub(crate) headlines: &'static [Headline],
    /// Where ours is not the fastest of these jobs.
    pub(crate) slower: &'static str,
    pub(crate) groups: &'static [Group],
}

/// What stands where there is no figure.
const NONE: &str = "–";

impl Pages {
    /// Renders `RESULTS.md`: a few jobs, in seconds.
    pub(crate) fn results(&self, facts: &[String], outcomes: &[Outcome]) -> String {
        let mut text = "# Results\n\nOne thread, files in the page cache, in seconds and in bytes of elements.\n\n".to_owned();
        let mut lines = vec![line(["job", "NumPy", "ours", "fastest Rust peer"])];
        lines.extend(self.headlines.iter().filter_map(|headline| headline.line(outcomes)));
        text.push_str(&table(&lines, 1));
        let _ = write!(
            text,
            "\n{}\n\n\
             [RATIOS.md](RATIOS.md) has all cases as ratios, which carry over to other machines as times do not, and the targets.\n\
             [NOTES.md](NOTES.md) says what bounds each case, and [README.md](README.md) how it is measured:\n\n",
            self.slower
        );
        text.push_str(&list(facts));
        text
    }

    /// Renders `RATIOS.md`: all cases beside their baselines.
    pub(crate) fn ratios(&self, facts: &[String], outcomes: &[Outcome]) -> String {
        let count = |verdict| outcomes.iter().map(|outcome| outcome.count(verdict)).sum::<usize>();
        let (met, missed, open) = (count(Verdict::Met), count(Verdict::Missed), count(Verdict::NotMeasured));
        let mut text = format!(
            "# Ratios\n\n\
             How many times as long ours takes as a baseline: below 1 ours is faster. The limit is what the\n\
             machine needs at least. Two figures are for files on a disk and in memory.\n\n\
             Targets: {met} met, {missed} missed, {open} not measured; [NOTES.md](NOTES.md) says why. Each ratio is the\n\
             median of the ratios within the rounds. `?`: the rounds do not decide whether ours is slower.\n\
             `~`: the quotient of two medians. [samples.tsv](samples.tsv) holds all figures.\n\n"
        );
        text.push_str(&list(facts));
        for group in self.groups {
            text.push_str(&group.section(outcomes));
        }
        text
    }
}

impl Headline {
    /// The job in its first place.
    fn line(&self, outcomes: &[Outcome]) -> Option<Vec<String>> {
        let outcome = outcomes.iter().find(|outcome| outcome.name == self.case)?;
        let numpy = self.numpy.split(" | ").filter_map(|name| outcome.find(name)).map(Series::median).reduce(f64::min);
        let peer = outcome.with_role(Role::Peer).min_by(|a, b| a.median().total_cmp(&b.median()));
        let peer = peer.map(|peer| format!("{}: {}", peer.name, self.speed(outcome, peer.median())));
        let text = |speed: Option<String>| speed.unwrap_or_else(|| NONE.to_owned());
        Some(vec![
            self.job.to_owned(),
            text(numpy.map(|time| self.speed(outcome, time))),
            text(outcome.find(self.ours).map(|own| self.speed(outcome, own.median()))),
            text(peer),
        ])
    }

    fn speed(&self, outcome: &Outcome, time: f64) -> String {
        let unit = outcome.unit.as_ref().map_or(String::new(), |unit| format!(" a {unit}"));
        let rate = self.bytes.map_or(String::new(), |bytes| format!(", {:.1} GB/s", bytes as f64 / time / 1e9));
        outcome.quantity.text(time) + &unit + &rate
    }
}

fn list(facts: &[String]) -> String {
    facts.iter().flat_map(|fact| ["- ", fact, "\n"]).collect()
}

impl Group {
    fn section(&self, outcomes: &[Outcome]) -> String {
        let is_in = |outcome: &&Outcome| outcome.name.split('.').next() == Some(self.name);
        let mut names: Vec<_> = outcomes.iter().filter(is_in).map(|outcome| outcome.name.as_str()).collect();
        names.dedup();
        let mut lines = vec![line(["case", "ours", "NumPy", "best peer", "limit", "target"])];
        for name in names {
            let places = places_of(outcomes, name);
            for own in shown(&places) {
                let [numpy, peer, limit] = baselines(&places, own);
                let target = cell(&places, own, |outcome, _| target_of(outcome, own));
                lines.push(vec![code(name), code(own), numpy, peer, limit, target]);
            }
        }
        if lines.len() == 1 {
            return String::new();
        }
        format!("\n## {}\n\n{}\n\n{}", self.name, self.about, table(&lines, 2))
    }
}

/// The outcomes of one case, each in another place.
fn places_of<'a>(outcomes: &'a [Outcome], case: &str) -> Vec<&'a Outcome> {
    outcomes.iter().filter(|outcome| outcome.name == case).collect()
}

/// The first of ours, and all that have a target.
fn shown<'a>(places: &[&'a Outcome]) -> Vec<&'a str> {
    let first = places.iter().find_map(|outcome| outcome.with_role(Role::Ours).next());
    let names = |outcome: &&'a Outcome| outcome.contenders.iter().filter(|own| own.is_ours()).map(|own| own.name.as_str());
    let mut shown = BTreeSet::new();
    let is_shown = |name: &&str| {
        first.is_some_and(|first| first.name == *name) || places.iter().any(|outcome| outcome.targets_of(name).next().is_some())
    };
    places.iter().flat_map(names).filter(is_shown).filter(|name| shown.insert(*name)).collect()
}

/// The ratios to NumPy, to the best peer and to the first limit.
fn baselines(places: &[&Outcome], own: &str) -> [String; 3] {
    let fastest = |outcome: &Outcome, own: &Series, role| {
        let ratios = outcome.with_role(role).filter_map(|baseline| Some((baseline.name.clone(), own.ratio_to(baseline)?)));
        ratios.max_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    };
    let numpy = |outcome: &Outcome, own: &Series| {
        let of_all = own.ratio_to_fastest(&outcome.with_role(Role::NumPy).collect::<Vec<_>>());
        let ratio = of_all.filter(|ratio| !ratio.is_estimate).or(fastest(outcome, own, Role::NumPy).map(|(_, ratio)| ratio));
        Some(ratio?.to_string())
    };
    let limit = |outcome: &Outcome, own: &Series| Some(own.ratio_to(outcome.with_role(Role::Limit).next()?)?.to_string());
    let peers: Vec<_> = places.iter().map(|outcome| fastest(outcome, outcome.find(own)?, Role::Peer)).collect();
    // A peer that is the best in each place is named once.
    let name_of = |place: usize| peers[place].as_ref().map(|(name, _)| name);
    let text = |(place, peer): (usize, &Option<(String, Ratio)>)| match peer {
        Some((_, ratio)) if place > 0 && name_of(place) == name_of(place - 1) => ratio.to_string(),
        Some((name, ratio)) => format!("{name} {ratio}"),
        None => NONE.to_owned(),
    };
    [cell(places, own, numpy), joined(&peers.iter().enumerate().map(text).collect::<Vec<_>>()), cell(places, own, limit)]
}

fn target_of(outcome: &Outcome, own: &str) -> Option<String> {
    let verdicts: Vec<_> = outcome.targets_of(own).map(|target| target.judge(&outcome.contenders)).collect();
    let missed = verdicts.iter().filter(|&&verdict| verdict == Verdict::Missed).count();
    match (missed, verdicts.len()) {
        (_, 0) => None,
        (0, _) if verdicts.contains(&Verdict::NotMeasured) => Some("not measured".to_owned()),
        (0, _) => Some("met".to_owned()),
        (1, 1) => Some("missed".to_owned()),
        (missed, all) => Some(format!("missed {missed} of {all}")),
    }
}

/// The texts of all places, joined.
fn cell(places: &[&Outcome], own: &str, text: impl Fn(&Outcome, &Series) -> Option<String>) -> String {
    let text = |outcome: &&Outcome| text(outcome, outcome.find(own)?);
    joined(&places.iter().map(|outcome| text(outcome).unwrap_or_else(|| NONE.to_owned())).collect::<Vec<_>>())
}

/// Joins texts; equal ones are said once.
fn joined(texts: &[String]) -> String {
    let first = texts.first().cloned().unwrap_or_default();
    if texts.iter().all(|text| *text == first) { first } else { texts.join(" / ") }
}

/// Lists the missed targets of a run of some cases.
pub(crate) fn summary(outcomes: &[Outcome]) -> String {
    let missed = |outcome: &Outcome| {
        let (name, place, contenders) = (outcome.name.clone(), outcome.place.clone(), outcome.contenders.clone());
        let is_missed = |target: &&Target| target.judge(&outcome.contenders) == Verdict::Missed;
        let targets: Vec<_> = outcome.targets.iter().filter(is_missed).cloned().collect();
        targets.into_iter().map(move |target| format!("- {name} ({place}): {}\n", target.sentence(&contenders)))
    };
    let lines: String = outcomes.iter().flat_map(missed).collect();
    if lines.is_empty() { "No target is missed.\n".to_owned() } else { format!("Missed targets:\n\n{lines}") }
}

/// Renders all contenders of a case beside NumPy and the limit, and its targets.
pub(crate) fn case(outcome: &Outcome) -> String {
    let unit = outcome.unit.as_ref().map_or(String::new(), |unit| format!(", times of one {unit}"));
    let mut text = format!("{} rounds{unit}\n\n", outcome.rounds);
    let baselines: Vec<_> = [Role::NumPy, Role::Limit].iter().filter_map(|role| outcome.with_role(*role).next()).collect();
    let has_remarks = outcome.contenders.iter().any(|contender| !contender.remark.is_empty());
    let mut titles = line(["contender", "", "median"]);
    titles.extend(baselines.iter().map(|baseline| format!("/ {}", baseline.name)));
    titles.extend(has_remarks.then(|| "result".to_owned()));
    let cells = |contender: &Series| {
        let mut cells = line([&contender.name, contender.role.name(), &outcome.quantity.text(contender.median())]);
        cells.extend(baselines.iter().map(|baseline| {
            let ratio = contender.ratio_to(baseline);
            ratio.map_or(String::new(), |ratio| format!("{ratio} ({:.3}–{:.3})", ratio.least, ratio.most))
        }));
        cells.extend(has_remarks.then(|| contender.remark.clone()));
        cells
    };
    text.push_str(&table(&[titles].into_iter().chain(outcome.contenders.iter().map(cells)).collect::<Vec<_>>(), 2));
    for (number, target) in outcome.targets.iter().enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}- {}", target.sentence(&outcome.contenders));
    }
    text
}

/// Aligns the cells. The first columns are words; the others are figures, to the right.
fn table(lines: &[Vec<String>], words: usize) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0).max(3);
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let _ = if column < words { write!(text, "| {cell:width$} ") } else { write!(text, "| {cell:>width$} ") };
        }
        text.push_str("|\n");
        if number == 0 {
            for (column, &width) in widths.iter().enumerate() {
                let _ = write!(text, "|{:-<width$}-{}", "-", if column < words { '-' } else { ':' });
            }
            text.push_str("|\n");
        }
    }
    text
}

fn line<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::series::Quantity;

    fn outcome(place: &str, load: [f64; 6]) -> Outcome {
        let series = |name: &str, role, samples: &[f64]| Series { samples: samples.to_vec(), ..Series::new(name, role) };
        let targets = [("load", 0.92, "np.load"), ("load", 1.3, "read(2)")];
        Outcome {
            name: "read.64MiB".to_owned(),
            place: place.to_owned(),
            rounds: 6,
            quantity: Quantity::Time,
            unit: None,
            contenders: vec![
                series("load", Role::Ours, &load),
                series("load_array", Role::Ours, &load),
                series("np.load", Role::NumPy, &[0.008; 6]),
                series("npyz", Role::Peer, &[0.02; 6]),
                series("rawarray", Role::Peer, &[0.01; 6]),
                series("read(2)", Role::Limit, &[0.005; 6]),
            ],
            targets: targets.map(|(ours, factor, baseline)| Target::factor(ours, factor, baseline)).to_vec(),
        }
    }

    #[test]
    fn case_lists_contenders_and_targets() {
        let expected = "\
6 rounds

| contender  |       |  median |           / np.load |           / read(2) |
|------------|-------|--------:|--------------------:|--------------------:|
| load       | ours  | 6.60 ms | 0.825 (0.825–0.825) | 1.320 (1.320–1.320) |
| load_array | ours  | 6.60 ms | 0.825 (0.825–0.825) | 1.320 (1.320–1.320) |
| np.load    | NumPy | 8.00 ms | 1.000 (1.000–1.000) | 1.600 (1.600–1.600) |
| npyz       | peer  | 20.0 ms | 2.500 (2.500–2.500) | 4.000 (4.000–4.000) |
| rawarray   | peer  | 10.0 ms | 1.250 (1.250–1.250) | 2.000 (2.000–2.000) |
| read(2)    | limit | 5.00 ms | 0.625 (0.625–0.625) | 1.000 (1.000–1.000) |

- load ≤ 0.92 × np.load: 0.825, met
- load ≤ 1.3 × read(2): 1.320, missed
";
        let outcome = outcome("ext4", [0.0066; 6]);
        assert_eq!(case(&outcome), expected);
        let missed = "Missed targets:\n\n- read.64MiB (ext4): load ≤ 1.3 × read(2): 1.320, missed\n";
        assert_eq!(summary(&[outcome]), missed);
    }

    #[test]
    fn pages_have_the_first_place_in_seconds_and_all_places_as_ratios() {
        let headline = Headline { job: "Load 64 MiB", case: "read.64MiB", ours: "load", numpy: "np.load", bytes: Some(1 << 26) };
        let pages = Pages {
            headlines: Box::leak(Box::new([headline])),
            slower: "Ours is never slower.",
            groups: &[Group { name: "read", about: "Reading." }, Group { name: "write", about: "Writing." }],
        };
        let places = [outcome("ext4", [0.0066; 6]), outcome("tmpfs", [0.004, 0.004, 0.004, 0.009, 0.009, 0.009])];
        let facts = ["cores: 2".to_owned()];
        let text = pages.results(&facts, &places);
        let line = "| Load 64 MiB | 8.00 ms, 8.4 GB/s | 6.60 ms, 10.2 GB/s | rawarray: 10.0 ms, 6.7 GB/s |";
        assert!(text.contains(line) && text.contains("\n- cores: 2\n") && text.contains("Ours is never slower."), "{text}");
        let text = pages.ratios(&facts, &places);
        assert!(text.contains("Targets: 3 met, 1 missed, 0 not measured;"), "{text}");
        let group = "## read\n\nReading.\n\n| case         | ours   |          NumPy |";
        assert!(text.contains(group) && text.contains("missed 1 of 2 / met |") && !text.contains("load_array"), "{text}");
        // No case of this group ran.
        assert!(!text.contains("Writing."));
    }
}
