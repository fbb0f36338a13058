//! A figure of lines: panels, axes and curves as data.

use crate::axes::{Scale, chosen_scale, range};
use crate::curves::{Curve, moved};
use crate::text::{Rich, each_once, each_once_by, one_line, raised};
use fedbits_figures::{Band, Limits, Scale as Choice, XAxis};

/// A figure of lines: panels that share the vertical axis, and those over the same quantity their horizontal one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// File name without ending.
    pub(crate) name: String,
    /// File name of the data without ending; figures of one quantity share it.
    pub(crate) data: String,
    /// The vertical axes, at least one; panels have one each, and those that have the same one share it.
    pub(crate) verticals: Vec<Vertical>,
    pub(crate) panels: Vec<Panel>,
    /// What lines and bands of several replicates are.
    pub(crate) band: Band,
    /// Whether panels over the same quantity have horizontal axes of their own.
    pub(crate) free_x: bool,
    /// Do rounds stand in for the axes that were asked for, on which nothing moves?
    pub(crate) stands_in: bool,
    /// What must be known about this figure beyond the runs' caveats.
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Vertical {
    /// Name of the quantity in the data.
    pub name: String,
    pub label: Rich,
    /// The axis in words, for the caption.
    pub words: String,
    pub scale: Scale,
    /// The ends of what it shows, where that is not everything.
    pub window: Option<(f64, f64)>,
    /// Is it the axis of several quantities, which the lines name?
    pub several: bool,
}

impl Vertical {
    /// Has a value no place on it?
    pub(crate) fn hides(&self, value: f64) -> bool {
        (self.scale == Scale::Log && value <= 0.0) || self.window.is_some_and(|(low, high)| value < low || value > high)
    }
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    /// What distinguishes this panel from the others when it is not the horizontal axis.
    pub heading: Option<String>,
    pub x: XAxis,
    /// Set by [`Figure::with_axes`].
    pub x_scale: Scale,
    /// The part of the horizontal axis that is shown, in its unit.
    pub limits: Limits,
    pub vertical: usize,
    pub curves: Vec<Curve>,
    pub rules: Vec<Rule>,
}

/// A horizontal line at a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rule {
    pub y: f64,
    pub label: String,
}

pub(crate) struct Line<'a> {
    /// What it is called in the CSV: its arm, behind the heading of its panel and before its quantity where these tell
    /// it from others.
    pub label: String,
    pub vertical: &'a Vertical,
    pub curve: &'a Curve,
}

/// Why limits of an axis are not used.
pub(crate) const OFF_LOG: &str = "have no place on its logarithmic axis, which takes ends above zero,";

impl Panel {
    /// A frame with these lines, without a heading.
    pub(crate) fn new(x: XAxis, curves: &[Curve]) -> Self {
        Self {
            heading: None,
            x,
            x_scale: Scale::Linear,
            limits: Limits::default(),
            vertical: 0,
            curves: curves.to_vec(),
            rules: Vec::new(),
        }
    }

    /// Whether some of a line is within the limits of the horizontal axis.
    pub(crate) fn holds(&self, curve: &Curve) -> bool {
        let (from, to) = self.ends_of_axis();
        let (first, last) = range(self.places(curve));
        first <= to && from <= last
    }

    /// The limits of the horizontal axis, infinite where it has none.
    pub(crate) fn ends_of_axis(&self) -> (f64, f64) {
        (self.limits.from.unwrap_or(f64::NEG_INFINITY), self.limits.to.unwrap_or(f64::INFINITY))
    }

    /// Where the points of a line are on the horizontal axis, those without a place on it left out.
    pub(crate) fn places(&self, curve: &Curve) -> impl Iterator<Item = f64> {
        let is_log = self.x_scale == Scale::Log;
        curve.drawn(self.x).into_iter().map(|(at, _)| at).filter(move |&at| !is_log || at > 0.0)
    }

    /// Where the lines of its arms end, or the frame does before.
    fn ends(&self) -> impl Iterator<Item = f64> {
        let most = self.limits.to.unwrap_or(f64::INFINITY);
        let arms = self.curves.iter().filter(|curve| curve.slope.is_none());
        arms.filter_map(|curve| curve.drawn(self.x).last().copied()).map(move |(at, _)| at.min(most))
    }
}

impl Figure {
    /// A figure with a panel for each of `axes`, whose files have this name; no figure is drawn without curves.
    /// `y_label` stands at its vertical axis, which is linear; `y_words` say the same in the caption.
    #[must_use]
    pub fn new(name: &str, (y_label, y_words): (&str, &str), axes: &[XAxis], curves: &[Curve]) -> Self {
        Self {
            name: name.to_owned(),
            data: name.to_owned(),
            verticals: vec![Vertical {
                name: name.to_owned(),
                label: Rich::plain(y_label),
                words: y_words.to_owned(),
                ..Vertical::default()
            }],
            panels: axes.iter().map(|&x| Panel::new(x, curves)).collect(),
            ..Self::default()
        }
    }

