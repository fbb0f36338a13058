//! A star protocol that is a class of Python: `start(problem)`, `broadcast(state)`, `client(state, data, message, rng)`
//! or `clients(states, data, message, rngs)`, `server(state, updates)`. The uplink estimates the mean of what clients
//! give, by what the class declares.
//!
//! A client's state has a version. What `clients` gave ahead of a broadcast holds for the version that it was given:
//! where the client has lost its state since, or has answered an older broadcast, it is called again, alone.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use fedbits::codec::{Compressor, Encoded, Identity, WireFloat};
use fedbits::kernel::Bits;
use fedbits::protocols::aggregation::Aggregation;
use fedbits::protocols::error::ProtocolError;
use fedbits::protocols::fedem::{Domain, FedEmSetting};
use fedbits::protocols::federation::Weighting;
use fedbits::protocols::footprint::{Part as Taken, Sizes};
use fedbits::protocols::operator::{self, Operator};
use fedbits::protocols::over::{BuildError, Built, ExamplesOf, Over, RunSettings};
use fedbits::protocols::payload::Ahead;
use fedbits::protocols::plan::Participation;
use fedbits::protocols::problem::Problem;
use fedbits::protocols::schedule::Schedule;
use fedbits::protocols::setting::{ProtocolSetting, RunFacts};
use fedbits::protocols::star::{Contribution, Counts, Received, Sent, Step, Wire};
use fedbits::protocols::state::{State, norm_sq};
use fedbits::protocols::uplink::{Alpha, Arrivals, Commit, Differences, DivideBy, Estimator, Memory, Recovery, Uplink};
use fedbits::random::Streams;
use fedbits::spec::{Described, Facts, Findings, Path};
use fedbits_spec::Caveat;
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::{Deserialize, Serialize};

use super::data::{ClientData, CohortData, CommonProblem, Generators, Holdings, statistic_in};
use super::packed::{Access, Packed, Shapes};
use super::{SERVER, called, caveat, dict, finite, left, read_state, seed};
use crate::arrays::full_name;
use crate::model::generator;
use crate::objects::{Failure, Object};

/// A star protocol that is a class of Python.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(crate = fedbits::spec, rules = rules)]
pub(crate) struct PythonProtocol {
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
    /// Who takes part in a round.
    #[serde(default)]
    participation: Participation,
    /// The operator on what clients send.
    #[serde(default)]
    compressor: Operator,
    /// The clients' memories V_i, which they do not keep by default.
    #[serde(default = "no_memory")]
    memory: Memory,
    /// α, the step of the memories' update.
    #[serde(default)]
    alpha: Alpha,
    /// What the sum of contributions is divided by.
    #[serde(default = "automatic")]
    divide_by: DivideBy,
    /// The width of a float on the wire.
    #[serde(default)]
    floats: WireFloat,
    /// What happens when Ŝ leaves the domain of T.
    #[serde(default)]
    domain: Domain,
    /// How clients are weighted in the mean.
    #[serde(default)]
    weighting: Weighting,
}

fn no_memory() -> Memory {
    Memory::NoMemory
}

fn automatic() -> DivideBy {
    DivideBy::Auto
}

fn rules(setting: &PythonProtocol, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    findings.caveat(caveat([&setting.name, &setting.source, &setting.versions]));
    if setting.memory == Memory::NoMemory && setting.alpha != Alpha::default() {
        findings.no_effect(at.field("alpha"), "it is the step of the memories, and there are none");
    }
}

impl PythonProtocol {
    /// FedEM with the same uplink, which has the same needs.
    fn fed_em(&self) -> FedEmSetting {
        FedEmSetting {
            alpha: self.alpha,
            memory: self.memory,
            participation: self.participation,
            divide_by: self.divide_by(),
            compressor: self.compressor.clone(),
            allow_biased: true,
            floats: self.floats,
            domain: self.domain,
            weighting: self.weighting,
            ..FedEmSetting::of(Schedule::Constant(1.0))
        }
    }

