//! The operator on the uplink: who encodes with what.

use fedbits_codec::Compressor;

use crate::star::Coder;

/// One operator per client where they draw together (PermK).
pub(crate) struct Uplink {
    members: Vec<Box<dyn Compressor>>,
}

impl Uplink {
    /// For `n` clients that use `compressor`.
    pub(crate) fn new(compressor: &dyn Compressor, n: u32) -> Self {
        let grouped = compressor.member(0).is_some();
        Self { members: if grouped { (0..n).filter_map(|i| compressor.member(i)).collect() } else { Vec::new() } }
    }

    /// What client `i` encodes with: its own operator, or `shared` by all.
    pub(crate) fn of<'a>(&'a self, i: u32, shared: &'a dyn Compressor) -> Coder<'a> {
        let compressor = self.members.get(i as usize).map_or(shared, AsRef::as_ref);
        Coder { compressor, charged: shared, common: !self.members.is_empty() }
    }

    /// Floats, in place of the operator.
    pub(crate) fn whole<'a>(&self, floats: &'a dyn Compressor) -> Coder<'a> {
        Coder { common: !self.members.is_empty(), ..Coder::own(floats) }
    }
}
