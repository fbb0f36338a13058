//! How an optimization went: the cost of the arm that led after so many runs. Drawn by [`super::chart_shapes`].

use super::chart_shapes;
use super::charts::{Chart, Charts, Form, Shape, Side};
use super::search_costs::{cost, side};
use crate::decision::Decided;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_record::{Float, RecordError, Table};

/// The kind of figure.
pub(crate) struct BestSoFar;

/// An arm that led: its number, its cost, and the runs from which and up to which it did.
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
        let (incumbents, runs) = (&decided.decision.incumbents, decided.runs().1 as f64);
        let lead = |(number, own): (usize, &fedbits_record::study::Incumbent)| Lead {
            arm: own.arm,
            cost: cost(&decided, own.arm, 0),
            from: own.runs as f64,
            to: incumbents.get(number + 1).map_or(runs, |next| next.runs as f64),
        };
        let leads: Vec<Lead> = incumbents.iter().enumerate().map(lead).collect();
        if leads.is_empty() {
            return Ok(Vec::new());
        }
        let objective = &decided.search.objectives[0];
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
            "The best arm so far by {}, against the runs that were made before: the mean cost of all runs that the arm \
             had in the end, so that a line may rise where later replicates were worse.",
            objective.name()
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
            report.words(&caption, &format!("{caption} {}", decided.sentences().join(" "))),
        )?])
    }
}
