//! A round as its protocol reports it.

/// What a protocol reports of a round.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Number of the round; 0 is the state before the first.
    pub number: u64,
    /// Conditional expectations so far.
    pub expectations: u64,
    /// Clients asked in the round.
    pub selected: u64,
    /// Contributions that the round's step took in.
    pub arrived: u64,
    /// Clients that had neither delivered nor been lost when the round closed: selected = arrived + late + lost. None
    /// where late contributions count (asynchronous and buffered steps, `Late::Apply`): who is then still at work
    /// arrives or is lost later, so that the sum of selected is the sum of arrived + lost and those at work at the end.
    pub late: u64,
    /// Clients that dropped out, or whose broadcast or upload was lost, before the round closed.
    pub lost: u64,
    /// ‖H‖² of the step that ended the round.
    pub field_sq: Option<f64>,
    /// Did Ŝ change?
    pub moved: bool,
    /// Does the protocol end with it by a rule of its own? Then it is probed.
    pub ends: bool,
}

impl Round {
    /// A round in which all of so many clients take part; `ends`: the protocol ends with it by itself.
    pub(crate) fn of_all(clients: u32, number: u64, expectations: u64, ends: bool) -> Self {
        let moved = number > 0;
        let clients = if moved { u64::from(clients) } else { 0 };
        Self { number, expectations, selected: clients, arrived: clients, moved, ends, ..Self::default() }
    }
}

/// Rounds in which somebody was asked, and how many of them failed for want of contributions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FailingRounds {
    pub(crate) rounds: u64,
    pub(crate) failed: u64,
}
