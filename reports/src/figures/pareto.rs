//! Which arms no other beats: points over bits, time and error, and how many replicates reach the target. Statistics
//! and front are those of [`crate::compare`]; drawn by [`super::scatter`].

use super::scatter::{self, Dot, DotEntry, DotPanel, Look, Measured, Scatter};
use super::units::heading;
use crate::compare::{
    Compared, Front, Goal, LeftOut, Quantity, Samples, Spread, Standing, fronts, reached_in_short, reached_of,
};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::{file_name, target_words};
use fedbits_record::{Float, RecordError, Table};
use fedbits_spec::so_many;

/// Up to this many arms have a colour and a marker of their own; of more those on the front, and the others are
/// numbered.
const MAX_STYLES: usize = 14;
/// Fewer arms have no front worth a figure.
const MIN_ARMS: usize = 3;

/// The kind of figure: the fronts in which at least two arms are compared.
pub(crate) struct ParetoFronts;

impl FigureKind for ParetoFronts {
    fn about(&self) -> About {
        About {
            name: "pareto",
            title: "arms that no other beats in bits, time and error; to a target (`pareto-TARGET`) in bits and time",
            needs: "three arms or more, of which two have a median, and two costs that are not 0 in all of them",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let samples = report.samples();
        if report.arms().len() < MIN_ARMS {
            return Ok(Vec::new());
        }
        let styles: Vec<usize> = report.arms().iter().map(|arm| arm.style).collect();
        let error = samples.error.words();
        let draw = |front: Front| {
            let drawn = DrawnFront { samples, styles: &styles, front, error };
            let (scatter, looks) = drawn.figure()?;
            let hidden = scatter::hidden(&scatter, &report.look, &report.metrics);
            Some(
                report.drawing(
                    (&scatter.name, &scatter.name),
                    scatter::draw(&scatter, &report.look, &report.metrics),
                    |comments| drawn.csv(&looks, comments),
                    report
                        .words(&drawn.caption(), &(drawn.about(&looks) + &hidden))
                        .with_caveats(drawn.front.caveats(samples)),
                ),
            )
        };
        fronts(samples).into_iter().filter_map(draw).collect()
    }
}

/// A front that is being drawn.
struct DrawnFront<'a> {
    samples: &'a Samples,
    /// By arm.
    styles: &'a [usize],
    front: Front,
    error: &'static str,
}

