//! What a star protocol tells its shared code, and what it is given: conventions, contributions, steps.

use fedbits_codec::Encoded;
use fedbits_kernel::Bits;

use crate::error::ProtocolError;

/// What a protocol needs from the shared code of star protocols; by default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// Bits of constants that clients and server exchange once before the first round; zero for most models.
    pub constants: Bits,
    /// Do clients upload initial memories V₀,ᵢ? Then there is a round 0 with everybody.
    pub initial_memories: bool,
    /// Do broadcasts tell the receiver whether its last contribution was used, by one bit?
    pub acknowledges: bool,
    /// Do broadcasts say to each receiver what it alone has missed? Who sees them sees who took part.
    pub personal: bool,
    /// Why the run ends with the first round that has made a step, where it does.
    pub only_round: Option<&'static str>,
    /// The entries of what clients report that are means of components, from the first to before the second.
    pub means: Option<[usize; 2]>,
}

/// A contribution that arrived in time.
pub struct Contribution {
    /// Zero-based client.
    pub client: u32,
    /// What it sent.
    pub encoded: Box<Encoded>,
    /// τ, its staleness: 0 when it answers the broadcast of this round, 1 for the one before, …
    pub age: u64,
}

/// Has everybody contributed?
///
/// # Errors
/// When somebody has not.
pub(crate) fn all_arrived(clients: u32, arrived: &[Contribution]) -> Result<(), ProtocolError> {
    let missing = clients as usize - arrived.len();
    if missing > 0 { Err(ProtocolError::Missing(missing)) } else { Ok(()) }
}

/// What the server's step did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// ‖H‖² of the step.
    pub field_sq: f64,
    /// Were the contributions used (false: the round was skipped)?
    pub used: bool,
}

/// The part of a broadcast that differs by receiver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnPart {
    /// Its length without the memory.
    pub bits: Bits,
    /// Does it hold more than what everybody who took part in the last step needs?
    pub catches_up: bool,
    /// The receiver's memory V_i (q floats of 64 bits), where it is to take it over.
    pub memory: Option<Vec<f64>>,
}
