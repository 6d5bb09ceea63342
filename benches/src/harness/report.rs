//! Tables in Markdown, which also read well in a terminal.

use std::fmt::Write;

use crate::harness::outcome::{Outcome, Role, Series};
use crate::harness::ratio::Ratio;
use crate::harness::target::State;

/// A case that did not run, and why.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) name: String,
    pub(crate) place: String,
    pub(crate) reason: String,
    /// Whether nobody has to know that it did not.
    pub(crate) is_optional: bool,
}

/// The whole of `RESULTS.md`.
pub(crate) fn whole(facts: &[String], outcomes: &[Outcome], refusals: &[Refusal], is_quick: bool) -> String {
    let mut text = "# Results\n\n".to_owned();
    if is_quick {
        text.push_str("**Made with `--quick`: smaller arrays and few rounds. The figures mean nothing.**\n\n");
    }
    text.push_str(
        "Made by `cargo bench -p npy-benches --bench all`; [README.md](README.md) says how, and what the cases are. Times are medians. Ratios are \
         medians of the ratios within each round; in brackets stand the least and the most of them in the tables, and in the lists the interval in which \
         the median lies, 19 times in 20 if one asks once. Faster is what is so by more than 2 %, which is what equal contenders differ by. Only ratios carry over to \
         another machine.\n\n",
    );
    text.push_str(&list(facts));
    text.push_str(&summary(outcomes, refusals));
    for outcome in outcomes {
        text.push('\n');
        text.push_str(&case(outcome));
    }
    text
}

/// What stands before the cases: the targets that are missed, and where others are faster.
pub(crate) fn summary(outcomes: &[Outcome], refusals: &[Refusal]) -> String {
    let mut text = String::new();
    let count = |state| outcomes.iter().flat_map(|outcome| &outcome.verdicts).filter(|verdict| verdict.state == state).count();
    let (met, missed, unmeasured) = (count(State::Met), count(State::Missed), count(State::NotMeasured));
    let unexplained = outcomes.iter().flat_map(|outcome| &outcome.verdicts).filter(|verdict| verdict.is_unexplained()).count();
    let _ = writeln!(
        text,
        "\nTargets: {met} met, {missed} missed, of which {unexplained} are bound by what is not known, {unmeasured} not measured."
    );
    section(&mut text, "Missed targets", &verdicts(outcomes, State::Missed));
    for (title, sentences) in [
        ("Cases on which a peer or NumPy is faster than ours at one thread", Outcome::faster_ones as fn(&Outcome) -> Vec<String>),
        ("Cases whose rounds do not decide whether a peer or NumPy is faster than ours at one thread", Outcome::undecided_ones),
        (
            "Where a peer or NumPy is faster than one of ours at one thread, or may be, but not than another",
            Outcome::partly_faster_ones,
        ),
    ] {
        section(&mut text, title, &outcomes.iter().flat_map(sentences).collect::<Vec<_>>());
    }
    section(&mut text, "Targets that are not measured", &verdicts(outcomes, State::NotMeasured));
    let refused: Vec<_> = refusals.iter().map(|one| format!("`{}` ({}): {}", one.name, one.place, one.reason)).collect();
    section(&mut text, "Cases that did not run", &refused);
    text
}

/// The section of one case.
pub(crate) fn case(outcome: &Outcome) -> String {
    let unit = outcome.unit.as_ref().map_or(String::new(), |unit| format!("; time of one {unit}"));
    let mut text = format!("## {} ({})\n\n{}; {} rounds{unit}\n\n", outcome.name, outcome.place, outcome.title, outcome.rounds);
    let bases: Vec<_> = [Role::NumPy, Role::Limit].into_iter().filter_map(|role| outcome.first(role)).collect();
    text.push_str(&table(&cells(outcome, &bases)));
    if !outcome.verdicts.is_empty() {
        text.push('\n');
    }
    for verdict in &outcome.verdicts {
        let _ = writeln!(text, "- target: {}", verdict.with_bound());
    }
    text
}

