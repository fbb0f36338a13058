#!/usr/bin/env python3
"""Times of random platforms by fedbits and by SimGrid, side by side: stars, trees, and backbones of the Internet Topology Zoo.

    sudo apt-get install -y g++ libsimgrid-dev                # Debian 12: SimGrid 3.32
    cargo build --release
    benches/peers/platforms.py target/release/fedbits [SEED [FOLDER_WITH_GML_FILES]]

Each platform is a scenario (rates, latencies and speeds client by client) that fedbits plays for four rounds; from its tables (topology.csv,
the bits in rounds.csv) the same platform is written for SimGrid, with ways found here, by a Dijkstra of our own. Printed is the largest
difference of the times at the ends of the four rounds. Whole nanoseconds of fedbits are rounded up at every transfer: a few ns a round.

`FairShare` has no weights, and SimGrid's CM02 weighs by latency: there its links have none, and the senders wait for it instead.
Needs the standard library only.
"""

import csv
import heapq
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 4
HERE = Path(__file__).resolve().parent


def access(rng, n):
    """Rates in bit/s and latencies in ns of the server's and of n clients' links, and ns of a client's conditional expectation."""
    def each(low, high):
        return [rng.randrange(low, high) for _ in range(n)]
    server = rng.randrange(10**5, 5 * 10**6), rng.randrange(10**5, 5 * 10**6)
    return server, each(5 * 10**4, 3 * 10**6), each(5 * 10**4, 6 * 10**6), each(10**5, 8 * 10**7), each(10**3, 10**7)


def play(fedbits, out, sharing, graph, platform):
    """Plays a scenario; the folder of its run."""
    (up, down), ups, downs, latencies, speeds = platform
    def each(unit, values):
        return f"Each([{', '.join(f'{unit}({value})' for value in values)}])"
    network = (f"server_up: Bps({up}), server_down: Bps({down}), client_up: {each('Bps', ups)}, client_down: {each('Bps', downs)}, "
               f"latency: {each('Ns', latencies)}, sharing: {sharing}, transport: (set_up: 0, slow_start: None), latency_order: First, headers: Bytes(header: 0, segment: 1460)")
    n = len(ups)
    sets = [f"network={f'(shape: Graph({graph}), {network})' if graph else f'({network})'}", f"clients={n}", f"data.examples={8 * n}",
            "partition=Iid", f"compute.expectation={each('Ns', speeds)}", "arms=[]",
            "protocol=FedEm(gamma: Constant(0.1), memory: NoMemory)", f"stop=(rounds: {ROUNDS})", "record=(every: 1, probe_every: None)"]
    command = [fedbits, "run", "network/hierarchical", "-q", "--no-figures", "--out", out]
    command += [word for one in sets for word in ("--set", one)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "FEDBITS_DATA": str(out.parent)})
    return out


def links(run):
    """Sites (is it the server's?) and links (from, to, bit/s, ns) of a run; none of a star."""
    sites, edges = [], []
    if (run / "topology.csv").exists():
        for row in csv.DictReader(open(run / "topology.csv")):
            if row["kind"] == "site":
                sites.append(row["server"] == "1")
            else:
                edges.append((int(row["index"]), int(row["to"]), int(row["capacity_bps"]), int(row["latency_ns"])))
    return sites, edges


def way(edges, start, end):
    """The directions of links (2 e or 2 e + 1) on the way of the smallest latency, then of the fewest links."""
    out = {}
    for e, (a, b, _, latency) in enumerate(edges):
        out.setdefault(a, []).append((b, 2 * e, latency))
        out.setdefault(b, []).append((a, 2 * e + 1, latency))
    best, before, queue = {start: (0, 0)}, {}, [(0, 0, start)]
    while queue:
        latency, hops, here = heapq.heappop(queue)
        for there, link, more in out.get(here, []):
            length = (latency + more, hops + 1)
            if there not in best or length < best[there]:
                best[there], before[there] = length, (here, link)
                heapq.heappush(queue, (*length, there))
    found = []
    while end != start:
        end, link = before[end]
        found.append(link)
    return found[::-1]


