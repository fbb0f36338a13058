//! Draws [`Charts`]: axes, lines, markers, intervals, what lies beyond a frame, legend.

use super::charts::{Chart, ChartPage, Charts, Form, Placed, Sample, Shape};
use super::marks::{decimate, draw_edged, draw_marker, draw_outline, spaced};
use super::plot::{ABOVE, Frame};
use super::scatter::label;
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, stroke, units};
use crate::shades::Rgb;
use crate::style::{LineStyle, Look, dashes};
use crate::text::{Metrics, Rich};
use crate::words::headings;
use plotters::prelude::Rectangle;
use std::collections::BTreeSet;

/// Of lines that are no arms.
const GREY: Rgb = (0x70, 0x70, 0x70);
const PALE: Rgb = (0xDD, 0xDD, 0xDD);
const GREY_DASH: &[f64] = &[3.0, 2.0];

/// Markers of a cloud in one square of this side, in units of the drawing (0.4 pt), are one.
const NEAR: i32 = 40;

/// The figure as an SVG file.
pub(crate) fn draw(charts: &Charts, look: &Look, metrics: &Metrics) -> Scene {
    let page = ChartPage::new(charts, look, metrics);
    let mut canvas = Canvas::new(look.width, page.height);
    let room = page.placed.first().map_or(0.0, |first| first.plot.frame.right - first.plot.frame.left + look.tick);
    let headings = headings(charts.panels.iter().map(|panel| &panel.heading), room, look.tick, metrics);
    for ((panel, placed), heading) in charts.panels.iter().zip(&page.placed).zip(&headings) {
        draw_axes(&mut canvas, (panel, heading), placed, (look, metrics));
        // References lie behind, markers in front.
        let shapes = || panel.shapes.iter();
        shapes().filter(|shape| shape.style.is_none()).for_each(|shape| draw_shape(&mut canvas, shape, placed, look));
        shapes().filter(|shape| shape.style.is_some()).for_each(|shape| draw_shape(&mut canvas, shape, placed, look));
        draw_strip(&mut canvas, panel, placed, (look, metrics));
    }
    for (((_, sample), words), (x, y)) in charts.entries.iter().zip(&page.words).zip(&page.positions) {
        draw_sample(&mut canvas, *sample, (*x, y - 0.3 * look.tick), page.sample, look);
        canvas.text(&Rich::plain(words), (x + page.sample + 0.5 * look.tick, *y), look.tick, Anchor::Start);
    }
    canvas.finish()
}

fn draw_axes(
    canvas: &mut Canvas,
    (panel, heading): (&Chart, &str),
    placed: &Placed,
    (look, metrics): (&Look, &Metrics),
) {
    let plot = &placed.plot;
    let Frame { left, top, right, bottom } = plot.frame;
    plot.draw_axes(canvas, look);
    plot.draw_x_labels(canvas, look);
    let (middle, height) = plot.frame.middle();
    if let Some(at) = placed.label_x {
        plot.draw_y_labels(canvas, look);
        let words = label(&panel.y.label);
        let size = metrics.fitting(&words, look.label, plot.frame.beside(look));
        canvas.upward_text(&words, (at, height), size, Anchor::Middle);
    }
    let words = label(&panel.x.label);
    let size = metrics.fitting(&words, look.label, right - left + 2.0 * look.tick);
    let half = 0.5 * metrics.width(&words, size);
    let across = middle.min(look.width - half - 0.2 * look.tick);
    canvas.text(&words, (across, look.tick_baseline(bottom) + 1.2 * look.label), size, Anchor::Middle);
    if panel.heading.is_some() {
        let strip = placed.strips.height(panel.strip_rows().len());
        canvas.text(&Rich::plain(heading), (middle, top - strip - ABOVE * look.tick), look.tick, Anchor::Middle);
    }
}

