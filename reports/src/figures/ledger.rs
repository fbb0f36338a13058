//! Where the bits went, from the ledgers of all arms.

use super::bars::{self, BarPart, Stack};
use super::units::{amount, bit_unit};
use crate::compare::{Quantity, Samples, Standing, fronts};
use crate::data::Arm;
use crate::error::ReportError;
use crate::layout::{BoxStyle, Hatch, HatchLine as Line, PLAIN, RISING};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::style::Rgb;
use crate::words::naming;
use fedbits_numerics::quantile;
use fedbits_record::{Direction, Fate, LedgerRow};

/// Of what is no payload.
const GREY: Rgb = (0x80, 0x80, 0x80);

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "ledger",
    title: "where the bits went, by purpose, direction and fate",
    needs: "`ledger.csv`",
    draw,
};

fn draw(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let Some(stack) = stack(report.arms()) else { return Ok(Vec::new()) };
    let caption =
        "Bits sent per run (mean over an arm's runs) by purpose, direction and fate; pale: what served nothing.";
    let about = "Bits sent per run by purpose, direction and fate (mean over an arm's runs), from the exact \
        lengths of all encodings; pale: what served nothing.";
    let about = about.to_owned() + &means_and_medians(report.arms());
    let of_interest = of_interest(report.samples());
    let names = ("ledger", ["arm", "kind", "bits"]);
    Ok(vec![bars::drawing(report, names, (&stack, &of_interest), (caption, &about))?])
}

/// The baseline, and the arms of the last front of `compare`.
fn of_interest(samples: &Samples) -> Vec<usize> {
    let fronts = fronts(samples);
    let front = fronts.last().into_iter().flat_map(|front| front.compared());
    let is_on = |(_, standing): &(usize, &Standing)| standing.compared.as_ref().is_ok_and(|compared| compared.on_front);
    [samples.baseline].into_iter().chain(front.filter(is_on).map(|(arm, _)| arm)).collect()
}

/// A sentence with both, where bars of means differ from medians, as curves show them.
fn means_and_medians(arms: &[Arm]) -> String {
    let of = |arm: &Arm| {
        let mut bits: Vec<f64> = arm.records().map(|run| run.manifest.totals.bits_total() as f64).collect();
        bits.sort_by(f64::total_cmp);
        let (mean, median) = (bits.iter().sum::<f64>() / bits.len() as f64, quantile(&bits, 0.5));
        let words = |bits: f64| amount(Quantity::BitsTotal, bits);
        (words(mean) != words(median)).then(|| format!("{}: {} and {}", arm.label, words(mean), words(median)))
    };
    naming("All bits, mean and median over the runs", arms.iter().filter_map(of))
}

/// Bars of the mean bits per run over an arm's runs; `None` when no run has a ledger.
pub(crate) fn stack(arms: &[Arm]) -> Option<Stack> {
    let rows = |arm: &'_ Arm| arm.runs.iter().flat_map(|run| run.record.ledger.clone()).collect();
    stack_of(arms.iter().map(|arm| (arm.label.clone(), rows(arm), arm.runs.len())).collect())
}

/// A bar for each label, of the sums of its rows over as many runs; `None` without rows. The look of its purpose for
/// a payload, grey for headers and what was sent again. Parts stand by rank, otherwise as they were met.
pub(crate) fn stack_of(all: Vec<(String, Vec<LedgerRow>, usize)>) -> Option<Stack> {
    let mut kinds: Vec<(u8, BarPart)> = Vec::new();
    let mut bars: Vec<(String, Vec<f64>)> = Vec::new();
    for (label, rows, runs) in all {
        let mut bits = vec![0.0; kinds.len()];
        for (kind, more) in rows.iter().flat_map(parts) {
            let index = kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
                kinds.push(kind);
                bits.push(0.0);
                kinds.len() - 1
            });
            bits[index] += more as f64 / runs as f64;
        }
        bars.push((label, bits));
    }
    if kinds.is_empty() {
        return None;
    }
    let mut order: Vec<usize> = (0..kinds.len()).collect();
    order.sort_by_key(|&index| kinds[index].0);
    for (_, bits) in &mut bars {
        *bits = order.iter().map(|&index| bits.get(index).copied().unwrap_or(0.0)).collect();
    }
    let (unit, name) = bit_unit(Stack::longest(&bars));
    let axis = format!("bits sent per run ({name})");
    Some(Stack { parts: order.iter().map(|&index| kinds[index].1.clone()).collect(), bars, axis, unit })
}

