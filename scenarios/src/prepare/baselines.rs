//! The algorithms that FedEM is compared with, from a scenario.

use fedbits_protocols::alone::AloneRun;
use fedbits_protocols::baselines::fed_avg_em::FedAvgEm;
use fedbits_protocols::baselines::fiem::Fiem;
use fedbits_protocols::baselines::iem::Iem;
use fedbits_protocols::baselines::pooled::{PooledEm, Rule};
use fedbits_protocols::baselines::sem_vr::SemVr;
use fedbits_protocols::baselines::{distributed_em, ef21, marina};
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::fedem::FedEm;
use fedbits_protocols::federation::Federation;
use fedbits_protocols::run::Runnable;
use fedbits_protocols::star::StarRun;

use super::protocol::recovery;
use super::{PrepareError, fits, misfit, rounds};
use crate::schema::{self, Participation, Protocol, Scenario};

/// The protocol, where it is one of these.
pub(super) fn build(
    scenario: &Scenario,
    federation: Federation,
    s_hat: Vec<f64>,
    audit: bool,
) -> Result<Box<dyn Runnable>, PrepareError> {
    match &scenario.protocol {
        Protocol::OnlineEm(online) => alone(federation, online.domain, s_hat, online.clone()),
        Protocol::SemVr(sem_vr) => {
            let rule = SemVr::new(sem_vr.gamma, sem_vr.batch, sem_vr.refresh);
            alone(federation, sem_vr.domain, s_hat, rule)
        }
        Protocol::IncrementalEm(incremental) => {
            alone(federation, incremental.domain, s_hat, Iem::new(incremental.batch))
        }
        Protocol::Fiem(fiem) => alone(federation, fiem.domain, s_hat, Fiem::new(fiem.gamma, fiem.batch, fiem.lambda)),
        Protocol::DistributedEm(distributed) => {
            let settings = distributed_em::settings(distributed.floats, distributed.domain);
            let algorithm = FedEm::new(federation, settings, s_hat)?;
            Ok(Box::new(StarRun::new(algorithm, rounds::rounds(scenario, Participation::All), audit)))
        }
        Protocol::Ef21(ef21) => error_feedback(scenario, ef21, federation, s_hat, audit),
        Protocol::Marina(marina) => self::marina(scenario, marina, federation, s_hat, audit),
        Protocol::FedAvgEm(fed_avg) => {
            let algorithm = FedAvgEm::new(federation, fed_avg.clone(), s_hat)?;
            Ok(Box::new(StarRun::new(algorithm, rounds::rounds(scenario, fed_avg.participation), audit)))
        }
        _ => Err(ProtocolError::Unfit("this protocol is prepared elsewhere".to_owned()).into()),
    }
}

fn alone<R: Rule + 'static>(
    federation: Federation,
    policy: schema::Domain,
    s_hat: Vec<f64>,
    rule: R,
) -> Result<Box<dyn Runnable>, PrepareError> {
    let em = PooledEm::new(federation, policy, s_hat, rule)?;
    Ok(Box::new(AloneRun(em)))
}

fn error_feedback(
    scenario: &Scenario,
    ef21: &schema::Ef21,
    federation: Federation,
    s_hat: Vec<f64>,
    audit: bool,
) -> Result<Box<dyn Runnable>, PrepareError> {
    let (wire, n, q) = (ef21.floats, federation.clients(), s_hat.len());
    let operator = ef21.compressor.build(wire, n);
    fits::compressor("protocol.compressor", operator.as_ref(), q, "a statistic")?;
    let recovery = recovery(scenario, schema::Recovery::Restore);
    let settings = ef21::settings(ef21.gamma, operator, (n, q), wire, recovery, ef21.domain);
    let settings = settings.map_err(|why| misfit("protocol.compressor", why, ef21::CONTRACTION))?;
    let algorithm = FedEm::new(federation, settings, s_hat)?;
    Ok(Box::new(StarRun::new(algorithm, rounds::rounds(scenario, ef21.participation), audit)))
}

fn marina(
    scenario: &Scenario,
    own: &schema::Marina,
    federation: Federation,
    s_hat: Vec<f64>,
    audit: bool,
) -> Result<Box<dyn Runnable>, PrepareError> {
    let (wire, n) = (own.floats, federation.clients());
    let operator = own.compressor.build(wire, n);
    fits::compressor("protocol.compressor", operator.as_ref(), s_hat.len(), "a statistic")?;
    let settings = marina::settings(own.gamma, operator, own.probability, wire, own.domain);
    let algorithm = FedEm::new(federation, settings, s_hat)?;
    Ok(Box::new(StarRun::new(algorithm, rounds::rounds(scenario, Participation::All), audit)))
}
