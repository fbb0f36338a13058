//! The weights of a mixture's components against epochs.

use super::components;
use super::figure::{Figure, Panel};
use crate::curves::Curve;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_figures::XAxis;

const NAME: &str = "weights";
/// The columns of `theta.csv`.
const PREFIX: &str = "weight_";

/// The kind of figure: a panel per arm, as arms may differ in what a round costs.
pub(crate) struct Weights;

impl FigureKind for Weights {
    fn about(&self) -> About {
        About {
            name: NAME,
            title: "the weights of a mixture's components against epochs",
            needs: "`theta.csv` of a mixture",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let arms = report.arms();
        let panels = arms.iter().filter_map(|arm| panel(arm, arms.len() > 1)).collect();
        let figure = Figure::new(NAME, ("component weight", "the weights of the mixture's components"), &[], &[]);
        let notes = components::caveat(arms, |name| name.starts_with(PREFIX)).iter().map(ToString::to_string).collect();
        report.lines(Figure { panels, notes, ..figure })
    }
}

fn panel(arm: &Arm, several: bool) -> Option<Panel> {
    let names = arm.runs.first()?.record.theta.as_ref()?.names.iter();
    // Counted as in `theta.csv`, `components.csv` and predictions: from 0.
    let component = |(index, name): (usize, &String)| {
        let number = name.strip_prefix(PREFIX)?;
        arm.component(index, name, format!("component {number}"))
    };
    let curves: Vec<Curve> = names.filter(|name| name.starts_with(PREFIX)).enumerate().filter_map(component).collect();
    let heading = several.then(|| arm.label.clone());
    (!curves.is_empty()).then(|| Panel { heading, ..Panel::new(XAxis::Epochs, &curves) })
}
