//! The protocol of a scenario.

use fedbits_codec::{Bernoulli, Compressor, Dithering, Identity, LevelCode, Norm, Places, RandK, WireFloat};
use fedbits_protocols::centralized::CentralizedEm;
use fedbits_protocols::fedem::{
    Alpha, BatchRule, Commit, DivideBy, Domain, FedEm, FedEmSettings, Memory, MemoryStart, Schedule,
};
use fedbits_protocols::federation::Federation;
use fedbits_protocols::plan::{Participation, RoundPolicy};
use fedbits_protocols::run::Playable;
use fedbits_protocols::star::{Rounds, StarRun};

use super::{PrepareError, world};
use crate::schema::{self, Scenario};

/// The protocol, and caveats that depend on the data.
pub(super) fn build(
    scenario: &Scenario,
    federation: Federation,
    s_hat: Vec<f64>,
    audit: bool,
) -> Result<(Box<dyn Playable>, Vec<String>), PrepareError> {
    let mut caveats = Vec::new();
    let protocol: Result<Box<dyn Playable>, String> = match &scenario.protocol {
        schema::Protocol::FedEm(fedem) => {
            let settings = settings(scenario, fedem, federation.clients());
            caveats.extend(small_clients(settings.batch, &federation));
            caveats.extend(large_alpha(&settings, federation.model().statistic_dimension()));
            caveats.extend(few_participants(&settings));
            let fedem = FedEm::new(federation, settings, s_hat, audit);
            fedem.map(|algorithm| Box::new(StarRun { algorithm, rounds: rounds(scenario) }) as _)
        }
        schema::Protocol::CentralizedEm(em) => {
            let em = CentralizedEm::new(federation, domain(em.domain), s_hat);
            em.map(|em| Box::new(em) as _)
        }
        schema::Protocol::VpEm(_) | schema::Protocol::KMeans(_) => {
            unreachable!("data divided by features are no federation of examples: prepare/vpem.rs builds these")
        }
    };
    Ok((protocol.map_err(PrepareError::Protocol)?, caveats))
}

/// The rounds of the star.
fn rounds(scenario: &Scenario) -> Rounds {
    Rounds {
        policy: match scenario.round {
            schema::Round::WaitForAll => RoundPolicy::WaitForAll,
            schema::Round::Deadline(span) => RoundPolicy::Deadline(world::span(span)),
            schema::Round::First(m) => RoundPolicy::First(m as u32),
        },
        participation: match &scenario.protocol {
            schema::Protocol::FedEm(fedem) => participation(fedem.participation),
            schema::Protocol::CentralizedEm(_) | schema::Protocol::VpEm(_) | schema::Protocol::KMeans(_) => {
                Participation::All
            }
        },
        availability: world::availability(scenario.availability),
    }
}

fn participation(participation: schema::Participation) -> Participation {
    match participation {
        schema::Participation::All => Participation::All,
        schema::Participation::Bernoulli(p) => Participation::Bernoulli(p),
        schema::Participation::Cohort(m) => Participation::Cohort(m as u32),
    }
}

fn settings(scenario: &Scenario, fedem: &schema::FedEm, clients: u32) -> FedEmSettings {
    let floats = match fedem.floats {
        schema::Floats::F64 => WireFloat::F64,
        schema::Floats::F32 => WireFloat::F32,
    };
    FedEmSettings {
        gamma: match fedem.gamma {
            schema::Schedule::Constant(value) => Schedule::Constant(value),
            schema::Schedule::Power { initial, exponent, offset } => Schedule::Power { initial, exponent, offset },
        },
        memory: memory(fedem),
        batch: match fedem.batch {
            schema::Batch::All => BatchRule::Full,
            schema::Batch::WithReplacement(b) => BatchRule::WithReplacement(b as u32),
            schema::Batch::WithoutReplacement(b) => BatchRule::WithoutReplacement(b as u32),
        },
        divide_by: match fedem.divide_by {
            schema::DivideBy::Expected => DivideBy::Expected(expected(scenario, fedem, clients)),
            schema::DivideBy::Arrived => DivideBy::Arrived,
        },
        compressor: compressor(fedem.compressor, floats),
        floats,
        sends_parameters: fedem.broadcast == schema::Broadcast::StatisticAndParameters,
        domain: domain(fedem.domain),
    }
}

