//! The gap of the objective: how far each arm is above a reference, against what it cost. The reference is where exact
//! EM converges when it goes on from the end of a run; of the runs of one problem (the same data and model) the least
//! one counts. Runs whose problem has no reference have no gap: the least recorded objective would make the best arm's
//! own end the zero of the axis.

use super::convergence::AXES;
use super::figure::Figure;
use super::references::References;
use crate::curves::Curve;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::quantity::{GAP, Quantity};
use crate::report::{Drawing, Report};
use fedbits_figures::XAxis;
use fedbits_spec::so_many;

const NAME: &str = GAP;

/// The kind of figure.
pub(crate) struct ObjectiveGap;

impl FigureKind for ObjectiveGap {
    fn about(&self) -> About {
        About {
            name: NAME,
            title: "the objective above the least reference of the same data and model",
            needs: "`rounds.csv` and the reference in the manifest, two arms or more",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        report.all_lines(figure(report.arms(), &AXES).into_iter().collect())
    }
}

/// The figure with a panel per axis; none where there is nothing to compare.
fn figure(arms: &[Arm], axes: &[XAxis]) -> Option<Figure> {
    let references = References::of(arms);
    let own = |arm: &Arm| arm.gap(|run| references.of_run(run));
    let curves: Vec<Curve> = arms.iter().filter_map(own).collect();
    if curves.len() < 2 || curves.iter().flat_map(|curve| &curve.points).all(|point| point.median <= 0.0) {
        return None;
    }
    let figure = Figure::new(NAME, ("", ""), axes, &curves);
    Some(Figure { verticals: vec![Quantity(GAP).vertical()], notes: notes(arms, &references), ..figure })
}

/// Share of an objective that its rounding may be: that of a sum over many examples.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Which values have no gap above zero, and which runs have no gap.
pub(crate) fn notes(arms: &[Arm], references: &References) -> Vec<String> {
    let mut notes = references.missing(arms);
    for arm in arms {
        let (mut equal, mut below, mut deepest) = (0, 0, 0.0_f64);
        for run in &arm.runs {
            let Some(reference) = references.of_run(run) else { continue };
            for objective in run.record.rounds.iter().filter_map(|row| row.objective) {
                let gap = objective - reference;
                if gap.abs() <= ROUNDING * reference.abs() {
                    equal += usize::from(gap <= 0.0);
                } else if gap < 0.0 {
                    below += 1;
                    deepest = deepest.max(-gap);
                }
            }
        }
        let label = &arm.label;
        if equal > 0 {
            notes.push(format!(
                "{label}: {} at the reference, up to rounding: no coordinate on a log axis",
                so_many(equal, "recorded value is|recorded values are")
            ));
        }
        if below > 0 {
            notes.push(format!(
                "{label}: {} below the reference, by up to {deepest:.1e}, at a worse optimum: no coordinate on a log \
                 axis",
                so_many(below, "recorded value is|recorded values are")
            ));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::{References, XAxis, figure};
    use crate::data::{Arm, Run};
    use fedbits_figures::Band;
    use fedbits_record::{Columns, Manifest, Recorder, Reference, RoundRow};
    use std::path::PathBuf;

    /// An arm with one run: the problem it solves, the reference that it ends with, and its objectives.
    fn arm(label: &str, problem: &str, reference: Option<f64>, objectives: &[f64]) -> Arm {
        let mut recorder = Recorder::memory(Columns::default());
        for (round, &objective) in (0_u64..).zip(objectives) {
            let row = RoundRow { round, bits_up: 8 * round, objective: Some(objective), ..RoundRow::default() };
            recorder.round(&row).unwrap();
        }
        let how = "the passes did not suffice".to_owned();
        let reference = Reference { problem: problem.to_owned(), objective: reference, how, ..Reference::default() };
        let manifest = Manifest { reference: Some(reference), ..Manifest::default() };
        let record = recorder.finish(manifest, &[], &[]).unwrap().unwrap();
        let runs = vec![Run { directory: PathBuf::new(), record: record.into() }];
        Arm {
            label: label.to_owned(),
            name: label.to_owned(),
            levels: Vec::new(),
            others: Vec::new(),
            style: 0,
            band: Band::Quartiles,
            runs,
        }
    }

    fn gaps(arms: &[Arm]) -> Vec<Vec<f64>> {
        let figure = figure(arms, &[XAxis::BitsUp]).unwrap();
        let curves = figure.panels[0].curves.iter();
        curves.map(|curve| curve.points.iter().map(|point| point.median).collect()).collect()
    }

    /// Arms on the same data share the least reference; one on other data has its own, however much higher its
    /// objective is. No arm's own end is the zero.
    #[test]
    fn a_reference_belongs_to_its_data() {
        let arms = [
            arm("good", "p", Some(1.0), &[3.0, 1.5, 1.125]),
            arm("bad", "p", Some(1.25), &[3.0, 2.5, 2.0]),
            arm("other data", "q", Some(7.0), &[9.0, 8.0, 7.5]),
        ];
        assert_eq!(gaps(&arms), [[2.0, 0.5, 0.125], [2.0, 1.5, 1.0], [2.0, 1.0, 0.5]]);
    }

    /// Without a reference there is no gap, and it is said why; an arm that another has found a reference for has one.
    #[test]
    fn without_a_reference_there_is_no_gap() {
        let none = [arm("a", "p", None, &[3.0, 2.0]), arm("b", "p", None, &[3.0, 1.0])];
        assert!(figure(&none, &[XAxis::BitsUp]).is_none());
        let missing = References::of(&none).missing(&none);
        assert_eq!(missing, ["a; b: no objective gap, as the passes did not suffice"]);
        let one = [arm("a", "p", None, &[3.0, 2.0]), arm("b", "p", Some(0.5), &[3.0, 1.0])];
        assert_eq!(gaps(&one), [[2.5, 1.5], [2.5, 0.5]]);
    }

    /// Values at and below the reference are counted where the caption is read.
    #[test]
    fn values_below_the_reference_are_reported() {
        let arms = [arm("a", "p", Some(1.0), &[3.0, 0.75, 1.5]), arm("b", "p", Some(1.25), &[2.0, 1.0])];
        let notes = figure(&arms, &[XAxis::BitsUp]).unwrap().notes;
        assert!(notes.iter().any(|note| note.contains("a: 1 recorded value is below") && note.contains("2.5e-1")));
        assert!(notes.iter().any(|note| note.contains("b: 1 recorded value is at the reference")), "{notes:?}");
    }
}
