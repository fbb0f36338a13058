//! `fedbits status`: how far the runs of a folder are, also while they are made; and what `fedbits run` would do now.

use fedbits_record::results::{Results, RunCounts, has_plan, is_result_folder};
use fedbits_spec::{Caveat, so_many};

use crate::cli::args::StatusOptions;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::state::{print_state, state, verdict};
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
    record.caveats().iter().for_each(|caveat| console.caveat(caveat));
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
    let mut sums = vec![(RunCounts::default(), 0.0); plan.arms.len()];
    for (run, status) in record.runs().filter_map(|run| Some((run, run.kind?))) {
        sums[run.arm].0.add(status);
        sums[run.arm].1 += run.seconds;
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
    for ((number, arm), (counts, seconds)) in plan.arms.iter().enumerate().zip(sums) {
        let (made, planned) = (counts.results(), plan.replicates_of(number, record.decision()));
        let mut row = vec![arm.name.as_str().into(), Cell::Count(counts.finished), Cell::Count(counts.degenerate)];
        row.extend(cuts.then_some(Cell::Count(counts.cut)));
        let missing = planned.saturating_sub(made + counts.not_run);
        row.extend([counts.failed, counts.not_run, missing].map(Cell::Count));
        row.push((made > 0).then(|| seconds / made as f64).into());
        table.row(row);
    }
    table
}
