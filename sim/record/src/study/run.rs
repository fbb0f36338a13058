//! One run as the store keeps it. What the host contributed (seconds, memory) stands apart from what the run's key
//! determines, so that two results under one key can be compared to the last bit.

use std::collections::BTreeMap;

use fedbits_spec::Caveat;
use serde_json::json;

use super::bytes::{ByteReader, ByteWriter};
use super::rows::{
    read_extra, read_histogram, read_ledger, read_round, read_series, read_topology, write_extra, write_histogram,
    write_ledger, write_round, write_series, write_topology,
};
use crate::{
    Digests, Direction, EnergyTotals, Fate, FinalFit, Host, LedgerRow, Manifest, PerClient, Reference, RoundCosts,
    RunRecord, StopRules, Totals,
};

/// What became of a run that was to be made.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredRun {
    /// It ran to an end, be it that the simulation itself failed: the manifest says so. The manifest names
    /// neither scenario nor arm (the plan does), and the ledger is summed over links.
    Finished(Box<RunRecord>),
    /// It could not be run, for this reason.
    NotRun(String),
}

impl StoredRun {
    /// A finished run, freed of what the plan knows, with its ledger summed over links.
    #[must_use]
    pub fn finished(mut record: RunRecord) -> Self {
        let manifest = &mut record.manifest;
        (manifest.scenario, manifest.arm, manifest.scenario_text) = (String::new(), String::new(), String::new());
        (manifest.format, manifest.files, manifest.arm_index) = (String::new(), Vec::new(), 0);
        manifest.together = Vec::new();
        record.ledger = summed(&record.ledger);
        Self::Finished(Box::new(record))
    }

    /// What the host contributed, and what the key determines.
    pub(super) fn write(&self) -> (Vec<u8>, Vec<u8>) {
        let (mut host, mut body) = (ByteWriter::default(), ByteWriter::default());
        match self {
            Self::Finished(record) => {
                write_host(&mut host, &record.manifest.host);
                if let Some(cut) = record.manifest.cut {
                    body.text(&serde_json::to_string(&cut).expect("whole numbers always serialize"));
                }
                write_record(&mut body, record);
            }
            Self::NotRun(why) => host.text(why),
        }
        (host.0, body.0)
    }

    /// A finished run; one that was cut begins with where.
    pub(super) fn read_finished(is_cut: bool, host: &[u8], body: &[u8]) -> Option<RunRecord> {
        let mut reader = ByteReader(body);
        let cut = if is_cut { Some(serde_json::from_str(&reader.text()?).ok()?) } else { None };
        let mut record = read_record(&mut reader, read_host(&mut ByteReader(host))?)?;
        record.manifest.cut = cut;
        reader.0.is_empty().then_some(record)
    }

    pub(super) fn read_not_run(host: &[u8]) -> Option<String> {
        ByteReader(host).text()
    }
}

fn summed(rows: &[LedgerRow]) -> Vec<LedgerRow> {
    let mut sums: BTreeMap<(Direction, String, Fate), LedgerRow> = BTreeMap::new();
    for row in rows {
        let LedgerRow { direction, purpose, fate, .. } = row.clone();
        let sum = sums.entry((direction, purpose.clone(), fate)).or_insert_with(|| LedgerRow {
            link: "all".to_owned(),
            direction,
            purpose,
            fate,
            messages: 0,
            payload_bits: 0,
            header_bits: 0,
            retransmitted_bits: 0,
        });
        sum.messages += row.messages;
        sum.payload_bits += row.payload_bits;
        sum.header_bits += row.header_bits;
        sum.retransmitted_bits += row.retransmitted_bits;
    }
    sums.into_values().collect()
}

fn write_host(writer: &mut ByteWriter, host: &Host) {
    writer.float(host.seconds);
    writer.option(host.events_per_second, ByteWriter::float);
    writer.option(host.peak_memory_bytes, ByteWriter::whole);
    writer.whole(host.threads);
    writer.option(host.scenario_folder.as_deref(), ByteWriter::text);
    // Results of former programs end here.
    host.script.iter().for_each(|script| writer.text(script));
}

fn read_host(reader: &mut ByteReader<'_>) -> Option<Host> {
    Some(Host {
        seconds: reader.float()?,
        events_per_second: reader.option(ByteReader::float)?,
        peak_memory_bytes: reader.option(ByteReader::whole)?,
        threads: reader.whole()?,
        scenario_folder: reader.option(ByteReader::text)?,
        script: if reader.0.is_empty() { None } else { Some(reader.text()?) },
    })
}

fn write_record(writer: &mut ByteWriter, record: &RunRecord) {
    let manifest = &record.manifest;
    writer.text(&manifest.engine_version);
    writer.whole(manifest.seed);
    writer.whole(manifest.replicate);
    writer.whole(manifest.clients);
    let Digests { data, timeline, state } = &manifest.digests;
    [data, timeline, state, &manifest.stop_reason].into_iter().for_each(|text| writer.text(text));
    // The sentence follows from id and values.
    let stored = |caveat: &Caveat| json!({ "id": caveat.kind().id, "values": caveat.values() }).to_string();
    writer.list(&manifest.caveats, |writer, caveat| writer.text(&stored(caveat)));
    totals(&manifest.totals).into_iter().for_each(|value| writer.whole(value));
    writer.list(&manifest.extra_columns, |writer, text| writer.text(text));
    writer.list(&record.rounds, write_round);
    writer.list(&record.ledger, write_ledger);
    writer.list(&record.histograms, write_histogram);
    writer.option(record.theta.as_ref(), write_series);
    writer.option(record.statistics.as_ref(), write_series);
    writer.option(record.topology.as_ref(), write_topology);
    writer.list(&record.extra, write_extra);
    write_ends(writer, manifest);
    if manifest.per_client.is_some() || manifest.energy.is_some() {
        let costs = serde_json::to_string(&(&manifest.per_client, manifest.energy));
        writer.text(&costs.expect("finite numbers always serialize"));
    }
}

