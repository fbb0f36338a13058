//! How an optimization went: the cost of the arm that led after so many runs. Mean costs of two arms are of different
//! replicates: only those that both have say which is better. So the line begins at the mean cost of the first arm, and
//! where another one leads it moves as the costs of the two differ over these. Drawn by [`super::chart_shapes`].

use super::chart_shapes;
use super::charts::{Chart, Charts, Form, Shape, Side};
use super::search_costs::{cost, side};
use crate::decision::{Decided, mean};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_record::{Float, RecordError, Table};
use std::collections::BTreeMap;

/// The kind of figure.
pub(crate) struct BestSoFar;

/// An arm that led: its number, where the line is, and the runs from which and up to which it did.
struct Lead {
    arm: usize,
    cost: f64,
    from: f64,
    to: f64,
}

impl FigureKind for BestSoFar {
    fn about(&self) -> About {
        About {
            name: "best_so_far",
            title: "the cost of the best arm of an optimization so far, against the runs that were made",
            needs: "a study with `search: Optimize(…)` of one objective",
        }
    }

    /// None of what is no optimization of one objective, or has had no result.
    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let Some(decided) = Decided::of_report(&report.collected) else {
            return Ok(Vec::new());
        };
        let leads = leads(report, &decided);
        if leads.is_empty() {
            return Ok(Vec::new());
        }
        let (objective, runs) = (&decided.search.objectives[0], decided.runs().1 as f64);
        let costs: Vec<f64> = leads.iter().map(|own| own.cost).collect();
        let (y, unit) = side(objective, &costs);
        let stairs = leads.iter().flat_map(|own| [(own.from, own.cost / unit), (own.to, own.cost / unit)]);
        let dots = leads.iter().map(|own| (own.from, own.cost / unit));
        let shapes = [(Form::Plain, stairs.collect()), (Form::Dots, dots.collect())];
        let panel = Chart {
            x: Side { label: "runs".to_owned(), holds: vec![0.0, runs], tight: true, ..Side::default() },
            y,
            shapes: shapes.into_iter().map(|(form, points)| Shape::new(0, form, points)).collect(),
            ..Chart::default()
        };
        let charts = Charts { free_x: false, ..Charts::of(report, Vec::new(), vec![panel]) };
        let caption = format!(
            "The best arm so far by {}, against the runs that were made before: from the {} cost of the first arm, by \
             what the costs of two arms differ over the replicates in which both got there.",
            objective.name(),
            mean(objective)
        );
        let details = format!(
            "Without such a replicate the line moves to the {} cost of the arm. It does not move where replicates are \
             added, and rises where these showed later that the arm before was no better.",
            mean(objective)
        );
        let csv = |comments: &[String]| -> Result<String, RecordError> {
            let mut table = Table::in_memory(comments, &["runs", "arm", "cost"])?;
            for own in &leads {
                table.row(&[
                    &own.from,
                    &decided.name(own.arm),
                    &Float(Some(own.cost).filter(|cost| !cost.is_nan())),
                ])?;
            }
            table.into_text()
        };
        Ok(vec![report.drawing(
            ("best_so_far", "best_so_far"),
            |description| chart_shapes::draw(&charts, &report.look, &report.metrics, description),
            csv,
            report.words(&caption, &format!("{caption} {details} {}", decided.sentences().join(" "))),
        )?])
    }
}

/// The arms that led, one after the other.
fn leads(report: &Report<'_>, decided: &Decided<'_>) -> Vec<Lead> {
    let (incumbents, runs) = (&decided.decision.incumbents, decided.runs().1 as f64);
    let mut leads: Vec<Lead> = Vec::new();
    for (number, own) in incumbents.iter().enumerate() {
        let moved = |last: &Lead| {
            let step = step(report, decided, last.arm, own.arm)?;
            let has_ratios = decided.search.objectives[0].has_ratios();
            Some(if has_ratios { last.cost * libm::exp(step) } else { last.cost + step })
        };
        leads.push(Lead {
            arm: own.arm,
            cost: leads.last().and_then(moved).unwrap_or_else(|| cost(decided, own.arm, 0)),
            from: own.runs as f64,
            to: incumbents.get(number + 1).map_or(runs, |next| next.runs as f64),
        });
    }
    leads
}

/// By how much an arm costs more than another, over the replicates in which both got there: in logarithms where costs
/// have ratios. `None` without such a replicate.
fn step(report: &Report<'_>, decided: &Decided<'_>, from: usize, to: usize) -> Option<f64> {
    let objective = &decided.search.objectives[0];
    let of = |arm: usize| -> BTreeMap<(u64, u64), f64> {
        let own = report.arms().iter().filter(|own| own.name == decided.name(arm)).flat_map(|own| own.records());
        let costs = own.filter_map(|run| Some((run, objective.cost(run).filter(|cost| cost.reached)?.cost)));
        costs.map(|(run, cost)| ((run.manifest.seed, run.manifest.replicate), cost)).collect()
    };
    let (before, after) = (of(from), of(to));
    let both = after.iter().filter_map(|(pair, to)| Some((before.get(pair)?, to)));
    let steps = both.map(|(from, to)| if objective.has_ratios() { libm::log(to / from) } else { to - from });
    let steps: Vec<f64> = steps.filter(|step| step.is_finite()).collect();
    (!steps.is_empty()).then(|| steps.iter().sum::<f64>() / steps.len() as f64)
}
