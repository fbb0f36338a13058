//! The compressor of a scenario.

use fedbits_codec::{
    Bernoulli, BlockQuantization, Composition, Compressor, CountSketch, Dithering, Identity, Induced, Lazy, LevelCode,
    Natural, NaturalDithering, NonZeros, Norm, PermK, Places, RandK, RankR, ScaledSign, TopK, WireFloat,
};

use crate::schema;

/// The operator for vectors of `clients` clients whose floats travel as `wire`. Member 0 of operators that have members.
pub(crate) fn build(compressor: &schema::Compressor, wire: WireFloat, clients: u32) -> Box<dyn Compressor> {
    let part = |compressor: &schema::Compressor| build(compressor, wire, clients);
    match *compressor {
        schema::Compressor::Identity => Box::new(Identity { wire }),
        schema::Compressor::NonZeros => Box::new(NonZeros { wire }),
        schema::Compressor::Dithering { levels: s, norm: r, code } => {
            Box::new(Dithering { s, r: norm(r), code: level_code(code), wire })
        }
        schema::Compressor::Qsgd { levels, code } => Box::new(Dithering::qsgd(levels, level_code(code), wire)),
        schema::Compressor::TernGrad => Box::new(Dithering::tern_grad(wire)),
        schema::Compressor::BlockQuantization { block, norm: p, code } => {
            Box::new(BlockQuantization { block, p: norm(p), code: level_code(code), wire })
        }
        schema::Compressor::Natural => Box::new(Natural { wire }),
        schema::Compressor::NaturalDithering { levels: s, norm: r, code } => {
            Box::new(NaturalDithering { s, r: norm(r), code: level_code(code), wire })
        }
        schema::Compressor::RandK { k, indices } => Box::new(RandK::new(k as u32, places(indices), wire)),
        schema::Compressor::Bernoulli { probability: p, mask } => {
            let places = if mask == schema::Mask::SharedSeed { Places::Shared } else { Places::Sent };
            Box::new(Bernoulli { p, places, wire })
        }
        schema::Compressor::Lazy { probability: p } => Box::new(Lazy { p, wire }),
        schema::Compressor::PermK => Box::new(PermK { members: clients, member: 0, wire }),
        schema::Compressor::TopK { k, indices } => Box::new(TopK::new(k as u32, places(indices), wire)),
        schema::Compressor::ScaledSign => Box::new(ScaledSign { wire }),
        schema::Compressor::RankR { rank, rows } => Box::new(RankR { rank, rows, wire }),
        schema::Compressor::CountSketch { rows, columns } => Box::new(CountSketch { rows, columns, wire }),
        schema::Compressor::Composition { ref first, ref then } => {
            Box::new(Composition { first: part(first), then: part(then) })
        }
        schema::Compressor::Induced { ref contraction, ref rest } => {
            Box::new(Induced { contraction: part(contraction), rest: part(rest) })
        }
    }
}

fn norm(norm: schema::Norm) -> Norm {
    match norm {
        schema::Norm::L(r) => Norm::P(r),
        schema::Norm::Infinity => Norm::Infinity,
    }
}

fn level_code(code: schema::LevelCode) -> LevelCode {
    match code {
        schema::LevelCode::Fixed => LevelCode::Fixed,
        schema::LevelCode::EliasSparse => LevelCode::EliasSparse,
        schema::LevelCode::EliasDense => LevelCode::EliasDense,
        schema::LevelCode::GammaSparse => LevelCode::GammaSparse,
        schema::LevelCode::GammaDense => LevelCode::GammaDense,
        schema::LevelCode::DeltaSparse => LevelCode::DeltaSparse,
        schema::LevelCode::DeltaDense => LevelCode::DeltaDense,
        schema::LevelCode::Mask => LevelCode::Mask,
        schema::LevelCode::Packed => LevelCode::Packed,
        schema::LevelCode::Arithmetic => LevelCode::Arithmetic,
    }
}

fn places(indices: schema::Indices) -> Places {
    match indices {
        schema::Indices::Enumerative => Places::Sent,
        schema::Indices::List => Places::Listed,
        schema::Indices::Mask => Places::Masked,
        schema::Indices::SharedSeed => Places::Shared,
    }
}