    fn remembers(&self) -> bool {
        self.memory != Memory::NoMemory
    }

    fn divide_by(&self) -> DivideBy {
        self.divide_by.resolved(self.compressor.build(WireFloat::F64, 1).is_unbiased(), self.remembers())
    }

    fn check_memory(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let Memory::Memory { commit, recovery, .. } = self.memory else { return };
        if recovery == Recovery::Zero && run.dropout.loses_state() {
            findings.caveat(Caveat::MemoryLost {});
        }
        if commit == Commit::OnSend && (run.loses() || run.can_close_early()) {
            findings.caveat(Caveat::MemoryCommit {});
        }
    }

    fn build(&self, problem: ExamplesOf, run: &RunSettings) -> Result<Built, BuildError> {
        let ExamplesOf { federation, s_hat, theta } = problem;
        let (clients, secure) = (federation.clients(), run.rounds.aggregation != Aggregation::Plain);
        let constants = federation.model().constants_dimension();
        if constants > 0 && (secure || run.rounds.privacy.is_some()) {
            let found = "its constants are means over each client's examples, which clients send in the open";
            return Err(BuildError::misfit("model", found, "expected another model, or neither of the two"));
        }
        let texts = [&self.name, &self.source, &self.settings, &self.versions];
        let object = Object::find("protocol", texts, self.number).map_err(ProtocolError::Unfit)?;
        let holdings = Arc::new(Holdings::new(federation, self.domain, (s_hat, theta)));
        let compressor = || self.compressor.build(self.floats, clients);
        let mut estimator = PythonEstimator {
            object,
            together: false,
            ahead: false,
            floats: Identity { wire: self.floats },
            secure,
            shapes: Shapes::default(),
            start: PythonServer::default(),
            reader: Arc::from(compressor()),
            states: RefCell::new(vec![SharedState::default(); clients as usize]),
            versions: Cell::new(0),
            streams: run.streams,
            holdings,
        };
        estimator.begin()?;
        let length = estimator.shapes.length();
        operator::fits("compressor", compressor().as_ref(), length, "what a client sends")?;
        let federation = &estimator.holdings.federation;
        let rules = (self.memory, self.alpha, self.divide_by);
        let uplink = Uplink::of(compressor(), clients, run.expected(clients), rules)
            .weighing((0..clients).map(|client| federation.weight(client)).collect(), false)
            .forgetting(run.rounds.forgets)
            .staling(run.staleness)
            .over(length)?;
        Ok(Built::new(run.star(Differences::new(estimator, uplink))))
    }
}

impl ProtocolSetting for PythonProtocol {
    fn over(&self) -> Over<'_> {
        Over::examples(|examples, run| self.build(examples, run))
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(vec!["drift_sq"])
    }

    fn participation(&self) -> Participation {
        self.participation
    }

    fn begins_with_everybody(&self) -> bool {
        self.fed_em().begins_with_everybody()
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn statistic_floats(&self) -> WireFloat {
        self.floats
    }

    fn weighting(&self) -> Weighting {
        self.weighting
    }

    fn takes_older(&self) -> bool {
        true
    }

    fn needs_only_the_map(&self) -> bool {
        true
    }

    fn cycle(&self) -> u64 {
        self.fed_em().cycle()
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Taken> {
        self.fed_em().memory(sizes)
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.check_memory(run, findings);
        match self.divide_by() {
            DivideBy::Expected | DivideBy::Auto => run.check_expected_number("updates.mean", findings),
            DivideBy::Arrived | DivideBy::Weights => run.check_mean(findings),
            DivideBy::Estimated => return,
            DivideBy::Clients => {}
        }
        run.check_early(findings);
    }

    fn check_sum(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.fed_em().check_sum(run, findings);
    }

    fn check_privacy(&self, run: &RunFacts<'_>, shared: bool, findings: &mut Findings) {
        self.fed_em().check_privacy(run, shared, findings);
    }

    fn examples() -> Vec<Self> {
        let text = String::new;
        vec![Self {
            name: text(),
            source: text(),
            settings: text(),
            versions: text(),
            number: None,
            participation: Participation::default(),
            compressor: Operator::default(),
            memory: no_memory(),
            alpha: Alpha::default(),
            divide_by: automatic(),
            floats: WireFloat::default(),
            domain: Domain::default(),
            weighting: Weighting::default(),
        }]
    }
}

/// A client's state; `compute_ahead` looks at those of a cohort, too.
type SharedState = Rc<RefCell<ClientState>>;

/// What a client keeps.
#[derive(Debug, Default)]
struct ClientState {
    arrays: Packed,
    /// Another one for every state that any client ever had.
    version: u64,
    /// Conditional expectations of the last vector.
    work: u64,
}

/// What the server keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct PythonServer {
    state: Packed,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
}