impl DrawnFront<'_> {
    /// The points in the costs, and the look of every arm; `None` when fewer than two arms are compared, or in less
    /// than two costs that are not zero for everybody.
    fn figure(&self) -> Option<(Scatter, Vec<Option<Look>>)> {
        let points: Vec<Option<&Compared>> = self.front.arms.iter().map(|arm| arm.compared.as_ref().ok()).collect();
        if points.iter().flatten().count() < 2 {
            return None;
        }
        let looks = looks(&points, self.styles);
        let entry = |arm: usize| match looks[arm]? {
            look @ Look::Style(_) => Some(DotEntry { look, words: self.label(arm) }),
            Look::Number(_) => None,
        };
        let mut entries: Vec<DotEntry> = (0..points.len()).filter_map(entry).collect();
        if let Some(look) = looks.iter().flatten().copied().find(|look| matches!(look, Look::Number(_))) {
            entries.push(DotEntry { look, words: "numbered in the CSV".to_owned() });
        }
        let panels = self.panels(&points, &looks);
        if panels.is_empty() {
            return None;
        }
        let target = self.front.target(self.samples).map(|target| format!("-{}", target.column_name()));
        let name = file_name(&format!("pareto{}", target.unwrap_or_default()));
        let arms = self.samples.arms.iter().map(|arm| arm.name.clone()).collect();
        Some((Scatter { name, panels, entries, arms }, looks))
    }

    /// An arm's name, and how many of its replicates reach the target, or are on the front at their end; a single
    /// replicate is no evidence.
    fn label(&self, arm: usize) -> String {
        let Standing { reached, degenerate, of, compared } = &self.front.arms[arm];
        let name = &self.samples.arms[arm].name;
        match (self.front.goal, compared) {
            _ if *of < 2 => name.clone(),
            (Goal::End, Ok(compared)) => format!("{name} (front {}/{})", compared.times, self.front.over),
            _ => format!("{name} ({})", reached_in_short(*reached, *of, *degenerate)),
        }
    }

    /// Two costs each; a cost that is zero for everybody has no panel.
    fn panels(&self, points: &[Option<&Compared>], looks: &[Option<Look>]) -> Vec<DotPanel> {
        let costs = &self.front.costs;
        let pairs: &[(usize, usize)] = if costs.len() == 3 { &[(0, 2), (1, 2), (0, 1)] } else { &[(0, 1)] };
        let highest =
            |cost: usize| points.iter().flatten().map(|compared| compared.costs[cost].median).fold(0.0, f64::max);
        let axis = |cost: usize| match costs[cost] {
            Quantity::Error => (format!("final {}", self.error), 1.0),
            what => heading(what, highest(cost)),
        };
        let dot = |arm: usize, (x, y): (usize, usize)| {
            let (compared, look) = (points[arm]?, looks[arm]?);
            let measured = |cost: usize| {
                let (Spread { median, low, high }, unit) = (compared.costs[cost], axis(cost).1);
                Measured { median: median / unit, low: low / unit, high: high.map(|high| high / unit) }
            };
            Some(Dot { arm, x: measured(x), y: measured(y), look, of_front: compared.on_front })
        };
        let panel = |&(x, y): &(usize, usize)| DotPanel {
            x: axis(x).0,
            y: axis(y).0,
            dots: (0..points.len()).filter_map(|arm| dot(arm, (x, y))).collect(),
            is_bounded: true,
        };
        let shown = |&&(x, y): &&(usize, usize)| {
            [x, y].into_iter().all(|cost| costs[cost] == Quantity::Error || highest(cost) > 0.0)
        };
        pairs.iter().filter(shown).map(panel).collect()
    }

    /// A tidy table, a row for every arm: medians and quartiles, with empty cells where it is not compared.
    fn csv(&self, looks: &[Option<Look>], comments: &[String]) -> Result<String, RecordError> {
        let costs = self.front.costs.iter().map(|cost| cost.name());
        let costs = costs.flat_map(|name| ["", "_low", "_high"].map(|end| format!("{name}{end}")));
        let before = ["arm", "on_front", "times_on_front", "runs"].map(str::to_owned);
        let after = ["reached", "degenerate", "number", "left_out"].map(str::to_owned);
        let header: Vec<String> = before.into_iter().chain(costs).chain(after).collect();
        let mut table = Table::in_memory(comments, &header)?;
        for ((arm, standing), look) in self.samples.arms.iter().zip(&self.front.arms).zip(looks) {
            let compared = standing.compared.as_ref().ok();
            let on_front = compared.is_some_and(|compared| compared.on_front);
            let times = compared.map_or_else(String::new, |compared| compared.times.to_string());
            table.cell(&arm.name)?;
            table.cell(usize::from(on_front))?;
            table.cell(times)?;
            table.cell(standing.of)?;
            for cost in 0..self.front.costs.len() {
                let own = compared.map(|compared| compared.costs[cost]);
                let values = [own.map(|own| own.median), own.map(|own| own.low), own.and_then(|own| own.high)];
                values.into_iter().try_for_each(|value| table.cell(Float(value)))?;
            }
            let number = if let Some(Look::Number(number)) = look { number.to_string() } else { String::new() };
            let why = standing.compared.as_ref().err().map_or("", |why| why.words());
            table.row(&[&standing.reached, &standing.degenerate, &number, &why])?;
        }
        table.into_text()
    }

    fn is_replicated(&self) -> bool {
        self.front.arms.iter().any(|arm| arm.of > 1)
    }

    /// The costs, and where they are counted.
    fn shown(&self) -> String {
        let error = self.error;
        match self.front.target(self.samples).map(|target| target_words(&target)) {
            Some(target) => format!("Bits sent in all and simulated time to get to {target}"),
            None if !self.front.costs.contains(&Quantity::Error) => {
                "Bits sent in all and simulated time at the end of the runs, without errors, as some arms measured \
                 only ‖h(Ŝ)‖² and others only the objective"
                    .to_owned()
            }
            None => format!("Bits sent in all, simulated time and {error} at the end of the runs"),
        }
    }

    /// The shortest that says what is drawn; the rest is in [`Self::about`].
    fn caption(&self) -> String {
        let costs = &self.front.costs;
        let mut text = match self.front.target(self.samples) {
            None if !costs.contains(&Quantity::Error) => {
                "Bits sent in all and simulated time at the end of the runs".to_owned()
            }
            _ => self.shown(),
        };
        let brackets = match self.front.goal {
            Goal::End => "replicates with the arm on their front",
            _ => "replicates that reach the target",
        };
        if self.is_replicated() {
            text.push_str(": medians and quartiles");
            if self.front.common().is_some() {
                text += &format!(" over {}", so_many(self.front.over, "common replicate"));
            }
            text += &format!("; in brackets: {brackets}");
        }
        text.push_str("; filled: beaten by no other arm.");
        let left_out = self.front.arms.iter().filter(|arm| arm.compared.is_err()).count();
        if left_out > 0 {
            text += &format!(" Left out: {}.", so_many(left_out, "arm"));
        }
        text
    }

    /// That medians are over fewer replicates than some arms have.
    fn over(&self) -> String {
        self.front.common().map_or_else(String::new, |common| format!(" Medians and quartiles are over {common}."))
    }

    /// What the figure shows, in sentences.
    fn about(&self, looks: &[Option<Look>]) -> String {
        let several = self.is_replicated();
        let mut text = self.shown();
        text.push_str(match self.front.goal {
            Goal::Target(_) => ".",
            Goal::Tolerance(_) => ", which ended runs.",
            Goal::End => {
                " (what a run overshoots the rule by that ended it does not count: its error is at least the \
                 tolerance, its bits and its time at most the budget)."
            }
        });
        text.push_str(
            " Filled: on the front, as no other arm needs at most as much of everything and less of something.",
        );
        if several {
            text += &of_replicates(self.front.goal);
            text += &self.over();
        }
        text.push_str(
            " Grey lines bound what is beaten in the two quantities of a panel. Markers stand at their \
            values, those of the front on top.",
        );
        let numbered = |arm: usize| match looks[arm]? {
            Look::Number(number) if self.front.goal == Goal::End => {
                Some(format!("{number} {}", self.samples.arms[arm].name))
            }
            Look::Number(number) => Some(format!("{number} {}", self.label(arm))),
            Look::Style(_) => None,
        };
        let numbered: Vec<String> = (0..looks.len()).filter_map(numbered).collect();
        if !numbered.is_empty() {
            text += &format!(" Numbered: {}.", numbered.join("; "));
        }
        for (why, arms) in self.front.left_out() {
            let name = |&arm: &usize| match (why, &self.front.arms[arm]) {
                (LeftOut::NoMedian, Standing { reached, degenerate, of, .. }) => {
                    let count = reached_of(*reached, *of, *degenerate);
                    format!("{} ({count} {})", self.samples.arms[arm].name, arrive(self.front.goal))
                }
                _ => self.samples.arms[arm].name.clone(),
            };
            let arms: Vec<String> = arms.iter().map(name).collect();
            text += &format!(" Left out, {}: {}.", why.words(), arms.join("; "));
        }
        text
    }
}

