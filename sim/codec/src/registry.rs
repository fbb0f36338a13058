//! Representative configurations of every compressor: what is listed here is tested by the laws in `tests/`.

use crate::{Bernoulli, Compressor, Dithering, Identity, LevelCode, NonZeros, Norm, Places, RandK, WireFloat};

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
