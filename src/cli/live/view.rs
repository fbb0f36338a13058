//! What the viewer has chosen: the axes of the curve, and the arm of a study.

use fedbits_protocols::plan::Measure;

use super::state::{MEASURES, Point};
use crate::cli::table::number::{Quantity, given, number, unit_of, with_unit};

/// What is shown to the right.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Across {
    /// Rounds.
    #[default]
    Rounds,
    /// All bits.
    Bits,
    /// Virtual time.
    Time,
}

impl Across {
    const ALL: [Self; 3] = [Self::Rounds, Self::Bits, Self::Time];

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rounds => "rounds",
            Self::Bits => "bits",
            Self::Time => "simulated time",
        }
    }

    /// The value of a point: rounds, bits or seconds.
    pub(crate) fn value(self, point: &Point) -> f64 {
        match self {
            Self::Rounds => point.round as f64,
            Self::Bits => point.bits as f64,
            Self::Time => point.time_ns as f64 * 1e-9,
        }
    }

    /// A value for people.
    pub(crate) fn text(self, value: f64) -> String {
        match self {
            Self::Rounds => given(value.round()),
            Self::Bits => with_unit(Quantity::Bits, value),
            Self::Time => with_unit(Quantity::Seconds, value),
        }
    }

    /// Values in the unit of the largest, and that unit behind a blank.
    pub(crate) fn texts<const N: usize>(self, values: [f64; N]) -> ([String; N], String) {
        let quantity = match self {
            Self::Rounds => return (values.map(given), String::new()),
            Self::Bits => Quantity::Bits,
            Self::Time => Quantity::Seconds,
        };
        let unit = unit_of(quantity, values.into_iter());
        (values.map(|value| number(value / unit.size)), format!(" {}", unit.name))
    }
}

/// What a measure is called on the screen.
pub(crate) fn measure_name(measure: Measure) -> &'static str {
    match measure {
        Measure::MeanFieldSq => "‖h‖²",
        Measure::Objective => "objective",
        Measure::Accuracy => "accuracy",
        Measure::HeldOut => "held-out log-likelihood",
    }
}

/// A key that means something.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Key {
    /// End it: a run is stopped, a watch is left.
    Quit,
    /// The next or the former axis to the right.
    Left,
    /// The same, forwards.
    Right,
    /// The measure or the arm before.
    Up,
    /// The one after.
    Down,
    /// The next measure.
    Measure,
    /// Logarithms upwards, or not.
    Scale,
}

impl Key {
    /// The keys in what a terminal has sent. Sequences that mean nothing here are passed over.
    pub(crate) fn read(bytes: &[u8]) -> Vec<Self> {
        let mut keys = Vec::new();
        let mut rest = bytes;
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            match first {
                b'q' | b'Q' | 3 => keys.push(Self::Quit),
                b'h' => keys.push(Self::Left),
                b'x' => keys.push(Self::Right),
                b'k' => keys.push(Self::Up),
                b'j' => keys.push(Self::Down),
                b'y' | b'\t' => keys.push(Self::Measure),
                b'l' => keys.push(Self::Scale),
                0x1b => {
                    let Some(sequence) = rest.strip_prefix(b"[").or_else(|| rest.strip_prefix(b"O")) else { continue };
                    let end = sequence.iter().position(|byte| (0x40..=0x7e).contains(byte));
                    let Some(end) = end else { break };
                    keys.extend(match sequence[end] {
                        b'A' => Some(Self::Up),
                        b'B' => Some(Self::Down),
                        b'C' => Some(Self::Right),
                        b'D' => Some(Self::Left),
                        _ => None,
                    });
                    rest = &sequence[end + 1..];
                }
                _ => {}
            }
        }
        keys
    }
}

/// What was chosen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct View {
    /// To the right.
    pub(crate) across: Across,
    /// Number in [`MEASURES`] of what was asked for upwards; where it was not measured, the next that was is shown.
    measure: usize,
    /// The scale that was asked for, where one was: a logarithmic one?
    logarithmic: Option<bool>,
    /// The place of the chosen arm of a study.
    pub(crate) arm: usize,
}

impl View {
    /// Of a study: arms are compared in bits first.
    pub(crate) fn of_study() -> Self {
        Self { across: Across::Bits, ..Self::default() }
    }

    /// What is shown upwards of what was `measured`.
    pub(crate) fn measure(&self, measured: [bool; MEASURES.len()]) -> usize {
        let from = (0..MEASURES.len()).map(|step| (self.measure + step) % MEASURES.len());
        from.into_iter().find(|place| measured[*place]).unwrap_or(self.measure)
    }

    /// Is the scale of a measure logarithmic, where its values allow that?
    pub(crate) fn logarithmic(&self, measure: usize) -> bool {
        self.logarithmic.unwrap_or(MEASURES[measure] == Measure::MeanFieldSq)
    }

    /// Changes by a key; `arms` are those of a study, 0 of a run, and `measured` what can be shown upwards.
    pub(crate) fn press(&mut self, key: Key, arms: usize, measured: [bool; MEASURES.len()]) {
        let place = Across::ALL.iter().position(|own| *own == self.across).unwrap_or(0);
        let turn = |place: usize, forward: bool, of: usize| (place + if forward { 1 } else { of - 1 }) % of;
        let shown = self.measure(measured);
        let next_measure = |forward: bool| {
            let steps = (1..=MEASURES.len()).map(|step| if forward { step } else { MEASURES.len() - step });
            let mut places = steps.map(|step| (shown + step) % MEASURES.len());
            places.find(|place| measured[*place]).unwrap_or(shown)
        };
        match key {
            Key::Quit => {}
            Key::Left => self.across = Across::ALL[turn(place, false, Across::ALL.len())],
            Key::Right => self.across = Across::ALL[turn(place, true, Across::ALL.len())],
            Key::Up if arms > 0 => self.arm = self.arm.min(arms - 1).saturating_sub(1),
            Key::Down if arms > 0 => self.arm = (self.arm + 1).min(arms - 1),
            Key::Up => (self.measure, self.logarithmic) = (next_measure(false), None),
            Key::Down | Key::Measure => (self.measure, self.logarithmic) = (next_measure(true), None),
            Key::Scale => self.logarithmic = Some(!self.logarithmic(shown)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_what_terminals_send() {
        assert_eq!(Key::read(b"q"), [Key::Quit]);
        assert_eq!(Key::read(b"\x1b[A\x1bOB\x1b[1;5Cl"), [Key::Up, Key::Down, Key::Right, Key::Scale]);
        assert_eq!(Key::read(b"\x1b[3~z\x1b[D"), [Key::Left]);
        assert_eq!(Key::read(b"\x1b"), []);
        assert_eq!(Key::read(b"\x1b[1;"), []);
        assert_eq!(Key::read("é\n".as_bytes()), []);
    }

    #[test]
    fn only_what_was_measured_is_chosen() {
        let mut view = View::default();
        let measured = [false, true, true, false];
        assert_eq!(view.measure(measured), 1);
        view.press(Key::Down, 0, measured);
        assert_eq!(view.measure(measured), 2);
        view.press(Key::Down, 0, measured);
        assert_eq!(view.measure(measured), 1);
        view.press(Key::Up, 0, measured);
        assert_eq!(view.measure(measured), 2);
        view.press(Key::Left, 0, measured);
        assert_eq!(view.across, Across::Time);
        (0..9).for_each(|_| view.press(Key::Down, 5, measured));
        assert_eq!(view.arm, 4);
        view.press(Key::Up, 3, measured);
        assert_eq!(view.arm, 1);
    }
}
