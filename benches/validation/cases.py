"""The cases of benches/validation/cases.csv: transfers between a server (node 0) and clients over a star.

Rates in bit/s, latencies in seconds, times in nanoseconds. Every case has the headers of Ethernet (66 bytes per 1448 of
payload), which are those of Linux's packets.
"""

M = 1_000_000
MS = 1e-3
SECOND = 1_000_000_000


def step(at, sender, receiver, size, reply=None):
    """One transfer; `reply` is (nanoseconds after its arrival, bytes) of an answer."""
    found = {"at_ns": int(at), "from": sender, "to": receiver, "bytes": size}
    if reply:
        found["reply"] = {"after_ns": reply[0], "bytes": reply[1]}
    return found


def case(name, kind, clients, steps, server=(100 * M, 100 * M), **more):
    """`kind` is the group of the table; `more` goes to the program that plays it."""
    return {"name": name, "kind": kind, "server": list(server), "clients": [list(client) for client in clients],
            "steps": steps, "framing": [66, 1448], **more}


WARM = {"warm": 500_000, "keep_window": True}
TEN = (10 * M, 10 * M, 20 * MS)
EIGHT = [TEN] * 8
# 1 to 20 Mbit/s and 5 to 80 ms.
UNEQUAL = [(1 * M, 10 * M, 5 * MS), (2 * M, 20 * M, 10 * MS), (5 * M, 20 * M, 20 * MS), (5 * M, 10 * M, 40 * MS),
           (10 * M, 20 * M, 80 * MS), (10 * M, 50 * M, 5 * MS), (20 * M, 50 * M, 20 * MS), (20 * M, 20 * M, 40 * MS)]
DISTANCES = [(10 * M, 10 * M, latency * MS) for latency in (5, 10, 20, 30, 40, 50, 60, 80)]
NARROW = (10 * M, 10 * M)


def gather(clients, size):
    return [step(0, client, 0, size) for client in range(1, len(clients) + 1)]


def broadcast(clients, size):
    return [step(0, 0, client, size) for client in range(1, len(clients) + 1)]


def rounds(clients, down, compute, up, times=1, every=4 * SECOND):
    """Every client is sent `down` bytes, computes, and sends `up` bytes back."""
    one = [step(0, 0, client, down, (compute, up)) for client in range(1, len(clients) + 1)]
    return [{**sent, "at_ns": sent["at_ns"] + k * every} for k in range(times) for sent in one]


def sizes(latency, rate, fresh, after):
    """Single transfers of 2 kB to 5 MB, one after the other, `after` nanoseconds apart."""
    wanted = [2_000, 20_000, 200_000, 1_000_000, 5_000_000]
    found = []
    for size in wanted:
        if size * 8 / rate > 6:
            continue
        found.append(case(f"{size // 1000} kB", "", [(rate, rate, latency)],
                          [step(0, 1, 0, size)] if fresh else [step(0, 1, 0, 500_000), step(after, 1, 0, size)],
                          fresh=fresh))
    return found


def singles():
    for rate, latency in [(10 * M, 20 * MS), (1 * M, 20 * MS), (20 * M, 80 * MS), (100 * M, 5 * MS), (50 * M, 200 * MS),
                          (10 * M, 0.0)]:
        server = (max(100 * M, rate), max(100 * M, rate))
        for one in sizes(latency, rate, True, 0):
            one.update(name=f"cold, {rate // M} Mbit/s, {latency / MS:g} ms, {one['name']}", kind="one transfer, cold",
                       server=list(server))
            yield one
    for size in (2_000, 20_000, 200_000, 1_000_000):
        yield case(f"warm, {size // 1000} kB", "one transfer, warm", [TEN], [step(0, 1, 0, size)], **WARM)
        yield case(f"warm down, {size // 1000} kB", "one transfer, warm", [TEN], [step(0, 0, 1, size)], **WARM)
    for size in (20_000, 200_000):
        yield case(f"after 3 s of rest, {size // 1000} kB", "one transfer, after a rest", [TEN],
                   [step(0, 1, 0, 500_000), step(3 * SECOND, 1, 0, size)], measured=1)


