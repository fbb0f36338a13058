//! What `fedbits check` says on a page: what will run, what it costs, what theory says, what not to trust.

use std::collections::BTreeSet;

use fedbits_protocols::plan::{Patience, StopRules};
use fedbits_protocols::theory::Summary;
use fedbits_record::RoundRow;
use fedbits_scenarios::arms::{ExpandedAxis, unquoted};
use fedbits_scenarios::idle_rules;
use fedbits_scenarios::prepare::memory::Estimate;
use fedbits_scenarios::schema::{Scenario, Stop};
use fedbits_spec::{CountedCaveat, short_number, so_many};
use fedbits_text::Tree;

use super::arms::arms;
use super::cost::{Piloted, RunCost};
use super::findings::{Findings, Whole, by_text};
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::project;
use crate::cli::style::{DIM, HEAD, WARN};
use crate::cli::summary::explained;
use crate::cli::table::number::{duration, with_unit};
use crate::cli::table::{Cell, CellOf, Quantity, Table, each_once};
use crate::cli::wrap;
use crate::scenario::{Arm, arm_name};

/// An arm, and what a run of it costs.
type CostOfArm<'a> = (&'a Arm, &'a RunCost);

pub(super) struct Page<'a> {
    findings: &'a Findings<'a>,
    /// What the arms differ in; none of a single arm.
    arms: Option<Table>,
    round: Option<Table>,
    run: Option<Table>,
    theory: Option<Table>,
}

