//! A star protocol of Python on its problem.
//!
//! A client's state has a version. What `clients` gave ahead of a broadcast holds for the version that it was given:
//! where the client has lost its state since, or has answered an older broadcast, it is called again, alone.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use fedbits::codec::{Compressor, Encoded, Identity, WireFloat};
use fedbits::kernel::Bits;
use fedbits::protocols::error::ProtocolError;
use fedbits::protocols::fedem::Domain;
use fedbits::protocols::payload::Ahead;
use fedbits::protocols::problem::Problem;
use fedbits::protocols::star::{Contribution, Conventions, Outgoing, Received, Sent, StarAlgorithm, Step, Wire};
use fedbits::protocols::state::{State, norm_sq};
use fedbits::protocols::uplink::Uplink;
use fedbits::random::Streams;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

use super::call::{SERVER, called, dict, finite, left, seed, state_of};
use super::data::{ClientData, CohortData, CommonProblem, Generators};
use super::holdings::Holdings;
use super::named::{Access, NamedArrays, Shapes};
use super::updates::{SeenRows, Updates};
use crate::arrays::full_name;
use crate::model::generator;
use crate::objects::{Failure, Object};

/// A client's state; `compute_ahead` looks at those of a cohort, too.
pub(super) type SharedState = Rc<RefCell<ClientState>>;

/// What a client keeps.
#[derive(Debug, Default)]
pub(super) struct ClientState {
    arrays: NamedArrays,
    /// What its last call has left, and its version: it takes effect when the message of that call is used.
    staged: Option<(NamedArrays, u64)>,
    /// Another one for every state that any client ever had.
    version: u64,
    /// Conditional expectations of the last vector.
    work: u64,
}

impl ClientState {
    /// The message of the last call was used.
    fn commit(&mut self) {
        if let Some((arrays, version)) = self.staged.take() {
            (self.arrays, self.version) = (arrays, version);
        }
    }
}

/// What the server keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct PythonServer {
    state: NamedArrays,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
}

/// A broadcast.
pub(super) struct PythonMessage {
    arrays: NamedArrays,
    /// The arrays as all clients see them.
    shown: PyOnceLock<Py<PyAny>>,
}

impl PythonMessage {
    fn show(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let make = || Ok::<_, PyErr>(self.arrays.unpack(py, Access::Read)?.unbind());
        Ok(self.shown.get_or_try_init(py, make)?.clone_ref(py))
    }
}

/// What a method gave for a client.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// x_i, without its weight.
    x: Vec<f64>,
    state: NamedArrays,
    /// The version of the state that it was given.
    of: u64,
    work: u64,
}

/// What `clients` gave ahead of a broadcast.
#[derive(Default)]
pub(super) struct CohortAnswers(RefCell<Vec<Option<Answer>>>);

impl Ahead for CohortAnswers {
    type Own<'a> = Option<Answer>;

    fn share(&self, position: usize) -> Option<Answer> {
        self.0.borrow_mut().get_mut(position).and_then(Option::take)
    }
}

/// The protocol on its problem.
pub(super) struct PythonEstimator {
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
    /// Do clients keep a state?
    keeps: bool,
    start: PythonServer,
    /// Of what clients give.
    uplink: Uplink,
    reader: Arc<dyn Compressor>,
    states: RefCell<Vec<SharedState>>,
    versions: Cell<u64>,
    streams: Streams,
}

/// A broadcast that is answered, and its round.
type AnsweredRound<'a> = (&'a PythonMessage, u64);

impl PythonEstimator {
    /// `object` on a problem, whose messages are coded by an operator with `floats`. `secure`: does the server see sums
    /// alone? Calls the methods of the clients' half once, to learn the form of what they give.
    ///
    /// # Errors
    /// When methods do not give what they should.
    pub(super) fn new(
        (object, streams): (Object, Streams),
        holdings: Arc<Holdings>,
        (floats, reader): (WireFloat, Box<dyn Compressor>),
        secure: bool,
    ) -> Result<Self, ProtocolError> {
        let clients = holdings.federation.clients() as usize;
        let mut estimator = Self {
            object,
            together: false,
            ahead: false,
            holdings,
            floats: Identity { wire: floats },
            secure,
            shapes: Shapes::default(),
            keeps: false,
            start: PythonServer::default(),
            uplink: Uplink::new(Box::new(Identity::default()), clients as u32),
            reader: Arc::from(reader),
            states: RefCell::new(vec![SharedState::default(); clients]),
            versions: Cell::new(0),
            streams,
        };
        estimator.begin()?;
        (estimator.shapes, estimator.keeps) = estimator.learn()?;
        Ok(estimator)
    }

