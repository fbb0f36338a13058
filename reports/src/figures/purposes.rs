//! The colours of what bits are sent for: one per purpose, the same in every figure and on the page, whatever else was
//! sent. Knows the names in `ledger.csv`, no figure.

use crate::shades::Rgb;
use fedbits_record::Direction;

/// Okabe and Ito's colours (without black, which is too heavy for an area) for what most runs send, some of Paul Tol's
/// for the rest.
const COLORS: [(&str, Rgb); 13] = [
    ("update", (0x00, 0x72, 0xB2)),
    ("broadcast", (0xD5, 0x5E, 0x00)),
    ("initial_memory", (0x00, 0x9E, 0x73)),
    ("constants", (0xCC, 0x79, 0xA7)),
    ("acknowledgement", (0xE6, 0x9F, 0x00)),
    ("resynchronization", (0x56, 0xB4, 0xE9)),
    ("terms", (0x33, 0x22, 0x88)),
    ("consensus", (0x88, 0x22, 0x55)),
    ("features", (0xF0, 0xE4, 0x42)),
    ("clustering", (0x99, 0x99, 0x33)),
    ("keys", (0x44, 0xAA, 0x99)),
    ("shares", (0xDD, 0xCC, 0x77)),
    ("unmasking", (0x77, 0xAA, 0xDD)),
];
/// For purposes of other programs, chosen by their name.
const OTHERS: [Rgb; 3] = [(0x11, 0x77, 0x33), (0xAA, 0x44, 0x99), (0x66, 0x11, 0x00)];
/// What mostly goes from the server to clients; acknowledgements ride on its broadcasts.
const DOWNWARD: [&str; 3] = ["broadcast", "resynchronization", "acknowledgement"];
/// How much light the colour keeps for the other direction.
const DARKER: f64 = 0.65;

/// The colour of a purpose, darker for the direction that it does not usually take: constants go up and down again.
pub(crate) fn color(purpose: &str, direction: Direction) -> Rgb {
    let known = COLORS.iter().find(|(name, _)| *name == purpose);
    let (red, green, blue) = known.map_or_else(|| other(purpose), |(_, color)| *color);
    let usual = (direction == Direction::Down) == DOWNWARD.contains(&purpose);
    let kept = |part: u8| if usual { part } else { (f64::from(part) * DARKER).round() as u8 };
    (kept(red), kept(green), kept(blue))
}

fn other(purpose: &str) -> Rgb {
    let sum: usize = purpose.bytes().map(usize::from).sum();
    OTHERS[sum % OTHERS.len()]
}

#[cfg(test)]
mod tests {
    use super::{COLORS, color};
    use fedbits_record::Direction;
    use std::collections::BTreeSet;

    /// No two purposes, and no two directions of one, have the same colour.
    #[test]
    fn colours_are_distinct() {
        let directions = [Direction::Up, Direction::Down];
        let all: BTreeSet<_> =
            COLORS.iter().flat_map(|(name, _)| directions.map(|direction| color(name, direction))).collect();
        assert_eq!(all.len(), 2 * COLORS.len());
        assert_eq!(color("update", Direction::Up), color("update", Direction::Peer));
    }
}
