//! A report in the making: what all its figures share, and how they are drawn.

use crate::caption::{self, Words};
use crate::compare::{Samples, folder_source};
use crate::curves::{Curve, moves};
use crate::data::{Arm, Collected};
use crate::error::ReportError;
use crate::figures::facets::{ArmsFrame, Facets};
use crate::figures::figure::{Figure, Line};
use crate::figures::references::References;
use crate::figures::shown::{absent, shown};
use crate::figures::{curve_panels, left_out};
use crate::latex::latex;
use crate::layout::{Grid, Laid, Sample, most_panels};
use crate::options::{ReportOptions, Wanted};
use crate::origin::{Origin, runs};
use crate::quantity::Quantity;
use crate::replicates::{CurvePoint, LevelCost};
use crate::rows::FigureRows;
use crate::scene::Scene;
use crate::style::Look;
use crate::text::{Rich, grouped, one_line};
use crate::words::{name_and_unit, part};
use fedbits_figures::{Figure as Declared, FigureKind as Setting, Scale, ShownArm, XAxis};
use fedbits_record::results::Bound;
use fedbits_record::{MEASURED_COLUMNS, RecordError};
use fedbits_spec::Caveat;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// A finished figure with all that stands beside it.
pub struct Drawing {
    pub(crate) name: String,
    pub(crate) scene: Scene,
    /// File name of the data without ending, and the data.
    pub(crate) data: (String, String),
    pub(crate) words: Words,
}

