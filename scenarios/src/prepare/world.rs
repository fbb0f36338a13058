//! The world of a scenario: links, speeds, dropouts.

use fedbits_kernel::{
    AccessLink, Bits, Framing, Ideal, LedgerDetail, Network, Rate, Span, Speed, StarFairShare, StarLinks, Time, World,
};
use fedbits_protocols::star::SERVER;
use fedbits_random::{Purpose as Draw, Stream, Streams};

use crate::schema::{self, RateLaw, Scenario, SpanLaw};

/// Beyond so many clients the ledger keeps totals only.
const MOST_HOSTS_IN_LEDGER: usize = 100_000;

pub(super) fn span(span: schema::Span) -> Span {
    Span::from_nanos(span.nanoseconds().expect("spans are checked before a scenario is prepared"))
}

pub(super) fn bits(size: schema::Size) -> Bits {
    Bits::new(size.bits().expect("sizes are checked before a scenario is prepared"))
}

pub(super) fn build(scenario: &Scenario, clients: usize, streams: Streams) -> World {
    let schema::Network::Star { header_bytes, segment_bytes, .. } = scenario.network;
    let bytes = |count: u32| Bits::new(8 * u64::from(count));
    World {
        network: network(scenario, clients, &streams),
        speeds: speeds(&scenario.compute, clients, &streams),
        hazard: super::rounds::hazard(scenario.dropout),
        server: Some(SERVER),
        framing: Framing { header: bytes(header_bytes), segment: bytes(segment_bytes) },
        detail: if clients <= MOST_HOSTS_IN_LEDGER { LedgerDetail::PerHost } else { LedgerDetail::Totals },
        streams,
        time_limit: Some(CENTURY),
        event_limit: None,
    }
}

fn network(scenario: &Scenario, clients: usize, streams: &Streams) -> Box<dyn Network> {
    let schema::Network::Star { server_up, server_down, client_up, client_down, latency, sharing, .. } =
        scenario.network;
    let link = |i: u64| AccessLink {
        up: draw_rate(client_up, &mut streams.at(Draw::Bandwidth, i, 0)),
        down: draw_rate(client_down, &mut streams.at(Draw::Bandwidth, i, 1)),
        latency: draw_span(latency, &mut streams.at(Draw::Latency, i, 0)),
    };
    let links = StarLinks {
        server_up: rate(server_up.bits_per_second()),
        server_down: rate(server_down.bits_per_second()),
        clients: (0..clients as u64).map(link).collect(),
    };
    match sharing {
        schema::Sharing::Ideal => Box::new(Ideal::new(links)),
        schema::Sharing::FairShare => Box::new(StarFairShare::new(links)),
    }
}

/// Node 0 is the server, node i + 1 client i.
fn speeds(compute: &schema::Compute, clients: usize, streams: &Streams) -> Vec<Speed> {
    let server = compute.server_expectation.seconds();
    let factor = |i: u64| match compute.slow {
        Some(slow) if i as f64 >= (1.0 - slow.share) * clients as f64 => slow.factor,
        _ => 1.0,
    };
    let own = |i: u64| draw(span_law(compute.expectation), &mut streams.at(Draw::Speed, i, 0));
    let client = |i: u64| (factor(i) * own(i)).min(LONGEST);
    let seconds = std::iter::once(server).chain((0..clients as u64).map(client));
    seconds.map(|seconds| Speed::from_seconds_per_unit(seconds).expect("laws of spans draw finite spans")).collect()
}

/// A law in plain numbers: seconds or bit/s.
enum Law {
    Constant(f64),
    Uniform(f64, f64),
    LogNormal { median: f64, sigma: f64 },
    Gamma { mean: f64, shape: f64 },
    Exponential { mean: f64 },
}

fn draw(law: Law, stream: &mut Stream) -> f64 {
    match law {
        Law::Constant(value) => value,
        Law::Uniform(min, max) => min + (max - min) * stream.uniform(),
        Law::LogNormal { median, sigma } => median * stream.log_normal(0.0, sigma),
        Law::Gamma { mean, shape } => mean / shape * stream.gamma(shape),
        Law::Exponential { mean } => mean * stream.exponential(),
    }
}

fn span_law(law: SpanLaw) -> Law {
    match law {
        SpanLaw::Uniform { min, max } => Law::Uniform(min.seconds(), max.seconds()),
        SpanLaw::LogNormal { median, sigma } => Law::LogNormal { median: median.seconds(), sigma },
        SpanLaw::Gamma { mean, shape } => Law::Gamma { mean: mean.seconds(), shape },
        SpanLaw::Exponential { mean } => Law::Exponential { mean: mean.seconds() },
        constant => Law::Constant(constant.constant().map_or(0.0, schema::Span::seconds)),
    }
}

fn rate_law(law: RateLaw) -> Law {
    let value = schema::Rate::bits_per_second;
    match law {
        RateLaw::Uniform { min, max } => Law::Uniform(value(min), value(max)),
        RateLaw::LogNormal { median, sigma } => Law::LogNormal { median: value(median), sigma },
        RateLaw::Gamma { mean, shape } => Law::Gamma { mean: value(mean), shape },
        RateLaw::Exponential { mean } => Law::Exponential { mean: value(mean) },
        constant => Law::Constant(constant.constant().map_or(0.0, value)),
    }
}

/// The longest span that is drawn, a year in seconds: heavy tails end where the checks of constants do.
const LONGEST: f64 = 31_557_600.0;
/// The slowest and the fastest rate that is drawn, in bit/s.
const SLOWEST: f64 = 1.0;
const FASTEST: f64 = 1e13;
/// Virtual time ends a run after a century: sums of what may still follow stay on the clock of 584 years.
const CENTURY: Time = Time::from_nanos(3_155_760_000_000_000_000);

fn draw_span(law: SpanLaw, stream: &mut Stream) -> Span {
    Span::from_seconds(draw(span_law(law), stream).clamp(0.0, LONGEST)).expect("a span between 0 and a year")
}

fn draw_rate(law: RateLaw, stream: &mut Stream) -> Rate {
    rate(draw(rate_law(law), stream))
}

fn rate(bits_per_second: f64) -> Rate {
    Rate::from_bits_per_second(bits_per_second.clamp(SLOWEST, FASTEST)).expect("a rate of at least 1 bit/s")
}