/// The parts of a bar that a row's bits belong to, with their rank; nothing for no bits.
fn parts(row: &LedgerRow) -> impl Iterator<Item = ((u8, BarPart), u64)> {
    // What became of messages when they served nothing: the less of it got anywhere, the paler.
    let waste = match row.fate {
        Fate::Delivered => None,
        Fate::Late => Some((row.fate.word(), 0.62)),
        Fate::Lost => Some((row.fate.word(), bars::PALE)),
        Fate::Aborted => Some((row.fate.word(), 0.3)),
        Fate::InFlight => Some(("in flight at the end", 0.15)),
    };
    // What was used comes first, then headers, then waste.
    let part = |rank: u8, words: &str, (color, hatch): (Rgb, Hatch), waste: Option<(&str, f64)>| match waste {
        None => (rank, BarPart { words: words.to_owned(), filling: BoxStyle { color, hatch, cover: 1.0 } }),
        Some((fate, cover)) => {
            (2, BarPart { words: format!("{words}, {fate}"), filling: BoxStyle { color, hatch, cover } })
        }
    };
    let way = match row.direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Peer => "between peers",
    };
    let payload = format!("{} {way}", row.purpose.replace('_', " "));
    let lost = Some(("packets lost", bars::PALE));
    [
        (part(0, &payload, look(&row.purpose, row.direction), waste), row.payload_bits),
        (part(1, "packet headers", (GREY, GRID), waste), row.header_bits),
        (part(2, "sent again", (GREY, STRUCK), lost), row.retransmitted_bits),
    ]
    .into_iter()
    .filter(|(_, bits)| *bits > 0)
}

const fn sparse(lines: &'static [Line]) -> Hatch {
    Hatch { lines, dense: false }
}

const fn dense(lines: &'static [Line]) -> Hatch {
    Hatch { lines, dense: true }
}

const UPRIGHT: Hatch = sparse(&[Line::Upright]);
/// Of packet headers, which are grey.
const GRID: Hatch = sparse(&[Line::Across, Line::Upright]);
/// Of what was sent again, which is grey, too.
const STRUCK: Hatch = sparse(&[Line::Across, Line::Upright, Line::Rising]);

/// Okabe and Ito's colours (without black, which is too heavy for an area) for what most runs send, some of Paul Tol's
/// for the rest. They are nearly alike in grey print; the hatches are not.
const LOOKS: [(&str, Rgb, Hatch); 13] = [
    ("update", (0x00, 0x72, 0xB2), PLAIN),
    ("broadcast", (0xD5, 0x5E, 0x00), RISING),
    ("initial_memory", (0x00, 0x9E, 0x73), sparse(&[Line::Falling])),
    ("constants", (0xCC, 0x79, 0xA7), sparse(&[Line::Rising, Line::Falling])),
    ("acknowledgement", (0xE6, 0x9F, 0x00), sparse(&[Line::Across])),
    ("resynchronization", (0x56, 0xB4, 0xE9), UPRIGHT),
    ("terms", (0x33, 0x22, 0x88), dense(&[Line::Rising])),
    ("consensus", (0x88, 0x22, 0x55), dense(&[Line::Falling])),
    ("features", (0xF0, 0xE4, 0x42), dense(&[Line::Rising, Line::Falling])),
    ("clustering", (0x99, 0x99, 0x33), dense(&[Line::Across])),
    ("keys", (0x44, 0xAA, 0x99), dense(&[Line::Upright])),
    ("shares", (0xDD, 0xCC, 0x77), dense(&[Line::Across, Line::Upright])),
    ("unmasking", (0x77, 0xAA, 0xDD), sparse(&[Line::Rising, Line::Across])),
];
/// For purposes of other programs, chosen by their name.
const OTHERS: [(Rgb, Hatch); 3] = [
    ((0x11, 0x77, 0x33), sparse(&[Line::Rising, Line::Upright])),
    ((0xAA, 0x44, 0x99), sparse(&[Line::Falling, Line::Across])),
    ((0x66, 0x11, 0x00), sparse(&[Line::Falling, Line::Upright])),
];
/// What mostly goes from the server to clients; acknowledgements ride on its broadcasts.
const DOWNWARD: [&str; 3] = ["broadcast", "resynchronization", "acknowledgement"];
/// How much light the colour keeps for the other direction.
const DARKER: f64 = 0.5;

