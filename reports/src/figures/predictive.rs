//! Visual predictive check: observed percentiles against the range of simulated ones, over the time of the data. One figure per
//! arm that left the table `vpc`.

use fedbits_record::ExtraTable;
use plotters::prelude::{PathElement, Polygon, RGBColor, Rectangle};
use plotters::style::Color;

use super::layout::legend_rows;
use super::marks::draw_marker;
use super::panels::stroke;
use crate::axes::Axis;
use crate::data::Arm;
use crate::style::{LineStyle, Look};
use crate::svg::{Anchor, Canvas, units};
use crate::text::{Metrics, Rich};

/// One percentile over the bins: (time, observed, low, middle, high).
type Band = Vec<[f64; 5]>;

/// The check of one arm.
pub(crate) struct Predictive {
    /// The arm.
    pub label: String,
    bands: Vec<(String, Band)>,
    table: ExtraTable,
}

impl Predictive {
    /// The check of the arm's first run, when it left one.
    pub(crate) fn of(arm: &Arm) -> Option<Self> {
        let table = arm.runs.first()?.record.extra.iter().find(|table| table.name == "vpc")?.clone();
        let band = |percentile: &str| -> Option<(String, Band)> {
            let column = |name: &str| table.columns.iter().position(|column| column == name);
            let names = ["observed", "low", "middle", "high"].map(|name| column(&format!("{percentile}_{name}")));
            let [Some(observed), Some(low), Some(middle), Some(high)] = names else { return None };
            let places = [column("time")?, observed, low, middle, high];
            let point = |row: &Vec<String>| -> Option<[f64; 5]> {
                let mut values = [0.0; 5];
                for (value, place) in values.iter_mut().zip(places) {
                    *value = row.get(place)?.parse().ok()?;
                }
                Some(values)
            };
            Some((percentile.to_owned(), table.rows.iter().map(point).collect::<Option<Band>>()?))
        };
        let bands: Vec<(String, Band)> = ["p10", "p50", "p90"].iter().filter_map(|name| band(name)).collect();
        (bands.len() == 3).then(|| Self { label: arm.label.clone(), bands, table: table.clone() })
    }

    /// File name without ending.
    pub(crate) fn name(&self) -> String {
        let safe = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
        format!("vpc-{}", self.label.chars().map(safe).collect::<String>())
    }

    /// Its data, after the comment lines of where it comes from.
    pub(crate) fn csv(&self, provenance: &[String]) -> String {
        let comments = provenance.iter().map(|line| format!("# {line}\n"));
        let rows = std::iter::once(&self.table.columns).chain(&self.table.rows);
        comments.chain(rows.map(|row| format!("{}\n", row.join(",")))).collect()
    }

    /// What the figure shows, for its caption.
    pub(crate) fn caption(&self) -> String {
        format!(
            "Visual predictive check of {}: 10th, 50th and 90th percentile of the observations (markers and lines) and the 5 to 95 % \
             range of the same percentiles over 500 simulated copies of the data (bands).",
            self.label
        )
    }

    /// What the figure shows, in sentences.
    pub(crate) fn words(&self) -> String {
        format!(
            "Visual predictive check of {}. Markers and lines: 10th, 50th and 90th percentile of the observations in bins of time. \
             Bands: 5 to 95 % range of the same percentiles over 500 simulated copies of the data at the final parameter.",
            self.label
        )
    }

    fn range(&self, of: impl Fn(&[f64; 5]) -> [f64; 2]) -> (f64, f64) {
        let values = self.bands.iter().flat_map(|(_, band)| band).flat_map(of);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    }
}

/// Where the frame lies, in points, and its axes.
struct Page {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Page {
    fn across(&self, at: f64) -> f64 {
        self.left + (at - self.x.low) / (self.x.high - self.x.low) * (self.right - self.left)
    }

    fn upwards(&self, at: f64) -> f64 {
        self.bottom - (at - self.y.low) / (self.y.high - self.y.low) * (self.bottom - self.top)
    }

