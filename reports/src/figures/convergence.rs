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

/// The kind of figure: of every quantity that was measured one with a panel per axis, and one per single axis.
pub(crate) struct Convergence;

impl FigureKind for Convergence {
    fn about(&self) -> About {
        About {
            name: "convergence",
            title: "`mean_field_sq`, `field_sq`, `objective`, accuracy, held-out likelihood against rounds, epochs, \
                    bits, time, energy, ε (`--x`, \
                    `--single`)",
            needs: "`rounds.csv` with a quantity that was measured",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        report
            .all_lines(Quantity::ALL.into_iter().flat_map(|(quantity, file)| figures(report, quantity, file)).collect())
    }
}

fn figures(report: &Report<'_>, quantity: Quantity<'_>, file: &str) -> Vec<Figure> {
    let (arms, options) = (report.arms(), report.options);
    let mut curves: Vec<Curve> = arms.iter().filter_map(|arm| report.curve(arm, quantity)).collect();
    if curves.is_empty() {
        return Vec::new();
    }
    let mut notes = notes(arms, &curves);
    match quantity.0 {
        "objective" if arms.len() > 1 => notes.extend(report.references().missing(arms)),
        "mean_field_sq" => curves.extend(predicted(&curves, &options.slopes)),
        _ => {}
    }
    let figure = |name: String, axes: &[XAxis]| Figure {
        name,
        data: file.to_owned(),
        verticals: vec![quantity.vertical()],
        panels: axes.iter().map(|&x| Panel::new(x, &curves)).collect(),
        live: true,
        notes: notes.clone(),
        ..Figure::default()
    };
    Figure::whole_and_singles(file, (options.usual_axes(), &options.singles), &curves, figure)
}

/// The lines of the slopes that theory predicts: labels of arms, and decades per round.
fn predicted(curves: &[Curve], slopes: &[(String, f64)]) -> Vec<Curve> {
    let predicted = |(index, (label, slope)): (usize, &(String, f64))| {
        let measured = curves.iter().find(|curve| curve.label == *label)?;
        measured.sloping(Some(*slope), slopes[..index].iter().filter(|(other, _)| other == label).count())
    };
    slopes.iter().enumerate().filter_map(predicted).collect()
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
