#!/usr/bin/env python3
"""Transfers over a star in SimGrid: reads and prints what `ns3/star.cc` does, by the network model in the settings given.

    benches/peers/simgrid_star.py [SETTING...] <case     # e.g. network/model:CM02; without any SimGrid's default, LV08

Every node has a link up and a link down, the clients' with their latency. A transfer is one message of its payload: SimGrid has no
packets, headers, queues, connections, congestion control or windows that grow, so every `opt` but the rest is ignored. LV08 stands for
slow start by 13.01 times the latency and for headers by 0.97 of the rate; a flow's share falls with its route's latency; cross traffic
(on by default) takes 5 % of a transfer's rate on the way back.
To standard error: seconds of wall clock and number of messages.
"""

import sys
import time

from simgrid import Actor, Comm, Engine, LinkInRoute, NetZone, this_actor

REST_MS = 60


def read_case(lines):
    """The nodes (up, down, latency), the rest in ms, and the batches of jobs."""
    nodes, rest, batches = [None], REST_MS, [[]]
    for line in lines:
        word, *rest_of = line.split() or [""]
        if word == "star":
            nodes[0] = (*map(int, rest_of), 0)
        elif word == "client":
            nodes.append(tuple(map(int, rest_of)))
        elif word == "opt" and rest_of[0] == "quiet_ms":
            rest = int(rest_of[1])
        elif word in ("xfer", "echo"):
            batches[-1].append((word, *map(int, rest_of)))
        elif word == "round":
            batches.append([])
    return nodes, rest, [batch for batch in batches if batch]


def platform(nodes):
    """The star's hosts."""
    star = NetZone.create_star_zone("star")
    hosts = []
    for i, (up, down, latency) in enumerate(nodes):
        host = star.create_host(f"node-{i}", 1e9).seal()
        out = star.create_link(f"up-{i}", up / 8).set_latency(latency / 1e9).seal()
        back = star.create_link(f"down-{i}", down / 8).set_latency(latency / 1e9).seal()
        star.add_route(host.netpoint, None, None, None, [LinkInRoute(out)], False)
        star.add_route(None, host.netpoint, None, None, [LinkInRoute(back)], False)
        hosts.append(host)
    star.seal()
    return hosts


def main():
    nodes, rest, batches = read_case(sys.stdin)
    engine = Engine([sys.argv[0], "--log=root.thresh:warning", *(f"--cfg={setting}" for setting in sys.argv[1:])])
    hosts = platform(nodes)
    outcomes = {}
    messages = 0

    def send(source, target, size):
        nonlocal messages
        messages += 1
        Comm.sendto(hosts[source], hosts[target], size)

    def play(number, job):
        kind, offset, *of = job
        this_actor.sleep_for(offset / 1e9)
        begun = Engine.clock
        if kind == "xfer":
            send(*of)
            first = Engine.clock
        else:
            client, down, compute, up = of
            send(0, client, down)
            first = Engine.clock
            this_actor.sleep_for(compute / 1e9)
            send(client, 0, up)
        outcomes[number] = tuple(round((end - begun) * 1e9) for end in (first, Engine.clock))

    def control():
        number = 0
        for batch in batches:
            this_actor.sleep_for(rest / 1e3)
            players = []
            for job in batch:
                players.append(Actor.create(f"transfer-{number}", hosts[0], play, number, job))
                number += 1
            for player in players:
                player.join()

    Actor.create("control", hosts[0], control)
    before = time.perf_counter()
    engine.run()
    took = time.perf_counter() - before
    for number in sorted(outcomes):
        print(number, *outcomes[number])
    print(f"{took:.6f} {messages}", file=sys.stderr)


if __name__ == "__main__":
    main()
