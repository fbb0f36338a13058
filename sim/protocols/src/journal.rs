//! The journal of a run: rows at their cadence, the probe, and the rules that end the run. It never feeds back.

mod participation;

use std::collections::BTreeMap;

use fedbits_kernel::{Context, Payload, StopReason, Time, TimeDelta};
use fedbits_record::{
    ClientPart, Columns, ENERGY, GRADIENT_SQ, Histogram, MEAN_FIELD_REACHED, PARAMETER_ERROR, PerClient, Recorder,
    RoundRow, RunTable, Spending, Totals, WORST_TENTH, client_table, clients_at,
};
use fedbits_spec::{Caveat, so_many};

use crate::assessment::Findings;
use crate::costs::{Clients, LinkInterval, LinkTimes, clients, epochs, joules, row, totals};
use crate::error::Result;
use crate::plan::{RecordPlan, StopRules};
use crate::problem::FailingRounds;
pub use crate::problem::{Round, Subject};
use crate::state::Probe;

/// Called with every recorded row, and again with the last one where it is probed only when the run has ended; for
/// progress displays.
pub type Observer = Box<dyn FnMut(&RoundRow)>;

/// One of the counts of a client.
type Count = fn(&mut ClientPart) -> &mut u64;

/// Writes rows and decides about the end.
pub struct Journal {
    recorder: Recorder,
    plan: RecordPlan,
    stop: StopRules,
    observer: Option<Observer>,
    last_objective: Option<f64>,
    last_row: Option<RoundRow>,
    /// Number of columns of the assessment, once a row was written.
    assessed: Option<usize>,
    /// The best of what must improve, as if less were better, and the probes since.
    best: Option<(f64, u64)>,
    last: Option<Round>,
    /// Counts of clients since the last row.
    since: Round,
    /// Clients asked and contributions used, in all rounds.
    selected: u64,
    arrived: u64,
    /// The row of the last round, as of the server's step, where it is not due.
    unwritten: Option<RoundRow>,
    /// Was the last row probed?
    probed: bool,
    moved: bool,
    /// What is known of the final state.
    found: Findings,
    /// Full passes over all data that were made to measure.
    probes: u64,
    round_began: Time,
    round_spans: Histogram,
    waits: Histogram,
    staleness: Histogram,
    /// What became of rounds of secure aggregation.
    secure: FailingRounds,
    /// What became of rounds, where a robust rule needs so many contributions.
    combined: FailingRounds,
    /// What was written of the clients after some rounds.
    clients_at: Option<RunTable>,
    /// What links carried between rounds.
    links: LinkTimes,
    /// What is counted of clients in the round that is open. Where it does not close, no row has it, and no client.
    open: Vec<(u32, Count)>,
    /// How each client took part; empty where nobody is selected, or nobody asks.
    parts: Vec<ClientPart>,
    /// Of each client of which nothing was used so far the time since when it may be a fair draw that leaves it out;
    /// empty where no more than that keeps clients away.
    left_out: Vec<Option<Time>>,
}

