//! What protocols ask of the compressor that a scenario names.

use fedbits_codec::{CodecError, Compressor, CompressorSetting, WireFloat};
use fedbits_spec::{Caveat, Choice, Findings, Path, so_many};

use crate::over::BuildError;
use crate::uplink::Alpha;

/// The compressor that a scenario names.
pub type Operator = Choice<dyn CompressorSetting>;

/// Is E Q(x) = x?
pub(crate) fn is_unbiased(operator: &Operator) -> bool {
    operator.build(WireFloat::F64, 1).is_unbiased()
}

/// Refuses a biased `compressor` of the setting at `at`, unless `allow_biased` stands beside it.
pub(crate) fn unbiased(at: &Path<'_>, operator: &Operator, allowed: bool, consequence: &str, findings: &mut Findings) {
    match (is_unbiased(operator), allowed) {
        (true, false) => {}
        (true, true) => findings.no_effect(at.field("allow_biased"), "the compressor is unbiased"),
        (false, true) => {
            findings.caveat(Caveat::BiasedCompressor { consequence: format!("{consequence}, and no theorem holds") });
        }
        (false, false) => {
            findings.error(at.field("compressor"), format!("the compressor is biased: {consequence}"), UNBIASED)
        }
    }
}

/// What to use instead of a biased compressor.
pub(crate) const UNBIASED: &str = "expected an unbiased compressor: `Induced(contraction: …, rest: …)` makes it \
    unbiased, `allow_biased: true` runs it anyway";

/// What to use instead of an operator that is no contraction.
pub(crate) const CONTRACTION: &str =
    "expected a contraction: `TopK(k: …)`, `ScaledSign`, `RankR(…)`, or an unbiased compressor with ω < 1";

/// Refuses an operator that the clients of a round draw together where `instead` is so.
pub(crate) fn undivided(at: &Path<'_>, operator: &Operator, instead: &str, findings: &mut Findings) {
    if operator.is_drawn_together() {
        let why = format!("the clients of a round draw `{}` together, and {instead}", operator.part_name());
        findings.error(at, why, "expected another compressor");
    }
}

/// The operator in a protocol's `field`, for vectors of `length` numbers, each called `vector` ("a statistic").
///
/// # Errors
/// The value that does not fit, at its path.
pub fn fits(field: &str, operator: &dyn Compressor, length: usize, vector: &str) -> Result<(), BuildError> {
    let path = format!("protocol.{field}");
    operator.validate(length).map_err(|error| match error {
        CodecError::Parameter { parameter, found, expected } => {
            let message = format!("`{parameter}` is {found}, and {vector} has {}", so_many(length, "number"));
            BuildError::misfit(format!("{path}.{parameter}"), message, format!("expected {expected}"))
        }
        other => BuildError::misfit(path, other, "expected another compressor"),
    })
}

/// The rate of memories of vectors of `length` numbers exists.
pub(crate) fn has_rate(alpha: Alpha, operator: &dyn Compressor, length: usize) -> Result<(), BuildError> {
    let refused = |why| Err(BuildError::misfit("protocol.alpha", why, "expected `alpha: Constant(…)` in (0, 1]"));
    alpha.refusal(operator, length).map_or(Ok(()), refused)
}

/// Refuses the automatic rate of memories of `length` numbers where the `operator` has none: it is biased and no
/// contraction.
pub(crate) fn no_rate(
    at: &Path<'_>,
    operator: &Operator,
    alpha: Alpha,
    length: Option<usize>,
    findings: &mut Findings,
) {
    let operator = operator.build(WireFloat::F64, 1);
    let fitting = length.filter(|&length| operator.validate(length).is_ok());
    if let Some(why) = fitting.and_then(|length| alpha.refusal(operator.as_ref(), length)) {
        let expected = "expected an unbiased compressor, `TopK(k: …)`, `ScaledSign` or `RankR(…)`, or `alpha: \
            Constant(…)`";
        findings.error(at.field("compressor"), why, expected);
    }
}

#[cfg(test)]
mod tests {
    use fedbits_codec::{Indices, RandK};

    use super::*;

    #[test]
    fn an_operator_that_does_not_fit_is_reported_at_its_field() {
        let operator = RandK::new(5, Indices::default(), WireFloat::F64);
        let Err(BuildError::Misfit(found)) = fits("quantizer", &operator, 3, "a statistic") else { panic!("5 of 3") };
        assert_eq!(found.path, "protocol.quantizer.k");
    }
}