impl<'a> Page<'a> {
    pub(super) fn of(findings: &'a Findings<'a>) -> Self {
        let costs: Vec<CostOfArm<'_>> = findings.costs().filter(|(_, cost)| cost.pilot.rounds > 0).collect();
        let of = |table: fn(&[CostOfArm<'_>]) -> Table| (!costs.is_empty()).then(|| table(&costs));
        Self { findings, arms: arms(findings), round: of(a_round), run: of(the_run), theory: theory(&costs) }
    }

    pub(super) fn print(&self, format: TableFormat) -> Result<(), Failure> {
        let named = [
            ("what the arms differ in", "arms", &self.arms),
            ("a round", "round", &self.round),
            ("the run", "run", &self.run),
            ("theory", "theory", &self.theory),
        ];
        let tables: Vec<Titled<'_>> = named
            .iter()
            .filter_map(|(title, name, table)| table.as_ref().map(|table| Titled { title, name, table }))
            .collect();
        format.print(&tables)
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.head();
        let width = wrap::width();
        // The axes have said it.
        let has_axes = !self.findings.runs.checked.scenario.axes.is_empty();
        if let Some(arms) = self.arms.as_ref().filter(|_| !has_axes) {
            text += &section("What the arms differ in");
            text += &arms.first(LISTED).human(width);
        }
        text += &self.costs(width);
        text += &self.theory(width);
        let caveats = self.findings.caveats();
        if !caveats.is_empty() {
            text += &section("Caveats");
            let line = |caveat: &CountedCaveat| item(&format!("{WARN}!{WARN:#} "), &caveat.to_string());
            text.extend(caveats.iter().map(line));
            text.extend(explained(&caveats).map(|line| item("  ", &line)));
        }
        text + &format!("\n{DIM}{}{DIM:#}", wrap::prose("", "", MORE))
    }

    fn head(&self) -> String {
        let scenario = &self.findings.runs.checked.scenario;
        let about = scenario.about.split("\n\n").next().unwrap_or_default();
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = format!("{HEAD}{}{HEAD:#}\n", scenario.name);
        if !about.is_empty() {
            text += &wrap::prose("", "", &about);
        }
        text += &section("What will run");
        what(self.findings).iter().for_each(|(name, value)| text += &wrap::entry(name, value));
        text
    }

    fn costs(&self, width: usize) -> String {
        let mut text = String::new();
        let Some(whole) = &self.findings.whole else { return format!("\n{}", item("· ", TEXT_ONLY)) };
        if let (Some(round), Some(run)) = (&self.round, &self.run) {
            text += &section(&format!("A round, mean of {}", averaged(self.findings)));
            text += &round.human(width);
            text += &section(if whole.seconds.is_bound { "A run, at most about" } else { "A run" });
            text += &run.human(width);
        }
        notes(self.findings).iter().for_each(|note| text += &item("· ", note));
        text += &section("All runs");
        all_runs(self.findings, whole).iter().for_each(|line| text += &item("· ", line));
        text
    }

    /// The theory of the arms whose cost is known: the table, or why there is none.
    fn theory(&self, width: usize) -> String {
        let without = self.findings.costs().filter(|(_, cost)| cost.theory.summary.is_none());
        let why = without.flat_map(|(arm, cost)| cost.theory.lines.iter().map(|line| (arm.name(), line.clone())));
        let why = by_arm(why, self.findings.piloted.len());
        if self.theory.is_none() && why.is_empty() {
            return String::new();
        }
        let of_losses = self.findings.costs().any(|(_, cost)| cost.theory.of_losses);
        let (heading, note) = if of_losses { (OF_LOSSES, OF_LOSSES_NOTE) } else { (OF_FEDEM, THEORY) };
        let mut text = section(heading);
        if let Some(table) = &self.theory {
            text += &table.human(width);
            text += &item("· ", note);
        }
        why.iter().for_each(|why| text += &item("· ", why.trim_start_matches("theory: ")));
        text
    }
}

const LISTED: usize = 40;

const TEXT_ONLY: &str = "only the text was checked: no data were read, and no costs estimated";

const OF_FEDEM: &str = "Theory of FedEM, from estimates along EM from this start";

const OF_LOSSES: &str = "Theory of gradient methods, from the constants of the losses";

const OF_LOSSES_NOTE: &str = "Where γ is above γ max, or something else is not as the theorem of the method asks \
    (--resolved says which and what), it does not cover the run, which does not mean that it diverges. Decades are at \
    least those of the theorem's bound, rounds until the accuracy of `stop` at most about so many.";

const THEORY: &str = "Where γ is above γ max, or something else is not as the theorem (1; 3 with variance reduction) \
    asks (--resolved says what), it does not cover the run, which does not mean that it diverges. Rounds: until the \
    accuracy of `stop`, without noise.";

const MORE: &str = "--resolved prints the defaults and every estimate; `fedbits explain WORD` explains a word.";

fn section(title: &str) -> String {
    format!("\n{}", wrap::heading(title))
}

fn item(first: &str, text: &str) -> String {
    let indent = " ".repeat(anstream::adapter::strip_str(first).to_string().chars().count());
    wrap::prose(first, &indent, text)
}

/// The parts that all arms have in common, by what they are; what differs is in the table of the arms.
fn what(findings: &Findings<'_>) -> Vec<(&'static str, String)> {
    let (arms, checked) = (&findings.arms, &findings.runs.checked);
    let trees: Vec<Tree> = arms.iter().map(|arm| Tree::scan(arm.text())).collect();
    let kind = |path: &str| {
        let name = |tree: &Tree| {
            let text = tree.compact(path).unwrap_or_default();
            text.split('(').next().unwrap_or_default().to_owned()
        };
        each_once(trees.iter().map(name)).join(", ")
    };
    let mut lines = vec![("protocol", kind("protocol")), ("model", kind("model")), ("data", kind("data"))];
    let sizes =
        findings.costs().map(|(_, cost)| format!("{}, q = {} in a statistic", cost.clients, so_many(cost.q, "number")));
    let sizes = each_once(sizes);
    // Without a look at the data, whose column says who they are.
    let stated = || kind("clients").replace("None", "as many as the data have");
    lines.push(("clients", if sizes.is_empty() { stated() } else { sizes.join("; ") }));
    lines.push(("network", kind("network.shape")));
    let stops = arms.iter().enumerate().map(|(number, arm)| match findings.of_arm(number) {
        Some(Piloted::Cost(cost)) => stop(&arm.checked.scenario, Some(&cost.stop)),
        _ => stop(&arm.checked.scenario, None),
    });
    lines.push(("stops at", each_once(stops).join("; ")));
    lines.push(("seed", each_once(arms.iter().map(|arm| arm.checked.scenario.seed.to_string())).join(", ")));
    let scenario = &checked.scenario;
    if !scenario.axes.is_empty() {
        lines.extend(checked.axes.iter().map(|axis| ("axis", axis_line(axis, &checked.axes))));
    }
    if arms.len() > 1 {
        lines.push(("arms", format!("{}, baseline {}", arms.len(), arm_name(&checked.arms[checked.baseline]))));
    }
    let most = if scenario.search.is_some() { "at most " } else { "" };
    lines.extend(
        (scenario.replicates > 1).then(|| ("replicates", format!("{most}{} of each arm", scenario.replicates))),
    );
    lines.extend(search(scenario));
    let targets: Vec<String> = scenario.targets.iter().map(|target| target.planned().name()).collect();
    lines.extend((!targets.is_empty()).then(|| ("targets", targets.join(", "))));
    lines.extend(project::get().line().map(|line| ("project", line)));
    lines
}

/// How the runs are chosen, where not all are made.
fn search(scenario: &Scenario) -> Vec<(&'static str, String)> {
    let Some(race) = &scenario.search else { return Vec::new() };
    let rule = format!(
        "race; an arm that is better by more than {} is dropped with probability at most {}",
        short_number(race.margin().unwrap_or(0.0)),
        short_number(race.error)
    );
    vec![("objective", race.objective.planned().name()), ("search", rule)]
}

/// The levels of an axis: all, or of many the first and the last; of a search what its paths get.
fn axis_line(axis: &ExpandedAxis, axes: &[ExpandedAxis]) -> String {
    let mut text = format!("{}: ", axis.name);
    if axis.is_point_set {
        let ways = axis.paths.iter().map(|(path, values)| format!("{path} ({})", range(values)));
        text += &format!("{} of {}", so_many(axis.labels.len(), "point"), ways.collect::<Vec<_>>().join(", "));
    } else {
        text += &shortened(&axis.labels);
    }
    let when: Vec<String> =
        axis.conditions(axes).map(|(condition, levels)| format!("{condition} is {}", levels.join(" or "))).collect();
    if !when.is_empty() {
        text += &format!("; where {}", when.join(" and "));
    }
    text
}

/// The lowest and the highest of numbers, with or without a unit; of other values each once.
fn range(values: &[String]) -> String {
    let plain: Vec<String> = values.iter().map(|value| unquoted(value)).collect();
    let number = |text: &String| text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    let mut numbers: Vec<(f64, &String)> = plain.iter().filter_map(|text| Some((number(text)?, text))).collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    match (numbers.first(), numbers.last()) {
        (Some((low, first)), Some((high, last))) if numbers.len() == plain.len() && low < high => {
            format!("{first} to {last}")
        }
        _ => shortened(&plain.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()),
    }
}

/// As many levels as a reader takes in.
fn shortened(levels: &[String]) -> String {
    const FIRST: usize = 12;
    let shown = |levels: &[String]| levels.iter().map(|level| unquoted(level)).collect::<Vec<_>>().join(", ");
    match levels.split_last() {
        Some((last, rest)) if rest.len() > FIRST => format!("{}, … {}", shown(&rest[..FIRST]), unquoted(last)),
        _ => shown(levels),
    }
}

/// The stop rules that are set and can hold; of a run that was prepared `left` are those that something measures.
fn stop(scenario: &Scenario, left: Option<&StopRules>) -> String {
    let idle = idle_rules(scenario);
    let can_hold = |rule: &str| idle.iter().all(|(idle_rule, _)| *idle_rule != rule);
    let is_measured = |rule: &str| match (rule, left) {
        ("mean_field_sq", Some(left)) => left.mean_field_sq.is_some(),
        ("objective_change", Some(left)) => left.objective_change.is_some(),
        ("patience", Some(left)) => left.patience.is_some(),
        _ => true,
    };
    let Stop { rounds, epochs, time, bits, energy, mean_field_sq, objective_change, patience } = &scenario.stop;
    let bits = bits.and_then(|size| size.bits().ok());
    let better = |patience: &Patience| {
        format!("{} without a better {}", so_many(patience.probes, "probe"), patience.of.column())
    };
    let rules = [
        ("rounds", rounds.map(|rounds| so_many(rounds, "round"))),
        ("epochs", epochs.map(|epochs| so_many(short_number(epochs), "epoch"))),
        ("time", time.map(|time| format!("time {}", with_unit(Quantity::Seconds, time.seconds())))),
        ("bits", bits.map(|bits| format!("bits {}", with_unit(Quantity::Bits, bits as f64)))),
        ("energy", energy.map(|energy| format!("energy {} J", short_number(energy.joules())))),
        ("mean_field_sq", mean_field_sq.map(|limit| format!("‖h(Ŝ)‖² ≤ {}", short_number(limit)))),
        ("objective_change", objective_change.map(|limit| format!("objective change {}", short_number(limit)))),
        ("patience", patience.as_ref().map(better)),
    ];
    let rules = rules.into_iter().filter(|(rule, _)| can_hold(rule) && is_measured(rule));
    let rules: Vec<String> = rules.filter_map(|(_, words)| words).collect();
    if rules.is_empty() { "an end of its own".to_owned() } else { rules.join(" or ") }
}

/// The rounds of the pilots that means are over: those before are not like the others.
fn averaged(findings: &Findings<'_>) -> String {
    let rounds = findings.costs().map(|(_, cost)| (cost.from.round + 1, cost.pilot.rounds));
    let rounds: BTreeSet<(u64, u64)> = rounds.filter(|(first, last)| first <= last).collect();
    match rounds.into_iter().collect::<Vec<_>>()[..] {
        [(first, last)] => format!("rounds {first} to {last}"),
        _ => "the last rounds of a pilot".to_owned(),
    }
}

/// A table of costs, without its column of messages between clients where there are none.
fn costs_table<'a>(costs: &[CostOfArm<'a>], columns: &[CellOf<'_, CostOfArm<'a>>]) -> Table {
    let has_peers = costs.iter().any(|(_, cost)| cost.pilot.bits_peer > 0);
    let columns: Vec<_> = columns.iter().copied().filter(|(name, ..)| has_peers || *name != "bits_peer").collect();
    Table::of(costs.iter().copied(), &columns)
}

