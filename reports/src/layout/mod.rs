//! The one layout: panels of shapes over axes in a grid, under a legend. A kind of figure gives data; everything here
//! is measured, so that nothing leaves the page and no text meets another. What is shortened or left out is returned.
//!
//! An axis is numeric, or has names at 0, 1, 2, …: rows (forest, race, bars) are panels whose vertical axis has names,
//! cells (heat) have names on both.

mod clip;
mod draw;
mod frame;
mod labels;
mod legend;
mod marks;
mod measure;
mod scales;
mod shapes;

pub(crate) use frame::{Frame, Plot};
pub(crate) use legend::{Entry, Sample};
pub(crate) use marks::{BoxStyle, Hatch, Line as HatchLine, PLAIN, RISING};
#[cfg(test)]
pub(crate) use marks::{ink, on_paper};
pub(crate) use measure::{is_on_page, most_panels, pages_of_panels, pages_of_rows, rows_of_page};
pub(crate) use shapes::BAND;

use crate::axes::Scale;
use crate::style::{LineStyle, Rgb};
use crate::text::Rich;

/// A figure before it is measured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grid {
    pub panels: Vec<Panel>,
    pub entries: Vec<Entry>,
    /// Panels side by side; none: as many as the venue's page has room for.
    pub columns: Option<usize>,
    /// Height of a frame in widths; none: that of the venue.
    pub aspect: Option<f64>,
    /// Have panels whose horizontal (vertical) axes have the same label limits of their own?
    pub free: [bool; 2],
    /// Width of a frame below which fewer panels stand side by side, in sizes of tick labels; none: that of the layout.
    pub narrow: Option<f64>,
    /// Are lines named at their ends where there is room, instead of in the legend?
    pub at_ends: bool,
}

