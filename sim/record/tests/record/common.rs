//! A small run written by hand.

use fedbits_record::results::{ArmIdentity, PlanArm, Results, RunPlan, SEGMENTS_FOLDER, SegmentWriter, StoredRun};
use fedbits_record::{
    Columns, Digests, Direction, EnergyTotals, Fate, Histogram, Host, LedgerRow, Manifest, PerClient, Reference,
    RoundCosts, RoundRow, Spread, StopRules, Totals,
};
use fedbits_spec::Caveat;
use std::path::Path;

/// Two extras, two components of θ, no statistics.
pub fn columns() -> Columns {
    Columns {
        extra: vec!["drift_sq".into(), "weight, \"first\"".into()],
        theta: vec!["pi_1".into(), "pi_2".into()],
        statistics: Vec::new(),
    }
}

pub fn first_row() -> RoundRow {
    RoundRow { round: 0, extra: vec![None, Some(0.5)], ..RoundRow::default() }
}

pub fn second_row() -> RoundRow {
    RoundRow {
        round: 1,
        time_ns: 12_000_000_345,
        epochs: 0.1,
        expectations: 2_000,
        bits_up: 18_446_744_073_709_551_615,
        bits_down: 64,
        bits_peer: 0,
        bits_header: 320,
        bits_wasted: 7,
        selected: 10,
        arrived: 8,
        late: 1,
        lost: 1,
        objective: Some(-19.418_403),
        mean_field_sq: Some(1e-300),
        field_sq: None,
        extra: vec![Some(-0.0), None],
        costs: RoundCosts::default(),
    }
}

pub fn ledger() -> Vec<LedgerRow> {
    vec![LedgerRow {
        link: "client 3, up".into(),
        direction: Direction::Up,
        purpose: "update".into(),
        fate: Fate::Aborted,
        messages: 2,
        payload_bits: 400,
        header_bits: 640,
        retransmitted_bits: 1,
    }]
}

/// The values 1, 2, …, 100 and an empty distribution.
pub fn histograms() -> Vec<Histogram> {
    let mut durations = Histogram::new("round duration", "ns");
    (1..=100).for_each(|value| durations.record(value));
    vec![durations, Histogram::new("staleness", "rounds")]
}

pub fn manifest() -> Manifest {
    Manifest {
        engine_version: "0.1.0".into(),
        scenario: "small".into(),
        arm: "dithering s=1".into(),
        arm_index: 2,
        scenario_text: "Scenario(\n    clients: 10,\n)".into(),
        seed: u64::MAX,
        replicate: 3,
        clients: 10,
        digests: Digests { data: "0a".into(), timeline: "0b".into(), state: "0c".into() },
        stop_reason: "rounds reached".into(),
        stop_rules: StopRules { mean_field_sq: Some(1e-9), bits: Some(1 << 41), time_ns: Some(u64::MAX) },
        cut: None,
        fit: None,
        reference: Some(Reference {
            problem: "p".to_owned(),
            objective: Some(-19.25),
            how: "exact EM".to_owned(),
            passes: 17,
            mean_field_sq: Some(1e-29),
        }),
        caveats: vec![Caveat::EarlyEnd { field: "trace".to_owned(), round: "1".to_owned() }],
        totals: Totals {
            rounds: 1,
            bits_up: u64::MAX,
            bits_down: 64,
            bits_peer: 0,
            bits_header: 320,
            bits_wasted: 7,
            time_ns: 12_000_000_345,
            expectations: 2_000,
            events: 41,
        },
        per_client: Some(PerClient {
            contributions: Spread::of([0.1, 2.0], true),
            energy_j: Spread::of([1e-300, 0.3], false),
            ..PerClient::default()
        }),
        energy: Some(EnergyTotals { clients_j: 0.1, server_j: Some(1e300) }),
        host: Host {
            seconds: 0.25,
            events_per_second: None,
            peak_memory_bytes: None,
            threads: 1,
            scenario_folder: None,
            script: None,
        },
        extra_columns: Vec::new(),
    }
}

/// A plan of these arms, without axes, with seed 1.
pub fn plan(arms: &[&str], replicates: u64) -> RunPlan {
    let arm = |name: &&str| PlanArm {
        name: (*name).to_owned(),
        seed: 1,
        scenario: "base".to_owned(),
        scenario_text: "(\n    name: \"base\",\n    replicate: 0,\n)".to_owned(),
        identity: ArmIdentity::of("0", name, &[]).to_string(),
        ..PlanArm::default()
    };
    RunPlan {
        engine_version: "0".to_owned(),
        name: "test".to_owned(),
        arms: arms.iter().map(arm).collect(),
        replicates,
        ..RunPlan::default()
    }
}

/// Writes a folder of runs: the number of the arm, the replicate, the run.
pub fn write_folder(
    directory: &Path,
    plan: &RunPlan,
    runs: impl IntoIterator<Item = (usize, u64, StoredRun)>,
) -> Results {
    plan.write(directory).unwrap();
    let mut writer = SegmentWriter::new(&directory.join(SEGMENTS_FOLDER));
    for (arm, replicate, run) in runs {
        writer.append(plan.arms[arm].key(replicate).unwrap(), &run).unwrap();
    }
    writer.sync().unwrap();
    Results::open(directory).unwrap()
}
