//! Local steps between rounds: SCAFFOLD, ProxSkip (Scaffnew) and LoCoDL. Their papers have gradient steps on x; here
//! they are steps on statistics, for any model: h_i takes the place of −∇f_i, which it is times ρ where E-steps are
//! gradient steps of size ρ.
//!
//! ```text
//! client i:  y ← y + γ (h_i(y) + u),   h_i(y) = s̄_i(T(y)) − y,   several times between two messages
//! ```
//!
//! u corrects the direction of a client: it takes the share of h_i that only this client has. Where all rest, h_i(Ŝ) +
//! u_i = 0 for each client and the u_i add up to 0, so that h(Ŝ) = 0: the limit is that of EM, whatever the clients'
//! data. Clients are weighted in means over them, not in their steps.

mod locodl;
mod proxskip;
mod scaffold;

use fedbits_codec::{Identity, WireFloat};
use fedbits_models::Batch;
use fedbits_random::{DrawPurpose, Stream, Streams};
use fedbits_spec::Findings;
use fedbits_spec::range::Interval;

pub use locodl::{LoCoDl, LoCoDlClient, LoCoDlContent, LoCoDlServer, LoCoDlSetting, Relaxation};
pub use proxskip::{ProxSkip, ProxSkipClient, ProxSkipContent, ProxSkipSetting};
pub use scaffold::{ControlVariate, Scaffold, ScaffoldClient, ScaffoldContent, ScaffoldServer, ScaffoldSetting};

use crate::audit::entity;
use crate::error::{ProtocolError, Result};
use crate::fedem::{BatchRule, Domain, draw_batch};
use crate::federation::{Federation, Weighting};
use crate::schedule::Schedule;
use crate::setting::{Profile, RunFacts};
use crate::state::OwnedState;
use crate::theory::descent::{DescentMethod, DescentPremises};
use crate::uplink::{self, Divisor, Uplink};

/// What clients need for steps of their own, and where a run starts.
pub struct LocalSteps {
    federation: Federation,
    /// γ.
    gamma: f64,
    batch: BatchRule,
    floats: Identity,
    start: OwnedState,
}

impl LocalSteps {
    /// With the step γ, from Ŝ₀ = `s_hat`; vectors travel as `floats`.
    ///
    /// # Errors
    /// When T(Ŝ₀) does not exist.
    pub fn new(
        federation: Federation,
        gamma: f64,
        batch: BatchRule,
        floats: WireFloat,
        s_hat: Vec<f64>,
    ) -> Result<Self> {
        let (start, _) = Domain::Error.start(federation.model(), s_hat)?;
        Ok(Self { federation, gamma, batch, floats: Identity { wire: floats }, start })
    }

    /// `count` local steps of client `i` from y: y_j ← y_j + γ (h_i(y)_j + `correction`(j, y_j)).
    ///
    /// # Errors
    /// When y leaves the domain of T.
    fn walk(
        &self,
        (i, count): (u32, u64),
        mut stream: Stream,
        correction: impl Fn(usize, f64) -> f64,
        y: &mut [f64],
    ) -> Result<()> {
        let (mut theta, mut indices, mut s) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            let drawn = draw_batch(self.batch, self.federation.size(i), &mut stream, &mut indices);
            let batch = if drawn { Batch::Indices(&indices) } else { Batch::All };
            self.statistic(i, y, batch, &mut theta, &mut s)?;
            for (j, (y, s)) in y.iter_mut().zip(&s).enumerate() {
                *y += self.gamma * (s - *y + correction(j, *y));
            }
        }
        Ok(())
    }

    /// s̄_i(T(y)) over a batch; `theta` is working memory.
    fn statistic(&self, i: u32, y: &[f64], batch: Batch<'_>, theta: &mut Vec<f64>, s: &mut Vec<f64>) -> Result<()> {
        let model = self.federation.model();
        Domain::Error.maximize(model, y, theta).map_err(left)?;
        self.federation.statistic_of(i, model.conditional(theta)?.as_ref(), batch, s);
        Ok(())
    }

    /// The draws of client `i` for the batches of a round.
    fn stream(streams: &Streams, i: u32, round: u64) -> Stream {
        streams.at(DrawPurpose::Minibatch, u64::from(i), round)
    }

    /// The server has a new Ŝ: θ = T(Ŝ).
    ///
    /// # Errors
    /// When Ŝ is not finite, or not in the domain of T.
    fn arrive(&self, at: &mut OwnedState) -> Result<()> {
        if !at.s_hat.iter().all(|s| s.is_finite()) {
            return Err(ProtocolError::Diverged("the statistic diverged: it is not finite"));
        }
        Domain::Error.maximize(self.federation.model(), &at.s_hat, &mut at.theta).map(drop).map_err(left)
    }

    /// What theorems on gradient methods know of it.
    fn premises(&self, method: DescentMethod) -> DescentPremises {
        DescentPremises { method, gamma: Schedule::Constant(self.gamma), target: None, unmet: Vec::new() }
    }

    /// An uplink without memory, whose server weighs what comes.
    fn uplink(&self, uplink: Uplink, divisor: Divisor) -> Uplink {
        uplink.dividing(divisor).weighing(self.federation.weights(), true)
    }
}

fn left(source: fedbits_models::DomainError) -> ProtocolError {
    ProtocolError::LeftDomain { source, advice: "a smaller `gamma`, or fewer local steps" }
}

/// p, with rounds of at most some 10⁴ local steps on average.
const COMMUNICATES: Interval = Interval::closed(1e-4, 1.0, "from 0.0001 to 1, no unit");

/// The number of local steps before the message of `round`: geometric, from a seed that all share.
#[must_use]
pub fn local_steps(streams: &Streams, round: u64, probability: f64) -> u64 {
    let mut coin = streams.at(DrawPurpose::Compression, entity::COIN, round);
    let mut count = 1;
    while !coin.bernoulli(probability) {
        count += 1;
    }
    count
}

/// What these protocols are, whose statistics travel in these floats.
fn profile(statistic_floats: WireFloat, weighting: Weighting, cycle: Option<u64>) -> Profile {
    let columns = Some(uplink::COLUMNS.to_vec());
    Profile { statistic_floats, weighting, needs_only_the_map: true, columns, cycle, ..Profile::default() }
}

/// Refuses runs in which a contribution can be missing: `what` is carried on from all of them.
fn check_complete(name: &str, what: &str, run: &RunFacts<'_>, findings: &mut Findings) {
    let why = "from the messages of all clients: one that is missing would bias it for good";
    run.need_everybody(&format!("{name} carries {what} on {why}"), findings);
}