def gathers():
    for size in (20_000, 200_000):
        yield case(f"8 equal, cold, {size // 1000} kB", "gather", EIGHT, gather(EIGHT, size), NARROW, fresh=True)
    for control in ("cubic", "reno", "bbr"):
        yield case(f"8 equal, warm, 200 kB, {control}", "gather", EIGHT, gather(EIGHT, 200_000), NARROW,
                   congestion=control, **WARM)
    yield case("16 equal, warm, 100 kB", "gather", [TEN] * 16, gather([TEN] * 16, 100_000), NARROW, **WARM)
    yield case("64 equal, cold, 20 kB", "gather", [TEN] * 64, gather([TEN] * 64, 20_000), NARROW, fresh=True)
    yield case("8 unequal, cold, 20 kB", "gather", UNEQUAL, gather(UNEQUAL, 20_000), NARROW, fresh=True)
    yield case("8 unequal, cold, 200 kB", "gather", UNEQUAL, gather(UNEQUAL, 200_000), NARROW, fresh=True)
    yield case("8 unequal, 50 Mbit/s server, warm, 200 kB", "gather", UNEQUAL, gather(UNEQUAL, 200_000), (50 * M, 50 * M),
               **WARM)
    yield case("8 distances, cold, 200 kB", "gather", DISTANCES, gather(DISTANCES, 200_000), NARROW, fresh=True)


def broadcasts():
    for size in (20_000, 200_000):
        yield case(f"8 equal, cold, {size // 1000} kB", "broadcast", EIGHT, broadcast(EIGHT, size), NARROW, fresh=True)
        yield case(f"8 distances, cold, {size // 1000} kB", "broadcast", DISTANCES, broadcast(DISTANCES, size), NARROW,
                   fresh=True)
        yield case(f"8 distances, fair queues, {size // 1000} kB", "broadcast", DISTANCES, broadcast(DISTANCES, size),
                   NARROW, fresh=True, fair=True)
    yield case("8 unequal, cold, 200 kB", "broadcast", UNEQUAL, broadcast(UNEQUAL, 200_000), NARROW, fresh=True)


def whole_rounds():
    compute = 200_000_000
    yield case("8 unequal, 20/2 kB", "rounds", UNEQUAL, rounds(UNEQUAL, 20_000, compute, 2_000, 3), (20 * M, 20 * M))
    yield case("8 unequal, 200/100 kB", "rounds", UNEQUAL, rounds(UNEQUAL, 200_000, compute, 100_000, 2), (20 * M, 20 * M))
    yield case("8 equal, 20/20 kB", "rounds", EIGHT, rounds(EIGHT, 20_000, compute, 20_000, 3), (20 * M, 10 * M))
    yield case("2 equal, 1/1 MB", "rounds", [TEN] * 2, rounds([TEN] * 2, 1_000_000, compute, 1_000_000))
    yield case("32 equal, 20/2 kB", "rounds", [TEN] * 32, rounds([TEN] * 32, 20_000, compute, 2_000, 2), (50 * M, 50 * M))


def queues():
    for room, name in [(64_000, "64 kB"), (125_000, "100 ms")]:
        yield case(f"8 equal, warm, 500 kB, queues of {name}", "bounded queues", EIGHT, gather(EIGHT, 500_000), NARROW,
                   room=room, **WARM)
        yield case(f"8 equal, cold, 20 kB, queues of {name}", "bounded queues", EIGHT, gather(EIGHT, 20_000), NARROW,
                   room=room, fresh=True)
    small = [step(0, client, 0, 500_000) for client in range(1, 8)] + [step(SECOND // 2, 8, 0, 2_000)]
    yield case("2 kB among 7 x 500 kB, deep queues", "small among large", EIGHT, small, NARROW, **WARM)
    yield case("2 kB among 7 x 500 kB, queues of 100 ms", "small among large", EIGHT, small, NARROW, room=125_000, **WARM)


def both_ways():
    clients = [(1 * M, 10 * M, 20 * MS)] * 4
    steps = [step(0, 0, client, 1_000_000) for client in range(1, 5)] + [step(0, client, 0, 100_000) for client in range(1, 5)]
    yield case("1/10 Mbit/s, 1 MB down and 100 kB up", "both ways at once", clients, steps, (100 * M, 100 * M), **WARM)
    steps = [step(0, 0, 1, 1_000_000), step(0, 1, 0, 1_000_000)]
    yield case("10/10 Mbit/s, 1 MB each way", "both ways at once", [TEN], steps, **WARM)


def losses():
    for share in (0.001, 0.01):
        for size in (200_000, 1_000_000):
            yield case(f"{100 * share:g} % lost, {size // 1000} kB", "losses", [TEN], [step(0, 1, 0, size)], loss=share,
                       fresh=True)


def every_case():
    return [*singles(), *gathers(), *broadcasts(), *whole_rounds(), *queues(), *both_ways(), *losses()]


def small_version():
    """A few seconds of it, for the tests."""
    wanted = ("cold, 10 Mbit/s, 20 ms, 200 kB", "8 equal, cold, 20 kB", "8 unequal, 20/2 kB")
    return [one for one in every_case() if one["name"] in wanted]


if __name__ == "__main__":
    import collections

    found = every_case()
    assert len({(one["kind"], one["name"]) for one in found}) == len(found)
    print(len(found), dict(collections.Counter(one["kind"] for one in found)))
