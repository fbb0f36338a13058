//! What protocols ask of compressors beyond their own ranges.

use fedbits_codec::WireFloat;
use fedbits_protocols::baselines::ef21;
use fedbits_spec::{Described, Path};

use super::{Facts, Findings};
use crate::schema::Compressor;

/// Checks the compressor at `path`, which works on vectors of this length where it is known.
pub(super) fn check(findings: &mut Findings, path: &str, compressor: &Compressor, length: Option<usize>) {
    compressor.check(&Path::Root.field(path), &Facts::default().with_vector(length), findings);
}

/// The rate 1/(1 + ω) at `path` for a biased compressor; `name` is the field's, and `instead` gives another rate.
pub(super) fn no_omega(findings: &mut Findings, path: &str, name: &str, instead: &str) {
    findings.error(
        path,
        format!("{name} is `Auto`, which is the default: 1/(1 + ω), and a biased compressor has no ω"),
        format!(
            "expected `{instead}` in (0, 1]: with 1 the memory takes over all that was sent, as error feedback (EF21) does"
        ),
    );
}

/// An operator that is no contraction of vectors of this length, where that is known.
pub(super) fn contraction(findings: &mut Findings, path: &str, compressor: &Compressor, length: Option<usize>) {
    let Some(q) = length else { return };
    let operator = compressor.build(WireFloat::F64, 1);
    if let (Ok(()), Some(why)) = (operator.validate(q), ef21::refusal(operator.as_ref(), q)) {
        findings.error(path, why, CONTRACTION);
    }
}

/// What to use instead of an operator that is no contraction.
pub(crate) const CONTRACTION: &str =
    "expected a contraction: `TopK(k: …)`, `ScaledSign`, `RankR(…)`, or an unbiased compressor with ω < 1";

/// Is E Q(x) = x?
pub(super) fn is_unbiased(compressor: &Compressor) -> bool {
    compressor.build(WireFloat::F64, 1).is_unbiased()
}