/// Colour and hatch of a purpose, the same in every figure, whatever else was sent; the colour is darker for the
/// direction that it does not usually take: constants go up and down again.
pub(crate) fn look(purpose: &str, direction: Direction) -> (Rgb, Hatch) {
    let known = LOOKS.iter().find(|(name, ..)| *name == purpose).map(|&(_, color, hatch)| (color, hatch));
    let ((red, green, blue), hatch) =
        known.unwrap_or_else(|| OTHERS[purpose.bytes().map(usize::from).sum::<usize>() % OTHERS.len()]);
    let usual = (direction == Direction::Down) == DOWNWARD.contains(&purpose);
    let kept = |part: u8| if usual { part } else { (f64::from(part) * DARKER).round() as u8 };
    ((kept(red), kept(green), kept(blue)), hatch)
}

#[cfg(test)]
mod tests {
    use super::{GRID, LOOKS, LedgerRow, OTHERS, STRUCK, look, stack_of};
    use crate::layout::PLAIN;
    use crate::style::contrast;
    use fedbits_record::{Direction, Fate};
    use std::collections::BTreeSet;

    /// Headers of messages that served nothing are waste like these: what is pale is what the kernel counts as wasted.
    #[test]
    fn headers_share_the_fate_of_their_messages() {
        let row = |fate, payload_bits| LedgerRow {
            link: "all".into(),
            direction: Direction::Up,
            purpose: "update".into(),
            fate,
            messages: 1,
            payload_bits,
            header_bits: 8,
            retransmitted_bits: 5,
        };
        let rows = vec![row(Fate::Delivered, 1_000), row(Fate::Late, 200), row(Fate::Aborted, 50)];
        let stack = stack_of(vec![("a".to_owned(), rows, 1)]).unwrap();
        let bits = |is_wanted: fn(f64) -> bool| -> f64 {
            let parts = stack.parts.iter().zip(&stack.bars[0].1);
            parts.filter(|(part, _)| is_wanted(part.filling.cover)).map(|(_, bits)| bits).sum()
        };
        assert_eq!((bits(|cover| cover < 1.0), bits(|cover| cover == 1.0)), (208.0 + 58.0 + 15.0, 1_008.0));
        let words: Vec<&str> = stack.parts.iter().map(|part| part.words.as_str()).collect();
        assert_eq!(words[..2], ["update up", "packet headers"]);
        assert!(words.contains(&"packet headers, late") && words.contains(&"packet headers, aborted"), "{words:?}");
    }

    /// No two purposes, and no two directions of one, have the same colour; in grey print two purposes differ in their
    /// hatch, two directions in lightness.
    #[test]
    fn looks_are_distinct_also_in_grey() {
        let directions = [Direction::Up, Direction::Down];
        let all: BTreeSet<_> =
            LOOKS.iter().flat_map(|(name, ..)| directions.map(|direction| look(name, direction).0)).collect();
        assert_eq!(all.len(), 2 * LOOKS.len());
        assert_eq!(look("update", Direction::Up), look("update", Direction::Peer));
        let hatches =
            LOOKS.iter().map(|(.., hatch)| *hatch).chain(OTHERS.map(|(_, hatch)| hatch)).chain([GRID, STRUCK]);
        let hatches: Vec<_> = hatches.collect();
        for (index, hatch) in hatches.iter().enumerate() {
            assert!(!hatches[..index].contains(hatch), "{hatch:?} twice");
        }
        assert!(hatches.contains(&PLAIN));
        for (name, ..) in LOOKS {
            let [up, down] = directions.map(|direction| look(name, direction).0);
            assert!(contrast(up, down) >= 1.3, "{name}: {}", contrast(up, down));
        }
    }
}
