//! A study of invented runs: four compressors × three participations, of which the coarse ones do not all get to the
//! targets.

use super::{Invented, fill};
use fedbits_record::Columns;
use fedbits_record::results::{
    ArmIdentity, PlanArm, PlanAxis, PlanTarget, RunPlan, SEGMENTS_FOLDER, SegmentWriter, StoredRun,
};
use std::path::{Path, PathBuf};

const COMPRESSORS: [(&str, f64, f64, u64); 4] = [
    ("none", -0.020, -7.0, 480_000),
    ("dithering, s = 4", -0.0195, -6.6, 96_000),
    ("dithering, s = 1", -0.016, -5.2, 41_000),
    ("rand-k, k = d/8", -0.012, -4.4, 62_000),
];
const PARTICIPATIONS: [(&str, f64); 3] = [("100 %", 1.0), ("50 %", 0.5), ("25 %", 0.25)];

/// Writes the study, all runs finished, as `home/study`.
pub fn write_study(home: &Path, replicates: u64, rounds: u64) -> PathBuf {
    write_shares(home, (replicates, rounds), &PARTICIPATIONS.map(|(name, share)| (name.to_owned(), share)))
}

/// The same with other participations: names of levels, and shares of clients.
pub fn write_shares(home: &Path, (replicates, rounds): (u64, u64), shares: &[(String, f64)]) -> PathBuf {
    let directory = home.join("study");
    let plan = plan(replicates, shares);
    plan.write(&directory).unwrap();
    let mut writer = SegmentWriter::new(&directory.join(SEGMENTS_FOLDER));
    for (number, arm) in plan.arms.iter().enumerate() {
        let (_, slope, floor, bits) = COMPRESSORS[number / shares.len()];
        let share = shares[number % shares.len()].1;
        let invented = Invented {
            name: "an arm of a study",
            slope: slope * (0.7 + 0.3 * share),
            floor: floor - 0.8 * libm::log10(share),
            bits_up: (bits as f64 * share) as u64,
            seconds: 0.3 + 0.6 * share * bits as f64 / 480_000.0,
        };
        for replicate in plan.replicate_numbers() {
            // Noise differs from replicate to replicate.
            let mut run = fill(Columns::default(), &invented, replicate + 1, rounds);
            run.manifest.replicate = replicate;
            let end = run.rounds.last().unwrap();
            run.manifest.totals.time_ns = end.time_ns;
            writer.append(arm.key(replicate).unwrap(), &StoredRun::finished(run)).unwrap();
        }
    }
    writer.sync().unwrap();
    directory
}

fn plan(replicates: u64, shares: &[(String, f64)]) -> RunPlan {
    let axis = |name: &str, path: &str, levels: Vec<&str>| PlanAxis {
        name: name.into(),
        paths: vec![path.into()],
        levels: levels.into_iter().map(str::to_owned).collect(),
        ..PlanAxis::default()
    };
    let compressors = axis("compressor", "protocol.compressor", COMPRESSORS.map(|entry| entry.0).to_vec());
    let participations =
        axis("participation", "protocol.participation", shares.iter().map(|entry| entry.0.as_str()).collect());
    let arm = |number: usize| {
        let levels = vec![number / shares.len(), number % shares.len()];
        let name = format!("{} / {}", compressors.levels[levels[0]], participations.levels[levels[1]]);
        let identity = ArmIdentity::of("0.1.0", &name, &[]);
        PlanArm {
            identity: identity.to_string(),
            scenario_text: format!("Scenario(\n    name: \"{name}\",\n    replicate: 0,\n)"),
            scenario: "invented".into(),
            name,
            levels,
            seed: 1,
            ..PlanArm::default()
        }
    };
    RunPlan {
        engine_version: "0.1.0".into(),
        name: "an invented study".into(),
        about: "What do compression and participation cost?\n\nNobody knows <yet> & nobody asks.".into(),
        scenario_text: "Study()".into(),
        arms: (0..COMPRESSORS.len() * shares.len()).map(arm).collect(),
        axes: vec![compressors, participations],
        replicates,
        targets: [1e-3, 1e-5].map(|at_most| PlanTarget::at_most("mean_field_sq", at_most)).into(),
        ..RunPlan::default()
    }
}
