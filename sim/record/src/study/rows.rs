//! The rows and tables of a run as bytes.

use super::bytes::{ByteReader, ByteWriter};
use crate::files::is_plain;
use crate::{
    Direction, ExtraTable, Fate, HistogramSummary, LedgerRow, RoundCosts, RoundRow, Series, SeriesRow, TopologyLink,
    TopologyRows, TopologySite,
};

pub(super) fn write_round(writer: &mut ByteWriter, row: &RoundRow) {
    writer.whole(row.round);
    writer.whole(row.time_ns);
    writer.float(row.epochs);
    let bits = [row.bits_up, row.bits_down, row.bits_peer, row.bits_header, row.bits_wasted];
    let clients = [row.selected, row.arrived, row.late, row.lost];
    [row.expectations].into_iter().chain(bits).chain(clients).for_each(|value| writer.whole(value));
    [row.objective, row.mean_field_sq, row.field_sq]
        .into_iter()
        .for_each(|value| writer.option(value, ByteWriter::float));
    writer.list(&row.extra, |writer, value| writer.option(*value, ByteWriter::float));
}

pub(super) fn read_round(reader: &mut ByteReader<'_>) -> Option<RoundRow> {
    Some(RoundRow {
        round: reader.whole()?,
        time_ns: reader.whole()?,
        epochs: reader.float()?,
        expectations: reader.whole()?,
        bits_up: reader.whole()?,
        bits_down: reader.whole()?,
        bits_peer: reader.whole()?,
        bits_header: reader.whole()?,
        bits_wasted: reader.whole()?,
        selected: reader.whole()?,
        arrived: reader.whole()?,
        late: reader.whole()?,
        lost: reader.whole()?,
        objective: reader.option(ByteReader::float)?,
        mean_field_sq: reader.option(ByteReader::float)?,
        field_sq: reader.option(ByteReader::float)?,
        extra: reader.list(|reader| reader.option(ByteReader::float))?,
        costs: RoundCosts::default(),
    })
}

pub(super) fn write_ledger(writer: &mut ByteWriter, row: &LedgerRow) {
    writer.text(&row.link);
    writer.text(row.direction.word());
    writer.text(&row.purpose);
    writer.text(row.fate.word());
    [row.messages, row.payload_bits, row.header_bits, row.retransmitted_bits]
        .into_iter()
        .for_each(|value| writer.whole(value));
}

pub(super) fn read_ledger(reader: &mut ByteReader<'_>) -> Option<LedgerRow> {
    Some(LedgerRow {
        link: reader.text()?,
        direction: Direction::from_word(&reader.text()?)?,
        purpose: reader.text()?,
        fate: Fate::from_word(&reader.text()?)?,
        messages: reader.whole()?,
        payload_bits: reader.whole()?,
        header_bits: reader.whole()?,
        retransmitted_bits: reader.whole()?,
    })
}

pub(super) fn write_histogram(writer: &mut ByteWriter, row: &HistogramSummary) {
    writer.text(&row.name);
    writer.text(&row.unit);
    writer.whole(row.count);
    writer.option(row.mean, ByteWriter::float);
    [row.min, row.p50, row.p90, row.p99, row.p999, row.max]
        .into_iter()
        .for_each(|value| writer.option(value, ByteWriter::whole));
}

pub(super) fn read_histogram(reader: &mut ByteReader<'_>) -> Option<HistogramSummary> {
    Some(HistogramSummary {
        name: reader.text()?,
        unit: reader.text()?,
        count: reader.whole()?,
        mean: reader.option(ByteReader::float)?,
        min: reader.option(ByteReader::whole)?,
        p50: reader.option(ByteReader::whole)?,
        p90: reader.option(ByteReader::whole)?,
        p99: reader.option(ByteReader::whole)?,
        p999: reader.option(ByteReader::whole)?,
        max: reader.option(ByteReader::whole)?,
    })
}

pub(super) fn write_series(writer: &mut ByteWriter, series: &Series) {
    writer.list(&series.names, |writer, name| writer.text(name));
    writer.list(&series.rows, |writer, row| {
        writer.whole(row.round);
        writer.list(&row.values, |writer, value| writer.float(*value));
    });
}

pub(super) fn read_series(reader: &mut ByteReader<'_>) -> Option<Series> {
    Some(Series {
        names: reader.list(ByteReader::text)?,
        rows: reader
            .list(|reader| Some(SeriesRow { round: reader.whole()?, values: reader.list(ByteReader::float)? }))?,
    })
}

pub(super) fn write_topology(writer: &mut ByteWriter, topology: &TopologyRows) {
    writer.list(&topology.sites, |writer, site| {
        writer.text(&site.name);
        writer.float(site.x);
        writer.float(site.y);
        writer.whole(u64::from(site.server));
        writer.whole(site.clients);
    });
    writer.list(&topology.links, |writer, link| {
        [link.from, link.to, link.capacity_bps, link.latency_ns].into_iter().for_each(|value| writer.whole(value));
    });
}

pub(super) fn read_topology(reader: &mut ByteReader<'_>) -> Option<TopologyRows> {
    let site = |reader: &mut ByteReader<'_>| {
        Some(TopologySite {
            name: reader.text()?,
            x: reader.float()?,
            y: reader.float()?,
            server: reader.whole()? == 1,
            clients: reader.whole()?,
        })
    };
    let link = |reader: &mut ByteReader<'_>| {
        Some(TopologyLink {
            from: reader.whole()?,
            to: reader.whole()?,
            capacity_bps: reader.whole()?,
            latency_ns: reader.whole()?,
        })
    };
    Some(TopologyRows { sites: reader.list(site)?, links: reader.list(link)? })
}

pub(super) fn write_extra(writer: &mut ByteWriter, table: &ExtraTable) {
    let texts = |writer: &mut ByteWriter, texts: &Vec<String>| writer.list(texts, |writer, text| writer.text(text));
    writer.text(&table.name);
    texts(writer, &table.columns);
    writer.list(&table.rows, texts);
}

pub(super) fn read_extra(reader: &mut ByteReader<'_>) -> Option<ExtraTable> {
    let texts = |reader: &mut ByteReader<'_>| reader.list(ByteReader::text);
    let table = ExtraTable { name: reader.text()?, columns: texts(reader)?, rows: reader.list(texts)? };
    // A study may come from somebody else: the name becomes that of a file.
    is_plain(&table.file()).then_some(table)
}
