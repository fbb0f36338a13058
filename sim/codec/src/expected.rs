//! How long a compressor's messages are on average.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::so_many;

use crate::{CodecError, Draw, Encoded};

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

/// Entries to simulate in all.
const ENTRIES: usize = 200_000;

/// The mean over standard normal vectors; those that cannot be sent count nothing.
pub(crate) fn simulated(
    dimension: usize,
    encode: impl Fn(&[f64], Draw<'_>, &mut Encoded) -> Result<(), CodecError>,
) -> ExpectedBits {
    let samples = (ENTRIES / dimension.max(1)).clamp(4, 2_000) as u64;
    let (mut x, mut message, mut total) = (vec![0.0; dimension], Encoded::new(), 0);
    for sample in 0..samples {
        let streams = Streams::new(0, sample);
        let mut stream = streams.at(DrawPurpose::Data, 0, 0);
        x.fill_with(|| stream.normal());
        let draw = Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, 0));
        if encode(&x, draw, &mut message).is_ok() {
            total += message.bits();
        }
    }
    ExpectedBits::ForNormal(total as f64 / samples as f64)
}