/// What the medians of replicates are, and what stands in brackets.
fn of_replicates(goal: Goal) -> String {
    let (not_there, brackets) = match goal {
        Goal::End => (
            "one that failed, or whose fit is degenerate, never comes to its end",
            "in how many replicates, each compared on its own, the arm is on the front",
        ),
        _ => (
            "one that ends before the target, failed, or has a degenerate fit counts as more than all that reach it",
            "k/n, of n replicates (with those that failed, ended with a degenerate fit or have no result) k reach the \
             target",
        ),
    };
    format!(
        " Medians and quartiles (crosses) are over the replicates: {not_there}; a cross goes on to \
         the frame where there is no upper quartile. In brackets: {brackets}."
    )
}

/// What replicates with a cost do, as costs are counted.
fn arrive(goal: Goal) -> &'static str {
    if goal == Goal::End { "come to their end" } else { "reach the target" }
}

/// How each arm that is compared looks: as in every other figure where they are few; where they are many, those on the
/// front have styles, those that are oftenest there first, and the others have numbers.
fn looks(points: &[Option<&Compared>], styles: &[usize]) -> Vec<Option<Look>> {
    if points.len() <= MAX_STYLES {
        return points.iter().enumerate().map(|(arm, compared)| compared.map(|_| Look::Style(styles[arm]))).collect();
    }
    let rank = |arm: usize| points[arm].map(|compared| (compared.on_front, compared.times));
    let on_front = |arm: &usize| points[*arm].is_some_and(|compared| compared.on_front || compared.times > 0);
    let mut front: Vec<usize> = (0..points.len()).filter(on_front).collect();
    front.sort_by(|&a, &b| rank(b).cmp(&rank(a)).then(a.cmp(&b)));
    front.truncate(MAX_STYLES);
    let mut number = 0;
    let mut look = |arm: usize| match front.contains(&arm) {
        true => Look::Style(styles[arm]),
        false => {
            number += 1;
            Look::Number(number)
        }
    };
    points.iter().enumerate().map(|(arm, compared)| compared.map(|_| look(arm))).collect()
}

