//! The list of compressors, and every registered one with its representative parameters: the laws in `tests/` run over
//! them.

use fedbits_spec::{Kind, kind};

use crate::compressors::*;
use crate::{Compressor, CompressorSetting, WireFloat};

kind! {
    /// Compressor: a map from vectors to messages.
    dyn CompressorSetting as "Compressor", default Some(std::sync::Arc::new(Identity::default()));
    Identity, NonZeros, Dithering, Correlated, Qsgd, TernGrad, BlockQuantization, Natural, NaturalDithering, RandK,
    Bernoulli, Lazy, RandSeqK, PermK, TopK, TopLek, ScaledSign, LloydMax, Rotated, RankR, CountSketch, CompositionOf,
    InducedBy,
}

/// The operators of all registered compressors, for each width of floats and several numbers of clients.
pub fn registry() -> Vec<Box<dyn Compressor>> {
    let entries = <dyn CompressorSetting>::registry().entries();
    let settings: Vec<_> = entries.iter().flat_map(|entry| (entry.examples)()).collect();
    let wires = [WireFloat::F64, WireFloat::F32].into_iter();
    wires.flat_map(|wire| settings.iter().flat_map(move |setting| operators(setting.as_ref(), wire))).collect()
}

/// One operator, or the first and the last member of groups of several sizes.
pub(crate) fn operators(setting: &dyn CompressorSetting, wire: WireFloat) -> Vec<Box<dyn Compressor>> {
    if !setting.is_drawn_together() {
        return vec![setting.build(wire, 1)];
    }
    let group = |clients: u32| {
        let operator = setting.build(wire, clients);
        let last = operator.member(clients - 1).filter(|_| clients > 1);
        std::iter::once(operator).chain(last)
    };
    [1, 2, 7].into_iter().flat_map(group).collect()
}
