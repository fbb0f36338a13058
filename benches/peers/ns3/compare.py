#!/usr/bin/env python3
"""What programs predict for transfers over a star, beside what real TCP took.

    benches/peers/ns3/compare.py RESULTS [--only WORD] [--opt 'NAME VALUE']... [--times] NAME=COMMAND...

RESULTS has a JSON object a line: `name`, `kind` of emulation, `server` [up, down], `clients` [[up, down, latency in ns]], `batches` of
lines `xfer` and `echo`, `opts`, `limit` of the queues, `sysctl`, and `res`: per repeat, per transfer [number, ns down, ns whole, ...].
Every COMMAND reads a case on standard input and prints times as `star.cc` does; all repeats are one case, as they were measured.

Per batch: real median and makespan in ms, the spread of the repeats, and per program, in %: the median and the worst error of a
transfer (medians of repeats compared), the error of the makespan. Then per program wall clock and events over all repeats of a case.
Needs the standard library only.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import time

QUEUES = {
    "deep": lambda rate: 10_000_000,
    "q64": lambda rate: 64_000,
    "q100ms": lambda rate: max(15_000, rate // 80),
}
PAUSE_MS = 30  # the measurements rest this long at least, and again before the start


def case(row, more):
    """A case's text."""
    quiet = PAUSE_MS
    lines = [f"star {row['server'][0]} {row['server'][1]}"]
    lines += [f"client {up} {down} {latency}" for up, down, latency in row["clients"]]
    for opt in row["opts"]:
        if opt.startswith("quiet_ms "):
            quiet = max(quiet, int(opt.split()[1]))
        else:
            lines.append(f"opt {opt}")
    lines.append(f"opt quiet_ms {quiet + PAUSE_MS}")
    lines.append(f"opt idle {0 if any('slow_start_after_idle=0' in one for one in row['sysctl']) else 1}")
    room = QUEUES[row["limit"]]
    for up, down in [row["server"], *(client[:2] for client in row["clients"])]:
        lines.append(f"opt limit {room(up)} {room(down)}")
    lines += [f"opt {one}" for one in more]
    for _ in row["res"]:
        for batch in row["batches"]:
            lines += [*batch, "round"]
    return "\n".join(lines) + "\n"


def play(command, text, transfers):
    """A program's times, repeat by repeat, and what it says of its wall clock and events; or why there are no times."""
    before = time.perf_counter()
    try:
        got = subprocess.run(shlex.split(command), input=text, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "took over 300 s"
    if got.returncode:
        return None, (got.stderr.strip().splitlines() or [f"ended with {got.returncode}"])[-1]
    rows = [tuple(map(int, line.split())) for line in got.stdout.splitlines()]
    last = (got.stderr.strip().splitlines() or [""])[-1].split()
    said = f"{float(last[0]):.2f} s, {last[1]} events" if len(last) == 2 else f"{time.perf_counter() - before:.2f} s"
    return [rows[k : k + transfers] for k in range(0, len(rows), transfers)], said


def columns(repeats, which):
    """Per transfer its median in ms, and the median makespan."""
    each = [statistics.median(rows[i][2] for rows in repeats) / 1e6 for i in which]
    return each, statistics.median(max(rows[i][2] for i in which) for rows in repeats) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results")
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--only", default="", help="cases whose name, kind and limit have this")
    parser.add_argument("--opt", action="append", default=[], help="a line for every case, without its `opt`")
    parser.add_argument("--times", action="store_true", help="also every transfer's time")
    args = parser.parse_args()
    programs = [one.split("=", 1) for one in args.programs]
    totals = {name: [] for name, _ in programs}
    clocks = []
    for line in open(args.results):
        row = json.loads(line)
        title = f"{row['name']:22s} {row['kind']} {row['limit']:6s} {row['opts'][-1].split()[-1]:5s}"
        if args.only not in "-".join(title.split()):
            continue
        transfers = sum(map(len, row["batches"]))
        text = case(row, args.opt)
        plays = {name: play(command, text, transfers) for name, command in programs}
        clocks.append((title, {name: about for name, (_, about) in plays.items()}))
        begin = 0
        for batch in row["batches"]:
            which = range(begin, begin + len(batch))
            begin += len(batch)
            real, span = columns(row["res"], which)
            ranges = [[rows[i][2] / 1e6 for rows in row["res"]] for i in which]
            spread = statistics.median(100 * (max(each) - min(each)) / ms for each, ms in zip(ranges, real))
            shown = f"{title} {batch[0]:32s} n={len(batch):2d} med {statistics.median(real):8.1f} mk {span:8.1f} spread {spread:5.1f}"
            times = [f"    real {' '.join(f'{ms:.1f}' for ms in real)}"]
            for name, (repeats, _) in plays.items():
                if not repeats:
                    shown += f" | {name} -"
                    continue
                guess, makespan = columns(repeats, which)
                errors = [abs(100 * (a / b - 1)) for a, b in zip(guess, real)]
                three = statistics.median(errors), max(errors), 100 * (makespan / span - 1)
                totals[name].append(three)
                shown += f" | {name} {three[0]:6.2f}/{three[1]:6.1f}/{three[2]:+6.1f}"
                times.append(f"    {name} {' '.join(f'{ms:.1f}' for ms in guess)}")
            print(shown, flush=True)
            if args.times:
                print("\n".join(times))
    for name, rows in totals.items():
        if rows:
            medians = [statistics.median(abs(row[k]) for row in rows) for k in range(3)]
            print(f"{name}: {len(rows)} batches, medians of the three {' / '.join(f'{one:.2f}' for one in medians)}, "
                  f"most {' / '.join(f'{max(abs(row[k]) for row in rows):.1f}' for k in range(3))}, "
                  f"median error within 5 % in {sum(row[0] <= 5 for row in rows)}, makespan in {sum(abs(row[2]) <= 5 for row in rows)}")
    for title, about in clocks:
        print(title, "|", ", ".join(f"{name} {said}" for name, said in about.items()))


if __name__ == "__main__":
    sys.exit(main())
