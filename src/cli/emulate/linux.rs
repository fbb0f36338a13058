//! The work of `fedbits emulate` where there are namespaces.

mod text;

use std::path::{Path, PathBuf};

use fedbits_emulate::Discipline;
use fedbits_record::{Direction, EmulatedRound, EmulatedTransfer, Manifest, undivided};
use fedbits_reports::{Figures, Wanted};
use fedbits_scenarios::prepare::Preparer;
use fedbits_spec::so_many;

use crate::cli::args::{EmulateOptions, QueueOption};
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host::{self, Signals};
use crate::cli::progress::Console;
use crate::cli::run::{figures, targets::Targets};
use crate::cli::{output, summary, units};
use crate::emulation::{self, Comparison, Emulated, LATE_SHARE, Settings, Simulated};
use crate::executor::{Beside, Executor};
use crate::listener::Listener;
use crate::scenario::{Arm, check_fit, made_together};

/// Rounds that are played where nobody says how many.
const ROUNDS: u64 = 20;

pub(super) fn emulate(options: &EmulateOptions, kinds: &Figures, console: &Console) -> Result<(), Failure> {
    let threads = host::set_threads(options.scenario.changes.host.threads);
    let scenario = options.scenario.read()?;
    let chosen = chosen(scenario.arms()?, &options.arm)?;
    let arms: Vec<Arm> = chosen.into_iter().map(|arm| bounded(arm, options.rounds)).collect();
    kinds.has_kinds_of(&arms[0].checked.figures)?;
    let name = format!("{}-emulation", scenario.name());
    let out = options.out.clone().unwrap_or_else(|| Path::new("out").join(name));
    let format = options.format.get();
    if format == TableFormat::Json {
        output::check_json_path(&out)?;
    }
    let signals = Signals::listen()?;
    let machine = options.scenario.changes.host.machine();
    let mut preparer = machine.preparer(&arms[0].folders(&machine))?;
    check_fit("scenario", &mut preparer, arms.iter().map(|arm| &arm.checked))?;
    let (targets, _claim) = Targets::of(&arms, &out, !options.no_figures, console)?;
    let executor = Executor { listener: console, stop: signals.stop(), threads };
    let work = Work { arms: &arms, settings: settings(options), executor };
    let simulated = work.simulate(&mut preparer)?;
    let (mut found, mut manifests, mut broken) = (Vec::new(), Vec::new(), None);
    for (own, folder) in simulated.into_iter().zip(targets.made_in()) {
        match work.play(&mut preparer, own, &folder) {
            Ok((played, manifest)) => {
                found.push(played);
                manifests.push(manifest);
            }
            Err(failure) => {
                broken = Some(failure);
                break;
            }
        }
    }
    if let Some(broken) = broken.take_if(|_| targets.has_former()) {
        console.message("the former records stay as they were; none of the new ones replaces them");
        return Err(broken);
    }
    if let Some(broken) = broken.take_if(|_| found.is_empty()) {
        return Err(broken);
    }
    let runs: Vec<(PathBuf, Manifest)> = undivided(|| targets.take())?.into_iter().zip(manifests).collect();
    let no_figures = options.no_figures || broken.is_some();
    let figures = if no_figures { Ok(Vec::new()) } else { figures((&runs, &out), (Wanted::All, None), kinds, console) };
    tell(&found, (&runs, figures.as_deref().unwrap_or_default()), format)?;
    let told = found.iter().flat_map(|found| found.caveats().into_iter().map(|caveat| (found.name, caveat)));
    told.for_each(|(arm, caveat)| console.caveat(&format!("{arm}: {caveat}")));
    summary::caveats(&runs).iter().for_each(|caveat| console.caveat(caveat));
    let failures: Vec<String> = found.iter().filter_map(Found::failure).collect();
    if let Some(broken) = broken {
        return Err(broken);
    }
    if failures.is_empty() { figures.map(|_| ()) } else { Err(Failure::Run(failures.join("\nfedbits: "))) }
}

