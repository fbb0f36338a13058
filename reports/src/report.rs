//! A report in the making: what all its figures share, and how they are drawn.

use crate::caption::{self, Words};
use crate::compare::{Samples, folder_source};
use crate::curves::Curve;
use crate::data::{Arm, Collected};
use crate::error::ReportError;
use crate::figures::facets::{ArmsFrame, Facets};
use crate::figures::figure::Figure;
use crate::figures::layout::{most_columns, most_panels};
use crate::figures::references::References;
use crate::figures::shown::{absent, shown};
use crate::figures::{ends, inset, left_out, panels};
use crate::latex::latex;
use crate::options::ReportOptions;
use crate::origin::{Origin, runs};
use crate::quantity::Quantity;
use crate::style::Look;
use crate::svg::DrawError;
use crate::table;
use crate::text::{Metrics, Rich, one_line};
use crate::words::{cut_names, fitted};
use fedbits_figures::{Figure as Declared, Scale, ShownArm};
use fedbits_record::RecordError;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

/// The longest unit behind the words at an axis.
const UNIT: &str = " (Mbit)";

/// A finished figure with all that stands beside it.
pub struct Drawing {
    pub(crate) name: String,
    pub(crate) svg: String,
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
    pub(crate) metrics: Metrics,
    facets: Option<Facets>,
    samples: OnceCell<Samples>,
    references: OnceCell<References>,
    /// The declaration that is drawn, where one is.
    declared: Option<Declaration>,
    /// The arms that a declaration names and that are not here, in words.
    absent: Option<String>,
}

/// What a declaration says of its figures, whatever their kind.
#[derive(Clone)]
struct Declaration {
    /// What the names of the kind's figures begin with, …
    stem: String,
    /// … and what they begin with instead.
    name: String,
    caption: String,
    /// Panels side by side, and height of a frame in widths.
    shape: Shape,
    /// Did the kind ask for the shape?
    shaped: Cell<bool>,
    /// What the horizontal and the vertical axis are called; empty as the program calls them.
    labels: [String; 2],
    /// Has an axis such a name?
    labelled: [Cell<bool>; 2],
    /// Is it cut there?
    cut: [Cell<bool>; 2],
}

/// Panels side by side, and height of a frame in widths, as far as they are said.
pub(crate) type Shape = (Option<usize>, Option<f64>);

impl Declaration {
    /// `heat-TARGET` is `NAME-TARGET`.
    fn renamed(&self, name: &str) -> String {
        match name.strip_prefix(&self.stem) {
            // Figures of a kind that is asked for by its name.
            _ if self.stem == self.name => name.to_owned(),
            Some(rest) => format!("{}{rest}", self.name),
            None => format!("{}-{name}", self.name),
        }
    }
}

impl<'a> Report<'a> {
    pub(crate) fn new(collected: &'a Collected, options: &'a ReportOptions) -> Self {
        let folder = collected.planned.iter().map(|planned| folder_source(&planned.plan, &planned.digest));
        Self {
            collected: Cow::Borrowed(collected),
            options,
            origin: Origin::new(collected, options),
            runs: folder.chain(runs(&collected.arms)).collect(),
            look: options.style.look(),
            metrics: Metrics::new(),
            facets: Facets::of(collected),
            samples: OnceCell::new(),
            references: OnceCell::new(),
            declared: None,
            absent: None,
        }
    }

