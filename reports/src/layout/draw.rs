//! Draws a measured figure.

use super::frame::Placed;
use super::legend::{Entry, Legend, Sample, draw_entries, draw_sample, legend_of};
use super::marks::draw_outline;
use super::measure::{Page, measure, widest};
use super::shapes::{draw_shapes, named};
use super::{Beyond, Form, Frame, Grid, Laid, Panel};
use crate::scene::{Anchor, Label, Scene, SceneGroup, stroke};
use crate::style::{BLACK, LineStyle, Look, dashes};
use crate::text::Rich;
use crate::words::{fitted, headings, name_and_unit};
use std::collections::BTreeMap;

/// Up to this many lines of a frame are named at their ends, with names that take this share of the width.
const MOST_ENDS: usize = 6;
const WIDEST_ENDS: f64 = 0.3;
/// Lines that are named at their ends end that far to the right.
const AT_EDGE: f64 = 0.96;
/// The smallest type of a label, in sizes of tick labels.
const SMALLEST: f64 = 1.0;

impl Grid {
    /// The figure, measured and drawn.
    pub(crate) fn laid(&self, look: &Look) -> Laid {
        let mut entries = self.legend().to_vec();
        let (page, named) = match self.named_at_ends(look) {
            Some((page, ends)) => {
                entries.clear();
                (page, ends)
            }
            None => (self.page(&mut entries, look), Vec::new()),
        };
        let mut canvas = Scene::new(look.width, page.height);
        let mut notes = Vec::new();
        let ends: Vec<f64> = (0..self.panels.len()).map(|number| self.heading_end(number, &page.placed)).collect();
        let rooms = page.placed.iter().zip(&ends).zip(&self.panels).filter(|(_, panel)| panel.heading.is_some());
        let room = rooms.map(|((placed, end), _)| end - placed.plot.frame.left).fold(f64::INFINITY, f64::min);
        let words = headings(self.panels.iter().map(|panel| &panel.heading), room + look.tick, look.tick);
        // Labels of one size.
        let label = |(panel, placed): (&Panel, &Placed)| {
            PanelDrawing { panel, placed, look }.x_label().map_or(look.label, |(_, size, _)| size)
        };
        let label = self.panels.iter().zip(&page.placed).map(label).fold(look.label, f64::min);
        for (((panel, placed), heading), end) in self.panels.iter().zip(&page.placed).zip(&words).zip(&ends) {
            let drawn = PanelDrawing { panel, placed, look };
            drawn.axes(&mut canvas, label);
            if let Some(full) = &panel.heading {
                let frame = placed.plot.frame;
                let at = (0.5 * (frame.left + end), frame.top - placed.strip - 0.7 * look.tick);
                canvas.set_words(heading, full, at, look.tick, Anchor::Middle);
            }
            let without_room = drawn.names_below().filter(|(_, (name, full))| name.is_empty() && !full.is_empty());
            notes.extend(without_room.map(|(_, (_, full))| full.clone()));
            notes.extend(draw_shapes(&mut canvas, &panel.shapes, placed, look));
            drawn.strip(&mut canvas);
            drawn.beside(&mut canvas);
        }
        draw_entries(&mut canvas, &entries, &page.legend, look);
        for (Entry { words, sample }, frame) in self.entries.iter().zip(named) {
            draw_sample(&mut canvas, *sample, frame, look);
            let at = (frame.right + 0.5 * look.tick, frame.top + 0.3 * look.tick);
            canvas.set_words(words, words, at, look.tick, Anchor::Start);
        }
        notes.dedup();
        notes.retain(|note| entries.iter().all(|entry| entry.words != *note));
        Laid { scene: canvas, notes }
    }

