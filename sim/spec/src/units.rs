//! Quantities with their unit in the value: `Ms(20)`, `Mbps(5)`, `KiB(2)`. They convert to whole nanoseconds, bit/s and
//! whole bits; what does not fit is an error, never a wrap.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Described;
use crate::short::{Short, Unread};

/// 365.25 days in nanoseconds, the longest latency or unit of work.
pub const YEAR: u64 = 31_557_600_000_000_000;

/// A quantity that has no representation in the simulator's integer units.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum UnitError {
    /// NaN or an infinity.
    #[error("the value is not a finite number")]
    NotFinite,
    /// Below zero.
    #[error("the value is negative")]
    Negative,
    /// Beyond 2⁶⁴ − 1 of the smallest unit.
    #[error("the value is too large: at most {0}")]
    TooLarge(&'static str),
}

/// `value · factor`, rounded to the nearest whole number, as u64. `limit` names the largest value in the message.
fn whole(value: f64, factor: f64, limit: &'static str) -> Result<u64, UnitError> {
    let product = value * factor;
    if !value.is_finite() {
        return Err(UnitError::NotFinite);
    }
    if value < 0.0 {
        return Err(UnitError::Negative);
    }
    // 2^64 as f64: every smaller double converts exactly.
    if product >= 18_446_744_073_709_551_616.0 {
        return Err(UnitError::TooLarge(limit));
    }
    Ok(product.round() as u64)
}

/// A duration, such as `Ms(20)`: 0 to 584 years, in steps of 1 ns.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Duration {
    /// Nanoseconds.
    Ns(f64),
    /// Microseconds.
    Us(f64),
    /// Milliseconds.
    Ms(f64),
    /// Seconds.
    Sec(f64),
    /// Minutes.
    Min(f64),
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration::Ns(0.0);

    /// The value and the nanoseconds in its unit.
    fn parts(self) -> (f64, f64) {
        match self {
            Duration::Ns(value) => (value, 1.0),
            Duration::Us(value) => (value, 1e3),
            Duration::Ms(value) => (value, 1e6),
            Duration::Sec(value) => (value, 1e9),
            Duration::Min(value) => (value, 60e9),
        }
    }

    /// The number as written, without its unit.
    #[must_use]
    pub fn value(self) -> f64 {
        self.parts().0
    }

    /// Nanoseconds in the unit in which it is written.
    #[must_use]
    pub fn unit_nanoseconds(self) -> u64 {
        self.parts().1 as u64
    }

    /// Whole nanoseconds, rounded to nearest.
    ///
    /// # Errors
    /// When the value is negative, not finite, or beyond 2⁶⁴ − 1 ns.
    pub fn nanoseconds(self) -> Result<u64, UnitError> {
        let (value, factor) = self.parts();
        whole(value, factor, "584 years")
    }

    /// Seconds, not rounded to nanoseconds (for the parameters of distributions).
    #[must_use]
    pub fn seconds(self) -> f64 {
        let (value, factor) = self.parts();
        value * (factor / 1e9)
    }
}

/// A data rate, such as `Mbps(5)`; above 0. Links round to whole bit/s.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Rate {
    /// bit/s.
    Bps(f64),
    /// 10³ bit/s.
    Kbps(f64),
    /// 10⁶ bit/s.
    Mbps(f64),
    /// 10⁹ bit/s.
    Gbps(f64),
}

impl Rate {
    fn parts(self) -> (f64, f64) {
        match self {
            Rate::Bps(value) => (value, 1.0),
            Rate::Kbps(value) => (value, 1e3),
            Rate::Mbps(value) => (value, 1e6),
            Rate::Gbps(value) => (value, 1e9),
        }
    }

    /// The number as written, without its unit.
    #[must_use]
    pub fn value(self) -> f64 {
        self.parts().0
    }

    /// bit/s, not rounded.
    #[must_use]
    pub fn bits_per_second(self) -> f64 {
        let (value, factor) = self.parts();
        value * factor
    }

    /// Whole bit/s, rounded to nearest.
    ///
    /// # Errors
    /// When the value is negative, not finite, or beyond 2⁶⁴ − 1 bit/s.
    pub fn whole_bits_per_second(self) -> Result<u64, UnitError> {
        let (value, factor) = self.parts();
        whole(value, factor, "1.8e19 bit/s")
    }
}

/// A power, such as `W(2.5)`; 0 to 10⁶ W.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Power {
    /// 10⁻³ watts.
    MilliW(f64),
    /// Watts.
    W(f64),
}

impl Power {
    /// The number as written, without its unit.
    #[must_use]
    pub fn value(self) -> f64 {
        let (Self::MilliW(value) | Self::W(value)) = self;
        value
    }

    /// Watts.
    #[must_use]
    pub fn watts(self) -> f64 {
        match self {
            Self::MilliW(value) => value / 1e3,
            Self::W(value) => value,
        }
    }
}

/// An energy, such as `KJ(3)`; above 0.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Energy {
    /// Joules.
    J(f64),
    /// 10³ joules.
    KJ(f64),
    /// Watt hours: 3600 joules.
    Wh(f64),
}

impl Energy {
    /// Joules.
    #[must_use]
    pub fn joules(self) -> f64 {
        match self {
            Self::J(value) => value,
            Self::KJ(value) => value * 1e3,
            Self::Wh(value) => value * 3_600.0,
        }
    }
}

