//! Widths and type sizes of the venues, and what distinguishes one line from another.

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
    /// Height of the frame of a panel among others.
    pub panel_height: f64,
    /// Height of the frame of a panel that stands alone.
    pub single_height: f64,
    /// Width of a line of data.
    pub line: f64,
    /// Height up to which a figure and its caption fit on the page.
    pub tallest: f64,
}

/// Panels side by side, at most.
pub(crate) const MOST_COLUMNS: usize = 3;
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

    /// Its name, the height of the text on a page (a slide of 16:9 has no caption), and the sizes of a figure.
    fn page(self) -> (&'static str, f64, [f64; 6]) {
        match self {
            Self::Neurips => ("neurips", 648.0, [396.0, 9.0, 7.0, 104.0, 150.0, 0.9]),
            Self::Icml => ("icml", 648.0, [234.0, 8.0, 6.0, 96.0, 120.0, 0.8]),
            Self::IcmlWide => ("icml-wide", 648.0, [486.0, 8.0, 6.0, 112.0, 150.0, 0.8]),
            // IEEEtran's page for conferences.
            Self::Ieee => ("ieee", 666.0, [252.0, 8.0, 8.0, 100.0, 125.0, 0.8]),
            Self::IeeeWide => ("ieee-wide", 666.0, [515.52, 8.0, 8.0, 116.0, 155.0, 0.8]),
            Self::Jmlr => ("jmlr", 612.0, [432.0, 9.0, 8.0, 112.0, 165.0, 0.9]),
            Self::Slides => ("slides", 405.0, [720.0, 18.0, 15.0, 215.0, 300.0, 2.0]),
        }
    }

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.page().0
    }

    /// Names of other venues with this page.
    #[must_use]
    pub fn aliases(self) -> &'static [&'static str] {
        if self == Self::Neurips { &["iclr"] } else { &[] }
    }

    /// The style of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|style| style.name() == name || style.aliases().contains(&name))
    }

    /// Width of every figure in points.
    #[must_use]
    pub fn width_pt(self) -> f64 {
        self.look().width
    }

    pub(crate) fn look(self) -> Look {
        let (_, page, [width, label, tick, panel_height, single_height, line]) = self.page();
        let tallest = if self == Self::Slides { page } else { page - CAPTION };
        Look { width, label, tick, panel_height, single_height, line, tallest }
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
/// After so many numbers a colour has the same dash again.
pub(crate) const LOOKS: usize = COLORS * DASHES.len();
/// After so many numbers all of it is the same again.
pub(crate) const ALL_LOOKS: usize = LOOKS * MARKERS.len();
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

    /// The same with the dashes of that number.
    pub(crate) fn dashed(self, number: usize) -> Self {
        Self { dash: DASHES[number % DASHES.len()], ..self }
    }
}

/// The dashes in points.
pub(crate) fn dashes(dash: &[f64], look: &Look) -> Vec<f64> {
    dash.iter().map(|length| length * look.line).collect()
}

/// A colour in sRGB.
pub(crate) type Rgb = (u8, u8, u8);

pub(crate) const BLACK: Rgb = (0, 0, 0);
pub(crate) const WHITE: Rgb = (0xFF, 0xFF, 0xFF);

/// As CSS and SVG write it.
pub(crate) fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A scale of shades from little (light) to much (dark) whose lightness falls evenly, so that it reads in grey print
/// and by every kind of colour vision: from cream over the two blues of Okabe and Ito to a dark blue.
const STOPS: [Rgb; 5] =
    [(0xFF, 0xF7, 0xD6), (0xA9, 0xD6, 0xE5), (0x56, 0xB4, 0xE9), (0x00, 0x72, 0xB2), (0x00, 0x20, 0x4D)];

/// The shade at `share` from 0 (light) to 1 (dark).
pub(crate) fn shade(share: f64) -> Rgb {
    let position = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (position.floor() as usize).min(STOPS.len() - 2);
    let part = position - below as f64;
    let mix = |from: u8, to: u8| (f64::from(from) + part * (f64::from(to) - f64::from(from))).round() as u8;
    let (from, to) = (STOPS[below], STOPS[below + 1]);
    (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// Black or white, whichever stands out more.
pub(crate) fn text_on(color: Rgb) -> Rgb {
    if contrast(BLACK, color) >= contrast(WHITE, color) { BLACK } else { WHITE }
}

/// Contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio").
pub(crate) fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance, 0 to 1 (WCAG 2.2).
fn luminance((red, green, blue): Rgb) -> f64 {
    let linear = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::{BLACK, COLORS, PALETTE, Rgb, WHITE, contrast, luminance, shade, text_on};

    /// Colours without one kind of receptors (Machado, Oliveira and Fernandes 2009, severity 1), in linear sRGB.
    const DEUTERANOPIA: [[f64; 3]; 3] =
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
    const NORMAL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// CIE L*a*b* of a colour as an eye sees it (sRGB, D65).
    fn lab((red, green, blue): Rgb, eye: [[f64; 3]; 3]) -> [f64; 3] {
        let linear = [red, green, blue].map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { libm::pow((part + 0.055) / 1.055, 2.4) }
        });
        let product = |rows: [[f64; 3]; 3], v: [f64; 3]| rows.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
        let seen = product(eye, linear).map(|part| part.clamp(0.0, 1.0));
        let xyz =
            [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]];
        let [x, y, z] = product(xyz, seen);
        let f = |t: f64| if t > 216.0 / 24389.0 { libm::cbrt(t) } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
        let [x, y, z] = [f(x / 0.95047), f(y), f(z / 1.08883)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Any two colours of lines are far apart (ΔE*ab; 2.3 is just noticed), for deuteranopes, too.
    #[test]
    fn colors_differ_for_every_eye() {
        for (eye, least) in [(NORMAL, 25.0), (DEUTERANOPIA, 15.0)] {
            let seen = PALETTE.map(|color| lab(color, eye));
            for (one, two) in (0..COLORS).flat_map(|one| (0..one).map(move |two| (one, two))) {
                let [l, a, b] = [0, 1, 2].map(|part| seen[one][part] - seen[two][part]);
                let distance = libm::sqrt(l * l + a * a + b * b);
                assert!(distance >= least, "{one} and {two}: {distance}");
            }
        }
    }

    /// WCAG asks 4.5 of text of this size; and more is darker everywhere, so that grey print keeps the order (but for
    /// the rounding of colours to 8 bits).
    #[test]
    fn text_is_readable_on_every_shade_and_more_is_darker() {
        let mut before = 1.1;
        for step in 0..=1_000 {
            let color = shade(f64::from(step) / 1_000.0);
            assert!(contrast(text_on(color), color) >= 4.5, "{color:?}");
            assert!(luminance(color) <= before + 0.004, "{color:?}");
            before = luminance(color).min(before);
        }
        assert!((contrast(BLACK, WHITE) - 21.0).abs() < 1e-12);
    }
}
