//! `fedbits check`: what a scenario will do, and what a run of it will cost, on a page; with `--resolved` every default
//! filled in and every estimate.
//!
//! Costs are measured, not guessed: a short pilot of the run itself (no record, no figure) is extrapolated to its end.
//! Preparing an arm and its pilot may take some seconds of the processor's time: what lasts longer is stopped, and said
//! to be.

mod arms;
pub(crate) mod cost;
mod findings;
pub(crate) mod page;
pub(crate) mod pilots;

use fedbits_reports::Figures;
use fedbits_scenarios::prepare::memory::{Estimate, shown};

use self::findings::{Findings, Whole};
use self::page::Page;
use self::pilots::{Piloted, Pilots};
use crate::cli::args::CheckOptions;
use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::host;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::study;
use crate::listener::Listener;
use crate::machine::Stopwatch;
use crate::scenario::{Arm, arm_name, check_fit};

/// Checks a scenario and prints what it will do and cost.
pub(crate) fn check(options: &CheckOptions, kinds: &Figures, console: &Console) -> Result<(), Failure> {
    let runs = options.scenario.read()?.study()?;
    kinds.has_kinds_of(&runs.checked.scenario.figures)?;
    if runs.is_varied() {
        return study::check::check(&runs, options, console);
    }
    host::set_threads(options.scenario.changes.host.threads);
    let arms = Arm::all(&runs.checked, runs.folder.as_deref());
    let format = options.format.get();
    let caveats = &runs.checked.caveats;
    let mut findings = Findings { arms: &arms, replicates: runs.checked.scenario.replicates, together: caveats, piloted: Vec::new(), whole: None };
    if options.text_only {
        return print(&findings, options, console);
    }
    let machine = options.scenario.changes.host.machine();
    let mut preparer = machine.preparer(&arms[0].folders(&machine))?;
    let watch = Stopwatch::start();
    check_fit(&mut preparer, arms.iter().map(|arm| &arm.checked))?;
    let mut whole = Whole { data_seconds: watch.seconds(), runs_seconds: Some(0.0), is_bound: false };
    let mut pilots = Pilots::new(preparer, f64::from(options.pilot_seconds));
    for arm in &arms {
        if format == TableFormat::Human {
            console.detail(&format!("a pilot of {}", arm.name()));
        }
        let piloted = pilots.run(&arm.checked)?;
        whole.add(&piloted, runs.checked.scenario.replicates);
        findings.piloted.push(piloted);
    }
    findings.whole = Some(whole);
    let failed = findings.failed();
    // What is wrong comes first, before a page of what is not.
    let verdict = if failed.is_empty() { Ok(()) } else { Err(Failure::Input(failed.join("\n")).told()) };
    print(&findings, options, console)?;
    verdict
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
    console.caveats(&findings.caveats());
    Ok(())
}

/// The scenario of each arm with every default, and every estimate below it.
fn resolved(findings: &Findings<'_>) -> Result<(), Failure> {
    for (number, arm) in findings.arms.iter().enumerate() {
        output::line(format_args!("// {}\n{}", arm_name(&arm.checked), arm.checked.text.trim_end()))?;
        match findings.piloted.get(number) {
            Some(Piloted::Cost(cost)) => output::print(cost.text())?,
            Some(Piloted::Not(why, memory)) => {
                output::line(format_args!("// {why}"))?;
                let line = |memory: &Estimate| {
                    format!("// memory: about {} ({})", shown(memory.total()), memory.largest_parts())
                };
                memory.as_ref().map_or(Ok(()), |memory| output::line(line(memory)))?;
            }
            None => {}
        }
    }
    let line = findings.whole.as_ref().and_then(Whole::line);
    line.map_or(Ok(()), |line| output::line(format_args!("// {line}")))
}