/// The arms of these names, or all.
fn chosen(arms: Vec<Arm>, names: &[String]) -> Result<Vec<Arm>, Failure> {
    if let Some(unknown) = names.iter().find(|name| arms.iter().all(|arm| arm.name() != name.as_str())) {
        let known: Vec<&str> = arms.iter().map(Arm::name).collect();
        let known = fedbits_text::one_of(&known);
        return Err(Failure::Input(format!("the scenario has no arm `{unknown}`: expected {known}")));
    }
    let wanted = |arm: &Arm| names.is_empty() || names.iter().any(|name| name == arm.name());
    Ok(arms.into_iter().filter(wanted).collect())
}

/// The arm with the rounds that are asked for, or with few.
fn bounded(mut arm: Arm, rounds: Option<u64>) -> Arm {
    let own = arm.checked.scenario.stop.rounds;
    if let Some(rounds) = rounds.or_else(|| own.is_none_or(|own| own > ROUNDS).then_some(ROUNDS)) {
        arm.checked = arm.checked.of_rounds(rounds);
    }
    arm
}

fn settings(options: &EmulateOptions) -> Settings {
    let discipline = options.queue.map(|queue| match queue {
        QueueOption::Fifo => Discipline::Fifo,
        QueueOption::Fair => Discipline::Fair,
    });
    let (congestion, room) = (options.congestion.clone(), options.room);
    let (repeat, max_seconds, keeps_window) = (options.repeat, options.max_seconds, options.keep_window);
    Settings { repeat, max_seconds, congestion, keeps_window, discipline, room }
}

struct Work<'a> {
    arms: &'a [Arm],
    settings: Settings,
    executor: Executor<'a>,
}

/// What was found of an arm.
struct Found<'a> {
    name: &'a str,
    emulated: Emulated,
    comparison: Comparison,
    /// Why results may differ; none where they may not.
    may_differ: Option<&'static str>,
    /// What the scenario says of its connections, and TCP does not do.
    not_played: Vec<String>,
}

impl<'a> Work<'a> {
    /// Simulates all arms, unless playing them takes too long.
    fn simulate(&self, preparer: &mut Preparer) -> Result<Vec<(&'a Arm, Simulated)>, Failure> {
        let mut simulated: Vec<(&Arm, Simulated)> = Vec::new();
        for arm in self.arms {
            simulated.push((arm, emulation::simulate(&self.executor, &arm.checked, preparer)?));
        }
        let seconds: f64 = simulated.iter().map(|(_, simulated)| simulated.seconds()).sum();
        self.check(seconds * f64::from(self.settings.repeat))?;
        Ok(simulated)
    }

    /// Plays an arm, and writes the record of its simulation with the tables of what was measured.
    fn play(
        &self,
        preparer: &mut Preparer,
        (arm, simulated): (&'a Arm, Simulated),
        folder: &Path,
    ) -> Result<(Found<'a>, Manifest), Failure> {
        let about = units::duration(simulated.seconds());
        self.executor.listener.message(&format!("{}: {about} by the simulation", arm.name()));
        let emulated = emulation::emulate(&self.executor, &arm.checked, preparer, (simulated, &self.settings));
        let emulated = emulated.map_err(|error| Failure::from(error).about(arm.name()))?;
        let comparison = Comparison::of(&emulated);
        let tables = [EmulatedTransfer::table(&comparison.transfers), EmulatedRound::table(&comparison.rounds)];
        let together = made_together(self.arms);
        let beside = Beside { together: &together, tables: &tables, ..Beside::default() };
        let manifest = self.executor.record(&arm.checked, preparer, folder, beside)?;
        let may_differ = emulation::why_different(&arm.checked.scenario, emulated.server);
        let not_played = emulation::not_played(&arm.checked.scenario);
        Ok((Found { name: arm.name(), emulated, comparison, may_differ, not_played }, manifest))
    }

    /// Refuses what takes too long.
    fn check(&self, seconds: f64) -> Result<(), Failure> {
        let limit = self.settings.max_seconds;
        if seconds <= limit as f64 {
            return Ok(());
        }
        let (needed, arms) = (units::duration(seconds), self.arms.len());
        let what = if arms > 1 { format!("all {arms} arms take") } else { "this takes".to_owned() };
        Err(Failure::Input(format!(
            "by the simulation {what} {needed} in real time, and --max-seconds allows {limit}: choose fewer --rounds, \
             fewer --repeat, or --max-seconds {:.0}",
            seconds.ceil()
        )))
    }
}

impl Found<'_> {
    /// What is wrong with it, if anything is.
    fn failure(&self) -> Option<String> {
        let name = self.name;
        if let Some(late) = self.emulated.real.iter().find(|real| real.is_late()) {
            return Some(format!(
                "{name}: the relay handed {:.1} % of the packets over more than a millisecond late, more than {:.0} %: \
                 the times are the machine's, not the network's",
                100.0 * late.report.relay.late_share(),
                100.0 * LATE_SHARE
            ));
        }
        let differences = self.all_differences().filter(|_| self.may_differ.is_none());
        differences.map(|what| {
            format!("{name}: differs from the simulation, though it waits for all (a defect, please report): {what}")
        })
    }

