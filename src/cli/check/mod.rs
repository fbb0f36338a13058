//! `fedbits check`: what a scenario will do, and what a run of it will cost, on a page; with `--resolved` every default
//! filled in and every estimate.
//!
//! Costs are measured, not guessed: a short pilot of the run itself (no record, no figure) is extrapolated to its end.
//! Preparing an arm and its pilot may take some seconds of the processor's time: what lasts longer is stopped, and said
//! to be.

pub(crate) mod cost;
mod page;
pub(crate) mod pilots;

use serde_json::{Value, json};

use self::cost::RunCost;
use self::page::Page;
use self::pilots::{Piloted, Pilots};
use crate::cli::args::CheckOptions;
use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::host;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::study;
use crate::listener::Listener;
use crate::machine::Stopwatch;
use crate::scenario::{Arm, arm_name, check_fit};

/// Checks a scenario, or a study, and prints what it will do and cost.
pub(crate) fn check(options: &CheckOptions, console: &Console) -> Result<(), Failure> {
    if crate::study::is_study(&options.scenario.file)? {
        return study::check::check(options, console);
    }
    host::set_threads(options.scenario.changes.host.threads);
    let arms = options.scenario.read()?.arms()?;
    let format = options.format.get();
    let mut findings = Findings { arms: &arms, piloted: Vec::new(), whole: None };
    if options.text_only {
        return print(&findings, options, console);
    }
    let machine = options.scenario.changes.host.machine();
    let mut preparer = machine.preparer(&arms[0].folders(&machine));
    let watch = Stopwatch::start();
    check_fit("scenario", &mut preparer, arms.iter().map(|arm| &arm.checked))?;
    let mut whole = Whole { data_seconds: watch.seconds(), runs_seconds: Some(0.0), is_bound: false };
    let mut pilots = Pilots::new(preparer, f64::from(options.pilot_seconds));
    for arm in &arms {
        if format == TableFormat::Human {
            console.detail(&format!("a pilot of {}", arm.name()));
        }
        let piloted = pilots.run(&arm.checked)?;
        whole.add(&piloted);
        findings.piloted.push(piloted);
    }
    findings.whole = Some(whole);
    let failed = findings.failed();
    // What is wrong comes first, before a page of what is not.
    let verdict = if failed.is_empty() { Ok(()) } else { Err(Failure::Input(failed.join("\n")).told()) };
    print(&findings, options, console)?;
    verdict
}

/// What is known of the arms.
struct Findings<'a> {
    arms: &'a [Arm],
    /// What came of each; nothing where only texts are checked.
    piloted: Vec<Piloted>,
    /// Of all of them.
    whole: Option<Whole>,
}

impl Findings<'_> {
    /// Each arm and its cost, where that is known.
    fn costs(&self) -> impl Iterator<Item = (&Arm, &RunCost)> {
        self.arms.iter().zip(&self.piloted).filter_map(|(arm, piloted)| match piloted {
            Piloted::Cost(cost) => Some((arm, cost.as_ref())),
            Piloted::Not(_) => None,
        })
    }

    /// Why pilots failed.
    fn failed(&self) -> Vec<String> {
        let why = |(arm, cost): (&Arm, &RunCost)| {
            cost.failed().map(|why| format!("the pilot of `{}` failed: {why}", arm.name()))
        };
        self.costs().filter_map(why).collect()
    }

    /// What is not to be trusted blindly, once, behind the arms that it is about where it is not about all.
    fn caveats(&self) -> Vec<String> {
        let none: &[String] = &[];
        let of_run = |number: usize| match self.piloted.get(number) {
            Some(Piloted::Cost(cost)) => &cost.caveats,
            _ => none,
        };
        let arms = self.arms.iter().enumerate();
        let all = arms.flat_map(|(number, arm)| {
            arm.checked.caveats.iter().chain(of_run(number)).map(|caveat| (arm.name(), caveat.as_str()))
        });
        crate::cli::summary::by_arm(all, self.arms.len())
    }

    fn json(&self) -> Value {
        let arm = |(arm, piloted): (&Arm, &Piloted)| match piloted {
            Piloted::Cost(cost) => cost.json(&arm.checked),
            Piloted::Not(why) => json!({ "arm": arm.name(), "not_piloted": why }),
        };
        let arms: Vec<Value> = self.arms.iter().zip(&self.piloted).map(arm).collect();
        let whole = self.whole.as_ref();
        json!({
            "arms": arms,
            "project": project::get().file.as_ref().map(|file| file.display().to_string()),
            "elapsed_seconds": whole.and_then(Whole::seconds),
            "may_end_earlier": whole.is_some_and(|whole| whole.is_bound),
        })
    }
}

fn print(findings: &Findings<'_>, options: &CheckOptions, console: &Console) -> Result<(), Failure> {
    let format = options.format.get();
    if options.resolved {
        resolved(findings)?;
    } else {
        match format {
            TableFormat::Human => return output::print(Page::of(findings).text()),
            TableFormat::Json => output::line(findings.json())?,
            other => Page::of(findings).print(other)?,
        }
    }
    findings.caveats().iter().for_each(|caveat| console.caveat(caveat));
    Ok(())
}

/// The scenario of each arm with every default, and every estimate below it.
fn resolved(findings: &Findings<'_>) -> Result<(), Failure> {
    for (number, arm) in findings.arms.iter().enumerate() {
        output::line(format_args!("// {}\n{}", arm_name(&arm.checked), arm.checked.text.trim_end()))?;
        match findings.piloted.get(number) {
            Some(Piloted::Cost(cost)) => output::print(cost.text())?,
            Some(Piloted::Not(why)) => output::line(format_args!("// {why}"))?,
            None => {}
        }
    }
    let line = findings.whole.as_ref().and_then(Whole::line);
    line.map_or(Ok(()), |line| output::line(format_args!("// {line}")))
}

/// What `fedbits run` will take for all arms.
struct Whole {
    /// Seconds until the data are read or drawn, and prepared.
    data_seconds: f64,
    /// Seconds of the runs, where all of them can be predicted.
    runs_seconds: Option<f64>,
    /// Whether a run may end earlier.
    is_bound: bool,
}

impl Whole {
    fn add(&mut self, piloted: &Piloted) {
        let Piloted::Cost(cost) = piloted else {
            self.runs_seconds = None;
            return;
        };
        self.data_seconds += cost.preparation_seconds;
        self.is_bound |= cost.earlier.is_some();
        self.runs_seconds = self.runs_seconds.zip(cost.host_seconds()).map(|(sum, own)| sum + own);
    }

    fn seconds(&self) -> Option<f64> {
        self.runs_seconds.map(|runs| runs + self.data_seconds)
    }

    /// For people; none where it cannot be predicted.
    fn line(&self) -> Option<String> {
        let seconds = self.seconds()?;
        let (data, bound) = (self.data_seconds, if self.is_bound { "at most " } else { "" });
        Some(format!(
            "the whole command: {bound}{seconds:.1} s on this machine without figures, {data:.1} s of them until the \
             data are prepared"
        ))
    }
}