fn a_round(costs: &[CostOfArm<'_>]) -> Table {
    let of = |cost: &RunCost, from: u64, pilot: u64| Cell::Number(cost.per_round(from, pilot));
    let time = |cost: &RunCost| cost.per_round(cost.from.time_ns, cost.pilot.time_ns) / 1e9;
    costs_table(
        costs,
        &[
            ("arm", "arm", Quantity::Text, &|(arm, _)| arm.name().into()),
            ("bits_up", "up", Quantity::Bits, &|(_, cost)| of(cost, cost.from.bits_up, cost.pilot.bits_up)),
            ("bits_down", "down", Quantity::Bits, &|(_, cost)| of(cost, cost.from.bits_down, cost.pilot.bits_down)),
            ("bits_peer", "peers", Quantity::Bits, &|(_, cost)| of(cost, cost.from.bits_peer, cost.pilot.bits_peer)),
            ("bits_header", "headers", Quantity::Bits, &|(_, cost)| {
                of(cost, cost.from.bits_header, cost.pilot.bits_header)
            }),
            ("time_s", "simulated", Quantity::Seconds, &|(_, cost)| Cell::Number(time(cost))),
        ],
    )
}

fn the_run(costs: &[CostOfArm<'_>]) -> Table {
    let of = |cost: &RunCost, from: u64, pilot: u64| Cell::from(cost.rounds.map(|_| cost.whole(from, pilot)));
    let time = |cost: &RunCost| cost.rounds.map(|_| cost.whole(cost.from.time_ns, cost.pilot.time_ns) / 1e9);
    costs_table(
        costs,
        &[
            ("arm", "arm", Quantity::Text, &|(arm, _)| arm.name().into()),
            ("rounds", "rounds", Quantity::Plain, &|(_, cost)| whole_number(cost.rounds)),
            ("bits_up", "up", Quantity::Bits, &|(_, cost)| of(cost, cost.from.bits_up, cost.pilot.bits_up)),
            ("bits_down", "down", Quantity::Bits, &|(_, cost)| of(cost, cost.from.bits_down, cost.pilot.bits_down)),
            ("bits_peer", "peers", Quantity::Bits, &|(_, cost)| of(cost, cost.from.bits_peer, cost.pilot.bits_peer)),
            ("bits_total", "all bits", Quantity::Bits, &|(_, cost)| cost.bits().into()),
            ("time_s", "simulated", Quantity::Seconds, &|(_, cost)| time(cost).into()),
            ("host_s", "host", Quantity::Seconds, &|(_, cost)| cost.host_seconds().map_or(Cell::Missing, Cell::Rough)),
        ],
    )
}

fn whole_number(rounds: Option<f64>) -> Cell {
    rounds.map_or(Cell::Missing, |rounds| Cell::Count(rounds as u64))
}

/// What stands below the tables: what is exchanged once, and what is not known.
fn notes(findings: &Findings<'_>) -> Vec<String> {
    let mut notes: Vec<(&str, String)> = Vec::new();
    for (number, piloted) in &findings.piloted {
        let arm = findings.arms[*number].name();
        match piloted {
            Piloted::Not(why, _) => notes.push((arm, why.clone())),
            // The errors before the page say why.
            Piloted::Failed(_) => notes.push((arm, "cannot be finished".to_owned())),
            Piloted::Cost(cost) => {
                notes.extend(cost.notes.iter().map(|note| (arm, note.clone())));
                notes.extend(of_run(cost).into_iter().map(|note| (arm, note)));
            }
        }
    }
    by_arm(notes.into_iter(), findings.piloted.len())
}

/// Every text once, behind the arms that it is about where these are not all.
fn by_arm<'a>(texts: impl Iterator<Item = (&'a str, String)>, all: usize) -> Vec<String> {
    let with_arms = |(arms, text): (Vec<&str>, String)| {
        if arms.len() == all { text } else { format!("{}: {text}", arms.join(", ")) }
    };
    by_text(texts).into_iter().map(with_arms).collect()
}