    /// The same with a logarithmic vertical axis.
    #[must_use]
    pub fn logarithmic(mut self) -> Self {
        self.verticals.iter_mut().for_each(|vertical| vertical.scale = Scale::Log);
        self
    }

    /// The same with what must be known about it beyond the runs' caveats: a sentence without capital letter and full
    /// stop.
    #[must_use]
    pub fn note(mut self, text: &str) -> Self {
        self.notes.push(one_line(text));
        self
    }

    /// The figure without panels over axes on which all lines stay at zero, where they move over rounds, and a note of
    /// it; over rounds where no panel would remain.
    pub(crate) fn without_idle_axes(mut self) -> Self {
        let axes: Vec<XAxis> = self.panels.iter().map(|panel| panel.x).collect();
        let (moved, idle) = moved(&axes, self.curves());
        let names = each_once(idle.iter().map(|axis| axis.name())).join(", ");
        self.notes.extend((!idle.is_empty()).then(|| format!("no panel over {names}, where all arms are at zero")));
        let kept = if moved.is_empty() { &axes[..1] } else { &moved };
        self.panels.retain(|panel| kept.contains(&panel.x));
        if moved.is_empty() {
            self.panels.iter_mut().for_each(|panel| panel.x = XAxis::Rounds);
            self.stands_in = true;
        }
        self
    }

    /// The figure with running medians of all arms in the panels in which the line of one is noise from round to round,
    /// and all can be smoothed: a smooth line beside a raw one would look as if its arm had less noise.
    pub(crate) fn with_trends(mut self) -> Self {
        let is_smoothed = |panel: &&mut Panel| {
            let arms = || panel.curves.iter().filter(|curve| curve.slope.is_none());
            arms().any(Curve::is_noise) && arms().all(Curve::has_trend)
        };
        for panel in self.panels.iter_mut().filter(is_smoothed) {
            let smooth = |curve: Curve| if curve.slope.is_some() { curve } else { curve.with_trend() };
            panel.curves = std::mem::take(&mut panel.curves).into_iter().map(smooth).collect();
        }
        self
    }

    /// The same panels as figures of about as many, at most `most`, each of which says where the others are.
    pub(crate) fn pages(self, most: usize) -> Vec<Self> {
        let all = self.panels.len();
        if all <= most {
            return vec![self];
        }
        let each = all.div_ceil(all.div_ceil(most));
        let page = |(number, panels): (usize, &[Panel])| {
            let part = |name: &str| if number == 0 { name.to_owned() } else { format!("{name}-{}", number + 1) };
            let (name, data) = (part(&self.name), part(&self.data));
            let (first, last) = (number * each + 1, number * each + panels.len());
            let page = Self { name, data, panels: panels.to_vec(), ..self.clone() };
            page.note(&format!("panels {first} to {last} of {all}; the others are in figures {}, {0}-2, …", self.name))
        };
        self.panels.chunks(each).enumerate().map(page).collect()
    }

    /// The figure with the scales of its horizontal axes.
    pub(crate) fn with_axes(mut self, choice: Choice) -> Self {
        let scales: Vec<Scale> =
            self.panels.iter().map(|panel| chosen_scale(self.beside(panel).flat_map(Panel::ends), choice)).collect();
        self.panels.iter_mut().zip(scales).for_each(|(panel, scale)| panel.x_scale = scale);
        self.with_limits_that_hold()
    }

    /// Without limits of horizontal axes that have no place on them or hold nothing, and a note of each.
    fn with_limits_that_hold(mut self) -> Self {
        let why = |panel: &Panel| {
            let Limits { from, to } = panel.limits;
            let is_low = [from, to].into_iter().flatten().any(|end| end <= 0.0);
            let mut lines = self.beside(panel).flat_map(|neighbour| &neighbour.curves);
            match (panel.x_scale, from.or(to)) {
                (_, None) => None,
                (Scale::Log, _) if is_low => Some(OFF_LOG),
                _ => (!lines.any(|curve| panel.holds(curve))).then_some("hold no point of any line"),
            }
        };
        let unused: Vec<Option<&str>> = self.panels.iter().map(why).collect();
        for (panel, why) in self.panels.iter_mut().zip(unused) {
            let Some(why) = why else { continue };
            let limits = [("from", panel.limits.from), ("to", panel.limits.to)];
            let limits = limits.into_iter().filter_map(|(name, end)| Some(format!("{name} {}", raised(end?))));
            let limits = limits.collect::<Vec<_>>().join(" ");
            let note = format!("the declared limits of {}, {limits}, {why} and are not used", panel.x.name());
            self.notes.extend((!self.notes.contains(&note)).then_some(note));
            panel.limits = Limits::default();
        }
        self
    }