#[cfg(test)]
mod tests {
    use super::{DrawnFront, Scatter};
    use crate::compare::{LeftOut, Sample, SampleArm, Samples, compare, fronts};
    use fedbits_record::results::{PlanTarget, TargetCost};
    use proptest::prelude::*;

    /// (reached, bits, seconds) of the runs of every arm, to one target.
    type Runs = Vec<Vec<(bool, u64, u64)>>;

    fn samples(arms: &Runs, planned: usize) -> Samples {
        let run = |&(reached, bits_total, seconds): &(bool, u64, u64)| {
            let time_ns = seconds * 1_000_000_000;
            let reach = TargetCost { reached, round: 1, time_ns, bits_up: bits_total, bits_total, unseen: 0 };
            let error = Some(0.5);
            Sample { reaches: vec![Some(reach)], bits_total, time_ns, error, ..Sample::default() }
        };
        let arm = |(number, runs): (usize, &Vec<(bool, u64, u64)>)| SampleArm {
            name: format!("arm {number}"),
            levels: vec![number],
            level_names: vec![number.to_string()],
            point: Vec::new(),
            runs: runs.iter().enumerate().map(|(replicate, own)| ((0, replicate as u64), run(own))).collect(),
            planned,
            failed: 0,
        };
        let targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
        Samples { arms: arms.iter().enumerate().map(arm).collect(), targets, ..Samples::default() }
    }

    /// The points, the details and the table.
    struct Pareto {
        scatter: Scatter,
        words: String,
        caption: String,
        table: String,
    }

    fn drawn(samples: &Samples) -> Option<Pareto> {
        let front = fronts(samples).swap_remove(0);
        let styles: Vec<usize> = (0..samples.arms.len()).collect();
        let drawn = DrawnFront { samples, styles: &styles, front, error: "‖h(Ŝ)‖²" };
        let (scatter, looks) = drawn.figure()?;
        Some(Pareto {
            scatter,
            words: drawn.about(&looks),
            caption: drawn.caption(),
            table: drawn.csv(&looks, &[]).unwrap(),
        })
    }

    fn cells(pareto: &Pareto) -> Vec<Vec<String>> {
        let rows = pareto.table.lines().skip(1);
        rows.map(|row| row.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect()).collect()
    }