fn of_run(cost: &RunCost) -> Vec<String> {
    let start = &cost.start;
    let mut notes = Vec::new();
    let RoundRow { bits_up, bits_down, bits_peer, .. } = *start;
    let parts = [("up", bits_up), ("down", bits_down), ("between peers", bits_peer)];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, bits)| *bits > 0)
        .map(|(way, bits)| format!("{} {way}", with_unit(Quantity::Bits, bits as f64)))
        .collect();
    if !parts.is_empty() {
        let what = match cost.sends_moments {
            true => "moments of `StandardizeFederated`; memories and constants, if any",
            false => "initial memories, constants",
        };
        notes.push(format!("before the first round: {} ({what})", parts.join(", ")));
    }
    notes.extend(
        cost.cut
            .then(|| format!("the pilot took too long and was stopped after {}", so_many(cost.pilot.rounds, "round"))),
    );
    if cost.pilot.rounds > 0 && cost.rounds.is_none() {
        notes.push("the length of the run is unknown, it depends on when a target is met".to_owned());
    }
    notes.extend(cost.earlier.iter().filter(|_| cost.rounds.is_some()).map(|rule| format!("ends earlier when {rule}")));
    notes.extend(cost.failed().map(|why| format!("the pilot failed: {why}")));
    notes
}

