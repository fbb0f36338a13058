//! What the arms of an optimization cost, against each setting that it varies: a point per arm, small outlines for its
//! runs, rings around those that led. Drawn by [`super::chart_shapes`].

use super::chart_shapes;
use super::charts::{Chart, Charts, Form, Sample, Shape};
use super::levels::Positions;
use super::search_costs::{cost, numbers_of_runs, shown, side};
use crate::decision::{Decided, mean};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::first_few;
use fedbits_figures::Surface;
use fedbits_record::{Float, RecordError, Table};
use std::collections::BTreeSet;

/// The looks of arms, of those of which not all runs got there, and of the best.
const ARM: usize = 0;
const CENSORED: usize = 1;
const BEST: usize = 2;

/// At most so many arms without a value are named.
const MAX_NAMES: usize = 10;

/// The kind of figure.
pub(crate) struct Surfaces;

impl FigureKind for Surfaces {
    fn about(&self) -> About {
        About {
            name: "surface",
            title: "what the arms of an optimization cost, against each setting that it varies",
            needs: "a study with `search: Optimize(…)`",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        draw(report, &Surface::default())
    }
}

/// The figure; one per objective. None of what is no optimization.
pub(crate) fn draw(report: &Report<'_>, setting: &Surface) -> Result<Vec<Drawing>, ReportError> {
    let decided = Decided::of_report(&report.collected).filter(|own| !own.is_race());
    let Some(decided) = decided else { return Ok(Vec::new()) };
    let all = decided.plan.searched();
    let number = |path: &String| {
        let unknown = || ReportError::unknown("path of the search", path, all.iter().copied());
        all.iter().position(|own| own == path).ok_or_else(unknown)
    };
    let paths: Vec<usize> = match setting.paths.is_empty() {
        true => (0..all.len()).collect(),
        false => setting.paths.iter().map(number).collect::<Result<_, _>>()?,
    };
    let arms = shown(report, &decided);
    if arms.is_empty() || paths.is_empty() {
        return Ok(Vec::new());
    }
    let objectives = 0..decided.search.objectives.len();
    let figure = |objective: usize| SurfaceFigure { report, decided, arms: &arms, paths: &paths, objective }.drawing();
    objectives.map(figure).collect()
}

struct SurfaceFigure<'a> {
    report: &'a Report<'a>,
    decided: Decided<'a>,
    arms: &'a [usize],
    /// Numbers of the paths.
    paths: &'a [usize],
    objective: usize,
}