fn draw_shape(canvas: &mut Canvas, shape: &Shape, placed: &Placed, look: &Look) {
    let plot = &placed.plot;
    let style = shape.style.map_or(LineStyle { color: GREY, dash: GREY_DASH, ..LineStyle::of(0) }, LineStyle::of);
    let shift = units(shape.shift);
    let on_paper = |x: f64, upwards: f64| {
        let point = plot.at((plot.x.coordinate(x)?, upwards));
        Some((point.0 + shift, point.1))
    };
    let at = |&(x, y): &(f64, f64)| on_paper(x, plot.y.coordinate(y)?);
    // What has no place stands at the edge.
    let end = |&(x, y): &(f64, f64)| {
        let inside = plot.y.coordinate(y).filter(|own| own.is_finite());
        let edge = if y == f64::INFINITY { plot.y.high } else { plot.y.low };
        Some((on_paper(x, inside.unwrap_or(edge))?, inside.is_none()))
    };
    let points: Vec<(i32, i32)> = shape.points.iter().filter_map(at).collect();
    match shape.form {
        Form::Line | Form::Marked | Form::Plain => draw_line(canvas, shape, &points, &style, look),
        Form::Thin => canvas.layer(Layer::new("way"), |area| {
            area.path(points, stroke(0.45 * look.line, style.color));
        }),
        Form::Dots => canvas.layer(Layer::new("dots"), |area| {
            points.into_iter().for_each(|center| draw_edged(area, center, &style, look.line));
        }),
        Form::Cloud => canvas.layer(Layer::new("dots"), |area| {
            let mut drawn = BTreeSet::new();
            let seen = |&(x, y): &(i32, i32)| drawn.insert((x.div_euclid(NEAR), y.div_euclid(NEAR)));
            points.into_iter().filter(seen).for_each(|center| draw_outline(area, center, &style, 0.55 * look.line));
        }),
        Form::Rings => canvas.layer(Layer::new("rings"), |area| {
            points.into_iter().for_each(|center| draw_outline(area, center, &style, 1.3 * look.line));
        }),
        Form::Strokes => canvas.layer(Layer::new("censored"), |area| {
            let half = units(2.2 * look.line);
            for (x, y) in points {
                area.path(vec![(x, y - half), (x, y + half)], stroke(0.9 * look.line, style.color));
            }
        }),
        Form::Bars => canvas.layer(Layer::new("bars"), |area| {
            let foot = plot.at((plot.x.low, plot.y.low)).1;
            for pair in points.chunks_exact(2).filter(|pair| pair[0].1 < foot) {
                let [(left, top), (right, _)] = [pair[0], pair[1]];
                area.draw(&Rectangle::new([(left, top), (right, foot)], fill(PALE, 1.0)));
                area.path(vec![(left, foot), (left, top), (right, top), (right, foot)], stroke(0.3 * look.line, GREY));
            }
        }),
        Form::Intervals => canvas.layer(Layer::new("intervals"), |area| {
            let ends = |pair: &[(f64, f64)]| Some([end(&pair[0])?, end(&pair[1])?]);
            let intervals = shape.points.chunks_exact(2).filter_map(ends);
            intervals.for_each(|ends| draw_interval(area, ends, style.color, look));
        }),
    }
}

/// A line with its markers, if it has any.
fn draw_line(canvas: &mut Canvas, shape: &Shape, points: &[(i32, i32)], style: &LineStyle, look: &Look) {
    let is_solid = shape.form == Form::Plain && shape.style.is_some();
    let dash = if is_solid { Vec::new() } else { dashes(style.dash, look) };
    let width = if shape.style.is_some() { look.line } else { 0.8 * look.line };
    let kept = decimate(points);
    // A value between two gaps has its marker alone.
    if kept.len() > 1 {
        canvas.layer(Layer::new("line").dashed(dash), |area| {
            area.path(kept.clone(), stroke(width, style.color));
        });
    }
    let marked = match shape.form {
        Form::Line => spaced(&[kept], shape.style.unwrap_or_default()),
        Form::Marked => points.to_vec(),
        _ => return,
    };
    canvas.layer(Layer::new("markers"), |area| {
        marked.into_iter().for_each(|center| draw_marker(area, center, style, look.line));
    });
}

