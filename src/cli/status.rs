//! `fedbits status`: how far the runs of a folder are, also while they are made; and what `fedbits run` would do now.

use fedbits_record::results::{Results, RunStatus, has_plan, is_result_folder};
use fedbits_spec::{Caveat, so_many};

use crate::cli::args::StatusOptions;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::state::{print_state, report_state, state, verdict};
use crate::cli::summary::first_arms;
use crate::cli::table::{Cell, Quantity, Table};
use crate::cli::watch;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::runs::{made_anew, read_plan};

/// Prints how many runs of which arm are there.
pub(crate) fn status(options: &StatusOptions, console: &Console) -> Result<(), Failure> {
    if options.watch {
        return watch::watch(&options.dir, console);
    }
    let format = options.format.get();
    if !is_result_folder(&options.dir)? && !has_plan(&options.dir)? {
        return watch::glance(&options.dir, format);
    }
    if format == TableFormat::Json {
        output::check_json_path(&options.dir)?;
    }
    let plan = read_plan(&options.dir)?;
    let record = Results::with_plan(&options.dir, plan)?;
    report_state(&record, console);
    let (lines, processes) = watch::all_processes(&options.dir);
    lines.iter().for_each(|line| console.message(line));
    let machine = RunOptions { data: project::data(options.data.clone()), ..RunOptions::default() };
    match made_anew(&record, &machine).map_err(Failure::from) {
        Ok(0) => {}
        Ok(runs) => {
            let runs = so_many(runs, "run that has a result|runs that have a result");
            console.caveat(&Caveat::ChangedSince { runs });
        }
        Err(why) => console.caveat(&Caveat::NotKnownHere { why: why.text().to_string() }),
    }
    let table = arms(&record);
    match format {
        TableFormat::Json => {
            let mut all = state(&record);
            all["processes"] = processes.json();
            output::line(all)?;
        }
        TableFormat::Human => {
            first_arms(&table, record.plan().arms.len())?;
            print_state(&record)?;
        }
        format => format.print(&[Titled { title: "runs by arm", name: "arms", table: &table }])?,
    }
    verdict(&record, None)
}

/// A row per arm: finished, how many of those with a degenerate fit, in a race ended early, failed, not begun, missing,
/// and host seconds per run that was made.
fn arms(record: &Results) -> Table {
    let plan = record.plan();
    let mut sums = vec![(0_u64, [0_u64, 0], [0_u64, 0], 0.0); plan.arms.len()];
    for run in record.runs() {
        let (finished, [cut, degenerate], failed, seconds) = &mut sums[run.arm];
        match run.kind {
            Some(RunStatus::Finished) => *finished += 1,
            Some(RunStatus::Degenerate) => (*finished, *degenerate) = (*finished + 1, *degenerate + 1),
            Some(RunStatus::Cut) => *cut += 1,
            Some(RunStatus::Failed) => failed[0] += 1,
            Some(RunStatus::NotRun) => failed[1] += 1,
            None => continue,
        }
        *seconds += run.seconds;
    }
    let cuts = plan.search.as_ref().is_some_and(|search| search.cut.is_some());
    let table = Table::default().text("arm").column("finished", "finished", Quantity::Plain);
    let table = table.column("degenerate", "degenerate", Quantity::Plain);
    let table = if cuts { table.column("cut", "ended early", Quantity::Plain) } else { table };
    let mut table = table
        .column("failed", "failed", Quantity::Plain)
        .column("not_run", "not begun", Quantity::Plain)
        .column("missing", "missing", Quantity::Plain)
        .column("host_s_per_run", "host time", Quantity::Seconds);
    for ((number, arm), (finished, [cut, degenerate], [failed, not_run], seconds)) in
        plan.arms.iter().enumerate().zip(&sums)
    {
        let done = finished + cut + failed;
        let planned = plan.replicates_of(number, record.decision());
        let mut row = vec![arm.name.as_str().into(), Cell::Count(*finished), Cell::Count(*degenerate)];
        row.extend(cuts.then_some(Cell::Count(*cut)));
        row.extend([*failed, *not_run, planned.saturating_sub(done + not_run)].map(Cell::Count));
        row.push((done > 0).then(|| seconds / done as f64).into());
        table.row(row);
    }
    table
}
