//! Quantities with their unit in the value: `Ms(20)`, `Mbps(5)`, `KiB(2)`. They convert to whole nanoseconds, bit/s and
//! whole bits; what does not fit is an error, never a wrap.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Described;

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

/// A duration, for example `Ms(20)`. Range: 0 to 584 years; resolution 1 ns.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
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

/// A data rate, for example `Mbps(5)`. Range: above 0; decimal prefixes (1 kbit/s = 1000 bit/s).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
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

/// A power, for example `W(2.5)`. Range: 0 to 10⁶ W.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
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

/// An energy, for example `KJ(3)`. Range: above 0.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
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

/// An amount of data, for example `MiB(100)`. Binary prefixes (1 KiB = 1024 bytes = 8192 bits).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
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