    /// Two of ten runs reach the target at a tenth of everybody's cost: the arm is in no panel, and the caption says
    /// how many reach the target. Labels say the same of the others; where there is one replicate, nothing.
    #[test]
    fn two_of_ten_are_named_and_not_drawn() {
        let arm = |reached: usize, cost: u64| (0..10).map(|run| (run < reached, cost, cost)).collect::<Vec<_>>();
        let pareto = drawn(&samples(&vec![arm(2, 10), arm(9, 100), arm(10, 200)], 10)).unwrap();
        assert_eq!(pareto.scatter.panels[0].dots.len(), 2);
        let words: Vec<&str> = pareto.scatter.entries.iter().map(|entry| entry.words.as_str()).collect();
        assert_eq!(words, ["arm 1 (9/10)", "arm 2 (10/10)"]);
        assert!(pareto.words.contains("no median: arm 0 (2/10 reach the target)"), "{}", pareto.words);
        let one = drawn(&samples(&vec![vec![(true, 1, 1)], vec![(true, 2, 2)]], 1)).unwrap();
        let uneven = drawn(&samples(&vec![vec![(true, 1, 1); 3], vec![(true, 2, 2); 2]], 3)).unwrap();
        let over = " quartiles over 2 common replicates; in brackets: replicates that reach the target; filled: ";
        assert!(uneven.caption.contains(over), "{}", uneven.caption);
        for Pareto { caption, .. } in [&pareto, &one, &uneven] {
            assert!(caption.split_whitespace().count() <= 40, "{caption}");
        }
        assert!(pareto.caption.ends_with(" Left out: 1 arm."), "{}", pareto.caption);
        assert!(one.scatter.entries.iter().all(|entry| !entry.words.contains('/')), "{:?}", one.scatter.entries);
    }

    /// Where nobody sends anything, or the start is there already, no two costs are left to be drawn.
    #[test]
    fn there_is_no_figure_of_one_cost() {
        for seconds in [0, 2] {
            assert!(drawn(&samples(&vec![vec![(true, 0, seconds)]; 3], 1)).is_none());
        }
    }

    /// Of 24 arms those that are never on the front have numbers, which the caption resolves and the table holds.
    #[test]
    fn every_point_of_many_arms_is_named() {
        let arms = (0..24).map(|arm| vec![(true, 10 + arm, 10 + arm); 3]).collect();
        let pareto = drawn(&samples(&arms, 3)).unwrap();
        assert_eq!(pareto.scatter.panels[0].dots.len(), 24);
        let words = &pareto.words;
        assert!((1..24).all(|arm| words.contains(&format!("{arm} arm {arm} (3/3)"))), "{words}");
        assert_eq!(cells(&pareto)[5][12], "5");
    }

    proptest! {
        /// The front of the figure is that of `compare`; and nobody on it is beaten, nobody beside it is not, by the
        /// numbers of the figure's own table.
        #[test]
        fn figure_and_comparison_agree(
            arms in prop::collection::vec(prop::collection::vec((any::<bool>(), 1_u64..6, 1_u64..6), 1..6), 3..9),
        ) {
            let samples = samples(&arms, 6);
            let front = compare(&samples).fronts.swap_remove(0);
            let Some(pareto) = drawn(&samples) else {
                prop_assert!(front.arms.iter().filter(|arm| arm.compared.is_ok()).count() < 2);
                return Ok(());
            };
            let cells = cells(&pareto);
            let point = |row: &[String]| Some([row[4].parse::<f64>().ok()?, row[7].parse::<f64>().ok()?]);
            for ((row, standing), runs) in cells.iter().zip(&front.arms).zip(&arms) {
                let on_front = standing.compared.as_ref().is_ok_and(|compared| compared.on_front);
                prop_assert_eq!(row[1] == "1", on_front);
                let reached = runs.iter().filter(|run| run.0).count();
                prop_assert_eq!((row[10].clone(), row[3].clone()), (reached.to_string(), "6".to_owned()));
                prop_assert!(reached > 0 || standing.compared == Err(LeftOut::NoMedian));
                let Some(own) = point(row) else { continue };
                let beats = |other: [f64; 2]| other != own && other[0] <= own[0] && other[1] <= own[1];
                prop_assert_eq!(on_front, !cells.iter().filter_map(|row| point(row)).any(beats));
            }
        }
    }
}
