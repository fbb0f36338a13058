//! A picture as data: shapes in groups, and texts, in points (1/72 in) with the origin at the top left. The layout
//! makes it; [`crate::export`] writes it as SVG, PDF, PNG and PGF. Nothing reads a file back.

mod canvas;

pub(crate) use canvas::{Area, Canvas, UNITS_PER_POINT, fill, stroke, units};

use crate::shades::Rgb;
use crate::text::{Rich, each_once};

/// Across and downwards, in points.
pub(crate) type Point = (f64, f64);

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// In the order in which they are drawn.
    pub(crate) nodes: Vec<Node>,
}

/// A part of a picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Group(SceneGroup),
    Text(Label),
}

/// Shapes of one kind, which share dashes and opacity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SceneGroup {
    /// What the shapes are: `line`, `band`, `axes`, …
    pub class: &'static str,
    /// Lengths of strokes and gaps in points; empty for solid lines.
    pub dash: Vec<f64>,
    /// Of the group as a whole, 0 to 1.
    pub opacity: f64,
    pub shapes: Vec<Shape>,
}

/// An outline and how it is painted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    pub outline: Outline,
    pub paint: Paint,
}

/// Where a shape is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outline {
    /// An open line.
    Line(Vec<Point>),
    /// A closed polygon.
    Polygon(Vec<Point>),
    /// Upper left and lower right corner.
    Rectangle([Point; 2]),
    /// Centre and radius.
    Circle(Point, f64),
}

/// A line of a width in points, or an area of an opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Paint {
    Stroke(Rgb, f64),
    Fill(Rgb, f64),
}

/// A text on one line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Label {
    pub words: Rich,
    /// The end of the baseline that `anchor` says.
    pub at: Point,
    /// Size of the type in points.
    pub size: f64,
    pub anchor: Anchor,
    pub color: Rgb,
    /// Does it read upwards, its baseline to the right?
    pub upward: bool,
    /// What it says in full, where the words are shortened.
    pub full: Option<String>,
}

/// Which end of a text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[cfg(feature = "pictures")]
impl Label {
    /// How far it begins before its position.
    pub(crate) fn before(&self) -> f64 {
        match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5 * self.words.width(self.size),
            Anchor::End => self.words.width(self.size),
        }
    }
}

impl Scene {
    /// Its texts.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &Label> {
        self.nodes.iter().filter_map(|node| if let Node::Text(label) = node { Some(label) } else { None })
    }

    /// What shortened texts say in full, each once, in the order of the drawing.
    pub(crate) fn shortened(&self) -> Vec<&str> {
        each_once(self.labels().filter_map(|label| label.full.as_deref()))
    }
}