/// A report in the making: the runs that it shows, and how its figures are drawn.
pub struct Report<'a> {
    pub(crate) collected: Cow<'a, Collected>,
    pub(crate) options: &'a ReportOptions,
    pub(crate) origin: Origin,
    /// The runs in words.
    pub(crate) runs: Vec<String>,
    pub(crate) look: Look,
    facets: Option<Facets>,
    samples: OnceLock<Samples>,
    references: OnceLock<References>,
    /// The declaration that is drawn, where one is.
    declared: Option<Declared>,
    /// The arms that a declaration names and that are not here, in words.
    absent: Option<String>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(collected: &'a Collected, options: &'a ReportOptions) -> Self {
        let folder = collected.planned.iter().map(|planned| folder_source(&planned.plan, &planned.digest));
        let (origin, runs) = (Origin::new(collected, options), folder.chain(runs(&collected.arms)).collect());
        Self::of(Cow::Borrowed(collected), options, origin, runs)
    }

    fn of(collected: Cow<'a, Collected>, options: &'a ReportOptions, origin: Origin, runs: Vec<String>) -> Self {
        let (look, facets) = (options.style.look(), Facets::of(&collected));
        let (samples, references) = (OnceLock::new(), OnceLock::new());
        Self { collected, options, origin, runs, look, facets, samples, references, declared: None, absent: None }
    }

    /// The same report for a declared figure of some of these arms: name, caption and shape are those of the
    /// declaration.
    pub(crate) fn of_declaration(&self, arms: &[Arm], figure: &Declared) -> Report<'a> {
        let declared = Some(vec![figure.clone()]);
        let origin = Origin { wanted: Wanted::Declared, declared, ..self.origin.clone() };
        Report { declared: Some(figure.clone()), origin, ..self.choosing(arms, &figure.arms) }
    }

    /// A name of a figure of the kind as the declaration has it: `heat-TARGET` is `NAME-TARGET`.
    fn renamed(&self, name: &str) -> String {
        let Some(Declared { name: given, kind, .. }) = &self.declared else { return name.to_owned() };
        match name.strip_prefix(kind.name()) {
            // Figures of curves have it already, and those of a kind that is asked for by its name keep theirs.
            _ if kind.name() == given || matches!(kind, Setting::Curves(_)) => name.to_owned(),
            Some(rest) => format!("{given}{rest}"),
            None => format!("{given}-{name}"),
        }
    }

    /// The same report of the chosen ones of these arms alone: what a figure says of its origin stays that of all.
    pub(crate) fn choosing(&self, arms: &[Arm], chosen: &[ShownArm]) -> Report<'a> {
        let collected = Collected { arms: shown(arms, chosen), ..Collected::clone(&self.collected) };
        let report = Report::of(Cow::Owned(collected), self.options, self.origin.clone(), self.runs.clone());
        Report { declared: self.declared.clone(), absent: absent(arms, chosen), ..report }
    }

    /// The line of a quantity of an arm; none where no run measured it.
    pub(crate) fn curve(&self, arm: &Arm, quantity: Quantity<'_>) -> Option<Curve> {
        let mut curve = quantity.curve(arm, self.references(), &self.bounds(quantity.0))?;
        let planned = self.collected.planned.as_ref().map_or(0, |planned| planned.planned(arm));
        if let Some(progress) = &mut curve.progress {
            progress.planned = planned.max(arm.runs.len());
        }
        Some(curve)
    }

    /// Where the values of a quantity must get, if the targets or the stop rules of the runs say it.
    pub(crate) fn bounds(&self, quantity: &str) -> Vec<Bound> {
        let targets = self.collected.targets.iter();
        let mut all: Vec<Bound> =
            targets.filter(|target| target.column == quantity).map(|target| target.bound).collect();
        let rule = Some(quantity).filter(|quantity| *quantity == MEASURED_COLUMNS[1] && all.is_empty());
        all.extend(rule.and_then(|_| self.samples().goal_tolerance()).map(Bound::AtMost));
        all
    }

    /// The least references of the objective.
    pub(crate) fn references(&self) -> &References {
        self.references.get_or_init(|| References::of(self.arms()))
    }

    /// The arms to show, in their order.
    #[must_use]
    pub fn arms(&self) -> &[Arm] {
        &self.collected.arms
    }

    /// Draws lines; nothing without any. Many arms on several axes are spread over panels, in a figure for each of the
    /// horizontal axes.
    ///
    /// # Errors
    /// [`ReportError`].
    pub fn lines(&self, figure: Figure) -> Result<Vec<Drawing>, ReportError> {
        if figure.curves().next().is_none() {
            return Ok(Vec::new());
        }
        self.scaled_lines(figure.without_idle_axes(), Scale::Auto)
    }

    /// [`Self::lines`] with horizontal axes of this scale, which may have limits of their own.
    pub(crate) fn scaled_lines(&self, figure: Figure, scale: Scale) -> Result<Vec<Drawing>, ReportError> {
        let figures = match &self.facets {
            Some(facets) if figure.panels.iter().all(|panel| panel.heading.is_none()) => facets.spread(&figure),
            _ => vec![figure],
        };
        let pages = |figure: Figure| {
            let figure = curve_panels::with_floors(figure).with_trends().with_axes(scale);
            let columns = self.declared.as_ref().and_then(|declared| declared.columns);
            let grid = Grid { columns: columns.map(|columns| columns as usize), ..curve_panels::grid(&figure) };
            figure.pages(most_panels(&grid, &self.look))
        };
        figures.into_iter().flat_map(pages).map(|figure| self.line_drawing(figure)).collect()
    }

    fn line_drawing(&self, mut figure: Figure) -> Result<Drawing, ReportError> {
        figure.notes.extend(left_out::notes(&figure));
        let (grid, words) = (curve_panels::grid(&figure), caption::lines(&figure, self.arms()));
        self.figure((&figure.name, &figure.data), grid, &rows_of_lines(&figure)?, words)
    }

    /// What a file of that name carries, line by line: how it was made, by which command, and of which runs.
    pub(crate) fn comments(&self, name: &str) -> Result<Vec<String>, ReportError> {
        let origin = self.origin.named(name).line()?;
        let words = std::iter::once(self.origin.command()).chain(self.runs.iter().cloned());
        Ok(std::iter::once(origin).chain(words.map(|line| one_line(&line))).collect())
    }

    /// A figure of panels: its names (of the picture, and of the data), its data and its words.
    pub(crate) fn figure(
        &self,
        (name, data): (&str, &str),
        grid: Grid,
        rows: &FigureRows,
        words: Words,
    ) -> Result<Drawing, ReportError> {
        let (grid, unheeded) = self.as_declared(grid);
        let Laid { scene, notes } = grid.laid(&self.look);
        let notes: Vec<String> = notes.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        let told = format!("No room in the drawing, or in one of its panels: {}.\n", notes.join("; "));
        let notes = if notes.is_empty() { String::new() } else { told };
        let (name, data) = (self.renamed(name), self.renamed(data));
        let alike = alike(&grid);
        let absent = self.absent.iter().map(|absent| format!("Not shown: {absent}.\n"));
        let details = words.details
            + &unheeded
            + &alike
            + &notes
            + &absent.collect::<String>()
            + &shortened(&scene)
            + &self.beyond_page(&scene);
        let caption = match self.declared.as_ref().map_or("", |declared| declared.caption.trim()) {
            "" => words.caption,
            declared => format!("{declared} {}", words.caption),
        };
        let csv = rows.csv(&self.comments(&data)?);
        Ok(Drawing { scene, data: (data, csv), words: self.signed(Words { details, caption }), name })
    }

    /// A figure in parts, of one data or of data of their own, with its caption, a text about it, and caveats.
    pub(crate) fn parts(
        &self,
        (name, has_one_data): (&str, bool),
        parts: Vec<Grid>,
        rows: &FigureRows,
        [caption, about]: [String; 2],
        caveats: &[Caveat],
    ) -> Result<Vec<Drawing>, ReportError> {
        let of = parts.len();
        let draw = |(number, grid): (usize, Grid)| {
            let (page, part) = part(name, number, of);
            let words = self.words(&format!("{caption}{part}"), &format!("{about}{part}"));
            let data = if has_one_data { name } else { page.as_str() };
            self.figure((&page, data), grid, rows, words.with_caveats(caveats.iter().cloned()))
        };
        parts.into_iter().enumerate().map(draw).collect()
    }

    /// With the shape and the labels that the declaration says, and lines of the details on labels that the axes of the
    /// panels cannot have.
    fn as_declared(&self, mut grid: Grid) -> (Grid, String) {
        let Some(Declared { columns, aspect, x_label, y_label, .. }) = &self.declared else {
            return (grid, String::new());
        };
        let has_rows = grid.panels.iter().any(|panel| !panel.y.names.is_empty());
        let mut unheeded = String::new();
        if has_rows && aspect.is_some() {
            unheeded += &not_heeded("aspect", "rows have one height");
        }
        if has_rows && columns.is_some() && grid.panels.len() == 1 {
            unheeded += &not_heeded("columns", "there is one panel");
        }
        (grid.columns, grid.aspect) =
            (columns.map_or(grid.columns, |columns| Some(columns as usize)), aspect.or(grid.aspect));
        let labels = [x_label.trim(), y_label.trim()].into_iter().enumerate();
        for (axis, label) in labels.filter(|(_, label)| !label.is_empty()) {
            let first = grid.panels.first().map(|panel| panel.side(axis).label.clone());
            let has_names = grid.panels.iter().any(|panel| !panel.side(axis).names.is_empty());
            if has_names || !grid.panels.iter().all(|panel| Some(&panel.side(axis).label) == first.as_ref()) {
                unheeded += &not_heeded(["x_label", "y_label"][axis], "the panels have no such axis in common");
                continue;
            }
            for side in grid.panels.iter_mut().map(|panel| panel.side_mut(axis)) {
                let before: String = side.label.characters().collect();
                (side.label, side.brief) =
                    (Rich::plain(&format!("{label}{}", name_and_unit(&before).1)), String::new());
            }
        }
        (grid, unheeded)
    }

    /// A line of the details where the drawing is higher than what a page of the venue leaves it; else empty.
    fn beyond_page(&self, scene: &Scene) -> String {
        let (style, tallest) = (self.options.style.name(), self.look.tallest);
        match scene.height {
            height if height > tallest + 0.5 => {
                format!("Higher than a page: {height:.0} pt, of which `{style}` leaves {tallest:.0} pt.\n")
            }
            _ => String::new(),
        }
    }

    /// With the runs that the details speak of, and the digest of all of the report.
    pub(crate) fn signed(&self, words: Words) -> Words {
        let (shown, all): (usize, _) = (self.arms().iter().map(|arm| arm.runs.len()).sum(), self.origin.runs);
        let runs = if shown == all { all.to_string() } else { format!("{shown} of the report's {all}") };
        let caveats: String = self.collected.caveats.iter().map(|why| format!("Caveat: {why}.\n")).collect();
        let details = format!("{}{caveats}Runs shown: {runs}; digest {}.\n", words.details, self.origin.digest);
        Words { details, ..words }
    }

    /// A caption, and a text with the arms and their caveats.
    pub(crate) fn words(&self, caption: &str, about: &str) -> Words {
        Words::new(caption, about, self.arms())
    }

    /// The frames over which the arms are spread: one, or of many arms one per level of an axis.
    pub(crate) fn frames(&self) -> Vec<ArmsFrame> {
        let all = || self.arms().iter().enumerate().map(|(number, arm)| (number, arm.label.clone(), arm.style));
        match &self.facets {
            Some(facets) => facets.frames(),
            None => vec![ArmsFrame { heading: None, arms: all().collect() }],
        }
    }

    /// What comparisons of the runs are made of.
    pub(crate) fn samples(&self) -> &Samples {
        self.samples.get_or_init(|| Samples::of_arms(&self.collected, &[]))
    }

    /// The files of words beside the figure or table of that name: its caption as plain text and for LaTeX, and its
    /// details.
    pub(crate) fn captions(&self, name: &str, words: &Words) -> Result<[(String, String); 3], ReportError> {
        let tex = format!("{name}-caption");
        let comments: String = self.comments(&tex)?.iter().map(|line| format!("% {line}\n")).collect();
        Ok([
            (format!("{name}.txt"), format!("{}\n", words.caption)),
            (format!("{tex}.tex"), format!("{comments}{}%\n", latex(&words.caption))),
            (format!("{name}-details.txt"), words.details.clone()),
        ])
    }
}

