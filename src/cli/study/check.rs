//! `fedbits check` of a study: every arm is checked, and a pilot of some of them predicts the cost of the whole.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_scenarios::Checked;
use fedbits_scenarios::arms::{ExpandedAxis, unquoted};
use fedbits_scenarios::prepare::memory::{Estimate, shown};
use fedbits_scenarios::schema::Scenario;
use fedbits_spec::{Caveat, Caveats, CountedCaveat, so_many};
use serde_json::json;

use super::spread::spread;
use crate::cli::args::CheckOptions;
use crate::cli::check::cost::RunCost;
use crate::cli::check::page::{theory, theory_section};
use crate::cli::check::pilots::{Piloted, Pilots};
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::style::{HEAD, WARN};
use crate::cli::table::number::given;
use crate::cli::table::{Cell, Quantity, Table};
use crate::cli::units::{bits, duration};
use crate::cli::wrap;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::scenario::arm_name;
use crate::study::Study;

/// Arms of which a pilot is finished.
const PILOTS: usize = 12;

/// What a study will cost.
struct StudyEstimate {
    /// Arms, and those of them of which a pilot was finished.
    arms: usize,
    piloted: usize,
    /// Arms × replicates; of a race at most so many.
    runs: u64,
    /// The same for people.
    runs_said: String,
    /// Host seconds of all runs, one at a time.
    seconds: Amount,
    bits: Amount,
    /// What all runs leave.
    disk_bytes: Amount,
    /// Of the largest run.
    memory_bytes: u64,
    /// Runs that cannot be finished, and pilots that failed.
    failed: Vec<String>,
    /// Why there is no pilot of some arms.
    unknown: Vec<String>,
    /// What the pilots have shown not to be trusted blindly.
    caveats: Vec<CountedCaveat>,
    /// The arms of the plan whose pilots were finished, with what these showed.
    costs: Vec<(String, Box<RunCost>)>,
}

/// Prints the arms of a study and what it will cost.
pub(crate) fn check(study: &Study, options: &CheckOptions, console: &Console) -> Result<(), Failure> {
    let host = &options.scenario.changes.host;
    let (threads, machine) = (host::set_threads(host.threads), host.machine());
    if options.resolved || options.format.get() != TableFormat::Human {
        study.checked.caveats.iter().for_each(|caveat| console.caveat(caveat));
    }
    let format = options.format.get();
    match format {
        _ if options.resolved => resolved(study)?,
        TableFormat::Human => output::print(page(study))?,
        // One object: the arms where there is nothing else.
        TableFormat::Json if !options.text_only => {}
        other => other.print(&[Titled { title: "arms", name: "arms", table: &arms(study) }])?,
    }
    if options.text_only {
        return Ok(());
    }
    study.check_fit(&machine)?;
    study.check_targets(&machine)?;
    let estimate = StudyEstimate::of(study, &machine, f64::from(options.pilot_seconds))?;
    console.caveats(&estimate.caveats);
    // What is wrong comes first.
    if options.resolved {
        let line = |arm: &str, line: &str| output::line(format_args!("// {arm}: {line}"));
        let all = estimate.costs.iter().flat_map(|(arm, cost)| cost.theory_lines().iter().map(move |own| (arm, own)));
        all.into_iter().try_for_each(|(arm, own)| line(arm, own))?;
    }
    let verdict =
        if estimate.failed.is_empty() { Ok(()) } else { Err(Failure::Input(estimate.failed.join("\n")).told()) };
    match format {
        TableFormat::Json => output::line(estimate.json(study, threads))?,
        TableFormat::Human => output::print(estimate.text(threads))?,
        TableFormat::Csv | TableFormat::Markdown | TableFormat::Latex => {}
    }
    verdict
}

