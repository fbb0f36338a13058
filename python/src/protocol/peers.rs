//! A protocol among neighbours that is a class of Python: `start(problem, data)`, `send(state)`,
//! `step(state, data, messages, weights, rng)`.
//!
//! Iteration t of agent n: every neighbour is sent what `send` makes of the state, coded by the declared operator, and
//! `step` makes the next state of the agent's own message (the first row) and those of its neighbours, ascending, all
//! as they are decoded. The work of `step` is charged before
//! the messages travel, as in the other protocols among neighbours. The record shows the mean of the agents' arrays
//! `s`, and T of it.

use std::collections::VecDeque;
use std::sync::Arc;

use fedbits::codec::{Compressor, Encoded, WireFloat};
use fedbits::protocols::audit::Auditor;
use fedbits::protocols::error::ProtocolError;
use fedbits::protocols::fedem::Domain;
use fedbits::protocols::federation::Weighting;
use fedbits::protocols::footprint::{Part as Taken, Sizes, product};
use fedbits::protocols::journal::Subject;
use fedbits::protocols::neighbours::graph::Graph;
use fedbits::protocols::neighbours::weights::{Averaging, Weights};
use fedbits::protocols::neighbours::{Gossip, NeighbourRun, Plan};
use fedbits::protocols::operator::{self, Operator};
use fedbits::protocols::over::{BuildError, Built, ExamplesOf, Over, RunSettings};
use fedbits::protocols::problem::Problem;
use fedbits::protocols::setting::{Profile, ProtocolSetting};
use fedbits::protocols::state::{Probe, State};
use fedbits::random::Streams;
use fedbits::spec::{Described, Facts, Findings, Path};
use fedbits_spec::{Caveat, so_many};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use super::call::{called, caveat, dict, finite, left, seed, state_of};
use super::data::{ClientData, CommonProblem};
use super::holdings::Holdings;
use super::named::{Access, NamedArrays, Shapes};
use crate::arrays::full_name;
use crate::model::generator;
use crate::objects::{Failure, Object};

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 2] = ["consensus_error", "domain_events"];

/// A protocol among neighbours that is a class of Python. The sites of `shape: Graph(…)` are the agents, as many as
/// `clients`.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(crate = fedbits::spec, rules = rules)]
pub(crate) struct PythonPeerProtocol {
    /// Name of the class.
    name: String,
    /// BLAKE2 of its source, or of its code where there is no source.
    source: String,
    /// Its attributes, but for those that are fields.
    settings: String,
    /// Of Python and NumPy.
    versions: String,
    /// Which of several objects of this description it is.
    #[serde(default, skip_serializing)]
    number: Option<u64>,
    /// W, the weights.
    #[serde(default)]
    weights: Weights,
    /// The operator on what agents send.
    #[serde(default)]
    compressor: Operator,
    /// Width of floats in messages.
    #[serde(default)]
    floats: WireFloat,
    /// Treatment of an agent's statistic outside the domain of T.
    #[serde(default)]
    domain: Domain,
    /// How agents are weighted in the objective.
    #[serde(default)]
    weighting: Weighting,
}

fn rules(setting: &PythonPeerProtocol, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    findings.caveat(caveat([&setting.name, &setting.source, &setting.versions]));
    if setting.domain == Domain::SkipRound {
        let why = "an agent that skips its step would leave its neighbours waiting";
        findings.error(at.field("domain"), why, "expected `Error` or `Clip(floor: …)`");
    }
    if setting.compressor.is_drawn_together() {
        let why = format!("the clients of a server draw `{}` together", setting.compressor.part_name());
        findings.error(at.field("compressor"), why, "expected another compressor");
    }
}

impl PythonPeerProtocol {
    fn build(&self, problem: ExamplesOf, graph: Graph, run: &RunSettings) -> Result<Built, BuildError> {
        let ExamplesOf { federation, s_hat, theta } = problem;
        let (agents, n) = (federation.clients(), graph.len());
        let unfit = |why: String| Err(ProtocolError::Unfit(why).into());
        if agents as usize != n {
            let agents = so_many(agents, "agent holds|agents hold");
            let found = format!("{agents} the examples and the graph has {}", so_many(n, "site"));
            return unfit(format!("{found}: expected as many `clients` as sites"));
        }
        if let Some(empty) = (0..agents).find(|&agent| federation.size(agent) == 0) {
            return unfit(format!("agent {empty} has no examples: expected at least one each"));
        }
        if federation.model().constants_dimension() > 0 {
            let found = "the model needs constants of all data, which nobody has without a server";
            return unfit(format!("{found}: expected another model"));
        }
        let averaging = Averaging::new(&self.weights, &graph)
            .map_err(|flaw| BuildError::misfit("protocol.weights", flaw.found, flaw.expected))?;
        let texts = [&self.name, &self.source, &self.settings, &self.versions];
        let object = Object::find("protocol", texts, self.number).map_err(ProtocolError::Unfit)?;
        let holdings = Arc::new(Holdings::new(federation, self.domain, (s_hat, theta)));
        let mut peers = PythonPeers {
            object,
            holdings,
            graph,
            averaging,
            compressor: self.compressor.build(self.floats, agents),
            streams: run.streams,
            auditor: Auditor::new(run.audit),
            visible: Vec::new(),
            begun: VecDeque::new(),
            number: 0,
            expectations: 0,
            s_hat: Vec::new(),
            theta: Vec::new(),
            clipped: 0,
        };
        let length = peers.begin()?;
        operator::fits("compressor", peers.compressor.as_ref(), length, "what an agent sends")?;
        Ok(Built::new(NeighbourRun(peers)))
    }
}

