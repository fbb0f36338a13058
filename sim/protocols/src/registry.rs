//! The list of protocols.

use fedbits_spec::kind;

use crate::baselines::centralized::CentralizedEm;
use crate::baselines::fed_avg_em::FedAvgEmSetting;
use crate::baselines::fiem::FiemSetting;
use crate::baselines::iem::IncrementalEm;
use crate::baselines::online_em::OnlineEm;
use crate::baselines::presets::{DistributedEm, Ef21, FedGmm, GradientAscent, Marina};
use crate::baselines::sem_vr::SemVrSetting;
use crate::diffusion::DiffusionEmSetting;
use crate::fed_grem::FedGrEmSetting;
use crate::fed_miss_em::FedMissEmSetting;
use crate::fedem::FedEmSetting;
use crate::local::{LoCoDlSetting, ProxSkipSetting, ScaffoldSetting};
use crate::one_round::OneRoundSetting;
use crate::saem::{CentralizedSaem, FlSaem};
use crate::setting::ProtocolSetting;
use crate::vkmeans::KMeansBaseline;
use crate::vpem::VpEm;

kind! {
    /// The algorithm.
    dyn ProtocolSetting as "Protocol", default None;
    FedEmSetting, FedMissEmSetting, CentralizedEm, OnlineEm, SemVrSetting, IncrementalEm, FiemSetting,
    DistributedEm, Ef21, Marina, FedAvgEmSetting, FedGmm, FedGrEmSetting, GradientAscent, FlSaem, CentralizedSaem, VpEm,
    DiffusionEmSetting, ScaffoldSetting, ProxSkipSetting, LoCoDlSetting, OneRoundSetting, KMeansBaseline,
}
