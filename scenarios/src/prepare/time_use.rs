//! Whether the time of clients is kept, and the powers that make energy of it.

use fedbits_kernel::{Power, TimeUsePlan};

use super::laws::{Drawer, Wanted};
use crate::schema::Scenario;

/// The laws that the powers are drawn from.
pub(super) fn laws(scenario: &Scenario) -> impl Iterator<Item = Wanted<'_>> {
    let laws = scenario.energy.iter().flat_map(|energy| energy.laws());
    laws.map(|(at, law)| Wanted::powers(at, law))
}

/// What is kept of the time of these many clients, and of a server, if somebody asks.
pub(super) fn plan(scenario: &Scenario, clients: usize, server: bool, drawer: &Drawer) -> Option<TimeUsePlan> {
    let energy = scenario.energy.as_ref();
    if energy.is_none() && !scenario.asks_for_clients(clients) {
        return None;
    }
    let power = |client: u64| {
        let laws = energy.filter(|_| !scenario.protocol.is_centralized()).map(|energy| energy.laws());
        let [compute, send, receive, idle] = laws?;
        let draw = |law, index| drawer.power(law, client, index);
        Some(Power { compute: draw(compute, 0), send: draw(send, 1), receive: draw(receive, 2), idle: draw(idle, 3) })
    };
    let of_server =
        energy.filter(|_| server).map(|energy| energy.server.map(|server| server.power()).unwrap_or_default());
    let of_clients = (0..clients as u64).filter(|_| energy.is_some()).map(|client| power(client).unwrap_or_default());
    let presence = scenario.availability.build(clients + usize::from(server));
    Some(TimeUsePlan { presence, powers: of_server.into_iter().chain(of_clients).collect() })
}
