//! The size of a compressed vector in memory, which is another than its bits on the wire. This file must not know who
//! holds it.

use super::product;
use crate::schema::Compressor;

/// Bytes of a message of so many numbers.
pub(super) fn message(compressor: &Compressor, length: u64) -> u64 {
    match compressor {
        Compressor::Identity | Compressor::Natural | Compressor::Lazy { .. } | Compressor::RankR { .. } => 8 * length,
        Compressor::NonZeros | Compressor::Bernoulli { .. } | Compressor::PermK => product(&[12, length]),
        Compressor::Dithering { .. }
        | Compressor::Qsgd { .. }
        | Compressor::TernGrad
        | Compressor::NaturalDithering { .. }
        | Compressor::BlockQuantization { .. }
        | Compressor::ScaledSign => product(&[5, length]),
        // Indices, values, and the marks by which a subset is drawn.
        Compressor::RandK { k, .. } | Compressor::TopK { k, .. } => {
            product(&[12, *k as u64]).saturating_add(length / 8)
        }
        // Buffers grow by doubling.
        Compressor::CountSketch { rows, columns } => product(&[10, u64::from(*rows), u64::from(*columns)]),
        Compressor::Composition { first, then } => parts(first, then, length),
        Compressor::Induced { contraction, rest } => parts(contraction, rest, length),
    }
}

/// Of a message inside which there are two.
fn parts(one: &Compressor, other: &Compressor, length: u64) -> u64 {
    message(one, length).saturating_add(message(other, length)).saturating_add(300)
}