    /// In what the emulations differ from the simulation; none where they do not.
    fn all_differences(&self) -> Option<String> {
        let mut all: Vec<String> = self.emulated.real.iter().flat_map(|real| self.differences(&real.run)).collect();
        all.dedup();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// In what a run differs from the simulation.
    fn differences(&self, run: &emulation::Run) -> Vec<String> {
        let simulated = &self.emulated.simulated;
        let (theirs, ours) = (&run.record.manifest, &simulated.record.manifest);
        let payload = |direction| [simulated, run].map(|run| run.payload(direction));
        let numbers = [
            ("rounds", [ours.totals.rounds, theirs.totals.rounds]),
            ("payload bits up", payload(Direction::Up)),
            ("payload bits down", payload(Direction::Down)),
            ("payload bits between peers", payload(Direction::Peer)),
        ];
        let state = (ours.digests.state != theirs.digests.state).then(|| "the state's digest".to_owned());
        let differing = numbers.into_iter().filter(|(_, [one, other])| one != other);
        state.into_iter().chain(differing.map(|(what, [one, other])| format!("{what} ({one} and {other})"))).collect()
    }

    /// Are state and payload those of the simulation?
    fn same(&self, run: &emulation::Run) -> bool {
        self.differences(run).is_empty()
    }

    /// What must be known of it.
    fn caveats(&self) -> Vec<String> {
        let mut caveats = self.not_played.clone();
        if let Some((why, what)) = self.may_differ.zip(self.all_differences()) {
            caveats.push(format!("differs from the simulation, as it may ({why}): {what}"));
        }
        let [simulated, real] = self.comparison.alone;
        if simulated + real > 0 {
            caveats.push(format!(
                "not compared, as no partner arrived: {} and {}",
                so_many(simulated, "simulated transfer"),
                so_many(real, "real one")
            ));
        }
        let engine = self.emulated.real.iter().map(|real| &real.report);
        let late = engine.filter(|report| report.late as f64 > LATE_SHARE * report.timed as f64);
        if let Some(report) = late.max_by_key(|report| report.late) {
            caveats.push(format!(
                "the engine handed {} of {} transfers over more than a millisecond late, the latest by {:.1} ms: real \
                 times of rounds have that in them",
                report.late,
                report.timed,
                report.worst_lag_ns as f64 / 1e6
            ));
        }
        if self.emulated.real.iter().any(|real| !real.report.relay.real_time) {
            caveats
                .push("no real-time priority (SCHED_FIFO) was allowed: the relay is later than it could be".to_owned());
        }
        caveats
    }
}

fn tell(
    found: &[Found<'_>],
    written: (&[(PathBuf, Manifest)], &[PathBuf]),
    format: TableFormat,
) -> Result<(), Failure> {
    let (runs, figures) = written;
    if format == TableFormat::Json {
        let arms: Vec<_> = found.iter().zip(runs).map(|(found, (folder, _))| text::json(found, folder)).collect();
        return output::line(serde_json::json!({"arms": arms, "figures": figures}));
    }
    if format != TableFormat::Human {
        let tables: Vec<_> = found.iter().map(|found| (found.name, text::error_table(found))).collect();
        let titled = tables.iter().map(|(name, table)| Titled { title: name, name, table });
        return format.print(&titled.collect::<Vec<_>>());
    }
    for (found, (folder, _)) in found.iter().zip(runs) {
        output::print(text::human(found))?;
        output::line(format_args!("  record {}\n", folder.display()))?;
    }
    let mut pngs = figures.iter().filter(|path| path.file_name().is_some_and(|name| name == "emulation.png"));
    pngs.try_for_each(|png| output::line(format_args!("figure {}", png.display())))
}
