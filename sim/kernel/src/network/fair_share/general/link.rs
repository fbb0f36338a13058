//! A link with the flows on it. It must not know who fills it.

use crate::Rate;
use crate::network::VaryingRate;

#[derive(Debug, Default)]
pub(super) struct Link {
    pub(super) capacity: f64,
    /// Slots of the flows that run over it.
    pub(super) flows: Vec<u32>,
    /// Slots of the flows whose acknowledgements run over it.
    pub(super) acknowledged: Vec<u32>,
    pub(super) visited: u64,
    /// During a filling: capacity not given away, and flows without a rate.
    pub(super) left: f64,
    pub(super) open: usize,
    /// The sum of the weights of the open flows: their number, when all weigh 1.
    pub(super) weight: f64,
    /// The value of the line above when it was added up last.
    pub(super) added: f64,
    /// Boxed, because few links have one.
    pub(super) varying: Option<Box<VaryingRate>>,
    /// Is the next change of its rate expected? Only while flows are on it.
    pub(super) watched: bool,
}

impl Link {
    /// An idle link.
    pub(super) fn new(capacity: Rate, varying: Option<VaryingRate>) -> Self {
        let capacity = capacity.bits_per_second() as f64;
        Self { capacity, varying: varying.map(Box::new), ..Self::default() }
    }

    /// Open flows weigh so much.
    pub(super) fn weigh(&mut self, weight: f64) {
        (self.weight, self.added) = (weight, weight);
    }

    pub(super) fn share(&self) -> f64 {
        self.left / self.weight
    }
}
