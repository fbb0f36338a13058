//! Widths and type sizes of the venues, and what distinguishes one line from another.

use crate::shades::Rgb;

/// A venue's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// NeurIPS and ICLR: 5.5 in.
    Neurips,
    /// ICML, one column: 3.25 in.
    Icml,
    /// ICML, both columns: 6.75 in.
    IcmlWide,
    /// IEEE, one column: 3.5 in.
    Ieee,
    /// IEEE, both columns: 7.16 in.
    IeeeWide,
    /// JMLR: 6.0 in.
    Jmlr,
    /// A slide of 10 in by 5.625 in with large type.
    Slides,
}

/// Sizes in points (1/72 in).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    pub width: f64,
    /// Axis labels.
    pub label: f64,
    /// Tick labels and legend.
    pub tick: f64,
    /// Panels side by side.
    pub columns: usize,
    /// Height of the frame of a panel among others.
    pub panel_height: f64,
    /// Height of the frame of a panel that stands alone.
    pub single_height: f64,
    /// Width of a line of data.
    pub line: f64,
    /// Height up to which a figure and its caption fit on the page.
    pub tallest: f64,
}

/// What a caption takes of the page: eight lines of 12 pt.
const CAPTION: f64 = 96.0;

impl Look {
    /// Length of a tick.
    pub(crate) fn tick_length(&self) -> f64 {
        0.34 * self.tick
    }

    /// Between a tick and its label.
    pub(crate) fn gap(&self) -> f64 {
        0.28 * self.tick
    }

    /// Baseline of the labels of ticks below a frame that ends at `bottom`.
    pub(crate) fn tick_baseline(&self, bottom: f64) -> f64 {
        bottom + self.tick_length() + self.gap() + 0.72 * self.tick
    }
}

impl Style {
    /// All styles.
    pub const ALL: [Self; 7] =
        [Self::Neurips, Self::Icml, Self::IcmlWide, Self::Ieee, Self::IeeeWide, Self::Jmlr, Self::Slides];

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Neurips => "neurips",
            Self::Icml => "icml",
            Self::IcmlWide => "icml-wide",
            Self::Ieee => "ieee",
            Self::IeeeWide => "ieee-wide",
            Self::Jmlr => "jmlr",
            Self::Slides => "slides",
        }
    }

    /// The style of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|style| style.name() == name)
    }

    /// Width of every figure in points.
    #[must_use]
    pub fn width_pt(self) -> f64 {
        self.look().width
    }

    pub(crate) fn look(self) -> Look {
        // Height of the text on a page: 9 in, IEEEtran's 9.25 in for conferences, 8.5 in; a slide of 16:9 has no
        // caption.
        let tallest = match self {
            Self::Neurips | Self::Icml | Self::IcmlWide => 648.0 - CAPTION,
            Self::Ieee | Self::IeeeWide => 666.0 - CAPTION,
            Self::Jmlr => 612.0 - CAPTION,
            Self::Slides => 405.0,
        };
        let look = |width, label, tick, columns, panel_height, single_height, line| Look {
            width,
            label,
            tick,
            columns,
            panel_height,
            single_height,
            line,
            tallest,
        };
        match self {
            Self::Neurips => look(396.0, 9.0, 7.0, 3, 104.0, 150.0, 0.9),
            Self::Icml => look(234.0, 8.0, 6.0, 3, 96.0, 120.0, 0.8),
            Self::IcmlWide => look(486.0, 8.0, 6.0, 3, 112.0, 150.0, 0.8),
            Self::Ieee => look(252.0, 8.0, 8.0, 3, 100.0, 125.0, 0.8),
            Self::IeeeWide => look(515.52, 8.0, 8.0, 3, 116.0, 155.0, 0.8),
            Self::Jmlr => look(432.0, 9.0, 8.0, 3, 112.0, 165.0, 0.9),
            Self::Slides => look(720.0, 18.0, 15.0, 3, 215.0, 300.0, 2.0),
        }
    }
}

/// Shape of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    TriangleDown,
}

/// Colour, dash and marker of the line number `index`: three cycles of different length, so grey print keeps lines
/// apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LineStyle {
    pub color: Rgb,
    /// Lengths of strokes and gaps in line widths; empty for a solid line.
    pub dash: &'static [f64],
    pub marker: Marker,
}

/// Number of colours; looks whose numbers differ by it share a colour, and differ in dash and marker.
pub(crate) const COLORS: usize = 7;
/// Okabe and Ito's colours without the yellow, which is too light for a line.
const PALETTE: [Rgb; COLORS] = [
    (0x00, 0x72, 0xB2),
    (0xD5, 0x5E, 0x00),
    (0x00, 0x9E, 0x73),
    (0xCC, 0x79, 0xA7),
    (0x00, 0x00, 0x00),
    (0xE6, 0x9F, 0x00),
    (0x56, 0xB4, 0xE9),
];
const DASHES: [&[f64]; 5] = [&[], &[5.0, 2.0], &[1.5, 1.5], &[6.0, 1.5, 1.5, 1.5], &[9.0, 2.5]];
const MARKERS: [Marker; 5] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::TriangleDown];

impl LineStyle {
    /// Of what is no arm: grey and dashed.
    pub(crate) const REFERENCE: Self = Self { color: (0x70, 0x70, 0x70), dash: &[3.0, 2.0], marker: Marker::Circle };
    /// Of what stands for no arm alone: black and solid.
    pub(crate) const INK: Self = Self { color: (0, 0, 0), dash: &[], marker: Marker::Square };

    /// The same without dashes.
    pub(crate) fn solid(self) -> Self {
        Self { dash: &[], ..self }
    }

    pub(crate) fn of(index: usize) -> Self {
        // 7 colours and 5 dashes repeat together only after 35 lines.
        Self {
            color: PALETTE[index % COLORS],
            dash: DASHES[index % DASHES.len()],
            marker: MARKERS[(index + index / MARKERS.len()) % MARKERS.len()],
        }
    }
}

impl LineStyle {
    /// The same with the dashes of that number.
    pub(crate) fn dashed(self, number: usize) -> Self {
        Self { dash: DASHES[number % DASHES.len()], ..self }
    }
}

/// The dashes in points.
pub(crate) fn dashes(dash: &[f64], look: &Look) -> Vec<f64> {
    dash.iter().map(|length| length * look.line).collect()
}