    /// Where the heading of a panel may end: with the last panel right of it that has none.
    fn heading_end(&self, number: usize, placed: &[Placed]) -> f64 {
        let first = placed[number].plot.frame;
        let after = self.panels.iter().zip(placed).skip(number + 1);
        let row = after.take_while(|(panel, placed)| panel.heading.is_none() && placed.plot.frame.top == first.top);
        row.last().map_or(first.right, |(_, placed)| placed.plot.frame.right)
    }

    /// The page with a legend of these entries, without those that a single frame names beside their points.
    fn page(&self, entries: &mut Vec<Entry>, look: &Look) -> Page {
        let of = |entries: &[Entry]| measure(self, legend_of(entries, look), 0.0, look);
        let page = of(entries);
        let ([panel], [placed]) = (&self.panels[..], &page.placed[..]) else { return page };
        let named = named(&panel.shapes, placed, look);
        let count = entries.len();
        entries.retain(|entry| !named.contains(&entry.words));
        if entries.len() == count { page } else { of(entries) }
    }

    /// The entries that need a legend: there is nothing to distinguish where there is but one arm's line.
    fn legend(&self) -> &[Entry] {
        match &self.entries[..] {
            [Entry { sample: Sample::Line(_, _, true), .. }] => &[],
            entries => entries,
        }
    }

    /// The figure with a name beside the end of each line instead of a legend, and where the sample of each entry
    /// stands: of a single frame with few lines that all end at its right edge, apart from each other.
    fn named_at_ends(&self, look: &Look) -> Option<(Page, Vec<Frame>)> {
        let ([panel], 2..=MOST_ENDS) = (&self.panels[..], self.entries.len()) else { return None };
        if !self.at_ends {
            return None;
        }
        let (sample, gap) = (1.6 * look.tick, 0.5 * look.tick);
        let margin = sample + 2.0 * gap + widest(self.entries.iter().map(|entry| &entry.words), look);
        if margin > WIDEST_ENDS * look.width {
            return None;
        }
        let page = measure(self, Legend::default(), margin, look);
        let plot = &page.placed[0].plot;
        let Frame { left, right, top, bottom } = plot.frame;
        let end = |(number, entry): (usize, &Entry)| {
            let Sample::Line(style, ..) = entry.sample else { return None };
            let is_line = |form: &Form| matches!(form, Form::Line(_) | Form::Steps(_));
            let mut of_entry = panel.shapes.iter().filter(|shape| is_line(&shape.form) && shape.look == style);
            let (x, y) = plot.of(*of_entry.next_back()?.points.last()?)?;
            let is_at_edge = x >= left + AT_EDGE * (right - left) && x <= right + 0.01 && (top..=bottom).contains(&y);
            is_at_edge.then_some((y, number))
        };
        let mut ends = self.entries.iter().enumerate().map(end).collect::<Option<Vec<_>>>()?;
        ends.sort_by(|one, two| one.0.total_cmp(&two.0));
        let mut placed: Vec<(usize, Frame)> = Vec::new();
        for (height, number) in ends {
            // Nearer ones are moved down a little.
            let y = placed.last().map_or(height, |(_, above)| height.max(above.top + 1.2 * look.tick));
            if y > height + 0.9 * look.tick {
                return None;
            }
            placed.push((number, Frame { left: right + gap, top: y, right: right + gap + sample, bottom: y }));
        }
        placed.sort_by_key(|(number, _)| *number);
        Some((page, placed.into_iter().map(|(_, frame)| frame).collect()))
    }
}

struct PanelDrawing<'a> {
    panel: &'a Panel,
    placed: &'a Placed,
    look: &'a Look,
}