/// A caveat where names of the legend have one look; else empty.
fn alike(grid: &Grid) -> String {
    let visible = |sample: Sample| {
        if let Sample::Dot(look, hollow) = sample { Sample::Dot(look.solid(), hollow) } else { sample }
    };
    let looks = grouped(grid.entries.iter().map(|entry| (visible(entry.sample), entry.words.as_str())));
    let shared: Vec<String> =
        looks.iter().filter(|(_, names)| names.len() > 1).map(|(_, names)| names.join(", ")).collect();
    let told = format!("Caveat: there are not so many looks: drawn alike are {}.\n", shared.join("; "));
    if shared.is_empty() { String::new() } else { told }
}

/// A line of the details on a field of a declaration.
fn not_heeded(field: &str, why: &str) -> String {
    format!("Not heeded: the declared `{field}`, as {why}.\n")
}

/// A line of the details with what shortened texts say in full; empty without any.
fn shortened(scene: &Scene) -> String {
    match &scene.shortened()[..] {
        [] => String::new(),
        names => format!("Names that end in … in the drawing, in full and in its order: {}.\n", names.join("; ")),
    }
}

/// A tidy table: `arm` (what the figure calls the line), the horizontal axes, the value with the ends of its band,
/// empty where there is none, and how many replicates it stands for. A row is a recorded round: its value is the
/// median (or mean) of the replicates. Of replicates with a target it is a level of accuracy: axes are the medians of
/// its cost, between `AXIS_low` and `AXIS_high`, and `running` counts the replicates that get there.
fn rows_of_lines(figure: &Figure) -> Result<FigureRows, RecordError> {
    let lines = figure.lines();
    // Axes that only some runs have stand there when these do.
    let has = |x: &XAxis| x.needs().is_none() || moves(*x, lines.iter().map(|line| line.curve));
    let axes: Vec<XAxis> = XAxis::ALL.into_iter().filter(has).collect();
    let names = axes.iter().map(|axis| axis.column().to_owned());
    let has_costs = lines.iter().any(|line| line.curve.progress.is_some());
    let ends = |axis: &XAxis| ["low", "high"].map(|end| format!("{}_{end}", axis.column()));
    let after: Vec<String> = axes.iter().filter(|_| has_costs).flat_map(ends).collect();
    let values = ["value", "low", "high", "running"].map(str::to_owned);
    let header: Vec<String> =
        std::iter::once("arm".to_owned()).chain(names).chain(values).chain(after.iter().cloned()).collect();
    let rows = |Line { label, curve, .. }: &Line<'_>| {
        let rows = match &curve.progress {
            Some(progress) => costs(label, &progress.rows(&axes)),
            None => rounds(label, figure, curve, (&axes, after.len())),
        };
        rows.into_iter()
    };
    FigureRows::new(&header, lines.iter().flat_map(rows))
}

