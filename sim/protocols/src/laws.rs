//! The laws of protocols, for the project's own and for a user's: on a small problem of each kind a run comes to its
//! end, bits are conserved, every contribution has the length that is charged, no broadcast is free, a round may end
//! without any contribution, no column has a name that is taken, and the same seed gives the same run.
//!
//! The functions panic at the first law that is broken, and say which protocol broke it: call [`protocol`] from a test.

use std::any::type_name;
use std::cell::RefCell;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fedbits_kernel::topology::{Backbone, Edge, GraphLinks, Host, Map, Site, SiteId};
use fedbits_kernel::{
    AccessLink, Bits, Dropout, Framing, Ideal, LedgerDetail, Network, Rate, Speed, StarLinks, StopReason, Time,
    TimeDelta, World,
};
use fedbits_models::data::DataSet;
use fedbits_models::gmm::vertical::FeatureBlocks;
use fedbits_models::gmm::{Covariance, CovarianceForm, GaussianMixture, MixturePrior, MixtureSetting};
use fedbits_models::low_rank::{Family, LowRank};
use fedbits_random::Streams;
use fedbits_record::{Direction, LedgerRow, ROUND_COLUMNS, Recorder, RoundRow};
use fedbits_spec::{Duration, Facts, Findings, Severity, assert_sound};

use crate::federation::{Federation, Weighting};
use crate::journal::{Journal, Observer};
use crate::neighbours::graph::Graph;
use crate::over::Catalogue;
use crate::over::{BuildError, Built, CountsOf, ExamplesOf, FeaturesOf, Over, RunSettings, Start, SubjectsOf, Table};
use crate::partition::{Partition, Partitioned};
use crate::plan::{Late, RecordPlan, RoundPolicy, Staleness, StopRules};
use crate::run::{Experiment, Observers, Outcome, run};
use crate::saem::panel::Panel;
use crate::setting::{ProtocolSetting, RunFacts};
use crate::star::{Rounds, SERVER};

/// All laws, over the examples of a setting.
///
/// # Panics
/// When a law is broken.
pub fn protocol<T: ProtocolSetting>() {
    let examples = T::examples();
    assert!(!examples.is_empty(), "{}: no examples to test the laws over", type_name::<T>());
    examples.iter().for_each(|setting| laws(setting));
}

/// All laws of one protocol, whose parameters fit three clients with four examples each.
///
/// # Panics
/// When a law is broken.
pub fn laws(setting: &dyn ProtocolSetting) {
    let facts = Facts { clients: Some(CLIENTS), examples: Some(EXAMPLES), features: Some(2), ..Facts::default() };
    assert_sound(setting, &facts);
    // With every message audited: its bits are those of its string.
    let (first, again, sampled) = (outcome(setting, true), outcome(setting, true), outcome(setting, false));
    assert!(matches!(first.stop, StopReason::Reached(_)), "{setting:?}: {}", first.stop);
    same(setting, (&first.digests, &again.digests), "the same seed gives the same run");
    same(setting, (&first.digests, &sampled.digests), "the audit changes nothing");
    same(setting, (&first.totals, &again.totals), "the same seed gives the same sums");
    conserves(setting, &first);
    names_columns(setting);
    copes_with_empty_rounds(setting);
    starts_at_an_image(setting);
    ends_with_a_probe(setting, first.totals.time_ns);
}

/// What the first row has of the fit the last one has, too, when nothing but time ends the run and no round is probed.
fn ends_with_a_probe(setting: &dyn ProtocolSetting, time_ns: u64) {
    let rows = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&rows);
    let observer: Observer = Box::new(move |row: &RoundRow| sink.borrow_mut().push(row.clone()));
    let mut experiment = experiment(setting, false, RecordPlan::of(1, None), StopRules::default());
    experiment.world.time_limit = Some(Time::ZERO + TimeDelta::from_nanos(time_ns / 2));
    let recorder = Recorder::nothing(Journal::columns(experiment.protocol.subject(), &experiment.record));
    let observers = Observers { observer: Some(observer), ..Observers::default() };
    let stop = run(experiment, recorder, observers, &AtomicBool::new(false)).stop;
    assert!(matches!(stop, StopReason::TimeLimit), "{setting:?}: {stop}");
    let rows = rows.borrow();
    let measured = |row: &RoundRow| [row.objective, row.mean_field_sq].map(|value| value.is_some());
    let ends = [rows.first(), rows.last()].map(|row| row.map(measured));
    assert_eq!(ends[0], ends[1], "{setting:?}: the end of a run is probed as its start is");
    if let [.., before, last] = &rows[..]
        && before.round == last.round
    {
        let stay = before.extra.iter().zip(&last.extra).all(|(earlier, now)| earlier.is_none() || earlier == now);
        assert!(stay, "{setting:?}: {:?} has become {:?}", before.extra, last.extra);
    }
}

