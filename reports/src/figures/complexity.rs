//! What each accuracy costs: Kaplan–Meier medians of bits or time to ε against ε = 10⁻¹, 10⁻², …, a line per arm. Drawn
//! by [`super::chart_shapes`].

use super::aim::{known_column, quantities};
use super::chart_shapes;
use super::charts::{Chart, Charts, Form, Shape, Side};
use super::facets::ArmsFrame;
use super::old_entries::entries;
use super::units::heading;
use crate::axes::Scale;
use crate::compare::{Measure, Observation, Quantity, Samples, Shared, kaplan_meier_median};
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::not_shown;
use fedbits_figures::Complexity;
use fedbits_record::results::{PlanTarget, TargetCost, reach};
use fedbits_record::{Float, RecordError, Table};
use fedbits_spec::Caveat;

/// The table `complexity` stands beside it.
const NAME: &str = "complexity_curves";
/// The smallest and the largest power of ten.
const POWERS: std::ops::RangeInclusive<i32> = -30..=30;
/// Fewer accuracies are no line.
const FEWEST: usize = 3;

/// The kind of figure.
pub(crate) struct Complexities;

impl FigureKind for Complexities {
    fn about(&self) -> About {
        About {
            name: NAME,
            title: "bits and time to ε against ε = 0.1, 0.01, …: what each accuracy costs",
            needs: "`mean_field_sq` in `rounds.csv`, or the column that is named, at values that runs come down to",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        draw(report, &Complexity::default())
    }
}

/// The figure; one per cost where the arms are spread over panels. None where the runs get over fewer than three powers
/// of ten.
pub(crate) fn draw(report: &Report<'_>, setting: &Complexity) -> Result<Vec<Drawing>, ReportError> {
    let column = setting.column.as_deref().unwrap_or("mean_field_sq");
    if setting.column.is_some() {
        known_column(report.samples(), column)?;
    }
    let targets = accuracies(report.arms(), column);
    if targets.len() < FEWEST {
        return Ok(Vec::new());
    }
    let samples = Samples::toward(&report.collected, &targets);
    let shared = Shared::of(&samples, 0..report.arms().len());
    let figure = ComplexityFigure { report, frames: report.frames(), samples, shared };
    let costs = quantities(&setting.costs);
    if figure.frames.len() == 1 {
        return Ok(vec![figure.drawing(NAME, &costs)?]);
    }
    costs.chunks(1).map(|own| figure.drawing(&format!("{NAME}-{}", own[0].name()), own)).collect()
}

/// Powers of ten, from the largest that not every run has from the start down to the smallest that some run gets to.
fn accuracies(arms: &[Arm], column: &str) -> Vec<PlanTarget> {
    let runs = || arms.iter().flat_map(Arm::records);
    let target = |power: i32| PlanTarget::at_most(column, power_of_ten(power));
    let costs = |power: i32| -> Vec<TargetCost> {
        runs().filter_map(|run| reach(run, &target(power))).filter(|own| own.reached).collect()
    };
    let is_cost = |power: &i32| costs(*power).iter().any(|own| own.round > 0) || costs(*power).is_empty();
    let from = POWERS.rev().find(is_cost).unwrap_or(*POWERS.start());
    (*POWERS.start()..=from).rev().take_while(|&power| !costs(power).is_empty()).map(target).collect()
}

/// The number that is written so: a power by multiplication may differ from it in the last digit.
fn power_of_ten(power: i32) -> f64 {
    format!("1e{power}").parse().expect("digits with an exponent are a number")
}

struct ComplexityFigure<'a> {
    report: &'a Report<'a>,
    frames: Vec<ArmsFrame>,
    /// Towards the accuracies, from the largest ε to the smallest.
    samples: Samples,
    shared: Shared,
}

