//! What `run` and `merge` print on standard output: a row per arm, and what became of the runs; or JSON.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fedbits_numerics::quantile;
use fedbits_record::results::{Results, RunStatus};
use fedbits_record::{Manifest, RunRecord};
use fedbits_spec::{Caveats, CountedCaveat, so_many};
use serde_json::{Value, json};

use crate::cli::client_summary;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::state::{print_state, state};
use crate::cli::table::{Cell, Quantity, Table};
use crate::cli::wrap;
use crate::listener::Listener;
use crate::runs::{Shard, runs_of_shard};

const LISTED: usize = 40;

#[derive(Default)]
struct RunsSummary {
    /// By arm the cells of its runs, and what the last probe measured.
    arms: Vec<(String, Vec<RunCells>)>,
    firsts: Vec<Manifest>,
    runs: Vec<Value>,
    failed: usize,
    caveats: Caveats,
}

type RunCells = (Vec<Cell>, [Option<f64>; MEASURED.len()]);

/// Prints the summary of the runs that are there, of the shard if there is one, and of their figures.
pub(crate) fn print(
    record: &Results,
    shard: Option<Shard>,
    figures: &[PathBuf],
    format: TableFormat,
    console: &Console,
) -> Result<(), Failure> {
    let summary = RunsSummary::of(record, shard)?;
    let (table, caveats) = (summary.table(), summary.caveats.into_vec());
    if format == TableFormat::Json {
        let mut all = state(record);
        (all["arms"], all["runs"]) = (table.json(), summary.runs.into());
        (all["figures"], all["caveats"]) = (json!(figures), json!(caveats));
        output::line(all)?;
    } else if !summary.arms.is_empty() {
        let clients = client_summary::table(&summary.firsts);
        match format {
            TableFormat::Human => {
                first_arms(&table, summary.arms.len())?;
                if !clients.is_empty() {
                    format.print(&[Titled { title: "", name: "clients", table: &clients }])?;
                }
            }
            format => {
                let mut tables = vec![Titled { title: "", name: "runs", table: &table }];
                if !clients.is_empty() {
                    tables.push(Titled { title: "", name: "clients", table: &clients });
                }
                format.print(&tables)?;
            }
        }
    }
    if format == TableFormat::Human {
        if summary.arms.iter().any(|(_, runs)| runs.len() > 1) {
            let so_far = match summary.failed {
                0 => String::new(),
                failed => format!("; {failed} failed, and count as far as they came"),
            };
            output::line(format_args!("medians over the replicates of an arm{so_far}"))?;
        }
        print_state(record)?;
        let mut pngs = figures.iter().filter(|path| path.extension().is_some_and(|ending| ending == "png"));
        pngs.try_for_each(|png| output::line(format_args!("figure {}", png.display())))?;
    }
    console.caveats(&caveats);
    explained(&caveats).iter().for_each(|line| console.message(line));
    Ok(())
}

impl RunsSummary {
    fn of(record: &Results, shard: Option<Shard>) -> Result<Self, Failure> {
        let mut summary = Self::default();
        let mut runs: Vec<(usize, u64)> =
            runs_of_shard(record, shard).iter().map(|run| (run.arm, run.replicate)).collect();
        runs.sort_unstable();
        for (arm, replicate) in runs {
            let Some(run) = record.run_without_tables(arm, replicate)? else { continue };
            let name = &record.plan().arms[arm].name;
            summary.caveats.add(name, &run.manifest.caveats);
            summary.failed += usize::from(run.manifest.failure().is_some());
            summary.runs.push(ending(&run));
            let cells = (row(&run), MEASURED.map(|(name, ..)| run.last(name)));
            match summary.arms.last_mut() {
                Some((last, runs)) if last == name => runs.push(cells),
                _ => {
                    summary.arms.push((name.clone(), vec![cells]));
                    summary.firsts.push(run.manifest);
                }
            }
        }
        Ok(summary)
    }