/// A broadcast.
pub(super) struct PythonMessage {
    arrays: Packed,
    /// The arrays as all clients see them.
    shown: OnceCell<Py<PyAny>>,
}

impl PythonMessage {
    fn show(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(shown) = self.shown.get() {
            return Ok(shown.clone_ref(py));
        }
        let shown = self.arrays.unpack(py, Access::Read)?.unbind();
        Ok(self.shown.get_or_init(|| shown).clone_ref(py))
    }
}

/// What a method gave for a client.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// x_i, without its weight.
    x: Vec<f64>,
    state: Packed,
    /// The version of the state that it was given.
    of: u64,
    work: u64,
}

/// What `clients` gave ahead of a broadcast.
#[derive(Default)]
pub(super) struct Answers(RefCell<Vec<Option<Answer>>>);

impl Ahead for Answers {
    type Own<'a> = Option<Answer>;

    fn own(&self, position: usize) -> Option<Answer> {
        self.0.borrow_mut().get_mut(position).and_then(Option::take)
    }
}

/// The protocol on its problem.
struct PythonEstimator {
    object: Object,
    /// Is there a method for a whole cohort, and is it called for one?
    together: bool,
    ahead: bool,
    holdings: Arc<Holdings>,
    floats: Identity,
    /// Does the server see sums alone?
    secure: bool,
    /// Of what clients give.
    shapes: Shapes,
    start: PythonServer,
    reader: Arc<dyn Compressor>,
    states: RefCell<Vec<SharedState>>,
    versions: Cell<u64>,
    streams: Streams,
}

/// A broadcast that is answered, and its round.
type Asked<'a> = (&'a PythonMessage, u64);

impl PythonEstimator {
    /// Calls every method of the clients' half once, to learn the form of what they give.
    fn begin(&mut self) -> Result<(), ProtocolError> {
        let q = self.holdings.q();
        let problem = CommonProblem { holdings: Arc::clone(&self.holdings) };
        let started = self.object.call("start", |instance| {
            let what = full_name(instance, "start");
            let given = called(instance, "start", (problem,))?;
            let state = read_state(&given, &what)?;
            // θ₀ that is no number is an error in the same way.
            if let Some(text) = state.not_finite() {
                return Err(PyValueError::new_err(format!("{what} gave {text}: expected finite numbers")).into());
            }
            let s_hat = statistic_in(&state, &what, q)?.to_vec();
            let has =
                |method| -> PyResult<bool> { Ok(instance.getattr_opt(method)?.is_some_and(|bound| !bound.is_none())) };
            let together = has("clients")?;
            if !together && !has("client")? {
                let class = full_name(instance, "client");
                let expected = "expected a method `client(self, state, data, message, rng)`";
                return Err(PyTypeError::new_err(format!("{class} is missing: {expected}")).into());
            }
            // `fb.check` compares cohorts with single clients.
            Ok((state, s_hat, together, together && !has("_one_by_one")?))
        });
        let (state, s_hat, together, ahead) = started.map_err(ProtocolError::Unfit)?;
        let theta = self.holdings.maximize(&s_hat).map_err(ProtocolError::Initial)?;
        self.start = PythonServer { state, s_hat, theta };
        (self.together, self.ahead) = (together, ahead);
        let message = PythonMessage { arrays: self.message(&self.start)?, shown: OnceCell::new() };
        let method = self.method();
        let shapes = self.object.call(method, |instance| {
            let what = full_name(instance, method);
            let (given, _) = self.ask(instance, &[0], &[Packed::default()], (&message, 0))?;
            let shapes = if together { Packed::read_rows(&given, &what)? } else { Packed::read(&given, &what)?.shapes };
            match shapes.length() {
                0 => Err(PyValueError::new_err(format!("{what} gave no number: expected at least one to send")).into()),
                _ => Ok(shapes),
            }
        });
        self.shapes = shapes.map_err(ProtocolError::Unfit)?;
        self.holdings.forget_work();
        Ok(())
    }

