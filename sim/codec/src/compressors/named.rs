//! Operators of the literature that are dithering with certain parameters.

use super::Dithering;
use crate::{LevelCode, Norm, WireFloat};

impl Dithering {
    /// QSGD (Alistarh et al. 2017): the 2-norm with s levels. ω = min(d/(4s²), √d/s), for s = 1 √d − 1 if that is less.
    pub fn qsgd(s: u32, code: LevelCode, wire: WireFloat) -> Self {
        Self { s, r: Norm::P(2.0), code, wire }
    }

    /// TernGrad (Wen et al. 2017) without clipping: entries −1, 0, 1 times the largest magnitude, log₂ 3 bits each.
    /// ω = min((√d − 1)/2, d/4).
    pub fn tern_grad(wire: WireFloat) -> Self {
        Self { s: 1, r: Norm::Infinity, code: LevelCode::Packed, wire }
    }
}
