//! The summary of an arm: errors of times, bits in the ledger and on the wire, lateness, equality of results.

use fedbits_emulate::Report;
use fedbits_record::Direction;
use fedbits_spec::so_many;

use super::comparison::{Comparison, Errors, Transfer};
use super::run::{Arm, LATE_SHARE, MeasuredRun, Run, Simulated};
use super::setup;

/// What the runs of an arm over sockets found.
pub(super) struct Found<'a> {
    pub(super) arm: &'a Arm,
    pub(super) simulated: &'a Simulated,
    pub(super) measured: Vec<MeasuredRun>,
    pub(super) comparison: Comparison,
}

impl Found<'_> {
    /// The summary.
    pub(super) fn text(&self) -> String {
        let mut text = self.errors();
        let simulated = self.simulated.run.seconds();
        let runs = self.measured.iter().map(|measured| measured.run.seconds());
        let runs: Vec<String> =
            runs.map(|run| format!("{run:.3} s ({:+.2} %)", 100.0 * (simulated / run - 1.0))).collect();
        text += &format!("  run: simulated {simulated:.3} s, measured {}\n", runs.join(", "));
        for (number, measured) in (1..).zip(&self.measured) {
            text += &bits(number, &self.simulated.run, measured);
            text += &lateness(&measured.report);
        }
        let equal = self.measured.iter().filter(|measured| self.differences(&measured.run).is_empty()).count();
        let digest = self.simulated.run.state.get(..16).unwrap_or_default();
        let of = self.measured.len();
        let why = self.why_different().unwrap_or("as they must be: the protocol waits for all");
        text + &format!("  state {digest} and payload bits: equal to the simulation's in {equal} of {of} ({why})\n")
    }

    /// The failure of the comparison, if there is one.
    pub(super) fn failure(&self) -> Option<String> {
        let name = &self.arm.name;
        if let Some(late) = self.measured.iter().find(|measured| measured.is_late()) {
            return Some(format!(
                "{name}: the relay delivered {:.1} % of the packets more than a millisecond late, more than {:.0} %: \
                 the times are the machine's, not the network's",
                100.0 * late.report.relay.late_share(),
                100.0 * LATE_SHARE
            ));
        }
        let differences = self.all_differences().filter(|_| self.why_different().is_none());
        differences.map(|what| {
            format!("{name}: differs from the simulation, though it waits for all (a defect, please report): {what}")
        })
    }

    /// What limits the comparison.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut notices = setup::not_played(&self.arm.checked.scenario);
        if let Some((why, what)) = self.why_different().zip(self.all_differences()) {
            notices.push(format!("differs from the simulation, as it may ({why}): {what}"));
        }
        let [simulated, measured] = self.comparison.unpaired;
        if simulated + measured > 0 {
            notices.push(format!(
                "not compared, as no partner arrived: {} and {}",
                so_many(simulated, "simulated transfer"),
                so_many(measured, "measured one")
            ));
        }
        let reports = self.measured.iter().map(|measured| &measured.report);
        let late = reports.filter(|report| report.late as f64 > LATE_SHARE * report.timed as f64);
        if let Some(report) = late.max_by_key(|report| report.late) {
            notices.push(format!(
                "the engine started {} of {} transfers more than a millisecond late, the latest by {:.1} ms: measured \
                 times of rounds include that",
                report.late,
                report.timed,
                report.worst_lag_ns as f64 / 1e6
            ));
        }
        if self.measured.iter().any(|measured| !measured.report.relay.real_time) {
            notices.push("no real-time priority (SCHED_FIFO) was allowed: the relay is later than it could be".into());
        }
        notices
    }

    /// Why results may differ from those of the simulation; none where they may not.
    fn why_different(&self) -> Option<&'static str> {
        setup::why_different(&self.arm.checked.scenario, self.simulated.server)
    }

    /// What differs between the runs over sockets and the simulation; none if nothing does.
    fn all_differences(&self) -> Option<String> {
        let mut all: Vec<String> = self.measured.iter().flat_map(|measured| self.differences(&measured.run)).collect();
        all.dedup();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// What differs between a run and the simulation.
    fn differences(&self, run: &Run) -> Vec<String> {
        let simulated = &self.simulated.run;
        let payload = |direction| [simulated, run].map(|run| run.payload(direction));
        let numbers = [
            ("rounds", [simulated.totals.rounds, run.totals.rounds]),
            ("payload bits up", payload(Direction::Up)),
            ("payload bits down", payload(Direction::Down)),
            ("payload bits between peers", payload(Direction::Peer)),
        ];
        let state = (simulated.state != run.state).then(|| "the state's digest".to_owned());
        let differing = numbers.into_iter().filter(|(_, [one, other])| one != other);
        state.into_iter().chain(differing.map(|(what, [one, other])| format!("{what} ({one} and {other})"))).collect()
    }

    /// The table of relative errors: simulated minus measured durations.
    fn errors(&self) -> String {
        let up = |transfer: &Transfer| transfer.to == "server";
        let down = |transfer: &Transfer| transfer.from == "server";
        let all = [
            ("transfers up", self.comparison.errors(up)),
            ("transfers down", self.comparison.errors(down)),
            ("other transfers", self.comparison.errors(|transfer| !up(transfer) && !down(transfer))),
            ("rounds", self.comparison.round_errors()),
        ];
        let title = "simulated - measured, %";
        let mut text = format!("{}\n", self.arm.name);
        let (median, p90) = ("|median|", "|p90|");
        text += &format!("  {title:<24} {:>8} {:>9} {median:>9} {p90:>9} {:>9}\n", "count", "median", "|worst|");
        for (name, errors) in all {
            let Some(Errors { count, signed, magnitudes: [median, p90, worst] }) = errors else { continue };
            text += &format!("  {name:<24} {count:>8} {signed:>+9.2} {median:>9.2} {p90:>9.2} {worst:>9.2}\n");
        }
        text
    }
}