    fn method(&self) -> &'static str {
        if self.together { "clients" } else { "client" }
    }

    /// What is broadcast.
    fn message(&self, server: &PythonServer) -> Result<Packed, ProtocolError> {
        let made = self.object.call("broadcast", |instance| {
            let what = full_name(instance, "broadcast");
            let given = called(instance, "broadcast", (server.state.unpack(instance.py(), Access::Read)?,))?;
            let arrays = Packed::read(&given, &what)?;
            finite(arrays.not_finite())?;
            if arrays.numbers.is_empty() {
                return Err(PyValueError::new_err(format!("{what} gave no number: expected at least one")).into());
            }
            Ok(arrays)
        });
        made.map_err(ProtocolError::Unfit)
    }

    /// Calls the clients' method for these clients, one or more, and gives what it returned, and their new states.
    fn ask<'py>(
        &self,
        instance: &Bound<'py, PyAny>,
        clients: &[u32],
        states: &[Packed],
        (message, round): Asked<'_>,
    ) -> Result<(Bound<'py, PyAny>, Vec<Packed>), Failure> {
        let (py, method) = (instance.py(), self.method());
        let message = message.show(py)?;
        let seed = |&client: &u32| seed(&self.streams, u64::from(client), round);
        let dicts: Vec<Bound<'py, PyDict>> = states.iter().map(|state| dict(py, state)).collect::<PyResult<_>>()?;
        let holdings = Arc::clone(&self.holdings);
        let given = if self.together {
            let data = CohortData { holdings, numbers: clients.to_vec() };
            let rngs = Generators::new(clients.iter().map(seed).collect());
            called(instance, method, (PyList::new(py, &dicts)?, data, message, rngs))?
        } else {
            let (data, rng) = (ClientData { holdings, number: clients[0] }, generator(py, seed(&clients[0]))?);
            called(instance, method, (&dicts[0], data, message, rng))?
        };
        let what = format!("{}, in the client's state", full_name(instance, method));
        let read = |dict: &Bound<'py, PyDict>| -> Result<Packed, Failure> {
            let state = Packed::read_dict(dict, &what)?;
            finite(state.not_finite().map(|text| format!("{text} of the client's state")))?;
            Ok(state)
        };
        let states = dicts.iter().map(read).collect::<Result<_, _>>()?;
        Ok((given, states))
    }

    /// The answers of these clients in one call, or of one.
    fn answers(&self, clients: &[u32], asked: Asked<'_>) -> Result<Vec<Answer>, ProtocolError> {
        let held: Vec<SharedState> = {
            let states = self.states.borrow();
            clients.iter().map(|&client| Rc::clone(&states[client as usize])).collect()
        };
        let given: Vec<Packed> = held.iter().map(|state| state.borrow().arrays.clone()).collect();
        let (method, length) = (self.method(), self.shapes.length());
        let mut x = vec![0.0; clients.len() * length];
        let states = self.object.call(method, |instance| {
            let (answer, states) = self.ask(instance, clients, &given, asked)?;
            let rows = self.together.then_some(clients.len());
            self.shapes.read_as(&answer, &full_name(instance, method), rows, &mut x)?;
            finite(self.shapes.not_finite(&x))?;
            Ok(states)
        });
        let states = states.map_err(ProtocolError::Unfit)?;
        let answers = held.iter().zip(states).zip(x.chunks_exact(length)).zip(clients);
        let answer = |(((held, state), x), &client): (((&SharedState, Packed), &[f64]), &u32)| Answer {
            x: x.to_vec(),
            state,
            of: held.borrow().version,
            work: self.holdings.work(client),
        };
        Ok(answers.map(answer).collect())
    }

    fn next_version(&self) -> u64 {
        self.versions.set(self.versions.get() + 1);
        self.versions.get()
    }
}

