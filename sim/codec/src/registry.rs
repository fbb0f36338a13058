//! Representative configurations of every compressor: what is listed here is tested by the laws in `tests/`.

use crate::{
    Bernoulli, BlockQuantization, Composition, Compressor, CountSketch, Dithering, Identity, Induced, Lazy, LevelCode,
    Natural, NaturalDithering, NonZeros, Norm, PermK, Places, RandK, RankR, ScaledSign, TopK, WireFloat,
};

/// All level codes.
const CODES: [LevelCode; 10] = [
    LevelCode::Fixed,
    LevelCode::EliasSparse,
    LevelCode::EliasDense,
    LevelCode::GammaSparse,
    LevelCode::GammaDense,
    LevelCode::DeltaSparse,
    LevelCode::DeltaDense,
    LevelCode::Mask,
    LevelCode::Packed,
    LevelCode::Arithmetic,
];

/// One or more configurations of each compressor; all fit every dimension ≥ 3.
pub fn registry() -> Vec<Box<dyn Compressor>> {
    let mut all: Vec<Box<dyn Compressor>> = Vec::new();
    for wire in [WireFloat::F64, WireFloat::F32] {
        all.push(Box::new(Identity { wire }));
        all.push(Box::new(NonZeros { wire }));
        for places in [Places::Sent, Places::Shared] {
            all.extend([1, 3].map(|k| Box::new(RandK::new(k, places, wire)) as Box<dyn Compressor>));
            all.extend([0.5, 0.1, 1.0].map(|p| Box::new(Bernoulli { p, places, wire }) as Box<dyn Compressor>));
        }
        for code in [LevelCode::Fixed, LevelCode::EliasSparse, LevelCode::EliasDense] {
            all.extend(ditherings(code, wire));
        }
        all.extend(quantizers(wire));
        all.extend(sparsifiers(wire));
        all.extend(made_of_others(wire));
    }
    all
}

fn ditherings(code: LevelCode, wire: WireFloat) -> impl Iterator<Item = Box<dyn Compressor>> {
    let two = Norm::P(2.0);
    [
        (1, two),
        (4, two),
        (255, two),
        (1, Norm::P(1.0)),
        (2, Norm::P(3.5)),
        (1, Norm::Infinity),
        (1 << 20, Norm::Infinity),
    ]
    .into_iter()
    .map(move |(s, r)| Box::new(Dithering { s, r, code, wire }) as Box<dyn Compressor>)
}

fn quantizers(wire: WireFloat) -> Vec<Box<dyn Compressor>> {
    let mut all: Vec<Box<dyn Compressor>> = vec![
        Box::new(Dithering::tern_grad(wire)),
        Box::new(Natural { wire }),
        Box::new(NaturalDithering { s: 1, r: Norm::P(1.0), code: LevelCode::Mask, wire }),
        Box::new(NaturalDithering { s: 8, r: Norm::Infinity, code: LevelCode::Fixed, wire }),
        Box::new(ScaledSign { wire }),
    ];
    for code in CODES {
        all.push(Box::new(Dithering::qsgd(3, code, wire)));
        all.push(Box::new(BlockQuantization { block: 4, p: Norm::P(2.0), code, wire }));
        all.push(Box::new(NaturalDithering { s: 3, r: Norm::P(2.0), code, wire }));
    }
    let code = LevelCode::Mask;
    all.extend([(1, Norm::Infinity), (64, Norm::P(1.0)), (7, Norm::Infinity)].map(|(block, p)| {
        let operator = BlockQuantization { block, p, code, wire };
        Box::new(operator) as Box<dyn Compressor>
    }));
    all
}

fn sparsifiers(wire: WireFloat) -> Vec<Box<dyn Compressor>> {
    let mut all: Vec<Box<dyn Compressor>> = vec![
        Box::new(Lazy { p: 0.25, wire }),
        Box::new(Lazy { p: 1.0, wire }),
        Box::new(PermK { members: 1, member: 0, wire }),
        Box::new(PermK { members: 2, member: 1, wire }),
        Box::new(PermK { members: 7, member: 3, wire }),
        Box::new(RankR { rank: 1, rows: 1, wire }),
        Box::new(CountSketch { rows: 1, columns: 7, wire }),
        Box::new(CountSketch { rows: 3, columns: 2, wire }),
    ];
    for places in [Places::Sent, Places::Listed, Places::Masked] {
        all.push(Box::new(TopK::new(1, places, wire)));
        all.push(Box::new(TopK::new(3, places, wire)));
        all.push(Box::new(RandK::new(2, places, wire)));
    }
    all
}

fn made_of_others(wire: WireFloat) -> Vec<Box<dyn Compressor>> {
    let qsgd = |code| Box::new(Dithering::qsgd(4, code, wire)) as Box<dyn Compressor>;
    let rand_k = || Box::new(RandK::new(3, Places::Sent, wire)) as Box<dyn Compressor>;
    let bernoulli = || Box::new(Bernoulli { p: 0.3, places: Places::Shared, wire }) as Box<dyn Compressor>;
    let top_k = || Box::new(TopK::new(2, Places::Sent, wire)) as Box<dyn Compressor>;
    let natural = || Box::new(Natural { wire }) as Box<dyn Compressor>;
    let compose = |first, then| Box::new(Composition { first, then }) as Box<dyn Compressor>;
    vec![
        compose(rand_k(), qsgd(LevelCode::Fixed)),
        compose(bernoulli(), qsgd(LevelCode::EliasSparse)),
        compose(top_k(), natural()),
        compose(qsgd(LevelCode::Fixed), natural()),
        compose(natural(), rand_k()),
        compose(Box::new(BlockQuantization { block: 400, p: Norm::P(2.0), code: LevelCode::Fixed, wire }), bernoulli()),
        compose(compose(qsgd(LevelCode::Fixed), qsgd(LevelCode::Fixed)), bernoulli()),
        Box::new(Induced { contraction: top_k(), rest: rand_k() }),
        Box::new(Induced { contraction: Box::new(ScaledSign { wire }), rest: qsgd(LevelCode::Arithmetic) }),
        Box::new(Induced { contraction: top_k(), rest: compose(bernoulli(), qsgd(LevelCode::EliasSparse)) }),
    ]
}