/// Bits in the ledger of the simulation, and those that the relay saw in a run.
fn bits(number: u32, simulated: &Run, measured: &MeasuredRun) -> String {
    let wire = measured.report.relay.sum(|_, _| true);
    let headers = wire.headers + wire.acknowledgements + wire.control;
    let lines = [
        ("payload", Some(simulated.sum(|row| row.payload_bits)), wire.data),
        ("retransmitted", Some(simulated.sum(|row| row.retransmitted_bits)), wire.retransmitted),
        ("all headers", Some(simulated.sum(|row| row.header_bits)), headers),
        ("- of data", None, wire.headers),
        ("- acknowledgements", None, wire.acknowledgements),
        ("- of connections", None, wire.control),
    ];
    let mut text = format!("  {:<24} {:>14} {:>14}\n", format!("bits, run {number}"), "simulated", "on the wire");
    for (name, simulated, wire) in lines {
        let simulated = simulated.map_or_else(String::new, |bits| bits.to_string());
        text += &format!("  {name:<24} {simulated:>14} {wire:>14}\n");
    }
    text
}

fn lateness(report: &Report) -> String {
    let Report { relay, timed, late, worst_lag_ns, stood_ns, longest_stand_ns, .. } = report;
    let ms = |ns: &u64| *ns as f64 * 1e-6;
    let (worst, stood, longest) = (ms(worst_lag_ns), ms(stood_ns), ms(longest_stand_ns));
    format!(
        "  relay: {} packets, {} over 1 ms late ({:.2} %), worst {:.2} ms; dropped {}, lost {}\n  engine: {late} of \
         {timed} transfers over 1 ms late, worst {worst:.2} ms; its clock stood {stood:.0} ms for computing, at most \
         {longest:.1} ms at once\n  content: {} bytes arrived as sent; {} of {} payload bits are the codec's strings, \
         the others padding\n",
        relay.packets,
        relay.late,
        100.0 * relay.late_share(),
        ms(&relay.worst_ns),
        relay.dropped,
        relay.lost,
        report.compared_bytes,
        report.content_bits,
        report.payload_bits,
    )
}
