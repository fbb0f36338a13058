//! What a race has decided: sentences, and a table each of the arms and the looks.

use fedbits_record::results::{Effect, PlanObjective};
use fedbits_reports::compare::ConfidenceInterval;
use fedbits_reports::decision::{Decided, Place, counted, reason};
use fedbits_spec::so_many;
use serde_json::{Map, Value, json};

use super::human::{head, interval_cells, interval_columns, three, unit};
use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::table::{Cell, Quantity as Unit, Table};
use crate::cli::wrap;

const LISTED: usize = 20;

/// What was decided, and the tables of it: as CSV all, else those that people read.
pub(super) fn text(decided: &Decided<'_>, format: TableFormat) -> Result<String, Failure> {
    let (sentences, name) = (decided.sentences(), &decided.plan.name);
    let mut text = match format {
        TableFormat::Markdown => format!("## decision: {name}\n\n{}\n", sentences.join("\n\n")),
        _ => sentences.iter().map(|line| format.note(line)).collect(),
    };
    if format == TableFormat::Human {
        text.insert_str(0, &wrap::heading(&format!("{name}: decision")));
    }
    let more = decided.order().len().saturating_sub(LISTED);
    for (name, table) in tables(decided) {
        let title = if name == "decision" {
            "the arms of the race, the best first"
        } else {
            "looks: each arm beside the leader"
        };
        text += &match format {
            TableFormat::Csv => format!("{}\n", format.titled(name, &table)?),
            TableFormat::Latex => format.titled(title, &table)?,
            // The looks go into the figure of the race, and to programs.
            _ if name == "looks" => continue,
            TableFormat::Human if more > 0 => {
                let first = format.titled(title, &table.first(LISTED))?;
                format!("\n{first}… and {} (--format csv has all)\n", so_many(more, "more arm"))
            }
            _ => format!("\n{}", format.titled(title, &table)?),
        };
    }
    Ok(if format == TableFormat::Csv { text } else { text + "\n" })
}

pub(super) fn json(decided: &Decided<'_>) -> Value {
    let fields = [("ended", json!(decided.decision.ended)), ("sentences", json!(decided.sentences()))];
    let best: Vec<&str> = decided.decision.best.iter().map(|&arm| decided.name(arm)).collect();
    let all = fields.into_iter().chain([("best", json!(best))]).map(|(name, value)| (name.to_owned(), value));
    let tables = tables(decided).into_iter().map(|(name, table)| {
        let name = if name == "decision" { "arms" } else { name };
        (name.to_owned(), table.json())
    });
    Value::Object(all.chain(tables).collect::<Map<String, Value>>())
}

/// The tables that have rows, by their names for programs.
fn tables(decided: &Decided<'_>) -> Vec<(&'static str, Table)> {
    let all = [("decision", arms(decided)), ("looks", looks(decided))];
    all.into_iter().filter(|(_, table)| !table.is_empty()).collect()
}

/// The name of an objective among columns, as in `runs.csv`.
fn column(objective: &PlanObjective) -> String {
    match objective {
        PlanObjective::BitsTo(target) => format!("bits_total_to_{}", target.column_name()),
        PlanObjective::UploadTo(target) => format!("bits_up_to_{}", target.column_name()),
        PlanObjective::TimeTo(target) => format!("time_s_to_{}", target.column_name()),
        PlanObjective::RoundsTo(target) => format!("rounds_to_{}", target.column_name()),
        PlanObjective::Best(column) => column.clone(),
    }
}

/// A ratio where costs have ratios, else a difference.
fn compared(objective: &PlanObjective) -> &'static str {
    if objective.has_ratios() { "ratio" } else { "difference" }
}

/// A row per arm that has a run.
fn arms(decided: &Decided<'_>) -> Table {
    let count = |table: Table, name, head| table.column(name, head, Unit::Plain);
    let mut table = count(Table::default().text("arm").text("place"), "dropped_after", "after");
    table =
        count(table, "asked", "asked").joined("runs", "runs", Unit::Plain).joined("feasible", "feasible", Unit::Plain);
    let objective = &decided.search.objective;
    let (name, what, compared) = (column(objective), counted(objective), compared(objective));
    let title = if let PlanObjective::Best(column) = objective { column } else { head(what) };
    table = table.column(&name, title, unit(what));
    let effect = format!("{name}_{compared}");
    table = interval_columns(table.joined(&effect, compared, Unit::Plain), &effect);
    table = table.column("to_leader", &format!("{compared} to leader"), Unit::Plain).joined(
        "to_leader_bound",
        "bound",
        Unit::Plain,
    );
    table = table.joined("to_leader_pairs", "n", Unit::Plain);
    for arm in decided.order() {
        let decided_arm = decided.arm(arm);
        let (place, after) = match decided.place(arm) {
            Place::Best => ("best", Cell::Missing),
            Place::Left => ("left", Cell::Missing),
            Place::Infeasible => ("infeasible", Cell::Missing),
            Place::Dropped(after, why) => (reason(why), Cell::Count(after)),
        };
        let mut row = vec![decided.name(arm).into(), place.into(), after];
        row.extend([decided_arm.asked, decided_arm.runs, decided_arm.feasible].map(Cell::Count));
        row.push(decided_arm.cost.into());
        let effect = decided_arm.against_baseline.as_ref();
        let interval = effect.map(|&Effect { mean, low, high, .. }| ConfidenceInterval { mean, low, high });
        row.extend(interval_cells(interval, effect.map(|effect| effect.pairs)));
        let last = decided.beside_leader(arm);
        row.extend([three(last.and_then(|standing| standing.mean)), three(last.and_then(|standing| standing.low))]);
        row.push(last.map_or(Cell::Missing, |standing| Cell::Count(standing.pairs as u64)));
        table.row(row);
    }
    table
}

/// A row for each look and each arm that was held against the leader there.
fn looks(decided: &Decided<'_>) -> Table {
    let table = Table::default().column("replicates", "replicates", Unit::Plain).text("leader").text("arm");
    let compared = compared(&decided.search.objective);
    let table = table.column(compared, compared, Unit::Plain).joined("bound", "bound", Unit::Plain);
    let mut table = table.joined("pairs", "n", Unit::Plain).text("dropped");
    for look in &decided.decision.looks {
        for standing in &look.standings {
            let names = [look.leader, standing.arm].map(|arm| Cell::from(decided.name(arm)));
            let mut row = vec![Cell::Count(look.replicates)];
            row.extend(names);
            row.extend([three(standing.mean), three(standing.low), Cell::Count(standing.pairs as u64)]);
            row.push(standing.dropped.map_or(Cell::Missing, |why| reason(why).into()));
            table.row(row);
        }
    }
    table
}