impl ProtocolSetting for PythonPeerProtocol {
    fn over(&self) -> Over<'_> {
        Over::PeerExamples(Box::new(|(examples, graph), run| self.build(examples, graph, run)))
    }

    fn profile(&self) -> Profile {
        Profile {
            domain: self.domain,
            weighting: self.weighting,
            needs_only_the_map: true,
            columns: Some(COLUMNS.to_vec()),
            ..Profile::default()
        }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Taken> {
        let n = sizes.clients;
        let part = |what: String, numbers: &[u64]| Taken { what, path: "clients", bytes: product(numbers) };
        vec![
            part(format!("states of {n} agents"), &[8, 4, sizes.statistic, n]),
            part(format!("weights between {n} agents"), &[8, 4, n, n]),
        ]
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}

/// The states of all agents after an iteration, and what each has computed in it.
struct PeerStates {
    states: Vec<NamedArrays>,
    work: Vec<u64>,
}

/// The protocol on its problem.
struct PythonPeers {
    object: Object,
    holdings: Arc<Holdings>,
    graph: Graph,
    averaging: Averaging,
    compressor: Box<dyn Compressor>,
    streams: Streams,
    auditor: Auditor,
    /// States after the last iteration that everybody has finished, and after those that somebody has begun.
    visible: Vec<NamedArrays>,
    begun: VecDeque<PeerStates>,
    /// The last iteration that everybody has finished.
    number: u64,
    expectations: u64,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
    clipped: u64,
}

impl PythonPeers {
    fn data(&self, agent: u32) -> ClientData {
        ClientData { holdings: Arc::clone(&self.holdings), number: agent }
    }

    fn agents(&self) -> std::ops::Range<u32> {
        0..self.graph.len() as u32
    }

    /// The first states; returns the numbers in a message.
    fn begin(&mut self) -> Result<usize, ProtocolError> {
        let started = self.object.call("start", |instance| {
            let problem = Py::new(instance.py(), CommonProblem { holdings: Arc::clone(&self.holdings) })?;
            let start = |agent| state_of(instance, "start", (&problem, self.data(agent)), self.holdings.q());
            self.agents().map(|agent| Ok(start(agent)?.0)).collect::<Result<Vec<_>, Failure>>()
        });
        self.visible = started.map_err(ProtocolError::Unfit)?;
        let sent = self.object.call("send", |instance| self.messages(instance, &self.visible));
        let (shapes, _) = sent.map_err(ProtocolError::Unfit)?;
        self.holdings.forget_work();
        self.average()?;
        Ok(shapes.length())
    }

    /// Ŝ and θ of the visible states.
    fn average(&mut self) -> Result<(), ProtocolError> {
        let n = self.graph.len() as f64;
        let mut s_hat = vec![0.0; self.holdings.q()];
        for state in &self.visible {
            let s = state.get("s").map_or(&[][..], |(s, _)| s);
            s_hat.iter_mut().zip(s).for_each(|(mean, s)| *mean += s / n);
        }
        let (domain, model) = (self.holdings.domain, self.holdings.federation.model());
        let clipped = domain.maximize(model, &s_hat, &mut self.theta);
        self.clipped += clipped.map_err(|source| left(source).at("the average of all agents"))?;
        self.s_hat = s_hat;
        Ok(())
    }

    /// What every agent sends, a row each.
    fn messages(&self, instance: &Bound<'_, PyAny>, states: &[NamedArrays]) -> Result<(Shapes, Vec<f64>), Failure> {
        let (py, what) = (instance.py(), full_name(instance, "send"));
        let (mut shapes, mut rows): (Option<Shapes>, Vec<f64>) = (None, Vec::new());
        for state in states {
            let given = called(instance, "send", (state.unpack(py, Access::Read)?,))?;
            let Some(shapes) = &shapes else {
                let message = NamedArrays::read(&given, &what)?;
                if message.numbers.is_empty() {
                    return Err(PyValueError::new_err(format!("{what} gave no number: expected at least one")).into());
                }
                rows.extend(message.numbers);
                shapes = Some(message.shapes);
                continue;
            };
            let begin = rows.len();
            rows.resize(begin + shapes.length(), 0.0);
            shapes.read_as(&given, &what, None, &mut rows[begin..])?;
        }
        let shapes = shapes.unwrap_or_default();
        finite(shapes.not_finite(&rows))?;
        Ok((shapes, rows))
    }

    /// The next iteration of all agents, which have received these rows.
    fn iterate(
        &self,
        states: &[NamedArrays],
        iteration: u64,
        (shapes, rows): (&Shapes, &[f64]),
    ) -> Result<PeerStates, ProtocolError> {
        let length = shapes.length();
        let stepped = self.object.call("step", |instance| {
            let py = instance.py();
            let step = |agent: u32| {
                let heard: Vec<u32> = [&[agent], self.graph.neighbours(agent)].concat();
                let received = heard.iter().flat_map(|&from| &rows[from as usize * length..][..length]);
                let received: Vec<f64> = received.copied().collect();
                let messages = shapes.unpack(py, &received, Some(heard.len()), Access::Write)?;
                let weights = heard.iter().map(|&from| self.averaging.weight(agent, from));
                let weights = PyArray1::from_iter(py, weights);
                let rng = generator(py, seed(&self.streams, u64::from(agent), iteration))?;
                let state = dict(py, &states[agent as usize])?;
                let arguments = (state, self.data(agent), messages, weights, rng);
                let (state, _) = state_of(instance, "step", arguments, self.holdings.q())?;
                Ok((state, self.holdings.work(agent)))
            };
            self.agents().map(step).collect::<Result<Vec<_>, Failure>>()
        });
        let (states, work) = stepped.map_err(ProtocolError::Unfit)?.into_iter().unzip();
        Ok(PeerStates { states, work })
    }

    /// ‖s_n − Ŝ‖² summed over agents.
    fn distance_sq(&self) -> f64 {
        let distance = |state: &NamedArrays| -> f64 {
            let s = state.get("s").map_or(&[][..], |(s, _)| s);
            s.iter().zip(&self.s_hat).map(|(s, mean)| (s - mean) * (s - mean)).sum()
        };
        self.visible.iter().map(distance).sum()
    }
}

impl Gossip for PythonPeers {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn work(&self, node: u32, iteration: u64) -> u64 {
        let place = iteration.checked_sub(self.number + 1).map(|place| place as usize);
        let agents = place.and_then(|place| self.begun.get(place));
        agents.map_or(0, |agents| agents.work[node as usize])
    }

    fn plan(&mut self, iteration: u64) -> Result<Plan, ProtocolError> {
        let states = self.begun.back().map_or(&self.visible, |agents| &agents.states);
        let at = |error: ProtocolError| error.at(format_args!("iteration {iteration}"));
        let sent = self.object.call("send", |instance| self.messages(instance, states));
        let (shapes, mut rows) = sent.map_err(|why| at(ProtocolError::Unfit(why)))?;
        // Each row becomes what neighbours decode.
        let (mut encoded, mut bits) = (Encoded::new(), Vec::new());
        for (agent, row) in (0..).zip(rows.chunks_exact_mut(shapes.length())) {
            let (streams, compressor) = (&self.streams, self.compressor.as_ref());
            let sent = self.auditor.transmit(streams, (agent, iteration), compressor, row, &mut encoded);
            bits.push(sent.map_err(at)?.count());
        }
        let next = self.iterate(states, iteration, (&shapes, &rows)).map_err(at)?;
        self.begun.push_back(next);
        Ok(Plan { rounds: 1, coded: vec![(1, bits)], ..Plan::default() })
    }

    fn commit(&mut self) -> Result<u64, ProtocolError> {
        let PeerStates { states, work } =
            self.begun.pop_front().expect("an iteration is planned before it is finished");
        (self.visible, self.number) = (states, self.number + 1);
        self.expectations += work.iter().sum::<u64>();
        let number = self.number;
        self.average().map_err(|error| error.at(format_args!("iteration {number}")))?;
        Ok(self.expectations)
    }
}

impl Subject for PythonPeers {
    fn problem(&self) -> &dyn Problem {
        &self.holdings.federation
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &self.s_hat, theta: &self.theta }
    }

    fn probe(&self) -> Result<Probe, ProtocolError> {
        Ok(self.holdings.federation.probe(&self.state())?)
    }

    /// `consensus_error`: root mean square over agents of ‖s_n − Ŝ‖.
    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, _thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        let error = (self.distance_sq() / self.graph.len() as f64).sqrt();
        Ok(vec![Some(error), Some(self.clipped as f64)])
    }

    fn caveats(&self) -> Vec<Caveat> {
        let entries = || so_many(self.clipped, "entry");
        let clipped = || Caveat::ClippedEntries { statistics: "the average".to_owned(), entries: entries() };
        (self.clipped > 0).then(clipped).into_iter().collect()
    }
}