impl Journal {
    /// `recorder` must have been made with [`Journal::columns`].
    pub fn new(recorder: Recorder, plan: RecordPlan, stop: StopRules, observer: Option<Observer>) -> Self {
        Self {
            recorder,
            plan,
            stop,
            observer,
            last_objective: None,
            last_row: None,
            assessed: None,
            best: None,
            last: None,
            since: Round::default(),
            selected: 0,
            arrived: 0,
            unwritten: None,
            probed: false,
            moved: false,
            found: Findings::default(),
            probes: 0,
            round_began: Time::ZERO,
            round_spans: Histogram::new("round", "ns"),
            waits: Histogram::new("wait", "ns"),
            staleness: Histogram::new("staleness", "rounds"),
            secure: FailingRounds::default(),
            combined: FailingRounds::default(),
            clients_at: None,
            links: LinkTimes::default(),
            open: Vec::new(),
            parts: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Columns of a run of `subject`.
    pub fn columns(subject: &dyn Subject, plan: &RecordPlan) -> Columns {
        let mut extra = probed(subject);
        extra.extend(plan.assessment.columns(subject.problem()));
        extra.extend(subject.columns());
        extra.extend(plan.energy.then(|| ENERGY.to_owned()));
        extra.extend(subject.measures_clients().then(|| WORST_TENTH.to_owned()));
        Columns {
            extra,
            theta: if plan.theta { subject.problem().parameter_names() } else { Vec::new() },
            statistics: if plan.statistics { subject.problem().statistic_names() } else { Vec::new() },
        }
    }

    /// The columns of this run beside the common ones.
    fn extra(&self, subject: &dyn Subject) -> Vec<String> {
        Self::columns(subject, &self.plan).extra
    }

    /// Takes note of a round: writes its row when it is due, and returns why the run should end, if it should.
    pub fn note<P: Payload>(
        &mut self,
        context: &Context<P>,
        subject: &dyn Subject,
        round: Round,
    ) -> Option<StopReason> {
        let totals = totals(context, (round.number, round.expectations));
        let ending = self.ends_by_count(context, subject, &totals);
        let last = ending.is_some();
        let due = |every: u64| round.number.is_multiple_of(every);
        let probe = last || round.ends || round.number == 0 || self.plan.probe_every.is_some_and(due);
        if self.last.replace(round.clone()).is_some() {
            self.round_spans.record((context.now() - self.round_began).as_nanos());
        }
        self.round_began = context.now();
        context.close_round(round.number);
        if round.number > 0 && self.plan.links_every.is_some_and(due) {
            self.links.note(round.number, context.now(), context.links());
        }
        self.gather(&round);
        if let Err(error) = self.note_clients(context, subject, round.number) {
            return Some(StopReason::Failed(error.to_string()));
        }
        let row = row(&totals, subject, round.field_sq, &self.since);
        if !probe && !due(self.plan.every) {
            self.unwritten = Some(row);
            return ending;
        }
        // Where it cannot be measured, the end writes what it counts.
        self.unwritten = Some(row.clone());
        match self.write(context, row, subject, probe) {
            Ok(_) if subject.is_silent() => ending,
            Ok(row) if row.round == 0 && ending.is_none() => match self.stop.measured(&row, &self.extra(subject)) {
                Ok(left) => {
                    self.stop = left;
                    self.ends_by_value(&row).or_else(|| self.ends_by_patience(&row, subject))
                }
                Err(why) => Some(StopReason::Failed(why.to_owned())),
            },
            Ok(row) => ending.or_else(|| self.ends_by_value(&row)).or_else(|| self.ends_by_patience(&row, subject)),
            Err(error) => Some(StopReason::Failed(error.to_string())),
        }
    }

    /// Writes and probes the last round, if the run ended in a way that left it without a row or a probe; writes the
    /// protocol's own tables. Where the run has `failed`, the state may be half a step beyond the last row, and no
    /// E-step is made at it.
    ///
    /// # Errors
    /// When a row or a table cannot be written.
    pub fn close<P: Payload>(&mut self, context: &Context<P>, subject: &dyn Subject, failed: bool) -> Result<()> {
        match self.unwritten.take() {
            Some(row) => {
                let written = self.write(context, row, subject, !failed);
                if !failed {
                    written?;
                }
            }
            None if !(self.probed || failed) => self.complete(subject)?,
            None => {}
        }
        if self.plan.links_every.is_some() {
            self.links.note(self.reached().0, context.now(), context.links());
        }
        let mut found = match failed {
            true => Findings::default(),
            false => self.plan.assessment.end(subject.problem(), &subject.state(), subject.is_silent())?,
        };
        for table in subject.tables()?.iter().chain(&found.tables).chain(&self.clients_at) {
            self.recorder.extra(table)?;
        }
        found.fit.objective = self.last_row.as_ref().and_then(|row| row.objective);
        found.fit.start_objective = self.found.fit.start_objective;
        self.found = found;
        let last = self.last.as_ref().map_or(0, |round| round.number);
        if let Some(missed) = self.plan.clients_at.iter().find(|&&round| round > last) {
            self.found.caveats.push(Caveat::EarlyEnd { field: "clients_at".to_owned(), round: missed.to_string() });
        }
        if let Some(missed) = self.plan.trace.iter().find(|&&round| round > last) {
            self.found.caveats.push(Caveat::EarlyEnd { field: "trace".to_owned(), round: missed.to_string() });
        }
        Ok(())
    }

    /// Adds a table of the clients, after one of the rounds that are asked for.
    fn note_clients<P: Payload>(&mut self, context: &Context<P>, subject: &dyn Subject, round: u64) -> Result<()> {
        if self.plan.clients_at.contains(&round)
            && let Some(Clients { rows, further }) = self.clients(context, subject, false)?
        {
            let table = clients_at(round, &rows, &further);
            let all = self.clients_at.get_or_insert_with(|| RunTable { rows: Vec::new(), ..table.clone() });
            all.rows.extend(table.rows);
        }
        Ok(())
    }

    /// What is known of the clients now, where a table of them is asked for.
    fn clients<P: Payload>(
        &self,
        context: &Context<P>,
        subject: &dyn Subject,
        failed: bool,
    ) -> Result<Option<Clients>> {
        if !self.plan.clients {
            return Ok(None);
        }
        clients(context, subject, &|i| self.part_of(i), self.plan.assessment.clustering && !failed)
    }

    /// Writes the table of clients, where it is asked for, and says how they differ; where the run has `failed`,
    /// without what the state is worth to each.
    ///
    /// # Errors
    /// When the state has no density, or the table cannot be written.
    pub(crate) fn close_clients<P: Payload>(
        &mut self,
        context: &Context<P>,
        subject: &dyn Subject,
        failed: bool,
    ) -> Result<Option<PerClient>> {
        let Some(Clients { rows, further }) = self.clients(context, subject, failed)? else { return Ok(None) };
        self.recorder.extra(&client_table(&rows, &further))?;
        Ok(PerClient::of(&rows, &further))
    }

    fn gather(&mut self, round: &Round) {
        let since = &mut self.since;
        since.selected += round.selected;
        since.arrived += round.arrived;
        since.late += round.late;
        since.lost += round.lost;
        self.selected += round.selected;
        self.arrived += round.arrived;
        self.moved |= round.moved;
        for (i, count) in self.open.drain(..) {
            *count(&mut self.parts[i as usize]) += 1;
        }
    }

    /// What a reader must know of the rounds and of the final state, whatever the protocol.
    pub fn caveats(&self) -> Vec<Caveat> {
        let nobody = self.selected > 0 && self.arrived == 0;
        let nobody = nobody.then(|| Caveat::NobodyArrived { times: so_many(self.selected, "time") });
        let absent = self.left_out.iter().flatten().filter(|since| **since > self.round_began).count();
        let absent =
            (absent > 0 && self.arrived > 0).then(|| Caveat::AbsentClients { clients: so_many(absent, "client") });
        let FailingRounds { failed, rounds } = self.secure;
        let failed = (failed > 0)
            .then(|| Caveat::SecureRoundsFailed { failed: failed.to_string(), rounds: so_many(rounds, "round") });
        let FailingRounds { failed: skipped, rounds } = self.combined;
        let skipped = (skipped > 0)
            .then(|| Caveat::RobustRoundsSkipped { skipped: skipped.to_string(), rounds: so_many(rounds, "round") });
        nobody
            .into_iter()
            .chain(absent)
            .chain(failed)
            .chain(skipped)
            .chain(self.found.caveats.iter().cloned())
            .collect()
    }

    /// The rounds and the conditional expectations that the run has reached.
    pub fn reached(&self) -> (u64, u64) {
        self.last.as_ref().map_or((0, 0), |round| (round.number, round.expectations))
    }

    /// Passes over all data that the run has made, those of its probes included.
    pub fn passes(&self, subject: &dyn Subject) -> f64 {
        epochs(subject, self.reached().1) + self.probes as f64
    }

    /// A contribution had waited so long for the step that took it in.
    pub fn waited(&mut self, duration: TimeDelta) {
        self.waits.record(duration.as_nanos());
    }

    /// A round of secure aggregation has begun, which counts where somebody is `asked`.
    pub(crate) fn masks(&mut self, asked: bool) {
        self.secure.rounds += u64::from(asked);
    }

    /// A round ends of which a robust rule makes a step, or of which it cannot make one (`skipped`); it counts where
    /// somebody was `asked`.
    pub(crate) fn combines(&mut self, asked: bool, skipped: bool) {
        self.combined.rounds += u64::from(asked);
        self.combined.failed += u64::from(asked && skipped);
    }

    /// The masks of a round cannot be taken off.
    pub(crate) fn failed_to_unmask(&mut self) {
        self.secure.failed += 1;
    }

    /// Distributions of the rounds' durations and, where contributions were taken in, of their waiting and their
    /// staleness.
    pub fn histograms(&self) -> Vec<Histogram> {
        let taken = [&self.waits, &self.staleness].into_iter().filter(|histogram| histogram.count() > 0);
        std::iter::once(&self.round_spans).chain(taken).cloned().collect()
    }

    /// What is known of the final state; what a failed run had found by then says nothing of it.
    pub fn found(&self) -> &Findings {
        &self.found
    }

    /// What the last row says of the fit, by column: objective, mean field, error of the parameters, assessment.
    pub fn measures(&self, subject: &dyn Subject) -> BTreeMap<String, f64> {
        let Some(row) = &self.last_row else { return BTreeMap::new() };
        let fields = [("objective", row.objective), ("mean_field_sq", row.mean_field_sq)];
        let assessed = self.plan.assessment.columns(subject.problem());
        let names = probed(subject).into_iter().chain(assessed);
        let further = names.zip(row.extra.iter().copied());
        let all = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(further);
        all.filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Hands the recorder back, to be finished, and what links carried between rounds. The journal has ended.
    pub fn take_recorder(&mut self) -> (Recorder, Vec<LinkInterval>) {
        let recorder = std::mem::replace(&mut self.recorder, Recorder::nothing(Columns::default()));
        (recorder, std::mem::take(&mut self.links).into_rows())
    }

    fn write<P: Payload>(
        &mut self,
        context: &Context<P>,
        mut row: RoundRow,
        subject: &dyn Subject,
        probe: bool,
    ) -> Result<RoundRow> {
        self.since = Round::default();
        row.costs.energy_j = joules(context);
        self.measure(&mut row, subject, probe)?;
        let state = subject.state();
        if row.round == 0 {
            self.found.fit.start_objective = row.objective;
        }
        self.recorder.round(&row)?;
        self.unwritten = None;
        self.recorder.theta(row.round, state.theta)?;
        self.recorder.statistics(row.round, state.s_hat)?;
        if let Some(observer) = &mut self.observer {
            observer(&row);
        }
        self.last_row = Some(row.clone());
        Ok(row)
    }

    /// Probes the last row, which the run left without: what it counts stays as of the server's step.
    fn complete(&mut self, subject: &dyn Subject) -> Result<()> {
        let Some(mut row) = self.last_row.take() else { return Ok(()) };
        // A counter may have moved since.
        let known = row.extra.clone();
        self.measure(&mut row, subject, true)?;
        row.extra.iter_mut().zip(known).filter(|(_, value)| value.is_some()).for_each(|(cell, value)| *cell = value);
        self.recorder.complete_round(&row)?;
        if let Some(observer) = &mut self.observer {
            observer(&row);
        }
        self.last_row = Some(row);
        Ok(())
    }

    /// Fills in what is found out about a state, with a `probe` or without.
    fn measure(&mut self, row: &mut RoundRow, subject: &dyn Subject, probe: bool) -> Result<()> {
        let found = if probe { subject.probe()? } else { Probe::default() };
        (self.probed, self.probes) = (probe, self.probes + u64::from(probe));
        (row.mean_field_sq, row.objective) = (found.mean_field_sq, found.objective);
        row.extra.clear();
        row.extra.push(found.parameter_error_sq);
        row.extra.extend(descends(subject).then_some(found.gradient_sq));
        let assessment = &self.plan.assessment;
        let width = *self.assessed.get_or_insert_with(|| assessment.columns(subject.problem()).len());
        row.extra.extend(match probe {
            true => assessment.values(subject.problem(), &subject.state())?,
            false => vec![None; width],
        });
        row.extra.extend(subject.values(probe)?);
        row.extra.extend(row.costs.energy_j.map(Some));
        row.extra.extend(subject.measures_clients().then_some(found.objective_worst_tenth));
        Ok(())
    }

    fn ends_by_count<P: Payload>(
        &self,
        context: &Context<P>,
        subject: &dyn Subject,
        totals: &Totals,
    ) -> Option<StopReason> {
        let rules = &self.stop;
        let (bits, epochs) = (Spending::Bits.in_all(totals), epochs(subject, totals.expectations));
        let reached = |what: String| Some(StopReason::Reached(what));
        if rules.rounds.is_some_and(|limit| totals.rounds >= limit) {
            return reached(format!("rounds: {}", totals.rounds));
        }
        if rules.epochs.is_some_and(|limit| epochs >= limit) {
            return reached(format!("epochs: {epochs}"));
        }
        if rules.bits.is_some_and(|limit| bits >= limit.count()) {
            return reached(format!("bits: {bits}"));
        }
        if rules.time.is_some_and(|limit| context.now().as_nanos() >= limit.as_nanos()) {
            return reached(format!("time: {}", context.now()));
        }
        if let Some(joules) = rules.energy.and_then(|limit| joules(context).filter(|joules| *joules >= limit)) {
            return reached(format!("energy: {joules} J"));
        }
        let cut = rules.cut?;
        let spent = cut.of.in_all(totals);
        (spent > cut.above).then(|| StopReason::Cut(format!("{spent} {}, more than {}", cut.of.unit(), cut.above)))
    }

    fn ends_by_value(&mut self, row: &RoundRow) -> Option<StopReason> {
        let small = |field: &f64| self.stop.mean_field_sq.is_some_and(|limit| *field <= limit);
        if let Some(field) = row.mean_field_sq.filter(small) {
            return Some(StopReason::Reached(format!("{MEAN_FIELD_REACHED}‖h‖² = {field:e}")));
        }
        let objective = row.objective?;
        let before = self.last_objective.replace(objective).filter(|_| std::mem::take(&mut self.moved));
        let change = before.map(|before| (before - objective).abs());
        if self.stop.objective_change.zip(change).is_some_and(|(limit, change)| change <= limit) {
            return Some(StopReason::Reached(format!("objective: changed by {:e}", change.unwrap_or(0.0))));
        }
        None
    }

    fn ends_by_patience(&mut self, row: &RoundRow, subject: &dyn Subject) -> Option<StopReason> {
        let patience = self.stop.patience?;
        let value = row.value(patience.of.column(), &self.extra(subject))?;
        let value = if patience.of.grows() { -value } else { value };
        let (best, since) = match self.best {
            Some((best, since)) if value >= best - patience.least => (best, since + 1),
            _ => (value, 0),
        };
        self.best = Some((best, since));
        let words = || format!("patience: no better {} in {}", patience.of.column(), so_many(since, "probe"));
        (since >= patience.probes).then(|| StopReason::Reached(words()))
    }
}

/// Names of the first columns beside the common ones, which probes fill in.
fn probed(subject: &dyn Subject) -> Vec<String> {
    let gradient = descends(subject).then(|| GRADIENT_SQ.to_owned());
    std::iter::once(PARAMETER_ERROR.to_owned()).chain(gradient).collect()
}

/// Is its E-step a gradient step?
fn descends(subject: &dyn Subject) -> bool {
    subject.problem().model().is_some_and(|model| model.descent().is_some())
}
