//! `fedbits check`: what a scenario will do, and what its runs will cost, without running it.

mod arms;
mod cost;
mod findings;
mod page;

use fedbits_reports::Figures;
use serde_json::Value;

use self::cost::Piloted;
use self::findings::Findings;
use self::page::Page;
use crate::cli::args::CheckOptions;
use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::host;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::listener::Listener;

/// Checks a scenario and prints what it will do and cost.
pub(crate) fn check(options: &CheckOptions, kinds: &Figures, console: &Console) -> Result<(), Failure> {
    let runs = options.scenario.read()?.runs()?;
    kinds.has_kinds_of(&runs.checked.scenario.figures)?;
    let host = &options.scenario.changes.host;
    let mut findings = Findings::of_text(&runs, host::set_threads(host.threads));
    if !options.text_only {
        let is_human = options.format.get() == TableFormat::Human;
        let seconds = f64::from(options.pilot_seconds);
        findings.make_pilots(&host.machine(), seconds, |arm| {
            if is_human {
                console.detail(&format!("a pilot of {}", arm.name()));
            }
        })?;
    }
    let failed = findings.failed();
    // What is wrong comes first, before a page of what is not.
    let verdict = if failed.is_empty() { Ok(()) } else { Err(Failure::Input(failed.join("\n")).told()) };
    print(&findings, options, console)?;
    verdict
}

fn print(findings: &Findings<'_>, options: &CheckOptions, console: &Console) -> Result<(), Failure> {
    match options.format.get() {
        _ if options.resolved => resolved(findings)?,
        TableFormat::Human => return output::print(Page::of(findings).text()),
        TableFormat::Json => output::line(json(findings))?,
        format => Page::of(findings).print(format)?,
    }
    console.caveats(&findings.caveats());
    Ok(())
}

/// What is known of each arm, and the row of the table in which arms differ.
fn json(findings: &Findings<'_>) -> Value {
    let mut all = findings.json();
    let rows = arms::arms(findings).map_or(Value::Null, |table| table.json());
    let objects = all["arms"].as_array_mut().into_iter().flatten().zip(rows.as_array().into_iter().flatten());
    for (known, row) in objects {
        for (name, cell) in row.as_object().into_iter().flatten() {
            if known.get(name).is_none() {
                known[name] = cell.clone();
            }
        }
    }
    all
}

/// The scenario of each arm with every default, and every estimate below it as comments.
fn resolved(findings: &Findings<'_>) -> Result<(), Failure> {
    for (number, arm) in findings.arms.iter().enumerate() {
        let estimates = match findings.of_arm(number) {
            Some(Piloted::Cost(cost)) => page::estimates(arm, cost),
            Some(Piloted::Failed(why)) => why.clone(),
            Some(Piloted::Not(why, memory)) => {
                memory.iter().fold(why.clone(), |text, memory| format!("{text}\n{}", page::memory_line(memory)))
            }
            None => String::new(),
        };
        let estimates: String = estimates.lines().map(|line| format!("// {}\n", line.trim_end())).collect();
        output::print(format_args!("// {}\n{}\n{estimates}", arm.name(), arm.text().trim_end()))?;
    }
    Ok(())
}