/// A vertical interval, the lower end first, with short ends; one that is open is an arrowhead.
fn draw_interval(area: &Area, ends: [((i32, i32), bool); 2], color: Rgb, look: &Look) {
    let (line, half) = (stroke(0.7 * look.line, color), units(1.5 * look.line));
    let [(low, _), (high, _)] = ends;
    if low != high {
        area.path(vec![low, high], line);
    }
    for ((at, is_open), downwards) in ends.into_iter().zip([-1, 1]) {
        let back = if is_open { downwards * units(2.2 * look.line) } else { 0 };
        area.path(vec![(at.0 - half, at.1 + back), at, (at.0 + half, at.1 + back)], line);
    }
}

/// What has no value: above the frame, over a hairline, the words beside the marks.
fn draw_strip(canvas: &mut Canvas, panel: &Chart, placed: &Placed, (look, metrics): (&Look, &Metrics)) {
    let rows = panel.strip_rows();
    if rows.is_empty() {
        return;
    }
    let plot = &placed.plot;
    let Frame { left, top, right, .. } = plot.frame;
    canvas.layer(Layer::new("strip").dashed(dashes(&[1.0, 1.5], look)), |area| {
        area.path(vec![(units(left), units(top)), (units(right), units(top))], stroke(0.6 * look.line, GREY));
    });
    let middle = |row: usize| top - placed.strips.middle(row);
    let upper = middle(rows.len() - 1);
    let label = (left - look.tick_length() - look.gap(), 0.5 * (upper + middle(0)) + 0.33 * look.tick);
    let size = 0.85 * look.tick;
    let has_room = placed.strips.has_words && has_room(panel, placed, size, metrics);
    if has_room && placed.label_x.is_some() {
        canvas.text(&Rich::plain("k/n"), label, look.tick, Anchor::End);
    }
    for own in &panel.strip {
        let (Some(x), Some(row)) = (plot.x.coordinate(own.x), rows.iter().position(|style| *style == own.style)) else {
            continue;
        };
        let (across, height) = (plot.at((x, plot.y.low)).0, middle(row));
        canvas.layer(Layer::new("beyond"), |area| {
            let left = if has_room { units(size) } else { 0 };
            draw_outline(area, (across - left, units(height)), &LineStyle::of(own.style), 0.8 * look.line);
        });
        if !has_room {
            continue;
        }
        let beside = (crate::scene::points(across) - 0.45 * size, height + 0.33 * size);
        canvas.text(&Rich::plain(&own.words), beside, size, Anchor::Start);
    }
}

/// Whether the words of the strip stand apart from the next marks.
fn has_room(panel: &Chart, placed: &Placed, size: f64, metrics: &Metrics) -> bool {
    let plot = &placed.plot;
    let mut at: Vec<i32> =
        panel.strip.iter().filter_map(|own| Some(plot.at((plot.x.coordinate(own.x)?, plot.y.low)).0)).collect();
    at.sort_unstable();
    at.dedup();
    let widest = panel.strip.iter().map(|own| metrics.width(&Rich::plain(&own.words), size)).fold(0.0, f64::max);
    at.windows(2).all(|pair| crate::scene::points(pair[1] - pair[0]) > widest + 1.8 * size)
}