/// Before the first round, too, θ = T(Ŝ), and ‖h(Ŝ)‖² is that of this pair: the small problems do not start at rest.
fn starts_at_an_image(setting: &dyn ProtocolSetting) {
    let built = built(setting, false).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    let subject = built.protocol.subject();
    let (state, probe) = (subject.state(), subject.probe().unwrap_or_else(|error| panic!("{setting:?}: {error}")));
    let Some(field) = probe.mean_field_sq else { return };
    assert!(field > 1e-9, "{setting:?}: ‖h‖² = {field:e} before the first round");
    let Some(exact) = subject.problem().exact() else { return };
    let image = exact.maximize(state.s_hat).unwrap_or_else(|error| panic!("{setting:?}: T of Ŝ₀: {error}"));
    let close = |(one, other): (&f64, &f64)| (one - other).abs() <= 1e-9 * one.abs().max(1.0);
    let is_image = image.len() == state.theta.len() && image.iter().zip(state.theta).all(close);
    assert!(is_image, "{setting:?}: before the first round θ is {:?} and T(Ŝ) is {image:?}", state.theta);
    if let Ok(Some((expected, _))) = exact.expectation(state.theta) {
        let h_sq: f64 = expected.iter().zip(state.s_hat).map(|(expected, s)| (expected - s) * (expected - s)).sum();
        assert!((field - h_sq).abs() <= 1e-9 * h_sq, "{setting:?}: ‖h‖² is {h_sq:e} and the probe says {field:e}");
    }
}

/// What a setting says of its columns before a run holds those that the run has, and no name of another column.
fn names_columns(setting: &dyn ProtocolSetting) {
    let built = built(setting, false).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    let subject = built.protocol.subject();
    let (columns, plan) = (subject.columns(), RecordPlan { energy: true, ..RecordPlan::of(1, Some(1)) });
    let all = Journal::columns(subject, &plan).extra;
    for name in &columns {
        let often = all.iter().map(String::as_str).chain(ROUND_COLUMNS).filter(|column| column == name).count();
        assert!(often == 1 && !name.is_empty(), "{setting:?}: the name of the column {name:?} is taken, or empty");
        let is_known = setting.profile().columns.is_none_or(|known| known.contains(&name.as_str()));
        assert!(is_known, "{setting:?}: the column {name} is not among {:?}", setting.profile().columns);
    }
}

/// A server that closes rounds before anything can have arrived goes on, unless the protocol says that it cannot.
fn copes_with_empty_rounds(setting: &dyn ProtocolSetting) {
    if setting.profile().is_centralized || setting.over().is_among_peers() {
        return;
    }
    let model = MixtureSetting { components: 2, covariance: CovarianceForm::Diagonal, prior: MixturePrior::Flat };
    let facts = Facts { clients: Some(CLIENTS), examples: Some(EXAMPLES), features: Some(2), ..Facts::default() };
    let round = RoundPolicy::Deadline(Duration::Ms(1.0));
    let run_facts = RunFacts {
        facts: &facts,
        model: &model,
        participation: setting.profile().participation,
        round,
        late: Late::Discard,
        share: None,
        equal: true,
        absent: false,
        there: None,
        by_the_clock: false,
        dropout: Dropout::Never,
        loses_messages: false,
        secure: false,
        private: false,
        robust: None,
    };
    let mut findings = Findings::default();
    setting.check_run(&run_facts, &mut findings);
    if findings.iter().any(|found| found.severity == Severity::Error && found.path.starts_with("round")) {
        return;
    }
    let stop = StopRules { rounds: Some(ROUNDS), ..StopRules::default() };
    let built = built_in(setting, true, round).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    let experiment = experiment_of(setting, built, RecordPlan::of(1, Some(1)), stop);
    let recorder = Recorder::nothing(Journal::columns(experiment.protocol.subject(), &experiment.record));
    let stop = run(experiment, recorder, Observers::default(), &AtomicBool::new(false)).stop;
    assert!(matches!(stop, StopReason::Reached(_)), "{setting:?}: rounds without contributions: {stop}");
}