/// An amount of data, such as `MiB(100)`.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Size {
    /// Bits.
    Bits(f64),
    /// Bytes of 8 bits.
    Bytes(f64),
    /// 2¹⁰ bytes.
    KiB(f64),
    /// 2²⁰ bytes.
    MiB(f64),
    /// 2³⁰ bytes.
    GiB(f64),
}

impl Size {
    fn parts(self) -> (f64, f64) {
        match self {
            Size::Bits(value) => (value, 1.0),
            Size::Bytes(value) => (value, 8.0),
            Size::KiB(value) => (value, 8.0 * 1024.0),
            Size::MiB(value) => (value, 8.0 * 1_048_576.0),
            Size::GiB(value) => (value, 8.0 * 1_073_741_824.0),
        }
    }

    /// The number as written, without its unit.
    #[must_use]
    pub fn value(self) -> f64 {
        self.parts().0
    }

    /// Whole bits, rounded to nearest.
    ///
    /// # Errors
    /// When the value is negative, not finite, or beyond 2⁶⁴ − 1 bits.
    pub fn bits(self) -> Result<u64, UnitError> {
        let (value, factor) = self.parts();
        whole(value, factor, "2.1e9 GiB")
    }
}

/// A longer text is no quantity.
const LONGEST: usize = 100;

/// The number and the unit of a quantity that is written as a text: `"10 Mbps"`; the unit may be empty.
#[must_use]
pub fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    let is_number = |at: usize| text[..at].trim_end().parse::<f64>().is_ok();
    // The longest number: `1e3 ms` is no 1 with the unit `e3 ms`.
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let end = ends.rev().find(|&at| is_number(at))?;
    let number = text[..end].trim_end().parse::<f64>().ok()?;
    Some((number, text[end..].trim_start()))
}

/// Declares how a quantity is written as a text.
macro_rules! short {
    ($of:ident, $what:literal, $forms:expr, $expected:literal, { $($($unit:literal)|+ => $make:expr),+ $(,)? }) => {
        impl Short for $of {
            const FORMS: &'static [(&'static str, &'static str)] = $forms;

            fn of_text(text: &str) -> Result<Self, Unread> {
                let make: fn(f64) -> Self = match number_and_unit(text) {
                    $(Some((_, $($unit)|+)) => $make,)+
                    _ => return Err(Unread::Expected(concat!($what, " with its unit, ", $expected).to_owned())),
                };
                number_and_unit(text).map(|(number, _)| make(number)).ok_or(Unread::Type)
            }
        }
    };
}

short!(Duration, "a duration", &[("\"40 ms\"", "Ms(40)")], "as in `\"40 ms\"`: ns, us, ms, s, min or h", {
    "ns" => Self::Ns,
    "us" | "µs" | "μs" => Self::Us,
    "ms" => Self::Ms,
    "s" | "sec" => Self::Sec,
    "min" => Self::Min,
    "h" => |hours| Self::Min(60.0 * hours),
});
short!(Rate, "a rate", &[("\"10 Mbps\"", "Mbps(10)")], "as in `\"10 Mbps\"`: bps, kbps, Mbps or Gbps", {
    "bps" | "bit/s" => Self::Bps,
    "kbps" | "Kbps" | "kbit/s" => Self::Kbps,
    "Mbps" | "Mbit/s" => Self::Mbps,
    "Gbps" | "Gbit/s" => Self::Gbps,
});
short!(Power, "a power", &[("\"2.5 W\"", "W(2.5)")], "as in `\"2.5 W\"`: mW or W", {
    "mW" => Self::MilliW,
    "W" => Self::W,
});
short!(Energy, "an energy", &[("\"100 J\"", "J(100)")], "as in `\"100 J\"`: J, kJ or Wh", {
    "J" => Self::J,
    "kJ" => Self::KJ,
    "Wh" => Self::Wh,
});
short!(
    Size,
    "an amount of data",
    &[("\"64 KiB\"", "KiB(64)"), ("\"5 MB\"", "Bytes(5000000)")],
    "as in `\"64 KiB\"`: bit, B, KiB, MiB, GiB, kB, MB or GB",
    {
        "bit" | "bits" => Self::Bits,
        "B" | "byte" | "bytes" => Self::Bytes,
        "KiB" => Self::KiB,
        "MiB" => Self::MiB,
        "GiB" => Self::GiB,
        "kB" => |kilobytes| Self::Bytes(1e3 * kilobytes),
        "MB" => |megabytes| Self::Bytes(1e6 * megabytes),
        "GB" => |gigabytes| Self::Bytes(1e9 * gigabytes),
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_is_written_with_its_unit() {
        assert_eq!(Duration::of_text(" 1e3ms "), Ok(Duration::Ms(1000.0)));
        assert_eq!(Duration::of_text("1.5 h"), Ok(Duration::Min(90.0)));
        assert_eq!(Rate::of_text("0.5 Gbit/s"), Ok(Rate::Gbps(0.5)));
        assert_eq!(Size::of_text("3MB"), Ok(Size::Bytes(3e6)));
        assert_eq!(Duration::of_text("-4 ms"), Ok(Duration::Ms(-4.0)));
    }

    /// M is not m, b is not B, and a unit of another quantity is none.
    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in ["", "ms", "40", "40 m", "40 MS", "4 0 ms", "1e ms", "40 Mbps", "40 ms ms"] {
            assert!(Duration::of_text(text).is_err(), "{text}");
        }
        for text in ["10 mbps", "10 MBps", "10 MB/s", "10 Mb"] {
            assert!(Rate::of_text(text).is_err(), "{text}");
        }
        assert!(Size::of_text("64 Kib").is_err());
    }
}
