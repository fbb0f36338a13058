//! The looks of what bits are sent for: a colour and a hatch per purpose, the same in every figure and on the page,
//! whatever else was sent. Knows the names in `ledger.csv`, no figure.

use crate::layout::{Hatch, HatchLine as Line, PLAIN, RISING};
use crate::shades::Rgb;
use fedbits_record::Direction;

const fn sparse(lines: &'static [Line]) -> Hatch {
    Hatch { lines, dense: false }
}

const fn dense(lines: &'static [Line]) -> Hatch {
    Hatch { lines, dense: true }
}

const UPRIGHT: Hatch = sparse(&[Line::Upright]);
/// Of packet headers, which are grey.
pub(crate) const GRID: Hatch = sparse(&[Line::Across, Line::Upright]);
/// Of what was sent again, which is grey, too.
pub(crate) const STRUCK: Hatch = sparse(&[Line::Across, Line::Upright, Line::Rising]);

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

/// Colour and hatch of a purpose; the colour is darker for the direction that it does not usually take: constants go up
/// and down again.
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
    use super::{GRID, LOOKS, OTHERS, STRUCK, look};
    use crate::layout::PLAIN;
    use crate::shades::contrast;
    use fedbits_record::Direction;
    use std::collections::BTreeSet;

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