fn same<T: PartialEq + Debug>(setting: &dyn ProtocolSetting, (one, other): (&T, &T), law: &str) {
    assert!(one == other, "{setting:?}: {law}: {one:?} and {other:?}");
}

/// On a network that loses nothing what is sent arrives, and what is charged to hosts is what the totals say.
fn conserves(setting: &dyn ProtocolSetting, outcome: &Outcome) {
    let totals = &outcome.totals;
    let sum = |direction| {
        let rows = outcome.ledger.iter().filter(|row| row.direction == direction);
        rows.map(|row: &LedgerRow| row.payload_bits).sum::<u64>()
    };
    assert_eq!(totals.bits_wasted, 0, "{setting:?}: bits were wasted");
    assert_eq!(sum(Direction::Up), totals.bits_up, "{setting:?}: bits up");
    assert_eq!(sum(Direction::Down), totals.bits_down, "{setting:?}: bits down");
    assert_eq!(sum(Direction::Peer), totals.bits_peer, "{setting:?}: bits between peers");
    let sent = totals.bits_up + totals.bits_down + totals.bits_peer;
    assert_eq!(sent > 0, setting.sends(Some(CLIENTS as u64)), "{setting:?}: {sent} bits were sent");
}

const CLIENTS: usize = 3;
const EXAMPLES: u64 = 12;
const ROUNDS: u64 = 5;

fn outcome(setting: &dyn ProtocolSetting, audit: bool) -> Outcome {
    let stop = StopRules { rounds: Some(ROUNDS), ..StopRules::default() };
    let experiment = experiment(setting, audit, RecordPlan::of(1, Some(1)), stop);
    let recorder = Recorder::nothing(Journal::columns(experiment.protocol.subject(), &experiment.record));
    run(experiment, recorder, Observers::default(), &AtomicBool::new(false))
}

fn experiment(setting: &dyn ProtocolSetting, audit: bool, record: RecordPlan, stop: StopRules) -> Experiment {
    let built = built(setting, audit).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    experiment_of(setting, built, record, stop)
}

fn experiment_of(setting: &dyn ProtocolSetting, built: Built, record: RecordPlan, stop: StopRules) -> Experiment {
    let protocol = built.protocol;
    let world = world(protocol.subject().clients() as usize, setting.over().is_among_peers());
    Experiment { world, protocol, record, stop, data_digest: String::new() }
}

/// The protocol on a small problem of its kind.
fn built(setting: &dyn ProtocolSetting, audit: bool) -> Result<Built, BuildError> {
    built_in(setting, audit, RoundPolicy::WaitForAll)
}

/// The same, whose rounds end by `policy`.
fn built_in(setting: &dyn ProtocolSetting, audit: bool, policy: RoundPolicy) -> Result<Built, BuildError> {
    let rounds = Rounds { policy, participation: setting.profile().participation, ..Rounds::default() };
    let run = RunSettings { rounds, staleness: Staleness::Constant, audit, strings: None, streams: streams() };
    match setting.over() {
        Over::Examples(build) => build(examples(), &run),
        Over::PeerExamples(build) => build((examples(), ring(CLIENTS)), &run),
        Over::Counts(build) => build(counts(), &run),
        Over::Subjects(build) => build(subjects(if setting.profile().is_centralized { 1 } else { CLIENTS }), &run),
        Over::Table(build) => build(table(), &run),
        Over::Features(build) => build(features(), &run),
        Over::PeerFeatures(build) => build((features(), ring(2)), &run),
    }
}

fn streams() -> Streams {
    Streams::new(1, 0)
}

/// Points around −1 and 1, in two features.
fn rows() -> Vec<f64> {
    let points = [-1.4, -0.9, 1.2, 0.8, -1.1, 0.7, 1.5, -0.6, 0.9, -1.3, 1.1, -0.8];
    points.iter().enumerate().flat_map(|(j, y)| [*y, 0.5 * y + 0.1 * (j % 3) as f64]).collect()
}

fn divided(rows: Vec<f64>, columns: &[&str], clients: usize) -> Partitioned {
    let of = |j: usize| (j * clients / EXAMPLES as usize) as u32;
    let clients = (0..EXAMPLES as usize).map(of).collect();
    let columns = columns.iter().map(|&name| name.to_owned()).collect();
    let data = DataSet::new(columns, rows, None, Some(clients)).expect("rows of numbers");
    Partitioned::new(&data, &Partition::ClientColumn.rule(1), &streams()).expect("clients with examples")
}

