//! FedMissEM as a scenario names it: FedEM's parameters, of which some have no effect.

use fedbits_models::low_rank::LowRankSetting;
use fedbits_spec::{Described, Findings};
use serde::{Deserialize, Serialize};

use super::{COLUMNS, FedMissEm};
use crate::fedem::{self, Broadcast, Domain, Downlink, FedEmSetting};
use crate::federation::Weighting;
use crate::footprint::{Part, Sizes};
use crate::operator;
use crate::over::{BuildError, Built, CountsOf, Over};
use crate::partition::Partitioned;
use crate::schedule::Schedule;
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::uplink::Memory;
use crate::vr_fedem::VarianceReduction;

/// FedEM for low-rank imputation: messages carry residuals of the client's own observations. `broadcast`, `domain` and
/// `weighting` have no effect. V_{0,i} is always uploaded, so that all arms begin with equal bits.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(rename = "FedMissEm", transparent)]
pub struct FedMissEmSetting(pub FedEmSetting);

impl ProtocolSetting for FedMissEmSetting {
    fn over(&self) -> Over<'_> {
        Over::Counts(Box::new(|CountsOf { data, model, theta, catalogue }, run| {
            let longest = self.fits_cells(&data)?;
            let uplink = self.0.uplink(run, data.len() as u32);
            let sizes: Vec<u32> = data.sizes().into_iter().map(|size| size as u32).collect();
            let caveats = fedem::caveats(&self.0, &uplink, &sizes, longest);
            let algorithm = FedMissEm::new((&data, model), &self.0, uplink, &theta, catalogue)?;
            Ok(Built { caveats, ..Built::new(run.star(algorithm)) })
        }))
    }

    fn profile(&self) -> Profile {
        let Profile { participation, domain, cycle, .. } = self.0.profile();
        Profile {
            participation,
            // Clients send their cells, with memory or without.
            begins_with_everybody: true,
            domain,
            columns: Some(COLUMNS.to_vec()),
            cycle,
            ..Profile::default()
        }
    }

    /// Clients know the cells of their own observations alone.
    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let cells = (sizes.examples / sizes.clients.max(1)).min(sizes.statistic);
        self.0.memory_of_clients(sizes, cells, true)
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if !run.model.as_any().is::<LowRankSetting>() {
            findings.error("protocol", "FedMissEM imputes low-rank matrices", "expected the model `LowRank(…)`");
            return;
        }
        self.0.check_run(run, findings);
        self.check_unused(findings);
    }

    fn check_sum(&self, _run: &RunFacts<'_>, findings: &mut Findings) {
        let found = "clients of FedMissEM send vectors of different entries, whose positions show what they observed";
        findings.error("aggregation", found, "expected `Plain`");
    }

    fn check_privacy(&self, _run: &RunFacts<'_>, _shared: bool, findings: &mut Findings) {
        let found = "clients of FedMissEM upload which cells they have observed, and no noise hides that";
        findings.error("privacy", found, "expected none");
    }

    fn examples() -> Vec<Self> {
        vec![Self(FedEmSetting::of(Schedule::Constant(0.5)))]
    }
}

impl FedMissEmSetting {
    /// Settings of FedEM that its low-rank form does not have.
    fn check_unused(&self, findings: &mut Findings) {
        let FedEmSetting { broadcast, downlink, domain, weighting, variance_reduction, compressor, .. } = &self.0;
        let factors = "FedMissEM always broadcasts the factors of θ";
        let unused = [
            ("protocol.broadcast", *broadcast != Broadcast::default(), factors),
            ("protocol.downlink", *downlink != Downlink::Whole, factors),
            ("protocol.domain", *domain != Domain::default(), "every statistic of a low-rank model has parameters"),
            ("protocol.weighting", *weighting != Weighting::default(), "every observation counts the same"),
        ];
        unused.iter().filter(|(_, given, _)| *given).for_each(|(path, _, why)| findings.no_effect(path, why));
        if *variance_reduction != VarianceReduction::default() {
            let expected = "expected no `variance_reduction`";
            findings.error("protocol.variance_reduction", "FedMissEM has no variance-reduced form", expected);
        }
        if compressor.is_drawn_together() {
            let why = "PermK deals out the coordinates of one vector, and clients of FedMissEM have different ones";
            findings.error("protocol.compressor", why, "expected another compressor");
        }
    }

    /// Clients compress a number per cell that they have observed: the operator fits the shortest and the longest list.
    /// The length of the longest.
    fn fits_cells(&self, data: &Partitioned) -> Result<usize, BuildError> {
        let setting = &self.0;
        let operator = setting.compressor.build(setting.floats, data.len() as u32);
        let cells = |client: usize| {
            let rows = data.client(client).rows().chunks_exact(3);
            let mut cells: Vec<[u64; 2]> = rows.map(|row| [row[0].to_bits(), row[1].to_bits()]).collect();
            cells.sort_unstable();
            cells.dedup();
            cells.len()
        };
        let lengths: Vec<usize> = (0..data.len()).map(cells).collect();
        for (client, &length) in lengths.iter().enumerate() {
            let vector = format!("the update of client {client}, one per cell that it has observed,");
            operator::fits("compressor", operator.as_ref(), length, &vector)?;
        }
        let longest = lengths.into_iter().max().unwrap_or(1);
        if setting.memory != Memory::NoMemory {
            operator::has_rate(setting.alpha, operator.as_ref(), longest)?;
        }
        Ok(longest)
    }
}
