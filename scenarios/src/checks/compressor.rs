//! What protocols ask of compressors beyond their own ranges.

use fedbits_codec::WireFloat;
use fedbits_spec::{Described, Path};

use super::{Facts, Findings};
use crate::schema::Compressor;

/// Checks the compressor at `path`, which works on vectors of this length where it is known.
pub(super) fn check(findings: &mut Findings, path: &str, compressor: &Compressor, length: Option<usize>) {
    compressor.check(&Path::Root.field(path), &Facts::default().with_vector(length), findings);
}

/// Is E Q(x) = x?
pub(super) fn is_unbiased(compressor: &Compressor) -> bool {
    compressor.build(WireFloat::F64, 1).is_unbiased()
}
