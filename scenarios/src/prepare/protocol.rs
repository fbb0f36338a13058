//! The protocol of a scenario.

use fedbits_protocols::alone::AloneRun;
use fedbits_protocols::baselines::gradient_ascent::gradient_ascent;
use fedbits_protocols::centralized::CentralizedEm;
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::fed_miss_em::FedMissEm;
use fedbits_protocols::fedem::{Alpha, BatchRule, DivideBy, FedEm, FedEmSettings, Memory, Recovery};
use fedbits_protocols::federation::Federation;
use fedbits_protocols::partition::Partitioned;
use fedbits_protocols::run::Runnable;
use fedbits_protocols::star::StarRun;
use fedbits_protocols::vr_fedem::VarianceReduction;

use super::low_rank::Problem;
use super::{PrepareError, baselines, fits, rounds};
use crate::schema::{self, Scenario};

/// The protocol, and caveats that depend on the data.
pub(super) fn build(
    scenario: &Scenario,
    federation: Federation,
    s_hat: Vec<f64>,
    audit: bool,
) -> Result<(Box<dyn Runnable>, Vec<String>), PrepareError> {
    if let schema::Protocol::FedEm(fedem) | schema::Protocol::GradientAscent(fedem) = &scenario.protocol {
        operators(fedem, federation.clients(), federation.model().statistic_dimension())?;
    }
    let mut caveats = Vec::new();
    let protocol: Result<Box<dyn Runnable>, ProtocolError> = match &scenario.protocol {
        schema::Protocol::FedEm(fedem) => {
            let settings = settings(scenario, fedem, federation.clients());
            caveats.extend(star_caveats(&settings, &federation));
            let rounds = rounds::rounds(scenario, fedem.participation);
            FedEm::new(federation, settings, s_hat).map(|algorithm| match fedem.variance_reduction {
                VarianceReduction::NoReduction => Box::new(StarRun::new(algorithm, rounds, audit)) as _,
                VarianceReduction::Spider(spider) => {
                    Box::new(StarRun::new(algorithm.with_local_rule(spider), rounds, audit)) as _
                }
            })
        }
        schema::Protocol::GradientAscent(fedem) => {
            let settings = settings(scenario, fedem, federation.clients());
            caveats.extend(star_caveats(&settings, &federation));
            let rounds = rounds::rounds(scenario, fedem.participation);
            let ascent = gradient_ascent(federation, settings, &s_hat);
            ascent.map(|algorithm| Box::new(StarRun::new(algorithm, rounds, audit)) as _)
        }
        schema::Protocol::FedMissEm(_) => {
            Err(ProtocolError::Unfit("FedMissEM imputes low-rank matrices: use the model `LowRank`".to_owned()))
        }
        schema::Protocol::CentralizedEm(em) => {
            let em = CentralizedEm::new(federation, em.domain, s_hat);
            em.map(|em| Box::new(AloneRun(em)) as _)
        }
        schema::Protocol::FlSaem(_) | schema::Protocol::CentralizedSaem(_) => {
            Err(ProtocolError::Unfit("this protocol samples latent variables: it is prepared elsewhere".to_owned()))
        }
        schema::Protocol::DiffusionEm(_) => {
            Err(ProtocolError::Unfit("diffusion EM needs no server: it is prepared elsewhere".to_owned()))
        }
        schema::Protocol::VpEm(_) | schema::Protocol::KMeans(_) => Err(ProtocolError::Unfit(
            "data divided by features are no federation of examples: it is prepared elsewhere".to_owned(),
        )),
        _ => return Ok((baselines::build(scenario, federation, s_hat, audit)?, caveats)),
    };
    Ok((protocol?, caveats))
}

/// The operators of FedEM, and their rates, for statistics of `q` numbers.
fn operators(fedem: &schema::FedEm, clients: u32, q: usize) -> Result<(), PrepareError> {
    let floats = fedem.floats;
    let operator = fedem.compressor.build(floats, clients);
    fits::compressor("protocol.compressor", operator.as_ref(), q, "a statistic")?;
    if fedem.memory != schema::Memory::NoMemory {
        fits::rate("protocol.alpha", fedem.alpha, operator.as_ref(), q)?;
    }
    let schema::Downlink::Compressed { compressor, memory, .. } = &fedem.downlink else { return Ok(()) };
    let operator = compressor.build(floats, 1);
    fits::compressor("protocol.downlink.compressor", operator.as_ref(), q, "a statistic")?;
    match memory {
        schema::DownMemory::NoDownMemory => Ok(()),
        schema::DownMemory::DownMemory(alpha) => {
            fits::rate("protocol.downlink.memory[0]", *alpha, operator.as_ref(), q)
        }
    }
}

/// What FedEM's settings mean on these data.
fn star_caveats(settings: &FedEmSettings, federation: &Federation) -> Vec<String> {
    let sizes: Vec<u32> = (0..federation.clients()).map(|i| federation.size(i)).collect();
    let alpha = large_alpha(settings, federation.model().statistic_dimension());
    small_clients(settings.batch, &sizes).into_iter().chain(alpha).chain(few_participants(settings)).collect()
}