pub(super) fn estimates(arm: &Arm, cost: &RunCost) -> String {
    let costs = [(arm, cost)];
    let mut lines = cost.notes.clone();
    lines.push(sizes(cost));
    lines.extend(of_run(cost));
    if cost.pilot.rounds > 0 {
        let rounds = [cost.from.round + 1, cost.pilot.rounds].map(|round| round.to_string()).join(" to ");
        lines.push(format!("a round, mean of rounds {rounds}:\n{}", a_round(&costs).human(usize::MAX)));
        let most = if cost.is_bound() { ", at most about" } else { "" };
        lines.push(format!("a run{most}:\n{}", the_run(&costs).human(usize::MAX)));
    }
    lines.push(memory_line(&cost.memory));
    lines.extend(cost.theory.lines.iter().cloned());
    lines.join("\n")
}

fn sizes(cost: &RunCost) -> String {
    format!("{}, q = {} in a statistic", so_many(cost.clients, "client"), so_many(cost.q, "number"))
}

pub(super) fn memory_line(memory: &Estimate) -> String {
    format!("memory: about {} ({})", with_unit(Quantity::Bytes, memory.total() as f64), memory.largest_parts())
}

fn all_runs(findings: &Findings<'_>, whole: &Whole) -> Vec<String> {
    let scenario = &findings.runs.checked.scenario;
    let (arms, threads) = (findings.arms.len(), findings.threads);
    let of = format!("{} × {}", so_many(arms, "arm"), so_many(scenario.replicates, "replicate"));
    let runs = match scenario.search {
        Some(_) => format!("at most {}: {of}; a race makes fewer", so_many(whole.runs, "run")),
        None => format!("{}: {of}", so_many(whole.runs, "run")),
    };
    let at_once = (threads as u64).min(whole.runs).max(1);
    let longest = findings.costs().filter_map(|(_, cost)| cost.host_seconds()).fold(0.0, f64::max);
    let on =
        |seconds: f64| format!("{} on {}", duration(longest.max(seconds / at_once as f64)), so_many(threads, "core"));
    let bytes = |bytes: f64| with_unit(Quantity::Bytes, bytes);
    let mut lines = vec![
        runs,
        format!("communicated: {}", whole.bits.told(|count| with_unit(Quantity::Bits, count))),
        format!("host time: {} without figures", whole.seconds.told(on)),
        format!("disk: {}", whole.disk.told(bytes)),
    ];
    let waits = if whole.runs > 1 { "; what does not fit waits for other runs to end" } else { "" };
    let largest = findings.costs().map(|(_, cost)| &cost.memory).max_by_key(|memory| memory.total());
    let parts = largest.map(|memory| format!(" ({})", memory.largest_parts())).unwrap_or_default();
    lines.push(format!(
        "memory: about {} for {} at a time{parts}{waits}",
        bytes(whole.memory.saturating_mul(at_once) as f64),
        so_many(at_once, "run")
    ));
    if findings.piloted.len() < arms {
        lines.push(format!("pilots of {} of {}", findings.piloted.len(), so_many(arms, "arm")));
    }
    lines
}

