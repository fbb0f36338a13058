//! Convergence: a quantity against what it cost.

use super::declared::{self, is_measured};
use crate::error::ReportError;
use crate::kind::BuiltinKind;
use crate::quantity::{GAP, PARAMETER, Quantity};
use crate::report::{Drawing, Report};
use fedbits_figures::{Curves, Figure as Declared, FigureKind as Setting, Panels, XAxis};

/// Of a θ with more components than this only the first are drawn; all are in `theta.csv`.
const MOST_PARAMETERS: usize = 12;

/// The kind of figure: of every quantity that was measured one with a panel per axis.
pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "convergence",
    title: "every measured quantity and parameter against rounds, epochs, bits, time, energy, ε",
    needs: "`rounds.csv` with a quantity that was measured, or `theta.csv`",
    draw,
};

fn draw(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let mut drawn = Vec::new();
    for (name, curves) in all(report) {
        let figure = Declared::new(&name, Setting::Curves(curves.clone()));
        drawn.extend(declared::draw(report, &figure, &curves)?);
    }
    Ok(drawn)
}

/// What there is to be drawn: names of figures and their settings.
fn all(report: &Report<'_>) -> Vec<(String, Curves)> {
    let x = vec![XAxis::Epochs, XAxis::BitsUp, XAxis::BitsTotal, XAxis::Time];
    let known = Quantity::ALL.into_iter().map(|(quantity, file)| (quantity.0, file));
    let gap = (report.arms().len() > 1).then_some((GAP, GAP));
    let further = ["perplexity_held_out", "held_out_rmse"].map(|name| (name, name));
    let quantities = known.chain(gap).chain(further).filter(|(name, _)| is_measured(report, name));
    let curves = |(name, file): (&str, &str)| {
        (file.to_owned(), Curves { y: vec![name.to_owned()], x: x.clone(), ..Curves::default() })
    };
    quantities.map(curves).chain(parameters(report)).collect()
}

/// The parameters, where some run recorded θ: the weights of a mixture, or the first ones.
fn parameters(report: &Report<'_>) -> Option<(String, Curves)> {
    let records = report.arms().iter().flat_map(|arm| arm.records());
    let names = &records.filter_map(|record| record.theta.as_ref()).next()?.names;
    let first = || names.iter().take(MOST_PARAMETERS).map(|name| format!("{PARAMETER}{name}")).collect();
    let (file, y, x, panels) = match names.iter().any(|name| name.starts_with("weight_")) {
        true => ("weights", vec![format!("{PARAMETER}weight_*")], vec![XAxis::Epochs], Panels::Arms),
        false => ("parameters", first(), Vec::new(), Panels::default()),
    };
    Some((file.to_owned(), Curves { y, x, panels, ..Curves::default() }))
}