impl ComplexityFigure<'_> {
    fn drawing(&self, name: &str, costs: &[Quantity]) -> Result<Drawing, ReportError> {
        let report = self.report;
        let panels = costs.iter().flat_map(|&cost| self.panels(cost)).collect();
        let has_point = |arm: usize| costs.iter().any(|&cost| !self.points(arm, cost).is_empty());
        let charts = Charts::of(report, entries(&self.frames, has_point), panels);
        let without = report.arms().iter().enumerate().filter(|(arm, _)| !has_point(*arm));
        let without = not_shown("no median above zero at any ε", without.map(|(_, arm)| arm.label()));
        report.drawing(
            (name, name),
            chart_shapes::draw(&charts, &report.look, &report.metrics),
            |comments| self.csv(costs, comments),
            report.words(&self.caption(), &(self.about() + &without)).with_caveats(self.caveats(costs)),
        )
    }

    fn observations(&self, arm: usize, target: usize, what: Quantity) -> Vec<Observation> {
        self.shared.observations(&self.samples, arm, &Measure { target: Some(target), what })
    }

    /// ε, from the largest to the smallest.
    fn accuracies(&self) -> impl Iterator<Item = f64> {
        self.samples.targets.iter().map(|target| target.bound.value())
    }

    /// ε and the median of what it costs, as far as there is one; what costs nothing has no place on a logarithmic
    /// axis.
    fn points(&self, arm: usize, cost: Quantity) -> Vec<(f64, f64)> {
        let median = |(target, epsilon)| Some((epsilon, kaplan_meier_median(&self.observations(arm, target, cost))?));
        self.accuracies().enumerate().map_while(median).filter(|own| own.1 > 0.0).collect()
    }

    /// A panel per frame of arms.
    fn panels(&self, cost: Quantity) -> Vec<Chart> {
        let medians: Vec<Vec<(f64, f64)>> = (0..self.report.arms().len()).map(|arm| self.points(arm, cost)).collect();
        let highest = medians.iter().flatten().map(|own| own.1).fold(0.0, f64::max);
        let (label, unit) = heading(cost, highest);
        let column = self.column();
        let smallest = self.accuracies().last();
        let panel = |frame: &ArmsFrame| {
            let shapes = frame.arms.iter().flat_map(|(arm, _, style)| {
                let own = medians[*arm].iter();
                let points: Vec<(f64, f64)> = own.map(|&(epsilon, value)| (epsilon, value / unit)).collect();
                let end = points.last().copied().filter(|end| Some(end.0) != smallest);
                let ring = Shape::new(*style, Form::Rings, end.into_iter().collect());
                [Shape::new(*style, Form::Marked, points), ring]
            });
            Chart {
                heading: frame.heading.clone(),
                x: Side {
                    label: format!("ε, for {column} ≤ ε"),
                    scale: Scale::Log,
                    holds: self.accuracies().collect(),
                    ..Side::default()
                },
                y: Side { label: label.clone(), scale: Scale::Log, ..Side::default() },
                shapes: shapes.collect(),
                strip: Vec::new(),
            }
        };
        self.frames.iter().map(panel).collect()
    }

    /// A tidy table: cost, arm, ε, median, runs that get there, runs.
    fn csv(&self, costs: &[Quantity], comments: &[String]) -> Result<String, RecordError> {
        let mut table =
            Table::in_memory(comments, &["measure", "arm", "epsilon", "median", "reached", "degenerate", "runs"])?;
        for &cost in costs {
            for (number, arm) in self.report.arms().iter().enumerate() {
                for (target, epsilon) in self.accuracies().enumerate() {
                    let own = self.observations(number, target, cost);
                    let reached = own.iter().filter(|own| own.is_reached()).count();
                    let (epsilon, median) = (Float(Some(epsilon)), Float(kaplan_meier_median(&own)));
                    let measure = Measure { target: Some(target), what: cost };
                    let degenerate = self.shared.degenerate(&self.samples, number, &measure);
                    table.row(&[&cost.name(), &arm.label, &epsilon, &median, &reached, &degenerate, &own.len()])?;
                }
            }
        }
        table.into_text()
    }

    fn caveats(&self, costs: &[Quantity]) -> Vec<Caveat> {
        let arms: Vec<usize> = (0..self.report.arms().len()).collect();
        let targets = 0..self.samples.targets.len();
        let of_target = |target| costs.iter().map(move |&what| Measure { target: Some(target), what });
        self.shared.caveats(&self.samples, &arms, &targets.flat_map(of_target).collect::<Vec<_>>())
    }

    /// What comes down, as papers write it.
    fn column(&self) -> String {
        crate::quantity::Quantity(&self.samples.targets[0].column).short()
    }

    fn caption(&self) -> String {
        let column = self.column();
        let over = self.shared.words("all arms");
        format!("What it takes to get to {column} ≤ ε: medians over {over}; a ring: there is none at the next ε.")
    }

    fn about(&self) -> String {
        let caption = self.caption();
        format!(
            "{caption} The first recorded round that is there counts; a run that ends before counts as more than \
             all that get there. An ε that a run has from its start costs nothing, and has \
             no point."
        )
    }
}