    /// What of several replicates a line shows.
    pub(crate) fn middle(&self) -> &'static str {
        if self.band == Band::Mean95 { "mean" } else { "median" }
    }

    /// The panels that share their horizontal axis with this one, itself among them.
    pub(crate) fn beside(&self, panel: &Panel) -> impl Iterator<Item = &Panel> {
        let (free, x, panel) = (self.free_x, panel.x, std::ptr::from_ref(panel));
        let shares = move |other: &&Panel| if free { std::ptr::eq(*other, panel) } else { other.x == x };
        self.panels.iter().filter(shares)
    }

    pub(crate) fn curves(&self) -> impl Iterator<Item = &Curve> + Clone {
        self.panels.iter().flat_map(|panel| &panel.curves)
    }

    /// The vertical axes that panels have: of a figure in parts each has its own.
    pub(crate) fn shown_verticals(&self) -> impl Iterator<Item = &Vertical> {
        let has = |number: usize| self.panels.iter().any(|panel| panel.vertical == number);
        self.verticals.iter().enumerate().filter(move |(number, _)| has(*number)).map(|(_, vertical)| vertical)
    }

    pub(crate) fn vertical(&self, panel: &Panel) -> &Vertical {
        &self.verticals[panel.vertical]
    }

    /// The curves of all panels, each with its own.
    pub(crate) fn with_panels(&self) -> impl Iterator<Item = (&Panel, &Curve)> {
        self.panels.iter().flat_map(|panel| panel.curves.iter().map(move |curve| (panel, curve)))
    }

    /// The curves to explain in the legend: each label once.
    pub(crate) fn legend(&self) -> Vec<&Curve> {
        each_once_by(self.curves(), |one, other| one.label == other.label)
    }

    /// The distinct lines (panels that differ in the horizontal axis only show the same ones).
    pub(crate) fn lines(&self) -> Vec<Line<'_>> {
        each_once_by(self.with_panels().map(|pair| self.line(pair)), |one, other| one.label == other.label)
    }

    fn line<'a>(&'a self, (panel, curve): (&Panel, &'a Curve)) -> Line<'a> {
        let vertical = self.vertical(panel);
        let heading = panel.heading.iter().map(|heading| format!("{heading}: ")).collect::<String>();
        let quantity = match &curve.quantity {
            _ if self.verticals.len() > 1 && !vertical.several => format!(", {}", vertical.name),
            Some((_, quantity)) => format!(", {quantity}"),
            None => String::new(),
        };
        Line { label: format!("{heading}{}{quantity}", curve.label), vertical, curve }
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, Panel};
    use crate::axes::Scale;
    use crate::curves::{Curve, Slope};
    use crate::replicates::CurvePoint;
    use fedbits_figures::{AXES, Scale as Choice, XAxis};

    /// Each page has the vertical axes of its panels, and no others.
    #[test]
    fn pages_have_their_own_verticals() {
        let [mut one, other] = ["one", "other"].map(|name| Figure::new(name, (name, name), &[XAxis::Rounds], &[]));
        one.verticals.extend(other.verticals);
        one.panels.extend(other.panels.into_iter().map(|panel| Panel { vertical: 1, ..panel }));
        let names = |page: &Figure| page.shown_verticals().map(|vertical| vertical.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&one), ["one", "other"]);
        assert_eq!(one.pages(1).iter().map(names).collect::<Vec<_>>(), [["one"], ["other"]]);
    }

    /// The ends of the arms differ 2.5-fold; where a slope ends beside one of them says nothing of the scale.
    #[test]
    fn slopes_do_not_choose_the_scale() {
        let line = |end: f64, slope: Option<Slope>| {
            let point = |x: f64| CurvePoint { x: [x; AXES], median: 1.0, low: 1.0, high: 1.0, running: 1 };
            Curve { slope, ..Curve::new("a".to_owned(), 0, 1, vec![point(0.0), point(end)]) }
        };
        let scale = |slope: Option<Slope>| {
            let curves = [line(40.0, None), line(100.0, None), line(8.0, slope)];
            let figure = Figure::new("a", ("a", "a"), &[XAxis::Rounds], &curves).with_axes(Choice::Auto);
            figure.panels[0].x_scale
        };
        assert_eq!(scale(Some(Slope { number: 0, words: String::new() })), Scale::Linear);
        assert_eq!(scale(None), Scale::Log);
    }
}
