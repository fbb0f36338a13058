//! Algorithm 1 over the star: every message, the likelihood on the way, the end; and the vertical k-means.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::vpem::common::{PLAIN, Problem, complete, streams};
use fedbits_kernel::{
    AccessLink, Bits, Dropout, Framing, Ideal, LedgerDetail, Rate, Speed, StarLinks, TimeDelta, World,
};
use fedbits_models::data::DataSet;
use fedbits_models::gmm::vertical::FeatureBlocks;
use fedbits_protocols::assessment::Assessment;
use fedbits_protocols::collective::CollectiveRun;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::over::Table;
use fedbits_protocols::plan::{RecordPlan, StopRules};
use fedbits_protocols::run::{Experiment, Observers, Outcome, Runnable, run};
use fedbits_protocols::star::SERVER;
use fedbits_protocols::vkmeans::{KMeansBaseline, KMeansRun};
use fedbits_protocols::vpem::rules::{Stopping, VpBatch};
use fedbits_protocols::vpem::{FederatedVpEm, VpEm};
use fedbits_random::Streams;
use fedbits_record::{Recorder, RoundRow};

fn star(clients: usize) -> World {
    let rate = Rate::from_bits_per_second(1e7).unwrap();
    let client = AccessLink { up: rate, down: rate, latency: TimeDelta::from_nanos(1_000_000) };
    let links = StarLinks { server_up: rate, server_down: rate, clients: vec![client; clients] };
    World {
        network: Box::new(Ideal::new(links)),
        speeds: vec![Speed::from_seconds_per_unit(1e-5).unwrap(); clients + 1],
        dropout: Dropout::Never,
        server: Some(SERVER),
        framing: Framing { header: Bits::new(320), segment: Bits::new(11_680) },
        detail: LedgerDetail::PerHost,
        streams: Streams::new(1, 0),
        overheads: None,
        time_limit: None,
        event_limit: Some(1_000_000),
        time_use: None,
    }
}

fn simulate(protocol: Box<dyn Runnable>, clients: usize, iterations: Option<u64>) -> (Outcome, Vec<RoundRow>) {
    simulate_probed(protocol, clients, iterations, Some(1))
}

/// To the end, with probes at that cadence.
fn simulate_probed(
    protocol: Box<dyn Runnable>,
    clients: usize,
    iterations: Option<u64>,
    probe_every: Option<u64>,
) -> (Outcome, Vec<RoundRow>) {
    let rows = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&rows);
    let observer = Some(Box::new(move |row: &RoundRow| sink.borrow_mut().push(row.clone())) as _);
    let assessment = Assessment { clustering: true, ..Assessment::default() };
    let record = RecordPlan { assessment, ..RecordPlan::of(1, probe_every) };
    let recorder = Recorder::nothing(Journal::columns(protocol.subject(), &record));
    let stop = StopRules { rounds: iterations, ..StopRules::default() };
    let experiment = Experiment { world: star(clients), protocol, record, stop, data_digest: String::new() };
    let outcome = run(experiment, recorder, Observers { observer, ..Observers::default() }, &AtomicBool::new(false));
    let rows = rows.borrow().clone();
    (outcome, rows)
}

fn algorithm(problem: &Problem, settings: VpEm) -> Box<dyn Runnable> {
    Box::new(CollectiveRun(FederatedVpEm::new(problem.fit(&problem.hubs(0), settings), true, streams())))
}

/// Per iteration N · M K floats up and as many down. The likelihood that comes for free is that of the row before (the
/// exact objective probed there), and the objective never rises.
#[test]
fn bits_and_likelihoods() {
    let problem = Problem::random(1, &complete(5), 60);
    let (outcome, rows) = simulate(algorithm(&problem, PLAIN), 5, Some(6));
    let iteration = 5 * 60 * 2 * 64;
    assert_eq!((outcome.totals.bits_up, outcome.totals.bits_down), (6 * iteration, 6 * iteration));
    assert!(outcome.ledger.iter().any(|row| row.link == "client-4" && row.purpose == "terms"));
    for pair in rows.windows(2) {
        let (before, free) = (pair[0].objective.unwrap(), -pair[1].extra[1].unwrap());
        assert!((before - free).abs() < 1e-12 * before.abs(), "{before} and {free}");
        assert!(pair[1].objective.unwrap() <= before + 1e-12);
    }
}

/// All clients see the same number and stop after the same iteration: the first whose increase per visited example is
/// below the tolerance. Between all 60 examples and the first 20 it is no number of the size of the likelihood itself.
#[test]
fn the_end() {
    let problem = Problem::random(2, &complete(4), 60);
    for (batch, tolerance) in [(VpBatch::All, 1e-3), (VpBatch::InTurn(20), 1.0)] {
        let stopping = Stopping::Alone { tolerance, margin: 0.0 };
        let (outcome, rows) = simulate(algorithm(&problem, VpEm { stopping, batch, ..PLAIN }), 4, None);
        assert!(outcome.stop.to_string().starts_with("likelihood"), "{}", outcome.stop);
        let likelihoods: Vec<f64> = rows.iter().skip(1).map(|row| row.extra[1].unwrap()).collect();
        let increases: Vec<f64> = likelihoods.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (last, earlier) = increases.split_last().unwrap();
        assert!(*last < tolerance && earlier.iter().all(|&increase| increase >= tolerance), "{increases:?}");
    }
}

/// Ding et al.: K centres and M · ⌈log₂ K⌉ bits per client, once. Far clusters on every feature are found from the
/// grid, too. The one round is the last, and probed.
#[test]
fn vertical_k_means() {
    let labels: Vec<u32> = (0..90).map(|m| m % 3).collect();
    let rows: Vec<f64> = labels
        .iter()
        .enumerate()
        .flat_map(|(m, &g)| {
            let (noise, g) = (0.1 * (m % 7) as f64, f64::from(g));
            [10.0 * g + noise, -7.0 * g, 5.0 * g - noise]
        })
        .collect();
    let run_at = |vertical, clients| {
        let blocks = FeatureBlocks::new(vec![vec![0, 1], vec![2]], 3).unwrap();
        let columns = (0..3).map(|column| column.to_string()).collect();
        let data = Arc::new(DataSet::new(columns, rows.clone(), Some(labels.clone()), None).unwrap());
        let table = Table { data, components: 3, blocks };
        let setting = KMeansBaseline { vertical, iterations: 100, restarts: 5 };
        let run = CollectiveRun(KMeansRun::new(table, setting, Streams::new(3, 0)));
        simulate_probed(Box::new(run), clients, Some(5), None)
    };
    let (outcome, found) = run_at(true, 2);
    assert_eq!(outcome.totals.bits_up, 64 * 3 * 3 + 2 * 90 * 2);
    assert_eq!((found.len(), found[1].extra[1]), (2, Some(1.0)));
    let (outcome, central) = run_at(false, 1);
    assert_eq!((outcome.totals.bits_up, central[1].extra[1]), (0, Some(1.0)));
    assert!(central[1].extra[5].unwrap() <= found[1].extra[5].unwrap() + 1e-12);
}
