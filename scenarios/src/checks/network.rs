//! Links, sharing, losses, transport. This file must not know the engine.

use super::Findings;
use super::numbers::{
    LOSS, PROBABILITY, count, duration_law, number, positive_duration, positive_short_duration, rate, rate_law,
    short_duration, size,
};
use super::topology;
use crate::schema::{
    Background, Carriage, Delivery, DurationLaw, LinkSettings, Loss, Network, Repair, Sharing, Transport, YEAR,
};

pub(super) fn check(network: &Network, findings: &mut Findings) {
    let access = network.access();
    rate(findings, "network.server_up", access.server_up);
    rate(findings, "network.server_down", access.server_down);
    rate_law(findings, "network.client_up", access.client_up);
    rate_law(findings, "network.client_down", access.client_down);
    duration_law(findings, "network.latency", access.latency);
    carriage(&network.carriage(), findings);
    if let Network::Graph { sites, link_capacity, link_latency, clients, .. } = network {
        topology::check(sites, link_capacity, link_latency, clients, findings);
    } else {
        background_below(network, findings);
    }
}

fn carriage(carriage: &Carriage<'_>, findings: &mut Findings) {
    count(findings, "network.header_bytes", u64::from(carriage.header_bytes), 0, 10_000, " (bytes)");
    count(findings, "network.segment_bytes", u64::from(carriage.segment_bytes), 1, 1_000_000, " (bytes)");
    loss(findings, "network.loss", carriage.loss);
    loss(findings, "network.link_loss", carriage.link_loss);
    if let Some(jitter) = carriage.jitter {
        duration_law(findings, "network.jitter", jitter);
        if reaches_beyond_a_year(jitter) {
            findings.caveat("network.jitter", "draws beyond a year are cut to a year");
        }
        if matches!(jitter, DurationLaw::Column { .. } | DurationLaw::Each(_)) {
            let found = "such a law gives each client one value, and jitter is drawn per message";
            findings.error("network.jitter", found, "expected a constant, a distribution or `Values([…])`");
        }
    }
    background("network.background", carriage.background, carriage.sharing, findings);
    links(carriage, findings);
    transport(carriage, findings);
    if let Sharing::Fifo { buffer: Some(buffer), .. } = carriage.sharing {
        size(findings, "network.sharing.buffer", buffer);
    }
}

/// Can a draw of so many that a run makes be above a year? Six standard deviations of the logarithm, and exp(−40), are
/// one in 10⁹ and one in 10¹⁷.
fn reaches_beyond_a_year(law: &DurationLaw) -> bool {
    let largest = match law {
        DurationLaw::LogNormal { median, sigma } => median.seconds() * libm::exp(6.0 * sigma),
        DurationLaw::Gamma { mean, shape } => mean.seconds() * (2.0 + 40.0 / shape),
        DurationLaw::Exponential { mean } => 40.0 * mean.seconds(),
        _ => 0.0,
    };
    largest > YEAR as f64 / 1e9
}

fn loss(findings: &mut Findings, path: &str, loss: Loss) {
    match loss {
        Loss::Never => {}
        Loss::Bernoulli(probability) => {
            number(findings, &format!("{path}[0]"), probability, LOSS);
        }
        Loss::GilbertElliott { to_bad, to_good, in_good, in_bad } => {
            number(findings, &format!("{path}.to_bad"), to_bad, PROBABILITY);
            number(findings, &format!("{path}.to_good"), to_good, PROBABILITY);
            number(findings, &format!("{path}.in_good"), in_good, LOSS);
            number(findings, &format!("{path}.in_bad"), in_bad, PROBABILITY);
        }
    }
}

fn background(path: &str, background: Background, sharing: Sharing, findings: &mut Findings) {
    match background {
        Background::Quiet => {}
        Background::Rate(others) => rate(findings, &format!("{path}[0]"), others),
        Background::OnOff { flows, mean_off, mean_size } => {
            count(findings, &format!("{path}.flows"), u64::from(flows), 1, 1_000, "");
            positive_duration(findings, &format!("{path}.mean_off"), mean_off);
            size(findings, &format!("{path}.mean_size"), mean_size);
            if sharing == Sharing::Ideal {
                findings.no_effect(path, "with `sharing: Ideal` nobody slows anybody");
            }
        }
    }
}

/// Links that differ from the others; whether they are there is seen when the topology is.
fn links(carriage: &Carriage<'_>, findings: &mut Findings) {
    for (index, link) in carriage.links.iter().enumerate() {
        let path = format!("network.links[{index}]");
        let LinkSettings { from, to, capacity, latency, loss: lost, background: others } = link;
        if from == to {
            findings.error(&path, "a site is not joined to itself", "expected two sites");
        }
        if (capacity, latency, lost, others) == (&None, &None, &None, &None) {
            let expected = "expected at least one of `capacity`, `latency`, `loss` and `background`";
            findings.error(&path, "nothing is said of this link", expected);
        }
        capacity.iter().for_each(|capacity| rate(findings, &format!("{path}.capacity"), *capacity));
        latency.iter().for_each(|latency| short_duration(findings, &format!("{path}.latency"), *latency));
        lost.iter().for_each(|lost| loss(findings, &format!("{path}.loss"), *lost));
        others.iter().for_each(|others| {
            background(&format!("{path}.background"), *others, carriage.sharing, findings);
        });
    }
}

/// A constant background leaves something of the server's links.
fn background_below(network: &Network, findings: &mut Findings) {
    let Background::Rate(others) = network.carriage().background else { return };
    let access = network.access();
    for (name, rate) in [("server_up", access.server_up), ("server_down", access.server_down)] {
        if rate.bits_per_second() - others.bits_per_second() < 1.0 {
            let message = format!("the background leaves nothing of `{name}`");
            findings.error("network.background", message, format!("expected a rate below that of `{name}`"));
        }
    }
}

fn transport(carriage: &Carriage<'_>, findings: &mut Findings) {
    let Transport { delivery, set_up, slow_start } = carriage.transport;
    count(findings, "network.transport.set_up", u64::from(set_up), 0, 10, " round trips");
    if let Some(window) = slow_start {
        count(findings, "network.transport.slow_start", u64::from(window), 1, 1_000_000, " segments");
    }
    let Delivery::Reliable(repair) = delivery else { return };
    if let Repair::Timeout(timeout) = repair {
        positive_short_duration(findings, "network.transport.delivery[0][0]", timeout);
    }
    let drops = matches!(carriage.sharing, Sharing::Fifo { buffer: Some(_), .. });
    // A loss that is written down as 0 is the beginning of an axis, and no mistake.
    if carriage.losses().all(|loss| loss == Loss::Never) && !drops {
        let why =
            "nothing is lost: there is no `loss` and no finite `buffer` (`loss: Bernoulli(0)` says that it is meant)";
        findings.no_effect("network.transport.delivery", why);
    }
}