fn cells(outcome: &Outcome, bases: &[&Series]) -> Vec<Vec<String>> {
    let has_remarks = outcome.contenders.iter().any(|contender| !contender.remark.is_empty());
    let mut title = vec!["contender".to_owned(), String::new(), "median".to_owned()];
    title.extend(bases.iter().map(|base| format!("/ {}", base.name)));
    if has_remarks {
        title.push("result".to_owned());
    }
    let line = |contender: &Series| {
        let kind = match contender.role {
            Role::Ours => "ours",
            Role::Variant => "ours, in another way",
            Role::NumPy => "NumPy",
            Role::Peer => "peer",
            Role::Limit => "limit",
        };
        let mut cells = vec![contender.name.clone(), kind.to_owned(), outcome.quantity.text(contender.median())];
        cells.extend(bases.iter().map(|base| match contender.ratio_to(base) {
            Some(Ratio { median, least, most, .. }) => format!("{median:.3} ({least:.3}–{most:.3})"),
            None => String::new(),
        }));
        if has_remarks {
            cells.push(contender.remark.clone());
        }
        cells
    };
    [title].into_iter().chain(outcome.contenders.iter().map(line)).collect()
}

/// The first line is that of the titles. Only the first two columns are words; the others are figures, to the right.
fn table(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0).max(3);
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let _ = if column < 2 { write!(text, "| {cell:width$} ") } else { write!(text, "| {cell:>width$} ") };
        }
        text.push_str("|\n");
        if number == 0 {
            for (column, &width) in widths.iter().enumerate() {
                let _ = write!(text, "|{:-<width$}-{}", "-", if column < 2 { '-' } else { ':' });
            }
            text.push_str("|\n");
        }
    }
    text
}

fn verdicts(outcomes: &[Outcome], state: State) -> Vec<String> {
    let of_case = |outcome: &Outcome| {
        let (name, place) = (outcome.name.clone(), outcome.place.clone());
        let verdicts = outcome.verdicts.clone().into_iter().filter(move |verdict| verdict.state == state);
        verdicts.map(move |verdict| format!("`{name}` ({place}): {}", verdict.with_bound()))
    };
    outcomes.iter().flat_map(of_case).collect()
}

fn section(text: &mut String, title: &str, lines: &[String]) {
    let _ = write!(text, "\n## {title}\n\n");
    text.push_str(&if lines.is_empty() { "None.\n".to_owned() } else { list(lines) });
}

fn list(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |text, line| text + "- " + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::outcome::Quantity;
    use crate::harness::target::Target;

    #[test]
    fn a_case_is_a_table_and_its_targets() {
        let contender = |name: &str, role, samples: &[f64]| Series {
            name: name.to_owned(),
            role,
            samples: samples.to_vec(),
            remark: String::new(),
        };
        let contenders = vec![
            contender("load", Role::Ours, &[0.006, 0.0066, 0.007]),
            contender("np.load", Role::NumPy, &[0.008, 0.008, 0.008]),
            contender("read(2)", Role::Limit, &[0.005, 0.005, 0.005]),
        ];
        let targets = [("load", 0.92, "np.load"), ("load", 1.3, "read(2)"), ("load", 0.5, "np.load")];
        let targets = targets.map(|(ours, factor, base)| Target::factor(ours, factor, base));
        let outcome = Outcome {
            name: "read.64MiB".to_owned(),
            title: "reading".to_owned(),
            place: "ext4".to_owned(),
            rounds: 3,
            quantity: Quantity::Time,
            unit: None,
            verdicts: targets.iter().map(|target| target.judge(&contenders, None)).collect(),
            contenders,
        };
        let expected = "\
## read.64MiB (ext4)

reading; 3 rounds

| contender |       |  median |           / np.load |           / read(2) |
|-----------|-------|--------:|--------------------:|--------------------:|
| load      | ours  | 6.60 ms | 0.825 (0.750–0.875) | 1.320 (1.200–1.400) |
| np.load   | NumPy | 8.00 ms | 1.000 (1.000–1.000) | 1.600 (1.600–1.600) |
| read(2)   | limit | 5.00 ms | 0.625 (0.625–0.625) | 1.000 (1.000–1.000) |

- target: load ≤ 0.92 × np.load: 0.825 met
- target: load ≤ 1.3 × read(2): 1.320 **missed**
  - bound: not known
- target: load ≤ 0.5 × np.load: 0.825 **missed**
  - bound: read(2) itself takes 0.625 × np.load
";
        assert_eq!(case(&outcome), expected);
        let whole = whole(&[], &[outcome], &[], false);
        assert!(whole.contains("Targets: 1 met, 2 missed, of which 1 are bound by what is not known, 0 not measured."));
        assert!(whole.contains(
            "## Missed targets\n\n- `read.64MiB` (ext4): load ≤ 1.3 × read(2): 1.320 **missed**\n  - bound: not known\n"
        ));
    }
}
