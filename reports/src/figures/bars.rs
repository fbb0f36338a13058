//! Draws stacked bars: one per arm, parts distinguished by colour and hatch, waste pale.

use super::hatch::{Hatch, hatch};
use super::legend::legend_rows;
use super::plot::{Frame, Plot};
use crate::axes::Axis;
use crate::error::ReportError;
use crate::report::{Drawing, Report};
use crate::shades::{BLACK, Rgb, WHITE, contrast};
use crate::style::Look;
use crate::svg::{Anchor, Area, Canvas, DrawError, fill, points, stroke, units};
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use fedbits_record::{Float, RecordError, Table};
use fedbits_spec::so_many;
use plotters::prelude::Rectangle;

/// How much ink a part has that served nothing, where nothing more is said of it.
pub(crate) const PALE: f64 = 0.45;
/// From bar to bar, in sizes of tick labels.
const PITCH: f64 = 1.9;
/// No figure has more bars.
const MOST: usize = 15;
/// What is narrower in all bars is lost between their edges, in thicknesses of a line.
const SEEN: f64 = 0.6;
/// Contrast that lines have with what is under them.
const VISIBLE: f64 = 1.8;

/// One stacked bar per arm, all of the same parts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stack {
    pub parts: Vec<BarPart>,
    /// Label and the amount of every part.
    pub bars: Vec<(String, Vec<f64>)>,
    /// What the axis measures, and what amounts are divided by before they are drawn.
    pub axis: String,
    pub unit: f64,
}

/// What a part of every bar is and how it looks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BarPart {
    pub words: String,
    pub color: Rgb,
    /// What distinguishes it in grey print.
    pub hatch: Hatch,
    /// How much ink it has: 1, or less of what served nothing.
    pub cover: f64,
}

impl Stack {
    /// The longest bar.
    pub(crate) fn longest(bars: &[(String, Vec<f64>)]) -> f64 {
        bars.iter().map(|(_, amounts)| amounts.iter().sum()).fold(0.0, f64::max)
    }

    /// The same with at most `most` bars: the first ones, and the mean of the others.
    fn condensed(&self, most: usize) -> Self {
        if self.bars.len() <= most {
            return self.clone();
        }
        let (first, others) = self.bars.split_at(most - 1);
        let mean = |part| others.iter().map(|(_, amounts)| amounts[part]).sum::<f64>() / others.len() as f64;
        let mean = (format!("{}, mean", so_many(others.len(), "other")), (0..self.parts.len()).map(mean).collect());
        Self { bars: first.iter().cloned().chain([mean]).collect(), ..self.clone() }
    }

    /// The same without the parts that are too little to be seen in any bar, and their words.
    fn visible(self, look: &Look) -> (Self, Vec<String>) {
        let least = SEEN * look.line / look.width * Self::longest(&self.bars);
        let is_seen = |part: usize| self.bars.iter().any(|(_, amounts)| amounts[part] > least);
        let seen: Vec<bool> = (0..self.parts.len()).map(is_seen).collect();
        let unseen = self.parts.iter().zip(&seen).filter(|(_, seen)| !**seen).map(|(part, _)| part.words.clone());
        let unseen: Vec<String> = unseen.collect();
        let of = |amounts: &[f64]| amounts.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(&own, _)| own).collect();
        let parts = self.parts.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(part, _)| part.clone()).collect();
        let bars = self.bars.iter().map(|(label, amounts)| (label.clone(), of(amounts))).collect();
        (Self { parts, bars, ..self }, unseen)
    }

    /// A tidy table: arm, part and amount, under these names.
    fn csv(&self, header: [&str; 3], comments: &[String]) -> Result<String, RecordError> {
        let mut table = Table::in_memory(comments, &header)?;
        for (label, amounts) in &self.bars {
            for (part, amount) in self.parts.iter().zip(amounts) {
                table.row(&[label, &part.words, &Float(Some(*amount))])?;
            }
        }
        table.into_text()
    }
}

/// The figure of that name; its table has the header given, and every bar.
pub(crate) fn drawing(
    report: &Report<'_>,
    (name, header): (&str, [&str; 3]),
    stack: &Stack,
    (caption, about): (&str, &str),
) -> Result<Drawing, ReportError> {
    let most = most(stack, &report.look, &report.metrics);
    let (drawn, unseen) = stack.condensed(most).visible(&report.look);
    let mut about = about.to_owned();
    if stack.bars.len() > most {
        about += &format!(" Of {} bars {} are drawn, and the mean of the others.", stack.bars.len(), most - 1);
    }
    if !unseen.is_empty() {
        about += &format!(" Too little to be seen, and in the table only: {}.", unseen.join(", "));
    }
    report.drawing(
        (name, name),
        |description| draw(&drawn, &report.look, &report.metrics, description),
        |comments| stack.csv(header, comments),
        report.words(caption, &about),
    )
}