/// The arms, and the level that each has on every axis.
fn arms(study: &Study) -> Table {
    let checked = &study.checked;
    let axes = &checked.axes;
    let table = axes.iter().fold(Table::default().text("arm"), |table, axis| {
        table.column(&format!("axis_{}", axis.name), &axis.name, Quantity::Text)
    });
    let searched = || axes.iter().filter(|axis| axis.is_point_set).flat_map(|axis| &axis.paths);
    let table = searched().fold(table, |table, (path, _)| table.column(path, last_part(path), Quantity::Text));
    let mut table = table.text("role");
    for (number, arm) in checked.arms.iter().enumerate() {
        let mut row = vec![arm_name(arm).into()];
        let level = |(axis, level): (&ExpandedAxis, &usize)| {
            axis.labels.get(*level).map_or(Cell::Missing, |own| own.as_str().into())
        };
        row.extend(axes.iter().zip(&arm.levels).map(level));
        for (axis, level) in axes.iter().zip(&arm.levels).filter(|(axis, _)| axis.is_point_set) {
            let value =
                |(_, values): &(String, Vec<String>)| values.get(*level).map(|own| Cell::from(unquoted(own).as_str()));
            row.extend(axis.paths.iter().map(|path| value(path).unwrap_or(Cell::Missing)));
        }
        row.push(if number == checked.baseline { "baseline" } else { "" }.into());
        table.row(row);
    }
    table
}

