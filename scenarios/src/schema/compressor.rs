//! The operators Quant and how their symbols become bits. This file must not know messages.

use serde::{Deserialize, Serialize};

/// The operator on an uplink vector of q entries.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Compressor {
    /// Every coordinate as a float: ω = 0.
    #[default]
    Identity,
    /// Every coordinate that is not zero, as a float, and its place: ω = 0. For vectors that are sparse by themselves.
    NonZeros,
    /// Random dithering of |x_j| / ‖x‖ on `levels` levels, with the sign.
    Dithering {
        /// s, the number of levels above zero; 1 to 65 535.
        levels: u32,
        /// The norm; default `L(2)`.
        #[serde(default)]
        norm: Norm,
        /// How levels become bits; default `EliasSparse`.
        #[serde(default)]
        code: LevelCode,
    },
    /// QSGD: dithering in the 2-norm.
    Qsgd {
        /// s, the number of levels above zero; 1 to 65 535.
        levels: u32,
        /// How levels become bits; default `EliasSparse`.
        #[serde(default)]
        code: LevelCode,
    },
    /// TernGrad: signs of some entries times the largest magnitude, log₂ 3 bits each.
    TernGrad,
    /// Block-p-quantization: one norm per block, and a sign or zero for every entry.
    BlockQuantization {
        /// Entries of a block; 1 to 4 294 967 295.
        block: usize,
        /// The norm p; default `L(2)`.
        #[serde(default)]
        norm: Norm,
        /// How levels become bits; default `Mask`.
        #[serde(default = "mask")]
        code: LevelCode,
    },
    /// Natural compression: signs and exponents, 9 bits per entry (12 with `floats: F64`), ω = 1/8.
    Natural,
    /// Natural dithering: dithering whose levels are powers of two.
    NaturalDithering {
        /// s, the number of levels above zero; 1 to 60.
        levels: u32,
        /// The norm; default `L(2)`.
        #[serde(default)]
        norm: Norm,
        /// How levels become bits; default `EliasSparse`.
        #[serde(default)]
        code: LevelCode,
    },
    /// k of the q coordinates, drawn uniformly, times q/k: ω = q/k − 1.
    RandK {
        /// k; 1 to q.
        k: usize,
        /// How the receiver learns the coordinates; default `Enumerative`.
        #[serde(default)]
        indices: Indices,
    },
    /// Each coordinate kept with a probability and divided by it: ω = 1/probability − 1.
    Bernoulli {
        /// The probability of keeping; in (0, 1].
        probability: f64,
        /// How the receiver learns the coordinates; default `Sent`.
        #[serde(default)]
        mask: Mask,
    },
    /// The whole vector with a probability, divided by it, otherwise nothing: ω = 1/probability − 1.
    Lazy {
        /// The probability of sending; in (0, 1].
        probability: f64,
    },
    /// All clients share out the coordinates of a round by a common permutation: ω = n − 1 alone, less together.
    PermK,
    /// The k largest coordinates. Biased: a contraction with δ = k/q.
    TopK {
        /// k; 1 to q.
        k: usize,
        /// How the receiver learns the coordinates; default `Enumerative` (`SharedSeed` cannot be).
        #[serde(default)]
        indices: Indices,
    },
    /// The mean magnitude times the signs. Biased: a contraction with δ ≥ 1/q.
    ScaledSign,
    /// The vector as a matrix, row by row, approximated by one of this rank. Biased: δ = rank / min(rows, q / rows).
    RankR {
        /// The rank; 1 to the smaller side of the matrix.
        rank: usize,
        /// Rows of the matrix; a divisor of q.
        rows: usize,
    },
    /// Sums of coordinates with random signs in `rows` × `columns` cells (sketched SGD): ω = (q − 1)/(rows · columns).
    CountSketch {
        /// Independent rows, whose estimates are averaged; 1 to 64.
        rows: u32,
        /// Cells per row; 1 to 2³⁰.
        columns: u32,
    },
    /// One operator, then another: on the kept coordinates alone if the first keeps some (`RandK`, `Bernoulli`, `TopK`).
    Composition {
        /// Works on the vector.
        first: Box<Compressor>,
        /// Works on what the first leaves.
        then: Box<Compressor>,
    },
    /// A contraction C without randomness made unbiased: C(x), and what it leaves out through an unbiased operator.
    Induced {
        /// C: `TopK`, `ScaledSign` or `RankR`.
        contraction: Box<Compressor>,
        /// The operator on x − C(x).
        rest: Box<Compressor>,
    },
}

fn mask() -> LevelCode {
    LevelCode::Mask
}

/// The norm that scales a dithered vector.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub enum Norm {
    /// (Σ |x_j|^r)^{1/r}; r from 1 to 1000.
    L(f64),
    /// max |x_j|.
    Infinity,
}

impl Default for Norm {
    fn default() -> Self {
        Norm::L(2.0)
    }
}

/// The code of dithered levels.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum LevelCode {
    /// A sign and ⌈log₂(s + 1)⌉ bits per coordinate.
    Fixed,
    /// Elias ω codes of the gaps between non-zero levels and of the levels: short when few are non-zero.
    #[default]
    EliasSparse,
    /// Elias ω codes of every level: short when most are non-zero.
    EliasDense,
    /// As `EliasSparse`, with Elias γ.
    GammaSparse,
    /// As `EliasDense`, with Elias γ.
    GammaDense,
    /// As `EliasSparse`, with Elias δ.
    DeltaSparse,
    /// As `EliasDense`, with Elias δ.
    DeltaDense,
    /// One bit per coordinate, zero or not, and a sign and ⌈log₂ s⌉ bits for each that is not.
    Mask,
    /// Numbers to base 2s + 1: log₂(2s + 1) bits per coordinate.
    Packed,
    /// An adaptive arithmetic coder: the practical floor.
    Arithmetic,
}

/// How the k coordinates of rand-k and Top-k are told.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Indices {
    /// The subset's number among all of its size: ⌈log₂ C(q, k)⌉ bits.
    #[default]
    Enumerative,
    /// Every index in ⌈log₂ q⌉ bits.
    List,
    /// One bit per coordinate.
    Mask,
    /// Free: both ends draw them from a seed they share.
    SharedSeed,
}

/// How the coordinates of the Bernoulli sparsifier are told.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Mask {
    /// One bit per coordinate.
    #[default]
    Sent,
    /// Free: both ends draw the mask from a seed they share.
    SharedSeed,
}