/// The colour of a part as it lies on paper.
fn on_paper(part: &BarPart) -> Rgb {
    let (red, green, blue) = part.color;
    let paled = |own: u8| (part.cover * f64::from(own) + (1.0 - part.cover) * 255.0).round() as u8;
    (paled(red), paled(green), paled(blue))
}

/// The colour of the lines on a part: white, or its own where it is pale; darker ones where these would not be seen.
fn ink(part: &BarPart) -> Rgb {
    let (own, dark) = if part.cover < 1.0 { (part.color, (0x60, 0x60, 0x60)) } else { (WHITE, BLACK) };
    if contrast(own, on_paper(part)) >= VISIBLE { own } else { dark }
}

fn draw_part(area: &Area, part: &BarPart, corners: [(i32, i32); 2], look: &Look) {
    area.draw(&Rectangle::new(corners, fill(part.color, part.cover)));
    let [(left, top), (right, bottom)] = corners.map(|(x, y)| (points(x), points(y)));
    hatch(area, (left, top), (right - left, bottom - top), part.hatch, (ink(part), look));
}

/// Width of a legend's sample.
fn swatch(look: &Look) -> f64 {
    1.8 * look.tick
}

fn legend(stack: &Stack, look: &Look, metrics: &Metrics) -> (Vec<(f64, f64)>, f64) {
    let labels: Vec<&str> = stack.parts.iter().map(|part| part.words.as_str()).collect();
    legend_rows(&labels, swatch(look), look, metrics)
}

/// How many bars fit on the page.
fn most(stack: &Stack, look: &Look, metrics: &Metrics) -> usize {
    let (_, legend) = legend(stack, look, metrics);
    let room = look.tallest - legend - look.tick - below(look);
    ((room / (PITCH * look.tick)) as usize).clamp(2, MOST)
}

/// What the axis and its label take below the frame.
fn below(look: &Look) -> f64 {
    look.tick_baseline(0.0) + 1.55 * look.label
}