/// n p: who is asked, times who can be asked.
fn expected(scenario: &Scenario, fedem: &schema::FedEm, clients: u32) -> f64 {
    let available = match scenario.availability {
        schema::Availability::Always => 1.0,
        schema::Availability::Bernoulli(p) => p,
    };
    let asked = participation(fedem.participation).expected(clients, available);
    match scenario.round {
        schema::Round::First(m) => asked.min(m as f64),
        schema::Round::WaitForAll | schema::Round::Deadline(_) => asked,
    }
}

fn memory(fedem: &schema::FedEm) -> Memory {
    let schema::Memory::Memory { initial, commit } = fedem.memory else { return Memory::None };
    Memory::Kept {
        alpha: match fedem.alpha {
            schema::Alpha::Auto => Alpha::Theory,
            schema::Alpha::Constant(value) => Alpha::Constant(value),
        },
        start: match initial {
            schema::MemoryStart::MeanField => MemoryStart::MeanField,
            schema::MemoryStart::Zero => MemoryStart::Zero,
        },
        commit: match commit {
            schema::Commit::OnAcknowledgement => Commit::OnAcknowledgement,
            schema::Commit::OnSend => Commit::OnSend,
        },
    }
}

pub(super) fn compressor(compressor: schema::Compressor, wire: WireFloat) -> Box<dyn Compressor> {
    match compressor {
        schema::Compressor::Identity => Box::new(Identity { wire }),
        schema::Compressor::Dithering { levels, norm, code } => Box::new(Dithering {
            s: levels,
            r: match norm {
                schema::Norm::L(r) => Norm::P(f64::from(r)),
                schema::Norm::Infinity => Norm::Infinity,
            },
            code: match code {
                schema::LevelCode::Fixed => LevelCode::Fixed,
                schema::LevelCode::EliasSparse => LevelCode::EliasSparse,
                schema::LevelCode::EliasDense => LevelCode::EliasDense,
            },
            wire,
        }),
        schema::Compressor::RandK { k, indices } => {
            let shared = indices == schema::Indices::SharedSeed;
            Box::new(RandK::new(k as u32, places(shared), wire))
        }
        schema::Compressor::Bernoulli { probability, mask } => {
            Box::new(Bernoulli { p: probability, places: places(mask == schema::Mask::SharedSeed), wire })
        }
    }
}

fn places(shared: bool) -> Places {
    if shared { Places::Shared } else { Places::Sent }
}

fn domain(domain: schema::Domain) -> Domain {
    match domain {
        schema::Domain::Error => Domain::Error,
        schema::Domain::Clip { floor } => Domain::Clip { floor },
        schema::Domain::SkipRound => Domain::SkipRound,
    }
}

fn small_clients(batch: BatchRule, federation: &Federation) -> Option<String> {
    let BatchRule::WithoutReplacement(b) = batch else { return None };
    let small = (0..federation.clients()).filter(|&i| federation.size(i) < b).count();
    (small > 0).then(|| format!("{small} clients hold fewer than {b} examples: their batch is all they have"))
}

fn large_alpha(settings: &FedEmSettings, q: usize) -> Option<String> {
    let Memory::Kept { alpha: Alpha::Constant(alpha), .. } = settings.memory else { return None };
    let proved = 1.0 / (1.0 + settings.compressor.omega(q)?);
    let text = format!("alpha = {alpha} is above 1/(1 + ω) = {proved:.4}, the largest value that Theorem 1 covers");
    (alpha > proved).then_some(text)
}

fn few_participants(settings: &FedEmSettings) -> Option<String> {
    let DivideBy::Expected(expected) = settings.divide_by else { return None };
    let text = format!(
        "{expected:.3} participants are expected in a round: most rounds apply H = V alone, and one contribution counts 1/(n p) times"
    );
    (expected < 1.0).then_some(text)
}