impl Estimator for PythonEstimator {
    type Server = PythonServer;
    type Client = SharedState;
    type Content = PythonMessage;
    type Ahead = Answers;

    fn problem(&self) -> &dyn Problem {
        &self.holdings.federation
    }

    fn server(&self) -> PythonServer {
        self.start.clone()
    }

    fn client(&self, i: u32) -> SharedState {
        let state = SharedState::new(RefCell::new(ClientState { version: self.next_version(), ..Default::default() }));
        self.states.borrow_mut()[i as usize] = Rc::clone(&state);
        state
    }

    fn state<'a>(&'a self, server: &'a PythonServer) -> State<'a> {
        State { s_hat: &server.s_hat, theta: &server.theta }
    }

    fn broadcast(
        &self,
        server: &mut PythonServer,
        wire: &mut Wire<'_>,
    ) -> Result<(PythonMessage, Bits), ProtocolError> {
        let mut arrays = self.message(server)?;
        let bits = wire.send(&self.floats, &mut arrays.numbers)?;
        Ok((PythonMessage { arrays, shown: OnceCell::new() }, bits))
    }

    fn compute_ahead(
        &self,
        cohort: &[u32],
        sent: &Sent<'_, PythonMessage>,
        ahead: &mut Answers,
    ) -> Result<(), ProtocolError> {
        ahead.0.get_mut().clear();
        if self.ahead && !cohort.is_empty() {
            ahead.0.get_mut().extend(self.answers(cohort, (sent.content, sent.round))?.into_iter().map(Some));
        }
        Ok(())
    }

    fn vector(
        &self,
        i: u32,
        client: &mut SharedState,
        received: Received<'_, PythonMessage, Answers>,
        x: &mut Vec<f64>,
    ) -> Result<(), ProtocolError> {
        let version = client.borrow().version;
        let ahead = received.ahead.filter(|answer| answer.of == version);
        let answer = match ahead {
            Some(answer) => answer,
            None => {
                let answers = self.answers(&[i], (received.content, received.round))?;
                answers.into_iter().next().expect("one client has one answer")
            }
        };
        let weight = self.holdings.federation.weight(i);
        x.clear();
        x.extend(answer.x.iter().map(|x| weight * x));
        let mut state = client.borrow_mut();
        state.work = answer.work;
        // V_{0,i} is what the client would send: it does not take part yet.
        if received.round > 0 {
            state.arrays = answer.state;
            state.version = self.next_version();
        }
        Ok(())
    }

    fn work(&self, _i: u32, client: &SharedState, _round: u64) -> u64 {
        client.borrow().work
    }

