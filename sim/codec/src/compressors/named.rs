//! Operators of the literature that are dithering with certain parameters.

use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use super::Dithering;
use crate::{Compressor, CompressorSetting, LevelCode, Norm, WireFloat};

impl Dithering {
    /// QSGD (Alistarh et al. 2017): the 2-norm with s levels. ω = min(d/(4s²), √d/s), for s = 1 √d − 1.
    pub fn qsgd(s: u32, code: LevelCode, wire: WireFloat) -> Self {
        Self { s, r: Norm::L(2.0), code, wire }
    }

    /// TernGrad (Wen et al. 2017) without clipping: entries −1, 0, 1 times the largest magnitude, log₂ 3 bits each.
    /// ω = (√d − 1)/2.
    pub fn tern_grad(wire: WireFloat) -> Self {
        Self { s: 1, r: Norm::Infinity, code: LevelCode::Packed, wire }
    }
}

/// QSGD, dithering in the 2-norm (Alistarh et al. 2017): ω = min(√q/s, q/(4 s²)), for s = 1 √q − 1. `code: Fixed` takes
/// 4 bits per entry with `levels: 7`, 8 with `levels: 127`.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Qsgd {
    /// s, levels above zero.
    #[range(whole(1, 65_535))]
    pub levels: u32,
    /// Code of levels.
    #[serde(default)]
    pub code: LevelCode,
}

impl CompressorSetting for Qsgd {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Dithering::qsgd(self.levels, self.code, wire))
    }

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(5)
    }

    fn examples() -> Vec<Self> {
        LevelCode::ALL.map(|code| Self { levels: 3, code }).to_vec()
    }
}

/// Without clipping (Wen et al. 2017): signs of some entries times the largest magnitude, log₂ 3 bits per entry; ω =
/// (√q − 1)/2.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
pub struct TernGrad;

impl CompressorSetting for TernGrad {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Dithering::tern_grad(wire))
    }

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(5)
    }

    fn examples() -> Vec<Self> {
        vec![Self]
    }
}