/// A row for every recorded round.
fn rounds(label: &str, figure: &Figure, curve: &Curve, (axes, empty): (&[XAxis], usize)) -> Vec<Vec<String>> {
    let has_band = figure.band.is_there(curve.replicates);
    let row = |point: &CurvePoint| {
        let values = axes.iter().map(|&axis| point.at(axis)).chain([point.median]).map(number);
        let ends = [point.low, point.high].map(|end| if has_band { number(end) } else { String::new() });
        let row = std::iter::once(label.to_owned()).chain(values).chain(ends).chain([point.running.to_string()]);
        row.chain(std::iter::repeat_n(String::new(), empty)).collect()
    };
    curve.points.iter().map(row).collect()
}

/// A row for every level that has a median of its cost on each axis.
fn costs(label: &str, levels: &[Vec<LevelCost>]) -> Vec<Vec<String>> {
    let row = |row: &Vec<LevelCost>| {
        let first = row.first()?;
        let values = row.iter().map(|cost| cost.median).chain([first.level]).map(number);
        let after = [String::new(), String::new(), first.reached.to_string()];
        let ends = row.iter().flat_map(|cost| [cost.low, cost.high]).map(|end| end.map_or_else(String::new, number));
        Some(std::iter::once(label.to_owned()).chain(values).chain(after).chain(ends).collect())
    };
    levels.iter().filter_map(row).collect()
}