    fn step(
        &self,
        server: &mut PythonServer,
        x: &[f64],
        arrivals: &Arrivals<'_>,
        counts: &mut Counts,
    ) -> Result<Step, ProtocolError> {
        let stepped = self.object.call("server", |instance| {
            let (py, what) = (instance.py(), full_name(instance, "server"));
            let updates = self.updates(py, x, arrivals)?;
            let given = called(instance, "server", (dict(py, &server.state)?, updates))?;
            let state = read_state(&given, &what)?;
            let s_hat = statistic_in(&state, &what, self.holdings.q())?.to_vec();
            finite(state.not_finite())?;
            Ok((state, s_hat))
        });
        let (state, s_hat) = stepped.map_err(ProtocolError::Unfit)?;
        let (mut theta, domain) = (Vec::new(), self.holdings.domain);
        match domain.maximize(self.holdings.federation.model(), &s_hat, &mut theta) {
            Ok(clipped) => counts.domain_events += clipped,
            Err(_) if domain == Domain::SkipRound => {
                counts.domain_events += 1;
                return Ok(Step { field_sq: norm_sq(x), used: false });
            }
            Err(source) => return Err(left(source)),
        }
        *server = PythonServer { state, s_hat, theta };
        Ok(Step { field_sq: norm_sq(x), used: true })
    }
}

impl PythonEstimator {
    fn updates(&self, py: Python<'_>, x: &[f64], arrivals: &Arrivals<'_>) -> PyResult<Updates> {
        let sent = arrivals.contributions;
        let federation = &self.holdings.federation;
        let copy = |contribution: &Contribution| Encoded::clone(&contribution.encoded);
        Ok(Updates {
            mean: self.shapes.unpack(py, x, None, Access::Write)?.unbind(),
            clients: sent.iter().map(|contribution| contribution.client).collect(),
            weights: sent.iter().map(|contribution| federation.weight(contribution.client)).collect(),
            ages: sent.iter().map(|contribution| contribution.age).collect(),
            round: arrivals.round,
            sent: if self.secure { Vec::new() } else { sent.iter().map(copy).collect() },
            secure: self.secure,
            shapes: self.shapes.clone(),
            reader: Arc::clone(&self.reader),
            seed: seed(&self.streams, SERVER, arrivals.round),
            rng: Mutex::new(None),
        })
    }
}

/// What arrived in a round.
#[pyclass(frozen, module = "fedbits")]
pub(crate) struct Updates {
    /// The uplink's estimate of the mean of what clients give, in the form of what they give.
    #[pyo3(get)]
    mean: Py<PyAny>,
    clients: Vec<u32>,
    weights: Vec<f64>,
    ages: Vec<u64>,
    /// The round that they close, from 1.
    #[pyo3(get)]
    round: u64,
    sent: Vec<Encoded>,
    secure: bool,
    shapes: Shapes,
    reader: Arc<dyn Compressor>,
    seed: u64,
    rng: Mutex<Option<Py<PyAny>>>,
}

#[pymethods]
impl Updates {
    /// The clients whose updates arrived, from 0, ascending.
    #[getter]
    fn clients<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_iter(py, self.clients.iter().map(|&client| i64::from(client))).into_any()
    }

    /// Their weights.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_slice(py, &self.weights).into_any()
    }

    /// How many rounds ago the broadcast was that each answers.
    #[getter]
    fn ages<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_iter(py, self.ages.iter().map(|&age| age as i64)).into_any()
    }

    /// What each of them says, as it is decoded: its weight times what it gave, minus its memory.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.secure {
            let text =
                "`updates.rows` of a secure sum: the server knows the sum alone, which `updates.mean` is made of";
            return Err(PyValueError::new_err(text));
        }
        let length = self.shapes.length();
        let mut rows = vec![0.0; self.sent.len() * length];
        for (encoded, row) in self.sent.iter().zip(rows.chunks_exact_mut(length)) {
            self.reader.decode(encoded, row);
        }
        self.shapes.unpack(py, &rows, Some(self.sent.len()), Access::Write)
    }

    /// A generator for the server's draws in this round.
    #[getter]
    fn rng(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut known = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = Some(generator(py, self.seed)?.unbind());
        }
        Ok(known.as_ref().map_or_else(|| py.None(), |rng| rng.clone_ref(py)))
    }

    fn __len__(&self) -> usize {
        self.clients.len()
    }

    fn __repr__(&self) -> String {
        format!("<fedbits updates of round {}: {} clients>", self.round, self.clients.len())
    }
}
