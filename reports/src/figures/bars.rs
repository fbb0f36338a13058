//! Stacked bars, one per row: parts distinguished by colour and hatch, what served nothing pale.

use crate::error::ReportError;
use crate::layout::{BoxStyle, Entry, Form, Grid, Panel, Shape, Side, is_on_page};
use crate::report::{Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::LineStyle;
use crate::text::each_once;
use crate::words::naming;
use fedbits_record::RecordError;
use fedbits_spec::so_many;

/// How much ink a part has that served nothing, where nothing more is said of it.
pub(crate) const PALE: f64 = 0.45;
/// From bar to bar, in sizes of tick labels, and half the height of a bar in rows.
const PITCH: f64 = 1.9;
const HALF: f64 = 0.32;
/// No figure has more bars.
const MOST: usize = 15;
/// What is less than this share of the longest bar in all bars cannot be seen.
const SEEN: f64 = 0.002;

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

/// What a part of every bar is and how it looks: of what served nothing, little of the paper is covered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BarPart {
    pub words: String,
    pub filling: BoxStyle,
}

impl Stack {
    /// The longest bar.
    pub(crate) fn longest(bars: &[(String, Vec<f64>)]) -> f64 {
        bars.iter().map(|(_, amounts)| amounts.iter().sum()).fold(0.0, f64::max)
    }

    /// The numbers of the bars that are drawn where only `most` have room, one of them for the mean of the others:
    /// those of interest, and then the first ones; all in their order.
    fn chosen(&self, most: usize, of_interest: &[usize]) -> Vec<usize> {
        let room = if self.bars.len() > most { most - 1 } else { most };
        let mut chosen = each_once(of_interest.iter().copied().chain(0..self.bars.len()));
        chosen.truncate(room);
        chosen.sort_unstable();
        chosen
    }

    /// The same with these bars, and the mean of the others.
    fn condensed(&self, chosen: &[usize]) -> Self {
        let (shown, hidden): (Vec<_>, Vec<_>) = (0..self.bars.len()).partition(|bar| chosen.contains(bar));
        let mean = |part| hidden.iter().map(|&bar| self.bars[bar].1[part]).sum::<f64>() / hidden.len() as f64;
        let label = format!("{}, mean", so_many(hidden.len(), "other"));
        let rest = (!hidden.is_empty()).then(|| (label, (0..self.parts.len()).map(mean).collect()));
        Self { bars: shown.iter().map(|&bar| self.bars[bar].clone()).chain(rest).collect(), ..self.clone() }
    }

    /// Is a part enough to be seen in some bar?
    fn is_seen(&self, part: usize) -> bool {
        let least = SEEN * Self::longest(&self.bars);
        self.bars.iter().any(|(_, amounts)| amounts[part] > least)
    }

    fn grid(&self) -> Grid {
        let seen: Vec<usize> = (0..self.parts.len()).filter(|&part| self.is_seen(part)).collect();
        let shape = |&part: &usize| {
            let corners = |(row, (_, amounts)): (usize, &(String, Vec<f64>))| {
                let start: f64 = amounts[..part].iter().sum();
                let (row, ends) = (row as f64, [start, start + amounts[part]].map(|end| end / self.unit));
                [(ends[0], row - HALF), (ends[1], row + HALF)]
            };
            let corners = self.bars.iter().enumerate().filter(|(_, bar)| bar.1[part] > 0.0).flat_map(corners).collect();
            Shape::new(LineStyle::INK, Form::Boxes(self.parts[part].filling), corners)
        };
        let names = self.bars.iter().map(|(label, _)| label.clone()).collect();
        let holds = vec![0.0, Self::longest(&self.bars) / self.unit];
        let y = Side { pitch: PITCH, ..Side::of_names("", names) };
        let panel = Panel::new(Side { tight: true, holds, ..Side::new(&self.axis) }, y, seen.iter().map(shape));
        let entry = |&part: &usize| Entry::filled(&self.parts[part].words, self.parts[part].filling);
        Grid { panels: vec![panel], entries: seen.iter().map(entry).collect(), ..Grid::default() }
    }

    /// A tidy table: arm, part and amount, under these names.
    fn rows(&self, header: [&str; 3]) -> Result<FigureRows, RecordError> {
        let row = |(label, part, amount): (&String, &BarPart, f64)| cells![label, part.words, number(amount)];
        let bar = |(label, amounts): &'_ (String, Vec<f64>)| {
            let parts = self.parts.iter().zip(amounts);
            parts.map(|(part, amount)| row((label, part, *amount))).collect::<Vec<_>>()
        };
        FigureRows::new(&header, self.bars.iter().flat_map(bar))
    }
}

