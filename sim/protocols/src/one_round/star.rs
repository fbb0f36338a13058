//! The two halves of the one round, and what the server makes of the fits that it has decoded.

use fedbits_codec::{Compressor, Identity};
use fedbits_kernel::Bits;
use fedbits_models::{DomainError, ExactModel, Examples, FitPooling};
use fedbits_numerics::quantile;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::{Caveat, so_many};
use rayon::prelude::*;

use super::local_em::Rest;
use super::settings::{COLUMNS, Merging, OneRoundSetting, Within};
use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;
use crate::federation::Federation;
use crate::payload::Ahead;
use crate::problem::Problem;
use crate::star::{Coder, Contribution, Conventions, Outgoing, Received, Sent, StarAlgorithm, Step, View, Wire};
use crate::state::{OwnedState, Probe, State, distance_sq};

/// What clients and server know.
pub struct OneRound {
    federation: Federation,
    setting: OneRoundSetting,
    compressor: Box<dyn Compressor>,
    floats: Identity,
    start: OwnedState,
    clipped: u64,
}

/// The server's state.
#[derive(Clone, Debug, Default)]
pub struct OneRoundServer {
    at: OwnedState,
    /// θ₀ as clients have received it.
    sent: Vec<f64>,
    /// Fits of which the mixture was made.
    combined: usize,
    /// Fits that had no density when they were decoded.
    dropped: usize,
    /// Fits that lay too far from the others.
    filtered: usize,
    /// Components of the mixture that took over another one of the pool.
    refilled: u32,
}

/// Fits of the receivers of a broadcast.
#[derive(Debug, Default)]
pub struct LocalFits(Vec<Rest>);

impl Ahead for LocalFits {
    type Own<'a> = Option<&'a Rest>;

    fn share(&self, position: usize) -> Option<&Rest> {
        self.0.get(position)
    }
}

impl OneRound {
    /// One round from θ₀ = T(`s_hat`), whose clients code with `compressor`.
    ///
    /// # Errors
    /// When fits of the model cannot be pooled, or T(`s_hat`) does not exist.
    pub fn new(
        federation: Federation,
        setting: OneRoundSetting,
        compressor: Box<dyn Compressor>,
        s_hat: Vec<f64>,
    ) -> Result<Self> {
        pooling(&federation)?;
        let (start, clipped) = setting.domain.start(federation.model(), s_hat)?;
        let floats = Identity { wire: setting.floats };
        Ok(Self { federation, setting, compressor, floats, start, clipped })
    }

    /// EM of client `i` from `theta`.
    fn fit(&self, i: u32, theta: &[f64]) -> Result<Rest, DomainError> {
        self.setting.local.run(self.federation.model(), self.federation.examples(i), theta, self.setting.domain)
    }
}

fn pooling(federation: &Federation) -> Result<&dyn FitPooling> {
    let found = federation.model().pooling();
    found.ok_or_else(|| ProtocolError::unfit("the fits of this model cannot be pooled: `OneRound` needs a mixture"))
}

impl StarAlgorithm for OneRound {
    type Server = OneRoundServer;
    /// Conditional expectations of its fit.
    type Client = u64;
    /// θ₀ as the wire carries it.
    type Content = Vec<f64>;
    type Ahead = LocalFits;

    fn problem(&self) -> &dyn Problem {
        &self.federation
    }

    fn server(&self) -> OneRoundServer {
        OneRoundServer { at: self.start.clone(), ..OneRoundServer::default() }
    }

    fn client(&self, _i: u32) -> u64 {
        0
    }

    fn state<'a>(&'a self, server: &'a OneRoundServer) -> State<'a> {
        server.at.as_state()
    }

    fn open_round(&self, server: &mut OneRoundServer, wire: &mut Wire<'_>) -> Result<(Vec<f64>, Bits)> {
        let mut theta = server.at.theta.clone();
        let bits = wire.send(&self.floats, &mut theta)?;
        if theta != server.at.theta {
            let (model, pooling) = (self.federation.model(), pooling(&self.federation)?);
            let admit = |theta: &[f64], policy, out: &mut _| pooling.admit(theta, policy, out);
            self.setting.domain.received(&mut theta, |theta| model.conditional(theta).err(), admit)?;
        }
        server.sent.clone_from(&theta);
        Ok((theta, bits))
    }

