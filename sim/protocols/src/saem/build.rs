//! FL-SAEM and SAEM in one place as a scenario names them: what they need of the run around them, and the algorithms
//! that they make.

use fedbits_codec::{Draw as Randomness, Encoded, Identity, Indices, RandK, WireFloat};
use fedbits_models::ModelSetting;
use fedbits_models::topics::PERPLEXITY;
use fedbits_random::{CounterKey, Streams};
use fedbits_spec::{Choice, Findings};

use super::Saem;
use super::sampler::{Kernel, Local, Sampler};
use super::settings::{CentralizedSaem, Coordinates, FlSaem, Sends};
use super::star::COLUMNS;
use crate::alone::{AloneAlgorithm, AloneRun};
use crate::error::Result;
use crate::fedem::Domain;
use crate::footprint::{Kept, Part, Sizes};
use crate::journal::Subject;
use crate::operator::is_unbiased;
use crate::over::{Built, Over, SubjectsOf};
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::star::{Contribution, Halves, Outgoing};
use crate::uplink::releases::{self, Releases};
use crate::uplink::{Commit, DivideBy, Memory, MemoryStart};

/// A step of the laws' examples.
const SAEM: Schedule = Schedule::Saem { first: 1.0, k1: 3, exponent: 1.0 };

impl ProtocolSetting for FlSaem {
    fn over(&self) -> Over<'_> {
        Over::Subjects(Box::new(|SubjectsOf { panel, theta }, run| {
            let expected = run.expected(panel.clients());
            let hides = run.rounds.aggregation.is_secure() || run.rounds.privacy.is_some();
            let model = panel.model();
            // Other constants are numbers of subjects and observations, which are public.
            let has_constants = model.with_constants_of_subjects(&[]).is_some();
            let constants = if has_constants { model.constants_dimension() } else { 0 };
            releases::are_covered(constants, run)?;
            let saem = Saem::new(panel, self.clone(), expected, theta, run.streams)?;
            let saem = saem.in_run(run.rounds.forgets, hides);
            let caveats = saem.uplink.caveat(saem.length).into_iter().collect();
            Ok(Built { caveats, ..Built::new(run.star(saem)) })
        }))
    }

    fn profile(&self) -> Profile {
        // Memories keep what clients send exact; the server sends θ.
        let sends_whole = self.memory == Memory::NoMemory && self.sends == Sends::Statistics;
        Profile {
            participation: self.participation,
            begins_with_everybody: self.memory.start() == MemoryStart::MeanField,
            domain: self.domain,
            statistic_floats: if sends_whole { self.floats } else { WireFloat::F64 },
            likelihood_draws: self.likelihood_draws,
            columns: Some(columns()),
            cycle: self.memory.period(),
            ..Profile::default()
        }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let vectors = match self.memory {
            Memory::NoMemory => 0,
            Memory::Memory { commit: Commit::Resynchronized { .. }, .. } => 2,
            Memory::Memory { .. } => 1 + u64::from(sizes.copies),
        };
        let (compressor, initial) = (self.compressor.clone(), self.memory.start() == MemoryStart::MeanField);
        let kept = Kept { vectors, compressor, initial, ..Kept::nothing(sizes.statistic) };
        kept.parts(sizes, self.participation).into_iter().chain(self.local.memory(sizes)).collect()
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.local.check_model(run.model, findings);
        check_likelihood(self.likelihood_draws, run.model, findings);
        let Some(model) = run.model.sampled() else { return };
        self.check_coordinates(run, model.abilities().scales, findings);
        if self.sends == Sends::Gradient && !model.abilities().parameter_gradient {
            let found = "this model has no gradient in its parameters";
            findings.error("protocol.sends", found, "expected `Statistics` or `Parameters`");
        }
        self.check_losses(run, findings);
    }

    fn check_sum(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.releases(run).check_sums(run, findings);
    }

    fn check_robust(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.releases(run).check_rule(run, findings);
        if self.divide_by != DivideBy::Auto {
            let why = "a robust rule makes the estimate of the contributions that arrive, and divides no sum";
            findings.no_effect("protocol.divide_by", why);
        }
    }

    fn check_privacy(&self, run: &RunFacts<'_>, shared: bool, findings: &mut Findings) {
        self.releases(run).check_hidden(run, shared, findings);
    }

    fn examples() -> Vec<Self> {
        let local = Local::Sample(Sampler::of(Kernel::Gibbs));
        let compressor = Choice::of(RandK::new(2, Indices::default(), WireFloat::F64));
        let memory = Memory::of(MemoryStart::Zero, Commit::OnAcknowledgement);
        // Sampled labels of few subjects, and a coarse operator on them, leave the domain of T.
        let domain = Domain::Clip { floor: 1e-3 };
        let plain = Self::from(&CentralizedSaem { gamma: SAEM, local, domain, likelihood_draws: None });
        let whole = Self { memory: Memory::of(MemoryStart::MeanField, Commit::OnSend), ..plain.clone() };
        vec![plain.clone(), whole, Self { memory, compressor, ..plain }]
    }
}