impl PanelDrawing<'_> {
    fn axes(&self, canvas: &mut Scene, size: f64) {
        let Self { panel, placed, look } = self;
        let plot = &placed.plot;
        let frame = plot.frame;
        let is_numeric = [&panel.x, &panel.y].map(|side| side.names.is_empty() && !side.is_bare);
        plot.draw_axes(canvas, is_numeric, look);
        if !placed.is_labelled_below {
            self.below(canvas);
        }
        let middle = frame.middle();
        if let Some(at) = placed.label_x {
            let baseline = |at: f64| plot.at((plot.x.low, at)).1 + 0.33 * look.tick;
            let right = frame.left - look.tick_length() - look.gap();
            for (number, (name, full)) in placed.names[0].iter().zip(&panel.y.names).enumerate() {
                canvas.set_words(name, full, (right, baseline(number as f64)), look.tick, Anchor::End);
            }
            for tick in plot.y.ticks.iter().filter(|_| !panel.y.is_bare) {
                canvas.text(&tick.label, (right, baseline(tick.at)), look.tick, Anchor::End);
            }
            if !panel.y.label.is_empty() {
                let (words, size) = self.fitting(&panel.y.label, &panel.y.brief, frame.height() + 1.2 * look.tick);
                self.label(canvas, words, &panel.y.label, ((at, middle.1), size, true));
            }
        }
        let names = match (is_numeric[0], placed.upward) {
            (false, true) => widest(&placed.names[1], look) - 0.8 * look.tick,
            _ => 0.0,
        };
        if let Some((words, _, (left, right))) = self.x_label() {
            let half = 0.5 * words.width(size);
            let across = (0.5 * (left + right)).min(look.width - half - 0.2 * look.tick).max(half);
            let below = look.tick_baseline(frame.bottom) + 1.2 * look.label + names;
            self.label(canvas, words, &panel.x.label, ((across, below), size, false));
        }
    }

    /// The words below the frame, the largest size at which they fit, and from where to where they stand; they may
    /// reach a little beyond.
    fn x_label(&self) -> Option<(Rich, f64, (f64, f64))> {
        let Self { panel, placed, look } = self;
        let (left, right) = placed.x_label.filter(|_| !panel.x.label.is_empty())?;
        let room = (placed.end - left).max(right - left) + 0.8 * look.tick;
        let (words, size) = self.fitting(&panel.x.label, &panel.x.brief, room.min(right - left + 2.0 * look.tick));
        Some((words, size, (left, right)))
    }

    /// A label that fits into its room: in full, in brief, smaller, or cut at its end, before its unit.
    fn fitting(&self, label: &Rich, brief: &str, room: f64) -> (Rich, f64) {
        let look = self.look;
        let is_narrow = |words: &Rich| words.fitting(look.label, room) < SMALLEST * look.tick;
        let words = if is_narrow(label) && !brief.is_empty() { Rich::plain(brief) } else { label.clone() };
        if !is_narrow(&words) {
            return (words.clone(), words.fitting(look.label, room));
        }
        let (full, size): (String, f64) = (words.characters().collect(), SMALLEST * look.tick);
        let (name, unit) = name_and_unit(&full);
        let cut = fitted(&[name], room - Rich::plain(unit).width(size), size).concat();
        (Rich::plain(&(cut + unit)), size)
    }

    /// Sets a label, which says in full what it says where it is cut.
    fn label(&self, canvas: &mut Scene, words: Rich, whole: &Rich, (at, size, upward): ((f64, f64), f64, bool)) {
        let is_cut = words.characters().any(|c| c == '…') && words != *whole;
        let full = is_cut.then(|| whole.characters().collect());
        canvas.label(Label { words, at, size, anchor: Anchor::Middle, color: BLACK, upward, full });
    }

    /// The names below the frame by their columns, as they are drawn and in full; those without room are empty.
    fn names_below(&self) -> impl Iterator<Item = (usize, (&String, &String))> {
        self.placed.names[1].iter().zip(&self.panel.x.names).enumerate()
    }

    /// The labels of the ticks, or the names, below the frame.
    fn below(&self, canvas: &mut Scene) {
        let Self { panel, placed, look } = self;
        let plot = &placed.plot;
        let baseline = look.tick_baseline(plot.frame.bottom);
        for tick in plot.x.ticks.iter().filter(|_| !panel.x.is_bare) {
            canvas.text(&tick.label, (plot.at((tick.at, plot.y.low)).0, baseline), look.tick, Anchor::Middle);
        }
        for (number, (name, full)) in self.names_below().filter(|(_, (name, _))| !name.is_empty()) {
            let across = plot.at((number as f64, plot.y.low)).0;
            if placed.upward {
                let at = (across + 0.33 * look.tick, plot.frame.bottom + look.tick_length());
                canvas.set_upward_words(name, full, at, look.tick);
            } else {
                canvas.set_words(name, full, (across, baseline), look.tick, Anchor::Middle);
            }
        }
    }

    /// What has no value: above the frame, over a hairline, the words beside the marks.
    fn strip(&self, canvas: &mut Scene) {
        let Self { panel, placed, look } = self;
        let plot = &placed.plot;
        if panel.strip.is_empty() {
            return;
        }
        let Frame { left, top, right, .. } = plot.frame;
        canvas.layer(SceneGroup::new("strip").dashed(dashes(&[1.0, 1.5], look)), |area| {
            area.line(&[(left, top), (right, top)], stroke(0.6 * look.line, LineStyle::REFERENCE.color));
        });
        let size = 0.85 * look.tick;
        let middle = |row: usize| top - (0.5 + 1.15 * (row as f64 + 0.5)) * look.tick;
        // The mark stands left of its words, both around the position and beside no other panel.
        let across = |beyond: &Beyond| {
            let x = plot.at((plot.x.coordinate(beyond.x)?, plot.y.low)).0;
            let width = 1.25 * size + Rich::plain(&beyond.words).width(size);
            let start = (x - 0.5 * width - 0.125 * size).min(right + 0.6 * look.tick - width).max(left);
            Some((x, (start, start + width)))
        };
        let mut by_row: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        for beyond in &panel.strip {
            by_row.entry(beyond.row).or_default().extend(across(beyond).map(|(_, ends)| ends));
        }
        let has_words = by_row.values_mut().all(|places| {
            places.sort_by(|one, two| one.0.total_cmp(&two.0));
            places.windows(2).all(|pair| pair[1].0 > pair[0].1 + 0.55 * size)
        });
        if has_words && placed.label_x.is_some() && panel.strip.iter().any(|beyond| beyond.words.contains('/')) {
            let last = by_row.keys().copied().max().unwrap_or(0);
            let at = (left - look.tick_length() - look.gap(), 0.5 * (middle(0) + middle(last)) + 0.33 * look.tick);
            canvas.text(&Rich::plain("k/n"), at, look.tick, Anchor::End);
        }
        for beyond in &panel.strip {
            let Some((x, (start, _))) = across(beyond) else { continue };
            let center = (if has_words { start + 0.5 * size } else { x }, middle(beyond.row));
            canvas.layer(SceneGroup::new("beyond"), |area| draw_outline(area, center, &beyond.look, 0.8 * look.line));
            if has_words {
                let at = (center.0 + 0.75 * size, center.1 + 0.33 * size);
                canvas.text(&Rich::plain(&beyond.words), at, size, Anchor::Start);
            }
        }
    }

    fn beside(&self, canvas: &mut Scene) {
        let Self { panel, placed, look } = self;
        let (plot, size) = (&placed.plot, look.tick);
        for (column, &left) in panel.beside.iter().zip(&placed.beside) {
            if !column.heading.is_empty() {
                let heading = (left, plot.frame.top - 0.35 * look.tick);
                canvas.text(&Rich::plain(&column.heading), heading, size, Anchor::Start);
            }
            for (number, words) in column.words.iter().enumerate() {
                let at = (left, plot.at((plot.x.low, number as f64)).1 + 0.33 * size);
                canvas.text(&Rich::plain(words), at, size, Anchor::Start);
            }
        }
    }
}
