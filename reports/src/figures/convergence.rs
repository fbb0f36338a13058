//! Convergence: a quantity against what it cost.

use super::figure::{Figure, Panel};
use crate::curves::Curve;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::quantity::Quantity;
use crate::report::{Drawing, Report};
use fedbits_figures::XAxis;
use fedbits_spec::so_many;

/// Up to this many arms are named one by one when they share a peculiarity.
const MAX_NOTES: usize = 6;

/// Horizontal axes of this kind and of the gap of the objective, a panel each.
pub(super) const AXES: [XAxis; 4] = [XAxis::Epochs, XAxis::BitsUp, XAxis::BitsTotal, XAxis::Time];

/// The kind of figure: of every quantity that was measured one with a panel per axis.
pub(crate) struct Convergence;

impl FigureKind for Convergence {
    fn about(&self) -> About {
        About {
            name: "convergence",
            title: "`mean_field_sq`, `field_sq`, `objective`, accuracy, held-out likelihood against rounds, epochs, \
                    bits, time, energy, ε",
            needs: "`rounds.csv` with a quantity that was measured",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let figures = Quantity::ALL.into_iter().filter_map(|(quantity, file)| figure(report, quantity, file));
        report.all_lines(figures.collect())
    }
}

fn figure(report: &Report<'_>, quantity: Quantity<'_>, file: &str) -> Option<Figure> {
    let arms = report.arms();
    let curves: Vec<Curve> = arms.iter().filter_map(|arm| report.curve(arm, quantity)).collect();
    if curves.is_empty() {
        return None;
    }
    let mut notes = notes(arms, &curves);
    if quantity.0 == "objective" && arms.len() > 1 {
        notes.extend(report.references().missing(arms));
    }
    Some(Figure {
        name: file.to_owned(),
        data: file.to_owned(),
        verticals: vec![quantity.vertical()],
        panels: AXES.iter().map(|&x| Panel::new(x, &curves)).collect(),
        notes,
        ..Figure::default()
    })
}

/// What the curves leave out.
pub(crate) fn notes(arms: &[Arm], curves: &[Curve]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut uneven = Vec::new();
    for arm in arms {
        let last: Vec<u64> = arm.runs.iter().filter_map(|run| run.record.rounds.last().map(|row| row.round)).collect();
        if let (Some(shortest), Some(longest)) = (last.iter().min(), last.iter().max())
            && shortest < longest
        {
            let failed = arm.runs.iter().filter(|run| run.record.manifest.failure().is_some()).count();
            let failed = if failed == 0 { String::new() } else { format!(", {failed} of them because they failed") };
            uneven.push(format!("{}: replicates ended between rounds {shortest} and {longest}{failed}", arm.label));
        }
        match curves.iter().find(|curve| curve.label == arm.label) {
            None => notes.push(format!("{}: not measured", arm.label)),
            Some(curve) if curve.replicates < arm.runs.len() => {
                let without = arm.runs.len() - curve.replicates;
                notes.push(format!("{}: {without} of {} recorded no value", arm.label, so_many(arm.runs.len(), "run")));
            }
            Some(_) => {}
        }
    }
    if uneven.len() > MAX_NOTES {
        uneven = vec![format!("in {} arms replicates ended after different rounds", uneven.len())];
    }
    notes.extend(uneven);
    notes
}
