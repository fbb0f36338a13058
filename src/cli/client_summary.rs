//! How clients differ in what they did and spent: a table below the summary of runs.

use fedbits_record::{Manifest, Spread};

use crate::cli::table::{Cell, Quantity, Table};

/// A row per run and quantity, where clients differ much or energy was counted.
pub(crate) fn table(runs: &[Manifest]) -> Table {
    let mut table = Table::default().text("arm").text("per_client");
    for (name, head) in [("min", "min"), ("mean", "mean"), ("max", "max"), ("worst_decile", "worst tenth")] {
        table = table.column(name, head, Quantity::Plain);
    }
    table = table.column("jain", "Jain", Quantity::Plain);
    runs.iter().for_each(|manifest| rows(manifest, &mut table));
    table
}

/// Below this index of Jain clients contribute so unequally that it is said.
const UNEQUAL: f64 = 0.95;

/// The rows of a run: none where clients contributed about equally often and no energy was counted.
fn rows(manifest: &Manifest, table: &mut Table) {
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