    fn place(&self, x: f64, y: f64) -> (i32, i32) {
        (units(self.across(x)), units(self.upwards(y)))
    }
}

/// The figure as an SVG file.
pub(crate) fn draw(check: &Predictive, look: &Look, metrics: &Metrics, description: &str) -> String {
    let (first, last) = check.range(|point| [point[0], point[0]]);
    let (low, high) = check.range(|point| [point[1].min(point[2]), point[1].max(point[4])]);
    let width = look.width;
    let x = Axis::linear(first.min(0.0), last, (width / (5.0 * look.tick)).min(10.0) as usize, true);
    let y = Axis::linear(low, high, (look.single_height / (2.4 * look.tick)) as usize, false);
    let sample = 3.2 * look.tick;
    let words = ["10th and 90th percentile", "median", "simulated, 5 to 95 %"];
    let (places, legend) = legend_rows(&words, sample, look, metrics);
    let widest = y.ticks.iter().map(|tick| metrics.width(&tick.label, look.tick)).fold(0.0, f64::max);
    let left = 2.0 * look.label + widest + 2.0 * look.gap() + look.tick_length();
    let top = legend + 0.6 * look.tick;
    let page = Page { left, right: width - 1.5 * look.tick, top, bottom: top + look.single_height, x, y };
    let baseline = look.tick_baseline(page.bottom);
    let mut canvas = Canvas::new(width, baseline + 1.55 * look.label);
    draw_axes(&mut canvas, &page, look, baseline);
    // The outer percentiles in one colour, the median in another.
    for (number, (_, band)) in check.bands.iter().enumerate() {
        draw_band(&mut canvas, &page, band, &LineStyle::of(usize::from(number == 1)), look);
    }
    for ((number, words), (x, y)) in words.into_iter().enumerate().zip(places) {
        draw_sample(&mut canvas, number, (x, y - 0.3 * look.tick), sample, look);
        canvas.text(&Rich::plain(words), (x + sample + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

/// The legend's sample of a line with its marker (0: outer percentiles, 1: median), or of the bands.
fn draw_sample(canvas: &mut Canvas, number: usize, (x, y): (f64, f64), length: f64, look: &Look) {
    let ends = [(units(x), units(y)), (units(x + length), units(y))];
    let half = units(0.35 * look.tick);
    canvas.layer("class=\"legend\"", |area| match number {
        0 | 1 => {
            let style = LineStyle::of(number);
            let path = PathElement::new(ends.to_vec(), stroke(look.line, style.color));
            area.draw(&path).expect("a string takes everything");
            draw_marker(area, ((ends[0].0 + ends[1].0) / 2, ends[0].1), &style, look.line);
        }
        _ => {
            let box_of = |from: i32, to: i32| [(from, ends[0].1 - half), (to, ends[0].1 + half)];
            let middle = (ends[0].0 + ends[1].0) / 2;
            for (style, [low, high]) in [(0, box_of(ends[0].0, middle)), (1, box_of(middle, ends[1].0))] {
                let (red, green, blue) = LineStyle::of(style).color;
                let fill = RGBColor(red, green, blue).mix(0.2).filled();
                area.draw(&Rectangle::new([low, high], fill)).expect("a string takes everything");
            }
        }
    });
}

fn draw_band(canvas: &mut Canvas, page: &Page, band: &Band, style: &LineStyle, look: &Look) {
    let at = |value: usize| band.iter().map(move |point| page.place(point[0], point[value]));
    let (red, green, blue) = style.color;
    let outline: Vec<(i32, i32)> = at(4).chain(at(2).collect::<Vec<_>>().into_iter().rev()).collect();
    canvas.layer("class=\"band\"", |area| {
        let fill = RGBColor(red, green, blue).mix(0.2).filled();
        area.draw(&Polygon::new(outline, fill)).expect("a string takes everything");
    });
    canvas.layer("class=\"line\" stroke-linejoin=\"round\"", |area| {
        let path = PathElement::new(at(1).collect::<Vec<_>>(), stroke(look.line, style.color));
        area.draw(&path).expect("a string takes everything");
    });
    canvas.layer("class=\"markers\"", |area| at(1).for_each(|center| draw_marker(area, center, style, look.line)));
}

fn draw_axes(canvas: &mut Canvas, page: &Page, look: &Look, baseline: f64) {
    let line = stroke(0.55 * look.line, (0, 0, 0));
    let (left, top, right, bottom) = (units(page.left), units(page.top), units(page.right), units(page.bottom));
    canvas.layer("class=\"axes\" stroke-linecap=\"square\"", |area| {
        let path = |points: Vec<(i32, i32)>| {
            area.draw(&PathElement::new(points, line)).expect("a string takes everything");
        };
        path(vec![(left, top), (left, bottom), (right, bottom)]);
        for tick in &page.x.ticks {
            let x = units(page.across(tick.at));
            path(vec![(x, bottom), (x, bottom + units(look.tick_length()))]);
        }
        for tick in &page.y.ticks {
            let y = units(page.upwards(tick.at));
            path(vec![(left - units(look.tick_length()), y), (left, y)]);
        }
    });
    for tick in &page.x.ticks {
        canvas.text(&tick.label, (page.across(tick.at), baseline), look.tick, Anchor::Middle);
    }
    for tick in &page.y.ticks {
        let place = (page.left - look.tick_length() - look.gap(), page.upwards(tick.at) + 0.33 * look.tick);
        canvas.text(&tick.label, place, look.tick, Anchor::End);
    }
    let middle = (page.left + page.right) / 2.0;
    canvas.text(
        &Rich::plain("time after the first dose, unit of the data"),
        (middle, baseline + 1.2 * look.label),
        look.label,
        Anchor::Middle,
    );
    canvas.upward_text(&Rich::plain("observed value"), (look.label, (page.top + page.bottom) / 2.0), look.label);
}