impl Grid {
    /// The same with so many of its panels each.
    pub(crate) fn parts(&self, panels: usize) -> Vec<Self> {
        self.panels.chunks(panels).map(|panels| Self { panels: panels.to_vec(), ..self.clone() }).collect()
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Panel {
    /// What distinguishes this panel from the others when it is not an axis. It stands also over those right of it that
    /// have none.
    pub heading: Option<String>,
    pub x: Side,
    pub y: Side,
    /// Drawn in the order of their rank, and of these in their own.
    pub shapes: Vec<Shape>,
    /// What has no place in the frame and stands above it.
    pub strip: Vec<Beyond>,
    /// Columns of words right of the frame, one line per name of the vertical axis.
    pub beside: Vec<WordColumn>,
    /// Height of the frame in sizes of tick labels, where it is not that of the venue; of a map the most.
    pub height: Option<f64>,
    /// Is a unit as long upwards as across?
    pub is_map: bool,
}

impl Panel {
    /// Shapes over two axes.
    pub(crate) fn new(x: Side, y: Side, shapes: impl IntoIterator<Item = Shape>) -> Self {
        Self { x, y, shapes: shapes.into_iter().collect(), ..Self::default() }
    }

    /// Its horizontal axis (0), or its vertical one (1).
    pub(crate) fn side(&self, axis: usize) -> &Side {
        if axis == 0 { &self.x } else { &self.y }
    }

    /// The same, to be changed.
    pub(crate) fn side_mut(&mut self, axis: usize) -> &mut Side {
        if axis == 0 { &mut self.x } else { &mut self.y }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct WordColumn {
    pub heading: String,
    pub words: Vec<String>,
}

/// An axis before it is measured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Side {
    pub label: Rich,
    /// The same in fewer words, for a narrow frame; empty: there are none.
    pub brief: String,
    pub scale: Scale,
    /// Values that it holds beside those of the shapes.
    pub holds: Vec<f64>,
    /// The values at its ends, where it does not show everything.
    pub window: [Option<f64>; 2],
    /// Does it end where its values end?
    pub tight: bool,
    /// What stands at 0, 1, 2, …, from the top or the left; empty: it is numeric.
    pub names: Vec<String>,
    /// Height of a row (width of a column) of a name in sizes of tick labels; 0: that of the layout.
    pub pitch: f64,
    /// Ticks instead of round ones: values and labels. Where there is no room for all, every second, third, … is shown.
    pub ticks: Vec<(f64, String)>,
    /// Has it no line, no ticks and no labels?
    pub is_bare: bool,
}

impl Side {
    /// A linear axis.
    pub(crate) fn new(label: &str) -> Self {
        Self { label: Rich::plain(label), ..Self::default() }
    }

    pub(crate) fn of_names(label: &str, names: Vec<String>) -> Self {
        Self { label: Rich::plain(label), names, ..Self::default() }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub look: LineStyle,
    /// Thickness in lines of the venue, or size of markers.
    pub thickness: f64,
    pub form: Form,
    /// Values on the axes.
    pub points: Vec<(f64, f64)>,
}

/// What is drawn at the points of a shape.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// A line through them.
    Line(Markers),
    /// The same in steps: a value holds until the next point.
    Steps(Markers),
    /// An area: they are its upper edge, these its lower one, both from left to right; or, with [`Form::Band`] over
    /// costs, its right and left edge.
    Band(Vec<(f64, f64)>),
    /// A pale line behind others.
    Pale,
    /// Filled markers with a white edge, or hollow ones.
    Dots { hollow: bool },
    /// Small hollow markers, of which those that lie on one another are one.
    Cloud,
    /// Upright strokes; the thickness is their length.
    Strokes,
    /// Crosses: a value without an interval.
    Crosses,
    /// Arrowheads at the right edge of the frame, at the height of each point: runs whose cost is not known.
    Beyond,
    /// From each odd point to the next, with short ends; an end at infinity is an arrowhead at the edge of the frame.
    Intervals,
    /// Boxes from each odd point, a corner, to the next.
    Boxes(BoxStyle),
    /// A line across the frame at the height of each point.
    Across,
    /// A line from the lower to the upper edge at each point.
    Upright,
    /// Words around each point, in black or white on a colour.
    Words(Vec<String>, Option<Rgb>),
    /// Words beside each point, on lines where nothing beside it is free, if they are not empty; the layout tells those
    /// without room. What a single frame names so leaves the legend.
    Names(Vec<String>),
    /// The same, never on lines, of words that the details have in any case.
    Counts(Vec<String>),
}

/// Markers on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markers {
    None,
    /// At its last point only, and some at even distances; the number keeps those of several lines apart.
    Spaced(usize),
    Each,
}

impl Form {
    /// Its rank, of which what lies behind has the smaller one, and the class of its group in SVG.
    fn layer(&self) -> (u8, &'static str) {
        match self {
            Self::Boxes(_) => (0, "boxes"),
            Self::Band(_) => (1, "band"),
            Self::Pale => (2, "points"),
            Self::Across | Self::Upright => (3, "rule"),
            Self::Intervals => (4, "intervals"),
            Self::Line(_) | Self::Steps(_) => (5, "line"),
            Self::Cloud => (5, "dots"),
            Self::Strokes => (6, "strokes"),
            Self::Dots { .. } => (6, "dots"),
            Self::Crosses => (6, "crosses"),
            Self::Beyond => (6, "beyond"),
            Self::Words(..) | Self::Names(_) | Self::Counts(_) => (7, "words"),
        }
    }

    /// Does the horizontal axis (0), or the vertical one (1), reach as far as its points?
    fn extends(&self, side: usize) -> bool {
        match self {
            Self::Across | Self::Beyond => side == 1,
            Self::Upright => side == 0,
            _ => true,
        }
    }
}

impl Shape {
    pub(crate) fn new(look: LineStyle, form: Form, points: Vec<(f64, f64)>) -> Self {
        Self { look, thickness: 1.0, form, points }
    }

    /// The same of another thickness, or size.
    pub(crate) fn sized(self, thickness: f64) -> Self {
        Self { thickness, ..self }
    }

    /// The points that its line goes through: steps have corners.
    pub(crate) fn way(&self) -> Vec<(f64, f64)> {
        let points = &self.points;
        match self.form {
            Form::Steps(_) => {
                let corners = points.windows(2).map(|two| (two[1].0, two[0].1)).map(Some).chain([None]);
                points.iter().zip(corners).flat_map(|(point, corner)| [Some(*point), corner]).flatten().collect()
            }
            _ => points.clone(),
        }
    }

    /// A dashed grey line of what is no arm.
    pub(crate) fn reference(points: Vec<(f64, f64)>) -> Self {
        Self::new(LineStyle::REFERENCE, Form::Line(Markers::None), points).sized(0.8)
    }
}

/// What stands above a frame instead of in it, at a horizontal position.
#[derive(Debug, Clone)]
pub(crate) struct Beyond {
    pub look: LineStyle,
    /// Shapes of one number share a row.
    pub row: usize,
    pub x: f64,
    pub words: String,
}

/// A measured figure: the scene, and what its reader must know of it.
pub(crate) struct Laid {
    pub scene: crate::scene::Scene,
    /// Sentences without their full stop.
    pub notes: Vec<String>,
}
