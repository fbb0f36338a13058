//! How long a compressor's messages are on average.

use fedbits_spec::so_many;

/// The mean length of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExpectedBits {
    /// Every message that is not of the zero vector has this length.
    Always(u64),
    /// The mean over the operator's draws, the same for every vector.
    OnAverage(f64),
    /// It depends on the vector: the mean over standard normal vectors, by simulation with a fixed seed.
    ForNormal(f64),
}

impl ExpectedBits {
    /// The number of bits.
    pub fn bits(self) -> f64 {
        match self {
            Self::Always(bits) => bits as f64,
            Self::OnAverage(bits) | Self::ForNormal(bits) => bits,
        }
    }

    /// Of two messages sent one after the other: as certain as the less certain one.
    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = self.bits() + other.bits();
        match (self, other) {
            (Self::Always(a), Self::Always(b)) => Self::Always(a + b),
            (Self::ForNormal(_), _) | (_, Self::ForNormal(_)) => Self::ForNormal(sum),
            _ => Self::OnAverage(sum),
        }
    }
}

impl std::fmt::Display for ExpectedBits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Always(bits) => f.write_str(&so_many(bits, "bit")),
            Self::OnAverage(bits) => write!(f, "{bits:.1} bits on average"),
            Self::ForNormal(bits) => write!(f, "{bits:.1} bits on average for normal entries"),
        }
    }
}