    fn compute_ahead(
        &self,
        _clients: &[u64],
        cohort: &[u32],
        sent: &Sent<'_, Vec<f64>>,
        ahead: &mut LocalFits,
    ) -> Result<()> {
        let theta: &[f64] = sent.content;
        let found: Vec<_> = cohort.par_iter().map(|&i| self.fit(i, theta)).collect();
        let named = |(fit, i): (Result<Rest, _>, &u32)| {
            fit.map_err(|source| ProtocolError::Local(source).at(format_args!("client {i}")))
        };
        ahead.0 = found.into_iter().zip(cohort).map(named).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn coder(&self, _streams: &Streams, _i: u32, _round: u64) -> Coder<'_> {
        Coder::per_client(self.compressor.as_ref())
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut u64,
        received: Received<'_, Vec<f64>, LocalFits>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let start: &[f64] = received.content;
        // A test may call it with nothing computed ahead.
        let alone = received.ahead.is_none().then(|| self.fit(i, start)).transpose().map_err(ProtocolError::Local)?;
        if let Some(Rest { theta, expectations, clipped }) = received.ahead.or(alone.as_ref()) {
            *client = *expectations;
            out.counts.domain_events += clipped;
            out.scratch.clear();
            out.scratch.extend(theta.iter().zip(start).map(|(entry, start)| entry - start));
        }
        out.report(start)?;
        out.encode_scratch()
    }

    fn work(&self, _i: u32, client: &u64, _round: u64) -> u64 {
        *client
    }