impl SurfaceFigure<'_> {
    fn drawing(&self) -> Result<Drawing, ReportError> {
        let report = self.report;
        let name = match self.objective {
            0 => "surface".to_owned(),
            other => format!("surface-{}", other + 1),
        };
        let entries = [("arm", ARM), ("not all its runs got there", CENSORED), ("best", BEST)];
        let styles: BTreeSet<usize> = self.arms.iter().map(|&arm| self.style(arm)).collect();
        let entries = entries.into_iter().filter(|(_, style)| styles.contains(style));
        let entries = entries.map(|(words, style)| (words.to_owned(), Sample::Marker(style))).collect();
        let panels = self.paths.iter().filter_map(|&path| self.panel(path)).collect();
        let charts = Charts { free_x: false, ..Charts::of(report, entries, panels) };
        let objective = &self.decided.search.objectives[self.objective];
        let caption = format!(
            "What the arms of the search cost by {}, against each setting: {}s over the runs of an arm, small outlines \
             its runs, rings arms that led for a time. Arms of a panel differ in other settings too.{}",
            objective.name(),
            mean(objective),
            numbers_of_runs(&self.decided, self.arms)
        );
        report.drawing(
            (&name, &name),
            |description| chart_shapes::draw(&charts, &report.look, &report.metrics, description),
            |comments| self.csv(comments),
            report
                .words(&caption, &format!("{caption} {}{}", self.decided.sentences().join(" "), self.without_values())),
        )
    }

    fn style(&self, arm: usize) -> usize {
        let own = self.decided.arm(arm);
        match (self.decided.decision.best.contains(&arm), own.feasible < own.runs) {
            (true, _) => BEST,
            (false, true) => CENSORED,
            (false, false) => ARM,
        }
    }

    /// A sentence for each setting that some arms do not have, behind a space.
    fn without_values(&self) -> String {
        let plan = self.decided.plan;
        let sentence = |&path: &usize| {
            let without = self.arms.iter().filter(|&&arm| plan.point(arm)[path].is_none());
            let names: Vec<String> = without.map(|&arm| self.decided.name(arm).to_owned()).collect();
            let names = (!names.is_empty()).then(|| first_few(names.into_iter(), MAX_NAMES))?;
            Some(format!(" Without a value of {}, and so not in its panel: {names}.", plan.searched()[path]))
        };
        self.paths.iter().filter_map(sentence).collect()
    }

    /// None of a setting that no arm has.
    fn panel(&self, path: usize) -> Option<Chart> {
        let plan = self.decided.plan;
        let with_value = self.arms.iter().filter_map(|&arm| Some((arm, plan.point(arm)[path]?)));
        let (arms, texts): (Vec<usize>, Vec<&str>) = with_value.unzip();
        let positions = Positions::of(plan.searched()[path], &texts);
        let costs: Vec<f64> = arms.iter().map(|&arm| cost(&self.decided, arm, self.objective)).collect();
        let (y, unit) = side(&self.decided.search.objectives[self.objective], &costs);
        let points = positions.at.iter().zip(&costs).map(|(&at, cost)| (at, cost / unit));
        let placed: Vec<(usize, (f64, f64))> = arms.into_iter().zip(points).collect();
        let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<(f64, f64)> {
            placed.iter().filter(|(arm, _)| wanted(*arm)).map(|(_, point)| *point).collect()
        };
        let runs = placed.iter().flat_map(|&(arm, (x, _))| {
            self.runs(arm).into_iter().map(move |cost| (x, cost / unit)).collect::<Vec<_>>()
        });
        let has_led = |arm: usize| self.decided.decision.incumbents.iter().any(|own| own.arm == arm);
        let mut shapes = vec![Shape::new(ARM, Form::Cloud, runs.collect())];
        for style in [ARM, CENSORED, BEST] {
            shapes.push(Shape::new(style, Form::Dots, of(&|arm| self.style(arm) == style)));
        }
        shapes.push(Shape::new(ARM, Form::Rings, of(&has_led)));
        shapes.retain(|shape| !shape.points.is_empty());
        let x = positions.side(self.report.options.x_scale);
        (!placed.is_empty()).then(|| Chart { x, y, shapes, ..Chart::default() })
    }

    /// What each run of an arm cost.
    fn runs(&self, arm: usize) -> Vec<f64> {
        let own = self.report.arms().iter().filter(|own| own.name == self.decided.name(arm));
        let objective = &self.decided.search.objectives[self.objective];
        own.flat_map(|own| own.records()).filter_map(|record| Some(objective.cost(record)?.cost)).collect()
    }

    /// A tidy table: arm, its values, mean cost, runs, those that got there, and whether it led for a time or is best.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let (plan, decision) = (self.decided.plan, self.decided.decision);
        let searched = plan.searched();
        let paths = self.paths.iter().map(|&path| searched[path]);
        let header: Vec<&str> =
            ["arm"].into_iter().chain(paths).chain(["cost", "runs", "feasible", "led", "best"]).collect();
        let mut table = Table::in_memory(comments, &header)?;
        for &arm in self.arms {
            let own = self.decided.arm(arm);
            table.cell(self.decided.name(arm))?;
            let point = plan.point(arm);
            self.paths.iter().try_for_each(|&path| table.cell(point[path].unwrap_or_default()))?;
            table.cell(Float(own.costs[self.objective]))?;
            let led = decision.incumbents.iter().any(|own| own.arm == arm);
            let flags = [u8::from(led), u8::from(decision.best.contains(&arm))];
            table.row(&[&own.runs, &own.feasible, &flags[0], &flags[1]])?;
        }
        table.into_text()
    }
}
