//! Every field of a run comes back from the store: every finite float with the same bits, every time to the nanosecond.

use crate::common::{self, plan, write_folder};
use fedbits_record::results::StoredRun;
use fedbits_record::{
    Cell, EnergyTotals, FinalFit, HistogramSummary, Host, Manifest, PerClient, Reference, RoundRow, RunRecord,
    RunTable, Series, SeriesRow, Spread, StopRules, TopologyLink, TopologyRows, TopologySite,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Any bit pattern that is a finite number: subnormal, huge, −0 alike.
fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite())
}

fn row() -> impl Strategy<Value = RoundRow> {
    (any::<[u64; 12]>(), finite(), [(); 5].map(|()| option::of(finite()))).prop_map(
        |(
            [
                round,
                time_ns,
                expectations,
                bits_up,
                bits_down,
                bits_peer,
                bits_header,
                bits_wasted,
                selected,
                arrived,
                late,
                lost,
            ],
            epochs,
            [objective, mean_field_sq, field_sq, first, second],
        )| RoundRow {
            round,
            time_ns,
            epochs,
            expectations,
            bits_up,
            bits_down,
            bits_peer,
            bits_header,
            bits_wasted,
            selected,
            arrived,
            late,
            lost,
            objective,
            mean_field_sq,
            field_sq,
            extra: vec![first, second],
            costs: fedbits_record::RoundCosts::default(),
        },
    )
}

fn series() -> impl Strategy<Value = Series> {
    (1usize..4).prop_flat_map(|width| {
        vec((any::<u64>(), vec(finite(), width)), 0..4).prop_map(move |rows| Series {
            names: (0..width).map(|i| format!("s_{i}")).collect(),
            rows: rows.into_iter().map(|(round, values)| SeriesRow { round, values }).collect(),
        })
    })
}

fn cell() -> impl Strategy<Value = Cell> {
    prop_oneof![
        Just(Cell::Missing),
        any::<u64>().prop_map(Cell::Whole),
        finite().prop_map(Cell::Float),
        any::<u64>().prop_map(Cell::Nanoseconds),
        any::<String>().prop_map(Cell::Text),
    ]
}

fn topology() -> impl Strategy<Value = TopologyRows> {
    (vec((any::<String>(), finite(), finite(), any::<bool>(), any::<u64>()), 0..3), vec(any::<[u64; 4]>(), 0..3))
        .prop_map(|(sites, links)| TopologyRows {
            sites: sites
                .into_iter()
                .map(|(name, x, y, server, clients)| TopologySite { name, x, y, server, clients })
                .collect(),
            links: links
                .into_iter()
                .map(|[from, to, capacity_bps, latency_ns]| TopologyLink { from, to, capacity_bps, latency_ns })
                .collect(),
        })
}

/// A manifest whose floats and whole numbers are any.
fn manifest() -> impl Strategy<Value = Manifest> {
    (vec(finite(), 20), vec(any::<u64>(), 8)).prop_map(|(floats, numbers)| {
        let mut floats = floats.into_iter();
        let mut float = move || floats.next().unwrap();
        let mut spread = || Spread { min: float(), mean: float(), max: float(), worst_decile: float(), jain: None };
        let per_client = PerClient { busy_s: spread(), bits: spread(), ..PerClient::default() };
        let small = common::manifest();
        Manifest {
            seed: numbers[0],
            clients: numbers[1],
            totals: fedbits_record::Totals { time_ns: numbers[2], bits_up: numbers[3], ..small.totals },
            stop_rules: StopRules { mean_field_sq: Some(float()), bits: Some(numbers[4]), time_ns: None },
            reference: small.reference.map(|reference| Reference {
                objective: Some(float()),
                mean_field_sq: Some(float()),
                ..reference
            }),
            fit: Some(FinalFit { objective: Some(float()), start_objective: Some(float()), ..FinalFit::default() }),
            energy: Some(EnergyTotals { clients_j: float(), server_j: Some(float()) }),
            host: Host { seconds: float(), events_per_second: Some(float()), threads: numbers[5], ..Host::default() },
            per_client: Some(per_client),
            extra_columns: vec!["one".to_owned(), "energy".to_owned()],
            ..small
        }
    })
}

fn histogram() -> impl Strategy<Value = HistogramSummary> {
    (any::<[String; 2]>(), option::of(finite()), any::<[Option<u64>; 6]>()).prop_map(
        |([name, unit], mean, [min, p50, p90, p99, p999, max])| HistogramSummary {
            name,
            unit,
            count: 7,
            mean,
            min,
            p50,
            p90,
            p99,
            p999,
            max,
        },
    )
}

fn record() -> impl Strategy<Value = RunRecord> {
    let tables = (vec(row(), 0..6), vec(histogram(), 0..3), option::of(series()), option::of(series()));
    let further = (option::of(topology()), vec(vec(cell(), 2), 0..6), any::<Vec<u8>>(), any::<[Option<String>; 2]>());
    (manifest(), tables, further).prop_map(
        |(manifest, (rounds, histograms, theta, statistics), (topology, rows, checks, [model, no_model]))| RunRecord {
            manifest,
            rounds,
            ledger: common::ledger(),
            histograms,
            theta,
            statistics,
            topology,
            extra: vec![RunTable { name: "t".to_owned(), columns: vec!["a".to_owned(), "b".to_owned()], rows }],
            checks,
            model,
            no_model: no_model.map(|text| fedbits_spec::visible(&text)),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// As texts, which tell −0 from 0.
    #[test]
    fn every_field_comes_back(written in record()) {
        let home = tempfile::tempdir().unwrap();
        let study = write_folder(home.path(), &plan(&["arm"], 1), [(0, 0, StoredRun::finished(written.clone()))]);
        let mut read = study.run(0, 0).unwrap().unwrap();
        let manifest = &mut read.manifest;
        prop_assert_eq!((manifest.scenario.as_str(), manifest.arm.as_str()), ("base", "arm"));
        manifest.scenario.clone_from(&written.manifest.scenario);
        manifest.arm.clone_from(&written.manifest.arm);
        manifest.scenario_text.clone_from(&written.manifest.scenario_text);
        manifest.arm_index = written.manifest.arm_index;
        manifest.caveats.truncate(written.manifest.caveats.len());
        prop_assert_eq!(format!("{read:?}"), format!("{written:?}"));
        let [mut rounds, whole] = [study.run_without_tables(0, 0).unwrap().unwrap(), read];
        rounds.manifest = whole.manifest.clone();
        prop_assert_eq!(format!("{:?}", rounds.rounds), format!("{:?}", whole.rounds));
        prop_assert!(rounds.extra.is_empty() && rounds.theta.is_none() && rounds.model.is_none());
    }
}