/// The figure of that name; its table has the header given, and every bar. Where not all have room, those of interest
/// come first.
pub(crate) fn drawing(
    report: &Report<'_>,
    (name, header): (&str, [&str; 3]),
    (stack, of_interest): (&Stack, &[usize]),
    (caption, about): (&str, &str),
) -> Result<Drawing, ReportError> {
    let of = |most: usize| stack.condensed(&stack.chosen(most, of_interest));
    let has_room = |most: &usize| is_on_page(&of(*most).grid(), &report.look);
    let drawn = of((2..=MOST).rev().find(has_room).unwrap_or(2));
    let mut about = about.to_owned();
    if drawn.bars.len() < stack.bars.len() {
        let shown = drawn.bars.len() - 1;
        about += &format!(" Of {} bars {shown} are drawn, and the mean of the others.", stack.bars.len());
    }
    let unseen = drawn.parts.iter().enumerate().filter(|(part, _)| !drawn.is_seen(*part));
    about += &naming("Too little to be seen, and in the table only", unseen.map(|(_, part)| part.words.as_str()));
    let words = report.words(caption, &about);
    report.figure((name, name), drawn.grid(), &stack.rows(header)?, words)
}

#[cfg(test)]
mod tests {
    use super::{BarPart, Stack};
    use crate::figures::ledger::stack_of;
    use crate::layout::{BoxStyle, PLAIN, ink, on_paper};
    use crate::style::contrast;
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
            for two in &parts[..index] {
                let lines = |part: &BarPart| {
                    let filling = &part.filling;
                    (!filling.hatch.lines.is_empty()).then(|| (filling.hatch, ink(filling)))
                };
                let apart =
                    lines(one) != lines(two) || contrast(on_paper(&one.filling), on_paper(&two.filling)) >= 1.25;
                assert!(apart, "{} and {}", one.words, two.words);
            }
        }
    }

    /// What became of bits that served nothing shows, in grey print, too, as far as a colour is darker than paper.
    #[test]
    fn fates_differ_in_grey() {
        let parts = everything(&FATES).parts;
        for start in ["update up", "broadcast down", "initial memory up"] {
            let alike: Vec<&BarPart> = parts.iter().filter(|part| part.words.starts_with(start)).collect();
            assert_eq!(alike.len(), 5, "{start}");
            for (index, one) in alike.iter().enumerate() {
                for two in &alike[..index] {
                    let apart = contrast(on_paper(&one.filling), on_paper(&two.filling));
                    assert!(apart >= 1.18, "{} and {}: {apart}", one.words, two.words);
                }
            }
        }
    }

    /// Those of interest and the first ones are drawn in their order, and the mean of the others: nothing of the whole
    /// is lost.
    #[test]
    fn many_bars_are_condensed() {
        let bars: Vec<(String, Vec<f64>)> = (0..40).map(|k| (k.to_string(), vec![f64::from(k)])).collect();
        let stack = Stack { bars: bars.clone(), parts: everything(&FATES).parts[..1].to_vec(), ..everything(&FATES) };
        let chosen = stack.chosen(15, &[30, 39, 3]);
        assert_eq!(chosen, [(0..12).collect(), vec![30, 39]].concat());
        let drawn = stack.condensed(&chosen).bars;
        assert_eq!(drawn[..12], bars[..12]);
        assert_eq!(drawn[12..14], [bars[30].clone(), bars[39].clone()]);
        assert_eq!(drawn[14], ("26 others, mean".to_owned(), vec![f64::from((0..40).sum::<i32>() - 66 - 69) / 26.0]));
        assert_eq!(stack.condensed(&stack.chosen(40, &[7])).bars, bars);
    }

    proptest! {
        /// Hatching is seen on every colour, and what is pale is lighter than what is not, in grey print, too.
        #[test]
        fn hatching_is_seen(color: (u8, u8, u8), cover in prop::sample::select(COVERS.to_vec())) {
            let filling = BoxStyle { color, hatch: PLAIN, cover };
            prop_assert!(contrast(ink(&filling), on_paper(&filling)) >= 1.8);
        }
    }
}
