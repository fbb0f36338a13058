//! The distributed algorithm and its parameters, by the symbols of the FedEM paper. This file must not know messages.

use serde::{Deserialize, Serialize};

use super::diffusion::DiffusionEm;
use super::{
    CentralizedEm, CentralizedSaem, DistributedEm, Domain, Ef21, FedAvgEm, FedEm, Fiem, FlSaem, IncrementalEm,
    KMeansBaseline, Marina, OnlineEm, Participation, SemVr, VpEm,
};

/// The algorithm.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Protocol {
    /// FedEM (Algorithm 1), with partial participation and compression; without memory, its naive variant.
    FedEm(Box<FedEm>),
    /// FedEM for low-rank imputation, with messages that carry only the residuals of a client's own observations.
    /// `broadcast`, `domain` and `weighting` have no effect; V_{0,i} travels with the client's cells before the first
    /// round.
    FedMissEm(Box<FedEm>),
    /// EM on all data in one place: the reference that costs no bits.
    CentralizedEm(CentralizedEm),
    /// Online (mini-batch) EM in one place (Cappé and Moulines 2009).
    OnlineEm(OnlineEm),
    /// sEM-vr in one place: mini-batches with an anchor (Chen et al. 2018).
    SemVr(SemVr),
    /// Incremental EM in one place (Neal and Hinton 1998).
    IncrementalEm(IncrementalEm),
    /// FIEM in one place (Karimi et al. 2019; Fort et al. 2021).
    Fiem(Fiem),
    /// Distributed exact EM: uncompressed statistics of all examples, γ = 1.
    DistributedEm(DistributedEm),
    /// FedEM with EF21's error feedback instead of DIANA's memories: for biased compressors such as Top-k.
    Ef21(Box<Ef21>),
    /// FedEM with MARINA's estimator: changes of h_i are compressed, and now and then h_i is sent whole.
    Marina(Box<Marina>),
    /// FedAvg-EM: clients make EM steps, the server averages their parameters.
    FedAvgEm(FedAvgEm),
    /// Gradient ascent on the marginal likelihood with FedEM's (DIANA's) messages. `variance_reduction` is refused; γ
    /// is its step.
    GradientAscent(Box<FedEm>),
    /// FL-SAEM: clients sample their latent variables, the server approximates stochastically. D-SAEM, distributed
    /// gradients.
    FlSaem(Box<FlSaem>),
    /// SAEM, MCEM or exact EM in one place: the reference that costs no bits.
    CentralizedSaem(Box<CentralizedSaem>),
    /// VP-EM, federated or decentralized: data divided by features.
    VpEm(Box<VpEm>),
    /// Diffusion or gossip EM, decentralized: data divided by examples.
    DiffusionEm(Box<DiffusionEm>),
    /// k-means, in one place or from data divided by features (Ding et al. 2016): a baseline of one round.
    KMeans(KMeansBaseline),
}

impl Protocol {
    /// Whether all data are in one place: no clients, no network.
    #[must_use]
    pub fn is_centralized(&self) -> bool {
        matches!(
            self,
            Protocol::CentralizedEm(_)
                | Protocol::CentralizedSaem(_)
                | Protocol::OnlineEm(_)
                | Protocol::SemVr(_)
                | Protocol::IncrementalEm(_)
                | Protocol::Fiem(_)
                | Protocol::KMeans(KMeansBaseline { vertical: false, .. })
        )
    }

    /// Whether its clients sample latent variables.
    #[must_use]
    pub fn samples(&self) -> bool {
        matches!(self, Protocol::FlSaem(_) | Protocol::CentralizedSaem(_))
    }

    /// Who takes part in a round; where the algorithm leaves no choice, all.
    #[must_use]
    pub fn participation(&self) -> Participation {
        match self {
            Protocol::FedEm(fed_em) | Protocol::FedMissEm(fed_em) | Protocol::GradientAscent(fed_em) => {
                fed_em.participation
            }
            Protocol::Ef21(ef21) => ef21.participation,
            Protocol::FedAvgEm(fed_avg) => fed_avg.participation,
            Protocol::FlSaem(fl) => fl.participation,
            _ => Participation::All,
        }
    }

    /// What happens when the statistic leaves the domain of T.
    #[must_use]
    pub fn domain(&self) -> Domain {
        match self {
            Protocol::FedEm(fed_em) | Protocol::FedMissEm(fed_em) | Protocol::GradientAscent(fed_em) => fed_em.domain,
            Protocol::CentralizedEm(centralized) => centralized.domain,
            Protocol::DiffusionEm(diffusion) => diffusion.domain,
            Protocol::OnlineEm(online) => online.domain,
            Protocol::SemVr(sem_vr) => sem_vr.domain,
            Protocol::IncrementalEm(incremental) => incremental.domain,
            Protocol::Fiem(fiem) => fiem.domain,
            Protocol::DistributedEm(distributed) => distributed.domain,
            Protocol::Ef21(ef21) => ef21.domain,
            Protocol::Marina(marina) => marina.domain,
            Protocol::FedAvgEm(fed_avg) => fed_avg.domain,
            Protocol::FlSaem(fl) => fl.domain,
            Protocol::CentralizedSaem(centralized) => centralized.domain,
            Protocol::VpEm(_) | Protocol::KMeans(_) => Domain::Error,
        }
    }
}
