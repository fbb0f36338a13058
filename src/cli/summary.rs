//! What `run` and `merge` print on standard output: a row per arm, and what became of the runs; or JSON.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fedbits_numerics::quantile;
use fedbits_record::results::{Results, RunStatus};
use fedbits_record::{Manifest, RunRecord, Spread};
use fedbits_spec::{Caveats, CountedCaveat, so_many};
use serde_json::{Value, json};

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
    /// By arm the values of its runs.
    arms: Vec<(String, Vec<RunValues>)>,
    firsts: Vec<Manifest>,
    runs: Vec<Value>,
    failed: usize,
    caveats: Caveats,
}

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
        let clients = client_table(&summary.firsts);
        let titled = |name, table| Titled { title: "", name, table };
        let clients = (!clients.is_empty()).then(|| titled("clients", &clients));
        if format == TableFormat::Human {
            first_arms(&table, summary.arms.len())?;
            format.print(clients.as_slice())?;
        } else {
            format.print(&[titled("runs", &table)].into_iter().chain(clients).collect::<Vec<_>>())?;
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
            let values = values(&run);
            match summary.arms.last_mut() {
                Some((last, runs)) if last == name => runs.push(values),
                _ => {
                    summary.arms.push((name.clone(), vec![values]));
                    summary.firsts.push(run.manifest);
                }
            }
        }
        Ok(summary)
    }

    /// A row per arm: of several runs the medians.
    fn table(&self) -> Table {
        let runs = || self.arms.iter().flat_map(|(_, runs)| runs);
        let shown = (0..COLUMNS.len()).filter(|&at| at < ALWAYS || runs().any(|values| values[at].is_some()));
        let shown: Vec<usize> = shown.collect();
        let columns = shown.iter().map(|&at| COLUMNS[at]);
        let mut table = columns
            .fold(Table::default().text("arm"), |table, (name, head, quantity)| table.column(name, head, quantity));
        let is_replicated = self.arms.iter().any(|(_, runs)| runs.len() > 1);
        if is_replicated {
            table = table.column("runs", "runs", Quantity::Plain);
        }
        for (name, runs) in &self.arms {
            let mut cells = vec![Cell::Text(name.clone())];
            cells.extend(shown.iter().map(|&at| over_runs(COLUMNS[at].0, runs.iter().map(|values| values[at]))));
            cells.extend(is_replicated.then_some(Cell::Count(runs.len() as u64)));
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

/// What the table shows of a run: a column for programs, its heading, and what it measures.
const COLUMNS: [(&str, &str, Quantity); 13] = [
    ("rounds", "rounds", Quantity::Plain),
    ("epochs", "epochs", Quantity::Plain),
    ("bits_up", "bits up", Quantity::Bits),
    ("bits_total", "bits total", Quantity::Bits),
    ("time_s", "time", Quantity::Seconds),
    ("objective", "objective", Quantity::Plain),
    ("mean_field_sq", "‖h‖²", Quantity::Plain),
    ("minus_2ll", "−2LL", Quantity::Plain),
    ("perplexity_held_out", "perplexity", Quantity::Plain),
    ("accuracy", "accuracy", Quantity::Share),
    ("held_out_log_likelihood", "held-out LL", Quantity::Plain),
    ("held_out_accuracy", "held-out acc.", Quantity::Share),
    (DEGENERATE, "degenerate", Quantity::Plain),
];
/// The column that counts the runs whose fit is degenerate: their accuracy and ‖h‖² may look best.
const DEGENERATE: &str = "degenerate";
/// The first of them are there whether a run has measured them or not.
const ALWAYS: usize = 7;

/// The value of each column.
type RunValues = [Option<f64>; COLUMNS.len()];

fn values(run: &RunRecord) -> RunValues {
    let totals = &run.manifest.totals;
    COLUMNS.map(|(name, ..)| match name {
        "rounds" => Some(totals.rounds as f64),
        "epochs" => run.rounds.last().map(|row| row.epochs),
        "bits_up" => Some(totals.bits_up as f64),
        "bits_total" => Some(totals.bits_total() as f64),
        "time_s" => Some(totals.time_ns as f64 / 1e9),
        DEGENERATE => (RunStatus::of(run) == RunStatus::Degenerate).then_some(1.0),
        measured => run.last(measured),
    })
}

/// The median over runs, or how many fits are degenerate.
fn over_runs(name: &str, values: impl Iterator<Item = Option<f64>>) -> Cell {
    let mut values: Vec<f64> = values.flatten().collect();
    values.sort_by(f64::total_cmp);
    if name == DEGENERATE {
        return Cell::Count(values.len() as u64);
    }
    if values.is_empty() {
        return Cell::Missing;
    }
    let median = quantile(&values, 0.5);
    let is_count = name == "rounds" || name.starts_with("bits_");
    if is_count && median.fract() == 0.0 { Cell::Count(median as u64) } else { Cell::Number(median) }
}

/// A row per run and quantity, where clients differ much or energy was counted.
fn client_table(runs: &[Manifest]) -> Table {
    let mut table = Table::default().text("arm").text("per_client");
    for (name, head) in [("min", "min"), ("mean", "mean"), ("max", "max"), ("worst_decile", "worst tenth")] {
        table = table.column(name, head, Quantity::Plain);
    }
    table = table.column("jain", "Jain", Quantity::Plain);
    runs.iter().for_each(|manifest| client_rows(manifest, &mut table));
    table
}

/// Below this index of Jain clients contribute so unequally that it is said.
const UNEQUAL: f64 = 0.95;

/// The rows of a run: none where clients contributed about equally often and no energy was counted.
fn client_rows(manifest: &Manifest, table: &mut Table) {
    let Some(spreads) = &manifest.per_client else { return };
    let differ = spreads.contributions.and_then(|spread| spread.jain).is_some_and(|index| index < UNEQUAL);
    if !differ && spreads.energy_j.is_none() {
        return;
    }
    // What the fit is worth to each, beside how often each took part.
    let worth = |name| spreads.further.get(name).copied();
    let quantities = [
        ("contributions", spreads.contributions),
        ("objective", worth("objective")),
        ("accuracy", worth("accuracy")),
        ("busy (s)", Some(spreads.busy_s)),
        ("waiting (s)", Some(spreads.waiting_s)),
        ("energy (J)", spreads.energy_j),
    ];
    for (name, spread) in quantities.into_iter().filter_map(|(name, spread)| Some((name, spread?))) {
        let Spread { min, mean, max, worst_decile, jain } = spread;
        let mut cells = vec![Cell::from(manifest.arm.as_str()), Cell::from(name)];
        cells.extend([min, mean, max, worst_decile].map(Cell::Number));
        cells.push(Cell::from(jain));
        table.row(cells);
    }
}