/// The figure as an SVG file.
fn draw(stack: &Stack, look: &Look, metrics: &Metrics, description: &str) -> Result<String, DrawError> {
    let (positions, legend_height) = legend(stack, look, metrics);
    let names: Vec<&str> = stack.bars.iter().map(|(label, _)| label.as_str()).collect();
    let names = fitted(&names, 0.45 * look.width, look.tick, metrics);
    let widest = names.iter().map(|label| metrics.width(&Rich::plain(label), look.tick)).fold(0.0, f64::max);
    let (left, right) = (widest + 3.0 * look.gap() + look.tick_length(), look.width - 1.5 * look.tick);
    let (top, pitch) = (legend_height + look.tick, PITCH * look.tick);
    let ticks = ((right - left) / (4.0 * look.tick)).clamp(2.0, 7.0) as usize;
    let frame = Frame { left, top, right, bottom: top + pitch * stack.bars.len() as f64 };
    let plot =
        Plot { frame, x: Axis::linear(0.0, Stack::longest(&stack.bars) / stack.unit, ticks, true), y: Axis::bare() };
    let mut canvas = Canvas::new(look.width, frame.bottom + below(look));
    draw_bars(&mut canvas, stack, &names, &plot, look);
    plot.draw_axes(&mut canvas, look);
    plot.draw_x_labels(&mut canvas, look);
    let position = (frame.middle().0, look.tick_baseline(frame.bottom) + 1.2 * look.label);
    canvas.text(&Rich::plain(&stack.axis), position, look.label, Anchor::Middle);
    let sample = swatch(look);
    for (part, (x, y)) in stack.parts.iter().zip(positions) {
        canvas.layer("class=\"legend\"", |area| {
            let corners = [(units(x), units(y - 0.75 * look.tick)), (units(x + sample), units(y + 0.05 * look.tick))];
            draw_part(area, part, corners, look);
        });
        canvas.text(&Rich::plain(&part.words), (x + sample + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

fn draw_bars(canvas: &mut Canvas, stack: &Stack, names: &[String], plot: &Plot, look: &Look) {
    let edge = stroke(0.6 * look.line, WHITE);
    let Frame { left, top, .. } = plot.frame;
    let pitch = PITCH * look.tick;
    for (row, ((_, amounts), label)) in stack.bars.iter().zip(names).enumerate() {
        let middle = top + pitch * (row as f64 + 0.5);
        let (above, below) = (units(middle - 0.32 * pitch), units(middle + 0.32 * pitch));
        canvas.layer("class=\"bar\"", |area| {
            let mut sum = 0.0;
            for (part, amount) in stack.parts.iter().zip(amounts) {
                let across = |amount: f64| plot.at((amount / stack.unit, 0.0)).0;
                let (from, to) = (across(sum), across(sum + amount));
                draw_part(area, part, [(from, above), (to, below)], look);
                // A white edge keeps neighbours apart in grey print.
                area.path(vec![(to, above), (to, below)], edge);
                sum += amount;
            }
        });
        let position = (left - look.tick_length() - look.gap(), middle + 0.33 * look.tick);
        canvas.text(&Rich::plain(label), position, look.tick, Anchor::End);
    }
}

#[cfg(test)]
mod tests {
    use super::{BarPart, Stack, VISIBLE, ink, on_paper};
    use crate::figures::hatch::PLAIN;
    use crate::figures::ledger::stack_of;
    use crate::shades::contrast;
    use fedbits_record::{Direction, Fate, LedgerRow};
    use proptest::prelude::*;

    const COVERS: [f64; 5] = [1.0, 0.62, super::PALE, 0.3, 0.15];
    const FATES: [Fate; 5] = [Fate::Delivered, Fate::Late, Fate::Lost, Fate::Aborted, Fate::InFlight];

    /// Every kind of traffic that the program sends, as one stack.
    fn everything(fates: &[Fate]) -> Stack {
        let purposes = ["update", "broadcast", "initial_memory", "constants", "acknowledgement", "resynchronization"];
        let further = ["terms", "consensus", "features", "clustering", "keys", "shares", "unmasking", "other"];
        let row = |purpose: &str, direction, fate| LedgerRow {
            link: String::new(),
            direction,
            purpose: purpose.to_owned(),
            fate,
            messages: 1,
            payload_bits: 1,
            header_bits: 1,
            retransmitted_bits: 1,
        };
        let of = |purpose: &&str| {
            [Direction::Up, Direction::Down]
                .into_iter()
                .flat_map(|direction| fates.iter().map(move |&fate| row(purpose, direction, fate)))
                .collect::<Vec<_>>()
        };
        let rows = purposes.iter().chain(&further).flat_map(of).collect();
        stack_of(vec![("a".to_owned(), rows, 1)]).unwrap()
    }

    /// In grey print any two parts differ in their hatch or its ink, or in lightness by more than neighbouring greys
    /// that a printer keeps apart.
    #[test]
    fn parts_differ_in_grey() {
        let parts = everything(&[Fate::Delivered, Fate::Lost]).parts;
        for (index, one) in parts.iter().enumerate() {
            for other in &parts[..index] {
                let lines = |part: &BarPart| (!part.hatch.lines.is_empty()).then(|| (part.hatch, ink(part)));
                let apart = lines(one) != lines(other) || contrast(on_paper(one), on_paper(other)) >= 1.25;
                assert!(apart, "{} and {}", one.words, other.words);
            }
        }
    }

    /// What became of bits that served nothing shows, in grey print, too, as far as a colour is darker than paper.
    #[test]
    fn fates_differ_in_grey() {
        let parts = everything(&FATES).parts;
        for start in ["update up", "broadcast down", "initial memory up"] {
            let own: Vec<&BarPart> = parts.iter().filter(|part| part.words.starts_with(start)).collect();
            assert_eq!(own.len(), 5, "{start}");
            for (index, one) in own.iter().enumerate() {
                for other in &own[..index] {
                    let apart = contrast(on_paper(one), on_paper(other));
                    assert!(apart >= 1.18, "{} and {}: {apart}", one.words, other.words);
                }
            }
        }
    }

    /// Beyond the first bars stands their mean: nothing of the whole is lost.
    #[test]
    fn many_bars_are_condensed() {
        let bars: Vec<(String, Vec<f64>)> = (0..40).map(|k| (k.to_string(), vec![f64::from(k)])).collect();
        let stack = Stack { bars: bars.clone(), parts: everything(&FATES).parts[..1].to_vec(), ..everything(&FATES) };
        let drawn = stack.condensed(15).bars;
        assert_eq!((drawn.len(), &drawn[..14]), (15, &bars[..14]));
        assert_eq!(drawn[14], ("26 others, mean".to_owned(), vec![26.5]));
        assert_eq!(stack.condensed(40).bars, bars);
    }

    proptest! {
        /// Hatching is seen on every colour, and what is pale is lighter than what is not, in grey print, too.
        #[test]
        fn hatching_is_seen(color: (u8, u8, u8), cover in prop::sample::select(COVERS.to_vec())) {
            let part = BarPart { words: String::new(), color, hatch: PLAIN, cover };
            prop_assert!(contrast(ink(&part), on_paper(&part)) >= VISIBLE);
        }
    }
}