/// What the study is about and what it varies.
fn page(study: &Study) -> String {
    let (checked, own) = (&study.checked, &study.checked.scenario);
    let about = own.about.split("\n\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = format!("{HEAD}{}{HEAD:#}\n", own.name);
    if !about.is_empty() {
        text += &wrap::prose("", "", &about);
    }
    text += &format!("\n{HEAD}What will run{HEAD:#}\n");
    checked.axes.iter().for_each(|axis| text += &wrap::entry("axis", &said(axis, &checked.axes)));
    let baseline = arm_name(&checked.arms[checked.baseline]);
    text += &wrap::entry("arms", &format!("{}, baseline {baseline}", checked.arms.len()));
    text += &wrap::entry("replicates", &replicates(own));
    text += &search(own);
    let targets: Vec<String> = own
        .targets
        .iter()
        .map(|target| {
            let bound = target.bound();
            format!("{} {} {}", target.column(), bound.sign(), given(bound.value()))
        })
        .collect();
    if !targets.is_empty() {
        text += &wrap::entry("targets", &targets.join(", "));
    }
    project::get().line().iter().for_each(|line| text += &wrap::entry("project", line));
    if !checked.caveats.is_empty() {
        text += &format!("\n{HEAD}Caveats{HEAD:#}\n");
        let line = |caveat: &Caveat| wrap::prose(&format!("{WARN}!{WARN:#} "), "  ", &caveat.to_string());
        text.extend(checked.caveats.iter().map(line));
    }
    text
}

fn replicates(own: &Scenario) -> String {
    let most = if own.search.is_some() { "at most " } else { "" };
    format!("{most}{}", own.replicates)
}

/// How the runs are chosen, where not all are made.
fn search(own: &Scenario) -> String {
    let Some(race) = &own.search else { return String::new() };
    let said = format!(
        "race; an arm that is better by more than {} is dropped with probability at most {}",
        given(race.margin().unwrap_or(0.0)),
        given(race.error)
    );
    wrap::entry("objective", &race.objective.planned().name()) + &wrap::entry("search", &said)
}

/// The levels of an axis: all, or of many the first and the last; of a search what its paths get.
fn said(axis: &ExpandedAxis, axes: &[ExpandedAxis]) -> String {
    let mut text = format!("{}: ", axis.name);
    if axis.is_point_set {
        let ways = axis.paths.iter().map(|(path, values)| format!("{path} ({})", range(values)));
        text += &format!("{} of {}", so_many(axis.labels.len(), "point"), ways.collect::<Vec<_>>().join(", "));
    } else {
        text += &shortened(&axis.labels);
    }
    let when: Vec<String> =
        axis.conditions(axes).map(|(other, levels)| format!("{other} is {}", levels.join(" or "))).collect();
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
    numbers.sort_by(|one, other| one.0.total_cmp(&other.0));
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
        Some((last, others)) if others.len() > FIRST => format!("{}, … {}", shown(&others[..FIRST]), unquoted(last)),
        _ => shown(levels),
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The scenario of each arm with every default.
fn resolved(study: &Study) -> Result<(), Failure> {
    let texts = study.checked.arms.iter().map(|arm| (arm_name(arm), arm.text.trim_end()));
    texts.into_iter().try_for_each(|(name, text)| output::line(format_args!("// {name}\n{text}")))
}

/// Adds to a sum; one with an unknown part is unknown.
fn add(sum: &mut Option<f64>, more: Option<f64>) {
    *sum = sum.zip(more).map(|(sum, more)| sum + more);
}

impl StudyEstimate {
    /// Runs pilots.
    fn of(study: &Study, options: &RunOptions, pilot_seconds: f64) -> Result<Self, Failure> {
        let arms = &study.checked.arms;
        let mut pilots = Pilots::new(study.preparer(options)?, pilot_seconds);
        let (chosen, mut memory_bytes) = chosen(arms);
        let piloted = chosen.len();
        let [mut seconds, mut bits, mut disk] = [Some(0.0); 3];
        let (mut failed, mut unknown, mut is_whole, mut costs) = (Vec::new(), Vec::new(), true, Vec::new());
        let mut is_bound = study.checked.scenario.search.is_some();
        for arm in chosen.into_iter().map(|number| &arms[number]) {
            let cost = match pilots.run(arm) {
                Ok(Piloted::Cost(cost)) => cost,
                Ok(Piloted::Not(why, _)) => {
                    unknown.push(format!("`{}`: {why}", arm_name(arm)));
                    is_whole = false;
                    continue;
                }
                // Such a run fails, and keeps no other from being finished.
                Err(Failure::Input(why) | Failure::Run(why)) => {
                    failed.push(format!("`{}` cannot be finished: {why}", arm_name(arm)));
                    continue;
                }
                Err(other) => return Err(other),
            };
            memory_bytes = memory_bytes.max(cost.memory_bytes());
            is_bound |= cost.is_bound();
            add(&mut seconds, cost.seconds_in_study());
            add(&mut bits, cost.bits());
            add(&mut disk, cost.bytes_in_study(arm.scenario.record.every));
            failed.extend(cost.failed().map(|why| format!("a pilot of `{}` failed: {why}", arm_name(arm))));
            costs.push((arm_name(arm).to_owned(), cost));
        }
        let mut caveats = Caveats::default();
        for arm in arms {
            let pilot = costs.iter().filter(|(name, _)| name == arm_name(arm)).flat_map(|(_, cost)| cost.caveats());
            caveats.add(arm_name(arm), arm.caveats.iter().chain(pilot));
        }
        let runs = arms.len() as u64 * study.checked.scenario.replicates;
        let scale = runs as f64 / piloted as f64;
        let amount = |sum: Option<f64>| Amount { piloted: sum.map(|sum| sum * scale), is_whole, is_bound };
        let [seconds, bits, disk_bytes] = [seconds, bits, disk].map(amount);
        Ok(Self {
            arms: arms.len(),
            piloted,
            runs,
            runs_said: runs_said(&study.checked.scenario, arms.len(), runs),
            seconds,
            bits,
            disk_bytes,
            memory_bytes,
            failed,
            unknown,
            caveats: caveats.into_vec(),
            costs,
        })
    }

    fn text(&self, threads: usize) -> String {
        let mib = |bytes: f64| match bytes / 1_048_576.0 {
            mib if mib < 1.0 => format!("{:.0} KiB", bytes / 1_024.0),
            mib => format!("{mib:.0} MiB"),
        };
        let on = |seconds: f64| format!("{} on {}", duration(seconds / threads as f64), so_many(threads, "core"));
        let mut lines = vec![
            self.runs_said.clone(),
            format!("communicated: {}", self.bits.told(|count| bits(count as u64))),
            format!("host time: {}", self.seconds.told(on)),
            format!("disk: {}", self.disk_bytes.told(mib)),
        ];
        let all = self.memory_bytes.saturating_mul(threads as u64);
        lines.push(format!(
            "memory: about {} for {} at a time; what does not fit waits for other runs to end",
            shown(all),
            so_many(threads, "run")
        ));
        let of = so_many(self.arms, "arm");
        lines.push(format!("(pilots of {} of {of}; runs that end early cost less)", self.piloted));
        lines.extend(self.unknown.iter().cloned());
        lines.extend(self.failed.iter().flat_map(|why| why.lines()).map(str::to_owned));
        let lines = lines.iter().map(|line| wrap::prose("· ", "  ", line));
        let costs: Vec<(&str, &RunCost)> = self.costs.iter().map(|(arm, cost)| (arm.as_str(), &**cost)).collect();
        let table = theory(costs.iter().copied());
        let theory = theory_section(table.as_ref(), &costs, self.piloted, wrap::width());
        std::iter::once(format!("\n{HEAD}What it costs{HEAD:#}\n")).chain(lines).chain([theory]).collect()
    }

    fn json(&self, study: &Study, threads: usize) -> serde_json::Value {
        let of_study = study.checked.caveats.iter().cloned().map(CountedCaveat::from);
        let all_caveats = of_study.chain(self.caveats.iter().cloned());
        json!({
            "arms": study.arms(),
            "baseline": arm_name(&study.checked.arms[study.checked.baseline]),
            "runs": self.runs,
            "piloted": self.piloted,
            "host_seconds": self.seconds.of_all(),
            "may_end_earlier": self.seconds.is_bound,
            "threads": threads,
            "bits": self.bits.of_all(),
            "disk_bytes": self.disk_bytes.of_all(),
            "memory_bytes": self.memory_bytes,
            "failed_pilots": self.failed,
            "not_piloted": self.unknown,
            "theory": self.costs.iter().map(|(arm, cost)| (arm, cost.theory_lines())).collect::<BTreeMap<_, _>>(),
            "caveats": all_caveats.collect::<Vec<_>>(),
        })
    }
}

/// The arms of which a pilot is finished, and the memory of the largest one as far as the scenarios alone tell it. That
/// one is among them: what it reads may take more.
fn chosen(arms: &[Checked]) -> (Vec<usize>, u64) {
    let memory = |arm: &Checked| Estimate::stated(&arm.scenario).total();
    let memory: Vec<u64> = arms.iter().map(memory).collect();
    let most = memory.iter().copied().max().unwrap_or(0);
    let first = memory.iter().position(|own| *own == most).unwrap_or(0);
    let levels: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
    (spread(&levels, first, PILOTS), most)
}

fn runs_said(own: &Scenario, arms: usize, runs: u64) -> String {
    let of = format!("{} × {}", so_many(arms, "arm"), so_many(own.replicates, "replicate"));
    match own.search {
        Some(_) => format!("at most {}: {of}; a race makes fewer", so_many(runs, "run")),
        None => format!("{}: {of}", so_many(runs, "run")),
    }
}

/// What the runs take whose pilots could be finished; none where it depends on when a target is met.
#[derive(Clone, Copy)]
pub(crate) struct Amount {
    piloted: Option<f64>,
    /// Are these all runs?
    is_whole: bool,
    /// May runs end early, or not be made?
    is_bound: bool,
}

impl Amount {
    /// What all runs take, where it is known.
    pub(crate) fn of_all(self) -> Option<f64> {
        self.piloted.filter(|_| self.is_whole)
    }

    fn told(self, words: impl Fn(f64) -> String) -> String {
        let unfinished = "not every pilot could be finished";
        match self.piloted {
            Some(all) if self.is_whole && self.is_bound => format!("at most about {}", words(all)),
            Some(all) if self.is_whole => format!("about {}", words(all)),
            Some(0.0) => format!("unknown: {unfinished}"),
            Some(least) => format!("more than {}: {unfinished}", words(least)),
            None => "unknown: it depends on when a target is met (`stop: (rounds: …)` would bound it)".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Amount;

    /// One slow pilot does not hide what the others say.
    #[test]
    fn what_is_known_of_some_arms_is_told() {
        let told = |piloted, is_whole| Amount { piloted, is_whole, is_bound: false }.told(|bits| format!("{bits} bit"));
        assert_eq!(told(Some(9.0), true), "about 9 bit");
        let bound = Amount { piloted: Some(9.0), is_whole: true, is_bound: true };
        assert_eq!(bound.told(|bits| format!("{bits} bit")), "at most about 9 bit");
        assert_eq!(told(Some(4.0), false), "more than 4 bit: not every pilot could be finished");
        assert_eq!(told(Some(0.0), false), "unknown: not every pilot could be finished");
        assert!(told(None, true).contains("depends on when a target is met"));
    }
}