    fn server_update(
        &self,
        server: &mut OneRoundServer,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step> {
        if arrived.is_empty() {
            return Ok(Step::default());
        }
        let (model, pooling) = (self.federation.model(), pooling(&self.federation)?);
        let mut fits: Vec<(u32, Vec<f64>)> = Vec::new();
        for contribution in arrived {
            let mut theta = server.sent.clone();
            self.compressor.add_decoded(&contribution.encoded, 1.0, &mut theta);
            match pooling.normalize(&mut theta) {
                Ok(()) => fits.push((contribution.client, theta)),
                Err(_) => server.dropped += 1,
            }
        }
        if fits.is_empty() {
            let count = so_many(arrived.len(), "fit");
            return Err(ProtocolError::Unfit(format!(
                "{count} arrived, and none has a density when it is decoded (a finer compressor, or less noise)"
            )));
        }
        let pool: Vec<(f64, &[f64])> = fits.iter().map(|(i, theta)| (self.federation.weight(*i), &theta[..])).collect();
        let found = combine(&self.setting, (model, pooling), &pool, &server.sent, wire.streams)?;
        let CombinedFits { theta, expectations, clipped, near, refilled } = found;
        wire.expectations += expectations;
        wire.counts.domain_events += clipped;
        let near: Option<Vec<u32>> = near.map(|places| places.into_iter().map(|place| fits[place].0).collect());
        server.combined = near.as_ref().map_or(pool.len(), Vec::len);
        (server.filtered, server.refilled) = (pool.len() - server.combined, refilled);
        wire.counts.combined = wire.combiner().zip(near).map(|(combiner, near)| combiner.chose(&near));
        let mut s_hat = Vec::new();
        pooling.statistic_of(&theta, &mut s_hat);
        let field_sq = distance_sq(&s_hat, &server.at.s_hat);
        server.at = OwnedState { s_hat, theta };
        Ok(Step { field_sq, used: true })
    }

    fn conventions(&self) -> Conventions {
        Conventions {
            only_round: Some("one round: the server has combined the fits"),
            means: self.federation.means(),
            ..Conventions::of(&self.federation)
        }
    }

    fn probe(&self, view: &View<'_, Self>) -> Result<Probe> {
        let probe = self.federation.probe(&self.state(view.server))?;
        Ok(probe.at_mean_of_parameters(!pooling(&self.federation)?.is_expectation()))
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, view: &View<'_, Self>, _thorough: bool) -> Result<Vec<Option<f64>>> {
        let domain_events = self.clipped + view.counts.domain_events;
        let values = [domain_events, view.counts.dense32, view.server.combined as u64];
        Ok(values.map(|value| Some(value as f64)).to_vec())
    }

    fn caveats(&self, view: &View<'_, Self>) -> Vec<Caveat> {
        let (events, server) = (self.clipped + view.counts.domain_events, view.server);
        let left = || match self.setting.domain {
            Domain::SkipRound => Caveat::Domain {
                statistic: "EM".to_owned(),
                events: so_many(events, "fit is the last one before it|fits are the last ones before it"),
            },
            _ => Caveat::ClippedEntries { statistics: "statistics".to_owned(), entries: so_many(events, "entry") },
        };
        let dropped = Caveat::FitsWithoutDensity { fits: so_many(server.dropped, "fit") };
        let filtered = Caveat::FitsFiltered { fits: so_many(server.filtered, "fit") };
        let refilled = Caveat::ComponentsRefilled { components: so_many(server.refilled, "component") };
        let all = [
            (events > 0, left()),
            (server.dropped > 0, dropped),
            (server.filtered > 0, filtered),
            (server.refilled > 0, refilled),
        ];
        all.into_iter().filter(|(holds, _)| *holds).map(|(_, caveat)| caveat).collect()
    }
}

/// One mixture of several.
#[derive(Default)]
pub(super) struct CombinedFits {
    pub theta: Vec<f64>,
    /// Conditional expectations at the server.
    pub expectations: u64,
    /// Entries that T clipped.
    pub clipped: u64,
    /// Places of the fits that lay near the others; none where that is not asked.
    pub near: Option<Vec<usize>>,
    /// Components that took over another one of the pool.
    pub refilled: u32,
}

/// One mixture of the fits `pool`, of which there is one at least; `start` is θ₀.
///
/// # Errors
/// When it has no density.
pub(super) fn combine(
    setting: &OneRoundSetting,
    (model, pooling): (&dyn ExactModel, &dyn FitPooling),
    pool: &[(f64, &[f64])],
    start: &[f64],
    streams: &Streams,
) -> Result<CombinedFits> {
    let mut combined = match setting.combine {
        Merging::Reduction { starts } => best_reduction(pooling, pool, starts)?,
        Merging::Filtered { within } => {
            let (centre, places) = near_centre(pooling, pool, within)?;
            let near: Vec<(f64, &[f64])> = places.iter().map(|&i| pool[i]).collect();
            let reduced = pooling.reduce(&near, pool[centre].1)?;
            CombinedFits { theta: reduced.theta, near: Some(places), refilled: reduced.refilled, ..Default::default() }
        }
        Merging::Resampling { examples } => {
            let rows = pooling.draw(pool, examples, &mut streams.at(DrawPurpose::Resampling, 0, 0))?;
            let drawn = Examples::new(&rows, model.example_dimension());
            let rest = setting.local.run(model, drawn, start, setting.domain);
            let rest = rest.map_err(|source| ProtocolError::Local(source).at("EM on drawn examples"))?;
            let (theta, expectations, clipped) = (rest.theta, rest.expectations, rest.clipped);
            CombinedFits { theta, expectations, clipped, ..CombinedFits::default() }
        }
        Merging::Mean => mean(setting, pooling, pool, start)?,
    };
    // Whichever start was best: components have the numbers of those of θ₀ that they are nearest to.
    pooling.align(&mut combined.theta, start)?;
    Ok(combined)
}

/// The nearest to the pool of reductions from the components that are far from each other, and from some of the fits,
/// evenly over the clients.
fn best_reduction(pooling: &dyn FitPooling, pool: &[(f64, &[f64])], starts: u32) -> Result<CombinedFits, DomainError> {
    let mut best = pooling.reduce(pool, &pooling.spread(pool)?)?;
    let starts = pool.len().min(starts as usize);
    for number in 0..starts {
        let found = pooling.reduce(pool, pool[number * pool.len() / starts].1)?;
        if found.divergence < best.divergence {
            best = found;
        }
    }
    Ok(CombinedFits { theta: best.theta, refilled: best.refilled, ..CombinedFits::default() })
}

/// The fit in the middle, whose median distance from all fits is smallest, and the fits near it, by their places.
fn near_centre(
    pooling: &dyn FitPooling,
    pool: &[(f64, &[f64])],
    within: Within,
) -> Result<(usize, Vec<usize>), DomainError> {
    let (n, fits) = (pool.len(), pool.iter().map(|(_, theta)| *theta).collect::<Vec<_>>());
    let distances = pooling.distances(&fits)?;
    let sorted = |i: usize| {
        let mut row = distances[i * n..][..n].to_vec();
        row.sort_unstable_by(f64::total_cmp);
        row
    };
    let medians: Vec<f64> = (0..n).map(|i| quantile(&sorted(i), 0.5)).collect();
    let centre = (0..n).fold(0, |best, i| if medians[i] < medians[best] { i } else { best });
    let radius = within.medians(n) * sorted(centre)[n / 2];
    let near = (0..n).filter(|i| distances[centre * n + i] <= radius);
    Ok((centre, near.collect()))
}

/// Σ w_i θ_i / Σ w_i, each θ_i numbered as `start`.
fn mean(
    setting: &OneRoundSetting,
    pooling: &dyn FitPooling,
    pool: &[(f64, &[f64])],
    start: &[f64],
) -> Result<CombinedFits> {
    let total: f64 = pool.iter().map(|(weight, _)| weight).sum();
    let mut mean = vec![0.0; start.len()];
    for (weight, theta) in pool {
        let mut aligned = theta.to_vec();
        pooling.align(&mut aligned, start)?;
        mean.iter_mut().zip(aligned).for_each(|(sum, entry)| *sum += weight / total * entry);
    }
    let mut theta = Vec::new();
    let repairs = pooling.admit(&mean, setting.domain.policy(), &mut theta).map_err(ProtocolError::Mean)?;
    Ok(CombinedFits { theta, clipped: repairs.entries(), ..CombinedFits::default() })
}