    /// A row per arm: of several runs the medians.
    fn table(&self) -> Table {
        let runs = || self.arms.iter().flat_map(|(_, runs)| runs);
        let measured: Vec<usize> =
            (0..MEASURED.len()).filter(|&at| runs().any(|(_, last)| last[at].is_some())).collect();
        let mut table = Table::default()
            .text("arm")
            .column("rounds", "rounds", Quantity::Plain)
            .column("epochs", "epochs", Quantity::Plain)
            .column("bits_up", "bits up", Quantity::Bits)
            .column("bits_total", "bits total", Quantity::Bits)
            .column("time_s", "time", Quantity::Seconds)
            .column("objective", "objective", Quantity::Plain)
            .column("mean_field_sq", "‖h‖²", Quantity::Plain);
        for (name, head, quantity) in measured.iter().map(|&at| MEASURED[at]) {
            table = table.column(name, head, quantity);
        }
        let is_replicated = self.arms.iter().any(|(_, runs)| runs.len() > 1);
        if is_replicated {
            table = table.column("runs", "runs", Quantity::Plain);
        }
        for (name, runs) in &self.arms {
            let whole = |(cells, last): &RunCells| {
                let last = measured.iter().map(|&at| Cell::from(last[at]));
                cells.iter().cloned().chain(last).collect::<Vec<Cell>>()
            };
            let rows: Vec<Vec<Cell>> = runs.iter().map(whole).collect();
            let mut cells = vec![Cell::Text(name.clone())];
            match &rows[..] {
                [only] => cells.extend(only.iter().cloned()),
                several => {
                    let column = |at: usize| median(several.iter().map(|cells| &cells[at]));
                    cells.extend((0..several[0].len()).map(column));
                }
            }
            cells.extend(is_replicated.then_some(Cell::Count(rows.len() as u64)));
            table.row(cells);
        }
        table
    }
}

fn ending(run: &RunRecord) -> Value {
    let Manifest { arm, seed, replicate, clients, digests, stop_reason, totals, caveats, .. } = &run.manifest;
    json!({
        "arm": arm,
        "seed": seed,
        "replicate": replicate,
        "clients": clients,
        "status": RunStatus::of(run).name(),
        "stop_reason": stop_reason,
        "digests": digests,
        "totals": totals,
        "caveats": caveats,
    })
}

/// Prints the rows of the first of so many arms.
pub(crate) fn first_arms(table: &Table, arms: usize) -> Result<(), Failure> {
    output::print(table.first(LISTED).human(wrap::width()))?;
    match arms.saturating_sub(LISTED) {
        0 => Ok(()),
        more => output::line(format_args!("… and {} (--format csv has all)", so_many(more, "more arm"))),
    }
}

pub(crate) fn explained(caveats: &[CountedCaveat]) -> Option<String> {
    let ids: BTreeSet<&str> = caveats.iter().map(|counted| counted.caveat.kind().id).collect();
    let (verb, ids) = (if ids.len() == 1 { "says" } else { "say" }, Vec::from_iter(ids));
    (!ids.is_empty()).then(|| format!("`fedbits explain {}` {verb} more", ids.join("`, `fedbits explain ")))
}

/// What the last probe may have measured beside the objective: the column of `rounds.csv`, and its heading.
const MEASURED: [(&str, &str, Quantity); 5] = [
    ("minus_2ll", "−2LL", Quantity::Plain),
    ("perplexity_held_out", "perplexity", Quantity::Plain),
    ("accuracy", "accuracy", Quantity::Share),
    ("held_out_log_likelihood", "held-out LL", Quantity::Plain),
    ("held_out_accuracy", "held-out acc.", Quantity::Share),
];

fn median<'a>(cells: impl Iterator<Item = &'a Cell>) -> Cell {
    let number = |cell: &Cell| match cell {
        Cell::Count(count) => Some(*count as f64),
        Cell::Number(number) | Cell::Rough(number) | Cell::Shown(_, number) => Some(*number),
        Cell::Text(_) | Cell::Missing => None,
    };
    let mut numbers: Vec<f64> = cells.filter_map(number).collect();
    numbers.sort_by(f64::total_cmp);
    if numbers.is_empty() { Cell::Missing } else { Cell::Number(quantile(&numbers, 0.5)) }
}

fn row(run: &RunRecord) -> Vec<Cell> {
    let totals = &run.manifest.totals;
    vec![
        Cell::Count(totals.rounds),
        Cell::from(run.rounds.last().map(|row| row.epochs)),
        Cell::Count(totals.bits_up),
        Cell::Count(totals.bits_total()),
        Cell::Number(totals.time_ns as f64 / 1e9),
        Cell::from(run.last("objective")),
        Cell::from(run.last("mean_field_sq")),
    ]
}