/// The numbers that decide, where the theory is about any of the arms.
fn theory(costs: &[CostOfArm<'_>]) -> Option<Table> {
    let covered = |summary: &Summary| match summary.covered {
        Some(true) => "yes",
        Some(false) => "no",
        None if summary.omega.is_none() => "biased",
        None => "unknown",
    };
    let known = costs.iter().filter_map(|(arm, cost)| Some((arm.name(), cost.theory.summary.as_ref()?)));
    let table = Table::of(
        known,
        &[
            ("arm", "arm", Quantity::Text, &|(arm, _)| (*arm).into()),
            ("omega", "ω", Quantity::Plain, &|(_, summary)| summary.omega.into()),
            ("gamma", "γ", Quantity::Plain, &|(_, summary)| Cell::Shown(short_number(summary.gamma), summary.gamma)),
            ("gamma_max", "γ max", Quantity::Plain, &|(_, summary)| summary.gamma_max.into()),
            // Of a run that gets nearer the logarithm falls.
            ("decades_per_round", "decades/round", Quantity::Plain, &|(_, summary)| summary.slope.map(|s| -s).into()),
            ("rounds", "rounds", Quantity::Plain, &|(_, summary)| whole_number(summary.rounds)),
            ("covered", "covered", Quantity::Text, &|(_, summary)| covered(summary).into()),
        ],
    );
    (!table.is_empty()).then_some(table)
}