/// What clients cost. Results of programs that did not count it, or of runs that did not ask for it, end before it.
fn read_costs(reader: &mut ByteReader<'_>) -> Option<(Option<PerClient>, Option<EnergyTotals>)> {
    if reader.0.is_empty() {
        return Some((None, None));
    }
    serde_json::from_str(&reader.text()?).ok()
}

/// What a run is measured against. Results of programs that looked for no reference end before it.
fn write_ends(writer: &mut ByteWriter, manifest: &Manifest) {
    let StopRules { mean_field_sq, bits, time_ns } = manifest.stop_rules;
    writer.option(mean_field_sq, ByteWriter::float);
    writer.option(bits, ByteWriter::whole);
    writer.option(time_ns, ByteWriter::whole);
    writer.option(manifest.reference.as_ref(), |writer, reference| {
        writer.text(&reference.problem);
        writer.option(reference.objective, ByteWriter::float);
        writer.text(&reference.how);
        writer.whole(reference.passes);
        writer.option(reference.mean_field_sq, ByteWriter::float);
    });
    writer.option(manifest.fit.as_ref(), |writer, fit| {
        let FinalFit { components, empty, collapsed, objective, start_objective, accepted } = *fit;
        [components, empty, collapsed, u64::from(accepted)].into_iter().for_each(|count| writer.whole(count));
        [objective, start_objective].into_iter().for_each(|value| writer.option(value, ByteWriter::float));
    });
}

fn read_ends(reader: &mut ByteReader<'_>) -> Option<(StopRules, Option<Reference>, Option<FinalFit>)> {
    if reader.0.is_empty() {
        return Some((StopRules::default(), None, None));
    }
    let rules = StopRules {
        mean_field_sq: reader.option(ByteReader::float)?,
        bits: reader.option(ByteReader::whole)?,
        time_ns: reader.option(ByteReader::whole)?,
    };
    let reference = |reader: &mut ByteReader<'_>| {
        Some(Reference {
            problem: reader.text()?,
            objective: reader.option(ByteReader::float)?,
            how: reader.text()?,
            passes: reader.whole()?,
            mean_field_sq: reader.option(ByteReader::float)?,
        })
    };
    let fit = |reader: &mut ByteReader<'_>| {
        let [components, empty, collapsed] = [reader.whole()?, reader.whole()?, reader.whole()?];
        let accepted = reader.whole()? == 1;
        let [objective, start_objective] = [reader.option(ByteReader::float)?, reader.option(ByteReader::float)?];
        Some(FinalFit { components, empty, collapsed, objective, start_objective, accepted })
    };
    Some((rules, reader.option(reference)?, reader.option(fit)?))
}

fn read_record(reader: &mut ByteReader<'_>, host: Host) -> Option<RunRecord> {
    let mut manifest = Manifest {
        format: String::new(),
        engine_version: reader.text()?,
        scenario: String::new(),
        arm: String::new(),
        arm_index: 0,
        together: Vec::new(),
        scenario_text: String::new(),
        figures: serde_json::Value::Null,
        seed: reader.whole()?,
        replicate: reader.whole()?,
        clients: reader.whole()?,
        digests: Digests { data: reader.text()?, timeline: reader.text()?, state: reader.text()? },
        stop_reason: reader.text()?,
        stop_rules: StopRules::default(),
        cut: None,
        reference: None,
        fit: None,
        caveats: reader.list(|reader| serde_json::from_str(&reader.text()?).ok())?,
        totals: read_totals(reader)?,
        per_client: None,
        energy: None,
        host,
        extra_columns: reader.list(ByteReader::text)?,
        files: Vec::new(),
        adding: Vec::new(),
    };
    let mut record = RunRecord {
        manifest: Manifest::default(),
        rounds: reader.list(read_round)?,
        ledger: reader.list(read_ledger)?,
        histograms: reader.list(read_histogram)?,
        theta: reader.option(read_series)?,
        statistics: reader.option(read_series)?,
        topology: reader.option(read_topology)?,
        extra: reader.list(read_extra)?,
    };
    RoundCosts::fill(&mut record.rounds, &manifest.extra_columns);
    (manifest.stop_rules, manifest.reference, manifest.fit) = read_ends(reader)?;
    (manifest.per_client, manifest.energy) = read_costs(reader)?;
    Some(RunRecord { manifest, ..record })
}

fn totals(totals: &Totals) -> [u64; 9] {
    let Totals { rounds, bits_up, bits_down, bits_peer, bits_header, bits_wasted, time_ns, expectations, events } =
        *totals;
    [rounds, bits_up, bits_down, bits_peer, bits_header, bits_wasted, time_ns, expectations, events]
}

fn read_totals(reader: &mut ByteReader<'_>) -> Option<Totals> {
    Some(Totals {
        rounds: reader.whole()?,
        bits_up: reader.whole()?,
        bits_down: reader.whole()?,
        bits_peer: reader.whole()?,
        bits_header: reader.whole()?,
        bits_wasted: reader.whole()?,
        time_ns: reader.whole()?,
        expectations: reader.whole()?,
        events: reader.whole()?,
    })
}
