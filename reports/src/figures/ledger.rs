//! Where the bits went, from the ledgers of all arms; drawn by [`super::bars`].

use super::bars::{Part, Stack};
use super::layout::bit_unit;
use super::purposes;
use crate::data::Arm;
use fedbits_record::{Direction, Fate, LedgerRow};
use std::fmt::Write;

/// A kind of traffic: the payload of a purpose, packet headers, or what was sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    /// What it was for and which way it went: kinds that agree in it share a colour.
    pub traffic: Traffic,
    /// What became of it when it served nothing; such bits are drawn pale.
    pub waste: Option<&'static str>,
}

/// The subject of a kind; the order is the order in a bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Traffic {
    /// Exact encodings: purpose, as in `ledger.csv`, and direction.
    Payload(String, Direction),
    /// Packet headers.
    Headers,
    /// Packets sent again.
    Again,
}

impl Kind {
    /// As it stands in legend and table.
    pub(crate) fn words(&self) -> String {
        let traffic = match &self.traffic {
            Traffic::Payload(purpose, direction) => format!("{} {}", purpose.replace('_', " "), way(*direction)),
            Traffic::Headers => "packet headers".to_owned(),
            Traffic::Again => "sent again".to_owned(),
        };
        self.waste.map_or_else(|| traffic.clone(), |fate| format!("{traffic}, {fate}"))
    }

    /// What was used comes first, then headers, then waste.
    fn rank(&self) -> u8 {
        match (&self.traffic, self.waste) {
            (Traffic::Payload(..), None) => 0,
            (Traffic::Headers, _) => 1,
            _ => 2,
        }
    }
}

/// Mean bits per run of every kind, in the order of `kinds`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub label: String,
    pub bits: Vec<f64>,
}

/// All arms' ledgers over common kinds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Ledger {
    pub kinds: Vec<Kind>,
    pub bars: Vec<Bar>,
}

impl Ledger {
    /// Sums the rows of every run and takes the mean over an arm's runs; `None` when no run has a ledger.
    pub(crate) fn of(arms: &[Arm]) -> Option<Self> {
        let mut ledger = Self::default();
        for arm in arms {
            let mut bar = Bar { label: arm.label.clone(), bits: vec![0.0; ledger.kinds.len()] };
            for row in arm.runs.iter().flat_map(|run| &run.record.ledger) {
                for (kind, bits) in parts(row) {
                    let place = ledger.place(kind, &mut bar);
                    bar.bits[place] += bits as f64 / arm.runs.len() as f64;
                }
            }
            ledger.bars.push(bar);
        }
        (!ledger.kinds.is_empty()).then(|| ledger.in_order())
    }

    /// One bar for each label and its rows; `None` without rows.
    pub(crate) fn of_bars(bars: Vec<(String, Vec<LedgerRow>)>) -> Option<Self> {
        let mut ledger = Self::default();
        for (label, rows) in bars {
            let mut bar = Bar { label, bits: vec![0.0; ledger.kinds.len()] };
            for (kind, bits) in rows.iter().flat_map(parts) {
                let place = ledger.place(kind, &mut bar);
                bar.bits[place] += bits as f64;
            }
            ledger.bars.push(bar);
        }
        (!ledger.kinds.is_empty()).then(|| ledger.in_order())
    }

    /// Kinds by rank, otherwise as they were met; every bar with all of them.
    fn in_order(self) -> Self {
        let mut order: Vec<usize> = (0..self.kinds.len()).collect();
        order.sort_by_key(|&index| self.kinds[index].rank());
        let bits = |bar: &Bar| order.iter().map(|&index| bar.bits.get(index).copied().unwrap_or(0.0)).collect();
        let bars = self.bars.iter().map(|bar| Bar { label: bar.label.clone(), bits: bits(bar) }).collect();
        Self { kinds: order.iter().map(|&index| self.kinds[index].clone()).collect(), bars }
    }

    fn place(&mut self, kind: Kind, bar: &mut Bar) -> usize {
        let place = self.kinds.iter().position(|own| *own == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        bar.bits.resize(self.kinds.len(), 0.0);
        place
    }

    /// As bars: the colour of its purpose for a payload, grey for headers and what was sent again.
    pub(crate) fn stack(&self) -> Stack {
        let color = |traffic: &Traffic| match traffic {
            Traffic::Payload(purpose, direction) => Some(purposes::color(purpose, *direction)),
            Traffic::Headers | Traffic::Again => None,
        };
        let part = |kind: &Kind| Part { words: kind.words(), color: color(&kind.traffic), pale: kind.waste.is_some() };
        let bars: Vec<_> = self.bars.iter().map(|bar| (bar.label.clone(), bar.bits.clone())).collect();
        let (unit, name) = bit_unit(Stack::most(&bars));
        let axis = format!("bits sent per run ({name})");
        Stack { parts: self.kinds.iter().map(part).collect(), bars, axis, unit }
    }

    /// A tidy table: arm, kind, mean bits per run. Labels are quoted where CSV needs it.
    pub(crate) fn csv(&self, provenance: &[String]) -> String {
        let put = "a string takes everything";
        let mut out = String::new();
        for line in provenance {
            writeln!(out, "# {line}").expect(put);
        }
        out.push_str("arm,kind,bits\n");
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        for bar in &self.bars {
            for (kind, bits) in self.kinds.iter().zip(&bar.bits) {
                writeln!(out, "{},{},{bits:?}", quoted(&bar.label), quoted(&kind.words())).expect(put);
            }
        }
        out
    }
}

/// The kinds a row's bits belong to; nothing for no bits.
fn parts(row: &LedgerRow) -> impl Iterator<Item = (Kind, u64)> {
    let waste = (row.fate != Fate::Delivered).then(|| match row.fate {
        Fate::InFlight => "in flight at the end",
        fate => fate.word(),
    });
    let payload = Traffic::Payload(row.purpose.clone(), row.direction);
    [
        (Kind { traffic: payload, waste }, row.payload_bits),
        (Kind { traffic: Traffic::Headers, waste: None }, row.header_bits),
        (Kind { traffic: Traffic::Again, waste: Some("packets lost") }, row.retransmitted_bits),
    ]
    .into_iter()
    .filter(|(_, bits)| *bits > 0)
}

fn way(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Peer => "between peers",
    }
}