/// FedMissEM, and caveats that depend on the data.
pub(super) fn fed_miss_em(
    scenario: &Scenario,
    fedem: &schema::FedEm,
    problem: Problem,
    audit: bool,
) -> Result<(Box<dyn Runnable>, Vec<String>), PrepareError> {
    let Problem { data, model, steps, theta, catalogue, .. } = problem;
    cells(fedem, &data)?;
    let settings = settings(scenario, fedem, data.len() as u32);
    let sizes: Vec<u32> = data.sizes().into_iter().map(|size| size as u32).collect();
    let caveats = small_clients(settings.batch, &sizes).into_iter().chain(few_participants(&settings)).collect();
    let algorithm = FedMissEm::new(&data, model, settings, steps, &theta, catalogue)?;
    Ok((Box::new(StarRun::new(algorithm, rounds::rounds(scenario, fedem.participation), audit)), caveats))
}

/// Clients of FedMissEM compress a number per cell that they have observed: the operator fits the shortest and the
/// longest list.
fn cells(fedem: &schema::FedEm, data: &Partitioned) -> Result<(), PrepareError> {
    let operator = fedem.compressor.build(fedem.floats, data.len() as u32);
    let cells = |client: usize| {
        let mut cells: Vec<[u64; 2]> =
            data.client(client).rows.chunks_exact(3).map(|row| [row[0].to_bits(), row[1].to_bits()]).collect();
        cells.sort_unstable();
        cells.dedup();
        cells.len()
    };
    let lengths: Vec<usize> = (0..data.len()).map(cells).collect();
    for (client, &length) in lengths.iter().enumerate() {
        let whose = format!("the update of client {client}, one per cell that it has observed,");
        fits::compressor("protocol.compressor", operator.as_ref(), length, &whose)?;
    }
    let longest = lengths.into_iter().max().unwrap_or(1);
    if fedem.memory == schema::Memory::NoMemory {
        return Ok(());
    }
    fits::rate("protocol.alpha", fedem.alpha, operator.as_ref(), longest)
}

fn settings(scenario: &Scenario, fedem: &schema::FedEm, clients: u32) -> FedEmSettings {
    let floats = fedem.floats;
    FedEmSettings {
        gamma: fedem.gamma,
        memory: memory(scenario, fedem),
        batch: fedem.batch,
        divide_by: fedem.divide_by,
        expected: expected(scenario, fedem.participation, clients),
        staleness: scenario.staleness,
        compressor: fedem.compressor.build(floats, clients),
        floats,
        downlink: fedem.downlink.build(floats),
        broadcast: fedem.broadcast,
        domain: fedem.domain,
    }
}

/// n p: who is asked, times who can be asked.
pub(super) fn expected(scenario: &Scenario, asked: schema::Participation, clients: u32) -> f64 {
    // Intervals that do not repeat have no share of all time: a caveat says that fewer may be there.
    let available = scenario.availability.share().unwrap_or(1.0);
    let asked = asked.expected(clients, available);
    match scenario.round {
        schema::Round::First(m) => asked.min(f64::from(m)),
        schema::Round::WaitForAll | schema::Round::Deadline(_) => asked,
        schema::Round::Asynchronous => 1.0,
        schema::Round::Buffered(size) => f64::from(size),
    }
}

fn memory(scenario: &Scenario, fedem: &schema::FedEm) -> Memory {
    let schema::Memory::Memory { initial, commit, recovery } = fedem.memory else { return Memory::None };
    Memory::Kept { alpha: fedem.alpha, start: initial, commit, recovery: self::recovery(scenario, recovery) }
}

/// What becomes of lost memories, where they can be lost.
pub(super) fn recovery(scenario: &Scenario, recovery: Recovery) -> Option<Recovery> {
    scenario.dropout.loses_state().then_some(recovery)
}

fn small_clients(batch: BatchRule, sizes: &[u32]) -> Option<String> {
    let BatchRule::WithoutReplacement(b) = batch else { return None };
    let small = sizes.iter().filter(|&&size| size < b).count();
    (small > 0).then(|| format!("{small} clients hold fewer than {b} examples: their batch is all they have"))
}

fn large_alpha(settings: &FedEmSettings, q: usize) -> Option<String> {
    let Memory::Kept { alpha: Alpha::Constant(alpha), .. } = settings.memory else { return None };
    let proved = 1.0 / (1.0 + settings.compressor.omega(q)?);
    let text = format!("alpha = {alpha} is above 1/(1 + ω) = {proved:.4}, the largest value that Theorem 1 covers");
    (alpha > proved).then_some(text)
}

fn few_participants(settings: &FedEmSettings) -> Option<String> {
    let expected = settings.expected;
    let text = format!(
        "{expected:.3} participants are expected in a round: most rounds apply H = V alone, and one contribution \
         counts 1/(n p) times"
    );
    (settings.divide_by == DivideBy::Expected && expected < 1.0).then_some(text)
}