/// Whole numbers without a point, others so that they read back to the same bits.
fn number(value: f64) -> String {
    let whole = value.fract() == 0.0 && value.abs() < 9e15 && (value != 0.0 || value.is_sign_positive());
    if whole { format!("{value:.0}") } else { format!("{value:?}") }
}

/// What the lists of figures show of a kind.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name among the kinds, usually that of its files without ending.
    pub name: &'static str,
    /// What it shows: words, not a sentence.
    pub title: &'static str,
    /// What records must hold for it: files, columns, axes.
    pub needs: &'static str,
}

/// A kind of figure: what it shows of which records, and how it is drawn.
pub trait FigureKind: Send + Sync {
    /// Its name, what it shows and what it needs.
    fn about(&self) -> About;

    /// Its figures of the runs of a report; none if these lack what it needs.
    ///
    /// # Errors
    /// [`ReportError`].
    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError>;
}

/// A kind of figure of this crate.
pub(crate) struct BuiltinKind {
    pub name: &'static str,
    pub title: &'static str,
    pub needs: &'static str,
    pub draw: fn(&Report<'_>) -> Result<Vec<Drawing>, ReportError>,
}

impl FigureKind for BuiltinKind {
    fn about(&self) -> About {
        About { name: self.name, title: self.title, needs: self.needs }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        (self.draw)(report)
    }
}
