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

/// Declares a quantity with its units: what one is in base units, and how texts write it; then further words of texts.
macro_rules! quantity {
    (
        $(#[$doc:meta])*
        $of:ident, $what:literal, $expected:literal, $forms:expr, {
            $($(#[$about:meta])* $unit:ident($factor:literal): $($word:literal)|+,)+
            $(; $($further:literal => $make:expr,)+)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
        #[serde(remote = "Self")]
        #[described(short)]
        pub enum $of {
            $($(#[$about])* $unit(f64),)+
        }

        impl $of {
            /// The number as written, without its unit.
            #[must_use]
            pub fn value(self) -> f64 {
                let ($(Self::$unit(value))|+) = self;
                value
            }

            /// Base units in its unit.
            fn factor(self) -> f64 {
                match self {
                    $(Self::$unit(_) => $factor,)+
                }
            }
        }

        impl Short for $of {
            const FORMS: &'static [(&'static str, &'static str)] = $forms;

            fn of_text(text: &str) -> Result<Self, Unread> {
                let make: fn(f64) -> Self = match number_and_unit(text) {
                    $(Some((_, $($word)|+)) => Self::$unit,)+
                    $($(Some((_, $further)) => $make,)+)?
                    _ => return Err(Unread::Expected(concat!($what, " with its unit, ", $expected).to_owned())),
                };
                number_and_unit(text).map(|(number, _)| make(number)).ok_or(Unread::Type)
            }
        }
    };
}

quantity!(
    /// A duration, such as `Ms(20)`: 0 to 584 years, in steps of 1 ns.
    Duration, "a duration", "as in `\"40 ms\"`: ns, us, ms, s, min or h", &[("\"40 ms\"", "Ms(40)")], {
        /// Nanoseconds.
        Ns(1.0): "ns",
        /// Microseconds.
        Us(1e3): "us" | "µs" | "μs",
        /// Milliseconds.
        Ms(1e6): "ms",
        /// Seconds.
        Sec(1e9): "s" | "sec",
        /// Minutes.
        Min(60e9): "min",
        ; "h" => |hours| Self::Min(60.0 * hours),
    }
);
quantity!(
    /// A data rate, such as `Mbps(5)`; above 0. Links round to whole bit/s.
    Rate, "a rate", "as in `\"10 Mbps\"`: bps, kbps, Mbps or Gbps", &[("\"10 Mbps\"", "Mbps(10)")], {
        /// bit/s.
        Bps(1.0): "bps" | "bit/s",
        /// 10³ bit/s.
        Kbps(1e3): "kbps" | "Kbps" | "kbit/s",
        /// 10⁶ bit/s.
        Mbps(1e6): "Mbps" | "Mbit/s",
        /// 10⁹ bit/s.
        Gbps(1e9): "Gbps" | "Gbit/s",
    }
);
quantity!(
    /// A power, such as `W(2.5)`; 0 to 10⁶ W.
    Power, "a power", "as in `\"2.5 W\"`: mW or W", &[("\"2.5 W\"", "W(2.5)")], {
        /// 10⁻³ watts.
        MilliW(1.0): "mW",
        /// Watts.
        W(1e3): "W",
    }
);
quantity!(
    /// An energy, such as `KJ(3)`; above 0.
    Energy, "an energy", "as in `\"100 J\"`: J, kJ or Wh", &[("\"100 J\"", "J(100)")], {
        /// Joules.
        J(1.0): "J",
        /// 10³ joules.
        KJ(1e3): "kJ",
        /// Watt hours: 3600 joules.
        Wh(3_600.0): "Wh",
    }
);
quantity!(
    /// An amount of data, such as `MiB(100)`.
    Size, "an amount of data", "as in `\"64 KiB\"`: bit, B, KiB, MiB, GiB, kB, MB or GB",
    &[("\"64 KiB\"", "KiB(64)"), ("\"5 MB\"", "Bytes(5000000)")], {
        /// Bits.
        Bits(1.0): "bit" | "bits",
        /// Bytes of 8 bits.
        Bytes(8.0): "B" | "byte" | "bytes",
        /// 2¹⁰ bytes.
        KiB(8_192.0): "KiB",
        /// 2²⁰ bytes.
        MiB(8_388_608.0): "MiB",
        /// 2³⁰ bytes.
        GiB(8_589_934_592.0): "GiB",
        ; "kB" => |kilobytes| Self::Bytes(1e3 * kilobytes),
        "MB" => |megabytes| Self::Bytes(1e6 * megabytes),
        "GB" => |gigabytes| Self::Bytes(1e9 * gigabytes),
    }
);

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration::Ns(0.0);

    /// Nanoseconds in the unit in which it is written.
    #[must_use]
    pub fn unit_nanoseconds(self) -> u64 {
        self.factor() as u64
    }

    /// Whole nanoseconds, rounded to nearest.
    ///
    /// # Errors
    /// When the value is negative, not finite, or beyond 2⁶⁴ − 1 ns.
    pub fn nanoseconds(self) -> Result<u64, UnitError> {
        whole(self.value(), self.factor(), "584 years")
    }

    /// Seconds, not rounded to nanoseconds (for the parameters of distributions).
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.value() * (self.factor() / 1e9)
    }
}

impl Rate {
    /// bit/s, not rounded.
    #[must_use]
    pub fn bits_per_second(self) -> f64 {
        self.value() * self.factor()
    }

    /// Whole bit/s, rounded to nearest.
    ///
    /// # Errors
    /// When the value is negative, not finite, or beyond 2⁶⁴ − 1 bit/s.
    pub fn whole_bits_per_second(self) -> Result<u64, UnitError> {
        whole(self.value(), self.factor(), "1.8e19 bit/s")
    }
}

impl Power {
    /// Watts.
    #[must_use]
    pub fn watts(self) -> f64 {
        self.value() / (1e3 / self.factor())
    }
}

impl Energy {
    /// Joules.
    #[must_use]
    pub fn joules(self) -> f64 {
        self.value() * self.factor()
    }
}

impl Size {
    /// Whole bits, rounded to nearest.
    ///
    /// # Errors
    /// When the value is negative, not finite, or beyond 2⁶⁴ − 1 bits.
    pub fn bits(self) -> Result<u64, UnitError> {
        whole(self.value(), self.factor(), "2.1e9 GiB")
    }
}

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