def write(path, run, sharing, platform):
    """The platform of a run for `simgrid_platform`; the ends of its rounds."""
    (server_up, server_down), ups, downs, latencies, speeds = platform
    rows, n = list(csv.DictReader(open(run / "rounds.csv"))), len(ups)
    bits = {name: int(rows[1][name]) - int(rows[0][name]) for name in ("bits_up", "bits_down")}
    sites, edges = links(run)
    rates = [rate for *_, rate, _ in edges for _ in range(2)] + [server_up, server_down] + [r for pair in zip(ups, downs) for r in pair]
    spans = [span for *_, span in edges for _ in range(2)] + [0, 0] + [span for span in latencies for _ in range(2)]
    weighted, first = sharing == "WeightedFairShare", 2 * len(edges)
    lines = [f"P {n} {ROUNDS} {bits['bits_down'] // n // 8} {bits['bits_up'] // n // 8}"]
    lines += [f"L {rate / 8!r} {span * 1e-9 if weighted else 0.0!r}" for rate, span in zip(rates, spans)]
    server = sites.index(True) if sites else 0
    places = [site for site in range(len(sites)) if site != server] or [server]
    for i in range(n):
        site = places[i % len(places)]
        down = [first, *way(edges, server, site), first + 3 + 2 * i]
        up = [first + 2 + 2 * i, *way(edges, site, server), first + 1]
        for kind, route in (("D", down), ("U", up)):
            wait = 0.0 if weighted else sum(spans[link] for link in route) * 1e-9
            lines.append(f"{kind} {i} {wait!r} {' '.join(map(str, route))}")
        lines.append(f"C {i} {8 * speeds[i] * 1e-9!r}")
    path.write_text("\n".join(lines) + "\n")
    times = [float(row["time_s"]) for row in rows]
    return [time - times[0] for time in times[1:]]


def tree(rng, path):
    """A random tree in GML, each link with its capacity in kbit/s and its latency in µs; the number of its sites."""
    sites = rng.randrange(4, 30)
    nodes = [f"  node [ id {i} label \"t{i}\" ]" for i in range(sites)]
    edges = [f"  edge [ source {rng.randrange(i)} target {i} cap {rng.randrange(200, 4000)} lat {rng.randrange(100, 30000)} ]"
             for i in range(1, sites)]
    path.write_text("\n".join(["graph [", *nodes, *edges, "]"]) + "\n")
    return sites


def main():
    fedbits, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    maps = sorted(Path(sys.argv[3]).glob("*.gml")) if len(sys.argv) > 3 else []
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        simgrid = folder / "simgrid"
        subprocess.run(["g++", "-O2", "-o", simgrid, HERE / "simgrid_platform.cpp", "-lsimgrid"], check=True)
        graphs = [(f"star {k}", None) for k in range(3)]
        for k in range(3):
            sites = tree(rng, folder / f"tree{k}.gml")
            gml = f'Gml(path: "tree{k}.gml", capacity: (name: "cap", unit: Kbps(1)), latency: (name: "lat", unit: Us(1)))'
            graphs.append((f"tree {k}", f"sites: {gml}, link_capacity: File(), link_latency: File(), server: Index({rng.randrange(sites)})"))
        for path in maps:
            shutil.copy(path, folder)
            law = "link_capacity: Law(Uniform(min: Kbps(300), max: Mbps(3))), link_latency: Distance(otherwise: Ms(3))"
            graphs.append((path.stem, f'sites: Gml(path: "{path.name}"), {law}'))
        for sharing in ("FairShare", "WeightedFairShare"):
            for name, graph in graphs:
                platform = access(rng, rng.randrange(5, 60))
                run = play(fedbits, folder / f"{name} {sharing}", sharing, graph, platform)
                ends = write(folder / "platform.txt", run, sharing, platform)
                said = subprocess.run([simgrid, folder / "platform.txt"], capture_output=True, text=True, check=True).stdout
                off = max(abs(one - float(other)) for one, other in zip(ends, said.split(), strict=True))
                print(f"{name:12} {sharing:18} {len(platform[1]):3} clients: {ends[-1]:.9f} s, at most {off * 1e9:.1f} ns apart", flush=True)


if __name__ == "__main__":
    main()