    /// With this uplink, which fits what clients give.
    pub(super) fn over(self, uplink: Uplink) -> Self {
        Self { uplink, ..self }
    }

    /// Numbers in what a client gives.
    pub(super) fn length(&self) -> usize {
        self.shapes.length()
    }

    /// w_i.
    pub(super) fn weights(&self) -> Vec<f64> {
        let federation = &self.holdings.federation;
        (0..federation.clients()).map(|client| federation.weight(client)).collect()
    }

    /// The server's first state, and the methods that there are.
    fn begin(&mut self) -> Result<(), ProtocolError> {
        let q = self.holdings.q();
        let problem = CommonProblem { holdings: Arc::clone(&self.holdings) };
        let started = self.object.call("start", |instance| {
            let (state, s_hat) = state_of(instance, "start", (problem,), q)?;
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
        Ok(())
    }

    /// The form of what clients give, and whether the call has left a state.
    fn learn(&self) -> Result<(Shapes, bool), ProtocolError> {
        let message = PythonMessage { arrays: self.message(&self.start)?, shown: PyOnceLock::new() };
        let method = self.method();
        let shapes = self.object.call(method, |instance| {
            let what = full_name(instance, method);
            let (given, left) = self.ask(instance, &[0], &[NamedArrays::default()], (&message, 0))?;
            let shapes = if self.together {
                NamedArrays::read_rows(&given, &what)?
            } else {
                NamedArrays::read(&given, &what)?.shapes
            };
            match shapes.length() {
                0 => Err(PyValueError::new_err(format!("{what} gave no number: expected at least one to send")).into()),
                _ => Ok((shapes, left.iter().any(|state| *state != NamedArrays::default()))),
            }
        });
        self.holdings.forget_work();
        shapes.map_err(ProtocolError::Unfit)
    }

    fn method(&self) -> &'static str {
        if self.together { "clients" } else { "client" }
    }

    /// What is broadcast.
    fn message(&self, server: &PythonServer) -> Result<NamedArrays, ProtocolError> {
        let made = self.object.call("broadcast", |instance| {
            let what = full_name(instance, "broadcast");
            let given = called(instance, "broadcast", (server.state.unpack(instance.py(), Access::Read)?,))?;
            let arrays = NamedArrays::read(&given, &what)?;
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
        states: &[NamedArrays],
        (message, round): AnsweredRound<'_>,
    ) -> Result<(Bound<'py, PyAny>, Vec<NamedArrays>), Failure> {
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
        let read = |dict: &Bound<'py, PyDict>| -> Result<NamedArrays, Failure> {
            let state = NamedArrays::read_dict(dict, &what)?;
            finite(state.not_finite().map(|text| format!("{text} of the client's state")))?;
            Ok(state)
        };
        let states = dicts.iter().map(read).collect::<Result<_, _>>()?;
        Ok((given, states))
    }

    /// The answers of these clients in one call, or of one.
    fn answers(&self, clients: &[u32], asked: AnsweredRound<'_>) -> Result<Vec<Answer>, ProtocolError> {
        let held: Vec<SharedState> = {
            let states = self.states.borrow();
            clients.iter().map(|&client| Rc::clone(&states[client as usize])).collect()
        };
        let given: Vec<NamedArrays> = held.iter().map(|state| state.borrow().arrays.clone()).collect();
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
        let answer = |(((held, state), x), &client): (((&SharedState, NamedArrays), &[f64]), &u32)| Answer {
            x: x.to_vec(),
            state,
            of: held.borrow().version,
            work: self.holdings.work(client),
        };
        Ok(answers.map(answer).collect())
    }

    /// The weights of the clients that arrived, and the server's seed.
    fn weighed(&self, round: u64, arrived: &[Contribution]) -> (Vec<f64>, u64) {
        let federation = &self.holdings.federation;
        let weights = arrived.iter().map(|sent| federation.weight(sent.client)).collect();
        (weights, seed(&self.streams, SERVER, round))
    }

    /// How what arrived is read, where the server sees it.
    fn seen(&self, arrived: &[Contribution]) -> Option<SeenRows> {
        let copy = |sent: &Contribution| Encoded::clone(&sent.encoded);
        let sent = || arrived.iter().map(copy).collect();
        (!self.secure).then(|| SeenRows { sent: sent(), shapes: self.shapes.clone(), reader: Arc::clone(&self.reader) })
    }

    fn next_version(&self) -> u64 {
        self.versions.set(self.versions.get() + 1);
        self.versions.get()
    }
}

impl StarAlgorithm for PythonEstimator {
    type Server = PythonServer;
    type Client = SharedState;
    type Content = PythonMessage;
    type Ahead = CohortAnswers;

    fn problem(&self) -> &dyn Problem {
        &self.holdings.federation
    }

    fn server(&self) -> PythonServer {
        self.start.clone()
    }

    fn uplink(&self) -> Option<&Uplink> {
        Some(&self.uplink)
    }

    /// A client's state follows its message: it is told in one bit whether that was used.
    fn conventions(&self) -> Conventions {
        Conventions { acknowledges: self.keeps, ..Conventions::of(self.problem()) }
    }

    fn client(&self, i: u32) -> SharedState {
        let state = SharedState::new(RefCell::new(ClientState { version: self.next_version(), ..Default::default() }));
        self.states.borrow_mut()[i as usize] = Rc::clone(&state);
        state
    }

    fn state<'a>(&'a self, server: &'a PythonServer) -> State<'a> {
        State { s_hat: &server.s_hat, theta: &server.theta }
    }

    fn open_round(
        &self,
        server: &mut PythonServer,
        wire: &mut Wire<'_>,
    ) -> Result<(PythonMessage, Bits), ProtocolError> {
        let mut arrays = self.message(server)?;
        let bits = wire.send(&self.floats, &mut arrays.numbers)?;
        Ok((PythonMessage { arrays, shown: PyOnceLock::new() }, bits))
    }

    fn compute_ahead(
        &self,
        _clients: &[SharedState],
        cohort: &[u32],
        sent: &Sent<'_, PythonMessage>,
        ahead: &mut CohortAnswers,
    ) -> Result<(), ProtocolError> {
        ahead.0.get_mut().clear();
        if self.ahead && !cohort.is_empty() {
            ahead.0.get_mut().extend(self.answers(cohort, (sent.content, sent.round))?.into_iter().map(Some));
        }
        Ok(())
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut SharedState,
        received: Received<'_, PythonMessage, CohortAnswers>,
        out: &mut Outgoing<'_>,
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
        out.scratch.clear();
        out.scratch.extend(answer.x.iter().map(|x| weight * x));
        let mut state = client.borrow_mut();
        state.work = answer.work;
        // What was not used by now never will be. V_{0,i} is what the client would send: it does not take part yet.
        state.staged = (received.round > 0).then(|| (answer.state, self.next_version()));
        if !self.keeps {
            state.commit();
        }
        out.encode_difference()
    }

    fn work(&self, _i: u32, client: &SharedState, _round: u64) -> u64 {
        client.borrow().work
    }

    fn server_update(
        &self,
        server: &mut PythonServer,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        let mut x = Vec::new();
        wire.estimate(arrived, &mut x);
        let stepped = self.object.call("server", |instance| {
            let py = instance.py();
            let mean = self.shapes.unpack(py, &x, None, Access::Write)?.unbind();
            let seen = self.seen(arrived);
            let updates = Updates::new(mean, (wire.round, arrived), self.weighed(wire.round, arrived), seen);
            state_of(instance, "server", (dict(py, &server.state)?, updates), self.holdings.q())
        });
        let (state, s_hat) = stepped.map_err(ProtocolError::Unfit)?;
        let (mut theta, domain) = (Vec::new(), self.holdings.domain);
        match domain.maximize(self.holdings.federation.model(), &s_hat, &mut theta) {
            Ok(clipped) => wire.counts.domain_events += clipped,
            Err(_) if domain == Domain::SkipRound => {
                wire.counts.domain_events += 1;
                return Ok(Step { field_sq: norm_sq(&x), used: false });
            }
            Err(source) => return Err(left(source)),
        }
        *server = PythonServer { state, s_hat, theta };
        // Each client learns it from the acknowledgement in its next broadcast, and is not called before.
        let states = self.states.borrow();
        arrived.iter().for_each(|sent| states[sent.client as usize].borrow_mut().commit());
        wire.accept(arrived);
        Ok(Step { field_sq: norm_sq(&x), used: true })
    }
}
