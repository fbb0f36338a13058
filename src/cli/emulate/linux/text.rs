//! What an emulation prints: for people, or JSON.

use std::path::Path;

use fedbits_emulate::{Counts, Report};
use fedbits_record::{EmulatedTransfer, Totals};
use serde_json::{Value, json};

use super::Found;
use crate::cli::style::HEAD;
use crate::cli::table::{Cell, Quantity, Table};
use crate::cli::wrap;
use crate::emulation::{Errors, RealRun, Run};

/// The tables of an arm.
pub(super) fn human(found: &Found<'_>) -> String {
    let title = format!("{}: simulated − real", found.name);
    let mut text = format!("{HEAD}{title}{HEAD:#}\n{}\n", error_table(found).human(wrap::width()));
    let (simulated, real) = (&found.emulated.simulated, &found.emulated.real);
    let seconds = |totals: &Totals| totals.time_ns as f64 * 1e-9;
    let one = seconds(&simulated.record.manifest.totals);
    let all: Vec<String> = real
        .iter()
        .map(|real| seconds(&real.run.record.manifest.totals))
        .map(|other| format!("{other:.3} s ({:+.2} %)", 100.0 * (one / other - 1.0)))
        .collect();
    text += &wrap::prose("  ", "    ", &format!("run: simulated {one:.3} s, real {}", all.join(", ")));
    for (number, real) in (1..).zip(real) {
        let title = if found.emulated.real.len() > 1 { format!("bits, emulation {number}") } else { "bits".to_owned() };
        text += &bits(&title, simulated, real);
        text += &lateness(&real.report);
    }
    text + &digest(found, real)
}

/// Relative differences of times, a row per kind of them.
pub(super) fn error_table(found: &Found<'_>) -> Table {
    let mut table = Table::default()
        .text("of")
        .column("count", "count", Quantity::Plain)
        .column("median", "median", Quantity::Share)
        .column("median_size", "|median|", Quantity::Share)
        .column("p90_size", "|p90|", Quantity::Share)
        .column("worst_size", "|worst|", Quantity::Share);
    for (name, Errors { count, signed, magnitudes }) in errors(found) {
        let [median, p90, worst] = magnitudes.map(|percent| Cell::Shown(format!("{percent:.2}"), percent / 100.0));
        let signed = Cell::Shown(format!("{signed:+.2}"), signed / 100.0);
        table.row(vec![name.into(), Cell::Count(count as u64), signed, median, p90, worst]);
    }
    table
}

/// Errors by direction, and of rounds.
fn errors(found: &Found<'_>) -> Vec<(&'static str, Errors)> {
    let comparison = &found.comparison;
    let up = |transfer: &EmulatedTransfer| transfer.to == "server";
    let down = |transfer: &EmulatedTransfer| transfer.from == "server";
    let all = [
        ("transfers up", comparison.errors(up)),
        ("transfers down", comparison.errors(down)),
        ("other transfers", comparison.errors(|transfer| !up(transfer) && !down(transfer))),
        ("rounds", comparison.round_errors()),
    ];
    all.into_iter().filter_map(|(name, errors)| Some((name, errors?))).collect()
}

/// Bits of the simulation's ledger and those that the relay saw in an emulation.
fn bits(title: &str, simulated: &Run, real: &RealRun) -> String {
    let wire = real.report.relay.sum(|_, _| true);
    let headers = wire.headers + wire.acknowledgements + wire.control;
    let mut table = Table::default().text(title).column("simulated_bits", "simulated", Quantity::Plain).column(
        "wire_bits",
        "on the wire",
        Quantity::Plain,
    );
    let lines = [
        ("payload", Some(simulated.sum(|row| row.payload_bits)), wire.data),
        ("sent again", Some(simulated.sum(|row| row.retransmitted_bits)), wire.retransmitted),
        ("headers in all", Some(simulated.sum(|row| row.header_bits)), headers),
        ("· of data", None, wire.headers),
        ("· acknowledgements", None, wire.acknowledgements),
        ("· of connections", None, wire.control),
    ];
    for (name, simulated, wire) in lines {
        table.row(vec![name.into(), simulated.map_or(Cell::Missing, Cell::Count), Cell::Count(wire)]);
    }
    format!("\n{}\n", table.human(wrap::width()))
}

fn digest(found: &Found<'_>, real: &[RealRun]) -> String {
    let equal = real.iter().filter(|real| found.same(&real.run)).count();
    let of = real.len();
    let state = found.emulated.simulated.record.manifest.digests.state.get(..16).unwrap_or_default();
    let why = match found.may_differ {
        None => "as they must be: the protocol waits for all",
        Some(why) => why,
    };
    let text = format!("state {state} and payload bits: equal to the simulation's in {equal} of {of} ({why})");
    wrap::prose("  ", "    ", &text)
}

fn lateness(report: &Report) -> String {
    let Report { relay, timed, late, worst_lag_ns, stood_ns, longest_stand_ns, .. } = report;
    let ms = |ns: &u64| *ns as f64 * 1e-6;
    let share = 100.0 * report.content_bits as f64 / report.payload_bits.max(1) as f64;
    let relay = format!(
        "relay: {} packets, {} over 1 ms late ({:.2} %), worst {:.2} ms; dropped {}, lost {}",
        relay.packets,
        relay.late,
        100.0 * relay.late_share(),
        ms(&relay.worst_ns),
        relay.dropped,
        relay.lost,
    );
    let (worst, stood, longest) = (ms(worst_lag_ns), ms(stood_ns), ms(longest_stand_ns));
    let engine = format!(
        "engine: {late} of {timed} transfers over 1 ms late, worst {worst:.2} ms; its clock stood {stood:.0} ms for \
         computing, at most {longest:.1} ms at once"
    );
    let bytes = report.compared_bytes;
    let content = format!(
        "{bytes} bytes arrived as sent; {share:.1} % of the payload are the codec's strings, the rest is filled in"
    );
    [relay, engine, content].map(|line| wrap::prose("  ", "    ", &line)).concat()
}

/// The same for programs.
pub(super) fn json(found: &Found<'_>, folder: &Path) -> Value {
    let errors: Vec<Value> = errors(found)
        .into_iter()
        .map(|(name, Errors { count, signed, magnitudes: [median, p90, worst] })| {
            json!({"of": name, "count": count, "median_percent": signed, "absolute_percent":
                {"median": median, "p90": p90, "worst": worst}})
        })
        .collect();
    let real: Vec<Value> = found.emulated.real.iter().map(|real| of_run(found, real)).collect();
    let manifest = &found.emulated.simulated.record.manifest;
    json!({
        "arm": found.name,
        "directory": folder,
        "errors": errors,
        "without_partner": found.comparison.alone,
        "simulated": {"digests": manifest.digests, "totals": manifest.totals},
        "real": real,
        "may_differ": found.may_differ,
    })
}

fn of_run(found: &Found<'_>, real: &RealRun) -> Value {
    let wire: Counts = real.report.relay.sum(|_, _| true);
    let manifest = &real.run.record.manifest;
    json!({
        "same": found.same(&real.run),
        "digests": manifest.digests,
        "totals": manifest.totals,
        "wire": wire,
        "report": real.report,
    })
}
