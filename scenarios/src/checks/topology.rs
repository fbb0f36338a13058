//! Sites and links of a network. What only a drawn graph or a file can tell is found when the run is prepared.
//! This file must not know the engine.

use super::Findings;
use super::numbers::{
    POSITIVE, PROBABILITY, RADIUS, SIGNAL, count, duration, duration_law, file_name, number, rate, rate_law,
    short_duration,
};
use crate::schema::{LinkCapacity, LinkLatency, Placement, Reach, Sites};

const MAX_SITES: u64 = 1_000_000;

pub(super) fn check(
    sites: &Sites,
    capacity: &LinkCapacity,
    latency: &LinkLatency,
    clients: &Placement,
    findings: &mut Findings,
) {
    shape(sites, findings);
    let from_file = matches!(sites, Sites::Gml { .. } | Sites::SndLib { .. });
    match capacity {
        LinkCapacity::Law(law) => rate_law(findings, "network.link_capacity[0]", law),
        LinkCapacity::File { otherwise } => {
            if let Some(otherwise) = otherwise {
                rate(findings, "network.link_capacity.otherwise", *otherwise);
            }
            only_files(findings, "network.link_capacity", from_file);
        }
    }
    match latency {
        LinkLatency::Law(law) => duration_law(findings, "network.link_latency[0]", law),
        LinkLatency::File { otherwise } => {
            otherwise.iter().for_each(|value| short_duration(findings, "network.link_latency.otherwise", *value));
            only_files(findings, "network.link_latency", from_file);
            let known = matches!(sites, Sites::Gml { latency: Some(_), .. });
            if from_file && !known && otherwise.is_none() {
                let expected =
                    "expected `sites: Gml(latency: (name: …, unit: Ms(1)))`, or a latency by `Law` or `Distance`";
                findings.error("network.link_latency", "the file has no attribute for latencies", expected);
            }
        }
        LinkLatency::Distance { km_per_ms, unit_km, otherwise } => {
            number(findings, "network.link_latency.km_per_ms", *km_per_ms, SIGNAL);
            number(findings, "network.link_latency.unit_km", *unit_km, POSITIVE);
            otherwise.iter().for_each(|value| short_duration(findings, "network.link_latency.otherwise", *value));
            let placed = from_file || matches!(sites, Sites::Grid { .. } | Sites::Geometric { .. });
            if !placed {
                let expected = "expected `Law(…)`, or sites with places: `Grid`, `Geometric`, `Gml`, `SndLib`";
                findings.error("network.link_latency", "these sites have no places, and so no distances", expected);
            } else if from_file && *unit_km != crate::schema::DEFAULT_UNIT_KM {
                findings.no_effect("network.link_latency.unit_km", "places in files are on the earth");
            }
        }
    }
    if let Placement::Sites(list) = clients
        && list.is_empty()
    {
        findings.error("network.clients", "the clients have no sites", "expected at least one site");
    }
}

fn only_files(findings: &mut Findings, path: &str, from_file: bool) {
    if !from_file {
        findings.error(path, "generated sites have no file that says it", "expected `Law(…)`");
    }
}

fn shape(sites: &Sites, findings: &mut Findings) {
    let mut sized = |path: &str, value: u32, low: u64, high: u64| {
        count(findings, &format!("network.sites{path}"), u64::from(value), low, high, "");
    };
    match sites {
        Sites::Star(sites) | Sites::Path(sites) => sized("[0]", *sites, 1, MAX_SITES),
        Sites::Ring(sites) => sized("[0]", *sites, 3, MAX_SITES),
        Sites::Complete(sites) => sized("[0]", *sites, 1, 2_000),
        Sites::Grid { rows, columns } => {
            sized(".rows", *rows, 1, 1_000);
            sized(".columns", *columns, 1, 1_000);
        }
        Sites::KRegular { sites, degree } => {
            sized(".sites", *sites, 2, 100_000);
            sized(".degree", *degree, 1, u64::from(sites.saturating_sub(1)).max(1));
            if !(u64::from(*sites) * u64::from(*degree)).is_multiple_of(2) {
                let message = "an odd number of sites cannot all have an odd number of links";
                findings.error(
                    "network.sites.degree",
                    message,
                    "expected an even `degree`, or an even number of sites",
                );
            }
        }
        Sites::Geometric { sites, reach } => {
            sized(".sites", *sites, 1, 5_000);
            match reach {
                Reach::Radius(radius) => number(findings, "network.sites.reach[0]", *radius, RADIUS),
                Reach::MeanDegree(degree) => number(findings, "network.sites.reach[0]", *degree, POSITIVE),
            };
        }
        Sites::ErdosRenyi { sites, probability } => {
            sized(".sites", *sites, 1, 20_000);
            number(findings, "network.sites.probability", *probability, PROBABILITY);
        }
        Sites::BarabasiAlbert { sites, links } => {
            sized(".sites", *sites, 2, MAX_SITES);
            sized(".links", *links, 1, u64::from(sites.saturating_sub(1)).max(1));
        }
        Sites::Hierarchical { fan_out } => hierarchy(fan_out, findings),
        Sites::Gml { path, capacity, latency } => {
            file_name(findings, "network.sites.path", path);
            rate(findings, "network.sites.capacity.unit", capacity.unit);
            latency.iter().for_each(|latency| duration(findings, "network.sites.latency.unit", latency.unit));
        }
        Sites::SndLib { path } => file_name(findings, "network.sites.path", path),
    }
}

fn hierarchy(fan_out: &[u32], findings: &mut Findings) {
    let path = "network.sites.fan_out";
    if !(1..=4).contains(&fan_out.len()) {
        findings.error(path, format!("{} levels below the cloud", fan_out.len()), "expected one to four levels");
    }
    for (level, &below) in fan_out.iter().enumerate() {
        count(findings, &format!("{path}[{level}]"), u64::from(below), 1, 1_000, "");
    }
    let sites = fan_out.iter().try_fold((1u64, 1u64), |(level, all), &below| {
        let level = level.checked_mul(u64::from(below))?;
        Some((level, all.checked_add(level)?))
    });
    if sites.is_none_or(|(_, all)| all > MAX_SITES) {
        findings.error(path, "more than 1 000 000 sites", "expected smaller levels");
    }
}