fn draw_sample(canvas: &mut Canvas, sample: Sample, (x, y): (f64, f64), width: f64, look: &Look) {
    let (style, is_line) = match sample {
        Sample::Line(style) => (LineStyle::of(style), true),
        Sample::Marker(style) => (LineStyle::of(style), false),
        Sample::Reference => (LineStyle { color: GREY, dash: GREY_DASH, ..LineStyle::of(0) }, true),
        Sample::Bars => (LineStyle { color: GREY, ..LineStyle::of(0) }, false),
    };
    let (left, middle, right) = (units(x), units(x + 0.5 * width), units(x + width));
    if is_line {
        canvas.layer(Layer::new("legend").dashed(dashes(style.dash, look)), |area| {
            area.path(vec![(left, units(y)), (right, units(y))], stroke(look.line, style.color));
        });
    }
    canvas.layer(Layer::new("legend"), |area| match sample {
        Sample::Line(_) => draw_marker(area, (middle, units(y)), &style, look.line),
        Sample::Marker(_) => draw_outline(area, (middle, units(y)), &style, 0.8 * look.line),
        Sample::Reference => {}
        Sample::Bars => {
            let corners = [(left, units(y - 0.35 * look.tick)), (right, units(y + 0.35 * look.tick))];
            area.draw(&Rectangle::new(corners, fill(PALE, 1.0)));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::draw;
    use crate::axes::Scale;
    use crate::figures::charts::{Beyond, Chart, Charts, Form, Shape, Side};
    use crate::style::Style;
    use crate::text::Metrics;

    /// The name of the strip stands free of the label at the upper end of the axis under it.
    #[test]
    fn the_strip_stands_above_the_axis() {
        for style in Style::ALL {
            let look = style.look();
            let shapes = vec![Shape::new(0, Form::Dots, vec![(1.0, 0.0), (2.0, 250.0)])];
            let y = Side { tight: true, ..Side::default() };
            let strip = vec![Beyond { style: 0, x: 1.0, words: "1/3".to_owned() }];
            let charts = Charts { panels: vec![Chart { y, shapes, strip, ..Chart::default() }], ..Charts::default() };
            let svg = crate::export::svg::element(&draw(&charts, &look, &Metrics::new()), "", "");
            let baseline = |words: &str| -> f64 {
                let element = svg.lines().find(|line| line.ends_with(&format!(">{words}</text>"))).unwrap();
                element.split(" y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            };
            assert!(baseline("250") - baseline("k/n") > 0.9 * 100.0 * look.tick, "{}", style.name());
        }
    }

    /// Every interval joins the ends of one pair, also where an end has no place on the axis: that end is an arrowhead.
    #[test]
    fn intervals_are_upright() {
        let ends = [(1.0, [0.0, 5.0]), (2.0, [10.0, 50.0]), (3.0, [100.0, f64::INFINITY])];
        let points = ends.iter().flat_map(|&(x, ends)| ends.map(|y| (x, y))).collect();
        let shapes = vec![Shape::new(0, Form::Intervals, points)];
        let chart = Chart { y: Side { scale: Scale::Log, ..Side::default() }, shapes, ..Chart::default() };
        let charts = Charts { panels: vec![chart], ..Charts::default() };
        let svg = crate::export::svg::element(&draw(&charts, &Style::Icml.look(), &Metrics::new()), "", "");
        let layer = svg.split("class=\"intervals\"").nth(1).unwrap().split("</g>").next().unwrap();
        let path = |element: &str| -> Vec<(i32, i32)> {
            let point = |pair: &str| pair.split_once(',').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()));
            element.split("points=\"").nth(1).unwrap().split('"').next().unwrap().split(' ').filter_map(point).collect()
        };
        let paths: Vec<Vec<(i32, i32)>> = layer.split("<polyline ").skip(1).map(path).collect();
        let (bars, caps): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.len() == 2);
        assert_eq!((bars.len(), caps.len()), (3, 6));
        assert!(bars.iter().all(|bar| bar[0].0 == bar[1].0 && bar[0].1 > bar[1].1), "{bars:?}");
        let open: Vec<bool> = caps.iter().map(|cap| cap[0].1 != cap[1].1).collect();
        assert_eq!(open, [true, false, false, false, false, true]);
        // The arrowhead below points downwards, and that above upwards.
        assert!(caps[0][1].1 > caps[0][0].1 && caps[5][1].1 < caps[5][0].1, "{caps:?}");
    }
}