fn mixture() -> (GaussianMixture, Vec<f64>) {
    let model = GaussianMixture::new(2, 2, Covariance::Known(vec![1.0, 0.0, 0.0, 1.0])).expect("a mixture");
    (model, vec![0.5, 0.5, -0.5, 0.0, 0.5, 0.0])
}

fn examples() -> ExamplesOf {
    let ((model, theta), data) = (mixture(), divided(rows(), &["a", "b"], CLIENTS));
    let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
    let s_hat = federation.statistics_at(&theta).expect("a statistic");
    ExamplesOf { federation, theta, s_hat }
}

fn subjects(clients: usize) -> SubjectsOf {
    let ((model, theta), data) = (mixture(), divided(rows(), &["a", "b"], clients));
    let client_of: Vec<u32> = data.sizes().iter().enumerate().flat_map(|(i, &size)| vec![i as u32; size]).collect();
    let model = model.with_examples(data.data().clone());
    SubjectsOf { panel: Panel::new(Box::new(model), &client_of, clients, None).expect("clients with subjects"), theta }
}

/// Counts at two sites and two times.
fn counts() -> CountsOf {
    let cell = |j: usize| [(j % 2) as f64, (j / 2 % 2) as f64, 1.0 + (j % 5) as f64];
    let data = divided((0..EXAMPLES as usize).flat_map(cell).collect(), &["site", "time", "value"], CLIENTS);
    let model = LowRank::new((2, 2), 1, 0.1, Family::Gaussian, EXAMPLES as usize, 6).expect("a model");
    let times = vec!["0".to_owned(), "1".to_owned()];
    let catalogue = Catalogue { times, observed: vec![2, 2], ..Catalogue::default() };
    CountsOf { data, model, theta: vec![0.0; 4], catalogue }
}

fn table() -> Table {
    let blocks = FeatureBlocks::even(2, 2).expect("a feature each");
    let columns = vec!["a".to_owned(), "b".to_owned()];
    let data = DataSet::new(columns, rows(), None, None).expect("examples");
    Table { data: Arc::new(data), components: 2, blocks }
}

fn features() -> FeaturesOf {
    FeaturesOf { table: table(), start: Start::Means(vec![0.5; 2], vec![-0.5, 0.0, 0.5, 0.0]), truth: None }
}

/// Agents in a ring; two are one link.
fn links(agents: usize) -> impl Iterator<Item = (u32, u32)> {
    let agents = agents as u32;
    (0..agents).map(move |a| (a, (a + 1) % agents)).take(if agents == 2 { 1 } else { agents as usize })
}

fn ring(agents: usize) -> Graph {
    Graph::new(agents, links(agents)).expect("a ring")
}

/// Links of 1 Mbit/s and 20 ms.
fn world(clients: usize, peers: bool) -> World {
    let nodes = if peers { clients } else { clients + 1 };
    World {
        network: if peers { mesh(clients) } else { star(clients) },
        speeds: vec![Speed::from_seconds_per_unit(1e-5).expect("a speed"); nodes],
        dropout: Dropout::Never,
        server: (!peers).then_some(SERVER),
        framing: Framing { header: Bits::new(320), segment: Bits::new(11_680) },
        detail: LedgerDetail::PerHost,
        streams: streams(),
        overheads: None,
        time_limit: None,
        // A run that never ends breaks a law, and does not hang.
        event_limit: Some(1_000_000),
        time_use: None,
    }
}

fn rate() -> Rate {
    Rate::from_bits_per_second(1e6).expect("a rate")
}

const LATENCY: TimeDelta = TimeDelta::from_nanos(20_000_000);

fn star(clients: usize) -> Box<dyn Network> {
    let client = AccessLink { up: rate(), down: rate(), latency: LATENCY };
    Box::new(Ideal::new(StarLinks { server_up: rate(), server_down: rate(), clients: vec![client; clients] }))
}

fn mesh(agents: usize) -> Box<dyn Network> {
    let mut map = Map::new((0..agents).map(|agent| Site { name: agent.to_string(), place: None }));
    links(agents).for_each(|(a, b)| map.join(SiteId(a), SiteId(b), Edge::default()));
    let settle = |_, _: [&Site; 2], _| -> Result<Backbone, std::convert::Infallible> {
        Ok(Backbone { capacity: rate(), latency: LATENCY })
    };
    let topology = map.settle(settle).unwrap_or_else(|never| match never {});
    let hosts = (0..agents as u32).map(|agent| Host { site: SiteId(agent), access: None }).collect();
    Box::new(Ideal::new(GraphLinks::new(topology, hosts).expect("a ring").among_neighbours()))
}