impl ProtocolSetting for CentralizedSaem {
    fn over(&self) -> Over<'_> {
        Over::Subjects(Box::new(move |SubjectsOf { panel, theta }, run| {
            let saem = Saem::new(panel, FlSaem::from(self), 1.0, theta, run.streams)?;
            Ok(Built::new(AloneRun(Central::new(saem))))
        }))
    }

    fn profile(&self) -> Profile {
        Profile {
            domain: self.domain,
            likelihood_draws: self.likelihood_draws,
            columns: Some(columns()),
            ..Profile::centralized()
        }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        self.local.memory(sizes)
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.local.check_model(run.model, findings);
        check_likelihood(self.likelihood_draws, run.model, findings);
    }

    fn examples() -> Vec<Self> {
        vec![Self { gamma: SAEM, local: Local::Expect, domain: Domain::Error, likelihood_draws: None }]
    }
}

/// SAEM, MCEM and exact EM in one place: one client that is the server. It costs no bits; iterations take compute time
/// only.
pub struct Central {
    halves: Halves<Saem>,
}

impl Central {
    /// `saem`: with the identity on its uplink.
    ///
    /// # Panics
    /// Unless it has one client.
    pub fn new(saem: Saem) -> Self {
        assert_eq!(saem.panel.clients(), 1, "everything is in one place");
        Self { halves: Halves::new(saem, false) }
    }

    /// θ.
    pub fn theta(&self) -> &[f64] {
        &self.halves.server.theta
    }

    /// One iteration, counted from 1: ‖H‖² of its step.
    ///
    /// # Errors
    /// As for a client's and the server's half.
    pub fn step(&mut self, iteration: u64) -> Result<f64> {
        let Halves { algorithm, server, clients, memories, counts, .. } = &mut self.halves;
        let (theta, client, streams) = (server.theta.clone(), &mut clients[0], algorithm.streams);
        let x = algorithm.local_vector((0, client), iteration, &theta, counts)?;
        let (mut encoded, mut scratch) = (Encoded::new(), Vec::new());
        // The identity draws nothing: any key will do.
        let randomness = Randomness::Keyed(CounterKey::new(0));
        let out = Outgoing::plain(algorithm.uplink.compressor(), randomness, &mut encoded, counts, &mut scratch);
        let mut out = out.remembering(&algorithm.uplink, &mut memories[0]);
        algorithm.local_encode((0, client), &x, (&theta[..], iteration), &mut out)?;
        let arrived = [Contribution { client: 0, encoded: Box::new(encoded), age: 0 }];
        let (algorithm, server, mut wire) = self.halves.at_server(&streams, iteration);
        Ok(algorithm.server_step(server, &mut wire, &arrived)?.field_sq)
    }
}

impl AloneAlgorithm for Central {
    fn subject(&self) -> &dyn Subject {
        &self.halves
    }

    fn work(&self, iteration: u64) -> u64 {
        self.halves.algorithm.evaluations(0, iteration)
    }

    fn iterate(&mut self, _streams: &Streams, iteration: u64) -> Result<f64> {
        self.step(iteration)
    }
}

/// With what topic models find.
fn columns() -> Vec<&'static str> {
    COLUMNS.into_iter().chain([PERPLEXITY]).collect()
}

fn check_likelihood(draws: Option<u32>, model: &dyn ModelSetting, findings: &mut Findings) {
    let lacking = model.sampled().and_then(|model| model.lacks_likelihood());
    if let Some((found, expected)) = lacking.filter(|_| draws.is_some_and(|draws| draws > 0)) {
        findings.error("protocol.likelihood_draws", found, expected);
    }
}

impl FlSaem {
    /// What decides whether its uplink can be hidden.
    fn releases(&self, run: &RunFacts<'_>) -> Releases<'_> {
        let whole = if self.sends == Sends::Statistics { run.facts.statistic } else { run.facts.parameters };
        let remembers = self.memory != Memory::NoMemory;
        let divide_by = self.divide_by.resolved(is_unbiased(&self.compressor), remembers);
        Releases { memory: self.memory, divide_by, compressor: &self.compressor, floats: self.floats, length: whole }
    }

    fn check_coordinates(&self, run: &RunFacts<'_>, is_standardized: bool, findings: &mut Findings) {
        let acts = run.secure || run.private || !self.compressor.is::<Identity>();
        if self.coordinates != Coordinates::Natural && !acts {
            findings.no_effect("protocol.coordinates", "nothing is compressed or clipped");
        } else if self.is_scaled() && !is_standardized {
            findings.no_effect("protocol.coordinates", "the statistics of this model are used as they are");
        }
    }

    /// What lost and late messages do.
    fn check_losses(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.check_early(findings);
        releases::check_memory(self.memory, true, run, findings);
        let remembers = self.memory != Memory::NoMemory;
        match self.divide_by.resolved(is_unbiased(&self.compressor), remembers) {
            DivideBy::Expected => run.check_expected_number("the estimate", findings),
            DivideBy::Weights if !remembers => run.check_mean(findings),
            _ => {}
        }
    }
}