    /// The same report for a declared figure of some of these arms, of a kind whose figures' names begin with `stem`:
    /// name, caption and shape are those of the declaration.
    pub(crate) fn of_declaration(&self, arms: &[Arm], figure: &Declared, stem: &str) -> Report<'a> {
        let (stem, name, caption) = (stem.to_owned(), figure.name.clone(), figure.caption.trim().to_owned());
        let shape = (figure.columns.map(|columns| columns as usize), figure.aspect);
        let labels = [&figure.x_label, &figure.y_label].map(|label| label.trim().to_owned());
        let (shaped, labelled) = (Cell::new(false), [Cell::new(false), Cell::new(false)]);
        let cut = [Cell::new(false), Cell::new(false)];
        let declared = Some(Declaration { stem, name, caption, shape, shaped, labels, labelled, cut });
        let origin = self.origin.of_declaration(figure);
        Report { declared, origin, ..self.choosing(arms, &figure.arms) }
    }

    /// The same report of the chosen ones of these arms alone: what a figure says of its origin stays that of all.
    pub(crate) fn choosing(&self, arms: &[Arm], chosen: &[ShownArm]) -> Report<'a> {
        let collected = Collected { arms: shown(arms, chosen), ..self.collected.without_arms() };
        Report {
            facets: Facets::of(&collected),
            collected: Cow::Owned(collected),
            options: self.options,
            origin: self.origin.clone(),
            runs: self.runs.clone(),
            look: self.look,
            metrics: Metrics::new(),
            samples: OnceCell::new(),
            references: OnceCell::new(),
            declared: self.declared.clone(),
            absent: absent(arms, chosen),
        }
    }

    /// Panels side by side, and the height of a frame in widths, where a declaration says them.
    pub(crate) fn shape(&self) -> Shape {
        let asked = self.declared.as_ref().inspect(|declared| declared.shaped.set(true));
        asked.map(|declared| declared.shape).unwrap_or_default()
    }

    /// What the declaration calls the horizontal axis (0) or the vertical one (1) of panels that call it so; none where
    /// it says nothing, or where these differ.
    /// What is longer than the room beside its axis, one of so many panels, is cut.
    pub(crate) fn axis_label<T: PartialEq>(
        &self,
        axis: usize,
        values: impl IntoIterator<Item = T>,
        panels: usize,
    ) -> Option<String> {
        let declared = self.declared.as_ref().filter(|declared| !declared.labels[axis].is_empty())?;
        let mut values = values.into_iter();
        let first = values.next()?;
        values.all(|value| value == first).then(|| {
            let label = fitted(&[&declared.labels[axis]], self.beside(axis, panels), self.look.label, &self.metrics);
            declared.labelled[axis].set(true);
            declared.cut[axis].set(label[0] != declared.labels[axis]);
            label.concat()
        })
    }

    /// Room for the words at an axis of one of so many panels, without a unit behind them.
    fn beside(&self, axis: usize, panels: usize) -> f64 {
        let (look, (columns, aspect)) = (&self.look, self.shape());
        let width = 0.8 * look.width / columns.unwrap_or(look.columns).clamp(1, panels.max(1)) as f64;
        let unit = self.metrics.width(&Rich::plain(UNIT), look.label);
        let height =
            aspect.map_or(if panels > 1 { look.panel_height } else { look.single_height }, |ratio| ratio * width);
        if axis == 0 { width - unit } else { height + look.label }
    }

    /// What is declared and the kind does not heed, each as a line of the details.
    fn unheeded(&self) -> String {
        let Some(declared) = &self.declared else { return String::new() };
        let shape = |is_there: bool| is_there && !declared.shaped.get();
        let label = |axis: usize| !declared.labels[axis].is_empty() && !declared.labelled[axis].get();
        let of_kind = "which says nothing of this kind";
        let of_panels = "which no axis of this kind, or not the axes of all panels, can have";
        [
            ("columns", shape(declared.shape.0.is_some()), of_kind),
            ("aspect", shape(declared.shape.1.is_some()), of_kind),
            ("x_label", label(0), of_panels),
            ("y_label", label(1), of_panels),
        ]
        .into_iter()
        .filter(|(_, is_unheeded, _)| *is_unheeded)
        .map(|(name, _, why)| format!("Not heeded: the declared `{name}`, {why}.\n"))
        .chain(
            ["x_label", "y_label"]
                .iter()
                .zip(&declared.cut)
                .zip(&declared.labels)
                .filter(|((_, cut), _)| cut.get())
                .map(|((name, _), label)| {
                    format!("The declared `{name}`, which is longer than its axis, in full: {label}.\n")
                }),
        )
        .collect()
    }

    /// The line of a quantity of an arm; none where no run measured it.
    pub(crate) fn curve(&self, arm: &Arm, quantity: Quantity<'_>) -> Option<Curve> {
        quantity.curve(arm, self.references())
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

    /// [`Self::lines`] of each of some figures.
    pub(crate) fn all_lines(&self, figures: Vec<Figure>) -> Result<Vec<Drawing>, ReportError> {
        let mut drawn = Vec::new();
        for figure in figures {
            drawn.extend(self.lines(figure)?);
        }
        Ok(drawn)
    }

    /// [`Self::lines`] with horizontal axes of this scale, which may have limits of their own.
    pub(crate) fn scaled_lines(&self, figure: Figure, scale: Scale) -> Result<Vec<Drawing>, ReportError> {
        let figure = self.shaped(figure);
        let figures = match &self.facets {
            Some(facets) if figure.panels.iter().all(|panel| panel.heading.is_none()) => facets.spread(&figure),
            _ => vec![figure],
        };
        let pages = |figure: Figure| {
            let most = most_panels(&figure, &self.look, &self.metrics);
            figure.with_trends().with_axes(scale).pages(most)
        };
        figures.into_iter().flat_map(pages).map(|figure| self.line_drawing(figure)).collect()
    }

    /// With the shape that the declaration says, as far as the page has room for it.
    fn shaped(&self, figure: Figure) -> Figure {
        let ((columns, aspect), room) = (self.shape(), most_columns(&self.look));
        let asked = columns.filter(|&columns| columns > room && figure.panels.len() > room);
        let axes = figure.panels.iter().map(|panel| panel.x).filter(|_| !figure.stands_in);
        let panels = figure.panels.len();
        let x_label = self.axis_label(0, axes, panels);
        let mut figure = Figure { columns: columns.map(|columns| columns.min(room)), aspect, x_label, ..figure };
        if let Some(label) = self.axis_label(1, 0..figure.verticals.len().min(2), panels) {
            figure.verticals[0].label = Rich::plain(&label);
        }
        match asked {
            Some(asked) => {
                figure.note(&format!("the page has room for {room} panels side by side, not for the declared {asked}"))
            }
            None => figure,
        }
    }

    fn line_drawing(&self, mut figure: Figure) -> Result<Drawing, ReportError> {
        figure.notes.extend(left_out::notes(&figure));
        figure.notes.extend(ends::notes(&figure));
        let figure = inset::noted(figure, &self.look, &self.metrics);
        self.drawing(
            (&figure.name, &figure.data),
            |description| panels::draw(&figure, &self.look, &self.metrics, description),
            |comments| table::csv(&figure, comments),
            caption::lines(&figure, self.arms()),
        )
    }

    /// What a file of that name carries, line by line: how it was made, by which command, and of which runs.
    pub(crate) fn comments(&self, name: &str) -> Result<Vec<String>, ReportError> {
        let origin = self.origin.named(name).line()?;
        let words = std::iter::once(self.origin.command()).chain(self.runs.iter().cloned());
        Ok(std::iter::once(origin).chain(words.map(|line| one_line(&line))).collect())
    }

    /// A figure of that name, with data of that name.
    pub(crate) fn drawing(
        &self,
        (name, data): (&str, &str),
        draw: impl FnOnce(&str) -> Result<String, DrawError>,
        csv: impl FnOnce(&[String]) -> Result<String, RecordError>,
        words: Words,
    ) -> Result<Drawing, ReportError> {
        let renamed =
            |name: &str| self.declared.as_ref().map_or_else(|| name.to_owned(), |declared| declared.renamed(name));
        let (name, data) = (renamed(name), renamed(data));
        let drawn = draw(&self.comments(&name)?.join("\n"));
        let svg = drawn.map_err(|error| ReportError::Drawing { figure: name.clone(), source: Box::new(error) })?;
        let absent = self.absent.iter().map(|absent| format!("Not shown: {absent}.\n"));
        let details = words.details + &absent.collect::<String>() + &self.unheeded();
        let details = details + &self.cut_names(&svg) + &self.beyond_page(&svg);
        let caption = match &self.declared {
            Some(declared) if !declared.caption.is_empty() => format!("{} {}", declared.caption, words.caption),
            _ => words.caption,
        };
        let csv = csv(&self.comments(&data)?)?;
        Ok(Drawing { svg, data: (data, csv), words: self.signed(Words { details, caption }), name })
    }

    /// The full names of arms, axes and levels that the drawing shortens, as a line of the details; empty where there
    /// are none.
    fn cut_names(&self, svg: &str) -> String {
        let arms = self.collected.arms.iter().map(|arm| arm.label.as_str());
        let axes = self.collected.planned.iter().flat_map(|planned| &planned.plan.axes);
        // What a search varies are values by path; its levels are names of points.
        let of_axis = axes.flat_map(|axis| {
            [&axis.name].into_iter().chain(&axis.levels).chain(axis.values.iter().flatten()).map(String::as_str)
        });
        let names: Vec<&str> = arms.chain(of_axis).collect();
        match cut_names(svg, &names) {
            cut if cut.is_empty() => String::new(),
            cut => format!("Names that end in … in the drawing, in full and in its order: {}.\n", cut.join("; ")),
        }
    }

    /// A line of the details where the drawing is higher than what a page of the venue leaves it; else empty.
    fn beyond_page(&self, svg: &str) -> String {
        let (style, tallest) = (self.options.style.name(), self.look.tallest);
        match crate::svg::height(svg).filter(|height| *height > tallest + 0.5) {
            Some(height) => format!("Higher than a page: {height:.0} pt, of which `{style}` leaves {tallest:.0} pt.\n"),
            None => String::new(),
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
